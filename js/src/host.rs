//! What JavaScript does for the engine: reads files, and watches long work.

use std::cell::RefCell;
use std::io::{self, ErrorKind};
use std::panic;
use std::time::Duration;

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// An object of the worker.
    pub type Host;

    /// Returns bytes of an open file, fewer at its end.
    #[wasm_bindgen(method, catch)]
    fn read(this: &Host, file: u32, offset: f64, length: u32) -> Result<Uint8Array, JsValue>;

    /// Returns what an address has answered to a request for a range of bytes. The name of an error is its kind, `WouldBlock` if there
    /// is no answer yet.
    #[wasm_bindgen(method, catch)]
    fn get(this: &Host, address: &str, range: &str) -> Result<Answer, JsValue>;

    /// Has the part that was asked for last asked for again, after some milliseconds.
    #[wasm_bindgen(method)]
    fn pause(this: &Host, milliseconds: f64);

    /// What an address answered.
    pub type Answer;

    /// The status.
    #[wasm_bindgen(method, getter)]
    pub fn status(this: &Answer) -> u16;

    /// The headers, a line each.
    #[wasm_bindgen(method, getter)]
    pub fn headers(this: &Answer) -> String;

    /// The bytes: a part if the status is 206, a small file if it is 200, else none.
    #[wasm_bindgen(method, getter)]
    pub fn body(this: &Answer) -> Uint8Array;

    /// Receives how many of `all` steps are done or, with an `all` of 0 (unknown), how many nodes a search has visited. Returns
    /// whether to stop.
    #[wasm_bindgen(method)]
    fn poll(this: &Host, done: f64, all: f64) -> bool;

    /// Receives the message of a panic, after which the module ends with a trap. A trap without such a message means that memory
    /// ran out.
    #[wasm_bindgen(method)]
    fn panicked(this: &Host, message: &str);

    /// Receives what is known of a position so far, a line of JSON.
    #[wasm_bindgen(method)]
    fn found(this: &Host, analysis: &str);
}

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

/// Sets the host of all engines.
pub fn set(host: Host) {
    HOST.set(Some(host));
    panic::set_hook(Box::new(|panic| {
        HOST.with_borrow(|host| host.iter().for_each(|host| host.panicked(&panic.to_string())))
    }));
}

/// Reads bytes of a file into `buffer`; returns how many. The error is a message.
pub fn read(file: u32, offset: u64, buffer: &mut [u8]) -> Result<usize, String> {
    HOST.with_borrow(|host| {
        let host = host.as_ref().ok_or("there is no host")?;
        let length = u32::try_from(buffer.len()).unwrap_or(u32::MAX);
        let bytes = host.read(file, offset as f64, length).map_err(|error| text(&error))?;
        let read = buffer.get_mut(..bytes.length() as usize).ok_or("the host has returned too many bytes")?;
        bytes.copy_to(read);
        Ok(read.len())
    })
}

/// Asks an address for a range of bytes, such as `bytes=0-9`.
pub fn get(address: &str, range: &str) -> io::Result<Answer> {
    HOST.with_borrow(|host| {
        let host = host.as_ref().ok_or(ErrorKind::NotConnected)?;
        host.get(address, range).map_err(|error| {
            let name = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.name()));
            let kind = match name.as_deref() {
                Some("WouldBlock") => ErrorKind::WouldBlock,
                Some("PermissionDenied") => ErrorKind::PermissionDenied,
                Some("InvalidData") => ErrorKind::InvalidData,
                Some("HostUnreachable") => ErrorKind::HostUnreachable,
                _ => ErrorKind::ConnectionAborted,
            };
            io::Error::new(kind, text(&error))
        })
    })
}

/// Has the part that was asked for last asked for again, after a while.
pub fn pause(time: Duration) {
    HOST.with_borrow(|host| host.iter().for_each(|host| host.pause(time.as_secs_f64() * 1e3)));
}

/// Reports steps, or visited nodes with an `all` of 0; returns whether to stop.
pub fn poll(done: u64, all: u64) -> bool {
    HOST.with_borrow(|host| host.as_ref().is_some_and(|host| host.poll(done as f64, all as f64)))
}

/// Reports what is known so far.
pub fn found(analysis: &str) {
    HOST.with_borrow(|host| host.iter().for_each(|host| host.found(analysis)));
}

/// Returns the message of an error of JavaScript.
fn text(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{error:?}"), |error| String::from(error.message()))
}
