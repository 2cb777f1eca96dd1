//! Prepares a band of a child's matrix: finds its parents, and which of their rows go to which rows of the child.
//!
//! This is the solver's preparation with parent and child exchanged. On both sides, a child's matrix is extended by the
//! colourings that the last move finished ([`ChildList`]), which makes four parts:
//!
//! |                   | right colourings of the index | finished right colourings  |
//! |-------------------|-------------------------------|----------------------------|
//! | rows of the index | kept: the child's own rows    | drops right or on the spine |
//! | finished rows     | drops left or on the spine    | drops on the spine         |
//!
//! Only the first part is kept; the positions of the others are counted and dropped. Each position of any part is one
//! bit, set by every parent that leads there, so it is counted once.
//!
//! Preparing a band loads all parents' rows that it needs, and only then borrows them.

use std::borrow::Cow;
use std::ops::Range;

use super::lists::{ChildList, LastMove};
use crate::files::FileError;
use crate::index::{Matrix, arm_lines, count_before, low_bits};
use crate::kernel::RowView;
use crate::kernel::reach::{ColumnPull, Pull, Put, RowPull};
use crate::solve::ShapeDrops;
use crate::tier::{Reached, RowRequest, TierReader, row_span};

/// Prepares `rows` (from a multiple of 64) of a part of a matrix. `left` lists the part's rows, `right` its columns.
pub(super) fn part<'b>(
    drops: &ShapeDrops<'b>,
    parents: &'b mut TierReader<Reached>,
    matrix: &Matrix,
    [left, right]: [&'b ChildList; 2],
    rows: Range<usize>,
) -> Result<Pull<'b>, FileError> {
    let Matrix { spine, left_firsts, right_firsts, .. } = *matrix;
    let mut band = Pull { rows: rows.len(), columns: right.len, ..Pull::default() };
    if !left.is_finished && !right.is_finished {
        band.left = &drops.index.colourings(matrix.left, spine, left_firsts)[rows.clone()];
        let columns = drops.index.list(matrix.right, spine, right_firsts);
        arm_lines(&drops.lines, spine, columns, drops.mover, &mut band.lines);
    }
    let mut loaded = Vec::new();
    let mut load = |shape, spine, left_firsts, rows, words| {
        let origin = parents.matrix(shape, spine, left_firsts).map(|matrix| (shape, matrix));
        loaded.push(parents.load(&RowRequest { origin, rows, words })?);
        Ok::<(), FileError>(())
    };
    for drop in drops.left.iter().filter(|_| !right.is_finished) {
        let Some(source) = left.source(Some(drop.column)) else { continue };
        let map = source.parents[rows.clone()].to_vec();
        load(drop.shape, spine, left_firsts - drops.first(), row_span(&map), 0..0)?;
        band.row_pulls.push(RowPull { parent: RowView::Whole(&[]), rows: map });
    }
    for drop in drops.turned.iter().filter(|_| !right.is_finished) {
        let Some(source) = left.source(Some(drop.column)) else { continue };
        let stream = turned(source, &rows);
        let words = stream.first_word..stream.first_word + stream.take.len();
        // The parent's rows are the columns of the part. Read nothing if no column leads here.
        load(drop.shape, spine, right_firsts, 0..if words.is_empty() { 0 } else { right.len }, words)?;
        band.turned_pulls.push(stream);
    }
    for drop in drops.right.iter().filter(|_| !left.is_finished) {
        let Some(source) = right.source(Some(drop.column)) else { continue };
        load(drop.shape, spine, left_firsts, rows.clone(), 0..0)?;
        band.column_pulls.push(ColumnPull { first_row: rows.start, ..source.columns(Vec::new()) });
    }
    if let (Some(shape), Some((under, _))) = (drops.spine, spine.shrunk())
        && let (Some(above), Some(beside)) = (left.source(None), right.source(None))
    {
        let map = above.parents[rows].to_vec();
        load(shape, under, left_firsts, row_span(&map), 0..0)?;
        band.column_pulls.push(beside.columns(map));
    }
    // Row numbers now count from the first loaded row.
    let (mut loaded, parents) = (loaded.iter().map(Option::as_ref), &*parents);
    for pull in &mut band.row_pulls {
        (pull.parent, _) = parents.view(loaded.next().flatten(), &mut pull.rows);
    }
    for stream in &mut band.turned_pulls {
        let rows = loaded.next().flatten();
        (stream.parent_words, stream.first_word) =
            rows.map_or((0, 0), |rows| (rows.row_words, stream.first_word - rows.first_word));
        (stream.parent, _) = parents.view(rows, &mut stream.rows);
    }
    for stream in &mut band.column_pulls {
        let first;
        (stream.parent, first) = parents.view(loaded.next().flatten(), &mut stream.rows);
        stream.first_row -= first.min(stream.first_row);
    }
    Ok(band)
}

/// Prepares a drop in the transposed layout, where the colourings of a source are columns. The band includes only those
/// in `rows`.
fn turned<'a>(source: &'a LastMove, rows: &Range<usize>) -> ColumnPull<'a> {
    let (take, put) = (&*source.take, &*source.put);
    let mut mask = put[rows.start / 64..rows.end.div_ceil(64)].to_vec();
    if let (Some(last), true) = (mask.last_mut(), !rows.end.is_multiple_of(64)) {
        *last &= low_bits(rows.end as u32 % 64);
    }
    // Only words with bits of the band are read. The band's first bit is number `skip` of the bits under `take`.
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
    let put = Put::Under { mask: Cow::Owned(mask), skip };
    ColumnPull { first_word, take: &take[first_word..end], put, ..source.columns(Vec::new()) }
}
