//! A tier that is open for probing: from a quiet position to its chunk, its block, its symbol.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fourbase::{Board, Outcome, Position};
use rayon::prelude::*;

use super::cache::Cache;
use super::chunk::{self, Chunks};
use super::container::Reader;
use super::expanded::Expanded;
use super::folder::tier_path;
use super::manifest::TierRecord;
use super::storage::Storage;
use super::writer::{Expected, open};
use crate::error::DatabaseError;
use crate::index::{Index, Shape, TierDirectory, count_shapes, shapes};
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
    /// As for every file. Whether the file is the one of the manifest's record, and of a length that the tier can have, is
    /// checked before the tables of the tier are made, which take memory by the board.
    pub fn open(
        storage: &dyn Storage,
        folder: &Path,
        index: &Index,
        values: Values,
        record: &TierRecord,
    ) -> Result<OpenTier, DatabaseError> {
        let TierRecord { ply, entries, bytes, .. } = *record;
        let path = tier_path(folder, ply);
        let expected = Expected { values, ply, entries, bytes: Some(bytes) };
        let (reader, chunks) = open(storage, &path, index, &expected)?;
        if least_entries(index.board(), ply) > u128::from(entries) {
            let (expected, found) = ("that of the tier, far more".to_string(), entries.to_string());
            return Err(DatabaseError::Wrong { file: path, what: "the number of entries", expected, found });
        }
        let count = count_shapes(index.board(), ply);
        if count > most_shapes(index.board(), count, bytes) {
            let (expected, found) = (format!("that of a tier of {count} shapes, longer"), format!("{bytes} bytes"));
            return Err(DatabaseError::Wrong { file: path, what: "the length", expected, found });
        }
        let shapes: Vec<Shape> = shapes(index, ply).collect();
        let shape_entries = reader.shape_entries(shapes.len())?;
        let directory = TierDirectory::with_entries(index, ply, shapes, &shape_entries)
            .filter(|directory| directory.entries() == entries)
            .ok_or_else(|| DatabaseError::Damaged {
                file: path.clone(),
                offset: 0,
                what: "the shapes are not the tier's",
            })?;
        Ok(OpenTier { path, directory, coding: Coding::new(index.board(), values, ply), reader, chunks })
    }

    /// Looks a quiet position up.
    pub fn outcome(&self, index: &Index, cache: &Cache, position: &Position) -> Result<Outcome, DatabaseError> {
        let rank = self.directory.rank(index, &index.split().parts(position));
        let rank = rank.ok_or_else(|| self.damaged("a position has no entry"))?;
        let (number, entry) = self.chunks.place(rank);
        let chunk = self.chunk(index, cache, number)?;
        let code = chunk.chunks_exact(self.chunks.words()).enumerate().fold(0u8, |code, (plane, words)| {
            let word = words.get(entry / 64).copied().unwrap_or(0);
            code | ((word >> (entry % 64) & 1) as u8) << plane
        });
        self.coding.decode(code).ok_or_else(|| self.damaged("a position has no value"))
    }

    /// Returns the number of the block that holds an entry.
    ///
    /// # Errors
    /// As for every file.
    pub fn block_of(&self, entry: u64) -> Result<u64, DatabaseError> {
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

    fn damaged(&self, what: &'static str) -> DatabaseError {
        DatabaseError::Damaged { file: self.path.clone(), offset: 0, what }
    }

    /// Reads a block, checks it and expands it.
    fn expand(&self, number: u64) -> Result<Expanded, DatabaseError> {
        let (payload, chunks) = self.reader.block(number)?;
        Expanded::new(&payload, chunks, &self.chunks, &self.coding)
            .ok_or_else(|| self.reader.damaged(number, "a block does not expand to its symbols"))
    }

    /// Puts the symbols of a chunk in their places, or finds it in the cache.
    fn chunk(&self, index: &Index, cache: &Cache, number: u64) -> Result<Arc<[u64]>, DatabaseError> {
        let ply = self.directory.ply();
        cache.chunk(ply, number, || {
            let (block_number, place) = self.reader.block_of(number)?;
            let block = cache.block(ply, block_number, || self.expand(block_number))?;
            let quiet = chunk::quiet(index, &self.directory, &self.chunks, number);
            let count = block.count(place);
            if quiet.iter().map(|word| word.count_ones() as usize).sum::<usize>() != count {
                return Err(self.reader.damaged(block_number, "a chunk has not as many symbols as quiet entries"));
            }
            let mut words = vec![0; self.coding.planes() * self.chunks.words()];
            let symbols = block.planes(&self.coding, place);
            let plane_words = count.div_ceil(64).max(1);
            for (symbols, words) in symbols.chunks_exact(plane_words).zip(words.chunks_exact_mut(self.chunks.words())) {
                index.kernel().unpack(symbols, &quiet, words);
            }
            Ok(words)
        })
    }

    /// Reads all blocks, checks and expands them.
    ///
    /// # Errors
    /// What is wrong with the first block that is not as it was written.
    pub fn check(&self) -> Result<(), DatabaseError> {
        let checked = (0..self.reader.blocks()).into_par_iter().map(|number| self.expand(number).map(drop));
        checked.find_first(Result::is_err).unwrap_or(Ok(()))
    }
}

/// Shapes of which the tables take some megabytes: no matter.
const FEW_SHAPES: u128 = 1 << 17;

/// Where lines are shorter than three, most shapes have no entry, and a true database may be tiny beside its tables.
const MANY_SHAPES: u128 = 1 << 22;

/// Shapes of which the tables take some tens of megabytes, 60 bytes each, whatever the file.
const MOST_FREE_SHAPES: u128 = 1 << 19;

/// Tells how many shapes a tier has at most whose file is so long. A shape has many entries, and so takes more than a byte
/// of the file; what is read into memory is bounded by the file's length.
fn most_shapes(board: Board, shapes: u128, bytes: u64) -> u128 {
    let are_few = board.connect() < 3 && shapes < MANY_SHAPES;
    if are_few { MANY_SHAPES } else { MOST_FREE_SHAPES + u128::from(bytes) }
}

/// Tells how many entries a tier has at least, before any table is made: 0 where it does not matter. Almost every shape
/// has an entry, so a tier of far fewer is not what it says, and no table of its shapes has to be made to know that.
fn least_entries(board: Board, ply: u32) -> u128 {
    let columns = board.width() as u32;
    let all_shapes = (board.height() as u128 + 1).saturating_pow(columns);
    if all_shapes <= FEW_SHAPES {
        return 0;
    }
    // By the pieces on the board: in how many ways columns can have them.
    let mut ways = vec![0u128; ply as usize + 1];
    if let Some(none) = ways.first_mut() {
        *none = 1;
    }
    for _ in 0..columns {
        let taller = |pieces: usize| ways.iter().take(pieces + 1).rev().take(board.height() + 1).sum();
        ways = (0..ways.len()).map(taller).collect();
    }
    let shapes = ways.last().copied().unwrap_or(0) / 2;
    match shapes {
        0..FEW_SHAPES => 0,
        FEW_SHAPES..MANY_SHAPES if board.connect() < 3 => 0,
        _ => shapes / 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    #[test]
    fn the_least_number_of_entries_is_no_more_than_there_are() {
        let board: Board = "14x2c3".parse().unwrap();
        let index = Index::new(board, Kernel::detect()).unwrap();
        let mut bounded = 0;
        for ply in 8..=20 {
            let least = least_entries(board, ply);
            assert!(least <= u128::from(TierDirectory::new(&index, ply).entries()), "ply {ply}: {least}");
            bounded += usize::from(least > 0);
        }
        assert!(bounded > 0);
    }

    #[test]
    fn a_board_of_many_shapes_has_many_entries_at_least() {
        assert_eq!(least_entries("7x6".parse().unwrap(), 21), 0);
        assert!(least_entries("20x2".parse().unwrap(), 21) > 1 << 20);
        assert!(least_entries("20x2c2".parse().unwrap(), 21) > 1 << 20);
    }
}
