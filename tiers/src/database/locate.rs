//! Where an entry is kept.

use super::open::Database;
use crate::error::DatabaseError;

impl Database {
    /// Returns the number of the block, in the file of the stored tier of `ply` pieces, that holds an entry.
    ///
    /// # Errors
    /// As for a probe.
    pub fn block_of(&self, ply: u32, entry: u64) -> Result<u64, DatabaseError> {
        self.tier(ply)?.block_of(entry)
    }
}
