//! The positions of one ply as a list: all entries of the index, or those that play reaches.

use std::ops::Range;

use fourbase::{Board, Position};

use super::error::CountError;
use super::halves::Halves;
use super::solved::SolvedPly;
use super::sweep::sweep_tier;
use crate::files::FileError;
use crate::index::{Index, Matrix, TierLayout, images, low_bits, shape_entries};
use crate::tier::{MemoryTier, Reached, Rows, Store, Watch};

/// Entries of a part of a list, at most; a row of a matrix may have more.
const PART_ENTRIES: u64 = 1 << 16;

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
/// assert_eq!((0..list.parts()).map(|part| list.positions(&index, part).unwrap().len()).sum::<usize>(), 52);
/// assert_eq!(list.most_positions(), 52);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PositionList {
    board: Board,
    entries: Entries,
    /// Rows of a matrix, given by its number.
    parts: Vec<(usize, Range<usize>)>,
    most_positions: u64,
}

/// Which entries of a tier.
#[derive(Debug)]
enum Entries {
    All(TierLayout),
    Reached(MemoryTier<Reached>),
}

impl Entries {
    fn layout(&self) -> &TierLayout {
        match self {
            Entries::All(layout) => layout,
            Entries::Reached(tier) => tier.layout(),
        }
    }
}

/// Some positions of a list, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Listed {
    /// The pieces of the first and of the second player, a bit a cell, as [`Position::pieces`] has them.
    pub bitboards: Vec<[u64; 2]>,
    /// The codes of their outcomes, for [`SolvedPly::outcome`]; none if no outcomes were given.
    pub codes: Vec<u8>,
}

impl PositionList {
    /// Lists all entries of a ply that are positions, whether play reaches them or not.
    #[must_use]
    pub fn all(index: &Index, ply: u32) -> PositionList {
        let layout = TierLayout::new(index, ply);
        let most_positions = layout.matrices().iter().map(|matrix| matrix.entries() * images(matrix)).sum();
        PositionList::new(index, Entries::All(layout), most_positions)
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
        let (mut spare, mut most_positions) = (Vec::new(), 0);
        for ply in 0..=ply {
            let mut tier = MemoryTier::new(index, Reached, ply, std::mem::take(&mut spare));
            let Some(positions) = sweep_tier(index, &mut tier, before.as_ref(), u64::MAX, &watch)? else {
                return Ok(None);
            };
            most_positions = positions.without_line;
            spare = before.replace(tier).map(MemoryTier::into_buffer).unwrap_or_default();
        }
        Ok(before.map(|tier| PositionList::new(index, Entries::Reached(tier), most_positions)))
    }

    fn new(index: &Index, entries: Entries, most_positions: u64) -> PositionList {
        let parts = entries.layout().matrices().iter().enumerate().flat_map(|(number, matrix)| {
            let rows = matrix.rows as usize;
            let step = (PART_ENTRIES / u64::from(matrix.columns.max(1))).max(1) as usize;
            (0..rows).step_by(step).map(move |row| (number, row..rows.min(row + step)))
        });
        PositionList { board: index.board(), parts: parts.collect(), entries, most_positions }
    }

    /// Returns the number of parts that the list is read in.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Returns the number of entries of a part, given by its number from 0. Each is at most two positions.
    #[must_use]
    pub fn entries(&self, part: usize) -> u64 {
        let rows = self.parts.get(part).and_then(|(matrix, rows)| Some((self.matrix(*matrix)?, rows.len())));
        rows.map_or(0, |(matrix, rows)| u64::from(matrix.columns) * rows as u64)
    }

    /// Returns the number of positions of a list of what play reaches, and otherwise what it is at most.
    #[must_use]
    pub fn most_positions(&self) -> u64 {
        self.most_positions
    }

    fn matrix(&self, number: usize) -> Option<&Matrix> {
        self.entries.layout().matrices().get(number)
    }

    /// Returns the positions of a part, given by its number from 0; `index` is that of the board.
    ///
    /// # Errors
    /// None where the list is in memory, as it is.
    pub fn positions(&self, index: &Index, part: usize) -> Result<Vec<Position>, FileError> {
        let listed = self.read(index, part, None)?.bitboards.into_iter();
        Ok(listed.filter_map(|[first, second]| Position::from_bitboards(self.board, first, second).ok()).collect())
    }

    /// Returns the positions of a part, like [`PositionList::positions`], as bitboards, and with their outcomes if `solved` is
    /// the ply of the list. Takes a few nanoseconds a position.
    ///
    /// # Errors
    /// None where the list is in memory, as it is.
    pub fn read(&self, index: &Index, part: usize, solved: Option<&SolvedPly>) -> Result<Listed, FileError> {
        let mut listed = Listed::default();
        let Some((number, rows)) = self.parts.get(part).cloned() else { return Ok(listed) };
        let Some(matrix) = self.matrix(number) else { return Ok(listed) };
        let images = Halves::of(index, matrix, &rows);
        let mut reached = match &self.entries {
            Entries::All(_) => None,
            Entries::Reached(tier) => Some(seek(index, tier, matrix)),
        };
        let mut codes = solved.map(|solved| (seek(index, solved.tier(), matrix), solved.tier().content().planes()));
        let columns = matrix.columns as usize;
        for row in rows.clone() {
            let reached = reached.as_mut().map(|reached| reached.get(row..row + 1)).transpose()?;
            let codes = codes.as_mut().map(|(codes, planes)| codes.get(row..row + 1).map(|words| (words, *planes)));
            let codes = codes.transpose()?;
            for word in 0..matrix.words() {
                let all = low_bits((columns - 64 * word).min(64) as u32);
                let mut left = reached.map_or(all, |reached| reached.get(word).copied().unwrap_or(0));
                while left != 0 {
                    let column = 64 * word + left.trailing_zeros() as usize;
                    left &= left - 1;
                    let here = images[0].bitboards(row - rows.start, column);
                    if reached.is_none() && !self.is_unfinished(here) {
                        continue;
                    }
                    listed.bitboards.push(here);
                    let mirrored = images.get(1).map(|image| image.bitboards(row - rows.start, column));
                    listed.bitboards.extend(mirrored);
                    if let Some((codes, planes)) = codes {
                        let code = code(codes, planes, matrix.words(), column);
                        listed.codes.push(code);
                        listed.codes.extend(mirrored.map(|_| code));
                    }
                }
            }
        }
        Ok(listed)
    }

    /// Tells whether an entry of the index is a position that no line has finished. Entries may have lines of both players.
    fn is_unfinished(&self, [first, second]: [u64; 2]) -> bool {
        Position::from_bitboards(self.board, first, second).is_ok_and(|position| !has_line(&position))
    }
}

/// Begins to read a matrix of a tier.
fn seek<'a, T: Store>(index: &'a Index, tier: &'a T, matrix: &Matrix) -> Rows<T::Reader<'a>> {
    let mut rows = Rows::of(index, tier);
    rows.seek(matrix);
    rows
}

/// Returns the code of a column, from the words of all planes of its row.
fn code(words: &[u64], planes: usize, row_words: usize, column: usize) -> u8 {
    let plane = |plane: usize| words.get(plane * row_words + column / 64).map_or(0, |word| word >> (column % 64) & 1);
    (0..planes).fold(0, |code, number| code | (plane(number) as u8) << number)
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
                    (0..list.parts()).flat_map(|part| list.positions(&index, part).unwrap()).collect()
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
