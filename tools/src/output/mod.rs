//! Standard output: text and tables for people, coloured on a terminal, and one line of JSON for programs.
//!
//! [`wording`] writes values, paths and commands; [`progress`] draws bars and writes the log.
//!
//! Every line of JSON is one object. It begins with `schema` and `command`. Its fields are always present: what is unknown
//! or does not apply is null. `docs/reference/json.md` describes all of them.
//!
//! The program always writes text with colours. The output stream (`anstream`) removes the colours unless it is a terminal that
//! shows them, and also if `NO_COLOR` is set.

pub mod progress;
pub mod wording;
mod work;

use std::fmt::Display;
use std::io::Write;
use std::time::Duration;

use anstream::adapter::strip_str;
use anyhow::Context;
use fourbase::analysis::json::Envelope;
use fourbase_tiers::files::grouped;
use serde::Serialize;

/// The message of a failed write; the cause is appended to it.
pub const CANNOT_WRITE: &str = "cannot write to standard output";

/// Prints text and ends the line.
///
/// # Errors
///
/// Standard output cannot be written.
pub fn print(text: impl Display) -> anyhow::Result<()> {
    let mut stdout = anstream::stdout().lock();
    writeln!(stdout, "{text}").and_then(|()| stdout.flush()).context(CANNOT_WRITE)
}

/// Prints a value as JSON on one line.
///
/// # Errors
///
/// Standard output cannot be written.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print(serde_json::to_string(value)?)
}

/// Prints what stopped work has done so far, if `is_json`; people read it in the error message instead. Ignores write errors,
/// because the interruption matters more than a closed pipe.
pub fn print_stopped(command: &'static str, result: Option<impl Serialize>, is_json: bool) {
    if let Some(result) = result.filter(|_| is_json) {
        let _ = print_json(&Envelope::new(command, result));
    }
}

/// Prints the result of a subcommand as JSON if `is_json`, else as text.
///
/// # Errors
///
/// Standard output cannot be written.
pub fn print_result(command: &'static str, result: &(impl Display + Serialize), is_json: bool) -> anyhow::Result<()> {
    if is_json { print_json(&Envelope::new(command, result)) } else { print(result) }
}

/// Lays out rows, one per line, below the names of the columns. A `>` before a name, as in [`std::fmt`], aligns the column right.
/// Leaves the line of names out if all names are empty. Cells may contain colours. Lines have no spaces at the end.
pub fn table(columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let head: Vec<String> = columns.iter().map(|name| name.trim_start_matches('>').to_owned()).collect();
    let head = Some(head).filter(|head| head.iter().any(|name| !name.is_empty()));
    let rows: Vec<Vec<String>> = head.into_iter().chain(rows).collect();
    let width = |cell: &String| strip_str(cell).to_string().chars().count();
    let mut widths = vec![0; columns.len()];
    for row in &rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = width(cell).max(*widest);
        }
    }
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(columns).zip(&widths).map(|((cell, column), widest)| {
            let space = " ".repeat(widest - width(cell));
            if column.starts_with('>') { format!("{space}{cell}") } else { format!("{cell}{space}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Rounds a measured figure to four digits; further digits would only be noise.
pub fn short(figure: f64) -> f64 {
    format!("{figure:.3e}").parse().unwrap_or(figure)
}

/// Writes seconds with as many digits as a reader needs: `0.04 s`, `71 s`, `17 min 10 s`, `2 h 5 min`, `12 days`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        _ if seconds < 0.0995 => format!("{} s", (seconds * 1e3).round() / 1e3),
        _ if seconds < 0.995 => format!("{} s", (seconds * 1e2).round() / 1e2),
        _ if seconds < 9.95 => format!("{} s", (seconds * 10.0).round() / 10.0),
        0..100 => format!("{whole} s"),
        100..3600 => format!("{} min {} s", whole / 60, whole % 60),
        3600..360_000 => format!("{} h {} min", whole / 3600, whole / 60 % 60),
        _ => format!("{} days", grouped((seconds / 86_400.0).round() as u128)),
    }
}

/// Writes a large number with three digits and a unit: `412`, `2.58 T`.
pub fn scaled(number: f64) -> String {
    let units = ["", " k", " M", " G", " T", " P", " E"];
    let unit = (0..units.len() - 1).find(|unit| number < 999.5 * 1000f64.powi(*unit as i32)).unwrap_or(units.len() - 1);
    let scaled = number / 1000f64.powi(unit as i32);
    let digits = match scaled {
        _ if scaled >= 99.95 || scaled.fract() == 0.0 => 0,
        _ if unit == 0 || scaled >= 9.995 => 1,
        _ => 2,
    };
    format!("{scaled:.digits$}{}", units[unit])
}

/// Rounds a time to milliseconds; more digits would only be noise.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_without_colours_and_lines_end_without_spaces() {
        let rows = |rows: [[&str; 2]; 2]| rows.map(|row| row.map(str::to_owned).to_vec()).to_vec();
        let text = table(&["board", ">entries"], rows([["4x4c3m", "1"], ["5x4", "12345678"]]));
        assert_eq!(text, "board    entries\n4x4c3m         1\n5x4     12345678");
        let text = table(&["", ""], rows([["\u{1b}[32mwin\u{1b}[0m", "1"], ["lose", ""]]));
        assert_eq!(text, "\u{1b}[32mwin\u{1b}[0m   1\nlose");
    }

    #[test]
    fn times_and_rates_have_the_digits_that_a_reader_needs() {
        let seconds = [0.0, 0.0446, 0.254, 2.46, 71.2, 1030.0, 7_260.0, 430_000.0];
        let shown = ["0 s", "0.045 s", "0.25 s", "2.5 s", "71 s", "17 min 10 s", "2 h 1 min", "5 days"];
        assert_eq!(seconds.map(duration), shown);
        let numbers = [0.0, 0.31, 999.0, 1000.0, 1234.0, 98_765.0, 2.577e12];
        assert_eq!(numbers.map(scaled), ["0", "0.3", "999", "1 k", "1.23 k", "98.8 k", "2.58 T"]);
    }

    #[test]
    fn figures_keep_four_digits() {
        assert_eq!([0.0, 0.060_012_9, 123_456_789.0, 1.0].map(short), [0.0, 0.060_01, 123_500_000.0, 1.0]);
    }
}
