//! 100 greedy clients and a polite one, each with an address of its own: what the polite one waits for.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::ends::{Client, Tally};

const GREEDY: u32 = 100;

/// What 99 % of the polite look-ups must not take.
const MOST: Duration = Duration::from_millis(150);

/// A question of client `client`, the same for the same number: a position of a database, or one that takes a search.
fn question(client: u32, number: u32, is_search: bool) -> String {
    let mut draw = u64::from(client) << 32 | u64::from(number) | 1;
    let mut columns = |count: u32| -> String {
        (0..count)
            .map(|_| {
                draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                char::from(b'1' + (draw >> 33) as u8 % 7)
            })
            .collect()
    };
    // So few moves that no column is full and nobody has won; also so few that the server soon remembers many answers.
    let (board, moves) = if is_search { ("9x7", columns(3)) } else { ("7x6", columns(5)) };
    format!(
        "GET /api/v1/position?board={board}&position={moves} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.0.{}.{}\r\n\r\n",
        client / 256,
        client % 256
    )
}

/// Asks batches of 64 hard positions, one after another.
async fn batches(address: SocketAddr, client: u32, end: Instant) {
    while Instant::now() < end {
        let Ok(mut stream) = TcpStream::connect(address).await else { return };
        let body: String =
            (0..64).map(|line| format!("{}{}{}\n", line % 8 + 1, line / 8 + 1, client % 9 + 1)).collect();
        let head = format!(
            "POST /api/v1/positions?board=9x7 HTTP/1.0\r\nX-Forwarded-For: 10.0.0.{client}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let _ = stream.write_all((head + &body).as_bytes()).await;
        let _ = tokio::time::timeout_at(end.into(), stream.read_to_end(&mut Vec::new())).await;
    }
}

/// Asks one question after another.
async fn questions(client: Arc<Client>, number: u32, is_search: bool, pause: Duration, end: Instant) -> Tally {
    let (mut tally, mut asked) = (Tally::default(), 0);
    while Instant::now() < end {
        let due = Instant::now();
        tally.count(client.ask(&question(number, asked, is_search)).await.map(|reply| reply.status), due);
        asked += 1;
        tokio::time::sleep(pause).await;
    }
    tally
}

/// Prints what the polite client waited for.
pub async fn measure(address: SocketAddr, seconds: u64) {
    let end = Instant::now() + Duration::from_secs(seconds);
    let client = Arc::new(Client::new(address));
    let short = Duration::from_millis(1);
    for number in 0..GREEDY {
        match number % 10 {
            0 => drop(tokio::spawn(batches(address, number, end))),
            1..=3 => drop(tokio::spawn(questions(Arc::clone(&client), number, true, short, end))),
            _ => drop(tokio::spawn(questions(Arc::clone(&client), number, false, short, end))),
        }
    }
    let polite = |is_search, pause| tokio::spawn(questions(Arc::clone(&client), 1000, is_search, pause, end));
    let (looked_up, searched) = (polite(false, Duration::from_millis(20)), polite(true, Duration::from_secs(5)));
    let looked_up = looked_up.await.expect("look-ups");
    println!("look-ups of the polite client: {looked_up}");
    println!("searches of the polite client: {}", searched.await.expect("searches"));
    assert!(looked_up.percentile(0.99) < MOST, "the polite client waits");
}
