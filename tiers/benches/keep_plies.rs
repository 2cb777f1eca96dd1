//! Measures what `--keep-plies` costs: how many bytes each setting takes, and how long probes take.
//!
//! `cargo bench -p fourbase-tiers --bench keep_plies -- DB BOARD:VALUES [OTHER-DB ...]`
//!
//! DB must hold the whole database of the board, and every other folder a database that `fourbase solve --keep-plies`
//! made. One thread probes positions that random play reaches, of two kinds: from the first two plies that are not
//! kept, and from all plies from 8 on, each ply equally likely. The first half of each kind is not timed: it opens
//! tables and files. Every answer is compared with that of the whole database.

mod shared;

use std::ops::Range;
use std::time::Instant;

use fourbase::players::{random_play, random_source};
use fourbase::{Board, Position};
use fourbase_tiers::database::Database;
use fourbase_tiers::format::folder_of;
use fourbase_tiers::quiet::{StaticEvaluation, evaluate};
use rand::RngExt;

/// How many positions of each kind are timed.
const SAMPLE: usize = 200;

fn main() {
    let mut arguments = shared::arguments(&[]).into_iter();
    let (Some(root), Some(board)) = (arguments.next(), arguments.next()) else {
        // `cargo bench` without arguments runs all benches.
        return println!(
            "keep_plies: give the folder of a whole database, BOARD:VALUES, and folders of databases that keep some plies"
        );
    };
    let (board, values) = shared::board_and_values(&board);
    let whole = Database::open(&folder_of(root.as_ref(), board, values)).expect("a database");
    let cells = board.cells() as u32;
    for root in arguments {
        let database = Database::open(&folder_of(root.as_ref(), board, values)).expect("a database");
        let most = database.manifest.keep_plies.expect("a database that keeps some plies");
        println!("{board} {values}, {most} plies: {} bytes", database.manifest.bytes());
        let first = most + 1;
        // Late positions with a choice are rare, and there are none at the end.
        if first + 4 < cells {
            let beyond = random_positions(board, first..first + 2, true);
            measure(&database, &whole, &beyond, &format!("quiet positions of plies {first} and {}", first + 1));
        }
        let any = random_positions(board, 8..cells, false);
        measure(&database, &whole, &any, "all plies from 8 on");
    }
}

/// Probes all positions and compares all answers. Prints the times of the second half only.
fn measure(database: &Database, whole: &Database, positions: &[Position], what: &str) {
    let mut seconds = Vec::new();
    for position in positions {
        let start = Instant::now();
        let found = database.probe(position).expect("an answer");
        seconds.push(start.elapsed().as_secs_f64());
        assert_eq!(found, whole.probe(position).expect("an answer"), "{position}");
    }
    let mut seconds = seconds.split_off(positions.len() / 2);
    seconds.sort_by(f64::total_cmp);
    let (count, all) = (seconds.len(), seconds.iter().sum::<f64>());
    let [median, most, worst] = [count / 2, count * 9 / 10, count - 1].map(|place| seconds[place] * 1e3);
    println!("  {what}: median {median:.4} ms, nine of ten below {most:.4} ms, worst {worst:.4} ms, {all:.3} s in all");
}

/// Plays random games, each up to a random one of `plies`. A game that ends earlier is played again up to the same ply,
/// so that all plies stay equally likely.
fn random_positions(board: Board, plies: Range<u32>, only_quiet: bool) -> Vec<Position> {
    let mut source = random_source(1, 0);
    let is_wanted = |position: &Position| !only_quiet || evaluate(position) == StaticEvaluation::Quiet;
    let mut play = || {
        let ply = source.random_range(plies.clone()) as usize;
        let mut games = std::iter::repeat_with(|| random_play(board, ply, &mut source)).flatten();
        games.find(is_wanted).expect("games without end")
    };
    (0..2 * SAMPLE).map(|_| play()).collect()
}
