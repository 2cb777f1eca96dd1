//! `fourbase query --batch`: a line of answer for every line of input.

use std::io::Write;

use anyhow::{Error, anyhow};
use fourbase::analysis::json::{AnalysisJson, AnswerJson, Envelope};
use fourbase::analysis::{Analysis, Move};
use fourbase::{Board, Outcome, Position, Value, notation};
use rayon::prelude::*;

use super::limited::LimitedAnalyst;
use crate::batch::lines::Line;
use crate::batch::{BatchArguments, Record, Tally, input_text, no_answer};

/// The text in place of an unknown remoteness, and of a column that cannot be played.
const NONE: &[u8] = b"-";

/// The text in place of a move that was not decided.
const UNDECIDED: &[u8] = b"?";

/// How many lines one thread parses or writes as a unit of work. Fewer lines are not worth a second thread.
const PART: usize = 512;

/// The most lines that are answered at a time if the answers contain all moves.
const AT_ONCE_WITH_MOVES: usize = 1 << 13;

/// What is written about each position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Value and remoteness.
    Outcomes,
    /// Value and remoteness, and a column for each move.
    Moves,
    /// A line of JSON, with best play and reasons if these are wanted.
    Json { with_line: bool, with_reasons: bool },
    /// Value, remoteness and score, only for positions whose expected result (the next field of the line) differs.
    Differences,
}

/// Answers every line, each of which is a position of `board`.
///
/// # Errors
///
/// Those of [`BatchArguments::run`].
pub fn run(arguments: &BatchArguments, board: Board, analyst: &LimitedAnalyst, form: Form) -> anyhow::Result<()> {
    let batch = Batch { arguments, board, analyst, form };
    let at_once = match form {
        Form::Outcomes | Form::Differences => analyst.at_once(),
        Form::Moves | Form::Json { .. } => analyst.at_once().min(AT_ONCE_WITH_MOVES),
    };
    arguments.run("position", "looked up", board, at_once, |lines, text, tally| match form {
        Form::Outcomes => {
            batch.answer(lines, text, tally, |positions| analyst.outcomes(positions), Batch::write_outcome)
        }
        Form::Differences => {
            batch.answer(lines, text, tally, |positions| analyst.outcomes(positions), Batch::write_difference)
        }
        Form::Moves => batch.answer(lines, text, tally, |positions| batch.analyse(positions), Batch::write_moves),
        Form::Json { .. } => batch.answer(lines, text, tally, |positions| batch.analyse(positions), Batch::write_json),
    })
}

/// A question, or the reason why its line is not a position.
type Reading<'l> = Result<Question<'l>, String>;

/// A line that is a position.
struct Question<'l> {
    line: &'l Line,
    record: Record<'l>,
    position: Position,
}

struct Batch<'a> {
    arguments: &'a BatchArguments,
    board: Board,
    analyst: &'a LimitedAnalyst,
    form: Form,
}

impl Batch<'_> {
    /// Answers lines. Threads parse the lines in parts of [`PART`] lines, `find` finds all answers in one call, and threads write
    /// the answers in the same parts.
    fn answer<T: Send>(
        &self,
        lines: &[Line],
        text: &mut Vec<u8>,
        tally: &mut Tally,
        find: impl FnOnce(&[Position]) -> Vec<anyhow::Result<T>>,
        write: impl Fn(&Self, &mut Vec<u8>, &mut Tally, &Question, T) + Sync + Send,
    ) {
        let parts: Vec<&[Line]> = lines.chunks(PART).collect();
        let readings = of_each(parts.clone(), |lines| self.read(lines));
        let positions: Vec<Position> = readings.iter().flatten().flatten().map(|read| read.position).collect();
        let mut found = find(&positions).into_iter();
        let counts = readings.iter().map(|part| part.iter().flatten().count());
        let found: Vec<Vec<_>> = counts.map(|count| found.by_ref().take(count).collect()).collect();
        let parts = parts.into_iter().zip(readings).zip(found).collect();
        let texts = of_each(parts, |((lines, readings), found): ((&[Line], Vec<Reading>), Vec<_>)| {
            let (mut text, mut tally, mut found) = (Vec::new(), Tally::default(), found.into_iter());
            for (line, reading) in lines.iter().zip(readings) {
                match reading {
                    Ok(question) => match found.next().unwrap_or_else(|| Err(no_answer())) {
                        Ok(found) => write(self, &mut text, &mut tally, &question, found),
                        Err(failure) => {
                            let reason = tally.failed(failure);
                            self.write_reason(&mut text, line, Some(&question), reason);
                        }
                    },
                    Err(reason) => {
                        tally.bad += 1;
                        self.write_reason(&mut text, line, None, reason);
                    }
                }
            }
            (text, tally)
        });
        for (part, counts) in texts {
            text.extend_from_slice(&part);
            tally.add(counts);
        }
    }

    /// Parses lines.
    fn read<'l>(&self, lines: &'l [Line]) -> Vec<Reading<'l>> {
        let read = |line: &'l Line| {
            let record = self.arguments.read(line, self.board)?;
            let position = notation::parse(self.board, record.text).map_err(|error| error.to_string())?;
            Ok(Question { line, record, position })
        };
        lines.iter().map(read).collect()
    }

    /// Analyses positions: in parallel if a database answers, else one after the other, because each search uses all threads.
    fn analyse(&self, positions: &[Position]) -> Vec<anyhow::Result<Analysis>> {
        let with_line = matches!(self.form, Form::Json { with_line: true, .. });
        let analyse = |position: &Position| self.analyst.analyse(position, with_line, None);
        if self.analyst.may_search() || positions.len() == 1 {
            return positions.iter().map(analyse).collect();
        }
        positions.par_iter().map(analyse).collect()
    }

    /// Writes value and remoteness.
    fn write_outcome(&self, text: &mut Vec<u8>, _: &mut Tally, question: &Question, outcome: Outcome) {
        question.record.write(text, |text| push_outcome(text, outcome, b'\t'));
    }

    /// Writes value, remoteness and score if they differ from the expected result, the next field of the line.
    fn write_difference(&self, text: &mut Vec<u8>, tally: &mut Tally, question: &Question, outcome: Outcome) {
        let score = question.position.score(outcome);
        let expected = question.record.next().unwrap_or_default();
        let is_equal = match (expected.parse::<i64>(), expected.to_ascii_lowercase().as_str()) {
            (Ok(_), _) if self.board.is_misere() => {
                tally.bad += 1;
                let reason = "misère boards have no scores; write win, tie or lose after the position";
                return self.write_reason(text, question.line, Some(question), reason.to_owned());
            }
            (Ok(expected), _) => score.map(|score| score == expected),
            (_, "win") => Some(outcome.value == Value::Win),
            (_, "lose" | "loss") => Some(outcome.value == Value::Lose),
            (_, "tie" | "draw") => Some(outcome.value == Value::Tie),
            _ => {
                tally.bad += 1;
                let reason = "the field after the position is no score or value; write a number, win, tie or lose";
                return self.write_reason(text, question.line, Some(question), reason.to_owned());
            }
        };
        match is_equal {
            Some(true) => {}
            Some(false) => {
                tally.different += 1;
                question.record.write(text, |text| {
                    push_outcome(text, outcome, b'\t');
                    let _ = write!(text, "\t{}", score.map_or_else(|| "-".to_owned(), |score| score.to_string()));
                });
            }
            None => {
                let remedy =
                    if self.analyst.may_search() { "allow more with --nodes" } else { "leave --search never out" };
                let reason = tally.failed(anyhow!("the remoteness, from which scores follow, is not known; {remedy}"));
                self.write_reason(text, question.line, Some(question), reason);
            }
        }
    }

    /// Writes value, remoteness and a column for each move.
    fn write_moves(&self, text: &mut Vec<u8>, tally: &mut Tally, question: &Question, found: Analysis) {
        let Some(outcome) = found.outcome else {
            let reason = tally.failed(self.limit(&found));
            return self.write_reason(text, question.line, Some(question), reason);
        };
        question.record.write(text, |text| {
            push_outcome(text, outcome, b'\t');
            for column in 0..self.board.width() {
                text.push(b'\t');
                match found.moves.iter().find(|of| of.column == column) {
                    Some(Move { outcome: Some(outcome), .. }) => push_outcome(text, *outcome, b' '),
                    Some(_) => text.extend_from_slice(UNDECIDED),
                    None => text.extend_from_slice(NONE),
                }
            }
        });
    }

    /// Writes the whole analysis as a line of JSON.
    fn write_json(&self, text: &mut Vec<u8>, tally: &mut Tally, question: &Question, mut found: Analysis) {
        if let Form::Json { with_reasons: true, .. } = self.form {
            found.explain();
        }
        let limit = found.limit.map(|limit| self.analyst.limit_text(limit));
        let input = Some(input_text(question.line));
        let json = AnswerJson { input, ..AnalysisJson::of(&found, question.record.text, limit) };
        Envelope::new("query", json).push_to(text);
        if found.outcome.is_none() {
            tally.failed(self.limit(&found));
        }
    }

    /// Returns the error for a position whose value is not known.
    fn limit(&self, found: &Analysis) -> Error {
        found.limit.map_or_else(no_answer, |limit| anyhow!(self.analyst.limit_text(limit)))
    }

    /// Writes why a line has no answer, in the form of the batch.
    fn write_reason(&self, text: &mut Vec<u8>, line: &Line, question: Option<&Question>, reason: String) {
        if let Form::Json { .. } = self.form {
            let (position, typed) = question.map(|of| (&of.position, of.record.text)).unzip();
            let answer = AnalysisJson::failed(self.board, position, typed.unwrap_or_default(), reason);
            let json = AnswerJson { input: Some(input_text(line)), ..answer };
            Envelope::new("query", json).push_to(text);
        } else {
            self.arguments.write_error(text, line, self.board, &reason);
        }
    }
}

/// Calls `each` for each item, on all threads if there are several items.
fn of_each<I: Send, T: Send>(items: Vec<I>, each: impl Fn(I) -> T + Sync + Send) -> Vec<T> {
    if items.len() == 1 { items.into_iter().map(each).collect() } else { items.into_par_iter().map(each).collect() }
}

/// Writes a value, the byte `between`, and a remoteness.
fn push_outcome(text: &mut Vec<u8>, outcome: Outcome, between: u8) {
    text.extend_from_slice(outcome.value.name().as_bytes());
    text.push(between);
    match outcome.remoteness {
        // Writing to memory does not fail.
        Some(remoteness) => drop(write!(text, "{remoteness}")),
        None => text.extend_from_slice(NONE),
    }
}
