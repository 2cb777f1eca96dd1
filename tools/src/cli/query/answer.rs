//! The answer about one position for people: the board, its value, a table of its moves, and best play.

use std::fmt;

use fourbase::analysis::Analysis;
use fourbase::notation::{column_character, draw};

use crate::output::wording::{self, LINE, wrapped};

/// The text in place of an unknown value.
const UNKNOWN: &str = "?";

/// Explains [`UNKNOWN`] in the table's row of plies, if databases store the plies of only some moves and nothing is searched.
const NO_PLIES: &str = "\n\n?: plies that no database stores; to search them, leave --search never out";

/// The text in place of a column that cannot be played.
const FULL: &str = "-";

/// The width of the names of the rows, with the spaces after them.
const NAMES: usize = 8;

/// The width of a column of the table, and of the space between two columns.
const CELL: usize = 4;
const GAP: usize = 2;

/// The analysis of one position for people.
pub struct Answer<'a> {
    pub analysis: &'a Analysis,
    /// Which limit was reached, and what to do.
    pub limit: Option<&'a str>,
    /// Where the answer comes from.
    pub source: &'a str,
}

impl fmt::Display for Answer<'_> {
    /// Writes the answer with colours.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Analysis { position, outcome, moves, .. } = self.analysis;
        write!(f, "{}\n\n", draw(position, true))?;
        if moves.is_empty() {
            return f.write_str(&wording::standing(position));
        }
        match outcome {
            Some(outcome) => f.write_str(&wording::verdict(position.to_move(), *outcome))?,
            None => write!(f, "{} to move: not decided", position.to_move().mark())?,
        }
        let has_plies = moves.iter().any(|of| of.outcome.is_some_and(|outcome| outcome.remoteness.is_some()));
        self.write_table(f, has_plies)?;
        if let Some(line) = &self.analysis.line {
            let names = line.iter().filter_map(|column| column_character(*column)).map(String::from);
            write!(f, "\n\n{}", wrapped("Best line:", &names.collect::<Vec<_>>().join(" ")))?;
        }
        if let (Some(limit), Some(_)) = (self.limit, outcome) {
            write!(f, "\n\n{}: {limit}", self.open())?;
        } else if has_plies && moves.iter().any(|of| of.outcome.is_some_and(|outcome| outcome.remoteness.is_none())) {
            f.write_str(NO_PLIES)?;
        }
        self.write_reasons(f)?;
        write!(f, "\n\n{}", self.source)
    }
}

impl Answer<'_> {
    /// Writes the table of moves, which has a column for each column of the board. A table that is too wide is split into several
    /// tables, one below the other. Best moves are in upper case.
    fn write_table(&self, f: &mut fmt::Formatter<'_>, has_plies: bool) -> fmt::Result {
        let Analysis { position, moves, .. } = self.analysis;
        let columns = position.board().width();
        let blocks = columns.div_ceil((LINE - NAMES + GAP) / (CELL + GAP));
        let best: Vec<usize> = self.analysis.best().collect();
        let result = |column: usize| match moves.iter().find(|of| of.column == column).map(|of| of.outcome) {
            None => cell(FULL, str::to_owned),
            Some(None) => cell(UNKNOWN, str::to_owned),
            Some(Some(outcome)) => {
                let noun = outcome.value.noun();
                let noun = if best.contains(&column) { noun.to_uppercase() } else { noun.to_owned() };
                cell(&noun, |noun| wording::in_colour(outcome.value, noun))
            }
        };
        let plies = |column: usize| match moves.iter().find(|of| of.column == column) {
            None => cell(FULL, str::to_owned),
            Some(of) => {
                let plies = of.outcome.and_then(|outcome| outcome.remoteness);
                cell(&plies.map_or(UNKNOWN.to_owned(), |plies| plies.to_string()), str::to_owned)
            }
        };
        let name = |column| cell(&column_character(column).map_or_else(String::new, String::from), str::to_owned);
        for block in Vec::from_iter(0..columns).chunks(columns.div_ceil(blocks)) {
            write!(f, "\n\n{}", row("column", block, name))?;
            write!(f, "\n{}", row("result", block, result))?;
            if has_plies {
                write!(f, "\n{}", row("plies", block, plies))?;
            }
        }
        Ok(())
    }

    /// Writes the reasons of the position and of its moves, if they were asked for.
    fn write_reasons(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Analysis { reason, moves, .. } = self.analysis;
        if let Some(reason) = reason {
            write!(f, "\n\n{}", wrapped("Why:", &reason.to_string()))?;
        }
        for (number, of) in moves.iter().enumerate() {
            if let Some((reason, name)) = of.reason.as_ref().zip(column_character(of.column)) {
                let start = if number == 0 { "\n\n" } else { "\n" };
                write!(f, "{start}{}", wrapped(&format!("{name}:"), &reason.to_string()))?;
            }
        }
        Ok(())
    }

    /// Returns the part of the answer that is still missing when a limit was reached, for the message about it.
    fn open(&self) -> &'static str {
        if self.analysis.moves.iter().any(|of| of.outcome.is_none()) {
            UNKNOWN
        } else if self.analysis.outcome.is_some_and(|outcome| outcome.remoteness.is_none()) {
            "plies to the end"
        } else {
            "best line"
        }
    }
}

/// Writes a row of the table.
fn row(name: &str, columns: &[usize], cell: impl Fn(usize) -> String) -> String {
    let cells = columns.iter().map(|column| cell(*column)).collect::<Vec<_>>();
    format!("{name:NAMES$}{}", cells.join(&" ".repeat(GAP))).trim_end().to_owned()
}

/// Puts a text in the middle of a cell; `paint` colours it.
fn cell(text: &str, paint: impl Fn(&str) -> String) -> String {
    let space = CELL.saturating_sub(text.len());
    format!("{}{}{}", " ".repeat(space / 2), paint(text), " ".repeat(space - space / 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anstream::adapter::strip_str;
    use fourbase::{Outcome, Position, Value};

    #[test]
    fn no_line_of_any_board_is_wider_than_a_terminal() {
        for board in ["32x2", "13x4c3", "12x5c2", "7x6c3", "1x64", "2x31"] {
            let position = Position::start(board.parse().unwrap());
            let outcome = Some(Outcome { value: Value::Tie, remoteness: Some(position.board().cells() as u32) });
            let mut analysis = Analysis { outcome, ..Analysis::unknown(&position) };
            analysis.moves.iter_mut().for_each(|of| of.outcome = outcome);
            analysis.line = Some(vec![position.board().width() - 1; position.board().cells()]);
            let answer = Answer { analysis: &analysis, limit: None, source: "from the built-in database" };
            let shown = strip_str(&answer.to_string()).to_string();
            assert!(shown.lines().all(|line| line.len() <= LINE && line.trim_end() == line), "{shown}");
            assert_eq!(shown.matches("column").count(), position.board().width().div_ceil(12), "{shown}");
        }
    }
}
