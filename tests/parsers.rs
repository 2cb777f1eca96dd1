//! Every parser of bytes from outside, on random and mutated bytes: the properties of the fuzz targets, for who has no
//! fuzzer.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use fourbase_tiers::counts::count_by_value;
use fourbase_tiers::solve::Solve;
use proptest::prelude::*;

use crate::support::board::board;
use crate::support::solved::Solved;
use crate::support::tiers::{Alone, Disk, Values};

use crate::support::properties;

/// Bytes that a solve of 4x4 without remoteness wrote: the record of its manifest; of its tier of ply 7 the record of the
/// header, the directory, the first block and the entries of the shapes; and what `stats` keeps.
struct Sound {
    manifest: Vec<u8>,
    header: Vec<u8>,
    directory: Vec<u8>,
    block: Vec<u8>,
    shapes: Vec<u8>,
    stats: Vec<u8>,
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
    // The directory has one page.
    let shapes = [&[0], &tier[directory_at + directory.len()..tier.len() - 48]].concat();
    Sound { manifest: record(&manifest), header, directory, block, shapes, stats: stats() }
});

/// The manifest and the counts of a small board as JSON.
fn stats() -> Vec<u8> {
    let solved = Solved::new(board("2x2c2"), Values::Wdl);
    let solve = Solve::new(board("2x2c2"), Values::Wdl);
    let counts = count_by_value(&solve, &Alone, &Disk, &()).expect("counts");
    let kept = serde_json::json!({"manifest": solved.open().manifest(), "counts": counts});
    serde_json::to_vec(&kept).expect("JSON")
}

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
    assert!(properties::saved_game(b"board 4x4\nmoves 121212\n"));
    assert!(properties::shapes(&SOUND.shapes));
    assert!(properties::pages(&sound_pages(2500)));
    assert!(properties::log(&sound_log()));
    assert!(properties::stats_file(&SOUND.stats));
    assert!(properties::batch(b"\x0344\n\n4453\r\n"));
}

/// 2,500 blocks, the list of whose pages is left as it is.
fn sound_pages(blocks: u16) -> Vec<u8> {
    [&blocks.to_le_bytes()[..], &[0], &[0x41; 16]].concat()
}

/// Every record of a log, in order.
fn sound_log() -> Vec<u8> {
    (0..=255).flat_map(|number| [0, number]).collect()
}

#[test]
fn a_log_that_is_cut_or_changed_is_solved_again_and_one_with_foreign_blocks_is_no_panic() {
    let sound = sound_log();
    for length in [0, 2, 4, 7] {
        assert!(properties::log(&sound[..length]));
    }
    assert!(properties::log(&[&[1, 0, 5, 77], &sound[..]].concat()));
    assert!(properties::log(&[&[4, 3, 1, 2, 3], &sound[..]].concat()));
    for how in [2, 3] {
        for number in [0, 1, 250] {
            properties::log(&[&sound[..], &[how, number, 3, 1, 2, 3]].concat());
        }
    }
}

#[test]
fn counts_that_add_up_to_more_than_64_bits_are_no_panic() {
    let text = String::from_utf8(SOUND.stats.clone()).expect("JSON");
    let most = format!("\"legal\":{}", u64::MAX);
    let large = text.replace("\"legal\":1,", &format!("{most},")).replace("\"legal\":2,", &format!("{most},"));
    assert_ne!(large, text);
    assert!(properties::stats_file(large.as_bytes()));
}

/// What must hold of some bytes; returns whether they are accepted.
type Property = fn(&[u8]) -> bool;

#[test]
fn kept_inputs_are_read_or_refused() {
    let targets: [(&str, Property); 12] = [
        ("batch", properties::batch),
        ("block", properties::block),
        ("block_index", properties::block_index),
        ("board", properties::board),
        ("log", properties::log),
        ("manifest", properties::manifest),
        ("pages", properties::pages),
        ("position", properties::position),
        ("saved_game", properties::saved_game),
        ("shapes", properties::shapes),
        ("stats_file", properties::stats_file),
        ("tier_header", properties::tier_header),
    ];
    let kept = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus_kept"));
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut paths = entries.collect::<Vec<_>>();
        paths.sort();
        paths
    };
    let folders = names(kept);
    let of_targets = targets.map(|(name, _)| kept.join(name));
    assert_eq!(folders, of_targets, "a folder for every target");
    for ((name, property), folder) in targets.into_iter().zip(folders) {
        let inputs = names(&folder);
        let accepted = inputs.iter().filter(|path| property(&fs::read(path).expect("a file"))).count();
        println!("{name}: {accepted} of {} kept inputs are accepted", inputs.len());
        assert!(accepted > 0 && accepted < inputs.len(), "{name}: both kinds of inputs");
    }
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
    fn any_saved_game_is_read_or_refused(data in bytes(b"board 7x6\nmoves 4445326\n".to_vec())) {
        properties::saved_game(&data);
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
    fn any_entries_of_shapes_are_read_or_refused(
        frame in bytes(SOUND.shapes.clone()),
        entries in prop::collection::vec(prop_oneof![0..200u64, any::<u64>()], 0..60),
    ) {
        properties::shapes(&frame);
        let entries = entries.iter().flat_map(|entries| entries.to_le_bytes());
        properties::shapes(&[1].into_iter().chain(entries).collect::<Vec<u8>>());
    }

    #[test]
    fn any_pages_are_read_or_refused(blocks in 0..3072u16, over in bytes(vec![0; 72]), how in 0..2u8, held in 1..255u8) {
        let pattern = [held; 16];
        properties::pages(&[&blocks.to_le_bytes()[..], &[how], &pattern, &over].concat());
    }

    #[test]
    fn any_stats_file_is_read_or_refused(data in bytes(SOUND.stats.clone())) {
        properties::stats_file(&data);
    }

    #[test]
    fn any_batch_is_cut_into_its_lines(portion: u8, data in bytes(b"44\n4453\r\n10100 10010 \n\n".to_vec())) {
        properties::batch(&[vec![portion], data].concat());
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
