//! What must hold of any bytes from outside, one property for each parser. The fuzz targets in `fuzz/` and the ordinary
//! tests in `tests/parsers.rs` try the same.

use fourbase::{Board, Player, Position, notation};
use fourbase_tiers::testing::fuzzing;

/// The longest message about a text.
pub const MESSAGE_BYTES: usize = 512;

/// Boards on which positions are read, by the first byte.
const BOARDS: [&str; 8] = ["4x4", "7x6", "1x8", "8x2", "32x2", "4x4c3m", "8x8", "1x64"];

fn check_message(message: &str) {
    assert!(message.len() <= MESSAGE_BYTES && !message.chars().any(char::is_control), "{message:?}");
}

/// Reads the name of a board: it has one name, which means the same board, or the message is one short line.
pub fn board(data: &[u8]) -> bool {
    match String::from_utf8_lossy(data).parse::<Board>() {
        Ok(board) => {
            assert_eq!(board.to_string().parse(), Ok(board));
            assert!(board.cells() <= fourbase::MAX_CELLS && board.width() <= fourbase::MAX_COLUMNS);
            true
        }
        Err(error) => {
            check_message(&error.to_string());
            false
        }
    }
}

/// Reads a position of a board that the first byte chooses: written in any notation it is the same position, or the
/// message is one short line.
pub fn position(data: &[u8]) -> bool {
    let Some((which, text)) = data.split_first() else { return false };
    let board: Board = BOARDS[usize::from(*which) % BOARDS.len()].parse().expect("a board");
    position_of(board, &String::from_utf8_lossy(text))
}

/// Reads a position of a board.
pub fn position_of(board: Board, text: &str) -> bool {
    match notation::parse(board, text) {
        Ok(position) => {
            let [first, second] = [Player::First, Player::Second].map(|player| position.pieces(player));
            assert_eq!(Position::from_bitboards(board, first, second), Ok(position));
            assert_eq!(notation::parse(board, &notation::to_uni(&position)), Ok(position));
            assert_eq!(notation::parse(board, &notation::to_bits(&position)), Ok(position));
            if let Ok(moves) = notation::to_moves(&position) {
                assert_eq!(notation::parse(board, &moves), Ok(position));
            }
            assert_eq!(position.mirror().mirror(), position);
            true
        }
        Err(error) => {
            check_message(&error.to_string());
            false
        }
    }
}

/// Reads the record of a manifest.
pub fn manifest(data: &[u8]) -> bool {
    fuzzing::manifest(data)
}

/// Reads the record of a tier's header.
pub fn tier_header(data: &[u8]) -> bool {
    fuzzing::tier_header(data)
}

/// Reads the directory of a tier's blocks.
pub fn block_index(data: &[u8]) -> bool {
    fuzzing::block_index(data)
}

/// Reads a block of a tier.
pub fn block(data: &[u8]) -> bool {
    fuzzing::block(data)
}
