//! Every parser of bytes from outside, on random and mutated bytes: the properties of the fuzz targets, for who has no
//! fuzzer.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crate::support::databases::Solved;
use crate::support::positions::{Random, board};
use crate::support::properties;
use crate::support::tiers::{Alone, Disk, Values};
use fourbase_tiers::counts::count_by_value;
use fourbase_tiers::solve::Solve;

/// Bytes that a solve of 4x4 without remoteness wrote: the record of its manifest; of its tier of ply 7 the record of the
/// header, the directory, the first block and the entries of the shapes; the first block of that tier where it is the deepest that is
/// kept, with forced positions; and what `stats` keeps.
struct Sound {
    manifest: Vec<u8>,
    header: Vec<u8>,
    directory: Vec<u8>,
    block: Vec<u8>,
    block_with_forced: Vec<u8>,
    shapes: Vec<u8>,
    stats: Vec<u8>,
}

static SOUND: LazyLock<Sound> = LazyLock::new(|| {
    let solved = Solved::new(board("4x4"), Values::Wdl);
    let file = |name: &str| fs::read(Path::new(&solved.folder()).join(name)).expect("a file");
    let (manifest, tier) = (file("manifest"), file("tier-07"));
    let (directory_at, directory) = directory(&tier);
    // The directory has one page.
    let shapes = [&[0], &tier[directory_at + directory.len()..tier.len() - 48]].concat();
    let root = tempfile::tempdir().expect("a folder");
    let kept = Solve::new(board("4x4"), Values::Wdl).root(root.path()).keep_plies(Some(8)).run().expect("a database");
    let with_forced = fs::read(kept.folder.join("tier-07")).expect("a file");
    Sound {
        manifest: record(&manifest),
        header: record(&tier),
        block: [&[0][..], first_block(&tier)].concat(),
        block_with_forced: [&[2][..], first_block(&with_forced)].concat(),
        directory,
        shapes,
        stats: stats(),
    }
});

/// Returns where the directory of a tier's file begins, and its bytes.
fn directory(tier: &[u8]) -> (usize, Vec<u8>) {
    let number = |at: usize| u64::from_le_bytes(tier[at..at + 8].try_into().expect("8 bytes")) as usize;
    let (begin, blocks) = (number(tier.len() - 24), number(tier.len() - 16));
    (begin, tier[begin..][..10 * blocks].to_vec())
}

/// Returns the first block of a tier's file.
fn first_block(tier: &[u8]) -> &[u8] {
    let (_, directory) = directory(tier);
    let bytes = u32::from_le_bytes(directory[..4].try_into().expect("4 bytes")) as usize;
    &tier[16 + record(tier).len() + 8..][..bytes]
}

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

/// How many inputs each property gets.
const CASES: usize = 2000;

/// What must hold of some bytes; returns whether they are accepted.
type Property = fn(&[u8]) -> bool;

/// Every property with inputs that are accepted, by the name of its fuzz target.
fn targets() -> [(&'static str, Property, Vec<Vec<u8>>); 12] {
    let texts = |texts: &[&[u8]]| texts.iter().map(|text| text.to_vec()).collect();
    let positions = texts(&[b"\x00121212", b"\x001_-XXX--OO---O----", b"\x0010100 10010 11010 01010", b"\x0144532211"]);
    // Blocks of symbols that are no frame: counts, then the symbols.
    let inside = [&[1][..], &[3, 0, 2, 0], &[0; 40], b"symbols"].concat();
    let pages = vec![sound_pages(2500), sound_pages(1025)];
    let entries: Vec<u8> = (0..40_u64).flat_map(|entries| (3 * entries).to_le_bytes()).collect();
    let directory: Vec<u8> = (0..5_u8).flat_map(|block| [block, 0, 0, 0, 9 * block, 0, 0, 0, 0, 0]).collect();
    [
        ("batch", properties::batch, texts(&[b"\x0344\n\n4453\r\n", b"\xff44\n4453\r\n10100 10010 \n\n"])),
        ("block", properties::block, vec![SOUND.block.clone(), SOUND.block_with_forced.clone(), inside]),
        ("block_index", properties::block_index, vec![SOUND.directory.clone(), directory]),
        ("board", properties::board, texts(&[b"4x4c3m", b"12x5c4m"])),
        ("log", properties::log, vec![sound_log()]),
        ("manifest", properties::manifest, vec![SOUND.manifest.clone()]),
        ("pages", properties::pages, pages),
        ("position", properties::position, positions),
        ("saved_game", properties::saved_game, texts(&[b"board 4x4\nmoves 121212\n"])),
        ("shapes", properties::shapes, vec![SOUND.shapes.clone(), [&[1], &entries[..]].concat()]),
        ("stats_file", properties::stats_file, vec![SOUND.stats.clone()]),
        ("tier_header", properties::tier_header, vec![SOUND.header.clone()]),
    ]
}

/// Random bytes, or sound ones with a few changes.
fn mutated(sound: &[u8], random: &mut Random) -> Vec<u8> {
    if random.below(4) == 0 {
        return (0..random.below(100)).map(|_| random.next() as u8).collect();
    }
    let mut bytes = sound.to_vec();
    for _ in 0..random.below(4) {
        let (place, byte) = (random.below(bytes.len() + 1), random.next() as u8);
        match random.below(5) {
            0 => bytes.truncate(place),
            1 => bytes.insert(place, byte),
            2 if place < bytes.len() => drop(bytes.remove(place)),
            _ if place < bytes.len() => bytes[place] = byte,
            _ => bytes.push(byte),
        }
    }
    bytes
}

#[test]
fn sound_bytes_are_accepted_and_mutated_ones_read_or_refused() {
    assert!(properties::block(&SOUND.block_with_forced));
    for (name, property, sound) in targets() {
        assert!(property(&sound[0]), "{name}");
        let mut random = Random::new(1);
        // A log is solved from.
        let cases = if name == "log" { CASES / 100 } else { CASES };
        let accepted = (0..cases).filter(|case| property(&mutated(&sound[case % sound.len()], &mut random))).count();
        println!("{name}: {accepted} of {cases} mutated inputs are accepted");
    }
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

#[test]
fn kept_inputs_are_read_or_refused() {
    let kept = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus_kept"));
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut paths = entries.collect::<Vec<_>>();
        paths.sort();
        paths
    };
    let folders = names(kept);
    let of_targets = targets().map(|(name, ..)| kept.join(name));
    assert_eq!(folders, of_targets, "a folder for every target");
    for ((name, property, _), folder) in targets().into_iter().zip(folders) {
        let inputs = names(&folder);
        let accepted = inputs.iter().filter(|path| property(&fs::read(path).expect("a file"))).count();
        println!("{name}: {accepted} of {} kept inputs are accepted", inputs.len());
        assert!(accepted > 0 && accepted < inputs.len(), "{name}: both kinds of inputs");
    }
}
