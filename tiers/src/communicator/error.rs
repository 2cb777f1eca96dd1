//! Why the processes of a job cannot work together.

use std::path::PathBuf;

use crate::files::shown;

/// Ranks that do not fit together. The job has to end.
#[derive(Debug, thiserror::Error)]
pub enum CommunicatorError {
    /// A rank runs another job.
    #[error("process {rank} of the job does not fit: it is {found}, this one is {expected}")]
    OtherJob {
        /// The other rank.
        rank: u32,
        /// The job of this rank.
        expected: String,
        /// The job of the other one.
        found: String,
    },
    /// The ranks see different folders.
    #[error("{}: process {rank} of the job sees another folder under this name", shown(folder))]
    NotShared {
        /// The folder.
        folder: PathBuf,
        /// A rank that sees another one.
        rank: u32,
    },
    /// A rank has sent bytes that do not decode.
    #[error("process {rank} of the job sent a message that does not decode")]
    Unreadable {
        /// The rank.
        rank: u32,
    },
}
