//! The tables of `docs/data` and `docs/reference/boards.md`: against what others have published, against searches, and against each other.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fourbase::search::{Search, SearchOptions};
use fourbase::{Board, Value, notation};
use rayon::prelude::*;

use crate::support::long;
use crate::support::positions::board;
use crate::support::program::Program;
use crate::support::tiers::{Context, Solve, Values, count_by_ply};
use crate::support::truth;

/// A line of a table.
#[derive(Clone, Debug)]
struct Row {
    ply: usize,
    value: Value,
    remoteness: Option<u32>,
    positions: u64,
    example: String,
}

/// A table of `docs/data`.
struct Table {
    board: Board,
    path: PathBuf,
    rows: Vec<Row>,
}

/// Wins, ties and losses.
type Sums = [u64; 3];

impl Table {
    fn read(path: PathBuf) -> Table {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let text = fs::read_to_string(&path).expect("a table");
        let (head, lines) = text.split_once('\n').expect("a head");
        assert_eq!(head, "ply,value,remoteness,positions,example", "{}", path.display());
        Table { board: board(name), rows: lines.lines().map(Row::read).collect(), path }
    }

    /// The sums of a ply, or without one of all plies.
    fn sums(&self, ply: Option<usize>) -> Sums {
        let mut sums = [0; 3];
        for row in self.rows.iter().filter(|row| ply.is_none_or(|ply| row.ply == ply)) {
            sums[row.value as usize] += row.positions;
        }
        [Value::Win, Value::Tie, Value::Lose].map(|value| sums[value as usize])
    }
}

impl Row {
    fn read(line: &str) -> Row {
        let fields: Vec<&str> = line.split(',').collect();
        let [ply, value, remoteness, positions, example] = fields[..] else { panic!("five fields: {line}") };
        Row {
            ply: ply.parse().expect(line),
            value: truth::value_of(value, ["win", "tie", "lose"]),
            remoteness: (!remoteness.is_empty()).then(|| remoteness.parse().expect(line)),
            positions: positions.parse().expect(line),
            example: example.to_owned(),
        }
    }
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

fn tables() -> Vec<Table> {
    let files = fs::read_dir(docs().join("data")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let tables: Vec<Table> = files.filter(|path| path.extension() == Some("csv".as_ref())).map(Table::read).collect();
    assert!(tables.len() > 5);
    tables
}

/// Markus Böck's counts.
#[test]
fn every_ply_has_the_published_wins_ties_and_losses() {
    let (tables, mut compared) = (tables(), BTreeMap::new());
    for row in truth::rows("perply_wdl_published.csv") {
        let numbers: Vec<u64> = row.split(',').map(|number| number.parse().expect("a number")).collect();
        let [width, height, connect, ply, positions, win, tie, lose] = numbers[..] else { panic!("a row: {row}") };
        assert_eq!(positions, win + tie + lose);
        let board = board(&format!("{width}x{height}c{connect}"));
        let table = tables.iter().find(|table| table.board == board).unwrap_or_else(|| panic!("no table of {board}"));
        assert_eq!(table.sums(Some(ply as usize)), [win, tie, lose], "{row}");
        *compared.entry(board.to_string()).or_insert(board.cells() + 1) -= 1;
    }
    assert!(
        compared.len() >= 3 && compared.values().all(|left| *left == 0),
        "plies of each that are left: {compared:?}"
    );
}

/// John Tromp's and Markus Böck's numbers of legal positions, by board.
fn published() -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for row in truth::rows("counts.csv") {
        let [width, height, connect, legal] = row.split(',').collect::<Vec<_>>()[..4] else { panic!("four: {row}") };
        let (board, legal) = (board(&format!("{width}x{height}c{connect}")), legal.parse().expect("a number"));
        // Both say the same.
        assert_eq!(*all.entry(board.to_string()).or_insert(legal), legal, "{row}");
    }
    all
}

#[test]
fn every_affordable_board_has_the_published_number_of_positions() {
    let affordable: u64 = long::scale(1_000_000, 100_000_000);
    long::skips(format_args!("boards of more than {affordable} legal positions"));
    let mut checked = 0;
    for (name, published) in published() {
        let board = board(&name);
        // Narrow boards have few positions and wide tables.
        if published <= affordable && board.cells() <= 36 {
            let counts = count_by_ply(&Solve::new(board, Values::Wdl), &Context::default()).expect("a count");
            assert_eq!(counts.sum(|ply| ply.legal), published, "{board}");
            checked += 1;
        }
    }
    assert!(checked > 40, "{checked}");
}

#[test]
fn every_table_has_the_published_number_of_positions() {
    let (published, mut compared) = (published(), 0);
    for table in tables() {
        // The games of a misère board are those of the other.
        let Some(legal) = published.get(table.board.to_string().trim_end_matches('m')) else { continue };
        assert_eq!(table.sums(None).iter().sum::<u64>(), *legal, "{}", table.board);
        compared += 1;
    }
    assert!(compared > 5);
}

#[test]
fn outcomes_are_in_order_and_possible() {
    for table in tables() {
        let key = |row: &Row| (row.ply, row.value as usize, row.remoteness);
        let mut keys: Vec<_> = table.rows.iter().map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), table.rows.len(), "{}: a row twice", table.board);
        let cells = table.board.cells();
        for row in &table.rows {
            assert!(row.positions > 0 && row.ply <= cells, "{row:?}");
            let Some(remoteness) = row.remoteness else { continue };
            let left = cells - row.ply;
            assert!(remoteness as usize <= left, "{row:?}");
            // The player to move completes a line after an odd number of plies.
            let completes = (row.value == Value::Win) != table.board.is_misere();
            let is_possible = match row.value {
                Value::Tie => remoteness as usize == left,
                Value::Win | Value::Lose => completes != remoteness.is_multiple_of(2),
            };
            assert!(is_possible, "{row:?}");
        }
    }
}

#[test]
fn an_example_has_the_outcome_of_its_row() {
    let most = long::scale(3_000, 3_000_000);
    long::skips(format_args!("examples that take more than {most} nodes, on 7x6 a tenth of that"));
    for table in tables() {
        // The largest table has many examples that take more.
        let nodes = if table.board.cells() < 42 { most } else { most / 10 };
        let options = SearchOptions { table_bytes: 1 << 20, node_limit: Some(nodes), ..SearchOptions::default() };
        let check = |row: &&Row| {
            let position = notation::parse(table.board, &row.example).expect("a position");
            assert_eq!(position.ply(), row.ply, "{row:?}");
            let mut search = Search::new(table.board, options.clone());
            let found = match row.remoteness {
                Some(_) => search.solve(&position).map(|found| (found.value, found.remoteness)),
                None => search.value(&position).map(|value| (value, None)),
            };
            if let Ok(found) = &found {
                assert_eq!(*found, (row.value, row.remoteness), "{}: {row:?}", table.board);
            }
            found.is_ok()
        };
        let decided = table.rows.par_iter().filter(check).count();
        println!("{}: {decided} of {} examples searched", table.board, table.rows.len());
        assert!(decided > table.rows.len() / 4, "{}", table.board);
    }
}

#[test]
fn the_program_prints_the_tables_of_small_boards() {
    for name in ["4x4", "5x4"] {
        let program = Program::with(name);
        let table = fs::read_to_string(docs().join(format!("data/{name}.csv"))).expect("a table");
        assert_eq!(program.run(&format!("stats {name} --csv")).succeeds(), table);
    }
}

/// A row of docs/reference/boards.md has: board, values, the first player, legal positions, wins, ties, losses, longest win, bytes, CPU
/// seconds, hash.
#[test]
fn the_list_of_boards_says_what_the_tables_say() {
    let text = fs::read_to_string(docs().join("reference/boards.md")).expect("a list");
    let rows = text.lines().filter(|line| line.ends_with("` |")).map(|line| line.split(" | ").collect());
    let rows: Vec<Vec<&str>> = rows.filter(|row: &Vec<&str>| row.len() == 11).collect();
    assert!(rows.len() > 20, "{rows:?}");
    let number = |field: &str| field.replace(',', "").parse::<u64>().expect("a number");
    for table in tables() {
        let file = table.path.file_name().and_then(|name| name.to_str()).expect("a name");
        let link = format!("| [{}](../data/{file})", table.board);
        let row = rows.iter().find(|row| row[0] == link).unwrap_or_else(|| panic!("no row begins with {link}"));
        let sums = table.sums(None);
        assert_eq!([row[4], row[5], row[6]].map(number), sums, "{link}");
        assert_eq!(number(row[3]), sums.iter().sum::<u64>(), "{link}");
        let empty_board = &table.rows[0];
        let in_plies = empty_board.remoteness.map_or_else(String::new, |plies| format!(" in {plies}"));
        assert_eq!(row[2], format!("{}s{in_plies}", empty_board.value), "{link}");
        let wins = table.rows.iter().filter(|row| row.value == Value::Win);
        let longest = wins.filter_map(|row| row.remoteness).max();
        assert_eq!(row[7], longest.map_or_else(|| "-".to_owned(), |plies| plies.to_string()), "{link}");
    }
    let tables = tables();
    for row in rows.iter().filter(|row| row[0].contains('[')) {
        let named = tables.iter().any(|table| row[0].contains(&format!("[{}]", table.board)));
        assert!(named, "{}: there is no table", row[0]);
    }
}
