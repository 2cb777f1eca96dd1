//! Plants wrong values with valid checksums, to test whatever has to find them.

use std::path::Path;
use std::sync::Arc;

use fourbase::Outcome;

use crate::database::{Database, DatabaseError};
use crate::files::Storage;
use crate::format::folder_of;

/// A stored entry and its new outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Planted {
    /// The tier.
    pub ply: u32,
    /// The entry in the tier, from 0; it must be stored.
    pub entry: u64,
    /// The outcome for the player to move; the tier must have a code for it.
    pub outcome: Outcome,
}

/// Rewrites the tiers of a complete database with other values in some entries. All checksums are valid.
///
/// # Errors
/// If a file can't be read or written.
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
