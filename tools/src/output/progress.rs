//! Progress lines on standard error, for a terminal: a bar for work of known size, a spinner for a search.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use fourbase::search::Monitor;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::number::grouped;

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

/// A line with a bar that counts, until it is dropped. Draws nothing before it begins, nor without a terminal.
pub struct Bar {
    /// What is done, to begin the line with; nothing where the command says it.
    stage: &'static str,
    /// What is counted, such as "games".
    unit: &'static str,
    line: OnceLock<ProgressBar>,
}

impl Bar {
    /// Makes a bar that begins later.
    pub fn new(unit: &'static str) -> Bar {
        Bar { stage: "", unit, line: OnceLock::new() }
    }

    /// Makes a bar and begins it at 0 of `all`.
    pub fn begun(unit: &'static str, all: u64) -> Bar {
        let bar = Bar::new(unit);
        bar.begin(all, 0);
        bar
    }

    /// Makes a bar whose line begins with the name of the stage, and begins it at `done` of `all`.
    pub fn of_stage(stage: &'static str, unit: &'static str, all: u64, done: u64) -> Bar {
        let bar = Bar { stage, unit, line: OnceLock::new() };
        bar.begin(all, done);
        bar
    }

    /// Begins to count to `all`. Earlier work, `done`, counts in the percentage but not in the rate.
    pub fn begin(&self, all: u64, done: u64) {
        if !is_visible() {
            return;
        }
        let Bar { stage, unit, .. } = *self;
        let stage = if stage.is_empty() { String::new() } else { format!("{stage}: ") };
        let style = ProgressStyle::with_template(TEMPLATE)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ")
            .with_key("rate", move |state: &ProgressState, out: &mut dyn Write| {
                let _ = write!(out, "{} {unit}/s", grouped(state.per_sec() as u128));
            })
            .with_key("left", |state: &ProgressState, out: &mut dyn Write| {
                let _ = write!(out, "{} left", HumanDuration(state.eta()));
            });
        let line = self.line.get_or_init(|| {
            let line = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::hidden());
            line.with_style(style).with_message(format!("{stage}{} {unit}", grouped(all.into()))).with_position(done)
        });
        // The rate forgets earlier work only after it was told about it, which happens while the line is hidden.
        line.tick();
        line.reset_eta();
        line.set_draw_target(ProgressDrawTarget::stderr());
        line.enable_steady_tick(TICK);
    }

    /// Replaces the text before the bar by the tier that is worked on.
    pub fn tier(&self, ply: u32, entries: u64) {
        if let Some(line) = self.line.get() {
            line.set_message(format!("ply {ply}, {} {}", grouped(entries.into()), self.unit));
        }
    }

    /// Counts some more.
    pub fn add(&self, count: u64) {
        if let Some(line) = self.line.get() {
            line.inc(count);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(line) = self.line.get() {
            line.finish_and_clear();
        }
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
