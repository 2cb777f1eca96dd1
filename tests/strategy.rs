//! Strategies against every reply: golden figures, and all rows of the known answers.

use fourbase::notation::{columns_to_text, parse};
use fourbase::search::{Options as SearchOptions, Search};
use fourbase::strategy::{Check, CheckError, FollowUp, Reading, Verdict, check};
use fourbase::{Board, Player, Value};

use crate::support::positions::board;
use crate::support::program::Program;
use crate::support::solves::MEMORY_BYTES;
use crate::support::truth;

/// Checks the follow-up rule with the middle columns.
fn follow_up(name: &str, reading: Reading) -> Check {
    let board = board(name);
    let rule = FollowUp::middle(board).and_then(|centre| FollowUp::new(board, centre, reading)).expect("a rule");
    check(&rule, board, Player::Second, MEMORY_BYTES).expect("a check")
}

#[test]
fn the_pair_reading_never_loses_on_even_heights_of_up_to_six_columns() {
    let golden =
        [("4x4", 639, 5_040), ("6x4", 8_019, 14_968_800), ("4x6", 2_520, 739_200), ("6x6", 56_832, 274_450_176_000)];
    for (name, positions, lines) in golden {
        let found = follow_up(name, Reading::Pair);
        assert_eq!(found.verdict(), Verdict::Ties, "{name}");
        assert_eq!((found.positions.all, found.lines.all, found.lines.ties), (positions, lines, lines), "{name}");
        assert_eq!((found.refutation, found.undefined), (None, None), "{name}");
    }
}

#[test]
fn seven_columns_lose_and_odd_heights_leave_the_rule_undefined() {
    for name in ["7x2", "7x4", "7x6"] {
        let found = follow_up(name, Reading::Pair);
        assert_eq!((found.verdict(), found.undefined), (Verdict::Loses, None), "{name}");
        assert!(found.refutation.is_some_and(|line| line.len() == 7), "{name}");
    }
    for name in ["4x3", "4x5", "6x5", "5x5"] {
        let found = follow_up(name, Reading::Pair);
        assert!(found.lines.undefined > 0 && found.undefined.is_some(), "{name}");
    }
}

/// A row of `followup.csv`.
struct Row<'a> {
    text: &'a str,
    cells: Vec<&'a str>,
}

impl<'a> Row<'a> {
    fn of(text: &'a str) -> Row<'a> {
        let cells = text.split(',').collect::<Vec<_>>();
        assert_eq!(cells.len(), 20, "{text}");
        Row { text, cells }
    }

    fn board(&self) -> Board {
        board(&format!("{}x{}", self.cells[0], self.cells[1]))
    }

    /// The centre columns, from 1.
    fn centre(&self) -> Option<[usize; 2]> {
        let (left, right) = self.cells[2].split_once('&')?;
        Some([left, right].map(|column| column.parse().expect("a column")))
    }

    fn reading(&self) -> Reading {
        match self.cells[3] {
            "A" | "N" => Reading::Pair,
            "B" => Reading::Column,
            "Bf" => Reading::ColumnOrFollow,
            _ => panic!("{}", self.text),
        }
    }

    fn rule(&self) -> FollowUp {
        match self.centre() {
            Some(centre) => {
                FollowUp::new(self.board(), centre.map(|column| column - 1), self.reading()).expect("a rule")
            }
            None => FollowUp::without_centre(),
        }
    }

    fn is_yes(&self, cell: usize) -> bool {
        self.cells[cell].eq_ignore_ascii_case("yes")
    }

    fn number(&self, cell: usize) -> u128 {
        self.cells[cell].parse().expect("a number")
    }

    /// The line in a cell; `None` if it is empty.
    fn line(&self, cell: usize) -> Option<String> {
        Some(self.cells[cell]).filter(|line| !line.is_empty()).map(str::to_owned)
    }
}

#[test]
fn every_row_of_the_known_answers_is_found() {
    let Some(rows) = truth::rows("followup.csv") else { return };
    assert_eq!(rows.len(), 45);
    for text in &rows {
        let row = Row::of(text);
        let (board, rule) = (row.board(), row.rule());
        let found = check(&rule, board, Player::Second, MEMORY_BYTES).expect("a check");
        assert_eq!(found.lines.won_by.first == 0, row.is_yes(4), "{text}");
        assert_eq!(found.lines.undefined > 0, row.is_yes(5), "{text}");
        let positions = found.positions;
        // A win of the first player is counted among the positions after a move of that player there.
        let counts = [
            positions.all,
            positions.opponent_to_move,
            positions.strategy_to_move + positions.won_by.first,
            positions.won_by.second,
            positions.ties,
            positions.won_by.first,
            positions.undefined,
        ];
        assert_eq!(counts.map(u128::from), [6, 7, 8, 9, 10, 11, 12].map(|cell| row.number(cell)), "{text}");
        let lines = found.lines;
        let counts = [lines.all, lines.won_by.second, lines.ties, lines.won_by.first, lines.undefined];
        assert_eq!(counts, [13, 14, 15, 16, 17].map(|cell| row.number(cell)), "{text}");
        // A shortest line is no longer than the first one in numeric order, which the file has.
        for (cell, shortest, end_value) in [(18, &found.refutation, Some(Value::Lose)), (19, &found.undefined, None)] {
            let known = row.line(cell);
            assert_eq!(known.is_some(), shortest.is_some(), "{text}");
            let (Some(known), Some(shortest)) = (known, shortest) else { continue };
            assert!(shortest.len() <= known.len(), "{text}");
            let end = parse(board, &columns_to_text(shortest.iter().copied())).expect("a position");
            assert_eq!((end.primitive(), end.to_move()), (end_value, Player::Second), "{text}");
        }
    }
    println!("follow-up: all {} rows agree", rows.len());
}

#[test]
fn a_database_tells_where_the_value_is_kept() {
    let program = Program::with("4x4");
    let board = board("4x4");
    let mut search = Search::new(board, SearchOptions::default());
    for reading in [Reading::Pair, Reading::Column] {
        let rule = FollowUp::new(board, [1, 2], reading).expect("a rule");
        let found = check(&rule, board, Player::Second, MEMORY_BYTES).expect("a check");
        let kept = found.keep(&rule, MEMORY_BYTES, |positions| {
            Ok::<_, CheckError>(positions.iter().map(|position| search.value(position).expect("a value")).collect())
        });
        let kept = kept.expect("what is kept");
        let json = program.run(&format!("prove follow-up 4x4 --reading {reading} --json")).json();
        for (key, expected) in [("kept", kept.kept), ("all", kept.all), ("secured", kept.secured)] {
            assert_eq!(json["comparison"][key], expected, "{reading} {key}");
        }
    }
}
