//! Whether the files of a solve fit on the disk, before it begins.

use std::path::Path;

use super::error::SolveError;
use super::plan::Plan;
use crate::files::{Storage, has_room};

/// Refuses a solve whose files do not fit on the disk.
pub(super) fn check_disk_space(
    storage: &dyn Storage,
    plan: &Plan,
    folder: &Path,
    scratch: &Path,
) -> Result<(), SolveError> {
    // Two folders on one disk have to fit together. Estimates of databases are within a quarter or so.
    let database_bytes = plan.database_bytes + plan.database_bytes / 4;
    let all = if plan.is_bounded { database_bytes + plan.scratch_bytes } else { database_bytes };
    let disk = |folder: &Path| folder.ancestors().find_map(|folder| storage.disk(folder));
    let needs = match (plan.is_bounded, disk(folder) == disk(scratch)) {
        (true, false) => [(folder, database_bytes), (scratch, plan.scratch_bytes)],
        _ => [(folder, all), (scratch, 0)],
    };
    for (folder, needed) in needs {
        has_room(storage, folder, needed).map_err(|free| SolveError::Disk {
            folder: folder.to_path_buf(),
            board: plan.board,
            needed,
            free,
        })?;
    }
    Ok(())
}
