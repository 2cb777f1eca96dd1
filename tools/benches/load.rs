//! How many positions a second `fourbase serve` answers, how fast at half of that, and what it does with far more.
//!
//! `cargo bench -p fourbase-tools --bench load -- [BOARD [FOLDER]]`
//!
//! Without a folder of databases the board is solved first, with remoteness. Positions of every ply are drawn at random, ten
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
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ends::{Client, Served, Tally, address};
use fourbase::Position;
use tokio::sync::Semaphore;

const PROGRAM: &str = env!("CARGO_BIN_EXE_fourbase");

/// Connections that ask one question after another.
const CLOSED: usize = 32;

/// Connections for questions that come at a rate, of eight addresses: more than the requests that a server answers at a time.
const OPEN: usize = 700;

const TIME: Duration = Duration::from_secs(10);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [first, second] = [0, 1].map(|place| arguments.get(place).map(String::as_str));
    let solved = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let is_fair = first == Some("fair");
    // A server wants some database; that of 7x6 is built in.
    let board = if is_fair { "4x4" } else { first.unwrap_or("6x5") };
    if is_fair || second.is_none() {
        let solve = Command::new(PROGRAM).args(["solve", board, "-q", "--db"]).arg(solved.path()).status();
        assert!(solve.expect("a solve").success());
    }
    if is_fair {
        let options = ["--search-seconds", "1"];
        let served = Served::start(second.unwrap_or(PROGRAM), "7x6", solved.path(), &options);
        return runtime.block_on(polite::measure(&served, TIME * 6));
    }
    let served = Served::start(PROGRAM, board, second.map_or(solved.path(), Path::new), &[]);
    let positions = served.positions();
    runtime.block_on(async {
        let client = Client::of(Ipv4Addr::LOCALHOST, served.address);
        let clients = Arc::new([1, 2, 3, 4, 5, 6, 7, 8].map(|last| Client::of([127, 0, 2, last].into(), served.address)));
        served.check(&client, &positions).await;
        ask_all(&clients, &positions, None).await;
        let (memory, cpu) = (served.memory_mib(), served.cpu_seconds());
        let tally = ask_all(&clients, &positions, None).await;
        let rate = tally.answered.len() as f64 / TIME.as_secs_f64();
        let cpu = (served.cpu_seconds() - cpu) / tally.answered.len() as f64 * 1e6;
        println!("{board}, {CLOSED} connections in turn: {tally}; {rate:.0} a second, {cpu:.0} CPU microseconds of the server each");
        for (name, rate) in [("half", rate / 2.0), ("ten times", rate * 10.0)] {
            let tally = ask_all(&clients, &positions, Some(rate)).await;
            println!("{name}, {rate:.0} due a second: {tally}");
        }
        println!("memory: {memory} MiB before, {} MiB at most", served.memory_mib());
        served.check(&client, &positions).await;
    });
}

/// Asks at a rate, each question on a connection that is free when it is due; without a rate, whenever one is free.
async fn ask_all(clients: &Arc<[Client; 8]>, positions: &[Position], rate: Option<f64>) -> Tally {
    let (begin, tally) = (Instant::now(), Arc::new(Mutex::new(Tally::default())));
    let connections = if rate.is_some() { OPEN } else { CLOSED };
    let free = Arc::new(Semaphore::new(connections));
    for number in 0_usize.. {
        let due = rate.map(|rate| begin + Duration::from_secs_f64(number as f64 / rate));
        let place = match due {
            Some(due) => {
                if due > Instant::now() {
                    tokio::time::sleep_until(due.into()).await;
                }
                Arc::clone(&free).try_acquire_owned().ok()
            }
            None => Arc::clone(&free).acquire_owned().await.ok(),
        };
        let due = due.unwrap_or_else(Instant::now);
        if due >= begin + TIME {
            break;
        }
        let Some(place) = place else {
            tally.lock().expect("the tally").not_sent += 1;
            continue;
        };
        let (clients, tally) = (Arc::clone(clients), Arc::clone(&tally));
        let address = address(&positions[number % positions.len()]);
        tokio::spawn(async move {
            let reply = clients[number % clients.len()].ask(&address).await;
            tally.lock().expect("the tally").count(&reply, due.elapsed());
            drop(place);
        });
    }
    let _all_are_answered = free.acquire_many(connections as u32).await;
    std::mem::take(&mut *tally.lock().expect("the tally"))
}
