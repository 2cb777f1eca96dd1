//! Stores the bit planes of a tier in blocks: in memory while there is room, else compressed in a log.
//!
//! Many threads fill a tier once, from a neighbouring tier (`fill`). Then threads read the tier (`reader`) to fill its
//! other neighbour, to write the database, or to tally its values.
//!
//! The rows of a shape are divided into blocks of about [`BLOCK_WORDS`] words (`block`). A finished block stays in
//! memory while there is room, either expanded or as its delta, a quick compression (`memory`,
//! [`crate::kernel::delta`]). Otherwise its delta is compressed and appended to a log (`segments`), in the order in
//! which threads finish blocks. Blocks in the log survive if the process is killed. If two tiers of a board fit into
//! memory, a process that solves alone uses the log only for checkpoints. A kernel reads the rows of a neighbouring
//! tier in place, through *windows*: the expanded blocks that hold these rows. A window moves forward as the work
//! proceeds through a shape.
//!
//! Several processes (the ranks of a [`Communicator`](crate::communicator::Communicator)) fill a tier together. Every
//! rank computes the same assignment of jobs and appends all its blocks to its own log. When the tier is full, the
//! ranks exchange the locations of their blocks.
//!
//! The planes of a tier store the code of every entry's outcome, or whether play reaches the entry (`Kind`).

mod block;
mod fill;
mod memory;
mod reader;
pub(crate) mod segments;
#[allow(clippy::module_inception, reason = "the main type of the folder")]
mod tier;

pub use block::BLOCK_WORDS;
pub(crate) use memory::BlockMemory;
pub(crate) use reader::{LoadedRows, RowRequest, Rows, TierReader, row_span};
pub(crate) use segments::TierFolder;
pub(crate) use tier::Kind;
pub use tier::Tier;
