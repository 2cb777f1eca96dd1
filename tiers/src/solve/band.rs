//! Getting a band ready: the rows of one matrix that a kernel solves at once, and the rows of its children.
//!
//! A kernel's loop over rows only follows row numbers and masks. The masks are of the whole matrix; the row numbers of
//! a band come from two walks over bit masks side by side, because the maps are monotone (a drop inserts a bit at a
//! fixed place).

use std::ops::Range;

use crate::files::FileError;
use crate::index::{push_rank_map, push_row_map};
use crate::kernel::matrix::{ArmedLines, Band, ColumnDrop, Lists, Outcomes, RowDrop, TurnedDrop};
use crate::tier::{LoadedRows, Origin, RowRequest, TierReader, row_span};

/// A drop into the left wing.
pub(super) struct RowMove<'a> {
    /// Where the children are.
    pub origin: Option<Origin>,
    /// The rows that have a child.
    pub keeps: &'a [u64],
    /// The first player's pieces that the drop may have added, in the list of the children's rows: to be flipped or not.
    pub plane: &'a [u64],
    pub flip: u64,
    /// The children's rows that the band needs.
    pub loaded: Option<LoadedRows>,
}

/// A drop into the right wing or on the spine.
pub(super) struct ColumnMove<'a> {
    pub origin: Option<Origin>,
    /// The rows that have a child, if the drop is on the spine.
    pub spine_keeps: Option<&'a [u64]>,
    /// As in [`ColumnDrop`]; so are the next three.
    pub child_words: usize,
    pub gather: Option<(&'a [u64], u64)>,
    pub offset: usize,
    pub keeps: &'a [u64],
    pub loaded: Option<LoadedRows>,
}

/// A drop into the right wing whose child is stored as its mirror image.
pub(super) struct TurnedMove {
    pub origin: Option<Origin>,
    /// The children's rows that columns of the matrix lead to.
    pub rows: Range<usize>,
    pub loaded: Option<LoadedRows>,
}

/// One matrix and its drops. It is kept from matrix to matrix, for the memory of its lists.
pub(super) struct MatrixMoves<'a> {
    outcomes: Outcomes,
    misere: bool,
    /// Colourings of the rows.
    left: &'a [u32],
    /// Number of columns.
    columns: usize,
    pub row_moves: Vec<RowMove<'a>>,
    pub column_moves: Vec<ColumnMove<'a>>,
    pub turned_moves: Vec<TurnedMove>,
    /// The maps of the turned drops, from every column, one after the other.
    pub turned_maps: Vec<u32>,
    pub lines: ArmedLines,
    /// The maps of the other drops from the rows of the band.
    maps: Vec<u32>,
}

impl<'a> MatrixMoves<'a> {
    /// Makes room for the matrices of a tier.
    pub(super) fn new(outcomes: Outcomes, misere: bool) -> MatrixMoves<'a> {
        MatrixMoves {
            outcomes,
            misere,
            left: &[],
            columns: 0,
            row_moves: Vec::new(),
            column_moves: Vec::new(),
            turned_moves: Vec::new(),
            turned_maps: Vec::new(),
            lines: ArmedLines::default(),
            maps: Vec::new(),
        }
    }

    /// Begins a matrix of these rows and columns, without drops.
    pub(super) fn clear(&mut self, left: &'a [u32], columns: usize) {
        self.left = left;
        self.columns = columns;
        self.row_moves.clear();
        self.column_moves.clear();
        self.turned_moves.clear();
        self.turned_maps.clear();
    }

    /// Prepares the rows `rows` (from a multiple of 64) in empty `lists`.
    ///
    /// # Errors
    /// Where a child's rows cannot be read.
    pub(super) fn band<'b>(
        &'b mut self,
        children: &'b mut TierReader,
        rows: Range<usize>,
        lists: Lists,
    ) -> Result<Band<'b>, FileError> {
        let Lists { mut row_drops, mut column_drops, mut turned_drops } = lists;
        self.load(children, &rows)?;
        let children = &*children;
        let mut maps = self.maps.chunks_exact_mut(rows.len());
        let row_drop = |to: &RowMove| {
            let rows = maps.next().unwrap_or_default();
            let (child, _) = children.view(to.loaded.as_ref(), rows);
            RowDrop { child, rows }
        };
        row_drops.extend(self.row_moves.iter().map(row_drop));
        let column_drop = |to: &ColumnMove<'a>| {
            let map = if to.spine_keeps.is_some() { maps.next().unwrap_or_default() } else { &mut [] };
            let (child, first) = children.view(to.loaded.as_ref(), map);
            ColumnDrop {
                child,
                child_words: to.child_words,
                first_row: rows.start - first.min(rows.start),
                rows: map,
                gather: to.gather,
                offset: to.offset,
                keeps: to.keeps,
            }
        };
        column_drops.extend(self.column_moves.iter().map(column_drop));
        let words = words(&rows);
        let turned_drop = |(to, rows): (&TurnedMove, _)| {
            let (child, first_row) = children.view(to.loaded.as_ref(), &mut []);
            let loaded = to.loaded.as_ref();
            TurnedDrop {
                child,
                first_row,
                row_words: loaded.map_or(words.len(), |loaded| loaded.row_words),
                first_word: words.start - loaded.map_or(0, |loaded| loaded.first_word),
                rows,
            }
        };
        turned_drops.extend(self.turned_moves.iter().zip(self.turned_maps.chunks_exact(self.columns)).map(turned_drop));
        Ok(Band {
            left: &self.left[rows.clone()],
            columns: self.columns,
            row_drops,
            column_drops,
            turned_drops,
            lines: &self.lines,
            outcomes: self.outcomes,
            misere: self.misere,
        })
    }

    /// Maps the rows of a band, and reads the rows of the children that they lead to.
    fn load(&mut self, children: &mut TierReader, rows: &Range<usize>) -> Result<(), FileError> {
        self.maps.clear();
        for to in &mut self.row_moves {
            let map = push_row_map(to.keeps, to.plane, to.flip, rows, &mut self.maps);
            to.loaded = children.load(&RowRequest::rows(to.origin, row_span(map)))?;
        }
        for to in &mut self.column_moves {
            let needed = match to.spine_keeps {
                Some(keeps) => row_span(push_rank_map(keeps, rows, &mut self.maps)),
                None => rows.clone(),
            };
            to.loaded = children.load(&RowRequest::rows(to.origin, needed))?;
        }
        for to in &mut self.turned_moves {
            let request = RowRequest { origin: to.origin, rows: to.rows.clone(), words: words(rows) };
            to.loaded = children.load(&request)?;
        }
        Ok(())
    }
}

/// Returns the words of a mask that `rows` are in.
fn words(rows: &Range<usize>) -> Range<usize> {
    rows.start / 64..rows.end.div_ceil(64)
}
