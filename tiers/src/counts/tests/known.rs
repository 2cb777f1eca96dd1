//! Counts against published figures in `../shared/truth`, beside the checkout. Skipped where they are absent.

use std::path::Path;

use super::{counts_of, legal_of};
use crate::counts::sweep::sweep_tier;
use crate::files::Memory;
use crate::index::Index;
use crate::kernel::{Kernel, Values};
use crate::long;
use crate::tier::{BLOCK_WORDS, Home, InMemory, Logs, Reached, Room, Watch};

/// The most legal positions that a test counts in the long run.
const AFFORDABLE: u64 = 100_000_000;

/// As many in the ordinary run.
const FEW: u64 = 1_000_000;

/// The most cells: narrow boards have few positions and wide tables.
const AFFORDABLE_CELLS: usize = 36;

/// Reads a table, a row of fields a line; `None`, with a message, where it is not there.
fn table(name: &str) -> Option<Vec<Vec<String>>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/truth").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return None;
    };
    let fields = |line: &str| line.split(',').map(String::from).collect();
    Some(text.lines().skip(1).map(fields).collect())
}

#[test]
fn totals_of_every_affordable_board_are_the_published_ones() {
    let Some(rows) = table("counts.csv") else { return };
    let affordable = long::scale(FEW, AFFORDABLE);
    long::skips(format_args!("boards of more than {affordable} legal positions"));
    let mut checked = std::collections::BTreeSet::new();
    for row in &rows {
        let (board, known): (_, u64) = (format!("{}x{}", row[0], row[1]), row[3].parse().unwrap());
        let cells = row[0].parse::<usize>().unwrap() * row[1].parse::<usize>().unwrap();
        if known > affordable || cells > AFFORDABLE_CELLS || !checked.insert(board.clone()) {
            continue;
        }
        let total: u64 = legal_of(&board).iter().map(|ply| ply.legal).sum();
        assert_eq!(total, known, "{board}");
    }
    assert!(checked.len() > 40, "{checked:?}");
}

#[test]
fn every_ply_of_5x5_has_the_published_wins_ties_and_losses() {
    let Some(rows) = table("perply_wdl_published.csv") else { return };
    let counts = counts_of("5x5", Values::Wdl);
    let mut plies = 0;
    for row in rows.iter().filter(|row| row[..3] == ["5", "5", "4"]) {
        let number = |field: usize| row[field].parse::<u64>().unwrap();
        let ply = &counts.plies[number(3) as usize];
        let found = [ply.legal, ply.win, ply.tie, ply.lose];
        assert_eq!(found, [number(4), number(5), number(6), number(7)], "ply {}", row[3]);
        plies += 1;
    }
    assert_eq!(plies, 26);
    assert_eq!(counts.total().legal, 69_763_700);
}

#[test]
fn the_first_plies_of_7x6_are_the_published_ones() {
    let Some(rows) = table("perply_7x6.csv") else { return };
    let index = Index::new("7x6".parse().unwrap(), Kernel::detect()).unwrap();
    let files = Memory::default();
    let room = Room { block_words: BLOCK_WORDS, cache_bytes: 0, slice_words: 0, wide: None };
    let mut home =
        InMemory::new(Logs { storage: &files, folder: "logs".as_ref(), index: &index, room, crew: None }, Reached);
    let mut parents = None;
    for row in rows.iter().take(10) {
        let number = |field: usize| row[field].parse::<u64>().unwrap();
        let mut tier = home.make(number(0) as u32, None).unwrap();
        let found = sweep_tier(&index, &mut tier, parents.as_ref(), 1 << 28, &Watch::none()).unwrap().unwrap();
        assert_eq!([found.without_line + found.with_line, found.with_line], [number(1), number(2)], "ply {}", row[0]);
        parents = Some(tier);
    }
}
