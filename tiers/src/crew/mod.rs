//! Several processes that work on one board together, over a file system that all of them see.
//!
//! Each member of a crew has the whole layout of a tier, so that a job is a number. Member 0 deals jobs out to whoever asks
//! ([`Dealer`]). Blocks go through the file system: a member appends what it has filled to a log of its own, and when a tier is
//! done all members tell each other where their blocks are. Through the crew go only numbers.
//!
//! [`Crew`] is what the layers above need of a transport. The program's is MPI; the crew of threads (`threads.rs`) is for tests, without any.

mod dealer;
mod error;
mod meeting;
mod member;
mod numbers;
mod shown;
#[cfg(any(test, feature = "testing"))]
mod threads;

pub use dealer::{Answer, Dealer};
pub use error::CrewError;
pub(crate) use meeting::{exchange_numbers, greet, hold, share_folder};
pub use member::{Cost, Crew};
pub(crate) use numbers::Numbers;
pub(crate) use shown::Shown;
#[cfg(any(test, feature = "testing"))]
pub use threads::Threads;
