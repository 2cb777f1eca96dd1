//! Databases at an address. JavaScript makes the requests, and the library checks the answers, as it does for the command line. A module
//! cannot wait: a question fails, JavaScript loads at the same time all that it was asked for, and asks the question again.

use std::io;
use std::time::Duration;

use fourbase_tiers::files::{Client, Response};

use crate::host;

/// Asks hosts through JavaScript.
#[derive(Debug)]
pub struct HostClient;

impl Client for HostClient {
    // JavaScript reads no more bytes than these.
    fn get(&self, address: &str, range: &str, _: u64) -> io::Result<Response> {
        let answer = host::get(address, range)?;
        let header =
            |line: &str| line.split_once(':').map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()));
        let headers = answer.headers().lines().filter_map(header).collect();
        Ok(Response { status: answer.status(), headers, body: answer.body().to_vec() })
    }

    fn pause(&self, time: Duration) {
        host::pause(time);
    }
}
