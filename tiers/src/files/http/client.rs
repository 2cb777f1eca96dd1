//! Requests to hosts with `ureq`: a blocking client that keeps connections open for the next request.

use std::io::{self, ErrorKind, Read};
use std::time::Duration;

use ureq::Agent;
#[cfg(feature = "https")]
use ureq::tls::{RootCerts, TlsConfig};

use super::answer::{Client, Response};

/// The most time for a request, including redirects and the answer.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// How many idle connections are kept open: several files are read at once, each with several requests.
const IDLE_CONNECTIONS: usize = 64;

const WITHOUT_HTTPS: &str = "this program was built without https";

/// How many redirects are followed.
const MOST_REDIRECTS: u32 = 5;

/// Sends requests over HTTP, and over TLS if this package has the cargo feature `https`. Uses the system's
/// certificates; on Linux those in `SSL_CERT_FILE` instead, if it is set. Obeys the variables `HTTP_PROXY` and
/// `NO_PROXY`.
#[derive(Debug)]
pub struct UreqClient(Agent);

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
        UreqClient(config.build().into())
    }
}

impl Client for UreqClient {
    fn get(&self, address: &str, range: &str, most_bytes: u64) -> io::Result<Response> {
        if address.starts_with("https:") && !cfg!(feature = "https") {
            return Err(io::Error::new(ErrorKind::Unsupported, WITHOUT_HTTPS));
        }
        let (parts, body) = self.0.get(address).header("range", range).call().map_err(io_error)?.into_parts();
        let header = |(name, value): (&ureq::http::HeaderName, &ureq::http::HeaderValue)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        };
        let mut response = Response {
            status: parts.status.as_u16(),
            headers: parts.headers.iter().filter_map(header).collect(),
            body: Vec::new(),
        };
        if response.status == 206 {
            // Allow one byte more than requested, so that a body that is too long can be recognized. Reading to the end
            // of the body also frees the connection for the next request.
            let mut reader = body.into_reader().take(most_bytes + 1);
            reader.read_to_end(&mut response.body).map_err(|failure| io_error(failure.into()))?;
        }
        Ok(response)
    }
}

/// Converts ureq's errors, so that callers can tell temporary errors from permanent ones. Avoids kinds with another
/// meaning for readers of files, such as `UnexpectedEof`.
fn io_error(failure: ureq::Error) -> io::Error {
    let kind = match &failure {
        ureq::Error::TlsRequired => return io::Error::new(ErrorKind::Unsupported, WITHOUT_HTTPS),
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
