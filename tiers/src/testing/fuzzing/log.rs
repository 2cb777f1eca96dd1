//! The log of a live tier, from which a solve resumes.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::write;
use crate::communicator::Alone;
use crate::files::{Memory, Storage, frame};
use crate::format::Hash;
use crate::kernel::{Kernel, Values};
use crate::progress::{Progress, Stage};
use crate::solve::{Solve, SolveError};

/// The bytes of a record before its payload: number, length, checksum.
const RECORD: usize = 20;

/// The files that a solve left which was stopped in the middle, and the hash of the database that it makes.
struct Stopped {
    /// All files but the log.
    others: Vec<(PathBuf, Vec<u8>)>,
    log: PathBuf,
    /// The envelope of the log.
    envelope: Vec<u8>,
    /// The number and the payload of each record.
    records: Vec<(u64, Vec<u8>)>,
    hash: Option<Hash>,
}

static STOPPED: LazyLock<Stopped> = LazyLock::new(stopped);

/// Resumes a solve from a log that `data` makes, in pieces that begin with a byte:
///
/// | byte modulo 5 | then | is |
/// |---|---|---|
/// | 0 | a number | a record of the log as it was written |
/// | 1 | a number, a place, a byte | one with a byte of its payload changed, and the old checksum |
/// | 2 | a number, a length, bytes | a record with these bytes and a checksum that holds |
/// | 3 | a number, a length, bytes | the same, compressed |
/// | 4 | a length, bytes | these bytes |
///
/// Returns whether the solve ended. It has to end with the right hash if no record has foreign bytes and a checksum that
/// holds.
pub fn log(data: &[u8]) -> bool {
    let (log, is_foreign) = crafted(data);
    let storage = Memory::default();
    STOPPED.others.iter().for_each(|(path, bytes)| write(&storage, path, bytes));
    write(&storage, &STOPPED.log, &log);
    match solve().run_on(&Alone, &storage, &()) {
        Ok(report) => {
            assert!(is_foreign || report.hash == STOPPED.hash, "a resumed solve makes another database");
            true
        }
        Err(error) => {
            assert!(is_foreign, "a log that is only cut or changed is an error: {error}");
            false
        }
    }
}

/// Puts the log together; returns with it whether a record has foreign bytes and a checksum that holds.
fn crafted(mut data: &[u8]) -> (Vec<u8>, bool) {
    let mut log = STOPPED.envelope.clone();
    let seed = xxh3_64(&log);
    let mut is_foreign = false;
    while let Some(how) = take(&mut data) {
        match how % 5 {
            4 => log.extend(bytes(&mut data)),
            how => {
                let number = usize::from(take(&mut data).unwrap_or_default());
                let Some((block, payload)) = STOPPED.records.get(number % STOPPED.records.len().max(1)) else { break };
                let sound = record(*block, payload, seed);
                match how {
                    0 => log.extend(sound),
                    1 => {
                        let (place, byte) = (take(&mut data).unwrap_or_default(), take(&mut data).unwrap_or_default());
                        let place = RECORD + usize::from(place) % payload.len().max(1);
                        let mut changed = sound;
                        changed.iter_mut().skip(place).take(1).for_each(|changed| *changed = byte);
                        log.extend(changed);
                    }
                    _ => {
                        let own = bytes(&mut data);
                        let own = if how == 3 { frame::compress(&own, 1).unwrap_or_default() } else { own };
                        is_foreign |= own != *payload;
                        // Numbers beyond the tier as well.
                        log.extend(record(number as u64, &own, seed));
                    }
                }
            }
        }
    }
    (log, is_foreign)
}

/// Writes a record whose checksum holds.
fn record(number: u64, payload: &[u8], seed: u64) -> Vec<u8> {
    let checksum = xxh3_64_with_seed(payload, seed.wrapping_add(number));
    [&number.to_le_bytes()[..], &(payload.len() as u32).to_le_bytes(), &checksum.to_le_bytes(), payload].concat()
}

fn take(data: &mut &[u8]) -> Option<u8> {
    let (first, rest) = data.split_first()?;
    *data = rest;
    Some(*first)
}

/// Takes a length and as many bytes, or fewer at the end.
fn bytes(data: &mut &[u8]) -> Vec<u8> {
    let length = usize::from(take(data).unwrap_or_default()).min(data.len());
    let (bytes, rest) = data.split_at(length);
    *data = rest;
    bytes.to_vec()
}

/// A solve of a small board, in blocks of which its middle tiers have several.
#[expect(clippy::expect_used, reason = "a constant, and fuzzing may panic")]
fn solve() -> Solve {
    Solve::new("3x3c3".parse().expect("a board"), Values::Remoteness)
        .kernel(Kernel::portable())
        .checkpoint(Duration::ZERO)
        .block_words(64)
}

/// Stops after some tiers.
struct Stop(AtomicU32);

impl Progress for Stop {
    fn tier_done(&self, _: Stage, _: u32, _: u64, _: u64) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= 4
    }
}

fn stopped() -> Stopped {
    let storage = Memory::default();
    let stopped = solve().run_on(&Alone, &storage, &Stop(AtomicU32::new(0)));
    assert!(matches!(stopped, Err(SolveError::Stopped { .. })), "a solve that is stopped");
    let folder = solve().folder();
    let names = storage.names(&folder).unwrap_or_default();
    let (logs, others): (Vec<String>, Vec<String>) = names.into_iter().partition(|name| name.starts_with("frontier-"));
    let read = |name: &String| {
        let path = folder.join(name);
        let mut bytes = Vec::new();
        if let Ok(file) = storage.open(&path) {
            bytes.resize(file.size().unwrap_or_default() as usize, 0);
            assert!(file.read_exact_at(&mut bytes, 0).is_ok(), "a file in memory");
        }
        (path, bytes)
    };
    let others = others.iter().map(read).collect();
    assert_eq!(logs.len(), 1, "one log");
    let (log, bytes) = logs.iter().map(read).next().unwrap_or_default();
    let (envelope, records) = taken_apart(&bytes);
    let hash = solve().run_on(&Alone, &Memory::default(), &()).ok().and_then(|report| report.hash);
    assert!(hash.is_some() && !records.is_empty());
    Stopped { others, log, envelope, records, hash }
}

/// Takes a log apart: its envelope, and the number and the payload of each record.
fn taken_apart(log: &[u8]) -> (Vec<u8>, Vec<(u64, Vec<u8>)>) {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let length = log.get(12..16).map_or(0, |length| number(length) as usize);
    let (envelope, mut rest) = log.split_at((16 + length + 8).min(log.len()));
    let mut records = Vec::new();
    while let Some((head, after)) = rest.split_first_chunk::<RECORD>() {
        let (block, rest_of_head) = head.split_at(8);
        let length = number(rest_of_head.get(..4).unwrap_or_default()) as usize;
        let (payload, after) = after.split_at(length.min(after.len()));
        records.push((number(block), payload.to_vec()));
        rest = after;
    }
    (envelope.to_vec(), records)
}
