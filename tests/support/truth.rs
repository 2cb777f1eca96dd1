//! The files of known answers, which may lie beside the checkout.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use fourbase::{Board, Outcome, Position, Value};

/// Reads a file of known answers without its head line, unpacked where its name ends in `.gz`; `None`, with a message,
/// where it is absent.
pub fn rows(name: &str) -> Option<Vec<String>> {
    lines(name).map(|mut lines| lines.split_off(lines.len().min(1)))
}

/// Reads a file of known answers that has no head line, as [`rows`] does.
pub fn lines(name: &str) -> Option<Vec<String>> {
    let path = folder().join(name);
    let text = if name.ends_with(".gz") { unpacked(&path) } else { fs::read_to_string(&path) };
    match text {
        Ok(text) => Some(text.lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            println!("skipped: the known answers {} are not here", path.display());
            None
        }
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/truth")
}

fn unpacked(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(File::open(path)?).read_to_string(&mut text)?;
    Ok(text)
}

/// A position and what it is worth to the player to move, with the remoteness.
pub type Opening = (Position, Outcome);

/// Reads Markus Böck's opening book of a board (arXiv 2507.05267): every position after 8 plies, mirror images apart;
/// `None`, with a message, where it is absent.
///
/// A row is `///ooo/xoxxx,win,9`: the pieces of each column from the bottom up, `x` the first player's; the value for
/// the first player, who is to move; the plies to the end.
pub fn openings(board: Board) -> Option<Vec<Opening>> {
    let rows = rows(&format!("ply8_{board}.csv.gz"))?;
    Some(rows.iter().map(|row| parse(board, row)).collect())
}

fn parse(board: Board, row: &str) -> Opening {
    let fields: Vec<&str> = row.split(',').collect();
    let [columns, value, plies] = fields[..] else { panic!("a row of three fields: {row}") };
    let value = match value {
        "win" => Value::Win,
        "draw" => Value::Tie,
        "loss" => Value::Lose,
        _ => panic!("a value: {row}"),
    };
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
