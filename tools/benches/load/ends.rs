//! The two ends of the load: a client that keeps its connections, with what it counts; the server that is asked, and the questions.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use fourbase::players::{Source, random_position};
use fourbase::{Board, Position, notation};
use fourbase_tiers::database::Database;
use rand::RngExt;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

pub struct Client {
    /// Its own address, and that of the server.
    own: Ipv4Addr,
    server: SocketAddr,
    idle: Mutex<Vec<TcpStream>>,
}

pub struct Reply {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Client {
    pub fn of(own: Ipv4Addr, server: SocketAddr) -> Client {
        Client { own, server, idle: Mutex::default() }
    }

    pub async fn connect(&self) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((self.own, 0).into())?;
        let stream = socket.connect(self.server).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Sends a request and reads its answer.
    pub async fn ask(&self, request: &str) -> io::Result<Reply> {
        let idle = self.idle.lock().expect("the idle connections").pop();
        let mut stream = match idle {
            Some(stream) => stream,
            None => self.connect().await?,
        };
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
    /// Counts an answer with this status, or none.
    pub fn count(&mut self, status: Option<u16>, time: Duration) {
        match status {
            Some(200) => self.answered.push(time),
            Some(429 | 503) => self.refused.push(time),
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

    /// Tells whether there were questions, and an answer to each.
    pub fn has_all(&self) -> bool {
        self.answered() > 0 && self.refused.len() + self.failed + self.not_sent == 0
    }

    /// Returns the time within which a share of the answers came; the longest where none came.
    pub fn percentile(&self, share: f64) -> Duration {
        let mut times = self.answered.clone();
        times.sort_unstable();
        times.get((times.len() as f64 * share) as usize).copied().unwrap_or(Duration::MAX)
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

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_fourbase");

/// How many questions: the server keeps some 20,000 answers.
const QUESTIONS: usize = 200_000;

/// A server with a database of its board.
pub struct Served {
    board: Board,
    database: Database,
    /// Where the board was solved; removed at the end.
    _solved: Option<tempfile::TempDir>,
    child: Child,
    address: SocketAddr,
}

impl Served {
    /// Starts the server of a program on a folder of databases, or solves the board first.
    pub fn start(program: &str, board: Board, folder: Option<PathBuf>, options: &[&str]) -> Served {
        let solved = folder.is_none().then(|| tempfile::tempdir().expect("a folder"));
        let folder = solved.as_ref().map_or_else(|| folder.unwrap_or_default(), |solved| solved.path().to_path_buf());
        if solved.is_some() {
            let solve = Command::new(PROGRAM).args(["solve", &board.to_string(), "-q", "--db"]).arg(&folder).status();
            assert!(solve.expect("a solve").success());
        }
        let mut serve = Command::new(program);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--db"]).arg(&folder).args(options).stdout(Stdio::piped());
        let mut child = serve.spawn().expect("a server");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let address = line.trim().trim_start_matches("listening on http://").trim_end_matches('/').parse();
        let database = Database::find_or_embedded(&folder, board).expect("a database");
        Served { board, database, _solved: solved, child, address: address.expect("an address") }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Draws unfinished positions of every ply.
    pub fn questions(&self) -> Vec<String> {
        let (mut source, mut texts) = (Source::new(1, 0), BTreeSet::new());
        // A small board has fewer positions.
        for _ in 0..QUESTIONS * 4 {
            if texts.len() == QUESTIONS {
                break;
            }
            texts.extend(random_position(self.board, &mut source).map(|(position, _)| notation::to_uni(&position)));
        }
        let mut texts: Vec<String> = texts.into_iter().collect();
        for place in (1..texts.len()).rev() {
            texts.swap(place, source.random_range(0..=place as u32) as usize);
        }
        let board = self.board;
        texts
            .iter()
            .map(|text| format!("GET /api/v1/position?board={board}&position={text} HTTP/1.1\r\nHost: x\r\n\r\n"))
            .collect()
    }

    /// Compares answers with the database.
    pub async fn check(&self, client: &Client, questions: &[String]) {
        for question in questions.iter().step_by(questions.len() / 200) {
            let reply = client.ask(question).await.expect("an answer");
            let answer: Value = serde_json::from_slice(&reply.body).expect("JSON");
            let text = answer["position"]["uni"].as_str().filter(|text| question.contains(text));
            let position = notation::parse(self.board, text.expect("the position")).expect("a position");
            self.check_answer(&position, &answer);
        }
    }

    /// Compares an answer about a position with the database.
    pub fn check_answer(&self, position: &Position, answer: &Value) {
        let outcome = self.database.probe(position).expect("a probe");
        assert_eq!(answer["value"].as_str(), Some(outcome.value.to_string().as_str()), "{position}");
        assert_eq!(answer["remoteness"].as_u64(), outcome.remoteness.map(u64::from), "{position}");
        assert_eq!(answer["position"]["uni"].as_str(), Some(notation::to_uni(position).as_str()));
    }

    fn of_process(&self, file: &str) -> String {
        std::fs::read_to_string(PathBuf::from(format!("/proc/{}/{file}", self.child.id()))).unwrap_or_default()
    }

    /// Returns its largest memory so far; 0 where the system does not tell.
    pub fn memory_bytes(&self) -> u64 {
        let status = self.of_process("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) << 10
    }

    /// Returns the CPU seconds that it took; 0 where the system does not tell.
    pub fn cpu_seconds(&self) -> f64 {
        let stat = self.of_process("stat");
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = [11, 12].iter().filter_map(|place| fields.get(*place)?.parse::<f64>().ok()).sum::<f64>();
        ticks / 100.0
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
