//! The databases that are part of the program: whole-program tests, and what they hold against answers of others.

use fourbase::{Board, Position};
use serde_json::{Value as Json, json};

use crate::support::board::board;
use crate::support::long;
use crate::support::openings::openings;
use crate::support::program::Program;
use crate::support::proofs::random_positions;
use crate::support::random::Random;
use crate::support::shared::shared;
use crate::support::tiers::{Database, Values};

fn embedded(board: Board) -> Database {
    Database::embedded(board).expect("a database that can be read").expect("a board whose early plies are embedded")
}

#[test]
fn a_fresh_program_answers_from_its_own_database_and_says_so() {
    let program = Program::new();
    let run = program.run("query 6x6 34");
    let text = run.succeeds();
    assert!(text.contains("first player to move: lose in 34"), "{text}");
    assert!(text.contains("from the database of 6x6 that is part of fourbase"), "{text}");
    let json = program.run("query 6x6 34 --json").first_json();
    let source = &json["source"];
    assert_eq!((&json["value"], &json["remoteness"]), (&json!("lose"), &json!(34)));
    assert_eq!((&source["kind"], &source["folder"]), (&json!("database"), &Json::Null));
    let hash = embedded(board("6x6")).manifest().hash().expect("a hash").to_string();
    assert_eq!(source["hash"], json!(hash));
    assert_eq!(json["children"].as_array().expect("moves").len(), 6);
    assert!(!program.path("db").exists());
}

#[test]
fn positions_beyond_the_embedded_plies_are_searched_within_the_limits() {
    let program = Program::new();
    let text = program.run("query 6x6 3434344343222").succeeds();
    let note = "from the database of 6x6 that is part of fourbase (plies up to 11); later positions searched forward";
    assert!(text.contains(note), "{text}");
    let text = program.run("query 6x6 1122331122335 --nodes 1").succeeds();
    assert!(text.contains("?: not decided within 1 node"), "{text}");
}

#[test]
fn every_subcommand_that_asks_for_values_uses_the_embedded_ones() {
    let program = Program::new();
    let (answers, note) = program.run_with_input("query 6x6 --batch", "34\n3333\n").warns();
    assert_eq!(answers, "34\tlose\t34\n3333\ttie\t32\n");
    assert_eq!(note, "from the database of 6x6 that is part of fourbase\n");
    let text = program.run("analyse 6x6 3434").succeeds();
    assert!(text.contains("part of fourbase"), "{text}");
    let text = program.run("grade random 6x6 --sample 5").succeeds();
    assert!(text.contains("part of fourbase"), "{text}");
    let text = program.run("match perfect random 6x6 --games 2 --openings 4").succeeds();
    assert!(text.contains("part of fourbase"), "{text}");
}

#[test]
fn a_database_of_the_users_own_comes_first_and_search_only_opens_none() {
    let program = Program::new();
    let json = program.run("query 6x6 3434344343222 --search only --json").json();
    assert_eq!(json["source"]["hash"], Json::Null);
    let folder = program.path("db/6x6/remoteness");
    std::fs::create_dir_all(&folder).expect("a folder");
    let own = embedded(board("6x6")).keep(9, &folder).expect("a database");
    let json = program.run("query 6x6 34 --json").first_json();
    assert_ne!(json["source"]["folder"], Json::Null);
    assert_eq!(json["source"]["hash"], json!(own.manifest().hash().expect("a hash").to_string()));
}

#[test]
fn the_embedded_databases_verify() {
    let program = Program::new();
    let text = program.run("verify --embedded --sample 60").succeeds();
    assert_eq!(text.matches(": sound").count(), Database::embedded_boards().len(), "{text}");
    let json = program.run("verify 6x6 --embedded --sample 20 --json").json();
    assert_eq!((&json["sound"], &json["folder"]), (&json!(true), &Json::Null));
    let error = program.run("verify 5x4 --embedded").fails(2);
    assert!(error.ends_with("only of: 7x5, 6x6, 7x6"), "{error}");
    program.run("verify 6x6 --embedded --db elsewhere").refused();
    program.run("verify").refused();
}

#[test]
fn every_8_ply_position_of_a_published_book_has_its_value_and_remoteness() {
    for board in Database::embedded_boards() {
        let Some(openings) = openings(board) else { continue };
        let database = embedded(board);
        let positions: Vec<Position> =
            openings.iter().flat_map(|(position, _)| [*position, position.mirror()]).collect();
        let found = database.probe_many(&positions);
        for (pair, (position, expected)) in found.chunks(2).zip(&openings) {
            for found in pair {
                assert_eq!(found.as_ref().expect("an answer"), expected, "{position} or its mirror image");
            }
        }
        // Forced replies lead some positions beyond the plies that are kept.
        let searched = database.searched();
        println!("{board}: {} positions and their mirror images, {searched} searches", openings.len());
    }
}

/// Beyond the plies that are kept, the stored values of the ply before narrow the search.
#[test]
fn positions_just_beyond_the_kept_plies_have_the_answer_of_the_whole_database() {
    let board = board("5x5");
    let whole = shared(board, Values::Remoteness);
    let root = tempfile::tempdir().expect("a folder");
    let mut random = Random::new(3);
    for values in [Values::Wdl, Values::Remoteness] {
        for keep in [5, 8] {
            let solve = fourbase_tiers::solve::Solve::new(board, values).root(root.path()).keep_plies(Some(keep));
            let folder = solve.replace(true).run().expect("a solve").folder;
            let database = Database::open(&folder).expect("a database");
            for ply in [keep + 1, keep + 2, keep + 3] {
                let positions = random_positions(board, ply as usize, long::scale(200, 2000), &mut random);
                long::skips("nine of ten positions beyond the kept plies");
                for position in positions {
                    let (found, expected) = (database.probe(&position).unwrap(), whole.probe(&position).unwrap());
                    assert_eq!(found.value, expected.value, "{position}");
                    assert!(values == Values::Wdl || found == expected, "{position}: {found:?} {expected:?}");
                }
            }
        }
    }
}
