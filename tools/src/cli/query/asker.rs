//! Asks an answerer for the program: with the limits of `--nodes` and `--seconds`, a spinner or a note while it searches,
//! and errors and notes that say what the user can do.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Error, anyhow};
use fourbase::search::Monitor;
use fourbase::{Outcome, Player, Position};
use fourbase_tiers::answer::{AnswerError, Answerer, KnownMove, Limits, News, Question};
use fourbase_tiers::database::{Database, Move};

use super::found::Found;
use super::watch::{Watch, Watcher};
use crate::number::counted;
use crate::{interrupt, remedy, wording};

/// How many positions of a batch are answered together where the limit of nodes allows for seconds each.
const AT_ONCE_SEARCHED: usize = 16;

/// How many, where the database searches some of them: enough for all threads, few enough that answers keep coming.
const AT_ONCE_KEPT: usize = 256;

/// The nodes of a quick search.
pub const QUICK_NODES: u64 = 10_000;

/// How far one question may go.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The most nodes; `None` for no limit.
    pub nodes: Option<u64>,
    /// The longest time; `None` for no limit.
    pub time: Option<Duration>,
}

/// An answerer, and what the program adds to it. Threads share it.
pub struct Asker {
    answerer: Arc<dyn Answerer>,
    reach: Reach,
    /// The folder in which there is no database of the board, if that is why everything is searched.
    missing_in: Option<PathBuf>,
    /// Whether any question so far was searched.
    has_searched: AtomicBool,
    watcher: Watcher,
    /// The command that solves a board without a database; unknown before it is needed.
    solve_first: OnceLock<Option<String>>,
}

impl Asker {
    /// Allows each question to go as far as `reach`.
    pub fn new(answerer: Arc<dyn Answerer>, reach: Reach) -> Asker {
        let watcher = Watcher::new(reach.time, note_of_long_search(&*answerer, reach));
        let (has_searched, solve_first) = (AtomicBool::new(false), OnceLock::new());
        Asker { answerer, reach, missing_in: None, has_searched, watcher, solve_first }
    }

    /// Says with the answers that they are searched because a folder has no database of the board.
    pub fn with_missing_in(mut self, root: &Path) -> Asker {
        self.missing_in = Some(root.to_path_buf());
        self
    }

    /// Asks one question, which may have several parts.
    ///
    /// # Errors
    ///
    /// Why there is no answer, and what to do.
    pub fn ask<T>(
        &self,
        parts: impl FnOnce(&dyn Answerer, &mut Question) -> Result<T, AnswerError>,
    ) -> anyhow::Result<T> {
        let (limits, watch) = self.begin(self.reach.nodes);
        let mut question = Question::new(limits);
        let answer = parts(&*self.answerer, &mut question);
        self.has_searched.fetch_or(question.work().has_searched(), Relaxed);
        answer.map_err(|error| self.explain(error, watch.as_deref()))
    }

    /// Asks for the moves of a position, best first.
    ///
    /// # Errors
    ///
    /// The same as [`Asker::ask`].
    pub fn moves(&self, position: &Position) -> anyhow::Result<Vec<Move>> {
        self.ask(|answerer, question| answerer.moves(position, question))
    }

    /// Finds out what the limits allow for about a position: its outcome, its moves, and best play if `with_line` is set.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub fn find(&self, position: &Position, with_line: bool) -> anyhow::Result<Found<Error>> {
        self.find_within(position, with_line, self.reach.nodes, false)
    }

    /// Finds out everything like [`Asker::find`], with best play. Where that takes long, shows on standard error what is
    /// known so far: the value first, then move after move.
    ///
    /// # Errors
    ///
    /// The same as [`Asker::find`].
    pub fn find_and_show(&self, position: &Position) -> anyhow::Result<Found<Error>> {
        self.find_within(position, true, self.reach.nodes, true)
    }

    /// Finds out what takes a millisecond or less, where a longer search of a related position gave no answer.
    ///
    /// # Errors
    ///
    /// The same as [`Asker::find`].
    pub fn find_quickly(&self, position: &Position) -> anyhow::Result<Found<Error>> {
        let nodes = self.reach.nodes.map_or(QUICK_NODES, |nodes| nodes.min(QUICK_NODES));
        self.find_within(position, false, Some(nodes), false)
    }

    fn find_within(
        &self,
        position: &Position,
        with_line: bool,
        nodes: Option<u64>,
        is_shown: bool,
    ) -> anyhow::Result<Found<Error>> {
        let (limits, watch) = self.begin(nodes);
        let mut question = Question::new(limits);
        if let Some(watch) = watch.clone().filter(|_| is_shown) {
            let to_move = position.to_move();
            question = question.with_listener(move |news| watch.tell(news_text(to_move, news)));
        }
        let found = Found::of(&*self.answerer, position, with_line, &mut question);
        self.has_searched.fetch_or(question.work().has_searched(), Relaxed);
        let found = found.map_err(|error| self.explain(error, watch.as_deref()))?;
        Ok(found.explained(|error| self.explain(error, watch.as_deref())))
    }

    /// Asks what a position is worth; its value alone where the remoteness is beyond the limits.
    ///
    /// # Errors
    ///
    /// The same as [`Asker::ask`].
    fn outcome(&self, position: &Position) -> anyhow::Result<Outcome> {
        self.ask(|answerer, question| {
            let known = answerer.known_outcome(position, question)?;
            known.ok_or_else(|| AnswerError::of_limit(question, answerer.board()))
        })
    }

    /// Asks what each of some positions is worth; each is a question of its own.
    pub fn outcomes(&self, positions: &[Position]) -> Vec<anyhow::Result<Outcome>> {
        // Searches of a database beyond the plies that it keeps listen to the monitor of a single question alone.
        if self.may_search() || self.reach.time.is_some() && self.keep_plies().is_some() {
            return positions.iter().map(|position| self.outcome(position)).collect();
        }
        let (limits, watch) = self.begin(self.reach.nodes);
        let outcomes = self.answerer.outcomes(positions, &limits);
        outcomes.into_iter().map(|outcome| outcome.map_err(|error| self.explain(error, watch.as_deref()))).collect()
    }

    /// Returns how many positions of a batch to answer together.
    pub fn at_once(&self) -> usize {
        match (self.answerer.may_search(), self.keep_plies()) {
            // The time is that of one position.
            (true, _) | (_, Some(_)) if self.reach.time.is_some() => 1,
            (true, _) => AT_ONCE_SEARCHED,
            (false, Some(_)) => AT_ONCE_KEPT,
            (false, None) => usize::MAX,
        }
    }

    /// Tells whether answers may take searches within the limits of a question.
    pub fn may_search(&self) -> bool {
        self.answerer.may_search()
    }

    /// Says where the answers so far come from, if not only from a database.
    pub fn note(&self) -> Option<String> {
        let has_searched = self.has_searched.load(Relaxed);
        let Some(database) = self.answerer.database() else {
            let root = wording::path(self.missing_in.as_ref()?);
            return Some(format!("searched forward: no database of {} in {root}", self.answerer.board()));
        };
        let folder = wording::database(database);
        if !self.answerer.may_search() {
            let kept = wording::kept(database.manifest().keep_plies());
            match (database.searched() > 0, database.is_embedded()) {
                (true, true) => Some(format!("from {folder} ({kept}); later positions searched forward")),
                (true, false) => Some(format!("searched forward: {folder} keeps {kept}")),
                (false, true) => Some(format!("from {folder}")),
                (false, false) => None,
            }
        } else if database.is_complete() {
            has_searched.then(|| format!("remoteness searched forward: {folder} has values alone"))
        } else {
            has_searched.then(|| format!("searched forward: {folder} is not solved to the end yet"))
        }
    }

    /// Returns the database that is asked, if there is one.
    pub fn database(&self) -> Option<&Database> {
        self.answerer.database()
    }

    /// Returns the deepest ply that the database keeps; `None` where it keeps all, or there is none.
    fn keep_plies(&self) -> Option<u32> {
        self.answerer.database().map(Database::manifest)?.keep_plies()
    }

    /// Returns the limits of a question, and what watches it if it may be searched.
    fn begin(&self, nodes: Option<u64>) -> (Limits, Option<Arc<Watch>>) {
        let monitor = Arc::new(Monitor::default());
        interrupt::watch(&monitor);
        let is_searched = self.answerer.may_search() || self.keep_plies().is_some();
        let watch = is_searched.then(|| Arc::new(self.watcher.begin(&monitor)));
        (Limits { nodes, monitor: Some(monitor) }, watch)
    }

    /// Says why there is no answer, and what to do.
    fn explain(&self, error: AnswerError, watch: Option<&Watch>) -> Error {
        let (limit, option) = match error {
            AnswerError::NodeLimit { nodes, .. } => (counted(nodes, "node"), "--nodes"),
            AnswerError::Cancelled { .. } if watch.is_some_and(Watch::is_over) => {
                (seconds(self.reach.time.unwrap_or_default()), "--seconds")
            }
            AnswerError::Cancelled { nodes, .. } => return anyhow!("stopped after {}", counted(nodes, "node")),
            AnswerError::Database(error) => return error.into(),
            error => return error.into(),
        };
        let missing = self.missing_in.as_deref();
        let solve = || missing.and_then(|root| remedy::solve_first(self.answerer.board(), root));
        let remedy = remedy::after_limit(option, self.solve_first.get_or_init(solve).as_deref());
        anyhow!("not decided within {limit}; {remedy}")
    }
}

/// Says what was found out about a position.
fn news_text(to_move: Player, news: News) -> String {
    match news {
        News::Outcome(outcome) => wording::sentence(to_move, outcome),
        News::Move(KnownMove { column, outcome }) => {
            let column = wording::columns([column]);
            format!("column {column}: {}", outcome.map_or_else(|| "?".to_owned(), wording::outcome))
        }
    }
}

/// Says that a search takes long, and when it ends.
fn note_of_long_search(answerer: &dyn Answerer, reach: Reach) -> String {
    let end = match reach {
        Reach { time: Some(time), .. } => format!(", for at most {}", seconds(time)),
        Reach { nodes, .. } => nodes.map_or_else(String::new, |nodes| format!(", up to --nodes {nodes}")),
    };
    format!("{} is still being searched{end}", answerer.board())
}

/// Writes a time in words.
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    format!("{seconds} second{}", if seconds == 1.0 { "" } else { "s" })
}
