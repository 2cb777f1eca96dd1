//! The solver: tiers from the full board down to the empty one, each from the tier after it.
//!
//! [`Solve`] plans ([`Plan`]), and `run` makes the folders, takes the lock and finds what an earlier solve has left. The
//! `driver` then makes one tier after the other: `step` solves it on all threads (`drops` and `band` find where each drop leads,
//! the [`kernel`](crate::kernel) does the rest), the [`format`](crate::format) writes it, the manifest names it.

mod band;
mod bytes;
mod driver;
mod drops;
mod error;
mod options;
mod plan;
mod run;
mod speed;
mod step;
#[cfg(test)]
mod tests;

pub use bytes::TierPlan;
pub use driver::CHECKPOINT;
pub(crate) use drops::ShapeDrops;
pub use error::SolveError;
pub use options::{Report, Solve};
pub use plan::{Plan, RankTier};
pub(crate) use speed::solve_down;
pub use speed::{entries_per_second, in_memory};
