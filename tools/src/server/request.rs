//! What requests have in common: who asks, the fields of an address, and the texts of positions and games.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use axum::extract::{FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use fourbase::{Board, Game, Position, notation};
use serde::de::DeserializeOwned;

use super::failure::Failure;
use super::service::Server;

/// Where a proxy names the clients that a request went through, the nearest one last.
const FORWARDED: &str = "x-forwarded-for";

/// Who asks. Handlers get it as an extension of the request.
#[derive(Clone)]
pub struct Client {
    /// The address of the connection; behind a trusted proxy, the one that the proxy names. See [`network`].
    pub address: IpAddr,
    /// Whether only the head of the answer is wanted.
    pub is_head: bool,
    /// Whether it asks in a batch, which has its own time limit.
    pub is_batch: bool,
    /// The tags of the answers that it has, as it wrote them.
    pub tags: Vec<HeaderValue>,
    pub server: Arc<Server>,
}

impl Client {
    pub fn of(server: &Arc<Server>, request: &Request) -> Client {
        // The other end of the connection.
        let peer = request.extensions().get().copied().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        // The client itself may have written everything before the last address.
        let line = request.headers().get_all(FORWARDED).iter().next_back().filter(|_| server.arguments.trust_proxy);
        let named = line.and_then(|line| line.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
        let address = network(named.unwrap_or(peer));
        let is_head = request.method() == Method::HEAD;
        let tags = request.headers().get_all(header::IF_NONE_MATCH).iter().cloned().collect();
        Client { address, is_head, is_batch: false, tags, server: Arc::clone(server) }
    }

    /// Checks that the client does not have the answer with these headers already, as its tags say (RFC 9110, 13.1.2: a list,
    /// compared weakly, or a star). This takes no look at the answer: a tag names all that it depends on.
    ///
    /// # Errors
    ///
    /// The client has it.
    pub fn check_is_new(&self, headers: HeaderMap) -> Result<(), Failure> {
        let plain = |tag: &HeaderValue| tag.to_str().unwrap_or_default().replace("W/", "");
        let tag = headers.get(header::ETAG).map(plain);
        let has =
            |tag: &str| self.tags.iter().any(|list| plain(list).split(',').any(|of| [tag, "*"].contains(&of.trim())));
        if tag.is_some_and(|tag| has(&tag)) { Err(Failure::not_modified(headers)) } else { Ok(()) }
    }
}

/// Returns what counts as one address. For IPv6 that is a network of 64 bits, because one machine may have all of its addresses.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

/// The fields of an address. Missing, unknown and malformed fields are refused.
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

/// The empty board, for addresses that name no position.
pub fn empty_board() -> String {
    "-".to_owned()
}
