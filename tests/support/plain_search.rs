//! A plain memoised search: the answers that the database has to give, in words of the tests' own.

use std::collections::HashMap;

use fourbase::{Board, Outcome, Value};

use super::plain_game::{End, PlainGame};
use super::tiers::Values;

/// What a position is worth to the player to move, and the plies to the end when the winner plays for speed and
/// the loser delays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Win(u8),
    Tie(u8),
    Lose(u8),
}

impl Answer {
    /// The answer of a position in which the game has ended.
    pub fn of_end(end: End) -> Answer {
        match end {
            End::Won => Answer::Win(0),
            End::Tied => Answer::Tie(0),
            End::Lost => Answer::Lose(0),
        }
    }

    /// The answer of a database with remoteness.
    pub fn of_outcome(Outcome { value, remoteness }: Outcome) -> Answer {
        let plies = u8::try_from(remoteness.expect("a remoteness")).expect("at most 64 plies");
        match value {
            Value::Win => Answer::Win(plies),
            Value::Tie => Answer::Tie(plies),
            Value::Lose => Answer::Lose(plies),
        }
    }

    /// The same answer as the opponent saw it one ply before.
    pub fn before_the_move(self) -> Answer {
        match self {
            Answer::Win(plies) => Answer::Lose(plies + 1),
            Answer::Tie(plies) => Answer::Tie(plies + 1),
            Answer::Lose(plies) => Answer::Win(plies + 1),
        }
    }

    /// Whether a player would rather have this answer than the other: a win soon, a tie, a loss late.
    pub fn is_better_than(self, other: Answer) -> bool {
        match (self, other) {
            (Answer::Win(plies), Answer::Win(others)) => plies < others,
            (Answer::Lose(plies), Answer::Lose(others)) => plies > others,
            (Answer::Win(_), _) | (Answer::Tie(_), Answer::Lose(_)) => true,
            _ => false,
        }
    }

    /// What a database of these values should say.
    pub fn outcome(self, values: Values) -> Outcome {
        let (value, plies) = match self {
            Answer::Win(plies) => (Value::Win, plies),
            Answer::Tie(plies) => (Value::Tie, plies),
            Answer::Lose(plies) => (Value::Lose, plies),
        };
        Outcome { value, remoteness: (values == Values::Remoteness).then_some(u32::from(plies)) }
    }
}

/// The search, and the answer of every position that it has met.
#[derive(Debug)]
pub struct PlainSearch {
    board: Board,
    memo: HashMap<u64, Answer>,
}

impl PlainSearch {
    /// Prepares a search on a board.
    pub fn new(board: Board) -> PlainSearch {
        PlainSearch { board, memo: HashMap::new() }
    }

    /// Solves every position that play can reach from the empty board.
    pub fn of_all_positions(board: Board) -> PlainSearch {
        let mut search = PlainSearch::new(board);
        search.solve(&mut PlainGame::start(board));
        search
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Finds the answer of a position by playing every move to the end.
    pub fn solve(&mut self, game: &mut PlainGame) -> Answer {
        if let Some(&answer) = self.memo.get(&game.key()) {
            return answer;
        }
        let answer = match game.end() {
            Some(end) => Answer::of_end(end),
            None => {
                let mut best = None;
                for column in game.columns_with_room() {
                    game.drop_piece(column);
                    let answer = self.solve(game).before_the_move();
                    game.take_back(column);
                    if best.is_none_or(|best| answer.is_better_than(best)) {
                        best = Some(answer);
                    }
                }
                best.expect("a game that goes on has a move")
            }
        };
        self.memo.insert(game.key(), answer);
        answer
    }

    /// The answer of a position that the search has met.
    pub fn answer(&self, game: &PlainGame) -> Answer {
        self.memo[&game.key()]
    }

    /// All moves of a position that the search has met, best first, equal ones by column.
    pub fn moves(&self, game: &PlainGame) -> Vec<(usize, Answer)> {
        let mut moves: Vec<(usize, Answer)> = Vec::new();
        if game.end().is_some() {
            return moves;
        }
        for column in game.columns_with_room() {
            let mut child = game.clone();
            child.drop_piece(column);
            let answer = self.answer(&child).before_the_move();
            let place = moves.iter().position(|&(_, other)| answer.is_better_than(other)).unwrap_or(moves.len());
            moves.insert(place, (column, answer));
        }
        moves
    }

    /// The number of positions that the search has met.
    pub fn positions(&self) -> usize {
        self.memo.len()
    }

    /// The keys and answers of all positions that the search has met, in ascending order of the keys.
    pub fn answers(&self) -> Vec<(u64, Answer)> {
        let mut answers: Vec<(u64, Answer)> = self.memo.iter().map(|(&key, &answer)| (key, answer)).collect();
        answers.sort_unstable_by_key(|&(key, _)| key);
        answers
    }
}
