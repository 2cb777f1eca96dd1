//! Solving a tier of the frontier from the tier after it, block by block, in bounded memory.
//!
//! Each thread holds the windows on the children of one shape and the block that it is solving. Blocks that an earlier
//! run has left are passed over.

use std::ops::Range;

use fourbase::Player;

use super::children::Windows;
use super::prepare::{self, ShapeMoves};
use super::{Progress, bands};
use crate::database::{DatabaseError, io_error};
use crate::frontier::{Codec, Frontier, Job, Queue};
use crate::index::Index;
use crate::kernel::matrix::Scratch;

/// Solves the blocks of `tier` that are not there yet from the tier after it (`None` for the last). Returns `false` where
/// `progress` stopped it before the last.
///
/// A child's matrix that is read across takes at most `slice_words` words of each thread; fewer make the work longer where
/// a matrix has more. Work is shared out over rayon's current pool; the result is the same for every number of threads.
///
/// # Errors
/// Where a file cannot be read or written. The blocks that are done stay.
pub(crate) fn solve_frontier(
    index: &Index,
    tier: &Frontier,
    child: Option<&Frontier>,
    slice_words: usize,
    progress: &dyn Progress,
) -> Result<bool, DatabaseError> {
    let queue = Queue::new(tier);
    queue.share_out(|| {
        let mut worker = Worker::new(index, tier, child, slice_words, progress)?;
        while let Some(job) = queue.next() {
            if progress.is_stopped() {
                break;
            }
            worker.job(job)?;
        }
        Ok(())
    })?;
    Ok(tier.is_complete())
}

/// What one thread needs.
struct Worker<'a> {
    index: &'a Index,
    tier: &'a Frontier<'a>,
    child_planes: usize,
    children: Windows<'a>,
    progress: &'a dyn Progress,
    block: Vec<u64>,
    scratch: Scratch,
}

impl<'a> Worker<'a> {
    fn new(
        index: &'a Index,
        tier: &'a Frontier<'a>,
        child: Option<&'a Frontier<'a>>,
        slice_words: usize,
        progress: &'a dyn Progress,
    ) -> Result<Worker<'a>, DatabaseError> {
        let codec = Codec::new().map_err(io_error("the frontier".as_ref(), "compress"))?;
        Ok(Worker {
            index,
            tier,
            child_planes: child.map_or(tier.code().planes(), |child| child.code().planes()),
            children: Windows::new(index, child, codec, slice_words),
            progress,
            block: Vec::new(),
            scratch: Scratch::default(),
        })
    }

    /// Solves the blocks of a job that are missing.
    fn job(&mut self, job: &Job) -> Result<(), DatabaseError> {
        for shape in job.shapes.clone() {
            self.shape(shape, job.blocks_of(self.tier, shape))?;
        }
        Ok(())
    }

    /// Solves those of some blocks of a shape that are missing.
    fn shape(&mut self, shape: usize, blocks: Range<usize>) -> Result<(), DatabaseError> {
        let ply = self.tier.directory().ply();
        let coding = *self.tier.code();
        let maximise = Index::mover(ply) == Player::First;
        let outcomes = prepare::outcomes(self.index, &coding, ply);
        let view = self.tier.view(self.index, shape);
        let matrices = view.layout.matrices();
        let mut moves = None;
        for block in blocks {
            let (cut, end) = (view.cuts[block - view.first_block], view.cuts[block - view.first_block + 1]);
            let rows = view.rows(block - view.first_block).map(|(number, rows)| (&matrices[number], rows));
            let rows = rows.filter(|(matrix, _)| matrix.columns > 0);
            if self.tier.has(block) {
                self.progress.solved(rows.map(|(matrix, rows)| u64::from(matrix.columns) * rows.len() as u64).sum());
                continue;
            }
            if self.progress.is_stopped() {
                return Ok(());
            }
            let shape = self.tier.directory().shapes()[shape];
            let moves =
                moves.get_or_insert_with(|| ShapeMoves::new(self.index, &mut self.children, shape, ply, outcomes));
            self.block.resize(end.word - cut.word, 0);
            let mut rest = &mut self.block[..];
            let mut solved = 0;
            for (matrix, rows) in rows {
                for rows in bands(rows) {
                    let (own, after) = rest.split_at_mut(rows.len() * matrix.words() * coding.planes());
                    rest = after;
                    let band = moves.band(&mut self.children, matrix, rows)?;
                    self.index.kernel().solve(&coding, self.child_planes, maximise, &band, own, &mut self.scratch);
                    solved += band.entries();
                }
            }
            self.tier.put(block, &self.block, self.children.codec())?;
            self.progress.solved(solved);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Disk;
    use crate::frontier::Window;
    use crate::kernel::{Kernel, Values};
    use crate::solve::{Tier, solve_tier};

    /// Solves a board both ways and compares every word.
    fn same_words(name: &str, values: Values, block_words: usize, slice_words: usize) {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::new(name.parse().unwrap(), Kernel::detect()).unwrap();
        let (mut whole, mut child): (Option<Tier>, Option<Frontier>) = (None, None);
        for ply in (0..=index.board().cells() as u32).rev() {
            let mut tier = Tier::new(&index, values, ply, Vec::new());
            assert!(solve_tier(&index, &mut tier, whole.as_ref(), &()));
            let frontier = Frontier::open(&Disk, folder.path(), &index, values, ply, block_words, 1 << 16).unwrap();
            solve_frontier(&index, &frontier, child.as_ref(), slice_words, &()).unwrap();
            assert!(frontier.is_complete());
            let mut codec = Codec::new().unwrap();
            let (planes, mut at) = (tier.coding.planes(), 0);
            for shape in 0..frontier.directory().shapes().len() {
                let view = frontier.view(&index, shape);
                let words = view.layout.plane_words() * planes;
                if words > 0 {
                    let mut window = Window::default();
                    window.load(&frontier, &view, 0..words, &mut codec).unwrap();
                    same_rows(&tier, at, &view.layout, window.words(0), planes, name);
                }
                at += view.layout.matrices().len();
            }
            assert_eq!(at, tier.layout.matrices().len());
            (whole, child) = (Some(tier), Some(frontier));
        }
    }

    /// Compares what counts of each row: not the bits beyond its columns.
    fn same_rows(
        tier: &Tier,
        first_matrix: usize,
        layout: &crate::index::TierLayout,
        words: &[u64],
        planes: usize,
        name: &str,
    ) {
        for (number, matrix) in layout.matrices().iter().enumerate() {
            for row in 0..matrix.rows as usize {
                for plane in 0..planes {
                    let at = layout.first_word(number, planes) + (row * planes + plane) * matrix.words();
                    for column in 0..matrix.columns as usize {
                        let found = words[at + column / 64] >> (column % 64) & 1 == 1;
                        assert_eq!(found, tier.plane(first_matrix + number, row, plane)[column], "{name}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_frontier_holds_what_a_tier_in_memory_holds_however_small_the_blocks() {
        for (name, block_words) in
            [("4x4", 1), ("5x4", 64), ("5x4", 1 << 15), ("4x5", 200), ("3x6", 7), ("5x3m", 1), ("1x8", 1), ("8x2", 30)]
        {
            for values in [Values::Wdl, Values::Remoteness] {
                same_words(name, values, block_words, usize::MAX);
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
            for values in [Values::Wdl, Values::Remoteness] {
                same_words(name, values, block_words, slice_words);
            }
        }
    }
}
