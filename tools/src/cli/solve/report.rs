//! The plan before a solve and the result after it, for people and as JSON.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use fourbase::{Outcome, Player};
use fourbase_tiers::counts::CountError;
use fourbase_tiers::files::bytes;
use fourbase_tiers::solve::{Plan, Report, Solve, SolveError, TierPlan};
use indicatif::HumanDuration;
use serde::Serialize;

use super::ranks::Ranks;
use super::speed::Speed;
use crate::number::{counted, grouped, milliseconds};
use crate::{json, memory, wording};

/// What a solve needs.
#[derive(Serialize)]
pub struct Planned {
    board: String,
    stores: String,
    /// The deepest ply that the database would keep; `None` if it would keep all.
    keep_plies: Option<u32>,
    tiers: u32,
    entries: u128,
    memory_bytes: u128,
    /// Whether entries and memory are exact; otherwise they are upper bounds.
    exact: bool,
    memory_limit_bytes: u64,
    fits: bool,
    /// Bytes of temporary files, about; `None` where the tiers are solved in memory.
    scratch_bytes: Option<u128>,
    /// Bytes of the database, about.
    database_bytes: u128,
    /// How long the solve takes, about; `None` for a small board, or one that does not fit.
    expected_seconds: Option<f64>,
    /// Each tier from the empty board up; `None` without `--tiers`.
    plies: Option<Vec<PlannedTier>>,
    /// What several processes need; `None` without `--ranks`.
    ranks: Option<Ranks>,
}

/// What one tier needs.
#[derive(Serialize)]
struct PlannedTier {
    ply: u32,
    entries: u128,
    /// Bytes of its temporary files, about.
    scratch_bytes: u128,
    /// Bytes of its file in the database, about.
    database_bytes: u128,
}

impl From<TierPlan> for PlannedTier {
    fn from(TierPlan { ply, entries, scratch_bytes, database_bytes }: TierPlan) -> PlannedTier {
        PlannedTier { ply, entries, scratch_bytes, database_bytes }
    }
}

impl fmt::Display for PlannedTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [scratch, database] = [self.scratch_bytes, self.database_bytes].map(bytes);
        let entries = grouped(self.entries);
        write!(f, "ply {:2}  {entries:>19} entries  about {scratch:>10} temporary  file about {database:>10}", self.ply)
    }
}

impl Planned {
    /// Compares a plan with the memory limit, and with the speed of this machine if it was measured.
    pub fn of(plan: &Plan, memory_limit_bytes: u64, speed: Option<Speed>) -> Planned {
        let fits = plan.check(memory_limit_bytes).is_ok();
        let expected = speed.filter(|_| fits).and_then(|speed| speed.time_of(plan));
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
        }
    }

    /// Says that the database would keep only plies up to `keep_plies`.
    #[must_use]
    pub fn keeping(self, keep_plies: Option<u32>) -> Planned {
        Planned { keep_plies, ..self }
    }

    /// Adds what several processes need.
    #[must_use]
    pub fn with_ranks(self, ranks: Ranks) -> Planned {
        Planned { ranks: Some(ranks), ..self }
    }

    /// Adds what each tier needs; `tiers` go from the empty board up.
    #[must_use]
    pub fn with_tiers(self, tiers: Vec<TierPlan>) -> Planned {
        Planned { plies: Some(tiers.into_iter().map(PlannedTier::from).collect()), ..self }
    }
}

impl fmt::Display for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = if self.exact { "" } else { "about " };
        write!(
            f,
            "{} with {}: {bound}{} in {}, {bound}{} of memory, {} may be used{}",
            self.board,
            self.stores,
            counted(self.entries, "entry"),
            counted(self.tiers, "tier"),
            bytes(self.memory_bytes),
            bytes(self.memory_limit_bytes.into()),
            if self.fits { "" } else { " (too little)" },
        )?;
        if let Some(scratch_bytes) = self.scratch_bytes {
            write!(f, ", about {} of temporary files", bytes(scratch_bytes))?;
        }
        write!(f, ", a database of about {}", bytes(self.database_bytes))?;
        if let Some(seconds) = self.expected_seconds {
            write!(f, ", about {}", HumanDuration(Duration::from_secs_f64(seconds)))?;
        }
        self.ranks.iter().try_for_each(|ranks| write!(f, "\n{ranks}"))?;
        // From the full board down, in the order of solving.
        self.plies.iter().flatten().rev().try_for_each(|tier| {
            write!(f, "\n{tier}")?;
            self.ranks.iter().filter_map(|ranks| ranks.of_ply(tier.ply)).try_for_each(|shared| write!(f, "  {shared}"))
        })
    }
}

/// What a stopped solve has done, for programs. The fields of a result that is not known yet are null.
#[derive(Serialize)]
pub struct Stopped {
    board: String,
    stores: String,
    stopped: bool,
    tiers_done: usize,
    tiers: usize,
    folder: String,
    keep_plies: Option<u32>,
    seconds: f64,
    peak_memory_bytes: Option<u64>,
    value: Option<&'static str>,
    remoteness: Option<u32>,
    entries: Option<u64>,
    bytes: Option<u64>,
    hash: Option<String>,
}

impl Stopped {
    /// Takes what is done from the error of a stopped solve, or of one that was stopped before its first tier; `None` for
    /// any other error.
    pub fn of(error: &anyhow::Error, solve: &Solve, elapsed: Duration) -> Option<Stopped> {
        let (done, keep_plies) = match (error.downcast_ref(), error.downcast_ref()) {
            (Some(SolveError::Stopped { done, keep_plies, .. }), _) => (*done, *keep_plies),
            (_, Some(CountError::Stopped { .. })) => (0, solve.kept_plies()),
            _ => return None,
        };
        Some(Stopped {
            board: solve.board().to_string(),
            stores: solve.values().to_string(),
            stopped: true,
            tiers_done: done,
            tiers: solve.board().cells() + 1,
            folder: json::folder(&solve.folder()),
            keep_plies,
            seconds: milliseconds(elapsed),
            peak_memory_bytes: memory::peak_bytes(),
            value: None,
            remoteness: None,
            entries: None,
            bytes: None,
            hash: None,
        })
    }
}

/// What a solve did.
#[derive(Serialize)]
pub struct Solved {
    board: String,
    stores: String,
    /// Whether the solve was stopped before the empty board had a value.
    stopped: bool,
    tiers_done: u32,
    tiers: u32,
    value: &'static str,
    remoteness: Option<u32>,
    entries: u64,
    bytes: u64,
    /// The deepest ply in the database; `None` if it has all.
    keep_plies: Option<u32>,
    hash: Option<String>,
    seconds: f64,
    peak_memory_bytes: Option<u64>,
    folder: String,
    #[serde(skip)]
    outcome: Outcome,
    #[serde(skip)]
    already_complete: bool,
    /// The legal positions, if they were counted.
    #[serde(skip)]
    legal: Option<u64>,
    #[serde(skip)]
    path: PathBuf,
}

impl Solved {
    /// Combines the solver's report with the time and the peak memory.
    pub fn of(report: &Report, elapsed: Duration) -> Solved {
        let tiers = report.board.cells() as u32 + 1;
        Solved {
            board: report.board.to_string(),
            stores: report.values.to_string(),
            stopped: false,
            tiers_done: tiers,
            tiers,
            value: json::value(report.outcome.value),
            remoteness: report.outcome.remoteness,
            entries: report.entries,
            bytes: report.bytes,
            keep_plies: report.keep_plies,
            hash: report.hash.map(|hash| hash.to_string()),
            seconds: milliseconds(elapsed),
            peak_memory_bytes: memory::peak_bytes(),
            folder: json::folder(&report.folder),
            outcome: report.outcome,
            already_complete: report.already_complete,
            legal: None,
            path: report.folder.clone(),
        }
    }

    /// Adds how many legal positions were counted.
    #[must_use]
    pub fn counting(self, legal: Option<u64>) -> Solved {
        Solved { legal, ..self }
    }
}

impl fmt::Display for Solved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, {}", self.board, wording::sentence(Player::First, self.outcome))?;
        let entries = counted(self.entries, "entry");
        if self.already_complete {
            writeln!(f, "{entries}, complete already; --replace starts over")?;
        } else {
            write!(f, "{entries} in {} s", self.seconds)?;
            if let Some(peak) = self.peak_memory_bytes {
                write!(f, ", peak memory {}", bytes(peak.into()))?;
            }
            writeln!(f)?;
        }
        write!(f, "{} in {}", bytes(self.bytes.into()), wording::path(&self.path))?;
        if self.keep_plies.is_some() {
            write!(f, ": {} are kept", wording::kept(self.keep_plies))?;
        }
        self.hash.iter().try_for_each(|hash| write!(f, "\nhash {hash}"))?;
        let Some(legal) = self.legal else { return Ok(()) };
        write!(f, "\n{}; their values: fourbase stats {}", counted(legal, "legal position"), self.board)
    }
}
