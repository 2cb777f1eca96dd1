//! A game with its two players, and what is asked about it.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, StdinLock, Write};
use std::path::Path;
use std::rc::Rc;

use anyhow::Context;
use fourbase::notation::{column_character, draw};
use fourbase::players::{Chooser, Kind, RatingPlayer, Source};
use fourbase::{MoveError, Player};

use super::command::{Command, HELP};
use super::saved;
use crate::analyse::played::{self, decided};
use crate::game::Game;
use crate::history::{self, Moment};
use crate::knowledge::outcomes;
use crate::output::{self, CANNOT_WRITE};
use crate::query::answerer::Answerer;
use crate::query::lines::{Line, Lines};
use crate::table::{self, Side};
use crate::wording;

/// A game that is being played.
pub struct Session {
    game: Game,
    kinds: [Kind; 2],
    /// `None` for a human.
    choosers: [Option<Box<dyn Chooser>>; 2],
    seed: u64,
    answerer: Rc<dyn Answerer>,
    /// The ply at which a program found no move, so that somebody else has to.
    stuck_at: Option<usize>,
    input: Lines<StdinLock<'static>>,
    waiting: VecDeque<Line>,
    has_prompt: bool,
}

impl Session {
    /// Seats the players: the first, the second.
    pub fn new(game: Game, kinds: [Kind; 2], seed: u64, answerer: Rc<dyn Answerer>) -> Session {
        let choosers = kinds.map(|kind| kind.chooser(game.board(), outcomes(&answerer)));
        Session {
            game,
            kinds,
            choosers,
            seed,
            answerer,
            stuck_at: None,
            input: Lines::new(io::stdin().lock()),
            waiting: VecDeque::new(),
            has_prompt: io::stdin().is_terminal() && io::stdout().is_terminal(),
        }
    }

    /// Plays until somebody leaves, input ends, or a game of two programs is over.
    ///
    /// # Errors
    ///
    /// Standard input or output that fails, a database that cannot be read, and a game of two programs that cannot go
    /// on.
    pub fn run(mut self) -> anyhow::Result<()> {
        let [first, second] = self.kinds;
        output::print(format_args!("{}: first {first} (X), second {second} (O)", self.game.board()))?;
        let has_human = self.kinds.contains(&Kind::Human);
        // What stands on the screen.
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
            let Some(line) = self.line()? else { return Ok(()) };
            match Command::read(&line, self.game.board()) {
                Ok(Command::Quit) => return Ok(()),
                Ok(Command::Board) => shown = None,
                Ok(command) => {
                    if let Some(text) = self.obey(command)? {
                        output::print(text)?;
                    }
                }
                Err(reason) => output::print(reason)?,
            }
        }
    }

    /// Lets a program move if it is one's turn, and returns whether it did.
    fn move_of_a_program(&mut self, has_human: bool) -> anyhow::Result<bool> {
        let (ply, mover) = (self.game.ply(), self.game.position().to_move());
        let place = place(mover);
        let kind = self.kinds[place];
        let Some(chooser) = &mut self.choosers[place] else { return Ok(false) };
        // A stream for each ply: what was taken back comes again.
        let mut source = Source::new(self.seed, ply as u64);
        match chooser.choose(self.game.position(), self.game.last(), &mut source) {
            Ok(choice) => {
                self.game.play(choice.column)?;
                let name = column_character(choice.column).unwrap_or('?');
                output::print(format_args!("{kind} ({}) plays {name}: {}", sign(mover), choice.reason))?;
                Ok(true)
            }
            Err(reason) if has_human => {
                self.stuck_at = Some(ply);
                output::print(format_args!("{kind} ({}) finds no move: {reason}", sign(mover)))?;
                output::print("type a column for it, or undo, or quit")?;
                Ok(false)
            }
            Err(reason) => Err(reason).with_context(|| format!("{kind} finds no move")),
        }
    }

    /// Draws the board and says whose turn it is.
    fn show(&self) -> anyhow::Result<()> {
        let mover = self.game.position().to_move();
        let sign = if self.game.is_over() { String::new() } else { format!(" ({})", sign(mover)) };
        output::print(format_args!("\n{}\n\n{}{sign}", draw(self.game.position(), true), self.game.standing()))
    }

    /// Reads the next line; `None` once input has ended.
    fn line(&mut self) -> anyhow::Result<Option<Line>> {
        if self.has_prompt && self.waiting.is_empty() {
            let mut stdout = anstream::stdout().lock();
            write!(stdout, "> ").and_then(|()| stdout.flush()).context(CANNOT_WRITE)?;
        }
        while self.waiting.is_empty() {
            match self.input.next_chunk().context("cannot read standard input")? {
                Some(lines) => self.waiting.extend(lines),
                None => return Ok(None),
            }
        }
        Ok(self.waiting.pop_front())
    }

    /// Does what was typed and returns what is to be said.
    fn obey(&mut self, command: Command) -> anyhow::Result<Option<String>> {
        Ok(match command {
            Command::Nothing | Command::Board | Command::Quit => None,
            Command::Move(column) => self.move_of_a_human(column),
            Command::Undo => self.undo(),
            Command::Hint => Some(self.hint()?),
            Command::Values(kind) => Some(self.values(kind)?),
            Command::History => Some(self.history()?),
            Command::Moves if self.game.ply() == 0 => Some("no moves yet".to_owned()),
            Command::Moves => Some(self.game.moves()),
            Command::Save(file) => Some(match saved::save(Path::new(&file), &self.game) {
                Ok(()) => format!("saved; go on with: fourbase play {} --load FILE", self.game.board()),
                Err(reason) => one_line(&reason),
            }),
            Command::Load(file) => match saved::load(Path::new(&file), self.game.board()) {
                Ok(game) => {
                    (self.game, self.stuck_at) = (game, None);
                    None
                }
                Err(reason) => Some(one_line(&reason)),
            },
            Command::New => {
                (self.game, self.stuck_at) = (Game::start(self.game.board()), None);
                None
            }
            Command::Help => Some(HELP.to_owned()),
        })
    }

    fn move_of_a_human(&mut self, column: usize) -> Option<String> {
        let columns = self.game.board().width();
        match self.game.play(column) {
            Ok(()) => None,
            // Whoever types 0 wants to hear of 0.
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
        // A human who moves for a program that is stuck takes that back first.
        match (0..self.game.ply()).rev().find(is_human) {
            Some(ply) => {
                self.game.take_back_to(ply);
                self.stuck_at = None;
                None
            }
            None => Some("there is nothing of yours to take back".to_owned()),
        }
    }

    fn hint(&self) -> anyhow::Result<String> {
        if self.game.is_over() {
            return Ok("the game is over".to_owned());
        }
        self.answerer.begin();
        let moves = match self.answerer.moves(self.game.position()) {
            Ok(moves) => moves,
            answer => return undecided(answer),
        };
        let Some(best) = moves.first().map(|best| best.outcome) else { return Ok("the game is over".to_owned()) };
        let columns = moves.iter().filter(|of| of.outcome == best).filter_map(|of| column_character(of.column));
        let columns = columns.map(String::from).collect::<Vec<_>>().join(" or ");
        Ok(format!("{columns}: {}{}", wording::outcome(best), self.note()))
    }

    /// Lists every column with its value, and with the grades of a player; where a player of the game is one that grades,
    /// with its grades.
    fn values(&self, kind: Option<Kind>) -> anyhow::Result<String> {
        if self.game.is_over() {
            return Ok("the game is over".to_owned());
        }
        self.answerer.begin();
        let mut moves = match self.answerer.moves(self.game.position()) {
            Ok(moves) => moves,
            answer => return undecided(answer),
        };
        moves.sort_by_key(|of| of.column);
        let grading = kind.or_else(|| self.kinds.into_iter().find(|kind| matches!(kind, Kind::Rating { .. })));
        let grades = match grading {
            Some(Kind::Rating { level, strategy }) => {
                let player = RatingPlayer::new(self.game.board(), level, strategy);
                Some((player.plies(), player.grades(self.game.position())?))
            }
            _ => None,
        };
        let mut rows = vec![vec!["column".to_owned(), "value".to_owned(), "in".to_owned()]];
        rows.extend(moves.iter().map(|of| {
            let name = column_character(of.column).map(String::from).unwrap_or_default();
            let plies = of.outcome.remoteness.map_or("-".to_owned(), |plies| plies.to_string());
            vec![name, wording::value(of.outcome.value, 0), plies]
        }));
        let mut sides = vec![Side::Right, Side::Left, Side::Right];
        if let Some((plies, grades)) = grades {
            sides.push(Side::Right);
            rows[0].push(format!("grade, {plies} plies"));
            for (row, (_, grade)) in rows[1..].iter_mut().zip(grades) {
                row.push(grade.to_string());
            }
        }
        Ok(format!("{}{}", table::to_text(&sides, &rows), self.note()))
    }

    fn history(&self) -> anyhow::Result<String> {
        let plies = played::of_game(self.answerer.as_ref(), &self.game)?;
        let moments =
            plies.into_iter().map(|of| Moment { position: of.position, column: of.column, outcome: of.outcome });
        Ok(format!("{}{}", history::draw(&moments.collect::<Vec<_>>()), self.note()))
    }

    /// Says where values come from, in brackets, if not just out of a database.
    fn note(&self) -> String {
        self.answerer.note().map_or(String::new(), |note| format!("\n({note})"))
    }
}

/// Says why there is no answer, unless a database cannot be read.
fn undecided<T>(answer: anyhow::Result<T>) -> anyhow::Result<String> {
    let text = answer.as_ref().err().map(one_line).unwrap_or_default();
    decided(answer)?;
    Ok(text)
}

fn one_line(error: &anyhow::Error) -> String {
    format!("{error:#}")
}

fn place(player: Player) -> usize {
    match player {
        Player::First => 0,
        Player::Second => 1,
    }
}

/// How a player is drawn.
fn sign(player: Player) -> char {
    match player {
        Player::First => 'X',
        Player::Second => 'O',
    }
}
