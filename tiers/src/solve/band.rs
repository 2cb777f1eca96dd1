//! Finds where drops lead: per shape, to which shapes of the neighbouring tier; per band, to which of their rows.
//!
//! The solver reads the children of a shape; the sweep of a count reads its parents. Both find the same kinds of drops:
//! into a wing, into a wing whose neighbour is stored as its mirror image, and on the spine ([`ShapeDrops`]).
//!
//! A band is the rows of one matrix that a kernel solves together. The kernel's loop over rows only follows row numbers
//! and masks ([`Bands`]). The masks cover the whole matrix. Because the maps are monotone (a drop inserts a bit at a
//! fixed place), the row numbers of a band come from reading two bit masks side by side.

use std::ops::Range;

use fourbase::Player;

use crate::files::FileError;
use crate::index::{FullLine, Index, Matrix, Shape, Spine, Split, WingShape, arm_lines, push_rank_map, push_row_map};
use crate::kernel::Coding;
use crate::kernel::ColumnDrop;
use crate::kernel::matrix::{ArmedLines, Band, Lists, Outcomes, RowDrop, TurnedDrop};
use crate::tier::{Content, LoadedRows, RowRequest, TierReader, row_span};

/// A drop into a wing column.
pub(crate) struct WingDrop {
    pub column: usize,
    /// The wing in the neighbouring tier.
    pub wing: WingShape,
    /// The bit that the drop adds to the colouring of the wing.
    pub bit: u32,
    /// The number of the neighbour among the open shapes.
    pub shape: usize,
}

/// The data that the matrices of one shape share.
pub(crate) struct ShapeDrops<'a> {
    pub index: &'a Index,
    /// The player who drops.
    pub mover: Player,
    pub left: Vec<WingDrop>,
    pub right: Vec<WingDrop>,
    /// Drops into a wing whose neighbour is stored as its mirror image: into the right wing for children, into the left
    /// wing for parents.
    pub turned: Vec<WingDrop>,
    /// The number of the neighbour that differs in the height of the spine.
    pub spine: Option<usize>,
    /// The lines across both wings.
    pub lines: Vec<FullLine>,
}

impl<'a> ShapeDrops<'a> {
    /// Finds and opens the neighbours of a shape. For children (`Split::grown`) these are the shapes that its drops
    /// lead to; for parents (`Split::shrunk`) the shapes from which drops of `mover` lead here. The full board has no
    /// children.
    pub fn new<C: Content>(
        index: &'a Index,
        neighbours: &mut TierReader<C>,
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
        // A neighbour with the same wings differs in the spine.
        let spine = neighbours.open(shape.left, shape.right);
        ShapeDrops { index, mover, left, right, turned, spine, lines }
    }

    /// Returns how many first-player pieces a drop adds.
    pub fn first(&self) -> u32 {
        u32::from(self.mover == Player::First)
    }

    /// Returns the word to XOR with each word of a plane of first-player pieces to get the plane of the mover's pieces.
    pub fn flip(&self) -> u64 {
        if self.mover == Player::First { 0 } else { u64::MAX }
    }
}

/// Prepares the bands of a tier, for one thread. One value serves all bands, so that they reuse the memory of its
/// lists.
pub(super) struct Bands {
    outcomes: Outcomes,
    misere: bool,
    lines: ArmedLines,
    /// The maps of the turned drops, one after the other, each with a row for every column of the matrix.
    turned_maps: Vec<u32>,
    /// The maps of the other drops, each with a row for every row of the band.
    maps: Vec<u32>,
    /// The children's rows that the band needs: for drops into the left wing, the right wing, on the spine, and for
    /// turned drops.
    loaded: Vec<Option<LoadedRows>>,
}

impl Bands {
    /// Prepares for the tier with `ply` pieces.
    pub(super) fn new(index: &Index, coding: &Coding, ply: u32) -> Bands {
        let outcomes = outcomes(index, coding, ply);
        let (lines, [turned_maps, maps]) = (ArmedLines::default(), [Vec::new(), Vec::new()]);
        Bands { outcomes, misere: index.board().is_misere(), lines, turned_maps, maps, loaded: Vec::new() }
    }

    /// Begins a matrix that has entries.
    pub(super) fn begin(&mut self, drops: &ShapeDrops, matrix: &Matrix) {
        let right = drops.index.list(matrix.right, matrix.spine, matrix.right_firsts);
        arm_lines(&drops.lines, matrix.spine, right, drops.mover.other(), &mut self.lines);
        self.turned_maps.clear();
        for to in &drops.turned {
            let child = drops.index.list(to.wing, matrix.spine, matrix.right_firsts + drops.first());
            let (keeps, plane) = (right.keeps(to.column, drops.mover), child.cell(to.bit));
            push_row_map(keeps, plane, drops.flip(), &(0..right.len()), &mut self.turned_maps);
        }
    }

    /// Prepares the band of the rows `rows` (from a multiple of 64) of the matrix. Puts its lists into `lists`, which
    /// must be empty.
    pub(super) fn band<'b>(
        &'b mut self,
        drops: &ShapeDrops<'b>,
        children: &'b mut TierReader,
        matrix: &Matrix,
        rows: Range<usize>,
        lists: Lists,
    ) -> Result<Band<'b>, FileError> {
        self.load(drops, children, matrix, &rows)?;
        let (children, index, mover) = (&*children, drops.index, drops.mover);
        let left = index.list(matrix.left, matrix.spine, matrix.left_firsts);
        let right = index.list(matrix.right, matrix.spine, matrix.right_firsts);
        let Lists { mut row_drops, mut column_drops, mut turned_drops } = lists;
        let mut maps = self.maps.chunks_exact_mut(rows.len());
        let mut loaded = self.loaded.iter().map(Option::as_ref);
        row_drops.extend(drops.left.iter().map(|_| {
            let rows = maps.next().unwrap_or_default();
            let (child, _) = children.view(loaded.next().flatten(), rows);
            RowDrop { child, rows }
        }));
        for to in &drops.right {
            let list = index.list(to.wing, matrix.spine, matrix.right_firsts + drops.first());
            // The last wing column holds the highest bits, so the dropped bit is the highest of all. The children are
            // therefore the lower part of the child's list (second player) or its upper part (first player).
            let is_contiguous = to.column + 1 == index.split.wing_columns();
            let is_second = |colouring: &u32| colouring >> to.bit == 0;
            let (child, first) = children.view(loaded.next().flatten(), &mut []);
            column_drops.push(ColumnDrop {
                child,
                child_words: list.words,
                first_row: rows.start - first.min(rows.start),
                rows: &[],
                gather: (!is_contiguous).then(|| (list.cell(to.bit), drops.flip())),
                offset: match mover {
                    Player::First if is_contiguous => list.colourings.partition_point(is_second),
                    _ => 0,
                },
                keeps: right.keeps(to.column, mover),
            });
        }
        if drops.spine.is_some() {
            let map = maps.next().unwrap_or_default();
            let (child, _) = children.view(loaded.next().flatten(), map);
            column_drops.push(ColumnDrop {
                child,
                child_words: index.list(matrix.right, spine_after(drops, matrix), matrix.right_firsts).words,
                first_row: 0,
                rows: map,
                gather: None,
                offset: 0,
                keeps: right.spine_keeps(mover),
            });
        }
        let words = words(&rows);
        turned_drops.extend(self.turned_maps.chunks_exact(right.len()).map(|rows| {
            let of_child = loaded.next().flatten();
            let (child, first_row) = children.view(of_child, &mut []);
            let (row_words, first) = of_child.map_or((words.len(), 0), |of| (of.row_words, of.first_word));
            TurnedDrop { child, first_row, row_words, first_word: words.start - first, rows }
        }));
        Ok(Band {
            left: &left.colourings[rows.clone()],
            columns: right.len(),
            row_drops,
            column_drops,
            turned_drops,
            lines: &self.lines,
            outcomes: self.outcomes,
            misere: self.misere,
        })
    }

    /// Maps the rows of a band to rows of the children, and loads these.
    fn load(
        &mut self,
        drops: &ShapeDrops,
        children: &mut TierReader,
        matrix: &Matrix,
        rows: &Range<usize>,
    ) -> Result<(), FileError> {
        let Bands { turned_maps, maps, loaded, .. } = self;
        let left = drops.index.list(matrix.left, matrix.spine, matrix.left_firsts);
        maps.clear();
        loaded.clear();
        let mut load = |shape, spine, left_firsts, rows, words| {
            let origin = children.matrix(shape, spine, left_firsts).map(|matrix| (shape, matrix));
            loaded.push(children.load(&RowRequest { origin, rows, words })?);
            Ok(())
        };
        for to in &drops.left {
            let firsts = matrix.left_firsts + drops.first();
            let child = drops.index.list(to.wing, matrix.spine, firsts);
            let map = push_row_map(left.keeps(to.column, drops.mover), child.cell(to.bit), drops.flip(), rows, maps);
            load(to.shape, matrix.spine, firsts, row_span(map), 0..0)?;
        }
        for to in &drops.right {
            load(to.shape, matrix.spine, matrix.left_firsts, rows.clone(), 0..0)?;
        }
        if let Some(shape) = drops.spine {
            let map = push_rank_map(left.spine_keeps(drops.mover), rows, maps);
            load(shape, spine_after(drops, matrix), matrix.left_firsts, row_span(map), 0..0)?;
        }
        for (to, map) in drops.turned.iter().zip(turned_maps.chunks_exact(matrix.columns as usize)) {
            load(to.shape, matrix.spine, matrix.right_firsts + drops.first(), row_span(map), words(rows))?;
        }
        Ok(())
    }
}

/// Computes the outcomes that need no child.
fn outcomes(index: &Index, coding: &Coding, ply: u32) -> Outcomes {
    let misere = index.board().is_misere();
    let mover = Player::to_move(ply);
    let winner_of_line_by = |player: Player| if misere { player.other() } else { player };
    let full = ply == index.board().cells() as u32;
    let completed = if full { 0 } else { coding.encode(Some(winner_of_line_by(mover)), ply + 1) };
    let worst = if mover == Player::First { 0 } else { u8::MAX };
    Outcomes {
        completed,
        floor: if misere { completed } else { worst },
        over: if ply == 0 { 0 } else { coding.encode(Some(winner_of_line_by(mover.other())), ply) },
        tie: coding.encode(None, 0),
    }
}

fn spine_after(drops: &ShapeDrops, matrix: &Matrix) -> Spine {
    matrix.spine.grown(drops.mover == Player::First)
}

/// Returns the words of a mask that hold `rows`.
fn words(rows: &Range<usize>) -> Range<usize> {
    rows.start / 64..rows.end.div_ceil(64)
}
