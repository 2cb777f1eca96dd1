//! What several tests need.

pub mod comparison;
pub mod databases;
pub mod files;
pub mod host;
pub mod hostile;
pub mod long;
pub mod memory_disk;
pub mod plain_game;
pub mod plain_search;
pub mod positions;
pub mod program;
pub mod progress;
pub mod proofs;
pub mod properties;
pub mod server;
pub mod solves;
pub mod truth;

/// The names of `fourbase-tiers` that the tests use: where one moves, only its line here changes.
pub mod tiers {
    pub use fourbase_tiers::context::Context;
    pub use fourbase_tiers::counts::count_by_ply;
    pub use fourbase_tiers::database::{Cache, Database, DatabaseError};
    pub use fourbase_tiers::files::{Disk, FileError, Lock, ReadFile, ReadStorage, Storage, WriteFile};
    pub use fourbase_tiers::format::folder_of;
    pub use fourbase_tiers::index::TierDirectory;
    pub use fourbase_tiers::kernel::{Kernel, Values};
    pub use fourbase_tiers::progress::{Progress, Stage};
    pub use fourbase_tiers::quiet::{StaticEvaluation, evaluate};
    pub use fourbase_tiers::solve::{CHECKPOINT, Plan, Report, Solve, SolveError};
    pub use fourbase_tiers::testing::forge::{Forged, forge};
    pub use fourbase_tiers::testing::plant::{Planted, plant};
    pub use fourbase_tiers::testing::plies;
}
