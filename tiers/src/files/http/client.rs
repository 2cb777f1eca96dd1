//! Requests to hosts with `ureq`: a blocking client that keeps connections open for the next request.

use std::io::{self, ErrorKind, Read};
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;
use ureq::Agent;
#[cfg(feature = "https")]
use ureq::tls::{RootCerts, TlsConfig};

use super::answer::{Client, Response};

/// The most time for a request, including redirects and the answer.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// The most bytes of a file that is taken from a host that ignores the header `Range` and sends the file whole.
const WHOLE_BYTES: u64 = 1 << 20;

/// How many idle connections are kept open: several files are read at once, each with several requests.
const IDLE_CONNECTIONS: usize = 64;

const WITHOUT_HTTPS: &str = "this program was built without https";

/// For how many hosts time-outs are counted.
const MOST_HOSTS: usize = 64;

/// How many requests to a host may time out, with no answer between them, until it is not asked for `SILENCE`.
const MOST_TIMEOUTS: u32 = 3;
const SILENCE: Duration = Duration::from_secs(60);

/// How many redirects are followed.
const MOST_REDIRECTS: u32 = 5;

/// Sends requests over HTTP, and over TLS if this package has the cargo feature `https`. Uses the system's
/// certificates; on Linux those in `SSL_CERT_FILE` instead, if it is set. Obeys the variables `HTTP_PROXY` and
/// `NO_PROXY`.
#[derive(Debug)]
pub struct UreqClient {
    agent: Agent,
    /// How many requests to each host have timed out since its last answer, and when the last one did.
    timeouts: Cache<String, (u32, Instant)>,
}

impl UreqClient {
    /// Makes a client with this time limit for each of the three tries of a request.
    pub fn new(timeout: Duration) -> UreqClient {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(MOST_REDIRECTS)
            .timeout_global(Some(timeout))
            .max_idle_connections(IDLE_CONNECTIONS)
            .max_idle_connections_per_host(IDLE_CONNECTIONS)
            .accept_encoding("identity")
            .user_agent(concat!("fourbase/", env!("CARGO_PKG_VERSION")));
        #[cfg(feature = "https")]
        let config = config.tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build());
        UreqClient { agent: config.build().into(), timeouts: Cache::new(MOST_HOSTS) }
    }

    fn ask(&self, address: &str, range: &str, most_bytes: u64) -> io::Result<Response> {
        let (parts, body) = self.agent.get(address).header("range", range).call().map_err(io_error)?.into_parts();
        let headers = parts.headers.iter();
        let headers = headers.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
        let mut response = Response { status: parts.status.as_u16(), headers: headers.collect(), body: Vec::new() };
        let most_bytes = match response.status {
            // Allow one byte more than requested, so that a body that is too long can be recognized. Reading to the end
            // of the body also frees the connection for the next request.
            206 => Some(most_bytes + 1),
            200 => Some(WHOLE_BYTES + 1).filter(|most| body.content_length().is_none_or(|length| length < *most)),
            _ => None,
        };
        if let Some(most_bytes) = most_bytes {
            let mut reader = body.into_reader().take(most_bytes);
            reader.read_to_end(&mut response.body).map_err(|failure| io_error(failure.into()))?;
        }
        if response.status == 200 && response.body.len() as u64 > WHOLE_BYTES {
            response.body.clear();
        }
        Ok(response)
    }
}

impl Client for UreqClient {
    fn get(&self, address: &str, range: &str, most_bytes: u64) -> io::Result<Response> {
        if address.starts_with("https:") && !cfg!(feature = "https") {
            return Err(io::Error::new(ErrorKind::AddrNotAvailable, WITHOUT_HTTPS));
        }
        let host = address.split('/').nth(2).unwrap_or_default();
        let (times, last) = self.timeouts.get(host).unwrap_or((0, Instant::now()));
        if times >= MOST_TIMEOUTS && last.elapsed() < SILENCE {
            return Err(io::Error::new(
                ErrorKind::HostUnreachable,
                "timeout of the last requests to this host, which is asked again after a minute",
            ));
        }
        let answer = self.ask(address, range, most_bytes);
        match &answer {
            Err(failure) if failure.kind() == ErrorKind::TimedOut => {
                self.timeouts.insert(host.to_owned(), (times + 1, Instant::now()));
            }
            _ => _ = self.timeouts.remove(host),
        }
        answer
    }
}

/// Converts ureq's errors, so that callers can tell temporary errors from permanent ones. Avoids kinds with another
/// meaning for readers of files, such as `UnexpectedEof`.
fn io_error(failure: ureq::Error) -> io::Error {
    let kind = match &failure {
        ureq::Error::TlsRequired => return io::Error::new(ErrorKind::AddrNotAvailable, WITHOUT_HTTPS),
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => ErrorKind::InvalidInput,
        ureq::Error::TooManyRedirects | ureq::Error::RedirectFailed => ErrorKind::InvalidData,
        ureq::Error::Timeout(_) => ErrorKind::TimedOut,
        ureq::Error::Io(source) if source.kind() == ErrorKind::ConnectionRefused => ErrorKind::ConnectionRefused,
        failure if failure.to_string().contains("certificate") => ErrorKind::NotConnected,
        // For other errors of TLS or of reading, the exact kind would not help the caller.
        _ => ErrorKind::ConnectionAborted,
    };
    io::Error::new(kind, failure.to_string())
}
