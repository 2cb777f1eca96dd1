//! The solver: tiers from the full board down to the empty one, each from the tier after it.
//!
//! [`Solve`] plans ([`Plan`]), and `run` makes the folders, takes the lock and finds what an earlier solve has left. The
//! `driver` then makes one tier after the other: it solves it on all threads (`band` finds where each drop leads,
//! the [`kernel`](crate::kernel) does the rest), the [`format`](crate::format) writes it, the manifest names it.

mod band;
mod driver;
mod error;
mod options;
mod plan;
mod rank_tier;
mod replace;
mod run;
mod speed;
#[cfg(test)]
mod tests;
mod tier_plan;

pub(crate) use band::ShapeDrops;
pub use error::SolveError;
pub use options::{CHECKPOINT, Report, Solve};
pub use plan::Plan;
pub use rank_tier::RankTier;
pub(crate) use speed::solve_down;
pub use speed::{in_memory, work_per_second};
pub use tier_plan::TierPlan;
