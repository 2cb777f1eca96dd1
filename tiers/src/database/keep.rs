//! Copies the early plies of a database.
//!
//! A copy has smaller chunks, and its deepest tier stores forced positions too. So its files are written from scratch,
//! with values from probes.

use std::io::ErrorKind;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use fourbase::{Outcome, Player, Position, Value};
use rayon::prelude::*;

use super::error::DatabaseError;
use super::open::Database;
use crate::communicator::Alone;
use crate::files::{Disk, FileError, Storage, io_error, publish};
use crate::format::{Manifest, TierRecord, tier_path, write_tier};
use crate::index::{Matrix, Parts, TierDirectory};
use crate::kernel::Coding;
use crate::tier::{Tier, Watch};

impl Database {
    /// Copies the tiers of at most `most` pieces of this complete database into an existing folder, and writes a
    /// manifest. The files are those of a solve with [`keep_plies`](crate::solve::Solve::keep_plies). Returns the new
    /// database.
    ///
    /// Probes all entries on all threads of rayon's current pool. A probe takes some hundred nanoseconds, or as long as
    /// a search if this database has to search. Needs a byte and some bits of memory per entry.
    ///
    /// This is how the built-in databases are made:
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
    /// [`DatabaseError::NotSolved`] if this database lacks a tier; [`DatabaseError::File`] for files, since existing
    /// ones are not overwritten.
    pub fn keep(&self, most: u32, folder: &Path) -> Result<Database, DatabaseError> {
        let mut manifest = self.keeping(most)?;
        let plies: Vec<u32> = manifest.stored_tiers().map(|tier| tier.ply).collect();
        for ply in plies {
            let path = tier_path(folder, ply);
            if path.exists() {
                return Err(io_error(&path, "create")(ErrorKind::AlreadyExists.into()).into());
            }
            self.write_values(&Disk, folder, &mut manifest, ply, |_, position| self.probe(position))?;
        }
        manifest.write(&Disk, folder)?;
        Database::open(folder)
    }

    /// Ignores the tiers of more than `most` pieces of this complete database; their files need not exist. Later
    /// positions, and forced positions of the deepest tier, are searched forward. The hash of the manifest differs from
    /// that of [`Database::keep`].
    ///
    /// # Errors
    /// [`DatabaseError::NotSolved`] if this database lacks a tier.
    pub fn with_plies_up_to(mut self, most: u32) -> Result<Database, DatabaseError> {
        self.manifest = self.keeping(most)?;
        Ok(self)
    }

    /// Returns the manifest of a copy that keeps the tiers of at most `most` pieces.
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

    /// Writes the file of the tier with `ply` pieces, with the value that `outcome` returns for each entry and its
    /// position, and updates the record in a complete manifest.
    pub(crate) fn write_values(
        &self,
        storage: &dyn Storage,
        folder: &Path,
        manifest: &mut Manifest,
        ply: u32,
        outcome: impl Fn(u64, &Position) -> Result<Outcome, DatabaseError> + Sync,
    ) -> Result<(), DatabaseError> {
        let index = self.index();
        let (directory, coding) = (TierDirectory::new(index, ply), Coding::new(self.board(), self.values(), ply));
        let code = |entry| {
            let boards = directory.unrank(index, entry).map(|parts| index.split.bitboards(&parts));
            let position =
                boards.and_then(|[first, second]| Position::from_bitboards(self.board(), first, second).ok());
            // Entries that are no positions get the code 0.
            position.map_or(Ok(0), |position| Ok(encode(&coding, ply, outcome(entry, &position)?)))
        };
        let codes: Vec<u8> =
            (0..directory.entries()).into_par_iter().map(code).collect::<Result<_, DatabaseError>>()?;
        let tier = self.tier_of(coding, &directory, &codes)?;
        let written = write_tier(storage, folder, index, &tier, &manifest.chunks(&directory), &Alone, &|| false)?;
        if let ControlFlow::Continue(Some((written, hash))) = written {
            let (bytes, hash) = (written.bytes, Some(hash));
            let other = manifest.tiers.iter_mut().filter(|tier| tier.ply == ply);
            other.for_each(|tier| *tier = TierRecord { bytes, hash, ..*tier });
            publish(storage, folder, vec![written])?;
        }
        if let Some(root) = manifest.root() {
            // Computes the hash of the database again.
            manifest.complete(root);
        }
        Ok(())
    }

    /// Makes a tier in memory from these codes, one per entry.
    fn tier_of(&self, coding: Coding, directory: &TierDirectory, codes: &[u8]) -> Result<Tier<'static>, FileError> {
        let index = self.index();
        let mut tier = Tier::in_memory(index, coding, directory.ply, None);
        let fill = |(): &mut (), matrix: &Matrix, rows: Range<usize>, out: &mut [u64]| {
            let [left, right] = [(matrix.left, matrix.left_firsts), (matrix.right, matrix.right_firsts)]
                .map(|(wing, firsts)| index.colourings(wing, matrix.spine, firsts));
            let first = left.get(rows.start).zip(right.first()).and_then(|(left_bits, right_bits)| {
                let Matrix { left, spine, right, .. } = *matrix;
                directory.rank(index, &Parts { left, left_bits: *left_bits, spine, right, right_bits: *right_bits })
            });
            let codes = first.and_then(|first| codes.get(first as usize..)).unwrap_or_default();
            out.fill(0);
            let (columns, row_words) = (matrix.columns as usize, matrix.words());
            let rows = out.chunks_exact_mut((row_words * coding.planes).max(1));
            for (codes, row) in codes.chunks(columns.max(1)).zip(rows) {
                for (plane, words) in row.chunks_exact_mut(row_words.max(1)).enumerate() {
                    for (column, code) in codes.iter().enumerate() {
                        if let Some(word) = words.get_mut(column / 64) {
                            *word |= u64::from(code >> plane & 1) << (column % 64);
                        }
                    }
                }
            }
            Ok(())
        };
        tier.fill(index, &Watch::none(), || (), fill)?;
        Ok(tier)
    }
}

/// Returns the code of an outcome for the player to move.
fn encode(coding: &Coding, ply: u32, outcome: Outcome) -> u8 {
    let mover = Player::to_move(ply);
    let winner = match outcome.value {
        Value::Tie => None,
        Value::Win => Some(mover),
        Value::Lose => Some(mover.other()),
    };
    // Without remoteness, the code depends only on the winner.
    coding.encode(winner, outcome.remoteness.map_or(0, |plies| ply + plies))
}

#[cfg(test)]
mod tests {
    use fourbase::players::{Source, random_play};

    use super::*;
    use crate::kernel::Values;
    use crate::long;
    use crate::quiet::{StaticEvaluation, evaluate_without_line};
    use crate::solve::Solve;
    use crate::testing::solved;

    #[test]
    fn what_is_kept_of_a_whole_database_is_what_a_solve_keeps_and_files_that_are_there_stay() {
        let solve = Solve::new("4x4".parse().unwrap(), Values::Remoteness);
        let ([whole], [kept]) = (solved(&solve), solved(&solve.clone().keep_plies(Some(6))));
        let folder = tempfile::tempdir().unwrap();
        let copied = whole.keep(6, folder.path()).unwrap();
        assert_eq!(copied.manifest(), kept.manifest());
        assert!(copied.stores_forced(5) && copied.searched() == 0);
        assert!(matches!(whole.keep(4, folder.path()), Err(DatabaseError::File(FileError::Io { .. }))));
        assert!(copied.manifest().check_hashes(&Disk, folder.path(), (0, 1), &|_| true).unwrap());
        assert!(matches!(kept.keep(9, folder.path()), Err(DatabaseError::NotSolved { .. })));
        let embedded = Database::embedded("6x6".parse().unwrap()).unwrap().unwrap();
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(embedded.keep(7, folder.path()).unwrap().manifest().keep_plies, Some(7));
    }

    #[test]
    fn a_damaged_deepest_tier_is_an_error_and_not_searched_around() {
        let root = tempfile::tempdir().unwrap();
        let solve = Solve::new("4x4".parse().unwrap(), Values::Wdl).root(root.path()).keep_plies(Some(6));
        let folder = solve.run().unwrap().folder;
        let position = (0..).find_map(|stream| {
            let (position, _) = random_play("4x4".parse().unwrap(), 5, &mut Source::new(1, stream))?;
            matches!(evaluate_without_line(&position), StaticEvaluation::Forced(_)).then_some(position)
        });
        let file = std::fs::OpenOptions::new().write(true).open(tier_path(&folder, 5)).unwrap();
        file.set_len(file.metadata().unwrap().len() / 2).unwrap();
        assert!(matches!(Database::open(&folder).unwrap().probe(&position.unwrap()), Err(DatabaseError::File(_))));
    }

    /// The databases of older versions have such a deepest tier, and so do those that the npm package opens first.
    #[test]
    fn a_deepest_tier_without_forced_positions_gives_the_same_answers_and_the_same_copy() {
        for (name, values) in [("4x4", Values::Wdl), ("4x4m", Values::Remoteness)] {
            let solve = Solve::new(name.parse().unwrap(), values);
            let ([whole, cut], [kept]) = (solved(&solve), solved(&solve.clone().keep_plies(Some(6))));
            let cut = cut.with_plies_up_to(6).unwrap();
            assert!(!cut.stores_forced(5) && cut.manifest().keep_plies == Some(6));
            let seed = long::seed(1);
            for game in 0..1000 {
                let Some((position, _)) = random_play(cut.board(), 3 + game % 6, &mut Source::new(seed, game as u64))
                else {
                    continue;
                };
                assert_eq!(cut.probe(&position).unwrap(), whole.probe(&position).unwrap(), "{position}");
            }
            assert!(cut.searched() > 0 && whole.searched() == 0);
            let folder = tempfile::tempdir().unwrap();
            assert_eq!(cut.keep(6, folder.path()).unwrap().manifest(), kept.manifest());
        }
    }
}
