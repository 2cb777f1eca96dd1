//! Answers: what a position is worth, what its moves are worth, and how best play goes on.
//!
//! [`Answerer`] is the one interface to what knows the answers. A program, a server and a Python package use it and need not
//! know what is behind it:
//!
//! | answerer | value | remoteness | takes |
//! |---|---|---|---|
//! | [`Database`] | looked up | looked up; unknown in a database of values alone | microseconds; beyond the plies that it keeps, a search |
//! | [`Searcher`] | searched | searched | microseconds to years: give it [`Limits`] |
//! | [`LookupThenSearch`] | looked up; searched where the tier is not solved yet | looked up; searched where the database has none, and only for moves that keep the value | the sum of the two |
//!
//! [`choose`] picks one of the three, by whether there is a database and [`When`] to search.
//!
//! One [`Question`] covers everything about one position. It has the limits: how many nodes searches may visit, and a
//! [`Monitor`](fourbase::search::Monitor) through which another thread watches and cancels them. And it counts the
//! [`Work`]: what had to be searched. Answers come in parts (the value, the moves, the line), each as soon as it is asked for.
//!
//! Where a limit is reached, [`Analysis`] has what is known: the value, and some of the moves.
//!
//! Answerers are for many threads: every method takes `&self`, and an [`Arc<dyn Answerer>`](std::sync::Arc) is all that a
//! server shares. Calls block until there is an answer, so an asynchronous server makes them on a thread that may block.
//!
//! ```
//! use std::sync::Arc;
//! use fourbase::search::{Monitor, Options};
//! use fourbase::{Board, Outcome, Value, notation};
//! use fourbase_tiers::answer::{AnswerError, Limits, Question, Searcher, When, choose};
//! use fourbase_tiers::database::Database;
//!
//! let board: Board = "7x6".parse()?;
//! let root = tempfile::tempdir()?; // without a database
//! let searcher = || Searcher::new(board, Options::default());
//! let answerer = choose(When::Auto, || Database::find(root.path(), board), searcher)?;
//!
//! let monitor = Arc::new(Monitor::default()); // another thread may call `cancel`
//! let limits = Limits { nodes: Some(10_000_000), monitor: Some(monitor) };
//! let position = notation::parse(board, "4444435555")?;
//! let mut question = Question::new(limits.clone());
//! assert_eq!(answerer.outcome(&position, &mut question)?, Outcome { value: Value::Win, remoteness: Some(31) });
//! assert_eq!(answerer.moves(&position, &mut question)?[0].column, 4);
//! assert_eq!(answerer.best_line(&position, &mut question)?.map(|line| line.len()), Some(31));
//! assert!(question.work().positions > 0 && question.work().nodes <= 10_000_000);
//!
//! let mut question = Question::new(Limits { nodes: Some(1000), ..limits });
//! let error = answerer.outcome(&notation::parse(board, "-")?, &mut question).unwrap_err();
//! assert!(matches!(error, AnswerError::NodeLimit { nodes: 1000, .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod analysis;
mod error;
mod lookup;
mod searcher;
#[cfg(test)]
mod tests;

use fourbase::{Board, Outcome, Position, Value};

pub use analysis::Analysis;
pub use error::AnswerError;
pub use lookup::{LookupThenSearch, When, choose};
pub use searcher::Searcher;

pub use crate::database::fallback::SearchPool;
pub use crate::database::question::{KnownMove, Limits, News, Question, Work};
use crate::database::{self, Database, Move};

/// Answers questions about the positions of one board, for many threads at once.
///
/// Every method but [`Answerer::outcomes`] takes the [`Question`] that it is a part of, whose limits it shares with the
/// other parts.
pub trait Answerer: Send + Sync {
    /// Returns the board.
    fn board(&self) -> Board;

    /// Returns the database that is asked first; `None` where there is none.
    fn database(&self) -> Option<&Database> {
        None
    }

    /// Returns whether searches complete what the database knows, or take its place. Not the searches of a database itself,
    /// beyond the plies that it keeps.
    fn may_search(&self) -> bool {
        true
    }

    /// Returns what a position is worth for its player to move.
    ///
    /// # Errors
    ///
    /// Every kind of [`AnswerError`] but [`AnswerError::NoBestMove`]. After an error the answerer can be asked again.
    fn outcome(&self, position: &Position, question: &mut Question) -> Result<Outcome, AnswerError>;

    /// Returns whether a position is worth exactly `outcome`, remoteness included. This may take less than to find out
    /// what it is worth.
    ///
    /// # Errors
    ///
    /// The same as [`Answerer::outcome`].
    fn is_worth(&self, position: &Position, outcome: Outcome, question: &mut Question) -> Result<bool, AnswerError> {
        Ok(self.outcome(position, question)? == outcome)
    }

    /// Lists the legal moves, best first: the soonest win, ties, the latest loss; equally good ones by column. A
    /// finished game has none.
    ///
    /// # Errors
    ///
    /// The same as [`Answerer::outcome`].
    fn moves(&self, position: &Position, question: &mut Question) -> Result<Vec<Move>, AnswerError> {
        error::check_board(self.board(), position)?;
        database::moves(position, |child| self.outcome(child, question))
    }

    /// Returns what is known of a position within the limits: its outcome, its value alone, or `None`.
    ///
    /// # Errors
    ///
    /// The same as [`Answerer::outcome`], without the limits.
    fn known_outcome(&self, position: &Position, question: &mut Question) -> Result<Option<Outcome>, AnswerError> {
        within_limits(self.outcome(position, question))
    }

    /// Returns a position's value where that is known sooner than its outcome; `None` where it is not, or the limits do not allow
    /// for it.
    ///
    /// # Errors
    ///
    /// The same as [`Answerer::outcome`], without the limits.
    fn known_value(&self, _: &Position, _: &mut Question) -> Result<Option<Value>, AnswerError> {
        Ok(None)
    }

    /// Lists the legal moves like [`Answerer::moves`], with what is known of them within the limits. A move that ends the
    /// game costs nothing.
    ///
    /// # Errors
    ///
    /// The same as [`Answerer::outcome`], without the limits.
    fn known_moves(&self, position: &Position, question: &mut Question) -> Result<Vec<KnownMove>, AnswerError> {
        error::check_board(self.board(), position)?;
        known_moves(position, question, |column, question| self.known_outcome(&position.drop_piece(column), question))
    }

    /// Returns the columns (from 0) of best play to the end of the game, the lowest among equals; `None` where the
    /// remoteness is unknown, so that a best move cannot be told from others of its value.
    ///
    /// # Errors
    ///
    /// The same as [`Answerer::outcome`], and [`AnswerError::NoBestMove`] where a database contradicts itself.
    fn best_line(&self, position: &Position, question: &mut Question) -> Result<Option<Vec<usize>>, AnswerError> {
        let outcome = self.outcome(position, question)?;
        let is_worth = |child: &Position, outcome| self.is_worth(child, outcome, question);
        let no_move = |position: &Position| AnswerError::NoBestMove { position: *position };
        database::best_line(position, outcome, is_worth, no_move)
    }

    /// Returns what each of some positions is worth, in their order. Each is a question of its own within `limits`.
    fn outcomes(&self, positions: &[Position], limits: &Limits) -> Vec<Result<Outcome, AnswerError>> {
        let outcome = |position| self.outcome(position, &mut Question::new(limits.clone()));
        positions.iter().map(outcome).collect()
    }
}

/// All moves together may use this share of the nodes before any gets more.
const FIRST_SHARE: u64 = 16;

/// The nodes of a move's first try where a question has no limit of nodes.
const FIRST_NODES: u64 = 1 << 20;

/// Asks what the position after every move is worth, with few nodes for each before any gets more.
fn known_moves(
    position: &Position,
    question: &mut Question,
    mut known: impl FnMut(usize, &mut Question) -> Result<Option<Outcome>, AnswerError>,
) -> Result<Vec<KnownMove>, AnswerError> {
    let columns: Vec<usize> = position.moves().collect();
    let count = columns.len().max(1) as u64;
    let first = question.nodes_left().map_or(FIRST_NODES, |left| left / FIRST_SHARE / count);
    let mut moves: Vec<_> = columns.into_iter().map(|column| KnownMove { column, outcome: None }).collect();
    for most in [Some(first), None] {
        for of in moves.iter_mut().filter(|of| of.outcome.is_none()) {
            let most = most.or(question.nodes_left());
            of.outcome = question.part(most, |part| known(of.column, part))?.map(Outcome::parent);
            if of.outcome.is_some() {
                question.report(News::Move(*of));
            }
        }
    }
    sort(&mut moves);
    Ok(moves)
}

/// Sorts moves, best first, equally good ones by column, unknown ones last.
fn sort(moves: &mut [KnownMove]) {
    moves.sort_by_key(|of| (of.outcome.is_none(), of.outcome, of.column));
}

/// Turns a limit that was reached into `None`.
fn within_limits<T>(answer: Result<T, AnswerError>) -> Result<Option<T>, AnswerError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.is_limit() => Ok(None),
        Err(error) => Err(error),
    }
}
