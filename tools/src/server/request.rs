//! Reads requests: the client, the fields of the query string, and the texts of positions and games.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use axum::extract::{FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use fourbase::{Board, Game, Position, notation};
use serde::de::DeserializeOwned;

use super::failure::Failure;
use super::response::REVALIDATE;
use super::service::Server;

/// The header in which proxies list the addresses that a request came through; each proxy appends the address that it got the
/// request from.
const FORWARDED: &str = "x-forwarded-for";

/// The client of a request. Handlers get it as an extension of the request.
#[derive(Clone)]
pub struct Client {
    /// The address of the connection; behind a trusted proxy, the one that the proxy names. See [`network`].
    pub address: IpAddr,
    /// Whether the method is HEAD, so that only the head of the answer is sent.
    pub is_head: bool,
    /// Whether the question is part of a batch, which has its own time limit.
    pub is_batch: bool,
    /// The values of `If-None-Match`: the tags of the answers that the client has.
    pub tags: Vec<HeaderValue>,
    pub server: Arc<Server>,
}

impl Client {
    pub fn of(server: &Arc<Server>, request: &Request) -> Client {
        // The address at the other end of the connection.
        let peer = request.extensions().get().copied().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        // Use only the last address, which the proxy wrote: the client may have made up the others.
        let line = request.headers().get_all(FORWARDED).iter().next_back().filter(|_| server.arguments.trust_proxy);
        let named = line.and_then(|line| line.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
        let address = network(named.unwrap_or(peer));
        let is_head = request.method() == Method::HEAD;
        let tags = request.headers().get_all(header::IF_NONE_MATCH).iter().cloned().collect();
        Client { address, is_head, is_batch: false, tags, server: Arc::clone(server) }
    }

    /// Checks that none of the client's tags is the tag in `headers`, by the rules of RFC 9110, 13.1.2 (a list, compared weakly, or
    /// a star). This needs no answer to compare with, because a tag names everything that its answer depends on.
    ///
    /// # Errors
    ///
    /// The client already has the answer: the response is 304.
    pub fn check_is_new(&self, headers: HeaderMap) -> Result<(), Failure> {
        let plain = |tag: &HeaderValue| tag.to_str().unwrap_or_default().replace("W/", "");
        let tag = headers.get(header::ETAG).map(plain);
        let has =
            |tag: &str| self.tags.iter().any(|list| plain(list).split(',').any(|of| [tag, "*"].contains(&of.trim())));
        if tag.is_some_and(|tag| has(&tag)) { Err(Failure::not_modified(headers)) } else { Ok(()) }
    }

    /// Returns the headers of contents that change with the program; a hash of them is the tag.
    ///
    /// # Errors
    ///
    /// The client already has them: the response is 304.
    pub fn revalidated(&self, contents: &impl Hash) -> Result<HeaderMap, Failure> {
        let mut hasher = DefaultHasher::new();
        contents.hash(&mut hasher);
        // The tag is weak because the contents may be sent compressed.
        let tag = HeaderValue::from_str(&format!("W/\"{:016x}\"", hasher.finish())).map(|tag| (header::ETAG, tag));
        let headers: HeaderMap = REVALIDATE.into_iter().chain(tag).collect();
        self.check_is_new(headers.clone())?;
        Ok(headers)
    }
}

/// Returns the address that limits count by. For IPv6 it is the first 64 bits, because one machine may have all addresses of such a
/// network.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

/// An extractor of the fields of the query string. Refuses missing, unknown and malformed fields.
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

/// The longest text of a position: three times the bits of the largest board.
const MAX_POSITION_CHARACTERS: usize = 512;

/// Reads a position of a board.
///
/// # Errors
///
/// The first mistake in the text.
pub fn position(board: Board, text: &str) -> Result<Position, Failure> {
    if text.len() > MAX_POSITION_CHARACTERS {
        let length = text.len();
        return Err(Failure::bad(format!("a position has at most {MAX_POSITION_CHARACTERS} characters, not {length}")));
    }
    notation::parse(board, text).map_err(Failure::bad)
}

/// Reads a game that begins from a position in any notation.
///
/// # Errors
///
/// The first mistake in one of the texts.
pub fn game(board: &str, start: &str, moves: &str) -> Result<Game, Failure> {
    Game::parse_from(position(board.parse()?, start)?, moves).map_err(Failure::bad)
}

/// The text of the empty board, which stands for a position that the query string leaves out.
pub fn empty_board() -> String {
    "-".to_owned()
}
