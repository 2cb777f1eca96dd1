//! A block of a file of values, decoded by `docs/format.md` one symbol at a time.

use super::codes::Codes;
use crate::files::frame;

/// The symbols of a block, still packed: of most blocks that are read only their number is asked, or one chunk.
#[derive(Debug)]
pub(super) struct Block {
    /// Symbols before each chunk, and all of them.
    starts: Vec<u32>,
    /// The counts of all chunks, then the packed symbols.
    bytes: Vec<u8>,
}

impl Block {
    /// Decodes the bytes of a block of `chunks` chunks of at most `chunk_entries` entries.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn decode(payload: &[u8], chunks: usize, chunk_entries: u32, codes: &Codes) -> Result<Block, &'static str> {
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
        Ok(Block { starts, bytes })
    }

    /// Returns the codes of a chunk of the block; none where the block has no such chunk.
    pub fn chunk(&self, place: usize, codes: &Codes) -> Vec<u8> {
        let Some((start, end)) = self.starts.get(place).zip(self.starts.get(place + 1)) else { return Vec::new() };
        let packed = self.bytes.get(2 * (self.starts.len() - 1)..).unwrap_or_default();
        let mut all = Vec::with_capacity((end - start) as usize);
        all.extend((*start as usize..*end as usize).filter_map(|number| codes.unpack(packed, number)));
        all
    }

    /// Counts the symbols.
    pub fn len(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Returns the chunk of the block that holds a symbol, and the symbol's number in the chunk.
    pub fn place_of(&self, symbol: u32) -> Option<(usize, u32)> {
        let chunk = self.starts.iter().take_while(|start| **start <= symbol).count().checked_sub(1)?;
        (symbol < self.len()).then_some((chunk, symbol - self.starts.get(chunk)?))
    }

    /// Returns the memory that the block takes.
    pub fn bytes(&self) -> usize {
        size_of::<Block>() + size_of_val(&*self.starts) + self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Values;

    #[test]
    fn the_block_of_the_format_page_decodes_to_what_the_page_says() {
        let codes = Codes::new("3x3c3".parse().unwrap(), Values::Wdl, 3);
        let payload = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x05, 0x29, 0x00, 0x00, 0x0c, 0x00, 0xf7, 0x41, 0xd1];
        let block = Block::decode(&payload, 1, 256, &codes).unwrap();
        assert_eq!(block.chunk(0, &codes), [3, 1, 3, 3, 1, 0, 0, 1, 1, 0, 1, 3]);
        assert_eq!((block.place_of(11), block.place_of(12)), (Some((0, 11)), None));
        assert!(Block::decode(&payload[..13], 1, 256, &codes).is_err());
        assert!(Block::decode(&payload, 2, 256, &codes).is_err());
        assert!(Block::decode(&payload, 1, 11, &codes).is_err());
    }

    #[test]
    fn blocks_whose_counts_do_not_fit_are_refused() {
        let codes = Codes::new("4x4".parse().unwrap(), Values::Remoteness, 3);
        let decode = |bytes: &[u8]| Block::decode(&frame::compress(bytes, 1).unwrap(), 2, 256, &codes);
        let block = decode(&[2, 0, 1, 0, 7, 8, 9]).unwrap();
        assert_eq!([0, 1, 2].map(|place| block.chunk(place, &codes)), [vec![7, 8], vec![9], vec![]]);
        assert_eq!(block.len(), 3);
        assert_eq!([0, 1, 2, 3].map(|symbol| block.place_of(symbol)), [Some((0, 0)), Some((0, 1)), Some((1, 0)), None]);
        assert!(decode(&[0, 0, 2, 0, 7, 8]).unwrap().place_of(1) == Some((1, 1)));
        for bad in [&[2, 0, 1, 0, 7, 8][..], &[2, 0, 1, 0, 7, 8, 9, 0], &[1, 1, 0, 0], &[2, 0, 1]] {
            assert!(decode(bad).is_err(), "{bad:?}");
        }
    }
}
