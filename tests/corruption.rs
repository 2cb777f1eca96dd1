//! Damage to the files of a database: the checksum pass finds it, and a probe gives the right answer or an error.
//!
//! The table of [`damages`] is the whole: bits that flip, cuts, bytes too many, files and blocks of others. A block that is
//! whole but in a wrong place needs checksums that fit, so the format is taken apart here, by its description alone.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use fourbase::{Outcome, Position};
use rayon::prelude::*;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::support::databases;
use crate::support::files::flipped;
use crate::support::long;
use crate::support::positions::{Random, board};
use crate::support::proofs::random_positions;
use crate::support::solves::Runs;
use crate::support::tiers::{DatabaseError, Solve, Values};

/// How many random positions of each ply are asked for.
const QUESTIONS: usize = 16;

type Files = BTreeMap<String, Vec<u8>>;

/// A file with other bytes, or none.
struct Damage {
    what: String,
    file: String,
    change: Box<Change>,
}

/// Makes other bytes of those of a sound file, or none.
type Change = dyn Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync;

impl Damage {
    fn new(what: impl Display, file: &str, by: impl Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync + 'static) -> Damage {
        Damage { what: format!("{file}: {what}"), file: file.to_owned(), change: Box::new(by) }
    }

    /// These bytes are there, whatever the sound ones are.
    fn with(what: impl Display, file: &str, bytes: Vec<u8>) -> Damage {
        Damage::new(what, file, move |_| Some(bytes.clone()))
    }
}

/// A sound database, and what it says of some positions.
struct Sound {
    solve: Solve,
    files: Arc<Files>,
    questions: Vec<(Position, Outcome)>,
}

impl Sound {
    /// Solves a board, and asks for positions of every ply.
    fn new(name: &str, values: Values) -> Sound {
        let (board, mut random) = (board(name), Random::new(1));
        let database = databases::shared(board, values);
        assert!(database.check_files().is_empty());
        let positions = (0..board.cells()).flat_map(|ply| random_positions(board, ply, QUESTIONS, &mut random));
        let questions = positions.map(|position| (position, database.probe(&position).expect("an answer"))).collect();
        Sound { solve: Solve::new(board, values), files: databases::files(board, values), questions }
    }

    fn tiers(&self) -> impl Iterator<Item = (&String, &Vec<u8>)> {
        self.files.iter().filter(|(name, _)| name.starts_with("tier-"))
    }

    /// Checks that damage is found, and unless `is_found_only` what probes say. Returns how many of them were right and how
    /// many errors.
    fn survives(&self, damage: &Damage, is_found_only: bool) -> [u64; 2] {
        let Damage { what, file, .. } = damage;
        let disk = self.solve.disk_with(&self.files);
        let path = self.solve.folder().join(file);
        match (damage.change)(&self.files[file]) {
            Some(bytes) => disk.put(&path, &bytes),
            None => disk.take(&path),
        }
        let database = match self.solve.open_on(disk) {
            Ok(database) => database,
            Err(error) => {
                let is_missing = matches!(error, DatabaseError::Missing { .. });
                assert!(is_missing || error.is_damage() && error.to_string().contains(file), "{what}: {error}");
                return [0, 1];
            }
        };
        let ply = file.strip_prefix("tier-").and_then(|ply| ply.parse::<usize>().ok());
        let ply = ply.unwrap_or_else(|| panic!("{what}: the manifest is believed"));
        let fault = database.check_tier(ply as u32).expect_err("damage is found");
        assert!(fault.is_damage() && fault.to_string().contains(file), "{what}: {fault}");
        let near = |position: &Position| !is_found_only && (ply.saturating_sub(1)..=ply).contains(&position.ply());
        let mut counts = [0; 2];
        for (position, expected) in self.questions.iter().filter(|(position, _)| near(position)) {
            let found = database.probe(position);
            counts[usize::from(found.is_err())] += 1;
            match found {
                Ok(found) => assert_eq!(found, *expected, "{what}: {position}"),
                Err(error) => assert!(error.is_damage(), "{what}: {error}"),
            }
        }
        counts
    }
}

/// A way to damage the files of one database; some take those of others.
type Way = fn(&Sound, &[(String, Sound)]) -> Vec<Damage>;

fn each_file(sound: &Sound, of: impl Fn(&str, &[u8]) -> Vec<Damage>) -> Vec<Damage> {
    sound.files.iter().flat_map(|(file, bytes)| of(file, bytes)).collect()
}

/// Flips each bit of all files that is chosen.
fn flips(sound: &Sound, is_chosen: fn(usize) -> bool) -> Vec<Damage> {
    each_file(sound, |file, bytes| {
        let bits = (0..8 * bytes.len()).filter(|bit| is_chosen(*bit));
        bits.map(|bit| Damage::new(format_args!("bit {bit}"), file, move |sound| Some(flipped(sound, bit)))).collect()
    })
}

fn bits(sound: &Sound, _: &[(String, Sound)]) -> Vec<Damage> {
    long::every(29, flips(sound, |_| true), "bits")
}

/// A bit of each byte.
fn bytes(sound: &Sound, _: &[(String, Sound)]) -> Vec<Damage> {
    long::every(211, flips(sound, |bit| bit % 8 == bit / 8 % 8), "bytes")
}

fn cuts(sound: &Sound, _: &[(String, Sound)]) -> Vec<Damage> {
    let cut = |length: usize, file: &str| {
        Damage::new(format_args!("cut to {length} bytes"), file, move |sound| Some(sound[..length].to_vec()))
    };
    let all = each_file(sound, |file, bytes| (0..bytes.len()).map(|length| cut(length, file)).collect());
    long::every(29, all, "cuts")
}

fn longer_and_gone(sound: &Sound, _: &[(String, Sound)]) -> Vec<Damage> {
    long::skips("250 of 256 bytes after each file");
    each_file(sound, |file, bytes| {
        let after = (0..=255).step_by(long::scale(51, 1)).map(|byte| [bytes, &[byte]].concat());
        let longer = after.chain([[&[0], bytes].concat()]).map(|bytes| Damage::with("a byte more", file, bytes));
        longer.chain([Damage::new("gone", file, |_| None)]).collect()
    })
}

/// Any other file of the same database, and the file of that name of every other.
fn files_of_others(sound: &Sound, others: &[(String, Sound)]) -> Vec<Damage> {
    each_file(sound, |file, bytes| {
        let own =
            sound.files.iter().filter(|(other, _)| *other != file).map(|(name, bytes)| (format!("its {name}"), bytes));
        let theirs =
            others.iter().filter_map(|(name, other)| Some((format!("that of {name}"), other.files.get(file)?)));
        let foreign = own.chain(theirs).filter(|(_, other)| **other != *bytes);
        foreign.map(|(of, other)| Damage::with(of, file, other.clone())).collect()
    })
}

/// The first block of each tier is that of another tier, of this database or another.
fn blocks_of_others(sound: &Sound, others: &[(String, Sound)]) -> Vec<Damage> {
    let foreign: Vec<_> = sound.tiers().chain(others.iter().flat_map(|(_, other)| other.tiers())).collect();
    let mut damages = Vec::new();
    for (file, bytes) in sound.tiers() {
        for (other, other_bytes) in foreign.iter().filter(|(_, other)| *other != bytes) {
            let mut parts = Parts::of(bytes);
            parts.blocks[0] = Parts::of(other_bytes).blocks[0].clone();
            damages.push(Damage::with(format_args!("the first block of {other}"), file, parts.to_file()));
        }
    }
    damages
}

/// Two blocks of a file change places: their bytes alone, with all that the directory says of them, or with all but the
/// checksums.
fn swapped_blocks(sound: &Sound, _: &[(String, Sound)]) -> Vec<Damage> {
    let mut damages = Vec::new();
    for (file, bytes) in sound.tiers() {
        let parts = Parts::of(bytes);
        assert_eq!(parts.to_file(), *bytes, "the description of the format holds");
        for (one, other) in (0..parts.blocks.len()).flat_map(|other| (0..other).map(move |one| (one, other))) {
            let mut bytes_alone = parts.clone();
            let (before, after) = bytes_alone.blocks.split_at_mut(other);
            let length = before[one].0.len().min(after[0].0.len());
            before[one].0[..length].swap_with_slice(&mut after[0].0[..length]);
            let mut with_entries = parts.clone();
            with_entries.blocks.swap(one, other);
            let mut with_checksums_left = with_entries.clone();
            with_checksums_left.blocks[one].2 = parts.blocks[one].2;
            with_checksums_left.blocks[other].2 = parts.blocks[other].2;
            for changed in [bytes_alone, with_entries, with_checksums_left] {
                let what = format_args!("blocks {one} and {other} swapped");
                damages.push(Damage::with(what, file, changed.to_file()));
            }
        }
    }
    assert!(!damages.is_empty(), "there are files with more than one block");
    damages
}

/// Boards, a way to damage them, and at which of so many damages probes are asked.
fn damages() -> [(&'static [&'static str], Way, usize); 8] {
    let others: &[&str] = long::scale(&["4x4", "4x4m", "4x3"], &["4x4", "4x4m", "4x4c3", "4x3", "5x4", "4x5"]);
    [
        (&["4x4"], bits, 1),
        (&["5x4"], bytes, usize::MAX),
        (&["4x4"], cuts, 1),
        (&["5x4"], cuts, long::scale(7, 61)),
        (&["4x4", "5x4"], longer_and_gone, 1),
        (others, files_of_others, 1),
        (&["4x4", "4x4m"], blocks_of_others, 1),
        (&["5x4"], swapped_blocks, 1),
    ]
}

#[test]
fn damage_of_every_kind_is_found_and_no_probe_is_wrong() {
    for (number, (names, way, probed)) in damages().into_iter().enumerate() {
        let kinds = [Values::Remoteness, Values::Wdl];
        let sound = |name: &&str| kinds.map(|values| (format!("{name} {values}"), Sound::new(name, values)));
        let all: Vec<(String, Sound)> = names.iter().flat_map(sound).collect();
        for (name, sound) in &all {
            let damages = way(sound, &all);
            let survived = damages.par_iter().enumerate();
            let survived = survived.map(|(place, damage)| sound.survives(damage, place % probed != 0));
            let [right, errors] = survived.reduce(|| [0; 2], |one, other| [one[0] + other[0], one[1] + other[1]]);
            println!("row {number}, {name}: {} damages found; {right} probes right, {errors} errors", damages.len());
        }
    }
}

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
