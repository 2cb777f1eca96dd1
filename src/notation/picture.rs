//! A position as a picture: SVG that stands alone, for pages and notebooks.

use std::fmt::Write;

use crate::{Player, Position};

/// The side of a cell, and the radius of a piece.
const CELL: usize = 20;
const RADIUS: usize = 8;

/// The colours of GamesmanUni's page: the first player is blue, the second red.
const FIRST: &str = "#0b3fae";
const SECOND: &str = "#c81e1e";

/// Draws a position as SVG, about 70 bytes a cell: the first player's pieces blue, the second player's red with a ring. A
/// title says the board, the number of pieces and who is to move.
///
/// ```
/// use fourbase::{Board, notation};
///
/// let board: Board = "4x3".parse()?;
/// let picture = notation::draw_svg(&notation::parse(board, "2213")?);
/// assert!(picture.starts_with("<svg ") && picture.contains("4x3, 4 pieces, the first player to move"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn draw_svg(position: &Position) -> String {
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
    format!("Connect Four {board}, {pieces} pieces, the {} player to move", position.to_move())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation;

    #[test]
    fn a_picture_has_a_circle_for_every_cell_and_a_ring_for_every_second_piece() {
        let position = notation::parse("7x6".parse().unwrap(), "4453").unwrap();
        let picture = draw_svg(&position);
        assert_eq!(picture.matches("<circle").count(), 42 + 2);
        assert_eq!((picture.matches(FIRST).count(), picture.matches(SECOND).count()), (2, 2));
        assert!(picture.contains("7x6, 4 pieces, the first player to move"));
    }
}
