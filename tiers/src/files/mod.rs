//! Files: all reading and writing of this package goes through this module. It also defines how a file begins and
//! becomes durable.
//!
//! - [`Storage`] is a file system, and [`ReadStorage`] its read-only part. [`Disk`] is the operating system's;
//!   [`Memory`] lasts as long as the process. Tests implement a faulty file system, to inject errors below
//!   all other code.
//! - [`Http`] reads the files of a host, by ranges of bytes.
//! - `regular` opens only regular files, and never writes through a link.
//! - `envelope` is the start of every file: magic, version, a record, a checksum.
//! - `frame` compresses and expands with zstd; each thread keeps its zstd context.
//! - `durable` writes under a temporary name, syncs, renames and syncs the folder.
//! - [`FileError`] names the file that is wrong, the place, and what was expected there.
//! - `text` formats paths and numbers for messages.

mod disk;
mod durable;
pub(crate) mod envelope;
mod error;
pub(crate) mod frame;
mod http;
mod memory;
mod regular;
mod storage;
mod text;

pub use disk::Disk;
pub(crate) use durable::{
    TEMPORARY, Written, create_folder, publish, remove_folders_below, remove_named, temporary_name, write_file,
};
pub(crate) use envelope::open_existing;
pub use envelope::{VERSION, read_small};
pub use error::FileError;
pub(crate) use error::io_error;
#[cfg(feature = "http")]
pub use http::UreqClient;
pub use http::{Client, Http, Response, is_address, query_first};
pub use memory::Memory;
pub(crate) use memory::lock;
pub use storage::{Lock, ReadFile, ReadStorage, Storage, WriteFile, has_room};
pub use text::{bytes, counted, escaped, grouped, plain, shown};

/// Returns the storage for a folder: HTTP for an address, else the operating system.
pub(crate) fn storage_of(folder: &std::path::Path) -> std::sync::Arc<dyn ReadStorage> {
    if is_address(folder) { std::sync::Arc::new(http::shared()) } else { std::sync::Arc::new(Disk) }
}
