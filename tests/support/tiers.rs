//! The names of `fourbase-tiers` that the tests use: where one moves, only its line here changes.

pub use fourbase_tiers::counts::SolveAndCountError;
pub use fourbase_tiers::database::forge::{Forged, forge};
pub use fourbase_tiers::database::plant::{Planted, plant};
pub use fourbase_tiers::database::{
    Database, DatabaseError, Disk, Lock, ReadFile, RemotenessSearch, Storage, TierRecord, VERSION, WriteFile, folder_of,
};
pub use fourbase_tiers::error::SolveError;
pub use fourbase_tiers::index::TierLayout;
pub use fourbase_tiers::kernel::{Kernel, Values};
pub use fourbase_tiers::plan::Plan;
pub use fourbase_tiers::quiet::{Sight, sight};
pub use fourbase_tiers::solve::{BLOCK_WORDS, CHECKPOINT, Progress, Report};
