//! Who gets which jobs: decisions alone, without any transport.
//!
//! A pile is cut into equal parts, one for each member. A member gets its own part first, so that what it reads for a job is often what
//! it has filled itself for the tier before. Then it gets jobs from the end of the longest part that is left. Jobs are dealt in runs of
//! consecutive ones: each is a share of what is left of the part, so that the last ones are short and all members end at about the same
//! time (as in guided self-scheduling, Polychronopoulos and Kuck 1987).

use std::ops::Range;

/// A run is one share in so many of what is left of a part.
const SHARES: u64 = 4;

/// Deals the jobs of one pile after the other.
///
/// ```
/// use fourbase_tiers::crew::{Answer, Dealer};
///
/// let mut dealer = Dealer::new(2);
/// assert_eq!(dealer.asked(1, 1), Answer::Later);
/// dealer.begin(20);
/// assert_eq!(dealer.asked(1, 1), Answer::Jobs(10..12));
/// assert_eq!(dealer.asked(1, 1), Answer::Jobs(12..14));
/// assert_eq!(dealer.asked(0, 1), Answer::Jobs(0..2));
/// dealer.begin(0);
/// assert_eq!(dealer.asked(1, 1), Answer::None);
/// ```
#[derive(Debug)]
pub struct Dealer {
    /// The number of the pile, from 1; 0 before the first.
    pile: u64,
    /// What is left of each member's part.
    left: Vec<Range<u64>>,
}

/// What a member that asks gets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// These jobs.
    Jobs(Range<u64>),
    /// Nothing: all jobs of the pile are taken.
    None,
    /// The pile has not begun: the same question again when it has.
    Later,
}

impl Dealer {
    /// Prepares to deal to so many members.
    #[must_use]
    pub fn new(members: u32) -> Dealer {
        Dealer { pile: 0, left: vec![0..0; members.max(1) as usize] }
    }

    /// Begins the next pile. What is left of the one before is taken by nobody: its members have left it.
    pub fn begin(&mut self, jobs: u64) {
        self.pile += 1;
        let members = self.left.len() as u128;
        let start = |member: usize| (u128::from(jobs) * member as u128 / members) as u64;
        self.left = (0..self.left.len()).map(|member| start(member)..start(member + 1)).collect();
    }

    /// Answers a member that is at a pile, given by its number from 1. The cost grows with the number of members.
    pub fn asked(&mut self, member: u32, pile: u64) -> Answer {
        if pile > self.pile {
            return Answer::Later;
        }
        if pile < self.pile {
            return Answer::None;
        }
        if let Some(own) = self.left.get_mut(member as usize).filter(|own| !own.is_empty()) {
            let run = own.start..own.start + share(own);
            own.start = run.end;
            return Answer::Jobs(run);
        }
        match self.left.iter_mut().max_by_key(|left| left.end - left.start).filter(|longest| !longest.is_empty()) {
            Some(longest) => {
                let run = longest.end - share(longest)..longest.end;
                longest.end = run.start;
                Answer::Jobs(run)
            }
            None => Answer::None,
        }
    }
}

/// Returns how many jobs of a part are dealt next.
fn share(left: &Range<u64>) -> u64 {
    ((left.end - left.start) / SHARES).max(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_job_is_dealt_once_to_a_member_that_is_at_the_pile(
            members in 1..70u32,
            jobs in prop_oneof![0..20u64, 0..20_000u64],
            order in prop::collection::vec(any::<u32>(), 1..50),
        ) {
            let mut dealer = Dealer::new(members);
            dealer.begin(7);
            dealer.begin(jobs);
            let mut dealt = vec![false; jobs as usize];
            for member in order.iter().cycle().map(|number| number % members) {
                prop_assert_eq!((dealer.asked(member, 1), dealer.asked(member, 3)), (Answer::None, Answer::Later));
                let Answer::Jobs(run) = dealer.asked(member, 2) else { break };
                prop_assert!(!run.is_empty());
                for job in run {
                    prop_assert!(!std::mem::replace(&mut dealt[job as usize], true), "job {job}");
                }
            }
            prop_assert!(dealt.iter().all(|is_dealt| *is_dealt));
        }
    }

    #[test]
    fn a_member_gets_its_own_part_in_order_and_then_the_ends_of_others() {
        let mut dealer = Dealer::new(4);
        dealer.begin(1000);
        let mut own = 250;
        while own < 500 {
            let Answer::Jobs(run) = dealer.asked(1, 1) else { panic!("jobs are left") };
            assert_eq!(run.start, own);
            own = run.end;
        }
        assert_eq!(dealer.asked(1, 1), Answer::Jobs(938..1000));
        assert_eq!(dealer.asked(1, 1), Answer::Jobs(688..750));
        assert_eq!(dealer.asked(0, 1), Answer::Jobs(0..62));
    }

    #[test]
    fn runs_become_shorter_and_end_with_single_jobs() {
        let mut dealer = Dealer::new(8);
        dealer.begin(10_000);
        let mut lengths = Vec::new();
        while let Answer::Jobs(run) = dealer.asked(1, 1) {
            lengths.push(run.end - run.start);
        }
        assert_eq!((lengths[0], *lengths.last().unwrap()), (312, 1));
        assert!(lengths.len() < 300, "{}", lengths.len());
    }
}
