//! Files: the one layer through which this package reads and writes, and how a file begins, ends and becomes durable.
//!
//! - [`Storage`] is a file system, [`Disk`] the system's, [`Memory`] one that is gone with the process; a test puts
//!   faults under everything above it.
//! - `regular` opens nothing but regular files, and writes through no link.
//! - `envelope` is the start of every file: magic, version, a record, a checksum.
//! - `frame` is zstd, with contexts that each thread keeps.
//! - `durable` writes under a temporary name, syncs, renames and syncs the folder.
//! - [`FileError`] names the file that is wrong, the place, and what was expected there.
//! - `text` writes paths and numbers in messages.

mod disk;
mod durable;
pub(crate) mod envelope;
mod error;
pub(crate) mod frame;
mod memory;
mod regular;
mod storage;
mod text;

pub use disk::Disk;
pub(crate) use durable::{
    TEMPORARY, Written, create_folder, publish, remove_folders, remove_folders_below, remove_named, temporary_name,
    write_file,
};
pub use envelope::{VERSION, read_small};
pub(crate) use envelope::{open_existing, read_through};
pub use error::FileError;
pub(crate) use error::io_error;
pub use memory::Memory;
pub use storage::{Lock, ReadFile, Storage, WriteFile, has_room};
pub use text::{bytes, counted, escaped, grouped, shown};
