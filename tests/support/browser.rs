//! A headless Chromium, driven over WebDriver.
//!
//! The programs are `chromium` and `chromedriver` in `PATH`, or those that `FOURBASE_CHROMIUM` and
//! `FOURBASE_CHROMEDRIVER` name. Without them a test says so and passes, unless `FOURBASE_BROWSER` is 1.

use std::cell::{Cell, RefCell};
use std::env;
use std::future::Future;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::actions::{InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, PointerAction, TouchActions};
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::key::Key;
use fantoccini::wd::{TimeoutConfiguration, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use url::{ParseError, Url};

use super::shown::Shown;

/// Makes the absence of a browser, or of what a test loads into it, a failure.
pub const VARIABLE: &str = "FOURBASE_BROWSER";

/// Names a folder for pictures of the page.
const PICTURES: &str = "FOURBASE_SCREENSHOTS";

/// No page takes longer to show what a test waits for, on any machine.
const LIMIT: Duration = Duration::from_secs(60);

/// Between two looks at the page.
const PAUSE: Duration = Duration::from_millis(25);

/// No sandbox: it needs rights that a container does not have. Nothing is asked of other machines.
const OPTIONS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--lang=en",
    "--window-size=1280,1000",
];

/// Reads what the page shows.
const SHOWN: &str = include_str!("shown.js");

/// A browser with one page. It ends when this is dropped.
pub struct Browser {
    test: &'static str,
    client: Option<Client>,
    runtime: Runtime,
    /// Whether requests may fail without being faults of the page.
    requests_fail: Cell<bool>,
    seen: RefCell<Vec<Shown>>,
    _driver: Driver,
    _profile: TempDir,
}

/// Runs a test in a browser of its own, or says that there is none. `test` names its pictures. The browser must have
/// nothing to complain about at the end: no exception, and nothing that the page's policy forbids.
pub fn run(test: &'static str, body: impl FnOnce(&Browser)) {
    let found = program("FOURBASE_CHROMIUM", "chromium").zip(program("FOURBASE_CHROMEDRIVER", "chromedriver"));
    let Some((chromium, chromedriver)) = found else {
        return misses("no browser: install chromium and chromium-driver");
    };
    let browser = Browser::start(test, &chromium.to_string_lossy(), Driver::start(&chromedriver));
    body(&browser);
    browser.picture("end");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Says what is missing for a test; a failure where it must be there.
pub fn misses(what: &str) {
    let must = env::var(VARIABLE).unwrap_or_default();
    assert!(matches!(must.as_str(), "" | "0" | "1"), "{VARIABLE} is 1 or not set, not {must:?}");
    assert!(must != "1", "{what}");
    println!("skipped: {what}; {VARIABLE}=1 makes it a failure");
}

fn program(variable: &str, name: &str) -> Option<PathBuf> {
    if let Some(path) = env::var_os(variable) {
        return Some(path.into());
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// The server that translates WebDriver for Chromium. It ends when this is dropped.
struct Driver {
    child: Child,
    url: String,
    /// Kept open: it writes more later.
    _output: BufReader<ChildStdout>,
}

impl Driver {
    /// Starts it on a port that is free.
    fn start(path: &PathBuf) -> Driver {
        let mut command = Command::new(path);
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let port = loop {
            let mut line = String::new();
            let length = output.read_line(&mut line).expect("a line");
            assert!(length > 0, "{} ends without a port", path.display());
            if let Some((_, port)) = line.trim_end().trim_end_matches('.').split_once("started successfully on port ") {
                break port.to_owned();
            }
        };
        Driver { child, url: format!("http://127.0.0.1:{port}/"), _output: output }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    fn start(test: &'static str, chromium: &str, driver: Driver) -> Browser {
        let profile = TempDir::new().expect("a folder");
        let mut options = OPTIONS.map(str::to_owned).to_vec();
        options.push(format!("--user-data-dir={}", profile.path().display()));
        let wanted = json!({
            "goog:chromeOptions": { "binary": chromium, "args": options },
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let Json::Object(wanted) = wanted else { unreachable!() };
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let client = runtime.block_on(async {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            let client = builder.capabilities(wanted).connect(&driver.url).await.expect("a browser");
            let limits = TimeoutConfiguration::new(Some(LIMIT), Some(LIMIT), None);
            client.update_timeouts(limits).await.expect("limits");
            client
        });
        let (requests_fail, seen) = (Cell::new(false), RefCell::default());
        Browser { test, client: Some(client), runtime, requests_fail, seen, _driver: driver, _profile: profile }
    }

    fn client(&self) -> &Client {
        self.client.as_ref().expect("a browser until the end")
    }

    /// Waits for an answer of the browser.
    #[track_caller]
    fn wait<T>(&self, answer: impl Future<Output = Result<T, CmdError>>) -> T {
        self.runtime.block_on(answer).unwrap_or_else(|error| panic!("{}: {error}", self.test))
    }

    #[track_caller]
    fn element(&self, selector: &str) -> Element {
        self.wait(self.client().find(Locator::Css(selector)))
    }

    /// Opens an address.
    #[track_caller]
    pub fn open(&self, address: &str) {
        self.wait(self.client().goto(address));
    }

    /// Loads the page again.
    pub fn reload(&self) {
        self.wait(self.client().refresh());
    }

    /// Goes back in the history of the browser.
    pub fn back(&self) {
        self.wait(self.client().back());
    }

    /// Goes forward in the history of the browser.
    pub fn forward(&self) {
        self.wait(self.client().forward());
    }

    /// Clicks into the middle of an element. Another element over it is a failure.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        self.wait(self.element(selector).click());
    }

    /// Touches the middle of an element, after scrolling there.
    #[track_caller]
    pub fn touch(&self, selector: &str) {
        self.execute(&format!("document.querySelector('{selector}').scrollIntoView({{ block: 'center' }})"));
        let element = self.element(selector);
        let finger = TouchActions::new("finger".to_owned())
            .then(PointerAction::MoveToElement { element, duration: None, x: 0.0, y: 0.0 })
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        self.wait(self.client().perform_actions(finger));
    }

    /// Presses a key, wherever the focus is.
    #[track_caller]
    pub fn press(&self, key: impl Into<char>) {
        let value = key.into();
        let keys = KeyActions::new("keys".to_owned()).then(KeyAction::Down { value }).then(KeyAction::Up { value });
        self.wait(self.client().perform_actions(keys));
    }

    /// Presses a letter with Shift.
    #[track_caller]
    pub fn press_with_shift(&self, letter: char) {
        let (shift, value) = (Key::Shift.into(), letter.to_ascii_uppercase());
        let keys = [
            KeyAction::Down { value: shift },
            KeyAction::Down { value },
            KeyAction::Up { value },
            KeyAction::Up { value: shift },
        ];
        let keys = keys.into_iter().fold(KeyActions::new("keys".to_owned()), KeyActions::then);
        self.wait(self.client().perform_actions(keys));
    }

    /// Chooses an option of a list by its value.
    #[track_caller]
    pub fn choose(&self, selector: &str, value: &str) {
        self.wait(self.element(selector).select_by_value(value));
    }

    /// Writes into an empty field.
    #[track_caller]
    pub fn write(&self, selector: &str, text: &str) {
        self.wait(self.element(selector).send_keys(text));
    }

    /// Runs a script and returns what it returns.
    #[track_caller]
    pub fn execute(&self, script: &str) -> Json {
        self.wait(self.client().execute(script, Vec::new()))
    }

    /// Runs a script that calls its only argument with the answer.
    #[track_caller]
    pub fn execute_async(&self, script: &str) -> Json {
        self.wait(self.client().execute_async(script, Vec::new()))
    }

    /// Asks for what is beyond WebDriver: a command of Chromium's DevTools.
    #[track_caller]
    fn devtools(&self, command: &str, parameters: Json) {
        let body = json!({ "cmd": command, "params": parameters });
        self.wait(self.client().issue_cmd(Beyond { path: "goog/cdp/execute", body }));
    }

    /// Makes the screen that of a telephone of this width, with touch.
    pub fn telephone(&self, width: u32) {
        let screen = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": true });
        self.devtools("Emulation.setDeviceMetricsOverride", screen);
        self.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true }));
    }

    /// Asks the page for its `light` or `dark` colours.
    pub fn colours(&self, scheme: &str) {
        self.wishes("prefers-color-scheme", scheme);
    }

    /// Tells the page what people have set in their system, by a feature of media queries.
    pub fn wishes(&self, feature: &str, value: &str) {
        let feature = json!({ "name": feature, "value": value });
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    /// Allows requests to fail: the test stops the server, or asks what is refused.
    pub fn requests_may_fail(&self) {
        self.requests_fail.set(true);
    }

    /// Looks at the page until something holds, and returns that look.
    #[track_caller]
    pub fn until(&self, what: &str, holds: impl Fn(&Shown) -> bool) -> Shown {
        let begin = Instant::now();
        loop {
            let look = self.look();
            if let Ok(shown) = &look {
                if self.seen.borrow().last() != Some(shown) {
                    self.seen.borrow_mut().push(shown.clone());
                }
                if holds(shown) {
                    return shown.clone();
                }
            }
            if begin.elapsed() > LIMIT {
                self.picture("failed");
                panic!("{}: {what}: {look:#?}", self.test);
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Waits until the page has all values of its position and no computer thinks.
    #[track_caller]
    pub fn settled(&self) -> Shown {
        self.until("all values are there", |shown| shown.settled)
    }

    /// Waits until a game of these moves is shown with all values.
    #[track_caller]
    pub fn settled_at(&self, moves: &str) -> Shown {
        self.until(&format!("the game {moves:?} is shown"), |shown| shown.settled && shown.moves == moves)
    }

    /// Looks once. A page that is being loaded has nothing to see yet.
    fn look(&self) -> Result<Shown, String> {
        let json =
            self.runtime.block_on(self.client().execute(SHOWN, Vec::new())).map_err(|error| error.to_string())?;
        Ok(serde_json::from_value(json).expect("what tests/support/shown.js returns"))
    }

    /// Returns everything that was seen while something was waited for, since the last call.
    pub fn seen(&self) -> Vec<Shown> {
        self.seen.take()
    }

    /// Stores a picture of the window, for looking at, if a folder is named.
    pub fn picture(&self, name: &str) {
        let Some(folder) = env::var_os(PICTURES).map(PathBuf::from) else { return };
        std::fs::create_dir_all(&folder).expect("a folder");
        let image = self.wait(self.client().screenshot());
        std::fs::write(folder.join(format!("{}-{name}.png", self.test)), image).expect("a picture");
    }

    /// Returns what the browser has complained about: exceptions, and what the page's policy forbids.
    fn complaints(&self) -> Vec<String> {
        let log = self.wait(self.client().issue_cmd(Beyond { path: "se/log", body: json!({ "type": "browser" }) }));
        let entries = log.as_array().expect("a log").iter();
        let entries = entries.filter(|entry| entry["source"] != "network" || !self.requests_fail.get());
        entries.map(Json::to_string).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // What was seen last tells more than what failed.
            eprintln!("{}: {:#?}", self.test, self.look());
        }
        if let Some(client) = self.client.take() {
            // Chromium ends with its session; the driver alone would leave it.
            let _ = self.runtime.block_on(client.close());
        }
    }
}

/// A command of chromedriver that WebDriver does not have.
#[derive(Debug)]
struct Beyond {
    path: &'static str,
    body: Json,
}

impl WebDriverCompatibleCommand for Beyond {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}
