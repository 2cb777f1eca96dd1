//! The two ends of the load: a client that keeps its connections, with what it counts; and the server that is asked.

use std::fmt;
use std::io::{self, BufRead};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use fourbase::{Position, notation};
use fourbase_tiers::database::Database;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};

/// The server closes connections that are idle for longer than about twice that.
const IDLE_TIME: Duration = Duration::from_secs(5);

pub struct Client {
    /// Its own address, and that of the server.
    own: Ipv4Addr,
    server: SocketAddr,
    /// The most recently used are at the end.
    idle: Mutex<Vec<(Instant, BufReader<TcpStream>)>>,
}

pub struct Reply {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Client {
    pub fn of(own: Ipv4Addr, server: SocketAddr) -> Client {
        Client { own, server, idle: Mutex::default() }
    }

    pub async fn connect(&self) -> io::Result<BufReader<TcpStream>> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((self.own, 0).into())?;
        let stream = socket.connect(self.server).await?;
        stream.set_nodelay(true)?;
        Ok(BufReader::new(stream))
    }

    /// Sends a request and reads its answer.
    pub async fn ask(&self, address: &str) -> io::Result<Reply> {
        let idle = self.idle.lock().expect("the idle connections").pop();
        let mut stream = match idle {
            Some((since, stream)) if since.elapsed() < IDLE_TIME => stream,
            _ => self.connect().await?,
        };
        stream.write_all(format!("GET {address} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await?;
        let mut head = String::new();
        // An empty line ends the head.
        while stream.read_line(&mut head).await? > 2 {}
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let length =
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let (status, length): (u16, usize) = status.zip(length).ok_or(io::ErrorKind::InvalidData)?;
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        self.idle.lock().expect("the idle connections").push((Instant::now(), stream));
        Ok(Reply { status, body })
    }
}

/// Returns the address of a position's answer.
pub fn address(position: &Position) -> String {
    format!("/api/v1/position?board={}&position={}", position.board(), notation::to_uni(position))
}

/// What became of questions.
#[derive(Default)]
pub struct Tally {
    /// Times of answers with status 200, and of refusals with 429 or 503.
    pub answered: Vec<Duration>,
    refused: Vec<Duration>,
    /// Other answers, and broken connections.
    failed: usize,
}

impl Tally {
    pub fn count(&mut self, reply: &io::Result<Reply>, time: Duration) {
        match reply.as_ref().map(|reply| reply.status) {
            Ok(200) => self.answered.push(time),
            Ok(429 | 503) => self.refused.push(time),
            _ => self.failed += 1,
        }
    }

    /// Tells whether there were questions, and an answer to each.
    pub fn has_all(&self) -> bool {
        !self.answered.is_empty() && self.refused.len() + self.failed == 0
    }
}

/// Returns the median, the 99th percentile and the longest of some times; zeros where there are none.
pub fn spread(times: &[Duration]) -> [Duration; 3] {
    let mut times = times.to_vec();
    times.sort_unstable();
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).or(times.last()).copied();
    [0.5, 0.99, 1.0].map(|share| at(share).unwrap_or_default())
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [answered, refused] = [&self.answered, &self.refused].map(|times| (times.len(), spread(times)));
        write!(f, "{} answered in {:.1?} (median, 99 %, longest), ", answered.0, answered.1)?;
        write!(f, "{} refused in {:.1?}, {} failed", refused.0, refused.1, self.failed)
    }
}

/// A server, and the database of 7x6 that is built in.
pub struct Served {
    database: Database,
    child: Child,
    pub address: SocketAddr,
    /// Where its counts are.
    pub metrics: SocketAddr,
}

impl Served {
    /// Starts the server of a program on a folder of databases.
    pub fn start(program: &str, folder: &Path) -> Served {
        let mut serve = Command::new(program);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--metrics-address", "127.0.0.1:0", "--db"]).arg(folder);
        serve.args(["--search-seconds", "1"]).stdout(Stdio::piped());
        let mut child = serve.spawn().expect("a server");
        let mut lines = io::BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut address = || {
            let line = lines.next().expect("a line").expect("text");
            let (_, address) = line.split_once("http://").expect("an address");
            address.split('/').next().and_then(|address| address.parse().ok()).expect("an address")
        };
        let (address, metrics) = (address(), address());
        let board = "7x6".parse().expect("a board");
        let database = Database::find_or_embedded(folder, board).expect("a database");
        Served { database, child, address, metrics }
    }

    /// Compares an answer about a position with the database.
    pub fn check_answer(&self, position: &Position, answer: &Value) {
        let outcome = self.database.probe(position).expect("a probe");
        assert_eq!(answer["value"].as_str(), Some(outcome.value.to_string().as_str()), "{position}");
        assert_eq!(answer["remoteness"].as_u64(), outcome.remoteness.map(u64::from), "{position}");
        assert_eq!(answer["position"]["uni"].as_str(), Some(notation::to_uni(position).as_str()));
    }

    /// Returns the CPU seconds that it took, from ticks of 10 ms; 0 where the system does not tell.
    pub fn cpu_seconds(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let times = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
        times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
