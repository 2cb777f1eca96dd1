//! Reads the lines of the user in a game: with a line editor in a terminal, or else plainly from standard input.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, StdinLock};

use anyhow::Context;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::batch::lines::{Line, Lines};
use crate::{failure, interrupt};

/// The message of a failed read; the cause is appended to it.
const CANNOT_READ: &str = "cannot read standard input";

/// The source of the lines.
pub enum Input {
    /// A person in a terminal. Arrow keys move within the line and bring earlier lines back.
    Editor(Box<DefaultEditor>),
    /// A script, or a person at a terminal whose standard output goes elsewhere.
    Plain { lines: Lines<StdinLock<'static>>, waiting: VecDeque<Line>, is_typed: bool },
}

impl Input {
    /// Opens standard input.
    ///
    /// # Errors
    ///
    /// The terminal cannot be used.
    pub fn open() -> anyhow::Result<Input> {
        let is_typed = io::stdin().is_terminal();
        if is_typed && io::stdout().is_terminal() {
            return Ok(Input::Editor(Box::new(DefaultEditor::new().context(CANNOT_READ)?)));
        }
        Ok(Input::Plain { lines: Lines::new(io::stdin().lock()), waiting: VecDeque::new(), is_typed })
    }

    /// Reads the next line; `None` at the end of the input.
    ///
    /// # Errors
    ///
    /// Standard input cannot be read.
    pub fn line(&mut self) -> anyhow::Result<Option<Line>> {
        let (lines, waiting, is_typed) = match self {
            Input::Editor(editor) => return edited_line(editor),
            Input::Plain { lines, waiting, is_typed } => (lines, waiting, *is_typed),
        };
        while waiting.is_empty() {
            let next = if is_typed { interrupt::waiting(|| lines.next_chunk()) } else { lines.next_chunk() };
            match next.context(CANNOT_READ)? {
                Some(lines) => waiting.extend(lines),
                None => return Ok(None),
            }
        }
        Ok(waiting.pop_front())
    }
}

/// Lets a person type a line. Ctrl-C prints how to leave the game; Ctrl-D returns `None`, which leaves the game.
fn edited_line(editor: &mut DefaultEditor) -> anyhow::Result<Option<Line>> {
    loop {
        match interrupt::waiting(|| editor.readline("> ")) {
            Ok(text) => {
                // Ignore an error: without the history entry the user can still type the line again.
                let _ = editor.add_history_entry(&text);
                let lines = Lines::new(format!("{text}\n").as_bytes()).next_chunk().context(CANNOT_READ)?;
                return Ok(lines.and_then(|mut lines| lines.pop()));
            }
            Err(ReadlineError::Interrupted) => failure::print_note("type quit to leave the game"),
            Err(ReadlineError::Eof) => return Ok(None),
            Err(error) => return Err(error).context(CANNOT_READ),
        }
    }
}
