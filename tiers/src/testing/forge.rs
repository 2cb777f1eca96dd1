//! Forged databases, with valid checksums but no valid contents, to test the cost of opening them.

use std::path::Path;

use fourbase::{Board, Outcome, Value};

use crate::communicator::Alone;
use crate::files::{Disk, FileError, create_folder, publish};
use crate::format::chunk::Chunks;
use crate::format::codec::EncodedBlock;
use crate::format::tier_file::{Header, Writer};
use crate::format::{Manifest, TierRecord, folder_of, tier_path};
use crate::index::count_shapes;
use crate::kernel::Values;

/// The contents of a forged database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forged {
    /// The board.
    pub board: Board,
    /// The ply that its solve has reached; 0 if it is complete.
    pub solved_to: u32,
    /// The deepest ply that is kept; `None` if all are kept.
    pub keep_plies: Option<u32>,
    /// Bytes of the only block of each file.
    pub block_bytes: usize,
}

/// The most shapes that a forged file records. The file of a tier that has more shapes records too few.
const MOST_SHAPES: u128 = 1 << 22;

/// Writes a forged `wdl` database under the folder of all databases. Each tier claims many entries, but no more than a
/// reader accepts for the length of its file.
///
/// # Errors
/// If a file can't be written.
pub fn forge(root: &Path, forged: &Forged) -> Result<(), FileError> {
    let Forged { board, solved_to, keep_plies, block_bytes } = *forged;
    let (values, folder) = (Values::Wdl, folder_of(root, board, Values::Wdl));
    create_folder(&Disk, &folder, &mut Vec::new())?;
    let mut manifest = Manifest::new(board, values, keep_plies);
    let cells = board.cells() as u32;
    let entries = ((block_bytes as u64) << 17) / u64::from(cells);
    for ply in (solved_to..=cells).rev() {
        let mut record = TierRecord { ply, entries, bytes: 0, hash: None };
        if manifest.keeps(ply) {
            let chunks = Chunks { tier_entries: entries, each: 4096, has_forced: false };
            let header = Header { board, values, ply, chunks };
            let mut writer = Writer::create(&Disk, &tier_path(&folder, ply), &header, &Alone)?;
            writer.add(&[vec![EncodedBlock { payload: vec![0; block_bytes], chunks: 1 }]])?;
            let mut shapes = vec![0; count_shapes(board, ply).min(MOST_SHAPES) as usize];
            shapes.iter_mut().take(1).for_each(|first| *first = entries);
            if let Some((written, hash)) = writer.finish(&shapes)? {
                (record.bytes, record.hash) = (written.bytes, Some(hash));
                publish(&Disk, &folder, vec![written])?;
            }
        }
        manifest.tiers.push(record);
    }
    manifest.checkpoint = Some(solved_to);
    if solved_to == 0 {
        manifest.complete(Outcome { value: Value::Tie, remoteness: None });
    }
    manifest.write(&Disk, &folder)
}
