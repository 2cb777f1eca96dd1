//! The result of `fourbase match`, for people and as JSON.

use std::fmt;
use std::time::Duration;

use fourbase::players::{DrawnOpenings, Kind, PlayedGame};
use fourbase::{Board, Value};
use serde::Serialize;

use crate::json::{PlayersJson, SourceJson};
use crate::knowledge::Knowledge;
use crate::number::{counted, grouped, short};
use crate::table::{self, Side};

/// The result of a match.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MatchReport {
    board: String,
    games: u64,
    opening_plies: u32,
    openings: usize,
    /// Whether these are all openings of this length.
    all_openings: bool,
    seed: u64,
    programs: [Tally; 2],
    mean_plies: f64,
    seconds: f64,
    games_per_second: f64,
    threads: usize,
    /// Where exact values come from; null if no player needs any.
    source: Option<SourceJson>,
    #[serde(skip)]
    note: Option<String>,
}

/// The result of one of the two players.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Tally {
    program: String,
    wins: u64,
    ties: u64,
    losses: u64,
    /// The games in which it was the first player, and the others.
    players: PlayersJson<Score>,
    moves_made: u64,
    /// Moves per second on one thread; null if the player never moved.
    moves_per_second: Option<f64>,
}

/// The results of some games for one player.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Score {
    wins: u64,
    ties: u64,
    losses: u64,
}

impl Score {
    fn count(&mut self, value: Value) {
        *match value {
            Value::Win => &mut self.wins,
            Value::Tie => &mut self.ties,
            Value::Lose => &mut self.losses,
        } += 1;
    }

    fn cells(self) -> Vec<String> {
        let Score { wins, ties, losses } = self;
        let games = wins + ties + losses;
        // A win is one point, a tie half a point.
        let points = if games == 0 { "-".to_owned() } else { percent(2 * wins + ties, 2 * games) };
        [wins, ties, losses].map(|count| grouped(count.into())).into_iter().chain([points]).collect()
    }
}

impl MatchReport {
    /// Adds up all games.
    pub fn of(
        board: Board,
        kinds: [Kind; 2],
        seed: u64,
        openings: &DrawnOpenings,
        played: &[PlayedGame],
        elapsed: Duration,
        knowledge: Option<&Knowledge>,
    ) -> MatchReport {
        let (games, plies) = (played.len() as u64, played.iter().map(|game| game.plies).sum::<u64>());
        let seconds = elapsed.as_secs_f64();
        MatchReport {
            board: board.to_string(),
            games,
            opening_plies: openings.plies,
            openings: openings.moves.len(),
            all_openings: openings.is_all,
            seed,
            programs: [0, 1].map(|place| Tally::of(kinds[place], place, played)),
            mean_plies: short(plies as f64 / games.max(1) as f64),
            seconds: short(seconds),
            games_per_second: short(games as f64 / seconds),
            threads: rayon::current_num_threads(),
            source: knowledge.map(Knowledge::source),
            note: knowledge.map(|knowledge| knowledge.note().to_owned()),
        }
    }
}

impl Tally {
    fn of(kind: Kind, place: usize, played: &[PlayedGame]) -> Tally {
        let mut scores = [Score::default(); 2];
        for game in played {
            let value = if place == 0 { game.value } else { game.value.flip() };
            scores[usize::from(game.began != (place == 0))].count(value);
        }
        let [first, second] = scores;
        let moves = played.iter().map(|game| game.moves[place]).sum::<u64>();
        let seconds = played.iter().map(|game| game.nanoseconds[place]).sum::<u64>() as f64 / 1e9;
        Tally {
            program: kind.to_string(),
            wins: first.wins + second.wins,
            ties: first.ties + second.ties,
            losses: first.losses + second.losses,
            players: PlayersJson { first, second },
            moves_made: moves,
            moves_per_second: (moves > 0).then(|| short(moves as f64 / seconds.max(1e-9))),
        }
    }
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole as f64)
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MatchReport { board, games, opening_plies, openings, all_openings, .. } = self;
        write!(f, "{board}, {} from ", counted(*games, "game"))?;
        let plies = counted(*opening_plies, "ply");
        match (opening_plies, all_openings) {
            (0, _) => write!(f, "the empty board")?,
            (_, true) if *openings == 1 => write!(f, "the only position after {plies}")?,
            (_, true) => write!(f, "all {} after {plies}", counted(*openings, "position"))?,
            (_, false) => write!(f, "{} after {plies}", counted(*openings, "random position"))?,
        }
        let mut rows = vec![["", "wins", "ties", "losses", "points"].map(str::to_owned).to_vec()];
        for player in &self.programs {
            let whole = Score { wins: player.wins, ties: player.ties, losses: player.losses };
            let PlayersJson { first, second } = player.players;
            for (name, score) in [(player.program.as_str(), whole), ("  as first", first), ("  as second", second)] {
                rows.push([name.to_owned()].into_iter().chain(score.cells()).collect());
            }
        }
        let sides = [Side::Left, Side::Right, Side::Right, Side::Right, Side::Right];
        write!(f, "\n\n{}\n\n", table::to_text(&sides, &rows))?;
        write!(f, "{} plies a game, {} s, {} games/s", self.mean_plies, self.seconds, self.games_per_second)?;
        for player in &self.programs {
            if let Some(rate) = player.moves_per_second {
                write!(f, "\n{}: {} moves/s a thread", player.program, grouped(rate as u128))?;
            }
        }
        self.note.iter().try_for_each(|note| write!(f, "\n{note}"))
    }
}
