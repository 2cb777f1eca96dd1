//! What a solve will need, before it starts: memory, temporary files, the database.
//!
//! There are two kinds of figures. An **estimate** comes from a recurrence, before any table is made. **Exact** figures are
//! sums over the index, and need its tables. The bytes of files and the work are estimated either way (`tier_plan`).
//!
//! A solve holds the blocks of two neighbouring tiers. Where both fit into memory nothing is written before a checkpoint;
//! otherwise blocks go into files, and the solve is **bounded**: it needs its least memory and uses the rest of the limit for
//! blocks.

use std::path::Path;

use fourbase::Board;

use super::error::SolveError;
use super::tier_plan::{TierPlan, plan_tiers, reached_bytes, solving_work};
use crate::communicator::Communicator;
use crate::files::{Storage, has_room};
use crate::index::{Index, TableSizes, TierSize, check_tables, tier_estimates};
use crate::kernel::{Coding, Kernel, PoolLimits, Values};
use crate::tier::{BLOCK_WORDS, MemoryBudget};

/// Give up counting above this many colourings per byte of the limit: the tables alone would be far too large.
const HOPELESS: u128 = 8;

/// About how many bytes the tables take for a colouring. They are nearly all of the least memory of 7x6.
const TABLE_BYTES: u128 = 3;

/// Going through this many shapes takes well under a second.
const QUICK_SHAPES: u128 = 1 << 20;

/// Give up counting above this many shapes (7x6 has 7.5e6 with their spines).
const MOST_SHAPES: u128 = 1 << 24;

/// Tables of up to this many colourings are made in milliseconds: such boards are always counted exactly.
const QUICK_COLOURINGS: u128 = 1 << 24;

/// Words of a row, about, where no index tells.
const LIKELY_ROW_WORDS: u128 = 8;

/// How much more disk space is asked for than expected, in per cent.
const SCRATCH_MARGIN: u128 = 25;

/// What a solve needs.
#[derive(Clone, Debug)]
#[must_use]
pub struct Plan {
    /// The board.
    pub board: Board,
    /// The values to compute.
    pub values: Values,
    /// The figures are exact; otherwise they are estimates, of a board too large to be counted.
    pub exact: bool,
    /// The tiers that are being solved are kept in files and not in memory.
    pub is_bounded: bool,
    /// All tiers, from the empty board up.
    pub tiers: Vec<TierPlan>,
    /// The threads that solve.
    pub threads: usize,
    /// Further threads, for which there is too little memory.
    pub left_out: usize,
    /// Memory with all blocks of two tiers, and the least memory, in bytes; and how much of either each thread needs.
    whole_bytes: u128,
    least_bytes: u128,
    thread_bytes: u128,
    /// The part of the least memory that is for blocks: those that threads work on.
    window_bytes: u128,
    slices: Slices,
}

/// The memory for slices of matrices that are stored as their mirror images; part of the least memory.
#[derive(Clone, Copy, Default, Debug)]
struct Slices {
    /// How many there are, in all threads.
    count: u128,
    /// Words of one: of the columns of one band, and of a whole matrix.
    least_words: u128,
    most_words: u128,
}

impl Plan {
    /// Plans a solve under a memory limit: with exact figures, unless the estimate is hopelessly above the limit. A solve that
    /// does not fit is planned with its tiers in files. Takes about a second for 7x6.
    pub fn new(board: Board, values: Values, limit_bytes: u64) -> Plan {
        Plan::with_index(board, values, limit_bytes, Kernel::detect()).0
    }

    /// Plans like [`Plan::new`], and returns the index if one was made to count the figures.
    pub(crate) fn with_index(board: Board, values: Values, limit_bytes: u64, kernel: Kernel) -> (Plan, Option<Index>) {
        let (estimate, sizes) = (Plan::estimate(board, values), TableSizes::of(board));
        if check_tables(board).is_err() || sizes.shapes > MOST_SHAPES {
            return (estimate, None);
        }
        let hopeless = sizes.colourings / HOPELESS > u128::from(limit_bytes);
        let quick = sizes.colourings <= QUICK_COLOURINGS && sizes.shapes <= QUICK_SHAPES;
        if hopeless && !quick {
            return (Plan { least_bytes: TABLE_BYTES * sizes.colourings, is_bounded: true, ..estimate }, None);
        }
        let Ok(index) = Index::new(board, kernel) else { return (estimate, None) };
        let plan = Plan::exact(&index, values);
        let is_bounded = plan.whole_bytes > u128::from(limit_bytes);
        (Plan { is_bounded, ..plan }, Some(index))
    }

    /// Estimates what a solve needs, by the recurrence. Takes about a millisecond.
    pub fn estimate(board: Board, values: Values) -> Plan {
        let entries = tier_estimates(board);
        let bytes = |ply: u32| {
            let planes = Coding::new(board, values, ply).planes as u128;
            entries[ply as usize].saturating_mul(planes).div_ceil(8)
        };
        let pairs = (0..board.cells() as u32).map(|ply| bytes(ply).saturating_add(bytes(ply + 1)));
        let whole_bytes = pairs.max().unwrap_or(0);
        let mut tiers = plan_tiers(board, values, &entries);
        for tier in &mut tiers {
            let words = bytes(tier.ply) / 8;
            tier.solving_work = solving_work(board, tier.ply, words, words / LIKELY_ROW_WORDS);
        }
        // Without an index there is no solve in files either.
        Plan {
            board,
            values,
            exact: false,
            is_bounded: false,
            tiers,
            threads: rayon::current_num_threads(),
            left_out: 0,
            whole_bytes,
            least_bytes: whole_bytes,
            thread_bytes: 0,
            window_bytes: 0,
            slices: Slices::default(),
        }
    }

    /// Sums what a solve needs. Takes the time to count the lists of all wings (7x6: about a second).
    pub fn exact(index: &Index, values: Values) -> Plan {
        let cells = index.board().cells() as u32;
        Plan::of_planes(index, values, cells, |ply| Coding::new(index.board(), values, ply).planes)
    }

    /// Sums what counting the legal positions up to a ply needs: as a solve of one plane without a database.
    pub fn legal(index: &Index, last: u32) -> Plan {
        let mut plan = Plan::of_planes(index, Values::Wdl, last, |_| 1);
        for tier in &mut plan.tiers {
            (tier.scratch_bytes, tier.database_bytes) = (reached_bytes(tier.entries), 0);
        }
        plan
    }

    fn of_planes(index: &Index, values: Values, last: u32, planes: impl Fn(u32) -> usize) -> Plan {
        let board = index.board();
        let sizes: Vec<TierSize> = (0..=last).map(|ply| TierSize::of(index, planes(ply), ply)).collect();
        let most = |of: fn(&TierSize) -> u128| sizes.iter().map(of).max().unwrap_or(0);
        let threads = rayon::current_num_threads();
        let (tier_words, row_words) = (most(|size| size.words), most(|size| size.row_words));
        let slices = Slices {
            // A drop that reads across is one of any wing column, and where a child is opened varies by shape.
            count: (threads * 2 * (board.width() / 2)) as u128,
            least_words: most(|size| size.slice_words),
            most_words: most(|size| size.matrix_words),
        };
        let block_words = (BLOCK_WORDS as u128).max(64 * row_words).min(tier_words);
        let window_bytes = window_bytes(board, block_words, slices.most_words);
        let slices_bytes = slices.count * SLICE_COPIES * 8 * slices.least_words / threads as u128;
        let thread_bytes = index.kernel.lane_bytes(row_words) + buffer_bytes(block_words) + window_bytes + slices_bytes;
        let shared_bytes = index.bytes(last) as u128 + FIXED_BYTES + 2 * most(directory_bytes);
        let least_bytes = shared_bytes + threads as u128 * thread_bytes;
        let pairs = sizes.windows(2).map(|pair| 8 * (pair[0].words + pair[1].words));
        let mut tiers = plan_tiers(board, values, &Vec::from_iter(sizes.iter().map(|size| size.entries)));
        for (tier, size) in tiers.iter_mut().zip(&sizes) {
            tier.solving_work = solving_work(board, tier.ply, size.words, size.rows);
        }
        Plan {
            board,
            values,
            exact: true,
            is_bounded: false,
            tiers,
            // Beside the blocks there is budget for deltas, which are never needed then.
            whole_bytes: least_bytes + pairs.max().unwrap_or(0) / 4 * 5,
            least_bytes,
            thread_bytes,
            threads,
            left_out: 0,
            window_bytes: threads as u128 * window_bytes,
            slices,
        }
    }

    /// Returns the plan of the same solve with its tiers in files.
    pub fn bounded(self) -> Plan {
        Plan { is_bounded: true, ..self }
    }

    /// Returns the plan with fewer threads if all of them need more than `limit_bytes`, or with one thread. With tiers in files, half
    /// of the limit stays for blocks that wait, which is faster than more threads.
    pub fn within(self, limit_bytes: u64) -> Plan {
        if self.memory_bytes() <= limit_bytes.into() || self.thread_bytes == 0 {
            return self;
        }
        let all = self.threads as u128;
        let for_all = if self.is_bounded { limit_bytes / 2 } else { limit_bytes };
        let beyond = self.memory_bytes() - u128::from(for_all);
        let fewer = beyond.div_ceil(self.thread_bytes).min(all - 1);
        let threads = all - fewer;
        Plan {
            threads: threads as usize,
            left_out: self.left_out + fewer as usize,
            whole_bytes: self.whole_bytes - fewer * self.thread_bytes,
            least_bytes: self.least_bytes - fewer * self.thread_bytes,
            window_bytes: self.window_bytes / all * threads,
            slices: Slices { count: self.slices.count / all * threads, ..self.slices },
            ..self
        }
    }

    /// Runs `work` on the planned threads: in place if rayon's current pool has as many, otherwise in a new pool.
    ///
    /// # Errors
    /// [`SolveError::Threads`] where they cannot be started.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, SolveError> {
        if self.threads == rayon::current_num_threads() {
            return Ok(work());
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        Ok(pool.map_err(SolveError::Threads)?.install(work))
    }

    /// Returns the plan of the same solve by several ranks, which share their tiers through files.
    pub(super) fn of_ranks(self, all: &dyn Communicator) -> Plan {
        if all.is_alone() { self } else { self.bounded() }
    }

    /// Returns the plan of the same solve whose database keeps the tiers of at most `keep_plies` pieces.
    pub fn keeping(mut self, keep_plies: Option<u32>) -> Plan {
        let most = keep_plies.unwrap_or(u32::MAX);
        self.tiers.iter_mut().filter(|tier| tier.ply > most).for_each(|tier| tier.database_bytes = 0);
        self
    }

    /// Returns the number of entries, after the mirror.
    pub fn entries(&self) -> u128 {
        self.tiers.iter().fold(0, |sum, tier| sum.saturating_add(tier.entries))
    }

    /// Returns the work of the solve: see [`TierPlan::work`].
    pub fn work(&self) -> u128 {
        self.tiers.iter().fold(0, |sum, tier| sum.saturating_add(tier.work()))
    }

    /// Returns about how many seconds the solve takes where the kernels do so much work a second ([`work_per_second`]), in memory
    /// or in files.
    ///
    /// [`work_per_second`]: super::work_per_second
    pub fn seconds(&self, work_per_second: f64) -> f64 {
        self.work() as f64 / work_per_second
    }

    /// Returns the memory that the solve needs, in bytes: for all blocks of two tiers, or the least if they go into files.
    pub fn memory_bytes(&self) -> u128 {
        if self.is_bounded { self.least_bytes } else { self.whole_bytes }
    }

    /// Returns about how many bytes the database takes.
    pub fn database_bytes(&self) -> u128 {
        self.tiers.iter().fold(0, |sum, tier| sum.saturating_add(tier.database_bytes))
    }

    /// Returns about how many bytes the temporary files take at most, with a margin: a checkpoint that is made, the one before it,
    /// and up to half of a tier between them. A solve in memory makes checkpoints too, and one where it is stopped.
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

    /// Returns about how many bytes the bits of all reached positions take in files.
    pub(crate) fn reached_bytes(&self) -> u128 {
        reached_bytes(self.entries())
    }

    /// Returns the bytes of the largest matrix; `None` in an estimate.
    pub fn largest_matrix_bytes(&self) -> Option<u128> {
        self.exact.then_some(8 * self.slices.most_words)
    }

    /// Returns about how many bytes the tables of the index take, also of a board that is beyond the index.
    pub fn table_bytes(&self) -> u128 {
        TABLE_BYTES.saturating_mul(TableSizes::of(self.board).colourings)
    }

    /// Splits what a solve may use beyond its least memory: all of it for blocks of two tiers; where those of the tier that is
    /// read do not fit, up to an eighth of it for the slices, until whole matrices fit.
    pub(crate) fn budget(&self, limit_bytes: u64, block_words: usize) -> MemoryBudget {
        let limit_bytes = u128::from(limit_bytes).saturating_sub(LOOSE_BYTES).min(if self.is_bounded {
            u128::MAX
        } else {
            self.whole_bytes
        });
        let rest = limit_bytes.saturating_sub(self.least_bytes);
        let Slices { count, least_words, most_words } = self.slices;
        let more_words = (rest / SLICES_PART / SLICE_COPIES / 8 / count.max(1)).min(most_words - least_words);
        let wide_bytes = SLICE_COPIES * 8 * count * more_words;
        MemoryBudget {
            block_words,
            cache_bytes: rest as u64,
            pool: PoolLimits {
                bytes: (rest + self.window_bytes) as u64,
                spare_bytes: (if self.is_bounded { rest } else { rest / 8 }) as u64,
            },
            slice_words: least_words as usize,
            wide: Some(((least_words + more_words) as usize, wide_bytes as u64)),
        }
    }

    /// Refuses a plan that needs more than `limit_bytes`.
    ///
    /// # Errors
    /// [`SolveError::Memory`] with both figures, [`SolveError::Index`] for a board that cannot be indexed in any memory.
    pub fn check(&self, limit_bytes: u64) -> Result<(), SolveError> {
        if self.memory_bytes() > u128::from(limit_bytes) {
            return Err(SolveError::Memory {
                board: self.board,
                entries: self.entries(),
                needed: self.memory_bytes(),
                limit: limit_bytes,
                exact: self.exact,
            });
        }
        Ok(check_tables(self.board)?)
    }

    /// Refuses a solve whose files do not fit on the disk: the database in `folder`, the temporary ones in `scratch`.
    ///
    /// # Errors
    /// [`SolveError::Disk`] with what is needed and what is free.
    pub fn check_disk(&self, storage: &dyn Storage, folder: &Path, scratch: &Path) -> Result<(), SolveError> {
        // Estimates of databases are within a quarter or so.
        let database_bytes = self.database_bytes() / 4 * 5;
        let scratch_bytes = self.scratch_bytes();
        let disk = |folder: &Path| folder.ancestors().find_map(|folder| storage.disk(folder));
        // Two folders on one disk have to fit together.
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

/// Which part of the memory beyond the least is for slices, at most. With half of it 6x6 without remoteness takes 270 CPU
/// seconds in a GiB, with an eighth 200, with a 16th 213.
const SLICES_PART: u128 = 8;

/// A window on whole matrices is kept beside the slice of a larger one.
const SLICE_COPIES: u128 = 2;

/// The program and small things, about. At the least memory, solves of 5x4 to 6x5 peak from 2 MiB below the limit to 4.5 above
/// (`docs/notebook/memory.md`), which the 64 MiB that are promised beside `--memory` leave room for.
const FIXED_BYTES: u128 = 10 << 20;

/// What is kept free of a limit beyond the least memory: gaps between small things, which grow with the work.
const LOOSE_BYTES: u128 = 5 << 20;

/// The memory of a tier beside its blocks: where its shapes and blocks begin, and the jobs.
fn directory_bytes(size: &TierSize) -> u128 {
    let blocks = size.words / BLOCK_WORDS as u128 * 2 + size.shapes;
    blocks * 64 + size.shapes * 128
}

/// The blocks that one thread works on: the one that it fills, and a window on each shape that this leads to, of two blocks
/// where one matrix is so large.
fn window_bytes(board: Board, block_words: u128, matrix_words: u128) -> u128 {
    let width = board.width() as u128;
    8 * ((width + 1) * block_words + width * matrix_words.min(block_words))
}

/// The buffers of one thread, without slices: those in which it makes deltas, and what zstd takes.
fn buffer_bytes(block_words: u128) -> u128 {
    8 * DELTA_BLOCKS * block_words + (1 << 19)
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
