//! Batches as streams: answers while the input is open, very long lines, and what a batch writes into.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::support::program::Program;

/// How long an answer may take before it counts as withheld.
const PATIENCE: Duration = Duration::from_secs(20);

/// A batch that runs while the test talks to it.
struct Conversation {
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl Conversation {
    fn begin(program: &Program, board: &str) -> Conversation {
        let mut child = program.spawn(&["query", board, "--batch"]);
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, answers) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Conversation { input: child.stdin.take(), child, answers }
    }

    fn write(&mut self, text: &str) {
        self.input.as_mut().expect("an open pipe").write_all(text.as_bytes()).expect("a reader");
    }

    fn answer(&self) -> String {
        self.answers.recv_timeout(PATIENCE).expect("an answer while the pipe is open")
    }

    fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().expect("the program ends").code()
    }
}

#[test]
fn answers_arrive_while_input_is_still_open() {
    let program = Program::with("2x2c2");
    let mut conversation = Conversation::begin(&program, "2x2c2");
    conversation.write("1\n");
    assert_eq!(conversation.answer(), "1\tlose\t2");
    conversation.write("12\n12");
    assert_eq!(conversation.answer(), "12\twin\t1");
    conversation.write("1\n\n");
    assert_eq!(conversation.answer(), "121\tlose\t0");
    assert_eq!(conversation.answer(), "\terror\tthe line is blank; write - for the empty board");
    conversation.write("9\n");
    assert!(conversation.answer().starts_with("9\terror\t"));
    assert_eq!(conversation.end(), Some(2));
}

#[test]
fn a_line_of_a_megabyte_is_repeated_in_256_bytes() {
    let program = Program::with("2x2c2");
    for unit in ["1", "0", "\u{1b}", "é", " ", "\0"] {
        let long = unit.repeat(1_000_000 / unit.len());
        let run = program.run_with_input("query 2x2c2 --batch", format!("1\n{long}\n1\n{long}"));
        let (output, _) = run.fails_after_output(2);
        let lines = output.lines().collect::<Vec<_>>();
        assert_eq!((lines.len(), lines[0], lines[2]), (4, "1\tlose\t2", "1\tlose\t2"));
        for line in [lines[1], lines[3]] {
            let (echo, reason) = line.split_once("\terror\t").expect("an error");
            assert!(echo.len() <= 256 && echo.len() > 240 && reason.len() < 200, "{line}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_batch_writes_through_a_link_and_into_devices_and_not_over_a_file_that_is_read_only() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let program = Program::with("2x2c2");
    std::fs::write(program.path("real"), "old").expect("a file");
    let set_mode = |mode| std::fs::set_permissions(program.path("real"), std::fs::Permissions::from_mode(mode));
    set_mode(0o640).expect("permissions");
    symlink("real", program.path("link")).expect("a link");
    program.run_with_input("query 2x2c2 --batch --output link", "1\n").succeeds();
    assert_eq!(std::fs::read_to_string(program.path("real")).expect("a file"), "1\tlose\t2\n");
    assert!(std::fs::symlink_metadata(program.path("link")).expect("a link").is_symlink());
    let permissions = std::fs::metadata(program.path("real")).expect("a file").permissions();
    assert_eq!(permissions.mode() & 0o777, 0o640);
    program.run_with_input("query 2x2c2 --batch --output /dev/null", "1\n").succeeds();
    assert!(std::fs::metadata("/dev/null").expect("a device").file_type().is_char_device());
    set_mode(0o440).expect("permissions");
    let error = program.run_with_input("query 2x2c2 --batch --output real", "12\n").fails(1);
    assert!(error.contains("cannot write real: ") && error.contains("denied"), "{error}");
    assert_eq!(std::fs::read_to_string(program.path("real")).expect("a file"), "1\tlose\t2\n");
}
