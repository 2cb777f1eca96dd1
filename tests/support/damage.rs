//! Databases with damage in one file: the checksum pass has to find it, and a probe to give the right answer or an error.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fourbase::{Outcome, Position};

use super::board::board;
use super::positions::random_game;
use super::random::Random;
use super::snapshot::Snapshot;
use super::solves::Solve;
use super::tiers::{Database, DatabaseError, Values};

/// How many random positions of each ply are asked for.
const QUESTIONS: usize = 16;

/// A sound database, and what it says of some positions.
pub struct Sound {
    solve: Solve,
    pub files: Arc<BTreeMap<String, Vec<u8>>>,
    questions: Vec<(Position, Outcome)>,
}

/// What became of the damage that was tried.
#[derive(Default)]
pub struct Tally {
    pub found: AtomicU64,
    pub refused: AtomicU64,
    pub right: AtomicU64,
}

impl Sound {
    /// Solves a board, and asks for positions of every ply.
    pub fn new(name: &str, values: Values) -> Sound {
        let board = board(name);
        let solve = Solve::new(board, values);
        let files = Arc::new(solve.whole());
        let mut sound = Sound { solve, files, questions: Vec::new() };
        let database = sound.open("", None).expect("a sound database");
        assert!(database.check_files().is_empty());
        let mut random = Random::new(1);
        for ply in 0..board.cells() {
            let games = std::iter::repeat_with(|| random_game(board, ply, &mut random)).take(QUESTIONS * 20);
            for game in games.flatten().take(QUESTIONS) {
                let position = game.to_position();
                sound.questions.push((position, database.probe(&position).expect("an answer")));
            }
        }
        sound
    }

    fn open(&self, name: &str, bytes: Option<Vec<u8>>) -> Result<Database, DatabaseError> {
        let damaged = (!name.is_empty()).then(|| (name.to_owned(), bytes.map(Arc::new)));
        self.solve.open_on(Snapshot { sound: self.files.clone(), damaged })
    }

    /// Checks what a database says whose file `name` has these bytes, or is not there. `what` tells of the damage.
    pub fn survives(&self, name: &str, bytes: Option<Vec<u8>>, tally: &Tally, what: &dyn std::fmt::Display) {
        let database = match self.open(name, bytes) {
            Ok(database) => database,
            Err(error) => {
                let is_missing = matches!(error, DatabaseError::Missing { .. });
                let is_named = error.is_damage() && error.to_string().contains(name);
                assert!(is_missing || is_named, "{what}: {error}");
                tally.found.fetch_add(1, Ordering::Relaxed);
                tally.refused.fetch_add(1, Ordering::Relaxed);
                return;
            }
        };
        let ply = name.strip_prefix("tier-").and_then(|ply| ply.parse().ok());
        let ply = ply.unwrap_or_else(|| panic!("{what}: the manifest is believed"));
        let fault = database.check_tier(ply).expect_err("damage is found");
        assert!(fault.is_damage() && fault.to_string().contains(name), "{what}: {fault}");
        tally.found.fetch_add(1, Ordering::Relaxed);
        let near = |position: &Position| ((ply as usize).saturating_sub(1)..=ply as usize).contains(&position.ply());
        for (position, expected) in self.questions.iter().filter(|(position, _)| near(position)) {
            match database.probe(position) {
                Ok(found) => {
                    assert_eq!(found, *expected, "{what}: {position}");
                    tally.right.fetch_add(1, Ordering::Relaxed);
                }
                Err(error) => {
                    assert!(error.is_damage(), "{what}: {error}");
                    tally.refused.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }

    /// As [`Sound::survives`] by the checksum pass alone.
    pub fn is_found(&self, name: &str, bytes: Vec<u8>) -> bool {
        let Ok(database) = self.open(name, Some(bytes)) else { return true };
        let ply = name.strip_prefix("tier-").and_then(|ply| ply.parse().ok());
        ply.is_some_and(|ply| database.check_tier(ply).is_err())
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [found, refused, right] =
            [&self.found, &self.refused, &self.right].map(|count| count.load(Ordering::Relaxed));
        write!(f, "{found} found, {refused} probes refused, {right} right, 0 wrong")
    }
}
