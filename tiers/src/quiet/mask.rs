//! Which entries of a matrix are quiet, 64 at a time.
//!
//! The same judgement as [`super::sight`], on whole rows. A drop into a column is *safe* for the entries in which it
//! completes no line: that is a mask over the matrix' columns for every row, put together from what the left
//! colouring says of the whole row, what the right colouring says of each column, and the lines across both wings that
//! the row arms.
//!
//! An entry is quiet where the game is not over, at least two columns are open, and
//! * in normal play every drop is safe **for both players**: one conjunction, prepared once a matrix;
//! * under misère at least two drops are safe for the player to move.

use fourbase::Player;

use crate::index::{FullLine, Index, Matrix, OpenLine, Part, Shape, WingList};

/// What the matrices of one shape have in common.
pub(crate) struct ShapeSight {
    open: Vec<Part>,
    lines: Vec<OpenLine>,
    full: Vec<FullLine>,
    mover: Player,
    misere: bool,
}

impl ShapeSight {
    /// Finds the open columns of a shape and the lines that a drop can complete.
    pub fn new(index: &Index, shape: Shape, ply: u32) -> ShapeSight {
        let split = index.split();
        let height = index.board().height() as u32;
        let wing = |k: &usize, of| split.height(of, *k) < height;
        let columns = 0..split.wing_columns();
        let mut open: Vec<Part> = columns.clone().filter(|k| wing(k, shape.left)).map(Part::Left).collect();
        open.extend((shape.spine_height < split.spine_room()).then_some(Part::Spine));
        open.extend(columns.filter(|k| wing(k, shape.right)).map(Part::Right));
        ShapeSight {
            open,
            lines: OpenLine::of_shape(index, shape),
            full: FullLine::of_shape(index, shape),
            mover: Player::to_move(ply),
            misere: index.board().is_misere(),
        }
    }
}

/// Where some drops are all safe: rows, columns, and lines across.
#[derive(Default)]
struct Safe {
    /// One bit a row.
    rows: Vec<u64>,
    /// One bit a column.
    columns: Vec<u64>,
    lines: Vec<Line>,
}

/// A line that rows with these pieces have, in the columns of a mask.
struct Line {
    left_mask: u32,
    left_bits: u32,
    /// Where the mask begins.
    mask: usize,
}

/// Which entries of one matrix are quiet. The buffers are reused from matrix to matrix.
#[derive(Default)]
pub(crate) struct MatrixSight<'a> {
    left: &'a [u32],
    words: usize,
    safe: Vec<Safe>,
    over: Vec<Line>,
    masks: Vec<u64>,
    /// No entry is quiet.
    blind: bool,
    misere: bool,
    once: Vec<u64>,
}

impl<'a> MatrixSight<'a> {
    /// Prepares a matrix.
    pub fn prepare(&mut self, index: &'a Index, shape: &ShapeSight, matrix: &Matrix) {
        let left = index.list(matrix.left, matrix.spine, matrix.left_firsts);
        let right = index.list(matrix.right, matrix.spine, matrix.right_firsts);
        self.left = left.colourings();
        self.words = right.words();
        self.misere = shape.misere;
        self.blind = shape.open.len() < 2;
        self.masks.clear();
        self.over.clear();
        if self.blind {
            return;
        }
        let drops = if shape.misere { shape.open.len() } else { 1 };
        self.safe.resize_with(drops, Safe::default);
        for safe in &mut self.safe {
            safe.rows.clear();
            safe.rows.resize(left.words(), u64::MAX);
            safe.columns.clear();
            safe.columns.extend_from_slice(right.all());
            safe.lines.clear();
        }
        let players = [shape.mover, shape.mover.other()];
        let players = if shape.misere { &players[..1] } else { &players[..] };
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
                add_line(&mut safe.lines, &open.line, matrix, right, player, &mut self.masks);
            }
        }
        // A line of the other player ends the game; one of the player to move cannot be on the board at all.
        for line in &shape.full {
            for holder in [shape.mover, shape.mover.other()] {
                add_line(&mut self.over, line, matrix, right, holder, &mut self.masks);
            }
        }
    }

    /// Writes the mask of a row's quiet entries, from word `first_word` on for as many words as `quiet` has. Returns
    /// whether there may be any.
    pub fn row(&mut self, row: usize, first_word: usize, quiet: &mut [u64]) -> bool {
        if self.blind {
            return false;
        }
        let Self { left, words, safe, over, masks, once, .. } = self;
        let left = left[row];
        let masks = Masks { masks, words: *words, first_word };
        if self.misere {
            // `once`: at least one safe drop so far; `quiet`: at least two.
            quiet.fill(0);
            once.clear();
            once.resize(quiet.len(), 0);
            let mut safe_here = vec![0; quiet.len()];
            for safe in safe.iter() {
                if masks.safe(safe, left, row, &mut safe_here) {
                    for ((quiet, once), safe) in quiet.iter_mut().zip(&mut *once).zip(&safe_here) {
                        *quiet |= *once & safe;
                        *once |= safe;
                    }
                }
            }
        } else if !masks.safe(&safe[0], left, row, quiet) {
            return false;
        }
        masks.remove(over, left, quiet);
        #[cfg(test)]
        crate::kernel::mistakes::mask(quiet, first_word);
        true
    }
}

struct Masks<'a> {
    masks: &'a [u64],
    words: usize,
    first_word: usize,
}

impl Masks<'_> {
    /// Writes where the drops are safe; `false` where they are in no column.
    fn safe(&self, safe: &Safe, left: u32, row: usize, out: &mut [u64]) -> bool {
        if safe.rows[row / 64] >> (row % 64) & 1 == 0 {
            return false;
        }
        out.copy_from_slice(&safe.columns[self.first_word..][..out.len()]);
        self.remove(&safe.lines, left, out);
        true
    }

    /// Clears the columns in which the row has one of `lines`.
    fn remove(&self, lines: &[Line], left: u32, out: &mut [u64]) {
        for line in lines.iter().filter(|line| left & line.left_mask == line.left_bits) {
            let mask = &self.masks[line.mask + self.first_word..][..out.len()];
            out.iter_mut().zip(mask).for_each(|(out, mask)| *out &= !mask);
        }
        debug_assert!(self.first_word + out.len() <= self.words);
    }
}

impl Safe {
    /// Keeps only where `player` completes no line inside wing and spine by dropping into `drop`.
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
}

fn add_line(
    lines: &mut Vec<Line>,
    line: &FullLine,
    matrix: &Matrix,
    right: &WingList,
    holder: Player,
    masks: &mut Vec<u64>,
) {
    let mask = masks.len();
    if line.arm(matrix.spine, right, holder, masks) {
        let (left_mask, left_bits) = line.left(holder);
        lines.push(Line { left_mask, left_bits, mask });
    }
}

fn all_zero(words: &[u64]) -> bool {
    words.iter().all(|word| *word == 0)
}
