//! Progress on standard error. A terminal shows a bar for work of known size and a spinner for a search. With `--log`, a line for
//! each finished tier is written instead, which is the record of a long solve or verification.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use anstream::adapter::strip_str;
use fourbase::Board;
use fourbase::search::Monitor;
use fourbase_tiers::files::{FileError, bytes, grouped};
use fourbase_tiers::memory;
use fourbase_tiers::progress::{Progress, Share, Stage};
use fourbase_tiers::solve::Plan;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressState, ProgressStyle};

use super::work::Work;
use super::{duration, scaled};
use crate::{failure, interrupt};

/// The layout of a line with a bar. All parts but the bar have fixed widths, so that nothing jumps, and fit in 80 columns. The bar
/// takes the rest of the line.
const TEMPLATE: &str = "{msg:36!} {percent:>3} %  {rate:>9}  {left:>16} {wide_bar}";

/// The layout of a search's line, which has a spinner instead of a bar because a search has no known end.
const SEARCH_TEMPLATE: &str = "{spinner} searching, {nodes} nodes, {elapsed}{msg}";

/// How long a line stays until it is drawn again without news, so that its times stay right.
const TICK: Duration = Duration::from_millis(200);

/// A line with a bar of finished steps, shown until it is dropped. Draws nothing if standard error is not a terminal.
pub struct Bar {
    /// The name of the stage, which begins the line; empty if the command implies the stage.
    stage: &'static str,
    /// What is counted, such as "games".
    unit: &'static str,
    /// The steps that an earlier run has done.
    before: u64,
    line: ProgressBar,
}

impl Bar {
    /// Begins a bar at 0 of `all`.
    pub fn begun(unit: &'static str, all: u64) -> Bar {
        Bar::of_stage("", unit, all, 0, 1.0, true)
    }

    /// Begins a bar at `done` of `all` steps; its line begins with the name of the stage. A step has `units` units, in which the
    /// rate is shown. Steps that were done earlier count in the percentage but not in the rate.
    fn of_stage(stage: &'static str, unit: &'static str, all: u64, done: u64, units: f64, is_shown: bool) -> Bar {
        let line = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::hidden()).with_position(done);
        if !is_shown || !std::io::stderr().is_terminal() {
            return Bar { stage, unit, before: done, line };
        }
        let style = ProgressStyle::with_template(TEMPLATE)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ")
            .with_key("rate", move |state: &ProgressState, out: &mut dyn Write| {
                // Show no rate before the first measurement, when it is 0.
                let rate = Some(state.per_sec()).filter(|rate| *rate > 0.0);
                let _ = rate.map(|rate| write!(out, "{}/s", scaled(rate * units)));
            })
            .with_key("left", |state: &ProgressState, out: &mut dyn Write| {
                let left = Some(state.eta().as_secs_f64().round()).filter(|_| state.per_sec() > 0.0);
                let _ = left.map(|left| write!(out, "{} left", duration(left)));
            });
        let line = line.with_style(style).with_message(format!("{stage}{} {unit}", scaled(all as f64 * units)));
        let line = line.with_finish(ProgressFinish::AndClear);
        // `tick` makes the rate see the earlier work, and `reset_eta` makes it forget that. Both happen while the line is hidden.
        line.tick();
        line.reset_eta();
        line.set_draw_target(ProgressDrawTarget::stderr());
        line.enable_steady_tick(TICK);
        Bar { stage, unit, before: done, line }
    }

    /// Shows the tier in progress in the line.
    fn tier(&self, ply: u32, entries: u64) {
        self.line.set_message(format!("{}ply {ply}, {} {}", self.stage, scaled(entries as f64), self.unit));
    }

    /// Adds `count` finished steps.
    pub fn add(&self, count: u64) {
        self.line.inc(count);
    }

    /// Writes how far the work has come, for a log.
    fn standing(&self) -> String {
        let (all, done) = (self.line.length().unwrap_or_default(), self.line.position());
        let each = self.line.elapsed().as_secs_f64() / done.saturating_sub(self.before).max(1) as f64;
        let percent = 100.0 * done as f64 / all.max(1) as f64;
        format!("{percent:5.1} % done, {:.0} s left", each * all.saturating_sub(done) as f64)
    }
}

/// Shows the progress of long work: a bar for each stage, or the lines of a log. Stops the work when that is requested.
pub struct Shown<'a> {
    has_bars: bool,
    /// When the log of a board began; `None` for no log.
    log: Option<(Board, Instant)>,
    describe: Option<&'a (dyn Fn(&Plan) -> String + Sync)>,
    state: RwLock<(Option<Bar>, Work)>,
}

impl<'a> Shown<'a> {
    /// Makes the progress display. It has bars unless `is_quiet` is set or there is a log, of the board `log`. `describe` writes the
    /// note before a solve.
    pub fn new(
        is_quiet: bool,
        log: Option<Board>,
        describe: Option<&'a (dyn Fn(&Plan) -> String + Sync)>,
    ) -> Shown<'a> {
        let (has_bars, log) = (!is_quiet && log.is_none(), log.map(|board| (board, Instant::now())));
        Shown { has_bars, log, describe, state: RwLock::default() }
    }

    fn state(&self) -> RwLockReadGuard<'_, (Option<Bar>, Work)> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self) -> RwLockWriteGuard<'_, (Option<Bar>, Work)> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Shown<'_> {
    fn planned(&self, plan: &Plan) {
        *self.change() = (None, Work::of(plan));
        if let Some(describe) = self.describe {
            failure::print_note(&describe(plan));
        }
    }

    fn begin(&self, stage: Stage, steps: u64, done: u64) {
        let (name, unit) = match stage {
            Stage::Resume => ("reading tiers: ", "bytes"),
            Stage::Sweep => ("sweeping: ", "entries"),
            Stage::Files => ("reading files: ", "tiers"),
            Stage::Values => ("recomputing: ", "entries"),
            Stage::Legal => ("counting: ", "entries"),
            Stage::Search => ("searching: ", "positions"),
            Stage::Solve | Stage::List => ("", "entries"),
            Stage::Sample => ("", "positions"),
            Stage::Unforced => ("", "plies"),
        };
        let (bar, work) = &mut *self.change();
        let (steps, done, units) = match stage {
            Stage::Solve => (work.all(), work.of_entries(done), steps as f64 / work.all().max(1) as f64),
            _ => (steps, done, 1.0),
        };
        // The earlier bar is removed before the next one is drawn.
        *bar = None;
        *bar = Some(Bar::of_stage(name, unit, steps, done, units, self.has_bars));
        if let (Stage::Sweep, Some((board, _))) = (stage, &self.log) {
            failure::print_note(&format!("{board}: finding the legal positions first"));
        }
    }

    fn tier(&self, ply: u32, entries: u64) {
        let (bar, work) = &mut *self.change();
        work.begin(ply);
        bar.iter().for_each(|bar| bar.tier(ply, entries));
    }

    fn done(&self, stage: Stage, steps: u64) {
        let (bar, work) = &*self.state();
        let steps = if stage == Stage::Solve { work.of_some(steps) } else { steps };
        bar.iter().for_each(|bar| bar.add(steps));
    }

    fn tier_done(&self, stage: Stage, ply: u32, count: u64, file_bytes: u64) {
        let (bar, work) = &*self.state();
        if let (Stage::Solve, Some(bar)) = (stage, bar) {
            // The parts of a tier were rounded.
            bar.line.set_position(work.of_done());
        }
        let Some((_, start)) = &self.log else { return };
        let what = match (stage, bar) {
            (Stage::Solve, Some(bar)) => format!("entries  file {:>10}  {}", bytes(file_bytes.into()), bar.standing()),
            (Stage::Files, _) => "blocks read".to_owned(),
            (Stage::Values, _) => "values recomputed".to_owned(),
            (Stage::Legal, _) => "legal positions counted".to_owned(),
            (Stage::Search, _) => "positions searched".to_owned(),
            _ => return,
        };
        failure::print_note(&format!(
            "{:9.1} s  ply {ply:2}  {:>19} {what}, peak memory {}",
            start.elapsed().as_secs_f64(),
            grouped(count.into()),
            memory::peak_bytes().map_or_else(|| "?".to_string(), |peak| bytes(peak.into())),
        ));
    }

    /// Logs how long several processes waited for each other to solve a tier, and how many bytes they sent and wrote.
    fn tier_shared(&self, shares: &[Share]) {
        if self.log.is_none() {
            return;
        }
        let sum = |of: fn(&Share) -> f64| shares.iter().map(of).sum::<f64>();
        let waited = sum(|share| share.waited.as_secs_f64()) / sum(|share| share.took.as_secs_f64()).max(1e-9);
        let messages: u64 = shares.iter().map(|share| share.bytes).sum();
        let written: u64 = shares.iter().map(|share| share.written).sum();
        failure::print_note(&format!(
            "{:22}{} processes waited {:.1} % of their time, {} of messages, {} written",
            "",
            shares.len(),
            100.0 * waited,
            bytes(messages.into()),
            bytes(written.into())
        ));
    }

    fn starts_over(&self, why: &FileError) {
        failure::print_warning(&format!("cannot resume; starting over: {why}"));
    }

    fn is_stopped(&self) -> bool {
        interrupt::is_asked()
    }
}

/// Shows on a terminal the nodes that a monitor has counted, and the time since a search began, until the line is dropped.
pub fn spinner(monitor: &Arc<Monitor>, begun: Instant) -> ProgressBar {
    let monitor = Arc::clone(monitor);
    let style = ProgressStyle::with_template(SEARCH_TEMPLATE)
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
        .with_key("nodes", move |_: &ProgressState, out: &mut dyn Write| {
            let _ = write!(out, "{}", grouped(u128::from(monitor.nodes())));
        });
    let spinner = ProgressBar::new_spinner().with_style(style).with_elapsed(begun.elapsed());
    spinner.enable_steady_tick(TICK);
    spinner.with_finish(ProgressFinish::AndClear)
}

/// Shows the latest finding in the line of the spinner, without its colours.
pub fn tell(spinner: &ProgressBar, news: &str) {
    spinner.set_message(format!("; {}", strip_str(news)));
}
