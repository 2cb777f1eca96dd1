//! One tier from the tier after it: the driver of the kernels, for tiers in memory and in logs alike.

use std::sync::{Mutex, PoisonError};

use fourbase::Player;

use super::band::MatrixMoves;
use super::moves::{self, ShapeMoves};
use crate::files::FileError;
use crate::index::{Index, OfShape, WingShape, bands};
use crate::kernel::Coding;
use crate::kernel::matrix::{Buffers, Lists};
use crate::tier::{Store, Watch};

/// Solves what is missing of `tier` from the tier after it (`None` for the last). Returns `false` where `watch` stopped it
/// before the end.
///
/// Work is shared out over rayon's current pool; the result is the same for every number of threads.
///
/// # Errors
/// Where a file cannot be read or written. What was solved and is not in a log is lost.
pub(crate) fn solve_tier<S: Store<Content = Coding>>(
    index: &Index,
    tier: &mut S,
    child: Option<&S>,
    watch: &Watch,
) -> Result<bool, FileError> {
    let (ply, coding) = (tier.ply(), *tier.content());
    let child_planes = child.map_or(coding.planes(), |child| child.content().planes());
    let maximise = Player::to_move(ply) == Player::First;
    let outcomes = moves::outcomes(index, &coding, ply);
    let sweep = Sweep::default();
    let begin = || Solver {
        thread: sweep.begin(),
        left: None,
        children: child.map(|child| child.reader(index)),
        moves: OfShape::default(),
        matrix: MatrixMoves::new(outcomes, index.board().is_misere()),
        lists: Lists::default(),
        buffers: Buffers::default(),
    };
    let filled = tier.fill(index, watch, begin, |solver, matrix, rows, mut out| {
        if matrix.entries() == 0 {
            return Ok(());
        }
        if solver.left != Some(matrix.left) {
            solver.left = Some(matrix.left);
            let passed = sweep.comes_to(solver.thread, matrix.left);
            child.iter().for_each(|child| child.pass(passed));
        }
        let Solver { children, moves, matrix: prepared, lists, buffers, .. } = solver;
        let moves = moves.get(matrix.shape(), || ShapeMoves::new(index, children, matrix.shape(), ply));
        moves.prepare(children, matrix, prepared);
        for rows in bands(rows) {
            let (own, after) = out.split_at_mut(rows.len() * matrix.words() * coding.planes());
            out = after;
            let band = prepared.band(children, rows, std::mem::take(lists))?;
            index.kernel().solve(&coding, child_planes, maximise, &band, own, buffers);
            *lists = band.into_lists();
        }
        Ok(())
    })?;
    Ok(filled.is_some())
}

/// How far the threads have come: shapes are solved in the order of their left wings, and the children of a shape have no
/// smaller left wing than the shape itself. (With a crew a thread may come to earlier shapes once more, when it helps with another
/// member's part. The blocks that it then needs again are all in logs.)
#[derive(Default)]
struct Sweep(Mutex<Vec<WingShape>>);

impl Sweep {
    /// Numbers a thread.
    fn begin(&self) -> usize {
        let mut lefts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lefts.push(WingShape(0));
        lefts.len() - 1
    }

    /// Takes note that a thread begins with the shapes of a left wing. Returns the smallest that any thread is at.
    fn comes_to(&self, thread: usize, left: WingShape) -> WingShape {
        let mut lefts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = lefts.get_mut(thread) {
            *at = left;
        }
        lefts.iter().copied().min().unwrap_or(WingShape(0))
    }
}

/// What one thread needs.
struct Solver<'a, R> {
    /// Its number, and the left wing that it is at.
    thread: usize,
    left: Option<WingShape>,
    children: R,
    /// The drops of the shape that is being solved; its children's shapes are open.
    moves: OfShape<ShapeMoves<'a>>,
    /// The matrix that is being solved.
    matrix: MatrixMoves<'a>,
    /// Of the band that is being solved.
    lists: Lists,
    buffers: Buffers,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;
    use crate::kernel::{Kernel, Values};
    use crate::long;
    use crate::tier::{Home, InLogs, InMemory, Logs, MemoryTier, Room};

    /// Solves a board in memory and in logs, and compares every bit that counts.
    fn same_bits(name: &str, values: Values, block_words: usize, slice_words: usize) {
        let index = Index::new(name.parse().unwrap(), Kernel::detect()).unwrap();
        let files = Memory::default();
        let room = Room { block_words, cache_bytes: 1 << 16, slice_words, wide: None };
        let logs = Logs { storage: &files, folder: "logs".as_ref(), index: &index, room, crew: None };
        let coding = Coding::new(index.board(), values, 0);
        let (mut in_memory, mut in_logs) = (InMemory::new(logs, coding), InLogs::new(logs, coding));
        let (mut child, mut logged) = (None, None);
        for ply in (0..=index.board().cells() as u32).rev() {
            let mut tier = in_memory.make(ply, child.as_ref()).unwrap();
            assert!(solve_tier(&index, &mut tier, child.as_ref(), &Watch::none()).unwrap());
            let mut log = in_logs.make(ply, logged.as_ref()).unwrap();
            assert!(solve_tier(&index, &mut log, logged.as_ref(), &Watch::none()).unwrap());
            assert!(log.is_complete());
            in_logs.save(&log).unwrap();
            let found = InMemory::new(logs, coding).adopt(in_logs.make(ply, None).unwrap()).unwrap();
            same_rows(&found, &tier, name);
            (child, logged) = (Some(tier), Some(log));
        }
    }

    fn same_rows(found: &MemoryTier, expected: &MemoryTier, name: &str) {
        for (number, matrix) in expected.layout().matrices().iter().enumerate() {
            for row in 0..matrix.rows as usize {
                for plane in 0..expected.content().planes() {
                    assert_eq!(found.plane(number, row, plane), expected.plane(number, row, plane), "{name}");
                }
            }
        }
    }

    #[test]
    fn logs_hold_what_memory_holds_however_small_the_blocks() {
        for (name, block_words) in
            [("4x4", 1), ("5x4", 64), ("5x4", 1 << 15), ("4x5", 200), ("3x6", 7), ("5x3m", 1), ("1x8", 1), ("8x2", 30)]
        {
            if ["5x4", "4x5", "8x2"].contains(&name) && long::skips(format_args!("{name} in logs")) {
                continue;
            }
            for values in [Values::Wdl, Values::Remoteness] {
                same_bits(name, values, block_words, usize::MAX);
            }
        }
    }

    #[test]
    fn matrices_that_are_read_across_in_slices_give_the_same_values() {
        // 4x5, 5x4 and 6x3 have matrices of more than a word across.
        for (name, block_words, slice_words) in [
            ("4x4", 64, 0),
            ("4x5", 1, 0),
            ("4x5", 64, 500),
            ("5x4", 200, 300),
            ("6x3", 1 << 15, 0),
            ("4x5m", 64, 1000),
        ] {
            if ["4x5", "4x5m"].contains(&name) && long::skips(format_args!("{name} in slices")) {
                continue;
            }
            for values in [Values::Wdl, Values::Remoteness] {
                same_bits(name, values, block_words, slice_words);
            }
        }
    }
}
