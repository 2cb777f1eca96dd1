//! The job of this process. A job is one process, or several that solve, count or verify the same board together.
//!
//! Only a program built with the feature `mpi` can run as several processes.

#[cfg(feature = "mpi")]
mod mpi;

use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use fourbase_tiers::communicator::{Alone, Communicator};
use fourbase_tiers::context::Context;
use fourbase_tiers::files::Disk;
use fourbase_tiers::progress::Progress;

use crate::failure::{self, BadInput};
use crate::remedy;

/// How long a rank that failed waits for rank 0, which may have failed alike and reports that then. The two cannot talk, because rank 0
/// may be in another call of MPI.
const PATIENCE: Duration = Duration::from_secs(2);

/// The environment variables in which launchers put the number of processes that they have started.
const LAUNCHED: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];

/// The membership of this process in a job. Dropping it leaves the job, and waits until all ranks leave.
pub struct Job(Box<dyn Communicator>);

impl Job {
    /// Joins the job that this process was started in.
    ///
    /// # Errors
    ///
    /// A launcher has started several processes, but they do not form a job: each process would do all the work.
    pub fn join() -> anyhow::Result<Job> {
        #[cfg(feature = "mpi")]
        if let Some(world) = mpi::World::join() {
            // Open MPI's launcher gives the first process a terminal even if the output goes to a file, so never print colours.
            anstream::ColorChoice::Never.write_global();
            return Ok(Job(Box::new(world)));
        }
        let number = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok().filter(|number| *number > 1);
        let Some(processes) = LAUNCHED.into_iter().find_map(number) else { return Ok(Job(Box::new(Alone))) };
        let remedy = if cfg!(feature = "mpi") {
            "start them with the launcher of the MPI that fourbase was built with"
        } else {
            "build fourbase with --features mpi"
        };
        Err(BadInput(format!("{processes} processes were started, but each would do all the work alone; {remedy}"))
            .into())
    }

    /// Returns the context for work on files on disk that all ranks share.
    pub fn context<'a>(&'a self, progress: &'a dyn Progress) -> Context<'a> {
        Context { storage: &Disk, all: &*self.0, progress }
    }

    /// Tells whether this process is the one that reports.
    pub fn is_root(&self) -> bool {
        self.0.is_root()
    }

    /// Returns what to print on the first Ctrl-C; `None` with several ranks. If a rank fails, MPI sends a signal to all ranks, and
    /// only the failed rank should print.
    pub fn on_interrupt(&self, message: &'static str) -> Option<&'static str> {
        self.0.is_alone().then_some(message)
    }

    /// Compares descriptions of what the ranks have prepared, and returns this rank's `prepared` if all descriptions are equal.
    /// Otherwise ends the job. If the preparation failed on all ranks, rank 0 returns the error and the others return `None`.
    pub fn prepared<T>(
        &self,
        prepared: anyhow::Result<T>,
        description: impl FnOnce(&T) -> String,
    ) -> anyhow::Result<Option<T>> {
        let own = prepared.as_ref().map_or_else(|_| String::new(), description);
        let all = self.0.all_gather(own.as_bytes());
        if all.iter().any(|other| other != own.as_bytes()) {
            // The first rank that failed reports why and ends the other ranks, which wait for that in a call that it never makes.
            let reporter = all.iter().position(Vec::is_empty).unwrap_or(0);
            if self.0.rank() as usize != reporter {
                self.0.barrier();
            }
            self.report_and_abort(prepared.err().unwrap_or_else(|| {
                anyhow!(
                    "other processes see another database, or have other options; start all with the same options, and give a folder \
                     that all machines share with --db"
                )
            }));
        }
        match prepared {
            Ok(prepared) => Ok(Some(prepared)),
            Err(error) if self.is_root() => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Returns the result of this rank's share of the work. If it failed, ends all ranks.
    pub fn unless_failed<T, E: Into<anyhow::Error>>(&self, done: Result<T, E>) -> anyhow::Result<T> {
        let done = done.map_err(E::into);
        match done {
            Err(error) if !self.0.is_alone() => {
                if !self.is_root() {
                    // If all ranks fail alike, such as by a request to stop, rank 0 reports that and ends the others, which wait
                    // for it.
                    thread::sleep(PATIENCE);
                }
                self.report_and_abort(error)
            }
            done => done,
        }
    }

    fn report_and_abort(&self, error: anyhow::Error) -> ! {
        let code = failure::exit_code(&error);
        failure::report(&error.context(format!("process {} of the job", self.0.rank())), remedy::of);
        self.0.abort(code)
    }
}
