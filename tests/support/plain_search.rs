//! A plain memoised search: the answers that the database has to give, in words of the tests' own.

use std::collections::HashMap;

use fourbase::{Board, Outcome, Value};

use super::plain_game::PlainGame;

/// What a position is worth to the player to move, 1, 0 or -1, and the plies to the end when the winner plays for speed and the
/// loser delays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    pub value: i8,
    pub plies: u8,
}

impl Answer {
    /// The same answer as the opponent saw it one ply before.
    pub fn before_the_move(self) -> Answer {
        Answer { value: -self.value, plies: self.plies + 1 }
    }

    /// Ranks answers: a win soon, a tie, a loss late.
    pub fn rank(self) -> i32 {
        i32::from(self.value) * (1000 - i32::from(self.plies))
    }

    /// The same answer in the words of the library.
    pub fn outcome(self) -> Outcome {
        let value = [Value::Lose, Value::Tie, Value::Win][(self.value + 1) as usize];
        Outcome { value, remoteness: Some(self.plies.into()) }
    }
}

/// The search, and the answer of every position that it has met.
#[derive(Debug)]
pub struct PlainSearch {
    board: Board,
    memo: HashMap<u128, Answer>,
}

impl PlainSearch {
    /// Prepares a search on a board.
    pub fn new(board: Board) -> PlainSearch {
        PlainSearch { board, memo: HashMap::new() }
    }

    /// Solves every position that play can reach from the empty board.
    pub fn of_all_positions(board: Board) -> PlainSearch {
        let mut search = PlainSearch::new(board);
        search.solve(&PlainGame::start(board));
        search
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Finds the answer of a position by playing every move to the end.
    pub fn solve(&mut self, game: &PlainGame) -> Answer {
        if let Some(&answer) = self.memo.get(&game.key()) {
            return answer;
        }
        let answer = match game.end() {
            Some(value) => Answer { value, plies: 0 },
            None => {
                let answers = game.columns_with_room().map(|column| self.solve(&game.after(column)).before_the_move());
                answers.max_by_key(|answer| answer.rank()).expect("a game that goes on has a move")
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
        if game.end().is_some() {
            return Vec::new();
        }
        let answer = |column| (column, self.answer(&game.after(column)).before_the_move());
        let mut moves: Vec<_> = game.columns_with_room().map(answer).collect();
        moves.sort_by_key(|(_, answer)| -answer.rank());
        moves
    }

    /// The number of positions that the search has met.
    pub fn positions(&self) -> usize {
        self.memo.len()
    }

    /// The keys and answers of all positions that the search has met, in ascending order of the keys.
    pub fn answers(&self) -> Vec<(u128, Answer)> {
        let mut answers: Vec<(u128, Answer)> = self.memo.iter().map(|(&key, &answer)| (key, answer)).collect();
        answers.sort_unstable_by_key(|&(key, _)| key);
        answers
    }
}
