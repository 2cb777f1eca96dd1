//! What a solve will need, before it starts.
//!
//! Two kinds of figures. An **estimate** comes from a recurrence, before any table is made. **Exact** figures are summed
//! over the layouts of all tiers; they need the tables of the index. The bytes of files are estimated either way
//! (`expected_bytes`).

use fourbase::Board;

use super::error::SolveError;
use super::expected_bytes::{TierPlan, database_bytes, most_of_pairs, reached_bytes, scratch_bytes, tiers};
use crate::index::{Index, Matrix, TableSizes, TierSize, check_tables, tier_estimates};
use crate::kernel::matrix::BAND_ROWS;
use crate::kernel::{Coding, Kernel, MOST_SPARE, Values};
use crate::tier::{BLOCK_WORDS, Room};

/// Give up counting above this many colourings per byte of the limit: the tables alone would be far too large.
const HOPELESS: u128 = 8;

/// About how many bytes the tables take for a colouring. They are nearly all of what a solve of 7x6 in files needs at
/// least.
const TABLE_BYTES: u128 = 3;

/// Walking through this many shapes takes well under a second.
const QUICK_SHAPES: u128 = 1 << 20;

/// Give up counting above this many shapes (7x6 has 7.5e6 with their spines).
const MOST_SHAPES: u128 = 1 << 24;

/// Tables of up to this many colourings are made in milliseconds: such boards are always counted exactly.
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
    /// Memory that the solve takes at most, in bytes.
    pub memory_bytes: u128,
    /// Number of tiers, one for every number of pieces.
    pub tiers: u32,
    /// The figures are exact; otherwise they are estimates, of a board too large to be counted.
    pub exact: bool,
    /// The tiers that are being solved are kept in files and not in memory.
    pub is_bounded: bool,
    /// Approximate peak size of temporary files, in bytes.
    pub scratch_bytes: u128,
    /// Approximate size of the database, in bytes.
    pub database_bytes: u128,
    /// The part of it that each tier takes, by ply.
    tier_bytes: [u128; MOST_TIERS],
    /// The most entries of any two neighbouring tiers together.
    pair_entries: u128,
    /// The least memory of a solve with its tiers in files, in bytes.
    bounded_bytes: u128,
    /// The slices in which its threads read matrices across; they are part of that.
    slices: Slices,
}

/// The memory for slices of matrices that are stored as their mirror images.
#[derive(Clone, Copy, Default, Debug)]
struct Slices {
    /// How many there are, in all threads.
    count: u128,
    /// Words of one: of the columns of one band, and of a whole matrix.
    least_words: u128,
    most_words: u128,
}

/// A board has at most 64 cells.
const MOST_TIERS: usize = 65;

impl Plan {
    /// Plans a solve under a memory limit: with exact figures, unless the estimate is hopelessly above the limit. A solve
    /// that does not fit is planned with its live tiers in files.
    pub fn new(board: Board, values: Values, limit_bytes: u64) -> Plan {
        Plan::counted(board, values, limit_bytes, Kernel::detect()).0
    }

    /// Plans like [`Plan::new`], and returns the index if one was made to count the figures.
    pub(crate) fn counted(board: Board, values: Values, limit_bytes: u64, kernel: Kernel) -> (Plan, Option<Index>) {
        let (estimate, sizes) = (Plan::estimate(board, values), TableSizes::of(board));
        if check_tables(board).is_err() || sizes.shapes > MOST_SHAPES {
            return (estimate, None);
        }
        let hopeless = sizes.colourings / HOPELESS > u128::from(limit_bytes);
        let quick = sizes.colourings <= QUICK_COLOURINGS && sizes.shapes <= QUICK_SHAPES;
        if hopeless && !quick {
            return (Plan { bounded_bytes: TABLE_BYTES * sizes.colourings, ..estimate }.bounded(), None);
        }
        let Ok(index) = Index::new(board, kernel) else { return (estimate, None) };
        let plan = Plan::exact(&index, values);
        // A small board needs less with its tiers in memory than the buffers of a solve in files.
        let is_bounded = plan.memory_bytes > u128::from(limit_bytes) && plan.bounded_bytes < plan.memory_bytes;
        let plan = if is_bounded { plan.bounded() } else { plan };
        (plan, Some(index))
    }

    /// Estimates what a solve needs, by the recurrence. Takes about a millisecond.
    pub fn estimate(board: Board, values: Values) -> Plan {
        let entries = tier_estimates(board);
        let files = tiers(board, values, &entries);
        let bytes = |ply: u32| {
            let planes = Coding::new(board, values, ply).planes() as u128;
            entries[ply as usize].saturating_mul(planes).div_ceil(8)
        };
        let cells = board.cells() as u32;
        let all = entries.iter().fold(0u128, |sum, entries| sum.saturating_add(*entries));
        let memory_bytes = (0..cells).map(|ply| bytes(ply).saturating_add(bytes(ply + 1))).max().unwrap_or(0);
        Plan {
            board,
            values,
            entries: all,
            memory_bytes,
            tiers: cells + 1,
            exact: false,
            is_bounded: false,
            scratch_bytes: scratch_bytes(&files),
            pair_entries: most_of_pairs(&files, |tier| tier.entries),
            database_bytes: database_bytes(&files),
            tier_bytes: std::array::from_fn(|ply| files.get(ply).map_or(0, |tier| tier.database_bytes)),
            // Without an index there is no solve in files either.
            bounded_bytes: memory_bytes,
            slices: Slices::default(),
        }
    }

    /// Sums what a solve needs exactly. Takes the time to count the lists of all wings (7x6: about a second).
    pub fn exact(index: &Index, values: Values) -> Plan {
        Plan::of_planes(index, values, |ply| Coding::new(index.board(), values, ply).planes())
    }

    /// Lists what every tier of a solve takes, from the empty board up. Takes as long as [`Plan::exact`].
    pub fn tiers(index: &Index, values: Values) -> Vec<TierPlan> {
        let board = index.board();
        let entries = (0..=board.cells() as u32).map(|ply| TierSize::of(index, 1, ply).entries);
        tiers(board, values, &Vec::from_iter(entries))
    }

    /// Estimates what every tier of a solve takes, from the empty board up, by the recurrence. Takes about a millisecond.
    pub fn estimated_tiers(board: Board, values: Values) -> Vec<TierPlan> {
        tiers(board, values, &tier_estimates(board))
    }

    /// Returns the bytes of the largest matrix; `None` in an estimate.
    #[must_use]
    pub fn largest_matrix_bytes(&self) -> Option<u128> {
        self.exact.then_some(8 * self.slices.most_words)
    }

    /// Returns about how many bytes the tables of the index take, also of a board that is beyond the index.
    #[must_use]
    pub fn table_bytes(&self) -> u128 {
        TABLE_BYTES.saturating_mul(TableSizes::of(self.board).colourings)
    }

    /// Sums what counting legal positions needs exactly: as a solve of one plane.
    pub fn legal(index: &Index) -> Plan {
        let plan = Plan::of_planes(index, Values::Wdl, |_| 1);
        Plan { database_bytes: 0, scratch_bytes: reached_bytes(plan.pair_entries), ..plan }
    }

    /// Sums what counting legal positions by value needs exactly: as a solve whose reached bits wait in files.
    pub fn counting(index: &Index, values: Values) -> Plan {
        let plan = Plan::exact(index, values);
        Plan { database_bytes: 0, scratch_bytes: plan.scratch_bytes + reached_bytes(plan.entries), ..plan }
    }

    /// Returns about how many bytes the bits of all reached positions take in files.
    pub(crate) fn reached_bytes(&self) -> u128 {
        reached_bytes(self.entries)
    }

    fn of_planes(index: &Index, values: Values, planes: impl Fn(u32) -> usize) -> Plan {
        let board = index.board();
        let cells = board.cells() as u32;
        let sizes: Vec<TierSize> = (0..=cells).map(|ply| TierSize::of(index, planes(ply), ply)).collect();
        // Two buffers take turns, and each keeps the size of the largest tier that it has held.
        let largest =
            |parity: usize| sizes.iter().skip(parity).step_by(2).map(|size| 8 * size.words).max().unwrap_or(0);
        let most = |of: fn(&TierSize) -> u128| sizes.iter().map(of).max().unwrap_or(0);
        let entries = sizes.iter().map(|size| size.entries).sum();
        let files = tiers(board, values, &Vec::from_iter(sizes.iter().map(|size| size.entries)));
        let threads = rayon::current_num_threads() as u128;
        let row_words = most(|size| size.row_words);
        let fixed = index.bytes() as u128 + FIXED_BYTES + threads * index.kernel().lane_bytes(row_words);
        let slices = Slices {
            // A drop that reads across is one of any wing column, and where a child is opened varies by shape.
            count: threads * 2 * (board.width() / 2) as u128,
            least_words: most(|size| size.slice_words),
            most_words: most(|size| size.matrix_words),
        };
        Plan {
            board,
            values,
            entries,
            memory_bytes: largest(0) + largest(1) + 2 * most(layout_bytes) + fixed,
            tiers: cells + 1,
            exact: true,
            is_bounded: false,
            scratch_bytes: scratch_bytes(&files),
            pair_entries: most_of_pairs(&files, |tier| tier.entries),
            database_bytes: database_bytes(&files),
            tier_bytes: std::array::from_fn(|ply| files.get(ply).map_or(0, |tier| tier.database_bytes)),
            bounded_bytes: 2 * most(directory_bytes)
                + threads * thread_bytes(board, slices.most_words, row_words)
                + slices.count * slices.least_bytes()
                + fixed,
            slices,
        }
    }

    /// Returns the plan of the same solve with its tiers in files.
    #[must_use]
    pub fn bounded(self) -> Plan {
        Plan { is_bounded: true, memory_bytes: self.bounded_bytes, ..self }
    }

    /// Returns the plan of the same solve whose database keeps the tiers of at most `keep_plies` pieces.
    #[must_use]
    pub fn keeping(self, keep_plies: Option<u32>) -> Plan {
        let Some(most) = keep_plies.filter(|most| (*most as usize) < self.board.cells()) else { return self };
        Plan { database_bytes: self.tier_bytes.iter().take(most as usize + 1).sum(), ..self }
    }

    /// Shares out what a bounded solve may use beyond its least: all of it for expanded blocks of two tiers; where those of
    /// the tier that is read do not fit, an eighth of it for the slices, until whole matrices fit.
    pub(crate) fn room(&self, limit_bytes: u64) -> Room {
        let rest = u128::from(limit_bytes).saturating_sub(self.memory_bytes);
        let rest = if self.is_bounded { rest } else { 0 };
        let Slices { count, least_words, most_words } = self.slices;
        let more_words = (rest / SLICES_PART / SLICE_COPIES / 8 / count.max(1)).min(most_words - least_words);
        let wide_bytes = SLICE_COPIES * 8 * count * more_words;
        Room {
            block_words: BLOCK_WORDS,
            cache_bytes: rest as u64,
            slice_words: least_words as usize,
            wide: Some(((least_words + more_words) as usize, wide_bytes as u64)),
        }
    }

    /// Refuses a plan that needs more than `limit_bytes`.
    ///
    /// # Errors
    /// [`SolveError::Memory`] with both figures, [`SolveError::Index`] for a board that cannot be indexed in any memory.
    pub fn check(&self, limit_bytes: u64) -> Result<(), SolveError> {
        if self.memory_bytes > u128::from(limit_bytes) {
            return Err(SolveError::Memory {
                board: self.board,
                entries: self.entries,
                needed: self.memory_bytes,
                limit: limit_bytes,
                exact: self.exact,
            });
        }
        Ok(check_tables(self.board)?)
    }
}

/// Which part of the memory beyond the least is for slices, at most. With half of it 6x6 without remoteness takes 270 CPU
/// seconds in a GiB, with an eighth 200, with a 16th 213.
const SLICES_PART: u128 = 8;

/// A window on whole matrices is kept beside the slice of a larger one.
const SLICE_COPIES: u128 = 2;

impl Slices {
    fn least_bytes(&self) -> u128 {
        SLICE_COPIES * 8 * self.least_words
    }
}

/// The program itself, its threads, and the blocks that are being written.
const FIXED_BYTES: u128 = 24 << 20;

/// The memory of the layout of a tier in memory, which grows by doubling: a matrix and where it begins, and a spine.
fn layout_bytes(size: &TierSize) -> u128 {
    2 * (size.matrices * (size_of::<Matrix>() as u128 + 16 + 16) + size.shapes * 32)
}

/// The memory of a tier in logs: where its shapes and blocks begin, and the jobs.
fn directory_bytes(size: &TierSize) -> u128 {
    let blocks = size.words / BLOCK_WORDS as u128 * 2 + size.shapes;
    blocks * 64 + size.shapes * 128
}

/// Memory of one thread of a bounded solve, without slices: a block; a window on each shape that a shape leads to,
/// with a few times as many rows as a band has; the block that a slice is cut from; a block as it is turned into its delta,
/// and buffers that are used again; and what zstd takes, which is 0.9 MiB.
fn thread_bytes(board: Board, matrix_words: u128, row_words: u128) -> u128 {
    let block = (BLOCK_WORDS as u128).max(64 * row_words);
    let rows = (4 * BAND_ROWS as u128 * row_words).min(matrix_words);
    let width = board.width() as u128;
    let spare = (DELTA_BLOCKS + MOST_SPARE as u128) * block * 5 / 4;
    8 * ((width + 2) * (2 * block + rows) + width / 2 * block + spare) + (2 << 20)
}

/// How many blocks the buffers take in which deltas are made.
const DELTA_BLOCKS: u128 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_within_a_factor_of_64() {
        for name in ["4x4", "5x4", "4x5", "5x5", "6x4", "4x4c3", "3x6", "4x4m", "1x8"] {
            let board: Board = name.parse().unwrap();
            let estimate = Plan::estimate(board, Values::Wdl).entries;
            let exact = Plan::exact(&Index::new(board, Kernel::detect()).unwrap(), Values::Wdl).entries;
            assert!(exact < 2 * estimate, "{name}: {exact} {estimate}");
            assert!(estimate < exact * 64, "{name}: {exact} {estimate}");
        }
    }

    #[test]
    fn a_hopeless_limit_is_told_about_how_much_the_tables_take() {
        let board: Board = "7x6".parse().unwrap();
        let [hopeless, exact] = [1 << 20, 1 << 30].map(|limit| Plan::new(board, Values::Wdl, limit));
        assert!(!hopeless.exact && exact.exact);
        let ratio = hopeless.memory_bytes as f64 / exact.memory_bytes as f64;
        assert!((0.7..1.4).contains(&ratio), "{} {}", hopeless.memory_bytes, exact.memory_bytes);
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
