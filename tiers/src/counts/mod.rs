//! Counts legal positions tier by tier, from the empty board to the full board.
//!
//! A position is legal if play that stops at the first line reaches it from the empty board. A **sweep** finds these
//! positions. It goes from the empty board to the full board and keeps one bit for each entry of the index. It sets the
//! bit of a position if a drop leads there from a reached position without a line. A sweep needs no values. A count by
//! value keeps the bits of all tiers, compressed. During the solve, an observer then **tallies** each solved tier: it
//! counts the reached positions by value and remoteness. [`solve_and_count`] counts during the solve of a database,
//! [`count_by_value`] counts without keeping a database, and [`count_by_ply`] counts legal positions without values.
//!
//! [`crate::index`] explains the words entry, wing, spine, shape, colouring and matrix.
//!
//! # Counting each finished position once
//!
//! Several last moves can lead to one finished position (on 4x4, 25,780 moves lead to 21,404 positions), so a count of
//! moves would be too high. Instead the sweep has one *bit* for each finished position. Every last move to the position
//! sets this bit, and the sweep counts the bits. A position with a line across both wings is an entry of the index. The
//! sweep counts its bit and then clears it, because no move follows the line.
//!
//! A position with a line inside a wing and the spine is not an entry of the index. For such positions each wing gets a
//! second list, its **finished colourings**. A finished colouring has a line, but it has none after the removal of some
//! top piece of the player who moved last. The second list is in numeric order like a list of the index, and drops lead
//! to both lists in the same way. So the same kernel fills the matrices of finished colourings, 64 positions at a time.
//! The sweep counts the positions of these matrices and then discards the matrices.
//!
//! For example, a left wing has four columns with one piece each. All four pieces are the first player's, so the
//! colouring is `1111`. Each of the four drops may have been the last one. So this colouring has four parents, the
//! colourings `111` of four shapes, and its row is the OR of their rows. If the left wing has a second line, the last
//! drop finished both lines. If the right wing has a line too, only a drop on the spine can have finished both lines.
//!
//! Mirror images count separately: an entry stands for two positions unless its shape is its own mirror image.

mod folder;
mod json;
mod kept;
mod lists;
mod run;
mod sweep;
mod table;
mod tally;

#[cfg(test)]
mod tests;

pub use json::{OutcomeRow, Row, Stats, Sums};
pub use kept::{kept_path, read_kept, write_kept};
pub use run::{count_by_ply, count_by_value, solve_and_count};
pub(crate) use sweep::sweep_up;
pub use table::{Counts, OutcomeCount, PlyCounts};
