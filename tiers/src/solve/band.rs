//! Getting a band ready: the rows of one matrix that a kernel solves at once, and the rows of its children.
//!
//! A kernel's loop over rows only follows row numbers and masks. The masks are of the whole matrix; the row numbers of
//! a band come from two walks over bit masks side by side, because the maps are monotone (a drop inserts a bit at a
//! fixed place).

use std::ops::Range;

use fourbase::Player;

use super::drops::ShapeDrops;
use crate::files::FileError;
use crate::index::{Index, Matrix, Spine, arm_lines, push_rank_map, push_row_map};
use crate::kernel::Coding;
use crate::kernel::matrix::{ArmedLines, Band, ColumnDrop, Lists, Outcomes, RowDrop, TurnedDrop};
use crate::tier::{LoadedRows, RowRequest, TierReader, row_span};

/// Prepares the bands of a tier, in one thread. It is kept from band to band, for the memory of its lists.
pub(super) struct Bands {
    outcomes: Outcomes,
    misere: bool,
    lines: ArmedLines,
    /// The maps of the turned drops, from every column of the matrix, one after the other.
    turned_maps: Vec<u32>,
    /// The maps of the other drops, from the rows of the band.
    maps: Vec<u32>,
    /// The children's rows that the band needs: of the left wing's drops, the right wing's, the spine's, the turned ones.
    loaded: Vec<Option<LoadedRows>>,
}

impl Bands {
    /// Prepares the tier of `ply` pieces.
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

    /// Prepares the rows `rows` (from a multiple of 64) of the matrix in empty `lists`.
    ///
    /// # Errors
    /// Where a child's rows cannot be read.
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
            // The last column holds the highest bits: the dropped bit is the top one, so that the children's places
            // are the lower end of the list (second player) or the upper one.
            let is_contiguous = to.column + 1 == index.split().wing_columns();
            let is_second = |colouring: &u32| colouring >> to.bit == 0;
            let (child, first) = children.view(loaded.next().flatten(), &mut []);
            column_drops.push(ColumnDrop {
                child,
                child_words: list.words(),
                first_row: rows.start - first.min(rows.start),
                rows: &[],
                gather: (!is_contiguous).then(|| (list.cell(to.bit), drops.flip())),
                offset: match mover {
                    Player::First if is_contiguous => list.colourings().partition_point(is_second),
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
                child_words: index.list(matrix.right, spine_after(drops, matrix), matrix.right_firsts).words(),
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
            left: &left.colourings()[rows.clone()],
            columns: right.len(),
            row_drops,
            column_drops,
            turned_drops,
            lines: &self.lines,
            outcomes: self.outcomes,
            misere: self.misere,
        })
    }

    /// Maps the rows of a band, and reads the rows of the children that they lead to.
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

/// Returns the spine after a drop there.
fn spine_after(drops: &ShapeDrops, matrix: &Matrix) -> Spine {
    matrix.spine.grown(drops.mover == Player::First)
}

/// Returns the words of a mask that `rows` are in.
fn words(rows: &Range<usize>) -> Range<usize> {
    rows.start / 64..rows.end.div_ceil(64)
}
