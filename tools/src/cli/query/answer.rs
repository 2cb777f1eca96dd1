//! The analysis of one position as people read it: the board, its value, its moves, and how best play goes on.

use std::fmt;

use fourbase::analysis::{Analysis, Move};
use fourbase::notation::{column_character, columns_to_text, draw};

use crate::wording;

/// Stands for a value that is not known.
const UNKNOWN: &str = "?";

/// An analysis for people.
pub struct Answer<'a> {
    pub analysis: &'a Analysis,
    /// Which limit was reached, and what to do.
    pub limit: Option<&'a str>,
    /// Where the answer comes from, if not only from a database.
    pub note: Option<&'a str>,
}

impl fmt::Display for Answer<'_> {
    /// Draws the board, says the value, and lists the columns, best first, and the line of best play. The text has
    /// colours.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Analysis { position, outcome, moves, .. } = self.analysis;
        writeln!(f, "{}\n", draw(position, true))?;
        let to_move = position.to_move();
        match outcome {
            Some(outcome) => write!(f, "{}", wording::sentence(to_move, *outcome))?,
            None => write!(f, "{to_move} player to move: {UNKNOWN}")?,
        }
        if moves.is_empty() {
            write!(f, " (the game is over)")?;
        } else {
            self.write_moves(f)?;
        }
        if let (Some(limit), Some(_)) = (self.limit, outcome) {
            write!(f, "\n\n{}: {limit}", self.open())?;
        }
        self.note.iter().try_for_each(|note| write!(f, "\n\n{note}"))
    }
}

impl Answer<'_> {
    fn write_moves(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        for Move { column, outcome } in &self.analysis.moves {
            let name = column_character(*column).unwrap_or('?');
            match outcome.map(|outcome| (outcome.value, outcome.remoteness)) {
                // Four letters, as many as the longest value has.
                Some((value, Some(plies))) => write!(f, "\n{name}  {}{plies:>3}", wording::value(value, 4))?,
                Some((value, None)) => write!(f, "\n{name}  {}", wording::value(value, 0))?,
                None => write!(f, "\n{name}  {UNKNOWN}")?,
            }
        }
        match &self.analysis.line {
            Some(line) => write!(f, "\n\nbest play: {}", columns_to_text(line.iter().copied())),
            None => Ok(()),
        }
    }

    /// Names what a limit has left open.
    fn open(&self) -> &'static str {
        if self.analysis.moves.iter().any(|of| of.outcome.is_none()) {
            UNKNOWN
        } else if self.analysis.outcome.is_some_and(|outcome| outcome.remoteness.is_none()) {
            "plies to the end"
        } else {
            "best play"
        }
    }
}
