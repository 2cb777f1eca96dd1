//! How well several machines share out a solve: jobs are measured here, and assigned to simulated ranks.
//!
//! `cargo bench -p fourbase-tiers --bench schedule -- BOARD [TIERS [GIGABYTES ...]]`
//!
//! Solves the board with `wdl`, or its last TIERS tiers (the full board is the first of them), with one thread, as one of
//! several ranks on different machines: every block is compressed and goes into a log. Notes how long each run of 16 blocks
//! took, assigns these jobs to 1 to 128 ranks by the rule of the program, and lets the threads of each rank take its jobs in
//! their order. GIGABYTES are those that the file system moves a second for all ranks together (`inf`: without a limit); the
//! bytes are those of `fourbase solve --dry-run --ranks`. The time between the blocks of two tiers is added whole: each rank
//! lays out the tier, and the files of the database, which ranks write together, are in it.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use fourbase_tiers::communicator::{Communicator, assign};
use fourbase_tiers::files::Disk;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::progress::{Progress, Stage};
use fourbase_tiers::solve::{Solve, SolveError};

/// Blocks of a job, as in `tier/`.
const JOB_BLOCKS: usize = 16;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    // `cargo bench` without arguments runs all benches.
    let Some(board) = arguments.next() else { return println!("schedule: give a board, such as 6x5") };
    let most = arguments.next().map_or(usize::MAX, |tiers| tiers.parse().expect("a number of tiers"));
    let mut rates: Vec<f64> = arguments.map(|rate| rate.parse().expect("gigabytes a second")).collect();
    if rates.is_empty() {
        rates.push(f64::INFINITY);
    }
    let trace = Trace { most, tiers: Mutex::default() };
    let folder = std::env::temp_dir().join(format!("fourbase-schedule-{}", std::process::id()));
    let solve = Solve::new(board.parse().expect("a board"), Values::Wdl).root(&folder).memory(4 << 30);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let solved = pool.install(|| solve.run_on(&Apart, &Disk, &trace));
    std::fs::remove_dir_all(&folder).expect("a folder that was made");
    match solved {
        Ok(report) => println!("{board}: {} entries, hash {}", report.entries, report.hash.expect("a hash")),
        Err(SolveError::Stopped { done, .. }) => println!("{board}: the first {done} tiers"),
        Err(error) => panic!("{error}"),
    }
    let mut tiers = trace.tiers.into_inner().expect("no thread has panicked");
    tiers.truncate(most);
    let jobs: Vec<Vec<Job>> = tiers.iter().map(Tier::jobs).collect();
    let busy: f64 = jobs.iter().flatten().map(|job| job.seconds).sum();
    let between: f64 = tiers.iter().map(|tier| tier.between).sum();
    println!("{} jobs: {busy:.1} s, and {between:.2} s between tiers", jobs.iter().flatten().count());
    println!("ranks  threads  seconds  idle  slowest rank  faster  seconds of files at {rates:?} GB/s");
    for (ranks, threads) in [(8, 1), (64, 1), (1, 4), (1, 16), (1, 32), (4, 32), (16, 32), (64, 32), (128, 32)] {
        let (mut solving, mut slowest) = (0.0, 0.0);
        for jobs in &jobs {
            let of_ranks = share(jobs, ranks, threads);
            let mean = of_ranks.iter().map(|(_, sum)| sum).sum::<f64>() / of_ranks.len() as f64;
            solving += of_ranks.iter().map(|(end, _)| *end).fold(0.0, f64::max);
            slowest += of_ranks.iter().map(|(_, sum)| *sum).fold(0.0, f64::max) - mean;
        }
        let idle = 100.0 * (1.0 - busy / (solving * f64::from(ranks * threads)));
        let slowest = 100.0 * slowest / (busy / f64::from(ranks));
        let planned = solve.plan().ranks(ranks, threads, 1.0);
        let bytes: u128 = planned.iter().rev().take(most).map(|tier| tier.written_bytes + tier.read_bytes).sum();
        let files: Vec<String> = rates.iter().map(|rate| format!("{:.0}", bytes as f64 / (rate * 1e9))).collect();
        let (seconds, faster) = (solving + between, (busy + between) / (solving + between));
        println!(
            "{ranks:5}  {threads:7}  {seconds:7.2}  {idle:3.0} %  {slowest:9.1} %  {faster:6.1}  {}",
            files.join("  ")
        );
    }
}

/// When the blocks of a tier were done, with their entries, and how long it was since the tier before.
struct Tier {
    between: f64,
    begun: Instant,
    blocks: Vec<(Instant, u64)>,
}

struct Job {
    entries: u64,
    seconds: f64,
}

impl Tier {
    fn jobs(&self) -> Vec<Job> {
        let mut begun = self.begun;
        let job = |blocks: &[(Instant, u64)]| {
            let end = blocks.last().map_or(begun, |(end, _)| *end);
            let seconds = (end - std::mem::replace(&mut begun, end)).as_secs_f64();
            Job { entries: blocks.iter().map(|(_, entries)| entries).sum(), seconds }
        };
        self.blocks.chunks(JOB_BLOCKS).map(job).collect()
    }
}

/// Assigns jobs to ranks, whose threads take theirs in order. Returns when each rank is done, and its seconds of jobs.
fn share(jobs: &[Job], ranks: u32, threads: u32) -> Vec<(f64, f64)> {
    let costs: Vec<u64> = jobs.iter().map(|job| job.entries).collect();
    let mut free = vec![vec![0.0_f64; threads as usize]; ranks as usize];
    for (job, rank) in jobs.iter().zip(assign(&costs, ranks)) {
        let first = free[rank as usize].iter_mut().min_by(|one, other| one.total_cmp(other)).expect("a thread");
        *first += job.seconds;
    }
    free.iter().map(|rank| (rank.iter().copied().fold(0.0, f64::max), rank.iter().sum())).collect()
}

/// Notes when blocks are done, and stops after some tiers.
struct Trace {
    most: usize,
    tiers: Mutex<Vec<Tier>>,
}

impl Progress for Trace {
    fn tier(&self, _: u32, _: u64) {
        let mut tiers = self.tiers.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let last = tiers.last().map_or(now, |tier| tier.blocks.last().map_or(tier.begun, |(end, _)| *end));
        tiers.push(Tier { between: (now - last).as_secs_f64(), begun: now, blocks: Vec::new() });
    }

    fn done(&self, stage: Stage, entries: u64) {
        if stage != Stage::Solve {
            return;
        }
        let mut tiers = self.tiers.lock().unwrap_or_else(PoisonError::into_inner);
        tiers.last_mut().expect("a tier").blocks.push((Instant::now(), entries));
    }

    fn is_stopped(&self) -> bool {
        self.tiers.lock().unwrap_or_else(PoisonError::into_inner).len() > self.most
    }
}

/// A process alone that solves as if other machines had to read its blocks.
#[derive(Debug)]
struct Apart;

impl Communicator for Apart {
    fn rank(&self) -> u32 {
        0
    }

    fn size(&self) -> u32 {
        1
    }

    fn is_on_one_machine(&self) -> bool {
        false
    }

    fn is_alone(&self) -> bool {
        false
    }

    fn all_gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        vec![own.to_vec()]
    }

    fn abort(&self, _: u8) -> ! {
        panic!("nothing aborts a bench")
    }
}
