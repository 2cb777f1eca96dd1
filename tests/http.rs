//! Databases by HTTP: right answers from hosts that serve files, and an error from every other one.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fourbase::Position;
use fourbase_tiers::files::{Http, UreqClient};
use rayon::prelude::*;

use crate::support::databases;
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

/// The files of which answers change, by how their names begin, and from which request for a file on.
type Scope = (&'static str, usize);
const ALL: Scope = ("", 0);
const TIER: Scope = ("tier-13", 0);
const TIER_LATER: Scope = ("tier-13", 2);

/// What is wrong with a host, with which files, how its answers are changed, and what the error says.
type Case = (&'static str, Scope, fn(&Request, &mut Answer), &'static str);

const CHANGED: &str = "the file has changed since it was opened";
const CASES: [Case; 20] = [
    ("ignores Range", ALL, |_, answer| answer.status = "200 OK", "the host ignores the header Range (status 200)"),
    ("has no file", TIER, |_, answer| answer.status = "404 Not Found", "tier-13: damaged (the file is missing)"),
    ("refuses", ALL, |_, answer| answer.status = "403 Forbidden", "the host refuses the file (status 403)"),
    ("is ill", TIER, |_, answer| answer.status = "503 Busy", "the host cannot answer now (status 503), 3 times"),
    ("sends a page", ALL, |_, answer| *answer = page("200 OK"), "the host ignores the header Range"),
    ("sends a page as a part", ALL, |_, answer| *answer = page("206 Partial Content"), "Content-Range none"),
    ("sends HTML", ALL, |_, answer| answer.body[..9].copy_from_slice(b"<!DOCTYPE"), "the kind of file is <!DOCTYP"),
    ("redirects for ever", ALL, |request, answer| redirect(answer, &request.path), "too many redirects"),
    ("cuts", TIER, |_, answer| answer.sent = Some(answer.body.len() / 2), ", 3 times"),
    ("closes", TIER, |_, answer| (answer.status, answer.sent) = ("", Some(0)), ", 3 times"),
    ("stalls", TIER, |_, answer| answer.delay = Duration::from_secs(60), "timeout"),
    ("sends wrong bytes", TIER, |_, answer| flip(answer), "checksum"),
    ("sends a wrong manifest", ALL, |_, answer| flip(answer), "the checksum of the header is wrong"),
    ("has no Content-Range", ALL, |_, answer| forget_range(answer), "Content-Range none to a request for bytes=0-4095"),
    ("has a huge length", TIER, |_, answer| grow(answer, u64::MAX), "tier-13: "),
    ("sends fewer bytes", TIER, |_, answer| answer.body.truncate(9), "the host sent 9 bytes of 4096, 3 times"),
    ("sends more bytes", TIER, |_, answer| answer.body.push(1), " bytes of "),
    ("compresses", ALL, |_, answer| answer.set("Content-Encoding", "gzip"), "the host compresses the file (gzip)"),
    ("changes a file", TIER_LATER, |_, answer| answer.set("ETag", "b"), CHANGED),
    ("makes a file longer", TIER_LATER, |_, answer| grow(answer, 999_999), CHANGED),
];

/// Another part than was asked for, and lengths of the file that are unknown, negative or beyond numbers.
const CONTENT_RANGES: [&str; 4] =
    ["bytes 1-4096/9999", "bytes 0-4095/*", "bytes 0-4095/-5", "bytes 0-1/99999999999999999999"];

fn page(status: &'static str) -> Answer {
    Answer { status, body: b"<html>Welcome".to_vec(), ..Answer::default() }
}

fn redirect(answer: &mut Answer, path: &str) {
    answer.status = "302 Found";
    answer.set("Location", path);
}

fn flip(answer: &mut Answer) {
    answer.body.iter_mut().skip(40).for_each(|byte| *byte ^= 1);
}

fn forget_range(answer: &mut Answer) {
    answer.headers.remove("Content-Range");
}

/// Says that the file is longer.
fn grow(answer: &mut Answer, size: u64) {
    let part = answer.headers.get("Content-Range").and_then(|range| range.split_once('/'));
    let range = part.map(|(part, _)| format!("{part}/{size}")).unwrap_or_default();
    answer.set("Content-Range", range);
}

#[test]
fn a_host_that_misbehaves_is_an_error_that_says_how_and_comes_to_an_end() {
    CASES.into_par_iter().for_each(|(name, scope, change, expected)| misbehaves(name, scope, change, expected));
    CONTENT_RANGES.into_par_iter().for_each(|range| {
        for file in ["manifest", "tier-13"] {
            let set = move |_: &Request, answer: &mut Answer| answer.set("Content-Range", range);
            misbehaves(&format!("says {range} of {file}"), (file, 0), set, &format!("Content-Range {range}"));
        }
    });
}

/// Asks a host whose answers are changed until there is an error.
fn misbehaves<C: Fn(&Request, &mut Answer) + Send + Sync + 'static>(name: &str, scope: Scope, change: C, error: &str) {
    let local = databases::shared(board("5x5"), Values::Remoteness);
    let host = Host::changing(databases::files(board("5x5"), Values::Remoteness), move |request, answer| {
        if request.name.starts_with(scope.0) && request.earlier >= scope.1 {
            change(request, answer);
        }
    });
    let http = Http::new(Arc::new(UreqClient::new(Duration::from_millis(500))));
    let (place, begin) = (format!("{}/5x5/remoteness", host.url), Instant::now());
    let ask = || -> Result<(), DatabaseError> {
        let database = Database::open_on(Arc::new(http), Path::new(&place))?;
        for position in random_positions(board("5x5"), 13, 200, &mut Random::new(3)) {
            // Where there is an answer, it is the right one.
            assert_eq!(database.probe(&position)?, local.probe(&position)?, "{name}: {position}");
        }
        Ok(())
    };
    let failure = ask().expect_err(name);
    println!("{name}: {failure}");
    assert!(failure.to_string().contains(error), "{name}: {failure}");
    assert!(begin.elapsed() < Duration::from_secs(20), "{name}: {:?}", begin.elapsed());
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
fn what_passes_is_asked_for_again_and_redirects_are_followed() {
    let files = databases::files(board("4x4"), Values::Remoteness);
    let host = Host::changing(files, |request, answer| match request.earlier {
        0 => answer.status = "503 Service Unavailable",
        1 => answer.sent = Some(answer.body.len() / 2),
        2 if !request.path.starts_with("/moved") => redirect(answer, &format!("/moved{}", request.path)),
        _ => {}
    });
    let database = open(format!("{}/4x4/remoteness", host.url));
    assert_eq!(host.requests(), 4);
    assert_eq!(database.manifest.root().expect("complete").remoteness, Some(16));
}

#[test]
fn the_commands_that_only_read_take_an_address() {
    let (local, mut empty) = (Program::with("4x4"), Program::new());
    local.run("stats 4x4").succeeds();
    let mut files = databases::files(board("4x4"), Values::Remoteness).as_ref().clone();
    let counts = fs::read(local.path("db/4x4/remoteness.stats.json")).expect("the counts");
    files.insert("remoteness.stats.json".to_owned(), counts);
    let host = Host::serving(Arc::new(files));
    for command in
        ["query 4x4 1234 --search never", "query 4x4 --json", "analyse 4x4 12341234", "verify 4x4 --sample 100"]
    {
        let [remote, expected] = [(&empty, host.url.as_str()), (&local, "db")].map(|(program, root)| {
            let text = program.run(&format!("{command} --db {root}")).succeeds().replace(root, "db");
            let without_seconds = text.lines().filter(|line| !line.contains(" s"));
            without_seconds.map(str::to_owned).collect::<Vec<_>>()
        });
        assert_eq!(remote, expected, "{command}");
    }
    empty.set("FOURBASE_DB", &host.url);
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
fn counts_that_a_host_refuses_are_counts_that_it_does_not_have() {
    let host = Host::changing(databases::files(board("4x4"), Values::Remoteness), |request, answer| {
        if request.path.ends_with(".stats.json") {
            *answer = Answer { status: "403 Forbidden", ..Answer::default() };
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
