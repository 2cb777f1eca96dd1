//! What several tests need.

pub mod answer;
pub mod comparison;
pub mod damage;
pub mod files;
pub mod hostile;
pub mod in_memory;
pub mod memory_disk;
pub mod openings;
pub mod options;
pub mod plain_game;
pub mod plain_search;
pub mod positions;
pub mod program;
pub mod proofs;
pub mod properties;
pub mod random;
pub mod small_disk;
pub mod snapshot;
pub mod solved;
pub mod truth;
