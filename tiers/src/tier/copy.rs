//! From one store to another: how a tier in memory becomes durable, and how a solve in memory resumes.

use super::rows::Rows;
use super::store::{Store, Watch};
use crate::files::FileError;
use crate::index::Index;

/// Copies what `to` lacks from `from`, a tier of the same ply and content.
///
/// # Errors
/// Where a file cannot be read or written.
pub(crate) fn copy<F: Store, T: Store>(index: &Index, from: &F, to: &mut T) -> Result<(), FileError> {
    to.fill(
        index,
        &Watch::none(),
        || Rows::of(index, from),
        |from, matrix, rows, out| {
            from.seek(matrix);
            let words = from.get(rows)?;
            if let Some(words) = words.get(..out.len()) {
                out.copy_from_slice(words);
            }
            Ok(())
        },
    )?;
    Ok(())
}
