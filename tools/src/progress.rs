//! Progress on standard error, for a terminal: the tier, entries per second, time left.

use std::io::IsTerminal;
use std::time::Duration;

use fourbase_tiers::solve::Progress;
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use crate::size;

/// How the line looks. Its parts are as wide as their contents, the bar takes what is left.
const TEMPLATE: &str = "{msg} [{wide_bar}] {percent:>3}%  {rate}  {left}";

/// How often the line is drawn anew while nothing finishes, so that the time goes on.
const TICK: Duration = Duration::from_millis(200);

/// Returns whether anybody would see progress.
pub fn is_visible() -> bool {
    std::io::stderr().is_terminal()
}

/// A line with a bar that counts entries, as they are solved or looked at; nothing where nobody would see it.
pub struct Bar(ProgressBar);

impl Bar {
    /// Begins a bar of `entries` entries.
    pub fn new(entries: u64) -> Bar {
        if !is_visible() {
            return Bar(ProgressBar::hidden());
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
        let bar = ProgressBar::new(entries).with_style(style).with_message("begin");
        bar.enable_steady_tick(TICK);
        Bar(bar)
    }

    /// Takes the line away.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Progress for Bar {
    fn tier(&self, ply: u32, entries: u64) {
        self.0.set_message(format!("ply {ply}, {} entries", size::grouped(entries.into())));
    }

    fn solved(&self, entries: u64) {
        self.0.inc(entries);
    }
}
