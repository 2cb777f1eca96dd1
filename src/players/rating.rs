//! `rating:LEVEL[:STRATEGY]`: grades that say only how near a win is.
//!
//! The search looks 2 LEVEL + 1 plies ahead. Grade 20 means a win just made, 10 means no win within the horizon, and 0
//! means a node about which nothing is known. A grade of one player is converted into the grade of the other player,
//! one ply earlier: it becomes 20 minus the grade, plus 1 if the difference is below 10. The grades are therefore:
//!
//! | plies to the end | 1 | 2 | 3 | 4 | 5 | ... | 19 |
//! |---|---|---|---|---|---|---|---|
//! | win | 20 | | 19 | | 18 | | 11 |
//! | loss | | 1 | | 2 | | | |
//!
//! So a nearer win and a farther loss are better. LEVEL is at most 9, because a win farther away than 19 plies has no
//! grade of its own. At each node the search looks for a winning column before it tries the columns one by one. A node
//! *closes*, that is, its other columns are not tried, as soon as its grade reaches a threshold, because the previous
//! node then has a better move. The threshold is the grade that the previous node has so far, converted as above, plus
//! 1 if the result is above 10. The first node tries a random column first, and each deeper node begins one column
//! further to the right.
//!
//! Among columns of equal grade, STRATEGY 0 takes the first. The other strategies (below) compare columns of equal
//! grade, so they grade every column without a threshold: if a node closes early, the true grade of the column that
//! leads to it may be lower than the grade found.
//!
//! Written from the description of the Delphi program CONNECT4, version 4.0. The description says nothing about a full
//! board, which gets grade 10 here, or about misère. Under misère a player who completes a line has lost, so that move
//! gets grade 1.
//!
//! # Strategies
//!
//! A strategy chooses among columns that the search finds equal.
//!
//! | number | name | takes |
//! |---|---|---|
//! | 0 | first | the first one, starting at a random column |
//! | 1 | expansive | the cell with the highest value for the mover |
//! | 2 | restrictive | the cell with the highest value for the opponent |
//! | 3 | neutral | the cell with the highest sum of both values |
//! | 4 | tactical | the cell with the highest sum minus the sum of the cell above, which the move makes playable |
//! | 5, 6, 7 | tactical | like 4, but with the value of 1, 2 or 3 in place of each sum |
//!
//! For the cell above, the opponent counts as the mover. Strategy 7 equals strategy 4.
//!
//! A line is open to a player if it has no piece of the other. Its weight is the number of pieces in it, 0 to K - 1. An
//! empty cell has two values: the sum of the weights of the lines through it that are open to the mover, and the sum
//! for the opponent.

use std::cmp::Reverse;

use rand::{Rng, RngExt};

use super::chooser::check_open;
use super::standing::{Standing, columns_from};
use super::{Choice, ChooseError, Chooser, Reason};
use crate::{Board, Position, winning_cells};

/// The grade of a node about which nothing is known yet. All other grades say how near a win is. Higher grades are
/// better for the mover: 20 is a win just made, 11 to 19 are farther wins, 10 is no win in sight, 9 to 1 are losses (1
/// is the nearest loss).
const UNKNOWN: u8 = 0;

/// The grade that means no win within the horizon.
const NONE: u8 = 10;

/// The grade of a win just made.
const WIN: u8 = 20;

/// A threshold that no grade reaches, so no node closes.
const NEVER: u8 = 21;

/// Converts a node's grade into the grade of the move that leads to it, for the player of that move.
fn turned(grade: u8) -> u8 {
    let grade = WIN - grade;
    if grade < NONE { grade + 1 } else { grade }
}

/// Returns the threshold of the next node; `threshold` is the grade that this node has so far.
fn next_threshold(threshold: u8) -> u8 {
    let grade = turned(threshold);
    if grade > NONE { grade + 1 } else { grade }
}

/// The player `rating:LEVEL:STRATEGY`.
#[derive(Clone, Debug)]
pub struct RatingPlayer {
    board: Board,
    /// How many plies the player looks ahead: 2 LEVEL + 1.
    plies: u32,
    strategy: u32,
    standing: Standing,
}

/// A node of the search.
#[derive(Clone, Copy)]
struct Node {
    /// The pieces of the mover and of the opponent.
    mine: u64,
    theirs: u64,
    /// The cells that complete a line of the mover.
    my_cells: u64,
    /// How many plies to look ahead.
    plies: u32,
    /// The column to try first.
    first: usize,
}

impl RatingPlayer {
    /// Makes the player for a board; `level` is 1 to 9, `strategy` 0 to 7. Numbers outside these ranges are clamped.
    pub fn new(board: Board, level: u32, strategy: u32) -> RatingPlayer {
        let (plies, strategy) = (2 * level.clamp(1, 9) + 1, strategy.min(MOST_STRATEGY));
        RatingPlayer { board, plies, strategy, standing: Standing::new(board) }
    }

    /// Returns how many plies the player looks ahead.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Returns the legal moves (columns from 0, ascending), each with its grade, 1 to 20.
    ///
    /// # Errors
    ///
    /// [`ChooseError::OtherBoard`] if the position is not of the player's board.
    ///
    /// ```
    /// use fourbase::players::RatingPlayer;
    /// use fourbase::{Board, notation};
    ///
    /// let board: Board = "7x6".parse()?;
    /// let grades = RatingPlayer::new(board, 2, 0).grades(&notation::parse(board, "334")?)?;
    /// let grades = grades.iter().map(|(_, grade)| *grade).collect::<Vec<_>>();
    /// // A third piece beside the two would be open at both ends: all columns but 2 and 5 lose in 4.
    /// assert_eq!(grades, [2, 10, 2, 2, 10, 2, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn grades(&self, position: &Position) -> Result<Vec<(usize, u8)>, ChooseError> {
        position.check_board(self.board)?;
        let (node, their_cells) = self.root(position, 0);
        let grade = |column| self.grade_move(node, their_cells, column, NEVER);
        Ok(position.moves().map(|column| (column, grade(column))).collect())
    }

    /// Returns the node of a position, and the cells that complete a line of the opponent.
    fn root(&self, position: &Position, first: usize) -> (Node, u64) {
        let (mine, theirs) = (position.pieces(position.to_move()), position.pieces(position.to_move().other()));
        let my_cells = winning_cells(self.board, mine);
        (Node { mine, theirs, my_cells, plies: self.plies, first }, winning_cells(self.board, theirs))
    }

    /// Returns the playable cells: the lowest empty one of each column. (A bit that slides over the top of a full
    /// column becomes the bottom of the next column, which is set anyway.)
    fn playable(&self, node: Node) -> u64 {
        let occupied = node.mine | node.theirs;
        (occupied << 1 | self.board.bottom_cells()) & !occupied & self.board.all_cells()
    }

    /// Grades a node in which no player has a line; the board may be full. The node closes when its grade reaches
    /// `threshold`.
    fn grade(&self, node: Node, threshold: u8) -> u8 {
        let playable = self.playable(node);
        if !self.board.is_misere() {
            if playable & node.my_cells != 0 {
                return WIN;
            }
            if node.plies == 1 {
                return NONE;
            }
        }
        if playable == 0 {
            return NONE;
        }
        // Computed once for all children, because a move does not change the cells that complete the opponent's lines.
        let their_cells = winning_cells(self.board, node.theirs);
        let mut best = UNKNOWN;
        for column in columns_from(node.first, self.board) {
            if playable & self.board.column_cells(column) != 0 {
                best = best.max(self.grade_move(node, their_cells, column, next_threshold(best)));
                if best >= threshold {
                    break;
                }
            }
        }
        best
    }

    /// Grades a move into a column with room, looking `node.plies` ahead, including the move. The node after the move
    /// closes when its grade reaches `threshold`.
    fn grade_move(&self, node: Node, their_cells: u64, column: usize, threshold: u8) -> u8 {
        let cell = self.playable(node) & self.board.column_cells(column);
        if node.my_cells & cell != 0 {
            return if self.board.is_misere() { turned(WIN) } else { WIN };
        }
        if node.plies == 1 {
            return NONE;
        }
        let (plies, first) = (node.plies - 1, (node.first + 1) % self.board.width());
        let next = Node { mine: node.theirs, theirs: node.mine | cell, my_cells: their_cells, plies, first };
        turned(self.grade(next, threshold))
    }
}

impl Chooser for RatingPlayer {
    fn choose(&mut self, position: &Position, _: Option<usize>, random: &mut dyn Rng) -> Result<Choice, ChooseError> {
        check_open(self.board, position)?;
        let first = random.random_range(0..self.board.width() as u32) as usize;
        let columns = columns_from(first, self.board).filter(|&column| position.can_play(column));
        let (column, grade, cell) = if self.strategy == 0 {
            let (node, their_cells) = self.root(position, first);
            let mut best = (None, UNKNOWN);
            for column in columns {
                let grade = self.grade_move(node, their_cells, column, next_threshold(best.1));
                best = if grade > best.1 { (Some(column), grade) } else { best };
            }
            (best.0.ok_or(ChooseError::Over)?, best.1, None)
        } else {
            let grades = self.grades(position)?;
            let highest = grades.iter().map(|(_, grade)| *grade).max().ok_or(ChooseError::Over)?;
            self.standing.set_up(position);
            let equal = columns.filter(|&column| grades.contains(&(column, highest)));
            // Of several columns with the highest value, `min_by_key` takes the first.
            let values = equal.map(|column| (column, strategy_value(self.strategy, &mut self.standing, column)));
            let (column, value) = values.min_by_key(|(_, value)| Reverse(*value)).ok_or(ChooseError::Over)?;
            (column, highest, Some(value))
        };
        Ok(Choice { column, reason: Reason::Graded { grade, plies: self.plies, cell } })
    }
}

/// The highest number of a strategy.
pub(super) const MOST_STRATEGY: u32 = 7;

/// Strategies with this number or a higher one look at the cell above the move, too.
const TACTICAL: u32 = 4;

/// Returns what a move into a column with room is worth to the mover under a strategy, 1 to 7. Leaves `standing` as it
/// was.
pub(super) fn strategy_value(strategy: u32, standing: &mut Standing, column: usize) -> i32 {
    let row = standing.height(column);
    let value = cell_value(strategy, standing, column, row);
    if strategy < TACTICAL {
        return value;
    }
    standing.drop_piece(column, |_| {});
    let on_top = if standing.can_play(column) { cell_value(strategy, standing, column, row + 1) } else { 0 };
    standing.take_back(column);
    value - on_top
}

/// Returns what an empty cell is worth to the player to move under a strategy, ignoring the cell above it.
fn cell_value(strategy: u32, standing: &Standing, column: usize, row: usize) -> i32 {
    // A line is open to a player if the other has no piece in it. Its weight is the number of the player's pieces, so
    // an empty line weighs 0.
    let open = |player: usize| -> i32 {
        let lines = standing.in_lines_through(column, row);
        lines.filter(|pieces| pieces[1 - player] == 0).map(|pieces| i32::from(pieces[player])).sum()
    };
    let mover = standing.mover();
    match strategy % TACTICAL {
        1 => open(mover),
        2 => open(1 - mover),
        _ => open(mover) + open(1 - mover),
    }
}
