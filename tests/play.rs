//! `fourbase play` where a transcript is not enough: Ctrl-C, random bytes.

use crate::support::positions::Random;
use crate::support::program::Program;

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_the_search_and_not_the_game() {
    use rustix::process::{Pid, Signal, kill_process};
    use std::io::Write;

    let program = Program::new();
    // Before the search has begun, Ctrl-C ends the program; then the next attempt waits longer.
    let attempt = |limit: &str, tenths: u64| {
        let mut child = program.spawn(&format!("play 8x7 --second human {limit}"));
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(b"hint\n").expect("a pipe");
        std::thread::sleep(std::time::Duration::from_millis(100 * tenths));
        kill_process(Pid::from_child(&child), Signal::INT).expect("a signal");
        let _ = stdin.write_all(b"4\nmoves\n");
        drop(stdin);
        let output = child.wait_with_output().expect("the program ends");
        output.status.success().then(|| String::from_utf8(output.stdout).expect("UTF-8"))
    };
    for limit in ["--nodes 1e15", "--seconds 1000"] {
        let attempt = |tenths| attempt(limit, tenths);
        let shown = [2, 5, 10, 30, 100].into_iter().find_map(attempt).expect("a game that goes on");
        assert!(shown.contains("\nstopped after ") && shown.ends_with("\n4\n"), "{shown}");
        assert!(!shown.contains("not decided within"), "{shown}");
    }
}

#[test]
fn random_bytes_never_end_in_a_panic() {
    let program = Program::new();
    // Mostly what means something.
    let bytes = b"1234\n\n\nundo history values 9a\xff\0\n\n\n\n";
    let mut random = Random::new(1);
    for _ in 0..10 {
        let input: Vec<u8> = (0..2000).map(|_| bytes[random.below(bytes.len())]).collect();
        program.run_with_input("play 4x4 --second random", input).succeeds();
    }
}
