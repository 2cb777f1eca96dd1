//! The answer about one position, for people and for programs: its value, its moves, and how best play goes on.

use std::fmt;

use fourbase::notation::{column_character, columns_to_text, draw, to_bits};
use fourbase::{Outcome, Position};
use fourbase_tiers::database::Move;
use serde::Serialize;

use super::asker::Asker;
use crate::wording;

/// The answer about one position. Its `Display` is for people.
pub struct Answer {
    position: Position,
    outcome: Outcome,
    moves: Vec<Move>,
    line: Option<Vec<usize>>,
    note: Option<String>,
    keep_plies: Option<u32>,
}

impl Answer {
    /// Asks everything about a position.
    ///
    /// # Errors
    ///
    /// The same as [`Asker::ask`].
    pub fn of(asker: &Asker, position: &Position) -> anyhow::Result<Answer> {
        let (outcome, moves, line) = asker.ask(|answerer, question| {
            let (outcome, moves) = (answerer.outcome(position, question)?, answerer.moves(position, question)?);
            Ok((outcome, moves, answerer.best_line(position, question)?))
        })?;
        let (note, keep_plies) = (asker.note(), asker.keep_plies());
        Ok(Answer { position: *position, outcome, moves, line, note, keep_plies })
    }

    /// Says where the answer comes from, if not only from a database. What people read includes it.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Returns the answer for programs.
    pub fn to_json(&self) -> AnswerJson {
        AnswerJson {
            board: self.position.board().to_string(),
            position: to_bits(&self.position),
            ply: self.position.ply(),
            to_move: self.position.to_move().to_string(),
            value: self.outcome.value.to_string(),
            remoteness: self.outcome.remoteness,
            moves: self.moves.iter().map(MoveJson::of).collect(),
            line: self.line.as_ref().map(|line| columns_to_text(line.iter().copied())),
            keep_plies: self.keep_plies,
        }
    }
}

/// An [`Answer`] for programs.
#[derive(Serialize)]
pub struct AnswerJson {
    board: String,
    position: String,
    ply: usize,
    to_move: String,
    value: String,
    remoteness: Option<u32>,
    moves: Vec<MoveJson>,
    line: Option<String>,
    /// The deepest ply that the database keeps; left out where it keeps all.
    #[serde(skip_serializing_if = "Option::is_none")]
    keep_plies: Option<u32>,
}

#[derive(Serialize)]
struct MoveJson {
    /// Counts from 1.
    column: usize,
    value: String,
    remoteness: Option<u32>,
}

impl MoveJson {
    fn of(of: &Move) -> MoveJson {
        MoveJson { column: of.column + 1, value: of.outcome.value.to_string(), remoteness: of.outcome.remoteness }
    }
}

impl fmt::Display for Answer {
    /// Draws the board, says the value, and lists the columns, best first, and the line of best play. The text has
    /// colours.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", draw(&self.position, true))?;
        write!(f, "{}", wording::sentence(self.position.to_move(), self.outcome))?;
        if self.moves.is_empty() {
            write!(f, " (the game is over)")?;
        } else {
            self.write_moves(f)?;
        }
        self.note.iter().try_for_each(|note| write!(f, "\n\n{note}"))
    }
}

impl Answer {
    fn write_moves(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        for Move { column, outcome } in &self.moves {
            let name = column_character(*column).unwrap_or('?');
            match outcome.remoteness {
                // Four letters, as many as the longest value has.
                Some(plies) => write!(f, "\n{name}  {}{plies:>3}", wording::value(outcome.value, 4))?,
                None => write!(f, "\n{name}  {}", wording::value(outcome.value, 0))?,
            }
        }
        match &self.line {
            Some(line) => write!(f, "\n\nbest play: {}", columns_to_text(line.iter().copied())),
            None => Ok(()),
        }
    }
}
