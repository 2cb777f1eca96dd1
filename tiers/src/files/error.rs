//! What can be wrong with a file.

use std::io;
use std::path::{Path, PathBuf};

use super::http::{self, is_address};
use super::text::shown;

/// A file can't be read or written, or has wrong contents.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A file of another kind, version, board or tier.
    #[error("{}: {what} is {found}, expected {expected}", shown(file))]
    Wrong {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        what: &'static str,
        /// The expected value.
        expected: String,
        /// The found value.
        found: String,
    },
    /// The file is of a later version of the format.
    #[error("{}: the format version is {found}, of a newer fourbase; this one knows {known}", shown(file))]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its version.
        found: u32,
        /// The version of this program.
        known: u32,
    },
    /// The bytes differ from what was written.
    #[error("{}: damaged{} ({what})", shown(file), at_byte(*offset))]
    Damaged {
        /// The file.
        file: PathBuf,
        /// The first byte of the damaged part; 0 for the whole file.
        offset: u64,
        /// What was found.
        what: &'static str,
    },
    /// Several processes work on the files together, and one sent a message that does not decode or does not fit.
    #[error("process {rank} of the job sent a message that does not fit")]
    Message {
        /// The rank of the process.
        rank: u32,
    },
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", shown(file))]
    Io {
        /// The file or folder.
        file: PathBuf,
        /// The operation that failed.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

impl FileError {
    /// Returns the error of damaged bytes from `offset` on.
    pub(crate) fn damaged(file: &Path, offset: u64, what: &'static str) -> FileError {
        FileError::Damaged { file: file.to_path_buf(), offset, what }
    }

    /// Returns the error of a file with a wrong property.
    pub(crate) fn wrong(file: &Path, what: &'static str, expected: impl ToString, found: impl ToString) -> FileError {
        FileError::Wrong { file: file.to_path_buf(), what, expected: expected.to_string(), found: found.to_string() }
    }

    /// Returns whether a file is missing, or was read and is not what it should be. Errors of the system, wrong
    /// messages and files of a newer program do not count as damage.
    pub fn is_damage(&self) -> bool {
        !matches!(self, FileError::Io { .. } | FileError::Message { .. } | FileError::Newer { .. })
    }

    /// Converts damage into `None`, and passes other errors on.
    pub(crate) fn unless_damaged<T>(read: Result<T, FileError>) -> Result<Option<T>, FileError> {
        match read {
            Err(error) if error.is_damage() => Ok(None),
            read => read.map(Some),
        }
    }

    /// Returns what to do about a file on a host; `None` for a local file.
    pub fn remedy_of_host(&self) -> Option<&'static str> {
        is_address(self.path()).then(|| match self {
            FileError::Io { source, .. } => http::remedy(source.kind()),
            FileError::Newer { .. } => "update fourbase",
            _ => http::remedy(io::ErrorKind::InvalidData),
        })
    }

    /// Returns the file, or the folder if no single file is at fault; an empty path for a message.
    pub fn path(&self) -> &Path {
        match self {
            FileError::Wrong { file, .. }
            | FileError::Newer { file, .. }
            | FileError::Damaged { file, .. }
            | FileError::Io { file, .. } => file,
            FileError::Message { .. } => Path::new(""),
        }
    }
}

/// Makes the error of a failed operation on a file.
pub(crate) fn io_error(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> FileError {
    move |source| FileError::Io { file: path.to_path_buf(), action, source }
}

/// Describes where a file is damaged; returns an empty text if the whole file is.
fn at_byte(offset: u64) -> String {
    if offset == 0 { String::new() } else { format!(" at byte {offset}") }
}
