//! Asks an answerer for the program: with the limit of `--nodes`, a spinner while it searches, and errors and notes that
//! say what the user can do.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::{Error, anyhow};
use fourbase::search::Monitor;
use fourbase::{Outcome, Position};
use fourbase_tiers::answer::{AnswerError, Answerer, Limits, Question};
use fourbase_tiers::database::{Database, DatabaseError, Move};

use crate::progress::Spinner;
use crate::{remedy, wording};

/// How many positions of a batch are answered together where the limit of nodes allows for seconds each.
const AT_ONCE_SEARCHED: usize = 16;

/// How many, where the database searches some of them: enough for all threads, few enough that answers keep coming.
const AT_ONCE_KEPT: usize = 256;

/// An answerer, and what the program adds to it. Threads share it.
pub struct Asker {
    answerer: Arc<dyn Answerer>,
    /// The most nodes of one question.
    nodes: u64,
    /// The folder in which there is no database of the board, if that is why everything is searched.
    missing_in: Option<PathBuf>,
    /// Whether any question so far was searched.
    has_searched: AtomicBool,
}

impl Asker {
    /// Allows each question `nodes` nodes.
    pub fn new(answerer: Arc<dyn Answerer>, nodes: u64) -> Asker {
        Asker { answerer, nodes, missing_in: None, has_searched: AtomicBool::new(false) }
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
        let (limits, spinner) = self.begin();
        let mut question = Question::new(limits);
        let answer = parts(&*self.answerer, &mut question);
        drop(spinner);
        self.has_searched.fetch_or(question.work().has_searched(), Relaxed);
        answer.map_err(|error| self.explain(error))
    }

    /// Asks for the moves of a position, best first.
    ///
    /// # Errors
    ///
    /// The same as [`Asker::ask`].
    pub fn moves(&self, position: &Position) -> anyhow::Result<Vec<Move>> {
        self.ask(|answerer, question| answerer.moves(position, question))
    }

    /// Asks what each of some positions is worth; each is a question of its own.
    pub fn outcomes(&self, positions: &[Position]) -> Vec<anyhow::Result<Outcome>> {
        let (limits, _spinner) = self.begin();
        let outcomes = self.answerer.outcomes(positions, &limits);
        outcomes.into_iter().map(|outcome| outcome.map_err(|error| self.explain(error))).collect()
    }

    /// Returns how many positions of a batch to answer together.
    pub fn at_once(&self) -> usize {
        match (self.answerer.may_search(), self.keep_plies()) {
            (true, _) => AT_ONCE_SEARCHED,
            (false, Some(_)) => AT_ONCE_KEPT,
            (false, None) => usize::MAX,
        }
    }

    /// Says where the answers so far come from, if not only from a database.
    pub fn note(&self) -> Option<String> {
        let has_searched = self.has_searched.load(Relaxed);
        let Some(database) = self.answerer.database() else {
            let root = wording::path(self.missing_in.as_ref()?);
            return Some(format!("searched forward: no database of {} in {root}", self.answerer.board()));
        };
        let folder = wording::path(database.folder());
        if !self.answerer.may_search() {
            let kept = wording::kept(database.manifest().keep_plies());
            (database.searched() > 0).then(|| format!("searched forward: {folder} keeps {kept}"))
        } else if database.is_complete() {
            has_searched.then(|| format!("remoteness searched forward: {folder} has values alone"))
        } else {
            has_searched.then(|| format!("searched forward: {folder} is not solved to the end yet"))
        }
    }

    /// Returns the deepest ply that the database keeps; `None` where it keeps all, or there is none.
    pub fn keep_plies(&self) -> Option<u32> {
        self.answerer.database().map(Database::manifest)?.keep_plies()
    }

    /// Returns the limits of a question, and a spinner that shows their nodes if there may be any.
    fn begin(&self) -> (Limits, Option<Spinner>) {
        let monitor = Arc::new(Monitor::default());
        let spinner = self.answerer.may_search().then(|| Spinner::begin(&monitor));
        (Limits { nodes: Some(self.nodes), monitor: Some(monitor) }, spinner)
    }

    fn explain(&self, error: AnswerError) -> Error {
        match error {
            AnswerError::NodeLimit { board, nodes } => {
                let instead = match &self.missing_in {
                    Some(root) => {
                        let missing = DatabaseError::Missing { board, root: root.clone() };
                        format!("solve the board first ({})", remedy::told(&missing))
                    }
                    None => "ask about a later position".to_owned(),
                };
                anyhow!("not decided within {nodes} nodes; allow more with --nodes, or {instead}")
            }
            AnswerError::Database(error) => error.into(),
            error => error.into(),
        }
    }
}
