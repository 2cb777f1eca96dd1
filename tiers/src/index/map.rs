//! Maps between the lists of a wing before and after a drop.
//!
//! A drop inserts a bit at a fixed place, which keeps numeric order, so every such map is monotone: two masks are
//! walked side by side, without ranking.

use std::ops::Range;

use super::split::low_bits;
use crate::kernel::matrix::NO_ROW;

/// Maps each of `rows` to its child's place in the child's list: the `n`-th row that keeps free of lines leads to the
/// `n`-th colouring whose new bit is the mover's (`plane ^ flip`).
pub(crate) fn row_map(keeps: &[u64], plane: &[u64], flip: u64, rows: &Range<usize>) -> Vec<u32> {
    let mut map = Vec::new();
    push_row_map(keeps, plane, flip, rows, &mut map);
    map
}

/// Appends what [`row_map`] returns to `maps`, and returns it.
pub(crate) fn push_row_map<'m>(
    keeps: &[u64],
    plane: &[u64],
    flip: u64,
    rows: &Range<usize>,
    maps: &'m mut Vec<u32>,
) -> &'m [u32] {
    let mut skip = count_before(keeps, rows.start);
    let mut word = 0;
    let mut bits = plane.first().map_or(0, |plane| plane ^ flip);
    while skip > 0 {
        let here = bits.count_ones();
        if here <= skip {
            skip -= here;
            word += 1;
            bits = plane.get(word).map_or(0, |plane| plane ^ flip);
        } else {
            bits &= bits - 1;
            skip -= 1;
        }
    }
    let map = push_empty(rows.len(), maps);
    each_kept(keeps, rows, |row| {
        while bits == 0 {
            word += 1;
            bits = plane[word] ^ flip;
        }
        map[row] = word as u32 * 64 + bits.trailing_zeros();
        bits &= bits - 1;
    });
    map
}

/// Appends to `maps`, for each of `rows`, its place among those that keep free of lines, and returns that.
pub(crate) fn push_rank_map<'m>(keeps: &[u64], rows: &Range<usize>, maps: &'m mut Vec<u32>) -> &'m [u32] {
    let mut rank = count_before(keeps, rows.start);
    let map = push_empty(rows.len(), maps);
    each_kept(keeps, rows, |row| {
        map[row] = rank;
        rank += 1;
    });
    map
}

/// Appends a map of `rows` rows that leads nowhere.
fn push_empty(rows: usize, maps: &mut Vec<u32>) -> &mut [u32] {
    let start = maps.len();
    maps.resize(start + rows, NO_ROW);
    &mut maps[start..]
}

/// Visits those of `rows` (from a multiple of 64) that keep free of lines, in order, numbered from the first of `rows`.
#[inline]
fn each_kept(keeps: &[u64], rows: &Range<usize>, mut visit: impl FnMut(usize)) {
    for start in rows.clone().step_by(64) {
        let mut kept = keeps[start / 64];
        if rows.end - start < 64 {
            kept &= low_bits((rows.end - start) as u32);
        }
        while kept != 0 {
            visit(start - rows.start + kept.trailing_zeros() as usize);
            kept &= kept - 1;
        }
    }
}

/// Counts the set bits before `place`, a multiple of 64.
pub(crate) fn count_before(words: &[u64], place: usize) -> u32 {
    words[..place / 64].iter().map(|word| word.count_ones()).sum()
}
