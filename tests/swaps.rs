//! Blocks that are whole, but not where they belong.
//!
//! The format is taken apart here by its description alone, so that checksums can be made to fit.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::support::damage::{Sound, Tally};
use crate::support::tiers::Values;

/// The parts of a file of values.
#[derive(Clone)]
struct Parts {
    envelope: Vec<u8>,
    /// Bytes, chunks and checksum of each block.
    blocks: Vec<(Vec<u8>, u16, u32)>,
    /// The entries of the tier's shapes, compressed.
    shapes: Vec<u8>,
}

/// Blocks of a page of the directory.
const PAGE: usize = 1024;

impl Parts {
    fn of(file: &[u8]) -> Parts {
        let number =
            |at: usize, bytes: usize| file[at..][..bytes].iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte));
        let envelope = 16 + number(12, 4) as usize + 8;
        let (directory, count) = (number(file.len() - 24, 8) as usize, number(file.len() - 16, 8) as usize);
        let mut start = envelope;
        let mut block = |at: usize| {
            let bytes = &file[start..][..number(at, 4) as usize];
            start += bytes.len();
            (bytes.to_vec(), number(at + 4, 2) as u16, number(at + 6, 4) as u32)
        };
        let blocks = (0..count).map(|entry| block(directory + 10 * entry)).collect();
        let shapes = file[directory + 10 * count..file.len() - 24 - 24 * count.div_ceil(PAGE)].to_vec();
        Parts { envelope: file[..envelope].to_vec(), blocks, shapes }
    }

    /// Puts the file together; the checksums of the directory and of the end fit, those of the blocks are as they are.
    fn to_file(&self) -> Vec<u8> {
        let seed = xxh3_64(&self.envelope);
        let (mut file, mut directory, mut end) = (self.envelope.clone(), Vec::new(), self.shapes.clone());
        let mut chunk = 0;
        for (number, page) in self.blocks.chunks(PAGE).enumerate() {
            let (offset, first) = (file.len() as u64, directory.len());
            end.extend([offset, chunk].iter().flat_map(|number| number.to_le_bytes()));
            for (bytes, chunks, checksum) in page {
                file.extend(bytes);
                chunk += u64::from(*chunks);
                directory.extend((bytes.len() as u32).to_le_bytes());
                directory.extend(chunks.to_le_bytes());
                directory.extend(checksum.to_le_bytes());
            }
            let checksum = xxh3_64_with_seed(&directory[first..], seed.wrapping_sub(2 + number as u64));
            end.extend(checksum.to_le_bytes());
        }
        end.extend([file.len(), self.blocks.len()].iter().flat_map(|number| (*number as u64).to_le_bytes()));
        let checksum = xxh3_64_with_seed(&end, seed.wrapping_sub(1));
        [file, directory, end, checksum.to_le_bytes().to_vec()].concat()
    }
}

#[test]
fn two_blocks_that_are_swapped_are_found_and_no_probe_is_wrong() {
    for values in [Values::Remoteness, Values::Wdl] {
        let (sound, tally) = (Sound::new("5x4", values), Tally::default());
        let (mut files, mut swaps) = (0, 0);
        for (name, bytes) in sound.files.iter().filter(|(name, _)| name.starts_with("tier-")) {
            let parts = Parts::of(bytes);
            assert_eq!(parts.to_file(), *bytes, "the description of the format holds");
            files += usize::from(parts.blocks.len() > 1);
            for (one, other) in (0..parts.blocks.len()).flat_map(|other| (0..other).map(move |one| (one, other))) {
                // The bytes alone; with all that the directory says; with what it says of them but their checksums.
                let mut bytes_alone = bytes.clone();
                let place = |block: usize| {
                    let before: usize = parts.blocks[..block].iter().map(|(bytes, _, _)| bytes.len()).sum();
                    parts.envelope.len() + before
                };
                let length = parts.blocks[one].0.len().min(parts.blocks[other].0.len());
                for at in 0..length {
                    bytes_alone.swap(place(one) + at, place(other) + at);
                }
                let mut with_entries = parts.clone();
                with_entries.blocks.swap(one, other);
                let mut with_checksums_left = with_entries.clone();
                with_checksums_left.blocks[one].2 = parts.blocks[one].2;
                with_checksums_left.blocks[other].2 = parts.blocks[other].2;
                for (how, file) in [
                    ("bytes", bytes_alone),
                    ("blocks and their entries", with_entries.to_file()),
                    ("blocks without their checksums", with_checksums_left.to_file()),
                ] {
                    let what = format!("5x4 {values}, {how} {one} and {other} of {name}");
                    sound.survives(name, Some(file), &tally, &what);
                    swaps += 1;
                }
            }
        }
        assert!(files > 0, "there are files with more than one block");
        println!("5x4 {values}: {swaps} swaps in {files} files of several blocks; {tally}");
    }
}

#[test]
fn a_block_of_another_tier_or_board_is_found_and_no_probe_is_wrong() {
    let (sound, other) = (Sound::new("4x4", Values::Remoteness), Sound::new("4x4m", Values::Remoteness));
    let (mut replaced, tally) = (0, Tally::default());
    for (name, bytes) in sound.files.iter().filter(|(name, _)| name.starts_with("tier-")) {
        for (from, source) in [("the board", &sound), ("4x4m", &other)] {
            for (other_name, other_bytes) in source.files.iter().filter(|(other, _)| other.starts_with("tier-")) {
                if from == "the board" && name == other_name {
                    continue;
                }
                let mut parts = Parts::of(bytes);
                parts.blocks[0] = Parts::of(other_bytes).blocks[0].clone();
                let what = format!("the first block of {name} is that of {other_name} of {from}");
                sound.survives(name, Some(parts.to_file()), &tally, &what);
                replaced += 1;
            }
        }
    }
    println!("4x4 remoteness: {replaced} blocks replaced by another's; {tally}");
}
