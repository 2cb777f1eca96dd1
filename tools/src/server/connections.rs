//! Accepts connections and serves them, until the program is told to stop.

use std::net::IpAddr;
use std::time::Duration;

use axum::Router;
use futures_util::future::join_all;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_io_timeout::TimeoutStream;
use tower_http::add_extension::AddExtension;

use super::fair_semaphore::{FairSemaphore, LimitReached};
use super::request::network;
use crate::interrupt;

/// The most open connections to `--listen`. A further connection waits until another ends; if all are from one address, as behind a
/// trusted proxy, it is closed at once. Many systems let a program open 1,024 files, and the server needs some of these for
/// databases.
pub const MAX_CONNECTIONS: usize = 768;

/// The most open connections from one address; the server closes a further one at once. Does not apply with `--trust-proxy`,
/// because all connections come from the proxy's address then.
pub const MAX_CONNECTIONS_OF_ADDRESS: usize = 128;

/// The most open connections to `--metrics-address`, which only a few monitors use.
pub const MAX_METRICS_CONNECTIONS: usize = 8;

/// How long a client may take to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long a client may take to read what is sent to it.
pub const READ_TIME: Duration = Duration::from_secs(30);

/// The most bytes of the head of a request.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// How long to wait after an error in accepting a connection, such as too many open files, before the next attempt.
const BEFORE_NEXT: Duration = Duration::from_millis(50);

/// How long a server that is told to stop waits for answers under way.
const GRACE: Duration = Duration::from_secs(10);

/// A listener, the router that answers its requests, and the limit of its connections.
pub type Endpoint = (TcpListener, Router, FairSemaphore);

/// Serves all endpoints until `requests` receives a request to stop. Then calls `end`, which ends searches, and waits for answers
/// under way: at most [`GRACE`], or until Ctrl-C.
pub async fn serve(endpoints: Vec<Endpoint>, mut requests: UnboundedReceiver<interrupt::Request>, end: impl FnOnce()) {
    let graceful = GracefulShutdown::new();
    {
        let accepting = endpoints.into_iter().map(|endpoint| accept(endpoint, &graceful));
        tokio::select! {
            _ = join_all(accepting) => {}
            _ = requests.recv() => {}
        }
    }
    end();
    // Only Ctrl-C ends the wait, because a supervisor may send SIGTERM more than once.
    let key = async { while requests.recv().await.is_some_and(|request| request != interrupt::Request::Key) {} };
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(GRACE) => {}
        () = key => {}
    }
}

/// Accepts and serves connections; never returns.
async fn accept((listener, router, connections): Endpoint, graceful: &GracefulShutdown) {
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(BEFORE_NEXT).await;
                continue;
            }
        };
        let address = network(peer.ip());
        let permit = match connections.try_acquire(address) {
            Ok(permit) => permit,
            Err(LimitReached::OfAddress) => continue,
            Err(LimitReached::OfAll) => connections.acquire(address, None).await,
        };
        // Nagle's algorithm would delay small answers.
        let _ = stream.set_nodelay(true);
        let connection = graceful.watch(connection(stream, peer.ip(), router.clone()));
        tokio::spawn(async move {
            // An error here means that the client broke off, which is no failure of the server.
            let _ = connection.await;
            drop(permit);
        });
    }
}

fn connection(
    stream: impl AsyncRead + AsyncWrite + Send + 'static,
    peer: IpAddr,
    router: Router,
) -> impl GracefulConnection<Error = hyper::Error> {
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MAX_HEAD_BYTES);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(READ_TIME));
    let service = TowerToHyperService::new(AddExtension::new(router, peer));
    server.serve_connection(TokioIo::new(Box::pin(stream)), service)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::Instant;

    use super::*;
    use crate::server::routes::{router, tests::server};

    /// Tokio's paused clock moves only when all tasks wait: it then jumps to the next timer.
    #[tokio::test(start_paused = true)]
    async fn clients_that_are_slow_silent_or_idle_are_cut_off() {
        const ALL: usize = 1 << 16;
        let batch = "POST /api/v1/positions?board=4x4 HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n1";
        let whole = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
        for (sent, read_bytes, limit, answer) in [
            ("", ALL, HEAD_TIME, ""),
            ("GET /healthz HTTP/1.1\r\nHost", ALL, HEAD_TIME, ""),
            (whole, ALL, HEAD_TIME, "HTTP/1.1 200"),
            (batch, ALL, READ_TIME, "HTTP/1.1 408"),
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 100, READ_TIME, "HTTP/1.1 200"),
        ] {
            let (mut client, stream) = duplex(read_bytes);
            let mut connection = Box::pin(connection(stream, Ipv4Addr::LOCALHOST.into(), router(server(&[]))));
            let begun = Instant::now();
            let send = async {
                client.write_all(sent.as_bytes()).await.unwrap();
                std::future::pending::<()>().await;
            };
            tokio::select! { _ = &mut connection => {}, () = send => {} }
            let taken = begun.elapsed();
            assert!(taken >= limit && taken < limit + HEAD_TIME + BEFORE_NEXT, "{sent:?}: {taken:?}");
            drop(connection);
            let mut found = Vec::new();
            client.read_to_end(&mut found).await.unwrap();
            let found = String::from_utf8_lossy(&found);
            assert!(found.starts_with(answer) && found.is_empty() == answer.is_empty(), "{sent:?}: {found}");
        }
    }

    #[tokio::test]
    #[cfg(target_os = "linux")]
    async fn idle_sockets_of_one_address_do_not_close_the_door_for_others() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, graceful) = (listener.local_addr().unwrap(), GracefulShutdown::new());
        let connect = |own: [u8; 4]| async move {
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind((own, 0).into()).unwrap();
            socket.connect(address).await.unwrap()
        };
        let ask = async {
            let begun = Instant::now();
            let mut idle = Vec::new();
            for _ in 0..MAX_CONNECTIONS {
                idle.push(connect([127, 0, 0, 1]).await);
            }
            let (mut polite, mut found) = (connect([127, 0, 0, 2]).await, String::new());
            polite.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
            polite.read_to_string(&mut found).await.unwrap();
            assert!(found.starts_with("HTTP/1.1 200 ") && begun.elapsed() < HEAD_TIME, "{found}");
            // The server closes connections beyond the address's share at once.
            assert_eq!(idle[MAX_CONNECTIONS_OF_ADDRESS].read(&mut [0]).await.unwrap(), 0);
        };
        let connections = FairSemaphore::new(MAX_CONNECTIONS, MAX_CONNECTIONS_OF_ADDRESS);
        let accepting = accept((listener, router(server(&[])), connections), &graceful);
        tokio::select! { () = accepting => {}, () = ask => {} }
    }
}
