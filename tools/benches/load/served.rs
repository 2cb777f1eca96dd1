//! The server that is asked, and the questions.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use fourbase::players::Source;
use fourbase::{Board, Position, notation};
use fourbase_tiers::database::Database;
use rand::RngExt;
use serde_json::Value;

use super::client::Client;

const PROGRAM: &str = env!("CARGO_BIN_EXE_fourbase");

/// How many questions: the server keeps some 20,000 answers.
const QUESTIONS: usize = 200_000;

/// A server with a database of its board.
pub struct Served {
    board: Board,
    folder: PathBuf,
    /// Where the board was solved; removed at the end.
    _solved: Option<tempfile::TempDir>,
    child: Child,
    address: SocketAddr,
}

impl Served {
    /// Starts the server on a folder of databases, or solves the board first.
    pub fn start(board: Board, folder: Option<PathBuf>) -> Served {
        let solved = folder.is_none().then(|| tempfile::tempdir().expect("a folder"));
        let folder = solved.as_ref().map_or_else(|| folder.unwrap_or_default(), |solved| solved.path().to_path_buf());
        if solved.is_some() {
            let solve = Command::new(PROGRAM).args(["solve", &board.to_string(), "-q", "--db"]).arg(&folder).status();
            assert!(solve.expect("a solve").success());
        }
        let mut serve = Command::new(PROGRAM);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--db"]).arg(&folder).stdout(Stdio::piped());
        let mut child = serve.spawn().expect("a server");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let address = line.trim().trim_start_matches("listening on http://").trim_end_matches('/').parse();
        Served { board, folder, _solved: solved, child, address: address.expect("an address") }
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
            let ply = source.random_range(0..self.board.cells() as u32);
            let mut position = Position::start(self.board);
            for _ in 0..ply {
                let columns: Vec<usize> = position.moves().collect();
                if position.primitive().is_some() || columns.is_empty() {
                    break;
                }
                position = position.drop_piece(columns[source.random_range(0..columns.len() as u32) as usize]);
            }
            if position.primitive().is_none() {
                texts.insert(notation::to_uni(&position));
            }
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
        let database = Database::find_or_embedded(&self.folder, self.board).expect("a database");
        for question in questions.iter().step_by(questions.len() / 200) {
            let reply = client.ask(question).await.expect("an answer");
            let answer: Value = serde_json::from_slice(&reply.body).expect("JSON");
            let text = answer["position"]["uni"].as_str().expect("a position");
            let outcome = database.probe(&notation::parse(self.board, text).expect("a position")).expect("a probe");
            assert_eq!(answer["value"].as_str(), Some(outcome.value.to_string().as_str()), "{text}");
            assert_eq!(answer["remoteness"].as_u64(), outcome.remoteness.map(u64::from), "{text}");
        }
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
