//! Counting legal positions: the index run forward.
//!
//! A position is legal if play that stops at the first line reaches it from the empty board. A **sweep** goes from the
//! empty board to the full board with one bit per entry: a position is reached if a drop leads to it from a reached
//! position without a line. Values do not matter for this. To count by value, the bits of all tiers are kept
//! compressed, and an observer of the solve **tallies** each tier. [`solve_and_count`] counts during the solve of a
//! database, [`count_by_value`] counts without keeping one, and [`count_by_ply`] counts legal positions only.
//!
//! # Counting each finished position once
//!
//! Several last moves can lead to one finished position (on 4x4, 25,780 moves to 21,404 positions), so counting moves
//! would count too much. Instead every position is one *bit*, which all its last moves set, and the bits are counted.
//! A position with a line across both wings is an entry of the index: its bit is counted and then cleared. Positions with a
//! line inside a wing and the spine are not entries of the index, so their matrices exist only while they are counted:
//! each wing gets a second list, its **finished colourings**. In each of these, removing some top piece of the mover
//! leaves no line. This list is in numeric order too, and drops lead to it as to a list of the index, so the same
//! kernel fills its matrices, 64 positions at a time. Their positions are counted, and the matrices are discarded.
//!
//! For example, the first player's last piece made `1111` at the bottom of a left wing whose four columns have height
//! one. Any of the four drops may have been the last, so this colouring has four parents, the colourings `111` of four
//! shapes, and its row is the OR of their rows. If the left wing had a second line, the last drop must have finished
//! both lines; if the right wing had a line too, only a piece on the spine could have finished both.
//!
//! Mirror images count separately: an entry stands for two positions unless its shape is its own mirror image.

mod folder;
mod journal;
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
