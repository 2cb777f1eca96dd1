//! `GET api/v1/position.svg`: a position as a picture, SVG that stands alone, for pages that embed it.

use std::fmt::Write;

use axum::extract::RawQuery;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use fourbase::{Player, Position};
use serde::Deserialize;

use super::failure::Failure;
use super::fields::{self, fields};
use super::written::CHANGING;

/// The side of a cell, and the radius of a piece.
const CELL: usize = 20;
const RADIUS: usize = 8;

/// The colours of GamesmanUni's page: the first player is blue, the second red.
const FIRST: &str = "#0b3fae";
const SECOND: &str = "#c81e1e";

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
    Ok(([(header::CONTENT_TYPE, media), (header::CACHE_CONTROL, CHANGING)], draw(&position)).into_response())
}

/// Draws a position.
fn draw(position: &Position) -> String {
    let board = position.board();
    let (width, height) = (board.width(), board.height());
    let (across, down) = (width * CELL, height * CELL);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {across} {down}\" role=\"img\">\
         <title>{}</title><rect width=\"{across}\" height=\"{down}\" rx=\"6\" fill=\"#27364f\"/>",
        title(position)
    );
    for column in 0..width {
        for row in 0..height {
            let (x, y) = (column * CELL + CELL / 2, (height - 1 - row) * CELL + CELL / 2);
            let fill = match position.piece(column, row) {
                Some(Player::First) => FIRST,
                Some(Player::Second) => SECOND,
                None => "#ffffff",
            };
            // Writing to memory does not fail.
            let _ = write!(text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\" fill=\"{fill}\"/>");
            // The second player's pieces differ without colour too.
            if position.piece(column, row) == Some(Player::Second) {
                let _ = write!(
                    text,
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"none\" stroke=\"#ffffff\" stroke-width=\"1.5\"/>"
                );
            }
        }
    }
    text.push_str("</svg>\n");
    text
}

/// Says what the picture shows.
fn title(position: &Position) -> String {
    let board = position.board();
    let pieces = position.ply();
    let mover = match position.to_move() {
        Player::First => "first",
        Player::Second => "second",
    };
    format!("Connect Four {board}, {pieces} pieces, the {mover} player to move")
}

#[cfg(test)]
mod tests {
    use fourbase::notation;

    use super::*;

    #[test]
    fn a_picture_has_a_circle_for_every_cell_and_a_ring_for_every_second_piece() {
        let position = notation::parse("7x6".parse().unwrap(), "4453").unwrap();
        let picture = draw(&position);
        assert_eq!(picture.matches("<circle").count(), 42 + 2);
        assert_eq!((picture.matches(FIRST).count(), picture.matches(SECOND).count()), (2, 2));
        assert!(picture.contains("7x6, 4 pieces, the first player to move"));
    }
}
