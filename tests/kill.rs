//! Processes that are killed while they solve, and processes that are refused while another solves.
//!
//! One test at a time: a process that has just been forked holds the locks of its parent until it is the new program.

use std::ffi::OsString;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use fourbase_tiers::database::folder_of;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::solve::{Options, Progress, run};
use tempfile::TempDir;

use support::files::{assert_same, folder_files};
use support::options::options;
use support::random::Random;
use support::solved::Solved;

mod support {
    pub mod files;
    pub mod options;
    pub mod random;
    #[expect(dead_code, reason = "files are compared here, not positions")]
    pub mod solved;
}

/// Waits for its turn.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells the process that is to be killed where to solve.
const ROOT: &str = "FOURBASE_TEST_ROOT";

#[test]
#[ignore = "is started, and killed, by another test"]
fn victim() {
    if let Some(root) = std::env::var_os(ROOT) {
        let board = "5x4".parse().expect("a board");
        let every_tier = options(root.as_ref(), board, Values::Remoteness);
        run(&Options { checkpoint: Duration::ZERO, ..every_tier }, &()).expect("a solve");
    }
}

/// Starts this file's `victim` in a process of its own.
fn start_victim(root: OsString) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--ignored", "--exact", "victim"]).env(ROOT, root);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the victim starts")
}

#[test]
fn a_process_that_is_killed_again_and_again_ends_with_the_same_bytes() {
    let _turn = alone();
    let board = "5x4".parse().expect("a board");
    let expected = folder_files(&Solved::new(board, Values::Remoteness).folder());
    let mut random = Random::new(5);
    let mut killed = 0;
    for _ in 0..3 {
        let root = TempDir::new().expect("a temporary folder");
        // The longer it takes, the longer each attempt may run: a slow machine comes to an end too.
        for longest_milliseconds in 40.. {
            let mut victim = start_victim(root.path().into());
            sleep(Duration::from_millis(1 + random.below(longest_milliseconds) as u64));
            victim.kill().expect("the victim is killed");
            if victim.wait().expect("the victim has ended").success() {
                break;
            }
            killed += 1;
        }
        assert_same(&folder_files(&folder_of(root.path(), board, Values::Remoteness)), &expected, "5x4");
    }
    println!("5x4: 3 solves, killed {killed} times");
}

/// In the middle of a solve, lets the program solve the same board.
struct Meddler {
    root: TempDir,
    refusals: Mutex<Vec<String>>,
}

impl Meddler {
    fn start_program(&self) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fourbase"));
        command.args(["solve", "4x3", "--quiet", "--db"]).arg(self.root.path());
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts")
    }
}

impl Progress for Meddler {
    fn tier(&self, _ply: u32, _entries: u64) {
        let output = self.start_program().wait_with_output().expect("the program has ended");
        assert_eq!(output.status.code(), Some(1));
        self.refusals.lock().expect("a lock").push(String::from_utf8_lossy(&output.stderr).into_owned());
    }
}

#[test]
fn a_folder_that_another_process_solves_is_refused_with_the_name_of_its_holder() {
    let _turn = alone();
    let meddler = Meddler { root: TempDir::new().expect("a temporary folder"), refusals: Mutex::default() };
    let board = "4x3".parse().expect("a board");
    let options = options(meddler.root.path(), board, Values::Remoteness);
    run(&options, &meddler).expect("the solve that holds the folder");
    let refusals = meddler.refusals.lock().expect("a lock");
    assert_eq!(refusals.len(), 13, "one at the beginning of every tier");
    let holder = format!("is being solved by process {}", std::process::id());
    assert!(refusals.iter().all(|refusal| refusal.contains(&holder)), "{refusals:?}");
    let expected = folder_files(&Solved::new(board, Values::Remoteness).folder());
    let found = folder_files(&folder_of(meddler.root.path(), board, Values::Remoteness));
    assert_same(&found, &expected, "4x3");
    // The holder is done, and the lock is free.
    assert!(meddler.start_program().wait().expect("the program has ended").success());
}
