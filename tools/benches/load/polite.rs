//! 100 greedy clients and a polite one: what the polite one waits for.
//!
//! Each has connections and an address of its own (127.0.1.0 and on, which Linux has without asking). Of the greedy ones 60 look
//! positions of 7x6 up, 30 ask for positions of 9x7, which take a search, and 10 send batches of 64 of these, each as fast as it is
//! answered. The polite one looks up four positions a second, and asks for a search every 5 s. All draw their own positions, so
//! many that the answers that the server keeps are of little use.

use std::collections::HashSet;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fourbase::players::{RandomSource, random_play, random_source};
use fourbase::{Board, Position, notation};
use rand::RngExt;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;

use super::ends::{Client, Reply, Served, Tally, address, spread};

const GREEDY: u32 = 100;

/// The polite one.
const POLITE: u32 = GREEDY;

/// What 99 % of the polite look-ups must not take.
const MAX_LOOK_UP_TIME: Duration = Duration::from_millis(150);

/// How often another address may have an answer while a polite search waits: the search that runs, one before the polite one
/// and one beside it.
const MAX_TURNS_OF_OTHER: usize = 3;

/// Of so many greedy look-ups one answer is checked.
const CHECKED: usize = 100;

const BATCH: usize = 64;

/// What is asked for: a board, and plies of which there are more positions than are asked for.
struct Kind {
    board: Board,
    plies: Range<u32>,
    pause: Duration,
}

impl Kind {
    fn draw(&self, source: &mut RandomSource) -> Position {
        loop {
            let ply = source.random_range(self.plies.clone());
            if let Some(position) = random_play(self.board, ply as usize, source) {
                return position;
            }
        }
    }
}

/// What a client was told.
struct Told {
    client: u32,
    position: Position,
    asked: Instant,
    time: Duration,
    reply: io::Result<Reply>,
}

impl Told {
    fn is_polite(&self) -> bool {
        self.client == POLITE
    }

    fn is_search(&self) -> bool {
        self.position.board().width() == 9
    }

    /// Returns the answer; null where there is none.
    fn answer(&self) -> Value {
        self.reply.as_ref().ok().and_then(|reply| serde_json::from_slice(&reply.body).ok()).unwrap_or_default()
    }

    /// Tells whether nodes were searched for the answer.
    fn took_a_search(&self) -> bool {
        self.answer()["source"]["nodes"].as_u64() > Some(0)
    }
}

/// What all clients share.
struct Load {
    server: SocketAddr,
    told: Mutex<Vec<Told>>,
    /// When the polite client asks no more.
    end: Instant,
}

impl Load {
    fn client(&self, number: u32) -> (Client, RandomSource) {
        let own = Ipv4Addr::from(u32::from(Ipv4Addr::new(127, 0, 1, 0)) + number);
        (Client::of(own, self.server), random_source(number.into(), 0))
    }

    /// Asks one question after another, on one connection.
    async fn ask(self: Arc<Load>, number: u32, kind: Kind) {
        let (client, mut source) = self.client(number);
        while number != POLITE || Instant::now() < self.end {
            let (position, asked) = (kind.draw(&mut source), Instant::now());
            let reply = client.ask(&address(&position)).await;
            let told = Told { client: number, position, asked, time: asked.elapsed(), reply };
            self.told.lock().expect("the answers").push(told);
            tokio::time::sleep(kind.pause).await;
        }
    }

    /// Asks batches, one after another, and checks what is answered.
    async fn ask_batches(self: Arc<Load>, number: u32, kind: Kind) {
        let (client, mut source) = self.client(number);
        loop {
            let lines: Vec<String> = (0..BATCH).map(|_| notation::to_uni(&kind.draw(&mut source))).collect();
            let body = lines.join("\n");
            let head =
                format!("POST /api/v1/positions?board={} HTTP/1.0\r\nContent-Length: {}", kind.board, body.len());
            let mut stream = client.connect().await.expect("a connection");
            stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await.expect("a batch is sent");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.expect("a batch is answered");
            let (_, answer) = answer.split_once("\r\n\r\n").expect("a head");
            let inputs = answer.lines().map(|line| {
                let answer: Value = serde_json::from_str(line).unwrap_or_default();
                answer["input"].as_str().unwrap_or_default().to_owned()
            });
            assert_eq!(inputs.collect::<Vec<_>>(), lines);
        }
    }
}

/// Lets all of them ask for some time, and checks what the polite one was told.
pub async fn measure(served: &Served, time: Duration) {
    let (begin, cpu) = (Instant::now(), served.cpu_seconds());
    let load = Arc::new(Load { server: served.address, told: Mutex::default(), end: begin + time });
    let kind = |board: &str, plies, pause| Kind {
        board: board.parse().expect("a board"),
        plies,
        pause: Duration::from_millis(pause),
    };
    let (look_up, search) = (|pause| kind("7x6", 10..13, pause), |pause| kind("9x7", 4..7, pause));
    let mut greedy = JoinSet::new();
    for number in 0..GREEDY {
        let load = Arc::clone(&load);
        match number % 10 {
            0 => greedy.spawn(load.ask_batches(number, search(0))),
            1..=3 => greedy.spawn(load.ask(number, search(0))),
            _ => greedy.spawn(load.ask(number, look_up(0))),
        };
    }
    let polite = |kind| Arc::clone(&load).ask(POLITE, kind);
    tokio::join!(polite(look_up(250)), polite(search(5000)));
    let counts = Client::of(Ipv4Addr::LOCALHOST, served.metrics).ask("/metrics").await.expect("the counts");
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
    let tally = |name: &str, is_counted: &dyn Fn(&Told) -> bool| {
        let mut tally = Tally::default();
        told.iter().filter(|of| is_counted(of)).for_each(|of| tally.count(&of.reply, of.time));
        println!("{name}: {tally}");
        tally
    };
    // The built-in database keeps early plies. Where a forced line leads beyond these, a look-up searches.
    let is_polite_look_up = |of: &Told| of.is_polite() && !of.is_search();
    let polite_look_ups = tally("polite look-ups", &|of| is_polite_look_up(of) && !of.took_a_search());
    tally("polite look-ups that took a search", &|of| is_polite_look_up(of) && of.took_a_search());
    tally("greedy look-ups", &|of| !of.is_polite() && !of.is_search());
    let polite_searches = tally("polite searches", &|of| of.is_polite() && of.is_search());
    tally("greedy searches", &|of| !of.is_polite() && of.is_search());
    for (told, error) in told.iter().filter_map(|of| Some((of, of.reply.as_ref().err()?))) {
        println!("client {} had no answer after {:?}: {error}", told.client, told.time);
    }
    let count = |name: &str| -> f64 {
        let line = counts.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        line.unwrap_or_else(|| panic!("{name} in {counts}"))
    };
    let (hits, misses) = (count("fourbase_cache_hits_total"), count("fourbase_cache_misses_total"));
    let different = told.iter().map(|of| of.position).collect::<HashSet<_>>().len();
    println!("{} questions about {different} positions; {hits} answers from memory, {misses} not", told.len());
    let greedy_sample = told.iter().filter(|of| !of.is_polite() && !of.is_search()).step_by(CHECKED);
    let checked = told.iter().filter(|of| is_polite_look_up(of)).chain(greedy_sample).filter(|of| of.reply.is_ok());
    // On a machine that others use a look-up may take longer than one question is allowed.
    let answers = checked.map(|of| (&of.position, of.answer()));
    let (undecided, decided): (Vec<_>, Vec<_>) = answers.partition(|(_, answer)| answer["undecided"] == true);
    decided.iter().for_each(|(position, answer)| served.check_answer(position, answer));
    println!("{} look-ups compared with the database, {} undecided", decided.len(), undecided.len());

    assert!(hits < misses / 10.0, "memory answers");
    assert!(undecided.len() <= decided.len() / 10, "look-ups are not decided");
    assert!(
        polite_look_ups.has_all() && spread(&polite_look_ups.answered)[1] < MAX_LOOK_UP_TIME,
        "the polite client waits"
    );
    assert!(polite_searches.has_all(), "a polite search has no answer");
    for polite in told.iter().filter(|of| of.is_polite() && of.is_search()) {
        let answer = polite.answer();
        assert_eq!(answer["position"]["uni"].as_str(), Some(&*notation::to_uni(&polite.position)));
        assert!(polite.took_a_search(), "{answer}");
        let meanwhile = |client: u32| {
            let ends = told.iter().filter(|of| of.client == client && of.is_search()).map(|of| of.asked + of.time);
            ends.filter(|end| (polite.asked..polite.asked + polite.time).contains(end)).count()
        };
        let most = (0..GREEDY).map(meanwhile).max();
        assert!(most <= Some(MAX_TURNS_OF_OTHER), "another address had {most:?} turns while a polite search waited");
    }
}
