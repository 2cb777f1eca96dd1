//! How many positions a second `fourbase serve` answers, how fast at half of that, and what it does with far more.
//!
//! `cargo bench -p fourbase-tools --bench load -- [BOARD [FOLDER]]`
//!
//! The board is solved first, with remoteness, unless the folder has a database of it. Positions of every ply are drawn at random, ten
//! times as many as the server keeps answers for. Each request asks for one position with all its moves, on connections that
//! stay open.
//!
//! 1. Connections ask one question after another: that is what the server can take.
//! 2. Questions come at half that rate, whether or not earlier ones are answered. The time of an answer begins when its
//!    question was due, so that one that waits for a connection is not counted as fast.
//! 3. The same at ten times the rate. Questions for which no connection is free are counted; they reach no server.
//!
//! `-- fair [PROGRAM]` instead asks as 100 greedy clients and a polite one do, and fails if 1 % of the polite look-ups take 150 ms
//! or a polite search does not have its turn. `PROGRAM` may be a fourbase of another version, to compare it with.
//!
//! A sample of the answers is compared with a probe of the database.

#[path = "load/ends.rs"]
mod ends;
#[path = "load/polite.rs"]
mod polite;

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use ends::{Client, PROGRAM, Served, Tally};

/// Connections that ask one question after another.
const CLOSED: usize = 32;

/// Connections for questions that come at a rate: more than the requests that a server answers at a time.
const OPEN: usize = 700;

const SECONDS: u64 = 10;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    if arguments.first().is_some_and(|argument| argument == "fair") {
        let folder = tempfile::tempdir().expect("a folder");
        let program = arguments.get(1).map_or(PROGRAM, String::as_str);
        let options = ["--search-seconds", "1"];
        let board = "7x6".parse().expect("a board");
        let served = Served::start(program, board, Some(folder.path().to_path_buf()), &options);
        runtime.block_on(polite::measure(&served, SECONDS * 6));
        return;
    }
    let board = arguments.first().map_or("6x5", String::as_str).parse().expect("a board");
    let served = Served::start(PROGRAM, board, arguments.get(1).map(Into::into), &[]);
    let questions = Arc::new(served.questions());
    runtime.block_on(async {
        let client = Arc::new(Client::of(Ipv4Addr::LOCALHOST, served.address()));
        served.check(&client, &questions).await;
        asked_in_turn(&client, &questions, Duration::from_secs(SECONDS)).await;
        let (memory, cpu) = (served.memory_bytes(), served.cpu_seconds());
        let tally = asked_in_turn(&client, &questions, Duration::from_secs(SECONDS)).await;
        let rate = tally.answered() as f64 / SECONDS as f64;
        let cpu = (served.cpu_seconds() - cpu) / tally.answered() as f64 * 1e6;
        println!("{board}, {CLOSED} connections in turn: {tally}; {rate:.0} a second, {cpu:.0} CPU microseconds of the server each");
        for (name, rate) in [("half", rate / 2.0), ("ten times", rate * 10.0)] {
            let tally = asked_at_a_rate(&client, &questions, rate, Duration::from_secs(SECONDS)).await;
            println!("{name}, {rate:.0} due a second: {tally}");
        }
        println!("memory: {} MiB before, {} MiB at most", memory >> 20, served.memory_bytes() >> 20);
        served.check(&client, &questions).await;
    });
}

/// Asks on some connections, one question after another.
async fn asked_in_turn(client: &Arc<Client>, questions: &Arc<Vec<String>>, time: Duration) -> Tally {
    let (end, next) = (Instant::now() + time, Arc::new(AtomicUsize::new(0)));
    let workers = (0..CLOSED).map(|_| {
        let (client, questions, next) = (Arc::clone(client), Arc::clone(questions), Arc::clone(&next));
        tokio::spawn(async move {
            let mut tally = Tally::default();
            while Instant::now() < end {
                let question = &questions[next.fetch_add(1, Relaxed) % questions.len()];
                let due = Instant::now();
                let status = client.ask(question).await.map(|reply| reply.status);
                tally.count(status.ok(), due.elapsed());
            }
            tally
        })
    });
    let mut all = Tally::default();
    for worker in workers.collect::<Vec<_>>() {
        all.add(worker.await.expect("a worker"));
    }
    all
}

/// Asks at a rate, each question on a connection that is free.
async fn asked_at_a_rate(client: &Arc<Client>, questions: &Arc<Vec<String>>, rate: f64, time: Duration) -> Tally {
    let (begin, mut number, mut all) = (Instant::now(), 0_usize, Tally::default());
    let (send, mut receive) = tokio::sync::mpsc::unbounded_channel();
    let open = Arc::new(tokio::sync::Semaphore::new(OPEN));
    while begin.elapsed() < time {
        let due_now = (begin.elapsed().as_secs_f64() * rate) as usize;
        while number < due_now {
            let due = begin + Duration::from_secs_f64(number as f64 / rate);
            let question = number * 7919 % questions.len();
            number += 1;
            let Ok(place) = Arc::clone(&open).try_acquire_owned() else {
                all.not_sent += 1;
                continue;
            };
            let (client, questions, send) = (Arc::clone(client), Arc::clone(questions), send.clone());
            tokio::spawn(async move {
                let status = client.ask(&questions[question]).await.map(|reply| reply.status);
                let mut tally = Tally::default();
                tally.count(status.ok(), due.elapsed());
                let _ = send.send(tally);
                drop(place);
            });
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    drop(send);
    while let Some(tally) = receive.recv().await {
        all.add(tally);
    }
    all
}
