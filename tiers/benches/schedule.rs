//! How well several machines share out a solve: jobs are measured here, and dealt to simulated processes.
//!
//! `cargo bench -p fourbase-tiers --bench schedule -- BOARD [TIERS [MILLISECONDS,GIGABYTES ...]]`
//!
//! Solves the board with values alone, or its last TIERS tiers (the full board is the first of them), as a crew of one member with one
//! thread, and notes how long each job took: compressed and appended to a log, as with others. The dealer of the program then deals these
//! jobs to 1 to 4,096 threads, 32 a process, and to 8 processes of one thread. A message takes MILLISECONDS each way (1: as long as MPI's
//! thread sleeps at most), and the file system moves GIGABYTES a second for all processes together (`inf`: without a limit):
//! the bytes are those that `fourbase solve --dry-run --ranks` names. One table for each pair.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fourbase_tiers::crew::{Answer, Cost, Crew, Dealer};
use fourbase_tiers::files::Disk;
use fourbase_tiers::format::TierRecord;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::solve::{Progress, Solve, SolveError};

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    // `cargo bench` without arguments runs all benches.
    let Some(board) = arguments.next() else { return println!("schedule: give a board, such as 6x5") };
    let tiers = arguments.next().map_or(usize::MAX, |tiers| tiers.parse().expect("a number of tiers"));
    let mut networks: Vec<[f64; 2]> = arguments.map(|pair| network(&pair).expect("MILLISECONDS,GIGABYTES")).collect();
    if networks.is_empty() {
        networks.push([1.0, f64::INFINITY]);
    }
    let trace = Trace::default();
    let folder = std::env::temp_dir().join(format!("fourbase-schedule-{}", std::process::id()));
    let solve = Solve::new(board.parse().expect("a board"), Values::Wdl).root(&folder).memory(4 << 30);
    let solve = solve.scratch(Some(folder.join("scratch")));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let solved =
        pool.install(|| solve.run_together(&trace, &Disk, &FirstTiers { most: tiers, done: AtomicUsize::new(0) }));
    std::fs::remove_dir_all(&folder).expect("a folder that was made");
    match solved {
        Ok(report) => println!("{board}: {} entries, hash {}", report.entries, report.hash.expect("a hash")),
        Err(SolveError::Stopped { done, .. }) => println!("{board}: the first {done} tiers"),
        Err(error) => panic!("{error}"),
    }
    let piles = trace.piles();
    let (jobs, busy) = (piles.iter().map(|pile| pile.costs.len()).sum::<usize>(), sum(&piles, |pile| pile.busy()));
    let between = sum(&piles, |pile| pile.before);
    println!("{jobs} jobs in {} piles: {busy:.1} s, and {between:.2} s between piles", piles.len());
    for network in networks {
        show(&solve, &piles, tiers, network);
    }
}

/// Reads a time and a rate.
fn network(pair: &str) -> Option<[f64; 2]> {
    let (milliseconds, gigabytes) = pair.split_once(',')?;
    Some([milliseconds.parse().ok()?, gigabytes.parse().ok()?])
}

/// Deals the jobs to more and more processes, and shows how long they take.
fn show(solve: &Solve, piles: &[Pile], tiers: usize, [milliseconds, gigabytes]: [f64; 2]) {
    println!("messages take {milliseconds} ms, the files {gigabytes} GB/s");
    println!("processes  threads  seconds  idle  faster  seconds of files");
    let (busy, between) = (sum(piles, Pile::busy), sum(piles, |pile| pile.before));
    let (plan, planned) = solve.plan_tiers();
    let alone = busy + between;
    for (processes, threads) in [(8, 1), (1, 1), (1, 4), (1, 16), (1, 32), (4, 32), (16, 32), (64, 32), (128, 32)] {
        let dealt = sum(piles, |pile| deal(&pile.costs, processes, threads, milliseconds / 1e3));
        let idle = 1.0 - busy / (dealt * f64::from(processes * threads));
        let shared = plan.shared(&planned, processes, threads, 1.0);
        let bytes: u128 = shared.iter().rev().take(tiers).map(|tier| tier.written_bytes + tier.read_bytes).sum();
        let files = bytes as f64 / (gigabytes * 1e9);
        let seconds = (dealt + between).max(files);
        let (idle, faster) = (100.0 * idle, alone / seconds);
        println!("{processes:9}  {threads:7}  {seconds:7.2}  {idle:3.0} %  {faster:6.1}  {files:16.2}");
    }
}

fn sum(piles: &[Pile], of: impl Fn(&Pile) -> f64) -> f64 {
    piles.iter().map(of).sum()
}

/// Stops after some tiers.
struct FirstTiers {
    most: usize,
    done: AtomicUsize,
}

impl Progress for FirstTiers {
    fn tier_done(&self, _: &TierRecord) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.done.load(Ordering::Relaxed) >= self.most
    }
}

/// The jobs of a pile, in seconds.
struct Pile {
    /// How long it was since the pile before had ended.
    before: f64,
    costs: Vec<f64>,
}

impl Pile {
    fn busy(&self) -> f64 {
        self.costs.iter().sum()
    }
}

/// A crew of one member that notes when it takes each job.
#[derive(Default, Debug)]
struct Trace(Mutex<Vec<Taken>>);

/// When the jobs of a pile were taken, and when none was left.
#[derive(Debug)]
struct Taken {
    jobs: u64,
    times: Vec<Instant>,
}

impl Trace {
    fn piles(self) -> Vec<Pile> {
        let mut end = None;
        let taken = self.0.into_inner().expect("no thread has panicked");
        let whole = taken.into_iter().filter(|taken| taken.times.len() as u64 == taken.jobs + 1);
        let pile = |taken: Taken| {
            let costs = taken.times.windows(2).map(|pair| seconds(pair[1] - pair[0])).collect();
            let before = end.map_or(0.0, |end| seconds(taken.times[0].duration_since(end)));
            end = taken.times.last().copied();
            Pile { before, costs }
        };
        whole.map(pile).collect()
    }
}

fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

impl Crew for Trace {
    fn number(&self) -> u32 {
        0
    }

    fn size(&self) -> u32 {
        1
    }

    fn is_on_one_machine(&self) -> bool {
        false
    }

    fn begin(&self, jobs: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Taken { jobs, times: Vec::new() });
    }

    fn take(&self) -> Option<Range<u64>> {
        let mut piles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Taken { jobs, times } = piles.last_mut()?;
        let next = times.len() as u64;
        if next <= *jobs {
            times.push(Instant::now());
        }
        (next < *jobs).then_some(next..next + 1)
    }

    fn exchange(&self, own: &[u8]) -> Vec<Vec<u8>> {
        vec![own.to_vec()]
    }

    fn solved(&self, _: u64) {}

    fn all_solved(&self) -> u64 {
        0
    }

    fn cost(&self) -> Cost {
        Cost::default()
    }
}

/// What happens to a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// Its question reaches the dealer.
    Asked,
    /// The answer reaches it.
    Answered,
    /// A thread has done its job.
    Free,
}

/// A simulated process.
#[derive(Clone, Default)]
struct Process {
    own: Range<u64>,
    /// What was dealt ahead: `Some(None)` where no jobs are left.
    dealt: Option<Option<Range<u64>>>,
    /// The answer on its way.
    sent: Option<Option<Range<u64>>>,
    waiting: u32,
}

/// Simulates a pile, and returns how long it takes until all threads have nothing left to do.
fn deal(costs: &[f64], processes: u32, threads: u32, latency: f64) -> f64 {
    let mut dealer = Dealer::new(processes);
    dealer.begin(costs.len() as u64);
    let mut all = vec![Process { waiting: threads, ..Process::default() }; processes as usize];
    let mut events = BinaryHeap::new();
    // Nanoseconds, since events are ordered.
    let after = |now: u64, seconds: f64| now + (seconds * 1e9) as u64;
    (0..processes as usize).for_each(|process| events.push(Reverse((after(0, latency), Event::Asked, process))));
    let mut end = 0;
    while let Some(Reverse((now, event, number))) = events.pop() {
        let process = &mut all[number];
        match event {
            Event::Asked => {
                process.sent = Some(match dealer.asked(number as u32, 1) {
                    Answer::Jobs(run) => Some(run),
                    Answer::None | Answer::Later => None,
                });
                events.push(Reverse((after(now, latency), Event::Answered, number)));
            }
            Event::Answered => process.dealt = process.sent.take(),
            Event::Free => {
                end = end.max(now);
                process.waiting += 1;
            }
        }
        while process.waiting > 0 {
            if process.own.is_empty() {
                match process.dealt.take() {
                    Some(Some(run)) => {
                        process.own = run;
                        events.push(Reverse((after(now, latency), Event::Asked, number)));
                    }
                    none => {
                        process.dealt = none;
                        break;
                    }
                }
            }
            let Some(job) = process.own.next() else { break };
            process.waiting -= 1;
            events.push(Reverse((after(now, costs[job as usize]), Event::Free, number)));
        }
    }
    end as f64 / 1e9
}
