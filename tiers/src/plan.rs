//! What a solve will need, before it starts.
//!
//! Two figures. An **estimate** comes from a recurrence in 128-bit integers, before any table: a column of `h` pieces
//! has `c(h, f)` colourings with `f` first-player pieces and no `K` equal pieces in a row; columns multiply, so the
//! colourings of a whole tier are the coefficient of the `W`-th power of `Σ c(h, f) x^h y^f` at the tier's ply and
//! balance. It ignores the other lines (which leave a half to a tenth), halves for the mirror, and counts no padding.
//! Where the tables of the index are of a size that can be made, the **exact** figures are summed over the layouts of
//! all tiers.

use fourbase::Board;

use crate::error::{IndexError, SolveError};
use crate::index::{Index, TierLayout, firsts_at};
use crate::kernel::{Coding, Kernel, Values};

/// The most colourings of a wing beside a spine that tables are made for (7x6 has 2.6e8).
const MOST_COLOURINGS: u128 = 1 << 31;

/// The most pairs of a wing shape and a spine that tables are made for (7x6 has 43,561).
const MOST_LISTS: u128 = 1 << 24;

/// How far above the limit an estimate must be to decide alone.
const HOPELESS: u128 = 64;

/// So many shapes are walked through in well under a second.
const QUICK_SHAPES: u128 = 1 << 20;

/// The most shapes that are walked through for exact figures (7x6 has 7.5e6 with their spines).
const MOST_SHAPES: u128 = 1 << 24;

/// Tables of so many colourings are made in milliseconds: always counted exactly.
const QUICK_COLOURINGS: u128 = 1 << 24;

/// What a solve needs.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The board.
    pub board: Board,
    /// The values to compute.
    pub values: Values,
    /// Entries to solve, after the mirror.
    pub entries: u128,
    /// Memory that the solve takes at most, in bytes: two tiers, the tables and what is being written.
    pub memory_bytes: u128,
    /// Number of tiers, one for every number of pieces.
    pub tiers: u32,
    /// The figures are exact; otherwise they are estimates, of a board too large to be counted.
    pub exact: bool,
}

impl Plan {
    /// Plans a solve under a memory limit: with exact figures, unless the estimate is hopelessly above it.
    pub fn new(board: Board, values: Values, limit_bytes: u64) -> Plan {
        let estimate = Plan::estimate(board, values);
        let quick = table_colourings(board) <= QUICK_COLOURINGS && shapes(board) <= QUICK_SHAPES;
        let hopeless = estimate.memory_bytes / HOPELESS > u128::from(limit_bytes);
        if shapes(board) > MOST_SHAPES || hopeless && !quick {
            return estimate;
        }
        match Index::new(board, Kernel::detect()) {
            Ok(index) => Plan::exact(&index, values),
            Err(_) => estimate,
        }
    }

    /// Estimates what a solve needs, by the recurrence. Takes about a millisecond.
    pub fn estimate(board: Board, values: Values) -> Plan {
        let colourings = tier_colourings(board);
        let entries = |ply: u32| colourings[ply as usize].div_ceil(2);
        let bytes = |ply: u32| {
            let planes = Coding::new(board, values, ply).planes() as u128;
            entries(ply).saturating_mul(planes).div_ceil(8)
        };
        let cells = board.cells() as u32;
        Plan {
            board,
            values,
            entries: (0..=cells).fold(0u128, |sum, ply| sum.saturating_add(entries(ply))),
            memory_bytes: (0..cells).map(|ply| bytes(ply).saturating_add(bytes(ply + 1))).max().unwrap_or(0),
            tiers: cells + 1,
            exact: false,
        }
    }

    /// Sums what a solve needs exactly. Takes the time to count the lists of all wings (7x6: about a second).
    pub fn exact(index: &Index, values: Values) -> Plan {
        let board = index.board();
        let (mut entries, mut layouts) = (0u128, 0);
        // Two buffers take turns, and each keeps the size of the largest tier that it has held.
        let mut buffers = [0u128; 2];
        for ply in 0..=board.cells() as u32 {
            let layout = TierLayout::new(index, ply);
            let words = layout.plane_words() as u128 * Coding::new(board, values, ply).planes() as u128;
            let buffer = &mut buffers[ply as usize % 2];
            *buffer = 8 * words.max(*buffer / 8);
            layouts = layouts.max(layout.bytes());
            entries += u128::from(layout.entries());
        }
        Plan {
            board,
            values,
            entries,
            memory_bytes: buffers[0] + buffers[1] + 2 * layouts as u128 + index.bytes() as u128 + FIXED_BYTES,
            tiers: board.cells() as u32 + 1,
            exact: true,
        }
    }

    /// Refuses a plan that needs more than `limit_bytes`.
    ///
    /// # Errors
    /// [`SolveError::Memory`] with both figures.
    pub fn check(&self, limit_bytes: u64) -> Result<(), SolveError> {
        if self.memory_bytes > u128::from(limit_bytes) {
            return Err(SolveError::Memory {
                board: self.board,
                entries: self.entries,
                needed: self.memory_bytes,
                limit: limit_bytes,
                about: if self.exact { "" } else { "about " },
            });
        }
        Ok(())
    }
}

/// The program itself, its threads, and the blocks that are being written.
const FIXED_BYTES: u128 = 24 << 20;

/// Counts the shapes of a board and their spines, after the mirror: what an exact plan walks through.
fn shapes(board: Board) -> u128 {
    let wings = (board.height() as u128 + 1).pow((board.width() / 2) as u32);
    let spines = if board.width() % 2 == 1 { 1u128 << (board.height() + 1) } else { 1 };
    (wings * wings / 2).saturating_mul(spines)
}

/// Counts the colourings of a wing beside a spine, over all shapes.
fn table_colourings(board: Board) -> u128 {
    let column = (1u128 << (board.height() + 1)) - 1;
    column.pow((board.width() / 2) as u32).saturating_mul(if board.width() % 2 == 1 { column } else { 1 })
}

/// Checks that the tables of the wings are of a size that can be made.
pub(crate) fn check_tables(board: Board) -> Result<(), IndexError> {
    let spines = if board.width() % 2 == 1 { (1u128 << (board.height() + 1)) - 1 } else { 1 };
    let lists = (board.height() as u128 + 1).pow((board.width() / 2) as u32).saturating_mul(spines);
    let colourings = table_colourings(board);
    if colourings > MOST_COLOURINGS || lists > MOST_LISTS {
        return Err(IndexError::TooLarge { board, colourings: colourings as f64, limit: MOST_COLOURINGS as f64 });
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_within_a_factor_that_hopeless_covers() {
        for name in ["4x4", "5x4", "4x5", "5x5", "6x4", "4x4c3", "3x6", "4x4m", "1x8"] {
            let board: Board = name.parse().unwrap();
            let estimate = Plan::estimate(board, Values::Wdl).entries;
            let exact = Plan::exact(&Index::new(board, Kernel::detect()).unwrap(), Values::Wdl).entries;
            assert!(exact < 2 * estimate, "{name}: {exact} {estimate}");
            assert!(estimate < exact * HOPELESS, "{name}: {exact} {estimate}");
        }
    }

    #[test]
    fn boards_beyond_all_memory_are_bounded_without_tables() {
        for name in ["1x63", "8x8", "32x2", "1x64", "2x32", "16x4", "21x3", "9x7", "30x1"] {
            let board: Board = name.parse().unwrap();
            let plan = Plan::new(board, Values::Remoteness, 1 << 36);
            assert!(!plan.exact, "{name}");
            assert!(plan.memory_bytes > 1 << 36, "{name}: {}", plan.memory_bytes);
        }
    }
}
