//! Methods of databases and solves that only tests need.

use fourbase::analysis::{Analyst, Budget};
use fourbase::{Outcome, Position};
use rayon::prelude::*;

use crate::database::{Database, DatabaseError, OpenTier};
use crate::files::FileError;
use crate::solve::Solve;

impl Database {
    /// Reads all files of a database and returns the first fault of each file: first that of the manifest, then those
    /// of the stored tiers from the full board down. Bypasses the cache. Does not check whether the values are right.
    pub fn check_files(&self) -> Vec<DatabaseError> {
        let tiers = self.manifest.tiers.iter().map(|tier| tier.ply);
        std::iter::once(self.check_manifest())
            .chain(tiers.map(|ply| self.check_tier(ply)))
            .filter_map(Result::err)
            .collect()
    }

    /// Checks the file of the tier of `ply` pieces: its header, directory, blocks and hash. A tier that is not stored
    /// has nothing to check.
    ///
    /// # Errors
    /// [`DatabaseError::NotSolved`], or the first fault of the file.
    pub fn check_tier(&self, ply: u32) -> Result<(), DatabaseError> {
        let record = self.manifest.tier(ply).ok_or_else(|| self.not_solved(ply))?;
        if record.bytes > 0 {
            let tier = self.open_tier(record)?;
            tier.check()?;
            self.check_shapes_and_hash(&tier, record)?;
        }
        Ok(())
    }

    /// Lists the legal moves of a position with their outcomes for the player who makes them, best first: win soonest,
    /// tie, loss latest, then by column. A finished game has no moves.
    ///
    /// # Errors
    /// The errors of [`Database::probe`].
    pub fn moves(&self, position: &Position) -> Result<Vec<(usize, Outcome)>, DatabaseError> {
        Analyst::new(self.board(), Some(self), None).moves(position, &mut Budget::default())
    }

    /// Returns the columns of best play from a position to the end of the game. Among equally good moves, takes the
    /// lowest column. Returns `None` if the database has no remoteness.
    ///
    /// # Errors
    /// The errors of [`Database::probe`], and [`DatabaseError::Analysis`] if no move has the value of its position.
    pub fn best_line(&self, position: &Position) -> Result<Option<Vec<usize>>, DatabaseError> {
        let analyst = Analyst::new(self.board(), Some(self), None);
        Ok(analyst.analyse(position, true, &mut Budget::default(), None)?.line)
    }
}

impl OpenTier {
    /// Reads all blocks, checks and expands them.
    ///
    /// # Errors
    /// The fault of the first damaged block.
    pub(crate) fn check(&self) -> Result<(), FileError> {
        let checked = (0..self.reader.blocks).into_par_iter().map(|number| self.expand(number).map(drop));
        checked.find_first(Result::is_err).unwrap_or(Ok(()))
    }
}

impl DatabaseError {
    /// Returns whether a file is missing or has wrong contents. Other errors of the system are no damage.
    pub fn is_damage(&self) -> bool {
        matches!(self, DatabaseError::File(error) if error.is_damage())
    }
}

impl Solve {
    /// Sets about how many words a block of a tier has. Every number gives the same database.
    pub fn block_words(mut self, block_words: usize) -> Solve {
        self.block_words = block_words.max(1);
        self
    }
}
