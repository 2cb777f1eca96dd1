//! A tier in blocks that go into a log, for boards of which two tiers do not fit into memory.
//!
//! The rows of a shape follow each other as in memory and are cut every [`BLOCK_WORDS`] or so (`cuts`). A block that is
//! filled stays in memory (`stock`) while there is room (`room`); else it is compressed and appended to a log (`segments`), in the
//! order in which threads finish. What the log holds is done, even when the process is killed. Reading goes through a reader:
//! windows on the expanded blocks that hold the rows that a kernel needs, which move forward as the work proceeds through a
//! shape. The operating system keeps what it has room for of the logs in memory, so that a fresh block is rarely read from the
//! disk.

mod blocks;
mod cuts;
mod logs;
mod pages;
mod reader;
mod room;
pub(crate) mod segments;
mod slice;
mod stock;
mod tier;
mod view;
mod window;

pub use cuts::BLOCK_WORDS;
pub(crate) use logs::Logs;
pub(crate) use room::Room;
pub(crate) use tier::LogTier;
