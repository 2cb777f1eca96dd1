//! Getting a band of a child's matrix ready: which parents lead to it, and what becomes of their rows.
//!
//! The counterpart of the solver's preparation with parent and child exchanged. A child's matrix is extended on both
//! sides by the colourings that the last move finished ([`FinishedList`]), which makes four parts:
//!
//! |                   | right colourings of the index | finished right colourings  |
//! |-------------------|-------------------------------|----------------------------|
//! | rows of the index | kept: the child's own rows    | drops right or on the spine |
//! | finished rows     | drops left or on the spine    | drops on the spine         |
//!
//! Only the first part is kept; the positions of the others are counted. Each position of any part is one bit, set
//! by whichever parents lead there, so that it is counted once.

use std::borrow::Cow;
use std::ops::Range;

use fourbase::Player;

use super::finished::{FinishedList, LastMove, others};
use super::tier::ReachTier;
use crate::index::{Index, Matrix, ShapeLayout, Spine, WingList, WingShape, count_before, low_bits, row_map};
use crate::kernel::reach::{Pull, Put, Rows, Stream};
use crate::solve::{FullLine, armed_lines};

/// A drop into a wing column, seen from the child.
struct WingDrop<'a> {
    column: usize,
    /// The wing before the drop.
    wing: WingShape,
    /// The bit of the child's colouring that the drop added.
    bit: u32,
    /// The parent's shape, or its mirror image.
    shape: &'a ShapeLayout,
}

/// What the matrices of one shape of children have in common.
pub(super) struct ShapeParents<'a> {
    index: &'a Index,
    parents: &'a ReachTier,
    /// Who made the last move.
    mover: Player,
    left: Vec<WingDrop<'a>>,
    right: Vec<WingDrop<'a>>,
    /// Drops into the left wing from shapes that are stored as their mirror images.
    turned: Vec<WingDrop<'a>>,
    spine: Option<&'a ShapeLayout>,
    lines: Vec<FullLine>,
}

/// A drop on the spine that leads to one matrix.
struct SpineDrop<'a> {
    /// The parents' tier from the parent's matrix on.
    parent: &'a [u64],
    left: &'a WingList,
    right: &'a WingList,
}

impl<'a> ShapeParents<'a> {
    /// Finds the parents of `shape`, a shape of the tier after `parents`.
    pub(super) fn new(index: &'a Index, parents: &'a ReachTier, shape: &ShapeLayout) -> ShapeParents<'a> {
        let split = index.split();
        let (mut left, mut right, mut turned) = (Vec::new(), Vec::new(), Vec::new());
        let drop = |child: WingShape, column, wing: WingShape, shape| {
            let bit = split.bit(child, column, split.height(wing, column));
            WingDrop { column, wing, bit, shape }
        };
        for column in 0..split.wing_columns() {
            if let Some(wing) = split.shrunk(shape.left, column) {
                let (drops, parent) = if wing >= shape.right {
                    (&mut left, parents.layout().shape(wing, shape.right))
                } else {
                    (&mut turned, parents.layout().shape(shape.right, wing))
                };
                drops.extend(parent.map(|parent| drop(shape.left, column, wing, parent)));
            }
            if let Some(wing) = split.shrunk(shape.right, column) {
                let parent = parents.layout().shape(shape.left, wing);
                right.extend(parent.map(|parent| drop(shape.right, column, wing, parent)));
            }
        }
        let spine = (shape.spine_height > 0).then(|| parents.layout().shape(shape.left, shape.right)).flatten();
        let mover = Index::mover(parents.layout().ply());
        ShapeParents {
            index,
            parents,
            mover,
            left,
            right,
            turned,
            spine,
            lines: FullLine::of_shape(index, shape.shape()),
        }
    }

    fn first(&self) -> u32 {
        u32::from(self.mover == Player::First)
    }

    /// Returns the words of a row of a matrix and the tier from its first word on; `None` where there is no such
    /// matrix, because the balance of the pieces allows none.
    fn matrix(&self, shape: &ShapeLayout, spine: Spine, left_firsts: u32) -> Option<(usize, &'a [u64])> {
        let number = self.parents.layout().matrix(shape, spine, left_firsts)?;
        Some((self.parents.layout().matrices()[number].words(), self.parents.matrix_words(number)))
    }

    /// Prepares `rows` (from a multiple of 64) of a matrix itself.
    pub(super) fn band(&self, matrix: &Matrix, rows: Range<usize>) -> Pull<'a> {
        let left = self.index.list(matrix.left, matrix.spine, matrix.left_firsts);
        let right = self.index.list(matrix.right, matrix.spine, matrix.right_firsts);
        let mut band = empty_band(&rows, right.len());
        band.left = &left.colourings()[rows.clone()];
        band.lines = armed_lines(&self.lines, matrix.spine, right, self.mover);
        for drop in &self.left {
            let Some((_, parent)) = self.left_parent(drop, matrix) else { continue };
            let keeps = self.parent_rows(drop, matrix).keeps(drop.column, self.mover);
            band.copies.push(Rows { parent, rows: row_map(&self.dropped(left, drop.bit), keeps, 0, &rows) });
        }
        for drop in &self.turned {
            let Some((parent_words, parent)) = self.turned_parent(drop, matrix) else { continue };
            let keeps = self.parent_rows(drop, matrix).keeps(drop.column, self.mover);
            let dropped = self.dropped(left, drop.bit);
            band.turned.push(turned(parent, parent_words, keeps, &dropped, &rows));
        }
        for drop in &self.right {
            let Some((parent_words, parent, list)) = self.right_parent(drop, matrix) else { continue };
            let put = if drop.column + 1 == self.index.split().wing_columns() {
                // The last column holds the highest bits, and its top piece the highest of all: the children are the
                // upper end of the list (first player) or the lower one.
                let firsts = right.cell(drop.bit).iter().map(|word| word.count_ones() as usize).sum::<usize>();
                Put::From(if self.mover == Player::First { right.len() - firsts } else { 0 })
            } else {
                Put::Under { mask: self.dropped(right, drop.bit), skip: 0 }
            };
            let take = Cow::Borrowed(list.keeps(drop.column, self.mover));
            band.streams.push(Stream { parent, parent_words, rows: Vec::new(), first_word: 0, take, put });
        }
        if let Some(drop) = self.spine_drop(matrix) {
            let take = Cow::Borrowed(drop.right.spine_keeps(self.mover));
            band.streams.push(drop.stream(drop.kept_rows(&rows, self.mover), take, Put::From(0)));
        }
        band
    }

    /// Prepares `rows` of a matrix beside the right colourings that the last move finished.
    pub(super) fn beside_finished(&self, matrix: &Matrix, columns: &'a FinishedList, rows: Range<usize>) -> Pull<'a> {
        let mut band = empty_band(&rows, columns.len());
        for source in columns.sources() {
            let put = Put::Under { mask: Cow::Borrowed(&source.put), skip: 0 };
            let take = Cow::Borrowed(source.take.as_slice());
            match source.last_move {
                LastMove::Wing(column) => {
                    let Some(drop) = self.right.iter().find(|drop| drop.column == column) else { continue };
                    let Some((parent_words, parent, _)) = self.right_parent(drop, matrix) else { continue };
                    band.streams.push(Stream { parent, parent_words, rows: Vec::new(), first_word: 0, take, put });
                }
                LastMove::Spine => {
                    let Some(drop) = self.spine_drop(matrix) else { continue };
                    band.streams.push(drop.stream(drop.kept_rows(&rows, self.mover), take, put));
                }
            }
        }
        band
    }

    /// Prepares `rows` (from a multiple of 64) of the left colourings that the last move finished.
    pub(super) fn finished_band(&self, matrix: &Matrix, finished: &'a FinishedList, rows: Range<usize>) -> Pull<'a> {
        let mut band = empty_band(&rows, matrix.columns as usize);
        for source in finished.sources() {
            let LastMove::Wing(column) = source.last_move else {
                let Some(drop) = self.spine_drop(matrix) else { continue };
                let take = Cow::Borrowed(drop.right.spine_keeps(self.mover));
                band.streams.push(drop.stream(source.parents[rows.clone()].to_vec(), take, Put::From(0)));
                continue;
            };
            if let Some(drop) = self.left.iter().find(|drop| drop.column == column) {
                let Some((_, parent)) = self.left_parent(drop, matrix) else { continue };
                band.copies.push(Rows { parent, rows: source.parents[rows.clone()].to_vec() });
            } else if let Some(drop) = self.turned.iter().find(|drop| drop.column == column) {
                let Some((parent_words, parent)) = self.turned_parent(drop, matrix) else { continue };
                band.turned.push(turned(parent, parent_words, &source.take, &source.put, &rows));
            }
        }
        band
    }

    /// Prepares `rows` of the left colourings beside the right colourings where the last move finished both.
    ///
    /// That move was on the spine, so a position has one parent and the columns may stand in the parents' order.
    pub(super) fn finished_corner(&self, matrix: &Matrix, finished: &'a FinishedList, rows: Range<usize>) -> Pull<'a> {
        let (Some(source), Some(drop)) = (finished.spine(), self.spine_drop(matrix)) else {
            return empty_band(&rows, 0);
        };
        let take = others(drop.right, drop.right.spine_keeps(self.mover));
        let mut band = empty_band(&rows, take.iter().map(|word| word.count_ones() as usize).sum());
        band.streams.push(drop.stream(source.parents[rows].to_vec(), Cow::Owned(take), Put::From(0)));
        band
    }

    fn left_parent(&self, drop: &WingDrop<'a>, matrix: &Matrix) -> Option<(usize, &'a [u64])> {
        self.matrix(drop.shape, matrix.spine, matrix.left_firsts.checked_sub(self.first())?)
    }

    fn turned_parent(&self, drop: &WingDrop<'a>, matrix: &Matrix) -> Option<(usize, &'a [u64])> {
        self.matrix(drop.shape, matrix.spine, matrix.right_firsts)
    }

    /// Returns the list of the left wing before a drop that has a parent.
    fn parent_rows(&self, drop: &WingDrop<'a>, matrix: &Matrix) -> &'a WingList {
        self.index.list(drop.wing, matrix.spine, matrix.left_firsts - self.first())
    }

    fn right_parent(&self, drop: &WingDrop<'a>, matrix: &Matrix) -> Option<(usize, &'a [u64], &'a WingList)> {
        let (words, parent) = self.matrix(drop.shape, matrix.spine, matrix.left_firsts)?;
        Some((words, parent, self.index.list(drop.wing, matrix.spine, matrix.right_firsts - self.first())))
    }

    fn spine_drop(&self, matrix: &Matrix) -> Option<SpineDrop<'a>> {
        let (under, _) = matrix.spine.shrunk().filter(|(_, first)| *first == (self.mover == Player::First))?;
        let (_, parent) = self.matrix(self.spine?, under, matrix.left_firsts)?;
        let left = self.index.list(matrix.left, under, matrix.left_firsts);
        let right = self.index.list(matrix.right, under, matrix.right_firsts);
        Some(SpineDrop { parent, left, right })
    }

    /// Returns the colourings of a list in which `bit`, a column's top piece, is the mover's.
    fn dropped(&self, list: &'a WingList, bit: u32) -> Cow<'a, [u64]> {
        match self.mover {
            Player::First => Cow::Borrowed(list.cell(bit)),
            Player::Second => Cow::Owned(others(list, list.cell(bit))),
        }
    }
}

impl<'a> SpineDrop<'a> {
    /// Returns the parent's row of each of `rows`: their places in the longer list beside the shorter spine.
    fn kept_rows(&self, rows: &Range<usize>, mover: Player) -> Vec<u32> {
        let all = vec![u64::MAX; rows.end.div_ceil(64)];
        row_map(&all, self.left.spine_keeps(mover), 0, rows)
    }

    fn stream(&self, rows: Vec<u32>, take: Cow<'a, [u64]>, put: Put<'a>) -> Stream<'a> {
        Stream { parent: self.parent, parent_words: self.right.words(), rows, first_word: 0, take, put }
    }
}

fn empty_band<'a>(rows: &Range<usize>, columns: usize) -> Pull<'a> {
    Pull {
        first_row: rows.start,
        rows: rows.len(),
        columns,
        copies: Vec::new(),
        streams: Vec::new(),
        turned: Vec::new(),
        lines: Vec::new(),
        left: &[],
    }
}

/// Prepares a drop in the transposed layout: the parent's columns under `take` go to the child's rows under `put`, of
/// which the band has `rows`.
fn turned<'a>(parent: &'a [u64], parent_words: usize, take: &'a [u64], put: &[u64], rows: &Range<usize>) -> Stream<'a> {
    let words = rows.start / 64..rows.end.div_ceil(64);
    let mut mask = put[words.clone()].to_vec();
    if let (Some(last), true) = (mask.last_mut(), !rows.end.is_multiple_of(64)) {
        *last &= low_bits(rows.end as u32 % 64);
    }
    // The band's first bit is the `skip`-th under `take`; words that end before it are not read, nor those after the
    // band's last bit.
    let mut skip = count_before(put, rows.start) as usize;
    let wanted: usize = mask.iter().map(|word| word.count_ones() as usize).sum();
    let count = |word: usize| take[word].count_ones() as usize;
    let mut first_word = 0;
    while first_word < take.len() && skip >= count(first_word) {
        skip -= count(first_word);
        first_word += 1;
    }
    let (mut end, mut found) = (first_word, 0);
    while end < take.len() && found < skip + wanted {
        found += count(end);
        end += 1;
    }
    let take = Cow::Borrowed(&take[first_word..end]);
    let put = Put::Under { mask: Cow::Owned(mask), skip };
    Stream { parent, parent_words, rows: Vec::new(), first_word, take, put }
}
