//! Runs the program as a user does, in a folder of its own.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use snapbox::cmd::Command;
use tempfile::TempDir;

use super::databases;
use super::positions::board;
use super::tiers::{Values, folder_of};

/// The program that was built for the tests.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_fourbase");

/// Variables that change what the program does; tests that want them set them.
const VARIABLES: [&str; 5] = ["FOURBASE_DB", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"];

/// Nothing that is tested takes longer, on any machine.
pub const LIMIT: Duration = Duration::from_secs(60);

/// The program in an empty folder, with no variables set that it reads.
pub struct Program {
    /// What was started in it may outlive this.
    folder: Arc<TempDir>,
    variables: Vec<(String, String)>,
}

impl Program {
    /// Makes the folder.
    pub fn new() -> Program {
        Program { folder: Arc::new(TempDir::new().expect("a folder")), variables: Vec::new() }
    }

    /// Makes the folder and writes the database of a board into it, with remoteness, as `solve` leaves it there.
    pub fn with(name: &str) -> Program {
        let program = Program::new();
        let (board, values) = (board(name), Values::Remoteness);
        databases::write(board, values, &folder_of(&program.path("db"), board, values));
        program
    }

    /// Sets a variable for all further runs.
    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Keeps the folder for as long as what is returned.
    pub fn folder(&self) -> Arc<TempDir> {
        Arc::clone(&self.folder)
    }

    /// Returns the path of a file in the folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Lists the subcommands, as the help does.
    pub fn subcommands(&self) -> Vec<String> {
        let help = self.run("--help").succeeds();
        let (commands, _) = help.split_once("\nOptions:").expect("commands");
        let names = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
        names.map(str::to_owned).collect()
    }

    /// Runs the program with these arguments, which have no spaces, and empty input.
    pub fn run(&self, arguments: &str) -> Run {
        self.run_with_input(arguments, "")
    }

    /// Runs the program within a limit, an option of the shell's `ulimit`.
    #[cfg(unix)]
    pub fn run_limited(&self, limit: &str, arguments: &str) -> Run {
        // A trace of a program of a hundred megabytes takes longer than anything here.
        let command = Command::from_std(self.process("sh")).timeout(LIMIT).env("RUST_BACKTRACE", "0");
        Run::of(command.args(["-c", &format!("ulimit {limit} && exec {PROGRAM} {arguments}")]))
    }

    /// Runs the program with input.
    pub fn run_with_input(&self, arguments: &str, input: impl Into<Vec<u8>>) -> Run {
        Run::of(self.command().args(arguments.split_whitespace()).stdin(input.into()))
    }

    /// Starts the program with these arguments, which have no spaces, and with pipes to its input and from its outputs.
    pub fn spawn(&self, arguments: &str) -> Child {
        let mut command = self.process(PROGRAM);
        command.args(arguments.split_whitespace()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program runs")
    }

    /// Returns a command that waits for arguments.
    pub fn command(&self) -> Command {
        Command::from_std(self.process(PROGRAM)).timeout(LIMIT)
    }

    /// Prepares any program in the folder.
    pub fn process(&self, program: &str) -> std::process::Command {
        let mut command = std::process::Command::new(program);
        for variable in VARIABLES {
            command.env_remove(variable);
        }
        command.current_dir(self.folder.path()).envs(self.variables.iter().cloned());
        command
    }
}

/// What a run of the program left.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Runs a command to its end.
    pub fn of(command: Command) -> Run {
        let output = command.output().expect("the program runs");
        let [stdout, stderr] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8 output"));
        let run = Run { code: output.status.code(), stdout, stderr: without_announcements(&stderr) };
        assert!(!run.stderr.contains("panicked"), "{run:#?}");
        run
    }

    /// Returns standard output of a run that went well, with nothing to say on standard error.
    #[track_caller]
    pub fn succeeds(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self:#?}");
        self.stdout
    }

    /// Returns how a run has ended, and all that it has said.
    pub fn ended(self) -> (Option<i32>, String) {
        (self.code, self.stdout + &self.stderr)
    }

    /// Returns the one line of JSON of a run that went well.
    #[track_caller]
    pub fn json(self) -> Value {
        read_json(&self.succeeds())
    }

    /// Returns the first line of JSON of a run.
    #[track_caller]
    pub fn first_json(self) -> Value {
        let lines: Vec<Value> = self.stdout.lines().map(|line| read_json(&format!("{line}\n"))).collect();
        lines.into_iter().next().expect("a line")
    }

    /// Returns the one line of a run that failed with this exit code, without `error: `; it has nothing else to say.
    #[track_caller]
    pub fn fails(self, code: i32) -> String {
        let (stdout, line) = self.fails_after_output(code);
        assert_eq!(stdout, "", "{line}");
        line
    }

    /// Returns standard output and the one line of a run that failed with this exit code after it had said something.
    #[track_caller]
    pub fn fails_after_output(self, code: i32) -> (String, String) {
        assert_eq!(self.code, Some(code), "{self:#?}");
        let line = self.stderr.strip_prefix("error: ").and_then(|line| line.strip_suffix('\n'));
        let line = line.unwrap_or_else(|| panic!("an error line: {self:#?}")).to_owned();
        assert!(!line.chars().any(char::is_control), "one line without controls: {self:#?}");
        (self.stdout, line)
    }

    /// Returns standard output of a run that went well, and what it said on standard error.
    #[track_caller]
    pub fn warns(self) -> (String, String) {
        assert_eq!(self.code, Some(0), "{self:#?}");
        assert!(!self.stderr.is_empty(), "{self:#?}");
        (self.stdout, self.stderr)
    }
}

/// Leaves out what standard error tells of a search that takes a second, as any may on a busy machine.
fn without_announcements(stderr: &str) -> String {
    let is_told = |line: &str| {
        let is_move = line.strip_prefix("column ").is_some_and(|rest| rest.get(1..3) == Some(": "));
        line.contains(" is still being searched") || line.contains(" to move: ") || is_move
    };
    stderr.split_inclusive('\n').filter(|line| !is_told(line)).collect()
}

/// Reads one line of JSON.
#[track_caller]
pub fn read_json(text: &str) -> Value {
    assert_eq!(text.matches('\n').count(), 1, "one line: {text}");
    let json = serde_json::from_str(text).expect("JSON");
    record(&json);
    json
}

/// Leaves a line of JSON for `tests/schema.py`, which compares it with its schema, in the file that `FOURBASE_JSON` names.
pub fn record(line: &Value) {
    let Some(path) = std::env::var_os("FOURBASE_JSON") else { return };
    let mut file = File::options().create(true).append(true).open(path).expect("a file");
    file.write_all(format!("{line}\n").as_bytes()).expect("room for a line");
}

/// Returns the most memory that a process has had, where the system tells.
pub fn peak_kib(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
