//! `GET api/v1/position.svg`: a position as a picture, for pages that embed it.

use axum::extract::RawQuery;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use fourbase::notation::draw_svg;
use serde::Deserialize;

use super::failure::Failure;
use super::fields::{self, fields};
use super::written::CHANGING;

/// Which position.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// Moves, bit strings of columns, or a string of GamesmanUni.
    #[serde(default = "fields::empty_board")]
    position: String,
}

/// Answers `GET api/v1/position.svg`.
pub async fn get(RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked: Asked = fields(query.as_deref())?;
    let position = fields::position(asked.board.parse()?, &asked.position)?;
    let media = HeaderValue::from_static("image/svg+xml");
    Ok(([(header::CONTENT_TYPE, media), (header::CACHE_CONTROL, CHANGING)], draw_svg(&position)).into_response())
}
