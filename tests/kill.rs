//! Processes that are killed or interrupted while they solve. (`meanwhile.rs` has those that are refused while another solves.)
//!
//! One test at a time, since a kill has to come at a moment of the time that a solve takes alone.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::files::{assert_same, folder_files};
use crate::support::long;
use crate::support::positions::{Random, board};
use crate::support::solves::Runs;
use crate::support::tiers::{Solve, Values};

/// Waits for its turn.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A solve of a board with remoteness.
fn solve_of(root: &Path, name: &str) -> Solve {
    Solve::new(board(name), Values::Remoteness).root(root)
}

/// Tells the process that is to be killed where to solve, and what.
const ROOT: &str = "FOURBASE_TEST_ROOT";
const BOARD: &str = "FOURBASE_TEST_BOARD";

#[test]
#[ignore = "is started, and killed, by another test"]
fn victim() {
    if let (Some(root), Ok(board)) = (std::env::var_os(ROOT), std::env::var(BOARD)) {
        solve_of(root.as_ref(), &board).stepwise().run().expect("a solve");
    }
}

/// Starts this program's `victim` in a process of its own.
fn start_victim(root: &Path, board: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--ignored", "--exact", "kill::victim"]).env(ROOT, root).env(BOARD, board);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the victim starts")
}

#[test]
fn a_process_that_is_killed_up_to_five_times_ends_with_the_same_bytes() {
    let _turn = alone();
    long::skips("36 of 40 solves that are killed");
    let mut random = Random::new(5);
    for board in long::scale(["4x4", "5x4"], ["5x4", "5x5"]) {
        let solves = long::scale(2, 20);
        let start = Instant::now();
        let whole = TempDir::new().expect("a temporary folder");
        let folder = |root: &TempDir| solve_of(root.path(), board).folder();
        assert!(start_victim(whole.path(), board).wait().expect("the victim has ended").success());
        let (longest, expected) = (start.elapsed(), folder_files(&folder(&whole)));
        let (mut killed, mut at_work) = (0, 0);
        for solve in 0..solves {
            let root = TempDir::new().expect("a temporary folder");
            for _ in 0..1 + random.below(5) {
                let mut victim = start_victim(root.path(), board);
                sleep(longest.mul_f64(random.below(1 << 20) as f64 / f64::from(1 << 20)));
                victim.kill().expect("the victim is killed");
                if victim.wait().expect("the victim has ended").success() {
                    break;
                }
                killed += 1;
                at_work += usize::from(folder(&root).join("manifest").exists());
            }
            assert!(start_victim(root.path(), board).wait().expect("the victim has ended").success());
            assert_same(&folder_files(&folder(&root)), &expected, &format!("{board}, solve {solve}"));
        }
        println!("{board}: {solves} solves, killed {killed} times, {at_work} of them with a database begun");
    }
}

#[cfg(target_os = "linux")]
mod signals {
    use std::process::Output;

    use rustix::process::{Pid, Signal, kill_process};
    use serde_json::{Value, json};

    use super::*;
    use crate::support::databases;
    use crate::support::program::{PROGRAM, Program, record};

    /// Starts a command, sends it signals as soon as it `is_at_work`, and returns how it ended.
    fn signalled(command: &mut Command, signals: &[Signal], is_at_work: impl Fn() -> bool) -> Output {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        // Where its input is a pipe, it does not end.
        let _input = child.stdin.take();
        while !is_at_work() {
            if child.try_wait().expect("a process").is_some() {
                return child.wait_with_output().expect("its output");
            }
            sleep(Duration::from_millis(1));
        }
        for signal in signals {
            // The program is a zombie at worst, which takes signals.
            kill_process(Pid::from_child(&child), *signal).expect("a signal");
        }
        child.wait_with_output().expect("the program has ended")
    }

    /// Whether a solve of 5x5 is in the middle: tiers are done, and the next ones are the widest.
    fn is_in_the_middle(root: &Path) -> bool {
        let file = root.join("5x5/remoteness/tier-19");
        file.exists() || file.with_extension("new").exists()
    }

    /// Stops something in a folder of its own, as often as it takes to come before its end.
    fn stopped(attempt: impl Fn(&Path) -> Output) -> (TempDir, Output) {
        let attempt = || {
            let root = TempDir::new().expect("a temporary folder");
            let output = attempt(root.path());
            (!output.status.success()).then_some((root, output))
        };
        let (root, output) = std::iter::repeat_with(attempt).take(20).flatten().next().expect("what is stopped");
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        (root, output)
    }

    /// Stops a solve in the middle.
    fn stopped_solve(signals: &[Signal], option: &str) -> (TempDir, Output) {
        stopped(|root| {
            let mut command = Command::new(PROGRAM);
            command.args(["solve", "5x5", "--threads", "1", "--memory", "1G", option, "--db"]).arg(root);
            signalled(&mut command, signals, || is_in_the_middle(root))
        })
    }

    #[test]
    fn ctrl_c_leaves_what_can_be_gone_on_with_and_says_how() {
        let _turn = alone();
        let (root, output) = stopped_solve(&[Signal::INT], "--quiet");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let resume = "run the same command to resume";
        assert!(stderr.contains("stopping; finished tiers are kept") && stderr.contains(resume), "{stderr}");
        assert!(output.stdout.is_empty());

        let solve = solve_of(root.path(), "5x5");
        let folder = solve.folder();
        let stopped = folder_files(&folder);
        assert!(stopped.keys().any(|name| name.starts_with("frontier-")), "{:?}", stopped.keys());
        assert!(!stopped.keys().any(|name| name.ends_with(".new")), "{:?}", stopped.keys());
        solve.run().expect("a solve that goes on");
        assert_same(&folder_files(&folder), &databases::files(solve.board, solve.values), "5x5");
    }

    #[test]
    fn sigterm_sighup_and_sigusr1_are_a_first_ctrl_c_and_json_says_what_is_done() {
        let _turn = alone();
        // A process is often sent both, or one twice: that is no second Ctrl-C.
        for signals in [&[Signal::TERM, Signal::TERM][..], &[Signal::HUP, Signal::TERM], &[Signal::USR1]] {
            let (root, output) = stopped_solve(signals, "--json");
            let json: Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
            record(&json);
            let folder = solve_of(root.path(), "5x5").folder();
            let found = ["command", "board", "stores", "folder"].map(|key| json[key].as_str().unwrap_or_default());
            assert_eq!(found, ["solve", "5x5", "remoteness", &folder.to_string_lossy()]);
            let found = ["stopped", "tiers", "value", "hash"].map(|key| &json[key]);
            assert_eq!(found, [&json!(true), &json!(26), &Value::Null, &Value::Null]);
            assert!(json["tiers_done"].as_u64().is_some_and(|done| (1..26).contains(&done)), "{json}");
            assert!(String::from_utf8_lossy(&output.stderr).contains("run the same command to resume"));
            assert!(folder.join("manifest").exists());
        }
    }

    #[test]
    fn a_count_that_is_stopped_says_so_and_where_it_resumes() {
        let _turn = alone();
        let folder = |root: &Path| root.join("6x5/count-legal");
        let (root, output) = stopped(|root| {
            let mut command = Command::new(PROGRAM);
            command.args(["stats", "6x5", "--legal", "--json", "--threads", "1", "--scratch"]).arg(root);
            signalled(&mut command, &[Signal::TERM], || folder(root).join("count").exists())
        });
        let json: Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
        record(&json);
        let found = ["command", "stopped", "tiers", "resume_folder"].map(|key| &json[key]);
        assert_eq!(found, [&json!("stats"), &json!(true), &json!(31), &json!(folder(root.path()))]);
        assert_eq!(["stores", "folder", "legal", "plies"].map(|key| &json[key]), [&Value::Null; 4]);
    }

    #[test]
    fn under_nohup_a_lost_connection_does_not_stop_a_solve() {
        let _turn = alone();
        let root = TempDir::new().expect("a temporary folder");
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' HUP; exec \"$0\" solve 5x5 --quiet --db \"$1\"", PROGRAM]).arg(root.path());
        let output = signalled(&mut command, &[Signal::HUP], || is_in_the_middle(root.path()));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }

    /// Starts the program in a folder, sends it a signal once it has made a file there, and returns its exit code and what is
    /// left in the folder. Its input does not end.
    fn left_after(signal: Signal, arguments: &str) -> (Option<i32>, usize) {
        let temporary = TempDir::new().expect("a temporary folder");
        let left = || std::fs::read_dir(temporary.path()).expect("a folder").count();
        let mut command = Command::new(PROGRAM);
        command.args(arguments.split(' ')).current_dir(temporary.path());
        let output = signalled(command.stdin(Stdio::piped()), &[signal], || left() > 0);
        (output.status.code(), left())
    }

    #[test]
    fn no_signal_leaves_a_file_that_is_not_whole() {
        let _turn = alone();
        let program = Program::with("4x4");
        let export = format!("export 4x4 --sample 1e11 --output a.csv --db {}", program.path("db").display());
        let batch = "position 4x4 --batch --output answers";
        for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::USR1] {
            for arguments in [batch, &export] {
                assert_eq!(left_after(signal, arguments), (Some(3), 0), "{arguments}, {signal:?}");
            }
        }
    }
}
