//! The sources of positions, without values.

use std::collections::HashSet;

use fourbase::{Board, Position, notation};

use super::source::{Positions, representative};
use super::unforced::Unforced;
use super::*;
use crate::answer::Limits;
use crate::database::Database;

fn all(mut source: impl Positions) -> Vec<Position> {
    let mut all = Vec::new();
    loop {
        let positions = source.next().unwrap();
        if positions.is_empty() {
            return all;
        }
        all.extend(positions);
    }
}

#[test]
fn the_rule_of_the_uci_data_set_gives_its_number_of_positions_in_its_order() {
    let board: Board = "7x6".parse().unwrap();
    let listed = all(Unforced::new(board, &[8], &()).unwrap());
    assert_eq!(listed.len(), 67_557);
    assert_eq!(listed.iter().map(representative).collect::<HashSet<_>>().len(), listed.len());
    // The first two rows of the data set.
    for (position, moves) in listed.iter().zip(["44444433", "44444435"]) {
        assert_eq!(*position, notation::parse(board, moves).unwrap());
    }
}

#[test]
fn draws_are_streams_of_their_own() {
    let database = Database::embedded("6x6".parse().unwrap()).unwrap().unwrap();
    let limits = Limits::default();
    for kind in [Kind::Uniform, Kind::RandomPlay] {
        let sampler = Sampler::new(&database, kind, &[3, 7], 9).unwrap();
        let drawn = sampler.draw(0..50, &limits, &|| false).unwrap();
        assert!(drawn.iter().all(|position| [3, 7].contains(&position.ply()) && position.primitive().is_none()));
        assert_eq!(sampler.draw(20..30, &limits, &|| false).unwrap(), drawn[20..30]);
        assert!(matches!(sampler.draw(0..1, &limits, &|| true), Err(DatasetError::Stopped)));
    }
}

#[test]
fn a_choice_says_what_the_board_does_not_have() {
    let database = Database::embedded("6x6".parse().unwrap()).unwrap().unwrap();
    let new = |plies: &[u32], columns: &[Column]| {
        let choice = Choice { rows: Rows::All, plies: plies.to_vec(), is_distinct: false };
        Dataset::new(&database, choice, columns.to_vec())
    };
    assert!(matches!(new(&[37], &[Column::Ply]), Err(DatasetError::Ply { ply: 37, .. })));
    assert!(matches!(new(&[], &[Column::Ply]), Err(DatasetError::NoPlies)));
    assert!(matches!(new(&[1], &[]), Err(DatasetError::NoColumns)));
    let dataset = new(&[1], &[Column::Score, Column::Moves]).unwrap();
    assert_eq!(dataset.columns(), [Column::Moves, Column::Score]);
}

#[test]
fn a_reader_that_goes_away_is_an_error_of_the_output() {
    struct Closed;
    impl std::io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let database = Database::embedded("6x6".parse().unwrap()).unwrap().unwrap();
    let choice = Choice { rows: Rows::All, plies: vec![1], is_distinct: false };
    let dataset = Dataset::new(&database, choice, vec![Column::Value]).unwrap();
    for format in Format::ALL.into_iter().filter(|format| format.is_built()) {
        let error = dataset.write(&mut Closed, format, &()).unwrap_err();
        assert!(
            matches!(&error, DatasetError::Write(inner) if inner.kind() == std::io::ErrorKind::BrokenPipe),
            "{error:?}"
        );
    }
}
