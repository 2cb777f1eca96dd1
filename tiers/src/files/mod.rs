//! Files: the one layer through which this package reads and writes, and how a file begins, ends and becomes durable.
//!
//! - [`Storage`] is a file system, [`Disk`] the system's, [`Memory`] one that is gone with the process; a test puts
//!   faults under everything above it.
//! - `envelope` is the start of every file: magic, version, a record, a checksum.
//! - `frame` is zstd, with contexts that each thread keeps.
//! - `durable` writes under a temporary name, syncs, renames and syncs the folder.
//! - [`FileError`] says which file is wrong, where, and what was expected there.

mod disk;
mod durable;
pub(crate) mod envelope;
mod error;
pub(crate) mod frame;
mod memory;
mod storage;

pub use disk::Disk;
pub(crate) use durable::{
    Written, create_folder, has_leftovers, publish, remove_leftovers, remove_named, temporary_name, write_file,
};
pub use envelope::VERSION;
pub(crate) use error::io_error;
pub use error::{FileError, bytes};
pub use memory::Memory;
pub(crate) use storage::has_room;
pub use storage::{Lock, ReadFile, Storage, WriteFile};
