//! Prepares a band of a child's matrix: finds its parents, and how their rows move.
//!
//! This is the solver's preparation with parent and child exchanged. On both sides, a child's matrix is extended by the
//! colourings that the last move finished ([`FinishedList`]), which makes four parts:
//!
//! |                   | right colourings of the index | finished right colourings  |
//! |-------------------|-------------------------------|----------------------------|
//! | rows of the index | kept: the child's own rows    | drops right or on the spine |
//! | finished rows     | drops left or on the spine    | drops on the spine         |
//!
//! Only the first part is kept; the positions of the others are counted and dropped. Each position of any part is one
//! bit, set by every parent that leads there, so it is counted once.
//!
//! A band first requests all parents' rows that it needs, and borrows them last.

use std::borrow::Cow;
use std::ops::Range;

use fourbase::Player;

use super::finished::{FinishedList, LastMove, others};
use crate::files::FileError;
use crate::index::{Matrix, Spine, WingList, arm_lines, count_before, low_bits, row_map};
use crate::kernel::RowView;
use crate::kernel::reach::{ColumnPull, Pull, Put, RowPull};
use crate::solve::ShapeDrops;
use crate::tier::{Origin, Reached, RowRequest, TierReader, row_span};

/// Prepares `rows` (from a multiple of 64) of one part of a matrix. On each side, `Some` stands for the finished
/// colourings, and `None` for those of the index.
pub(super) fn part<'b>(
    drops: &ShapeDrops<'b>,
    parents: &'b mut TierReader<Reached>,
    matrix: &Matrix,
    [left, right]: [Option<&'b FinishedList>; 2],
    rows: Range<usize>,
) -> Result<Pull<'b>, FileError> {
    let (index, mover) = (drops.index, drops.mover);
    let Matrix { spine, left_firsts, right_firsts, .. } = *matrix;
    let own_rows = || index.list(matrix.left, spine, left_firsts);
    let own_columns = || index.list(matrix.right, spine, right_firsts);
    let before = |wing, firsts: u32| index.list(wing, spine, firsts - drops.first());
    let mut part = Part::new(&rows, right.map_or(matrix.columns as usize, |finished| finished.len));
    if left.is_none() && right.is_none() {
        part.band.left = &own_rows().colourings[rows.clone()];
        arm_lines(&drops.lines, spine, own_columns(), mover, &mut part.band.lines);
    }
    for drop in drops.left.iter().filter(|_| right.is_none()) {
        let Some(source) = source(left, Some(drop.column)) else { continue };
        let Some(firsts) = left_firsts.checked_sub(drops.first()) else { continue };
        let Some(from) = origin(parents, drop.shape, spine, firsts) else { continue };
        let map = match source {
            Some(source) => source.parents[rows.clone()].to_vec(),
            None => {
                let keeps = before(drop.wing, left_firsts).keeps(drop.column, mover);
                row_map(&dropped(own_rows(), drop.bit, mover), keeps, 0, &rows)
            }
        };
        part.add_rows(from, map);
    }
    for drop in drops.turned.iter().filter(|_| right.is_none()) {
        let Some(source) = source(left, Some(drop.column)) else { continue };
        let Some(from) = origin(parents, drop.shape, spine, right_firsts) else { continue };
        let list = before(drop.wing, left_firsts);
        let own = || (list.keeps(drop.column, mover), dropped(own_rows(), drop.bit, mover));
        let (take, put) = source.map_or_else(own, |source| (&source.take, Cow::Borrowed(&*source.put)));
        part.add_turned(from, turned(list.words, take, &put, &rows));
    }
    for drop in drops.right.iter().filter(|_| left.is_none()) {
        let Some(source) = source(right, Some(drop.column)) else { continue };
        let Some(from) = origin(parents, drop.shape, spine, left_firsts) else { continue };
        let list = before(drop.wing, right_firsts);
        let own = || {
            let own_columns = own_columns();
            let put = if drop.column + 1 == index.split.wing_columns() {
                // The last column holds the highest bits, and its top piece the highest bit of all. So the children are
                // the upper end of the list (first player) or its lower end (second player).
                let firsts = own_columns.cell(drop.bit).iter().map(|word| word.count_ones() as usize).sum::<usize>();
                Put::From(if mover == Player::First { own_columns.len() - firsts } else { 0 })
            } else {
                Put::Under { mask: dropped(own_columns, drop.bit, mover), skip: 0 }
            };
            (list.keeps(drop.column, mover), put)
        };
        let (take, put) = source.map_or_else(own, LastMove::columns);
        part.add_columns(from, rows.clone(), stream(list.words, Vec::new(), Cow::Borrowed(take), put));
    }
    let under = spine.shrunk().filter(|(_, is_first)| *is_first == (mover == Player::First));
    if let (Some(shape), Some((under, _))) = (drops.spine, under)
        && let (Some(rows_from), Some(columns_from)) = (source(left, None), source(right, None))
        && let Some(from) = origin(parents, shape, under, left_firsts)
    {
        let list = index.list(matrix.right, under, right_firsts);
        let map = match rows_from {
            Some(source) => source.parents[rows.clone()].to_vec(),
            // The rows' places in the list beside the spine without its top piece, which is longer.
            None => {
                let all = vec![u64::MAX; rows.end.div_ceil(64)];
                row_map(&all, index.list(matrix.left, under, left_firsts).spine_keeps(mover), 0, &rows)
            }
        };
        let (take, put) = columns_from.map_or_else(|| (list.spine_keeps(mover), Put::From(0)), LastMove::columns);
        part.add_columns(from, row_span(&map), stream(list.words, map, Cow::Borrowed(take), put));
    }
    part.load(parents)
}

/// Returns an open parent's matrix, given by the number of its shape, the spine, and the first-player pieces of its
/// left wing.
fn origin(parents: &TierReader<Reached>, shape: usize, spine: Spine, left_firsts: u32) -> Option<Origin> {
    Some((shape, parents.matrix(shape, spine, left_firsts)?))
}

/// Finds the source for a last move into a column of the wing, or on the spine. Returns `None` if the move finishes
/// nothing, and `Some(None)` for colourings of the index.
fn source(finished: Option<&FinishedList>, column: Option<usize>) -> Option<Option<&LastMove>> {
    finished.map_or(Some(None), |list| list.sources.iter().find(|source| source.column == column).map(Some))
}

/// Returns the colourings of a list where `bit`, a column's top piece, is the mover's.
fn dropped(list: &WingList, bit: u32, mover: Player) -> Cow<'_, [u64]> {
    match mover {
        Player::First => Cow::Borrowed(list.cell(bit)),
        Player::Second => Cow::Owned(others(list, list.cell(bit))),
    }
}

/// A part of a matrix, and the sources of its rows, before these are loaded.
struct Part<'b> {
    band: Pull<'b>,
    /// The rows that its pulls need: first those of whole rows, then of turned streams, then of the other streams.
    requests: Vec<RowRequest>,
}

impl<'b> Part<'b> {
    fn new(rows: &Range<usize>, columns: usize) -> Part<'b> {
        Part { band: Pull { rows: rows.len(), columns, ..Pull::default() }, requests: Vec::new() }
    }

    fn add_rows(&mut self, from: Origin, rows: Vec<u32>) {
        self.requests.push(RowRequest::rows(Some(from), row_span(&rows)));
        self.band.row_pulls.push(RowPull { parent: RowView::Whole(&[]), rows });
    }

    /// Adds a stream in the transposed layout. Its rows are the columns of the part.
    fn add_turned(&mut self, from: Origin, stream: ColumnPull<'b>) {
        let words = stream.first_word..stream.first_word + stream.take.len();
        // Read nothing if no column leads here.
        let rows = if words.is_empty() { 0..0 } else { 0..self.band.columns };
        self.requests.push(RowRequest { origin: Some(from), rows, words });
        self.band.turned_pulls.push(stream);
    }

    /// Adds a stream from these rows of the parent.
    fn add_columns(&mut self, from: Origin, rows: Range<usize>, stream: ColumnPull<'b>) {
        self.band.column_pulls.push(ColumnPull { first_row: rows.start, ..stream });
        self.requests.push(RowRequest::rows(Some(from), rows));
    }

    /// Loads the rows of the parents. Row numbers then count from the first loaded row.
    fn load(self, parents: &'b mut TierReader<Reached>) -> Result<Pull<'b>, FileError> {
        let Part { mut band, requests } = self;
        let mut loaded = Vec::with_capacity(requests.len());
        for request in requests {
            loaded.push(parents.load(&request)?);
        }
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
}

fn stream<'a>(parent_words: usize, rows: Vec<u32>, take: Cow<'a, [u64]>, put: Put<'a>) -> ColumnPull<'a> {
    ColumnPull { parent: RowView::Whole(&[]), parent_words, first_row: 0, rows, first_word: 0, take, put }
}

/// Prepares a drop in the transposed layout: the parent's columns under `take` go to the child's rows under `put`. The
/// band has only `rows` of the child.
fn turned<'a>(parent_words: usize, take: &'a [u64], put: &[u64], rows: &Range<usize>) -> ColumnPull<'a> {
    let words = rows.start / 64..rows.end.div_ceil(64);
    let mut mask = put[words.clone()].to_vec();
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
    let take = Cow::Borrowed(&take[first_word..end]);
    let put = Put::Under { mask: Cow::Owned(mask), skip };
    ColumnPull { first_word, ..stream(parent_words, Vec::new(), take, put) }
}
