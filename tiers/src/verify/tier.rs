//! Reads a stored tier as `docs/reference/file-format.md` specifies: decodes its blocks one symbol at a time, and
//! converts its codes into outcomes.

use std::ops::Range;
use std::sync::OnceLock;

use bitvec::prelude::*;
use fourbase::{Board, Outcome, Player, Value};

use crate::database::{Database, DatabaseError, OpenTier};
use crate::files::frame;
use crate::kernel::Values;

/// A stored tier whose file is sound.
pub(super) struct StoredTier {
    pub ply: u32,
    pub open: OpenTier,
    pub codes: TierCodes,
    /// For each block, the number of values in it and in all blocks before it; empty until all blocks are read.
    pub block_ends: Vec<u64>,
}

impl StoredTier {
    /// Makes the tier from an open file, without reading any block.
    pub fn new(database: &Database, open: OpenTier) -> StoredTier {
        let ply = open.directory.ply;
        let codes = TierCodes::new(database.board(), database.values(), ply);
        StoredTier { ply, open, codes, block_ends: Vec::new() }
    }

    /// Counts the stored values.
    pub fn count(&self) -> u64 {
        self.block_ends.last().copied().unwrap_or(0)
    }

    /// Returns the entries of a chunk.
    pub fn entries(&self, chunk: u64) -> Range<u64> {
        self.open.reader.chunks.entries(chunk..chunk + 1)
    }

    /// Reads and decodes a block. The inner error says why the block does not decode although its checksum is right.
    pub fn read_block(&self, block: u64) -> Result<Result<Block, &'static str>, DatabaseError> {
        let (payload, chunks) = self.open.reader.block(block)?;
        Ok(Block::decode(&payload, chunks, self.open.reader.chunks.each, &self.codes))
    }
}

/// The codes of one tier: how many bits a code has, and which outcome it stands for.
#[derive(Debug)]
pub(super) struct TierCodes {
    /// Bits of a code in a block: 2 or 8.
    bits: usize,
    /// The outcome of each code; `None` for an invalid code.
    outcomes: Vec<Option<Outcome>>,
}

impl TierCodes {
    /// Lists the codes of the tier with `ply` pieces.
    pub fn new(board: Board, values: Values, ply: u32) -> TierCodes {
        let (mover, cells) = (Player::to_move(ply), board.cells() as u32);
        let won_by = |winner: Player| if winner == mover { Value::Win } else { Value::Lose };
        let outcome = |value, remoteness| Some(Outcome { value, remoteness });
        if values == Values::Wdl {
            let [first, second] = Player::BOTH.map(|winner| outcome(won_by(winner), None));
            return TierCodes { bits: 2, outcomes: vec![second, outcome(Value::Tie, None), None, first] };
        }
        // The plies at which `winner` can win, the latest first.
        let ends = |winner: Player| {
            // After a move of the first player, the ply is odd. A line completed by that move wins, or loses under
            // misère.
            let parity = u32::from((winner == Player::First) != board.is_misere());
            (ply..=cells).rev().filter(move |end| end % 2 == parity)
        };
        // The middle code, a power of two, stands for a tie. Codes above it stand for wins of the first player, codes
        // below it for wins of the second player. The latest wins are next to the middle.
        let middle = (ends(Player::First).count() + 1).max(ends(Player::Second).count()).max(2).next_power_of_two();
        let decode = |code: usize| {
            let winner = if code > middle { Player::First } else { Player::Second };
            match code.abs_diff(middle).checked_sub(1) {
                None => outcome(Value::Tie, Some(cells - ply)),
                Some(place) => outcome(won_by(winner), Some(ends(winner).nth(place)? - ply)),
            }
        };
        TierCodes { bits: 8, outcomes: (0..2 * middle).map(decode).collect() }
    }

    /// Returns the outcome of a code for the player to move; `None` for an invalid code.
    pub fn outcome(&self, code: u8) -> Option<Outcome> {
        self.outcomes.get(usize::from(code)).copied().flatten()
    }

    /// Returns how many bytes `codes` packed codes take in a block.
    pub fn bytes(&self, codes: usize) -> usize {
        (codes * self.bits).div_ceil(8)
    }

    /// Returns code number `number` (from 0) of some packed codes; `None` beyond their end.
    pub fn unpack(&self, packed: &[u8], number: usize) -> Option<u8> {
        let bit = number * self.bits;
        Some(packed.get(bit / 8)? >> (bit % 8) & (u8::MAX >> (8 - self.bits)))
    }
}

/// A block whose symbols (the codes of its values) stay packed, because most uses need only the number of symbols or
/// the symbols of a few chunks.
#[derive(Debug)]
pub(super) struct Block {
    /// For each chunk, the number of symbols before it; at the end, the number of all symbols.
    starts: Vec<u32>,
    /// The number of symbols of each chunk, in two bytes; after these counts, the packed symbols.
    bytes: Vec<u8>,
    /// For each chunk used so far, a mask of its quiet entries; `None` if it has more or fewer quiet entries than
    /// symbols.
    quiet: Vec<OnceLock<Option<BitVec>>>,
    /// The memory in bytes that the block takes once it has the masks of all its chunks.
    pub most_bytes: usize,
}

impl Block {
    /// Decodes the bytes of a block of `chunks` chunks of at most `chunk_entries` entries.
    ///
    /// # Errors
    /// The fault of the bytes.
    pub fn decode(payload: &[u8], chunks: usize, chunk_entries: u32, codes: &TierCodes) -> Result<Block, &'static str> {
        let most_bytes = 2 * chunks + codes.bytes(chunks * chunk_entries as usize);
        let bytes = frame::expand(payload, most_bytes).ok_or("a block is no frame of zstd, or too long a one")?;
        let (counts, packed) = bytes.split_at_checked(2 * chunks).ok_or("a block is shorter than its counts")?;
        let (mut starts, mut all) = (vec![0], 0u32);
        for count in counts.chunks_exact(2) {
            let count = count.iter().rev().fold(0, |count, byte| count << 8 | u32::from(*byte));
            if count > chunk_entries {
                return Err("a chunk of a block has more symbols than entries");
            }
            all += count;
            starts.push(all);
        }
        if packed.len() != codes.bytes(all as usize) {
            return Err("a block's symbols do not match its counts");
        }
        let quiet: Vec<_> = (0..chunks).map(|_| OnceLock::new()).collect();
        let most_bytes = size_of::<Block>() + size_of_val(&*starts) + bytes.len() + size_of_val(&*quiet);
        Ok(Block { starts, bytes, quiet, most_bytes: most_bytes + chunks * (chunk_entries / 8) as usize })
    }

    /// Counts the chunks.
    pub fn chunks(&self) -> usize {
        self.quiet.len()
    }

    /// Returns the range of the block's symbols (from 0) that belong to a chunk.
    pub fn numbers(&self, chunk: usize) -> Range<u32> {
        if let Some([start, end, ..]) = self.starts.get(chunk..) { *start..*end } else { 0..0 }
    }

    /// Returns the code of the entry at `place` in the block's chunk number `chunk`, both from 0. Returns `None` if the
    /// entry is not quiet, or if the chunk's numbers of symbols and of quiet entries differ. `find_quiet` returns a
    /// mask of the quiet entries.
    pub fn code(
        &self,
        chunk: usize,
        place: usize,
        codes: &TierCodes,
        find_quiet: impl FnOnce() -> BitVec,
    ) -> Option<u8> {
        let numbers = self.numbers(chunk);
        let find = || Some(find_quiet()).filter(|quiet| quiet.count_ones() == numbers.len());
        let quiet = self.quiet.get(chunk)?.get_or_init(find).as_ref()?;
        let number = numbers.start as usize + quiet.get(..place)?.count_ones();
        if *quiet.get(place)? { codes.unpack(self.packed(), number) } else { None }
    }

    /// Returns the packed symbols.
    pub fn packed(&self) -> &[u8] {
        self.bytes.get(2 * (self.starts.len() - 1)..).unwrap_or_default()
    }

    /// Counts the symbols.
    pub fn len(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Coding;

    #[test]
    fn codes_stand_for_the_outcomes_that_the_solver_means_by_them() {
        for name in ["4x4", "5x5", "4x4m", "5x3m", "1x1", "1x8", "3x3c3", "6x6", "7x6", "5x5m"] {
            let board: Board = name.parse().unwrap();
            for ply in 0..=board.cells() as u32 {
                for values in [Values::Wdl, Values::Remoteness] {
                    let (codes, coding) = (TierCodes::new(board, values, ply), Coding::new(board, values, ply));
                    for code in 0..1 << coding.planes {
                        assert_eq!(codes.outcome(code), coding.decode(code), "{name} {values} ply {ply} code {code}");
                    }
                }
            }
        }
    }

    fn codes(block: &Block, codes: &TierCodes, chunk: usize) -> Vec<u8> {
        block.numbers(chunk).filter_map(|number| codes.unpack(block.packed(), number as usize)).collect()
    }

    #[test]
    fn the_block_of_the_format_page_decodes_to_what_the_page_says() {
        let of_tier = TierCodes::new("3x3c3".parse().unwrap(), Values::Wdl, 3);
        let payload = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x05, 0x29, 0x00, 0x00, 0x0c, 0x00, 0xf7, 0x41, 0xd1];
        let block = Block::decode(&payload, 1, 256, &of_tier).unwrap();
        assert_eq!(codes(&block, &of_tier, 0), [3, 1, 3, 3, 1, 0, 0, 1, 1, 0, 1, 3]);
        for (bytes, chunks, chunk_entries) in [(&payload[..13], 1, 256), (&payload, 2, 256), (&payload, 1, 11)] {
            assert!(Block::decode(bytes, chunks, chunk_entries, &of_tier).is_err());
        }
    }

    #[test]
    fn blocks_whose_counts_do_not_fit_are_refused() {
        let of_tier = TierCodes::new("4x4".parse().unwrap(), Values::Remoteness, 3);
        let decode = |bytes: &[u8]| Block::decode(&frame::compress(bytes, 1).unwrap(), 2, 256, &of_tier);
        let block = decode(&[2, 0, 1, 0, 7, 8, 9]).unwrap();
        assert_eq!([0, 1, 2].map(|chunk| codes(&block, &of_tier, chunk)), [vec![7, 8], vec![9], vec![]]);
        for bad in [&[2, 0, 1, 0, 7, 8][..], &[2, 0, 1, 0, 7, 8, 9, 0], &[1, 1, 0, 0], &[2, 0, 1]] {
            assert!(decode(bad).is_err(), "{bad:?}");
        }
    }
}
