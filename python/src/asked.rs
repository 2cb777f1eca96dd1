//! What the probes of one call share.

use std::sync::Arc;

use fourbase_tiers::database::Database;

/// A database, and how far to search where it keeps no tier.
#[derive(Clone)]
pub struct Asked {
    pub database: Arc<Database>,
    /// The most nodes of a search; `None`: as many as it takes.
    pub nodes: Option<u64>,
}
