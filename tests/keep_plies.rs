//! Databases that keep some plies and search the others forward: every answer that of a whole database, or of a published
//! book for those that are built into the program. (`cmd/keep-plies.md` shows how they are asked.)

use std::collections::BTreeMap;
use std::path::Path;

use fourbase::{Board, Position};
use serde_json::Value as Json;

use crate::support::databases;
use crate::support::files::{assert_same, folder_files};
use crate::support::long;
use crate::support::memory_disk::MemoryDisk;
use crate::support::positions::{Random, board, every_well_formed_position, random_game};
use crate::support::program::Program;
use crate::support::progress::StopAfter;
use crate::support::proofs;
use crate::support::solves::Runs;
use crate::support::tiers::{Database, DatabaseError, Solve, SolveError, Values, plies};
use crate::support::truth::openings;

const BOTH: [Values; 2] = [Values::Wdl, Values::Remoteness];

fn keeping(name: &str, values: Values, keep_plies: Option<u32>) -> Solve {
    Solve::new(board(name), values).keep_plies(keep_plies)
}

/// Solves a board and opens its database.
fn solved(solve: &Solve) -> Database {
    solve.open_on(solve.solved()).expect("a database")
}

/// Plays at random, as often to every ply.
fn random_positions(board: Board, games: usize) -> Vec<Position> {
    let mut random = Random::new(1);
    let games = (0..games).filter_map(|game| random_game(board, game % board.cells(), &mut random));
    games.map(|game| game.to_position()).collect()
}

/// Compares databases that keep some plies with the whole one, which searches nothing.
fn answers_alike(name: &str, positions: &[Position], settings: &[u32]) {
    for values in BOTH {
        let whole = databases::shared(board(name), values);
        let found = whole.probe_many(positions).into_iter();
        let expected = Vec::from_iter(found.map(|outcome| outcome.expect("an answer")));
        for &keep_plies in settings {
            let some = solved(&keeping(name, values, Some(keep_plies)));
            assert_eq!(some.manifest.keep_plies, Some(keep_plies));
            for ((position, found), expected) in positions.iter().zip(some.probe_many(positions)).zip(&expected) {
                assert_eq!(found.expect("an answer"), *expected, "{name} {values} to {keep_plies}: {position}");
            }
        }
        assert_eq!(whole.searched(), 0);
    }
}

/// Every number of plies that a board can keep; in the short run every third.
fn every_setting(name: &str) -> Vec<u32> {
    long::every(3, Vec::from_iter(1..board(name).cells() as u32), format_args!("settings of {name}"))
}

#[test]
fn every_well_formed_position_of_small_boards_has_the_answer_of_the_whole_database() {
    let well_formed =
        |name| Vec::from_iter(every_well_formed_position(board(name)).iter().map(|game| game.to_position()));
    for name in ["4x3", "3x4c3", "4x3m"] {
        answers_alike(name, &well_formed(name), &every_setting(name));
    }
    answers_alike("4x4", &well_formed("4x4"), &[6, 9]);
    if !long::skips("every setting of 4x4c3, and 4x4m") {
        answers_alike("4x4c3", &well_formed("4x4c3"), &every_setting("4x4c3"));
        answers_alike("4x4m", &well_formed("4x4m"), &[6, 9]);
    }
}

#[test]
fn positions_of_random_play_have_the_answer_of_the_whole_database_for_every_setting() {
    let boards = [("4x4", 8_000), ("4x4m", 8_000), ("5x3c3m", 8_000), ("5x4", 6_000), ("4x5", 6_000)];
    long::skips("random games of 5x4 and 4x5, and nine of ten of 4x4, 4x4m and 5x3c3m");
    for (name, games) in boards.into_iter().take(long::scale(3, 5)) {
        answers_alike(name, &random_positions(board(name), long::scale(games / 10, games)), &every_setting(name));
    }
}

#[test]
fn moves_and_best_lines_go_on_beyond_what_is_kept() {
    let positions = random_positions(board("5x4"), long::scale(100, 400));
    long::skips("300 of 400 positions, and 8 and 12 plies that are kept");
    for values in BOTH {
        let whole = databases::shared(board("5x4"), values);
        for &keep_plies in long::scale(&[5, 17][..], &[5, 8, 12, 17]) {
            let some = solved(&keeping("5x4", values, Some(keep_plies)));
            for position in &positions {
                let [found, expected] = [&some, &whole].map(|database| {
                    (database.moves(position).expect("moves"), database.best_line(position).expect("a line"))
                });
                assert_eq!(found, expected, "{position}");
            }
        }
    }
}

#[test]
fn what_is_kept_is_looked_up_and_only_what_is_not_is_searched() {
    let (mut looked_up, mut searched) = (0, 0);
    for (name, values, keep_plies) in [("5x4", Values::Wdl, 9), ("4x4m", Values::Remoteness, 5)] {
        let whole = databases::shared(board(name), values);
        let some = solved(&keeping(name, values, Some(keep_plies)));
        for position in random_positions(board(name), 4000) {
            let before = some.searched();
            assert_eq!(some.probe(&position).expect("an answer"), whole.probe(&position).expect("an answer"));
            if position.ply() as u32 <= keep_plies {
                // Forced moves lead some of them beyond what is kept.
                assert_eq!(some.searched(), before, "{position}");
                looked_up += 1;
            } else {
                // What was searched before is remembered.
                assert!(some.searched() <= before + 1, "{position}");
                searched += some.searched() - before;
            }
        }
    }
    assert!(looked_up > 1000 && searched > 100, "{looked_up} {searched}");
}

#[test]
fn the_deepest_tier_stores_forced_positions_and_the_others_are_those_of_a_whole_solve() {
    long::skips("the files of 4x4, 5x3, 4x4c3 and 4x4m");
    for &name in long::scale(&["3x3c3", "4x3"][..], &["4x4", "5x3", "4x4c3", "4x4m"]) {
        for values in BOTH {
            let whole = databases::files(board(name), values);
            for keep_plies in 1..board(name).cells() as u32 {
                let files = keeping(name, values, Some(keep_plies)).whole();
                let names = Vec::from_iter((1..=keep_plies).step_by(2).map(|ply| format!("tier-{ply:02}")));
                let is_listed = files.keys().eq(["manifest".to_owned()].iter().chain(&names));
                assert!(is_listed, "{name} {values} to {keep_plies}: {:?}", files.keys());
                // The deepest tier also stores forced positions, unless no later one is left out.
                let is_deepest = |name: &String| Some(name) == names.last() && files.len() < whole.len();
                for name in &names {
                    assert_eq!(files[name][8], if is_deepest(name) { 5 } else { 4 }, "{name} to {keep_plies}");
                    assert!(files.len() < whole.len() || files[name] == whole[name], "{name} to {keep_plies}");
                }
            }
            let cells = board(name).cells() as u32;
            for all in [cells, cells + 1, u32::MAX] {
                assert_same(&keeping(name, values, Some(all)).whole(), &whole, "all are kept");
            }
        }
    }
}

/// Solves a tier at a time and returns the files.
fn stepwise(solve: &Solve) -> BTreeMap<String, Vec<u8>> {
    let disk = MemoryDisk::default();
    let board = solve.board;
    let late = random_positions(board, 400).into_iter().filter(|position| position.ply() + 1 == board.cells());
    let (late, whole) = (Vec::from_iter(late), databases::shared(board, solve.values));
    let right = |position: &Position| whole.probe(position).expect("an answer");
    for _ in 0..=board.cells() {
        match solve.run_heard_on(&StopAfter::tiers(1), &disk) {
            Ok(_) => return solve.files_on(&disk),
            Err(SolveError::Stopped { keep_plies, .. }) => assert_eq!(keep_plies, solve.keep_plies),
            Err(error) => panic!("{error}"),
        }
        // A reader has the answers that need no tier meanwhile, and is told how to go on.
        let database = solve.open_on(disk.clone()).expect("a database");
        late.iter().for_each(|position| assert_eq!(database.probe(position).expect("an answer"), right(position)));
        let is_unsolved = database.manifest.tiers.iter().all(|tier| tier.ply > 1);
        match database.probe(&Position::start(board)) {
            Err(DatabaseError::NotSolved { keep_plies, .. }) if is_unsolved => assert_eq!(keep_plies, solve.keep_plies),
            empty => assert!(!is_unsolved && empty.expect("an answer") == right(&Position::start(board))),
        }
    }
    panic!("it never ends");
}

#[test]
fn a_solve_that_is_stopped_or_in_files_or_both_gives_the_same_bytes() {
    for (name, values, keep_plies) in
        [("4x4", Values::Wdl, 6), ("5x3", Values::Remoteness, 7), ("4x4m", Values::Wdl, 3)]
    {
        let whole = keeping(name, values, Some(keep_plies));
        let expected = whole.whole();
        let in_files = whole.clone().scratch(Some("scratch".into())).block_words(40);
        assert_same(&in_files.whole(), &expected, "in files");
        for solve in [&whole, &in_files] {
            assert_same(&stepwise(&solve.stepwise()), &expected, "stopped after every tier");
        }
    }
}

#[test]
fn a_folder_that_was_begun_with_another_setting_is_refused_and_left_alone() {
    let settings = [None, Some(6), Some(9)];
    for first in settings {
        for is_done in [false, true] {
            for second in settings.into_iter().filter(|second| *second != first) {
                let (disk, begun) = (MemoryDisk::default(), keeping("4x4", Values::Wdl, first).stepwise());
                let tiers = if is_done { usize::MAX } else { 1 };
                let result = begun.run_heard_on(&StopAfter::tiers(tiers), &disk);
                assert_eq!(result.is_ok(), is_done);
                let files = disk.files();
                let other = begun.clone().keep_plies(second);
                let error = other.solve_on(&disk).expect_err("another setting");
                let SolveError::Kept { found, wanted, .. } = &error else { panic!("{error}") };
                assert_eq!((*found, *wanted), (first, second));
                assert_eq!(disk.files(), files, "nothing is touched");
                other.clone().replace(true).solve_on(&disk).expect("a solve that starts over");
                assert_same(&other.files_on(&disk), &other.whole(), "started over");
            }
        }
    }
}

#[test]
fn settings_that_keep_the_same_files_count_as_one() {
    // Only odd plies have files: an even number keeps what the number before it keeps, and 15 plies of 4x4 are all.
    for (first, second) in [(Some(6), Some(5)), (Some(5), Some(6)), (Some(15), None), (None, Some(15))] {
        let (disk, begun) = (MemoryDisk::default(), keeping("4x4", Values::Wdl, first).stepwise());
        begun.run_heard_on(&StopAfter::tiers(12), &disk).expect_err("a solve that is stopped");
        let other = begun.clone().keep_plies(second);
        let report = other.solve_on(&disk).expect("a solve that goes on");
        assert_eq!(report.keep_plies, first, "it keeps its setting");
        assert_same(&other.files_on(&disk), &begun.whole(), "gone on with another setting");
        assert!(other.solve_on(&disk).expect("a complete database").already_complete);
    }
    for (name, first, second) in [("4x4", Some(6), Some(7)), ("3x3c3", Some(8), None), ("4x4", Some(14), None)] {
        let disk = keeping(name, Values::Wdl, first).solved();
        let error = keeping(name, Values::Wdl, second).solve_on(&disk).expect_err("another setting");
        assert!(matches!(error, SolveError::Kept { .. }), "{error}");
    }
}

#[test]
fn a_database_that_keeps_some_plies_verifies_and_counts_the_positions_of_these() {
    let legal = Vec::from_iter(plies(board("4x4")).map(|positions| positions.len() as u64));
    for keep_plies in [1, 3, 7] {
        let report = databases::verify(&solved(&keeping("4x4", Values::Wdl, Some(keep_plies))), |_| ());
        assert!(report.is_sound(), "{:?}", report.faults);
        let counted = legal[..=keep_plies as usize].iter().sum();
        assert_eq!((report.files, report.legal), (1 + u64::from(keep_plies.div_ceil(2)), Some(counted)));
        assert!(report.checked > 0 || keep_plies == 1);
    }
}

fn embedded(board: Board) -> Database {
    Database::embedded(board).expect("a database that can be read").expect("a board whose early plies are embedded")
}

#[test]
fn a_database_of_the_users_own_comes_first() {
    let program = Program::new();
    let (files, folder) = ("../tiers/embedded/6x6/remoteness", program.path("db/6x6/remoteness"));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, bytes) in folder_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(files)) {
        std::fs::write(folder.join(name), bytes).expect("a file");
    }
    let json = program.run("query 6x6 34 --json").first_json();
    assert_ne!(json["source"]["folder"], Json::Null);
}

#[test]
fn every_8_ply_position_of_a_published_book_has_its_value_and_remoteness() {
    let (openings, database) = (openings(board("7x6")), embedded(board("7x6")));
    assert_eq!(database.values(), Values::Remoteness);
    proofs::assert_outcomes(&database, &openings);
    // Forced replies lead some positions beyond the plies that are kept.
    let searched = database.searched();
    println!("{} positions and their mirror images, {searched} searches", openings.len());
}
