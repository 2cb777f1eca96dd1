//! The forward sweep: from the empty board on, ply by ply.

use super::tier::ReachTier;
use crate::index::Index;

/// Walks the tiers of a board forward and says which positions play reaches.
///
/// Two tiers are live while it advances, one bit an entry each. Work is shared out over rayon's current pool; the
/// result is the same for every number of threads and every kernel.
///
/// ```
/// use fourbase_tiers::{counts::Sweep, index::Index, kernel::Kernel};
///
/// let index = Index::new("4x4".parse()?, Kernel::detect())?;
/// let mut sweep = Sweep::new(&index);
/// let mut legal = vec![sweep.tier().without_line()];
/// while sweep.advance() {
///     legal.push(sweep.tier().without_line() + sweep.tier().with_line());
/// }
/// assert_eq!(legal[..4], [1, 4, 16, 52]);
/// assert_eq!(legal.iter().sum::<u64>(), 161_029);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sweep<'a> {
    index: &'a Index,
    tier: ReachTier,
    spare: Vec<u64>,
}

impl<'a> Sweep<'a> {
    /// Starts at the empty board.
    pub fn new(index: &'a Index) -> Sweep<'a> {
        Sweep { index, tier: ReachTier::start(index), spare: Vec::new() }
    }

    /// Returns the tier that the sweep has come to.
    pub fn tier(&self) -> &ReachTier {
        &self.tier
    }

    /// Goes one ply on; `false` where the board is full and there is none.
    pub fn advance(&mut self) -> bool {
        if self.tier.layout().ply() == self.index.board().cells() as u32 {
            return false;
        }
        let next = ReachTier::after(self.index, &self.tier, std::mem::take(&mut self.spare));
        self.spare = std::mem::replace(&mut self.tier, next).into_buffer();
        true
    }
}
