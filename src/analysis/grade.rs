//! Compares a player with the exact values: how often its moves keep the value, how often they are best moves, and how
//! long it resists in lost positions.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::players::Reason;
use crate::{Outcome, Position, Value};

/// The integer that represents the probability 1. Probabilities are integers here, because the sum of integers, unlike
/// that of floats, does not depend on the order of adding.
const ONE: u64 = 1 << 32;

/// How a player's move compares with the best one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// The position before the move.
    pub position: Position,
    /// The column played, from 0.
    pub column: usize,
    /// The player's reason, if it gives one.
    pub reason: Option<Reason>,
    /// The outcome of the move played, for the player who played it.
    pub played: Outcome,
    /// The outcome of the best move.
    pub best: Outcome,
    /// The columns of the best moves, in ascending order.
    pub best_columns: Vec<usize>,
    /// The share of the legal moves that keep the value, as a multiple of 1/[`ONE`].
    chance: u64,
}

impl Judgement {
    /// Judges a move, given the outcomes of all legal moves; `None` if the column is not among them.
    pub fn of(
        position: &Position,
        moves: &[(usize, Outcome)],
        column: usize,
        reason: Option<Reason>,
    ) -> Option<Judgement> {
        let best = moves.iter().map(|(_, outcome)| *outcome).min()?;
        let best_moves = moves.iter().filter(|(_, outcome)| *outcome == best);
        let mut best_columns = Vec::from_iter(best_moves.map(|(column, _)| *column));
        best_columns.sort_unstable();
        let keeping = moves.iter().filter(|(_, outcome)| outcome.value == best.value).count() as u64;
        Some(Judgement {
            position: *position,
            column,
            reason,
            played: moves.iter().find(|(found, _)| *found == column)?.1,
            best,
            best_columns,
            chance: ONE * keeping / moves.len() as u64,
        })
    }

    /// Returns whether the choice matters in a position, that is, whether its moves differ in value.
    pub fn matters(moves: &[(usize, Outcome)]) -> bool {
        moves.windows(2).any(|pair| matches!(pair, [(_, one), (_, other)] if one.value != other.value))
    }

    /// Returns whether a position is lost and some of its moves lose later than others. Returns `false` if the
    /// remotenesses are unknown.
    pub fn is_lost(moves: &[(usize, Outcome)]) -> bool {
        let is_lost = moves.iter().all(|(_, outcome)| outcome.value == Value::Lose);
        let is_known = moves.iter().all(|(_, outcome)| outcome.remoteness.is_some());
        is_lost && is_known && moves.windows(2).any(|pair| matches!(pair, [(_, one), (_, other)] if one != other))
    }

    /// Returns whether the move keeps the value.
    pub fn keeps(&self) -> bool {
        self.played.value == self.best.value
    }
}

/// The sum of the judgements of some positions, ply by ply.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Grade {
    /// Sums by the number of pieces; plies without a judgement are left out.
    pub plies: BTreeMap<usize, GradedPly>,
    /// How many positions were requested, over all plies; `None` if all positions were judged.
    pub sample: Option<u64>,
    /// How many moves were asked for in each position; 0 means 1. More than one are for a player that draws its moves.
    pub repeats: u64,
    /// The worst blunder; `None` if every move keeps the value. The worst ones turn a win into a loss. Equally bad ones
    /// are compared by the remoteness of the best move, then of the move played (less is worse), then by ply.
    pub worst: Option<Judgement>,
}

/// The sum of the judgements of one ply, or of several.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct GradedPly {
    /// The number of positions where the choice matters.
    pub graded: u64,
    /// How many of the moves played in these positions keep the value, as in all counts of moves: of every repeat.
    pub keeps: u64,
    /// Whether all positions of the ply were judged.
    pub is_complete: bool,
    /// The number of lost positions in which some moves lose later than others.
    lost: u64,
    /// How many of the moves played in these lost positions lose as late as possible.
    resists: u64,
    /// How many of the moves played in the graded positions are known to be best moves.
    best: u64,
    /// Whether some positions have no remoteness, so that best moves are unknown.
    no_remoteness: bool,
    /// The sum, over the graded positions, of the probability that a random move keeps the value, as a multiple of
    /// 1/[`ONE`].
    chance: u128,
    /// The sums over the positions of the squares of how many moves keep the value, are best, resist.
    squares: [u64; 3],
}

impl GradedPly {
    /// Returns how many moves in the graded positions are best moves, such as the earliest win; `None` if remotenesses
    /// are unknown.
    pub fn best(&self) -> Option<u64> {
        (!self.no_remoteness).then_some(self.best)
    }

    /// Returns how many judged positions are lost but offer a choice (some moves lose later than others), and in how
    /// many of these the move that was played loses as late as possible. `None` if remotenesses are unknown.
    pub fn lost_and_resists(&self) -> Option<(u64, u64)> {
        (!self.no_remoteness).then_some((self.lost, self.resists))
    }

    /// Returns how often the moves in these positions are good ones, of which there are `repeats` in each.
    pub fn shares(&self, repeats: u64) -> Shares {
        let share = |hits, squares, count| match (repeats, self.is_complete) {
            (0 | 1, true) => Share::of_all(hits, count),
            (0 | 1, false) => Share::of_sample(hits, count),
            _ => Share::of_repeats(hits, squares, count, repeats, self.is_complete),
        };
        let [keeps, best, resists] = self.squares;
        Shares {
            keeps: share(self.keeps, keeps, self.graded),
            best: self.best().and_then(|hits| share(hits, best, self.graded)),
            resists: self.lost_and_resists().and_then(|(lost, hits)| share(hits, resists, lost)),
            chance: (self.graded > 0).then(|| self.chance as f64 / ONE as f64 / self.graded as f64),
        }
    }

    fn add(&mut self, other: &GradedPly) {
        self.graded += other.graded;
        self.keeps += other.keeps;
        self.best += other.best;
        self.lost += other.lost;
        self.resists += other.resists;
        self.no_remoteness |= other.no_remoteness;
        self.chance += other.chance;
        self.squares.iter_mut().zip(other.squares).for_each(|(sum, square)| *sum += square);
    }
}

/// How often a player's moves are good ones. A share is `None` if no position counts towards it.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Shares {
    /// The share of moves that keep the value, where the choice matters.
    pub keeps: Option<Share>,
    /// The share of best moves in the same positions; `None` if remotenesses are unknown.
    pub best: Option<Share>,
    /// The share of moves that lose as late as possible in lost positions; `None` if remotenesses are unknown.
    pub resists: Option<Share>,
    /// The probability that a random move keeps the value, where the choice matters.
    pub chance: Option<f64>,
}

impl Grade {
    /// Adds a judgement.
    pub fn add(&mut self, judgement: Judgement) {
        self.add_repeats([judgement]);
    }

    /// Adds the judgements of the moves that a player has drawn in one position.
    pub fn add_repeats(&mut self, judgements: impl IntoIterator<Item = Judgement>) {
        let mut sums: Option<(usize, GradedPly)> = None;
        for judgement in judgements {
            let (_, sums) = sums.get_or_insert_with(|| {
                // All moves of a lost position lose, so the choice there does not matter for the value.
                let of_kind = match judgement.best.value {
                    Value::Lose => GradedPly { lost: 1, ..GradedPly::default() },
                    _ => GradedPly { graded: 1, chance: judgement.chance.into(), ..GradedPly::default() },
                };
                let no_remoteness = judgement.best.remoteness.is_none();
                (judgement.position.ply(), GradedPly { no_remoteness, ..of_kind })
            });
            let is_best = u64::from(judgement.played == judgement.best);
            if sums.lost > 0 {
                sums.resists += is_best;
            } else {
                sums.keeps += u64::from(judgement.keeps());
                sums.best += is_best;
            }
            if !judgement.keeps() {
                self.blame(judgement);
            }
        }
        let Some((ply, mut sums)) = sums else { return };
        sums.squares = [sums.keeps, sums.best, sums.resists].map(|hits| hits * hits);
        self.plies.entry(ply).or_default().add(&sums);
    }

    /// Adds the sums of another grade. The order of adding does not matter.
    #[must_use]
    pub fn merge(mut self, other: Grade) -> Grade {
        for (ply, sums) in &other.plies {
            self.plies.entry(*ply).or_default().add(sums);
        }
        other.worst.into_iter().for_each(|worst| self.blame(worst));
        self
    }

    /// Records that all positions of a ply were judged.
    pub fn complete(&mut self, ply: usize) {
        self.plies.entry(ply).and_modify(|sums| sums.is_complete = true);
    }

    /// Returns the sum over all plies. The sum of a sample is complete if fewer positions exist than were requested,
    /// because then no ply was cut short.
    pub fn total(&self) -> GradedPly {
        let mut total = self.plies.values().fold(GradedPly::default(), |mut sum, ply| {
            sum.add(ply);
            sum
        });
        total.is_complete =
            self.plies.values().all(|ply| ply.is_complete) && self.sample.is_none_or(|count| total.graded < count);
        total
    }

    /// Returns the shares of all plies together. If all positions were judged, every position has equal weight. If they
    /// are a random sample, each share is the mean of that share over the plies that have it. Every ply then has equal
    /// weight, because the number of positions at each ply is unknown.
    pub fn shares(&self) -> Shares {
        if self.sample.is_none() {
            return self.total().shares(self.repeats);
        }
        let plies: Vec<Shares> = self.plies.values().map(|ply| ply.shares(self.repeats)).collect();
        let chances: Vec<f64> = plies.iter().filter_map(|ply| ply.chance).collect();
        Shares {
            keeps: Share::mean(plies.iter().filter_map(|ply| ply.keeps)),
            best: Share::mean(plies.iter().filter_map(|ply| ply.best)),
            resists: Share::mean(plies.iter().filter_map(|ply| ply.resists)),
            chance: (!chances.is_empty()).then(|| chances.iter().sum::<f64>() / chances.len() as f64),
        }
    }

    /// Replaces the worst blunder so far if `blunder` is worse.
    fn blame(&mut self, blunder: Judgement) {
        let key = |blunder: &Judgement| {
            let Judgement { position, best, played, .. } = blunder;
            let whole = best.value == Value::Win && played.value == Value::Lose;
            (Reverse(whole), best.remoteness, played.remoteness, position.ply(), position.bitboards())
        };
        if self.worst.as_ref().is_none_or(|worst| key(&blunder) < key(worst)) {
            self.worst = Some(blunder);
        }
    }
}

/// The 97.5 % quantile of the normal distribution, for intervals of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A share of the positions of a population, and its 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Share {
    /// The share, from 0 to 1.
    pub share: f64,
    /// The lower and the upper end of the interval. Both equal the share if the whole population was examined.
    pub interval: [f64; 2],
}

impl Share {
    /// Returns the share of `hits` among all `count` positions of a population; `None` without positions.
    pub fn of_all(hits: u64, count: u64) -> Option<Share> {
        let share = hits as f64 / count as f64;
        (count > 0).then_some(Share { share, interval: [share; 2] })
    }

    /// Estimates the share in a population from `hits` among `count` positions that were drawn with equal probability;
    /// `None` without positions.
    ///
    /// The interval is the score interval of E. B. Wilson, "Probable inference, the law of succession, and statistical
    /// inference", Journal of the American Statistical Association 22 (1927), 209-212. It assumes an infinite
    /// population, so it is a little too wide if most positions were drawn.
    ///
    /// ```
    /// use fourbase::analysis::Share;
    ///
    /// let [low, high] = Share::of_sample(10, 10).ok_or("no positions")?.interval;
    /// assert!(0.722 < low && low < 0.723 && high == 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_sample(hits: u64, count: u64) -> Option<Share> {
        let Share { share, .. } = Share::of_all(hits, count)?;
        Some(Share::wilson(share, count as f64))
    }

    /// Estimates how often a player that draws its moves hits, from `repeats` moves in each of `count` positions: `hits` of all these
    /// moves, with `squares` as the sum of the squares of the hits in each position. `is_all` says that these are all positions, so that
    /// only the drawing of the moves is uncertain. `None` without positions.
    ///
    /// The variance is that of sampling in two stages, W. G. Cochran, "Sampling Techniques" (3rd ed., 1977), equation 10.20: within the
    /// positions if all are there, and between those of a sample. The interval is Wilson's for as many independent moves as have that variance.
    ///
    /// ```
    /// use fourbase::analysis::Share;
    ///
    /// // Half of the moves hit, one in each of 100 positions: between the positions there is no difference.
    /// let [low, high] = Share::of_repeats(100, 100, 100, 2, true).ok_or("no positions")?.interval;
    /// assert!(0.40 < low && low < 0.41 && 0.59 < high && high < 0.60);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_repeats(hits: u64, squares: u64, count: u64, repeats: u64, is_all: bool) -> Option<Share> {
        let all = Share::of_all(hits, count * repeats)?;
        let (count, repeats, share) = (count as f64, repeats as f64, all.share);
        let mean_square = squares as f64 / (repeats * repeats * count);
        let variance = match is_all {
            true => (share - mean_square) / (repeats - 1.0) / count,
            false => (mean_square - share * share) / (count - 1.0),
        };
        // No difference between some moves: they may be always the same in all positions, but not in a sample.
        if variance <= 0.0 || variance.is_nan() {
            return Some(if is_all { all } else { Share::wilson(share, count) });
        }
        Some(Share::wilson(share, share * (1.0 - share) / variance))
    }

    /// Returns Wilson's interval around a share of `count` independent trials.
    fn wilson(share: f64, count: f64) -> Share {
        let square = Z * Z;
        let centre = share + square / (2.0 * count);
        let half = Z * (share * (1.0 - share) / count + square / (4.0 * count * count)).sqrt();
        let interval = [centre - half, centre + half].map(|end| end / (1.0 + square / count));
        // Rounding must not put an end on the wrong side of the share.
        Share { share, interval: [interval[0].clamp(0.0, share), interval[1].clamp(share, 1.0)] }
    }

    /// Returns the mean of the shares of independent samples, with equal weights; `None` if `shares` is empty.
    ///
    /// The intervals are combined as in G. Y. Zou, W. Huang and X. Zhang, "A note on confidence interval estimation for
    /// a linear function of binomial proportions", Computational Statistics & Data Analysis 53 (2009), 1080-1085: the
    /// distance of each end from the mean is the root of the sum of the squares of the weighted distances.
    pub fn mean(shares: impl Iterator<Item = Share> + Clone) -> Option<Share> {
        let count = shares.clone().count() as f64;
        let share = shares.clone().map(|one| one.share).sum::<f64>() / count;
        let distance = |end: usize| {
            let squares = shares.clone().map(|one| (one.interval[end] - one.share).powi(2));
            squares.sum::<f64>().sqrt() / count
        };
        let interval = [(share - distance(0)).max(0.0), (share + distance(1)).min(1.0)];
        (count > 0.0).then_some(Share { share, interval })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(one: [f64; 2], other: [f64; 2]) -> bool {
        one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-4)
    }

    #[test]
    fn intervals_are_those_of_published_examples() {
        // R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998),
        // table I: method 3, the score method without a correction of continuity.
        for (hits, count, expected) in [
            (81, 263, [0.2553, 0.3662]),
            (15, 148, [0.0624, 0.1605]),
            (0, 20, [0.0, 0.1611]),
            (1, 29, [0.0061, 0.1718]),
        ] {
            assert!(is_near(Share::of_sample(hits, count).unwrap().interval, expected), "{hits} of {count}");
        }
    }

    #[test]
    fn a_mean_gives_every_share_the_same_weight() {
        let of_sample = Share::of_sample(81, 263).unwrap();
        let of_all = Share::of_all(3, 4).unwrap();
        assert!(is_near(Share::mean([of_sample].into_iter()).unwrap().interval, of_sample.interval));
        let mean = Share::mean([of_sample, of_all].into_iter()).unwrap();
        assert!((mean.share - (81.0 / 263.0 + 0.75) / 2.0).abs() < 1e-12);
        // A share of a whole population adds nothing to the interval.
        assert!(is_near(mean.interval, of_sample.interval.map(|end| (end + 0.75) / 2.0)));
        assert_eq!(Share::mean([].into_iter()), None);
        assert_eq!((Share::of_all(0, 0), Share::of_sample(0, 0)), (None, None));
    }
}
