//! Ranks that are threads of one process, for tests.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::communicator::{Communicator, Traffic};

/// A rank that is a thread. If a rank panics, its channels close, and the ranks that wait for it panic too.
#[derive(Debug)]
pub struct Threads {
    rank: u32,
    sent: AtomicU64,
    /// Channels to every rank, including this one.
    to: Vec<Sender<Vec<u8>>>,
    /// Channels from every rank, including this one.
    from: Vec<Mutex<Receiver<Vec<u8>>>>,
}

impl Threads {
    /// Runs `work` on each of `size` ranks, which have `threads` threads of rayon each. Returns the results of all
    /// ranks, and the number of bytes that they sent together.
    ///
    /// # Panics
    /// If a rank panics.
    pub fn run<T: Send>(size: u32, threads: usize, work: impl Fn(&Threads) -> T + Sync) -> (Vec<T>, u64) {
        let new = |rank| Threads { rank, sent: AtomicU64::new(0), to: Vec::new(), from: Vec::new() };
        let mut ranks: Vec<Threads> = (0..size).map(new).collect();
        for (from, to) in (0..ranks.len()).flat_map(|from| (0..size as usize).map(move |to| (from, to))) {
            let (sender, receiver) = channel();
            ranks[from].to.push(sender);
            ranks[to].from.push(Mutex::new(receiver));
        }
        let (results, bytes): (_, Vec<u64>) = thread::scope(|scope| {
            let begin = |all: Threads| {
                let work = &work;
                scope.spawn(move || {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                    (pool.install(|| work(&all)), all.traffic().bytes)
                })
            };
            let ranks: Vec<_> = ranks.into_iter().map(begin).collect();
            ranks.into_iter().map(|rank| rank.join().expect("a rank")).unzip()
        });
        (results, bytes.iter().sum())
    }
}

impl Communicator for Threads {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.to.len() as u32
    }

    /// More than three ranks count as several machines, so tests of any number of ranks include both cases.
    fn is_on_one_machine(&self) -> bool {
        self.size() <= 3
    }

    fn all_gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        self.sent.fetch_add(own.len() as u64, Ordering::Relaxed);
        self.to.iter().for_each(|to| to.send(own.to_vec()).expect("another rank has panicked"));
        let received = |from: &Mutex<Receiver<_>>| from.lock().expect("one thread").recv();
        self.from.iter().map(|from| received(from).expect("another rank has panicked")).collect()
    }

    fn abort(&self, code: u8) -> ! {
        panic!("rank {} ends the job with {code}", self.rank)
    }

    fn traffic(&self) -> Traffic {
        Traffic { bytes: self.sent.load(Ordering::Relaxed), ..Traffic::default() }
    }
}
