//! Estimates the bytes of one tier's files and the work to solve the tier, from measurements.
//!
//! How well a tier compresses depends on how full the board is: on a fuller board more positions are decided, and
//! decided positions take few bits. Of two equally full boards, the larger compresses a little better. Estimates that
//! interpolate a table of measured bits per entry were within a third of the truth on all boards that were tried.

use fourbase::Board;

use crate::format::is_stored;
use crate::index::TierSize;
use crate::kernel::{Coding, Values};

/// One tier of a solve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TierPlan {
    /// Pieces on the board.
    pub ply: u32,
    /// Entries, with mirror images merged.
    pub entries: u128,
    /// Estimated bytes of the tier's values in temporary files. These files exist while a solve needs the tier.
    pub scratch_bytes: u128,
    /// Estimated bytes of the tier's file in the database; 0 for a tier that is not stored.
    pub database_bytes: u128,
    /// The work of solving the tier, without writing the database. The unit is the work of solving one word of a plane.
    pub solving_work: u128,
}

impl TierPlan {
    /// Returns the work of solving and storing the tier, in the unit of `solving_work`.
    pub fn work(&self) -> u128 {
        self.solving_work.saturating_add(DATABASE_BYTE_WORK.saturating_mul(self.database_bytes))
    }
}

/// The work per byte of the database, in the unit of [`TierPlan::solving_work`]. It consists of reading the tier and
/// compressing it with zstd.
const DATABASE_BYTE_WORK: u128 = 4;

/// Returns the work of solving a tier: one unit for each word and one for each row. If fewer than two cells per column
/// are free, fewer columns are open and fewer children are read, so the work falls, down to a third on a full board.
/// This formula and [`DATABASE_BYTE_WORK`] are fitted to the CPU seconds of whole solves from 5x5 to 7x5 and of their
/// tiers, in memory and in files (`docs/notebook/solving.md`).
fn solving_work(board: Board, ply: u32, words: u128, rows: u128) -> u128 {
    let (width, free) = (board.width() as u128, board.cells() as u128 - u128::from(ply));
    ((words + rows) * (width + free.min(2 * width))).div_ceil(3 * width)
}

/// Bits per entry of a tier, for one fullness of the board.
struct Bits {
    /// Pieces divided by cells.
    full: f64,
    /// Bits in the log: first for `wdl`, then with remoteness.
    scratch: [f64; 2],
    /// Bits in the database: first for `wdl`, then with remoteness.
    database: [f64; 2],
}

/// The numbers for `wdl` were measured on 7x6. A number with remoteness is the number for `wdl` times the ratio between
/// the two that was measured on 6x6.
const MEASURED: [Bits; 16] = [
    Bits { full: 0.167, scratch: [1.8, 6.0], database: [1.19, 2.74] },
    Bits { full: 0.262, scratch: [1.6, 5.2], database: [0.679, 1.9] },
    Bits { full: 0.357, scratch: [1.45, 4.4], database: [0.405, 1.23] },
    Bits { full: 0.405, scratch: [1.3, 4.0], database: [0.31, 0.92] },
    Bits { full: 0.452, scratch: [1.09, 3.0], database: [0.23, 0.653] },
    Bits { full: 0.500, scratch: [0.776, 2.19], database: [0.166, 0.437] },
    Bits { full: 0.548, scratch: [0.525, 1.5], database: [0.116, 0.282] },
    Bits { full: 0.595, scratch: [0.341, 0.92], database: [0.0792, 0.174] },
    Bits { full: 0.643, scratch: [0.218, 0.6], database: [0.0529, 0.103] },
    Bits { full: 0.690, scratch: [0.14, 0.4], database: [0.0353, 0.0604] },
    Bits { full: 0.738, scratch: [0.093, 0.276], database: [0.0238, 0.0355] },
    Bits { full: 0.786, scratch: [0.0649, 0.165], database: [0.0164, 0.0203] },
    Bits { full: 0.833, scratch: [0.0505, 0.075], database: [0.0117, 0.0124] },
    Bits { full: 0.881, scratch: [0.038, 0.063], database: [0.0068, 0.0069] },
    Bits { full: 0.929, scratch: [0.031, 0.035], database: [0.0038, 0.0038] },
    Bits { full: 0.976, scratch: [0.024, 0.027], database: [0.00021, 0.00021] },
];

/// Entries of all tiers of 7x6, the board of [`MEASURED`].
const MEASURED_ENTRIES: f64 = 2.58e12;

/// The numbers of [`MEASURED`] for the log come from an older form, which stored the words of a block as a zstd frame.
/// Logs now store frames of deltas ([`crate::tier`]), which take at most this many times as many bytes.
const DELTA_BYTES: f64 = 1.25;

/// Larger boards take fewer bits per entry: the bits are inversely proportional to the board's number of entries raised
/// to this power. `SCRATCH_EXPONENT` is fitted to logs of 6x6 and 7x6, [`DATABASE_EXPONENT`] to databases from 5x4 to
/// 7x6.
const SCRATCH_EXPONENT: f64 = 0.2;
const DATABASE_EXPONENT: f64 = 0.14;

/// Estimates the files and the work of all tiers from their sizes. `sizes` and the result list the tiers from the empty
/// board up.
pub(super) fn plan_tiers(board: Board, values: Values, sizes: &[TierSize]) -> Vec<TierPlan> {
    let all: f64 = sizes.iter().map(|size| size.entries as f64).sum();
    let larger = |exponent: f64| (all / MEASURED_ENTRIES).max(1e-9).powf(-exponent);
    let bytes = |entries: u128, bits: f64| (entries as f64 * bits / 8.0) as u128;
    let cells = board.cells() as f64;
    let tier = |(ply, &TierSize { entries, words, rows, .. }): (u32, &TierSize)| {
        let [scratch, database] = bits(values, f64::from(ply) / cells);
        let planes = Coding::new(board, values, ply).planes as f64;
        let scratch_bytes = bytes(entries, (scratch * DELTA_BYTES * larger(SCRATCH_EXPONENT)).min(planes));
        let database_bits = if is_stored(ply) { (database * larger(DATABASE_EXPONENT)).min(planes) } else { 0.0 };
        let database_bytes = bytes(entries, database_bits);
        TierPlan { ply, entries, scratch_bytes, database_bytes, solving_work: solving_work(board, ply, words, rows) }
    };
    (0..).zip(sizes).map(tier).collect()
}

/// Returns the bits per entry in the log and in the database for a board of fullness `full`, interpolated between the
/// two neighbouring measurements.
fn bits(values: Values, full: f64) -> [f64; 2] {
    let kind = usize::from(values == Values::Remoteness);
    let above = MEASURED.partition_point(|bits| bits.full < full).clamp(1, MEASURED.len() - 1);
    let (low, high) = (&MEASURED[above - 1], &MEASURED[above]);
    let part = ((full - low.full) / (high.full - low.full)).clamp(0.0, 1.0);
    let between = |low: f64, high: f64| low * (high / low).powf(part);
    [between(low.scratch[kind], high.scratch[kind]), between(low.database[kind], high.database[kind])]
}

/// Estimates the size in bytes of the files in which a count marks the positions that play reaches. A mark is one bit
/// per entry, and the estimate assumes that it compresses to 0.05 bits. Measured values are 0.01 bits on the widest
/// tiers of 6x6 and 0.08 bits at ply 26 of 7x6.
pub(super) fn reached_bytes(entries: u128) -> u128 {
    entries.saturating_mul(5) / 800
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_of_7x6_is_what_was_measured() {
        // The ply, the entries and the bytes in the database of some tiers of 7x6 with `wdl`.
        let measured =
            [(39, 54_091_863_287, 25_813_335), (31, 238_086_547_359, 707_449_845), (23, 17_060_030_918, 248_228_728)];
        let mut sizes: [TierSize; 43] = std::array::from_fn(|_| TierSize::default());
        measured.iter().for_each(|(ply, count, _)| sizes[*ply].entries = *count);
        // Ply 0 gets the entries of all other tiers, so that the sum is that of 7x6.
        sizes[0].entries = 2_577_410_467_496 - sizes.iter().map(|size| size.entries).sum::<u128>();
        let planned = plan_tiers("7x6".parse().unwrap(), Values::Wdl, &sizes);
        for (ply, _, bytes) in measured {
            let ratio = planned[ply].database_bytes as f64 / bytes as f64;
            assert!((0.95..1.05).contains(&ratio), "ply {ply}: {ratio}");
        }
        let ratio = planned[31].scratch_bytes as f64 / (DELTA_BYTES * 2_767_448_240.0);
        assert!((0.95..1.05).contains(&ratio), "{ratio}");
        assert_eq!(planned[30].database_bytes, 0, "even plies are not stored");
    }
}
