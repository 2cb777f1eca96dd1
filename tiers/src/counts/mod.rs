//! Counting legal positions: the index run forward.
//!
//! A position is legal if play that stops at the first line reaches it from the empty board. A **sweep** goes from the empty
//! board to the full one with one bit an entry: a position is reached if a drop leads to it from a reached position without
//! a line. Values do not matter for that. To count by value, the bits of all tiers are kept compressed, and an
//! observer of the solve **tallies** each tier. [`solve_and_count`] counts beside the solve of a database, [`count_by_value`]
//! without one, and [`count_by_ply`] counts legal positions alone.
//!
//! # Each finished position once
//!
//! Several last moves can lead to one finished position (on 4x4, 25,780 moves to 21,404 positions), so counting moves would
//! count too much. Every position is therefore one *bit*, which all its last moves set, and bits are counted. Lines across
//! both wings are tested in positions of the index: their bits are counted and cleared. Positions with a line inside a wing
//! and the spine are no entries of the index, so their matrices are made up for the moment of counting: the index' lists of
//! a wing are joined by the list of its **finished colourings**, those from which some top piece of the mover can be taken
//! so that no line is left. That list, too, is in numeric order, and a drop leads to it as it leads to a list of the index,
//! so the same kernel fills its matrices, 64 positions an operation. They are counted and dropped.
//!
//! For example, the first player's last piece made `1111` at the bottom of a left wing whose four columns have height
//! one. Any of the four drops may have been the last, so this colouring of the wing has four parents, the colourings
//! `111` of four shapes; its row is the OR of their rows. Had a second line stood in the left wing, only drops that
//! break both would count; and had the right wing a line as well, only a piece on the spine could have made both.
//!
//! Mirror images are counted apart: an entry of a shape that is not its own mirror image stands for two positions.

mod error;
mod finished;
mod journal;
mod json;
mod kept;
mod parents;
mod run;
mod sweep;
mod table;
mod tally;

#[cfg(test)]
mod tests;

pub use error::CountError;
pub use json::{OutcomeRow, Row, Stats, Sums};
pub use kept::{kept_path, read_kept, write_kept};
pub use run::{count_by_ply, count_by_value, solve_and_count};
pub(crate) use sweep::{count_legal, legal_bytes, sweep_up};
pub use table::{Counts, OutcomeCount, PlyCounts, PlyLegal};
