//! Values in words and colours: `tie in 17`, win green, tie yellow, lose red.

use anstyle::{AnsiColor, Style};
use fourbase::{Outcome, Player, Value};

/// Returns how a value looks on a terminal.
fn style(value: Value) -> Style {
    let colour = match value {
        Value::Win => AnsiColor::Green,
        Value::Tie => AnsiColor::Yellow,
        Value::Lose => AnsiColor::Red,
    };
    colour.on_default().bold()
}

/// Writes a value in its colour, with spaces after it up to `width` characters.
pub fn value(value: Value, width: usize) -> String {
    let style = style(value);
    format!("{style}{value}{style:#}{:1$}", "", width.saturating_sub(value.to_string().len()))
}

/// Writes `tie in 17` in colours, without the number where nobody computed it.
pub fn outcome(outcome: Outcome) -> String {
    let value = value(outcome.value, 0);
    outcome.remoteness.map_or(value.clone(), |remoteness| format!("{value} in {remoteness}"))
}

/// Writes `tie in 17` without colours, for errors.
pub fn plain(outcome: Outcome) -> String {
    outcome.remoteness.map_or(outcome.value.to_string(), |remoteness| format!("{} in {remoteness}", outcome.value))
}

/// Writes `first player to move: tie in 17`.
pub fn sentence(to_move: Player, outcome: Outcome) -> String {
    format!("{to_move} player to move: {}", self::outcome(outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_padded_outside_of_its_colour() {
        assert_eq!(value(Value::Win, 5), "\u{1b}[1m\u{1b}[32mwin\u{1b}[0m  ");
        assert_eq!(value(Value::Lose, 2), "\u{1b}[1m\u{1b}[31mlose\u{1b}[0m");
    }

    #[test]
    fn an_unknown_remoteness_is_left_out() {
        let tie =
            |remoteness| anstream::adapter::strip_str(&outcome(Outcome { value: Value::Tie, remoteness })).to_string();
        assert_eq!((tie(Some(17)).as_str(), tie(None).as_str()), ("tie in 17", "tie"));
    }
}
