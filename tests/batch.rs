//! `fourbase query --batch`, run as a whole.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::program::{Program, keys};

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
    assert_eq!(lines[3], "1\tlose\t2\t2");
    assert!(lines[4].starts_with("\u{fffd}\terror\tbyte 1 of the line"), "{output}");
    assert_eq!(lines[5], "1\tlose\t2");
    assert!(lines.iter().all(|line| line.split('\t').count() == if *line == lines[3] { 4 } else { 3 }), "{output}");
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
    assert!(output.ends_with("\terror\tthe line has 5007 bytes; write at most 4096\n"), "{output}");
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
fn a_batch_takes_no_position_and_other_questions_take_no_options_of_a_batch() {
    let program = Program::with("2x2c2");
    for arguments in [
        "query 2x2c2 1 --batch",
        "query 2x2c2 --moves",
        "query 2x2c2 --line --json",
        "query 2x2c2 --batch --line",
        "query 2x2c2 --batch --moves --json",
        "query 2x2c2 --input f",
        "query 2x2c2 --output f",
        "query 2x2c2 --field 1",
        "query 2x2c2 1 --field 1",
        "query 2x2c2 1 --moves",
        "analyse 2x2c2 1 --batch",
        "analyse 2x2c2 1 --field 1",
        "position 2x2c2 1 --batch",
        "position 2x2c2 1 --mirror --canonical",
        "position 2x2c2 --batch --json --to bits",
    ] {
        program.run(arguments).refused();
    }
    program.run("query 2x2c2 --batch --field 0").fails(2);
}

#[test]
fn further_fields_follow_the_answer_as_they_are() {
    let program = Program::with("2x2c2");
    let input = "\u{feff}1 -1\n  12   7  x \n1\ta b\t\u{e9}\t\n010 100 5\n1_-XO-\t#\n9 id7\n\n";
    let (output, _) = program.run_with_input("query 2x2c2 --batch", input).fails_after_output(2);
    let lines = output.lines().collect::<Vec<_>>();
    assert_eq!(lines[0], "1\tlose\t2\t-1");
    assert_eq!(lines[1], "12\twin\t1\t7\tx");
    assert_eq!(lines[2], "1\tlose\t2\ta b\t\u{e9}\t");
    assert_eq!(lines[3], "010 100\tlose\t2\t5");
    assert!(lines[4].starts_with("1_-XO-\terror\t") && lines[4].ends_with("\t#"), "{output}");
    assert!(lines[5].starts_with("9\terror\tmove 1, '9'") && lines[5].ends_with("\tid7"), "{output}");
    assert_eq!(lines[6], "\twin\t3");
    let run = program.run_with_input("query 2x2c2 --batch --field 2", "a 1 b\na\t12\tb\na\nx 010 100 y\n");
    let (output, _) = run.fails_after_output(2);
    let lines = output.lines().collect::<Vec<_>>();
    assert_eq!((lines[0], lines[1]), ("1\tlose\t2\ta\tb", "12\twin\t1\ta\tb"));
    assert_eq!(lines[2], "a\terror\tthe line has 1 field, and --field 2 was asked for");
    assert_eq!(lines[3], "010 100\tlose\t2\tx\ty");
}

#[test]
fn a_batch_reads_and_writes_files() {
    let program = Program::with("2x2c2");
    std::fs::write(program.path("in.txt"), "1 a\n12 b\n").expect("a file");
    assert_eq!(program.run("query 2x2c2 --batch --input in.txt").succeeds(), "1\tlose\t2\ta\n12\twin\t1\tb\n");
    let expected = "1\tlose\t2\ta\n12\twin\t1\tb\n";
    assert_eq!(program.run("query 2x2c2 --batch --input in.txt --output out.tsv").succeeds(), "");
    let read = |name: &str| std::fs::read_to_string(program.path(name)).expect("a file");
    assert_eq!(read("out.tsv"), expected);
    // Bad lines are answered in the file as well, and no other file stays.
    std::fs::write(program.path("in.txt"), "9\n").expect("a file");
    let line = program.run("query 2x2c2 --batch --input in.txt --output out.tsv").fails(2);
    assert!(line.starts_with("1 of 1 line is no position"), "{line}");
    assert!(read("out.tsv").starts_with("9\terror\t"), "{}", read("out.tsv"));
    let names =
        std::fs::read_dir(program.path("")).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names = names.collect::<Vec<_>>();
    names.sort();
    assert_eq!(names, ["db", "in.txt", "out.tsv"]);
    // A batch that cannot begin leaves the file as it is.
    assert!(program.run("query 2x2c2 --batch --input none --output out.tsv").fails(1).contains("cannot read none"));
    assert!(program.run("query 2x2c2 --batch --output db").fails(1).contains("cannot write db"));
    assert!(program.run("query 2x2c2 --batch --output no/out").fails(1).contains("cannot write no/out"));
    assert!(read("out.tsv").starts_with("9\terror\t"));
}

#[cfg(unix)]
#[test]
fn a_batch_writes_through_a_link_and_into_devices_without_replacing_them() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let program = Program::with("2x2c2");
    std::fs::write(program.path("real"), "old").expect("a file");
    let mode = |mode| std::fs::set_permissions(program.path("real"), std::fs::Permissions::from_mode(mode));
    mode(0o640).expect("permissions");
    symlink("real", program.path("link")).expect("a link");
    program.run_with_input("query 2x2c2 --batch --output link", "1\n").succeeds();
    assert_eq!(std::fs::read_to_string(program.path("real")).expect("a file"), "1\tlose\t2\n");
    assert!(std::fs::symlink_metadata(program.path("link")).expect("a link").is_symlink());
    let permissions = std::fs::metadata(program.path("real")).expect("a file").permissions();
    assert_eq!(permissions.mode() & 0o777, 0o640);
    program.run_with_input("query 2x2c2 --batch --output /dev/null", "1\n").succeeds();
    assert!(std::fs::metadata("/dev/null").expect("a device").file_type().is_char_device());
}

#[test]
fn a_batch_with_moves_has_a_field_for_every_column() {
    let program = Program::with("2x2c2");
    let output = program.run_with_input("query 2x2c2 --batch --moves", "- x\n11\n121\n").succeeds();
    assert_eq!(output, "-\twin\t3\twin 3\twin 3\tx\n11\twin\t1\t-\twin 1\n121\tlose\t0\t-\t-\n");
    program.run("solve 2x2 --values wdl").succeeds();
    assert_eq!(program.run_with_input("query 2x2 --batch --moves", "1").succeeds(), "1\ttie\t-\ttie -\ttie -\n");
    let program = Program::new();
    let run = program.run_with_input("query 7x6 --batch --moves --search only --nodes 9", "435566\n-\n");
    let (output, error) = run.fails_after_output(1);
    let lines = output.lines().collect::<Vec<_>>();
    assert!(lines[0].starts_with("435566\twin\t1\t") && lines[0].contains("\twin 1"), "{output}");
    assert!(lines[0].contains("\t?") && lines[0].split('\t').count() == 10, "{output}");
    assert!(lines[1].starts_with("-\terror\tnot decided within 9 nodes; "), "{output}");
    assert!(error.starts_with("1 of 2 positions could not be looked up: "), "{error}");
}

#[test]
fn a_batch_as_json_has_a_line_for_each_line_with_the_moves() {
    let program = Program::with("2x2c2");
    let lines = |arguments: &str, input: &str| -> Vec<Value> {
        let run = program.run_with_input(&format!("query 2x2c2 --batch --json {arguments}"), input);
        let (output, _) = run.fails_after_output(2);
        output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let answers = lines("", "1 seven\n9\n121\n");
    let expected = program.run("query 2x2c2 1 --json").json();
    for (key, value) in expected.as_object().expect("an object") {
        assert_eq!(&answers[0][key], if key == "line" { &Value::Null } else { value }, "{key}");
    }
    assert_eq!(answers[0]["input"], json!("1 seven"));
    assert_eq!((&answers[1]["input"], &answers[1]["position"]), (&json!("9"), &Value::Null));
    assert!(answers[1]["error"].as_str().is_some_and(|error| error.starts_with("move 1, '9'")), "{}", answers[1]);
    assert_eq!((&answers[1]["children"], &answers[1]["undecided"]), (&json!([]), &json!(false)));
    assert_eq!((&answers[2]["source"]["kind"], &answers[2]["error"]), (&json!("board"), &Value::Null));
    assert!(answers.iter().all(|answer| keys(answer) == keys(&answers[0])));
    assert_eq!(lines("--line", "1\n9\n")[0]["line"], expected["line"]);
}

#[test]
fn a_batch_does_not_replace_a_file_that_is_read_only() {
    let program = Program::new();
    std::fs::write(program.path("kept"), "precious").expect("a file");
    let mut permissions = std::fs::metadata(program.path("kept")).expect("a file").permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(program.path("kept"), permissions).expect("permissions");
    let error = program.run_with_input("position 4x4 --batch --output kept", "12\n").fails(1);
    assert!(error.contains("cannot write kept: ") && error.contains("denied"), "{error}");
    assert_eq!(std::fs::read_to_string(program.path("kept")).expect("a file"), "precious");
}

#[cfg(target_os = "linux")]
#[test]
fn a_batch_writes_into_a_pipe_that_has_a_name() {
    let program = Program::new();
    let to_stdout = program.run_with_input("position 4x4 --batch --output /dev/stdout", "12\n").succeeds();
    assert_eq!(to_stdout, program.run_with_input("position 4x4 --batch", "12\n").succeeds());
}
