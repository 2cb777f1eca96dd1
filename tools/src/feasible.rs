//! Whether this machine can solve a board, so that no remedy advises what cannot be done.

use std::path::Path;

use fourbase::Board;
use fourbase_tiers::files::{Disk, has_room};
use fourbase_tiers::kernel::Values;
use fourbase_tiers::solve::Plan;

use crate::memory;

/// Solves that need less are possible on any machine, and so are not planned exactly.
const LITTLE_BYTES: u128 = 64 << 20;

/// Tells whether a solve fits the memory of this machine and the disk of the folder with the databases.
///
/// Costs a millisecond on small boards and about a second on 7x6, whose tables are counted.
pub fn is_feasible(board: Board, values: Values, root: &Path) -> bool {
    let estimate = Plan::estimate(board, values);
    if estimate.memory_bytes().max(estimate.database_bytes()) <= LITTLE_BYTES {
        return true;
    }
    let limit_bytes = memory::default_limit().unwrap_or(u64::MAX);
    let plan = Plan::new(board, values, limit_bytes);
    let files_bytes = plan.database_bytes().saturating_add(plan.scratch_bytes());
    plan.check(limit_bytes).is_ok() && has_room(&Disk, root, files_bytes).is_ok()
}

/// Returns the kind of values that this machine can compute for a board, remoteness if possible.
pub fn feasible_values(board: Board, root: &Path) -> Option<Values> {
    [Values::Remoteness, Values::Wdl].into_iter().find(|values| is_feasible(board, *values, root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_boards_can_be_solved_and_boards_beyond_all_memory_cannot() {
        let values = |name: &str| feasible_values(name.parse().unwrap(), Path::new("db"));
        for name in ["2x2", "4x4", "5x4"] {
            assert_eq!(values(name), Some(Values::Remoteness), "{name}");
        }
        for name in ["9x7", "8x8", "32x2"] {
            assert_eq!(values(name), None, "{name}");
        }
    }
}
