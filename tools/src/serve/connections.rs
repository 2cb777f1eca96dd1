//! Accepts connections and serves them, until the program is told to stop.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// The most connections that are open; more wait until one ends.
const MOST_CONNECTIONS: usize = 1024;

/// How long a client may take to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// The most bytes of that head.
const MOST_HEAD_BYTES: usize = 16 << 10;

/// How long to wait after the system could not accept a connection, because too many files are open.
const BEFORE_NEXT: Duration = Duration::from_millis(50);

/// Serves until SIGINT or SIGTERM; then gives answers that are under way `grace`.
///
/// # Errors
///
/// The system does not let the program listen to signals.
pub async fn serve(listener: TcpListener, router: Router, grace: Duration) -> anyhow::Result<()> {
    let mut stop = std::pin::pin!(told_to_stop()?);
    let graceful = GracefulShutdown::new();
    let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let accepted = async {
            let permit = Arc::clone(&connections).acquire_owned().await;
            (listener.accept().await, permit)
        };
        let (stream, permit) = tokio::select! {
            (accepted, permit) = accepted => match accepted {
                Ok((stream, _)) => (stream, permit),
                Err(_) => {
                    tokio::time::sleep(BEFORE_NEXT).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let connection = graceful.watch(connection(stream, router.clone()));
        tokio::spawn(async move {
            // A client that breaks off is no error of the server.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    // Who is not done by then is cut off.
    let _ = tokio::time::timeout(grace, graceful.shutdown()).await;
    Ok(())
}

type Connection = http1::Connection<TokioIo<TcpStream>, TowerToHyperService<Router>>;

fn connection(stream: TcpStream, router: Router) -> Connection {
    // Answers are small and should not wait for more.
    let _ = stream.set_nodelay(true);
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MOST_HEAD_BYTES);
    server.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
}

/// Waits for SIGINT or SIGTERM.
#[cfg(unix)]
fn told_to_stop() -> anyhow::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let listen = |kind| signal(kind).context("cannot listen to signals");
    let (mut key, mut term) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = key.recv() => {}
            _ = term.recv() => {}
        }
    })
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
fn told_to_stop() -> anyhow::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
