//! Watches long questions from a separate thread. On a terminal it shows how many nodes they have searched; elsewhere it prints a
//! note that a question takes long. One thread watches all questions, because a batch asks thousands a second.

use std::io::{self, IsTerminal};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fourbase::search::Monitor;
use indicatif::ProgressBar;

use crate::failure;
use crate::output::progress;

/// How long a search runs before a note says that it takes long.
const BEFORE_NOTE: Duration = Duration::from_secs(1);

/// How long a search runs before a terminal shows its nodes.
const BEFORE_SPINNER: Duration = Duration::from_millis(200);

/// How long the thread sleeps between two looks at the questions.
const PAUSE: Duration = Duration::from_millis(50);

/// Watches the questions of one analyst.
pub struct Watcher(Arc<Shared>);

/// The watch over a question; dropping it ends the watch.
pub struct Watch {
    monitor: Arc<Monitor>,
    shared: Arc<Shared>,
}

/// The data that the watching thread shares with the threads that ask questions.
struct Shared {
    state: Mutex<State>,
    /// The note to print if a question takes long.
    note: String,
    /// Whether standard error is a terminal.
    is_visible: bool,
}

#[derive(Default)]
struct State {
    questions: Vec<Question>,
    has_thread: bool,
    /// Whether the note was printed already, or is never needed.
    is_noted: bool,
}

struct Question {
    monitor: Arc<Monitor>,
    begun: Instant,
    /// Whether the question has run long enough for its nodes or the note to be shown.
    is_long: bool,
    spinner: Option<ProgressBar>,
    /// Facts about the position that are known and not shown yet.
    news: Vec<String>,
}

impl Watcher {
    /// Makes a watcher of questions whose time limit is `time`. If standard error is not a terminal, `note` is printed once, when a
    /// question first takes long. A terminal shows the nodes instead.
    pub fn new(time: Option<Duration>, note: String) -> Watcher {
        let is_visible = io::stderr().is_terminal();
        let is_noted = time.is_some_and(|time| time <= patience(is_visible));
        let state = Mutex::new(State { is_noted, ..State::default() });
        Watcher(Arc::new(Shared { state, note, is_visible }))
    }

    /// Begins to watch the question that `monitor` belongs to.
    pub fn begin(&self, monitor: &Arc<Monitor>) -> Watch {
        let mut state = self.0.lock();
        if !state.has_thread {
            let shared = Arc::downgrade(&self.0);
            let watch = move || {
                while let Some(shared) = shared.upgrade() {
                    shared.look();
                    drop(shared);
                    thread::sleep(PAUSE);
                }
            };
            // If the thread cannot be started, the search goes on unwatched.
            state.has_thread = thread::Builder::new().name("watch".to_owned()).spawn(watch).is_ok();
        }
        let (monitor, begun) = (Arc::clone(monitor), Instant::now());
        let watch = Watch { monitor: Arc::clone(&monitor), shared: Arc::clone(&self.0) };
        state.questions.push(Question { monitor, begun, is_long: false, spinner: None, news: Vec::new() });
        watch
    }
}

impl Watch {
    /// Shows a fact that was found out, once the question takes long: on a terminal in the line with the nodes, elsewhere as a
    /// note.
    pub fn tell(&self, news: String) {
        let mut state = self.shared.lock();
        let is_own = |question: &&mut Question| Arc::ptr_eq(&question.monitor, &self.monitor);
        let Some(question) = state.questions.iter_mut().find(is_own) else { return };
        match &question.spinner {
            Some(spinner) => progress::tell(spinner, &news),
            None if question.is_long => {
                // Writing to standard error may block, and the watching thread must not wait for it.
                drop(state);
                failure::print_note(&news);
            }
            None => question.news.push(news),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.lock().questions.retain(|question| !Arc::ptr_eq(&question.monitor, &self.monitor));
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the questions that take long.
    fn look(&self) {
        let mut notes = Vec::new();
        let State { questions, is_noted, .. } = &mut *self.lock();
        for question in questions {
            if *is_noted || question.is_long || question.begun.elapsed() < patience(self.is_visible) {
                continue;
            }
            question.is_long = true;
            if self.is_visible {
                let spinner = progress::spinner(&question.monitor, question.begun);
                question.news.drain(..).for_each(|news| progress::tell(&spinner, &news));
                question.spinner = Some(spinner);
            } else {
                *is_noted = true;
                notes.push(self.note.clone());
                notes.append(&mut question.news);
            }
        }
        notes.iter().for_each(|note| failure::print_note(note));
    }
}

fn patience(is_visible: bool) -> Duration {
    if is_visible { BEFORE_SPINNER } else { BEFORE_NOTE }
}
