//! Running a solve: by this process alone, or together with others.

use super::alone::alone;
use super::error::SolveError;
use super::options::{Report, Solve};
use super::progress::Progress;
use super::together::together;
use super::witness::Witness;
use crate::crew::Crew;
use crate::files::{Disk, Storage};

impl Solve {
    /// Solves the board into its database, resuming an earlier solve. Runs on rayon's current pool.
    ///
    /// # Errors
    /// [`SolveError::Memory`] and [`SolveError::Index`] before anything is made, [`SolveError::Kept`] where an earlier solve
    /// keeps other tiers, [`SolveError::Busy`] where another process solves the same board, [`SolveError::File`] for files.
    pub fn run(&self) -> Result<Report, SolveError> {
        self.run_with(&())
    }

    /// Runs like [`Solve::run`] and reports to `progress`.
    ///
    /// # Errors
    /// Returns the errors of [`Solve::run`], and [`SolveError::Stopped`] if `progress` stops it.
    pub fn run_with(&self, progress: &dyn Progress) -> Result<Report, SolveError> {
        self.run_on(&Disk, progress)
    }

    /// Runs like [`Solve::run_with`], with files in the given storage.
    ///
    /// # Errors
    /// Returns the errors of [`Solve::run_with`].
    pub fn run_on(&self, storage: &dyn Storage, progress: &dyn Progress) -> Result<Report, SolveError> {
        self.run_before(&(), None, storage, progress)
    }

    /// Solves the board together with the other members of a crew, each of which calls this with the same settings. The database
    /// has the same bytes as that of one process. Resumes an earlier solve of any number of processes.
    ///
    /// Where a member returns an error, its caller has to end the whole job: the others wait for it.
    ///
    /// # Errors
    /// Those of [`Solve::run_on`]; [`SolveError::Crew`] where the members do not fit together.
    pub fn run_together(
        &self,
        crew: &dyn Crew,
        storage: &dyn Storage,
        progress: &dyn Progress,
    ) -> Result<Report, SolveError> {
        self.run_before(&(), Some(crew), storage, progress)
    }

    /// Runs alone or together, and shows every tier to `witness`, on all members, unless the database is complete already.
    ///
    /// # Errors
    /// Those of [`Solve::run_together`], and those of `witness`.
    pub(crate) fn run_before<W: Witness>(
        &self,
        witness: &W,
        crew: Option<&dyn Crew>,
        storage: &dyn Storage,
        progress: &dyn Progress,
    ) -> Result<Report, SolveError> {
        match crew {
            Some(crew) => together(self, witness, crew, storage, progress),
            None => alone(self, witness, storage, progress),
        }
    }
}
