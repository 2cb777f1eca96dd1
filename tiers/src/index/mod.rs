//! The index: a perfect hash of the positions of a tier, cut into wings and a spine.
//!
//! All positions of one ply are a **tier**. A tier is made of **shapes** (column heights), a shape of **matrices**:
//! one for every colouring of the spine and every number of first-player pieces in the left wing. A matrix has a row
//! for every colouring of the left wing and a column for every colouring of the right wing, both in increasing order
//! and without those that have a line inside wing and spine. The balance of the pieces fixes how many first-player
//! pieces the right wing has, so a position is one entry of one matrix:
//!
//! ```text
//! position -> (left shape, right shape, spine, left count) -> matrix -> (row rank, column rank)
//! ```
//!
//! Mirror images share an entry: only shapes whose left wing is at least their right wing (as numbers) are indexed.
//! The mirror of a matrix is its transpose.
//!
//! [`Index`] holds the tables of a board, made when they are first asked for; [`TierLayout`] says where the matrices
//! of a tier begin.

mod across;
mod directory;
mod error;
mod estimate;
mod layout;
mod limits;
mod lines;
mod map;
mod numbers;
mod of_shape;
mod rank;
mod size;
mod slots;
mod split;
mod tables;
mod wing;

pub(crate) use across::{FullLine, OpenLine, arm_lines};
pub use directory::TierDirectory;
pub use error::IndexError;
pub(crate) use estimate::tier_estimates;
pub use layout::{Located, Matrix, Shape, ShapeLayout, TierLayout};
pub(crate) use layout::{bands, images, matrices, shape_entries, shapes};
pub(crate) use limits::{TableSizes, check_tables, count_shapes, least_entries};
pub use lines::{CrossLine, Lines, WingCell, WingLine};
pub(crate) use of_shape::OfShape;
pub use rank::Place;
pub(crate) use size::TierSize;
pub(crate) use slots::Slots;
pub use split::{Part, Parts, Spine, Split, WingShape};
pub use tables::Index;
pub use wing::WingList;
pub(crate) use {
    map::{count_before, push_rank_map, push_row_map, row_map},
    split::low_bits,
};
