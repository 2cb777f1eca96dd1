//! Strategies against every reply: all rows of the known answers. (`cmd/prove.md` has the figures of some boards.)

use fourbase::notation::{columns_to_text, parse};
use fourbase::strategy::{FollowUp, Reading, check};
use fourbase::{Player, Value};

use crate::support::positions::board;
use crate::support::solves::MEMORY_BYTES;
use crate::support::truth;

#[test]
fn every_row_of_the_known_answers_is_found() {
    let rows = truth::rows("followup.csv");
    assert_eq!(rows.len(), 45);
    for text in &rows {
        let cells: Vec<&str> = text.split(',').collect();
        assert_eq!(cells.len(), 20, "{text}");
        let board = board(&format!("{}x{}", cells[0], cells[1]));
        let reading = match cells[3] {
            "A" | "N" => Reading::Pair,
            "B" => Reading::Column,
            "Bf" => Reading::ColumnOrFollow,
            _ => panic!("{text}"),
        };
        let rule = cells[2].split_once('&').map_or_else(FollowUp::without_centre, |(left, right)| {
            let centre = [left, right].map(|column| column.parse::<usize>().expect("a column, from 1") - 1);
            FollowUp::new(board, centre, reading).expect("a rule")
        });
        let is_yes = |cell: usize| cells[cell].eq_ignore_ascii_case("yes");
        let number = |cell: usize| cells[cell].parse::<u128>().expect("a number");
        let found = check(&rule, board, Player::Second, MEMORY_BYTES).expect("a check");
        assert_eq!((found.lines.won_by.first == 0, found.lines.undefined > 0), (is_yes(4), is_yes(5)), "{text}");
        let (positions, won_by) = (found.positions, found.positions.won_by);
        // A win of the first player is counted among the positions after a move of that player there.
        let counts = [positions.all, positions.opponent_to_move, positions.strategy_to_move + won_by.first];
        assert_eq!(counts.map(u128::from), [6, 7, 8].map(number), "{text}");
        let ends = [won_by.second, positions.ties, won_by.first, positions.undefined];
        assert_eq!(ends.map(u128::from), [9, 10, 11, 12].map(number), "{text}");
        let lines = found.lines;
        let counts = [lines.all, lines.won_by.second, lines.ties, lines.won_by.first, lines.undefined];
        assert_eq!(counts, [13, 14, 15, 16, 17].map(number), "{text}");
        // A shortest line is no longer than the first one in numeric order, which the file has.
        for (cell, shortest, end_value) in [(18, &found.refutation, Some(Value::Lose)), (19, &found.undefined, None)] {
            let known: &str = cells[cell];
            assert_eq!(known.is_empty(), shortest.is_none(), "{text}");
            let Some(shortest) = shortest else { continue };
            assert!(shortest.len() <= known.len(), "{text}");
            let end = parse(board, &columns_to_text(shortest.iter().copied())).expect("a position");
            assert_eq!((end.primitive(), end.to_move()), (end_value, Player::Second), "{text}");
        }
    }
    println!("follow-up: all {} rows agree", rows.len());
}
