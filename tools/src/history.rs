//! Draws the value history of a game: for every ply, which player wins and in how many plies.
//!
//! The picture is GamesCrafters' "visual value history". Time runs down, one position per row. The left edge of a row is
//! a game that the first player has won, the right edge one that the second player has won. The distance of a mark from
//! the winner's edge is the number of plies to the win, so that a game without mistakes runs straight to an edge. A tie
//! stands in the middle. A jump from one side to another is a mistake of the player who moved.

use fourbase::analysis::Ply;
use fourbase::notation::column_character;
use fourbase::{Player, Value};

use crate::output::wording;

/// The most columns of one side; in a longer game several plies share a column.
const MOST_COLUMNS: u32 = 32;

/// The fewest columns of one side, so that the names of the players fit.
const LEAST_COLUMNS: u32 = 12;

/// Returns which player wins after an analysed position, and in how many plies; `None` for a tie.
fn winner(ply: &Ply) -> Option<(Player, Option<u32>)> {
    let outcome = ply.analysis.outcome?;
    let mover = ply.analysis.position.to_move();
    match outcome.value {
        Value::Win => Some((mover, outcome.remoteness)),
        Value::Lose => Some((mover.other(), outcome.remoteness)),
        Value::Tie => None,
    }
}

/// Draws the history of a game, one line for each position.
pub fn draw(plies: &[Ply]) -> String {
    let farthest = plies.iter().filter_map(|ply| winner(ply)?.1).max().unwrap_or(0);
    let plies_a_column = (farthest + 1).div_ceil(MOST_COLUMNS).max(1);
    let columns = (farthest + 1).div_ceil(plies_a_column).max(LEAST_COLUMNS) as usize;
    let mut lines = vec![
        format!("ply move  {:<columns$} tie {:>columns$}", "X wins in", "O wins in"),
        format!("          {}  |  {}", axis(columns, plies_a_column, false), axis(columns, plies_a_column, true)),
    ];
    lines.extend(plies.iter().map(|ply| row(ply, columns, plies_a_column)));
    lines.join("\n")
}

/// Writes the number of plies at every fifth column, counted from the left edge or from the right edge.
fn axis(columns: usize, plies_a_column: u32, from_right: bool) -> String {
    let numbers = (0..columns).step_by(5).map(|column| (column, (column as u32 * plies_a_column).to_string()));
    let numbers = numbers.take_while(|(column, number)| column + number.len() <= columns);
    if from_right {
        let numbers: Vec<String> = numbers.map(|(_, number)| format!("{number:>5}")).collect();
        return format!("{:>columns$}", numbers.into_iter().rev().collect::<String>().trim_start());
    }
    let numbers: String = numbers.map(|(_, number)| format!("{number:<5}")).collect();
    format!("{:<columns$}", numbers.trim_end())
}

/// Draws the row of one position.
fn row(ply: &Ply, columns: usize, plies_a_column: u32) -> String {
    let (position, outcome) = (&ply.analysis.position, ply.analysis.outcome);
    let (left, middle, right) = match (outcome, winner(ply)) {
        (None, _) => (None, "?", None),
        (Some(_), None) => (None, "=", None),
        (Some(_), Some((winner, plies))) => {
            let column = plies.map_or(columns - 1, |plies| (plies / plies_a_column) as usize).min(columns - 1);
            match winner {
                Player::First => (Some(column), "|", None),
                Player::Second => (None, "|", Some(columns - 1 - column)),
            }
        }
    };
    let side = |mark: Option<usize>, sign: char| -> String {
        (0..columns).map(|column| if Some(column) == mark { sign } else { '.' }).collect()
    };
    let mover = position.to_move().mark();
    let played = ply.column.and_then(column_character).map_or("   ".to_owned(), |name| format!("{mover} {name}"));
    let worth = match outcome {
        None => "not decided".to_owned(),
        Some(outcome) => wording::sentence(position.to_move(), outcome),
    };
    let ply = position.ply();
    format!("{ply:>3} {played}   {}  {middle}  {}  {worth}", side(left, 'X'), side(right, 'O'))
}
