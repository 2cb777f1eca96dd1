//! What tells the server to stop.

#[cfg(unix)]
use anyhow::Context;

/// The signals that tell the server to stop: SIGINT and SIGTERM.
#[cfg(unix)]
pub struct Signals(tokio::signal::unix::Signal, tokio::signal::unix::Signal);

#[cfg(unix)]
impl Signals {
    /// Begins to listen.
    ///
    /// # Errors
    ///
    /// The system does not let the program listen.
    pub fn listen() -> anyhow::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};

        let listen = |kind| signal(kind).context("cannot listen to signals");
        Ok(Signals(listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?))
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.0.recv() => {}
            _ = self.1.recv() => {}
        }
    }
}

/// What tells the server to stop: Ctrl-C.
#[cfg(not(unix))]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Begins to listen.
    ///
    /// # Errors
    ///
    /// None.
    pub fn listen() -> anyhow::Result<Signals> {
        Ok(Signals)
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
