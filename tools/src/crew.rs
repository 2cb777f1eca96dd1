//! The job that this process belongs to, if several processes solve or count together.
//!
//! Only a program that was built with the feature `mpi` can belong to one.

#[cfg(feature = "mpi")]
mod mpi;

use fourbase_tiers::counts::{Count, Counted, Counts};
#[cfg(feature = "mpi")]
use fourbase_tiers::counts::{CountError, solve_and_count_together};
#[cfg(feature = "mpi")]
use fourbase_tiers::files::Disk;
#[cfg(feature = "mpi")]
use fourbase_tiers::solve::SolveError;
use fourbase_tiers::solve::{Progress, Report, Solve};

#[cfg(feature = "mpi")]
type Crew = mpi::MpiCrew;

/// There is none.
#[cfg(not(feature = "mpi"))]
type Crew = std::convert::Infallible;

/// A job of several processes.
pub struct Job(Crew);

impl Job {
    /// Joins the job that this process was started in; `None` where it is alone.
    pub fn join() -> Option<Job> {
        #[cfg(feature = "mpi")]
        return mpi::MpiCrew::join().map(Job);
        #[cfg(not(feature = "mpi"))]
        None
    }
}

#[cfg(feature = "mpi")]
impl Job {
    /// Tells whether this process is the one that reports.
    pub fn is_first(&self) -> bool {
        fourbase_tiers::crew::Crew::number(&self.0) == 0
    }

    /// Solves with the other processes. A failure of any process, or a request to stop it, ends all of them.
    pub fn solve(&self, solve: &Solve, progress: &dyn Progress) -> Report {
        let solved = solve.run_together(&self.0, &Disk, progress);
        self.unless_failed(solved, |error| matches!(error, SolveError::Stopped { .. }))
    }

    /// Solves and counts with the other processes, like [`Job::solve`].
    pub fn solve_and_count(&self, solve: &Solve, sweeping: &dyn Progress, solving: &dyn Progress) -> (Report, Counts) {
        let counted = solve_and_count_together(solve, &self.0, &Disk, sweeping, solving);
        let is_stopped = |error: &CountError| {
            matches!(error, CountError::Stopped { .. } | CountError::Solve(SolveError::Stopped { .. }))
        };
        self.unless_failed(counted, is_stopped)
    }

    /// Counts with the other processes, like [`Job::solve`].
    pub fn count(&self, count: &Count, progress: &dyn Progress) -> Counted {
        let counted = count.run_together(&self.0, &Disk, progress);
        self.unless_failed(counted, |error| matches!(error, CountError::Stopped { .. }))
    }

    /// Returns a result, or ends all processes with an error.
    fn unless_failed<T, E>(&self, result: Result<T, E>, is_stopped: fn(&E) -> bool) -> T
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let error = match result {
            Ok(result) => return result,
            Err(error) => error,
        };
        // A request to stop mostly reaches all processes. The first one tells it, and ends the others meanwhile.
        let is_stopped = is_stopped(&error);
        if is_stopped && !self.is_first() {
            std::thread::sleep(std::time::Duration::from_secs(2));
        }
        self.fail(error.into(), if is_stopped { crate::failure::STOPPED } else { crate::failure::FAILED })
    }

    /// Tells whether all processes say the same.
    pub fn agrees(&self, own: u8) -> bool {
        fourbase_tiers::crew::Crew::exchange(&self.0, &[own]).iter().all(|other| other == &[own])
    }

    /// Tells what is wrong here, and ends all processes.
    pub fn fail(&self, error: anyhow::Error, code: u8) -> ! {
        let number = fourbase_tiers::crew::Crew::number(&self.0);
        crate::failure::report(&error.context(format!("process {number} of the job")), crate::remedy::of);
        self.0.abort(code)
    }

    /// Leaves the job, when all processes do.
    pub fn end(&self) {
        self.0.end();
    }
}

#[cfg(not(feature = "mpi"))]
impl Job {
    /// Tells whether this process is the one that reports.
    pub fn is_first(&self) -> bool {
        match self.0 {}
    }

    /// Leaves the job, when all processes do.
    pub fn end(&self) {
        match self.0 {}
    }

    /// Solves with the other processes.
    pub fn solve(&self, _: &Solve, _: &dyn Progress) -> Report {
        match self.0 {}
    }

    /// Solves and counts with the other processes.
    pub fn solve_and_count(&self, _: &Solve, _: &dyn Progress, _: &dyn Progress) -> (Report, Counts) {
        match self.0 {}
    }

    /// Counts with the other processes.
    pub fn count(&self, _: &Count, _: &dyn Progress) -> Counted {
        match self.0 {}
    }

    /// Tells whether all processes say the same.
    pub fn agrees(&self, _: u8) -> bool {
        match self.0 {}
    }

    /// Tells what is wrong here, and ends all processes.
    pub fn fail(&self, _: anyhow::Error, _: u8) -> ! {
        match self.0 {}
    }
}
