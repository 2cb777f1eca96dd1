//! `fourbase query --batch`: a line of answer for every line of input.

use std::io::Write;

use anyhow::anyhow;
use fourbase::analysis::json::{AnalysisJson, AnswerJson, PositionJson};
use fourbase::analysis::{Analysis, Move};
use fourbase::{Board, Outcome, Position, Value, notation};

use super::limited::LimitedAnalyst;
use crate::batch::{Batch, BatchArguments, Record, Tally, no_answer};
use crate::failure::BadInput;

/// The text in place of an unknown remoteness, and of a column that cannot be played.
const NONE: &[u8] = b"-";

/// The text in place of a move that was not decided.
const UNDECIDED: &[u8] = b"?";

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

/// What was found about a position.
enum Found {
    Outcome(Outcome),
    Analysis(Box<Analysis>),
}

/// Answers every line, each of which is a position of `board`.
///
/// # Errors
///
/// Those of [`Batch::run`].
pub fn run(arguments: &BatchArguments, board: Board, analyst: &LimitedAnalyst, form: Form) -> anyhow::Result<()> {
    let (is_json, with_line, with_reasons) = match form {
        Form::Json { with_line, with_reasons } => (true, with_line, with_reasons),
        _ => (false, false, false),
    };
    let is_of_outcomes = matches!(form, Form::Outcomes | Form::Differences);
    let limit = |found: &Analysis| found.limit.map_or_else(no_answer, |limit| anyhow!(analyst.limit_text(limit)));
    let analyse = |position: &Position| Ok(Found::Analysis(Box::new(analyst.analyse(position, with_line, None)?)));
    Batch {
        arguments,
        name: "position",
        done: "looked up",
        board,
        at_once: if is_of_outcomes { analyst.at_once() } else { analyst.at_once().min(AT_ONCE_WITH_MOVES) },
        json_command: is_json.then_some("query"),
        read: &|text| notation::parse(board, text),
        answer: &|positions| match is_of_outcomes {
            true => analyst.outcomes(positions).into_iter().map(|outcome| outcome.map(Found::Outcome)).collect(),
            false => analyst.each(positions, analyse),
        },
        write: &|text, record, found, tally| {
            match found {
                Found::Outcome(outcome) if form == Form::Differences => {
                    return write_difference(text, record, outcome, tally, analyst);
                }
                Found::Outcome(outcome) => record.write(text, |text| push_outcome(text, outcome, b'\t')),
                Found::Analysis(found) => {
                    let outcome = found.outcome.ok_or_else(|| limit(&found))?;
                    record.write(text, |text| push_moves(text, outcome, &found));
                }
            }
            Ok(())
        },
        json: &|record, found, tally| {
            let Some(Found::Analysis(mut found)) = found else {
                let typed = PositionJson::typed(&record.question, record.text);
                return AnswerJson::new(board, Some(typed), AnalysisJson::default());
            };
            if with_reasons {
                found.explain();
            }
            if found.outcome.is_none() {
                tally.failed(limit(&found));
            }
            AnalysisJson::of(&found, record.text, found.limit.map(|limit| analyst.limit_text(limit)))
        },
    }
    .run()
}

/// Writes value, remoteness and score if they differ from the expected result, the next field of the line.
fn write_difference(
    text: &mut Vec<u8>,
    record: &Record<Position>,
    outcome: Outcome,
    tally: &mut Tally,
    analyst: &LimitedAnalyst,
) -> anyhow::Result<()> {
    let score = record.question.score(outcome);
    let expected = record.next().unwrap_or_default();
    let bad = |reason: &str| Err(BadInput(reason.to_owned()).into());
    let is_equal = match (expected.parse::<i64>(), expected.to_ascii_lowercase().as_str()) {
        (Ok(_), _) if record.question.board().is_misere() => {
            return bad("misère boards have no scores; write win, tie or lose after the position");
        }
        (Ok(expected), _) => score.map(|score| score == expected).ok_or_else(|| {
            let remedy = if analyst.may_search() { "allow more with --nodes" } else { "leave --search never out" };
            anyhow!("the remoteness, from which scores follow, is not known; {remedy}")
        })?,
        (_, "win") => outcome.value == Value::Win,
        (_, "lose" | "loss") => outcome.value == Value::Lose,
        (_, "tie" | "draw") => outcome.value == Value::Tie,
        _ => return bad("the field after the position is no score or value; write a number, win, tie or lose"),
    };
    if !is_equal {
        tally.different += 1;
        record.write(text, |text| {
            push_outcome(text, outcome, b'\t');
            let _ = write!(text, "\t{}", score.map_or_else(|| "-".to_owned(), |score| score.to_string()));
        });
    }
    Ok(())
}

/// Writes value, remoteness and a field for each column of the board.
fn push_moves(text: &mut Vec<u8>, outcome: Outcome, found: &Analysis) {
    push_outcome(text, outcome, b'\t');
    for column in 0..found.position.board().width() {
        text.push(b'\t');
        match found.moves.iter().find(|of| of.column == column) {
            Some(Move { outcome: Some(outcome), .. }) => push_outcome(text, *outcome, b' '),
            Some(_) => text.extend_from_slice(UNDECIDED),
            None => text.extend_from_slice(NONE),
        }
    }
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
