//! Helpers for tests: databases with wrong values, forged databases, parsers behind their checksums. Behind the feature
//! `testing`; no part of a release.

pub mod forge;
pub mod fuzzing;
pub mod plant;
