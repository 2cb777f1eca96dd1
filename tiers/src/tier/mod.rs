//! Where the planes of a tier live: in blocks, in memory while there is room, else compressed in a log.
//!
//! A tier is filled once, by many threads, from the tier beside it (`fill`). It is then read: by the tier on its other side, by
//! the writer of the database, by a tally (`reader`).
//!
//! The rows of a shape follow each other and are cut every [`BLOCK_WORDS`] or so (`block`). A finished block stays in memory,
//! as it is or as its delta, while the memory budget allows (`cache`). Otherwise it is compressed and appended to a log
//! (`segments`), in the order in which threads finish. Logged blocks survive a kill. A board of which two tiers fit into memory
//! uses the log only for checkpoints. A kernel reads the rows of a neighbouring tier in place, from *windows*: the expanded
//! blocks that hold these rows, which move forward as the work proceeds through a shape.
//!
//! Several processes (the ranks of a [`Communicator`](crate::communicator::Communicator)) fill a tier together. Every rank
//! computes the same assignment of jobs and appends all its blocks to a log of its own. When the tier is full, the ranks
//! exchange where their blocks are.
//!
//! The planes of a tier store its `Content`: the code of every entry's outcome (`Coding`), or whether play reaches the entry
//! (`Reached`).

mod block;
mod cache;
mod content;
mod fill;
mod reader;
pub(crate) mod segments;
#[allow(clippy::module_inception, reason = "the main type of the folder")]
mod tier;

pub use block::BLOCK_WORDS;
pub(crate) use cache::MemoryBudget;
pub(crate) use content::{Content, Kind, Reached};
pub(crate) use fill::Watch;
pub(crate) use reader::{LoadedRows, Origin, RowRequest, Rows, TierReader, row_span};
pub(crate) use segments::TierFolder;
pub use tier::Tier;
