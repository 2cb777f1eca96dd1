//! Bodies that grow while they are sent: a line of JSON after another.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::stream::poll_fn;
use serde::Serialize;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The kind of media: a JSON value in each line.
pub const NDJSON: &str = "application/x-ndjson";

/// How many lines wait for a client.
const WAITING: usize = 64;

/// How long a client may take to read one.
const PATIENCE: Duration = Duration::from_secs(30);

/// The end of a body into which lines are written.
#[derive(Clone)]
pub struct Lines(Sender<Bytes>);

/// Returns a body, and the end into which its lines are written. The body ends when that is dropped.
pub fn lines() -> (Lines, Body) {
    let (sender, mut receiver): (_, Receiver<Bytes>) = channel(WAITING);
    let stream = poll_fn(move |context| receiver.poll_recv(context).map(|line| line.map(Ok::<Bytes, Infallible>)));
    (Lines(sender), Body::from_stream(stream))
}

impl Lines {
    /// Writes a line, and waits until there is room for it; `false` if the client is gone or too slow.
    pub async fn write(&self, value: &impl Serialize) -> bool {
        self.0.send_timeout(line(value), PATIENCE).await.is_ok()
    }

    /// Writes a line if there is room for it.
    pub fn write_now(&self, value: &impl Serialize) {
        let _ = self.0.try_send(line(value));
    }

    /// Waits until the client is gone.
    pub async fn closed(&self) {
        self.0.closed().await;
    }
}

fn line(value: &impl Serialize) -> Bytes {
    // These values have texts as keys, and nothing else can fail.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    Bytes::from(line)
}
