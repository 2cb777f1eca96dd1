//! From one store to another: how a tier in memory becomes durable, and how a solve in memory resumes.

use super::content::Content;
use super::store::{Reader, Store, Watch};
use crate::files::FileError;
use crate::index::{Index, Shape};

/// Copies what `to` lacks from `from`, a tier of the same ply and content.
///
/// # Errors
/// Where a file cannot be read or written.
pub(crate) fn copy<F: Store, T: Store>(index: &Index, from: &F, to: &mut T) -> Result<(), FileError> {
    let begin = || (from.reader(index), None::<(Shape, Option<usize>)>);
    to.fill(index, &Watch::none(), begin, |(reader, open), matrix, rows, out| {
        if out.is_empty() {
            return Ok(());
        }
        let number = match open {
            Some((shape, number)) if *shape == matrix.shape() => *number,
            open => {
                reader.close();
                open.insert((matrix.shape(), reader.open(matrix.shape()))).1
            }
        };
        let place = number.and_then(|shape| Some((shape, reader.matrix(shape, matrix.spine, matrix.left_firsts)?)));
        if let Some((shape, number)) = place
            && let Some(loaded) = reader.load(shape, number, &rows, &(0..0))?
        {
            let skip = (rows.start - loaded.first) * matrix.words() * from.content().planes();
            out.copy_from_slice(&reader.words(&loaded)[skip..][..out.len()]);
        }
        Ok(())
    })?;
    Ok(())
}
