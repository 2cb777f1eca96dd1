//! A game in the terminal: the moves of both players, and the commands of the user.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use fourbase::analysis::GameAnalysis;
use fourbase::notation::{choice_of_columns, column_character, draw};
use fourbase::players::{Chooser, Kind, RatingPlayer, random_source};
use fourbase::{Game, MoveError, Position};
use fourbase_tiers::database::DatabaseError;
use fourbase_tiers::files::counted;

use super::input::Input;
use super::typed::{HELP, Typed};
use super::{load, save, to_load};
use crate::cli::query::limited::LimitedAnalyst;
use crate::knowledge::outcomes;
use crate::output::{self, wording};
use crate::remedy::describe_chain;
use crate::{history, interrupt};

/// A game that is being played.
pub struct Session {
    game: Game,
    kinds: [Kind; 2],
    /// `None` for a human.
    choosers: [Option<Box<dyn Chooser>>; 2],
    seed: u64,
    analyst: Arc<LimitedAnalyst>,
    /// The ply at which a program found no move; the user has to move for it.
    stuck_at: Option<usize>,
    input: Input,
}

impl Session {
    /// Makes a session. `kinds` has the first player and then the second.
    ///
    /// # Errors
    ///
    /// The terminal cannot be used.
    pub fn new(game: Game, kinds: [Kind; 2], seed: u64, analyst: Arc<LimitedAnalyst>) -> anyhow::Result<Session> {
        let choosers = kinds.map(|kind| kind.chooser(game.board(), outcomes(&analyst)));
        Ok(Session { game, kinds, choosers, seed, analyst, stuck_at: None, input: Input::open()? })
    }

    /// Plays until the user leaves, the input ends, or a game between two programs is over.
    ///
    /// # Errors
    ///
    /// Standard input cannot be read or standard output cannot be written; a database cannot be read; in a game between two
    /// programs, a program finds no move.
    pub fn run(mut self) -> anyhow::Result<()> {
        let [first, second] = self.kinds;
        output::print(format_args!("{}: X is {first}, O is {second}", self.game.board()))?;
        if let Some(note) = self.kinds.iter().find_map(|kind| kind.note(self.game.board())) {
            output::print(note)?;
        }
        let has_human = self.kinds.contains(&Kind::Human);
        if has_human {
            interrupt::listen_in_game()?;
            if let Input::Editor(_) = self.input {
                output::print("Type the number of a column to move there, help for other commands, or q to leave.")?;
            }
        }
        // The position that was drawn last.
        let mut shown = None;
        loop {
            if !self.game.is_over() && self.stuck_at != Some(self.game.ply()) && self.move_of_a_program(has_human)? {
                continue;
            }
            if shown.as_ref() != Some(self.game.position()) {
                self.show()?;
                shown = Some(*self.game.position());
            }
            if !has_human {
                return Ok(());
            }
            let Some(line) = self.input.line()? else { return Ok(()) };
            match Typed::read(&line, self.game.position()) {
                Ok(Typed::Quit) => return Ok(()),
                Ok(Typed::Board) => shown = None,
                Ok(typed) => {
                    if let Some(text) = self.obey(typed)? {
                        output::print(text)?;
                    }
                }
                Err(reason) => output::print(reason)?,
            }
        }
    }

    /// Lets a program move if it is its turn. Returns whether it moved.
    fn move_of_a_program(&mut self, has_human: bool) -> anyhow::Result<bool> {
        let (ply, mover) = (self.game.ply(), self.game.position().to_move());
        let place = mover as usize;
        let kind = self.kinds[place];
        let Some(chooser) = &mut self.choosers[place] else { return Ok(false) };
        // Each ply has its own random stream, so that after `undo` a program plays the same move again.
        let mut source = random_source(self.seed, ply as u64);
        match chooser.choose(self.game.position(), self.game.last(), &mut source) {
            Ok(choice) => {
                self.game.play(choice.column)?;
                let name = column_character(choice.column).unwrap_or('?');
                output::print(format_args!("{kind} ({}) plays {name}: {}", mover.mark(), choice.reason))?;
                Ok(true)
            }
            Err(reason) if has_human => {
                self.stuck_at = Some(ply);
                output::print(format_args!("{kind} ({}) finds no move: {reason}", mover.mark()))?;
                output::print("type a column for it, or undo, or quit")?;
                Ok(false)
            }
            Err(reason) => Err(reason).with_context(|| format!("{kind} finds no move")),
        }
    }

    /// Draws the board and writes whose turn it is.
    fn show(&self) -> anyhow::Result<()> {
        let position = self.game.position();
        output::print(format_args!("\n{}\n\n{}", draw(position, true), wording::standing(position)))
    }

    /// Executes a typed command and returns the text to print.
    fn obey(&mut self, typed: Typed) -> anyhow::Result<Option<String>> {
        Ok(match typed {
            Typed::Nothing | Typed::Board | Typed::Quit => None,
            Typed::Move(column) => self.move_of_a_human(column),
            Typed::Undo => self.undo(),
            Typed::Hint | Typed::Values(_) if self.game.is_over() => Some("the game is over".to_owned()),
            Typed::Hint => Some(self.hint().or_else(undecided)?),
            Typed::Values(kind) => Some(self.values(kind).or_else(undecided)?),
            Typed::History => Some(self.history()?),
            Typed::Moves if self.game.ply() == 0 => Some("no moves yet".to_owned()),
            Typed::Moves => Some(self.game.moves()),
            Typed::Save(file) => Some(match save(Path::new(&file), &self.game) {
                Ok(()) => format!(
                    "saved; continue with: {}",
                    to_load(self.game.board(), &players(self.kinds), Path::new(&file))
                ),
                Err(reason) => describe_chain(&reason),
            }),
            Typed::Load(file) => match load(Path::new(&file), self.game.board()) {
                Ok(game) => {
                    (self.game, self.stuck_at) = (game, None);
                    None
                }
                Err(reason) => Some(describe_chain(&reason)),
            },
            Typed::New => {
                (self.game, self.stuck_at) = (Game::start(Position::start(self.game.board())), None);
                None
            }
            Typed::Help => Some(HELP.to_owned()),
        })
    }

    fn move_of_a_human(&mut self, column: usize) -> Option<String> {
        let columns = self.game.board().width();
        match self.game.play(column) {
            Ok(()) => None,
            // The error counts columns from 0, but the user counts from 1.
            Err(MoveError::Outside { .. }) => Some(format!("no such column; play a column from 1 to {columns}")),
            Err(_) if self.game.is_over() => {
                Some("the game is over; undo takes a move back, new begins another".to_owned())
            }
            Err(reason) => Some(reason.to_string()),
        }
    }

    /// Takes moves back to the last turn of a human.
    fn undo(&mut self) -> Option<String> {
        let is_human = |ply: &usize| self.kinds[ply % 2] == Kind::Human;
        // This also takes back moves that the user made for a program that found none.
        match (0..self.game.ply()).rev().find(is_human) {
            Some(ply) => {
                self.game.take_back_to(ply);
                self.stuck_at = None;
                None
            }
            None => Some("you have no move to take back".to_owned()),
        }
    }

    fn hint(&self) -> anyhow::Result<String> {
        let moves = self.analyst.moves(self.game.position())?;
        let best = moves.first().context("no move")?.1;
        let columns = choice_of_columns(moves.iter().filter(|of| of.1 == best).map(|of| of.0));
        Ok(format!("{columns}: {}{}", wording::outcome(best), self.note()))
    }

    /// Writes the outcome of every column. Adds the grades of `kind`, or else those of a player of this game, if that player grades
    /// columns.
    fn values(&self, kind: Option<Kind>) -> anyhow::Result<String> {
        let mut moves = self.analyst.moves(self.game.position())?;
        moves.sort_by_key(|of| of.0);
        let grading = kind.or_else(|| self.kinds.into_iter().find(|kind| matches!(kind, Kind::Rating { .. })));
        let grades = match grading {
            Some(Kind::Rating { level, strategy }) => {
                let player = RatingPlayer::new(self.game.board(), level, strategy);
                Some((player.plies(), player.grades(self.game.position())?))
            }
            _ => None,
        };
        let grade = grades.as_ref().map(|(plies, _)| format!(">grade, {}", counted(*plies, "ply")));
        let columns: Vec<&str> = [">column", "result", ">plies"].into_iter().chain(grade.as_deref()).collect();
        let grades = grades.map(|(_, grades)| grades).unwrap_or_default();
        let rows = moves.iter().enumerate().map(|(row, (column, outcome))| {
            let name = column_character(*column).map(String::from).unwrap_or_default();
            let plies = outcome.remoteness.map_or("-".to_owned(), |plies| plies.to_string());
            let grade = grades.get(row).map(|(_, grade)| grade.to_string());
            [name, wording::value(outcome.value), plies].into_iter().chain(grade).collect()
        });
        Ok(format!("{}{}", output::table(&columns, rows), self.note()))
    }

    fn history(&self) -> anyhow::Result<String> {
        let analyse = |position: &Position, nodes| self.analyst.analyse(position, false, nodes);
        let analysis = GameAnalysis::of(&self.game, analyse)?;
        Ok(format!("{}{}", history::draw(&analysis.plies), self.note()))
    }

    /// Writes in brackets where the values come from, unless all come from a database.
    fn note(&self) -> String {
        self.analyst.note().map_or(String::new(), |note| format!("\n({note})"))
    }
}

/// Returns the text that says why there is no answer, unless the database is at fault.
///
/// # Errors
///
/// A database that cannot be read.
fn undecided(error: anyhow::Error) -> anyhow::Result<String> {
    if error.is::<DatabaseError>() { Err(error) } else { Ok(describe_chain(&error)) }
}

/// Returns the options that name the players.
fn players([first, second]: [Kind; 2]) -> String {
    let first = if first == Kind::Human { String::new() } else { format!(" --first {first}") };
    format!("{first} --second {second}")
}
