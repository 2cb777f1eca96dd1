//! Fuzzes the log of a live tier, from which a solve resumes.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::write;
use crate::context::Context;
use crate::files::{Memory, Storage, frame, read_small};
use crate::format::Hash;
use crate::kernel::{Kernel, Values};
use crate::solve::{Solve, SolveError};
use crate::testing::Stop;

/// The bytes of a record before its payload: number, length, checksum.
const RECORD: usize = 20;

/// The files that a stopped solve left, and the hash of the database that the finished solve makes.
struct Stopped {
    /// All files except the log.
    others: Vec<(PathBuf, Vec<u8>)>,
    log: PathBuf,
    /// The envelope of the log.
    envelope: Vec<u8>,
    /// The number and the payload of each record.
    records: Vec<(u64, Vec<u8>)>,
    hash: Option<Hash>,
}

static STOPPED: LazyLock<Stopped> = LazyLock::new(stopped);

/// Resumes a solve from a log that is put together from `data`. Each piece of `data` begins with a byte that says what
/// follows and what the piece adds to the log:
///
/// | byte modulo 5 | what follows | what is added |
/// |---|---|---|
/// | 0 | a number | the record that the number selects, as the solve wrote it |
/// | 1 | a number, a place, a byte | that record with one byte of its payload changed, and the old checksum |
/// | 2 | a number, a length, bytes | a record with these bytes as payload and a valid checksum |
/// | 3 | a number, a length, bytes | a record with these bytes, compressed, as payload and a valid checksum |
/// | 4 | a length, bytes | these bytes, which need not be a record |
///
/// Returns whether the solve finished. It must finish with the right hash, unless a record has foreign bytes and a
/// valid checksum.
pub fn log(data: &[u8]) -> bool {
    let (log, is_foreign) = crafted(data);
    let storage = Memory::default();
    STOPPED.others.iter().for_each(|(path, bytes)| write(&storage, path, bytes));
    write(&storage, &STOPPED.log, &log);
    let resumed = solve().run_on(&Context { storage: &storage, ..Context::default() });
    let is_right = resumed.as_ref().is_ok_and(|report| report.hash == STOPPED.hash);
    assert!(is_foreign || is_right, "a log that is only cut or changed gives {resumed:?}");
    resumed.is_ok()
}

/// Puts the log together. Returns the log, and whether it has a record with foreign bytes and a valid checksum.
fn crafted(mut data: &[u8]) -> (Vec<u8>, bool) {
    let Stopped { envelope, records, .. } = &*STOPPED;
    let (mut log, seed, mut is_foreign) = (envelope.clone(), xxh3_64(envelope), false);
    while let Some(how) = take(&mut data) {
        if how % 5 == 4 {
            log.extend(bytes(&mut data));
            continue;
        }
        let number = usize::from(take(&mut data).unwrap_or_default());
        let (block, payload) = &records[number % records.len()];
        let mut sound = record(*block, payload, seed);
        match how % 5 {
            0 => log.extend(sound),
            1 => {
                let [place, byte] = [(); 2].map(|()| take(&mut data).unwrap_or_default());
                let place = RECORD + usize::from(place) % payload.len().max(1);
                sound.iter_mut().skip(place).take(1).for_each(|changed| *changed = byte);
                log.extend(sound);
            }
            how => {
                let own = bytes(&mut data);
                let own = if how == 3 { frame::compress(&own, 1).unwrap_or_default() } else { own };
                is_foreign |= own != *payload;
                // `number` can be beyond the tier's last block.
                log.extend(record(number as u64, &own, seed));
            }
        }
    }
    (log, is_foreign)
}

/// Returns a record with a valid checksum.
fn record(number: u64, payload: &[u8], seed: u64) -> Vec<u8> {
    let checksum = xxh3_64_with_seed(payload, seed.wrapping_add(number));
    [&number.to_le_bytes()[..], &(payload.len() as u32).to_le_bytes(), &checksum.to_le_bytes(), payload].concat()
}

fn take(data: &mut &[u8]) -> Option<u8> {
    data.split_off_first().copied()
}

/// Takes a byte as a length, and then that many bytes, or fewer if `data` ends before.
fn bytes(data: &mut &[u8]) -> Vec<u8> {
    let length = usize::from(take(data).unwrap_or_default()).min(data.len());
    data.split_off(..length).unwrap_or_default().to_vec()
}

/// Makes a solve of a small board, whose middle tiers have several blocks.
fn solve() -> Solve {
    let solve = Solve::new("3x3c3".parse().expect("a board"), Values::Remoteness).kernel(Kernel::portable());
    solve.checkpoint(Duration::ZERO).block_words(64)
}

/// Stops a solve after four tiers, and returns what it left.
fn stopped() -> Stopped {
    let (solve, storage) = (solve(), Memory::default());
    let stopped = solve.run_on(&Context { storage: &storage, progress: &Stop(5.into()), ..Context::default() });
    assert!(matches!(stopped, Err(SolveError::Stopped { .. })), "a solve that is stopped");
    let read = |name: &String| {
        let path = solve.folder().join(name);
        let bytes = read_small(&storage, &path, u64::MAX).expect("a file in memory");
        (path, bytes)
    };
    let names = storage.names(&solve.folder()).expect("memory").into_iter();
    let (logs, others): (Vec<String>, Vec<String>) = names.partition(|name| name.starts_with("frontier-"));
    assert_eq!(logs.len(), 1, "one log");
    let (log, bytes) = read(&logs[0]);
    let (envelope, records) = taken_apart(&bytes);
    let hash = solve.run_on(&Context { storage: &Memory::default(), ..Context::default() }).expect("a solve").hash;
    assert!(hash.is_some() && !records.is_empty());
    Stopped { others: others.iter().map(read).collect(), log, envelope, records, hash }
}

/// Takes a log apart. Returns its envelope, and the number and the payload of each record.
fn taken_apart(mut log: &[u8]) -> (Vec<u8>, Vec<(u64, Vec<u8>)>) {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let length = 16 + number(&log[12..16]) as usize + 8;
    let (envelope, mut records) = (log.split_off(..length).expect("an envelope"), Vec::new());
    while let Some(head) = log.split_off(..RECORD) {
        let payload = log.split_off(..number(&head[8..12]) as usize).expect("a payload");
        records.push((number(&head[..8]), payload.to_vec()));
    }
    (envelope.to_vec(), records)
}
