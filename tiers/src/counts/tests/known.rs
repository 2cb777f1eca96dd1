//! Counts against published figures in `../shared/truth`, beside the checkout. Skipped where they are absent.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::{counts_of, legal_of};
use crate::communicator::Alone;
use crate::counts::Count;
use crate::counts::journal::Journal;
use crate::files::Disk;
use crate::kernel::Values;
use crate::long;
use crate::progress::Progress;
use crate::tier::BLOCK_WORDS;

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

/// Stops after some plies.
struct FirstPlies(AtomicU32);

impl Progress for FirstPlies {
    fn tier(&self, _: u32, _: u64) {
        self.0.fetch_sub(1, Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.0.load(Relaxed) == 0
    }
}

#[test]
fn the_first_plies_of_7x6_are_the_published_ones() {
    let Some(rows) = table("perply_7x6.csv") else { return };
    let root = tempfile::tempdir().unwrap();
    let board = "7x6".parse().unwrap();
    let count = Count::new(board).memory(2 << 30).root(root.path()).in_files(true);
    count.legal_on(&Alone, &Disk, &FirstPlies(11.into())).unwrap_err();
    let begun = Journal::new(board, None, BLOCK_WORDS);
    let plies = begun.read(&Disk, &count.folder(None)).unwrap().expect("a journal").legal;
    assert_eq!(plies.len(), 10);
    for (row, ply) in rows.iter().zip(plies) {
        let number = |field: usize| row[field].parse::<u64>().unwrap();
        assert_eq!([ply.ply.into(), ply.legal, ply.with_line], [number(0), number(1), number(2)]);
    }
}
