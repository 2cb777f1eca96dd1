//! About how many entries a tier has, by a recurrence, before any table is made.
//!
//! A column of `h` pieces has `c(h, f)` colourings with `f` first-player pieces and no `K` equal pieces in a row; columns
//! multiply, so the colourings of a whole tier are the coefficient of the `W`-th power of `Σ c(h, f) x^h y^f` at the tier's
//! ply and balance. It ignores the other lines (which leave a half to a tenth) and the mirror.

use fourbase::Board;

use super::layout::firsts_at;

/// Estimates the entries of every tier after the mirror, from the empty board up. Takes about a millisecond. The estimates
/// are at least half of the truth and at most 64 times as much on every board that was tried.
pub(crate) fn tier_estimates(board: Board) -> Vec<u128> {
    tier_colourings(board).into_iter().map(|colourings| colourings.div_ceil(2)).collect()
}

/// Counts the colourings of every tier without a line in a column, before the mirror.
fn tier_colourings(board: Board) -> Vec<u128> {
    let cells = board.cells();
    let column = column_colourings(board);
    // sums[ply][firsts]
    let mut sums = vec![vec![0u128; cells + 1]; cells + 1];
    sums[0][0] = 1;
    for _ in 0..board.width() {
        let mut next = vec![vec![0u128; cells + 1]; cells + 1];
        for ply in 0..=cells {
            for firsts in (0..=ply).filter(|firsts| sums[ply][*firsts] > 0) {
                for (height, counts) in column.iter().enumerate().filter(|(height, _)| ply + height <= cells) {
                    for (more, count) in counts.iter().enumerate() {
                        let sum = &mut next[ply + height][firsts + more];
                        *sum = sum.saturating_add(sums[ply][firsts].saturating_mul(*count));
                    }
                }
            }
        }
        sums = next;
    }
    (0..=cells).map(|ply| sums[ply][firsts_at(ply as u32) as usize]).collect()
}

/// Counts the colourings of a column by height and first-player pieces, without `K` equal pieces in a row.
fn column_colourings(board: Board) -> Vec<Vec<u128>> {
    let (height, connect) = (board.height(), board.connect());
    // By first-player pieces, the colour on top, and how many of it are on top of each other.
    let mut runs = std::collections::BTreeMap::from([((0usize, 0usize, 0usize), 1u128)]);
    let mut counts = vec![vec![1u128]];
    for pieces in 1..=height {
        let mut next = std::collections::BTreeMap::new();
        for (&(firsts, top, run), &count) in &runs {
            for colour in 0..2 {
                let run = if colour == top { run + 1 } else { 1 };
                if run < connect {
                    *next.entry((firsts + colour, colour, run)).or_insert(0u128) += count;
                }
            }
        }
        let mut by_firsts = vec![0u128; pieces + 1];
        for ((firsts, _, _), count) in &next {
            by_firsts[*firsts] += count;
        }
        counts.push(by_firsts);
        runs = next;
    }
    counts
}
