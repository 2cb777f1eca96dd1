//! `level:1` to `level:5`: players of human strength.
//!
//! A level says how clearly a player sees. Each move that wins or loses does so in a number of plies, by exact outcomes.
//! The player sees a line that the move completes, and a farther end if it sees every ply on the way to it. So it rarely
//! overlooks a near end, and often a far one; it never sees an end farther away than 28 plies. It plays the nearest win
//! that it sees, and avoids the losses that it sees. Among the other moves it takes the one whose cell lies in the most
//! promising lines (strategy 4 of [`RatingPlayer`]), plus a random part.
//!
//! The numbers are found by matches on 7x6 and 6x5 after two random plies: each level wins 70 to 85 % of its games
//! against the level below, and the lowest at least 60 % against `random`. On other boards the levels play, but their
//! strength is not measured. If exact outcomes would take long, a level sees only ends within 5 plies, or 3 on a wide
//! board.

use rand::{Rng, RngExt};

use super::chooser::check_open;
use super::rating::strategy_value;
use super::standing::Standing;
use super::{Choice, ChooseError, Chooser, Outcomes, RatingPlayer, Reason};
use crate::{Board, Outcome, Position, Value};

/// The highest level.
pub(crate) const MOST_HUMAN_LEVEL: u32 = 5;

/// How clearly each level sees, from level 1: in how many of 1,000 cases it sees one more ply.
const CLARITY: [u32; MOST_HUMAN_LEVEL as usize] = [120, 772, 896, 951, 992];

/// The largest random part of what a move looks worth, from level 1.
const NOISE: [i32; MOST_HUMAN_LEVEL as usize] = [270, 57, 17, 6, 2];

/// The most plies to an end that any level sees.
pub(crate) const FARTHEST: u32 = 28;

/// The boards on which the strength of the levels was measured, as columns and rows.
const MEASURED: [(usize, usize); 2] = [(7, 6), (6, 5)];

/// The most columns on which a level looks 5 plies ahead by itself; on more it looks 3 plies ahead.
const MOST_COLUMNS: usize = 8;

/// Returns whether the strength of the levels was measured on a board.
pub(super) fn is_measured(board: Board) -> bool {
    MEASURED.contains(&(board.width(), board.height())) && board.connect() == 4 && !board.is_misere()
}

/// Returns whether exact outcomes take some tenths of a second at most. Early plies of 7x6, 6x6 and 7x5 are built in;
/// flat and wide boards and misère take longer to search than others.
fn is_quick(position: &Position) -> bool {
    let board = position.board();
    let empty = board.cells() - position.ply();
    let is_usual = (4..=7).contains(&board.width()) && (4..=6).contains(&board.height()) && board.connect() == 4;
    match is_usual && !board.is_misere() {
        true => board.cells() >= 35 || empty <= 26,
        false => empty <= 18,
    }
}

/// A move as a level looks at it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub column: usize,
    /// The exact outcome for the mover; `None` if the level did not ask for it.
    pub outcome: Option<Outcome>,
    /// The plies to a win of the mover; negative for a loss. `None` for a tie, or if the end is not known.
    end: Option<i32>,
    /// What the cell is worth by its lines.
    promise: i32,
}

/// The player of a level.
pub(crate) struct LevelPlayer<'a> {
    board: Board,
    level: u32,
    near: RatingPlayer,
    standing: Standing,
    outcomes: Outcomes<'a>,
}

impl<'a> LevelPlayer<'a> {
    /// Makes the player of `level`, 1 to 5; other levels are clamped.
    pub fn new(board: Board, level: u32, outcomes: Outcomes<'a>) -> LevelPlayer<'a> {
        let near = RatingPlayer::new(board, if board.width() <= MOST_COLUMNS { 2 } else { 1 }, 0);
        LevelPlayer { board, level: level.clamp(1, MOST_HUMAN_LEVEL), near, standing: Standing::new(board), outcomes }
    }

    /// Looks at every move of a position in which the game is not over, by column.
    ///
    /// # Errors
    ///
    /// Those of [`Chooser::choose`].
    pub fn views(&mut self, position: &Position) -> Result<Vec<View>, ChooseError> {
        check_open(self.board, position)?;
        let empty = (self.board.cells() - position.ply()) as u32;
        let exact = match is_quick(position) {
            true => (self.outcomes)(position).map_err(ChooseError::Unknown)?,
            false => Vec::new(),
        };
        let grades = self.near.grades(position)?;
        self.standing.set_up(position);
        let view = |(column, grade)| {
            let outcome = exact.iter().find(|(of, _)| *of == column).map(|(_, outcome)| *outcome);
            let end = match outcome {
                Some(Outcome { value, remoteness: Some(plies) }) => signed(value, plies),
                // An end that is neither near nor of known remoteness is as far away as the last empty cell.
                _ => near_end(grade, self.board).or_else(|| signed(outcome?.value, empty)),
            };
            View { column, outcome, end, promise: strategy_value(4, &mut self.standing, column) }
        };
        Ok(grades.into_iter().map(view).collect())
    }
}

/// Returns the plies to a win, negative for a loss; `None` for a tie.
fn signed(value: Value, plies: u32) -> Option<i32> {
    match value {
        Value::Win => Some(plies as i32),
        Value::Lose => Some(-(plies as i32)),
        Value::Tie => None,
    }
}

/// Returns the same for a grade of [`RatingPlayer`], which knows only ends within its horizon.
fn near_end(grade: u8, board: Board) -> Option<i32> {
    // Under misère the player who completes a line loses with that move, one ply earlier than the grade says.
    let early = i32::from(board.is_misere());
    match i32::from(grade) {
        10 => None,
        win @ 11.. => Some(41 - 2 * win - early),
        loss => Some(early - 2 * loss),
    }
}

/// Chooses a move as a player of `level` does; `None` without a move.
pub(crate) fn choose(level: u32, views: &[View], random: &mut dyn Rng) -> Option<Choice> {
    let place = level as usize - 1;
    let look = |view: &View| {
        let is_clear = |_| random.random_range(0..1000) < CLARITY[place];
        let seen = view.end.filter(|plies| plies.unsigned_abs() <= FARTHEST && (1..plies.unsigned_abs()).all(is_clear));
        let (rank, plies, reason) = match seen {
            Some(plies @ 1..) => (2, plies, Reason::WinSeen { plies: Some(plies as u32) }),
            Some(plies) => (0, plies, Reason::LossSeen { plies: Some(plies.unsigned_abs()) }),
            None => (1, 0, Reason::Promise),
        };
        let promise = 16 * view.promise + random.random_range(0..16 * NOISE[place]);
        ((rank, -plies, promise), Choice { column: view.column, reason })
    };
    views.iter().map(look).max_by_key(|(worth, _)| *worth).map(|(_, choice)| choice)
}

impl Chooser for LevelPlayer<'_> {
    fn choose(&mut self, position: &Position, _: Option<usize>, random: &mut dyn Rng) -> Result<Choice, ChooseError> {
        choose(self.level, &self.views(position)?, random).ok_or(ChooseError::Over)
    }
}
