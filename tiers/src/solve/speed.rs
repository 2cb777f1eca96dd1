//! Solves without a database, to measure speed.

use std::time::Duration;

use fourbase::Outcome;
use web_time::Instant;

use super::driver::solve_tier;
use super::plan::Plan;
use crate::files::FileError;
use crate::index::Index;
use crate::kernel::{Coding, Kernel, Values};
use crate::progress::StageProgress;
use crate::tier::Tier;

/// Solves a board in memory, two tiers at a time, and writes nothing. Calls `each` with every tier, from the full board
/// down. Returns the outcome of the empty board.
///
/// ```
/// use fourbase_tiers::{index::Index, kernel::{Kernel, Values}, solve::in_memory};
///
/// let index = Index::new("4x4".parse()?, Kernel::detect())?;
/// let mut entries = 0;
/// let outcome = in_memory(&index, Values::Wdl, |tier| entries += tier.entries())?;
/// assert_eq!(outcome.map(|outcome| outcome.value), Some(fourbase::Value::Tie));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Currently none: no file is read or written.
pub fn in_memory(index: &Index, values: Values, each: impl FnMut(&Tier)) -> Result<Option<Outcome>, FileError> {
    solve_down(index, values, 0, &StageProgress::none(), each)?.map_or(Ok(None), |root| root.root(index))
}

/// Solves tiers in memory from the full board down to a ply, and calls `each` with every tier. Returns the last one;
/// `None` if `progress` stopped it.
pub(crate) fn solve_down(
    index: &Index,
    values: Values,
    ply: u32,
    progress: &StageProgress,
    mut each: impl FnMut(&Tier),
) -> Result<Option<Tier<'static>>, FileError> {
    let cells = index.board().cells() as u32;
    let mut child: Option<Tier> = None;
    for ply in (ply.min(cells)..=cells).rev() {
        let mut tier = Tier::in_memory(index, Coding::new(index.board(), values, ply), ply, child.as_ref());
        if !solve_tier(index, &mut tier, child.as_ref(), progress)? {
            return Ok(None);
        }
        each(&tier);
        child = Some(tier);
    }
    Ok(child)
}

/// The board that is solved to measure the machine's speed.
const SAMPLE: &str = "5x5";

/// The least number of solves and the least total time: the first solve is slower, and other work may disturb any
/// solve.
const SOLVES: u32 = 4;
const TIME: Duration = Duration::from_millis(250);

/// Measures how much work ([`TierPlan::solving_work`](super::TierPlan::solving_work)) the kernels do per second on this
/// machine: solves 5x5 in memory at least four times and returns the fastest result. Takes about a second on a slow
/// machine of two cores. Returns `None` if nothing can be measured.
pub fn work_per_second(values: Values, kernel: Kernel) -> Option<f64> {
    let index = Index::new(SAMPLE.parse().ok()?, kernel).ok()?;
    let work: u128 = Plan::exact(&index, values).tiers.iter().map(|tier| tier.solving_work).sum();
    let (all, mut solves, mut fastest) = (Instant::now(), 0, Duration::MAX);
    while solves < SOLVES || all.elapsed() < TIME {
        let start = Instant::now();
        in_memory(&index, values, |_| ()).ok()?;
        fastest = fastest.min(start.elapsed());
        solves += 1;
    }
    Some(work as f64 / fastest.as_secs_f64())
}
