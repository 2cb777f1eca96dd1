//! Requests to stop: Ctrl-C, SIGTERM (`kill`, Slurm, systemd), SIGHUP (a lost connection) and SIGUSR1 (which `mpirun` passes on).
//!
//! | command | a request | Ctrl-C once more |
//! |---|---|---|
//! | `solve`, `stats` | stops the work at the next good place, so that it can resume | ends the program at once |
//! | a command with `--output` | removes the unfinished file, ends the program | |
//! | `play` | Ctrl-C stops the search; the others end the program | ends the program, unless it waits for a line |
//! | `query` of one position | says so and ends the program | |
//! | `serve` | stops after the answers that are under way | stops at once |
//! | any other | ends the program, as the system does without this file | |
//!
//! A request often arrives twice, because the signal is sent to the process and to its group. So signals never end a solve at once.
//! Under `nohup`, SIGHUP has no effect.

use std::io::{self, IsTerminal};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use anyhow::Context;
use fourbase::search::Monitor;

use crate::failure;

/// Whether a request has come.
static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// Whether the program waits for a line that a person types.
static IS_WAITING: AtomicBool = AtomicBool::new(false);

/// Whether a thread waits for requests.
static IS_HEARD: AtomicBool = AtomicBool::new(false);

/// The function to call before a request ends the program.
static CLEAN: OnceLock<fn()> = OnceLock::new();

/// The search that runs now in `fourbase play`, if any.
static SEARCH: Mutex<Option<Weak<Monitor>>> = Mutex::new(None);

/// The exit code that a shell reports for a program ended by Ctrl-C.
const ENDED: i32 = 130;

/// A request to stop, by its origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Ctrl-C.
    Key,
    /// SIGTERM, SIGHUP or SIGUSR1.
    #[cfg_attr(not(unix), expect(dead_code, reason = "elsewhere every request is like a key"))]
    Signal,
}

/// Makes the first request stop the work: [`is_asked`] returns true from then on, and the message is printed, if there is one. A
/// second Ctrl-C ends the program.
///
/// # Errors
///
/// The system does not let the program handle signals.
pub fn listen(message: Option<&'static str>) -> anyhow::Result<()> {
    on_request(move |request| {
        if !IS_ASKED.swap(true, Relaxed) {
            message.into_iter().for_each(print_over_line);
        } else if request == Request::Key {
            end(ENDED);
        }
    })
}

/// Prints a note over the line of a bar or a spinner. The bar or spinner draws itself again on the next line.
fn print_over_line(text: &str) {
    let start = if io::stderr().is_terminal() { "\r\u{1b}[K" } else { "" };
    failure::print_note(&format!("{start}{text}"));
}

/// Returns whether a request has come since [`listen`].
pub fn is_asked() -> bool {
    IS_ASKED.load(Relaxed)
}

/// Makes each request call `clean` and then end the program, unless another function of this file handles requests differently.
///
/// # Errors
///
/// The system does not let the program handle signals.
pub fn clean_at_end(clean: fn()) -> anyhow::Result<()> {
    let _ = CLEAN.set(clean);
    if IS_HEARD.load(Relaxed) { Ok(()) } else { on_request(|_| end(failure::STOPPED.into())) }
}

/// Calls the function of [`clean_at_end`], if one was set, and ends the program.
fn end(code: i32) -> ! {
    if let Some(clean) = CLEAN.get() {
        clean();
    }
    process::exit(code)
}

/// Makes Ctrl-C stop the running search of a game, and not the game.
///
/// # Errors
///
/// The system does not let the program handle signals.
pub fn listen_in_game() -> anyhow::Result<()> {
    on_request(|request| {
        let search = SEARCH.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (request, search.and_then(|search| search.upgrade())) {
            (Request::Signal, _) => end(failure::STOPPED.into()),
            (Request::Key, Some(search)) => search.cancel(),
            (Request::Key, None) if IS_WAITING.load(Relaxed) => failure::print_note("\ntype quit to leave the game"),
            (Request::Key, None) => end(ENDED),
        }
    })
}

/// Makes a request print a note and end the program. The signal's default action ends it, so that a shell loop around the program
/// stops too.
///
/// # Errors
///
/// The system does not let the program handle signals.
pub fn say_at_end(note: String) -> anyhow::Result<()> {
    on_request(move |request| {
        print_over_line(&note);
        #[cfg(unix)]
        let _ = signal_hook::low_level::emulate_default_handler(match request {
            Request::Key => signal_hook::consts::SIGINT,
            Request::Signal => signal_hook::consts::SIGTERM,
        });
        end(if request == Request::Key { ENDED } else { failure::STOPPED.into() })
    })
}

/// Sets the search that Ctrl-C stops ([`listen_in_game`]).
pub fn watch(search: &Arc<Monitor>) {
    *SEARCH.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::downgrade(search));
}

/// Calls `read`, which waits for a line that a person types. During the call, Ctrl-C prints how to leave the game and does not end
/// the program.
pub fn waiting<T>(read: impl FnOnce() -> T) -> T {
    IS_WAITING.store(true, Relaxed);
    let line = read();
    IS_WAITING.store(false, Relaxed);
    line
}

/// Starts a thread that calls `act` for each request.
#[cfg(unix)]
pub fn on_request(act: impl Fn(Request) + Send + 'static) -> anyhow::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
    use signal_hook::iterator::Signals;

    IS_HEARD.store(true, Relaxed);
    let heard =
        [SIGINT, SIGTERM, SIGHUP, SIGUSR1].into_iter().filter(|&signal| signal != SIGHUP || !is_ignored(signal));
    let mut signals = Signals::new(heard).context("cannot listen to signals")?;
    let listen = move || {
        for signal in signals.forever() {
            act(if signal == SIGINT { Request::Key } else { Request::Signal });
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(listen).context("cannot start a thread")?;
    Ok(())
}

/// Starts a thread that calls `act` for each request.
#[cfg(not(unix))]
pub fn on_request(act: impl Fn(Request) + Send + 'static) -> anyhow::Result<()> {
    IS_HEARD.store(true, Relaxed);
    ctrlc::set_handler(move || act(Request::Key)).context("cannot listen to Ctrl-C")
}

/// Returns whether this process ignored a signal when it started, which `nohup` causes. Returns `false` if the system does not say,
/// as on all systems but Linux.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    // A line such as `SigIgn:\t0000000000000001`, with bit 0 for signal 1 (proc(5)).
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
    ignored >> (signal - 1) & 1 == 1
}
