//! The value history of a game, drawn: ply by ply, who stood to win and in how many.
//!
//! The picture is GamesCrafters' "visual value history". Time runs down, a position a row. Along a row, the left edge is
//! a won game of the first player and the right edge one of the second: a mark stands as many columns from its
//! winner's edge as there are plies to the win, so that the course of a game without mistakes runs straight to an edge. A tie
//! stands in the middle. A jump from one side to another is a mistake of whoever moved.

use fourbase::notation::column_character;
use fourbase::{Outcome, Player, Position, Value};

use crate::wording;

/// The most columns of one side; of a longer game several plies share one.
const MOST_COLUMNS: u32 = 32;

/// The least, so that there is room for the names.
const LEAST_COLUMNS: u32 = 12;

/// A position, the column played there, and what it is worth.
pub struct Moment {
    pub position: Position,
    pub column: Option<usize>,
    pub outcome: Option<Outcome>,
}

impl Moment {
    /// Returns who stands to win, and in how many plies; a tie has nobody.
    fn winner(&self) -> Option<(Player, Option<u32>)> {
        let outcome = self.outcome?;
        let mover = self.position.to_move();
        match outcome.value {
            Value::Win => Some((mover, outcome.remoteness)),
            Value::Lose => Some((mover.other(), outcome.remoteness)),
            Value::Tie => None,
        }
    }
}

/// Draws the history of a game, a line for every position.
pub fn draw(moments: &[Moment]) -> String {
    let farthest = moments.iter().filter_map(|moment| moment.winner()?.1).max().unwrap_or(0);
    let plies_a_column = (farthest + 1).div_ceil(MOST_COLUMNS).max(1);
    let columns = (farthest + 1).div_ceil(plies_a_column).max(LEAST_COLUMNS) as usize;
    let mut lines = vec![
        format!("ply move  {:<columns$} tie {:>columns$}", "X wins in", "O wins in"),
        format!("          {}  |  {}", axis(columns, plies_a_column, false), axis(columns, plies_a_column, true)),
    ];
    lines.extend(moments.iter().map(|moment| row(moment, columns, plies_a_column)));
    lines.join("\n")
}

/// Writes the plies at every fifth column, from the left edge inwards or from the right one.
fn axis(columns: usize, plies_a_column: u32, from_right: bool) -> String {
    let mut axis = vec![' '; columns];
    for column in (0..columns).step_by(5) {
        let number = (column as u32 * plies_a_column).to_string();
        if column + number.len() > columns {
            break;
        }
        for (place, digit) in number.chars().enumerate() {
            let at = if from_right { columns - column - number.len() + place } else { column + place };
            axis[at] = digit;
        }
    }
    axis.into_iter().collect()
}

/// Draws one position.
fn row(moment: &Moment, columns: usize, plies_a_column: u32) -> String {
    let (left, middle, right) = match (moment.outcome, moment.winner()) {
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
    let mover = if moment.position.to_move() == Player::First { 'X' } else { 'O' };
    let played = moment.column.and_then(column_character).map_or("   ".to_owned(), |name| format!("{mover} {name}"));
    let worth = match moment.outcome {
        None => "not decided".to_owned(),
        Some(outcome) => wording::sentence(moment.position.to_move(), outcome),
    };
    let ply = moment.position.ply();
    format!("{ply:>3} {played}   {}  {middle}  {}  {worth}", side(left, 'X'), side(right, 'O'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anstream::adapter::strip_str;
    use fourbase::notation;

    fn moment(moves: &str, column: Option<usize>, value: Value, remoteness: u32) -> Moment {
        let position = notation::parse("4x4".parse().unwrap(), moves).unwrap();
        Moment { position, column, outcome: Some(Outcome { value, remoteness: Some(remoteness) }) }
    }

    #[test]
    fn marks_stand_as_far_from_the_winners_edge_as_the_win_is() {
        let moments = [
            moment("-", Some(0), Value::Tie, 16),
            moment("1", Some(1), Value::Lose, 4),
            moment("12", Some(0), Value::Win, 3),
            moment("121", None, Value::Win, 11),
        ];
        let drawn = strip_str(&draw(&moments)).to_string();
        let expected = "\
ply move  X wins in    tie    O wins in
          0    5    10  |  10    5    0
  0 X 1   ............  =  ............  first player to move: tie in 16
  1 O 2   ....X.......  |  ............  second player to move: lose in 4
  2 X 1   ...X........  |  ............  first player to move: win in 3
  3       ............  |  O...........  second player to move: win in 11";
        assert_eq!(drawn, expected);
    }

    #[test]
    fn plies_of_a_long_game_share_columns_and_unknown_ones_stand_nowhere() {
        let mut moments = vec![moment("-", Some(0), Value::Win, 63), moment("1", None, Value::Tie, 15)];
        moments[1].outcome = None;
        let drawn = draw(&moments);
        assert!(drawn.lines().all(|line| line.chars().count() < 140), "{drawn}");
        assert!(drawn.contains("not decided") && drawn.contains('?'), "{drawn}");
    }
}
