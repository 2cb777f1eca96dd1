//! What the page of the server shows, held against the command line.

use std::cell::RefCell;
use std::collections::HashMap;

use fourbase::{Board, Player, Position};
use serde::Deserialize;
use serde_json::Value as Json;

use super::board::board;
use super::program::Program;

/// One look at the page. `tests/support/shown.js` says where each field is on the page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// Whether all values of the position are there and no computer thinks.
    pub settled: bool,
    pub thinking: bool,
    pub over: bool,
    pub ply: usize,
    pub board: String,
    pub moves: String,
    pub link: String,
    pub picture: String,
    pub address: String,
    pub status: String,
    pub error: String,
    pub can_retry: bool,
    pub can_redo: bool,
    pub can_go_on: bool,
    pub line_note: String,
    pub focus: String,
    pub window_width: f64,
    pub content_width: f64,
    /// From left to right, as they are seen.
    pub columns: Vec<Column>,
    /// The lines over the board, each from x, y to x, y in cells from the upper left corner.
    pub lines: Vec<[f64; 4]>,
    /// The value history.
    pub plies: Vec<Ply>,
}

/// A column of the board, with what a move there is worth.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    pub column: usize,
    /// From the bottom: 1 for a piece of the first player, 2 for one of the second.
    pub pieces: String,
    pub value: Option<String>,
    pub remoteness: Option<u64>,
    pub text: String,
    /// What a screen reader says.
    pub name: String,
    pub left: f64,
    pub width: f64,
}

/// A row of the value history.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ply {
    pub value: Option<String>,
    pub remoteness: Option<u64>,
    pub mistake: String,
    #[serde(rename = "move")]
    pub move_: String,
    pub worth: String,
    pub is_current: bool,
    pub is_later: bool,
}

impl Shown {
    /// Returns the columns that show a value.
    pub fn with_values(&self) -> Vec<usize> {
        self.columns.iter().filter(|column| column.text.contains("in ")).map(|column| column.column).collect()
    }

    /// Returns what the address says after its `?`.
    pub fn query(&self) -> &str {
        self.address.split_once('?').map_or("", |(_, query)| query)
    }
}

/// The answers of the command line about a board.
pub struct Truth<'a> {
    program: &'a Program,
    board: Board,
    known: RefCell<HashMap<String, Json>>,
}

impl<'a> Truth<'a> {
    /// Asks the program in its folder, with the databases there.
    pub fn new(program: &'a Program, name: &str) -> Truth<'a> {
        Truth { program, board: board(name), known: RefCell::default() }
    }

    /// Returns what `query --json` says of the position after these moves.
    pub fn of(&self, moves: &str) -> Json {
        if let Some(answer) = self.known.borrow().get(moves) {
            return answer.clone();
        }
        let answer = self.program.run(&format!("query {} {moves} --json", self.board)).first_json();
        self.known.borrow_mut().insert(moves.to_owned(), answer.clone());
        answer
    }

    fn position(&self, moves: &str) -> Position {
        moves.bytes().fold(Position::start(self.board), |position, name| {
            position.play((name - b'1').into()).unwrap_or_else(|error| panic!("{moves}: {error}"))
        })
    }

    /// Compares pieces, values, remotenesses, texts and names of all columns, and the status, with the command line.
    /// Before the page has settled values may be missing, but none may be wrong.
    #[track_caller]
    pub fn check(&self, shown: &Shown) {
        let (answer, position) = (self.of(&shown.moves), self.position(&shown.moves));
        let children = answer["children"].as_array().expect("moves");
        assert_eq!((shown.columns.len(), shown.ply), (self.board.width(), shown.moves.len()), "{shown:#?}");
        for column in &shown.columns {
            let pieces: String = (0..position.height(column.column - 1))
                .map(|row| if position.piece(column.column - 1, row) == Some(Player::First) { '1' } else { '2' })
                .collect();
            assert_eq!(column.pieces, pieces, "{shown:#?}");
            let Some(child) = children.iter().find(|child| child["column"] == column.column) else {
                assert_eq!((&column.value, column.text.as_str()), (&None, ""), "{shown:#?}");
                continue;
            };
            if column.value.is_none() && !shown.settled {
                assert!(["…", "?"].contains(&column.text.as_str()), "{shown:#?}");
                continue;
            }
            let (value, remoteness) = (child["value"].as_str(), child["remoteness"].as_u64());
            assert_eq!((column.value.as_deref(), column.remoteness), (value, remoteness), "{shown:#?}");
            let worth = |gap| format!("{}{gap}in {}", value.expect("a value"), remoteness.expect("a remoteness"));
            assert_eq!(column.text, worth('\n'), "{shown:#?}");
            let count = format!("{} piece{}", pieces.len(), if pieces.len() == 1 { "" } else { "s" });
            let name = format!("Column {}, {count}, {}", column.column, worth(' '));
            assert!(column.name.starts_with(&name), "{name:?}: {shown:#?}");
        }
        assert_eq!(shown.over, position.primitive().is_some(), "{shown:#?}");
        if shown.settled && !shown.over {
            let mover = if shown.ply.is_multiple_of(2) {
                "First player to move (discs)"
            } else {
                "Second player to move (rings)"
            };
            let worth = format!("{mover}: {} in {}.", answer["value"].as_str().expect("a value"), answer["remoteness"]);
            assert!(shown.status.starts_with(&worth), "{worth:?}: {shown:#?}");
        }
    }

    /// Compares the whole value history with the command line, and its mistakes with `analyse --json`.
    #[track_caller]
    pub fn check_history(&self, shown: &Shown, game: &str) {
        assert_eq!(shown.plies.len(), game.len() + 1, "{shown:#?}");
        let analysis = self.program.run(&format!("analyse {} {game} --json", self.board)).first_json();
        let players =
            ["first", "second"].map(|player| analysis["mistakes"][player].as_array().expect("mistakes").clone());
        let mistakes: HashMap<u64, String> = players.iter().flatten().map(mistake).collect();
        for (ply, row) in shown.plies.iter().enumerate() {
            let answer = self.of(&game[..ply]);
            let (value, remoteness) = (answer["value"].as_str(), answer["remoteness"].as_u64());
            assert_eq!((row.value.as_deref(), row.remoteness), (value, remoteness), "ply {ply}: {shown:#?}");
            let winner = match (value, ply % 2) {
                (Some("win"), 0) | (Some("lose"), 1) => "1st",
                (Some("tie"), _) => "tie",
                _ => "2nd",
            };
            let mut worth = match (winner, remoteness.expect("a remoteness")) {
                ("tie", 0) => "tie".to_owned(),
                (_, 0) => format!("{winner} won"),
                ("tie", remoteness) => format!("tie in {remoteness}"),
                (_, remoteness) => format!("{winner} wins in {remoteness}"),
            };
            let mistake = mistakes.get(&(ply as u64)).map_or("", String::as_str);
            if !mistake.is_empty() {
                worth += &format!("\nmessed up: {mistake}");
            }
            assert_eq!((row.mistake.as_str(), row.worth.as_str()), (mistake, worth.as_str()), "ply {ply}: {shown:#?}");
            let name = if ply == 0 { "start".to_owned() } else { format!("{ply}. {}", &game[ply - 1..ply]) };
            let is_later = ply > shown.ply;
            assert_eq!((row.move_.as_str(), row.is_later), (name.as_str(), is_later), "ply {ply}: {shown:#?}");
            assert_eq!(row.is_current, ply == shown.ply, "ply {ply}: {shown:#?}");
        }
    }

    /// Compares the end of a game: who won, with each line over pieces of the winner, or that it is a tie.
    #[track_caller]
    pub fn check_end(&self, shown: &Shown) {
        let position = self.position(&shown.moves);
        assert!(shown.over && shown.with_values().is_empty(), "{shown:#?}");
        let Some(fourbase::Value::Lose) = position.primitive() else {
            assert_eq!((shown.status.as_str(), shown.lines.len()), ("The board is full: a tie.", 0), "{shown:#?}");
            return;
        };
        let (winner, words) = match position.to_move() {
            Player::First => (Player::Second, "The second player (rings) wins."),
            Player::Second => (Player::First, "The first player (discs) wins."),
        };
        assert_eq!(shown.status, words, "{shown:#?}");
        assert!(!shown.lines.is_empty(), "{shown:#?}");
        for &[x1, y1, x2, y2] in &shown.lines {
            let steps = (x2 - x1).abs().max((y2 - y1).abs());
            assert!(steps >= 3.0, "{shown:#?}");
            for step in 0..=steps as usize {
                let part = step as f64 / steps;
                let (column, row) =
                    (x1 + (x2 - x1) * part - 0.5, self.board.height() as f64 - 0.5 - (y1 + (y2 - y1) * part));
                assert_eq!(position.piece(column as usize, row as usize), Some(winner), "{shown:#?}");
            }
        }
    }
}

/// Reads a mistake of an analysis: the number of the move, and what it gave away.
fn mistake(mistake: &Json) -> (u64, String) {
    let text = |name: &str| mistake[name].as_str().expect("a value").to_owned();
    (mistake["number"].as_u64().expect("a number"), format!("{} to {}", text("from"), text("to")))
}
