//! The progress of a solve, measured in work instead of entries. Entries differ in cost: an entry of a small matrix takes ten times
//! as long as an entry of a large one (`docs/explanation/algorithm.md` explains matrices).

use fourbase_tiers::solve::{Plan, TierPlan};

/// The work of a solve: the entries and the work of each tier, from the full board down, and the tier in progress.
#[derive(Default)]
pub struct Work {
    tiers: Vec<[u64; 2]>,
    tier: usize,
}

impl Work {
    /// Makes the work of a solve from its plan.
    pub fn of(plan: &Plan) -> Work {
        let tier = |tier: &TierPlan| [tier.entries, tier.work()].map(|of| u64::try_from(of).unwrap_or(u64::MAX));
        Work { tiers: plan.tiers.iter().rev().map(tier).collect(), tier: 0 }
    }

    /// Begins the tier with `ply` pieces.
    pub fn begin(&mut self, ply: u32) {
        self.tier = self.tiers.len().saturating_sub(ply as usize + 1);
    }

    /// Returns the work of all tiers up to the one in progress.
    pub fn of_done(&self) -> u64 {
        self.tiers.iter().take(self.tier + 1).fold(0, |sum, [_, work]| sum.saturating_add(*work))
    }

    /// Returns the work of all tiers.
    pub fn all(&self) -> u64 {
        self.tiers.iter().fold(0, |sum, [_, work]| sum.saturating_add(*work))
    }

    /// Returns the work of the first tiers: as many whole tiers as fit in `entries` entries.
    pub fn of_entries(&self, mut entries: u64) -> u64 {
        let done = self.tiers.iter().map_while(|[of, work]| {
            entries = entries.checked_sub(*of)?;
            Some(work)
        });
        done.sum()
    }

    /// Returns the share of the work of the tier in progress that `entries` of its entries take.
    pub fn of_some(&self, entries: u64) -> u64 {
        let [all, work] = self.tiers.get(self.tier).copied().unwrap_or([1, 1]);
        (u128::from(entries) * u128::from(work) / u128::from(all.max(1))) as u64
    }
}

#[cfg(test)]
mod tests {
    use fourbase_tiers::kernel::Values;
    use fourbase_tiers::solve::Solve;

    use super::*;

    #[test]
    fn the_work_of_all_tiers_is_that_of_all_entries() {
        let plan = Solve::new("5x4".parse().expect("a board"), Values::Wdl).plan();
        let mut work = Work::of(&plan);
        assert_eq!(u128::from(work.all()), plan.work());
        assert_eq!(work.of_entries(plan.entries() as u64), work.all());
        assert_eq!(work.of_entries(0), 0);
        let each = plan.tiers.iter().map(|tier| {
            work.begin(tier.ply);
            work.of_some(tier.entries as u64)
        });
        assert_eq!(u128::from(each.sum::<u64>()), plan.work());
    }
}
