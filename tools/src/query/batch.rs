//! `fourbase query --batch`: a line of answer for every line of input, in order, as soon as possible.
//!
//! All input that has arrived is answered, and the answers are written, before more input is read. So a program on the
//! other side of a pipe can write a line, wait for its answer, and write the next; and a file of a million lines is read,
//! answered and written in large portions. No timeout decides whether input pauses.

use std::io::{self, Read, Write};
use std::str;

use anyhow::{Context, Error, anyhow};
use fourbase::{Board, Outcome, Position, excerpt, notation};

use super::asker::Asker;
use super::lines::{KEPT_BYTES, Line, Lines};
use crate::failure::BadInput;
use crate::output::CANNOT_WRITE;
use crate::remedy;

/// The most bytes of a bad line that its answer repeats.
const ECHO_BYTES: usize = 256;

/// The most bytes of a failure's reason on its line; the reason may contain the name of a file.
const REASON_BYTES: usize = 1024;

/// Stands for an unknown remoteness.
const UNKNOWN: &str = "-";

/// Answers every line of `input`, positions of `board`, on `output`.
///
/// # Errors
///
/// At once: input that cannot be read, output that cannot be written. After all lines were answered: the first failure to
/// find an answer, or else bad input if any line was bad.
pub fn run(board: Board, asker: &Asker, input: impl Read, output: impl Write) -> anyhow::Result<()> {
    let mut batch = Batch { board, asker, output, lines: 0, bad: 0, failed: 0, first_failure: None };
    let mut lines = Lines::new(input);
    while let Some(lines) = lines.next_chunk().context("cannot read standard input")? {
        for lines in lines.chunks(asker.at_once()) {
            batch.answer(lines).context(CANNOT_WRITE)?;
        }
    }
    batch.end()
}

/// The batch so far.
struct Batch<'a, W> {
    board: Board,
    asker: &'a Asker,
    output: W,
    lines: u64,
    /// Lines that are not positions.
    bad: u64,
    /// Lines that are positions without an answer.
    failed: u64,
    first_failure: Option<Error>,
}

impl<W: Write> Batch<'_, W> {
    /// Answers some lines, and flushes the answers.
    fn answer(&mut self, lines: &[Line]) -> io::Result<()> {
        let readings = lines.iter().map(|line| read(self.board, line)).collect::<Vec<_>>();
        let positions = readings.iter().flatten().copied().collect::<Vec<_>>();
        let mut outcomes = self.asker.outcomes(&positions).into_iter();
        let mut text = Vec::with_capacity(lines.len() * 32);
        for (line, reading) in lines.iter().zip(readings) {
            self.lines += 1;
            match reading.map(|_| outcomes.next().unwrap_or_else(|| Err(anyhow!("no answer")))) {
                Ok(Ok(outcome)) => write_outcome(&mut text, line, outcome)?,
                Ok(Err(failure)) => {
                    self.failed += 1;
                    write_error(&mut text, line, &excerpt(&remedy::told_whole(&failure), REASON_BYTES))?;
                    self.first_failure.get_or_insert(failure);
                }
                Err(reason) => {
                    self.bad += 1;
                    write_error(&mut text, line, &reason)?;
                }
            }
        }
        self.output.write_all(&text)?;
        self.output.flush()
    }

    /// Reports the batch as a whole.
    fn end(self) -> anyhow::Result<()> {
        let Batch { lines, bad, failed, .. } = self;
        if let Some(failure) = self.first_failure {
            return Err(failure.context(format!("{failed} of {lines} positions could not be looked up")));
        }
        if bad > 0 {
            let text = format!("{bad} of {lines} lines are no positions of {}; their answers say why", self.board);
            return Err(BadInput(text).into());
        }
        Ok(())
    }
}

/// Reads a position, or says why the line is not one, without line breaks or tabs.
fn read(board: Board, line: &Line) -> Result<Position, String> {
    if !line.is_whole() {
        return Err(format!("the line has {} bytes; write a position in at most {KEPT_BYTES}", line.bytes()));
    }
    let text = str::from_utf8(line.kept()).map_err(|error| {
        format!("byte {} of the line is not UTF-8; write positions in plain ASCII", error.valid_up_to() + 1)
    })?;
    notation::parse(board, text).map_err(|error| error.to_string())
}

/// Writes the answer to a line that is a position. Such a line has no tabs and needs no escapes.
fn write_outcome(text: &mut Vec<u8>, line: &Line, outcome: Outcome) -> io::Result<()> {
    text.extend_from_slice(line.kept());
    match outcome.remoteness {
        Some(remoteness) => writeln!(text, "\t{}\t{remoteness}", outcome.value),
        None => writeln!(text, "\t{}\t{UNKNOWN}", outcome.value),
    }
}

/// Writes why a line has no answer.
fn write_error(text: &mut Vec<u8>, line: &Line, reason: &str) -> io::Result<()> {
    writeln!(text, "{}\terror\t{reason}", echo(line.kept()))
}

/// Escapes a line and cuts it to [`ECHO_BYTES`]; bytes that are not UTF-8 become the replacement character.
fn echo(line: &[u8]) -> String {
    excerpt(&String::from_utf8_lossy(line), ECHO_BYTES)
}
