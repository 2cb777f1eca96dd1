//! Where the planes of a tier live: one trait, `Store`, and two stores.
//!
//! A tier is filled once, by many threads, from the tier beside it, and then read: by the tier on its other side, by the
//! writer of the database, by a tally. `MemoryTier` is one piece of memory. `LogTier` is for tiers that do not fit:
//! blocks that stay in memory while there is room, and are else compressed and appended to a log, which outlives the process.
//!
//! | | `MemoryTier` | `LogTier` |
//! |---|---|---|
//! | a job of the queue | some matrices or rows of one, half a million entries | some blocks of a shape, or some small shapes |
//! | filling | in place | into a block, which stays or is compressed and appended |
//! | reading | in place | through windows on expanded blocks |
//! | a part of it can be saved | no | yes |
//! | what is read no more | stays | leaves its room to the tier that is filled |
//!
//! What the planes say of an entry is the tier's `Content`: the code of its outcome (`Coding`),
//! or whether play reaches it (`Reached`). A `Home` makes the tiers of one run, all in memory or all in logs.

mod content;
mod copy;
mod home;
pub(crate) mod log;
mod memory;
mod queue;
mod rows;
mod store;
mod wanted;

pub(crate) use content::{Content, Kind, Reached};
pub(crate) use home::{Home, InLogs, InMemory};
pub use log::BLOCK_WORDS;
pub(crate) use log::{LogTier, Logs, Room};
pub use memory::MemoryTier;
pub(crate) use queue::Queue;
pub(crate) use rows::Rows;
pub(crate) use store::{Loaded, Reader, Store, Watch};
pub(crate) use wanted::{Origin, Want, Wanted, placed, used};
