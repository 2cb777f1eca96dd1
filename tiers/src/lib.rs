//! Tiers.
pub mod counts;
pub mod database;
pub mod error;
pub mod index;
pub mod kernel;
pub mod plan;
pub mod quiet;
pub mod solve;
