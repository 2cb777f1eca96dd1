//! `fourbase play` where a transcript is not enough: permissions, a full disk, Ctrl-C, random bytes, odd boards.

use crate::support::program::Program;

#[cfg(unix)]
#[test]
fn a_game_that_is_saved_again_keeps_the_permissions_of_its_file() {
    use std::os::unix::fs::PermissionsExt;

    let program = Program::new();
    program.run_with_input("play 4x4 --second human", "1\nsave F\n").succeeds();
    std::fs::set_permissions(program.path("F"), std::fs::Permissions::from_mode(0o664)).expect("permissions");
    program.run_with_input("play 4x4 --second human", "1\n2\nsave F\n").succeeds();
    let found = std::fs::metadata(program.path("F")).expect("a file").permissions().mode() & 0o777;
    assert_eq!(found, 0o664, "{found:o}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_saved_game_that_was_there() {
    use crate::support::program::PROGRAM;

    let program = Program::new();
    // No file may grow, and the signal about that is ignored: every write to a file fails.
    let limited = |lines: &str| {
        let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" play 4x4 --second human";
        let command = snapbox::cmd::Command::new("sh").args(["-c", script, PROGRAM]).stdin(lines);
        let output = command.current_dir(program.path("")).output().expect("the program runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let files = || std::fs::read_dir(program.path("")).expect("a folder").count();
    assert!(limited("1\nsave F\n").contains("cannot write F"));
    assert_eq!(files(), 0);
    program.run_with_input("play 4x4 --second human", "1\nsave F\n").succeeds();
    assert!(limited("1\n2\nsave F\n").contains("cannot write F"));
    let saved = std::fs::read_to_string(program.path("F")).expect("a file");
    assert_eq!((saved.as_str(), files()), ("board 4x4\nmoves 1\n", 1));
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_the_search_and_not_the_game() {
    use rustix::process::{Pid, Signal, kill_process};
    use std::io::Write;

    let program = Program::new();
    // Before the search has begun, Ctrl-C ends the program; then the next attempt waits longer.
    let attempt = |limit: [&str; 2], tenths: u64| {
        let mut child = program.spawn(&[["play", "8x7", "--second", "human"].as_slice(), &limit].concat());
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(b"hint\n").expect("a pipe");
        std::thread::sleep(std::time::Duration::from_millis(100 * tenths));
        kill_process(Pid::from_child(&child), Signal::INT).expect("a signal");
        let _ = stdin.write_all(b"4\nmoves\n");
        drop(stdin);
        let output = child.wait_with_output().expect("the program ends");
        output.status.success().then(|| String::from_utf8(output.stdout).expect("UTF-8"))
    };
    for limit in [["--nodes", "1e15"], ["--seconds", "1000"]] {
        let attempt = |tenths| attempt(limit, tenths);
        let shown = [2, 5, 10, 30, 100].into_iter().find_map(attempt).expect("a game that goes on");
        assert!(shown.contains("\nstopped after ") && shown.ends_with("\n4\n"), "{shown}");
        assert!(!shown.contains("not decided within"), "{shown}");
    }
}

#[test]
fn random_bytes_never_end_in_a_panic() {
    let program = Program::new();
    let mut state = 1_u64;
    let mut byte = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Mostly what means something.
        *b"1234\n\n\nundo history values 9a\xff\0".get((state >> 33) as usize % 36).unwrap_or(&b'\n')
    };
    for _ in 0..10 {
        let input = (0..2000).map(|_| byte()).collect::<Vec<_>>();
        program.run_with_input("play 4x4 --second random", input).succeeds();
    }
}

#[test]
fn odd_boards_are_played() {
    let program = Program::new();
    for board in ["1x1", "1x8", "8x1", "2x2c1", "2x2c1m", "4x4c9", "4x4m", "32x2", "1x64", "4x4c3m"] {
        for player in ["random", "pomakis:3", "window:2", "rating:1", "rating:1:4", "follow-up"] {
            let shown = program.run(&format!("play {board} --first {player} --second {player}")).succeeds();
            assert!(
                ["has won\n", "completed a line\n", "a tie: the board is full\n"]
                    .iter()
                    .any(|end| shown.ends_with(end)),
                "{shown}"
            );
        }
    }
}
