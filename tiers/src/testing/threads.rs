//! Ranks that are threads of one process, for tests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::communicator::{Communicator, Traffic};

/// A rank that is a thread.
#[derive(Debug)]
pub struct Threads {
    rank: u32,
    sent: AtomicU64,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    size: u32,
    round: Mutex<Round>,
    changed: Condvar,
}

/// The collective operation that the ranks are at.
#[derive(Debug, Default)]
struct Round {
    given: Vec<Option<Vec<u8>>>,
    result: Option<Vec<Vec<u8>>>,
    /// Ranks that have fetched the result.
    fetched: u32,
    /// A rank has panicked: the others would wait for it.
    is_broken: bool,
}

impl Threads {
    /// Runs `work` as every rank of a job, each with so many threads of rayon. Returns the results, and how many bytes the
    /// ranks have sent.
    ///
    /// # Panics
    /// Where a rank panics.
    pub fn run<T: Send>(size: u32, threads: usize, work: impl Fn(&Threads) -> T + Sync) -> (Vec<T>, u64) {
        let round = Round { given: vec![None; size as usize], ..Round::default() };
        let shared = Arc::new(Shared { size, round: Mutex::new(round), changed: Condvar::new() });
        let results: Vec<(T, u64)> = thread::scope(|scope| {
            let begin = |rank| {
                let (all, work) = (Threads { rank, sent: AtomicU64::new(0), shared: Arc::clone(&shared) }, &work);
                scope.spawn(move || {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                    (pool.install(|| work(&all)), all.traffic().bytes)
                })
            };
            let ranks: Vec<_> = (0..size).map(begin).collect();
            ranks.into_iter().map(|rank| rank.join().expect("a rank")).collect()
        });
        let bytes = results.iter().map(|(_, bytes)| bytes).sum();
        (results.into_iter().map(|(result, _)| result).collect(), bytes)
    }
}

impl Shared {
    fn wait<'a>(&self, round: MutexGuard<'a, Round>) -> MutexGuard<'a, Round> {
        assert!(!round.is_broken, "another rank has panicked");
        self.changed.wait(round).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if thread::panicking() {
            self.shared.round.lock().unwrap_or_else(PoisonError::into_inner).is_broken = true;
            self.shared.changed.notify_all();
        }
    }
}

impl Communicator for Threads {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.shared.size
    }

    /// More than three count as ranks on several machines, so that tests of both are tests of any number.
    fn is_on_one_machine(&self) -> bool {
        self.shared.size <= 3
    }

    fn all_gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        self.sent.fetch_add(own.len() as u64, Ordering::Relaxed);
        let mut round = self.shared.round.lock().unwrap_or_else(PoisonError::into_inner);
        // Some ranks have not fetched the result of the last operation.
        while round.result.is_some() {
            round = self.shared.wait(round);
        }
        round.given[self.rank as usize] = Some(own.to_vec());
        if round.given.iter().all(Option::is_some) {
            round.result = Some(round.given.iter_mut().filter_map(Option::take).collect());
            self.shared.changed.notify_all();
        }
        loop {
            if let Some(result) = round.result.clone() {
                round.fetched += 1;
                if round.fetched == self.shared.size {
                    (round.result, round.fetched) = (None, 0);
                    self.shared.changed.notify_all();
                }
                return result;
            }
            round = self.shared.wait(round);
        }
    }

    fn abort(&self, code: u8) -> ! {
        panic!("rank {} ends the job with {code}", self.rank)
    }

    fn traffic(&self) -> Traffic {
        Traffic { bytes: self.sent.load(Ordering::Relaxed), ..Traffic::default() }
    }
}
