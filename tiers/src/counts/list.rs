//! The positions of one ply as a list: all entries of the index, or those that play reaches.

use fourbase::{Board, Position};

use super::error::CountError;
use super::sweep::sweep_tier;
use crate::files::FileError;
use crate::index::{Index, Matrix, Parts, TierLayout, images, shape_entries};
use crate::tier::{MemoryTier, Reached, Rows, Watch};

/// The positions of one ply that no line has finished, in the order of the index; a position is followed by its mirror image.
///
/// Two bits an entry of the widest tier up to the ply are in memory, and nothing else.
///
/// ```
/// use fourbase_tiers::counts::PositionList;
/// use fourbase_tiers::index::Index;
/// use fourbase_tiers::kernel::Kernel;
///
/// let index = Index::new("4x4".parse()?, Kernel::detect())?;
/// let list = PositionList::legal(&index, 3, u64::MAX, &|| false)?.ok_or("stopped")?;
/// assert_eq!((0..list.matrices()).map(|matrix| list.positions(&index, matrix).unwrap().len()).sum::<usize>(), 52);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PositionList {
    board: Board,
    entries: Entries,
}

/// Which entries of a tier.
#[derive(Debug)]
enum Entries {
    All(TierLayout),
    Reached(MemoryTier<Reached>),
}

impl PositionList {
    /// Lists all entries of a ply that are positions, whether play reaches them or not.
    #[must_use]
    pub fn all(index: &Index, ply: u32) -> PositionList {
        PositionList { board: index.board(), entries: Entries::All(TierLayout::new(index, ply)) }
    }

    /// Lists the positions of a ply that play reaches. Time is that of going through all entries of this ply and of those
    /// before, a few hundred million a second. Returns `None` if `is_stopped` says so before the end.
    ///
    /// # Errors
    /// [`CountError::Memory`] if the bits need more than `memory_bytes`.
    pub fn legal(
        index: &Index,
        ply: u32,
        memory_bytes: u64,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<PositionList>, CountError> {
        let board = index.board();
        let tier_bytes = |ply| shape_entries(index, ply).map(u128::from).sum::<u128>() / 8;
        let widest = (0..=ply.min(board.cells() as u32)).map(tier_bytes).max().unwrap_or(0);
        // Two tiers, and the rest of a word at the end of every row.
        let needed_bytes = 4 * widest;
        if needed_bytes > u128::from(memory_bytes) {
            return Err(CountError::Memory { board, needed_bytes, limit_bytes: memory_bytes });
        }
        let watch = Watch { done: &|_| (), is_stopped };
        let mut before: Option<MemoryTier<Reached>> = None;
        for ply in 0..=ply {
            let mut tier = MemoryTier::new(index, Reached, ply, Vec::new());
            if sweep_tier(index, &mut tier, before.as_ref(), u64::MAX, &watch)?.is_none() {
                return Ok(None);
            }
            before = Some(tier);
        }
        Ok(before.map(|tier| PositionList { board, entries: Entries::Reached(tier) }))
    }

    fn layout(&self) -> &TierLayout {
        match &self.entries {
            Entries::All(layout) => layout,
            Entries::Reached(tier) => tier.layout(),
        }
    }

    /// Returns the number of matrices that the positions are in.
    #[must_use]
    pub fn matrices(&self) -> usize {
        self.layout().matrices().len()
    }

    /// Returns the number of entries of a matrix, given by its number from 0. Each is at most two positions.
    #[must_use]
    pub fn entries(&self, matrix: usize) -> u64 {
        self.layout().matrices().get(matrix).map_or(0, Matrix::entries)
    }

    /// Returns the positions of a matrix, given by its number from 0; `index` is that of the board.
    ///
    /// # Errors
    /// None where the list is in memory, as it is.
    pub fn positions(&self, index: &Index, matrix: usize) -> Result<Vec<Position>, FileError> {
        let Some(matrix) = self.layout().matrices().get(matrix) else { return Ok(Vec::new()) };
        let left = index.colourings(matrix.left, matrix.spine, matrix.left_firsts);
        let right = index.colourings(matrix.right, matrix.spine, matrix.right_firsts);
        let mut rows = match &self.entries {
            Entries::All(_) => None,
            Entries::Reached(tier) => Some(Rows::of(index, tier)),
        };
        let is_any = rows.is_none();
        if let Some(rows) = &mut rows {
            rows.seek(matrix);
        }
        let mut positions = Vec::new();
        for (row, left_bits) in left.iter().enumerate() {
            let words = rows.as_mut().map(|rows| rows.get(row..row + 1)).transpose()?;
            for (column, right_bits) in right.iter().enumerate() {
                let word = |words: &[u64]| words.get(column / 64).is_some_and(|word| word >> (column % 64) & 1 == 1);
                if !words.is_none_or(word) {
                    continue;
                }
                let parts = Parts {
                    left: matrix.left,
                    left_bits: *left_bits,
                    spine: matrix.spine,
                    right: matrix.right,
                    right_bits: *right_bits,
                };
                let [first, second] = index.split().bitboards(&parts);
                // An entry may have lines of both players.
                let Ok(position) = Position::from_bitboards(self.board, first, second) else { continue };
                if is_any && has_line(&position) {
                    continue;
                }
                positions.push(position);
                if images(matrix) == 2 {
                    positions.push(position.mirror());
                }
            }
        }
        Ok(positions)
    }
}

/// Tells whether a line has finished the game.
fn has_line(position: &Position) -> bool {
    position.primitive().is_some_and(|value| value != fourbase::Value::Tie)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::kernel::Kernel;

    #[test]
    fn the_lists_of_small_boards_are_what_play_reaches() {
        for name in ["4x4", "4x4m", "3x4c3", "5x3", "2x2c2", "1x4"] {
            let index = Index::new(name.parse().unwrap(), Kernel::detect()).unwrap();
            let mut tier = HashSet::from([Position::start(index.board())]);
            for ply in 0..=index.board().cells() as u32 {
                let listed = |list: &PositionList| -> Vec<Position> {
                    (0..list.matrices()).flat_map(|matrix| list.positions(&index, matrix).unwrap()).collect()
                };
                let legal = listed(&PositionList::legal(&index, ply, u64::MAX, &|| false).unwrap().unwrap());
                let expected: HashSet<Position> = tier.iter().copied().filter(|position| !has_line(position)).collect();
                assert_eq!(legal.len(), expected.len(), "{name} ply {ply}");
                assert_eq!(legal.iter().copied().collect::<HashSet<_>>(), expected, "{name} ply {ply}");
                let all: HashSet<Position> = listed(&PositionList::all(&index, ply)).into_iter().collect();
                assert!(expected.is_subset(&all) && all.iter().all(|position| !has_line(position)));
                let children =
                    tier.iter().flat_map(|position| position.moves().map(|column| position.drop_piece(column)));
                tier = children.collect();
            }
        }
    }

    #[test]
    fn a_list_can_be_stopped_and_refused() {
        let index = Index::new("4x4".parse().unwrap(), Kernel::detect()).unwrap();
        assert!(PositionList::legal(&index, 8, u64::MAX, &|| true).unwrap().is_none());
        let refused = PositionList::legal(&index, 8, 10, &|| false).unwrap_err();
        assert!(matches!(refused, CountError::Memory { limit_bytes: 10, .. }));
    }
}
