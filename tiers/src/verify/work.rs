//! Jobs of a verification: of this process alone, or shared out among the members of a crew.
//!
//! The members share out jobs, but each of them knows all faults. A member that finds faults in a job tells the others which job it
//! is, how many they are and the place of the first one in a list. Then every member does the jobs once more whose faults come first
//! in the list. So a fault itself never has to go from one process to another, and members that read different bytes are found out.

use rayon::prelude::*;

use super::collector::Collector;
use super::fault::Rank;
use super::report::{Progress, Stage};
use crate::crew::{Crew, CrewError, Numbers, Shown, exchange_numbers};

/// What all stages of a verification share.
pub(super) struct Work<'a> {
    crew: Option<&'a dyn Crew>,
    progress: &'a dyn Progress,
    /// With a crew.
    shown: Option<Shown<'a>>,
    /// All faults: the same at all members wherever they meet.
    pub faults: &'a Collector,
}

/// A job that has faults.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Faulty {
    /// The place of the first one in a list.
    first: Rank,
    job: u64,
    faults: u64,
    /// Who has found them.
    member: u32,
}

/// How the threads of a pool do jobs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Threads {
    /// Each does others.
    Each,
    /// All share one job after the other.
    Together,
}

impl<'a> Work<'a> {
    pub fn new(crew: Option<&'a dyn Crew>, faults: &'a Collector, progress: &'a dyn Progress) -> Work<'a> {
        Work { crew, progress, shown: crew.map(Shown::new), faults }
    }

    /// Tells whether this process does what one process does for all.
    pub fn is_first(&self) -> bool {
        self.crew.is_none_or(|crew| crew.number() == 0)
    }

    /// Returns how many processes work.
    pub fn size(&self) -> u64 {
        self.crew.map_or(1, |crew| crew.size().into())
    }

    /// Begins a stage of so many steps.
    pub fn begin(&self, stage: Stage, steps: u64) {
        self.progress.begins(stage, steps);
        self.shown.iter().for_each(|shown| shown.begin(steps));
    }

    /// Notes that this process has done steps of the stage.
    pub fn done(&self, steps: u64) {
        let steps = self.shown.as_ref().map_or(steps, |shown| shown.done(steps));
        if steps > 0 {
            self.progress.done(steps);
        }
    }

    /// Notes that all members have done steps of the stage, each the same.
    pub fn done_by_all(&self, steps: u64) {
        if self.is_first() {
            self.done(steps);
        }
    }

    /// Notes that all have done a tier of the stage.
    pub fn tier_done(&self, stage: Stage, ply: u32, count: u64) {
        if self.is_first() {
            self.progress.tier_done(stage, ply, count);
        }
    }

    /// Does jobs, each with the faults to add to; returns what the threads of this process have made of them, each from what `begin`
    /// makes. With a crew all members call this, and each job is done by one of them. The faults are those of all; `place` says where
    /// they are.
    ///
    /// # Errors
    /// [`CrewError::Differs`] where members do not find the same faults in one job.
    pub fn share<T: Send>(
        &self,
        place: &str,
        jobs: u64,
        threads: Threads,
        begin: impl Fn() -> T + Sync,
        work: impl Fn(&mut T, u64, &Collector) + Sync,
    ) -> Result<Vec<T>, CrewError> {
        let (numbers, most) = (Numbers::new(self.crew, jobs), self.faults.most());
        let do_jobs = |_| {
            let (mut made, mut faulty, mut others) = (begin(), Vec::new(), 0);
            while let Some(job) = numbers.next() {
                if self.crew.is_none() {
                    work(&mut made, job, self.faults);
                    continue;
                }
                let found = Collector::new(1);
                work(&mut made, job, &found);
                faulty.extend(found.first().map(|first| Faulty { first, job, faults: found.count(), member: 0 }));
                // A database may be wrong everywhere.
                if faulty.len() / 2 > most {
                    others += keep_first(&mut faulty, most);
                }
            }
            (made, (faulty, others))
        };
        let done: Vec<_> = match threads {
            Threads::Each => (0..rayon::current_num_threads()).into_par_iter().with_max_len(1).map(do_jobs).collect(),
            Threads::Together => vec![do_jobs(0)],
        };
        let (made, found): (Vec<T>, Vec<(Vec<Faulty>, u64)>) = done.into_iter().unzip();
        if self.crew.is_some() {
            let (faulty, others): (Vec<Vec<Faulty>>, Vec<u64>) = found.into_iter().unzip();
            self.meet(place, faulty.concat(), others.iter().sum(), |job, found| work(&mut begin(), job, found))?;
        }
        Ok(made)
    }

    /// Tells the others which jobs of this member have faults, and how many faults other jobs have, hears the same of them, and finds
    /// the faults that come first.
    fn meet(
        &self,
        place: &str,
        mut own: Vec<Faulty>,
        others: u64,
        work: impl Fn(u64, &Collector),
    ) -> Result<(), CrewError> {
        let most = self.faults.most();
        let mut told = vec![others + keep_first(&mut own, most)];
        told.extend(own.iter().flat_map(Faulty::numbers));
        let (mut all, mut others) = (Vec::new(), 0);
        for (member, told) in self.exchange(&told)?.iter().enumerate() {
            if let Some((rest, rows)) = told.split_first() {
                others += rest;
                all.extend(rows.as_chunks().0.iter().map(|row| Faulty::new(*row, member as u32)));
            }
        }
        others += keep_first(&mut all, most);
        for Faulty { member, job, faults, .. } in all {
            let found = Collector::new(most);
            work(job, &found);
            if found.count() != faults {
                return Err(CrewError::Differs {
                    member,
                    place: place.to_owned(),
                    expected: found.count(),
                    found: faults,
                });
            }
            self.faults.absorb(found);
        }
        self.faults.add_unkept(others);
        Ok(())
    }

    /// Makes sure that all members have found as many faults.
    ///
    /// # Errors
    /// [`CrewError::Differs`] where one has not.
    pub fn agree(&self, place: &str) -> Result<(), CrewError> {
        let expected = self.faults.count();
        let all = self.exchange(&[expected])?;
        match all
            .iter()
            .enumerate()
            .find_map(|(member, told)| Some((member, *told.first()?)).filter(|(_, found)| *found != expected))
        {
            Some((member, found)) => {
                Err(CrewError::Differs { member: member as u32, place: place.to_owned(), expected, found })
            }
            None => Ok(()),
        }
    }

    /// Adds up what all have counted.
    ///
    /// # Errors
    /// [`CrewError::Told`] where a member tells no number.
    pub fn sum(&self, own: u64) -> Result<u64, CrewError> {
        Ok(self.exchange(&[own])?.iter().flatten().sum())
    }

    /// Gives what every member has to all; a process alone has it already.
    ///
    /// # Errors
    /// [`CrewError::Told`] where a member tells no numbers.
    pub fn exchange(&self, own: &[u64]) -> Result<Vec<Vec<u64>>, CrewError> {
        self.crew.map_or_else(|| Ok(vec![own.to_vec()]), |crew| exchange_numbers(crew, own))
    }

    /// Gives each bit that any member has to all.
    pub fn unite(&self, words: &mut [u64]) {
        self.crew.iter().for_each(|crew| crew.unite(words));
    }
}

impl Faulty {
    fn numbers(&self) -> [u64; 6] {
        let Rank([stage, plies_on, one, other]) = self.first;
        [stage, plies_on, one, other, self.job, self.faults]
    }

    fn new([stage, plies_on, one, other, job, faults]: [u64; 6], member: u32) -> Faulty {
        Faulty { first: Rank([stage, plies_on, one, other]), job, faults, member }
    }
}

/// Sorts jobs by the places of their faults and keeps the first `most`. Returns how many faults the others have.
fn keep_first(jobs: &mut Vec<Faulty>, most: usize) -> u64 {
    jobs.sort_unstable();
    let kept = jobs.len().min(most);
    jobs.drain(kept..).map(|job| job.faults).sum()
}
