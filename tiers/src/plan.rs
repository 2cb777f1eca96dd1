//! What a solve will need, before it starts.
//!
//! Two figures. A **bound** comes from a recurrence in 128-bit integers, before any table: a column of `h` pieces has
//! `c(h, f)` colourings with `f` first-player pieces and no `K` equal pieces in a row; columns multiply, so the
//! colourings of a whole tier are the coefficient of the `W`-th power of `Σ c(h, f) x^h y^f` at the tier's ply and
//! balance. Lines that are not vertical only make it smaller; the mirror halves it. Where the tables of the index are
//! of a size that can be made, the **exact** figures are summed over the layouts of all tiers.

use fourbase::Board;

use crate::error::{IndexError, SolveError};
use crate::index::{Index, TierLayout, firsts_at};
use crate::kernel::{Coding, Kernel, Values};

/// The most colourings of a wing beside a spine that tables are made for (7x6 has 2.6e8).
const MOST_COLOURINGS: u128 = 1 << 31;

/// The most pairs of a wing shape and a spine that tables are made for (7x6 has 43,561).
const MOST_LISTS: u128 = 1 << 24;

/// How far above the limit a bound must be to decide alone: the lines that it ignores leave less than a tenth.
const HOPELESS: u128 = 64;

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
    /// The figures are exact; otherwise they are upper bounds, of a board too large to be counted.
    pub exact: bool,
}

impl Plan {
    /// Plans a solve under a memory limit: exact figures where the bound is not hopelessly above it.
    pub fn new(board: Board, values: Values, limit_bytes: u64) -> Plan {
        let bound = Plan::bound(board, values);
        if bound.memory_bytes / HOPELESS > u128::from(limit_bytes) {
            return bound;
        }
        match Index::new(board, Kernel::detect()) {
            Ok(index) => Plan::exact(&index, values),
            Err(_) => bound,
        }
    }

    /// Bounds what a solve needs from above, by the recurrence. Takes about a millisecond.
    pub fn bound(board: Board, values: Values) -> Plan {
        let colourings = tier_bounds(board);
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
                at_least: if self.exact { "" } else { "up to " },
            });
        }
        Ok(())
    }
}

/// The program itself, its threads, and the blocks that are being written.
const FIXED_BYTES: u128 = 24 << 20;

/// Checks that the tables of the wings are of a size that can be made.
pub(crate) fn check_tables(board: Board) -> Result<(), IndexError> {
    let columns = (board.width() / 2) as u32;
    let has_spine = board.width() % 2 == 1;
    let spines = if has_spine { (1u128 << (board.height() + 1)) - 1 } else { 1 };
    let shapes = (board.height() as u128 + 1).pow(columns);
    let colourings = ((1u128 << (board.height() + 1)) - 1).pow(columns).saturating_mul(spines);
    if colourings > MOST_COLOURINGS || shapes.saturating_mul(spines) > MOST_LISTS {
        return Err(IndexError::TooLarge { board, colourings: colourings as f64, limit: MOST_COLOURINGS as f64 });
    }
    Ok(())
}

/// Bounds the colourings of every tier, before the mirror.
fn tier_bounds(board: Board) -> Vec<u128> {
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
    fn the_bound_is_above_the_exact_figure_and_not_far() {
        for name in ["4x4", "5x4", "4x5", "5x5", "6x4", "4x4c3", "3x6"] {
            let board: Board = name.parse().unwrap();
            let bound = Plan::bound(board, Values::Wdl);
            let exact = Plan::exact(&Index::new(board, Kernel::detect()).unwrap(), Values::Wdl);
            // Self-mirror shapes are whole, so that a small board can have a little more than half.
            assert!(exact.entries < bound.entries * 6 / 5, "{name}: {} {}", exact.entries, bound.entries);
            assert!(bound.entries < exact.entries * HOPELESS, "{name}: {} {}", exact.entries, bound.entries);
        }
    }

    #[test]
    fn boards_beyond_all_memory_are_bounded_without_tables() {
        for name in ["1x63", "8x8", "32x2", "1x64", "64x1", "2x32", "16x4", "21x3", "9x7"] {
            let Ok(board) = name.parse::<Board>() else { continue };
            let plan = Plan::new(board, Values::Remoteness, 1 << 40);
            assert!(!plan.exact, "{name}");
            assert!(plan.memory_bytes > 1 << 40, "{name}: {}", plan.memory_bytes);
        }
    }
}
