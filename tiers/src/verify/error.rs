//! Why a database was not verified.

use crate::counts::CountError;
use crate::crew::CrewError;
use crate::database::DatabaseError;

/// A verification that cannot begin or go on. What is wrong with the files is no error but a fault.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// Tiers are missing.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The members of a crew do not fit together.
    #[error(transparent)]
    Crew(#[from] CrewError),
    /// The legal positions of the plies that the database does not keep could not be counted.
    #[error(transparent)]
    Count(#[from] CountError),
}
