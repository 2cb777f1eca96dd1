//! The analyst of the command line. It applies the limits of `--nodes` and `--seconds`, shows a spinner or a note during a
//! search, and words errors and notes so that they say what the user can do.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::{Error, anyhow};
use fourbase::analysis::{Analysis, AnalysisError, Analyst, Budget};
use fourbase::notation::choice_of_columns;
use fourbase::search::Monitor;
use fourbase::{Outcome, Position};
use fourbase_tiers::database::{Database, DatabaseError};
use fourbase_tiers::files::counted;
use rayon::prelude::*;

use super::watch::{Watch, Watcher};
use crate::output::wording;
use crate::{failure, interrupt, remedy};

/// How many positions of a batch are answered at a time if each may take a search of some seconds.
const AT_ONCE_SEARCHED: usize = 16;

/// How many positions of a batch are answered at a time if the database answers most of them and some need a search: enough for all
/// threads, few enough that answers keep coming.
const AT_ONCE_KEPT: usize = 256;

/// An analyst with the limits, progress and messages of the command line. Threads share it.
pub struct LimitedAnalyst {
    /// The databases and searches, without the limits.
    pub analyst: Analyst<Database>,
    /// The most nodes of a question; `None` for no limit.
    nodes: Option<u64>,
    /// The longest time of a question; `None` for no limit.
    time: Option<Duration>,
    /// The folder that has no database of the board, if everything is searched for that reason.
    missing_in: Option<PathBuf>,
    /// Whether any question so far took a search.
    has_searched: AtomicBool,
    watcher: Watcher,
    /// The command that solves the board first, for a message about a board without a database. It is computed when first needed.
    solve_first: OnceLock<Option<String>>,
}

impl LimitedAnalyst {
    /// Makes an analyst whose questions may each take `nodes` nodes and `time`. If everything is searched because the
    /// folder `missing_in` has no database of the board, the answers say so.
    pub fn new(
        analyst: Analyst<Database>,
        nodes: Option<u64>,
        time: Option<Duration>,
        missing_in: Option<PathBuf>,
    ) -> LimitedAnalyst {
        let watcher = Watcher::new(time, note_of_long_search(&analyst, nodes, time));
        let (has_searched, solve_first) = (AtomicBool::new(false), OnceLock::new());
        LimitedAnalyst { analyst, nodes, time, missing_in, has_searched, watcher, solve_first }
    }

    /// Lists the moves of a position with their outcomes, best first.
    ///
    /// # Errors
    ///
    /// Why there is no answer, in a message that also says what to do.
    pub fn moves(&self, position: &Position) -> anyhow::Result<Vec<(usize, Outcome)>> {
        self.ask(self.nodes, |budget, _| self.analyst.moves(position, budget))
    }

    /// Lists the moves of a position by column, all with their remoteness.
    ///
    /// # Errors
    ///
    /// The same as [`LimitedAnalyst::moves`].
    pub fn every_move(&self, position: &Position) -> anyhow::Result<Vec<(usize, Outcome)>> {
        self.ask(self.nodes, |budget, _| self.analyst.every_move(position, budget))
    }

    /// Analyses a position as far as the limits allow: its outcome, its moves, and best play if `with_line` is set. `nodes` can
    /// lower the limit of nodes.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub fn analyse(&self, position: &Position, with_line: bool, nodes: Option<u64>) -> anyhow::Result<Analysis> {
        let nodes = [nodes, self.nodes].into_iter().flatten().min();
        self.ask(nodes, |budget, _| self.analyst.analyse(position, with_line, budget, None))
    }

    /// Analyses a position with best play, as [`LimitedAnalyst::analyse`] does. If that takes long, shows on standard error what is
    /// known so far: first the value, then one move after the other.
    ///
    /// # Errors
    ///
    /// The same as [`LimitedAnalyst::analyse`].
    pub fn analyse_and_show(&self, position: &Position) -> anyhow::Result<Analysis> {
        self.ask(self.nodes, |budget, watch| {
            let shown = RefCell::new(Vec::new());
            let listener = |analysis: &Analysis| {
                for fact in facts(analysis) {
                    if !shown.borrow().contains(&fact) {
                        watch.into_iter().for_each(|watch| watch.tell(fact.clone()));
                        shown.borrow_mut().push(fact);
                    }
                }
            };
            let listener: &dyn Fn(&Analysis) = &listener;
            self.analyst.analyse(position, true, budget, watch.map(|_| listener))
        })
    }

    /// Returns the outcome of each position. The limits apply to each position separately.
    pub fn outcomes(&self, positions: &[Position]) -> Vec<anyhow::Result<Outcome>> {
        // With a time limit, each position needs a budget of its own.
        if self.may_search() || self.time.is_some() && self.keep_plies().is_some() {
            let outcome = |position| self.ask(self.nodes, |budget, _| self.analyst.outcome(position, budget));
            return positions.iter().map(outcome).collect();
        }
        let (budget, _watch) = self.begin(self.nodes);
        let outcomes = self.analyst.outcomes(positions, &budget);
        outcomes.into_iter().map(|outcome| outcome.map_err(|error| self.explain(error))).collect()
    }

    /// Returns how many positions of a batch to answer together.
    pub fn at_once(&self) -> usize {
        match (self.may_search(), self.keep_plies()) {
            // With a time limit each position has its own time, so answer one position at a time.
            (true, _) | (_, Some(_)) if self.time.is_some() => 1,
            (true, _) => AT_ONCE_SEARCHED,
            (false, Some(_)) => AT_ONCE_KEPT,
            (false, None) => usize::MAX,
        }
    }

    /// Answers questions: in parallel if a database answers, else one after the other, because each search uses all threads.
    pub fn each<Q: Sync, A: Send>(&self, questions: &[Q], answer: impl Fn(&Q) -> A + Sync + Send) -> Vec<A> {
        if self.may_search() || questions.len() == 1 {
            return questions.iter().map(answer).collect();
        }
        questions.par_iter().map(answer).collect()
    }

    /// Tells whether answers may take searches within the limits of a question.
    pub fn may_search(&self) -> bool {
        self.analyst.may_search()
    }

    /// Returns the database that is asked first, if there is one.
    pub fn database(&self) -> Option<&Database> {
        self.analyst.databases.first()
    }

    /// Tells whether any database is the user's, and not built in.
    pub fn has_files(&self) -> bool {
        self.analyst.databases.iter().any(|database| !database.is_embedded)
    }

    /// Returns a text that names the source of the answers so far.
    pub fn source(&self) -> String {
        self.note().unwrap_or_else(|| match self.database() {
            Some(database) => format!("from {}", wording::database(database)),
            None => "searched forward".to_owned(),
        })
    }

    /// Returns a text that names the source of the answers so far; `None` if they all come from one database of all positions.
    pub fn note(&self) -> Option<String> {
        let has_searched = self.has_searched.load(Relaxed);
        let Some(database) = self.database() else {
            let root = wording::path(self.missing_in.as_ref()?);
            return Some(format!("searched forward: no database of {} in {root}", self.analyst.board));
        };
        let folder = wording::database(database);
        if self.analyst.databases.len() > 1 {
            let names = self.analyst.databases.iter().map(wording::database).collect::<Vec<_>>().join(" and ");
            let is_searched = has_searched || database.searched() > 0;
            return Some(format!("from {names}{}", if is_searched { ", and searched forward" } else { "" }));
        }
        if !self.may_search() {
            let kept = wording::kept(database.manifest.keep_plies);
            match (database.searched() > 0, database.is_embedded) {
                (true, true) => {
                    let most = self.keep_plies().unwrap_or_default();
                    Some(format!("from {folder}, searched forward after ply {most}"))
                }
                (true, false) => Some(format!("searched forward: {folder} keeps {kept}")),
                (false, true) => Some(format!("from {folder}")),
                (false, false) => None,
            }
        } else if database.is_complete() {
            has_searched.then(|| format!("remoteness searched forward: {folder} stores none"))
        } else {
            has_searched.then(|| format!("searched forward: {folder} is not solved to the end yet"))
        }
    }

    /// Prints the note on standard error.
    pub fn print_note(&self) {
        self.note().iter().for_each(|note| failure::print_note(note));
    }

    /// Returns the message that a limit was reached, with what the user can do.
    pub fn limit_text(&self, limit: AnalysisError) -> String {
        let (limit, option) = match limit {
            AnalysisError::NodeLimit { nodes, .. } => (counted(nodes, "node"), "--nodes"),
            AnalysisError::Deadline { .. } => (seconds(self.time.unwrap_or_default()), "--seconds"),
            AnalysisError::Cancelled { nodes, .. } => return format!("stopped after {}", counted(nodes, "node")),
            error => return error.to_string(),
        };
        let missing = self.missing_in.as_deref();
        let solve = || missing.and_then(|root| remedy::solve_first(self.analyst.board, root));
        let other = match self.solve_first.get_or_init(solve) {
            Some(solve) => format!("solve the board first with: {solve}"),
            None => "ask about a later position".to_owned(),
        };
        format!("not decided within {limit}; allow more with {option}, or {other}")
    }

    /// Turns an error into a message that says why there is no answer and what the user can do.
    pub fn explain(&self, error: DatabaseError) -> Error {
        match error {
            DatabaseError::Analysis(limit) if limit.is_limit() => anyhow!(self.limit_text(limit)),
            error @ DatabaseError::NotSolved { .. } => remedy::or_search(error),
            error => error.into(),
        }
    }

    /// Asks the analyst one question. Its search visits at most `nodes` nodes.
    fn ask<T>(
        &self,
        nodes: Option<u64>,
        ask: impl FnOnce(&mut Budget, Option<&Watch>) -> Result<T, DatabaseError>,
    ) -> anyhow::Result<T> {
        let (mut budget, watch) = self.begin(nodes);
        let answer = ask(&mut budget, watch.as_ref());
        self.has_searched.fetch_or(budget.spent.has_searched(), Relaxed);
        answer.map_err(|error| self.explain(error))
    }

    /// Returns the budget of a question, and the watch that shows its progress if it may take a search.
    fn begin(&self, nodes: Option<u64>) -> (Budget, Option<Watch>) {
        let monitor = Arc::new(Monitor::default());
        interrupt::watch(&monitor);
        let is_searched = self.may_search() || self.keep_plies().is_some();
        let watch = is_searched.then(|| self.watcher.begin(&monitor));
        let deadline = self.time.and_then(|time| Instant::now().checked_add(time));
        (Budget { nodes, deadline, monitor: Some(monitor), ..Budget::default() }, watch)
    }

    /// Returns the deepest ply that the database keeps; `None` if the database keeps all plies, or if there is no database.
    fn keep_plies(&self) -> Option<u32> {
        self.database()?.manifest.keep_plies
    }
}

/// Writes each known fact about a position as a text.
fn facts(analysis: &Analysis) -> Vec<String> {
    let to_move = analysis.position.to_move();
    let value = analysis.outcome.map(|outcome| wording::sentence(to_move, outcome));
    let moves = analysis
        .moves
        .iter()
        .filter_map(|of| Some(format!("column {}: {}", choice_of_columns([of.column]), wording::outcome(of.outcome?))));
    value.into_iter().chain(moves).collect()
}

/// Writes the note that a search takes long, with the limit at which the search ends.
fn note_of_long_search(analyst: &Analyst<Database>, nodes: Option<u64>, time: Option<Duration>) -> String {
    let end = match (time, nodes) {
        (Some(time), _) => format!(", for at most {}", seconds(time)),
        (None, Some(nodes)) => format!(", for at most {} (--nodes)", counted(nodes, "node")),
        (None, None) => String::new(),
    };
    format!("{} is still being searched{end}", analyst.board)
}

/// Writes a time in words.
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    format!("{seconds} second{}", if seconds == 1.0 { "" } else { "s" })
}
