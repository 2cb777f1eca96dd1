//! Files on a host, read over HTTP. Any static host that supports the header `Range` works.
//!
//! To open a file, a request asks for its first bytes, or for its last ones, which list its blocks, if its length is
//! known. The answer tells the length and the version of the file (`ETag`, else `Last-Modified`), which all later
//! answers must repeat. Both ends are kept. Every other read is a request of its own. Requests run at the same time if
//! they are for ranges that [`ReadFile::read_ahead`] announces. Whatever a host answers, a read returns bytes of the
//! requested range or an error:
//!
//! | kind of the error | what happened |
//! |---|---|
//! | `NotFound`, `PermissionDenied` | status 404 or 410, status 401 or 403 |
//! | `Unsupported` | the host ignores `Range` for a file of more than 1 MiB, or compresses |
//! | `AddrNotAvailable` | this program has no HTTP or no TLS |
//! | `HostUnreachable` | the host has let three tries in a row time out less than a minute ago |
//! | `StaleNetworkFileHandle` | the file has changed since it was opened |
//! | `NotConnected` | the certificate of the host is not trusted |
//! | `InvalidInput` | the text is no address, or an address with `#` or `@` |
//! | `InvalidData` | any other answer that is not what was asked for |
//! | any other | three tries brought no answer, or only late or incomplete ones |
//!
//! The checksums in the files show whether the bytes are right.
//!
//! What follows `?` in an address, such as the key of a signed link, is sent with the request for every file. In paths
//! it follows the host ([`query_first`]), so that folders and files can be added at the end. Messages leave it out.

mod answer;
#[cfg(feature = "http")]
mod client;
mod file;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(feature = "http")]
use std::sync::LazyLock;

pub use answer::{Client, Response};
#[cfg(feature = "http")]
pub use client::UreqClient;

use self::file::HttpFile;
use super::storage::{ReadFile, ReadStorage};

/// The files below an address, as a file system that cannot be written. Paths are addresses.
#[derive(Clone, Debug)]
pub struct Http(Arc<dyn Client>);

impl Http {
    /// Makes a file system that reads with this client.
    pub fn new(client: Arc<dyn Client>) -> Http {
        Http(client)
    }
}

impl ReadStorage for Http {
    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        Ok(Box::new(HttpFile::open(&self.0, address(path)?, None)?))
    }

    fn open_expecting(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn ReadFile>> {
        Ok(Box::new(HttpFile::open(&self.0, address(path)?, Some(bytes))?))
    }
}

/// Converts a path to an address.
fn address(path: &Path) -> io::Result<String> {
    let no_address = |what| io::Error::new(ErrorKind::InvalidInput, format!("the address {what}"));
    let address = path.to_str().filter(|_| is_address(path)).ok_or_else(|| no_address("is not HTTP".to_owned()))?;
    // Some systems join paths with a separator other than `/`.
    let (address, query) = split_query(&address.replace(std::path::MAIN_SEPARATOR, "/"));
    // An `@` may follow a password, which messages would show.
    let in_host = address.split('/').nth(2).unwrap_or_default().find('@').map(|_| '@');
    match in_host.or_else(|| [&address, &query].into_iter().find_map(|part| part.find('#')).map(|_| '#')) {
        Some(sign) => Err(no_address(format!("has the sign {sign}"))),
        None => Ok(address + &query),
    }
}

/// Splits an address into what is before and after a query, and the query with its `?`. It ends at the next `/` if
/// [`query_first`] has put it after the host, else with the address.
pub(super) fn split_query(address: &str) -> (String, String) {
    let Some((before, rest)) = address.split_once('?') else { return (address.to_owned(), String::new()) };
    let (query, after) = match rest.strip_prefix('?').filter(|_| before.split('/').nth(3).is_none()) {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => (rest, ""),
    };
    (before.trim_end_matches('/').to_owned() + after, format!("?{query}"))
}

/// Returns the path of a folder, to which others can be joined: in an address, what follows `?` is put after the host
/// and `??`, with every `/` as `%2F`. A path that this returned stays as it is.
///
/// ```
/// use fourbase_tiers::files::query_first;
///
/// let path = query_first("https://host/db?key=1/2".as_ref()).join("4x4");
/// assert_eq!(path, std::path::Path::new("https://host??key=1%2F2/db/4x4"));
/// assert_eq!(query_first(&path), path);
/// ```
pub fn query_first(folder: &Path) -> PathBuf {
    let of_address = || {
        let (before, query) = folder.to_str().filter(|_| is_address(folder))?.split_once('?')?;
        let (scheme, rest) = before.split_once("//")?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let is_first = path.is_empty() && query.starts_with('?');
        let put_first = || format!("{scheme}//{host}??{}{}", query.replace('/', "%2F"), path.trim_end_matches('/'));
        (!is_first).then(put_first).map(PathBuf::from)
    };
    of_address().unwrap_or_else(|| folder.to_path_buf())
}

/// Returns whether a path is an address on a host, that is, begins with `http://` or `https://`.
pub fn is_address(path: &Path) -> bool {
    let path = path.as_os_str().as_encoded_bytes();
    let begins = |scheme: &[u8]| path.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    begins(b"http://") || begins(b"https://")
}

/// Returns what to do about an error of this kind.
pub(super) fn remedy(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "check the address",
        ErrorKind::InvalidInput => "write the address as http://HOST/FOLDER, without # and @",
        ErrorKind::PermissionDenied => "check the address, and whether everyone may read there",
        ErrorKind::Unsupported => "take a host that sends ranges of files, uncompressed",
        ErrorKind::AddrNotAvailable => "build it with the cargo feature https",
        ErrorKind::NotConnected => {
            "check the address; if it is right, install the certificate of its authority (on Linux: name it in SSL_CERT_FILE)"
        }
        ErrorKind::ReadOnlyFilesystem => "give a folder of this machine",
        ErrorKind::StaleNetworkFileHandle => "open the database again",
        ErrorKind::InvalidData => {
            "check the address; if it is right, the files at the host are damaged or of something else"
        }
        _ => "check the address and the connection, and try again",
    }
}

/// Returns the storage for addresses. All callers share one client.
#[cfg(feature = "http")]
pub(super) fn shared() -> Http {
    static SHARED: LazyLock<Http> = LazyLock::new(|| Http::new(Arc::new(UreqClient::new(client::TIMEOUT))));
    SHARED.clone()
}

/// Returns a storage that rejects all addresses.
#[cfg(not(feature = "http"))]
pub(super) fn shared() -> Http {
    #[derive(Debug)]
    struct Absent;
    impl Client for Absent {
        fn get(&self, _: &str, _: &str, _: u64) -> io::Result<Response> {
            Err(io::Error::new(ErrorKind::AddrNotAvailable, "this program was built without HTTP"))
        }
    }
    Http::new(Arc::new(Absent))
}
