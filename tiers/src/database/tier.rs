//! A tier that is open for probing: from a quiet position to its chunk, its block, its symbol.

use std::path::{Path, PathBuf};

use fourbase::{Outcome, Position};
use rayon::prelude::*;

use super::cache::Cache;
use super::codes::Chunk;
use crate::files::{FileError, Storage};
use crate::format::chunk::{self, Chunks};
use crate::format::container::Reader;
use crate::format::expanded::Expanded;
use crate::format::plausible::check_tier;
use crate::format::{Expected, TierRecord, open, tier_path};
use crate::index::{Index, Shape, TierDirectory, shapes};
use crate::kernel::{Coding, Values};

/// A tier that is open for probing.
#[derive(Debug)]
pub(crate) struct OpenTier {
    path: PathBuf,
    directory: TierDirectory,
    coding: Coding,
    reader: Reader,
    chunks: Chunks,
}

impl OpenTier {
    /// Opens the file of a stored tier and reads its directory; of the file's blocks nothing is read.
    ///
    /// # Errors
    /// Where the file cannot be read, is damaged, or is not that of the manifest's record. The record and the length of the
    /// file are checked before the tables of the tier are made.
    pub fn open(
        storage: &dyn Storage,
        folder: &Path,
        index: &Index,
        values: Values,
        record: &TierRecord,
    ) -> Result<OpenTier, FileError> {
        let TierRecord { ply, entries, bytes, .. } = *record;
        let path = tier_path(folder, ply);
        let expected = Expected { values, ply, entries, bytes };
        let (reader, chunks) = open(storage, &path, index, &expected)?;
        check_tier(&path, index.board(), record)?;
        let shapes: Vec<Shape> = shapes(index, ply).collect();
        let shape_entries = reader.shape_entries(shapes.len())?;
        let directory = TierDirectory::with_entries(index, ply, shapes, &shape_entries)
            .filter(|directory| directory.entries() == entries)
            .ok_or_else(|| FileError::Damaged {
                file: path.clone(),
                offset: 0,
                what: "the shapes are not the tier's",
            })?;
        Ok(OpenTier { path, directory, coding: Coding::new(index.board(), values, ply), reader, chunks })
    }

    /// Looks a quiet position up.
    pub fn outcome(&self, index: &Index, cache: &Cache, position: &Position) -> Result<Outcome, FileError> {
        let rank = self.directory.rank(index, &index.split().parts(position));
        let rank = rank.ok_or_else(|| self.damaged("a position has no entry"))?;
        let (number, entry) = self.chunks.place(rank);
        let chunk = Chunk { ply: self.directory.ply(), number, planes: self.coding.planes() };
        let code = cache.code(chunk, entry, || self.unpack(index, cache, number))?;
        self.coding.decode(code).ok_or_else(|| self.damaged("a position has no value"))
    }

    /// Returns the number of the block that holds an entry.
    ///
    /// # Errors
    /// Where the file cannot be read or is damaged.
    pub fn block_of(&self, entry: u64) -> Result<u64, FileError> {
        Ok(self.reader.block_of(self.chunks.place(entry).0)?.0)
    }

    /// Returns the file.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Returns where the entries of the tier begin, as the file says.
    pub fn directory(&self) -> &TierDirectory {
        &self.directory
    }

    /// Returns how the tier is cut into chunks, as the file says.
    pub fn chunks(&self) -> &Chunks {
        &self.chunks
    }

    fn damaged(&self, what: &'static str) -> FileError {
        FileError::Damaged { file: self.path.clone(), offset: 0, what }
    }

    /// Reads a block, checks it and expands it.
    fn expand(&self, number: u64) -> Result<Expanded, FileError> {
        let (payload, chunks) = self.reader.block(number)?;
        Expanded::new(&payload, chunks, &self.chunks, &self.coding)
            .ok_or_else(|| self.reader.damaged(number, "a block does not expand to its symbols"))
    }

    /// Puts the symbols of a chunk in their places.
    fn unpack(&self, index: &Index, cache: &Cache, number: u64) -> Result<Vec<u64>, FileError> {
        let (block_number, place) = self.reader.block_of(number)?;
        let block = cache.block(self.directory.ply(), block_number, || self.expand(block_number))?;
        let quiet = chunk::quiet(index, &self.directory, &self.chunks, number);
        let count = block.count(place);
        if quiet.iter().map(|word| word.count_ones() as usize).sum::<usize>() != count {
            let what = "a chunk's number of values differs from its number of quiet entries";
            return Err(self.reader.damaged(block_number, what));
        }
        let mut words = vec![0; self.coding.planes() * self.chunks.words()];
        let symbols = block.planes(&self.coding, place);
        let plane_words = count.div_ceil(64).max(1);
        for (symbols, words) in symbols.chunks_exact(plane_words).zip(words.chunks_exact_mut(self.chunks.words())) {
            index.kernel().unpack(symbols, &quiet, words);
        }
        Ok(words)
    }

    /// Reads all blocks, checks and expands them.
    ///
    /// # Errors
    /// What is wrong with the first block that is not as it was written.
    pub fn check(&self) -> Result<(), FileError> {
        let checked = (0..self.reader.blocks()).into_par_iter().map(|number| self.expand(number).map(drop));
        checked.find_first(Result::is_err).unwrap_or(Ok(()))
    }
}
