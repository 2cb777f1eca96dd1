//! The plan before a solve, with the time that it will take from a short measurement, and the result after it, for people and
//! as JSON.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use fourbase::Player;
use fourbase::analysis::json::OutcomeJson;
use fourbase_tiers::counts::CountError;
use fourbase_tiers::files::{bytes, counted, grouped};
use fourbase_tiers::kernel::Kernel;
use fourbase_tiers::solve::{Plan, Report, Solve, SolveError, TierPlan, work_per_second};
use indicatif::HumanDuration;
use rayon::ThreadPoolBuilder;
use serde::Serialize;

use super::ranks::Ranks;
use crate::output::{self, Side, duration, milliseconds, wording};
use crate::{memory, remedy};

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

impl PlannedTier {
    /// Returns the cells of its row in the table.
    fn row(&self) -> [String; 4] {
        let [scratch, database] = [self.scratch_bytes, self.database_bytes].map(bytes);
        [self.ply.to_string(), grouped(self.entries), scratch, database]
    }
}

impl Planned {
    /// Compares a plan with the memory limit. `work_per_second` is the speed of this machine, if it was measured.
    pub fn of(plan: &Plan, memory_limit_bytes: u64, work_per_second: Option<f64>) -> Planned {
        let check = plan.check(memory_limit_bytes);
        let fits = check.is_ok();
        let expected = work_per_second.filter(|_| fits).and_then(|speed| time_of(plan, speed));
        Planned {
            board: plan.board.to_string(),
            stores: plan.values.to_string(),
            keep_plies: None,
            tiers: plan.board.cells() as u32 + 1,
            entries: plan.entries(),
            memory_bytes: plan.memory_bytes(),
            exact: plan.exact,
            memory_limit_bytes,
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

/// Says in a few words why a solve does not fit.
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
        let memory =
            format!("{about}{} of the {} allowed", bytes(self.memory_bytes), bytes(self.memory_limit_bytes.into()));
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
        write!(f, "{}", output::table(&[Side::Left; 2], &rows.collect::<Vec<_>>()))?;
        self.ranks.iter().try_for_each(|ranks| write!(f, "\n\n{ranks}"))?;
        let Some(plies) = &self.plies else { return Ok(()) };
        // From the full board down, in the order of solving.
        let tiers = plies.iter().rev();
        let [ply, entries, scratch, file] = ["ply", "entries", "temporary", "file"].map(|name| (name, Side::Right));
        let table = match &self.ranks {
            None => output::table_with_head([ply, entries, scratch, file], tiers.map(|tier| tier.row().to_vec())),
            Some(ranks) => {
                let [read, time, rate] = ["read", "time", "files a second"].map(|name| (name, Side::Right));
                let rows = tiers
                    .filter_map(|tier| Some([&tier.row()[..], &ranks.plies.get(tier.ply as usize)?.row()].concat()));
                output::table_with_head([ply, entries, scratch, file, read, time, rate], rows)
            }
        };
        write!(f, "\n\n{table}")
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
    /// Describes a solve of which `tiers_done` tiers are done, without a value of the empty board.
    fn unfinished(solve: &Solve, tiers_done: usize, keep_plies: Option<u32>, elapsed: Duration) -> Solved {
        Solved {
            board: solve.board.to_string(),
            stores: solve.values.to_string(),
            stopped: true,
            tiers_done,
            tiers: solve.board.cells() + 1,
            outcome: OutcomeJson::of(None),
            entries: None,
            bytes: None,
            keep_plies,
            hash: None,
            seconds: milliseconds(elapsed),
            peak_memory_bytes: memory::peak_bytes(),
            folder: output::json_path(&solve.folder()),
            end: None,
        }
    }

    /// Takes what is done from the error of a stopped solve, or of one that was stopped before its first tier; `None` for
    /// any other error.
    pub fn stopped(error: &anyhow::Error, solve: &Solve, elapsed: Duration) -> Option<Solved> {
        match (error.downcast_ref(), error.downcast_ref()) {
            (Some(SolveError::Stopped { done, keep_plies, .. }), _) => {
                Some(Solved::unfinished(solve, *done, *keep_plies, elapsed))
            }
            (_, Some(CountError::Stopped { .. })) => Some(Solved::unfinished(solve, 0, solve.keep_plies, elapsed)),
            _ => None,
        }
    }

    /// Adds the solver's report to the time, and how many legal positions were counted, if they were.
    pub fn finished(report: Report, legal: Option<u64>, solve: &Solve, elapsed: Duration) -> Solved {
        let unfinished = Solved::unfinished(solve, solve.board.cells() + 1, report.keep_plies, elapsed);
        Solved {
            stopped: false,
            outcome: OutcomeJson::of(Some(report.outcome)),
            entries: Some(report.entries),
            bytes: Some(report.bytes),
            hash: report.hash.map(|hash| hash.to_string()),
            end: Some((report, legal)),
            ..unfinished
        }
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

/// Boards with fewer entries are solved before a user has read the time.
const LEAST_ENTRIES: u128 = 1_000_000_000;

/// Measures how much work this machine does in a second, if a plan is long enough for its time to be of interest: solves a small
/// board in memory a few times, which takes some tenths of a second.
pub fn speed(plan: &Plan, kernel: Kernel) -> Option<f64> {
    if is_long(plan) { work_per_second(plan.values, kernel) } else { None }
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
    Ok(plan.entries() as f64 / plan.seconds(speed) / threads)
}

/// Returns how long a plan takes, about. `None` for a board that takes no time, or longer than a [`Duration`] holds.
fn time_of(plan: &Plan, work_per_second: f64) -> Option<Duration> {
    if is_long(plan) { Duration::try_from_secs_f64(plan.seconds(work_per_second)).ok() } else { None }
}

fn is_long(plan: &Plan) -> bool {
    plan.entries() >= LEAST_ENTRIES
}
