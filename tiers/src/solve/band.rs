//! Finds where drops lead to or come from. A drop connects a shape with a shape of the neighbouring tier, and the rows
//! of a band with rows of that shape's matrices. A band is a run of rows of one matrix that a kernel works on together.
//! [`crate::index`] explains shapes, matrices, wings and the spine.
//!
//! The solver reads the children of a shape; the sweep of a count reads its parents. Both have three kinds of drops
//! ([`ShapeDrops`]):
//!
//! - drops into a wing;
//! - *turned* drops: drops into a wing for which the neighbouring shape is stored as its mirror image;
//! - drops on the spine.
//!
//! The kernel's loop over rows reads only row numbers and masks, which [`Bands`] prepares. A mask has a bit for every
//! row, or every column, of its matrix. A drop inserts a bit at the same place of every colouring, so the colourings
//! stay in order. Rows are therefore paired by counting: the n-th set bit of this matrix's mask belongs to the n-th set
//! bit of the neighbour's mask ([`Pairing`]).

use std::ops::Range;

use fourbase::Player;

use crate::files::FileError;
use crate::index::{
    FullLine, Index, Matrix, OfShape, Shape, Spine, Split, WingList, WingShape, arm_lines, of_shape, push_row_map,
};
use crate::kernel::matrix::{ArmedLines, Band, Buffers, Outcomes, emptied};
use crate::kernel::{BandDrop, Coding, Pairing, RowView};
use crate::tier::{LoadedRows, RowRequest, Tier, TierReader, row_span};

/// A drop into a wing column.
pub(crate) struct WingDrop {
    pub column: usize,
    /// The shape of this wing in the neighbouring tier.
    pub wing: WingShape,
    /// The number of the bit that the drop adds to the colouring of the wing.
    pub bit: u32,
    /// The neighbour's shape, as its number among the open shapes of the [`TierReader`].
    pub shape: usize,
}

/// The drops that connect a shape with the neighbouring tier. All matrices of the shape share them.
pub(crate) struct ShapeDrops<'a> {
    pub index: &'a Index,
    /// The player who drops.
    pub mover: Player,
    pub left: Vec<WingDrop>,
    pub right: Vec<WingDrop>,
    /// Drops whose neighbouring shape is stored as its mirror image. If the neighbours are children, these are drops
    /// into the right wing; if they are parents, drops into the left wing.
    pub turned: Vec<WingDrop>,
    /// The neighbour whose spine differs in height, as its number among the open shapes; `None` if there is no such
    /// neighbour.
    pub spine: Option<usize>,
    /// The winning lines across both wings whose cells are all occupied in the shape.
    pub lines: Vec<FullLine>,
}

impl<'a> ShapeDrops<'a> {
    /// Finds the neighbours of a shape and opens them in `neighbours`. With `Split::grown` as `neighbour` they are
    /// children: the shapes that drops lead to. With `Split::shrunk` they are parents: the shapes from which drops of
    /// `mover` lead to `shape`. The full board has no children.
    pub fn new(
        index: &'a Index,
        neighbours: &mut TierReader,
        shape: Shape,
        mover: Player,
        neighbour: impl Fn(&Split, WingShape, usize) -> Option<WingShape>,
    ) -> ShapeDrops<'a> {
        let (split, lines) = (&index.split, FullLine::of_shape(index, shape));
        let (mut left, mut right, mut turned) = (Vec::new(), Vec::new(), Vec::new());
        neighbours.close();
        for column in 0..split.wing_columns() {
            for (own, is_left) in [(shape.left, true), (shape.right, false)] {
                let Some(wing) = neighbour(split, own, column) else { continue };
                let [one, other] = if is_left { [wing, shape.right] } else { [shape.left, wing] };
                let Some(shape) = neighbours.open(one.max(other), one.min(other)) else { continue };
                let bit = split.bit(own, column, split.height(own.min(wing), column));
                let drops = match is_left {
                    _ if one < other => &mut turned,
                    true => &mut left,
                    false => &mut right,
                };
                drops.push(WingDrop { column, wing, bit, shape });
            }
        }
        // The neighbour with the same wings differs in the spine.
        let spine = neighbours.open(shape.left, shape.right);
        ShapeDrops { index, mover, left, right, turned, spine, lines }
    }

    /// Returns how many first-player pieces a drop adds: 1 or 0.
    pub fn first(&self) -> u32 {
        u32::from(self.mover == Player::First)
    }

    /// Returns the word to XOR with each word of a plane of first-player pieces to get the plane of the mover's pieces.
    pub fn flip(&self) -> u64 {
        if self.mover == Player::First { 0 } else { u64::MAX }
    }
}

/// A matrix of the neighbouring tier that a drop leads to or comes from. `rows` and `columns` pair the rows and columns
/// of the current matrix with those of the neighbour; `None` means that all keep their numbers. If the neighbour is
/// turned, `rows` pairs columns of the current matrix with rows of the neighbour, and `columns` pairs rows of the
/// current matrix with columns of the neighbour.
#[derive(Clone, Copy)]
pub(crate) struct Neighbour<'a> {
    pub shape: usize,
    pub spine: Spine,
    pub left_firsts: u32,
    pub is_turned: bool,
    pub rows: Option<Pairing<'a>>,
    pub columns: Option<Pairing<'a>>,
}

impl<'a> Neighbour<'a> {
    /// Lists the children of a matrix, in the order of [`Band::drops`]. `left` and `right` list the colourings of the
    /// matrix's wings.
    pub(super) fn children(
        drops: &'a ShapeDrops<'a>,
        matrix: &Matrix,
        [left, right]: [&'a WingList; 2],
    ) -> impl Iterator<Item = Neighbour<'a>> {
        let Matrix { spine, left_firsts, right_firsts, .. } = *matrix;
        let (index, mover, first, flip) = (drops.index, drops.mover, drops.first(), drops.flip());
        let wing = move |own: &'a WingList, to: &WingDrop, firsts| {
            let list = index.list(to.wing, spine, firsts + first);
            // A drop into the last wing column adds the highest bit of the colouring. So the colourings that such drops
            // lead to are consecutive in the child's list: its lower part if the second player drops, else its upper
            // part.
            let is_consecutive = to.column + 1 == index.split.wing_columns();
            let is_second = |colouring: &u32| colouring >> to.bit == 0;
            let skip = if is_consecutive && first == 1 { list.colourings.partition_point(is_second) } else { 0 };
            let other = (!is_consecutive).then(|| (list.cell(to.bit), flip));
            Some(Pairing { own: own.keeps(to.column, mover), other, skip })
        };
        let beside = move |own: &'a WingList| Some(Pairing { own: own.spine_keeps(mover), other: None, skip: 0 });
        let straight = Neighbour { shape: 0, spine, left_firsts, is_turned: false, rows: None, columns: None };
        let turned = drops.turned.iter().map(move |to| {
            let rows = wing(right, to, right_firsts);
            Neighbour { shape: to.shape, left_firsts: right_firsts + first, is_turned: true, rows, ..straight }
        });
        let into_left = drops.left.iter().map(move |to| {
            let rows = wing(left, to, left_firsts);
            Neighbour { shape: to.shape, left_firsts: left_firsts + first, rows, ..straight }
        });
        let into_right = drops.right.iter().map(move |to| {
            let columns = wing(right, to, right_firsts);
            Neighbour { shape: to.shape, columns, ..straight }
        });
        let on_spine = drops.spine.map(move |shape| {
            let spine = spine.grown(mover == Player::First);
            Neighbour { shape, spine, rows: beside(left), columns: beside(right), ..straight }
        });
        turned.chain(into_left).chain(into_right).chain(on_spine)
    }
}

/// The state of one thread that works on bands. It uses the same memory for all of them.
pub(crate) struct Bands<'a> {
    index: &'a Index,
    /// The player who made the last move before the positions of the bands.
    last: Player,
    /// In a solve, whose neighbours are children: the codes of the outcomes that do not depend on a child. `None` in a
    /// sweep, whose neighbours are parents.
    outcomes: Option<Outcomes>,
    neighbours: TierReader<'a>,
    /// The drops of the current shape. They lead to shapes that are open in `neighbours`.
    drops: OfShape<ShapeDrops<'a>>,
    /// The lines across both wings that the last player can have in the current matrix.
    lines: ArmedLines,
    memory: BandMemory,
}

/// The lines of rows that can have none: masks of other lines may be shorter than those rows.
static NO_LINES: ArmedLines = ArmedLines { lines: Vec::new(), masks: Vec::new() };

#[derive(Default)]
struct BandMemory {
    /// The row maps of the drops ([`push_row_map`]), one after the other.
    maps: Vec<u32>,
    /// For each drop, its loaded rows (`None` if there are none) and the length of its row map.
    loaded: Vec<(Option<LoadedRows>, usize)>,
    /// An empty list of drops, whose memory the next band uses.
    list: Vec<BandDrop<'static>>,
    buffers: Buffers,
}

impl<'a> Bands<'a> {
    /// Prepares for bands of the tier with `ply` pieces, whose neighbour is `tier`.
    pub fn new(index: &'a Index, ply: u32, tier: Option<&'a Tier<'a>>, outcomes: Option<Outcomes>) -> Bands<'a> {
        let (last, neighbours) = (Player::to_move(ply).other(), TierReader::new(index, tier));
        let (lines, memory) = (ArmedLines::default(), BandMemory::default());
        Bands { index, last, outcomes, neighbours, drops: None, lines, memory }
    }

    /// Prepares for bands of a matrix.
    pub fn seek(&mut self, matrix: &Matrix) {
        let Bands { index, last, outcomes, neighbours, drops, lines, .. } = self;
        let drops = of_shape(drops, matrix.shape(), || match outcomes {
            Some(_) => ShapeDrops::new(index, neighbours, matrix.shape(), last.other(), Split::grown),
            None => ShapeDrops::new(index, neighbours, matrix.shape(), *last, Split::shrunk),
        });
        let [_, right] = matrix.lists(index);
        arm_lines(&drops.lines, matrix.spine, right, *last, lines);
    }

    /// Loads the rows that the drops of a band need, and calls `work` with the band, which has these `rows` and
    /// `columns`. `left` has the colourings of the rows; if it is empty, the rows can have no lines across both wings.
    /// `list` lists the neighbours in the order of [`Band::drops`].
    pub fn work<'b, N: Iterator<Item = Neighbour<'b>>, T>(
        &'b mut self,
        rows: Range<usize>,
        columns: usize,
        left: &'b [u32],
        list: impl FnOnce(&'b ShapeDrops<'a>) -> N,
        work: impl FnOnce(&Band, &mut Buffers) -> T,
    ) -> Result<T, FileError> {
        let Bands { outcomes, neighbours: reader, drops, lines, memory, .. } = self;
        let BandMemory { maps, loaded, list: empty, buffers } = memory;
        let (lines, outcomes) = (if left.is_empty() { &NO_LINES } else { &*lines }, outcomes.unwrap_or_default());
        let mut band = Band { rows, columns, drops: std::mem::take(empty), turned: 0, left, lines, outcomes };
        maps.clear();
        loaded.clear();
        let found = drops.as_ref().map(|(_, drops)| list(drops));
        for Neighbour { shape, spine, left_firsts, is_turned, rows, columns } in found.into_iter().flatten() {
            let start = maps.len();
            let own_rows = if is_turned { 0..band.columns } else { band.rows.clone() };
            // For a turned neighbour, `across` is the range of its columns that are paired with the band's rows. If
            // there are none, the drop does not affect this band.
            let across = columns.filter(|_| is_turned).map_or(band.rows.clone(), |pairing| {
                let span = row_span(push_row_map(&pairing, &band.rows, maps));
                maps.truncate(start);
                span
            });
            if across.is_empty() {
                continue;
            }
            let needed = match rows {
                None => own_rows.clone(),
                Some(pairing) => row_span(push_row_map(&pairing, &own_rows, maps)),
            };
            let wanted = if is_turned { words(&across) } else { 0..0 };
            let origin = reader.matrix(shape, spine, left_firsts).map(|matrix| (shape, matrix));
            let rows = reader.load(&RowRequest { origin, rows: needed, words: wanted.clone() })?;
            let (source_words, first) =
                rows.as_ref().map_or((0, wanted.start), |rows| (rows.row_words, rows.first_word));
            let columns = columns.map(|Pairing { own, other, skip }| {
                let keeps = if is_turned { words(&band.rows) } else { 0..own.len() };
                let passed = other.map_or(64 * first, |(mask, flip)| count(&mask[..first], flip));
                let other = other.map(|(mask, flip)| (&mask[first..first + source_words], flip));
                Pairing { own: &own[keeps.clone()], other, skip: skip + count(&own[..keeps.start], 0) - passed }
            });
            let first_word = if columns.is_none() { wanted.start - first } else { 0 };
            let (source, first_row) = (RowView::Whole(&[]), own_rows.start);
            band.drops.push(BandDrop { source, source_words, first_word, rows: &[], first_row, columns });
            band.turned += usize::from(is_turned);
            loaded.push((rows, maps.len() - start));
        }
        let (mut maps, reader) = (&mut maps[..], &*reader);
        for (drop, (loaded, length)) in band.drops.iter_mut().zip(loaded) {
            let map = maps.split_off_mut(..*length).unwrap_or_default();
            let first;
            (drop.source, first) = reader.view(loaded.as_ref(), map);
            drop.rows = map;
            drop.first_row -= first.min(drop.first_row);
        }
        let done = work(&band, buffers);
        *empty = emptied(band.drops);
        Ok(done)
    }
}

/// Computes the codes of the outcomes that do not depend on a child.
pub(super) fn outcomes(index: &Index, coding: &Coding, ply: u32) -> Outcomes {
    let misere = index.board().is_misere();
    let mover = Player::to_move(ply);
    let winner_of_line_by = |player: Player| if misere { player.other() } else { player };
    let full = ply == index.board().cells() as u32;
    let completed = if full { 0 } else { coding.encode(Some(winner_of_line_by(mover)), ply + 1) };
    let worst = if mover == Player::First { 0 } else { u8::MAX };
    Outcomes {
        completed: (!misere).then_some(completed),
        floor: if misere { completed } else { worst },
        over: if ply == 0 { 0 } else { coding.encode(Some(winner_of_line_by(mover.other())), ply) },
        tie: coding.encode(None, 0),
    }
}

/// Returns the words of a mask that hold the bits of `rows`.
fn words(rows: &Range<usize>) -> Range<usize> {
    rows.start / 64..rows.end.div_ceil(64)
}

/// Counts the set bits of `mask ^ flip`.
fn count(mask: &[u64], flip: u64) -> usize {
    mask.iter().map(|word| (word ^ flip).count_ones() as usize).sum()
}
