//! Measures how many decided positions have a proved reason of each kind, how long a reason takes, and in how many ties
//! a rule holds for a player.
//!
//! `cargo bench -p fourbase-tiers --bench reasons -- [COUNT [PLY ...]]`
//!
//! Draws COUNT decided positions of 7x6 by random play for each PLY, with values of the built-in database and of searches.
//! Proofs are sought for both players: one for the wrong player would end the benchmark.

use std::collections::BTreeMap;
use std::time::Instant;

use fourbase::players::{random_play, random_source};
use fourbase::reasons::{Reason, ReasonKind};
use fourbase::search::{Search, SearchOptions};
use fourbase::{Board, Player, Value};
use fourbase_tiers::database::Database;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let count = numbers.next().unwrap_or(10_000);
    let plies: Vec<usize> = numbers.collect();
    let board: Board = "7x6".parse().expect("a board");
    let database = Database::embedded(board).expect("a database").expect("a built-in database");
    let stored = database.manifest.keep_plies.unwrap_or_default() as usize;
    let mut search = Search::new(board, SearchOptions::default());
    for ply in if plies.is_empty() { vec![8, 16, 24, 32] } else { plies } {
        let (mut source, mut kinds, mut times) = (random_source(1, ply as u64), BTreeMap::new(), Vec::new());
        let (mut ties, mut held) = (0, [0; 3]);
        while times.len() < count {
            let Some(position) = random_play(board, ply, &mut source) else { continue };
            let value = match ply <= stored {
                true => database.probe(&position).expect("an answer").value,
                false => search.value(&position).expect("an answer"),
            };
            let winner = match value {
                Value::Win => position.to_move(),
                Value::Lose => position.to_move().other(),
                Value::Tie => {
                    ties += 1;
                    let holders =
                        Player::BOTH.into_iter().filter(|player| Reason::of_hold(&position, *player).is_some());
                    held[holders.count()] += 1;
                    continue;
                }
            };
            let start = Instant::now();
            let reason = Reason::of(&position, winner);
            times.push(start.elapsed().as_secs_f64() * 1e3);
            assert_eq!(Reason::of(&position, winner.other()), None, "{position}");
            assert_eq!(Reason::of_hold(&position, winner.other()), None, "{position}");
            *kinds.entry(reason.map(|reason| reason.kind)).or_insert(0) += 1;
        }
        times.sort_by(f64::total_cmp);
        let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
        println!("ply {ply}: median {:.3} ms, 90 % {:.1} ms, longest {:.1} ms", at(50), at(90), at(100));
        for (kind, found) in kinds {
            let name = kind.map_or("none".to_owned(), |kind: ReasonKind| format!("{kind:?}"));
            println!("  {name:<12} {:5.1} %", 100.0 * f64::from(found) / count as f64);
        }
        let share = |number: u32| 100.0 * f64::from(number) / f64::from(ties.max(1));
        println!("  {ties} ties: {:.1} % held by one player, {:.1} % by both", share(held[1]), share(held[2]));
    }
}
