//! The files of a database, compared with its manifest and its index.

use super::error::DatabaseError;
use super::open::Database;
use super::tier::OpenTier;
use crate::files::FileError;
use crate::format::{Manifest, TierRecord, tier_path};
use crate::index::TierDirectory;

impl Database {
    /// Compares the hashes of all files with the manifest. What the files hold is not looked at.
    ///
    /// # Errors
    /// The first file that is missing or has another hash.
    pub fn check_hashes(&self) -> Result<(), DatabaseError> {
        self.manifest.check_hashes(self.storage(), self.folder(), (0, 1), &|_| true)?;
        Ok(())
    }

    /// Opens the file of a stored tier, bypassing the tiers that probes have opened.
    pub(crate) fn open_tier(&self, record: &TierRecord) -> Result<OpenTier, FileError> {
        OpenTier::open(self.storage(), self.folder(), self.index(), self.values(), record)
    }

    /// Compares the shapes of a stored tier with the index, and the hash of its file with the manifest's record.
    ///
    /// # Errors
    /// The first difference.
    pub(crate) fn check_shapes_and_hash(&self, tier: &OpenTier, record: &TierRecord) -> Result<(), FileError> {
        // Shape by shape, so that the first difference is found before the tables of all other shapes are made.
        if tier.directory.shape_entries() != TierDirectory::new(self.index(), record.ply).shape_entries() {
            let file = tier_path(self.folder(), record.ply);
            return Err(FileError::damaged(&file, 0, "the list of shapes does not match the board"));
        }
        record.check_hash(self.storage(), self.folder(), &|_| true).map(drop)
    }

    /// Reads the manifest again and compares it with the one that the database was opened with.
    pub(crate) fn check_manifest(&self) -> Result<(), DatabaseError> {
        match Manifest::read(self.storage(), self.folder())? {
            Some(manifest) if manifest == self.manifest => Ok(()),
            Some(_) => Err(self.manifest_error("changed since the database was opened")),
            None => Err(self.manifest_error("the file is missing")),
        }
    }
}
