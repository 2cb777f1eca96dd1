//! Where the tiers of one run live: all in memory, two at a time, or all in logs in one folder.

use super::content::Content;
use super::copy::copy;
use super::log::{LogTier, Logs};
use super::memory::MemoryTier;
use super::store::Store;
use crate::files::FileError;

/// Makes the tiers of a run and makes them durable.
pub(crate) trait Home<'s> {
    /// What the planes of its tiers say.
    type Content: Content;
    /// The store of every tier.
    type Tier: Store<Content = Self::Content>;

    /// A part of a tier can be saved. Otherwise a tier that is not filled is lost.
    const SAVES_PARTS: bool;

    /// Makes room for a tier that is filled from `beside`. In logs it has the blocks that earlier runs have left.
    ///
    /// # Errors
    /// Where a file cannot be read.
    fn make(&mut self, ply: u32, beside: Option<&Self::Tier>) -> Result<Self::Tier, FileError>;

    /// Takes a complete tier from its log.
    ///
    /// # Errors
    /// Where a file cannot be read.
    fn adopt(&mut self, log: LogTier<'s, Self::Content>) -> Result<Self::Tier, FileError>;

    /// Makes a tier durable in its log, complete or not.
    ///
    /// # Errors
    /// Where a file cannot be written.
    fn save(&self, tier: &Self::Tier) -> Result<(), FileError>;

    /// Tells whether more of a tier is durable, or as good as that, than would be lost with the process.
    fn is_mostly_saved(&self, tier: &Self::Tier) -> bool;

    /// Takes the memory of a tier that is no longer needed.
    fn reuse(&mut self, tier: Self::Tier);
}

/// Tiers in memory, of which some are saved in logs.
pub(crate) struct InMemory<'s, C> {
    logs: Logs<'s>,
    content: C,
    spare: Vec<u64>,
}

impl<'s, C> InMemory<'s, C> {
    /// Creates an empty home. The ply of `content` is ignored.
    pub fn new(logs: Logs<'s>, content: C) -> InMemory<'s, C> {
        InMemory { logs, content, spare: Vec::new() }
    }
}

impl<'s, C: Content> Home<'s> for InMemory<'s, C> {
    type Content = C;
    type Tier = MemoryTier<C>;

    const SAVES_PARTS: bool = false;

    fn make(&mut self, ply: u32, _: Option<&MemoryTier<C>>) -> Result<MemoryTier<C>, FileError> {
        let index = self.logs.index;
        Ok(MemoryTier::new(index, self.content.at(index.board(), ply), ply, std::mem::take(&mut self.spare)))
    }

    fn adopt(&mut self, log: LogTier<'s, C>) -> Result<MemoryTier<C>, FileError> {
        let mut tier = self.make(log.ply(), None)?;
        tier.expand(self.logs.index, &log)?;
        Ok(tier)
    }

    fn save(&self, tier: &MemoryTier<C>) -> Result<(), FileError> {
        let mut log = self.logs.open(self.content, tier.ply())?;
        copy(self.logs.index, tier, &mut log)?;
        log.sync()
    }

    fn is_mostly_saved(&self, _: &MemoryTier<C>) -> bool {
        false
    }

    fn reuse(&mut self, tier: MemoryTier<C>) {
        self.spare = tier.into_buffer();
    }
}

/// Tiers in logs.
pub(crate) struct InLogs<'s, C> {
    logs: Logs<'s>,
    content: C,
}

impl<'s, C> InLogs<'s, C> {
    /// Creates an empty home. The ply of `content` is ignored.
    pub fn new(logs: Logs<'s>, content: C) -> InLogs<'s, C> {
        InLogs { logs, content }
    }
}

impl<'s, C: Content> Home<'s> for InLogs<'s, C> {
    type Content = C;
    type Tier = LogTier<'s, C>;

    const SAVES_PARTS: bool = true;

    fn make(&mut self, ply: u32, beside: Option<&LogTier<'s, C>>) -> Result<LogTier<'s, C>, FileError> {
        let mut tier = self.logs.begin(self.content, ply)?;
        match beside {
            Some(beside) => beside.share_room(&mut tier),
            None => tier.take_room(),
        }
        Ok(tier)
    }

    fn adopt(&mut self, log: LogTier<'s, C>) -> Result<LogTier<'s, C>, FileError> {
        Ok(log)
    }

    fn save(&self, tier: &LogTier<'s, C>) -> Result<(), FileError> {
        tier.sync()
    }

    /// Such a tier would take room on the disk beside the log of the last checkpoint.
    fn is_mostly_saved(&self, tier: &LogTier<'s, C>) -> bool {
        tier.is_mostly_in_log()
    }

    fn reuse(&mut self, _: LogTier<'s, C>) {}
}
