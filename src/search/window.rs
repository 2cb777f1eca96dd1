//! Which question to ask next: a search only ever decides whether a score is at least `beta`.

use super::score::Score;

/// Returns the next `beta` for a score between `low` and `high`, `low < high`: more than `low`, at most `high`.
///
/// First the sign, which most prunings are about; then from the tie outwards, a quarter of the way at a time. Before
/// the last prunings were added, the nodes per position on Test_L2_R1 and Test_L2_R2 were: quarters 268 and 14,198,
/// halves 226 and 14,163, single steps 381 and 13,345, eighths 310 and 13,995, from the far end 199 and 16,460.
pub(super) fn next_beta(low: Score, high: Score) -> Score {
    if low < 0 && high >= 0 {
        0
    } else if low >= 0 {
        low + 1 + (high - low) / 4
    } else {
        high - (high - low) / 4
    }
}

#[cfg(test)]
mod tests {
    use super::next_beta;

    #[test]
    fn every_question_narrows_the_window_from_either_side() {
        for low in -40..40 {
            for high in low + 1..=40 {
                assert!((low + 1..=high).contains(&next_beta(low, high)), "{low} {high}");
            }
        }
    }
}
