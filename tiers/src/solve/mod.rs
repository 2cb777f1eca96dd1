//! Solves the tiers of a board (all positions of one ply) from the full board down to the empty one, each from the tier
//! after it.
//!
//! [`Solve`] makes a [`Plan`]; `run` creates the folders, takes the lock and finds the results of an earlier solve. The
//! `driver` then processes one tier after the other: it solves the tier on all threads (`band` finds where each drop
//! leads, the [`kernel`](crate::kernel) computes the values), writes it ([`format`](crate::format)) and records it in
//! the manifest.

mod band;
mod driver;
mod error;
mod options;
mod plan;
mod replace;
mod run;
#[cfg(test)]
mod tests;
mod tier_plan;

pub(crate) use band::{Bands, Neighbour, ShapeDrops};
pub use driver::in_memory;
pub(crate) use driver::solve_down;
pub use error::SolveError;
pub use options::{CHECKPOINT, Report, Solve};
pub use plan::Plan;
pub use tier_plan::TierPlan;
