//! A file on a host. Requests ranges of bytes, and keeps some of the bytes, so that they need not be requested again.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};
use std::time::Duration;

use super::answer::{self, Client, Part, Version};
use crate::files::storage::ReadFile;

/// The number of bytes at the start of a file that are requested together. They hold the whole manifest, or the header
/// of a tier's file.
const HEAD_BYTES: u64 = 4 << 10;

/// The number of bytes at the end of a file that are requested together. In a tier's file they include the list of the
/// directory's pages, and the whole directory if it is small.
const TAIL_BYTES: u64 = 32 << 10;

/// A file of at most this many bytes is requested as a whole if its length is known.
const BOTH_BYTES: u64 = HEAD_BYTES + TAIL_BYTES;

/// The most bytes to request for one read.
const MOST_BYTES: u64 = 1 << 20;

/// The most requests for one file that run at the same time.
const MOST_REQUESTS: usize = 8;

/// Ranges with fewer bytes between them are requested as one, because each request costs some hundred bytes of headers
/// and a read of the host's disk.
const GAP_BYTES: u64 = 4 << 10;

/// The most bytes of a file that are kept after reading ahead. The bytes of the latest read-ahead are always kept, even
/// if they are more.
const AHEAD_BYTES: usize = 1 << 20;

/// The pauses before the second and before the third, last try of a request.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];

/// A file on a host. Threads share it.
#[derive(Debug)]
pub(super) struct HttpFile {
    client: Arc<dyn Client>,
    address: String,
    version: Version,
    kept: Mutex<KeptParts>,
}

/// Bytes that need not be requested again.
#[derive(Debug, Default)]
struct KeptParts {
    /// The first and the last bytes of the file.
    ends: Vec<Part>,
    /// Parts that were read ahead, the oldest first.
    ahead: VecDeque<Part>,
}

impl HttpFile {
    /// Asks for the last bytes of a file of the expected length, or for its first bytes if none is expected.
    pub fn open(client: &Arc<dyn Client>, address: String, expected_bytes: Option<u64>) -> io::Result<HttpFile> {
        let range = match expected_bytes {
            Some(bytes) if bytes > BOTH_BYTES => bytes - TAIL_BYTES..bytes,
            Some(bytes) if bytes > 0 => 0..bytes,
            _ => 0..HEAD_BYTES,
        };
        let (part, version) = fetch(&**client, &address, &range, None)?;
        let kept = Mutex::new(KeptParts { ends: vec![part], ..KeptParts::default() });
        Ok(HttpFile { client: Arc::clone(client), address, version, kept })
    }

    /// Requests bytes that the file has. Returns an error if the file has changed since it was opened.
    fn fetch(&self, range: &Range<u64>) -> io::Result<Part> {
        Ok(fetch(&*self.client, &self.address, range, Some(&self.version))?.0)
    }

    fn kept(&self) -> MutexGuard<'_, KeptParts> {
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
        let is_head = end <= HEAD_BYTES.min(size);
        let part = self.fetch(&match () {
            () if offset >= tail => tail..size,
            () if is_head => 0..HEAD_BYTES.min(size),
            () => offset..end,
        })?;
        let read = part.read(buffer, offset).ok_or(ErrorKind::InvalidData)?;
        if offset >= tail || is_head {
            self.kept().ends.push(part);
        }
        Ok(read)
    }

    fn read_ahead(&self, ranges: &[Range<u64>]) {
        let missing = self.kept().missing(ranges, self.version.size);
        let parts = together(&missing, |range| self.fetch(range));
        // Later reads ask again for what did not come.
        self.kept().add(parts.into_iter().flatten().collect());
    }
}

impl KeptParts {
    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.ends.iter().chain(&self.ahead)
    }

    /// Returns the given ranges that are inside the file and not kept yet, sorted. Merges ranges with gaps of at most
    /// [`GAP_BYTES`].
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
    /// Copies bytes from `offset` on to `buffer` and returns their number; `None` if the part has no bytes there.
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

/// Asks for ranges in up to [`MOST_REQUESTS`] threads, and returns the answers in their order. Without threads, as in
/// WebAssembly, asks in turn: a client there refuses at first, and then loads at the same time all that it was asked for.
fn together<T: Send>(ranges: &[Range<u64>], ask: impl Fn(&Range<u64>) -> io::Result<T> + Sync) -> Vec<io::Result<T>> {
    let ask_all = |ranges: &[Range<u64>]| ranges.iter().map(&ask).collect::<Vec<_>>();
    thread::scope(|scope| {
        let of_threads = ranges.chunks(ranges.len().div_ceil(MOST_REQUESTS).max(1));
        let start = |ranges| (ranges, Builder::new().spawn_scoped(scope, move || ask_all(ranges)));
        let threads: Vec<_> = of_threads.map(start).collect();
        let answers = |(ranges, thread): (_, io::Result<thread::ScopedJoinHandle<'_, _>>)| {
            thread.map_or_else(|_| ask_all(ranges), |thread| thread.join().unwrap_or_default())
        };
        threads.into_iter().flat_map(answers).collect()
    })
}

/// Requests bytes of a file, whose version is that of `opened` if it was opened before. After a failure that may be
/// temporary, tries again, up to three tries in all.
fn fetch(
    client: &dyn Client,
    address: &str,
    range: &Range<u64>,
    opened: Option<&Version>,
) -> io::Result<(Part, Version)> {
    let mut pauses = PAUSES.into_iter();
    loop {
        let response = client.get(address, &answer::header(range), range.end - range.start);
        match response.and_then(|response| answer::part(response, range, opened)) {
            Err(failure) if may_pass(failure.kind()) => match pauses.next() {
                Some(pause) => client.pause(pause),
                None => return Err(io::Error::new(failure.kind(), format!("{failure}, {} times", PAUSES.len() + 1))),
            },
            // Some hosts send a file whole until they have it in their own cache.
            Err(failure) if failure.kind() == ErrorKind::Unsupported && pauses.len() == PAUSES.len() => {
                pauses.next().into_iter().for_each(|pause| client.pause(pause));
            }
            answer => return answer,
        }
    }
}

/// Returns whether a request that failed with this kind of error may succeed at the next try.
fn may_pass(kind: ErrorKind) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ResourceBusy, TimedOut};
    matches!(kind, ConnectionAborted | ConnectionRefused | ResourceBusy | TimedOut)
}
