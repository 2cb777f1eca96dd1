//! Members that are threads of one process, for tests.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::dealer::{Answer, Dealer};
use super::member::{Cost, Crew};

/// A member that is a thread.
#[derive(Debug)]
pub struct Threads {
    number: u32,
    /// The pile that it is at.
    pile: AtomicU64,
    sent: AtomicU64,
    waited_nanoseconds: AtomicU64,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    size: u32,
    table: Mutex<Table>,
    changed: Condvar,
    solved: AtomicU64,
}

#[derive(Debug)]
struct Table {
    dealer: Dealer,
    /// What the members have given to the exchange that goes on, and how many have fetched the result.
    given: Vec<Option<Vec<u8>>>,
    result: Option<Vec<Vec<u8>>>,
    fetched: u32,
    /// Bytes that went through exchanges.
    bytes: u64,
}

impl Threads {
    /// Runs `work` as every member of a crew, each with so many threads of rayon, and returns what each has made, and how many
    /// bytes they have exchanged.
    ///
    /// # Panics
    /// Where a member panics.
    pub fn run<T: Send>(size: u32, threads: usize, work: impl Fn(&Threads) -> T + Sync) -> (Vec<T>, u64) {
        let table =
            Table { dealer: Dealer::new(size), given: vec![None; size as usize], result: None, fetched: 0, bytes: 0 };
        let shared =
            Arc::new(Shared { size, table: Mutex::new(table), changed: Condvar::new(), solved: AtomicU64::new(0) });
        let results = thread::scope(|scope| {
            let zero = || AtomicU64::new(0);
            let member = |number| {
                let shared = Arc::clone(&shared);
                Threads { number, pile: zero(), sent: zero(), waited_nanoseconds: zero(), shared }
            };
            let begin = |number| {
                let (member, work) = (member(number), &work);
                scope.spawn(move || {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                    pool.install(|| work(&member))
                })
            };
            let members: Vec<_> = (0..size).map(begin).collect();
            members.into_iter().map(|member| member.join().expect("a member")).collect()
        });
        let bytes = shared.table().bytes;
        (results, bytes)
    }
}

impl Shared {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, table: MutexGuard<'a, Table>) -> MutexGuard<'a, Table> {
        self.changed.wait(table).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Crew for Threads {
    fn number(&self) -> u32 {
        self.number
    }

    fn size(&self) -> u32 {
        self.shared.size
    }

    /// More than three count as members on several machines, so that tests of both are tests of any number.
    fn is_on_one_machine(&self) -> bool {
        self.shared.size <= 3
    }

    fn begin(&self, jobs: u64) {
        self.pile.fetch_add(1, Ordering::Relaxed);
        if self.number == 0 {
            self.shared.table().dealer.begin(jobs);
            self.shared.changed.notify_all();
        }
    }

    fn take(&self) -> Option<Range<u64>> {
        let mut table = self.shared.table();
        loop {
            match table.dealer.asked(self.number, self.pile.load(Ordering::Relaxed)) {
                Answer::Jobs(run) => return Some(run),
                Answer::None => return None,
                Answer::Later => table = self.shared.wait(table),
            }
        }
    }

    fn exchange(&self, own: &[u8]) -> Vec<Vec<u8>> {
        let start = Instant::now();
        let all = self.exchange_all(own);
        self.sent.fetch_add(own.len() as u64, Ordering::Relaxed);
        self.waited_nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        all
    }

    fn solved(&self, entries: u64) {
        self.shared.solved.fetch_add(entries, Ordering::Relaxed);
    }

    fn all_solved(&self) -> u64 {
        self.shared.solved.load(Ordering::Relaxed)
    }

    fn cost(&self) -> Cost {
        let waited = Duration::from_nanos(self.waited_nanoseconds.load(Ordering::Relaxed));
        Cost { bytes: self.sent.load(Ordering::Relaxed), waited }
    }
}

impl Threads {
    fn exchange_all(&self, own: &[u8]) -> Vec<Vec<u8>> {
        let mut table = self.shared.table();
        // Some have not fetched the result of the last exchange.
        while table.result.is_some() {
            table = self.shared.wait(table);
        }
        table.bytes += own.len() as u64;
        table.given[self.number as usize] = Some(own.to_vec());
        if table.given.iter().all(Option::is_some) {
            table.result = Some(table.given.iter_mut().filter_map(Option::take).collect());
            self.shared.changed.notify_all();
        }
        loop {
            if let Some(result) = table.result.clone() {
                table.fetched += 1;
                if table.fetched == self.shared.size {
                    (table.result, table.fetched) = (None, 0);
                    self.shared.changed.notify_all();
                }
                return result;
            }
            table = self.shared.wait(table);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_share_out_every_job_and_tell_each_other_everything() {
        let (taken, bytes) = Threads::run(3, 1, |crew| {
            let mut taken = Vec::new();
            for pile in 1..20u64 {
                crew.begin(pile * 10);
                let mut own = Vec::new();
                while let Some(run) = crew.take() {
                    own.extend(run.flat_map(u64::to_le_bytes));
                }
                let all = crew.exchange(&own);
                let mut jobs: Vec<u64> =
                    all.concat().as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
                jobs.sort_unstable();
                assert_eq!(jobs, Vec::from_iter(0..pile * 10));
                taken.push(own.len());
            }
            taken
        });
        assert_eq!(taken.iter().flatten().sum::<usize>() as u64, bytes);
        assert_eq!(bytes, 8 * (1..20).map(|pile| pile * 10).sum::<u64>());
    }
}
