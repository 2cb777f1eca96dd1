//! Wrong values with valid checksums, for tests of what has to find them.

use std::path::Path;
use std::sync::Arc;

use fourbase::Outcome;

use crate::database::{Database, DatabaseError};
use crate::files::Storage;
use crate::format::folder_of;

/// A stored entry and what is to stand there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Planted {
    /// The tier.
    pub ply: u32,
    /// The entry in the tier, from 0; has to be stored.
    pub entry: u64,
    /// For the player to move; has to be one that the tier can hold.
    pub outcome: Outcome,
}

/// Writes the tiers of a complete database again with other values in some entries. All checksums are valid.
///
/// # Errors
/// Where a file cannot be read or written.
pub fn plant(storage: &Arc<dyn Storage>, root: &Path, of: &Database, planted: &[Planted]) -> Result<(), DatabaseError> {
    let folder = folder_of(root, of.board(), of.values());
    let mut manifest = of.manifest().clone();
    let plies: std::collections::BTreeSet<u32> = planted.iter().map(|planted| planted.ply).collect();
    for ply in plies {
        of.write_values(&**storage, &folder, &mut manifest, ply, |entry, position| {
            let other = planted.iter().find(|planted| (planted.ply, planted.entry) == (ply, entry));
            other.map_or_else(|| of.probe(position), |planted| Ok(planted.outcome))
        })?;
    }
    manifest.write(&**storage, &folder)?;
    Ok(())
}
