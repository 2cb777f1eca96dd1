//! A tier that is open for probing: finds the chunk, the block and the symbol of a quiet position.

use std::path::Path;

use fourbase::{Outcome, Position};

use super::cache::{Cache, Chunk, Place};
use crate::files::{FileError, ReadStorage};
use crate::format::chunk::{self, Chunks};
use crate::format::codec::DecodedBlock;
use crate::format::plausible::check_tier;
use crate::format::tier_file::{Header, Reader};
use crate::format::{TierRecord, check_length, tier_path};
use crate::index::{Index, Shape, TierDirectory, count_shapes, shapes};
use crate::kernel::pack::Unpack;
use crate::kernel::{Coding, Values};

/// A tier that is open for probing.
#[derive(Debug)]
pub(crate) struct OpenTier {
    /// The first entry of each of the tier's shapes (see [`TierDirectory`]), from the file's list of entries per shape.
    pub directory: TierDirectory,
    coding: Coding,
    pub reader: Reader,
}

impl OpenTier {
    /// Opens the file of a stored tier and reads its directory, but no block.
    ///
    /// # Errors
    /// If the file can't be read, is damaged, or does not match the manifest's record. Checks the record and the length
    /// of the file before it makes the tables of the tier.
    pub fn open(
        storage: &dyn ReadStorage,
        folder: &Path,
        index: &Index,
        values: Values,
        record: &TierRecord,
    ) -> Result<OpenTier, FileError> {
        let TierRecord { ply, entries, bytes, .. } = *record;
        let path = tier_path(folder, ply);
        let board = index.board();
        let likely = Chunks::likely(entries).map(|chunks| Header { board, values, ply, chunks });
        let reader = Reader::open(storage, &path, bytes, count_shapes(board, ply), likely, |header, found_bytes| {
            let chunks = Chunks { tier_entries: entries, ..header.chunks };
            if !chunks.are_possible() || *header != (Header { board, values, ply, chunks }) {
                let expected = format!("{board} {values} ply {ply} of {entries} entries");
                let Header { board, values, ply, chunks: Chunks { tier_entries, each, .. } } = header;
                let found = format!("{board} {values} ply {ply} of {tier_entries} entries in chunks of {each}");
                return Err(FileError::wrong(&path, "the content", expected, found));
            }
            check_length(&path, bytes, found_bytes)
        })?;
        check_tier(&path, board, record)?;
        let shapes: Vec<Shape> = shapes(index, ply).collect();
        let shape_entries = reader.shape_entries(shapes.len())?;
        let has_all = shapes.len() == shape_entries.len();
        let directory = TierDirectory::of_shapes(index, ply, shapes, &shape_entries, 0);
        if !has_all || directory.entries() != entries {
            return Err(FileError::damaged(&path, 0, "the shapes are not the tier's"));
        }
        Ok(OpenTier { directory, coding: Coding::new(board, values, ply), reader })
    }

    /// Finds the place of a stored position.
    pub fn locate(&self, index: &Index, cache: &Cache, position: &Position) -> Result<Place, FileError> {
        let rank = self.directory.rank(index, &index.split.parts(position));
        Ok(self.place(cache, rank.ok_or_else(|| self.damaged("a position has no entry"))?))
    }

    /// Looks a stored position up.
    pub fn outcome(&self, index: &Index, cache: &Cache, (chunk, entry): Place) -> Result<Outcome, FileError> {
        let code = cache.code(chunk, entry, || self.unpack(index, cache, chunk.number))?;
        self.coding.decode(code).ok_or_else(|| self.damaged("a position has no value"))
    }

    /// Prepares for look-ups of these quiet positions: requests the parts of the file that the cache lacks.
    pub fn read_ahead<'p>(&self, index: &Index, cache: &Cache, positions: impl Iterator<Item = &'p Position>) {
        let ranks = positions.filter_map(|position| self.directory.rank(index, &index.split.parts(position)));
        let missing = ranks
            .map(|rank| self.place(cache, rank))
            .filter(|(chunk, entry)| cache.codes.get(*chunk, *entry).is_none());
        let chunks: Vec<u64> = missing.map(|(chunk, _)| chunk.number).collect();
        self.reader
            .read_ahead(&chunks, |block| cache.blocks.get(&(cache.database, self.directory.ply, block)).is_some());
    }

    /// Returns the chunk of an entry and the entry's number in the chunk.
    fn place(&self, cache: &Cache, rank: u64) -> Place {
        let (number, entry) = self.reader.chunks.place(rank);
        (Chunk { database: cache.database, ply: self.directory.ply, number, planes: self.coding.planes }, entry)
    }

    fn damaged(&self, what: &'static str) -> FileError {
        FileError::damaged(&self.reader.path, 0, what)
    }

    /// Reads a block, checks it and expands it.
    pub fn expand(&self, number: u64) -> Result<DecodedBlock, FileError> {
        let (payload, chunks) = self.reader.block(number)?;
        DecodedBlock::new(&payload, chunks, &self.reader.chunks, &self.coding)
            .ok_or_else(|| self.reader.damaged(number, "a block does not expand to its symbols"))
    }

    /// Returns the codes of a chunk's entries, plane after plane. Stored entries have their symbols as codes; all
    /// others have 0.
    fn unpack(&self, index: &Index, cache: &Cache, number: u64) -> Result<Vec<u64>, FileError> {
        let (block_number, place) = self.reader.block_of(number)?;
        let block = cache.block(self.directory.ply, block_number, || self.expand(block_number))?;
        let quiet = chunk::quiet(index, &self.directory, &self.reader.chunks, number);
        let count = block.count(place);
        if quiet.iter().map(|word| word.count_ones() as usize).sum::<usize>() != count {
            let what = "a chunk's number of values differs from its number of quiet entries";
            return Err(self.reader.damaged(block_number, what));
        }
        let mut words = vec![0; self.coding.planes * self.reader.chunks.words()];
        let symbols = block.planes(&self.coding, place);
        let plane_words = count.div_ceil(64).max(1);
        for (symbols, words) in
            symbols.chunks_exact(plane_words).zip(words.chunks_exact_mut(self.reader.chunks.words()))
        {
            index.kernel.run(Unpack { stream: symbols, quiet: &quiet, out: words });
        }
        Ok(words)
    }
}
