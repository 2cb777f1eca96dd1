//! The solver: tiers from the full board down to the empty one, each from the tier after it.
//!
//! [`Solve`] plans ([`Plan`]), takes the lock, and hands over to `run`, which makes one tier after the other: `step` solves
//! it on all threads (`moves` and `band` say where each drop leads, the [`kernel`](crate::kernel) does the rest), the
//! [`format`](crate::format) writes it, the manifest names it. Where two tiers fit, they live in memory; otherwise in blocks
//! that go into logs ([`tier`](crate::tier)). Both go through the same code and give the same bytes.

mod all_solved;
mod alone;
mod band;
mod checkpoints;
mod crew_plan;
mod disk_space;
mod error;
mod expected_bytes;
mod moves;
mod options;
mod plan;
mod progress;
mod run;
mod speed;
mod step;
mod together;
mod witness;

pub(crate) use all_solved::AllSolved;
pub use checkpoints::CHECKPOINT;
pub use crew_plan::CrewTier;
pub use error::SolveError;
pub use expected_bytes::TierPlan;
#[cfg(feature = "testing")]
pub use options::Knobs;
pub use options::{Report, Solve};
pub use plan::Plan;
pub(crate) use progress::watching;
pub use progress::{Progress, Share};
pub use speed::{entries_per_second, in_memory};
pub(crate) use step::solve_tier;
pub(crate) use witness::Witness;
