//! `fourbase query --batch`, run as a whole.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::support::program::Program;

/// How long an answer may take before it counts as withheld.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn every_line_is_answered_in_order_and_in_its_own_notation() {
    let program = Program::with("4x4");
    let input = "121212\n-\n1_-XXX--OO---O----\n00010 11100 11000 10000\n1212121\n";
    let expected = "121212\twin\t1\n-\ttie\t16\n";
    let output = program.run_with_input("query 4x4 --batch", input).succeeds();
    assert!(output.starts_with(expected), "{output}");
    let fields = output.lines().map(|line| line.split('\t').collect::<Vec<_>>()).collect::<Vec<_>>();
    assert_eq!(fields.iter().map(|fields| fields[0]).collect::<Vec<_>>(), input.lines().collect::<Vec<_>>());
    assert_eq!(fields[2][1..], fields[3][1..]);
    assert_eq!(fields[4][1..], ["lose", "0"]);
}

#[test]
fn an_unknown_remoteness_is_a_dash() {
    let program = Program::new();
    program.run("solve 2x2c2 --values wdl").succeeds();
    assert_eq!(program.run_with_input("query 2x2c2 --batch", "1\n121\n").succeeds(), "1\tlose\t-\n121\tlose\t-\n");
}

#[test]
fn an_empty_line_is_the_empty_board_and_a_carriage_return_is_dropped() {
    let program = Program::with("2x2c2");
    let output = program.run_with_input("query 2x2c2 --batch", "\n\r\n1\r\n121").succeeds();
    assert_eq!(output, "\twin\t3\n\twin\t3\n1\tlose\t2\n121\tlose\t0\n");
}

#[test]
fn no_input_has_no_answers() {
    assert_eq!(Program::with("2x2c2").run("query 2x2c2 --batch").succeeds(), "");
}

#[test]
fn a_bad_line_is_answered_with_the_reason_and_the_rest_goes_on() {
    let program = Program::with("2x2c2");
    let run = program.run_with_input("query 2x2c2 --batch", "1\n3\n111\n\n001 100\n1\r\r\n121\n");
    let (output, error) = run.fails_after_output(2);
    let lines = output.lines().collect::<Vec<_>>();
    assert_eq!([lines[0], lines[3], lines[6]], ["1\tlose\t2", "\twin\t3", "121\tlose\t0"]);
    assert!(lines[1].starts_with("3\terror\tmove 1, '3': column 3 is outside the board"), "{output}");
    assert!(lines[2].starts_with("111\terror\tmove 3, '1': "), "{output}");
    assert!(lines[4].starts_with("001 100\terror\tthe first player has 2 and the second player 0"), "{output}");
    assert!(lines[5].starts_with("1\\r\terror\tmove 2 is '\\r'"), "{output}");
    assert_eq!(error, "4 of 7 lines are no positions of 2x2c2; their answers say why");
}

#[test]
fn bytes_that_are_no_text_are_escaped() {
    let program = Program::with("2x2c2");
    let input = b"1\xff\n\0\n\x1b[31m1\n1\t2\n\xc3\n1\n";
    let (output, _) = program.run_with_input("query 2x2c2 --batch", input).fails_after_output(2);
    let lines = output.lines().collect::<Vec<_>>();
    assert!(lines[0].starts_with("1\u{fffd}\terror\tbyte 2 of the line is not UTF-8"), "{output}");
    assert!(lines[1].starts_with("\\0\terror\t"), "{output}");
    assert!(lines[2].starts_with("\\u{1b}[31m1\terror\t"), "{output}");
    assert!(lines[3].starts_with("1\\t2\terror\t"), "{output}");
    assert!(lines[4].starts_with("\u{fffd}\terror\tbyte 1 of the line"), "{output}");
    assert_eq!(lines[5], "1\tlose\t2");
    assert!(lines.iter().all(|line| line.split('\t').count() == 3), "{output}");
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

#[test]
fn a_line_just_too_long_to_be_kept_is_not_mistaken_for_its_beginning() {
    let program = Program::with("2x2c2");
    let spaces = " ".repeat(5000);
    let line = |text: String| program.run_with_input("query 2x2c2 --batch", text);
    assert!(line(format!("100 {} 100\n", &spaces[..4000])).succeeds().ends_with("\twin\t3\n"));
    let (output, _) = line(format!("100 100{spaces}\n")).fails_after_output(2);
    assert!(output.ends_with("\terror\tthe line has 5007 bytes; write a position in at most 4096\n"), "{output}");
}

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
    assert_eq!(conversation.answer(), "\twin\t3");
    conversation.write("9\n");
    assert!(conversation.answer().starts_with("9\terror\t"));
    assert_eq!(conversation.end(), Some(2));
}

#[test]
fn a_large_input_is_answered_long_before_its_end() {
    let program = Program::with("2x2c2");
    let mut conversation = Conversation::begin(&program, "2x2c2");
    for _ in 0..20 {
        conversation.write(&"1\n12\n".repeat(5_000));
    }
    for _ in 0..100_000 {
        assert_eq!(conversation.answer(), "1\tlose\t2");
        assert_eq!(conversation.answer(), "12\twin\t1");
    }
    assert_eq!(conversation.end(), Some(0));
}

#[test]
fn a_reader_that_goes_away_ends_the_batch_quietly() {
    let program = Program::with("2x2c2");
    let mut child = program.spawn(&["query", "2x2c2", "--batch"]);
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("its input");
    // Writing fails as soon as the program has found out and ended.
    while input.write_all(b"1\n").is_ok() {}
    drop(input);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn files_that_fail_outrank_bad_lines_and_the_rest_is_answered_all_the_same() {
    let program = Program::with("4x4");
    program.damage("db/4x4/remoteness");
    let (output, error) = program.run_with_input("query 4x4 --batch", "1\n9\n1212121\n12\n").fails_after_output(1);
    let lines = output.lines().collect::<Vec<_>>();
    assert!(lines[0].starts_with("1\terror\t") && lines[0].contains("tier-"), "{output}");
    assert!(lines[1].starts_with("9\terror\tmove 1"), "{output}");
    assert_eq!(lines[2], "1212121\tlose\t0");
    assert!(lines[3].starts_with("12\terror\t") && lines[3].contains("tier-"), "{output}");
    assert!(error.starts_with("2 of 4 positions could not be looked up: ") && error.contains("tier-"), "{error}");
}

#[test]
fn a_batch_takes_neither_a_position_nor_json() {
    let program = Program::with("2x2c2");
    program.run("query 2x2c2 1 --batch").refused();
    program.run("query 2x2c2 --batch --json").refused();
}
