//! A file on a host: the bytes that are kept, and when they are requested again.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::answer::{self, Part, Version, error};
use super::{Client, Host};
use crate::files::storage::ReadFile;

/// Bytes to request when a file is opened: the whole manifest, or the header of a tier.
const HEAD_BYTES: u64 = 4 << 10;

/// Bytes at the end of a file that are requested together. For a tier they include the list of the pages, and the whole
/// directory if that is small.
const TAIL_BYTES: u64 = 32 << 10;

/// A file of at most so many bytes is requested as a whole if its length is known.
const WHOLE_BYTES: u64 = HEAD_BYTES + TAIL_BYTES;

/// The most bytes to request for one read.
const MOST_BYTES: u64 = 1 << 20;

/// The most ranges of one request; the header has less than 3 KiB.
const MOST_RANGES: usize = 64;

/// The most bytes of a part's headers.
const PART_BYTES: u64 = 1 << 10;

/// Ranges with fewer bytes between them are merged: the headers of a part have about 100 bytes, and each range is a
/// read of the host's disk.
const GAP_BYTES: u64 = 1 << 10;

/// The most bytes read ahead that a file keeps. Those of the last request are always kept.
const AHEAD_BYTES: usize = 1 << 20;

/// The pauses before the second try, and before the third and last.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];

/// A file on a host. Threads share it.
#[derive(Debug)]
pub(super) struct HttpFile {
    host: Arc<Host>,
    address: String,
    version: Version,
    kept: Mutex<Kept>,
}

/// Bytes that need not be requested again.
#[derive(Debug, Default)]
struct Kept {
    /// The first and the last bytes of the file.
    ends: Vec<Part>,
    /// Parts that were read ahead, the oldest first.
    ahead: VecDeque<Part>,
}

impl HttpFile {
    /// Requests the first bytes of a file. If it should have `expected_bytes` bytes and one request may ask for several
    /// ranges, requests the last bytes too.
    pub fn open(host: &Arc<Host>, address: String, expected_bytes: Option<u64>) -> io::Result<HttpFile> {
        let head = 0..expected_bytes.filter(|bytes| (1..=WHOLE_BYTES).contains(bytes)).unwrap_or(HEAD_BYTES);
        let is_single = host.is_single.load(Ordering::Relaxed);
        let tail =
            expected_bytes.filter(|bytes| *bytes > WHOLE_BYTES && !is_single).map(|bytes| bytes - TAIL_BYTES..bytes);
        let both: Vec<Range<u64>> = std::iter::once(head.clone()).chain(tail).collect();
        let (ends, version) = match fetch(&*host.client, &address, &both) {
            Err(error) if both.len() > 1 && host.note_refusal(&error) => {
                fetch(&*host.client, &address, std::slice::from_ref(&head))?
            }
            answer => answer?,
        };
        let kept = Mutex::new(Kept { ends, ..Kept::default() });
        Ok(HttpFile { host: Arc::clone(host), address, version, kept })
    }

    /// Requests bytes of the file.
    fn fetch(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Part>> {
        let (parts, version) = fetch(&*self.host.client, &self.address, ranges)?;
        if version != self.version {
            return Err(error(ErrorKind::StaleNetworkFileHandle, "the file has changed since it was opened"));
        }
        Ok(parts)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadFile for HttpFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.version.size)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let size = self.version.size;
        if offset >= size || buffer.is_empty() {
            return Ok(0);
        }
        if let Some(read) = self.kept().parts().find_map(|part| part.read(buffer, offset)) {
            return Ok(read);
        }
        let tail = size.saturating_sub(TAIL_BYTES);
        let end = offset.saturating_add((buffer.len() as u64).min(MOST_BYTES)).min(size);
        let parts = self.fetch(&[if offset >= tail { tail..size } else { offset..end }])?;
        let read = parts.iter().find_map(|part| part.read(buffer, offset)).ok_or(ErrorKind::InvalidData)?;
        if offset >= tail {
            self.kept().ends.extend(parts);
        }
        Ok(read)
    }

    fn read_ahead(&self, ranges: &[Range<u64>]) {
        let missing = self.kept().missing(ranges, self.version.size);
        for ranges in missing.chunks(MOST_RANGES) {
            if ranges.len() > 1 && self.host.is_single.load(Ordering::Relaxed) {
                return;
            }
            match self.fetch(ranges) {
                Ok(parts) => self.kept().add(parts),
                Err(error) => {
                    if ranges.len() > 1 {
                        self.host.note_refusal(&error);
                    }
                    return;
                }
            }
        }
    }
}

impl Host {
    /// Records that the host refused a request for several ranges. Returns whether it may answer one for a single
    /// range.
    fn note_refusal(&self, error: &io::Error) -> bool {
        let is_single = matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::InvalidData);
        self.is_single.fetch_or(is_single, Ordering::Relaxed);
        is_single
    }
}

impl Kept {
    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.ends.iter().chain(&self.ahead)
    }

    /// Returns the missing parts of the given ranges, sorted, with adjacent parts merged.
    fn missing(&self, ranges: &[Range<u64>], size: u64) -> Vec<Range<u64>> {
        let is_missing =
            |range: &&Range<u64>| !range.is_empty() && range.end <= size && !self.parts().any(|part| part.has(range));
        let mut missing: Vec<Range<u64>> = ranges.iter().filter(is_missing).cloned().collect();
        missing.sort_unstable_by_key(|range| range.start);
        missing.dedup_by(|next, last| {
            let is_near = next.start <= last.end.saturating_add(GAP_BYTES);
            last.end = if is_near { last.end.max(next.end) } else { last.end };
            is_near
        });
        missing
    }

    fn add(&mut self, parts: Vec<Part>) {
        let added = parts.len();
        self.ahead.extend(parts);
        let mut bytes: usize = self.ahead.iter().map(|part| part.bytes.len()).sum();
        while bytes > AHEAD_BYTES && self.ahead.len() > added {
            bytes -= self.ahead.pop_front().map_or(0, |part| part.bytes.len());
        }
    }
}

impl Part {
    /// Copies bytes from `offset` on; `None` if the part has none there.
    fn read(&self, buffer: &mut [u8], offset: u64) -> Option<usize> {
        let inside = usize::try_from(offset.checked_sub(self.offset)?).ok()?;
        let bytes = self.bytes.get(inside..).filter(|bytes| !bytes.is_empty())?;
        let read = bytes.len().min(buffer.len());
        buffer.get_mut(..read)?.copy_from_slice(bytes.get(..read)?);
        Some(read)
    }

    fn has(&self, range: &Range<u64>) -> bool {
        (self.offset..=self.offset + self.bytes.len() as u64).contains(&range.end) && self.offset <= range.start
    }
}

/// Requests bytes, up to three times if the host does not answer properly.
fn fetch(client: &dyn Client, address: &str, ranges: &[Range<u64>]) -> io::Result<(Vec<Part>, Version)> {
    let header = answer::header(ranges);
    let bytes: u64 = ranges.iter().map(|range| range.end - range.start).sum();
    let most_bytes = if ranges.len() > 1 { bytes + PART_BYTES * (ranges.len() as u64 + 1) } else { bytes };
    let mut pauses = PAUSES.into_iter();
    loop {
        let response = client.get(address, &header, most_bytes);
        match response.and_then(|response| answer::parts(response, ranges)) {
            Err(failure) if may_pass(failure.kind()) => match pauses.next() {
                Some(pause) => client.pause(pause),
                None => return Err(error(failure.kind(), format!("{failure}, {} times", PAUSES.len() + 1))),
            },
            answer => return answer,
        }
    }
}

/// Returns whether the next try may succeed.
fn may_pass(kind: ErrorKind) -> bool {
    use ErrorKind::{InvalidData, InvalidInput, NotConnected, NotFound, PermissionDenied};
    let is_final = matches!(kind, InvalidData | InvalidInput | NotConnected | NotFound | PermissionDenied);
    !is_final && !matches!(kind, ErrorKind::StaleNetworkFileHandle | ErrorKind::Unsupported)
}
