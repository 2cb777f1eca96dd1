//! The checksum pass: every byte of every file is read and is what was written.

use super::error::DatabaseError;
use super::open::Database;
use super::tier::OpenTier;
use crate::files::FileError;
use crate::format::{check_hash, tier_path};
use crate::index::shape_entries;

impl Database {
    /// Reads the files of a database through and returns the first fault of each: the manifest, then the stored tiers
    /// from the full board down. Nothing is taken from the cache. That the values are right is another matter.
    pub fn check_files(&self) -> Vec<DatabaseError> {
        let tiers = self.manifest().tiers.iter().map(|tier| tier.ply);
        std::iter::once(self.check_manifest())
            .chain(tiers.map(|ply| self.check_tier(ply)))
            .filter_map(Result::err)
            .collect()
    }

    /// Reads the file of the tier of `ply` pieces through: its header, directory, blocks and hash. A tier that is not stored
    /// has nothing to check.
    ///
    /// # Errors
    /// [`DatabaseError::NotSolved`], or the first fault of the file.
    pub fn check_tier(&self, ply: u32) -> Result<(), DatabaseError> {
        let Some(tier) = self.open_stored(ply)? else { return Ok(()) };
        tier.check()?;
        self.check_shapes_and_hash(&tier)
    }

    /// Opens the file of a stored tier anew, past the tiers that probes have opened; `None` for a tier that is not stored.
    ///
    /// # Errors
    /// See [`Database::probe`].
    pub(crate) fn open_stored(&self, ply: u32) -> Result<Option<OpenTier>, DatabaseError> {
        let record = self.manifest().tier(ply).ok_or_else(|| self.not_solved(ply))?;
        let open = || OpenTier::open(self.storage(), self.folder(), self.index(), self.values(), record);
        Ok((record.bytes > 0).then(open).transpose()?)
    }

    /// Compares the shapes of a stored tier with the index, and the hash of its file with the manifest.
    ///
    /// # Errors
    /// What differs.
    pub(crate) fn check_shapes_and_hash(&self, tier: &OpenTier) -> Result<(), DatabaseError> {
        let ply = tier.directory().ply();
        let file = tier_path(self.folder(), ply);
        // Shape by shape: the first that is wrong is found before the tables of all others are made.
        if !tier.directory().shape_entries().into_iter().eq(shape_entries(self.index(), ply)) {
            let what = "the list of shapes does not match the board";
            return Err(FileError::Damaged { file, offset: 0, what }.into());
        }
        let record = self.manifest().tier(ply).ok_or_else(|| self.not_solved(ply))?;
        Ok(check_hash(self.storage(), &file, record)?)
    }

    /// Reads the manifest again and compares it with the one that the database was opened with.
    pub(crate) fn check_manifest(&self) -> Result<(), DatabaseError> {
        match self.read_manifest()? {
            Some(manifest) if manifest == *self.manifest() => Ok(()),
            Some(_) => Err(self.manifest_error("changed since the database was opened")),
            None => Err(self.manifest_error("the file is missing")),
        }
    }
}

/// Where an entry is kept, and which entry is kept somewhere.
impl Database {
    /// Returns the number of the block, in the file of the stored tier of `ply` pieces, that holds an entry.
    ///
    /// # Errors
    /// See [`Database::probe`].
    pub fn block_of(&self, ply: u32, entry: u64) -> Result<u64, DatabaseError> {
        Ok(self.tier(ply)?.block_of(entry)?)
    }
}
