//! The frontier: the tiers that a solve still needs, compressed, in files that outlive the process.
//!
//! A tier of a large board does not fit into memory, and a solve needs two at a time. A [`Frontier`] holds all values
//! of one tier as **blocks**: the rows of one shape one after the other, as they lie in a
//! [`Tier`](crate::solve::Tier), cut every [`BLOCK_WORDS`] or so ([`cuts`]). A block is compressed as soon as it is
//! solved and appended to a log ([`log`]), in whatever order the threads finish; what the log holds is done, whatever
//! becomes of the process. Reading goes through a [`Window`]: the expanded blocks around the rows that a kernel wants,
//! which slides along as the solver walks through a shape. The system keeps in memory what it has room for of the
//! logs, so that a block that was just written is not read from the disk. The forward sweep of
//! [`counts`](crate::counts) keeps its reached bits in the same way: what a frontier's planes say is its [`Content`].

mod content;
mod cuts;
mod jobs;
mod log;
mod rows;
mod slice;
mod store;
mod window;

pub(crate) use content::{Content, Reached};
pub use cuts::BLOCK_WORDS;
pub(crate) use jobs::{Job, Queue};
pub(crate) use slice::{Across, Slice};
pub(crate) use store::{Codec, Frontier, ShapeView};
pub(crate) use window::Window;
