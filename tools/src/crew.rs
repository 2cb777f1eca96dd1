//! The job that this process belongs to, if several processes solve together.
//!
//! Only a program that was built with the feature `mpi` can belong to one.

#[cfg(feature = "mpi")]
mod mpi;

#[cfg(feature = "mpi")]
use fourbase_tiers::files::Disk;
use fourbase_tiers::solve::{Progress, Report, Solve, SolveError};

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
    pub fn solve(&self, solve: &Solve, progress: &dyn Progress) -> Result<Report, SolveError> {
        let error = match solve.run_together(&self.0, &Disk, progress) {
            Ok(report) => {
                self.end();
                return Ok(report);
            }
            Err(error) => error,
        };
        // A request to stop mostly reaches all processes. The first one tells it, and ends the others meanwhile.
        let is_stopped = matches!(error, SolveError::Stopped { .. });
        if is_stopped && !self.is_first() {
            std::thread::sleep(std::time::Duration::from_secs(2));
        }
        let number = fourbase_tiers::crew::Crew::number(&self.0);
        let error = anyhow::Error::new(error).context(format!("process {number} of the job"));
        crate::failure::report(&error, crate::remedy::of);
        self.0.abort(if is_stopped { crate::failure::STOPPED } else { crate::failure::FAILED })
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
    pub fn solve(&self, _: &Solve, _: &dyn Progress) -> Result<Report, SolveError> {
        match self.0 {}
    }
}
