//! Counts against plain enumeration, published figures, and themselves.

mod bounded;
mod known;
mod plain;
mod same;

use std::convert::Infallible;

use fourbase::Board;

use super::{Counts, PlyLegal, count, legal};
use crate::index::Index;
use crate::kernel::{Kernel, Values};
use crate::solve::{Tier, solve_tier};

fn index(board: &str, kernel: Kernel) -> Index {
    let board: Board = board.parse().expect("a board");
    Index::new(board, kernel).expect("a board that fits")
}

fn legal_of(board: &str) -> Vec<PlyLegal> {
    legal(&index(board, Kernel::detect()))
}

/// All solved tiers of a board, by ply.
fn solved(index: &Index, values: Values) -> Vec<Tier> {
    let mut tiers: Vec<Tier> = Vec::new();
    for ply in (0..=index.board().cells() as u32).rev() {
        let mut tier = Tier::new(index, values, ply, Vec::new());
        assert!(solve_tier(index, &mut tier, tiers.last(), &()));
        tiers.push(tier);
    }
    tiers.reverse();
    tiers
}

fn counts_of(board: &str, values: Values) -> Counts {
    let index = index(board, Kernel::detect());
    let tiers = solved(&index, values);
    count(&index, values, |ply| Ok::<_, Infallible>(&tiers[ply as usize])).expect("values of this board")
}
