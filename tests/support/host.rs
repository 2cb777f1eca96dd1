//! A static host over HTTP, which answers as it should, or as a test wants it to.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::databases::Files;

/// A file, a range of it (all without one), and what a host sends for it.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// How many bytes of the body are sent before the connection ends; all without it.
    pub sent: Option<usize>,
    /// How long the client waits for it.
    pub delay: Duration,
    /// Sent instead of all that, before the connection ends.
    pub raw: Option<String>,
    /// Nothing more is sent, and the connection stays open.
    pub is_silent: bool,
    /// What is sent has no end.
    pub is_endless: bool,
}

impl Answer {
    /// Answers a request for a range of a file, or for all of it.
    pub fn of(file: &[u8], range: Option<Range<usize>>) -> Answer {
        let mut answer = Answer { status: 200, body: file.to_vec(), ..Answer::default() };
        answer.set("ETag", format!("\"{}\"", file.len()));
        answer.set("Accept-Ranges", "bytes");
        let Some(range) = range.map(|range| range.start..range.end.min(file.len())) else { return answer };
        if range.is_empty() {
            return Answer { status: 416, ..Answer::default() };
        }
        answer.status = 206;
        answer.set("Content-Range", format!("bytes {}-{}/{}", range.start, range.end - 1, file.len()));
        answer.body = file[range].to_vec();
        answer
    }

    /// Sets a header.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.headers.insert(name.to_owned(), value.into());
    }

    fn bytes(&self) -> Vec<u8> {
        let headers = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect::<String>();
        let has_length = !self.is_endless && !self.headers.contains_key("Transfer-Encoding");
        let length = if has_length { format!("Content-Length: {}\r\n", self.body.len()) } else { String::new() };
        let head = format!("HTTP/1.1 {} \r\n{length}{headers}\r\n", self.status);
        [head.as_bytes(), &self.body[..self.sent.unwrap_or(self.body.len())]].concat()
    }

    /// Sends it. Returns whether the connection can take the next request.
    fn send(&self, mut stream: &TcpStream) -> bool {
        thread::sleep(self.delay);
        let bytes = self.raw.as_ref().map_or_else(|| self.bytes(), |raw| raw.clone().into_bytes());
        let is_silent = self.is_silent && self.sent.is_none();
        let mut is_open = is_silent || stream.write_all(&bytes).is_ok();
        while is_open && self.is_endless {
            is_open = stream.write_all(&[0; 1 << 16]).is_ok();
        }
        if self.is_silent {
            // Waits until the client gives up.
            _ = stream.read(&mut [0]);
        }
        let closes = self.is_silent || self.headers.contains_key("Connection");
        is_open && self.sent.is_none() && self.raw.is_none() && !closes
    }
}

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The last part of the path.
    pub name: String,
    pub path: String,
    /// The bytes that it asks for.
    pub range: Option<Range<usize>>,
    /// How many requests for this file came before.
    pub earlier: usize,
}

/// Changes an answer to a request.
type Change = Box<dyn Fn(&Request, &mut Answer) + Send + Sync>;

/// A host that serves the files of one database, whatever the folders before their names. Its thread ends with the tests.
pub struct Host {
    /// Its address, without a slash at the end.
    pub url: String,
    shared: Arc<Shared>,
}

struct Shared {
    files: Files,
    change: Change,
    requests: Mutex<Vec<String>>,
}

impl Host {
    /// Serves files as it should.
    pub fn serving(files: Files) -> Host {
        Host::changing(files, |_, _| {})
    }

    /// Serves files, with changed answers.
    pub fn changing(files: Files, change: impl Fn(&Request, &mut Answer) + Send + Sync + 'static) -> Host {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared { files, change: Box::new(change), requests: Mutex::default() });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&serving);
                thread::spawn(move || shared.serve(&stream));
            }
        });
        Host { url, shared }
    }

    /// Returns how many requests came so far.
    pub fn requests(&self) -> usize {
        self.shared.requests.lock().expect("a lock").len()
    }
}

impl Shared {
    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some((path, range)) = read_request(&mut reader) {
            let name = path.split('?').next().and_then(|path| path.rsplit('/').next()).unwrap_or_default().to_owned();
            let mut requests = self.requests.lock().expect("a lock");
            let earlier = requests.iter().filter(|earlier| **earlier == name).count();
            requests.push(name.clone());
            drop(requests);
            let absent = || Answer { status: 404, body: b"<html>no such page".to_vec(), ..Answer::default() };
            let mut answer = self.files.get(&name).map_or_else(absent, |file| Answer::of(file, range.clone()));
            (self.change)(&Request { name, path, range, earlier }, &mut answer);
            if !answer.send(stream) {
                return;
            }
        }
    }
}

/// Reads the path and the range of the next request; nothing where the client has ended the connection.
fn read_request(reader: &mut impl BufRead) -> Option<(String, Option<Range<usize>>)> {
    let head: Vec<String> = reader.lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let path = head.first()?.split(' ').nth(1)?.to_owned();
    let asked = head.iter().find_map(|line| Some(line.to_lowercase().strip_prefix("range: bytes=")?.to_owned()));
    let range = asked.map(|range| {
        let (first, last) = range.trim().split_once('-')?;
        Some(first.parse().ok()?..last.parse::<usize>().ok()? + 1)
    });
    match range {
        Some(range) => Some((path, Some(range?))),
        None => Some((path, None)),
    }
}
