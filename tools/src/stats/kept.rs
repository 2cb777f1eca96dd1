//! Counts kept beside the database: `<db>/<board>/<values>.stats.json`, one object of JSON.
//!
//! The file also has the manifest of the counted database. Counts of another database and files that cannot be read are
//! ignored, because counting again costs only time.

use std::fs;
use std::io;
use std::path::PathBuf;

use fourbase_tiers::counts::Counts;
use fourbase_tiers::database::Database;
use fourbase_tiers::files::{Disk, Storage};
use fourbase_tiers::format::Manifest;
use serde::{Deserialize, Serialize};

/// The contents of the file.
#[derive(Serialize, Deserialize)]
struct KeptCounts {
    manifest: Manifest,
    counts: Counts,
}

fn path(database: &Database) -> PathBuf {
    database.folder().with_extension("stats.json")
}

/// Reads the counts of a database; `None` if they are not kept.
pub fn read(database: &Database) -> Option<Counts> {
    let kept: KeptCounts = serde_json::from_slice(&fs::read(path(database)).ok()?).ok()?;
    (kept.manifest == *database.manifest()).then_some(kept.counts)
}

/// Writes the counts of a database. A reader sees all of them or none.
///
/// # Errors
///
/// The file cannot be written.
pub fn write(database: &Database, counts: &Counts) -> io::Result<()> {
    let kept = KeptCounts { manifest: database.manifest().clone(), counts: counts.clone() };
    let path = path(database);
    let temporary = path.with_extension("json.new");
    let mut file = Disk.create(&temporary)?;
    file.write_all(&serde_json::to_vec(&kept)?)?;
    file.sync()?;
    drop(file);
    Disk.rename(&temporary, &path)
}
