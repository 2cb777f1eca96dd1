//! Requests to a host, and the checks of its answers: status, encoding, range and length.

use std::fmt::Debug;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::time::Duration;

use fourbase::excerpt;

/// The most bytes of a header that an error message shows.
const EXCERPT_BYTES: usize = 80;

/// Sends requests to hosts over HTTP.
pub trait Client: Send + Sync + Debug {
    /// Sends one `GET` request whose header `Range` is `range`, and follows redirects. Reads at most `most_bytes` of
    /// the body if the status is 206, all of it if the status is 200 and it is at most 1 MiB, and else none.
    ///
    /// # Errors
    /// If no complete answer came in time, or it is longer than `most_bytes`. [`Http`](super::Http) lists the kinds. A
    /// client that cannot wait returns [`ErrorKind::WouldBlock`], loads the bytes, and is then asked the whole question
    /// again.
    fn get(&self, address: &str, range: &str, most_bytes: u64) -> io::Result<Response>;

    /// Waits before the next try.
    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// What a host answered.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers, with names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// Consecutive bytes of a file, from an answer.
#[derive(Debug)]
pub(super) struct Part {
    pub offset: u64,
    pub bytes: Vec<u8>,
}

/// Identifies the contents of a file.
#[derive(PartialEq, Debug)]
pub(super) struct Version {
    pub size: u64,
    /// `ETag`, else `Last-Modified`, if the host sends either.
    tag: Option<String>,
}

/// Checks the answer to a request for the bytes `asked`. Returns the bytes (fewer if the file ends earlier, all if the
/// host sent the whole file) and the version of the file, which is that of `opened` if the file was opened before.
pub(super) fn part(response: Response, asked: &Range<u64>, opened: Option<&Version>) -> io::Result<(Part, Version)> {
    let changed = || io::Error::new(ErrorKind::StaleNetworkFileHandle, "the file has changed since it was opened");
    // A host may call a tag weak where it sends the file in another way.
    let tag = response.header("etag").map(|tag| tag.trim_start_matches("W/"));
    let tag = tag.or_else(|| response.header("last-modified")).map(str::to_owned);
    let is_whole = response.status == 200 && !response.body.is_empty();
    let is_other = opened.is_some_and(|opened| tag.is_some() && opened.tag.is_some() && opened.tag != tag);
    if !(is_whole || is_other && response.status == 200) {
        check_status(response.status)?;
    }
    if let Some(encoding) = response.header("content-encoding").filter(|encoding| *encoding != "identity") {
        let encoding = excerpt(encoding, EXCERPT_BYTES);
        return Err(io::Error::new(ErrorKind::Unsupported, format!("the host compresses the file ({encoding})")));
    }
    if is_other {
        return Err(changed());
    }
    let (part, size) = if is_whole { whole(response, asked)? } else { ranged(response, asked)? };
    let version = Version { size, tag };
    if opened.is_some_and(|opened| *opened != version) { Err(changed()) } else { Ok((part, version)) }
}

/// Returns the bytes of a whole file, and their number.
fn whole(response: Response, asked: &Range<u64>) -> io::Result<(Part, u64)> {
    let size = response.body.len() as u64;
    if asked.start >= size {
        return Err(io::Error::new(ErrorKind::InvalidData, format!("the host has a shorter file, of {size} bytes")));
    }
    Ok((Part { offset: 0, bytes: response.body }, size))
}

/// Returns the bytes that were asked for, and the length of the whole file.
fn ranged(response: Response, asked: &Range<u64>) -> io::Result<(Part, u64)> {
    let found = response.header("content-range").unwrap_or("none");
    let is_asked = |(range, size): &(Range<u64>, u64)| *range == (asked.start..asked.end.min(*size));
    let (Range { start, end }, size) = content_range(found).filter(is_asked).ok_or_else(|| {
        let found = excerpt(found, EXCERPT_BYTES);
        let what = format!("the host answered Content-Range {found} to a request for {}", header(asked));
        io::Error::new(ErrorKind::InvalidData, what)
    })?;
    let (length, expected) = (response.body.len() as u64, end - start);
    if length != expected {
        // A short body may come from a cut connection, so another try may help. A long one is wrong.
        let kind = if length < expected { ErrorKind::ConnectionAborted } else { ErrorKind::InvalidData };
        return Err(io::Error::new(kind, format!("the host sent {length} bytes of {expected}")));
    }
    Ok((Part { offset: start, bytes: response.body }, size))
}

/// Returns the value of the header `Range` that requests this range.
pub(super) fn header(range: &Range<u64>) -> String {
    format!("bytes={}-{}", range.start, range.end - 1)
}

impl Response {
    /// Returns a header by its name in lower case.
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.trim())
    }
}

fn check_status(status: u16) -> io::Result<()> {
    let (kind, what) = match status {
        206 => return Ok(()),
        200 => (ErrorKind::Unsupported, "the host ignores the header Range"),
        401 | 403 => (ErrorKind::PermissionDenied, "the host refuses the file"),
        404 | 410 => (ErrorKind::NotFound, "the host has no such file"),
        416 => (ErrorKind::InvalidData, "the host has a shorter file"),
        429 | 500.. => (ErrorKind::ResourceBusy, "the host cannot answer now"),
        _ => (ErrorKind::InvalidData, "the host does not answer with the bytes"),
    };
    Err(io::Error::new(kind, format!("{what} (status {status})")))
}

/// Parses the value of the header `Content-Range`. Returns the range of the bytes, and the length of the whole file.
fn content_range(text: &str) -> Option<(Range<u64>, u64)> {
    let (range, size) =
        text.split_once(' ').filter(|(unit, _)| unit.eq_ignore_ascii_case("bytes"))?.1.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let [first, last, size] = [first, last, size].map(|number| number.trim().parse::<u64>().ok());
    let (first, end, size) = (first?, last?.checked_add(1)?, size?);
    (first < end && end <= size).then_some((first..end, size))
}
