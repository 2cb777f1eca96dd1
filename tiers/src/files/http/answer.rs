//! Checks an answer: its status, encoding, ranges and lengths.

use std::io::{self, ErrorKind};
use std::ops::Range;

use fourbase::excerpt;

use super::{Response, multipart};

/// The most bytes of a header to repeat in an error.
const EXCERPT_BYTES: usize = 80;

/// Some bytes of a file, as received.
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

/// Returns the bytes of an answer to a request for the ranges `asked`, and the version of the file. Of a single range,
/// the file may have only the first bytes; of several ranges, the answer may lack some, but has none twice.
pub(super) fn parts(mut response: Response, asked: &[Range<u64>]) -> io::Result<(Vec<Part>, Version)> {
    check_status(response.status)?;
    if let Some(encoding) = response.header("content-encoding").filter(|encoding| *encoding != "identity") {
        let encoding = excerpt(encoding, EXCERPT_BYTES);
        return Err(error(ErrorKind::Unsupported, format!("the host compresses the file ({encoding})")));
    }
    let body = std::mem::take(&mut response.body);
    let found = match response.header("content-type").and_then(multipart::boundary) {
        Some(boundary) => multipart::split(&body, boundary)
            .ok_or_else(|| error(ErrorKind::InvalidData, "the host answered with parts that cannot be read"))?,
        None => vec![(response.header("content-range").unwrap_or("none").to_owned(), body)],
    };
    let tag = response.header("etag").or_else(|| response.header("last-modified")).map(str::to_owned);
    let mut version = Version { size: 0, tag };
    let mut parts = Vec::with_capacity(found.len());
    for (range, bytes) in found {
        let (part, size) = part(&range, bytes, asked)?;
        if !parts.is_empty() && size != version.size {
            return Err(error(ErrorKind::InvalidData, "the host answered with parts of files of several lengths"));
        }
        parts.push(part);
        version.size = size;
    }
    Ok((parts, version))
}

/// Checks the offset and the length of a part, and returns it with the length of the file.
fn part(found: &str, bytes: Vec<u8>, asked: &[Range<u64>]) -> io::Result<(Part, u64)> {
    let is_asked =
        |(range, size): &(Range<u64>, u64)| asked.iter().any(|asked| *range == (asked.start..asked.end.min(*size)));
    let (Range { start, end }, size) = content_range(found).filter(is_asked).ok_or_else(|| {
        let found = excerpt(found, EXCERPT_BYTES);
        let what = format!("the host answered Content-Range {found} to a request for {}", header(asked));
        error(ErrorKind::InvalidData, what)
    })?;
    let (length, expected) = (bytes.len() as u64, end - start);
    if length != expected {
        // The connection may have been cut by chance.
        let kind = if length < expected { ErrorKind::ConnectionAborted } else { ErrorKind::InvalidData };
        return Err(error(kind, format!("the host sent {length} bytes of {expected}")));
    }
    Ok((Part { offset: start, bytes }, size))
}

/// Returns the header `Range` for some ranges.
pub(super) fn header(ranges: &[Range<u64>]) -> String {
    let ranges: Vec<String> = ranges.iter().map(|range| format!("{}-{}", range.start, range.end - 1)).collect();
    format!("bytes={}", ranges.join(","))
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
    Err(error(kind, format!("{what} (status {status})")))
}

/// Parses the header `Content-Range`: the range, and the length of the file.
pub(super) fn content_range(text: &str) -> Option<(Range<u64>, u64)> {
    let (range, size) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let [first, last, size] = [first, last, size].map(|number| number.trim().parse::<u64>().ok());
    let (first, end, size) = (first?, last?.checked_add(1)?, size?);
    (first < end && end <= size).then_some((first..end, size))
}

pub(super) fn error(kind: ErrorKind, what: impl Into<String>) -> io::Error {
    io::Error::new(kind, what.into())
}
