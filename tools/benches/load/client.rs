//! A client that keeps its connections, and what it counts.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub struct Client {
    address: SocketAddr,
    idle: Mutex<Vec<TcpStream>>,
}

pub struct Reply {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Client {
    pub fn new(address: SocketAddr) -> Client {
        Client { address, idle: Mutex::default() }
    }

    /// Sends a request and reads its answer.
    pub async fn ask(&self, request: &str) -> io::Result<Reply> {
        let idle = self.idle.lock().expect("the idle connections").pop();
        let mut stream = match idle {
            Some(stream) => stream,
            None => TcpStream::connect(self.address).await?,
        };
        stream.set_nodelay(true)?;
        stream.write_all(request.as_bytes()).await?;
        let reply = read(&mut stream).await?;
        self.idle.lock().expect("the idle connections").push(stream);
        Ok(reply)
    }
}

async fn read(stream: &mut TcpStream) -> io::Result<Reply> {
    let bad = |what| io::Error::new(io::ErrorKind::InvalidData, what);
    let (mut bytes, mut part) = (Vec::new(), [0; 4096]);
    let mut head = None;
    loop {
        let count = stream.read(&mut part).await?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&part[..count]);
        if head.is_none()
            && let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n")
        {
            let text = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let status =
                text.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(|| bad("no status"))?;
            let length = text.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
            let length: usize = length.and_then(|length| length.parse().ok()).ok_or_else(|| bad("no length"))?;
            head = Some((status, end + 4, length));
        }
        if let Some((status, begin, length)) = head
            && bytes.len() >= begin + length
        {
            return Ok(Reply { status, body: bytes.split_off(begin) });
        }
    }
}

/// What became of questions.
#[derive(Default)]
pub struct Tally {
    /// Times of answers with status 200, and of refusals with 429 or 503.
    answered: Vec<Duration>,
    refused: Vec<Duration>,
    /// Other answers, and broken connections.
    failed: usize,
    /// Questions for which no connection was free.
    pub not_sent: usize,
}

impl Tally {
    pub fn count(&mut self, status: io::Result<u16>, due: Instant) {
        match status {
            Ok(200) => self.answered.push(due.elapsed()),
            Ok(429 | 503) => self.refused.push(due.elapsed()),
            _ => self.failed += 1,
        }
    }

    pub fn add(&mut self, other: Tally) {
        self.answered.extend(other.answered);
        self.refused.extend(other.refused);
        self.failed += other.failed;
        self.not_sent += other.not_sent;
    }

    pub fn answered(&self) -> usize {
        self.answered.len()
    }
}

/// Writes the median, the 99th percentile and the longest of some times, in milliseconds.
fn spread(times: &[Duration]) -> String {
    let mut times = times.to_vec();
    times.sort_unstable();
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).or(times.last());
    let shown =
        |time: Option<&Duration>| time.map_or("-".to_owned(), |time| format!("{:.1}", time.as_secs_f64() * 1e3));
    format!("{} / {} / {} ms", shown(at(0.5)), shown(at(0.99)), shown(times.last()))
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} answered in {} (median, 99 %, longest)", self.answered.len(), spread(&self.answered))?;
        if !self.refused.is_empty() {
            write!(f, ", {} refused in {}", self.refused.len(), spread(&self.refused))?;
        }
        write!(f, ", {} failed, {} not sent", self.failed, self.not_sent)
    }
}
