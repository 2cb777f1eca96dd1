//! `fourbase serve`: answers over HTTP.
//!
//! A request arrives through [`connections`] and [`routes`], which limit and log it. [`request`] reads it. The handlers are
//! [`position`], [`batch`], [`games`], [`boards`], [`page`], and [`uwapi`] for GamesCrafters' page. Handlers call [`service`] for
//! work on files and for searches; it waits for a permit of a [`fair_semaphore`] and runs the work on a thread. [`response`] and
//! [`failure`] write the answers, [`metrics`] counts requests, and [`origins`] checks which web sites may ask.

pub mod batch;
pub mod boards;
mod connections;
pub mod failure;
mod fair_semaphore;
pub mod games;
mod metrics;
mod origins;
pub mod page;
pub mod picture;
pub mod position;
mod request;
mod response;
mod routes;
mod script;
mod service;
mod uwapi;

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use tokio::net::TcpListener;

use crate::arguments::{CacheArgument, DatabaseArgument, processors, refused, within};
use crate::{interrupt, output};
use connections::{MAX_CONNECTIONS, MAX_CONNECTIONS_OF_ADDRESS, MAX_METRICS_CONNECTIONS};
use fair_semaphore::FairSemaphore;
use service::Server;

/// The default of `--search-nodes`, the most nodes of a search for one position: some seconds of one thread on 7x6.
const DEFAULT_NODES: &str = "2e7";

/// The default of `--search-seconds`, the time limit of a search for one position.
const DEFAULT_SECONDS: &str = "10";

/// Threads that exchange bytes with clients; they never wait for a database or a search.
const NETWORK_THREADS: usize = 2;

/// Arguments of `fourbase serve`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The server answers from the databases in --db and from the built-in ones. Databases \
that appear or change while it runs are found within two seconds. A position that no database covers \
is searched, within --search-nodes and --search-seconds; --searches says how many at a time.

A browser shows a page at the address that is printed; docs/reference/http.md lists the others. Ctrl-C or \
SIGTERM stops the server after the answers that are under way.

Examples:
  fourbase serve --open
  fourbase serve --listen 0.0.0.0:80 --db /data/fourbase --cache 2G
  fourbase serve --base-path /connect4 --search-seconds 2
  curl 'http://127.0.0.1:8080/api/v1/position?board=7x6&position=4453'")]
pub struct Arguments {
    /// The address and the port to listen on; port 0 lets the system choose one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", value_parser = listen_address)]
    listen: SocketAddr,

    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    cache: CacheArgument,

    /// The path under which a reverse proxy shows the server, such as /connect4
    #[arg(long, value_name = "PATH", default_value = "", value_parser = base_path, hide_default_value = true)]
    base_path: String,

    /// How many nodes a search may visit for one position
    #[arg(long, value_name = "N", default_value = DEFAULT_NODES, value_parser = within::<u64>(1..=u64::MAX))]
    search_nodes: u64,

    /// How many seconds a search may take for one position
    #[arg(long, value_name = "N", default_value = DEFAULT_SECONDS, value_parser = within::<u32>(1..=86_400))]
    search_seconds: u32,

    /// How many searches run at a time; if more than one, batches leave one free [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = within::<u16>(1..=1024))]
    searches: Option<u16>,

    /// How many of them one address may have [default: half of them, at least 1]
    #[arg(long, value_name = "N", value_parser = within::<u16>(1..=1024))]
    searches_per_client: Option<u16>,

    /// Take the address of a client from the end of X-Forwarded-For, which a reverse proxy writes, and the scheme of link previews
    /// from X-Forwarded-Proto
    #[arg(long)]
    trust_proxy: bool,

    /// A web site whose pages may ask, such as https://example.org, or * for all [default: the server's own and those of this
    /// machine]
    #[arg(long, value_name = "SITE", value_parser = origins::origin)]
    allow_origin: Vec<String>,

    /// The address and the port on which to serve /metrics [default: it is not served]
    #[arg(long, value_name = "ADDRESS", value_parser = listen_address)]
    metrics_address: Option<SocketAddr>,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,

    /// Write a line about each request to standard error
    #[arg(long)]
    log: bool,
}

/// Runs `fourbase serve`.
///
/// # Errors
///
/// An address on which it cannot listen.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.log {
        tracing_subscriber::fmt().with_writer(std::io::stderr).with_target(false).init();
    }
    // One thread for each search, each look-up, and each request that waits for storage (as many as look-ups).
    let blocking = arguments.searches() + 2 * look_ups();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(NETWORK_THREADS).max_blocking_threads(blocking).enable_all();
    let runtime = runtime.build().context("cannot start the threads")?;
    let served = runtime.block_on(serve(arguments));
    // Dropping the runtime would wait for all threads, even one that reads from a web host which does not answer.
    runtime.shutdown_background();
    served
}

async fn serve(arguments: &Arguments) -> anyhow::Result<()> {
    let (listener, address) = listen(arguments.listen, "--listen").await?;
    let page = format!("http://{address}{}/", arguments.base_path);
    fourbase_tiers::database::check_root(&arguments.database.root, None)?;
    let server = Server::new(arguments);
    let of_address = if arguments.trust_proxy { MAX_CONNECTIONS } else { MAX_CONNECTIONS_OF_ADDRESS };
    let connections = FairSemaphore::new(MAX_CONNECTIONS, of_address);
    let mut endpoints = vec![(listener, routes::router(Arc::clone(&server)), connections)];
    let mut note = format!("listening on {page}");
    if let Some(address) = arguments.metrics_address {
        let (listener, address) = listen(address, "--metrics-address").await?;
        let connections = FairSemaphore::new(MAX_METRICS_CONNECTIONS, MAX_METRICS_CONNECTIONS);
        endpoints.push((listener, routes::metrics_router(Arc::clone(&server)), connections));
        note += &format!("\nmetrics on http://{address}/metrics");
    }
    // Listen to signals before printing the address, so that a signal after that ends the server cleanly.
    let (sender, requests) = tokio::sync::mpsc::unbounded_channel();
    interrupt::on_request(move |request| sender.send(request).unwrap_or_default())?;
    output::print(note)?;
    if arguments.open
        && let Err(error) = open::that_detached(&page)
    {
        crate::failure::print_warning(&format!("cannot open the browser: {error}; open {page} there"));
    }
    connections::serve(endpoints, requests, || server.is_stopping.send_modify(|is_stopping| *is_stopping = true)).await;
    Ok(())
}

/// Listens on `address`, the value of `option`. Also returns the actual address, which has the port that the system chose for port
/// 0.
async fn listen(address: SocketAddr, option: &str) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let cannot = || format!("cannot listen on {address}; choose another address or port with {option}");
    let listener = TcpListener::bind(address).await.with_context(cannot)?;
    let address = listener.local_addr().with_context(cannot)?;
    Ok((listener, address))
}

impl Arguments {
    /// Returns how many searches run at a time.
    fn searches(&self) -> usize {
        self.searches.map_or_else(processors, usize::from)
    }
}

/// Returns how many questions that need no search are answered at a time. One address may have a quarter of them.
fn look_ups() -> usize {
    (2 * processors()).max(4)
}

/// Reads the value of `--listen`. Reads `localhost` as 127.0.0.1, without a look-up of the name.
fn listen_address(text: &str) -> anyhow::Result<SocketAddr> {
    let numbers = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let reason = "is no address with a port; write one such as 127.0.0.1:8080, or 0.0.0.0:80 for all networks";
    numbers.as_deref().unwrap_or(text).parse().map_err(|_| refused(text, reason))
}

/// Reads the value of `--base-path`: nothing, or a path that begins with a slash and does not end with one.
fn base_path(text: &str) -> anyhow::Result<String> {
    let path = text.trim_end_matches('/');
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/-_.~".contains(character);
    anyhow::ensure!(
        (path.is_empty() || path.starts_with('/')) && !path.contains("//") && path.chars().all(is_plain),
        refused(text, "is no path; write one such as /connect4")
    );
    Ok(path.to_owned())
}
