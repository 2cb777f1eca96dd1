//! One queue of work: threads take jobs in order, one after the other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::crew::{Crew, Numbers};
use crate::files::FileError;

/// The jobs of one tier.
pub(crate) struct Queue<'c, J> {
    numbers: Numbers<'c>,
    jobs: Mutex<Vec<Option<J>>>,
    is_ended: AtomicBool,
}

impl<'c, J: Send> Queue<'c, J> {
    /// Queues jobs in order. With a crew all members queue the same jobs, and each job goes to one of them.
    pub fn new(crew: Option<&'c dyn Crew>, jobs: Vec<J>) -> Queue<'c, J> {
        let numbers = Numbers::new(crew, jobs.len() as u64);
        Queue { numbers, jobs: Mutex::new(jobs.into_iter().map(Some).collect()), is_ended: AtomicBool::new(false) }
    }

    /// Returns the next job; `None` after the last, and after the queue was ended.
    pub fn next(&self) -> Option<J> {
        if self.is_ended() {
            return None;
        }
        let number = self.numbers.next()?;
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).get_mut(number as usize)?.take()
    }

    /// Lets no thread take another job.
    pub fn end(&self) {
        self.is_ended.store(true, Ordering::Relaxed);
    }

    /// Tells whether the queue was ended before its last job was done.
    pub fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Relaxed)
    }

    /// Lets the threads of rayon's current pool `work`, which takes jobs until the queue has none: once for every thread,
    /// though a busy pool may run it more than once on one. An error ends the queue for all.
    ///
    /// # Errors
    /// The first that `work` returns.
    pub fn share_out<T: Send>(&self, work: impl Fn() -> Result<T, FileError> + Sync) -> Result<Vec<T>, FileError> {
        // Not a broadcast, which waits for every thread: within another parallel loop, waiting threads would begin its
        // further items one inside the other until the stack overflows.
        let threads = (0..rayon::current_num_threads()).into_par_iter().with_max_len(1);
        threads.map(|_| work().inspect_err(|_| self.end())).collect()
    }
}
