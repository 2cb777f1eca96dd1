//! Counts against plain enumeration, published figures, and themselves.

mod known;
mod plain;
mod ways;

use super::{Count, Counts, PlyLegal};
use crate::kernel::Values;

fn legal_of(board: &str) -> Vec<PlyLegal> {
    Count::new(board.parse().unwrap()).legal().unwrap()
}

fn counts_of(board: &str, values: Values) -> Counts {
    Count::new(board.parse().unwrap()).by_value(values).unwrap()
}
