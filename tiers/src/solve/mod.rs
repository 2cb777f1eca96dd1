//! The solver: tiers from the full board down to the empty one, each from the tier after it.
//!
//! [`Solve`] makes a [`Plan`]; `run` creates the folders, takes the lock and finds the results of an earlier solve. The
//! `driver` then processes one tier after the other: it solves the tier on all threads (`band` finds where each drop
//! leads, the [`kernel`](crate::kernel) does the rest), writes it ([`format`](crate::format)) and records it in the
//! manifest.

mod band;
mod driver;
mod error;
mod options;
mod plan;
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
pub(crate) use speed::solve_down;
pub use speed::{in_memory, work_per_second};
pub use tier_plan::TierPlan;
