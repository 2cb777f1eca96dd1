//! The databases that are part of the program, against answers of others. (`cmd/keep-plies.md` shows how they are asked.)

use fourbase::{Board, Position};
use serde_json::{Value as Json, json};

use crate::support::positions::board;
use crate::support::program::Program;
use crate::support::tiers::Database;
use crate::support::truth::openings;

fn embedded(board: Board) -> Database {
    Database::embedded(board).expect("a database that can be read").expect("a board whose early plies are embedded")
}

#[test]
fn a_database_of_the_users_own_comes_first() {
    let program = Program::new();
    let folder = program.path("db/6x6/remoteness");
    std::fs::create_dir_all(&folder).expect("a folder");
    let own = embedded(board("6x6")).keep(9, &folder).expect("a database");
    let json = program.run("query 6x6 34 --json").first_json();
    assert_ne!(json["source"]["folder"], Json::Null);
    assert_eq!(json["source"]["hash"], json!(own.manifest().hash().expect("a hash").to_string()));
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
