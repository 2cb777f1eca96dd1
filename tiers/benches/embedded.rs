//! Measures how long the embedded database takes to answer a position, by ply and kind of position.
//!
//! `cargo bench -p fourbase-tiers --bench embedded -- [BOARD [POSITIONS [PLY ...]]]`
//!
//! Positions come from random play, from good play (random moves that keep the value, as long as the database has it,
//! then any random moves), and from Pascal Pons' sets (the tests' selection). One thread asks for the outcome of each
//! position and, in a second database that does not remember this answer, for the outcomes of all moves. The outcome of
//! the best move must be that of the position.

mod shared;

use std::path::Path;

use fourbase::analysis::Budget;
use fourbase::players::{RandomSource, random_play, random_source};
use fourbase::search::{Search, SearchOptions};
use fourbase::{Board, Outcome, Position, notation};
use fourbase_tiers::database::Database;
use rand::RngExt;
use shared::{cpu_seconds, thread_seconds, timed};

fn main() {
    let mut arguments = shared::arguments(&[]).into_iter();
    // `cargo bench` without arguments runs all benches.
    let Some(board) = arguments.next() else { return println!("embedded: give a board, such as 7x6") };
    let board: Board = board.parse().expect("a board");
    let count: usize = arguments.next().map_or(200, |count| count.parse().expect("a number of positions"));
    let plies: Vec<usize> = arguments.map(|ply| ply.parse().expect("a ply")).collect();
    let keeps = keeps(board);
    let plies = if plies.is_empty() { (keeps - 1..=keeps + 2).collect() } else { plies };
    for ply in plies {
        let random = positions(count, |source| random_play(board, ply, source));
        passes(board, ply, &random);
        measure(board, ply, "random play", &random);
        let database = embedded(board);
        measure(board, ply, "good play", &positions(count, |source| good_play(&database, ply, source)));
        let pons = pons(board).into_iter().filter(|position| position.ply() == ply).take(count).collect::<Vec<_>>();
        measure(board, ply, "Pons' sets", &pons);
    }
}

fn embedded(board: Board) -> Database {
    Database::embedded(board).expect("a database that can be read").expect("a board whose early plies are embedded")
}

fn keeps(board: Board) -> usize {
    embedded(board).manifest.keep_plies.map_or(0, |plies| plies as usize)
}

/// Asks a newly opened database twice for all outcomes, then twice for all moves, and prints CPU microseconds per
/// position. Then asks another one for all moves in one batch. Repeated answers must be equal.
fn passes(board: Board, ply: usize, positions: &[Position]) {
    let database = embedded(board);
    let pass = |what: &str, ask: &dyn Fn(&Position) -> Vec<Outcome>| {
        let (searched, start) = (database.searched(), cpu_seconds());
        let answers: Vec<Vec<Outcome>> = positions.iter().map(ask).collect();
        let each = |count: f64| count / positions.len() as f64;
        println!(
            "{board}, ply {ply}, {what}: {:9.1} us a position, {:.2} positions searched",
            each((cpu_seconds() - start) * 1e6),
            each((database.searched() - searched) as f64)
        );
        answers
    };
    let probe = |position: &Position| vec![database.probe(position).expect("an answer")];
    let moves =
        |position: &Position| database.moves(position).expect("answers").into_iter().map(|(_, of)| of).collect();
    let (first, second) = (pass("outcome, first pass ", &probe), pass("outcome, second pass", &probe));
    let (first_moves, second_moves) = (pass("all moves, then     ", &moves), pass("all moves, again    ", &moves));
    let serial = thread_seconds();
    let all = || embedded(board).moves_of_many(positions, &Budget::default(), |_, error| Err(error)).expect("answers");
    let (many, wall, cpu) = timed(all);
    let serial = thread_seconds() - serial;
    println!(
        "{board}, ply {ply}, all moves, batch    : {:9.1} us a position, {:.2} cores, {:.2} us of a position on one thread",
        wall * 1e6 / positions.len() as f64,
        cpu / wall,
        serial * 1e6 / positions.len() as f64
    );
    let best = |of: &[Option<Outcome>]| of.iter().flatten().min().copied();
    let rows = many.chunks_exact(board.width()).map(best);
    rows.zip(&first_moves).for_each(|(row, moves)| assert_eq!(row, moves.first().copied()));
    assert_eq!(first, second);
    assert_eq!(first_moves, second_moves);
    first.iter().zip(&first_moves).for_each(|(of, moves)| assert_eq!(of.first(), moves.first()));
}

/// For each position, times a search of the value alone (after the kept plies), the outcome, and all moves.
fn measure(board: Board, ply: usize, kind: &str, positions: &[Position]) {
    if positions.is_empty() {
        return;
    }
    let (for_outcomes, for_moves) = (embedded(board), embedded(board));
    let (mut values, mut outcomes, mut moves) = (Vec::new(), Vec::new(), Vec::new());
    for position in positions {
        if ply > keeps(board) {
            let mut search = Search::new(board, SearchOptions::default());
            values.push(timed(|| search.value(position).expect("an answer")).1);
        }
        let (outcome, time, _) = timed(|| for_outcomes.probe(position).expect("an answer"));
        outcomes.push(time);
        let (all, time, _) = timed(|| for_moves.moves(position).expect("an answer"));
        moves.push(time);
        assert_eq!(all.first().map(|best| best.1), Some(outcome), "{position}");
    }
    println!("{board}, ply {ply}, {kind}, {} positions: median, 99 %, worst, in ms", positions.len());
    report("value, searched", values);
    report("outcome", outcomes);
    report("all moves", moves);
}

fn report(what: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let Some(last) = times.len().checked_sub(1) else { return };
    let [median, most, worst] = [last / 2, last * 99 / 100, last].map(|place| times[place] * 1e3);
    println!("  {what:16} {median:10.3} {most:10.3} {worst:10.3}");
}

/// Plays games until `count` of them have returned a position.
fn positions(count: usize, play: impl Fn(&mut RandomSource) -> Option<Position>) -> Vec<Position> {
    let mut source = random_source(1, 0);
    std::iter::repeat_with(|| play(&mut source)).flatten().take(count).collect()
}

/// Plays good moves up to a ply; `None` if the game ends before that ply or at it.
fn good_play(database: &Database, ply: usize, source: &mut RandomSource) -> Option<Position> {
    let (mut position, last) = (Position::start(database.board()), keeps(database.board()));
    for _ in 0..ply {
        let mut columns: Vec<usize> = position.moves().collect();
        if position.ply() < last {
            let moves = database.moves(&position).expect("an answer");
            columns = moves.iter().take_while(|of| of.1.value == moves[0].1.value).map(|of| of.0).collect();
        }
        let number = source.random_range(0..columns.len().max(1) as u32) as usize;
        position = position.drop_piece(*columns.get(number)?);
    }
    position.primitive().is_none().then_some(position)
}

/// Reads the tests' selection of Pascal Pons' positions of 7x6; returns none for another board.
fn pons(board: Board) -> Vec<Position> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/pons");
    let sets = if board.to_string() == "7x6" { &["Test_L2_R1", "Test_L2_R2", "Test_L3_R1"][..] } else { &[] };
    let texts = sets.iter().map(|name| std::fs::read_to_string(folder.join(name)).expect("a set"));
    let text = String::from_iter(texts);
    let moves = text.lines().filter_map(|line| line.split_whitespace().next());
    moves.filter_map(|moves| notation::parse(board, moves).ok()).collect()
}
