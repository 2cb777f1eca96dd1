//! Accepts connections and serves them, until the program is told to stop.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use futures_util::future::join_all;
use hyper::Request;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

use super::http::Peer;

/// The most connections that are open; more wait until one ends. Many systems let a program open 1,024 files, and databases
/// take some of them.
const MOST_CONNECTIONS: usize = 768;

/// How long a client may take to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long a client may take to read what is sent to it.
const READ_TIME: Duration = Duration::from_secs(30);

/// The most bytes of that head.
const MOST_HEAD_BYTES: usize = 16 << 10;

/// How long to wait after the system could not accept a connection, because too many files are open.
const BEFORE_NEXT: Duration = Duration::from_millis(50);

/// How long answers may take that are under way when the server is told to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Begins to listen to what tells the server to stop: Ctrl-C, and SIGTERM where there is one. Each call waits for the next.
///
/// # Errors
///
/// The system does not let the program listen.
pub fn signals() -> std::io::Result<impl AsyncFnMut()> {
    #[cfg(unix)]
    let (mut key, mut signal) = {
        use tokio::signal::unix::{SignalKind, signal};
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
    };
    #[cfg(not(unix))]
    let (mut key, mut signal) = (tokio::signal::windows::ctrl_c()?, tokio::signal::windows::ctrl_close()?);
    Ok(async move || {
        tokio::select! {
            _ = key.recv() => {}
            _ = signal.recv() => {}
        }
    })
}

/// Serves routers, each where it listens, until a signal; then ends searches by `end`, and gives answers that are under way some
/// time, or until a second signal.
pub async fn serve(routers: Vec<(TcpListener, Router)>, mut signal: impl AsyncFnMut(), end: impl FnOnce()) {
    let graceful = GracefulShutdown::new();
    {
        let accepting = routers.into_iter().map(|(listener, router)| accept(listener, router, &graceful));
        tokio::select! {
            _ = join_all(accepting) => {}
            () = signal() => {}
        }
    }
    end();
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(GRACE) => {}
        () = signal() => {}
    }
}

/// Accepts connections for as long as it is asked.
async fn accept(listener: TcpListener, router: Router, graceful: &GracefulShutdown) {
    let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let permit = Arc::clone(&connections).acquire_owned().await;
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(BEFORE_NEXT).await;
                continue;
            }
        };
        let connection = graceful.watch(connection(stream, Peer(peer.ip()), router.clone()));
        tokio::spawn(async move {
            // A client that breaks off is no error of the server.
            let _ = connection.await;
            drop(permit);
        });
    }
}

fn connection(stream: TcpStream, peer: Peer, router: Router) -> impl GracefulConnection<Error = hyper::Error> {
    // Answers are small and should not wait for more.
    let _ = stream.set_nodelay(true);
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MOST_HEAD_BYTES);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(READ_TIME));
    let service = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<_>| {
        request.extensions_mut().insert(peer);
        service.call(request)
    });
    server.serve_connection(TokioIo::new(Box::pin(stream)), service)
}
