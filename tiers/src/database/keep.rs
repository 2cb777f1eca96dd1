//! A database of early plies from one of all plies, without solving anything.

use std::fs;
use std::path::Path;

use super::error::DatabaseError;
use super::open::Database;
use crate::files::{Disk, io_error};
use crate::format::{Manifest, tier_path};

impl Database {
    /// Writes the tiers of at most `most` pieces of this complete database into an existing folder, with a manifest: the same
    /// files as a solve with [`keep_plies`](crate::solve::Solve::keep_plies) makes. Files are linked where the system allows it,
    /// and copied elsewhere. Returns the database there.
    ///
    /// # Errors
    /// [`DatabaseError::NotSolved`] where tiers are missing here, [`DatabaseError::File`] for files.
    pub fn keep(&self, most: u32, folder: &Path) -> Result<Database, DatabaseError> {
        let root = self.manifest().root().ok_or_else(|| self.not_solved(0))?;
        let mut manifest = Manifest::new(self.board(), self.values(), Some(most));
        manifest.tiers.clone_from(&self.manifest().tiers);
        for tier in &mut manifest.tiers {
            if tier.ply > most {
                (tier.bytes, tier.hash) = (0, None);
            } else if tier.bytes > 0 {
                let (from, to) = (tier_path(self.folder(), tier.ply), tier_path(folder, tier.ply));
                fs::hard_link(&from, &to)
                    .or_else(|_| fs::copy(&from, &to).map(drop))
                    .map_err(io_error(&to, "write"))?;
            }
        }
        manifest.complete(root);
        manifest.write(&Disk, folder)?;
        Database::open(folder)
    }
}
