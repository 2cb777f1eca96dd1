//! What must hold of any bytes from outside, one property for each parser. The fuzz targets in `fuzz/` and the ordinary
//! tests in `tests/parsers.rs` try the same.

use std::io::{self, Read};

use fourbase::{Board, Game, Position, notation};
use fourbase_tiers::counts::Counts;
use fourbase_tiers::format::Manifest;
pub use fourbase_tiers::testing::fuzzing::{block, block_index, log, manifest, pages, shapes, tier_header};
use serde::{Deserialize, Serialize};

/// The lines of a batch, from the program's own file, which uses nothing else of the program.
#[path = "../../tools/src/batch/lines.rs"]
#[allow(dead_code, reason = "the program uses all of it")]
mod lines;

/// The longest message about a text.
pub const MESSAGE_BYTES: usize = 512;

/// Boards on which positions are read, by the first byte.
const BOARDS: [&str; 8] = ["4x4", "7x6", "1x8", "8x2", "32x2", "4x4c3m", "8x8", "1x64"];

/// Checks what was read, or else that the message is one short line; returns whether it was read.
fn is_read<T>(read: Result<T, impl ToString>, check: impl FnOnce(T)) -> bool {
    let message = read.map(check).err().map(|error| error.to_string());
    let is_short = |message: &String| message.len() <= MESSAGE_BYTES && !message.chars().any(char::is_control);
    assert!(message.as_ref().is_none_or(is_short), "{message:?}");
    message.is_none()
}

/// Reads the name of a board: it has one name, which means the same board.
pub fn board(data: &[u8]) -> bool {
    is_read(String::from_utf8_lossy(data).parse::<Board>(), |board| {
        assert_eq!(board.to_string().parse(), Ok(board));
        assert!(board.cells() <= fourbase::MAX_CELLS && board.width() <= fourbase::MAX_COLUMNS);
    })
}

/// Reads a position of a board that the first byte chooses: written in any notation it is the same position.
pub fn position(data: &[u8]) -> bool {
    let Some((which, text)) = data.split_first() else { return false };
    let board: Board = BOARDS[usize::from(*which) % BOARDS.len()].parse().expect("a board");
    position_of(board, &String::from_utf8_lossy(text))
}

/// Reads a position of a board.
pub fn position_of(board: Board, text: &str) -> bool {
    is_read(notation::parse(board, text), |position| {
        let [first, second] = position.bitboards();
        assert_eq!(Position::from_bitboards(board, first, second), Ok(position));
        assert_eq!(notation::parse(board, &notation::to_uni(&position)), Ok(position));
        assert_eq!(notation::parse(board, &notation::to_bits(&position)), Ok(position));
        if let Ok(moves) = notation::to_moves(&position) {
            assert_eq!(notation::parse(board, &moves), Ok(position));
        }
        assert_eq!(position.mirror().mirror(), position);
    })
}

/// Reads a saved game: its moves can be played, and written again it is the same game.
pub fn saved_game(data: &[u8]) -> bool {
    is_read(Game::from_saved(&String::from_utf8_lossy(data)), |game| {
        let play = |position: Position, column: &usize| position.play(*column);
        let last = game.columns().iter().try_fold(Position::start(game.board()), play);
        assert_eq!(last.as_ref(), Ok(game.position()), "a move that cannot be played");
        assert_eq!(Game::from_saved(&game.to_saved()), Ok(game));
    })
}

/// What `stats` keeps beside a database: its manifest and its counts, as JSON.
#[derive(Serialize, Deserialize)]
struct KeptCounts {
    manifest: Manifest,
    counts: Counts,
}

/// Reads counts with the manifest of their database as JSON: written again they are the same, and they add up.
pub fn stats_file(data: &[u8]) -> bool {
    let Ok(kept) = serde_json::from_slice::<KeptCounts>(data) else { return false };
    let text = serde_json::to_vec(&kept).expect("JSON");
    let again: KeptCounts = serde_json::from_slice(&text).expect("the same counts");
    assert!(again.manifest == kept.manifest && again.counts == kept.counts);
    let legal = kept.counts.sum(|ply| ply.legal);
    assert!(kept.counts.plies.iter().all(|ply| ply.legal <= legal), "a sum that is less than a part of it");
    true
}

/// Input that comes in portions of a fixed length.
struct Portions<'a>(&'a [u8], usize);

impl Read for Portions<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.1.min(self.0.len()).min(into.len());
        let (portion, rest) = self.0.split_at(length);
        into[..length].copy_from_slice(portion);
        self.0 = rest;
        Ok(length)
    }
}

/// Reads the lines of a batch, which come in portions of a length that the first byte gives, and the position on each. The
/// portions do not matter, and no line is lost.
pub fn batch(data: &[u8]) -> bool {
    let Some((portion, text)) = data.split_first() else { return false };
    let mut cut = lines::Lines::new(Portions(text, usize::from(*portion) + 1));
    let mut found = Vec::new();
    while let Some(lines) = cut.next_chunk().expect("bytes in memory") {
        found.extend(lines);
    }
    let mut expected = text.split(|byte| *byte == b'\n').collect::<Vec<_>>();
    if expected.last().is_some_and(|last| last.is_empty()) {
        expected.pop();
    }
    assert_eq!(found.len(), expected.len(), "lines");
    let board: Board = "7x6".parse().expect("a board");
    let mut are_read = true;
    for (line, expected) in found.iter().zip(expected) {
        assert!(line.kept.len() <= lines::KEPT_BYTES && expected.starts_with(&line.kept));
        let whole = expected.strip_suffix(b"\r").unwrap_or(expected);
        assert!(!line.is_whole() || line.kept == whole, "a line that is not as it was written");
        are_read &= line.is_whole() && position_of(board, &String::from_utf8_lossy(&line.kept));
    }
    are_read
}
