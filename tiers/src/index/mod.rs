//! The index: a perfect hash of the positions of a tier, cut into wings and a spine.
//!
//! All positions of one ply are a **tier**. A tier consists of **shapes** (column heights), and a shape of
//! **matrices**: one for every colouring of the spine and every number of first-player pieces in the left wing. A
//! matrix has a row for every colouring of the left wing and a column for every colouring of the right wing, both in
//! increasing order and without colourings that have a line inside wing and spine. The balance of the pieces determines
//! how many first-player pieces the right wing has, so a position is one entry of one matrix:
//!
//! ```text
//! position -> (left shape, right shape, spine, left count) -> matrix -> (row rank, column rank)
//! ```
//!
//! Mirror images share an entry: only shapes whose left wing is at least their right wing (as numbers) are indexed. A
//! shape that is its own mirror image is indexed whole. The mirror image of a matrix is its transpose.
//!
//! [`Index`] holds the tables of a board, each made at its first use; [`TierDirectory`] ranks and unranks positions.
//!
//! | file | subject |
//! |---|---|
//! | `split` | the cut: wing shapes, spines, the parts of a position and of a line |
//! | `wing` | the colourings of one wing shape beside one spine, with their bit planes |
//! | `numbers` | the rank of a colouring, without its list |
//! | `tables` | [`Index`]: all of these, made on demand |
//! | `layout` | the shapes and matrices of a tier, and their sizes |
//! | `directory` | [`TierDirectory`]: rank and unrank |
//! | `rows` | where a drop leads from each row of a matrix; the lines across both wings |
//! | `sizes` | limits and estimates from the board alone |

mod directory;
mod layout;
mod numbers;
mod rows;
mod sizes;
mod split;
mod tables;
mod wing;

pub use directory::{Located, TierDirectory};
pub use layout::{Matrix, Shape};
pub(crate) use layout::{OfShape, ShapeLayout, TierSize, bands, images, of_shape, shapes, unrank_among};
pub(crate) use rows::{FullLine, OpenLine, arm_lines, occupied, push_row_map};
pub use sizes::IndexError;
pub(crate) use sizes::{TableSizes, check_tables, count_shapes, tier_estimates};
pub(crate) use split::low_bits;
pub use split::{Part, Parts, Spine, Split, WingShape};
pub use tables::Index;
pub(crate) use tables::{ByFirsts, Slots};
pub use wing::WingList;
