//! Watches questions from a thread of its own: shows their nodes on a terminal, says elsewhere that one takes long, and ends
//! those whose time is over. One thread serves all questions, because a batch asks thousands a second.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fourbase::search::Monitor;

use crate::failure;
use crate::progress::{self, Spinner};

/// How long a search takes before a note says that it goes on.
const BEFORE_NOTE: Duration = Duration::from_secs(1);

/// How long a search takes before a terminal shows its nodes.
const BEFORE_SPINNER: Duration = Duration::from_millis(200);

/// Watches the questions of one asker.
pub struct Watcher {
    /// The longest time of a question.
    time: Option<Duration>,
    shared: Arc<Shared>,
}

/// A question that is watched until this is dropped.
pub struct Watch {
    number: u64,
    shared: Arc<Shared>,
}

/// What the thread shares with those who ask.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// What is said of a question that takes long.
    note: String,
    /// Whether there is a terminal.
    is_visible: bool,
}

struct State {
    questions: Vec<Question>,
    next_number: u64,
    /// When the thread looks again by itself.
    wakes: Option<Instant>,
    has_thread: bool,
    is_noted: bool,
    is_ended: bool,
}

struct Question {
    number: u64,
    monitor: Arc<Monitor>,
    begun: Instant,
    /// When to show or to say that it takes long.
    tell: Option<Instant>,
    spinner: Option<Spinner>,
    /// What is known so far, and is not shown yet.
    news: Vec<String>,
    /// When its time is over.
    end: Option<Instant>,
    is_over: bool,
}

impl Watcher {
    /// Gives each question at most `time`. `note` is printed once, when a question first takes long, and only without a
    /// terminal, on which the nodes are shown instead.
    pub fn new(time: Option<Duration>, note: String) -> Watcher {
        let state = State {
            questions: Vec::new(),
            next_number: 0,
            wakes: None,
            has_thread: false,
            is_noted: false,
            is_ended: false,
        };
        let (state, changed, is_visible) = (Mutex::new(state), Condvar::new(), progress::is_visible());
        Watcher { time, shared: Arc::new(Shared { state, changed, note, is_visible }) }
    }

    /// Begins to watch a question.
    pub fn begin(&self, monitor: &Arc<Monitor>) -> Watch {
        let mut state = self.shared.lock();
        if !state.has_thread {
            let shared = Arc::clone(&self.shared);
            // Without the thread the search goes on unwatched.
            state.has_thread = thread::Builder::new().name("watch".to_owned()).spawn(move || shared.run()).is_ok();
        }
        let now = Instant::now();
        let patience = if self.shared.is_visible { BEFORE_SPINNER } else { BEFORE_NOTE };
        let is_told = state.is_noted || self.time.is_some_and(|time| time <= patience);
        let number = state.next_number;
        state.next_number += 1;
        let question = Question {
            number,
            monitor: Arc::clone(monitor),
            begun: now,
            tell: (!is_told).then_some(now + patience),
            spinner: None,
            news: Vec::new(),
            end: self.time.and_then(|time| now.checked_add(time)),
            is_over: false,
        };
        let is_sooner = question.next().is_some_and(|next| state.wakes.is_none_or(|wakes| next < wakes));
        state.questions.push(question);
        drop(state);
        if is_sooner {
            self.shared.changed.notify_one();
        }
        Watch { number, shared: Arc::clone(&self.shared) }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.shared.lock().is_ended = true;
        self.shared.changed.notify_one();
    }
}

impl Watch {
    /// Shows what was found out, if the question takes long enough for that: on a terminal in the line with the nodes,
    /// elsewhere as a note.
    pub fn tell(&self, news: String) {
        let mut state = self.shared.lock();
        let is_noted = state.is_noted;
        let Some(question) = state.questions.iter_mut().find(|question| question.number == self.number) else { return };
        question.news.push(news);
        if let Some(spinner) = &question.spinner {
            question.news.drain(..).for_each(|news| spinner.tell(&news));
        } else if is_noted && question.tell.is_none() {
            let news = std::mem::take(&mut question.news);
            // Standard error may block, and the thread should not wait for that.
            drop(state);
            news.iter().for_each(|news| failure::print_note(news));
        }
    }

    /// Tells whether the question was ended because its time is over.
    pub fn is_over(&self) -> bool {
        self.shared.lock().questions.iter().any(|question| question.number == self.number && question.is_over)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.lock().questions.retain(|question| question.number != self.number);
    }
}

impl Question {
    /// When the thread has something to do for it.
    fn next(&self) -> Option<Instant> {
        [self.tell, self.end].into_iter().flatten().min()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what is due, and sleeps until something else is.
    fn run(&self) {
        let mut state = self.lock();
        while !state.is_ended {
            if let Some(news) = self.look(&mut state) {
                // Standard error may block, and nobody should wait for that.
                drop(state);
                failure::print_note(&self.note);
                news.iter().for_each(|news| failure::print_note(news));
                state = self.lock();
                continue;
            }
            let now = Instant::now();
            let next = state.questions.iter().filter_map(Question::next).min();
            state.wakes = next;
            state = match next {
                Some(next) => {
                    let wait = self.changed.wait_timeout(state, next.saturating_duration_since(now));
                    wait.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Does what is due, and returns what is known so far if the note is to be printed.
    fn look(&self, state: &mut State) -> Option<Vec<String>> {
        let now = Instant::now();
        let mut noted = None;
        let State { questions, is_noted, .. } = state;
        for question in questions {
            if question.tell.is_some_and(|tell| tell <= now) {
                question.tell = None;
                if self.is_visible {
                    let spinner = Spinner::since(&question.monitor, question.begun);
                    question.news.drain(..).for_each(|news| spinner.tell(&news));
                    question.spinner = Some(spinner);
                } else if !std::mem::replace(is_noted, true) {
                    noted = Some(std::mem::take(&mut question.news));
                }
            }
            if question.end.is_some_and(|end| end <= now) {
                question.end = None;
                question.is_over = true;
                question.monitor.cancel();
            }
        }
        noted
    }
}
