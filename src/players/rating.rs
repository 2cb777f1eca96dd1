//! `rating:LEVEL[:STRATEGY]`: grades that say only how near a win is.
//!
//! The search looks 2 LEVEL + 1 plies ahead. A win just made has grade 20, no win within the horizon 10, and an unknown
//! node 0. The previous ply gets 20 less the grade, and 1 more if that is below 10:
//!
//! | plies to the end | 1 | 2 | 3 | 4 | 5 | ... | 19 |
//! |---|---|---|---|---|---|---|---|
//! | win | 20 | | 19 | | 18 | | 11 |
//! | loss | | 1 | | 2 | | | |
//!
//! So a nearer win and a farther loss are better. LEVEL ends at 9, because a win farther away than 19 plies has no
//! grade of its own. A node looks for a winning column before it opens any other node. It closes as soon as its grade
//! reaches its threshold, which means that the previous node has something better. The threshold is the previous node's
//! grade, turned in the same way, and 1 more if that is above 10. A search begins at a random column, and each deeper
//! node one column further.
//!
//! Among columns of equal grade STRATEGY 0 takes the first. For the others ([`strategy`]) every column is graded without a
//! threshold, because a node that closed early may be worse than its grade.
//!
//! Built from the description of the Delphi program CONNECT4, version 4.0. The description says nothing about a full
//! board, which gets grade 10 here, and about misère. There the player to move after a line has won, so completing a
//! line gets grade 1.

use std::cmp::Reverse;
use std::fmt;

use rand::{Rng, RngExt};

use super::chooser::{check_board, check_open};
use super::standing::Standing;
use super::strategy::MOST_STRATEGY;
use super::{Choice, ChooseError, Chooser, Reason, strategy};
use crate::{Board, Position, winning_cells};

/// How near a win is: 20 for one just made, 11 to 19 for farther ones, 10 for none in sight, 9 to 1 for losses, 1 for
/// the nearest. A higher grade is better for the mover.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Grade(u8);

impl Grade {
    /// Nothing is known yet.
    pub(super) const UNKNOWN: Grade = Grade(0);
    /// No win within the horizon.
    pub(super) const NONE: Grade = Grade(10);
    /// A win just made.
    pub(super) const WIN: Grade = Grade(20);
    /// A threshold that no grade reaches, so no node closes.
    pub(super) const NEVER: Grade = Grade(21);

    /// Returns the number, 1 to 20.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }

    /// Returns the grade as seen from the previous ply.
    pub(super) fn turned(self) -> Grade {
        let grade = 20 - self.0;
        Grade(if grade < 10 { grade + 1 } else { grade })
    }

    /// Returns the threshold of the next node.
    pub(super) fn threshold(self) -> Grade {
        let grade = self.turned();
        Grade(if grade > Grade::NONE { grade.0 + 1 } else { grade.0 })
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The player `rating:LEVEL:STRATEGY`.
#[derive(Clone, Debug)]
pub struct RatingPlayer {
    board: Board,
    plies: u32,
    strategy: u32,
    standing: Standing,
}

/// A node: the pieces of its mover and of the opponent, and the cells that complete a line of the mover.
#[derive(Clone, Copy)]
struct Node {
    mine: u64,
    theirs: u64,
    my_cells: u64,
}

impl RatingPlayer {
    /// Makes the player for a board; `level` is 1 to 9, `strategy` 0 to 7. Numbers outside these ranges are clamped.
    #[must_use]
    pub fn new(board: Board, level: u32, strategy: u32) -> RatingPlayer {
        let (plies, strategy) = (2 * level.clamp(1, 9) + 1, strategy.min(MOST_STRATEGY));
        RatingPlayer { board, plies, strategy, standing: Standing::new(board) }
    }

    /// Returns how many plies the player looks ahead.
    #[must_use]
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Grades every legal move: columns from 0, ascending.
    ///
    /// # Errors
    ///
    /// [`ChooseError::OtherBoard`].
    ///
    /// ```
    /// use fourbase::players::RatingPlayer;
    /// use fourbase::{Board, notation};
    ///
    /// let board: Board = "7x6".parse()?;
    /// let grades = RatingPlayer::new(board, 2, 0).grades(&notation::parse(board, "334")?)?;
    /// let grades = grades.iter().map(|(_, grade)| grade.number()).collect::<Vec<_>>();
    /// // A third piece beside the two would be open at both ends: all columns but 2 and 5 lose in 4.
    /// assert_eq!(grades, [2, 10, 2, 2, 10, 2, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn grades(&self, position: &Position) -> Result<Vec<(usize, Grade)>, ChooseError> {
        check_board(self.board, position)?;
        let (node, their_cells) = self.root(position);
        let grade = |column| self.grade_move(node, their_cells, column, self.plies, 0, Grade::NEVER);
        Ok(position.moves().map(|column| (column, grade(column))).collect())
    }

    /// Returns the node of a position, and the cells that complete a line of the opponent.
    fn root(&self, position: &Position) -> (Node, u64) {
        let (mine, theirs) = (position.pieces(position.to_move()), position.pieces(position.to_move().other()));
        (Node { mine, theirs, my_cells: winning_cells(self.board, mine) }, winning_cells(self.board, theirs))
    }

    /// Returns the playable cells: the lowest empty one of each column. (A bit that slides over the top of a full
    /// column becomes the bottom of the next column, which is set anyway.)
    fn playable(&self, node: Node) -> u64 {
        let occupied = node.mine | node.theirs;
        (occupied << 1 | self.board.bottom_cells()) & !occupied & self.board.all_cells()
    }

    /// Grades a node in which the game is not over, looking `plies` ahead, beginning with the column `first`.
    fn grade(&self, node: Node, plies: u32, first: usize, threshold: Grade) -> Grade {
        let playable = self.playable(node);
        if !self.board.is_misere() {
            if playable & node.my_cells != 0 {
                return Grade::WIN;
            }
            if plies == 1 {
                return Grade::NONE;
            }
        }
        if playable == 0 {
            return Grade::NONE;
        }
        // For all children together, because a move does not change the opponent's cells.
        let their_cells = winning_cells(self.board, node.theirs);
        let (mut best, width) = (Grade::UNKNOWN, self.board.width());
        for column in (first..width).chain(0..first) {
            if playable & self.board.column_cells(column) != 0 {
                best = best.max(self.grade_move(node, their_cells, column, plies, first, best.threshold()));
                if best >= threshold {
                    break;
                }
            }
        }
        best
    }

    /// Grades a move into a column with room, looking `plies` ahead, including the move. The next node closes at
    /// `threshold`.
    fn grade_move(
        &self,
        node: Node,
        their_cells: u64,
        column: usize,
        plies: u32,
        first: usize,
        threshold: Grade,
    ) -> Grade {
        let cell = self.playable(node) & self.board.column_cells(column);
        if node.my_cells & cell != 0 {
            return if self.board.is_misere() { Grade::WIN.turned() } else { Grade::WIN };
        }
        if plies == 1 {
            return Grade::NONE;
        }
        let next = Node { mine: node.theirs, theirs: node.mine | cell, my_cells: their_cells };
        self.grade(next, plies - 1, (first + 1) % self.board.width(), threshold).turned()
    }
}

impl Chooser for RatingPlayer {
    fn choose(&mut self, position: &Position, _: Option<usize>, random: &mut dyn Rng) -> Result<Choice, ChooseError> {
        check_open(self.board, position)?;
        let width = self.board.width();
        let first = random.random_range(0..width as u32) as usize;
        let columns = (first..width).chain(0..first).filter(|&column| position.can_play(column));
        let (column, grade, cell) = if self.strategy == 0 {
            let (node, their_cells) = self.root(position);
            let mut best = (None, Grade::UNKNOWN);
            for column in columns {
                let grade = self.grade_move(node, their_cells, column, self.plies, first, best.1.threshold());
                best = if grade > best.1 { (Some(column), grade) } else { best };
            }
            (best.0.ok_or(ChooseError::Over)?, best.1, None)
        } else {
            let grades = self.grades(position)?;
            let highest = grades.iter().map(|of| of.1).max().ok_or(ChooseError::Over)?;
            self.standing.set_up(position);
            let equal = columns.filter(|&column| grades.contains(&(column, highest)));
            // The first of the columns with the highest value.
            let values = equal.map(|column| (column, strategy::value(self.strategy, &mut self.standing, column)));
            let (column, value) = values.min_by_key(|of| Reverse(of.1)).ok_or(ChooseError::Over)?;
            (column, highest, Some(value))
        };
        Ok(Choice { column, reason: Reason::Graded { grade, plies: self.plies, cell } })
    }
}
