//! The jobs of a pile, as they come to the threads of one process.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::member::Crew;

/// The numbers of the jobs that are for this process. Its threads share them.
#[derive(Debug)]
pub(crate) struct Numbers<'c> {
    /// Who deals them out; `None`: all are for this process.
    crew: Option<&'c dyn Crew>,
    /// What this process has at hand.
    own: Mutex<Range<u64>>,
}

impl<'c> Numbers<'c> {
    /// Begins so many jobs. With a crew they are the next pile, which all members begin; each job goes to one of them.
    pub fn new(crew: Option<&'c dyn Crew>, jobs: u64) -> Numbers<'c> {
        if let Some(crew) = crew {
            crew.begin(jobs);
        }
        Numbers { crew, own: Mutex::new(if crew.is_some() { 0..0 } else { 0..jobs }) }
    }

    /// Returns the next job; `None` after the last.
    pub fn next(&self) -> Option<u64> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if let (true, Some(crew)) = (own.is_empty(), self.crew) {
            *own = crew.take()?;
        }
        own.next()
    }
}
