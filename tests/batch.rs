//! Batches as streams: answers while the input is open.

use std::io::{BufRead, BufReader, Write};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::support::program::Program;

/// How long an answer may take before it counts as withheld.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn answers_arrive_while_input_is_still_open() {
    let program = Program::with("2x2c2");
    let mut child = program.spawn("query 2x2c2 --batch");
    let mut input = child.stdin.take().expect("its input");
    let output = BufReader::new(child.stdout.take().expect("its output"));
    let (sender, answers) = channel();
    thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    for (written, expected) in [("1\n", "1\tlose\t2"), ("12\n12", "12\twin\t1"), ("1\n9\n", "121\tlose\t0")] {
        input.write_all(written.as_bytes()).expect("a reader");
        assert_eq!(answers.recv_timeout(PATIENCE).as_deref(), Ok(expected));
    }
    assert!(answers.recv_timeout(PATIENCE).is_ok_and(|answer| answer.starts_with("9\terror\tmove 1, '9': ")));
    drop(input);
    assert_eq!(child.wait().expect("the program ends").code(), Some(2));
}
