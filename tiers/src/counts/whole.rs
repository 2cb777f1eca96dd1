//! Solving and counting a whole board without a database, two tiers at a time.

use fourbase::Outcome;

use super::error::SolveAndCountError;
use super::packed::PackedReach;
use super::run::stopped;
use super::sweep::Sweep;
use super::table::{Counts, PlyLegal, Tables};
use super::tally::tally_packed;
use crate::index::Index;
use crate::kernel::Values;
use crate::plan::Plan;
use crate::solve::{Progress, Tier, solve_tier};

/// Counts the legal positions of every ply and remoteness by value, solving the board on the way.
///
/// First sweeps forward and keeps, compressed, which positions are reached; then solves backward and tallies each tier
/// as it is made. Takes the time of both on rayon's current pool, and writes nothing. `progress` hears of every tier
/// twice, from the empty board to the full one and back.
///
/// Memory is what [`Plan::exact`] says of a solve, two tiers, and the compressed bits of all tiers: one plane of every
/// tier at most, but for a few bytes a piece. Measured on 6x5: 60 MB of bits, a sixth of the planes, and 262 MiB in all
/// where all solved tiers at once took 969 MiB.
///
/// ```
/// use fourbase_tiers::{counts::solve_and_count, index::Index, kernel::{Kernel, Values}};
///
/// let index = Index::new("4x4".parse()?, Kernel::detect())?;
/// let counts = solve_and_count(&index, Values::Remoteness, 1 << 30, &())?;
/// assert_eq!(counts.total().legal, 161_029);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SolveAndCountError::Memory`] before or while the sweep passes `memory_bytes`, before anything is solved;
/// [`SolveAndCountError::Stopped`] where `progress` wants it.
pub fn solve_and_count(
    index: &Index,
    values: Values,
    memory_bytes: u64,
    progress: &dyn Progress,
) -> Result<Counts, SolveAndCountError> {
    let (legal, reached) = sweep(index, values, memory_bytes, progress)?;
    let outcomes = solve(index, values, reached, progress)?;
    let mut tables = Tables::default();
    for (legal, outcomes) in legal.into_iter().zip(outcomes.into_iter().rev()) {
        tables.push(legal);
        tables.add(legal.ply, super::finished(index, values), legal.with_line);
        outcomes.into_iter().for_each(|(outcome, positions)| tables.add(legal.ply, outcome, positions));
    }
    Ok(tables.finish(index.board(), values))
}

/// Sweeps from the empty board to the full one.
fn sweep(
    index: &Index,
    values: Values,
    memory_bytes: u64,
    progress: &dyn Progress,
) -> Result<(Vec<PlyLegal>, Vec<PackedReach>), SolveAndCountError> {
    let board = index.board();
    let mut needed_bytes = Plan::exact(index, values).memory_bytes;
    let (mut legal, mut reached) = (Vec::new(), Vec::new());
    let mut sweep = Sweep::new(index);
    loop {
        let tier = sweep.tier();
        let ply = PlyLegal::of(index, tier);
        progress.tier(ply.ply, tier.layout().entries());
        let packed =
            PackedReach::of(tier).map_err(|source| SolveAndCountError::Packed { board, ply: ply.ply, source })?;
        needed_bytes += packed.bytes() as u128;
        if needed_bytes > u128::from(memory_bytes) {
            return Err(SolveAndCountError::Memory { board, needed_bytes, limit_bytes: memory_bytes });
        }
        legal.push(ply);
        reached.push(packed);
        progress.solved(tier.layout().entries());
        if progress.is_stopped() {
            return Err(stopped(board, legal.len()));
        }
        if !sweep.advance() {
            return Ok((legal, reached));
        }
    }
}

/// Solves from the full board to the empty one; returns how many legal positions have each outcome, in that order.
fn solve(
    index: &Index,
    values: Values,
    mut reached: Vec<PackedReach>,
    progress: &dyn Progress,
) -> Result<Vec<Vec<(Outcome, u64)>>, SolveAndCountError> {
    let mut outcomes = Vec::with_capacity(reached.len());
    let (mut child, mut spare) = (None::<Tier>, Vec::new());
    while let Some(reached_here) = reached.pop() {
        let mut tier = Tier::new(index, values, reached.len() as u32, std::mem::take(&mut spare));
        progress.tier(tier.layout.ply(), tier.layout.entries());
        if !solve_tier(index, &mut tier, child.as_ref(), progress) {
            return Err(stopped(index.board(), outcomes.len()));
        }
        outcomes.push(tally_packed(index, &reached_here, &tier)?);
        spare = child.replace(tier).map_or_else(Vec::new, Tier::into_buffer);
    }
    Ok(outcomes)
}
