//! Shares of positions, with confidence intervals if only a sample was examined.

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
        let (count, square) = (count as f64, Z * Z);
        let centre = share + square / (2.0 * count);
        let half = Z * (share * (1.0 - share) / count + square / (4.0 * count * count)).sqrt();
        let interval = [centre - half, centre + half].map(|end| end / (1.0 + square / count));
        // Rounding must not put an end on the wrong side of the share.
        Some(Share { share, interval: [interval[0].clamp(0.0, share), interval[1].clamp(share, 1.0)] })
    }

    /// Returns the mean of shares of independent samples, all with equal weight; `None` without any.
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
