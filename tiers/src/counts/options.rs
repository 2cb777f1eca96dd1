//! What a caller asks of a count, and what it gives.

use std::path::{Path, PathBuf};

use fourbase::Board;

use super::table::{Counts, PlyLegal};
use crate::kernel::{Kernel, Values};
use crate::tier::BLOCK_WORDS;

/// A count that can be run: which board, by which values, and how.
///
/// ```
/// use fourbase_tiers::counts::{Count, Counted};
///
/// let Counted::Legal(plies) = Count::new("4x4".parse()?, None).run()? else { unreachable!() };
/// assert_eq!(plies.iter().map(|ply| ply.legal).sum::<u64>(), 161_029);
/// assert_eq!(plies[3].legal, 52);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Count {
    pub(super) board: Board,
    pub(super) values: Option<Values>,
    pub(super) memory_bytes: u64,
    pub(super) kernel: Kernel,
    pub(super) root: PathBuf,
    pub(super) in_files: bool,
    pub(super) block_words: usize,
}

impl Count {
    /// Prepares a count of legal positions by ply, and with `values` also by value, which solves the board. Without further
    /// settings it has no limit of memory and uses the fastest kernels; files, where needed, go below the folder `db`.
    pub fn new(board: Board, values: Option<Values>) -> Count {
        Count {
            board,
            values,
            memory_bytes: u64::MAX,
            kernel: Kernel::detect(),
            root: PathBuf::from("db"),
            in_files: false,
            block_words: BLOCK_WORDS,
        }
    }

    /// Limits the memory. A count that does not fit uses files.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Count {
        self.memory_bytes = bytes;
        self
    }

    /// Sets the kernels. All give the same counts.
    #[must_use]
    pub fn kernel(mut self, kernel: Kernel) -> Count {
        self.kernel = kernel;
        self
    }

    /// Sets the folder in which a count in files makes its own.
    #[must_use]
    pub fn root(mut self, root: &Path) -> Count {
        self.root = root.to_path_buf();
        self
    }

    /// Uses files even if the board fits into memory.
    #[must_use]
    pub fn in_files(mut self, in_files: bool) -> Count {
        self.in_files = in_files;
        self
    }

    /// Sets about how many words a block in files has. Every number gives the same counts.
    #[cfg(any(test, feature = "testing"))]
    #[must_use]
    pub fn block_words(mut self, block_words: usize) -> Count {
        self.block_words = block_words;
        self
    }

    /// Returns the folder of the count's files.
    pub fn folder(&self) -> PathBuf {
        let kind = self.values.map_or_else(|| "legal".to_owned(), |values| values.to_string());
        self.root.join(self.board.to_string()).join(format!("count-{kind}"))
    }
}

/// What was counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Legal positions by ply.
    Legal(Vec<PlyLegal>),
    /// Legal positions by ply, value and remoteness.
    Values(Counts),
}
