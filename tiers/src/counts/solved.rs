//! The outcomes of one ply, solved in memory by the kernels: the quick way to those of all its positions.
//!
//! A probe looks at a position for itself, in about a microsecond. The kernels solve hundreds of millions of entries a second,
//! but they begin at the full board. So for most plies of a board that fits into memory the kernels are quicker.

use fourbase::{Board, Outcome};

use super::error::CountError;
use crate::index::{Index, tier_estimates};
use crate::kernel::{Coding, Values};
use crate::solve::{Plan, solve_tier};
use crate::tier::{MemoryTier, Store, Watch};

/// How many entries the kernels solve while one position is probed.
const ENTRIES_A_PROBE: u128 = 1000;

/// The outcomes of all entries of one ply.
///
/// ```
/// use fourbase_tiers::counts::{PositionList, SolvedPly};
/// use fourbase_tiers::index::Index;
/// use fourbase_tiers::kernel::{Kernel, Values};
///
/// let index = Index::new("4x4".parse()?, Kernel::detect())?;
/// let list = PositionList::legal(&index, 3, u64::MAX, &|| false)?.ok_or("stopped")?;
/// let solved = SolvedPly::new(&index, Values::Wdl, 3, u64::MAX, &|| false)?.ok_or("stopped")?;
/// let listed = list.read(&index, 0, Some(&solved))?;
/// assert_eq!(listed.codes.len(), listed.bitboards.len());
/// assert!(solved.outcome(listed.codes[0]).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SolvedPly {
    tier: MemoryTier<Coding>,
}

impl SolvedPly {
    /// Tells whether solving a ply is likely quicker than to probe so many positions of it.
    #[must_use]
    pub fn is_quicker_than_probes(board: Board, ply: u32, positions: u64) -> bool {
        let entries = tier_estimates(board).into_iter().skip(ply as usize).fold(0, u128::saturating_add);
        entries < ENTRIES_A_PROBE * u128::from(positions)
    }

    /// Solves the plies from the full board down to this one, on all threads of rayon's current pool. Returns `None` if
    /// `is_stopped` says so before the end.
    ///
    /// # Errors
    /// [`CountError::Memory`] if two tiers need more than `memory_bytes`.
    pub fn new(
        index: &Index,
        values: Values,
        ply: u32,
        memory_bytes: u64,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<SolvedPly>, CountError> {
        let (board, cells) = (index.board(), index.board().cells() as u32);
        let needed_bytes = Plan::exact(index, values).memory_bytes;
        if needed_bytes > u128::from(memory_bytes) {
            return Err(CountError::Memory { board, needed_bytes, limit_bytes: memory_bytes });
        }
        let watch = Watch { done: &|_| (), is_stopped };
        let mut child: Option<MemoryTier<Coding>> = None;
        let mut spare = Vec::new();
        for ply in (ply.min(cells)..=cells).rev() {
            let coding = Coding::new(board, values, ply);
            let mut tier = MemoryTier::new(index, coding, ply, std::mem::take(&mut spare));
            if !solve_tier(index, &mut tier, child.as_ref(), &watch)? {
                return Ok(None);
            }
            spare = child.replace(tier).map(MemoryTier::into_buffer).unwrap_or_default();
        }
        Ok(child.map(|tier| SolvedPly { tier }))
    }

    /// Returns the outcome that a code of this ply stands for, or `None` for a code that stands for none.
    #[must_use]
    pub fn outcome(&self, code: u8) -> Option<Outcome> {
        self.tier.content().decode(code)
    }

    /// Returns the ply.
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.tier.ply()
    }

    /// Returns the tier.
    pub(super) fn tier(&self) -> &MemoryTier<Coding> {
        &self.tier
    }
}

#[cfg(test)]
mod tests {
    use fourbase::{Player, Position};

    use super::*;
    use crate::counts::PositionList;
    use crate::kernel::Kernel;

    #[test]
    fn solved_plies_have_the_outcomes_that_a_search_finds() {
        for name in ["4x4", "4x4m", "3x4c3", "5x3", "2x2c2", "1x4", "4x5"] {
            let board: Board = name.parse().unwrap();
            let index = Index::new(board, Kernel::detect()).unwrap();
            let mut search = fourbase::search::Search::new(board, Default::default());
            for (values, ply) in
                (0..=board.cells() as u32).flat_map(|ply| [Values::Wdl, Values::Remoteness].map(|values| (values, ply)))
            {
                let solved = SolvedPly::new(&index, values, ply, u64::MAX, &|| false).unwrap().unwrap();
                assert_eq!(solved.ply(), ply);
                for list in [
                    PositionList::all(&index, ply),
                    PositionList::legal(&index, ply, u64::MAX, &|| false).unwrap().unwrap(),
                ] {
                    for part in 0..list.parts() {
                        let listed = list.read(&index, part, Some(&solved)).unwrap();
                        assert_eq!(listed.codes.len(), listed.bitboards.len());
                        let step = if board.cells() > 16 { 997 } else { 41 };
                        for ([first, second], code) in listed.bitboards.iter().zip(&listed.codes).step_by(step) {
                            let position = Position::from_bitboards(board, *first, *second).unwrap();
                            assert_eq!(position.ply(), ply as usize);
                            assert_eq!(position.pieces(Player::First), *first);
                            let mut expected = search.solve(&position).unwrap();
                            if values == Values::Wdl {
                                expected.remoteness = None;
                            }
                            assert_eq!(solved.outcome(*code), Some(expected), "{name} {position}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_solve_can_be_stopped_and_refused() {
        let index = Index::new("5x4".parse().unwrap(), Kernel::detect()).unwrap();
        assert!(SolvedPly::new(&index, Values::Wdl, 3, u64::MAX, &|| true).unwrap().is_none());
        let refused = SolvedPly::new(&index, Values::Wdl, 3, 10, &|| false).unwrap_err();
        assert!(matches!(refused, CountError::Memory { limit_bytes: 10, .. }));
    }

    #[test]
    fn late_plies_are_solved_and_early_plies_of_large_boards_are_probed() {
        let board = |name: &str| name.parse::<Board>().unwrap();
        assert!(SolvedPly::is_quicker_than_probes(board("5x5"), 14, 5_000_000));
        assert!(!SolvedPly::is_quicker_than_probes(board("7x6"), 8, 140_000));
        assert!(!SolvedPly::is_quicker_than_probes(board("6x6"), 4, 1000));
    }
}
