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
//!
//! A band first requests the parents' rows that it needs, and borrows them last.

use std::borrow::Cow;
use std::ops::Range;

use fourbase::Player;

use super::finished::{FinishedList, LastMove, others};
use crate::files::FileError;
use crate::index::{FullLine, Index, Matrix, Shape, WingList, WingShape, arm_lines, count_before, low_bits, row_map};
use crate::kernel::RowView;
use crate::kernel::matrix::ArmedLines;
use crate::kernel::reach::{ColumnPull, Pull, Put, RowPull};
use crate::tier::{Origin, Reached, RowRequest, TierReader, row_span};

/// A drop into a wing column, seen from the child.
struct WingDrop {
    column: usize,
    /// The wing before the drop.
    wing: WingShape,
    /// The bit of the child's colouring that the drop added.
    bit: u32,
    /// Which of the parents' shapes it comes from; that may be stored as its mirror image.
    parent: usize,
}

/// What the matrices of one shape of children have in common.
pub(super) struct ShapeParents<'a> {
    index: &'a Index,
    /// Who made the last move.
    mover: Player,
    left: Vec<WingDrop>,
    right: Vec<WingDrop>,
    /// Drops into the left wing from shapes that are stored as their mirror images.
    turned: Vec<WingDrop>,
    spine: Option<usize>,
    lines: Vec<FullLine>,
}

/// A drop on the spine that leads to one matrix.
struct SpineDrop<'a> {
    parent: usize,
    /// The number of the parent's matrix.
    matrix: usize,
    left: &'a WingList,
    right: &'a WingList,
}

impl<'a> ShapeParents<'a> {
    /// Finds the parents of `shape`, a shape of the tier of `ply` pieces, and opens their shapes in `parents`.
    pub(super) fn new(index: &'a Index, parents: &mut TierReader<Reached>, shape: Shape, ply: u32) -> ShapeParents<'a> {
        let split = index.split();
        let (mut left, mut right, mut turned) = (Vec::new(), Vec::new(), Vec::new());
        let drop = |child: WingShape, column, wing: WingShape, parent| {
            let bit = split.bit(child, column, split.height(wing, column));
            WingDrop { column, wing, bit, parent }
        };
        let parent_shape = |left, right| Shape { left, right, ..shape };
        parents.close();
        for column in 0..split.wing_columns() {
            if let Some(wing) = split.shrunk(shape.left, column) {
                let (drops, parent) = if wing >= shape.right {
                    (&mut left, parents.open(parent_shape(wing, shape.right)))
                } else {
                    (&mut turned, parents.open(parent_shape(shape.right, wing)))
                };
                drops.extend(parent.map(|parent| drop(shape.left, column, wing, parent)));
            }
            if let Some(wing) = split.shrunk(shape.right, column) {
                let parent = parents.open(parent_shape(shape.left, wing));
                right.extend(parent.map(|parent| drop(shape.right, column, wing, parent)));
            }
        }
        let under = shape.spine_height.checked_sub(1);
        let spine = under.and_then(|spine_height| parents.open(Shape { spine_height, ..shape }));
        let mover = Player::to_move(ply).other();
        ShapeParents { index, mover, left, right, turned, spine, lines: FullLine::of_shape(index, shape) }
    }

    fn first(&self) -> u32 {
        u32::from(self.mover == Player::First)
    }

    /// Prepares `rows` (from a multiple of 64) of a matrix itself.
    ///
    /// # Errors
    /// Where a parent's rows cannot be read; so for all four parts.
    pub(super) fn band<'b>(
        &'b self,
        parents: &'b mut TierReader<Reached>,
        matrix: &Matrix,
        rows: Range<usize>,
    ) -> Result<Pull<'b>, FileError> {
        let left = self.index.list(matrix.left, matrix.spine, matrix.left_firsts);
        let right = self.index.list(matrix.right, matrix.spine, matrix.right_firsts);
        let mut part = Part::new(&rows, right.len());
        part.band.left = &left.colourings()[rows.clone()];
        arm_lines(&self.lines, matrix.spine, right, self.mover, &mut part.band.lines);
        for drop in &self.left {
            let Some(from) = self.left_parent(parents, drop, matrix) else { continue };
            let keeps = self.parent_rows(drop, matrix).keeps(drop.column, self.mover);
            part.add_rows(from, row_map(&self.dropped(left, drop.bit), keeps, 0, &rows));
        }
        for drop in &self.turned {
            let Some(from) = self.turned_parent(parents, drop, matrix) else { continue };
            let list = self.parent_rows(drop, matrix);
            let dropped = self.dropped(left, drop.bit);
            part.add_turned(from, turned(list.words(), list.keeps(drop.column, self.mover), &dropped, &rows));
        }
        for drop in &self.right {
            let Some((from, list)) = self.right_parent(parents, drop, matrix) else { continue };
            let put = if drop.column + 1 == self.index.split().wing_columns() {
                // The last column holds the highest bits, and its top piece the highest of all: the children are the
                // upper end of the list (first player) or the lower one.
                let firsts = right.cell(drop.bit).iter().map(|word| word.count_ones() as usize).sum::<usize>();
                Put::From(if self.mover == Player::First { right.len() - firsts } else { 0 })
            } else {
                Put::Under { mask: self.dropped(right, drop.bit), skip: 0 }
            };
            let take = Cow::Borrowed(list.keeps(drop.column, self.mover));
            part.add_same_rows(from, stream(list.words(), Vec::new(), take, put), &rows);
        }
        if let Some(drop) = self.spine_drop(parents, matrix) {
            let take = Cow::Borrowed(drop.right.spine_keeps(self.mover));
            part.add_spine(&drop, drop.kept_rows(&rows, self.mover), take, Put::From(0));
        }
        part.load(parents)
    }

    /// Prepares `rows` of a matrix beside the right colourings that the last move finished.
    pub(super) fn beside_finished<'b>(
        &'b self,
        parents: &'b mut TierReader<Reached>,
        matrix: &Matrix,
        columns: &'b FinishedList,
        rows: Range<usize>,
    ) -> Result<Pull<'b>, FileError> {
        let mut part = Part::new(&rows, columns.len());
        for source in columns.sources() {
            let put = Put::Under { mask: Cow::Borrowed(&source.put), skip: 0 };
            let take = Cow::Borrowed(source.take.as_slice());
            match source.last_move {
                LastMove::Wing(column) => {
                    let Some(drop) = self.right.iter().find(|drop| drop.column == column) else { continue };
                    let Some((from, list)) = self.right_parent(parents, drop, matrix) else { continue };
                    part.add_same_rows(from, stream(list.words(), Vec::new(), take, put), &rows);
                }
                LastMove::Spine => {
                    let Some(drop) = self.spine_drop(parents, matrix) else { continue };
                    part.add_spine(&drop, drop.kept_rows(&rows, self.mover), take, put);
                }
            }
        }
        part.load(parents)
    }

    /// Prepares `rows` (from a multiple of 64) of the left colourings that the last move finished.
    pub(super) fn finished_band<'b>(
        &'b self,
        parents: &'b mut TierReader<Reached>,
        matrix: &Matrix,
        finished: &'b FinishedList,
        rows: Range<usize>,
    ) -> Result<Pull<'b>, FileError> {
        let mut part = Part::new(&rows, matrix.columns as usize);
        for source in finished.sources() {
            let LastMove::Wing(column) = source.last_move else {
                let Some(drop) = self.spine_drop(parents, matrix) else { continue };
                let take = Cow::Borrowed(drop.right.spine_keeps(self.mover));
                part.add_spine(&drop, source.parents[rows.clone()].to_vec(), take, Put::From(0));
                continue;
            };
            if let Some(drop) = self.left.iter().find(|drop| drop.column == column) {
                let Some(from) = self.left_parent(parents, drop, matrix) else { continue };
                part.add_rows(from, source.parents[rows.clone()].to_vec());
            } else if let Some(drop) = self.turned.iter().find(|drop| drop.column == column) {
                let Some(from) = self.turned_parent(parents, drop, matrix) else { continue };
                let words = self.parent_rows(drop, matrix).words();
                part.add_turned(from, turned(words, &source.take, &source.put, &rows));
            }
        }
        part.load(parents)
    }

    /// Prepares `rows` of the left colourings beside the right colourings where the last move finished both.
    ///
    /// That move was on the spine, so a position has one parent and the columns may stand in the parents' order.
    pub(super) fn finished_corner<'b>(
        &'b self,
        parents: &'b mut TierReader<Reached>,
        matrix: &Matrix,
        finished: &'b FinishedList,
        rows: Range<usize>,
    ) -> Result<Pull<'b>, FileError> {
        let (Some(source), Some(drop)) = (finished.spine(), self.spine_drop(parents, matrix)) else {
            return Part::new(&rows, 0).load(parents);
        };
        let take = others(drop.right, drop.right.spine_keeps(self.mover));
        let mut part = Part::new(&rows, take.iter().map(|word| word.count_ones() as usize).sum());
        part.add_spine(&drop, source.parents[rows].to_vec(), Cow::Owned(take), Put::From(0));
        part.load(parents)
    }

    fn left_parent(&self, parents: &TierReader<Reached>, drop: &WingDrop, matrix: &Matrix) -> Option<Origin> {
        let firsts = matrix.left_firsts.checked_sub(self.first())?;
        Some((drop.parent, parents.matrix(drop.parent, matrix.spine, firsts)?))
    }

    fn turned_parent(&self, parents: &TierReader<Reached>, drop: &WingDrop, matrix: &Matrix) -> Option<Origin> {
        Some((drop.parent, parents.matrix(drop.parent, matrix.spine, matrix.right_firsts)?))
    }

    /// Returns the list of the left wing before a drop that has a parent.
    fn parent_rows(&self, drop: &WingDrop, matrix: &Matrix) -> &'a WingList {
        self.index.list(drop.wing, matrix.spine, matrix.left_firsts - self.first())
    }

    fn right_parent(
        &self,
        parents: &TierReader<Reached>,
        drop: &WingDrop,
        matrix: &Matrix,
    ) -> Option<(Origin, &'a WingList)> {
        let number = parents.matrix(drop.parent, matrix.spine, matrix.left_firsts)?;
        let list = self.index.list(drop.wing, matrix.spine, matrix.right_firsts - self.first());
        Some(((drop.parent, number), list))
    }

    fn spine_drop(&self, parents: &TierReader<Reached>, matrix: &Matrix) -> Option<SpineDrop<'a>> {
        let (under, _) = matrix.spine.shrunk().filter(|(_, first)| *first == (self.mover == Player::First))?;
        let parent = self.spine?;
        let number = parents.matrix(parent, under, matrix.left_firsts)?;
        let left = self.index.list(matrix.left, under, matrix.left_firsts);
        let right = self.index.list(matrix.right, under, matrix.right_firsts);
        Some(SpineDrop { parent, matrix: number, left, right })
    }

    /// Returns the colourings of a list in which `bit`, a column's top piece, is the mover's.
    fn dropped(&self, list: &'a WingList, bit: u32) -> Cow<'a, [u64]> {
        match self.mover {
            Player::First => Cow::Borrowed(list.cell(bit)),
            Player::Second => Cow::Owned(others(list, list.cell(bit))),
        }
    }
}

impl SpineDrop<'_> {
    /// Returns the parent's row of each of `rows`: their places in the longer list beside the shorter spine.
    fn kept_rows(&self, rows: &Range<usize>, mover: Player) -> Vec<u32> {
        let all = vec![u64::MAX; rows.end.div_ceil(64)];
        row_map(&all, self.left.spine_keeps(mover), 0, rows)
    }
}

/// A part of a matrix: where its rows come from, before they are loaded.
struct Part<'b> {
    band: Pull<'b>,
    /// The rows that its pulls need, one list for each kind of drop.
    rows: Vec<RowRequest>,
    columns: Vec<RowRequest>,
    turned: Vec<RowRequest>,
}

impl<'b> Part<'b> {
    fn new(rows: &Range<usize>, columns: usize) -> Part<'b> {
        let band = Pull {
            rows: rows.len(),
            columns,
            row_pulls: Vec::new(),
            column_pulls: Vec::new(),
            turned_pulls: Vec::new(),
            lines: ArmedLines::default(),
            left: &[],
        };
        Part { band, rows: Vec::new(), columns: Vec::new(), turned: Vec::new() }
    }

    fn add_rows(&mut self, from: Origin, rows: Vec<u32>) {
        self.rows.push(RowRequest::rows(Some(from), row_span(&rows)));
        self.band.row_pulls.push(RowPull { parent: RowView::Whole(&[]), rows });
    }

    /// Adds a stream whose rows stay what they are: `rows`.
    fn add_same_rows(&mut self, from: Origin, stream: ColumnPull<'b>, rows: &Range<usize>) {
        self.columns.push(RowRequest::rows(Some(from), rows.clone()));
        self.band.column_pulls.push(ColumnPull { first_row: rows.start, ..stream });
    }

    fn add_spine(&mut self, drop: &SpineDrop, rows: Vec<u32>, take: Cow<'b, [u64]>, put: Put<'b>) {
        self.columns.push(RowRequest::rows(Some((drop.parent, drop.matrix)), row_span(&rows)));
        self.band.column_pulls.push(stream(drop.right.words(), rows, take, put));
    }

    /// Adds a stream in the transposed layout, whose rows are the columns of the part.
    fn add_turned(&mut self, from: Origin, stream: ColumnPull<'b>) {
        let words = stream.first_word..stream.first_word + stream.take.len();
        // Nothing is read where no column leads here.
        let rows = if words.is_empty() { 0..0 } else { 0..self.band.columns };
        self.turned.push(RowRequest { origin: Some(from), rows, words });
        self.band.turned_pulls.push(stream);
    }

    /// Gets the rows of the parents. Row numbers then count from the first row that was got.
    fn load(self, parents: &'b mut TierReader<Reached>) -> Result<Pull<'b>, FileError> {
        let Part { mut band, rows, columns, turned } = self;
        let mut loaded = Vec::with_capacity(rows.len() + columns.len() + turned.len());
        for request in rows.iter().chain(&columns).chain(&turned) {
            loaded.push(parents.load(request)?);
        }
        let (mut loaded, parents) = (loaded.into_iter(), &*parents);
        for (pull, loaded) in band.row_pulls.iter_mut().zip(&mut loaded) {
            (pull.parent, _) = parents.view(loaded.as_ref(), &mut pull.rows);
        }
        for (stream, loaded) in band.column_pulls.iter_mut().zip(&mut loaded) {
            let first;
            (stream.parent, first) = parents.view(loaded.as_ref(), &mut stream.rows);
            stream.first_row -= first.min(stream.first_row);
        }
        for (stream, loaded) in band.turned_pulls.iter_mut().zip(loaded) {
            (stream.parent_words, stream.first_word) = match &loaded {
                Some(loaded) => (loaded.row_words, stream.first_word - loaded.first_word),
                None => (0, 0),
            };
            (stream.parent, _) = parents.view(loaded.as_ref(), &mut stream.rows);
        }
        Ok(band)
    }
}

fn stream<'a>(parent_words: usize, rows: Vec<u32>, take: Cow<'a, [u64]>, put: Put<'a>) -> ColumnPull<'a> {
    ColumnPull { parent: RowView::Whole(&[]), parent_words, first_row: 0, rows, first_word: 0, take, put }
}

/// Prepares a drop in the transposed layout: the parent's columns under `take` go to the child's rows under `put`, of
/// which the band has `rows`.
fn turned<'a>(parent_words: usize, take: &'a [u64], put: &[u64], rows: &Range<usize>) -> ColumnPull<'a> {
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
    ColumnPull { first_word, ..stream(parent_words, Vec::new(), take, put) }
}
