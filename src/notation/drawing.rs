//! A position drawn for people: as text, and as SVG for pages and notebooks.
//!
//! The text has rows of `.`, `X` and `O`, the top row first, and below them the names of the columns.

use std::fmt::Write;

use super::moves::column_character;
use crate::{Player, Position};

/// Terminal sequences (ECMA-48, "select graphic rendition"). Values are never shown in the colours of pieces.
const FIRST_COLOUR: &str = "\x1b[1;94m";
const SECOND_COLOUR: &str = "\x1b[1;95m";
const NAME_COLOUR: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

/// Draws a position: a line for each row, the top row first, then a line with the names of the columns, without a final
/// line break.
///
/// `for_terminal` adds terminal sequences: they make the first player's `X` blue, the second player's `O` magenta, and
/// the names of the columns faint. It also puts brackets around the lines that have ended the game. If the output is
/// not a terminal or `NO_COLOR` is set, the caller must remove the sequences again.
///
/// ```
/// use fourbase::{Board, notation};
///
/// let board: Board = "4x3".parse()?;
/// let position = notation::parse(board, "2213")?;
/// assert_eq!(notation::draw(&position, false), ". . . .\n. O . .\nX X O .\n1 2 3 4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn draw(position: &Position, for_terminal: bool) -> String {
    let board = position.board();
    let lines = if for_terminal { position.completed_lines() } else { 0 };
    let paint = |colour: &str, text: &str| {
        if for_terminal { format!("{colour}{text}{PLAIN}") } else { text.to_owned() }
    };
    let margin = if lines == 0 { "" } else { " " };
    let mut text = String::new();
    for row in (0..board.height()).rev() {
        let is_marked = |column: usize| column < board.width() && lines >> board.cell(column, row) & 1 == 1;
        for column in 0..=board.width() {
            text.push_str(match (column.checked_sub(1).is_some_and(is_marked), is_marked(column)) {
                (false, true) => "[",
                (true, false) => "]",
                _ if column == 0 => margin,
                _ if column == board.width() => "\n",
                _ => " ",
            });
            if column < board.width() {
                match position.piece(column, row) {
                    None => text.push('.'),
                    Some(Player::First) => text.push_str(&paint(FIRST_COLOUR, "X")),
                    Some(Player::Second) => text.push_str(&paint(SECOND_COLOUR, "O")),
                }
            }
        }
        if text.ends_with(']') {
            text.push('\n');
        }
    }
    let names: Vec<String> = (0..board.width()).filter_map(column_character).map(String::from).collect();
    text + margin + &paint(NAME_COLOUR, &names.join(" "))
}

/// The side of a cell and the radius of a piece, in SVG units.
const CELL: usize = 20;
const RADIUS: usize = 8;

/// The fills of the pieces, in the colours of the page: the first player is red, the second yellow.
const FIRST_FILL: &str = "#e0333a";
const SECOND_FILL: &str = "#ffc919";

/// A rectangle with round corners, in SVG units from the upper left corner of a picture. A circle is one whose sides are two radii.
pub struct Shape {
    /// The left edge.
    pub x: usize,
    /// The upper edge.
    pub y: usize,
    /// The length of the horizontal sides.
    pub width: usize,
    /// The length of the vertical sides.
    pub height: usize,
    /// The radius of the corners.
    pub radius: usize,
    /// The colour, such as `#2460d6`.
    pub fill: &'static str,
}

impl Shape {
    fn circle(x: usize, y: usize, radius: usize, fill: &'static str) -> Self {
        let side = 2 * radius;
        Self { x: x - radius, y: y - radius, width: side, height: side, radius, fill }
    }
}

/// Returns the shapes that draw a position, from back to front: the frame, then the cells and the pieces. The first player's pieces are
/// red, the second player's are yellow with a hub.
pub fn shapes(position: &Position) -> Vec<Shape> {
    let board = position.board();
    let (width, height) = (board.width(), board.height());
    let mut shapes = vec![Shape { x: 0, y: 0, width: width * CELL, height: height * CELL, radius: 6, fill: "#2460d6" }];
    for column in 0..width {
        for row in 0..height {
            let (x, y) = (column * CELL + CELL / 2, (height - 1 - row) * CELL + CELL / 2);
            let fill = match position.piece(column, row) {
                Some(Player::First) => FIRST_FILL,
                Some(Player::Second) => SECOND_FILL,
                None => "#dfe8fb",
            };
            shapes.push(Shape::circle(x, y, RADIUS, fill));
            // A hub marks the second player's pieces for readers who cannot tell the colours apart.
            if position.piece(column, row) == Some(Player::Second) {
                shapes.push(Shape::circle(x, y, 4, "#b97d00"));
            }
        }
    }
    shapes
}

/// Draws the [`shapes`] of a position as SVG, about 70 bytes a cell. The title gives the board, the number of pieces and who is to move.
///
/// ```
/// use fourbase::{Board, notation};
///
/// let board: Board = "4x3".parse()?;
/// let picture = notation::draw_svg(&notation::parse(board, "2213")?);
/// assert!(picture.starts_with("<svg ") && picture.contains("4x3, 4 pieces, the first player to move"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn draw_svg(position: &Position) -> String {
    let board = position.board();
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\">\
         <title>Connect Four {board}, {} pieces, the {} player to move</title>",
        board.width() * CELL,
        board.height() * CELL,
        position.ply(),
        position.to_move()
    );
    for Shape { x, y, width, height, radius, fill } in shapes(position) {
        // Writing to memory does not fail.
        let _ = if width == 2 * radius {
            write!(text, "<circle cx=\"{}\" cy=\"{}\" r=\"{radius}\" fill=\"{fill}\"/>", x + radius, y + radius)
        } else {
            write!(text, "<rect width=\"{width}\" height=\"{height}\" rx=\"{radius}\" fill=\"{fill}\"/>")
        };
    }
    text.push_str("</svg>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::{FIRST_FILL, SECOND_FILL, draw, draw_svg};
    use crate::Position;
    use crate::notation::parse;

    #[test]
    fn the_widest_board_has_a_letter_under_every_column() {
        let drawn = draw(&Position::start("32x1".parse().unwrap()), false);
        assert!(drawn.ends_with("\n1 2 3 4 5 6 7 8 9 a b c d e f g h i j k l m n o p q r s t u v w"), "{drawn}");
    }

    #[test]
    fn colours_are_terminal_sequences_around_pieces() {
        let position = parse("2x1".parse().unwrap(), "12").unwrap();
        assert_eq!(draw(&position, true), "\x1b[1;94mX\x1b[0m \x1b[1;95mO\x1b[0m\n\x1b[2m1 2\x1b[0m");
        assert_eq!(draw(&position, false), "X O\n1 2");
    }

    #[test]
    fn brackets_are_around_the_lines_that_ended_the_game() {
        let drawn = |board: &str, moves| {
            let drawn = draw(&parse(board.parse().unwrap(), moves).unwrap(), true);
            drawn.split("\x1b[").map(|part| part.split_once('m').map_or(part, |(_, text)| text)).collect::<String>()
        };
        assert_eq!(drawn("4x2", "1122334"), " O O O .\n[X X X X]\n 1 2 3 4");
        assert_eq!(drawn("3x2c2", "112"), " O . .\n[X X].\n 1 2 3");
        assert_eq!(drawn("3x2c2", "122"), " .[X].\n[X]O .\n 1 2 3");
        assert_eq!(drawn("2x2", "1122"), "O O\nX X\n1 2");
    }

    #[test]
    fn a_picture_has_a_circle_for_every_cell_and_a_hub_for_every_second_piece() {
        let position = parse("7x6".parse().unwrap(), "4453").unwrap();
        let picture = draw_svg(&position);
        assert_eq!(picture.matches("<circle").count(), 42 + 2);
        assert_eq!((picture.matches(FIRST_FILL).count(), picture.matches(SECOND_FILL).count()), (2, 2));
        assert!(picture.contains("7x6, 4 pieces, the first player to move"));
    }
}
