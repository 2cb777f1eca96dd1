//! Files: the one layer through which this package reads and writes, and how a file begins, ends and becomes durable.
//!
//! - [`Storage`] is a file system, [`Disk`] the system's, [`Memory`] one that is gone with the process; a test puts
//!   faults under everything above it.
//! - `regular` opens nothing but regular files, and writes through no link.
//! - `small` reads a whole file that may not be large.
//! - `envelope` is the start of every file: magic, version, a record, a checksum.
//! - `frame` is zstd, with contexts that each thread keeps.
//! - `durable` writes under a temporary name, syncs, renames and syncs the folder.
//! - [`FileError`] says which file is wrong, where, and what was expected there.

mod disk;
mod durable;
pub(crate) mod envelope;
mod error;
pub(crate) mod frame;
mod grouped;
mod memory;
mod regular;
mod shown;
mod small;
mod storage;

pub use disk::Disk;
pub(crate) use durable::{
    TEMPORARY, Written, create_folder, publish, remove_folders, remove_folders_below, remove_named, temporary_name,
    write_file,
};
pub use envelope::VERSION;
pub(crate) use error::io_error;
pub use error::{FileError, bytes};
pub use grouped::{counted, grouped};
pub use memory::Memory;
pub(crate) use memory::copy_from;
pub use shown::{Shown, escaped, shown};
pub use small::read_small;
pub use storage::{Lock, PlaceFile, ReadFile, Storage, WriteFile, has_room};
