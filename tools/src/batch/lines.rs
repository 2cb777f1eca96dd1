//! Cuts input into lines as it arrives, without waiting for more.
//!
//! Input may be any bytes: it need not be text, a line can have any length, and the last line can lack a line break. So a [`Line`]
//! keeps only the first [`KEPT_BYTES`] bytes of a line and counts the others.

use std::io::{BufRead, BufReader, ErrorKind, Read, Result};

use memchr::memchr;

/// How many bytes are read at once if the caller does not say.
const CHUNK_BYTES: usize = 1 << 16;

/// How many bytes of a line are kept. The longest position, a bit string for each of 32 columns, has 127 characters; the rest
/// leaves room for spaces and other fields.
pub const KEPT_BYTES: usize = 4096;

/// One line of input, without its line break.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Line {
    /// The line, or its first [`KEPT_BYTES`] bytes.
    pub kept: Vec<u8>,
    /// How many bytes the line had.
    pub bytes: u64,
}

impl Line {
    /// Returns whether all bytes of the line were kept.
    pub fn is_whole(&self) -> bool {
        self.kept.len() as u64 == self.bytes
    }

    /// Removes `start` if the line begins with it.
    pub fn drop_start(&mut self, start: &[u8]) {
        if self.kept.starts_with(start) {
            self.kept.drain(..start.len());
            self.bytes -= start.len() as u64;
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let room = KEPT_BYTES - self.kept.len();
        self.kept.extend_from_slice(&bytes[..room.min(bytes.len())]);
        self.bytes += bytes.len() as u64;
    }

    /// Removes a carriage return at the end, which lines of files from Windows have.
    fn end(mut self) -> Line {
        if self.is_whole() && self.kept.last() == Some(&b'\r') {
            self.kept.pop();
            self.bytes -= 1;
        }
        self
    }
}

/// Reads lines in chunks.
pub struct Lines<R> {
    input: BufReader<R>,
    /// The beginning of a line whose line break has not arrived yet.
    open: Option<Line>,
}

impl<R: Read> Lines<R> {
    /// Begins to read lines, 64 KiB at once.
    pub fn new(input: R) -> Lines<R> {
        Lines::with_chunks(input, CHUNK_BYTES)
    }

    /// Begins to read lines, `chunk_bytes` at once: if input never pauses, that many bytes are answered together.
    pub fn with_chunks(input: R, chunk_bytes: usize) -> Lines<R> {
        Lines { input: BufReader::with_capacity(chunk_bytes, input), open: None }
    }

    /// Waits for input, and returns the lines that are complete with it, possibly none; `None` once input has ended. The last line
    /// of the input needs no line break.
    ///
    /// # Errors
    ///
    /// Input that cannot be read.
    pub fn next_chunk(&mut self) -> Result<Option<Vec<Line>>> {
        let chunk = loop {
            match self.input.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                // The borrow checker does not let the loop return the buffer of `fill_buf`, so borrow the buffer anew.
                Ok(_) => break self.input.buffer(),
            }
        };
        if chunk.is_empty() {
            return Ok(self.open.take().map(|line| vec![line.end()]));
        }
        let mut lines = Vec::new();
        let mut rest = chunk;
        while let Some(end) = memchr(b'\n', rest) {
            let mut line = self.open.take().unwrap_or_default();
            line.push(&rest[..end]);
            lines.push(line.end());
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            self.open.get_or_insert_default().push(rest);
        }
        let bytes = chunk.len();
        self.input.consume(bytes);
        Ok(Some(lines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// Input that arrives in the given portions, with an interrupted read before each portion.
    struct Portions(VecDeque<Vec<u8>>, bool);

    impl Read for Portions {
        fn read(&mut self, into: &mut [u8]) -> Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(ErrorKind::Interrupted.into());
            }
            let portion = self.0.pop_front().unwrap_or_default();
            into[..portion.len()].copy_from_slice(&portion);
            Ok(portion.len())
        }
    }

    fn chunks(portions: &[&[u8]]) -> Vec<Vec<Line>> {
        let portions = portions.iter().map(|portion| portion.to_vec()).collect();
        let mut lines = Lines::new(Portions(portions, false));
        std::iter::from_fn(|| lines.next_chunk().unwrap()).collect()
    }

    fn texts(lines: &[Line]) -> Vec<&[u8]> {
        lines.iter().map(|line| line.kept.as_slice()).collect()
    }

    #[test]
    fn a_line_is_there_as_soon_as_it_ends() {
        let chunks = chunks(&[b"12\n3", b"4\n\n", b"5"]);
        let texts = chunks.iter().map(|lines| texts(lines)).collect::<Vec<_>>();
        assert_eq!(texts, [vec![&b"12"[..]], vec![b"34", b""], vec![], vec![b"5"]]);
    }
}
