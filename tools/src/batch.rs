//! Batches: every input line gets one answer line, in order, as soon as possible.
//!
//! A batch answers all input that has arrived and writes the answers before it reads more. So a program on the other side of a pipe
//! can write a line, wait for its answer, and write the next line. A file of a million lines is read, answered and written in large
//! portions. This needs no timeout to find out whether input pauses.
//!
//! [`lines`] cuts input into lines, and [`Fields`] finds the field of a line that holds the question. Each subcommand
//! defines its own answers, as a [`Batch`].

pub mod lines;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::str;

use anyhow::{Context, Error, anyhow};
use clap::Args;
use fourbase::analysis::json::{AnswerJson, Envelope};
use fourbase::notation::{Fields, NotationError};
use fourbase::{Board, excerpt};
use fourbase_tiers::files::{counted, grouped};
use rayon::prelude::*;
use serde::Serialize;

use crate::arguments::within;
use crate::failure::BadInput;
use crate::output::{CANNOT_WRITE, wording};
use crate::remedy;
use crate::temporary::Output;
use lines::{KEPT_BYTES, Line, Lines};

/// The most bytes of a bad line that its answer repeats.
const ECHO_BYTES: usize = 256;

/// The most bytes of a failure's reason on its line; the reason may contain the name of a file.
const REASON_BYTES: usize = 1024;

/// How many bytes of a file are read at once.
const FILE_BYTES: usize = 1 << 21;

/// How many lines one thread reads or writes as a unit of work. Fewer lines are not worth a second thread.
const PART: usize = 512;

/// A byte order mark, which some programs put in front of text.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The options of a batch.
#[derive(Args, Clone, Debug)]
pub struct BatchArguments {
    /// Answer the lines of standard input, or of --input
    #[arg(long)]
    pub batch: bool,

    /// Read the lines of a batch from a file
    #[arg(long, value_name = "FILE", requires = "batch")]
    input: Option<PathBuf>,

    /// Write the answers of a batch to a file, which is replaced only when all lines are answered
    #[arg(long, value_name = "FILE", requires = "batch")]
    output: Option<PathBuf>,

    /// Which field of a line to read, counted from 1; the others are copied after the answer [default: 1]
    #[arg(long, value_name = "N", requires = "batch", value_parser = within::<u16>(1..=65_535))]
    field: Option<u16>,
}

/// What a subcommand does with the lines of a batch: reads a question of type `Q` from each, finds an answer of type `A`, and
/// writes it. `J` is the body of a line of JSON; its default is that of a line without an answer.
#[expect(clippy::type_complexity, reason = "the types of functions")]
pub struct Batch<'a, Q, A, J> {
    pub arguments: &'a BatchArguments,
    /// What a line contains (`position`), and what the batch does with it (`looked up`), for messages.
    pub name: &'static str,
    pub done: &'static str,
    pub board: Board,
    /// How many lines to answer together at most.
    pub at_once: usize,
    /// The name of the command in lines of JSON; `None` for text.
    pub json_command: Option<&'static str>,
    pub read: &'a (dyn Fn(&str) -> Result<Q, NotationError> + Sync),
    pub answer: &'a (dyn Fn(&[Q]) -> Vec<anyhow::Result<A>> + Sync),
    /// Writes an answer as a line of text, or returns why there is none.
    pub write: &'a (dyn Fn(&mut Vec<u8>, &Record<Q>, A, &mut Tally) -> anyhow::Result<()> + Sync),
    /// Returns the JSON of an answer, or of a question without one.
    pub json: &'a (dyn Fn(&Record<Q>, Option<A>, &mut Tally) -> AnswerJson<J> + Sync),
}

/// A question of a batch, the text of its field, and all fields of its line.
pub struct Record<'l, Q> {
    pub question: Q,
    pub text: &'l str,
    fields: Fields<'l>,
}

/// Counts lines without an answer.
#[derive(Default)]
pub struct Tally {
    lines: u64,
    /// Lines that cannot be read as a question, blank lines included.
    bad: u64,
    /// Lines whose answer differs from the expected one.
    pub different: u64,
    failed: u64,
    first_failure: Option<Error>,
    /// Consecutive blank lines at the end of the input so far.
    blank: u64,
}

impl<Q: Clone + Send + Sync, A: Send, J: Default + Serialize> Batch<'_, Q, A, J> {
    /// Answers every line.
    ///
    /// # Errors
    ///
    /// Input that cannot be read and output that cannot be written end the batch at once. After all lines were answered, the error
    /// is the first failure to find an answer, or else bad input if any line was bad.
    pub fn run(&self) -> anyhow::Result<()> {
        let (mut lines, input) = self.arguments.input()?;
        let output = self.arguments.output.as_deref();
        let cannot_write = || output.map_or_else(|| CANNOT_WRITE.to_owned(), wording::cannot_write);
        let mut output = Output::begin(output).with_context(cannot_write)?;
        let (mut tally, mut text, mut is_begun) = (Tally::default(), Vec::new(), false);
        while let Some(mut lines) = lines.next_chunk().with_context(|| format!("cannot read {input}"))? {
            if let (false, Some(first)) = (is_begun, lines.first_mut()) {
                first.drop_start(MARK);
                is_begun = true;
            }
            for lines in lines.chunks(self.at_once) {
                text.clear();
                tally.lines += lines.len() as u64;
                let blank = lines.iter().rev().take_while(|line| line.kept.iter().all(u8::is_ascii_whitespace)).count();
                tally.blank = blank as u64 + if blank == lines.len() { tally.blank } else { 0 };
                self.answer(lines, &mut text, &mut tally);
                output.write(&text).with_context(cannot_write)?;
            }
        }
        output.end().with_context(cannot_write)?;
        tally.end(self.name, self.done, self.board)
    }

    /// Answers lines. Threads read the lines in parts of [`PART`] lines, the batch finds all answers in one call, and threads write
    /// the answers in the same parts.
    fn answer(&self, lines: &[Line], text: &mut Vec<u8>, tally: &mut Tally) {
        let read = |line| (line, self.read(line));
        let read = of_each(lines.chunks(PART).collect(), |part: &[Line]| part.iter().map(read).collect::<Vec<_>>());
        let records = read.iter().flatten().filter_map(|(_, record)| record.as_ref().ok());
        let questions: Vec<_> = records.map(|record| record.question.clone()).collect();
        let mut answers = (self.answer)(&questions).into_iter();
        let mut answered = |record| (record, answers.next().unwrap_or_else(|| Err(no_answer())));
        let mut of_part = |part: Vec<(_, Result<_, _>)>| -> Vec<_> {
            part.into_iter().map(|(line, record)| (line, record.map(&mut answered))).collect()
        };
        let written = of_each(read.into_iter().map(&mut of_part).collect(), |part| {
            let (mut text, mut tally) = (Vec::new(), Tally::default());
            part.into_iter().for_each(|(line, answered)| self.write(line, answered, &mut text, &mut tally));
            (text, tally)
        });
        for (part, counts) in written {
            text.extend_from_slice(&part);
            tally.add(counts);
        }
    }

    /// Writes the answer of a line, or the reason why it has none.
    fn write(
        &self,
        line: &Line,
        answered: Result<(Record<Q>, anyhow::Result<A>), String>,
        text: &mut Vec<u8>,
        tally: &mut Tally,
    ) {
        let is_json = self.json_command.is_some();
        let (json, reason) = match answered {
            Ok((record, Ok(answer))) if is_json => (Some((self.json)(&record, Some(answer), tally)), None),
            Ok((record, answer)) => match answer.and_then(|answer| (self.write)(text, &record, answer, tally)) {
                Ok(()) => return,
                Err(failure) => (is_json.then(|| (self.json)(&record, None, tally)), Some(tally.failed(failure))),
            },
            Err(reason) => (None, Some(tally.failed(BadInput(reason).into()))),
        };
        let Some(command) = self.json_command else {
            return self.arguments.write_error(text, line, self.board, &reason.unwrap_or_default());
        };
        let json = json.unwrap_or_else(|| AnswerJson::new(self.board, None, J::default()));
        // Cut to 4 KiB; bytes that are not UTF-8 become the replacement character.
        let input = Some(String::from_utf8_lossy(&line.kept).into_owned());
        let error = reason.or(json.error);
        Envelope::new(command, AnswerJson { input, error, ..json }).push_to(text);
    }

    /// Returns the question and the other fields of a line.
    ///
    /// # Errors
    ///
    /// The reason why the line cannot be read, without line breaks or tabs.
    fn read<'l>(&self, line: &'l Line) -> Result<Record<'l, Q>, String> {
        if !line.is_whole() {
            return Err(format!("the line has {} bytes; write at most {KEPT_BYTES}", line.bytes));
        }
        let fields = Fields::of(&line.kept, self.arguments.number(), self.board).map_err(|error| error.to_string())?;
        if fields.chosen.is_empty() {
            return Err(blank(&line.kept));
        }
        let text = str::from_utf8(fields.chosen).map_err(|error| {
            let byte = fields.start + error.valid_up_to() + 1;
            format!("byte {byte} of the line is not UTF-8; write plain ASCII")
        })?;
        let question = (self.read)(text).map_err(|error| error.to_string())?;
        Ok(Record { question, text, fields })
    }
}

impl BatchArguments {
    /// Opens the input. Also returns the name of the input for messages.
    fn input(&self) -> anyhow::Result<(Lines<Box<dyn Read>>, String)> {
        let Some(path) = &self.input else {
            let input: Box<dyn Read> = Box::new(io::stdin().lock());
            return Ok((Lines::new(input), "standard input".to_owned()));
        };
        let name = wording::path(path);
        let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
        let is_file = file.metadata().is_ok_and(|of| of.is_file());
        let input: Box<dyn Read> = Box::new(file);
        Ok((if is_file { Lines::with_chunks(input, FILE_BYTES) } else { Lines::new(input) }, name))
    }

    /// Writes the answer line of a line without an answer: its field, the reason, and its other fields if it has any.
    fn write_error(&self, text: &mut Vec<u8>, line: &Line, board: Board, reason: &str) {
        let fields = Fields::of(&line.kept, self.number(), board).ok().filter(|_| line.is_whole());
        let field = String::from_utf8_lossy(fields.as_ref().map_or(&line.kept, |fields| fields.chosen));
        let _ = write!(text, "{}\terror\t{reason}", excerpt(&field, ECHO_BYTES));
        fields.iter().for_each(|fields| fields.push_others(text));
        text.push(b'\n');
    }

    /// Returns which field of a line holds the question, from 1.
    fn number(&self) -> usize {
        self.field.map_or(1, usize::from)
    }
}

/// Returns the message for a line whose field is blank.
pub fn blank(line: &[u8]) -> String {
    let what = if line.iter().all(u8::is_ascii_whitespace) { "line" } else { "field" };
    format!("the {what} is blank; write - for the empty board")
}

impl<Q> Record<'_, Q> {
    /// Returns the field after the question.
    pub fn next(&self) -> Option<&str> {
        str::from_utf8(self.fields.next()?).ok()
    }

    /// Writes a line of answer: the question, what `answer` writes, and the other fields.
    pub fn write(&self, text: &mut Vec<u8>, answer: impl FnOnce(&mut Vec<u8>)) {
        text.extend_from_slice(self.fields.chosen);
        text.push(b'\t');
        answer(text);
        self.fields.push_others(text);
        text.push(b'\n');
    }
}

impl Tally {
    /// Counts a line without an answer, and returns the reason with what to do, on one line. A mistake in the line itself makes it
    /// a bad one.
    pub fn failed(&mut self, failure: Error) -> String {
        if failure.is::<BadInput>() || failure.is::<NotationError>() {
            self.bad += 1;
            return failure.to_string();
        }
        self.failed += 1;
        let reason = excerpt(&remedy::describe_chain(&failure), REASON_BYTES);
        self.first_failure.get_or_insert(failure);
        reason
    }

    /// Adds the counts of later lines of the input. Leaves out `blank`, which [`Batch::run`] counts.
    pub fn add(&mut self, other: Tally) {
        self.lines += other.lines;
        self.bad += other.bad;
        self.different += other.different;
        self.failed += other.failed;
        self.first_failure = self.first_failure.take().or(other.first_failure);
    }

    /// Returns the result of the whole batch: an error if any line was bad, had no answer, or had an answer other than expected.
    fn end(self, name: &str, done: &str, of: Board) -> anyhow::Result<()> {
        let Tally { lines, bad, failed, different, .. } = self;
        // Blank lines at the end of the input are no mistake, because many files end with one.
        let bad = bad.saturating_sub(self.blank);
        if let Some(failure) = self.first_failure {
            let (failed, lines) = (grouped(failed.into()), counted(lines, name));
            return Err(failure.context(format!("{failed} of {lines} could not be {done}")));
        }
        if bad > 0 {
            let (is_no, answers) = match bad {
                1 => (format!("is no {name}"), "its answer says why"),
                _ => (format!("are no {name}s"), "their answers say why"),
            };
            let (bad, lines) = (grouped(bad.into()), counted(lines, "line"));
            let also = (different > 0).then(|| format!("{} with another value, and ", grouped(different.into())));
            let also = also.unwrap_or_default();
            return Err(BadInput(format!("{also}{bad} of {lines} {is_no} of {of}; {answers}")).into());
        }
        if different > 0 {
            let (different, lines) = (grouped(different.into()), counted(lines, "line"));
            return Err(anyhow!("{different} of {lines} with another value than expected; standard output has them"));
        }
        Ok(())
    }
}

/// Prints a note if standard input has lines that the program does not read. Does not wait for input. Prints no note if standard
/// input is a file that another process, such as a shell loop, has partly read.
pub fn note_unread() {
    #[cfg(unix)]
    {
        let input = io::stdin();
        let is_whole = !rustix::termios::isatty(&input) && rustix::fs::tell(&input).unwrap_or(0) == 0;
        if is_whole && rustix::io::ioctl_fionread(&input).is_ok_and(|bytes| bytes > 0) {
            crate::failure::print_note("standard input was not read; --batch answers each of its lines");
        }
    }
}

/// Calls `each` for each item, on all threads if there are several items.
fn of_each<I: Send, T: Send>(items: Vec<I>, each: impl Fn(I) -> T + Sync + Send) -> Vec<T> {
    if items.len() == 1 { items.into_iter().map(each).collect() } else { items.into_par_iter().map(each).collect() }
}

/// Returns the error for an answer that is missing because of a bug.
pub fn no_answer() -> Error {
    anyhow!("no answer")
}
