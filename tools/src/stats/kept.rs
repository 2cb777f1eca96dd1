//! Counts that are kept beside the database: `<db>/<board>/<values>.stats.json`, one object of JSON.
//!
//! The manifest of the counted database is kept with them; counts of another database, or a file that cannot be read,
//! are as good as none, because counting again costs only time.

use std::fs;
use std::io;
use std::path::PathBuf;

use fourbase_tiers::counts::Counts;
use fourbase_tiers::database::{Database, Disk, Manifest, Storage};
use serde::{Deserialize, Serialize};

/// What the file holds.
#[derive(Serialize, Deserialize)]
struct Kept {
    manifest: Manifest,
    counts: Counts,
}

fn path(database: &Database) -> PathBuf {
    database.folder().with_extension("stats.json")
}

/// Returns the counts of a database if they are kept.
pub fn read(database: &Database) -> Option<Counts> {
    let kept: Kept = serde_json::from_slice(&fs::read(path(database)).ok()?).ok()?;
    (kept.manifest == *database.manifest()).then_some(kept.counts)
}

/// Keeps the counts of a database; a reader sees all of them or none.
///
/// # Errors
///
/// Whatever the file system says.
pub fn write(database: &Database, counts: &Counts) -> io::Result<()> {
    let kept = Kept { manifest: database.manifest().clone(), counts: counts.clone() };
    let path = path(database);
    let temporary = path.with_extension("json.new");
    let mut file = Disk.create(&temporary)?;
    file.write_all(&serde_json::to_vec(&kept)?)?;
    file.sync()?;
    drop(file);
    Disk.rename(&temporary, &path)
}
