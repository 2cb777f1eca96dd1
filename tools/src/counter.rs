//! How many games or positions are done, on standard error, for a terminal.

use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use crate::progress;
use crate::size::grouped;

/// How the line looks; the name of what is counted comes between.
const TEMPLATE: &str = "{msg} [{wide_bar}] {percent:>3}%  {rate}  {left}";

/// How often the line is drawn anew while nothing is done.
const TICK: Duration = Duration::from_millis(200);

/// A bar that counts, until it is dropped; nothing where nobody would see it.
pub struct Counter(Option<ProgressBar>);

impl Counter {
    /// Begins to count `what`, such as "games", up to `all`.
    pub fn begin(all: u64, what: &'static str) -> Counter {
        if !progress::is_visible() {
            return Counter(None);
        }
        let style = ProgressStyle::with_template(TEMPLATE)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ")
            .with_key("rate", move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{} {what}/s", grouped(state.per_sec() as u128));
            })
            .with_key("left", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{} left", HumanDuration(state.eta()));
            });
        let bar = ProgressBar::new(all).with_style(style).with_message(format!("{} {what}", grouped(all.into())));
        bar.enable_steady_tick(TICK);
        Counter(Some(bar))
    }

    /// Counts some more.
    pub fn add(&self, count: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(count);
        }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
