//! Counting legal positions: the index run forward.
//!
//! A position is legal if play that stops at the first line reaches it from the empty board. [`Sweep`] walks the tiers
//! forward with one bit an entry: a position is reached if a drop leads to it from a reached position without a line.
//! What a position is worth does not matter for that; [`count`] looks the values up tier by tier as the sweep passes,
//! and [`solve_and_count`] makes them on the way back.
//! [`run`] counts boards far beyond memory, in compressed files.
//!
//! # Each finished position once
//!
//! Several last moves can lead to one finished position (on 4x4, 25,780 to 21,404), so counting moves would count too
//! much. Every position is therefore one *bit*, which all its last moves set, and bits are counted. Lines across both
//! wings are tested in positions of the index: the bits are there, and are counted and cleared. Positions with a line
//! inside a wing and the spine are no entries of the index, so their matrices are made up for the moment of counting:
//! the index' lists of a wing are joined by the list of its **finished colourings**, those from which some top piece of
//! the mover can be taken so that no line is left. That list, too, is in numeric order, and a drop leads to it as it
//! leads to a list of the index, so the same kernel fills its matrices, 64 positions an operation; they are counted
//! and forgotten.
//!
//! For example, the first player's last piece made `1111` at the bottom of a left wing whose four columns have height
//! one. Any of the four drops may have been the last, so this colouring of the wing has four parents, the colourings
//! `111` of four shapes; its row is the OR of their rows. Had a second line stood in the left wing, only drops that
//! break both would count; and had the right wing a line as well, only a piece on the spine could have made both.
//!
//! Mirror images are counted apart: an entry of a shape that is not its own mirror image stands for two positions.

mod bounded;
mod error;
mod finished;
mod journal;
mod packed;
mod parents;
mod pull;
mod run;
mod sweep;
mod table;
mod tally;
mod tier;
mod whole;

#[cfg(test)]
mod tests;

use std::borrow::Borrow;

use fourbase::{Outcome, Value};

pub use error::{CountError, SolveAndCountError, TallyError};
pub use run::{Counted, Options, run, run_on};
pub use sweep::Sweep;
pub use table::{Counts, PlyCounts, PlyLegal, RemotenessCount};
pub use tally::tally;
pub use tier::ReachTier;
pub use whole::solve_and_count;

use crate::index::Index;
use crate::kernel::Values;
use crate::solve::Tier;
use table::Tables;

/// Counts the legal positions of every ply, from the empty board to the full one. Needs no values.
pub fn legal(index: &Index) -> Vec<PlyLegal> {
    let mut sweep = Sweep::new(index);
    let mut plies = vec![PlyLegal::of(index, sweep.tier())];
    while sweep.advance() {
        plies.push(PlyLegal::of(index, sweep.tier()));
    }
    plies
}

/// Counts the legal positions of every ply and remoteness by value.
///
/// `values_of` is asked for the solved tiers from the empty board to the full one, each once, and may give them away
/// or lend them; a tier is dropped before the next is asked for.
///
/// # Errors
/// What `values_of` fails with, and [`TallyError`] where its tiers are not those of the board.
pub fn count<T, E>(
    index: &Index,
    values: Values,
    mut values_of: impl FnMut(u32) -> Result<T, E>,
) -> Result<Counts, CountError<E>>
where
    T: Borrow<Tier>,
    E: std::error::Error + 'static,
{
    let mut tables = Tables::default();
    let mut sweep = Sweep::new(index);
    loop {
        let reached = sweep.tier();
        let ply = reached.layout().ply();
        tables.push(PlyLegal::of(index, reached));
        tables.add(ply, finished(index, values), reached.with_line());
        let tier = values_of(ply).map_err(|source| CountError::Values { ply, source })?;
        let found = tier.borrow().coding.values();
        if found != values {
            return Err(TallyError::OtherValues { board: index.board(), ply, expected: values, found }.into());
        }
        for (outcome, positions) in tally(index, reached, tier.borrow())? {
            tables.add(ply, outcome, positions);
        }
        drop(tier);
        if !sweep.advance() {
            return Ok(tables.finish(index.board(), values));
        }
    }
}

/// The outcome of a position that a line has finished, as `values` tell it.
fn finished(index: &Index, values: Values) -> Outcome {
    let value = if index.board().is_misere() { Value::Win } else { Value::Lose };
    Outcome { value, remoteness: (values == Values::Remoteness).then_some(0) }
}
