//! A game: its moves in order, and the position before each. It begins with the empty board or with a position that was set up. [`text`] reads and writes it.

pub mod text;

use fourbase::notation::{self, columns_to_text};
use fourbase::{Board, MoveError, Player, Position, Value};

use crate::failure::BadInput;

/// A game, finished or not.
#[derive(Clone, Debug)]
pub struct Game {
    columns: Vec<usize>,
    /// One more than columns; the last is the current position.
    positions: Vec<Position>,
}

impl Game {
    /// Begins a game.
    pub fn start(board: Board) -> Game {
        Game { columns: Vec::new(), positions: vec![Position::start(board)] }
    }

    /// Reads a game from its moves; `-` or an empty text means the empty board.
    ///
    /// # Errors
    ///
    /// The first move that cannot be played; a position in a notation without the order of moves.
    pub fn parse(board: Board, moves: &str) -> anyhow::Result<Game> {
        Game::parse_from(Position::start(board), moves)
    }

    /// Reads a game that begins from a position that was set up.
    ///
    /// # Errors
    ///
    /// Those of [`Game::parse`].
    pub fn parse_from(start: Position, moves: &str) -> anyhow::Result<Game> {
        let columns = text::columns(&start, moves).map_err(BadInput)?;
        Game { columns: Vec::new(), positions: vec![start] }.with_moves(&columns)
    }

    /// Plays moves from the empty board on.
    ///
    /// # Errors
    ///
    /// The first move that cannot be played.
    pub fn of_columns(board: Board, columns: &[usize]) -> anyhow::Result<Game> {
        Game::start(board).with_moves(columns)
    }

    fn with_moves(mut self, columns: &[usize]) -> anyhow::Result<Game> {
        for &column in columns {
            self.play(column).map_err(|reason| BadInput(reason.to_string()))?;
        }
        Ok(self)
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.position().board()
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        // The first position is never taken back, so there is always a position.
        &self.positions[self.columns.len()]
    }

    /// Writes the current position: the moves, or a string of GamesmanUni if the game began from a set-up position.
    pub fn to_text(&self) -> String {
        match self.positions.first().is_some_and(|first| first.ply() > 0) {
            true => notation::to_uni(self.position()),
            false => self.moves(),
        }
    }

    /// Returns the position before each move, and the current one at the end.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Returns the columns played, from 0.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Returns the column of the last move, from 0.
    pub fn last(&self) -> Option<usize> {
        self.columns.last().copied()
    }

    /// Returns the number of moves.
    pub fn ply(&self) -> usize {
        self.columns.len()
    }

    /// Writes the moves from the first position on.
    pub fn moves(&self) -> String {
        columns_to_text(self.columns.iter().copied())
    }

    /// Plays a move.
    ///
    /// # Errors
    ///
    /// The move cannot be played.
    pub fn play(&mut self, column: usize) -> Result<(), MoveError> {
        self.positions.push(self.position().play(column)?);
        self.columns.push(column);
        Ok(())
    }

    /// Takes moves back until `ply` are left.
    pub fn take_back_to(&mut self, ply: usize) {
        if ply < self.ply() {
            self.columns.truncate(ply);
            self.positions.truncate(ply + 1);
        }
    }

    /// Returns whether the game is over.
    pub fn is_over(&self) -> bool {
        self.position().primitive().is_some()
    }

    /// Returns the winner; `None` for a tie and for an unfinished game.
    pub fn winner(&self) -> Option<Player> {
        let position = self.position();
        match position.primitive()? {
            Value::Win => Some(position.to_move()),
            Value::Lose => Some(position.to_move().other()),
            Value::Tie => None,
        }
    }

    /// Writes the state of the game: `the first player has won`, `a tie, the board is full`, `second player to move`.
    pub fn standing(&self) -> String {
        match (self.is_over(), self.winner()) {
            (true, Some(winner)) => format!("the {winner} player has won"),
            (true, None) => "a tie, the board is full".to_owned(),
            (false, _) => format!("{} player to move", self.position().to_move()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_has_a_position_before_each_move_and_one_after_the_last() {
        let board = "12x4".parse().unwrap();
        let mut game = Game::parse(board, "1ac1").unwrap();
        assert_eq!((game.columns(), game.positions().len(), game.moves().as_str()), (&[0, 9, 11, 0][..], 5, "1ac1"));
        assert_eq!(*game.position(), notation::parse(board, "1ac1").unwrap());
        game.take_back_to(1);
        assert_eq!((game.moves().as_str(), game.last()), ("1", Some(0)));
        game.take_back_to(9);
        assert_eq!(game.ply(), 1);
        assert_eq!(Game::parse(board, "-").unwrap().ply(), 0);
    }

    #[test]
    fn a_game_from_a_set_up_position_has_its_own_moves() {
        let board = "4x4".parse().unwrap();
        let mut game = Game::parse_from(notation::parse(board, "123").unwrap(), "").unwrap();
        assert_eq!((game.ply(), game.last(), game.to_text().as_str()), (0, None, "2_---X---O---X----"));
        game.play(3).unwrap();
        assert_eq!((game.moves().as_str(), game.to_text().as_str()), ("4", "1_---X---O---X---O"));
        assert_eq!(Game::parse(board, "1234").unwrap().to_text(), "1234");
        assert_eq!(game.positions().len(), 2);
    }

    #[test]
    fn a_text_without_the_order_of_moves_is_not_a_game() {
        for text in ["10100 10010 11010 01010", "1_-XXX--OO---O----", "0", "9", "11111", "1x", "é"] {
            assert!(Game::parse("4x4".parse().unwrap(), text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_game_names_its_winner() {
        let standing = |board: &str, moves| Game::parse(board.parse().unwrap(), moves).unwrap().standing();
        assert_eq!(standing("4x4", "1212121"), "the first player has won");
        assert_eq!(standing("4x4m", "1212121"), "the second player has won");
        assert_eq!(standing("2x2", "1122"), "a tie, the board is full");
        assert_eq!(standing("2x2", "112"), "second player to move");
    }
}
