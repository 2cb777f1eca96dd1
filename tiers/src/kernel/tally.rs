//! Counting how many of some positions have each code, 64 positions at a time, and finding the first that has one.

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

/// Returns the first of the positions of `row` under `mask` that has the code `code`.
pub(crate) fn first(mask: &[u64], row: &[u64], planes: usize, code: usize) -> Option<usize> {
    mask.iter().enumerate().find_map(|(word, reached)| {
        let plane = |p: usize| row.get(p * mask.len() + word).copied().unwrap_or(0);
        let set = (0..planes).fold(*reached, |set, p| set & if code >> p & 1 == 1 { plane(p) } else { !plane(p) });
        (set != 0).then(|| 64 * word + set.trailing_zeros() as usize)
    })
}
