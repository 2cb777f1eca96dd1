//! The files of a database, read through: the checksum pass, and copies of the early plies.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::error::DatabaseError;
use super::open::Database;
use super::tier::OpenTier;
use crate::files::{Disk, FileError, io_error, read_through};
use crate::format::{Manifest, tier_path};
use crate::index::TierDirectory;

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

    /// Compares the hashes of all files with the manifest. What the files hold is not looked at.
    ///
    /// # Errors
    /// The first file that is missing or has another hash.
    pub fn check_hashes(&self) -> Result<(), DatabaseError> {
        self.manifest().check_hashes(self.storage(), self.folder(), (0, 1), &|_| true)?;
        Ok(())
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
        let ply = tier.directory.ply;
        // Shape by shape: the first that is wrong is found before the tables of all others are made.
        if tier.directory.shape_entries() != TierDirectory::new(self.index(), ply).shape_entries() {
            let file = tier_path(self.folder(), ply);
            return Err(FileError::damaged(&file, 0, "the list of shapes does not match the board").into());
        }
        let record = self.manifest().tier(ply).ok_or_else(|| self.not_solved(ply))?;
        record.check_hash(self.storage(), self.folder(), &|_| true)?;
        Ok(())
    }

    /// Reads the manifest again and compares it with the one that the database was opened with.
    pub(crate) fn check_manifest(&self) -> Result<(), DatabaseError> {
        match self.read_manifest()? {
            Some(manifest) if manifest == *self.manifest() => Ok(()),
            Some(_) => Err(self.manifest_error("changed since the database was opened")),
            None => Err(self.manifest_error("the file is missing")),
        }
    }

    /// Copies the tiers of at most `most` pieces of this complete database into an existing folder, and writes a manifest: the
    /// same files as a solve with [`keep_plies`](crate::solve::Solve::keep_plies) makes. Returns the database there.
    ///
    /// This is how the databases that are part of the program are made:
    ///
    /// ```no_run
    /// use fourbase_tiers::database::Database;
    ///
    /// let (whole, folder) = ("db/7x6/remoteness".as_ref(), "embedded/7x6/remoteness".as_ref());
    /// std::fs::create_dir_all(folder)?;
    /// let kept = Database::open(whole)?.keep(13, folder)?;
    /// println!("{} bytes, hash {:?}", kept.manifest().bytes(), kept.manifest().hash);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DatabaseError::NotSolved`] where a tier is missing here, [`DatabaseError::File`] for files: one that is there already is
    /// left as it is.
    pub fn keep(&self, most: u32, folder: &Path) -> Result<Database, DatabaseError> {
        let manifest = self.keeping(most)?;
        for tier in manifest.stored_tiers() {
            self.copy(&tier_path(self.folder(), tier.ply), &tier_path(folder, tier.ply))?;
        }
        manifest.write(&Disk, folder)?;
        Database::open(folder)
    }

    /// Leaves out the tiers of more than `most` pieces of this complete database, whose files need not exist: later positions are
    /// searched forward. The hash is that of a database which [`Database::keep`] makes.
    ///
    /// # Errors
    /// [`DatabaseError::NotSolved`] where a tier is missing here.
    pub fn with_plies_up_to(mut self, most: u32) -> Result<Database, DatabaseError> {
        self.manifest = self.keeping(most)?;
        Ok(self)
    }

    /// Makes the manifest of a copy that keeps the tiers of at most `most` pieces.
    fn keeping(&self, most: u32) -> Result<Manifest, DatabaseError> {
        let most = most.clamp(1, (self.board().cells() as u32).saturating_sub(1).max(1));
        let Some(root) = self.manifest().root() else { return Err(self.not_solved(0)) };
        if self.manifest().keep_plies.is_some_and(|kept| kept < most) {
            return Err(self.not_solved(most));
        }
        let mut manifest = Manifest::new(self.board(), self.values(), Some(most));
        manifest.tiers.clone_from(&self.manifest().tiers);
        for tier in &mut manifest.tiers {
            if tier.ply > most {
                (tier.bytes, tier.hash) = (0, None);
            }
        }
        manifest.complete(root);
        Ok(manifest)
    }

    /// Copies a file, wherever this database has its files, to a new one on the disk.
    fn copy(&self, from: &Path, to: &Path) -> Result<(), FileError> {
        let mut target = File::create_new(to).map_err(io_error(to, "create"))?;
        read_through(self.storage(), from, |piece| {
            target.write_all(piece).map_err(io_error(to, "write"))?;
            Ok(true)
        })?;
        target.sync_all().map_err(io_error(to, "sync"))
    }
}

#[cfg(test)]
mod tests {
    use fourbase::players::{Source, random_play};

    use super::*;
    use crate::kernel::Values;
    use crate::solve::Solve;

    #[test]
    fn what_is_kept_of_a_whole_database_is_what_a_solve_keeps_and_files_that_are_there_stay() {
        let roots = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let solve = |root: &Path, keep| {
            let solve = Solve::new("4x4".parse().unwrap(), Values::Remoteness).root(root).keep_plies(keep);
            Database::open(&solve.run().unwrap().folder).unwrap()
        };
        let (whole, kept) = (solve(roots[0].path(), None), solve(roots[1].path(), Some(6)));
        let folder = tempfile::tempdir().unwrap();
        let copied = whole.keep(6, folder.path()).unwrap();
        assert_eq!(copied.manifest(), kept.manifest());
        let cut = Database::open(whole.folder()).unwrap().with_plies_up_to(6).unwrap();
        assert_eq!(cut.manifest(), kept.manifest());
        let drawn = (0..50).filter_map(|game| random_play(cut.board(), 8, &mut Source::new(1, game)));
        for (position, _) in drawn {
            assert_eq!(cut.probe(&position).unwrap(), whole.probe(&position).unwrap());
        }
        assert!(cut.searched() > 0 && whole.searched() == 0);
        assert!(copied.manifest().check_hashes(&Disk, folder.path(), (0, 1), &|_| true).unwrap());
        assert!(matches!(whole.keep(4, folder.path()), Err(DatabaseError::File(FileError::Io { .. }))));
        assert!(copied.manifest().check_hashes(&Disk, folder.path(), (0, 1), &|_| true).unwrap());
        assert!(matches!(kept.keep(9, folder.path()), Err(DatabaseError::NotSolved { .. })));
        let embedded = Database::embedded("6x6".parse().unwrap()).unwrap().unwrap();
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(embedded.keep(7, folder.path()).unwrap().manifest().keep_plies, Some(7));
    }
}
