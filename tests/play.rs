//! `fourbase play` where a transcript is not enough: Ctrl-C, random bytes.

use crate::support::positions::Random;
use crate::support::program::Program;

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_the_search_and_not_the_game() {
    use rustix::process::{Pid, Signal, kill_process};
    use std::io::{BufRead, BufReader, Write};

    for limit in ["--nodes 1e15", "--seconds 1000"] {
        let mut child = Program::new().spawn(&format!("play 8x7 --second human {limit}"));
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(b"hint\n").expect("a pipe");
        let (mut stderr, mut line) = (BufReader::new(child.stderr.take().expect("a pipe")), String::new());
        stderr.read_line(&mut line).expect("a line");
        assert!(line.contains(" is still being searched"), "{line}");
        kill_process(Pid::from_child(&child), Signal::INT).expect("a signal");
        stdin.write_all(b"4\nmoves\n").expect("a pipe");
        drop(stdin);
        let output = child.wait_with_output().expect("the program ends");
        let shown = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success() && shown.contains("\nstopped after ") && shown.ends_with("\n4\n"), "{shown}");
        assert!(!shown.contains("not decided within"), "{shown}");
    }
}

#[test]
fn random_bytes_never_end_in_a_panic() {
    let (program, mut random) = (Program::new(), Random::new(1));
    // Mostly what means something.
    let bytes = b"1234\n\n\nundo history values 9a\xff\0\n\n\n\n";
    for _ in 0..10 {
        let input: Vec<u8> = (0..2000).map(|_| bytes[random.below(bytes.len())]).collect();
        program.run_with_input("play 4x4 --second random", input).succeeds();
    }
}
