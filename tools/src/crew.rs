//! The job that this process belongs to, if several processes solve, count or verify together.
//!
//! Only a program that was built with the feature `mpi` can belong to one.

#[cfg(feature = "mpi")]
mod mpi;

use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use fourbase_tiers::crew::Crew;

use crate::failure;
use crate::remedy;

/// A job of several processes.
pub struct Job(Member);

/// This process, as a member of a crew.
#[cfg(feature = "mpi")]
type Member = mpi::MpiCrew;

/// There is none.
#[cfg(not(feature = "mpi"))]
type Member = std::convert::Infallible;

#[cfg(feature = "mpi")]
impl Job {
    /// Joins the job that this process was started in; `None` where it is alone.
    pub fn join() -> Option<Job> {
        let job = mpi::MpiCrew::join().map(Job)?;
        // Open MPI's launcher gives the first process a terminal of its own, wherever the output goes.
        anstream::ColorChoice::Never.write_global();
        Some(job)
    }

    /// Returns the crew of all processes.
    pub fn crew(&self) -> &dyn Crew {
        &self.0
    }

    /// Leaves the job, when all processes do.
    pub fn end(&self) {
        self.0.end();
    }

    /// Ends all processes with an exit code.
    fn abort(&self, code: u8) -> ! {
        self.0.abort(code)
    }
}

#[cfg(not(feature = "mpi"))]
impl Job {
    /// Joins the job that this process was started in; `None` where it is alone.
    pub fn join() -> Option<Job> {
        None
    }

    /// Returns the crew of all processes.
    pub fn crew(&self) -> &dyn Crew {
        match self.0 {}
    }

    /// Leaves the job, when all processes do.
    pub fn end(&self) {
        match self.0 {}
    }

    /// Ends all processes with an exit code.
    fn abort(&self, _: u8) -> ! {
        match self.0 {}
    }
}

impl Job {
    /// Tells whether this process is the one that reports.
    pub fn is_first(&self) -> bool {
        self.crew().number() == 0
    }

    /// Compares what the processes have prepared, as `told` tells it: all go on, or none. Returns nothing where all have failed, and
    /// another process says why.
    pub fn prepared<T>(
        job: Option<&Job>,
        prepared: anyhow::Result<T>,
        told: impl FnOnce(&T) -> String,
    ) -> anyhow::Result<Option<T>> {
        let Some(job) = job else { return prepared.map(Some) };
        let own = prepared.as_ref().map_or_else(|_| String::new(), told);
        if job.crew().exchange(own.as_bytes()).iter().any(|other| other != own.as_bytes()) {
            let differs = || {
                anyhow!(
                    "other processes see another database, or have other options; start all with the same options, and give a folder \
                     that all machines share with --db"
                )
            };
            job.fail(prepared.err().unwrap_or_else(differs));
        }
        match prepared {
            Ok(prepared) => Ok(Some(prepared)),
            Err(error) if job.is_first() => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Returns what this process has done with the others. A failure of one ends all of them.
    pub fn unless_failed<T, E: Into<anyhow::Error>>(job: Option<&Job>, done: Result<T, E>) -> anyhow::Result<T> {
        match (job, done) {
            (Some(job), Err(error)) => job.fail(error.into()),
            (_, done) => done.map_err(E::into),
        }
    }

    /// Tells why this process has failed, and ends all.
    fn fail(&self, error: anyhow::Error) -> ! {
        let code = failure::exit_code(&error);
        if !self.is_first() {
            // What all processes meet, such as a request to stop, the first one tells, and ends the others meanwhile.
            thread::sleep(Duration::from_secs(2));
        }
        let number = self.crew().number();
        failure::report(&error.context(format!("process {number} of the job")), remedy::of);
        self.abort(code)
    }
}
