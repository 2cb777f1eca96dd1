//! Who looks at each tier while a solve has it.

use crate::files::FileError;
use crate::index::Index;
use crate::kernel::Coding;
use crate::tier::Store;

/// Looks at the tiers of a solve.
pub(crate) trait Witness {
    /// A tier is solved; nothing of it is in the database yet. A solve that is stopped before the tier is durable solves it
    /// again, and shows it again.
    ///
    /// # Errors
    /// What ends the solve.
    fn solved<T: Store<Content = Coding>>(&self, index: &Index, tier: &T) -> Result<(), FileError>;
}

/// Looks at nothing.
impl Witness for () {
    fn solved<T: Store<Content = Coding>>(&self, _: &Index, _: &T) -> Result<(), FileError> {
        Ok(())
    }
}
