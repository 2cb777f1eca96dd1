//! Counts against a plain enumeration of positions that knows nothing of the index.

use std::collections::{BTreeMap, HashMap, HashSet};

use fourbase::{Board, Outcome, Position};

use super::{counts_of, legal_of};
use crate::counts::{OutcomeCount, PlyCounts, PlyLegal};
use crate::kernel::Values;
use crate::long;

/// Boards of every kind: with and without spine, one column, two columns, misère, long and short lines.
const BOARDS: [&str; 24] = [
    "1x1", "1x8", "8x2", "2x2c2", "3x3c1", "4x4", "4x4c3", "4x4m", "3x6", "4x5", "5x3", "1x1c1", "1x1c1m", "1x8c2",
    "2x3", "2x5c2m", "3x4c2", "3x4c3m", "4x4c2", "5x3c2", "5x3c3m", "6x2c3", "7x2c3", "5x2c5",
];

/// The boards of this run.
fn boards() -> Vec<&'static str> {
    let large = ["8x2", "3x6", "4x5", "7x2c3"];
    let is_taken = |board: &&str| !(large.contains(board) && long::skips(format_args!("the counts of {board}")));
    BOARDS.into_iter().filter(is_taken).collect()
}

/// Every legal position, by ply.
fn every_ply(board: Board) -> Vec<HashSet<Position>> {
    let mut plies = vec![HashSet::from([Position::start(board)])];
    for ply in 0..board.cells() {
        let drop = |position: &Position| {
            let position = *position;
            position.moves().map(move |column| position.drop_piece(column))
        };
        let next = plies[ply].iter().flat_map(drop).collect();
        plies.push(next);
    }
    plies
}

fn is_over(position: &Position) -> bool {
    position.primitive().is_some()
}

fn has_line(position: &Position) -> bool {
    position.primitive().is_some_and(|value| value != fourbase::Value::Tie)
}

/// The outcome of every legal position, the last ply first.
fn outcomes(plies: &[HashSet<Position>]) -> HashMap<Position, Outcome> {
    let mut outcomes: HashMap<Position, Outcome> = HashMap::new();
    for position in plies.iter().rev().flatten() {
        let outcome = match position.primitive() {
            Some(value) => Outcome { value, remoteness: Some(0) },
            None => {
                position.moves().map(|column| outcomes[&position.drop_piece(column)].parent()).min().expect("a move")
            }
        };
        outcomes.insert(*position, outcome);
    }
    outcomes
}

#[test]
fn legal_and_primitive_positions_of_every_ply_are_those_of_plain_enumeration() {
    for board in boards() {
        let plies = every_ply(board.parse().unwrap());
        let expected: Vec<PlyLegal> = plies
            .iter()
            .zip(0..)
            .map(|(positions, ply)| PlyLegal {
                ply,
                legal: positions.len() as u64,
                primitive: positions.iter().filter(|position| is_over(position)).count() as u64,
                with_line: positions.iter().filter(|position| has_line(position)).count() as u64,
            })
            .collect();
        assert_eq!(legal_of(board), expected, "{board}");
    }
}

#[test]
fn values_and_remotenesses_are_those_of_plain_enumeration() {
    for board in boards().into_iter().filter(|board| *board != "4x5") {
        let plies = every_ply(board.parse().unwrap());
        let outcomes = outcomes(&plies);
        let counts = counts_of(board, Values::Remoteness);
        let wdl = counts_of(board, Values::Wdl);
        assert_eq!(counts.plies, wdl.plies, "{board}");
        for (positions, counts) in plies.iter().zip(&counts.plies) {
            let count = |value| positions.iter().filter(|position| outcomes[position].value == value).count() as u64;
            let expected = PlyCounts {
                win: count(fourbase::Value::Win),
                lose: count(fourbase::Value::Lose),
                tie: count(fourbase::Value::Tie),
                ..*counts
            };
            assert_eq!(*counts, expected, "{board}");
            assert_eq!(counts.win + counts.lose + counts.tie, counts.legal, "{board}");
        }
        let mut expected: BTreeMap<(u32, String, Option<u32>), u64> = BTreeMap::new();
        let mut sums: BTreeMap<(String, Option<u32>), u64> = BTreeMap::new();
        for (position, outcome) in &outcomes {
            let (ply, value) = (position.ply() as u32, outcome.value.to_string());
            *expected.entry((ply, value.clone(), outcome.remoteness)).or_default() += 1;
            *sums.entry((value, outcome.remoteness)).or_default() += 1;
        }
        assert_eq!(by_name(&counts.outcomes), expected, "{board}");
        let total_outcomes = counts.total_outcomes().into_iter();
        let found: BTreeMap<_, _> =
            total_outcomes.map(|row| ((row.value.to_string(), row.remoteness), row.legal)).collect();
        assert_eq!(found, sums, "{board}");
        let total = counts.total();
        assert_eq!(wdl.outcomes.iter().map(|count| count.legal).sum::<u64>(), total.legal, "{board}");
        assert!(wdl.outcomes.iter().all(|count| count.remoteness.is_none()), "{board}");
        for row in counts.outcomes.iter().chain(&wdl.outcomes) {
            let Some(moves) = &row.example else {
                // Those that a line has ended, which nothing leads to for sure.
                assert!(row.remoteness.unwrap_or(0) == 0, "{board}: {row:?}");
                assert!(row.remoteness.is_none() || board.contains('m'), "{board}: {row:?}");
                continue;
            };
            let position = fourbase::notation::parse(board.parse().unwrap(), moves).unwrap();
            let outcome = outcomes.get(&position).unwrap_or_else(|| panic!("{board}: {row:?}"));
            assert_eq!((position.ply() as u32, outcome.value), (row.ply, row.value), "{board}: {row:?}");
            assert!(row.remoteness.is_none() || outcome.remoteness == row.remoteness, "{board}: {row:?}");
        }
    }
}

fn by_name(counts: &[OutcomeCount]) -> BTreeMap<(u32, String, Option<u32>), u64> {
    counts.iter().map(|count| ((count.ply, count.value.to_string(), count.remoteness), count.legal)).collect()
}

#[test]
fn finishing_moves_on_4x4_are_more_than_the_lines_they_lead_to() {
    let plies = every_ply("4x4".parse().unwrap());
    let drops = |position: &Position| {
        let position = *position;
        position.moves().map(move |column| position.drop_piece(column))
    };
    let has_line = |position: &Position| position.primitive() == Some(fourbase::Value::Lose);
    let moves = plies.iter().flatten().flat_map(drops).filter(has_line).count();
    assert_eq!(moves, 25_780);
    let counts = counts_of("4x4", Values::Remoteness);
    let mut total = counts.total_outcomes().into_iter();
    let lost_in_0 = total.find(|row| (row.value, row.remoteness) == (fourbase::Value::Lose, Some(0))).unwrap();
    assert_eq!(lost_in_0.legal, 21_404);
}
