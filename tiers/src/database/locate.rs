//! Where an entry is kept, and which entry is kept somewhere.

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

    /// Returns the entry whose value is number `value` of a block, in the file of the stored tier of `ply` pieces.
    ///
    /// # Errors
    /// As for a probe.
    pub(crate) fn entry_of(&self, ply: u32, block: u64, value: u32) -> Result<u64, DatabaseError> {
        self.tier(ply)?.entry_of(self.index(), self.cache(), block, value)
    }
}
