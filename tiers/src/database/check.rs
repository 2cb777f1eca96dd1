//! The checksum pass: every byte of every file is read and is what was written.

use super::folder::tier_path;
use super::hash::Hash;
use super::open::Database;
use super::tier::OpenTier;
use crate::error::DatabaseError;
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
        self.read_tier(ply).map(drop)
    }

    /// As [`Database::check_tier`]; returns how many values each block of the file holds.
    pub(crate) fn read_tier(&self, ply: u32) -> Result<Vec<u32>, DatabaseError> {
        let record = self.manifest().tier(ply).ok_or_else(|| self.not_solved(ply))?;
        if record.bytes == 0 {
            return Ok(Vec::new());
        }
        let tier = OpenTier::open(self.storage(), self.folder(), self.index(), self.values(), record)?;
        let values = tier.check()?;
        let file = tier_path(self.folder(), ply);
        // Shape by shape: the first that is wrong is found before the tables of all others are made.
        if !tier.shape_entries().into_iter().eq(shape_entries(self.index(), ply)) {
            return Err(DatabaseError::Damaged {
                file,
                offset: 0,
                what: "the shapes have not the entries of the tier's",
            });
        }
        let found = Hash::of_file(self.storage(), &file)?;
        if record.hash == Some(found) {
            return Ok(values);
        }
        let expected = record.hash.map_or("none".to_string(), |hash| hash.to_string());
        Err(DatabaseError::Wrong { file, what: "the hash", expected, found: found.to_string() })
    }

    /// Reads the manifest again and compares it with the one that the database was opened with.
    pub(crate) fn check_manifest(&self) -> Result<(), DatabaseError> {
        match self.read_manifest()? {
            Some(manifest) if manifest == *self.manifest() => Ok(()),
            Some(_) => Err(self.manifest_error("not that which the database was opened with")),
            None => Err(self.manifest_error("the file is missing")),
        }
    }
}
