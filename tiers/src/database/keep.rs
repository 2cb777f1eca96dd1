//! A database of early plies from one of all plies, without solving anything.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::error::DatabaseError;
use super::open::Database;
use crate::files::{Disk, FileError, io_error};
use crate::format::{Manifest, tier_path};

/// How many bytes are copied at a time.
const PIECE: u64 = 1 << 20;

impl Database {
    /// Copies the tiers of at most `most` pieces of this complete database into an existing folder, and writes a manifest: the
    /// same files as a solve with [`keep_plies`](crate::solve::Solve::keep_plies) makes. Returns the database there.
    ///
    /// # Errors
    /// [`DatabaseError::NotSolved`] where a tier is missing here, [`DatabaseError::File`] for files: one that is there already is
    /// left as it is.
    pub fn keep(&self, most: u32, folder: &Path) -> Result<Database, DatabaseError> {
        let most = most.clamp(1, (self.board().cells() as u32).saturating_sub(1).max(1));
        let Some(root) = self.manifest().root() else { return Err(self.not_solved(0)) };
        if self.manifest().keep_plies().is_some_and(|kept| kept < most) {
            return Err(self.not_solved(most));
        }
        let mut manifest = Manifest::new(self.board(), self.values(), Some(most));
        manifest.tiers.clone_from(&self.manifest().tiers);
        for tier in &mut manifest.tiers {
            if tier.ply > most {
                (tier.bytes, tier.hash) = (0, None);
            } else if tier.bytes > 0 {
                self.copy(&tier_path(self.folder(), tier.ply), &tier_path(folder, tier.ply))?;
            }
        }
        manifest.complete(root);
        manifest.write(&Disk, folder)?;
        Database::open(folder)
    }

    /// Copies a file, wherever this database has its files, to a new one on the disk.
    fn copy(&self, from: &Path, to: &Path) -> Result<(), FileError> {
        let source = self.storage().open(from).map_err(io_error(from, "open"))?;
        let size = source.size().map_err(io_error(from, "read"))?;
        let mut target = File::create_new(to).map_err(io_error(to, "create"))?;
        let (mut piece, mut done) = (Vec::new(), 0);
        while done < size {
            piece.resize(PIECE.min(size - done) as usize, 0);
            source.read_exact_at(&mut piece, done).map_err(io_error(from, "read"))?;
            target.write_all(&piece).map_err(io_error(to, "write"))?;
            done += piece.len() as u64;
        }
        target.sync_all().map_err(io_error(to, "sync"))
    }
}

#[cfg(test)]
mod tests {
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
        assert!(copied.manifest().check_hashes(&Disk, folder.path(), (0, 1), &|_| true).unwrap());
        assert!(matches!(whole.keep(4, folder.path()), Err(DatabaseError::File(FileError::Io { .. }))));
        assert!(copied.manifest().check_hashes(&Disk, folder.path(), (0, 1), &|_| true).unwrap());
        assert!(matches!(kept.keep(9, folder.path()), Err(DatabaseError::NotSolved { .. })));
        let embedded = Database::embedded("6x6".parse().unwrap()).unwrap().unwrap();
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(embedded.keep(7, folder.path()).unwrap().manifest().keep_plies(), Some(7));
    }
}
