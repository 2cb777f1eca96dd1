//! A rank's share of a verification: its jobs and its findings.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::report::{Fault, FaultKind, Unread, VerifyOptions, VerifyReport};
use crate::communicator::gather;
use crate::context::Context;
use crate::database::DatabaseError;
use crate::files::{FileError, lock};
use crate::progress::{Stage, StageProgress};

/// The most consecutive jobs that one rank gets. A rank gets several in a row, because the
/// look-ups of neighbouring jobs often read the same block.
const RUN: u64 = 64;

/// The most words that the ranks exchange at once.
const COMBINED: usize = 1 << 20;

/// Each rank keeps its first faults until the ranks gather them: at least this many, even if fewer are reported. A
/// fault that several ranks found and kept is then recognised, and counts once.
const LEAST_KEPT: usize = 8;

/// The state that all stages of a verification share.
pub(super) struct Work<'a> {
    pub options: &'a VerifyOptions,
    pub context: &'a Context<'a>,
    /// The faults and unreadable files of this rank since the ranks last gathered.
    own: Mutex<VerifyReport>,
    /// The faults and unreadable files of all ranks up to the last gathering.
    all: Mutex<VerifyReport>,
}

impl<'a> Work<'a> {
    pub fn new(options: &'a VerifyOptions, context: &'a Context<'a>) -> Work<'a> {
        Work { options, context, own: Mutex::default(), all: Mutex::default() }
    }

    /// Returns this rank's jobs out of `count`: runs of neighbours, assigned to the ranks in turn.
    pub fn jobs(&self, count: u64) -> impl ParallelIterator<Item = u64> {
        let (rank, size) = (u64::from(self.context.all.rank()), u64::from(self.context.all.size()));
        let run = (count / (16 * size)).clamp(1, RUN);
        let own = (0..count.div_ceil(run * size) * run).into_par_iter();
        own.map(move |number| (number / run * size + rank) * run + number % run).filter(move |job| *job < count)
    }

    /// Returns whether this rank does job `job`, which all threads of the rank share.
    pub fn is_turn(&self, job: u64) -> bool {
        job % u64::from(self.context.all.size()) == u64::from(self.context.all.rank())
    }

    /// Divides `count` values into batches of about equal size, with at most `most` values each. Each rank gets the
    /// same number of batches. Returns the batches of this rank.
    pub fn batches(&self, count: u64, most: u64) -> impl Iterator<Item = Range<u64>> {
        let size = u64::from(self.context.all.size());
        let batches = count.div_ceil(most * size) * size;
        let own = (0..batches).filter(|batch| self.is_turn(*batch));
        own.map(move |batch| share(count, batch, batches)..share(count, batch + 1, batches))
    }

    /// Returns the sum of a number over all ranks.
    ///
    /// # Errors
    /// [`FileError::Message`] if a rank's message does not decode.
    pub fn sum(&self, own: u64) -> Result<u64, DatabaseError> {
        Ok(self.concat(&vec![own])?.into_iter().fold(0, u64::wrapping_add))
    }

    /// Returns the lists of all ranks in one.
    ///
    /// # Errors
    /// [`FileError::Message`] if a rank's message does not decode.
    pub fn concat<T: Serialize + DeserializeOwned>(&self, own: &Vec<T>) -> Result<Vec<T>, DatabaseError> {
        Ok(gather(self.context.all, own)?.into_iter().flatten().collect())
    }

    /// Adds the bits that other ranks have set.
    pub fn combine(&self, bits: &[AtomicU64]) {
        for part in bits.chunks(COMBINED) {
            let mut words: Vec<u64> = part.iter().map(|word| word.load(Ordering::Relaxed)).collect();
            self.context.all.all_or(&mut words);
            part.iter().zip(words).for_each(|(word, combined)| word.store(combined, Ordering::Relaxed));
        }
    }

    /// Records a fault.
    pub fn push(&self, fault: Fault) {
        let (mut own, most) = (lock(&self.own), self.options.faults.max(LEAST_KEPT));
        own.faults_in_all += 1;
        own.faults.push(fault);
        if own.faults.len() / 2 > most {
            keep_first(&mut own.faults, most);
        }
    }

    /// Records `fault`; but if `error` is the error of a file and not about damage, records that the file cannot be
    /// checked.
    pub fn push_error(&self, error: &DatabaseError, fault: Fault) {
        match error {
            DatabaseError::File(error) if !error.is_damage() => {
                let is_newer = matches!(error, FileError::Newer { .. });
                let unread = Unread { message: error.to_string(), is_newer };
                lock(&self.own).unread.entry(error.path().to_string_lossy().into_owned()).or_insert(unread);
            }
            _ => self.push(fault),
        }
    }

    /// Records an error of a file as a fault of the file.
    pub fn push_file_error(&self, error: &DatabaseError) {
        self.push_error(error, Fault::new(FaultKind::File, error));
    }

    /// Exchanges the ranks' findings since the last call. Returns the number of new faults and unreadable files.
    ///
    /// # Errors
    /// [`FileError::Message`] if a rank's message does not decode.
    pub fn gather(&self) -> Result<u64, DatabaseError> {
        let mut own = std::mem::take(&mut *lock(&self.own));
        keep_first(&mut own.faults, self.options.faults.max(LEAST_KEPT));
        let mut new = VerifyReport::default();
        for found in gather(self.context.all, &own)? {
            new.faults.extend(found.faults);
            new.faults_in_all += found.faults_in_all;
            new.unread.extend(found.unread);
        }
        keep_first(&mut new.faults, usize::MAX);
        let kept = new.faults.len();
        new.faults.dedup();
        new.faults_in_all -= (kept - new.faults.len()) as u64;
        let count = new.faults_in_all + new.unread.len() as u64;
        let mut all = lock(&self.all);
        all.faults.extend(new.faults);
        all.faults.truncate(self.options.faults);
        all.faults_in_all += new.faults_in_all;
        all.unread.extend(new.unread);
        Ok(count)
    }

    /// Returns whether this rank knows of no fault and of no unreadable file.
    pub fn is_sound(&self) -> bool {
        [lock(&self.own), lock(&self.all)].iter().all(|found| found.faults_in_all == 0 && found.unread.is_empty())
    }

    /// Counts the files that cannot be checked.
    pub fn unread(&self) -> u64 {
        lock(&self.all).unread.len() as u64
    }

    /// Returns a report of the gathered faults and unreadable files.
    pub fn into_report(self) -> VerifyReport {
        self.all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a stage of `steps` steps.
    pub fn begin(&self, stage: Stage, steps: u64) -> StageProgress<'a> {
        self.context.progress.begin(stage, steps, 0);
        self.context.shown(stage, steps)
    }
}

/// Sorts the faults of a stage and keeps the first `most`.
fn keep_first(faults: &mut Vec<Fault>, most: usize) {
    faults.sort_by(|one, other| one.order().cmp(&other.order()));
    faults.truncate(most);
}

/// Returns `total * part / whole`, rounded down.
pub(super) fn share(total: u64, part: u64, whole: u64) -> u64 {
    (u128::from(total) * u128::from(part) / u128::from(whole.max(1))) as u64
}
