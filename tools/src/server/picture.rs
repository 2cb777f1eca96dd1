//! `GET api/v1/position.svg`: a position as a picture, for pages that embed it.

use axum::extract::RawQuery;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use fourbase::notation::draw_svg;
use serde::Deserialize;

use super::failure::Failure;
use super::fields::{self, fields};
use super::written::CHANGING;

/// Answers `GET api/v1/position.svg`.
pub async fn get(RawQuery(query): RawQuery) -> Result<Response, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Asked {
        board: String,
        #[serde(default = "fields::empty_board")]
        position: String,
    }
    let asked: Asked = fields(query.as_deref())?;
    let position = fields::position(asked.board.parse()?, &asked.position)?;
    let media = HeaderValue::from_static("image/svg+xml");
    Ok(([(header::CONTENT_TYPE, media), (header::CACHE_CONTROL, CHANGING)], draw_svg(&position)).into_response())
}
