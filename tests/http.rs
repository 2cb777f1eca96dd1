//! Databases by HTTP: right answers from hosts that serve files, and an error from every other one.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use fourbase::{Outcome, Position, notation};
use fourbase_tiers::files::{Http, UreqClient};
use rayon::prelude::*;
use serde::Deserialize;

use crate::support::databases::{self, Files};
use crate::support::host::{Answer, Host, Request};
use crate::support::positions::{Random, board};
use crate::support::program::Program;
use crate::support::proofs::random_positions;
use crate::support::server::{Ended, Server, eventually};
use crate::support::tiers::{Database, DatabaseError, Values};

/// Opens a database at an address or in a folder.
fn open(place: impl AsRef<Path>) -> Database {
    Database::open(place.as_ref()).expect("a database")
}

/// Compares the moves of a position of 5x5 that random play reaches, and returns it.
fn compare(remote: &Database, local: &Database, ply: usize, random: &mut Random) -> Position {
    let position = random_positions(board("5x5"), ply, 1, random)[0];
    let [found, expected] = [remote, local].map(|database| database.moves(&position).expect("an answer"));
    assert_eq!(found, expected, "{position}");
    position
}

/// What a host does, and what comes out of it: a line of `data/hosts.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Row {
    files: String,
    from: usize,
    until: Option<usize>,
    unless: Option<String>,
    ranges: Option<bool>,
    shift: isize,
    file: Vec<Edit>,
    body: Vec<Edit>,
    status: Option<u16>,
    headers: BTreeMap<String, Option<String>>,
    delay: u64,
    chunked: bool,
    sent: Option<usize>,
    closes: bool,
    raw: Option<String>,
    silent: bool,
    endless: bool,
    /// `does`, `why`, and the errors.
    #[serde(flatten)]
    said: BTreeMap<String, Option<String>>,
}

/// A change of bytes.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Edit {
    Keep(usize),
    Add(usize),
    Flip(usize),
    Text(String),
    Of(String),
    Gzip,
    Crlf,
}

impl Edit {
    fn apply(&self, bytes: &mut Vec<u8>, files: &Files) {
        match self {
            Edit::Keep(length) => bytes.truncate(*length),
            Edit::Add(length) => bytes.resize(bytes.len() + length, 0),
            Edit::Flip(from) => bytes.iter_mut().skip(*from).for_each(|byte| *byte ^= 1),
            Edit::Text(text) => *bytes = text.clone().into_bytes(),
            Edit::Of(name) => bytes.clone_from(&files[name]),
            Edit::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(bytes).expect("memory");
                *bytes = encoder.finish().expect("memory");
            }
            Edit::Crlf => *bytes = bytes.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]),
        }
    }
}

impl Row {
    fn shifted(&self, offset: usize) -> usize {
        offset.saturating_add_signed(self.shift)
    }

    fn change(&self, request: &Request, answer: &mut Answer, files: &Files) {
        let is_spared = self.unless.as_ref().is_some_and(|start| request.path.starts_with(start));
        let is_late = self.until.is_some_and(|until| request.earlier >= until);
        let Some(mut file) = files.get(&request.name).cloned() else { return };
        if !request.name.starts_with(&self.files) || request.earlier < self.from || is_late || is_spared {
            return;
        }
        self.file.iter().for_each(|edit| edit.apply(&mut file, files));
        let asked = request.range.clone().filter(|_| self.ranges != Some(false));
        *answer = Answer::of(&file, asked.clone().map(|range| self.shifted(range.start)..self.shifted(range.end)));
        self.body.iter().for_each(|edit| edit.apply(&mut answer.body, files));
        answer.status = self.status.unwrap_or(answer.status);
        let (first, end) = asked.map_or((0, file.len()), |range| (range.start, range.end.min(file.len())));
        for (name, value) in &self.headers {
            answer.headers.retain(|header, _| header != name);
            let Some(value) = value else { continue };
            let facts = [("first", first), ("last", end.max(1) - 1), ("size", file.len()), ("number", request.earlier)];
            let filled = facts.iter().fold(value.replace("{path}", &request.path), |value, (fact, number)| {
                value.replace(&format!("{{{fact}}}"), &number.to_string())
            });
            answer.set(name, filled);
        }
        if self.chunked {
            answer.set("Transfer-Encoding", "chunked");
            let head = format!("{:x}\r\n", answer.body.len());
            answer.body = [head.as_bytes(), &answer.body, b"\r\n0\r\n\r\n"].concat();
        }
        answer.delay = Duration::from_millis(self.delay);
        answer.sent = self.sent;
        answer.raw = self.raw.clone().or_else(|| self.closes.then(String::new));
        (answer.is_silent, answer.is_endless) = (self.silent, self.endless);
    }
}

#[derive(Deserialize)]
struct Hosts {
    values: Vec<(String, String)>,
    rows: Vec<Row>,
}

#[test]
fn a_host_that_misbehaves_gives_right_values_or_an_error_that_says_how_and_comes_to_an_end() {
    let Hosts { values, rows } = serde_json::from_str(include_str!("data/hosts.json")).expect("rows");
    let names = ["manifest", "tier-01", "tier-03", "tier-05", "tier-07", "tier-09", "tier-11"];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tiers/embedded/7x6/remoteness");
    let read = |name: &str| (name.to_owned(), fs::read(Path::new(folder).join(name)).expect("a file"));
    let files: Files = Arc::new(names.into_iter().map(read).collect());
    // Most of the time is waited for.
    let threads = rayon::ThreadPoolBuilder::new().num_threads(8).build().expect("threads");
    let check_all = || rows.into_par_iter().filter_map(|row| check(row, &values, &files).err()).collect();
    let failed: Vec<String> = threads.install(check_all);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Asks a host that behaves as a row says. Returns what is not as the row says.
fn check(row: Row, values: &[(String, String)], files: &Files) -> Result<(), String> {
    let (does, begin) = (row.said["does"].clone().unwrap_or_default(), Instant::now());
    let expected = row.said.get("program").or(row.said.get("error")).cloned().flatten();
    let of_row = Arc::clone(files);
    let host = Host::changing(Arc::clone(files), move |request, answer| row.change(request, answer, &of_row));
    let http = Http::new(Arc::new(UreqClient::new(Duration::from_millis(500))));
    let ask = || -> Result<(), DatabaseError> {
        let place = format!("{}/all/7x6/remoteness", host.url);
        let database = Database::open_on(Arc::new(http), Path::new(&place))?;
        for (moves, value) in values {
            let Outcome { value: found, remoteness } =
                database.probe(&notation::parse(board("7x6"), moves).expect("a position"))?;
            // Where there is an answer, it is the right one.
            assert_eq!(format!("{found} {}", remoteness.unwrap_or(u32::MAX)), *value, "{does}: {moves}");
        }
        Ok(())
    };
    let found = ask().err().map(|error| format!("{error}; {}", error.remedy_of_host().unwrap_or_default()));
    println!("{does}: {found:?}");
    let is_right = match (&found, &expected) {
        (Some(found), Some(expected)) => found.contains(expected),
        (found, expected) => found.is_none() && expected.is_none(),
    };
    let is_soon = begin.elapsed() < Duration::from_secs(20);
    if is_right && is_soon { Ok(()) } else { Err(format!("{does}: {found:?}, expected {expected:?}, {is_soon}")) }
}

/// Asks a host for all moves of positions of 5x5 with nothing in the cache, and returns the most requests for one position.
fn most_requests(host: &Host, local: &Database) -> usize {
    let (mut most, mut random) = (0, Random::new(5));
    for ply in [0, 4, 8, 9, 10, 11, 12, 12, 12, 13, 14, 14, 14, 15, 16, 18] {
        let remote = open(format!("{}/5x5/remoteness", host.url));
        let before = host.requests();
        let position = compare(&remote, local, ply, &mut random);
        let cold = host.requests() - before;
        remote.moves(&position).expect("an answer");
        assert_eq!(host.requests(), before + cold, "{position}: warm");
        most = most.max(cold);
    }
    most
}

#[test]
fn what_a_question_needs_of_a_file_is_asked_for_at_the_same_time() {
    let local = databases::shared(board("5x5"), Values::Remoteness);
    let (waiting, most_waiting) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let noted = Arc::clone(&most_waiting);
    let host = Host::changing(databases::files(board("5x5"), Values::Remoteness), move |_, _| {
        noted.fetch_max(waiting.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        waiting.fetch_sub(1, Ordering::SeqCst);
    });
    let (requests, at_once) = (most_requests(&host, &local), most_waiting.load(Ordering::SeqCst));
    println!("{requests} requests at most, {at_once} at once");
    assert!(requests <= 48 && (3..=64).contains(&at_once), "{requests}, {at_once} at once");
}

#[test]
fn the_commands_that_only_read_take_an_address() {
    let (local, mut empty) = (Program::with("4x4"), Program::new());
    local.run("stats 4x4").succeeds();
    let mut files = databases::files(board("4x4"), Values::Remoteness).as_ref().clone();
    let counts = fs::read(local.path("db/4x4/remoteness.stats.json")).expect("the counts");
    files.insert("remoteness.stats.json".to_owned(), counts);
    // It refuses who has no key.
    let host = Host::changing(Arc::new(files), |request, answer| {
        if !request.path.ends_with("?key=s3/cret") && !request.path.ends_with("?key=s3%2Fcret") {
            *answer = Answer { status: 403, ..Answer::default() };
        }
    });
    let signed = format!("{}/db/?key=s3/cret", host.url);
    // Without a path, too.
    let bare = empty.run(&format!("query 4x4 1234 --search never --db {}?key=s3/cret", host.url)).succeeds();
    assert!(!bare.contains("cret"), "{bare}");
    for command in
        ["query 4x4 1234 --search never", "query 4x4 --json", "analyse 4x4 12341234", "verify 4x4 --sample 100"]
    {
        let [remote, expected] = [(&empty, signed.as_str()), (&local, "db")].map(|(program, root)| {
            let text = program.run(&format!("{command} --db {root}")).succeeds();
            assert!(!text.contains("cret"), "{text}");
            let text = text.replace(&format!("{}/db", host.url), "db");
            let without_seconds = text.lines().filter(|line| !line.contains(" s"));
            without_seconds.map(str::to_owned).collect::<Vec<_>>()
        });
        assert_eq!(remote, expected, "{command}");
    }
    let refused = empty.run(&format!("query 4x4 1234 --search never --db {}/db?key=s4/cret", host.url)).fails(1);
    assert!(refused.contains("status 403") && !refused.contains("cret"), "{refused}");
    empty.set("FOURBASE_DB", &signed);
    assert!(empty.run_with_input("play 4x4 --first perfect --second perfect", "").succeeds().contains("tie"));
    let server = Server::start(&empty, "");
    let boards = || server.get("/api/v1/boards").json()["boards"].as_array().expect("a list").len();
    let before = boards();
    assert_eq!(server.get("/api/v1/position?board=4x4&position=1234").json()["source"]["kind"], "database");
    // A host does not list its folders.
    assert_eq!(boards(), before + 1);
    assert_eq!(server.get("/api/v1/stats?board=4x4").json()["legal"], 161_029);
}

#[test]
fn after_a_manifest_that_a_host_refuses_no_other_one_is_asked_for() {
    let host = Host::changing(Arc::default(), |_, answer| *answer = Answer { status: 403, ..Answer::default() });
    assert!(Database::find(host.url.as_ref(), board("4x4")).is_err());
    assert_eq!(host.requests(), 1);
}

#[test]
fn a_host_that_stops_answering_is_asked_three_times_and_not_for_each_position() {
    let host = Host::changing(databases::files(board("5x5"), Values::Remoteness), |request, answer| {
        answer.is_silent = request.name != "manifest";
    });
    let http = Http::new(Arc::new(UreqClient::new(Duration::from_millis(300))));
    let remote =
        Database::open_on(Arc::new(http), format!("{}/5x5/remoteness", host.url).as_ref()).expect("a database");
    let before = host.requests();
    for position in random_positions(board("5x5"), 12, 5, &mut Random::new(3)) {
        assert!(remote.probe(&position).is_err());
    }
    assert_eq!(host.requests(), before + 3);
}

#[test]
fn counts_that_a_host_refuses_are_counts_that_it_does_not_have() {
    let host = Host::changing(databases::files(board("4x4"), Values::Remoteness), |request, answer| {
        if request.path.ends_with(".stats.json") {
            *answer = Answer { status: 403, ..Answer::default() };
        }
    });
    let mut program = Program::new();
    program.set("FOURBASE_DB", &host.url);
    let server = Server::start(&program, "");
    assert!(server.get("/api/v1/stats?board=4x4").refused(404).contains("are not counted on this server"));
}

/// (`cmd/addresses.md` has more addresses that do not help.)
#[test]
fn an_address_that_does_not_help_is_refused_with_what_to_do() {
    let (program, missing) = (Program::new(), Host::serving(Arc::default()));
    let https = if cfg!(feature = "https") { "3 times" } else { "built without https" };
    let whole = format!("the host should have a whole database at {}/4x4/remoteness/manifest", missing.url);
    for (root, expected) in [("https://127.0.0.1:1", https), (&missing.url, &whole)] {
        let line = program.run(&format!("query 4x4 --search never --db {root}")).fails(1);
        assert!(line.contains(expected), "{line}");
    }
}

const CADDY: [&str; 5] = ["run", "--adapter", "caddyfile", "--config", "configuration"];

/// Returns a block of the page about publishing, for a folder and a port of the test.
fn configuration(language: &str, folder: &Path, port: u16) -> String {
    let page = include_str!("../docs/how-to/publish-a-database.md");
    let (_, rest) = page.split_once(&format!("```{language}\n")).expect("a block");
    let (block, _) = rest.split_once("```").expect("its end");
    let block = block.replace("/srv/fourbase", folder.to_str().expect("a path"));
    block.replace(":80 ", &format!(":{port} ")).replace(" 80;", &format!(" 127.0.0.1:{port};"))
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port()
}

/// Starts a server in a folder, where it finds its configuration. Without the server it says that the test is skipped.
fn start(program: &str, arguments: &[&str], here: &Program, port: u16, configuration: &str) -> Option<Ended> {
    fs::write(here.path("configuration"), configuration).expect("a file");
    let log = fs::File::create(here.path("log")).expect("a file");
    let mut command = Command::new(program);
    command.args(arguments).current_dir(here.path("")).env("HOME", here.path("")).stdout(Stdio::null()).stderr(log);
    let Ok(child) = command.spawn() else {
        println!("skipped: there is no {program}");
        return None;
    };
    let ended = Ended(child);
    eventually(program, || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    Some(ended)
}

/// Starts a server with the configuration of the page, reads all files there and compares some answers of each ply.
fn serves(program: &str, language: &str, arguments: &[&str], whole: impl Fn(&Path, &str) -> String) {
    let (here, port) = (Program::with("5x5"), free_port());
    let text = whole(&here.path(""), &configuration(language, &here.path("db"), port));
    let Some(_ended) = start(program, arguments, &here, port, &text) else { return };
    let (local, mut random) = (databases::shared(board("5x5"), Values::Remoteness), Random::new(7));
    let remote = open(format!("http://127.0.0.1:{port}/5x5/remoteness"));
    assert!(remote.check_files().is_empty());
    for ply in 0..25 {
        compare(&remote, &local, ply, &mut random);
    }
}

#[test]
fn nginx_and_caddy_serve_a_database_with_the_configurations_of_the_documentation() {
    serves("nginx", "nginx", &["-p", ".", "-c", "configuration", "-e", "log"], |folder, server| {
        let folder = folder.display();
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|of| format!("{of}_temp_path {folder};"));
        let options = format!("access_log off; {}", paths.join(" "));
        format!("daemon off; pid {folder}/pid; events {{}} http {{ {options} {server} }}")
    });
    serves("caddy", "caddy", &CADDY, |_, site| format!("{{\nadmin off\n}}\n{site}"));
}

/// The certificate of this host is signed by an authority that Caddy makes, which nobody trusts until `SSL_CERT_FILE` names it.
#[test]
fn over_tls_a_host_answers_if_the_system_trusts_its_certificate() {
    let Some(program) = std::env::var_os("FOURBASE_HTTPS") else {
        return println!("skipped: databases over TLS; set FOURBASE_HTTPS to a program with the feature https");
    };
    let (here, port) = (Program::with("4x4"), free_port());
    let folder = here.path("").display().to_string();
    let text = format!(
        "{{\nadmin off\nskip_install_trust\nauto_https disable_redirects\nstorage file_system {folder}/store\n}}\n\
         https://localhost:{port} {{\ntls internal\nroot * {folder}/db\nfile_server\n}}\n"
    );
    let Some(_ended) = start("caddy", &CADDY, &here, port, &text) else { return };
    let ask = |root: &str, certificates: &Path| {
        let mut command = Command::new(&program);
        command.args(["query", "4x4", "12", "--json", "--search", "never", "--db", root]);
        command.env("SSL_CERT_FILE", certificates).output().expect("the program runs")
    };
    let (url, authority) = (format!("https://localhost:{port}"), here.path("store/pki/authorities/local/root.crt"));
    let moves = |answer: &Output| {
        assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
        serde_json::from_slice::<serde_json::Value>(&answer.stdout).expect("JSON")["children"].clone()
    };
    let local = moves(&ask(here.path("db").to_str().expect("a path"), &authority));
    assert_eq!(local.as_array().map(Vec::len), Some(4));
    eventually("a trusted host", || ask(&url, &authority).status.success());
    assert_eq!(moves(&ask(&url, &authority)), local);
    fs::write(here.path("none"), "").expect("a file");
    let refused = ask(&url, &here.path("none"));
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).expect("UTF-8");
    assert!(said.contains("SSL_CERT_FILE") && !said.contains("3 times"), "{said}");
}
