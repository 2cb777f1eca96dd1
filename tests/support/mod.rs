//! What several tests need.

pub mod answer;
pub mod board;
pub mod comparison;
pub mod files;
pub mod hostile;
pub mod long;
pub mod memory_disk;
pub mod openings;
pub mod plain_game;
pub mod plain_search;
pub mod positions;
pub mod program;
pub mod progress;
pub mod proofs;
pub mod properties;
pub mod random;
pub mod server;
pub mod shared;
pub mod small_disk;
pub mod snapshot;
pub mod solved;
pub mod solves;
pub mod tiers;
pub mod truth;
pub mod verified;
