//! The job that this process belongs to, if several processes solve, count or verify together.
//!
//! Only a program that was built with the feature `mpi` can belong to one.

#[cfg(feature = "mpi")]
mod mpi;

use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use fourbase_tiers::crew::Crew;

use crate::failure::{self, BadInput};
use crate::remedy;

/// How long a process waits for the first one to tell what all have met.
const PATIENCE: Duration = Duration::from_secs(2);

/// What launchers tell a process: how many they have started.
const LAUNCHED: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];

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
    fn joined() -> Option<Job> {
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
    fn joined() -> Option<Job> {
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
    /// Joins the job that this process was started in; `None` where it is alone.
    ///
    /// # Errors
    ///
    /// A launcher has started several processes that are no job: each would do all the work.
    pub fn join() -> anyhow::Result<Option<Job>> {
        if let Some(job) = Job::joined() {
            return Ok(Some(job));
        }
        let number = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok().filter(|number| *number > 1);
        let Some(processes) = LAUNCHED.into_iter().find_map(number) else { return Ok(None) };
        let remedy = if cfg!(feature = "mpi") {
            "start them with the launcher of the MPI that fourbase was built with"
        } else {
            "build fourbase with --features mpi"
        };
        Err(BadInput(format!("{processes} processes were started, but each would do all the work alone; {remedy}"))
            .into())
    }

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
        let all = job.crew().exchange(own.as_bytes());
        if all.iter().any(|other| other != own.as_bytes()) {
            // The first that has failed says why; it ends the others meanwhile.
            let teller = all.iter().position(Vec::is_empty).unwrap_or(0);
            if job.crew().number() as usize != teller {
                thread::sleep(2 * PATIENCE);
            }
            job.tell_and_abort(prepared.err().unwrap_or_else(|| {
                anyhow!(
                    "other processes see another database, or have other options; start all with the same options, and give a folder \
                     that all machines share with --db"
                )
            }));
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
        if !self.is_first() {
            // What all processes meet, such as a request to stop, the first one tells, and ends the others meanwhile.
            thread::sleep(PATIENCE);
        }
        self.tell_and_abort(error)
    }

    fn tell_and_abort(&self, error: anyhow::Error) -> ! {
        let code = failure::exit_code(&error);
        let number = self.crew().number();
        failure::report(&error.context(format!("process {number} of the job")), remedy::of);
        self.abort(code)
    }
}
