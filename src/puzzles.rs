//! Puzzles: positions in which exactly one move keeps the win, or the tie.
//!
//! The levels of [`players`](crate::players) play games against each other, so the positions are those that people
//! reach. A position is a puzzle if one move keeps its value, no player can complete a line at once, and a win is at
//! most 28 plies away. A seed draws the games, so it gives the same puzzles everywhere. No two puzzles are equal or
//! mirror images.
//!
//! ```
//! use fourbase::analysis::{Analyst, Budget};
//! use fourbase::puzzles::Puzzles;
//! use fourbase::search::SearchOptions;
//! use fourbase::{Board, Position};
//!
//! let board: Board = "5x4".parse()?;
//! let analyst = Analyst::searching(board, SearchOptions::default());
//! let outcomes = |position: &Position| Ok(analyst.every_move(position, &mut Budget::default())?);
//! let puzzle = Puzzles::new(board, Box::new(outcomes), 1).next().ok_or("no puzzle")??;
//! let value = |column| analyst.outcome(&puzzle.position().drop_piece(column), &mut Budget::default());
//! assert_eq!(value(puzzle.solution)?.value, puzzle.outcome.value.flip());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::HashSet;

use rand::RngExt;
use serde::Serialize;

use crate::analysis::canonical;
use crate::analysis::json::PositionJson;
use crate::players::level::{self, FARTHEST, LevelPlayer, MOST_HUMAN_LEVEL, View};
use crate::players::random::random_move;
use crate::players::{ChooseError, Kind, Outcomes, RandomSource, random_source};
use crate::{Board, Game, Outcome, Position, Value, lines, winning_cells};

/// After so many games without a new puzzle, the board is taken to have no more.
const MOST_GAMES: u32 = 20;

/// How many random moves begin a game.
const OPENING: usize = 2;

/// Up to this ply the outcomes of all moves are built in on 7x6; later ones are searched.
const EARLY: usize = 12;

/// With at most this number of empty cells, a search on 7x6 takes a few milliseconds.
const LATE: usize = 24;

/// How often each level tries a puzzle. It finds the puzzle if it succeeds at least half of the time.
const TRIES: usize = 64;

/// A position in which exactly one move keeps the win, or the tie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Puzzle {
    /// The game so far, from the empty board.
    pub game: Game,
    /// What the position is worth to the player to move: a win or a tie.
    pub outcome: Outcome,
    /// The column, from 0, of the only move that keeps it.
    pub solution: usize,
    /// How many replies to the solution need an answer other than completing a line.
    pub replies: usize,
    /// The lowest level that finds the solution at least half of the time; `None` if no level does.
    pub level: Option<u32>,
}

impl Puzzle {
    /// Returns the position to solve.
    pub fn position(&self) -> &Position {
        self.game.position()
    }
}

/// Draws puzzles of a board. The iterator ends where it finds no more, and after an error.
pub struct Puzzles<'a> {
    player: LevelPlayer<'a>,
    /// The game that is being played.
    game: Game,
    /// The levels of the first and the second player.
    levels: [u32; 2],
    random: RandomSource,
    seed: u64,
    /// The number of the next game.
    next_game: u64,
    /// The number of games that may still begin before a puzzle is found.
    games_left: u32,
    /// The puzzles drawn so far, as canonical positions.
    drawn: HashSet<Position>,
}

impl<'a> Puzzles<'a> {
    /// Begins to draw puzzles of `board` by a seed. `outcomes` returns exact outcomes with the remoteness of every
    /// move. It is asked once for each position of the games that is early or late; between those the levels see only
    /// near ends, and no puzzle is drawn.
    pub fn new(board: Board, mut outcomes: Outcomes<'a>, seed: u64) -> Puzzles<'a> {
        let quick: Outcomes = Box::new(move |position| {
            let is_quick = position.ply() <= EARLY || board.cells() - position.ply() <= LATE;
            if is_quick { outcomes(position) } else { Ok(Vec::new()) }
        });
        Puzzles {
            player: LevelPlayer::new(board, 1, quick),
            game: Game::start(Position::start(board)),
            levels: [1; 2],
            random: random_source(seed, 0),
            seed,
            next_game: 0,
            // Without lines every game is a tie, and no move of it matters.
            games_left: if lines(board).next().is_some() { MOST_GAMES } else { 0 },
            drawn: HashSet::new(),
        }
    }

    /// Begins the next game: two random levels, and some random moves.
    fn begin_game(&mut self) {
        self.random = random_source(self.seed, self.next_game);
        self.next_game += 1;
        self.levels = [0; 2].map(|_| self.random.random_range(1..=MOST_HUMAN_LEVEL));
        self.game = Game::start(Position::start(self.game.board()));
        for _ in 0..OPENING {
            random_move(self.game.position(), &mut self.random).into_iter().for_each(|column| self.game.push(column));
        }
    }

    /// Returns the current position as a puzzle; `None` if it is no puzzle, or was one before.
    fn puzzle(&mut self, views: &[View]) -> Option<Puzzle> {
        let position = self.game.position();
        let opponent = position.pieces(position.to_move().other());
        let must_parry = winning_cells(self.game.board(), opponent) & position.playable_cells() != 0;
        let goes_on = |position: Position| position.primitive().is_none();
        let open = position.moves().filter(|column| goes_on(position.drop_piece(*column))).count();
        if open < 2 || must_parry || position.winning_move().is_some() {
            return None;
        }
        let outcomes = views.iter().map(|view| Some((view.column, view.outcome?)));
        let outcomes = outcomes.collect::<Option<Vec<_>>>()?;
        // The best outcome is the least one.
        let (solution, outcome) = *outcomes.iter().min_by_key(|(_, outcome)| *outcome)?;
        // A win that no level sees is knowledge of openings.
        let is_far = outcome.value == Value::Win && outcome.remoteness > Some(FARTHEST);
        let is_only = outcomes.iter().filter(|(_, of)| of.value == outcome.value).count() == 1;
        if outcome.value == Value::Lose || is_far || !is_only || !self.drawn.insert(canonical(position)) {
            return None;
        }
        let after = position.drop_piece(solution);
        let replies = after.moves().map(|reply| after.drop_piece(reply));
        let replies = replies.filter(|reply| goes_on(*reply) && reply.winning_move().is_none()).count();
        // The tries depend on the position alone, so it has the same level for every seed.
        let [first, second] = position.bitboards();
        let mut random = random_source(first, second);
        let mut finds = |level: &u32| {
            let mut tries = (0..TRIES).map(|_| level::choose(*level, views, &mut random));
            let found = tries.by_ref().filter(|choice| choice.is_some_and(|choice| choice.column == solution)).count();
            2 * found >= TRIES
        };
        let level = (1..=MOST_HUMAN_LEVEL).find(|level| finds(level));
        Some(Puzzle { game: self.game.clone(), outcome, solution, replies, level })
    }
}

impl Iterator for Puzzles<'_> {
    type Item = Result<Puzzle, ChooseError>;

    fn next(&mut self) -> Option<Result<Puzzle, ChooseError>> {
        loop {
            if self.game.is_over() || self.game.ply() < OPENING {
                self.games_left = self.games_left.checked_sub(1)?;
                self.begin_game();
                continue;
            }
            let views = match self.player.views(self.game.position()) {
                // With a guess in its place, the same seed would give other puzzles.
                Ok(views) if views.iter().any(|view| view.outcome.is_some_and(|of| of.remoteness.is_none())) => {
                    Err(ChooseError::NoRemoteness)
                }
                views => views,
            };
            let views = match views {
                Ok(views) => views,
                Err(error) => {
                    self.games_left = 0;
                    self.game.take_back_to(0);
                    return Some(Err(error));
                }
            };
            let puzzle = self.puzzle(&views);
            let level = self.levels[self.game.ply() % 2];
            level::choose(level, &views, &mut self.random).into_iter().for_each(|choice| self.game.push(choice.column));
            if let Some(puzzle) = puzzle {
                self.games_left = MOST_GAMES;
                return Some(Ok(puzzle));
            }
        }
    }
}

/// Returns the seed of a day, whose digits are those of the date; `None` if `date` is not a date such as `2026-11-29`.
///
/// ```
/// use fourbase::puzzles::seed_of_date;
///
/// assert_eq!((seed_of_date("2028-02-29"), seed_of_date("2026-02-29")), (Some(20_280_229), None));
/// ```
pub fn seed_of_date(date: &str) -> Option<u64> {
    let is_digit = |place: usize, byte: u8| if matches!(place, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    if date.len() != 10 || !date.bytes().enumerate().all(|(place, byte)| is_digit(place, byte)) {
        return None;
    }
    let [year, month, day] = [&date[..4], &date[5..7], &date[8..]].map(|digits| digits.parse().unwrap_or(0_u64));
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day).then_some(10_000 * year + 100 * month + day)
}

/// Puzzles as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PuzzlesJson {
    board: String,
    /// The same seed gives the same puzzles.
    seed: u64,
    /// What to know about the levels on this board; null if their strength was measured on it.
    pub note: Option<&'static str>,
    /// Fewer than were asked for if the board has no more.
    puzzles: Vec<PuzzleJson>,
}

/// A puzzle as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PuzzleJson {
    position: PositionJson,
    /// A win or a tie for the player to move.
    value: &'static str,
    remoteness: Option<u32>,
    /// The column, from 1, of the only move that keeps the value.
    solution: usize,
    /// How many replies to the solution need an answer other than completing a line.
    replies: usize,
    /// The lowest level that finds the solution at least half of the time; null if no level does.
    level: Option<u32>,
}

impl PuzzlesJson {
    /// Makes the JSON of puzzles that `seed` has drawn.
    pub fn of(board: Board, seed: u64, puzzles: &[Puzzle]) -> PuzzlesJson {
        let note = Kind::Level { level: 1 }.note(board);
        PuzzlesJson { board: board.to_string(), seed, note, puzzles: puzzles.iter().map(PuzzleJson::of).collect() }
    }
}

impl PuzzleJson {
    fn of(puzzle: &Puzzle) -> PuzzleJson {
        PuzzleJson {
            position: PositionJson::typed(puzzle.position(), &puzzle.game.to_text()),
            value: puzzle.outcome.value.name(),
            remoteness: puzzle.outcome.remoteness,
            solution: puzzle.solution + 1,
            replies: puzzle.replies,
            level: puzzle.level,
        }
    }
}
