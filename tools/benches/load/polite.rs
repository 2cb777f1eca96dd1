//! 100 greedy clients and a polite one: what the polite one waits for.
//!
//! Each has connections and an address of its own (127.0.1.0 and on, which Linux has without asking). Of the greedy ones 60 look
//! positions of 7x6 up, 30 ask for positions of 9x7, which take a search, and 10 send batches of 64 of these, each as fast as it is
//! answered. The polite one looks up four positions a second, and asks for a search every 5 s. All draw their own positions, so
//! many that the answers that the server keeps are of little use.

use std::collections::HashSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fourbase::players::{Source, random_play};
use fourbase::{Board, Position, notation};
use rand::RngExt;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;

use super::ends::{Client, Served, Tally};

const GREEDY: u32 = 100;

/// The polite one.
const POLITE: u32 = GREEDY;

/// What 99 % of the polite look-ups must not take.
const MOST: Duration = Duration::from_millis(150);

/// How often another address may have an answer while a polite search waits: the search that runs, one before the polite one
/// and one beside it.
const MOST_TURNS: usize = 3;

/// Of so many look-ups one answer is checked.
const CHECKED: u32 = 100;

const BATCH: usize = 64;

/// What is asked for: a board, and plies of which there are more positions than are asked for.
#[derive(Clone)]
struct Kind {
    board: Board,
    plies: Range<u32>,
    pause: Duration,
}

/// What a client was told.
struct Told {
    client: u32,
    position: Position,
    asked: Instant,
    time: Duration,
    status: std::io::Result<u16>,
    /// Empty for most greedy look-ups.
    body: Vec<u8>,
}

/// What all clients share.
struct Load {
    server: SocketAddr,
    told: Mutex<Vec<Told>>,
    /// Whether the polite client asks no more.
    is_over: AtomicBool,
}

impl Load {
    fn client(&self, number: u32) -> Client {
        Client::of(Ipv4Addr::from(u32::from(Ipv4Addr::new(127, 0, 1, 0)) + number), self.server)
    }

    /// Asks one question after another, on one connection.
    async fn ask(self: Arc<Load>, number: u32, kind: Kind, end: Instant) {
        let (client, mut source) = (self.client(number), Source::new(number.into(), 0));
        for asked_before in 0.. {
            if self.is_over.load(Relaxed) || number == POLITE && Instant::now() > end {
                return;
            }
            let (position, asked) = (draw(&kind, &mut source), Instant::now());
            let (board, text) = (kind.board, notation::to_uni(&position));
            let head = format!("GET /api/v1/position?board={board}&position={text} HTTP/1.1\r\nHost: x\r\n\r\n");
            let reply = client.ask(&head).await;
            let (status, body) = match reply {
                Ok(reply) => (Ok(reply.status), reply.body),
                Err(error) => (Err(error), Vec::new()),
            };
            let is_kept = number == POLITE || board.width() == 9 || asked_before % CHECKED == 0;
            let body = if is_kept { body } else { Vec::new() };
            let told = Told { client: number, position, asked, time: asked.elapsed(), status, body };
            self.told.lock().expect("the answers").push(told);
            tokio::time::sleep(kind.pause).await;
        }
    }

    /// Asks batches, one after another, and checks what is answered.
    async fn ask_batches(self: Arc<Load>, number: u32, kind: Kind) {
        let (client, mut source) = (self.client(number), Source::new(number.into(), 0));
        loop {
            let lines: Vec<String> = (0..BATCH).map(|_| notation::to_uni(&draw(&kind, &mut source))).collect();
            let body = lines.join("\n");
            let head =
                format!("POST /api/v1/positions?board={} HTTP/1.0\r\nContent-Length: {}", kind.board, body.len());
            let mut stream = client.connect().await.expect("a connection");
            stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await.expect("a batch is sent");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.expect("a batch is answered");
            let (_, answer) = answer.split_once("\r\n\r\n").expect("a head");
            let inputs = answer.lines().map(|line| json(line.as_bytes())["input"].as_str().map(str::to_owned));
            assert_eq!(inputs.collect::<Option<Vec<_>>>(), Some(lines));
        }
    }
}

fn draw(kind: &Kind, source: &mut Source) -> Position {
    loop {
        let ply = source.random_range(kind.plies.clone());
        if let Some((position, _)) = random_play(kind.board, ply as usize, source) {
            return position;
        }
    }
}

/// Returns how many nodes were searched for an answer.
fn nodes(answer: &Value) -> Option<u64> {
    answer["source"]["nodes"].as_u64()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_default()
}

/// Lets all of them ask for some seconds, and checks what the polite one was told.
pub async fn measure(served: &Served, seconds: u64) {
    let (begin, cpu) = (Instant::now(), served.cpu_seconds());
    let end = begin + Duration::from_secs(seconds);
    let load = Arc::new(Load { server: served.address(), told: Mutex::default(), is_over: AtomicBool::new(false) });
    let kind = |board: &str, plies, pause| Kind { board: board.parse().expect("a board"), plies, pause };
    let [at_once, short, long] = [0, 250, 5000].map(Duration::from_millis);
    let (look_up, search) = (kind("7x6", 8..11, at_once), kind("9x7", 4..7, at_once));
    let mut greedy = JoinSet::new();
    for number in 0..GREEDY {
        let load = Arc::clone(&load);
        match number % 10 {
            0 => greedy.spawn(load.ask_batches(number, search.clone())),
            1..=3 => greedy.spawn(load.ask(number, search.clone(), end)),
            _ => greedy.spawn(load.ask(number, look_up.clone(), end)),
        };
    }
    let polite = [Kind { pause: short, ..look_up }, Kind { pause: long, ..search }];
    let polite = polite.map(|kind| tokio::spawn(Arc::clone(&load).ask(POLITE, kind, end)));
    for task in polite {
        task.await.expect("the polite client");
    }
    load.is_over.store(true, Relaxed);
    let counts = load.client(POLITE).ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").await.expect("the counts");
    // A batch that failed has panicked.
    while let Some(task) = greedy.try_join_next() {
        task.expect("a greedy client");
    }
    greedy.shutdown().await;
    let (cpu, wall) = (served.cpu_seconds() - cpu, begin.elapsed().as_secs_f64());
    println!("{wall:.0} s, {cpu:.0} CPU seconds of the server");
    report(served, &load.told.lock().expect("the answers"), &String::from_utf8_lossy(&counts.body));
}

/// Prints and checks what the clients were told.
fn report(served: &Served, told: &[Told], counts: &str) {
    let is_search = |of: &&Told| of.position.board().width() == 9;
    let (searched, looked_up): (Vec<&Told>, Vec<&Told>) = told.iter().partition(is_search);
    let is_polite = |of: &&&Told| of.client == POLITE;
    // The built-in database keeps early plies. Where a forced line leads beyond these, a look-up searches.
    let is_long = |of: &&&Told| is_polite(of) && nodes(&json(&of.body)) > Some(0);
    let tally = |told: &mut dyn Iterator<Item = &&Told>| {
        let mut tally = Tally::default();
        told.for_each(|of| tally.count(of.status.as_ref().ok().copied(), of.time));
        tally
    };
    let polite_look_ups = tally(&mut looked_up.iter().filter(is_polite).filter(|of| !is_long(of)));
    println!("polite look-ups: {polite_look_ups}");
    println!("polite look-ups that took a search: {}", tally(&mut looked_up.iter().filter(is_long)));
    println!("greedy look-ups: {}", tally(&mut looked_up.iter().filter(|of| !is_polite(of))));
    let polite_searches = tally(&mut searched.iter().filter(is_polite));
    println!("polite searches: {polite_searches}");
    println!("greedy searches: {}", tally(&mut searched.iter().filter(|of| !is_polite(of))));
    for (told, error) in told.iter().filter_map(|of| Some((of, of.status.as_ref().err()?))) {
        println!("client {} had no answer after {:?}: {error}", told.client, told.time);
    }
    let count = |name: &str| -> f64 {
        let line = counts.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        line.unwrap_or_else(|| panic!("{name} in {counts}"))
    };
    let (hits, misses) = (count("fourbase_cache_hits_total"), count("fourbase_cache_misses_total"));
    let different = told.iter().map(|of| of.position).collect::<HashSet<_>>().len();
    println!("{} questions about {different} positions; {hits} answers from memory, {misses} not", told.len());
    // On a machine that others use a look-up may take longer than one question is allowed.
    let answers = looked_up.iter().filter(|of| !of.body.is_empty()).map(|of| (&of.position, json(&of.body)));
    let (undecided, decided): (Vec<_>, Vec<_>) = answers.partition(|(_, answer)| answer["undecided"] == true);
    decided.iter().for_each(|(position, answer)| served.check_answer(position, answer));
    println!("{} look-ups compared with the database, {} undecided", decided.len(), undecided.len());

    assert!(hits < misses / 10.0, "memory answers");
    assert!(undecided.len() <= decided.len() / 10, "look-ups are not decided");
    assert!(polite_look_ups.has_all() && polite_look_ups.percentile(0.99) < MOST, "the polite client waits");
    assert!(polite_searches.has_all(), "a polite search has no answer");
    for polite in searched.iter().filter(is_polite) {
        let answer = json(&polite.body);
        assert_eq!(answer["position"]["uni"].as_str(), Some(&*notation::to_uni(&polite.position)));
        assert!(nodes(&answer) > Some(0), "{answer}");
        let meanwhile = |client: u32| {
            let ends = searched.iter().filter(|of| of.client == client).map(|of| of.asked + of.time);
            ends.filter(|end| (polite.asked..polite.asked + polite.time).contains(end)).count()
        };
        let most = (0..GREEDY).map(meanwhile).max();
        assert!(most <= Some(MOST_TURNS), "another address had {most:?} turns while a polite search waited");
    }
}
