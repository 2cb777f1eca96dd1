//! Who gets which jobs: decisions alone, without any transport.
//!
//! Jobs are dealt in runs of consecutive ones, long runs first: each is a part of what is left, so that the last ones are single
//! jobs and all members end at about the same time (guided self-scheduling, Polychronopoulos and Kuck 1987).

use std::ops::Range;

/// A run is one part in so many of what is left for each member.
const PARTS: u64 = 4;

/// Deals the jobs of one pile after the other.
///
/// ```
/// use fourbase_tiers::crew::{Answer, Dealer};
///
/// let mut dealer = Dealer::new(2);
/// assert_eq!(dealer.asked(1), Answer::Later);
/// dealer.begin(20);
/// assert_eq!(dealer.asked(1), Answer::Jobs(0..2));
/// assert_eq!(dealer.asked(1), Answer::Jobs(2..4));
/// dealer.begin(0);
/// assert_eq!(dealer.asked(1), Answer::None);
/// ```
#[derive(Debug)]
pub struct Dealer {
    members: u64,
    /// The number of the pile, from 1; 0 before the first.
    pile: u64,
    left: Range<u64>,
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
        Dealer { members: u64::from(members.max(1)), pile: 0, left: 0..0 }
    }

    /// Begins the next pile. What is left of the one before is taken by nobody: its members have left it.
    pub fn begin(&mut self, jobs: u64) {
        self.pile += 1;
        self.left = 0..jobs;
    }

    /// Answers a member that is at a pile, given by its number from 1.
    pub fn asked(&mut self, pile: u64) -> Answer {
        if pile > self.pile {
            return Answer::Later;
        }
        if pile < self.pile || self.left.is_empty() {
            return Answer::None;
        }
        let count = ((self.left.end - self.left.start) / (PARTS * self.members)).max(1);
        let run = self.left.start..self.left.start + count;
        self.left.start = run.end;
        Answer::Jobs(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_dealt_once_and_in_order_to_members_that_are_at_the_pile() {
        for (members, jobs) in [(1, 0), (1, 1), (2, 20), (3, 1000), (8, 12_345), (64, 10)] {
            let mut dealer = Dealer::new(members);
            dealer.begin(7);
            dealer.begin(jobs);
            assert_eq!((dealer.asked(1), dealer.asked(3)), (Answer::None, Answer::Later));
            let mut next = 0;
            while let Answer::Jobs(run) = dealer.asked(2) {
                assert!(run.start == next && !run.is_empty());
                next = run.end;
            }
            assert_eq!(next, jobs);
            assert_eq!(dealer.asked(2), Answer::None);
        }
    }

    #[test]
    fn runs_become_shorter_and_end_with_single_jobs() {
        let mut dealer = Dealer::new(8);
        dealer.begin(10_000);
        let mut lengths = Vec::new();
        while let Answer::Jobs(run) = dealer.asked(1) {
            lengths.push(run.end - run.start);
        }
        assert!(lengths.is_sorted_by(|one, other| one >= other), "{lengths:?}");
        assert_eq!((lengths[0], *lengths.last().unwrap()), (312, 1));
        assert!(lengths.len() < 300, "{}", lengths.len());
    }
}
