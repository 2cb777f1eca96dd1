//! What the program says while a board is being solved, by another process for all it knows.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::solve::{Options, Progress, run};
use serde_json::json;

use support::program::Program;

mod support {
    pub mod program;
}

/// Holds a solve at the beginning of one tier until it may go on.
struct HoldAt {
    ply: u32,
    reached: Mutex<Sender<()>>,
    go_on: Mutex<Receiver<()>>,
}

impl Progress for HoldAt {
    fn tier(&self, ply: u32, _entries: u64) {
        if ply == self.ply {
            self.reached.lock().expect("a lock").send(()).expect("a test that waits");
            self.go_on.lock().expect("a lock").recv().expect("a test that lets go");
        }
    }
}

#[test]
fn readers_hear_that_it_is_not_solved_yet_and_solvers_that_somebody_is_at_it() {
    let program = Program::new();
    let options = Options {
        board: "3x3c3".parse().expect("a board"),
        values: Values::Remoteness,
        root: program.path("db"),
        memory_bytes: 1 << 30,
        kernel: Kernel::detect(),
        replace: false,
        checkpoint: Duration::ZERO,
    };
    let (reached, wait) = channel();
    let (let_go, go_on) = channel();
    let progress = HoldAt { ply: 4, reached: Mutex::new(reached), go_on: Mutex::new(go_on) };
    let solver = thread::spawn(move || run(&options, &progress).map(|report| report.outcome));
    wait.recv().expect("a solve that comes to ply 4");

    let line = program.run("query 3x3c3").fails(1);
    assert!(line.contains("not solved yet") && line.contains("fourbase solve 3x3c3"), "{line}");
    let (json, note) = program.run("query 3x3c3 --json --search auto").warns();
    assert!(
        json.contains("\"value\":\"tie\",\"remoteness\":9,") && note.contains("not solved to the end yet"),
        "{note}"
    );
    assert!(program.run("stats 3x3c3").fails(1).contains("not solved yet"));
    let (output, _) = program.run_with_input("query 3x3c3 --batch", "1\n12121\n").fails_after_output(1);
    let lines = output.lines().collect::<Vec<_>>();
    assert!(lines[0].starts_with("1\terror\t") && lines[0].contains("not solved yet"), "{output}");
    assert_eq!(lines[1], "12121\tlose\t0", "what needs no file is answered");
    for arguments in ["solve 3x3c3", "solve 3x3c3 --replace"] {
        assert!(program.run(arguments).fails(1).contains("is being solved by"));
    }
    let row = &program.run("list --json").json()[0];
    assert_eq!((&row["state"], &row["tiers_done"], &row["tiers"]), (&json!("solving"), &json!(5), &json!(10)));
    assert!(row["value"].is_null() && row["remoteness"].is_null());
    assert!(program.run("list").succeeds().ends_with("  not solved yet\n"));

    let_go.send(()).expect("a solve that waits");
    solver.join().expect("a thread").expect("a solve");
    program.run("query 3x3c3").succeeds();
    assert_eq!(program.run("list --json").json()[0]["state"], json!("complete"));
}
