//! `fourbase serve` while it runs, and a client.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use ureq::Agent;

use super::program::{Program, peak_kib};

/// No answer takes longer, on any machine.
const LIMIT: Duration = Duration::from_secs(60);

/// An answer that stops for so long is over.
const SILENCE: Duration = Duration::from_millis(100);

/// Waits until something holds.
pub fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LIMIT, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A child that is ended when this is dropped.
pub struct Ended(pub Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server, which ends when this is dropped.
pub struct Server {
    child: Ended,
    /// Where it is, without the slash at the end.
    pub url: String,
    /// Where its counts are.
    pub metrics: String,
    agent: Agent,
    /// Its databases are there as long as it runs.
    _folder: Arc<TempDir>,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: ureq::http::HeaderMap,
    pub body: String,
}

impl Server {
    /// Starts a server without a folder of databases.
    pub fn alone(options: &str) -> Server {
        Server::start(&Program::new(), options)
    }

    /// Starts the program in its folder on a port that is free, and waits until it listens.
    pub fn start(program: &Program, options: &str) -> Server {
        let addresses = "--listen 127.0.0.1:0 --metrics-address 127.0.0.1:0";
        let mut child = Ended(program.spawn(&format!("serve {addresses} {options}")));
        let mut lines = BufReader::new(child.0.stdout.as_mut().expect("a pipe")).lines();
        let [url, metrics] = ["listening on ", "metrics on "].map(|name| {
            let line = lines.next().expect("a line").expect("text");
            line.strip_prefix(name).unwrap_or_else(|| panic!("{name}: {line:?}")).trim_end_matches('/').to_owned()
        });
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(LIMIT));
        Server { child, url, metrics, agent: config.build().into(), _folder: program.folder() }
    }

    /// Gets an address that begins with a slash.
    pub fn get(&self, address: &str) -> Reply {
        self.get_with(address, &[])
    }

    /// Gets an address with these headers.
    pub fn get_with(&self, address: &str, headers: &[(&str, &str)]) -> Reply {
        let request = self.agent.get(format!("{}{address}", self.url));
        Reply::of(headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).call())
    }

    /// Posts a body.
    pub fn post(&self, address: &str, body: &[u8]) -> Reply {
        Reply::of(self.agent.post(format!("{}{address}", self.url)).send(body))
    }

    /// Opens a connection, writes bytes, and returns it.
    pub fn write(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = connect(&self.url);
        stream.set_read_timeout(Some(LIMIT)).expect("a limit");
        // The server may close the connection before it has read everything.
        let _ = stream.write_all(bytes);
        stream
    }

    /// Opens a connection, asks for an address, given after its method, and returns the connection.
    pub fn send(&self, request: &str) -> TcpStream {
        self.write(format!("{request} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes())
    }

    /// Writes bytes to a connection of their own and returns what comes back, until it is closed or silent.
    pub fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.write(bytes);
        let (mut answer, mut part) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = stream.read(&mut part) {
            answer.extend_from_slice(&part[..count]);
            stream.set_read_timeout(Some(SILENCE)).expect("a limit");
        }
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Returns all counts.
    pub fn counts(&self) -> Reply {
        Reply::of(self.agent.get(&self.metrics).call())
    }

    /// Returns what is counted under a name.
    pub fn metric(&self, name: &str) -> f64 {
        let text = self.counts().body;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).map(str::parse);
        line.unwrap_or_else(|| panic!("{name} in {text}")).expect("a number")
    }

    /// Returns the most memory that it has taken so far.
    #[cfg(target_os = "linux")]
    pub fn peak_kib(&self) -> Option<u64> {
        peak_kib(self.child.0.id())
    }

    /// Sends it a signal.
    #[cfg(target_os = "linux")]
    pub fn signal(&self, signal: rustix::process::Signal) {
        let _ = rustix::process::kill_process(rustix::process::Pid::from_child(&self.child.0), signal);
    }

    /// Sends it a signal that ends it, and returns its exit code and what it wrote to standard error.
    #[cfg(target_os = "linux")]
    pub fn stop(mut self, signal: rustix::process::Signal) -> (Option<i32>, String) {
        self.signal(signal);
        let status = self.child.0.wait().expect("an end");
        let errors = std::io::read_to_string(self.child.0.stderr.take().expect("a pipe")).expect("UTF-8");
        (status.code(), errors)
    }
}

/// Opens a connection to the host of an address.
pub fn connect(url: &str) -> TcpStream {
    let host = url.strip_prefix("http://").and_then(|rest| rest.split('/').next()).expect("a host");
    TcpStream::connect(host).expect("a connection")
}

impl Reply {
    fn of(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Reply {
        let (parts, mut body) = answer.expect("an answer").into_parts();
        let body = body.read_to_string().expect("a body");
        Reply { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    /// Returns a header; an empty text where it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
    }

    /// Reads the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Reads each line as JSON.
    pub fn lines(&self) -> Vec<Value> {
        self.body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Returns the reason of a refusal with this status.
    pub fn refused(&self, status: u16) -> String {
        assert_eq!((self.status, self.header("cache-control")), (status, "no-store"), "{self:?}");
        self.json()["error"].as_str().expect("a reason").to_owned()
    }
}
