//! What every format does.

use super::cells::Portion;
use super::error::DatasetError;

/// Writes rows in their order.
pub(super) trait Writer: Send {
    /// Writes some more rows.
    fn write(&mut self, portion: &Portion) -> Result<(), DatasetError>;

    /// Writes the end of the file.
    fn end(self: Box<Self>) -> Result<(), DatasetError>;
}
