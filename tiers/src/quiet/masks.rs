//! Finds the quiet entries of a matrix, 64 at a time.
//!
//! The masks give the static evaluation of [`super::evaluate`] for whole rows ([`crate::index`] explains matrices, rows
//! and colourings). A drop into a column of the board is *safe* for an entry if it completes no line. The mask of safe
//! entries in a row combines one bit for the whole row (from its left colouring), one bit for each column of the matrix
//! (from its right colouring), and the lines across both wings that the row can have.
//!
//! An entry is quiet if the game is not over, at least two columns of the board are open, and
//! * in normal play every drop is safe **for both players**: one conjunction, prepared once per matrix;
//! * under misère at least two drops are safe for the player to move.
//!
//! If forced entries are stored too, the masks include them: one open column is enough. In normal play every drop then
//! has to be safe only for the player to move (who can still lose to two threats). Under misère one safe drop is
//! enough.

use std::ops::Range;

use fourbase::Player;

use crate::index::{FullLine, Index, Matrix, OpenLine, Part, Shape, WingList, low_bits};
use crate::kernel::matrix::ArmedLines;
use crate::kernel::{Bits, Task};

/// The data that the matrices of one shape share.
pub(crate) struct QuietShape {
    open: Vec<Part>,
    lines: Vec<OpenLine>,
    full: Vec<FullLine>,
    mover: Player,
    misere: bool,
    has_forced: bool,
}

impl QuietShape {
    /// Finds the open columns of a shape and the lines that a drop can complete.
    pub fn new(index: &Index, shape: Shape, ply: u32, has_forced: bool) -> QuietShape {
        let split = &index.split;
        let height = index.board().height() as u32;
        let wing = |k: &usize, of| split.height(of, *k) < height;
        let columns = 0..split.wing_columns();
        let mut open: Vec<Part> = columns.clone().filter(|k| wing(k, shape.left)).map(Part::Left).collect();
        open.extend((shape.spine_height < split.spine_room()).then_some(Part::Spine));
        open.extend(columns.filter(|k| wing(k, shape.right)).map(Part::Right));
        QuietShape {
            open,
            lines: OpenLine::of_shape(index, shape),
            full: FullLine::of_shape(index, shape),
            mover: Player::to_move(ply),
            misere: index.board().is_misere(),
            has_forced,
        }
    }
}

/// The entries for which all drops of a set are safe. An entry is safe if the bits of its row and of its column are set
/// and the entry has none of `lines` (lines across both wings).
#[derive(Default)]
struct Safe {
    /// One bit per row.
    rows: Vec<u64>,
    /// One bit per column.
    columns: Vec<u64>,
    lines: ArmedLines,
}

/// Finds the quiet entries of one matrix. Its buffers are reused for the next matrix.
#[derive(Default)]
pub(crate) struct QuietMatrix<'a> {
    left: Option<&'a WingList>,
    safe: Vec<Safe>,
    /// The lines that end the game.
    over: ArmedLines,
    /// Whether the matrix is known to have no quiet entry.
    blind: bool,
    misere: bool,
    has_forced: bool,
    /// Two masks of one row, used under misère. `once` has the columns where at least one of the drops so far is safe,
    /// `safe_here` the columns where the current drop is safe.
    once: Vec<u64>,
    safe_here: Vec<u64>,
}

impl<'a> QuietMatrix<'a> {
    /// Prepares the masks of a matrix.
    pub fn prepare(&mut self, index: &'a Index, shape: &QuietShape, matrix: &Matrix) {
        let [left, right] = matrix.lists(index);
        self.left = Some(left);
        (self.misere, self.has_forced) = (shape.misere, shape.has_forced);
        self.blind = shape.open.len() < if shape.has_forced { 1 } else { 2 };
        self.over.clear();
        if self.blind {
            return;
        }
        let drops = if shape.misere { shape.open.len() } else { 1 };
        self.safe.resize_with(drops, Safe::default);
        for safe in &mut self.safe {
            safe.rows.clear();
            safe.rows.resize(left.words, u64::MAX);
            safe.columns.clear();
            safe.columns.extend_from_slice(right.all());
            safe.lines.clear();
        }
        let players = [shape.mover, shape.mover.other()];
        let players = if shape.misere || shape.has_forced { &players[..1] } else { &players[..] };
        for (number, &drop) in shape.open.iter().enumerate() {
            let safe = &mut self.safe[if shape.misere { number } else { 0 }];
            for &player in players {
                safe.narrow(drop, player, left, right);
            }
        }
        self.blind = !shape.misere && (all_zero(&self.safe[0].columns) || all_zero(&self.safe[0].rows));
        if self.blind {
            return;
        }
        for open in &shape.lines {
            let number = if shape.misere { shape.open.iter().position(|part| *part == open.drop) } else { Some(0) };
            let Some(safe) = number.map(|number| &mut self.safe[number]) else { continue };
            for &player in players {
                open.line.arm(matrix.spine, right, player, &mut safe.lines);
            }
        }
        // Only lines of the other player end games: a position can't have a line of the player to move. Including the
        // lines of both players does no harm.
        for line in &shape.full {
            for holder in [shape.mover, shape.mover.other()] {
                line.arm(matrix.spine, right, holder, &mut self.over);
            }
        }
    }

    /// Returns whether some of `rows` can have quiet entries. The rows must lie in one run of 64 rows that starts at a
    /// multiple of 64.
    pub fn may_have(&self, rows: &Range<usize>) -> bool {
        let in_run = rows_in_run(rows);
        !self.blind && (self.misere || self.safe[0].rows[rows.start / 64] & in_run != 0)
    }

    /// Writes a mask of the columns of a row where at least two drops are safe, or at least one if forced entries are
    /// stored.
    #[inline(always)]
    fn safe_twice(&mut self, row: usize, words: &Range<usize>, out: &mut [u64]) {
        let QuietMatrix { left, safe, has_forced, once, safe_here, .. } = self;
        out.fill(0);
        once.clear();
        once.resize(out.len(), 0);
        safe_here.resize(out.len(), 0);
        for safe in safe.iter() {
            safe.columns(row..row + 1, words, safe_here);
            clear_lines(&safe.lines, *left, row..row + 1, words, safe_here);
            for ((twice, once), safe) in out.iter_mut().zip(&mut *once).zip(&*safe_here) {
                *twice |= *once & safe;
                *once |= safe;
            }
        }
        if *has_forced {
            out.copy_from_slice(once);
        }
    }
}

/// For some rows of a prepared matrix, writes each row's mask of quiet entries. `words` selects the words of the masks
/// that are written. There must be at least one row, and all must lie in one run of 64 rows that starts at a multiple
/// of 64.
pub(crate) struct MaskRows<'a, 'b> {
    pub quiet: &'a mut QuietMatrix<'b>,
    pub rows: Range<usize>,
    pub words: Range<usize>,
    pub out: &'a mut [u64],
}

impl Task for MaskRows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        let MaskRows { quiet, rows, words, out } = self;
        if !quiet.may_have(&rows) {
            return out.fill(0);
        }
        if quiet.misere {
            for (row, out) in rows.clone().zip(out.chunks_exact_mut(words.len())) {
                quiet.safe_twice(row, &words, out);
            }
        } else {
            let safe = &quiet.safe[0];
            safe.columns(rows.clone(), &words, out);
            clear_lines(&safe.lines, quiet.left, rows.clone(), &words, out);
        }
        clear_lines(&quiet.over, quiet.left, rows, &words, out);
    }
}

/// Returns a mask of `rows` with one bit for each row of their run of 64.
fn rows_in_run(rows: &Range<usize>) -> u64 {
    debug_assert!(!rows.is_empty() && rows.start / 64 == (rows.end - 1) / 64);
    low_bits(rows.len() as u32) << (rows.start % 64)
}

/// Clears, for each of `rows`, the bits of the columns in which the row has one of `lines`.
#[inline(always)]
fn clear_lines(lines: &ArmedLines, left: Option<&WingList>, rows: Range<usize>, words: &Range<usize>, out: &mut [u64]) {
    let Some(left) = left else { return };
    lines.each_row_with_line(&left.colourings[rows], words.clone(), |row, columns| {
        let out = &mut out[row * columns.len()..][..columns.len()];
        out.iter_mut().zip(columns).for_each(|(out, columns)| *out &= !columns);
    });
}

impl Safe {
    /// Clears the entries where a drop of `player` into `drop` completes a line that lies inside one wing and the
    /// spine.
    fn narrow(&mut self, drop: Part, player: Player, left: &WingList, right: &WingList) {
        let and = |words: &mut [u64], with: &[u64]| words.iter_mut().zip(with).for_each(|(word, with)| *word &= with);
        match drop {
            Part::Left(column) => and(&mut self.rows, left.keeps(column, player)),
            Part::Right(column) => and(&mut self.columns, right.keeps(column, player)),
            Part::Spine => {
                and(&mut self.rows, left.spine_keeps(player));
                and(&mut self.columns, right.spine_keeps(player));
            }
        }
    }

    /// Writes, for each of `rows`, a mask of the columns in which the drops complete no line inside one wing and the
    /// spine.
    #[inline(always)]
    fn columns(&self, rows: Range<usize>, words: &Range<usize>, out: &mut [u64]) {
        let columns = &self.columns[words.clone()];
        for (row, out) in rows.zip(out.chunks_exact_mut(columns.len())) {
            let all = 0u64.wrapping_sub(self.rows[row / 64] >> (row % 64) & 1);
            out.iter_mut().zip(columns).for_each(|(out, columns)| *out = columns & all);
        }
    }
}

fn all_zero(words: &[u64]) -> bool {
    words.iter().all(|word| *word == 0)
}

#[cfg(test)]
mod tests {
    use fourbase::{Board, Outcome, Position, Value};

    use super::*;
    use crate::index::{Located, TierDirectory};
    use crate::kernel::Kernel;
    use crate::quiet::{StaticEvaluation, evaluate};
    use crate::testing::boards;

    #[test]
    fn masks_agree_with_the_static_evaluation_of_every_well_formed_entry_of_small_boards() {
        let small = ["4x4", "3x6", "4x4c3", "4x4m", "5x3m", "3x3c2m", "1x8", "2x2c2", "1x1", "5x3c3", "3x3c1"];
        for name in boards(&small, &["5x4", "8x2"]) {
            [false, true].into_iter().for_each(|has_forced| masks_agree(name, has_forced));
        }
    }

    fn masks_agree(name: &str, has_forced: bool) {
        let lost = Outcome { value: Value::Lose, remoteness: Some(2) };
        let is_stored = |position: &Position| match evaluate(position) {
            StaticEvaluation::Quiet => true,
            StaticEvaluation::Forced(_) => has_forced,
            StaticEvaluation::Decided(outcome) => has_forced && outcome == lost,
        };
        let board: Board = name.parse().unwrap();
        let index = Index::new(board, Kernel::detect()).unwrap();
        for ply in 0..=board.cells() as u32 {
            let tier = TierDirectory::new(&index, ply);
            let mut masks = QuietMatrix::default();
            let located = tier.located_from(&index, 0).filter(|located| located.matrix.entries() > 0);
            for Located { matrix, first_entry } in located {
                let shape = QuietShape::new(&index, matrix.shape(), ply, has_forced);
                masks.prepare(&index, &shape, &matrix);
                let (kernel, words, rows) = (index.kernel, matrix.words(), matrix.rows as usize);
                let mut run = Vec::new();
                for row in 0..rows {
                    // Some iterations make the masks of all rows from this one to the end of its run of 64. The others
                    // use up these masks.
                    if row % 64 == 0 || row % 7 == 0 {
                        let together = row..rows.min((row / 64 + 1) * 64);
                        run.clear();
                        run.resize(together.len() * words, u64::MAX);
                        kernel.run(MaskRows { quiet: &mut masks, rows: together, words: 0..words, out: &mut run });
                    } else {
                        run.drain(..words);
                    }
                    let quiet = &run[..words];
                    let mut word = [u64::MAX];
                    let last = words - 1..words;
                    kernel.run(MaskRows { quiet: &mut masks, rows: row..row + 1, words: last, out: &mut word });
                    assert_eq!(word[0], quiet[words - 1], "a word of one row, {name} ply {ply}");
                    for column in 0..matrix.columns as usize {
                        let rank = first_entry + (row * matrix.columns as usize + column) as u64;
                        let [first, second] = index.split.bitboards(&tier.unrank(&index, rank).unwrap());
                        // Entries with lines of the player to move are not positions, so any mask is right for them.
                        let Ok(position) = Position::from_bitboards(board, first, second) else { continue };
                        let is_quiet = quiet[column / 64] >> (column % 64) & 1 == 1;
                        assert_eq!(is_quiet, is_stored(&position), "{position}");
                    }
                }
            }
        }
    }
}
