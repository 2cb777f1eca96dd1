//! Hostile text: whatever is written where a board, a position or a batch is read, there is an error line, no panic,
//! and no more memory than before.

use std::io::{BufRead, BufReader, Write};
use std::thread;

use fourbase::Board;
use fourbase::notation::{self, Fields};

use crate::support::hostile::{LONG_BYTES, line};
use crate::support::long;
use crate::support::positions::{Random, board};
use crate::support::program::{Program, peak_kib};
use crate::support::properties::MESSAGE_BYTES;

/// The longest line of an answer: what is repeated of the input, and a reason.
const ANSWER_BYTES: usize = 256 + 1 + 5 + 1 + 512;

/// Tells whether a line of a batch is a position: what the library says of its first field, without one carriage return.
/// A blank field is none.
fn is_position(board: Board, line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let chosen = Fields::of(line, 1, board).map(|fields| fields.chosen).unwrap_or_default();
    let is_text = !chosen.is_empty() && line.len() <= 4096;
    is_text && std::str::from_utf8(chosen).is_ok_and(|text| notation::parse(board, text).is_ok())
}

#[test]
fn a_million_lines_of_a_batch_are_answered_one_by_one_and_memory_does_not_grow() {
    let texts = long::scale(50_000, 1_000_000);
    long::skips("950,000 of a million lines of a batch");
    let program = Program::with("4x4");
    let board = board("4x4");
    let mut child = program.spawn("query 4x4 --batch");
    let mut input = child.stdin.take().expect("its input");
    let mut output = BufReader::new(child.stdout.take().expect("its output"));
    let writer = thread::spawn(move || {
        let mut random = Random::new(2);
        let mut portion = Vec::new();
        for _ in 0..texts {
            portion.extend(line(&mut random, 20_000));
            portion.push(b'\n');
            if portion.len() > 1 << 16 {
                input.write_all(&portion).expect("a reader");
                portion.clear();
            }
        }
        input.write_all(&portion).expect("a reader");
        // Kept open: the process lives on, and every answer comes before its input ends.
        input
    });
    let mut random = Random::new(2);
    let (mut positions, mut early_kib, mut bytes) = (0, None, Vec::new());
    for number in 0..texts {
        let line = line(&mut random, 20_000);
        bytes.clear();
        output.read_until(b'\n', &mut bytes).expect("an answer");
        let answer = bytes.strip_suffix(b"\n").expect("a whole line");
        // Further fields of the line follow as they are.
        let ours = answer.split(|byte| *byte == b'\t').take(3).collect::<Vec<_>>().join(&b'\t');
        let text = std::str::from_utf8(&ours).expect("UTF-8");
        let fields: Vec<&str> = text.split('\t').collect();
        assert!(fields.len() == 3 && !text.contains(|c: char| c.is_control() && c != '\t'), "{text:?}");
        let is_answered = ["win", "lose", "tie"].contains(&fields[1]);
        assert_eq!(is_answered, is_position(board, &line), "{text:?}");
        assert!(is_answered || fields[1] == "error" && text.len() <= ANSWER_BYTES, "{text:?}");
        positions += usize::from(is_answered);
        if number == texts / 5 {
            early_kib = peak_kib(child.id());
        }
    }
    let late_kib = peak_kib(child.id());
    drop(writer.join().expect("all is written"));
    let ended = child.wait_with_output().expect("the program ends");
    assert_eq!(ended.status.code(), Some(2));
    let last = String::from_utf8(ended.stderr).expect("UTF-8");
    assert_eq!(last.lines().count(), 1, "{last}");
    println!("{texts} lines, {positions} positions; {early_kib:?} KiB after a fifth, {late_kib:?} at the end");
    assert!(late_kib <= early_kib.map(|early| early + 2048), "{early_kib:?} KiB, then {late_kib:?}");
}

#[test]
fn a_line_without_an_end_takes_no_memory() {
    let program = Program::with("2x2c2");
    let mut child = program.spawn("query 2x2c2 --batch");
    let mut input = child.stdin.take().expect("its input");
    let portion = vec![b'1'; LONG_BYTES];
    input.write_all(&portion).expect("a reader");
    let early_kib = peak_kib(child.id());
    (0..100).for_each(|_| input.write_all(&portion).expect("a reader"));
    let late_kib = peak_kib(child.id());
    drop(input);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(2));
    let answer = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(answer.ends_with("\terror\tthe line has 101000000 bytes; write at most 4096\n"), "{answer}");
    assert!(late_kib <= early_kib.map(|early| early + 2048), "{early_kib:?} KiB, then {late_kib:?}");
}

/// Bytes as an argument, where the system has such arguments.
#[cfg(unix)]
fn argument(bytes: Vec<u8>) -> std::ffi::OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn argument(bytes: Vec<u8>) -> std::ffi::OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[test]
fn hostile_arguments_are_refused_in_a_few_lines() {
    let program = Program::with("4x4");
    let mut random = Random::new(3);
    let all = ["query 4x4", "convert 4x4", "stats", "verify", "solve --memory 1M --dry-run", "verify 4x4 --sample"];
    for command in all.into_iter().cycle().take(300) {
        let mut text = line(&mut random, 100);
        // An argument ends at its first NUL, and has an end.
        text.retain(|byte| *byte != 0);
        text.truncate(100_000);
        let text = argument(text);
        let output = program.command().args(command.split(' ')).arg(&text).output().expect("the program runs");
        let code = output.status.code().expect("an exit code");
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(code <= 2 && !error.contains("panicked"), "{command} {text:?}: {code} {error}");
        assert!(error.len() < 2 * MESSAGE_BYTES && output.stdout.len() < 1 << 16, "{command} {text:?}: {error}");
        assert_eq!(code == 0, error.is_empty(), "{command} {text:?}: {code} {error}");
    }
}
