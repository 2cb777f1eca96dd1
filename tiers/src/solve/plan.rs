//! Computes what a solve needs before it starts: memory, and disk space for temporary files and the database.
//!
//! There are two kinds of figures. An **estimate** comes from a recurrence, before any table is made. **Exact** figures
//! are sums over the index, so its tables must be made first. File sizes and work are always estimates (`tier_plan`).
//!
//! A solve keeps the blocks of two neighbouring tiers. If both fit into memory, it writes nothing before a checkpoint.
//! Otherwise blocks are written to files, and the solve is **bounded**: it needs only its *least memory* (tables, and
//! the memory that threads work in), and uses the rest of the limit for blocks.

use std::path::Path;

use fourbase::Board;
use rayon::prelude::*;

use super::error::SolveError;
use super::options::Solve;
use super::tier_plan::{TierPlan, plan_tiers, reached_bytes};
use crate::files::{Storage, has_room};
use crate::index::{Index, TableSizes, TierSize, check_tables, tier_estimates};
use crate::kernel::{Coding, Values};
use crate::tier::{BLOCK_WORDS, BlockMemory};

/// A board with more than this many colourings per byte of the memory limit is not counted, because its tables alone
/// would be far too large. Small boards always are ([`QUICK_SHAPES`]).
const HOPELESS: u128 = 8;

/// About how many bytes of tables each colouring takes. If the tables are far too large, this is the whole estimate of
/// the memory; on 7x6, tables make up nearly all of the least memory.
const TABLE_BYTES: u128 = 3;

/// Boards with at most this many shapes and at most [`QUICK_COLOURINGS`] are always counted, because visiting this many
/// shapes takes well under a second.
const QUICK_SHAPES: u128 = 1 << 20;

/// Boards with more than this many shapes are not counted. A shape counts once for each colouring of its spine (7x6:
/// 7.5e6).
const MOST_SHAPES: u128 = 1 << 24;

/// See [`QUICK_SHAPES`]: tables of up to this many colourings are made in milliseconds.
const QUICK_COLOURINGS: u128 = 1 << 24;

/// About how many words a row has, for estimates without an index.
const LIKELY_ROW_WORDS: u128 = 8;

/// By how many per cent [`Plan::scratch_bytes`] exceeds the estimated sizes of the files.
const SCRATCH_MARGIN: u128 = 25;

/// What a solve needs.
#[derive(Clone, Debug)]
#[must_use]
pub struct Plan {
    /// The board.
    pub board: Board,
    /// The values to compute.
    pub values: Values,
    /// Whether the figures are exact; otherwise they are estimates, because the board is too large to count.
    pub exact: bool,
    /// Whether the live tiers are kept in files instead of memory.
    pub is_bounded: bool,
    /// All tiers, from the empty board up.
    pub tiers: Vec<TierPlan>,
    /// How many threads solve.
    pub threads: usize,
    /// How many further threads are left out for lack of memory.
    pub left_out: usize,
    /// Bytes of tables and of everything else that threads share, except blocks. An estimate stores here the bytes of
    /// the largest pair of neighbouring tiers instead, or those of the tables if these are far too large.
    shared_bytes: u128,
    /// Bytes of all expanded blocks of the largest pair of neighbouring tiers, plus a quarter, because [`BlockMemory`]
    /// always sets a fifth of its memory aside for cached blocks.
    tiers_bytes: u128,
    thread: ThreadPlan,
}

/// The memory of one thread.
#[derive(Clone, Copy, Default, Debug)]
struct ThreadPlan {
    bytes: u128,
    /// The part for the blocks that the thread works on.
    working_bytes: u128,
    /// The bytes that all slices of the thread need together, divided by the words of one slice. A slice is the part of
    /// a matrix that a thread reads at a time if the matrix is stored as its mirror image.
    slice_bytes: u128,
    /// The words of a slice that holds only the columns for one band. `most_slice` is the words of a slice that holds a
    /// whole matrix.
    least_slice: u128,
    most_slice: u128,
}

impl Plan {
    /// Plans a solve under a memory limit. The figures are exact, unless the board can't be indexed, has too many
    /// shapes to count, or its tables alone are far above the limit. A solve that does not fit is planned with its
    /// tiers in files. Takes about a second for 7x6.
    pub fn new(board: Board, values: Values, limit_bytes: u64) -> Plan {
        Solve::new(board, values).memory(limit_bytes).plan()
    }

    /// Returns the plan of a solve, and the index if one was made to count the figures.
    pub(super) fn with_index(solve: &Solve) -> (Plan, Option<Index>) {
        let &Solve { board, values, memory_bytes, kernel, .. } = solve;
        let (in_files, sizes) = (solve.scratch.is_some(), TableSizes::of(board));
        let estimate = Plan { is_bounded: in_files, ..Plan::estimate(board, values).keeping(solve.keep_plies) };
        if check_tables(board).is_err() || sizes.shapes > MOST_SHAPES {
            return (estimate, None);
        }
        let hopeless = sizes.colourings / HOPELESS > u128::from(memory_bytes);
        let quick = sizes.colourings <= QUICK_COLOURINGS && sizes.shapes <= QUICK_SHAPES;
        if hopeless && !quick {
            return (Plan { shared_bytes: TABLE_BYTES * sizes.colourings, is_bounded: true, ..estimate }, None);
        }
        let Ok(index) = Index::new(board, kernel) else { return (estimate, None) };
        let plan = Plan::exact(&index, values).keeping(solve.keep_plies);
        let is_bounded = in_files || plan.memory_bytes() > u128::from(memory_bytes);
        (Plan { is_bounded, ..plan }, Some(index))
    }

    /// Estimates the needs of a solve by a recurrence (`index::sizes`), without an index. Takes about a millisecond.
    pub fn estimate(board: Board, values: Values) -> Plan {
        let (mut bytes, mut sizes) = (Vec::new(), Vec::new());
        for (ply, entries) in (0..).zip(tier_estimates(board)) {
            let tier_bytes = entries.saturating_mul(Coding::new(board, values, ply).planes as u128).div_ceil(8);
            let words = tier_bytes / 8;
            sizes.push(TierSize { entries, words, rows: words / LIKELY_ROW_WORDS, ..TierSize::default() });
            bytes.push(tier_bytes);
        }
        // Without an index, a solve can't keep its tiers in files either. So both tiers count as memory that is needed
        // in any case.
        let pairs = bytes.windows(2).map(|pair| pair[0].saturating_add(pair[1]));
        Plan {
            board,
            values,
            exact: false,
            is_bounded: false,
            tiers: plan_tiers(board, values, &sizes),
            threads: rayon::current_num_threads(),
            left_out: 0,
            shared_bytes: pairs.max().unwrap_or(0),
            tiers_bytes: 0,
            thread: ThreadPlan::default(),
        }
    }

    /// Adds up the exact needs of a solve. Takes as long as counting the lists of all wings (7x6: about a second).
    pub fn exact(index: &Index, values: Values) -> Plan {
        let cells = index.board().cells() as u32;
        Plan::of_planes(index, values, cells, |ply| Coding::new(index.board(), values, ply).planes)
    }

    /// Adds up the needs of counting the legal positions up to ply `last`. Such a count is like a solve with one plane
    /// and no database.
    pub fn legal(index: &Index, last: u32) -> Plan {
        let mut plan = Plan::of_planes(index, Values::Wdl, last, |_| 1);
        for tier in &mut plan.tiers {
            (tier.scratch_bytes, tier.database_bytes) = (reached_bytes(tier.entries), 0);
        }
        plan
    }

    fn of_planes(index: &Index, values: Values, last: u32, planes: impl Fn(u32) -> usize + Sync) -> Plan {
        let board = index.board();
        let sizes: Vec<TierSize> =
            (0..=last).into_par_iter().map(|ply| TierSize::of(index, planes(ply), ply)).collect();
        let most = |of: fn(&TierSize) -> u128| sizes.iter().map(of).max().unwrap_or(0);
        let (tier_words, row_words) = (most(|size| size.words), most(|size| size.row_words));
        let block_words = (BLOCK_WORDS as u128).max(64 * row_words).min(tier_words);
        let [least_slice, most_slice] = [most(|size| size.slice_words), most(|size| size.matrix_words)];
        // A thread fills one block, and reads the shape of each child through a window (see `tier`). A window has one
        // block, or two if matrices are larger than a block.
        let width = board.width() as u128;
        let working_bytes = 8 * ((width + 1) * block_words + width * most_slice.min(block_words));
        // Any drop into a wing may need a slice for its child. The number of the child among the open shapes varies, so
        // in time each open shape's memory can get a slice.
        let slice_bytes = 2 * (width / 2) * SLICE_COPIES * 8;
        // The first summand is for making deltas, the second for zstd.
        let buffer_bytes = 8 * DELTA_BLOCKS * block_words + (1 << 19);
        let bytes = index.kernel.lane_bytes(row_words) + buffer_bytes + working_bytes + slice_bytes * least_slice;
        let pairs = sizes.windows(2).map(|pair| 8 * (pair[0].words + pair[1].words));
        Plan {
            exact: true,
            tiers: plan_tiers(board, values, &sizes),
            shared_bytes: index.bytes(last) as u128 + FIXED_BYTES + 2 * most(directory_bytes),
            tiers_bytes: pairs.max().unwrap_or(0) / 4 * 5,
            thread: ThreadPlan { bytes, working_bytes, slice_bytes, least_slice, most_slice },
            ..Plan::estimate(board, values)
        }
    }

    /// Returns the plan of the same solve, but with its tiers in files.
    pub fn bounded(self) -> Plan {
        Plan { is_bounded: true, ..self }
    }

    /// Returns the plan for at most `limit_bytes`: if all threads need more, leaves out threads until they fit or only
    /// one remains. With tiers in files, half of the limit then remains for blocks in memory, which is faster than more
    /// threads.
    pub fn within(self, limit_bytes: u64) -> Plan {
        if self.memory_bytes() <= limit_bytes.into() || self.thread.bytes == 0 {
            return self;
        }
        let for_all = if self.is_bounded { limit_bytes / 2 } else { limit_bytes };
        let beyond = (self.memory_bytes() - u128::from(for_all)).div_ceil(self.thread.bytes);
        let fewer = usize::try_from(beyond).map_or(self.threads - 1, |beyond| beyond.min(self.threads - 1));
        Plan { threads: self.threads - fewer, left_out: self.left_out + fewer, ..self }
    }

    /// Runs `work` on the planned threads: in rayon's current pool if it has as many, else in a new pool.
    ///
    /// # Errors
    /// [`SolveError::Threads`] if threads can't be started.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, SolveError> {
        if self.threads == rayon::current_num_threads() {
            return Ok(work());
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        Ok(pool.map_err(SolveError::Threads)?.install(work))
    }

    /// Returns the plan of the same solve, but with a database that keeps only the tiers of at most `keep_plies` pieces
    /// (`None`: all tiers).
    pub fn keeping(mut self, keep_plies: Option<u32>) -> Plan {
        let most = keep_plies.unwrap_or(u32::MAX);
        self.tiers.iter_mut().filter(|tier| tier.ply > most).for_each(|tier| tier.database_bytes = 0);
        self
    }

    /// Returns the number of entries, with mirror images merged.
    pub fn entries(&self) -> u128 {
        self.tiers.iter().fold(0, |sum, tier| sum.saturating_add(tier.entries))
    }

    /// Returns the work of the solve, as defined by [`TierPlan::work`].
    pub fn work(&self) -> u128 {
        self.tiers.iter().fold(0, |sum, tier| sum.saturating_add(tier.work()))
    }

    /// Returns the bytes of memory that the solve needs: its least memory and, unless tiers are in files, all blocks of
    /// two tiers.
    pub fn memory_bytes(&self) -> u128 {
        self.least_bytes() + if self.is_bounded { 0 } else { self.tiers_bytes }
    }

    fn least_bytes(&self) -> u128 {
        self.shared_bytes.saturating_add(self.threads as u128 * self.thread.bytes)
    }

    /// Estimates the bytes of the database.
    pub fn database_bytes(&self) -> u128 {
        self.tiers.iter().fold(0, |sum, tier| sum.saturating_add(tier.database_bytes))
    }

    /// Estimates the most bytes of temporary files, with a margin. At most, these files hold the checkpoint being made,
    /// the checkpoint before it, and half of a tier between the two. A solve in memory needs these files too: it makes
    /// checkpoints, and one more when it is stopped.
    pub fn scratch_bytes(&self) -> u128 {
        let sum = |tiers: &[TierPlan]| match tiers {
            [new, old] => new.scratch_bytes.saturating_add(old.scratch_bytes),
            [new, between, old] => {
                new.scratch_bytes.saturating_add(between.scratch_bytes / 2).saturating_add(old.scratch_bytes)
            }
            _ => 0,
        };
        let most = self.tiers.windows(3).chain(self.tiers.windows(2)).map(sum).max().unwrap_or(0);
        most.saturating_add(most / 100 * SCRATCH_MARGIN)
    }

    /// Estimates the bytes of the files in which a count marks all positions that play reaches.
    pub(crate) fn reached_bytes(&self) -> u128 {
        reached_bytes(self.entries())
    }

    /// Returns the bytes of the largest matrix; `None` if the figures are estimates.
    pub fn largest_matrix_bytes(&self) -> Option<u128> {
        self.exact.then_some(8 * self.thread.most_slice)
    }

    /// Estimates the bytes of the index's tables, even for a board too large for an index.
    pub fn table_bytes(&self) -> u128 {
        TABLE_BYTES.saturating_mul(TableSizes::of(self.board).colourings)
    }

    /// Divides the memory beyond the solve's least memory between slices and blocks. If tiers are in files, slices get
    /// what they need to hold whole matrices, but at most an eighth. Blocks get the rest.
    pub(crate) fn memory(&self, limit_bytes: u64, block_words: usize) -> BlockMemory {
        let ThreadPlan { working_bytes, slice_bytes, least_slice, most_slice, .. } = self.thread;
        let (threads, limit_bytes) = (self.threads as u128, u128::from(limit_bytes).saturating_sub(LOOSE_BYTES));
        let most = if self.is_bounded { limit_bytes } else { limit_bytes.min(self.memory_bytes()) };
        let rest = most.saturating_sub(self.least_bytes());
        let word_bytes = threads * slice_bytes;
        let more_words =
            if self.is_bounded { (rest / SLICES_PART / word_bytes.max(1)).min(most_slice - least_slice) } else { 0 };
        let bytes = rest - more_words * word_bytes;
        BlockMemory::new(
            block_words,
            (least_slice + more_words) as usize,
            bytes as u64,
            (threads * working_bytes) as u64,
        )
    }

    /// Checks that the plan needs at most `limit_bytes` of memory.
    ///
    /// # Errors
    /// [`SolveError::Memory`] with the needed bytes and the limit; [`SolveError::Index`] for a board that can't be
    /// indexed in any memory.
    pub fn check(&self, limit_bytes: u64) -> Result<(), SolveError> {
        let (Plan { board, exact, .. }, entries, needed) = (self, self.entries(), self.memory_bytes());
        if needed > u128::from(limit_bytes) {
            return Err(SolveError::Memory { board: *board, entries, needed, limit: limit_bytes, exact: *exact });
        }
        Ok(check_tables(self.board)?)
    }

    /// Checks that the files fit on the disk: the database in `folder`, the temporary files in `scratch`.
    ///
    /// # Errors
    /// [`SolveError::Disk`] with the needed and the free bytes.
    pub fn check_disk(&self, storage: &dyn Storage, folder: &Path, scratch: &Path) -> Result<(), SolveError> {
        // Add a quarter, because estimates of a database's size are right within about a quarter.
        let database_bytes = self.database_bytes() / 4 * 5;
        let scratch_bytes = self.scratch_bytes();
        let disk = |folder: &Path| folder.ancestors().find_map(|folder| storage.disk(folder));
        // If both folders are on one disk, their sum must fit.
        let needs = if disk(folder) == disk(scratch) {
            [(folder, database_bytes + scratch_bytes), (scratch, 0)]
        } else {
            [(folder, database_bytes), (scratch, scratch_bytes)]
        };
        for (folder, needed) in needs {
            has_room(storage, folder, needed).map_err(|free| SolveError::Disk {
                folder: folder.to_path_buf(),
                board: self.board,
                needed,
                free,
            })?;
        }
        Ok(())
    }
}

/// Slices get at most the memory beyond the least memory, divided by this number. In 1 GiB, 6x6 without remoteness
/// takes 270 CPU seconds if slices get a half, 200 if they get an eighth, and 213 if they get a 16th.
const SLICES_PART: u128 = 8;

/// A slice's memory is counted twice, because a window on a whole matrix can exist at the same time and be just as
/// large as the slice.
const SLICE_COPIES: u128 = 2;

/// Estimated bytes of the program and small allocations. If the limit is the least memory, solves of 5x4 to 6x5 peak
/// from 2 MiB below the limit to 4.5 MiB above it (`docs/notebook/memory.md`), well within the 64 MiB that are allowed
/// beyond `--memory`.
const FIXED_BYTES: u128 = 10 << 20;

/// Bytes of the limit that blocks never get, although the least memory does not include them: as the work goes on, gaps
/// between small allocations take them.
const LOOSE_BYTES: u128 = 5 << 20;

/// Returns the bytes that a tier takes besides its blocks. They store where its shapes and blocks start, and the jobs.
fn directory_bytes(size: &TierSize) -> u128 {
    let blocks = size.words / BLOCK_WORDS as u128 * 2 + size.shapes;
    blocks * 64 + size.shapes * 128
}

/// The size in blocks of the buffers for making deltas.
const DELTA_BLOCKS: u128 = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    #[test]
    fn the_estimate_is_within_a_factor_of_64() {
        for name in ["4x4", "5x4", "4x5", "5x5", "6x4", "4x4c3", "3x6", "4x4m", "1x8"] {
            let board: Board = name.parse().unwrap();
            let estimate = Plan::estimate(board, Values::Wdl).entries();
            let exact = Plan::exact(&Index::new(board, Kernel::detect()).unwrap(), Values::Wdl).entries();
            assert!(exact < 2 * estimate, "{name}: {exact} {estimate}");
            assert!(estimate < exact * 64, "{name}: {exact} {estimate}");
        }
    }

    #[test]
    fn a_thread_that_is_missing_its_memory_is_left_out_and_files_need_room_for_blocks() {
        let index = Index::new("5x5".parse().unwrap(), Kernel::detect()).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
        let plan = pool.install(|| Plan::exact(&index, Values::Wdl));
        let limit = plan.memory_bytes() as u64 - 1;
        let fewer = plan.clone().within(limit);
        assert_eq!((plan.clone().within(limit + 1).threads, fewer.threads, fewer.left_out), (8, 7, 1));
        assert!(fewer.memory_bytes() <= limit.into());
        let bounded = plan.bounded();
        let limit = bounded.memory_bytes() as u64 - 1;
        assert!(bounded.within(limit).memory_bytes() <= u128::from(limit / 2));
    }

    #[test]
    fn a_hopeless_limit_is_answered_with_about_the_size_of_the_tables() {
        let board: Board = "7x6".parse().unwrap();
        let [hopeless, exact] = [1 << 20, 1 << 30].map(|limit| Plan::new(board, Values::Wdl, limit));
        assert!(!hopeless.exact && exact.exact);
        let ratio = hopeless.memory_bytes() as f64 / exact.memory_bytes() as f64;
        assert!((0.7..1.4).contains(&ratio), "{} {}", hopeless.memory_bytes(), exact.memory_bytes());
    }

    #[test]
    fn files_of_two_checkpoints_and_half_a_tier_between_them_are_planned() {
        let planned = |bytes: &[u128]| {
            let mut plan = Plan::estimate("4x4".parse().unwrap(), Values::Wdl);
            let tier = |scratch_bytes: &u128| TierPlan { scratch_bytes: *scratch_bytes, ..plan.tiers[0] };
            plan.tiers = bytes.iter().map(tier).collect();
            plan.scratch_bytes()
        };
        assert_eq!(planned(&[0, 400, 800, 1000, 0]), 2250);
        assert_eq!(planned(&[400, 800]), 1500);
    }
}
