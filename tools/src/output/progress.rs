//! Progress on standard error: on a terminal a bar for work of known size and a spinner for a search, else a log.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use fourbase::search::Monitor;
use fourbase_tiers::files::FileError;
use fourbase_tiers::progress::{Progress, Share, Stage};
use fourbase_tiers::solve::Plan;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::log::Log;
use crate::number::grouped;
use crate::{failure, interrupt};

/// How a bar looks. Its parts are as wide as their contents, and the bar takes the rest of the line.
const TEMPLATE: &str = "{msg} [{wide_bar}] {percent:>3}%  {rate}  {left}";

/// How the line of a search looks, which has no known end.
const SEARCH_TEMPLATE: &str = "{spinner} searching, {nodes} nodes, {elapsed}{msg}";

/// How often a line is drawn again while nothing is done, so that its times stay right.
const TICK: Duration = Duration::from_millis(200);

/// Returns whether standard error is a terminal, where progress can be seen.
pub fn is_visible() -> bool {
    std::io::stderr().is_terminal()
}

/// A line with a bar that counts, until it is dropped. Draws nothing without a terminal.
pub struct Bar {
    /// What is done, to begin the line with; nothing where the command says it.
    stage: &'static str,
    /// What is counted, such as "games".
    unit: &'static str,
    line: Option<ProgressBar>,
}

impl Bar {
    /// Begins a bar at 0 of `all`.
    pub fn begun(unit: &'static str, all: u64) -> Bar {
        Bar::of_stage("", unit, all, 0)
    }

    /// Begins a bar whose line begins with the name of the stage, at `done` of `all`. Earlier work counts in the percentage
    /// but not in the rate.
    fn of_stage(stage: &'static str, unit: &'static str, all: u64, done: u64) -> Bar {
        if !is_visible() {
            return Bar { stage, unit, line: None };
        }
        let style = ProgressStyle::with_template(TEMPLATE)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ")
            .with_key("rate", move |state: &ProgressState, out: &mut dyn Write| {
                let _ = write!(out, "{} {unit}/s", grouped(state.per_sec() as u128));
            })
            .with_key("left", |state: &ProgressState, out: &mut dyn Write| {
                let _ = write!(out, "{} left", HumanDuration(state.eta()));
            });
        let line = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::hidden());
        let line =
            line.with_style(style).with_message(format!("{stage}{} {unit}", grouped(all.into()))).with_position(done);
        // The rate forgets earlier work only after it was told about it, which happens while the line is hidden.
        line.tick();
        line.reset_eta();
        line.set_draw_target(ProgressDrawTarget::stderr());
        line.enable_steady_tick(TICK);
        Bar { stage, unit, line: Some(line) }
    }

    /// Replaces the number of all by the tier that is worked on.
    fn tier(&self, ply: u32, entries: u64) {
        if let Some(line) = &self.line {
            line.set_message(format!("{}ply {ply}, {} {}", self.stage, grouped(entries.into()), self.unit));
        }
    }

    /// Counts some more.
    pub fn add(&self, count: u64) {
        if let Some(line) = &self.line {
            line.inc(count);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}

/// Shows the progress of long work: a bar for each stage, or the lines of a log. Stops the work when that is requested.
pub struct Shown<'a> {
    has_bars: bool,
    log: Option<Log>,
    describe: Option<&'a (dyn Fn(&Plan) -> String + Sync)>,
    bar: RwLock<Option<Bar>>,
}

impl<'a> Shown<'a> {
    /// Shows bars unless it is quiet or there is a log. `describe` makes the note that precedes a solve.
    pub fn new(is_quiet: bool, log: Option<Log>, describe: Option<&'a (dyn Fn(&Plan) -> String + Sync)>) -> Shown<'a> {
        Shown { has_bars: !is_quiet && log.is_none(), log, describe, bar: RwLock::default() }
    }

    /// Clears the bar, and then makes the next one.
    fn replace_bar(&self, make: impl FnOnce() -> Option<Bar>) {
        let mut bar = self.bar.write().unwrap_or_else(PoisonError::into_inner);
        *bar = None;
        *bar = make();
    }

    fn with_bar(&self, show: impl Fn(&Bar)) {
        self.bar.read().unwrap_or_else(PoisonError::into_inner).iter().for_each(show);
    }
}

impl Progress for Shown<'_> {
    fn planned(&self, plan: &Plan) {
        self.replace_bar(|| None);
        if let Some(describe) = self.describe {
            failure::print_note(&describe(plan));
        }
    }

    fn begin(&self, stage: Stage, steps: u64, done: u64) {
        let (name, unit) = match stage {
            Stage::Resume => ("reading the finished tiers: ", "bytes"),
            Stage::Sweep => ("finding the legal positions: ", "entries"),
            Stage::Files => ("reading files: ", "tiers"),
            Stage::Values => ("recomputing values: ", "entries"),
            Stage::Legal => ("counting legal positions: ", "entries"),
            Stage::Search => ("searching forward: ", "positions"),
            Stage::Solve | Stage::List => ("", "entries"),
            Stage::Sample => ("", "positions"),
            Stage::Unforced => ("", "plies"),
        };
        self.replace_bar(|| self.has_bars.then(|| Bar::of_stage(name, unit, steps, done)));
        if let Some(log) = &self.log {
            log.stage(stage, steps, done);
        }
    }

    fn tier(&self, ply: u32, entries: u64) {
        self.with_bar(|bar| bar.tier(ply, entries));
    }

    fn done(&self, _: Stage, steps: u64) {
        self.with_bar(|bar| bar.add(steps));
    }

    fn tier_done(&self, stage: Stage, ply: u32, count: u64, bytes: u64) {
        if let Some(log) = &self.log {
            log.tier_done(stage, ply, count, bytes);
        }
    }

    fn tier_shared(&self, shares: &[Share]) {
        if let Some(log) = &self.log {
            log.tier_shared(shares);
        }
    }

    fn starts_over(&self, why: &FileError) {
        failure::print_warning(&format!("cannot resume; starting over: {why}"));
    }

    fn is_stopped(&self) -> bool {
        interrupt::is_asked()
    }
}

/// A line with the number of nodes that a search has visited, until it is dropped. Draws nothing without a terminal.
pub struct Spinner(Option<ProgressBar>);

impl Spinner {
    /// Begins to show the nodes that a monitor has counted, and the time since a search began.
    pub fn since(monitor: &Arc<Monitor>, begun: Instant) -> Spinner {
        if !is_visible() {
            return Spinner(None);
        }
        let monitor = Arc::clone(monitor);
        let style = ProgressStyle::with_template(SEARCH_TEMPLATE)
            .unwrap_or_else(|_| ProgressStyle::default_spinner())
            .with_key("nodes", move |_: &ProgressState, out: &mut dyn Write| {
                let _ = write!(out, "{}", grouped(u128::from(monitor.nodes())));
            });
        let spinner = ProgressBar::new_spinner().with_style(style).with_elapsed(begun.elapsed());
        spinner.enable_steady_tick(TICK);
        Spinner(Some(spinner))
    }

    /// Adds what was found out to the line.
    pub fn tell(&self, news: &str) {
        if let Some(spinner) = &self.0 {
            spinner.set_message(format!("{}; {news}", spinner.message()));
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(spinner) = &self.0 {
            spinner.finish_and_clear();
        }
    }
}
