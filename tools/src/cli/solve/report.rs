//! The plan of a solve and its result, for people and as JSON. The plan contains the expected time, which a short measurement
//! gives.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use fourbase::Player;
use fourbase::analysis::json::OutcomeJson;
use fourbase_tiers::files::{bytes, counted, grouped, plain};
use fourbase_tiers::index::Index;
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::memory;
use fourbase_tiers::progress::Stage;
use fourbase_tiers::solve::{Plan, Report, Solve, SolveError, TierPlan, in_memory};
use indicatif::HumanDuration;
use rayon::ThreadPoolBuilder;
use serde::Serialize;

use super::ranks::Ranks;
use crate::arguments::processors;
use crate::output::{self, duration, milliseconds, wording};
use crate::remedy;

/// What a solve needs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Planned {
    board: String,
    stores: String,
    /// The deepest ply that the database would keep; null if it would keep all.
    pub keep_plies: Option<u32>,
    tiers: u32,
    entries: u128,
    memory_bytes: u128,
    /// Whether entries and memory are exact; otherwise they are upper bounds.
    exact: bool,
    memory_limit_bytes: u64,
    /// How many threads would solve.
    threads: usize,
    /// Whether there is too little memory for more threads.
    #[serde(skip)]
    has_fewer_threads: bool,
    fits: bool,
    /// Bytes of temporary files, about; null where the tiers are solved in memory.
    scratch_bytes: Option<u128>,
    /// Bytes of the database, about.
    database_bytes: u128,
    /// How long the solve takes, about; null for a small board, or one that does not fit.
    expected_seconds: Option<f64>,
    /// Each tier from the empty board up; null without `--tiers`.
    pub plies: Option<Vec<PlannedTier>>,
    /// What several processes need; null without `--ranks`.
    pub ranks: Option<Ranks>,
    /// Why the solve does not fit.
    #[serde(skip)]
    pub misfit: Option<String>,
}

/// What one tier needs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlannedTier {
    ply: u32,
    entries: u128,
    /// Bytes of its temporary files, about.
    scratch_bytes: u128,
    /// Bytes of its file in the database, about.
    database_bytes: u128,
}

impl From<TierPlan> for PlannedTier {
    fn from(TierPlan { ply, entries, scratch_bytes, database_bytes, .. }: TierPlan) -> PlannedTier {
        PlannedTier { ply, entries, scratch_bytes, database_bytes }
    }
}

impl Planned {
    /// Compares a plan with the memory limit. `work_per_second` is the speed of this machine, if it was measured.
    pub fn of(plan: &Plan, memory_limit_bytes: u64, work_per_second: Option<f64>) -> Planned {
        let check = plan.check(memory_limit_bytes);
        let fits = check.is_ok();
        // Estimate no time for a board that does not fit, or that takes almost no time.
        let speed = work_per_second.filter(|_| fits && plan.entries() >= LEAST_ENTRIES);
        // `work_per_second` is the speed of all threads. If memory is too little for all, scale it to the threads that are left.
        let [some, all] = [plan.threads, plan.threads + plan.left_out].map(|threads| threads.min(processors()) as f64);
        let expected =
            speed.and_then(|speed| Duration::try_from_secs_f64(plan.work() as f64 / (speed * some / all)).ok());
        Planned {
            board: plan.board.to_string(),
            stores: plan.values.to_string(),
            keep_plies: None,
            tiers: plan.board.cells() as u32 + 1,
            entries: plan.entries(),
            memory_bytes: plan.memory_bytes(),
            exact: plan.exact,
            memory_limit_bytes,
            threads: plan.threads,
            has_fewer_threads: plan.left_out > 0,
            fits,
            scratch_bytes: plan.is_bounded.then(|| plan.scratch_bytes()),
            database_bytes: plan.database_bytes(),
            expected_seconds: expected.map(|expected| expected.as_secs_f64()),
            plies: None,
            ranks: None,
            misfit: check.err().map(|error| misfit(&error)),
        }
    }
}

/// Returns a few words that say why a solve does not fit.
pub fn misfit(error: &SolveError) -> String {
    match error {
        SolveError::Memory { .. } => "too little memory".to_owned(),
        SolveError::Disk { folder, free, .. } => {
            format!("the disk of {} has {} free", wording::path(folder), bytes((*free).into()))
        }
        error => error.to_string(),
    }
}

impl fmt::Display for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = if self.exact { "" } else { "about " };
        let (entries, tiers) = (counted(self.entries, "entry"), counted(self.tiers, "tier"));
        writeln!(f, "{} with {}: {about}{entries} in {tiers}\n", self.board, self.stores)?;
        let threads = self.has_fewer_threads.then(|| format!(", with {}", counted(self.threads as u128, "thread")));
        let threads = threads.unwrap_or_default();
        let [needed, allowed] = [self.memory_bytes, self.memory_limit_bytes.into()].map(bytes);
        let memory = format!("{about}{needed} of the {allowed} allowed{threads}");
        let files = self.scratch_bytes.map_or_else(|| "none".to_owned(), |scratch| format!("about {}", bytes(scratch)));
        let fits = self.misfit.as_ref().map_or_else(|| "yes".to_owned(), |misfit| format!("no: {misfit}"));
        let time =
            self.expected_seconds.map(|seconds| format!("about {}", HumanDuration(Duration::from_secs_f64(seconds))));
        let rows = [
            ("time", time),
            ("memory", Some(memory)),
            ("temporary files", Some(files)),
            ("database", Some(format!("about {}", bytes(self.database_bytes)))),
            ("fits", Some(fits)),
        ];
        let rows = rows.into_iter().filter_map(|(name, value)| Some(vec![name.to_owned(), value?]));
        f.write_str(&output::table(&["", ""], rows))?;
        self.ranks.iter().try_for_each(|ranks| write!(f, "\n\n{ranks}"))?;
        let Some(plies) = &self.plies else { return Ok(()) };
        // From the full board down, in the order of solving.
        let tiers = plies.iter().rev();
        let columns = [">ply", ">entries", ">temporary", ">file", ">read", ">time", ">files a second"];
        let shared = |tier: &PlannedTier| Some(self.ranks.as_ref()?.plies.get(tier.ply as usize)?.row().to_vec());
        let rows = tiers.map(|tier| {
            let [scratch, database] = [tier.scratch_bytes, tier.database_bytes].map(bytes);
            let own = vec![tier.ply.to_string(), grouped(tier.entries), scratch, database];
            [own, shared(tier).unwrap_or_default()].concat()
        });
        let columns = if self.ranks.is_some() { &columns[..] } else { &columns[..4] };
        write!(f, "\n\n{}", output::table(columns, rows))
    }
}

/// What a solve did. Of a solve that was stopped before the empty board had a value, what is not known yet is null.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Solved {
    board: String,
    stores: String,
    /// Whether the solve was stopped before the empty board had a value.
    stopped: bool,
    tiers_done: usize,
    tiers: usize,
    /// What the empty board is worth.
    #[serde(flatten)]
    outcome: OutcomeJson,
    entries: Option<u64>,
    bytes: Option<u64>,
    /// The deepest ply in the database; null if it has all.
    keep_plies: Option<u32>,
    hash: Option<String>,
    seconds: f64,
    /// Null where the system does not tell.
    peak_memory_bytes: Option<u64>,
    folder: String,
    /// What the solver reports at the end, and how many legal positions were counted, if they were.
    #[serde(skip)]
    end: Option<(Report, Option<u64>)>,
}

impl Solved {
    /// Describes a solve that has finished `tiers_done` tiers. `end` has the solver's final report, and the number of legal
    /// positions if they were counted.
    pub fn of(
        solve: &Solve,
        tiers_done: usize,
        keep_plies: Option<u32>,
        end: Option<(Report, Option<u64>)>,
        elapsed: Duration,
    ) -> Solved {
        let report = end.as_ref().map(|(report, _)| report);
        Solved {
            board: solve.board.to_string(),
            stores: solve.values.to_string(),
            stopped: report.is_none(),
            tiers_done,
            tiers: solve.board.cells() + 1,
            outcome: OutcomeJson::of(report.map(|report| report.outcome)),
            entries: report.map(|report| report.entries),
            bytes: report.map(|report| report.bytes),
            keep_plies,
            hash: report.and_then(|report| report.hash.as_ref()).map(|hash| hash.to_string()),
            seconds: milliseconds(elapsed),
            peak_memory_bytes: memory::peak_bytes(),
            folder: plain(&solve.folder()),
            end,
        }
    }

    /// Describes what a stopped solve has done, which its error contains; `None` if the error is not that of a stopped solve.
    pub fn stopped(error: &SolveError, solve: &Solve, elapsed: Duration) -> Option<Solved> {
        let SolveError::Stopped { done, stage, keep_plies, .. } = error else { return None };
        let done = if *stage == Stage::Solve { *done } else { 0 };
        Some(Solved::of(solve, done, *keep_plies, None, elapsed))
    }
}

impl fmt::Display for Solved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((report, legal)) = &self.end else { return write!(f, "{} is not solved yet", self.board) };
        writeln!(f, "{}, {}", self.board, wording::sentence(Player::First, report.outcome))?;
        let entries = counted(report.entries, "entry");
        if report.already_complete {
            writeln!(f, "{entries}, complete already; --replace solves it again")?;
        } else {
            write!(f, "{entries} in {}", duration(self.seconds))?;
            if let Some(peak) = self.peak_memory_bytes {
                write!(f, ", peak memory {}", bytes(peak.into()))?;
            }
            writeln!(f)?;
        }
        write!(f, "{} in {}", bytes(report.bytes.into()), wording::path(&report.folder))?;
        if report.keep_plies.is_some() {
            write!(f, ": {} are kept", wording::kept(report.keep_plies))?;
        }
        self.hash.iter().try_for_each(|hash| write!(f, "\nhash {hash}"))?;
        let root = report.folder.parent().and_then(Path::parent).unwrap_or(&report.folder);
        let root = remedy::in_root(root);
        if let Some(legal) = legal {
            write!(f, "\n{}; their values: fourbase stats {}{root}", counted(*legal, "legal position"), self.board)?;
        }
        write!(f, "\n\nNext: fourbase query {}{root}", self.board)
    }
}

/// The fewest entries of a board for which a time is estimated. Smaller boards are solved before a user has read the estimate.
const LEAST_ENTRIES: u128 = 1_000_000_000;

/// Measures how much work this machine does per second by solving a small board in memory a few times, which takes up to a second.
/// Returns `None` for a plan so short that its time is of no interest.
pub fn speed(plan: &Plan, kernel: Kernel) -> Option<f64> {
    if plan.entries() >= LEAST_ENTRIES { work_per_second(plan.values, kernel) } else { None }
}

/// Measures how many entries of a plan one thread of this machine solves in a second, with a thread on each of its cores.
///
/// # Errors
///
/// The threads cannot be started, or nothing can be measured.
pub fn thread_speed(plan: &Plan, kernel: Kernel) -> anyhow::Result<f64> {
    let pool = ThreadPoolBuilder::new().build().context("cannot start the threads; try again")?;
    let threads = pool.current_num_threads() as f64;
    let measured = pool.install(|| work_per_second(plan.values, kernel));
    let speed = measured.context("cannot measure how fast this machine solves")?;
    Ok(plan.entries() as f64 / (plan.work() as f64 / speed) / threads)
}

/// The board that is solved to measure the machine's speed.
const SAMPLE: &str = "5x5";

/// A measurement solves at least this often and for at least this long, because the first solve is slower and other programs may
/// disturb any solve.
const SOLVES: u32 = 4;
const TIME: Duration = Duration::from_millis(250);

/// Measures how much work ([`TierPlan::solving_work`]) the kernels of this machine do per second: solves 5x5 in memory
/// at least four times and returns the fastest result. Takes about a second on a slow machine of two cores. Returns
/// `None` if nothing can be measured.
fn work_per_second(values: Values, kernel: Kernel) -> Option<f64> {
    let index = Index::new(SAMPLE.parse().ok()?, kernel).ok()?;
    let work: u128 = Plan::exact(&index, values).tiers.iter().map(|tier| tier.solving_work).sum();
    let (all, mut solves, mut fastest) = (Instant::now(), 0, Duration::MAX);
    while solves < SOLVES || all.elapsed() < TIME {
        let start = Instant::now();
        in_memory(&index, values, |_| ()).ok()?;
        fastest = fastest.min(start.elapsed());
        solves += 1;
    }
    Some(work as f64 / fastest.as_secs_f64())
}
