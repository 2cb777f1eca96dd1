//! Counting how many of some positions have each code, 64 positions at a time.

/// The codes of the most planes that a tier has, 6.
pub(crate) const CODES: usize = 1 << 6;

/// A counter for every code.
pub(crate) type CodeCounts = [u64; CODES];

/// Adds to `counts` the codes of the positions of `row` that are under `mask`.
///
/// `row` has `planes` planes as long as `mask`. Each plane splits every set of positions found so far in two, so that
/// a word costs `2^planes` vector operations and as many bit counts, whatever its positions are.
#[inline(always)]
pub(crate) fn tally(mask: &[u64], row: &[u64], planes: usize, counts: &mut CodeCounts) {
    let mut sets = [0u64; CODES];
    for (word, reached) in mask.iter().enumerate().filter(|(_, reached)| **reached != 0) {
        sets[0] = *reached;
        for p in 0..planes {
            let plane = row[p * mask.len() + word];
            let (zeros, ones) = sets.split_at_mut(1 << p);
            for (zero, one) in zeros.iter_mut().zip(ones) {
                *one = *zero & plane;
                *zero &= !plane;
            }
        }
        for (count, set) in counts.iter_mut().zip(&sets).take(1 << planes) {
            *count += u64::from(set.count_ones());
        }
    }
}
