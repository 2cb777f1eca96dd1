//! The fields of an address, and the boards and positions that they name.

use axum::extract::Query;
use fourbase::{Board, Position, notation};
use serde::de::DeserializeOwned;

use super::failure::Failure;

/// The longest text of a position: three times the bits of the largest board.
const MOST_CHARACTERS: usize = 512;

/// Reads the fields of an address.
///
/// # Errors
///
/// Fields that are missing, unknown, or of another kind.
pub fn fields<T: DeserializeOwned>(query: Option<&str>) -> Result<T, Failure> {
    let uri =
        format!("/?{}", query.unwrap_or_default()).parse().map_err(|_| Failure::bad("this address cannot be read"))?;
    let fields = Query::try_from_uri(&uri).map_err(|error| {
        let text = error.body_text();
        let reason = text.rsplit_once("query string: ").map_or(text.as_str(), |(_, reason)| reason);
        Failure::bad(format!("this address cannot be read: {reason}"))
    })?;
    Ok(fields.0)
}

/// Reads a position of a board.
///
/// # Errors
///
/// The first mistake in the text.
pub fn position(board: Board, text: &str) -> Result<Position, Failure> {
    if text.len() > MOST_CHARACTERS {
        return Err(Failure::bad(format!("a position has at most {MOST_CHARACTERS} characters, not {}", text.len())));
    }
    Ok(notation::parse(board, text)?)
}

/// The empty board, which is asked about where an address names no position.
pub fn empty_board() -> String {
    "-".to_owned()
}
