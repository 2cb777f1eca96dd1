//! Counts against plain enumeration, published figures, and themselves.

mod beside;
mod bounded;
mod known;
mod plain;
mod same;

use super::{Count, Counted, Counts, PlyLegal};
use crate::kernel::Values;

fn legal_of(board: &str) -> Vec<PlyLegal> {
    match Count::new(board.parse().unwrap(), None).run().unwrap() {
        Counted::Legal(plies) => plies,
        Counted::Values(_) => panic!("legal positions"),
    }
}

fn counts_of(board: &str, values: Values) -> Counts {
    of_values(&Count::new(board.parse().unwrap(), Some(values)))
}

fn of_values(count: &Count) -> Counts {
    match count.run().unwrap() {
        Counted::Values(counts) => counts,
        Counted::Legal(_) => panic!("values"),
    }
}
