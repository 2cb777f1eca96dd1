//! Why the members of a crew cannot work together.

use std::path::PathBuf;

use crate::files::{counted, shown};

/// Members of a crew that do not fit together. The job has to end.
#[derive(Debug, thiserror::Error)]
pub enum CrewError {
    /// A member does something else than the others.
    #[error("process {member} of the job does not fit: it is {found}, this one is {expected}")]
    Unlike {
        /// The number of the member.
        member: u32,
        /// What this process does.
        expected: String,
        /// What the other one does.
        found: String,
    },
    /// The members see different folders.
    #[error("{}: process {member} of the job sees another folder under this name", shown(folder))]
    NotShared {
        /// The folder.
        folder: PathBuf,
        /// The number of a member that sees another one.
        member: u32,
    },
    /// A member finds other faults of a database than this one: they do not read the same bytes.
    #[error("process {member} of the job finds {} in {place}, and this one {}", counted(*found, "fault"), counted(*expected, "fault"))]
    Differs {
        /// The number of the member.
        member: u32,
        /// Where.
        place: String,
        /// How many faults this process finds.
        expected: u64,
        /// How many the other one finds.
        found: u64,
    },
    /// A member has told what cannot be understood.
    #[error("process {member} of the job tells something that cannot be read")]
    Told {
        /// The number of the member.
        member: u32,
    },
}
