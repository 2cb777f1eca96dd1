//! A position without its value as JSON: its notations, mirror image and drawing. `docs/reference/json.md` describes the fields.

use serde::Serialize;

use super::json::PositionJson;
use crate::{Board, Position, Value, notation};

/// Returns the same one for a position and its mirror image: the one whose bit strings come first.
pub fn canonical(position: &Position) -> Position {
    let mirror = position.mirror();
    if notation::to_bits(&mirror) < notation::to_bits(position) { mirror } else { *position }
}

/// A position as JSON.
#[derive(Serialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescriptionJson {
    board: String,
    /// The line of a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    /// Null for a line that is no position, as are all fields below.
    position: Option<PositionJson>,
    over: Option<bool>,
    /// Null if the game is not over.
    value: Option<&'static str>,
    canonical: Option<PositionJson>,
    mirror: Option<PositionJson>,
    drawing: Option<String>,
    /// Why a line of a batch is no position.
    error: Option<String>,
}

impl DescriptionJson {
    /// Makes the JSON of a position; `json` has its notations, `input` is the line of a batch.
    pub fn of(position: &Position, json: PositionJson, input: Option<String>) -> DescriptionJson {
        DescriptionJson {
            board: position.board().to_string(),
            input,
            position: Some(json),
            over: Some(position.primitive().is_some()),
            value: position.primitive().map(Value::name),
            canonical: Some(PositionJson::of(&canonical(position))),
            mirror: Some(PositionJson::of(&position.mirror())),
            drawing: Some(notation::draw(position, false)),
            error: None,
        }
    }
    /// Makes the JSON of a batch's line that is no position.
    pub fn of_error(board: Board, input: String, reason: String) -> DescriptionJson {
        DescriptionJson {
            board: board.to_string(),
            input: Some(input),
            error: Some(reason),
            ..DescriptionJson::default()
        }
    }
}
