//! The logs of a run, all in one folder.

use std::path::Path;

use super::room::Room;
use super::segments;
use crate::crew::Crew;
use crate::files::{FileError, Storage};
use crate::index::Index;
use crate::tier::content::Kind;

/// The logs in one folder, and the memory for the tiers that are opened there.
#[derive(Clone, Copy)]
pub(crate) struct Logs<'s> {
    pub storage: &'s dyn Storage,
    pub folder: &'s Path,
    pub index: &'s Index,
    pub room: Room,
    /// The processes that share the tiers out; `None`: this one alone.
    pub crew: Option<&'s dyn Crew>,
}

impl Logs<'_> {
    /// Removes the logs of one kind of content, except those of the plies `keep`.
    ///
    /// # Errors
    /// Where a file cannot be removed.
    pub fn remove(&self, kind: Kind, keep: &[u32]) -> Result<(), FileError> {
        segments::remove_all(self.storage, self.folder, kind, keep)
    }
}
