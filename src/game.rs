//! A game: its moves in order, and the position before each. It begins with the empty board or with a set-up position.

use crate::excerpt::excerpt;
use crate::notation::{self, NotationError, columns_to_text};
use crate::{Board, MoveError, Player, Position};

/// A game, finished or not.
///
/// ```
/// use fourbase::{Game, Player};
///
/// let mut game = Game::parse("4x4".parse()?, "121212")?;
/// game.play(0)?;
/// assert_eq!((game.moves().as_str(), game.winner()), ("1212121", Some(Player::First)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    columns: Vec<usize>,
    /// One more item than `columns` has; the last is the current position.
    positions: Vec<Position>,
}

impl Game {
    /// Starts a game at a position.
    pub fn start(position: Position) -> Game {
        Game { columns: Vec::new(), positions: vec![position] }
    }

    /// Reads a game from its moves; `-` or an empty text means the empty board.
    ///
    /// # Errors
    ///
    /// [`NotationError`] names the first move that cannot be played, or says that `moves` is a position in a notation
    /// without the order of moves.
    pub fn parse(board: Board, moves: &str) -> Result<Game, NotationError> {
        Game::parse_from(Position::start(board), moves)
    }

    /// Reads a game that begins from the position `start`; `moves` are the moves played from there.
    ///
    /// # Errors
    ///
    /// The errors of [`Game::parse`].
    pub fn parse_from(start: Position, moves: &str) -> Result<Game, NotationError> {
        let (mut game, columns) = (Game::start(start), notation::parse_moves(&start, moves)?);
        for column in columns {
            game.push(column);
        }
        Ok(game)
    }

    /// Writes a saved game: the lines `board 5x4` and `moves 3321`. The game must have begun with the empty board,
    /// because a saved game has no other start.
    pub fn to_saved(&self) -> String {
        let moves = if self.columns.is_empty() { "-".to_owned() } else { self.moves() };
        format!("board {}\nmoves {moves}\n", self.board())
    }

    /// Reads a saved game.
    ///
    /// # Errors
    ///
    /// A message of one line: the text is not a saved game, or its board or one of its moves is wrong.
    pub fn from_saved(text: &str) -> Result<Game, String> {
        let mut lines = text.trim_start_matches('\u{feff}').lines();
        let mut field = |word: &str| lines.next().and_then(|line| line.strip_prefix(word)).map(str::trim);
        let (Some(board), Some(moves)) = (field("board "), field("moves ")) else {
            return Err("not a saved game, whose lines are \"board 5x4\" and \"moves 3321\"".to_owned());
        };
        if let Some(line) = lines.find(|line| !line.trim().is_empty()) {
            return Err(format!("not a saved game, after whose moves comes \"{}\"", excerpt(line, 40)));
        }
        let board = board.parse::<Board>().map_err(|error| error.to_string())?;
        Game::parse(board, moves).map_err(|error| error.to_string())
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
        let is_set_up = self.positions.first().is_some_and(|first| first.ply() > 0);
        if is_set_up { notation::to_uni(self.position()) } else { self.moves() }
    }

    /// Returns the position before each move, and the current one at the end.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Returns the columns played, from 0.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Returns the column of the last move, from 0; `None` if there was no move.
    pub fn last(&self) -> Option<usize> {
        self.columns.last().copied()
    }

    /// Returns the number of moves.
    pub fn ply(&self) -> usize {
        self.columns.len()
    }

    /// Writes the moves that were played since the first position.
    pub fn moves(&self) -> String {
        columns_to_text(self.columns.iter().copied())
    }

    /// Plays a move.
    ///
    /// # Errors
    ///
    /// [`MoveError`] says why the move cannot be played.
    pub fn play(&mut self, column: usize) -> Result<(), MoveError> {
        self.position().play(column)?;
        self.push(column);
        Ok(())
    }

    pub(crate) fn push(&mut self, column: usize) {
        self.positions.push(self.position().drop_piece(column));
        self.columns.push(column);
    }

    /// Takes moves back until at most `ply` moves are left.
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
        self.position().winner()
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
        let from_spelled = Game::parse_from(notation::parse(board, "44").unwrap(), "d3 a1");
        assert_eq!(from_spelled.map(|game| game.moves()), Ok("41".to_owned()));
    }
}
