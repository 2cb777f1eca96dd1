//! The options of the tests' solves.

use std::path::Path;

use fourbase::Board;
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::solve::{BLOCK_WORDS, CHECKPOINT, Options};

/// What a solve may take: far more than any board of these tests needs.
pub const MEMORY_BYTES: u64 = 4 << 30;

/// The options of a solve with the fastest kernels.
pub fn options(root: &Path, board: Board, values: Values) -> Options {
    Options {
        board,
        values,
        root: root.to_path_buf(),
        memory_bytes: MEMORY_BYTES,
        kernel: Kernel::detect(),
        replace: false,
        scratch: None,
        block_words: BLOCK_WORDS,
        checkpoint: CHECKPOINT,
        keep_plies: None,
    }
}
