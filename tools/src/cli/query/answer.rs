//! The answer about one position, for people and for programs: its value, its moves, and how best play goes on.

use std::fmt;

use anyhow::Error;
use fourbase::notation::{column_character, columns_to_text, draw};
use fourbase::{Board, Position};
use fourbase_tiers::answer::KnownMove;
use serde::Serialize;

use super::asker::Asker;
use super::found::Found;
use crate::json::{Envelope, OutcomeJson, PositionJson, SourceJson};
use crate::{remedy, wording};

/// Stands for a value that is not known.
const UNKNOWN: &str = "?";

/// The answer about one position. Its `Display` is for people.
pub struct Answer {
    position: Position,
    found: Found<Error>,
    note: Option<String>,
}

impl Answer {
    /// Asks everything about a position.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub fn of(asker: &Asker, position: &Position) -> anyhow::Result<Answer> {
        let found = asker.find_and_show(position)?;
        Ok(Answer { position: *position, found, note: asker.note() })
    }

    /// Says where the answer comes from, if not only from a database. What people read includes it.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Returns whether anything is known of the position.
    pub fn is_known(&self) -> bool {
        self.found.outcome.is_some() || self.found.moves.iter().any(|of| of.outcome.is_some())
    }

    /// Returns the answer for programs. `text` is the position as it was typed.
    pub fn to_json(&self, text: &str) -> Envelope<AnswerJson> {
        Envelope::new("query", AnswerJson::of(&self.position, text, &self.found))
    }

    /// Returns why the value is not known, and what to do.
    pub fn into_limit(self) -> Option<Error> {
        self.found.limit.filter(|_| self.found.outcome.is_none())
    }
}

/// An answer for programs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswerJson {
    board: String,
    /// The line of a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    /// Null for a line that is no position.
    position: Option<PositionJson>,
    #[serde(flatten)]
    outcome: OutcomeJson,
    children: Vec<ChildJson>,
    line: Option<String>,
    source: Option<SourceJson>,
    undecided: bool,
    error: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ChildJson {
    /// Counts from 1.
    column: usize,
    #[serde(flatten)]
    outcome: OutcomeJson,
}

impl AnswerJson {
    /// Writes what was found out about a position that was typed as `text`.
    pub fn of<L: fmt::Display>(position: &Position, text: &str, found: &Found<L>) -> AnswerJson {
        let child = |of: &KnownMove| ChildJson { column: of.column + 1, outcome: OutcomeJson::of(of.outcome) };
        let undecided = found.outcome.is_none();
        let error = found.limit.as_ref().filter(|_| undecided).map(|limit| format!("{limit:#}"));
        AnswerJson {
            board: position.board().to_string(),
            input: None,
            position: Some(PositionJson::typed(position, text)),
            outcome: OutcomeJson::of(found.outcome),
            children: found.moves.iter().map(child).collect(),
            line: found.line.as_ref().map(|line| columns_to_text(line.iter().copied())),
            source: Some(found.source.clone()),
            undecided,
            error,
        }
    }

    /// Writes why a line of a batch has no answer.
    pub fn of_error(board: Board, position: Option<PositionJson>, reason: String) -> AnswerJson {
        AnswerJson {
            board: board.to_string(),
            input: None,
            position,
            outcome: OutcomeJson::of(None),
            children: Vec::new(),
            line: None,
            source: None,
            undecided: false,
            error: Some(reason),
        }
    }

    /// Leaves the folder of the database out.
    pub fn without_folder(mut self) -> AnswerJson {
        self.source = self.source.map(SourceJson::without_folder);
        self
    }

    /// Adds the line of a batch.
    pub fn with_input(mut self, input: String) -> AnswerJson {
        self.input = Some(input);
        self
    }
}

impl fmt::Display for Answer {
    /// Draws the board, says the value, and lists the columns, best first, and the line of best play. The text has
    /// colours.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", draw(&self.position, true))?;
        let to_move = self.position.to_move();
        match self.found.outcome {
            Some(outcome) => write!(f, "{}", wording::sentence(to_move, outcome))?,
            None => write!(f, "{to_move} player to move: {UNKNOWN}")?,
        }
        if self.found.moves.is_empty() {
            write!(f, " (the game is over)")?;
        } else {
            self.write_moves(f)?;
        }
        if let (Some(limit), true) = (&self.found.limit, self.found.outcome.is_some()) {
            write!(f, "\n\n{}: {}", self.open(), remedy::told_whole(limit))?;
        }
        self.note.iter().try_for_each(|note| write!(f, "\n\n{note}"))
    }
}

impl Answer {
    fn write_moves(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        for KnownMove { column, outcome } in &self.found.moves {
            let name = column_character(*column).unwrap_or('?');
            match outcome.map(|outcome| (outcome.value, outcome.remoteness)) {
                // Four letters, as many as the longest value has.
                Some((value, Some(plies))) => write!(f, "\n{name}  {}{plies:>3}", wording::value(value, 4))?,
                Some((value, None)) => write!(f, "\n{name}  {}", wording::value(value, 0))?,
                None => write!(f, "\n{name}  {UNKNOWN}")?,
            }
        }
        match &self.found.line {
            Some(line) => write!(f, "\n\nbest play: {}", columns_to_text(line.iter().copied())),
            None => Ok(()),
        }
    }

    /// Names what a limit has left open.
    fn open(&self) -> &'static str {
        let moves = &self.found.moves;
        if moves.iter().any(|of| of.outcome.is_none()) {
            UNKNOWN
        } else if self.found.outcome.is_some_and(|outcome| outcome.remoteness.is_none()) {
            "plies to the end"
        } else {
            "best play"
        }
    }
}
