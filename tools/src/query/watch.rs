//! Watches one question from another thread: shows its nodes, says after two seconds that it takes long, and ends it when
//! its time is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use fourbase::search::Monitor;

use crate::failure;
use crate::progress::{self, Spinner};

/// How long a search takes before a note says that it goes on.
const PATIENCE: Duration = Duration::from_secs(2);

/// A question that is watched until this is dropped.
pub struct Watch {
    _spinner: Option<Spinner>,
    /// Ends the thread when it is dropped.
    _end: Option<mpsc::Sender<()>>,
}

impl Watch {
    /// Begins to watch. `note` is printed at most once as long as `is_noted` says so, and only without a terminal, on which
    /// the nodes are shown instead.
    pub fn begin(monitor: &Arc<Monitor>, time: Option<Duration>, note: String, is_noted: &Arc<AtomicBool>) -> Watch {
        let spinner = progress::is_visible().then(|| Spinner::begin(monitor));
        let has_note = spinner.is_none() && !is_noted.load(Relaxed);
        if time.is_none() && !has_note {
            return Watch { _spinner: spinner, _end: None };
        }
        let (sender, ended) = mpsc::channel();
        let (monitor, is_noted) = (Arc::clone(monitor), Arc::clone(is_noted));
        let time = time.unwrap_or(Duration::MAX);
        let watch = move || {
            let is_over = |wait: Duration| ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout);
            let patience = if has_note { PATIENCE.min(time) } else { Duration::ZERO };
            if has_note && is_over(patience) && patience < time && !is_noted.swap(true, Relaxed) {
                failure::print_note(&note);
            }
            if time < Duration::MAX && is_over(time - patience) {
                monitor.cancel();
            }
        };
        // Without the thread the search goes on unwatched.
        let thread = thread::Builder::new().name("watch".to_owned()).spawn(watch);
        Watch { _spinner: spinner, _end: thread.is_ok().then_some(sender) }
    }
}
