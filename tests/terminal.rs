//! What the program shows on a terminal, and only there: colours and progress.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{Read, Write, read_to_string};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::support::program::{PROGRAM, Program};
use crate::support::server::eventually;

/// Opens a terminal of 100 columns, and returns both its sides: ours, and that of the program.
fn terminal() -> (OwnedFd, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal");
    tcsetwinsize(&master, Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).expect("a size");
    let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("a name");
    let terminal = File::options().read(true).write(true).open(name).expect("the other side");
    (master, terminal)
}

/// Starts the program with standard output and error on a terminal. With it goes our last hold on that side, so that reading
/// ends with the program.
fn start(program: &Program, arguments: &str, variables: &[(&str, &str)], input: Stdio, terminal: File) -> Child {
    let mut command = program.process(PROGRAM);
    command.env("TERM", "xterm").envs(variables.iter().copied());
    command.args(arguments.split(' ')).stdin(input);
    command.stdout(terminal.try_clone().expect("a terminal")).stderr(terminal);
    command.spawn().expect("the program runs")
}

/// Returns what the program shows there.
fn show(program: &Program, arguments: &str, variables: &[(&str, &str)]) -> String {
    let (master, terminal) = terminal();
    let mut child = start(program, arguments, variables, Stdio::null(), terminal);
    let shown = read_to_end(master);
    child.wait().expect("the program ends");
    shown
}

/// Reads until the other side is closed, which Linux reports as an error.
fn read_to_end(master: OwnedFd) -> String {
    let (mut master, mut shown, mut buffer) = (File::from(master), Vec::new(), [0; 4096]);
    while let Ok(bytes @ 1..) = master.read(&mut buffer) {
        shown.extend_from_slice(&buffer[..bytes]);
    }
    String::from_utf8(shown).expect("UTF-8")
}

/// Reads until what is shown ends so.
fn read_until(from: &mut impl Read, end: &str) {
    let mut shown = Vec::new();
    while !shown.ends_with(end.as_bytes()) {
        let mut byte = [0];
        assert_eq!(from.read(&mut byte).expect("more"), 1, "{shown:?}");
        shown.push(byte[0]);
    }
}

/// Reads what the system tells of a process.
fn told(child: &Child, file: &str) -> String {
    std::fs::read_to_string(format!("/proc/{}/{file}", child.id())).expect("a process")
}

#[test]
fn ctrl_c_does_not_end_a_game_that_waits_for_a_line_though_its_output_is_a_pipe() {
    let (ours, terminal) = terminal();
    let mut command = Command::new(PROGRAM);
    command.args(["play", "4x4", "--first", "human", "--second", "human"]).stdin(terminal);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
    read_until(child.stdout.as_mut().expect("a pipe"), "X to move\n");
    eventually("it waits for a line", || told(&child, "stat").contains(") S "));
    kill_process(Pid::from_child(&child), Signal::INT).expect("a signal");
    let mut error = child.stderr.take().expect("a pipe");
    read_until(&mut error, "\ntype quit to leave the game\n");
    File::from(ours.try_clone().expect("a terminal")).write_all(b"quit\n").expect("a terminal");
    let code = child.wait().expect("the program ends").code();
    assert_eq!((code, read_to_string(error).expect("text").as_str()), (Some(0), ""));
}

#[test]
fn arrow_keys_bring_earlier_lines_of_a_game_back() {
    let (ours, terminal) = terminal();
    let input = terminal.try_clone().expect("a terminal").into();
    let mut child = start(&Program::new(), "play 4x4 --second human", &[], input, terminal);
    let mut keys = File::from(ours.try_clone().expect("a terminal"));
    let answers = ["Type the number of a column", "", "", "type quit to leave the game", "\n33\r\n"];
    // The second line goes up to the first, the third is Ctrl-C.
    for (line, answer) in ["3\r", "\u{1b}[A\r", "\u{3}", "moves\r", "q\r"].into_iter().zip(answers) {
        read_until(&mut keys, answer);
        // The editor has drawn its prompt and waits.
        read_until(&mut keys, "\u{1b}[K> \r\u{1b}[2C\u{1b}[?2026l");
        keys.write_all(line.as_bytes()).expect("a terminal");
    }
    let shown = read_to_end(ours);
    assert_eq!(child.wait().expect("the program ends").code(), Some(0), "{shown:?}");
}

#[test]
fn progress_is_told_while_there_is_any() {
    let program = Program::new();
    let shown = show(&program, "solve 3x3c3", &[]);
    assert!(shown.starts_with("3x3c3 with remoteness: ") && shown.contains(" allowed"), "{shown:?}");
    assert!(shown.contains("entries") && shown.contains("/s") && shown.contains("left"), "{shown:?}");
    assert!(shown.contains("X to move: \u{1b}[1m\u{1b}[33mtie\u{1b}[0m in 9 plies"), "{shown:?}");
    // A complete solve has no plan, a quiet one only its result.
    for arguments in ["solve 3x3c3", "solve 3x3c3 --replace --quiet"] {
        let shown = show(&program, arguments, &[]);
        assert!(shown.starts_with("3x3c3, X to move: ") && shown.lines().count() == 6, "{shown:?}");
    }
    let shown = show(&program, "stats 3x3c3", &[]);
    assert!(shown.contains("/s") && shown.contains("legal positions"), "{shown:?}");
    let shown = show(&program, "query 8x7 --seconds 1", &[]);
    assert!(shown.contains("searching, ") && shown.contains(" nodes, "), "{shown:?}");
    assert!(shown.contains("not decided within 1 second"), "{shown:?}");
    program.run("solve 4x4").succeeds();
    // The other stages are over before anything is drawn, on a fast machine.
    assert!(show(&program, "verify 4x4", &[]).contains("recomputing: "));
}

#[test]
fn values_pieces_and_errors_have_colours_but_not_under_no_color() {
    let program = Program::with("2x2c2");
    let shown = show(&program, "query 2x2c2 1", &[]);
    assert!(shown.contains("\u{1b}[1;94mX\u{1b}[0m"), "{shown:?}");
    assert!(shown.contains("\u{1b}[1m\u{1b}[31mLOSS\u{1b}[0m"), "{shown:?}");
    assert!(show(&program, "list", &[]).contains("\u{1b}[32mwin"));
    let shown = show(&program, "convert 2x2 9", &[]);
    assert!(shown.starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m move 1, '9'"), "{shown:?}");
    for arguments in ["query 2x2c2 1", "convert 2x2c2 1", "convert 2x2c2 9", "list", "query 2x2c2 1 --json"] {
        let shown = show(&program, arguments, &[("NO_COLOR", "1")]);
        assert!(!shown.contains('\u{1b}'), "{arguments}: {shown:?}");
    }
}

#[test]
fn a_signal_while_a_solve_measures_this_machine_stops_it_as_later_ones_do() {
    let program = Program::new();
    let (ours, terminal) = terminal();
    let mut child = start(&program, "solve 6x6 --values wdl --memory 3G", &[], Stdio::null(), terminal);
    let caught = || told(&child, "status").split_once("SigCgt:\t").map(|(_, mask)| mask[..16].to_owned());
    let caught = || u64::from_str_radix(&caught().expect("a mask"), 16).expect("a mask");
    eventually("it listens", || caught() >> (Signal::TERM.as_raw() - 1) & 1 == 1);
    kill_process(Pid::from_child(&child), Signal::TERM).expect("a signal");
    let shown = read_to_end(ours);
    assert_eq!(child.wait().expect("the program ends").code(), Some(3), "{shown}");
    assert!(shown.contains("finished tiers are kept") && shown.contains("run the same command to resume"), "{shown}");
}
