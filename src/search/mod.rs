//! Exact search: the value and remoteness of any position of any board, without a database.
//!
//! A database is computed backward from the ends of all games; a search looks forward from one position. The search
//! shares no code with the solver that computes databases, so tests use it to check them.
//!
//! # How it works
//!
//! **Negamax with a null window.** A search asks one question: is the score of this position at least `beta`? The
//! answer is yes as soon as some move leads to a position whose score for the opponent is at most `-beta`; the other
//! moves need no search. A score is one number that combines the value and the ply on which the game ends (module
//! `score`). A few such questions determine the score.
//!
//! **Moves that do not lose at once.** A *spot* is a cell where a piece completes a line, such as the gap in `x x . x`.
//! The search finds all spots of a player by a few shifts of a bitboard (module `grid`). If the opponent has a playable
//! spot, the player to move must fill it, and loses if there are two. The player to move must not play directly below
//! any spot of the opponent either. For example, on `7x6` after the moves 1, 4, 1, 4, 1 every move of the second player
//! except column 1 lets the first player win at once:
//!
//! ```
//! use fourbase::search::{Search, SearchOptions};
//! use fourbase::{Board, Outcome, Value, notation};
//!
//! let board: Board = "7x6".parse()?;
//! let position = notation::parse(board, "14141")?;
//! let mut search = Search::new(board, SearchOptions::default());
//! let loss = Outcome { value: Value::Lose, remoteness: Some(2) };
//! for column in position.moves() {
//!     let outcome = search.solve(&position.drop_piece(column))?.parent();
//!     assert_eq!(outcome != loss, column == 0);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Following up.** Many games are decided long before they end, because one player can answer every move of the other
//! player in the cell directly above. The cells that each player can get are then known in advance. If the cells that
//! the other player can get contain no line, that player cannot win, however long the game lasts (module `pairing` has
//! the proof). This more than halves the number of nodes.
//!
//! **A table** stores proved bounds (module `table`). The search looks up each position there, and looks up all
//! children of a position before it searches the first child. The key is the whole position, not a hash; mirror images
//! share one key. All threads share the table. At first only one thread runs. If a question takes long, all threads
//! search it, and the first answer stops the others. Every bound is proved, or given by an oracle, which is trusted. So
//! the answer is always the same; with several threads, only the number of nodes varies.
//!
//! # Sources
//!
//! Bitboards with a sentinel row and this use of a table are common in Connect Four programs; [Pascal Pons'
//! tutorial](http://blog.gamesolver.org/solving-connect-four/) explains them well. Following up, and why it is sound:
//! V. Allis, *A Knowledge-based Approach of Connect-Four*, 1988 (his rules "claimeven" and "baseinverse").

mod budget;
mod engine;
mod grid;
mod misere;
mod moves;
mod normal;
mod options;
mod pairing;
mod score;
mod table;
mod word;
mod worker;

use std::fmt;
use std::sync::Arc;

use web_time::Instant;

use crate::{Board, Outcome, Position, Value};
use engine::Engine;
pub use options::{Monitor, Oracle, SearchError, SearchOptions};
use score::{Scale, Score};

/// A number above every score; `-FAR` is below every score.
const FAR: Score = 64;

/// Solves positions of one board, one after the other. The results for one position speed up the search of the next.
///
/// ```
/// use fourbase::search::{Search, SearchOptions};
/// use fourbase::{Board, Outcome, Position, Value};
///
/// let board: Board = "5x4".parse()?;
/// let mut search = Search::new(board, SearchOptions::default());
/// let outcome = search.solve(&Position::start(board))?;
/// assert_eq!(outcome, Outcome { value: Value::Tie, remoteness: Some(20) });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Search {
    board: Board,
    scale: Scale,
    options: SearchOptions,
    engine: Box<dyn Engine>,
}

impl Search {
    /// Starts a search of `board`. This takes a few microseconds and, on most boards, 4 KiB, whatever the options are.
    pub fn new(board: Board, options: SearchOptions) -> Search {
        let engine = engine::engine(board, &options);
        Search { board, scale: Scale::new(board), options, engine }
    }

    /// Solves `position`: returns its value and its remoteness, which is always known. A finished position is answered
    /// at once.
    ///
    /// # Errors
    ///
    /// [`SearchError::NodeLimit`] or [`SearchError::Cancelled`] if the search stops without an answer, and
    /// [`SearchError::OtherBoard`] if the position is of another board. After an error you can call this again; the
    /// search continues with what it has found.
    ///
    /// ```
    /// use fourbase::search::{Search, SearchOptions, SearchError};
    /// use fourbase::{Board, Position};
    ///
    /// let board: Board = "7x6".parse()?;
    /// let mut search = Search::new(board, SearchOptions { node_limit: Some(1000), ..SearchOptions::default() });
    /// let error = search.solve(&Position::start(board)).unwrap_err();
    /// assert_eq!(error, SearchError::NodeLimit { nodes: 1000 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve(&mut self, position: &Position) -> Result<Outcome, SearchError> {
        self.ask(position, (-FAR, FAR), None)
    }

    /// Solves `position` as [`Search::solve`] does, using bounds that the caller knows: the position is worth at least
    /// `worst` and at most `best` (`None` for no bound). Narrower bounds make the search shorter.
    ///
    /// The bounds are trusted. If the true outcome lies beyond one of them, the answer is that bound or some outcome
    /// beyond it, which may differ from the true one.
    ///
    /// # Errors
    ///
    /// The same as [`Search::solve`].
    ///
    /// ```
    /// use fourbase::search::{Search, SearchOptions};
    /// use fourbase::{Board, Outcome, Position, Value};
    ///
    /// let board: Board = "6x4".parse()?;
    /// let mut search = Search::new(board, SearchOptions::default());
    /// let lost = Outcome { value: Value::Lose, remoteness: Some(24) };
    /// let bound = Outcome { value: Value::Lose, remoteness: Some(22) };
    /// assert_eq!(search.solve_between(&Position::start(board), Some(bound), None)?, lost);
    /// assert_eq!(search.solve_between(&Position::start(board), Some(lost), Some(lost))?, lost);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve_between(
        &mut self,
        position: &Position,
        worst: Option<Outcome>,
        best: Option<Outcome>,
    ) -> Result<Outcome, SearchError> {
        let scores = |outcome| self.scale.scores(outcome, position.ply() as u32);
        let range = (worst.map_or(-FAR, |worst| scores(worst).0), best.map_or(FAR, |best| scores(best).1));
        self.ask(position, range, None)
    }

    /// Finds the value of `position` without its remoteness, at about a quarter of the cost of [`Search::solve`].
    ///
    /// # Errors
    ///
    /// The same as [`Search::solve`].
    ///
    /// ```
    /// use fourbase::search::{Search, SearchOptions};
    /// use fourbase::{Board, Position, Value};
    ///
    /// let board: Board = "6x4".parse()?;
    /// let mut search = Search::new(board, SearchOptions::default());
    /// assert_eq!(search.value(&Position::start(board))?, Value::Lose);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn value(&mut self, position: &Position) -> Result<Value, SearchError> {
        Ok(self.ask(position, (-1, 1), None)?.value)
    }

    /// Finds the remoteness of `position`, whose `value` is known from elsewhere. Costs nothing for a tie, and less
    /// than [`Search::solve`] otherwise. If there is an oracle, the search asks it for the values of other positions,
    /// and keeps the oracle's answers for later questions.
    ///
    /// The value and the oracle are trusted. If one of them is wrong, the answer is an error if the search notices it,
    /// else meaningless.
    ///
    /// # Errors
    ///
    /// The same as [`Search::solve`], and [`SearchError::OtherValue`] if the value turns out to be wrong.
    ///
    /// ```
    /// use fourbase::search::{SearchOptions, Oracle, Search};
    /// use fourbase::{Board, Position, Value};
    ///
    /// /// Knows nothing.
    /// struct Silent;
    ///
    /// impl Oracle for Silent {
    ///     fn value(&self, _: &Position) -> Option<Value> {
    ///         None
    ///     }
    /// }
    ///
    /// let board: Board = "6x4".parse()?;
    /// let mut search = Search::new(board, SearchOptions::default());
    /// assert_eq!(search.remoteness(&Position::start(board), Value::Lose, None)?, 24);
    /// assert_eq!(search.remoteness(&Position::start(board), Value::Lose, Some(&Silent))?, 24);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remoteness(
        &mut self,
        position: &Position,
        value: Value,
        oracle: Option<&dyn Oracle>,
    ) -> Result<u32, SearchError> {
        let range = self.scale.scores(Outcome { value, remoteness: None }, position.ply() as u32);
        let outcome = self.ask(position, range, oracle)?;
        match outcome.remoteness {
            Some(plies) if outcome.value == value => Ok(plies),
            _ => Err(SearchError::OtherValue { claimed: value }),
        }
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns how many nodes this search has visited in all calls. A node is a position that the search has entered.
    /// Positions that were decided at their parent are not counted, nor, in normal play, positions with a forced reply.
    pub fn nodes(&self) -> u64 {
        self.engine.nodes()
    }

    /// Sets the limits of all later calls. Each argument replaces the field of [`SearchOptions`] with the same name.
    pub fn set_limits(&mut self, node_limit: Option<u64>, deadline: Option<Instant>, monitor: Option<Arc<Monitor>>) {
        self.options = SearchOptions { node_limit, deadline, monitor, ..self.options };
    }

    /// Returns the outcome of `position`; `range` limits the score that is searched for, as in [`Engine::score`].
    fn ask(
        &mut self,
        position: &Position,
        range: (Score, Score),
        oracle: Option<&dyn Oracle>,
    ) -> Result<Outcome, SearchError> {
        position.check_board(self.board)?;
        if let Some(value) = position.primitive() {
            return Ok(Outcome { value, remoteness: Some(0) });
        }
        let score = self.engine.score(position, range, oracle, &self.options)?;
        Ok(self.scale.outcome(score, position.ply() as u32))
    }
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search").field("board", &self.board).field("nodes", &self.nodes()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
