//! Every parser of bytes from outside, on random and mutated bytes: the properties of the fuzz targets, for who has no
//! fuzzer.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;

use crate::support::board::board;
use crate::support::solved::Solved;
use crate::support::tiers::Values;

use crate::support::properties;

/// Bytes that a solve of 4x4 without remoteness wrote: the record of its manifest; of its tier of ply 7 the record of the
/// header, the directory, and the first block.
struct Sound {
    manifest: Vec<u8>,
    header: Vec<u8>,
    directory: Vec<u8>,
    block: Vec<u8>,
}

static SOUND: LazyLock<Sound> = LazyLock::new(|| {
    let solved = Solved::new(board("4x4"), Values::Wdl);
    let file = |name: &str| fs::read(Path::new(&solved.folder()).join(name)).expect("a file");
    let (manifest, tier) = (file("manifest"), file("tier-07"));
    let number = |at: usize| u64::from_le_bytes(tier[at..at + 8].try_into().expect("8 bytes")) as usize;
    let (directory_at, blocks) = (number(tier.len() - 24), number(tier.len() - 16));
    let directory = tier[directory_at..][..10 * blocks].to_vec();
    let first_bytes = u32::from_le_bytes(directory[..4].try_into().expect("4 bytes")) as usize;
    let header = record(&tier);
    let start = 16 + header.len() + 8;
    let block = [&[0], &tier[start..start + first_bytes]].concat();
    Sound { manifest: record(&manifest), header, directory, block }
});

/// Takes the record out of an envelope.
fn record(file: &[u8]) -> Vec<u8> {
    let length = u32::from_le_bytes(file[12..16].try_into().expect("4 bytes")) as usize;
    file[16..16 + length].to_vec()
}

/// Random bytes, or sound ones with a few changes.
fn bytes(sound: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<prop::sample::Index>(), any::<u8>(), 0..5u8);
    let mutated = prop::collection::vec(change, 0..4).prop_map(move |changes| {
        let mut bytes = sound.clone();
        for (place, byte, how) in changes {
            let place = place.index(bytes.len() + 1);
            match how {
                0 => bytes.truncate(place),
                1 => bytes.insert(place, byte),
                2 if place < bytes.len() => drop(bytes.remove(place)),
                _ if place < bytes.len() => bytes[place] = byte,
                _ => bytes.push(byte),
            }
        }
        bytes
    });
    prop_oneof![1 => any::<Vec<u8>>(), 3 => mutated]
}

#[test]
fn sound_bytes_are_accepted() {
    assert!(properties::manifest(&SOUND.manifest));
    assert!(properties::tier_header(&SOUND.header));
    assert!(properties::block_index(&SOUND.directory));
    assert!(properties::block(&SOUND.block));
    assert!(properties::board(b"4x4c3m"));
    assert!(properties::position(b"\x00121212"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_board_is_read_or_refused(data in bytes(b"12x5c4m".to_vec())) {
        properties::board(&data);
    }

    #[test]
    fn any_position_is_read_or_refused(
        which: u8,
        text in prop_oneof![
            bytes(b"1_-XXX--OO---O----".to_vec()),
            bytes(b"10100 10010 11010 01010".to_vec()),
            bytes(b"44532211".to_vec()),
        ],
    ) {
        properties::position(&[vec![which], text].concat());
    }

    #[test]
    fn any_manifest_is_read_or_refused(data in bytes(SOUND.manifest.clone())) {
        properties::manifest(&data);
    }

    #[test]
    fn any_tier_header_is_read_or_refused(data in bytes(SOUND.header.clone())) {
        properties::tier_header(&data);
    }

    #[test]
    fn any_block_index_is_read_or_refused(
        lengths in prop::collection::vec(prop_oneof![0..65u32, any::<u32>()], 0..6),
        chunks in prop::collection::vec(prop_oneof![0..44u16, any::<u16>()], 6),
        data in bytes(SOUND.directory.clone()),
    ) {
        properties::block_index(&data);
        let entry = |(length, chunks): (&u32, &u16)| [&length.to_le_bytes()[..], &chunks.to_le_bytes(), &[0; 4]].concat();
        let directory: Vec<u8> = lengths.iter().zip(&chunks).flat_map(entry).collect();
        properties::block_index(&directory);
    }

    #[test]
    fn any_block_is_read_or_refused(
        frame in bytes(SOUND.block.clone()),
        counts in prop::collection::vec(0..300u16, 0..50),
        symbols: Vec<u8>,
    ) {
        properties::block(&frame);
        let counts = counts.iter().flat_map(|count| count.to_le_bytes());
        let inside: Vec<u8> = [1].into_iter().chain(counts).chain(symbols).collect();
        properties::block(&inside);
    }
}
