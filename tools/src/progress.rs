//! Progress on standard error, for a terminal: the tier, entries per second, time left.

use std::io::IsTerminal;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fourbase::search::Monitor;
use fourbase_tiers::solve::Progress;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::size;

/// How the line looks. Its parts are as wide as their contents, the bar takes what is left.
const TEMPLATE: &str = "{msg} [{wide_bar}] {percent:>3}%  {rate}  {left}";

/// How the line of a search looks, whose end nobody knows.
const SEARCH_TEMPLATE: &str = "{spinner} searching, {nodes} nodes, {elapsed}";

/// How often the line is drawn anew while nothing finishes, so that the time goes on.
const TICK: Duration = Duration::from_millis(200);

/// Returns whether anybody would see progress.
pub fn is_visible() -> bool {
    std::io::stderr().is_terminal()
}

/// A line with a bar that counts entries, as they are solved or looked at; nothing where nobody would see it, nor before
/// it has begun.
#[derive(Default)]
pub struct Bar(OnceLock<ProgressBar>);

impl Bar {
    /// Makes a bar that is to begin later.
    pub fn new() -> Bar {
        Bar::default()
    }

    /// Begins a bar of `entries` entries, of which `done` are done already: they count in the percentage, not in the
    /// rate.
    pub fn begin(&self, entries: u64, done: u64) {
        if !is_visible() {
            return;
        }
        let style = ProgressStyle::with_template(TEMPLATE)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ")
            .with_key("rate", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{} entries/s", size::grouped(state.per_sec() as u128));
            })
            .with_key("left", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{} left", HumanDuration(state.eta()));
            });
        let bar = self.0.get_or_init(|| {
            let bar = ProgressBar::with_draw_target(Some(entries), ProgressDrawTarget::hidden());
            bar.with_style(style).with_message("begin").with_position(done)
        });
        // The rate forgets what was done before only once it has heard of it, which is not to be seen.
        bar.tick();
        bar.reset_eta();
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.enable_steady_tick(TICK);
    }

    /// Takes the line away.
    pub fn finish(&self) {
        if let Some(bar) = self.0.get() {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bar {
    fn tier(&self, ply: u32, entries: u64) {
        if let Some(bar) = self.0.get() {
            bar.set_message(format!("ply {ply}, {} entries", size::grouped(entries.into())));
        }
    }

    fn solved(&self, entries: u64) {
        if let Some(bar) = self.0.get() {
            bar.inc(entries);
        }
    }
}

/// A line that tells how many nodes a search has visited, until it is dropped; nothing where nobody would see it.
pub struct Spinner(Option<ProgressBar>);

impl Spinner {
    /// Begins to tell what a monitor knows.
    pub fn begin(monitor: &Arc<Monitor>) -> Spinner {
        if !is_visible() {
            return Spinner(None);
        }
        let (monitor, before) = (Arc::clone(monitor), monitor.nodes());
        let style = ProgressStyle::with_template(SEARCH_TEMPLATE)
            .unwrap_or_else(|_| ProgressStyle::default_spinner())
            .with_key("nodes", move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{}", size::grouped(u128::from(monitor.nodes() - before)));
            });
        let spinner = ProgressBar::new_spinner().with_style(style);
        spinner.enable_steady_tick(TICK);
        Spinner(Some(spinner))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(spinner) = &self.0 {
            spinner.finish_and_clear();
        }
    }
}
