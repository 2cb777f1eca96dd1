//! Evaluates positions from the board alone. A position is *quiet* if the game is not finished and the board alone
//! neither decides its value nor forces the reply (the term comes from quiescence search). Databases store only the
//! values of quiet positions. (If a database lacks the later tiers, its deepest tier also stores the values of forced
//! positions.)
//!
//! Every other position has a static evaluation:
//!
//! | on the board | value for the player to move |
//! |---|---|
//! | a finished game | lost, or tied on a full board |
//! | a move that completes a line | won in 1 |
//! | two cells where the opponent would complete a line | lost in 2 |
//! | one such cell | the reply is forced: the child's value |
//! | one open column | forced likewise |
//!
//! Under misère completing a line loses. If every move completes a line, the position is lost in 1; if exactly one move
//! completes no line, that reply is forced.
//!
//! `masks` finds the quiet entries of a matrix, 64 at a time.

mod masks;

use fourbase::{Board, Outcome, Player, Position, Value, has_line, winning_cells};

pub(crate) use masks::{MaskRows, QuietMatrix, QuietShape};

/// The value of a position, as far as the board alone shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StaticEvaluation {
    /// The outcome, for the player to move.
    Decided(Outcome),
    /// Only this column is worth playing: the position has the value of its child there.
    Forced(usize),
    /// The board shows no value: look it up.
    Quiet,
}

/// Evaluates a position without a search or a database. Costs about 50 ns and allocates nothing.
pub fn evaluate(position: &Position) -> StaticEvaluation {
    position.primitive().map_or_else(|| evaluate_without_line(position), |value| decided(value, 0))
}

/// Evaluates a position in which the player who just moved has no line, such as one after a forced move.
pub(crate) fn evaluate_without_line(position: &Position) -> StaticEvaluation {
    let board = position.board();
    let columns = position.playable_cells();
    if columns == 0 {
        return decided(Value::Tie, 0);
    }
    let mover = position.pieces(position.to_move());
    let other = position.occupied() ^ mover;
    let completes = winning_cells(board, mover) & columns;
    if board.is_misere() {
        return of_candidates(board, columns & !completes);
    }
    if completes != 0 {
        return decided(Value::Win, 1);
    }
    of_threats(board, columns, winning_cells(board, other) & columns)
}

fn decided(value: Value, remoteness: u32) -> StaticEvaluation {
    StaticEvaluation::Decided(Outcome { value, remoteness: Some(remoteness) })
}

/// Evaluates a position from its open cells and `threats`, the open cells where the opponent would complete a line.
fn of_threats(board: Board, open: u64, threats: u64) -> StaticEvaluation {
    if threats & threats.wrapping_sub(1) != 0 {
        return decided(Value::Lose, 2);
    }
    of_candidates(board, if threats == 0 { open } else { threats })
}

/// Evaluates a position from the open cells that are worth playing.
fn of_candidates(board: Board, candidates: u64) -> StaticEvaluation {
    if candidates == 0 {
        decided(Value::Lose, 1)
    } else if candidates & (candidates - 1) == 0 {
        StaticEvaluation::Forced(candidates.trailing_zeros() as usize / board.height())
    } else {
        StaticEvaluation::Quiet
    }
}

/// Evaluates the children of a quiet position together, in less than half the time that [`evaluate`] takes for them.
///
/// No move from a quiet position completes a line, and the opponent threatens no open cell. So the opponent can win
/// right after a move if, and only if, the move opens a cell that the opponent threatens. Only the mover gets new
/// threats.
pub(crate) struct ChildEvaluations {
    position: Position,
    /// The open cells (the next cell of each column that has room).
    open: u64,
    /// The cells where the opponent would complete a line.
    threats: u64,
}

impl ChildEvaluations {
    /// Prepares the children of a quiet position.
    pub fn new(position: &Position) -> ChildEvaluations {
        let threats = winning_cells(position.board(), position.pieces(position.to_move().other()));
        ChildEvaluations { position: *position, open: position.playable_cells(), threats }
    }

    /// Evaluates the child after a move in `column`, which must have room.
    pub fn of(&self, column: usize) -> StaticEvaluation {
        let board = self.position.board();
        if board.is_misere() {
            return evaluate(&self.position.drop_piece(column));
        }
        let cell = self.open & board.column_cells(column);
        let above = cell << 1 & board.column_cells(column);
        let open = self.open ^ cell | above;
        if open == 0 {
            return decided(Value::Tie, 0);
        }
        if self.threats & above != 0 {
            return decided(Value::Win, 1);
        }
        let threats = winning_cells(board, self.position.pieces(self.position.to_move()) | cell) & open;
        of_threats(board, open, threats)
    }
}

/// Returns whether `player` can still win. If not, the other player can follow a rule that secures at least a tie.
///
/// The rule is follow-up (Allis: claimeven). The other player replies in the same column, directly above. If that
/// column is full now, the other player plays in an *odd* column, that is, one with an odd number of empty cells. The
/// other player can follow the rule in two cases:
/// * It is the turn of `player`, and the number of odd columns is even.
/// * It is the turn of the other player, the number of odd columns is odd, and the other player first plays in an odd
///   column.
///
/// Then `player` gets, in every column that is not odd, every second cell from the lowest empty cell on. The other
/// player gets the rest of the column, including the top cell.
pub(crate) fn can_win(position: &Position, player: Player) -> bool {
    let board = position.board();
    let empty = board.all_cells() & !position.occupied();
    let replies = replies(board);
    // The lowest empty cell of every odd column.
    let odd = position.playable_cells() & replies;
    let completes = if board.is_misere() { player.other() } else { player };
    let pieces = position.pieces(completes);
    let columns_of =
        |cells: u64| (0..board.width()).map(|column| board.column_cells(column)).filter(move |all| all & cells != 0);
    let room = |odd: u64| {
        let every_second = if board.is_misere() { replies } else { !replies };
        empty & columns_of(odd).fold(every_second, |room, cells| room | cells)
    };
    let is_even = odd.count_ones().is_multiple_of(2);
    if (position.to_move() == player) != is_even {
        return has_line(board, pieces | empty);
    }
    if is_even {
        return has_line(board, pieces | room(odd));
    }
    columns_of(odd).all(|cells| has_line(board, pieces | room(odd & !cells)))
}

/// Returns the top cell of every column and every second cell below it.
fn replies(board: Board) -> u64 {
    const ODD_BITS: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    board.bottom_cells() * (ODD_BITS >> (board.height() % 2) & board.column_cells(0))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fourbase::search::{Search, SearchOptions};

    use super::*;
    use crate::testing::plies;

    #[test]
    fn children_that_are_evaluated_together_get_what_each_gets_alone() {
        let mut compared = 0;
        for name in ["4x4", "4x3", "3x5", "4x4c3", "4x4m", "3x3c2m", "8x2c2", "1x8", "3x3c1", "5x3c5"] {
            let board: Board = name.parse().unwrap();
            for position in plies(board).flatten().filter(|position| position.primitive().is_none()) {
                let evaluations =
                    (evaluate(&position) == StaticEvaluation::Quiet).then(|| ChildEvaluations::new(&position));
                for column in position.moves() {
                    let child = position.drop_piece(column);
                    if let Some(evaluations) = &evaluations {
                        assert_eq!(evaluations.of(column), evaluate(&child), "{position}, column {column}");
                        compared += 1;
                    }
                    if evaluate(&position) == StaticEvaluation::Forced(column) {
                        assert_eq!(evaluate_without_line(&child), evaluate(&child), "{position}, forced");
                    }
                }
            }
        }
        assert!(compared > 100_000, "{compared}");
    }

    #[test]
    fn a_player_without_room_for_a_line_does_not_win() {
        let (mut bounded, mut all) = (0, 0);
        for name in ["4x3c3", "3x4c3", "3x3c3", "4x4", "2x5c3", "4x3c3m", "3x4c3m", "4x4c3m", "5x3c3m"] {
            let board: Board = name.parse().unwrap();
            let mut search = Search::new(board, SearchOptions::default());
            let of_tier =
                |tier: HashSet<_>| tier.into_iter().filter(|of: &Position| of.primitive().is_none()).take(500);
            for position in plies(board).flat_map(of_tier) {
                for (player, wins) in [(position.to_move(), Value::Win), (position.to_move().other(), Value::Lose)] {
                    if !can_win(&position, player) {
                        assert_ne!(search.value(&position).unwrap(), wins, "{position} {player:?}");
                        bounded += 1;
                    }
                    all += 1;
                }
            }
        }
        assert!(bounded > 1000, "{bounded} of {all}");
    }
}
