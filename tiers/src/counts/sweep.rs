//! The sweep goes from the empty board to the full board and finds the positions that play reaches. [`crate::counts`]
//! explains it.

use std::ops::Range;
use std::sync::Arc;

use fourbase::Player;

use super::folder::{Count, Journal};
use super::lists::{ChildList, ChildLists, parents_of};
use crate::communicator::gather;
use crate::context::Context;
use crate::files::FileError;
use crate::index::{Index, Matrix, bands, images};
use crate::kernel::reach::{PullBand, Pulled};
use crate::progress::{Stage, StageProgress};
use crate::solve::{Bands, Plan, Solve, SolveError};
use crate::tier::{Kind, Tier, TierFolder, segments};

/// Sweeps tiers in memory from the empty board up to the ply `last`. Returns the last tier and the counts of its
/// positions; `None` if `progress` stopped the sweep. Runs on rayon's current pool, or on fewer threads if all of them
/// would need more than `memory_bytes`.
///
/// # Errors
/// [`SolveError::Memory`] if one thread would need more than `memory_bytes`; the sweep has not begun then.
/// [`SolveError::Threads`] if threads can't be started.
pub(crate) fn sweep_up(
    index: &Index,
    last: u32,
    memory_bytes: u64,
    progress: &StageProgress,
) -> Result<Option<(Tier<'static>, Pulled)>, SolveError> {
    let plan = fit(Plan::legal(index, last), memory_bytes, &Context::default())?;
    let list_bytes = memory_bytes - plan.memory_bytes() as u64;
    plan.install(|| {
        let mut swept = None;
        for ply in 0..=last {
            let parents = swept.as_ref().map(|(parents, _)| parents);
            let mut tier = Tier::in_memory(index, Kind::Reached, ply, parents);
            let pulled = sweep_tier(index, &mut tier, parents, list_bytes, progress)?;
            let Some(pulled) = pulled else { return Ok(None) };
            swept = Some((tier, pulled));
        }
        Ok(swept)
    })?
}

/// Plans a sweep under the memory limit of `solve`. Returns the index and the plan. The tiers are in files if
/// `in_files` is true, if there are several ranks, or if the sweep does not fit into memory.
pub(super) fn plan_sweep(solve: &Solve, context: &Context, in_files: bool) -> Result<(Index, Plan), SolveError> {
    let (_, index) = solve.counted_plan()?;
    let plan = Plan::legal(&index, solve.board.cells() as u32);
    let is_bounded = in_files || !context.all.is_alone() || plan.memory_bytes() > u128::from(solve.memory_bytes);
    let plan = fit(if is_bounded { plan.bounded() } else { plan }, solve.memory_bytes, context)?;
    Ok((index, plan))
}

/// Reduces the threads of a plan if all of them need too much memory. With several ranks all threads stay: fewer
/// threads would need a new pool, and the new pool would move the count off the thread that calls MPI.
///
/// # Errors
/// [`SolveError::Memory`] if there is too little memory even for one thread.
pub(super) fn fit(plan: Plan, memory_bytes: u64, context: &Context) -> Result<Plan, SolveError> {
    let plan = if context.all.is_alone() { plan.within(memory_bytes) } else { plan };
    plan.check(memory_bytes)?;
    Ok(plan)
}

/// Sweeps from the first ply that is not in the journal to the full board. Returns the completed journal.
pub(super) fn sweep(count: &Count, mut journal: Journal, (index, plan): (Index, Plan)) -> Result<Journal, SolveError> {
    let Count { solve, values, context, ref folder, in_files } = *count;
    let (Context { storage, all, progress }, index) = (*context, &index);
    count.check_disk(&journal, if values.is_some() { plan.reached_bytes() } else { plan.scratch_bytes() })?;
    // The child lists get the memory that the plan leaves. If the tiers are in files, half of that memory goes to the
    // blocks of the tiers instead.
    let rest_bytes = solve.memory_bytes - plan.memory_bytes() as u64;
    let list_bytes = if plan.is_bounded { rest_bytes / 2 } else { rest_bytes };
    let memory = Arc::new(plan.memory(solve.memory_bytes - list_bytes, solve.block_words));
    let tiers = TierFolder { storage, folder, memory, all };
    let (done, last) = (journal.swept.len(), solve.board.cells());
    let entries = plan.tiers.iter().take(done).map(|tier| tier.entries as u64).sum();
    progress.begin(Stage::Sweep, u64::try_from(plan.entries()).unwrap_or(u64::MAX), entries);
    let stopped = |done| {
        let (folder, &Solve { board, keep_plies, .. }) = (in_files.then(|| folder.clone()), solve);
        SolveError::Stopped { folder, board, keep_plies, stage: Stage::Sweep, done }
    };
    plan.install(|| {
        let before = done.checked_sub(1).filter(|_| done <= last);
        let mut parents = before.map(|ply| tiers.open(index, Kind::Reached, ply as u32)).transpose()?;
        for ply in done as u32..=last as u32 {
            if all.is_root() {
                // The bits of an unfinished ply are useless without its counts. A count without values needs only the
                // bits of the previous ply.
                let is_old = |of| of >= ply || values.is_none() && of + 1 < ply;
                segments::remove(storage, folder, Kind::Reached, is_old)?;
            }
            all.barrier();
            let mut tier = Tier::new(&tiers, index, Kind::Reached, ply);
            progress.tier(ply, tier.entries());
            let shown = context.shown(Stage::Sweep, tier.entries());
            let swept = sweep_tier(index, &mut tier, parents.as_ref(), list_bytes, &shown)?;
            let own = swept.ok_or_else(|| stopped(ply as usize))?;
            shown.end();
            journal.swept.push(gather(all, &own)?.into_iter().fold(Pulled::default(), |sum, other| sum + other));
            if in_files || values.is_some() {
                tier.sync(index)?;
                // The journal may record this ply only after all ranks have saved it. `on_root` waits for them.
                count.on_root(|| journal.write(storage, folder))?;
            }
            if progress.is_stopped() {
                return Err(stopped(ply as usize + 1));
            }
            parents = Some(tier);
        }
        Ok(journal)
    })?
}

/// Fills the empty `tier` from `parents`, the tier before it (`None` if `tier` is the empty board), and counts the
/// positions of `tier`. The kept child lists may take `list_bytes` bytes. Returns `None` if `progress` stopped the
/// sweep before the end.
///
/// The planes of `tier` mark the positions without a line. These include full boards, because the tally later looks up
/// their values. Positions with a line are counted but not stored.
fn sweep_tier(
    index: &Index,
    tier: &mut Tier,
    parents: Option<&Tier>,
    list_bytes: u64,
    progress: &StageProgress,
) -> Result<Option<Pulled>, FileError> {
    let ply = tier.ply();
    let lists = ChildLists::new(index, Player::to_move(ply).other(), list_bytes);
    let begin = || (Bands::new(index, ply, parents, None), Pulled::default());
    let filled = tier.fill(index, progress, begin, |(bands, pulled), matrix, rows, out| {
        if ply == 0 {
            out.fill(1);
            pulled.without_line = 1;
        } else {
            *pulled = *pulled + pull(&lists, bands, matrix, rows, out)?;
        }
        Ok(())
    })?;
    Ok(filled.map(|threads| threads.into_iter().fold(Pulled::default(), |sum, (_, pulled)| sum + pulled)))
}

/// Fills `out` with the given rows of a matrix and counts their positions. `rows` begins at a multiple of 64. Also counts
/// finished positions outside the index: those in the finished columns of `rows`, and a share of those in the finished
/// rows ([`super::lists`] explains finished rows and columns).
fn pull(
    lists: &ChildLists,
    prepared: &mut Bands,
    matrix: &Matrix,
    rows: Range<usize>,
    mut out: &mut [u64],
) -> Result<Pulled, FileError> {
    let index = lists.index;
    let [left, finished_left] = &*lists.both(matrix.left, matrix.spine, matrix.left_firsts);
    let [right, finished_right] = &*lists.both(matrix.right, matrix.spine, matrix.right_firsts);
    prepared.seek(matrix);
    let colourings = index.colourings(matrix.left, matrix.spine, matrix.left_firsts);
    let (mut own, mut with_line) = (Pulled::default(), 0);
    let mut part = |[left, right]: [&ChildList; 2], rows: Range<usize>, out: Option<&mut [u64]>| {
        if right.len == 0 {
            return Ok(Pulled::default());
        }
        // Only positions of the index can have a line across both wings.
        let colourings = if out.is_some() { &colourings[rows.clone()] } else { &[] };
        let parents = |drops| parents_of(drops, matrix, [left, right]);
        prepared.work(rows, right.len, colourings, parents, |band, buffers| {
            index.kernel.run(PullBand { band, out, buffers })
        })
    };
    for rows in bands(rows.clone()) {
        let out = out.split_off_mut(..rows.len() * matrix.words()).unwrap_or_default();
        own = own + part([left, right], rows.clone(), Some(out))?;
        with_line += part([left, finished_right], rows, None)?.without_line;
    }
    for rows in bands(share(finished_left.len, &rows, matrix.rows as usize)) {
        for columns in [right, finished_right] {
            with_line += part([finished_left, columns], rows.clone(), None)?.without_line;
        }
    }
    let images = images(matrix);
    Ok(Pulled { without_line: own.without_line * images, with_line: (own.with_line + with_line) * images })
}

/// Returns which finished rows of a matrix are counted together with `rows`. The matrix has `all` rows in the index and
/// `finished` finished rows. Consecutive ranges of rows get consecutive parts of the finished rows. These parts begin
/// at multiples of 64 and together cover all finished rows.
fn share(finished: usize, rows: &Range<usize>, all: usize) -> Range<usize> {
    let place = |row: usize| if row == all { finished } else { finished * row / all / 64 * 64 };
    if rows.start == 0 && rows.end == all { 0..finished } else { place(rows.start)..place(rows.end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_a_large_matrix_share_out_all_finished_rows() {
        for (all, finished) in [(1, 64), (512, 20_000), (513, 65), (3000, 0), (6435, 700), (6435, 20_000)] {
            let mut next = 0;
            for start in (0..all).step_by(512) {
                let share = share(finished, &(start..all.min(start + 512)), all);
                assert_eq!(share.start, next, "{finished} of {all}");
                assert!(share.start.is_multiple_of(64) || share.is_empty(), "{finished} of {all}");
                next = share.end;
            }
            assert_eq!(next, finished, "{finished} of {all}");
        }
        assert_eq!(share(70, &(0..0), 0), 0..70, "a matrix without rows has its finished rows all the same");
    }
}
