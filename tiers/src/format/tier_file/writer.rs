//! Writes the file of a tier, with one process or with several at once.
//!
//! The groups of chunks are written in batches. Group `g` of a batch belongs to rank `g % size`, which encodes it on
//! one of its threads. Then the ranks exchange the lengths of their blocks. From these lengths each rank computes where
//! its own blocks belong, and writes them there. The bytes of the file do not depend on the number of ranks.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::{DIRECTORY_ENTRY, END, Header, PAGE_BLOCKS, checksum};
use crate::communicator::{Communicator, gather};
use crate::context::Context;
use crate::files::{FileError, Storage, WriteFile, Written, frame, io_error, temporary_name};
use crate::format::Hash;
use crate::format::chunk::Chunks;
use crate::format::codec::{EncodedBlock, LEVEL, Packer};
use crate::format::folder::tier_path;
use crate::format::manifest::is_stored;
use crate::index::Index;
use crate::tier::Tier;

/// The number of groups of chunks that a rank encodes per batch. It bounds the memory for encoded blocks.
const BATCH_GROUPS: u64 = if cfg!(test) { 1 } else { 64 };

/// Writes the file of a solved tier, divided into `chunks`, together with all other ranks. Returns the file on rank 0;
/// the file is not yet durable and has a temporary name. Writes nothing for a tier that is not stored.
///
/// Before each batch, rank 0 checks whether to stop. If so, rank 0 removes the file, and all ranks stop.
pub(crate) fn write_tier(
    context: &Context,
    folder: &Path,
    index: &Index,
    tier: &Tier,
    chunks: &Chunks,
) -> Result<ControlFlow<(), Option<(Written, Hash)>>, FileError> {
    let (Context { storage, all, progress }, ply) = (*context, tier.ply());
    if !is_stored(ply) {
        return Ok(ControlFlow::Continue(None));
    }
    let header = Header { board: index.board(), values: tier.coding.values, ply, chunks: *chunks };
    let mut writer = Writer::create(storage, &tier_path(folder, ply), &header, all)?;
    let (groups, size) = (chunks.groups(), u64::from(all.size()));
    let mut first = 0;
    while first < groups {
        let mut stopped = [u64::from(all.is_root() && progress.is_stopped())];
        all.all_or(&mut stopped);
        if stopped != [0] {
            writer.abandon()?;
            return Ok(ControlFlow::Break(()));
        }
        let end = groups.min(first + BATCH_GROUPS * size);
        let own: Vec<u64> = (first + u64::from(all.rank())..end).step_by(size as usize).collect();
        let begin = || Packer::new(index, tier, chunks);
        let encoded: Result<Vec<_>, _> = own.into_par_iter().map_init(begin, Packer::encode).collect();
        writer.add(&encoded?)?;
        first = end;
    }
    Ok(ControlFlow::Continue(writer.finish(&tier.directory.shape_entries())?))
}

/// A file that all ranks are writing, under a temporary name.
pub(crate) struct Writer<'a> {
    storage: &'a dyn Storage,
    all: &'a dyn Communicator,
    path: PathBuf,
    temporary: PathBuf,
    file: Box<dyn WriteFile>,
    /// The hash of the sealed header.
    identity: u64,
    /// The offset of the next block.
    offset: u64,
    /// The directory of all ranks' blocks so far.
    directory: Vec<u8>,
    /// For each page of the directory, the offset and the first chunk of the page's first block.
    pages: Vec<(u64, u64)>,
    chunks: u64,
}

impl<'a> Writer<'a> {
    /// Creates the file that will later be at `path`.
    pub fn create(
        storage: &'a dyn Storage,
        path: &Path,
        header: &Header,
        all: &'a dyn Communicator,
    ) -> Result<Writer<'a>, FileError> {
        let temporary = temporary_name(path);
        let header = header.seal();
        if all.is_root() {
            let file = storage.create(&temporary).map_err(io_error(&temporary, "create"))?;
            file.write_all_at(&header, 0).map_err(io_error(&temporary, "write"))?;
        }
        // From here on the other ranks can open the file.
        all.barrier();
        let file = storage.open_to_write(&temporary).map_err(io_error(&temporary, "open"))?;
        Ok(Writer {
            storage,
            all,
            path: path.to_path_buf(),
            temporary,
            file,
            identity: xxh3_64(&header),
            offset: header.len() as u64,
            directory: Vec::new(),
            pages: Vec::new(),
            chunks: 0,
        })
    }

    /// Writes the blocks of the next groups. The groups belong to the ranks in turn; `own` has the groups of this rank,
    /// in order.
    ///
    /// # Errors
    /// If the file can't be written, or if another rank's message is invalid.
    pub fn add(&mut self, own: &[Vec<EncodedBlock>]) -> Result<(), FileError> {
        let size = |block: &EncodedBlock| (block.payload.len() as u32, block.chunks);
        let sizes: Vec<Vec<_>> = own.iter().map(|blocks| blocks.iter().map(size).collect()).collect();
        let gathered = gather(self.all, &sizes)?;
        let mut sizes: Vec<_> = gathered.into_iter().map(Vec::into_iter).collect();
        let (mut own, mut checksums, mut batch) = (own.iter(), Vec::new(), Vec::new());
        let (mut number, mut offset) = (self.blocks(), self.offset);
        for rank in (0..sizes.len()).cycle() {
            let Some(group) = sizes.get_mut(rank).and_then(Iterator::next) else { break };
            if rank == self.all.rank() as usize
                && let Some(blocks) = own.next()
            {
                let payloads: Vec<&[u8]> = blocks.iter().map(|block| &*block.payload).collect();
                self.file.write_all_at(&payloads.concat(), offset).map_err(io_error(&self.temporary, "write"))?;
                let of_block = |(number, payload)| checksum(payload, self.identity, number) as u32;
                checksums.extend((number..).zip(payloads).map(of_block));
            }
            number += group.len() as u64;
            offset += group.iter().map(|(length, _)| u64::from(*length)).sum::<u64>();
            batch.extend(group.into_iter().map(|(length, chunks)| (rank, length, chunks)));
        }
        let gathered = gather(self.all, &checksums)?;
        let mut checksums: Vec<_> = gathered.into_iter().map(Vec::into_iter).collect();
        for (rank, length, chunks) in batch {
            let checksum = checksums.get_mut(rank).and_then(Iterator::next);
            let checksum = checksum.ok_or(FileError::Message { rank: rank as u32 })?;
            if self.blocks().is_multiple_of(PAGE_BLOCKS) {
                self.pages.push((self.offset, self.chunks));
            }
            self.chunks += u64::from(chunks);
            self.offset += u64::from(length);
            self.directory.extend_from_slice(&length.to_le_bytes());
            self.directory.extend_from_slice(&chunks.to_le_bytes());
            self.directory.extend_from_slice(&checksum.to_le_bytes());
        }
        Ok(())
    }

    /// Returns the number of blocks so far.
    fn blocks(&self) -> u64 {
        (self.directory.len() / DIRECTORY_ENTRY) as u64
    }

    /// Removes the unfinished file.
    pub fn abandon(self) -> Result<(), FileError> {
        let Writer { storage, all, temporary, file, .. } = self;
        // Some systems can't remove an open file.
        drop(file);
        all.barrier();
        if all.is_root() { storage.remove(&temporary).map_err(io_error(&temporary, "remove")) } else { Ok(()) }
    }

    /// Writes the end of the file, with the directory and the number of entries of every shape. Returns the file on
    /// rank 0. Later, [`publish`](crate::files::publish) gives the file its final name.
    pub fn finish(self, shape_entries: &[u64]) -> Result<Option<(Written, Hash)>, FileError> {
        let blocks = self.blocks();
        let Writer { storage, all, file, offset, .. } = self;
        if !all.is_on_one_machine() {
            // Processes on other machines are sure to see only data that has reached the disk.
            file.sync().map_err(io_error(&self.temporary, "write"))?;
        }
        all.barrier();
        if !all.is_root() {
            return Ok(None);
        }
        let shapes: Vec<u8> = shape_entries.iter().flat_map(|entries| entries.to_le_bytes()).collect();
        let mut end = frame::compress(&shapes, LEVEL).map_err(io_error(&self.temporary, "compress"))?;
        let pages = self.directory.chunks(DIRECTORY_ENTRY * PAGE_BLOCKS as usize);
        for ((page, entries), (offset, chunk)) in (0..).zip(pages).zip(&self.pages) {
            let checksum = checksum(entries, self.identity, END - 1 - page);
            end.extend([*offset, *chunk, checksum].iter().flat_map(|number| number.to_le_bytes()));
        }
        end.extend([offset, blocks].iter().flat_map(|number| number.to_le_bytes()));
        end.extend(checksum(&end, self.identity, END).to_le_bytes());
        let end = [self.directory, end].concat();
        file.write_all_at(&end, offset).map_err(io_error(&self.temporary, "write"))?;
        // The hash needs the bytes of the file in order, but the ranks wrote blocks at the same time. Reading the file
        // again takes less than a thousandth of the time of a solve.
        let hash = Hash::of_file(storage, &self.temporary, &|_| true)?.unwrap_or_default();
        let written = Written { path: self.path, file, bytes: offset + end.len() as u64 };
        Ok(Some((written, hash)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Memory, Storage};
    use crate::kernel::{Kernel, Values};
    use crate::progress::StoppedBy;
    use crate::solve::in_memory;
    use crate::testing::Threads;

    #[test]
    fn any_number_of_ranks_writes_the_same_file_and_all_of_them_stop() {
        let index = Index::new("4x6".parse().unwrap(), Kernel::portable()).unwrap();
        let (folder, mut most_groups) = (Path::new("folder"), 0);
        let solved = in_memory(&index, Values::Wdl, |tier| {
            let chunks = Chunks::of_tier(&tier.directory, false, false);
            let groups = chunks.groups();
            most_groups = most_groups.max(groups);
            if groups == 1 && tier.ply() > 8 || !is_stored(tier.ply()) {
                return;
            }
            let write = |size, is_stopped| {
                let storage = Memory::default();
                let (written, _) = Threads::run(size, 2, |all| {
                    let context = Context { storage: &storage, all, progress: &StoppedBy(&|| is_stopped) };
                    let written = write_tier(&context, folder, &index, tier, &chunks).unwrap();
                    written.map_continue(|file| file.map(|(written, hash)| (written.bytes, hash)))
                });
                (written, storage.names(folder).unwrap())
            };
            let alone = write(1, false).0.remove(0);
            for size in [2, 5] {
                let (written, _) = write(size, false);
                assert_eq!(written[0], alone, "ply {} by {size}", tier.ply());
                let (stopped, names) = write(size, true);
                assert!(names.is_empty() && stopped.iter().all(|found| *found == ControlFlow::Break(())));
            }
        });
        assert!(solved.unwrap().is_some() && most_groups > 1, "{most_groups}");
    }
}
