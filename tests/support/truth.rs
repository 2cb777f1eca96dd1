//! Published answers: the selection in `tests/data`, and in the long run the whole lists where they are.

use std::env;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use fourbase::{Board, Outcome, Position, Value};

use super::long;

/// Names the folder of the whole lists. Otherwise they may lie beside the checkout.
const VARIABLE: &str = "FOURBASE_TRUTH";

/// Reads a table without its head line.
pub fn rows(name: &str) -> Vec<String> {
    read(&selection(), name).split_off(1)
}

/// Reads a list of which the repository has a selection: that, or in the long run all of it, where it is.
pub fn list(name: &str) -> Vec<String> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/truth");
    let whole = env::var_os(VARIABLE).map(PathBuf::from).or_else(|| beside.exists().then_some(beside));
    let selected = read(&selection(), name);
    let expected = match name {
        "ply8_5x5.csv.gz" => 5_013,
        "ply8_7x6.csv.gz" => 7_372,
        _ => 300,
    };
    assert_eq!(selected.len(), expected, "lines of {name}");
    match whole.filter(|_| long::is_long()) {
        Some(whole) => {
            let all = read(&whole, name);
            let mut rest = all.iter();
            assert!(selected.iter().all(|line| rest.any(|other| other == line)), "{name} is a selection of the whole");
            all
        }
        None => {
            let said = if long::is_long() { "skipped" } else { "long run only" };
            println!("{said}: all of {name}, in the folder {VARIABLE}");
            selected
        }
    }
}

fn selection() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data")
}

/// Reads the lines of a file, unpacked where its name ends in `.gz`.
fn read(folder: &Path, name: &str) -> Vec<String> {
    let path = folder.join(name);
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let text = if name.ends_with(".gz") { io::read_to_string(GzDecoder::new(file)) } else { io::read_to_string(file) };
    text.unwrap_or_else(|error| panic!("{}: {error}", path.display())).lines().map(str::to_owned).collect()
}

/// Reads a value from the words for a win, a tie and a loss.
pub fn value_of(text: &str, words: [&str; 3]) -> Value {
    let place = words.iter().position(|word| *word == text).unwrap_or_else(|| panic!("a value: {text}"));
    [Value::Win, Value::Tie, Value::Lose][place]
}

/// A position and what it is worth to the player to move, with the remoteness.
pub type Opening = (Position, Outcome);

/// Reads Markus Böck's opening book of a board (arXiv 2507.05267): positions after 8 plies, mirror images apart.
///
/// A row is `///ooo/xoxxx,win,9`: the pieces of each column from the bottom up, `x` the first player's; the value for
/// the first player, who is to move; the plies to the end.
pub fn openings(board: Board) -> Vec<Opening> {
    list(&format!("ply8_{board}.csv.gz")).iter().skip(1).map(|row| parse(board, row)).collect()
}

fn parse(board: Board, row: &str) -> Opening {
    let fields: Vec<&str> = row.split(',').collect();
    let [columns, value, plies] = fields[..] else { panic!("a row of three fields: {row}") };
    let value = value_of(value, ["win", "draw", "loss"]);
    let outcome = Outcome { value, remoteness: Some(plies.parse().expect("a number")) };
    (parse_columns(board, columns), outcome)
}

fn parse_columns(board: Board, text: &str) -> Position {
    let (mut first, mut second) = (0, 0);
    for (column, pieces) in text.split('/').enumerate() {
        for (row, piece) in pieces.chars().enumerate() {
            let bit = 1 << board.cell(column, row);
            match piece {
                'x' => first |= bit,
                'o' => second |= bit,
                _ => panic!("a piece: {text}"),
            }
        }
    }
    Position::from_bitboards(board, first, second).expect("a position")
}
