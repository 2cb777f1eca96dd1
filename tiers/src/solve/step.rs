//! One tier from the tier after it: the driver of the kernels.

use std::sync::{Mutex, PoisonError};

use fourbase::Player;

use super::band::Bands;
use super::drops::ShapeDrops;
use crate::files::FileError;
use crate::index::{Index, OfShape, WingShape, bands};
use crate::kernel::matrix::{Buffers, Lists};
use crate::tier::{Tier, TierReader, Watch};

/// Solves what is missing of `tier` from the tier after it (`None` for the last). Returns `false` where `watch` stopped it
/// before the end.
///
/// Work is split over rayon's current pool; the result is the same for every number of threads.
///
/// # Errors
/// Where a file cannot be read or written. Blocks that are not in the log are lost.
pub(crate) fn solve_tier(
    index: &Index,
    tier: &mut Tier,
    child: Option<&Tier>,
    watch: &Watch,
) -> Result<bool, FileError> {
    let (ply, coding) = (tier.ply(), *tier.content());
    let child_planes = child.map_or(coding.planes(), |child| child.content().planes());
    let maximise = Player::to_move(ply) == Player::First;
    let sweep = Sweep::default();
    let begin = || Solver {
        thread: sweep.begin(),
        left: None,
        children: TierReader::new(index, child),
        drops: OfShape::default(),
        bands: Bands::new(index, &coding, ply),
        lists: Lists::default(),
        buffers: Buffers::default(),
    };
    let filled = tier.fill(index, watch, begin, |solver, matrix, rows, mut out| {
        if matrix.entries() == 0 {
            return Ok(());
        }
        if solver.left != Some(matrix.left) {
            solver.left = Some(matrix.left);
            let least = sweep.comes_to(solver.thread, matrix.left);
            child.iter().for_each(|child| child.evict_before(least));
        }
        let Solver { children, drops, bands: prepared, lists, buffers, .. } = solver;
        let drops = drops.get(matrix.shape(), || ShapeDrops::to_children(index, children, matrix.shape(), ply));
        prepared.begin(drops, matrix);
        for rows in bands(rows) {
            let (own, after) = out.split_at_mut(rows.len() * matrix.words() * coding.planes());
            out = after;
            let band = prepared.band(drops, children, matrix, rows, std::mem::take(lists))?;
            index.kernel().solve(&coding, child_planes, maximise, &band, own, buffers);
            *lists = band.into_lists();
        }
        Ok(())
    })?;
    Ok(filled.is_some())
}

/// How far the threads have come: shapes are solved in the order of their left wings, and the children of a shape have no
/// smaller left wing than the shape itself.
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
struct Solver<'a> {
    /// Its number, and the left wing that it is at.
    thread: usize,
    left: Option<WingShape>,
    children: TierReader<'a>,
    /// The drops of the shape that is being solved; its children's shapes are open.
    drops: OfShape<ShapeDrops<'a>>,
    bands: Bands,
    /// Of the band that is being solved.
    lists: Lists,
    buffers: Buffers,
}
