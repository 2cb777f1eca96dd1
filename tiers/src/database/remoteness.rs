//! Plies to the end by search over a database of values alone.
//!
//! The database says which moves keep the value, so that the search does not have to find that out: a winner looks at
//! the moves that win and at no other, a loser has nothing to keep and looks at all. What is left to decide is when the
//! game ends. One question is "within so many plies?"; the winner needs one move after which the loser cannot last
//! longer, the loser one after which the winner needs longer. Bounds that questions have proved are remembered, and a
//! few questions narrow the remoteness to one number. Ties last until the board is full.
//!
//! A look-up takes as long as hundreds of nodes of the search without a database
//! ([`Search`]), so it pays only high up in the tree: positions with few empty cells are handed over, one question at a time.

use std::collections::HashMap;

use fourbase::search::{Options, Search, SearchError};
use fourbase::{Board, Outcome, Player, Position, Value, winning_cells};

use super::error::{DatabaseError, RemotenessError};
use super::open::Database;
use crate::quiet::{Sight, sight};

/// Positions with at most this many empty cells are searched without the database.
const HAND_OVER_CELLS: u32 = 24;

/// Bounds that are remembered: some 100 MB, and half as much again while their table grows.
const MOST_KNOWN: usize = 1 << 20;

/// Finds remotenesses in databases of values alone. What one question finds helps the next.
///
/// ```
/// use fourbase::search::Options;
/// use fourbase::{Board, Outcome, Position, Value};
/// use fourbase_tiers::database::{Database, RemotenessSearch};
/// use fourbase_tiers::{kernel::Values, solve::Solve};
///
/// # let root = tempfile::tempdir()?;
/// # let folder = Solve::new("5x4".parse()?, Values::Wdl).root(root.path()).run()?.folder;
/// let database = Database::open(&folder)?; // 5x4, values alone
/// let mut search = RemotenessSearch::new(database.board(), Options::default());
/// let position = Position::start(database.board()).play(0)?.play(1)?.play(1)?;
/// assert_eq!(database.probe(&position)?, Outcome { value: Value::Win, remoteness: None });
/// assert_eq!(search.outcome(&database, &position)?, Outcome { value: Value::Win, remoteness: Some(17) });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RemotenessSearch {
    search: Search,
    hand_over_cells: u32,
    known: HashMap<(u64, u64), Known>,
    /// Positions above those that were handed over.
    nodes: u64,
    /// Number of nodes at which the question that is asked ends without an answer.
    end_nodes: Option<u64>,
    node_limit: Option<u64>,
}

/// What is known of a position that is won or lost.
#[derive(Clone, Copy)]
struct Known {
    /// The game lasts at least this many plies.
    least: u32,
    /// The game lasts at most this many plies.
    most: u32,
    /// The moves that keep the value, one bit each; 0 if not computed yet.
    keeps: u32,
    /// The column that decided the last question.
    best: Option<usize>,
}

impl Known {
    /// Starts with what the number of cells and the colour of the last piece say.
    fn new(position: &Position, value: Value) -> Known {
        let cells = empty_cells(position);
        let odd = is_odd(position.board(), value);
        Known { least: 2 - u32::from(odd), most: cells - u32::from((cells % 2 == 1) != odd), keeps: 0, best: None }
    }

    /// Answers whether the game ends within `plies`, as [`Asked::end`] does; `None` where that is not known.
    fn answer(&self, plies: u32) -> Option<u32> {
        if self.most <= plies { Some(self.most) } else { (self.least > plies).then_some(self.least) }
    }

    /// Takes an answer.
    fn narrow(&mut self, plies: u32, end: u32) {
        if end <= plies {
            self.most = self.most.min(end);
        } else {
            self.least = self.least.max(end);
        }
    }
}

impl RemotenessSearch {
    /// Starts a search of `board`. The options are those of the search that positions are handed over to; the limit of
    /// nodes is for all of a question.
    #[must_use]
    pub fn new(board: Board, options: Options) -> RemotenessSearch {
        RemotenessSearch {
            node_limit: options.node_limit,
            search: Search::new(board, options),
            hand_over_cells: HAND_OVER_CELLS,
            known: HashMap::new(),
            nodes: 0,
            end_nodes: None,
        }
    }

    /// Returns the search that positions are handed over to.
    pub fn search(&mut self) -> &mut Search {
        &mut self.search
    }

    /// Returns how many nodes all questions have visited, with those of [`RemotenessSearch::search`].
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes + self.search.nodes()
    }

    /// Sets how many nodes one question may use from now on; `None` for no limit.
    pub fn set_node_limit(&mut self, node_limit: Option<u64>) {
        self.node_limit = node_limit;
    }

    /// Looks a position up, and searches its remoteness where the database does not have it.
    ///
    /// # Errors
    /// Returns the errors of [`Database::probe`] and [`Search::solve`].
    pub fn outcome(&mut self, database: &Database, position: &Position) -> Result<Outcome, RemotenessError> {
        let outcome = database.probe(position)?;
        let remoteness = match outcome.remoteness {
            Some(remoteness) => remoteness,
            None => self.remoteness(database, position, outcome.value)?,
        };
        Ok(Outcome { remoteness: Some(remoteness), ..outcome })
    }

    /// Searches the remoteness of a position, whose `value` the database has said before.
    ///
    /// # Errors
    /// Returns the errors of [`RemotenessSearch::outcome`].
    pub fn remoteness(
        &mut self,
        database: &Database,
        position: &Position,
        value: Value,
    ) -> Result<u32, RemotenessError> {
        if position.primitive().is_some() {
            return Ok(0);
        }
        if value == Value::Tie {
            return Ok(empty_cells(position));
        }
        self.end_nodes = self.node_limit.map(|limit| self.nodes().saturating_add(limit));
        let mut known = Known::new(position, value);
        while known.least < known.most {
            // From the soonest end on: what is short is cheap. Ends are two plies apart.
            let plies = known.least + (known.most - known.least) / 8 * 2;
            let end = Asked { database, board: position.board(), of: &mut *self }.end(*position, value, plies)?;
            known.narrow(plies, end);
        }
        Ok(known.most)
    }
}

impl std::fmt::Debug for RemotenessSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemotenessSearch").field("nodes", &self.nodes()).finish_non_exhaustive()
    }
}

/// A search that is being asked.
struct Asked<'a> {
    database: &'a Database,
    board: Board,
    of: &'a mut RemotenessSearch,
}

impl Asked<'_> {
    /// Decides whether a position that is won or lost ends within `plies`. Returns a number that the remoteness is at most,
    /// if this number is at most `plies`, else one that it is at least.
    fn end(&mut self, position: Position, value: Value, plies: u32) -> Result<u32, RemotenessError> {
        match sight(&position) {
            Sight::Decided(outcome) => return Ok(outcome.remoteness.unwrap_or_default()),
            Sight::Forced(column) => {
                return Ok(1 + self.end(position.drop_piece(column), value.flip(), plies.saturating_sub(1))?);
            }
            Sight::Quiet => {}
        }
        let mut known = Known::new(&position, value);
        if let Some(end) = known.answer(plies) {
            return Ok(end);
        }
        if empty_cells(&position) <= self.of.hand_over_cells {
            return self.hand_over(&position, value, plies);
        }
        self.spend()?;
        // Mirror images are one position.
        let mirror = position.mirror();
        let (position, key) = [position, mirror]
            .map(|position| (position, key(&position)))
            .into_iter()
            .min_by_key(|(_, key)| *key)
            .unwrap_or((position, key(&position)));
        if let Some(found) = self.of.known.get(&key) {
            known = *found;
            if let Some(end) = known.answer(plies) {
                return Ok(end);
            }
        }
        if known.keeps == 0 {
            known.keeps = self.keeps(&position, value)?;
        }
        let (end, best) = self.best(&position, value, plies, &known)?;
        known.narrow(plies, end);
        known.best = best;
        if self.of.known.len() >= MOST_KNOWN {
            self.of.known.clear();
        }
        self.of.known.insert(key, known);
        Ok(end)
    }

    /// Answers like [`Asked::end`] by looking at the moves that keep the value; returns the column that decided, too.
    fn best(
        &mut self,
        position: &Position,
        value: Value,
        plies: u32,
        known: &Known,
    ) -> Result<(u32, Option<usize>), RemotenessError> {
        let mut moves: Vec<(usize, Position)> =
            columns(known.keeps).map(|column| (column, position.drop_piece(column))).collect();
        moves.sort_by_key(|(column, child)| (known.best != Some(*column), -standing(child)));
        let hastens = value == Value::Win;
        let mut end: Option<u32> = None;
        for (column, child) in moves {
            let found = 1 + self.end(child, value.flip(), plies - 1)?;
            if (found <= plies) == hastens {
                return Ok((found, Some(column)));
            }
            // The soonest of the later ends, or the latest of the sooner ones.
            end = Some(end.map_or(found, |end| if hastens { end.min(found) } else { end.max(found) }));
        }
        end.map(|end| (end, None))
            .ok_or_else(|| self.database.manifest_error("no move keeps a position's value").into())
    }

    /// Lists the moves that keep the value.
    fn keeps(&self, position: &Position, value: Value) -> Result<u32, DatabaseError> {
        let mut keeps = 0;
        for column in position.moves() {
            let keeps_it =
                value == Value::Lose || self.database.probe(&position.drop_piece(column))?.value == Value::Lose;
            keeps |= u32::from(keeps_it) << column;
        }
        Ok(keeps)
    }

    /// Answers like [`Asked::end`] without the database.
    fn hand_over(&mut self, position: &Position, value: Value, plies: u32) -> Result<u32, RemotenessError> {
        let rest = self.of.end_nodes.map(|end| end.saturating_sub(self.of.nodes()));
        self.of.search.set_node_limit(rest);
        let ends = self.of.search.ends_within(position, value, plies)?;
        let wrong = u32::from(is_odd(self.board, value) != (plies % 2 == 1));
        // The last ply on which it can end so, or the next.
        Ok(plies - wrong + if ends { 0 } else { 2 })
    }

    fn spend(&mut self) -> Result<(), SearchError> {
        if self.of.end_nodes.is_some_and(|end| self.of.nodes() >= end) {
            return Err(SearchError::NodeLimit { nodes: self.of.node_limit.unwrap_or_default() });
        }
        self.of.nodes += 1;
        Ok(())
    }
}

/// Tells whether the player to move drops the last piece of a game of this value: the winner, or under misère the loser.
fn is_odd(board: Board, value: Value) -> bool {
    (value == Value::Win) != board.is_misere()
}

fn empty_cells(position: &Position) -> u32 {
    (position.board().cells() - position.ply()) as u32
}

fn key(position: &Position) -> (u64, u64) {
    (position.pieces(Player::First), position.occupied())
}

fn columns(mask: u32) -> impl Iterator<Item = usize> {
    (0..u32::BITS as usize).filter(move |column| mask >> column & 1 == 1)
}

/// Returns by how many cells that would complete a line the player who has moved is ahead.
fn standing(child: &Position) -> i32 {
    let (board, empty) = (child.board(), child.board().all_cells() & !child.occupied());
    let cells = |player| (winning_cells(board, child.pieces(player)) & empty).count_ones() as i32;
    let ahead = cells(child.to_move().other()) - cells(child.to_move());
    if board.is_misere() { -ahead } else { ahead }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Values;
    use crate::long;
    use crate::solve::Solve;

    fn solved(root: &std::path::Path, board: Board, values: Values) -> Database {
        Database::open(&Solve::new(board, values).root(root).run().unwrap().folder).unwrap()
    }

    /// Every position that play reaches in `plies` plies.
    fn positions(board: Board, plies: usize) -> Vec<Position> {
        let mut positions = vec![Position::start(board)];
        for _ in 0..plies {
            let children =
                |position: &Position| position.moves().map(|column| position.drop_piece(column)).collect::<Vec<_>>();
            positions = positions.iter().flat_map(children).collect();
            positions.sort_by_key(key);
            positions.dedup();
        }
        positions
    }

    #[test]
    fn the_remoteness_is_that_of_a_database_that_has_it_wherever_positions_are_handed_over() {
        for (name, plies) in
            [("4x4", 7), ("5x4", 5), ("4x5", 6), ("5x5", 4), ("4x4m", 5), ("5x3m", 4), ("4x4c3", 3), ("1x8", 3)]
        {
            if ["5x4", "4x5", "5x5"].contains(&name) && long::skips(format_args!("the remoteness of {name}")) {
                continue;
            }
            let board: Board = name.parse().unwrap();
            let root = tempfile::tempdir().unwrap();
            let values = solved(root.path(), board, Values::Wdl);
            let whole = solved(root.path(), board, Values::Remoteness);
            for hand_over_cells in [0, 8, 64] {
                let mut search = RemotenessSearch::new(board, Options::default());
                search.hand_over_cells = hand_over_cells;
                let mut decided = 0;
                for plies in [plies, plies + 1] {
                    for position in positions(board, plies) {
                        let expected = whole.probe(&position).unwrap();
                        decided += u32::from(expected.value != Value::Tie);
                        assert_eq!(search.outcome(&values, &position).unwrap(), expected, "{name} {position}");
                    }
                }
                println!("{name}: {decided} won or lost, {} nodes", search.nodes());
                assert!(decided > 0 || name == "1x8");
            }
        }
    }

    #[test]
    fn a_limit_of_nodes_that_is_too_small_is_an_error_and_the_next_question_is_answered() {
        let root = tempfile::tempdir().unwrap();
        let board: Board = "6x4".parse().unwrap();
        let database = solved(root.path(), board, Values::Wdl);
        let empty = Position::start(board);
        for hand_over_cells in [0, 16, 64] {
            let mut search = RemotenessSearch::new(board, Options { node_limit: Some(20), ..Options::default() });
            search.hand_over_cells = hand_over_cells;
            let error = search.outcome(&database, &empty).unwrap_err();
            assert!(matches!(error, RemotenessError::Search(SearchError::NodeLimit { .. })), "{error}");
            assert!(search.nodes() <= 20);
            search.set_node_limit(None);
            let expected = Outcome { value: Value::Lose, remoteness: Some(24) };
            assert_eq!(search.outcome(&database, &empty).unwrap(), expected);
        }
    }
}
