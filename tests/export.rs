//! `fourbase export`: what its files say, compared with a plain search, with `query` and with `stats`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::path::Path;

use fourbase::{Position, notation};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::support::long;
use crate::support::plain_game::{FIRST, PlainGame, SECOND};
use crate::support::plain_search::PlainSearch;
use crate::support::positions::board;
use crate::support::program::Program;
use crate::support::truth;

/// A row by the names of its columns; what is not there is missing.
type Row = BTreeMap<String, i128>;

/// Reads a Parquet file with the reader of the crate.
fn parquet(file: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(file).expect("a file")).expect("Parquet");
    let number = |field: &Field| match field {
        Field::Byte(_) | Field::UByte(_) | Field::ULong(_) => field.to_string().parse::<i128>().ok(),
        Field::Null => None,
        other => panic!("{other:?}"),
    };
    let row = |row: parquet::record::Row| {
        let columns = row.get_column_iter();
        columns.filter_map(|(name, field)| Some((name.clone(), number(field)?))).collect::<Row>()
    };
    reader.get_row_iter(None).expect("rows").map(|of| row(of.expect("a row"))).collect()
}

/// Reads a file of comma-separated numbers.
fn csv(text: &str) -> Vec<Row> {
    let (names, rows) = text.split_once('\n').expect("names");
    let row = |line: &str| {
        assert_eq!(line.split(',').count(), names.split(',').count());
        let cells = names.split(',').zip(line.split(',')).filter(|(_, cell)| !cell.is_empty());
        cells.map(|(name, cell)| (name.to_owned(), cell.parse().expect("a number"))).collect::<Row>()
    };
    rows.lines().map(row).collect()
}

fn key(position: &Position) -> (i128, i128) {
    let [first, second] = [fourbase::Player::First, fourbase::Player::Second].map(|player| position.pieces(player));
    (first.into(), second.into())
}

#[test]
fn every_row_and_every_move_is_what_a_plain_search_finds() {
    for name in long::scale(["4x3", "3x3c3m"].as_slice(), &["4x3", "3x3c3m", "4x4", "4x4m", "3x5c3"]) {
        let of_board = board(name);
        let search = PlainSearch::of_all_positions(of_board);
        let mut expected = HashMap::new();
        for (of, answer) in search.answers() {
            let game = PlainGame::from_key(of_board, of);
            if game.end().is_some_and(|value| value != 0) {
                continue;
            }
            let (value, plies, (first, second)) = (answer.value.into(), answer.plies.into(), key(&game.to_position()));
            let ply = game.plies() as i128;
            let score = value * ((of_board.cells() as i128 + 2 - ply - plies) / 2);
            let position = [("ply", ply), ("first", first), ("second", second)].into_iter();
            let score = Some(("score", score)).filter(|_| !of_board.is_misere());
            let fields = position.chain([("value", value), ("remoteness", plies)]).chain(score);
            let mut row: Row = fields.map(|(name, number)| (name.to_owned(), number)).collect();
            for (column, answer) in search.moves(&game) {
                row.insert(format!("value_{}", column + 1), answer.value.into());
                row.insert(format!("remoteness_{}", column + 1), answer.plies.into());
            }
            expected.insert((first, second), row);
        }
        let program = Program::with(name);
        let cells = of_board.cells();
        program.run(&format!("export {name} --plies 0-{cells} --output all.parquet")).succeeds();
        let rows = parquet(&program.path("all.parquet"));
        assert_eq!(rows.len(), expected.len(), "{name}");
        for row in &rows {
            assert_eq!(Some(row), expected.get(&(row["first"], row["second"])), "{name}");
        }
        // Full boards come last. They are left out unless they are named.
        let unfinished: Vec<Row> = rows.into_iter().filter(|row| row["ply"] < cells as i128).collect();
        assert!(unfinished.len() < expected.len(), "{name}");
        assert_eq!(unfinished, csv(&program.run(&format!("export {name}")).succeeds()), "{name}");
    }
}

#[test]
fn the_texts_of_a_position_are_its_own_and_query_says_the_same_of_it() {
    let program = Program::with("4x4");
    let text = program.run("export 4x4 --sample 500 --columns moves,bits,uni,bitboards,value,remoteness").succeeds();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 500);
    let moves: String = rows.iter().map(|row| format!("{}\n", row[0])).collect();
    let answers = program.run_with_input("query 4x4 --batch", moves).succeeds();
    for (row, answer) in rows.iter().zip(answers.lines()) {
        let position = notation::parse(board("4x4"), row[0]).expect("moves");
        assert_eq!((row[1], row[2]), (notation::to_bits(&position).as_str(), notation::to_uni(&position).as_str()));
        assert_eq!((row[3].parse().ok(), row[4].parse().ok()), (Some(key(&position).0), Some(key(&position).1)));
        let value = ["lose", "tie", "win"][(row[5].parse::<i32>().expect("a value") + 1) as usize];
        assert_eq!(answer, format!("{}\t{value}\t{}", row[0], row[6]));
    }
}

#[test]
fn a_distinct_file_has_one_of_a_position_and_its_mirror_image() {
    let program = Program::with("4x4");
    let board = board("4x4");
    let rows = |options: &str| -> Vec<Position> {
        let rows = csv(&program.run(&format!("export 4x4 --columns bitboards {options}")).succeeds());
        let position = |row: &Row| Position::from_bitboards(board, row["first"] as u64, row["second"] as u64);
        rows.iter().map(|row| position(row).expect("a position")).collect()
    };
    let (all, distinct) = (rows(""), rows("--distinct"));
    let symmetric = all.iter().filter(|position| **position == position.mirror()).count();
    assert_eq!(distinct.len(), (all.len() + symmetric) / 2);
    let sample = rows("--plies 6 --sample 500 --distinct");
    for listed in [&distinct, &sample] {
        let met: HashSet<_> = listed.iter().map(|of| key(of).min(key(&of.mirror()))).collect();
        assert_eq!(met.len(), listed.len());
    }
    assert!(sample.iter().all(|position| position.ply() == 6 && position.primitive().is_none()));
    let of_ply = all.iter().filter(|position| position.ply() == 3).map(|of| key(of).min(key(&of.mirror())));
    let count = of_ply.collect::<HashSet<_>>().len();
    assert_eq!(rows(&format!("--plies 3 --sample {count} --distinct")).len(), count);
    let error = program.run(&format!("export 4x4 --plies 3 --distinct --sample {}", count + 1)).fails(2);
    assert!(error.starts_with(&format!("only {count} of {} distinct positions", count + 1)), "{error}");
}

/// Lists the rows of the rule of the UCI data set, by a plain game: cells and class for the first player.
fn by_the_rule(search: &PlainSearch, ply: usize) -> Vec<String> {
    let board = search.board();
    let mut centre_out: Vec<usize> = (0..board.width()).collect();
    centre_out.sort_by_key(|column| (2 * column).abs_diff(board.width() - 1));
    let (mut met, mut rows) = (HashSet::new(), Vec::new());
    let mut stack = vec![PlainGame::start(board)];
    while let Some(game) = stack.pop() {
        let position = game.to_position();
        if !met.insert(key(&position).min(key(&position.mirror()))) || game.end().is_some() {
            continue;
        }
        if game.plies() < ply {
            for column in centre_out.iter().rev().filter(|column| position.can_play(**column)) {
                stack.push(game.after(*column));
            }
            continue;
        }
        let completes = |column: usize, piece: u8| {
            let place = 2 * (position.height(column) * board.width() + column);
            PlainGame::from_key(board, game.key() | u128::from(piece) << place).has_line(piece)
        };
        if game.columns_with_room().any(|column| completes(column, FIRST) || completes(column, SECOND)) {
            continue;
        }
        let letters = (0..board.width()).flat_map(|column| (0..board.height()).map(move |row| (column, row)));
        let letter = |(column, row)| match position.piece(column, row) {
            Some(fourbase::Player::First) => "x,",
            Some(fourbase::Player::Second) => "o,",
            None => "b,",
        };
        let value = search.answer(&game).value;
        let class = ["loss", "draw", "win"][(if ply.is_multiple_of(2) { value } else { -value } + 1) as usize];
        rows.push(letters.map(letter).collect::<String>() + class);
    }
    rows
}

#[test]
fn the_text_of_the_uci_data_set_follows_its_rule() {
    let (program, search) = (Program::with("4x4"), PlainSearch::of_all_positions(board("4x4")));
    for ply in [0, 5, 6, 8] {
        let text = program.run(&format!("export 4x4 --format uci --plies {ply}")).succeeds();
        let rows = by_the_rule(&search, ply);
        assert_eq!(text.lines().collect::<Vec<_>>(), rows, "ply {ply}");
        assert!(!rows.is_empty());
    }
}

/// The first rows of the data set of the UCI repository (John Tromp, 1995), and the one of the first 15 that is lost.
const UCI_ROWS: [(usize, &str); 4] = [
    (0, "b,b,b,b,b,b,b,b,b,b,b,b,x,o,b,b,b,b,x,o,x,o,x,o,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,win"),
    (1, "b,b,b,b,b,b,b,b,b,b,b,b,x,b,b,b,b,b,x,o,x,o,x,o,o,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,win"),
    (6, "b,b,b,b,b,b,x,b,b,b,b,b,o,b,b,b,b,b,x,o,x,o,x,o,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,draw"),
    (14, "x,b,b,b,b,b,o,b,b,b,b,b,b,b,b,b,b,b,x,o,x,o,x,o,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,loss"),
];

#[test]
fn the_uci_data_set_has_its_67557_rows_and_its_classes() {
    if long::skips("the 67,557 positions of the UCI data set") {
        return;
    }
    let program = Program::new();
    let arguments = ["export", "7x6", "--format", "uci", "--output", "connect-4.data"];
    // Enough for the search of many positions on a slow machine.
    let limit = std::time::Duration::from_secs(3600);
    let output = program.command().args(arguments).timeout(limit).output().expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    let text = fs::read_to_string(program.path("connect-4.data")).expect("a file");
    let rows: Vec<&str> = text.lines().collect();
    let class = |class: &str| rows.iter().filter(|row| row.ends_with(class)).count();
    assert_eq!((rows.len(), class(",win"), class(",loss"), class(",draw")), (67_557, 44_473, 16_635, 6_449));
    for (number, row) in UCI_ROWS {
        assert_eq!(rows[number], row);
    }
    // Another program's values of positions after 8 plies: a selection, or all.
    let book = truth::list("ply8_7x6.csv.gz");
    let entry = |row: &String| {
        let (columns, rest) = row.split_once(',').expect("a value");
        let cells: String = columns.split('/').map(|column| format!("{column:b<6}")).collect();
        (cells, rest.split(',').next().expect("a value").to_owned())
    };
    let known: HashMap<String, String> = book.iter().skip(1).map(entry).collect();
    let mut compared = 0;
    for row in &rows {
        let (cells, class) = row.rsplit_once(',').expect("a class");
        let Some(found) = known.get(&cells.replace(',', "")) else { continue };
        assert_eq!(found, class, "{row}");
        compared += 1;
    }
    assert!(compared == rows.len() || known.len() < 10_000 && compared > 1000, "{compared}");
}

#[test]
fn a_parquet_file_says_how_it_was_made() {
    let program = Program::with("4x3");
    program.run("export 4x3 --sample 10 --plies 2-3,5 --seed 7 --output a.parquet").succeeds();
    let reader = SerializedFileReader::new(File::open(program.path("a.parquet")).expect("a file")).expect("Parquet");
    let facts = reader.metadata().file_metadata().key_value_metadata().expect("facts").clone();
    let fact = |key: &str| facts.iter().find(|fact| fact.key == format!("fourbase.{key}"))?.value.as_deref();
    let list = program.run("list --json").json();
    let expected = [Some("4x3"), Some("2-3,5"), Some("7"), Some("10"), list["databases"][0]["hash"].as_str()];
    assert_eq!(["board", "plies", "seed", "sample", "database.hash"].map(fact), expected);
    let readme = fs::read_to_string(program.path("a.parquet.md")).expect("a file");
    for field in reader.metadata().file_metadata().schema_descr().columns() {
        assert!(readme.contains(&format!("| `{}` |", field.name())), "{readme}");
    }
}
