//! A position without its value as JSON: its notations, mirror image and drawing. `docs/reference/json.md` describes
//! the fields.

use serde::Serialize;

use super::json::{AnswerJson, PositionJson};
use crate::{Position, Value, notation};

/// Returns the position or its mirror image, whichever has the smaller bit strings. Both give the same result.
pub fn canonical(position: &Position) -> Position {
    let mirror = position.mirror();
    if notation::to_bits(&mirror) < notation::to_bits(position) { mirror } else { *position }
}

/// A position as JSON.
#[derive(Serialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescriptionJson {
    /// Whether the game is over. Null, like all fields below, for a line that is not a position.
    over: Option<bool>,
    /// The value of a finished game; null if the game is not over.
    value: Option<&'static str>,
    canonical: Option<PositionJson>,
    mirror: Option<PositionJson>,
    drawing: Option<String>,
}

impl DescriptionJson {
    /// Makes the JSON of a position; `json` has its notations.
    pub fn of(position: &Position, json: PositionJson) -> AnswerJson<DescriptionJson> {
        let body = DescriptionJson {
            over: Some(position.primitive().is_some()),
            value: position.primitive().map(Value::name),
            canonical: Some(PositionJson::of(&canonical(position))),
            mirror: Some(PositionJson::of(&position.mirror())),
            drawing: Some(notation::draw(position, false)),
        };
        AnswerJson::new(position.board(), Some(json), body)
    }
}
