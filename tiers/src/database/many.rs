//! Looking many positions up, in an order that reuses what is read.

use fourbase::{Outcome, Position};
use rayon::prelude::*;

use super::error::DatabaseError;
use super::open::Database;

/// Positions that one thread looks up in a row: neighbours share blocks.
const RUN: usize = 64;

impl Database {
    /// Looks many positions up, on all threads of rayon's current pool and in an order that reuses what is read. The
    /// results are in the order of the positions.
    pub fn probe_many(&self, positions: &[Position]) -> Vec<Result<Outcome, DatabaseError>> {
        let mut order: Vec<(u128, usize, &Position)> = positions
            .par_iter()
            .enumerate()
            .map(|(number, position)| (self.file_order(position), number, position))
            .collect();
        order.par_sort_unstable_by_key(|(order, number, _)| (*order, *number));
        // A position that is searched may take as long as all others together.
        let run = if self.manifest().keep_plies().is_some() { 1 } else { RUN };
        let found: Vec<_> = order
            .into_par_iter()
            .with_min_len(run)
            .map(|(_, number, position)| (number, self.probe(position)))
            .collect();
        let mut results: Vec<_> = positions.iter().map(|_| None).collect();
        for (number, result) in found {
            if let Some(slot) = results.get_mut(number) {
                *slot = Some(result);
            }
        }
        results.into_iter().flatten().collect()
    }

    /// Returns a number by which positions of a tier are in the order of the tier's file.
    fn file_order(&self, position: &Position) -> u128 {
        if position.board() != self.board() {
            return 0;
        }
        let parts = self.index().split().parts(position);
        let parts = if parts.left < parts.right { parts.mirror() } else { parts };
        // The high bits of the left wing are as good as its rank; the right wing is left out.
        let fields = [
            (position.ply() as u128, 8),
            (u128::from(parts.left.0), 26),
            (u128::from(parts.right.0), 26),
            (u128::from(parts.spine.bits), 32),
            (u128::from(parts.left_bits.count_ones()), 6),
            (u128::from(parts.left_bits) >> 8, 24),
        ];
        fields.into_iter().fold(0, |order, (field, bits)| order << bits | field)
    }
}
