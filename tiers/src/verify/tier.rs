//! A stored tier: its blocks, and which of its entries have a value there.

use std::ops::Range;

use fourbase::{Outcome, Position};

use super::codes::Codes;
use super::decode::Block;
use super::fault::Fault;
use super::walk::{quiet_entries, quiet_positions};
use crate::database::{Database, DatabaseError, OpenTier};
use crate::index::{Index, Parts};

/// A stored tier whose file is whole.
pub(super) struct StoredTier {
    pub ply: u32,
    open: OpenTier,
    codes: Codes,
    /// How many values each block holds.
    pub blocks: Vec<u32>,
}

/// The values of a chunk: which of its entries are quiet, as this verification finds, and the codes that the file has.
#[derive(Debug)]
pub(super) struct Chunk {
    /// A bit an entry.
    quiet: Box<[u64]>,
    /// Quiet entries before each word.
    before: Box<[u16]>,
    codes: Box<[u8]>,
    /// There are as many codes as quiet entries.
    fits: bool,
}

impl StoredTier {
    /// Takes a file that is open and reads no block of it.
    pub fn new(database: &Database, open: OpenTier) -> StoredTier {
        let ply = open.directory().ply();
        let codes = Codes::new(database.board(), database.values(), ply);
        StoredTier { ply, open, codes, blocks: Vec::new() }
    }

    /// Returns the open file.
    pub fn file(&self) -> &OpenTier {
        &self.open
    }

    /// Counts the stored values.
    pub fn count(&self) -> u64 {
        self.blocks.iter().map(|values| u64::from(*values)).sum()
    }

    /// Returns the entry of a position; `None` where it has none.
    pub fn rank(&self, index: &Index, parts: &Parts) -> Option<u64> {
        self.open.directory().rank(index, parts)
    }

    /// Counts the chunks.
    pub fn chunks(&self) -> u64 {
        self.open.chunks().count()
    }

    /// Returns the entries of a chunk.
    pub fn entries(&self, chunk: u64) -> Range<u64> {
        self.open.chunks().entries(chunk..chunk + 1)
    }

    /// Returns the chunk that holds an entry, and the entry's place in it.
    pub fn chunk_of(&self, entry: u64) -> (u64, usize) {
        self.open.chunks().place(entry)
    }

    /// Returns the block that holds a chunk, and the chunk's place in it.
    ///
    /// # Errors
    /// What is wrong with the file's directory.
    pub fn block_of(&self, chunk: u64) -> Result<(u64, usize), DatabaseError> {
        Ok(self.open.reader().block_of(chunk)?)
    }

    /// Returns the first chunk of a block.
    ///
    /// # Errors
    /// What is wrong with the file's directory.
    pub fn first_chunk(&self, block: u64) -> Result<u64, DatabaseError> {
        Ok(self.open.reader().first_chunk(block)?)
    }

    /// Reads a block and decodes it.
    ///
    /// # Errors
    /// [`Fault::File`] or [`Fault::Block`].
    pub fn read_block(&self, block: u64) -> Result<Block, Fault> {
        let (payload, chunks) = self.open.reader().block(block).map_err(|error| Fault::File(error.into()))?;
        let decoded = Block::decode(&payload, chunks, self.open.chunks().each, &self.codes);
        decoded.map_err(|what| Fault::Block { ply: self.ply, block, what })
    }

    /// Makes an error of something that is wrong with the chunk of an entry.
    pub fn damaged(&self, entry: u64, what: &'static str) -> DatabaseError {
        match self.block_of(self.chunk_of(entry).0) {
            Ok((block, _)) => self.open.reader().damaged(block, what).into(),
            Err(error) => error,
        }
    }

    /// Returns the codes of a chunk of a block of the tier.
    pub fn codes(&self, block: &Block, place: usize) -> Vec<u8> {
        block.chunk(place, &self.codes)
    }

    /// Returns the outcome that a code of the tier stands for.
    pub fn outcome(&self, code: u8) -> Option<Outcome> {
        self.codes.outcome(code)
    }

    /// Returns the position of an entry; `None` where it is not quiet.
    pub fn quiet_position(&self, index: &Index, entry: u64) -> Option<Position> {
        let found = quiet_positions(index, self.open.directory(), entry..entry + 1);
        found.first().map(|(_, position)| *position)
    }

    /// Finds the quiet positions of a chunk, each with its entry.
    pub fn quiet_positions(&self, index: &Index, chunk: u64) -> Vec<(u64, Position)> {
        quiet_positions(index, self.open.directory(), self.entries(chunk))
    }

    /// Finds the quiet entries of a chunk.
    pub fn quiet_entries(&self, index: &Index, chunk: u64) -> Vec<u64> {
        quiet_entries(index, self.open.directory(), self.entries(chunk))
    }
}

impl Chunk {
    /// Puts the codes of a chunk beside the chunk's quiet entries.
    pub fn new(entries: &Range<u64>, quiet: &[u64], codes: Vec<u8>) -> Chunk {
        let mut mask = vec![0u64; (entries.end - entries.start).div_ceil(64) as usize];
        for entry in quiet {
            let inside = entry - entries.start;
            if let Some(word) = mask.get_mut(inside as usize / 64) {
                *word |= 1 << (inside % 64);
            }
        }
        let mut sum = 0;
        let before = mask.iter().map(|word| {
            let before = sum;
            sum += word.count_ones() as u16;
            before
        });
        Chunk { before: before.collect(), fits: codes.len() == quiet.len(), codes: codes.into(), quiet: mask.into() }
    }

    /// Returns the code of an entry, given by its place in the chunk; `None` where the entry is not quiet, or where the
    /// block has not as many codes as the chunk has quiet entries.
    pub fn code(&self, place: usize) -> Option<u8> {
        let word = self.quiet.get(place / 64)?;
        let before = u32::from(*self.before.get(place / 64)?) + (word & ((1 << (place % 64)) - 1)).count_ones();
        let is_quiet = word >> (place % 64) & 1 == 1;
        self.codes.get(before as usize).copied().filter(|_| is_quiet && self.fits)
    }

    /// Returns the memory that the chunk takes.
    pub fn bytes(&self) -> usize {
        size_of::<Chunk>() + size_of_val(&*self.quiet) + size_of_val(&*self.before) + self.codes.len()
    }
}
