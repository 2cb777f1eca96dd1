//! Mistakes that tests plant in the solver's own functions, to show that a verification finds them.
//!
//! A mistake is of one thread and all that it calls, so that other tests, which run beside it, are not touched. Only the
//! tests of this package are built with it.

use std::cell::Cell;

/// A function of the solver that is wrong, wherever it is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mistake {
    /// The mask of a row misses its first quiet entry.
    MaskHides,
    /// The mask of a row has an entry that is not quiet.
    MaskShows,
    /// The mask of a row has a neighbour instead of its first quiet entry.
    MaskMoves,
    /// The lowest bit of every code is packed, and unpacked, the wrong way round.
    Packing,
    /// The kernel that puts symbols into their places loses one.
    Unpack,
    /// The kernel that solves is wrong in every 64th column.
    Solve,
    /// The kernel that makes planes of lists takes two colourings for each other.
    Compress,
    /// Lines with one cell in the right wing are not seen.
    Arms,
    /// Numbers of remoteness count from two plies too late.
    Latest,
}

thread_local! {
    static MADE: Cell<Option<Mistake>> = const { Cell::new(None) };
}

/// Runs `work` on a thread that makes a mistake, and on no other.
pub(crate) fn with<T: Send>(mistake: Option<Mistake>, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        MADE.set(mistake);
        work()
    })
}

/// Returns whether this thread makes a mistake.
pub(crate) fn makes(mistake: Mistake) -> bool {
    MADE.get() == Some(mistake)
}

/// Makes the mask of a row wrong, from word `first_word` of the row on.
pub(crate) fn mask(quiet: &mut [u64], first_word: usize) {
    let (Some(word), 0) = (quiet.first_mut(), first_word) else { return };
    let lowest = *word & word.wrapping_neg();
    // A column below one that the row has, so the row has it too.
    let below = 63u32.checked_sub(word.leading_zeros()).map_or(0, |highest| (1 << highest) - 1);
    let free = !*word & below;
    let free = free & free.wrapping_neg();
    if makes(Mistake::MaskHides) {
        *word &= !lowest;
    }
    if free != 0 && makes(Mistake::MaskShows) {
        *word |= free;
    }
    if free != 0 && makes(Mistake::MaskMoves) {
        *word = *word & !lowest | free;
    }
}

/// Makes packed symbols wrong, or right again.
pub(crate) fn packed(bytes: &mut [u8], bit_of_each: u8) {
    if makes(Mistake::Packing) {
        bytes.iter_mut().for_each(|byte| *byte ^= bit_of_each);
    }
}

/// Loses a symbol.
pub(crate) fn unpacked(out: &mut [u64]) {
    if let (Some(word), true) = (out.iter_mut().find(|word| **word != 0), makes(Mistake::Unpack)) {
        *word &= *word - 1;
    }
}

/// Makes every 64th column of solved rows wrong.
pub(crate) fn solved(out: &mut [u64]) {
    if makes(Mistake::Solve) {
        out.iter_mut().for_each(|word| *word &= !2);
    }
}

/// Exchanges the first two bits of a plane of a list.
pub(crate) fn compressed(out: &mut [u64], mask: &[u64]) {
    let count: u32 = mask.iter().map(|word| word.count_ones()).sum();
    if let (Some(word), true) = (out.first_mut(), count >= 2 && makes(Mistake::Compress)) {
        *word = *word & !3 | (*word & 1) << 1 | *word >> 1 & 1;
    }
}
