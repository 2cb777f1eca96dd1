//! Helpers for tests: databases with wrong values, forged databases, parsers behind their checksums, ranks that are threads.
//! Behind the feature `testing`; no part of a release.

#[cfg(feature = "testing")]
pub mod forge;
#[cfg(feature = "testing")]
pub mod fuzzing;
#[cfg(feature = "testing")]
pub mod plant;
mod threads;

pub use threads::Threads;
