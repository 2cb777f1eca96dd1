//! What the questions share of HTTP: who asks, the fields of an address, answers as JSON and for how long they hold, and bodies that grow
//! line by line while they are sent.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use fourbase::analysis::json::SCHEMA;
use fourbase::{Board, Position, notation};
use futures_util::stream::poll_fn;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::failure::Failure;
use super::state::Server;

/// The other end of a connection.
#[derive(Clone, Copy)]
pub struct Peer(pub IpAddr);

/// Where a proxy names the clients that a request went through, the nearest one last.
const FORWARDED: &str = "x-forwarded-for";

/// Who asks.
#[derive(Clone, Copy)]
pub struct Client {
    /// The address of the connection; of a trusted proxy, the one that it names. All of a [`network`] have one.
    pub address: IpAddr,
    /// Whether only the head of the answer is wanted.
    pub is_head: bool,
}

impl FromRequestParts<Arc<Server>> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, server: &Arc<Server>) -> Result<Client, Infallible> {
        let peer = parts.extensions.get().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(address)| *address);
        // Whatever comes before the last address was written by the client.
        let line = parts.headers.get_all(FORWARDED).iter().next_back().filter(|_| server.trusts_proxy);
        let named = line.and_then(|line| line.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
        let address = named.unwrap_or(peer);
        Ok(Client { address: network(address), is_head: parts.method == Method::HEAD })
    }
}

/// Returns what counts as one address: of IPv6 a network of 64 bits, all of which one machine may have.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

/// The longest text of a position: three times the bits of the largest board.
const MOST_CHARACTERS: usize = 512;

/// The fields of an address. Fields that are missing, unknown, or of another kind are refused.
pub struct Fields<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Fields<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Fields<T>, Failure> {
        let fields = Query::try_from_uri(&parts.uri).map_err(|error| {
            let text = error.body_text();
            let reason = text.rsplit_once("query string: ").map_or(text.as_str(), |(_, reason)| reason);
            Failure::bad(format!("this address cannot be read: {reason}"))
        })?;
        Ok(Fields(fields.0))
    }
}

/// Reads a position of a board.
///
/// # Errors
///
/// The first mistake in the text.
pub fn position(board: Board, text: &str) -> Result<Position, Failure> {
    if text.len() > MOST_CHARACTERS {
        return Err(Failure::bad(format!("a position has at most {MOST_CHARACTERS} characters, not {}", text.len())));
    }
    Ok(notation::parse(board, text)?)
}

/// The empty board, which is asked about where an address names no position.
pub fn empty_board() -> String {
    "-".to_owned()
}

/// The kind of media.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// An answer that is known to be whole holds for a day, and longer for a client that has its tag.
pub const WHOLE: HeaderValue = HeaderValue::from_static("public, max-age=86400");

/// Another question may find out more.
pub const PARTIAL: HeaderValue = HeaderValue::from_static("no-store");

/// The same for lines that are sent one by one: nobody may hold them back.
pub const AS_IT_IS: HeaderValue = HeaderValue::from_static("no-store, no-transform");

/// A copy may be kept, if it is compared with the server's before it is used.
pub const CHANGING: HeaderValue = HeaderValue::from_static("no-cache");

/// Writes an answer, and says how long it holds.
///
/// # Errors
///
/// It cannot be written as JSON.
pub fn json_response(answer: &impl Serialize, holds: HeaderValue) -> Result<Response, Failure> {
    let body = serde_json::to_vec(answer).map_err(|error| Failure::broken(&error))?;
    Ok(([(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, holds)], body).into_response())
}

/// Names what answers depend on, beside their address: the database, and the program that writes them.
pub fn tag(hash: &str) -> Option<HeaderValue> {
    let version = env!("CARGO_PKG_VERSION");
    // Weak: the nodes of a search may differ.
    HeaderValue::from_str(&format!("W/\"{}-{SCHEMA}-{version}\"", hash.get(..32).unwrap_or(hash))).ok()
}

/// Says how long an answer holds: one with a tag never changes, and one without becomes another when the board has a
/// database.
pub fn holds(tag: Option<HeaderValue>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::CACHE_CONTROL, if tag.is_some() { WHOLE } else { CHANGING });
    headers.extend(tag.map(|tag| (header::ETAG, tag)));
    headers
}

/// Tells whether a client has the answer with this tag (RFC 9110, 13.1.2: a list, compared weakly, or a star).
pub fn has(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let plain = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let tag = tag.to_str().map(plain).unwrap_or_default();
    let lists = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|of| of.trim() == "*" || plain(of) == tag)
}

/// The kind of media: a JSON value in each line.
const NDJSON: &str = "application/x-ndjson";

/// How many lines wait for a client.
const WAITING: usize = 64;

/// How long a client may take to read one.
const PATIENCE: Duration = Duration::from_secs(30);

/// The end of a body into which lines are written.
#[derive(Clone)]
pub struct Lines(Sender<Bytes>);

/// Returns an answer, and the end into which its lines are written. The answer ends when that is dropped.
pub fn lines(holds: HeaderValue) -> (Lines, Response) {
    let (sender, mut receiver): (_, Receiver<Bytes>) = channel(WAITING);
    let stream = poll_fn(move |context| receiver.poll_recv(context).map(|line| line.map(Ok::<Bytes, Infallible>)));
    let headers = [(header::CONTENT_TYPE, HeaderValue::from_static(NDJSON)), (header::CACHE_CONTROL, holds)];
    (Lines(sender), (headers, Body::from_stream(stream)).into_response())
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
