//! One tier of the forward sweep from the tier before it: the driver of the kernels, for tiers in memory and in logs alike.

use super::parents::ShapeParents;
use super::pull::{Positions, Puller};
use crate::files::FileError;
use crate::index::{Index, OfShape};
use crate::kernel::reach::Buffers;
use crate::tier::{Reached, Store, Watch};

/// Fills `tier`, of which nothing is filled yet, from the tier before it (`None` for the first), and counts its positions.
/// Lists that are kept may take `list_bytes`. Returns `None` where `watch` stopped it before the end.
///
/// The planes hold the positions without a line, full boards included: those that have a value to look up. Positions that
/// the last move finished with a line are counted and left out.
///
/// # Errors
/// Where a file cannot be read or written.
pub(super) fn sweep_tier<S: Store<Content = Reached>>(
    index: &Index,
    tier: &mut S,
    parents: Option<&S>,
    list_bytes: u64,
    watch: &Watch,
) -> Result<Option<Positions>, FileError> {
    let Some(parents) = parents else {
        // The empty board.
        let filled = tier.fill(index, watch, Positions::default, |positions, _, _, out| {
            out.fill(1);
            positions.without_line += 1;
            Ok(())
        })?;
        return Ok(filled.map(sum));
    };
    let ply = tier.ply();
    let puller = Puller::new(index, ply, list_bytes);
    let begin = || Sweeper {
        parents: parents.reader(index),
        shape: OfShape::default(),
        buffers: Buffers::default(),
        positions: Positions::default(),
    };
    let filled = tier.fill(index, watch, begin, |sweeper, matrix, rows, out| {
        let Sweeper { parents, shape, buffers, positions } = sweeper;
        let shape = shape.get(matrix.shape(), || ShapeParents::new(index, parents, matrix.shape(), ply));
        *positions += puller.pull(parents, shape, matrix, rows, out, buffers)?;
        Ok(())
    })?;
    Ok(filled.map(|sweepers| sum(sweepers.into_iter().map(|sweeper| sweeper.positions))))
}

fn sum(positions: impl IntoIterator<Item = Positions>) -> Positions {
    positions.into_iter().fold(Positions::default(), |mut sum, positions| {
        sum += positions;
        sum
    })
}

/// What one thread needs.
struct Sweeper<'a, R> {
    parents: R,
    /// The drops that lead to the shape that is being filled; its parents' shapes are open.
    shape: OfShape<ShapeParents<'a>>,
    buffers: Buffers,
    positions: Positions,
}
