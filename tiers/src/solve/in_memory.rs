//! Solves a board in memory, without a database.

use fourbase::Outcome;

use super::driver::solve_tier;
use crate::files::FileError;
use crate::index::Index;
use crate::kernel::Values;
use crate::progress::StageProgress;
use crate::tier::{Kind, Tier};

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

/// Solves tiers in memory from the full board down to a ply, and calls `each` with every tier. Returns the last tier;
/// `None` if `progress` stopped the solve.
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
        let mut tier = Tier::in_memory(index, Kind::Values(values), ply, child.as_ref());
        if !solve_tier(index, &mut tier, child.as_ref(), progress)? {
            return Ok(None);
        }
        each(&tier);
        child = Some(tier);
    }
    Ok(child)
}
