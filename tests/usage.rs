//! Help as it is laid out for a terminal, manual pages and completions made from it, and output that nobody reads.

use std::io::{ErrorKind, Write};

use snapbox::cmd::Command;

use crate::support::program::Program;

#[test]
fn every_subcommand_has_help_with_examples_broken_at_the_width_of_the_terminal() {
    for columns in [60, 80, 200] {
        let mut program = Program::new();
        program.set("COLUMNS", &columns.to_string());
        for subcommand in Program::new().subcommands().iter().map(String::as_str).chain([""]) {
            let help = program.run(&format!("{subcommand} --help")).succeeds();
            assert!(help.contains(&format!("Examples:\n  fourbase {subcommand}")), "{help}");
            let (_, after) = help.split_once("Print help").expect("options");
            assert!(columns == 60 || help.lines().all(|line| line.chars().count() <= 80), "{columns} columns: {help}");
            for (line, next) in after.lines().zip(after.lines().skip(1)) {
                let are_text = [line, next].iter().all(|line| !line.is_empty() && !line.starts_with(' '));
                let word = next.split(' ').next().unwrap_or_default();
                let is_full = line.chars().count() + 1 + word.chars().count() > columns.min(80);
                assert!(!are_text || is_full, "{subcommand}, {columns} columns: {line}\n{next}");
            }
        }
    }
}

/// Runs a checker on a text, and asserts that it complains about nothing; says so where it is not installed.
fn assert_accepted(checker: &str, arguments: &[&str], text: &str) {
    let output = match Command::new(checker).args(arguments).stdin(text).output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return println!("skipped: {checker} is not installed"),
        output => output.expect("the checker runs"),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{checker}: {errors}\n{text}");
}

#[test]
fn every_subcommand_has_a_manual_page_with_its_options_and_examples() {
    let program = Program::new();
    let groff = |page: &str| assert_accepted("groff", &["-K", "utf8", "-man", "-ww", "-Tutf8"], page);
    for name in program.subcommands() {
        let page = program.run(&format!("man {name}")).succeeds();
        let help = program.run(&format!("{name} --help")).succeeds();
        let plain = page.replace("\\-", "-").replace("\\fR", "").replace("\\fB", "").replace("\\(aq", "'");
        let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        for option in lines.filter_map(|line| line.split("--").nth(1)?.split([' ', ',', '[']).next()) {
            assert!(plain.contains(&format!("--{option}")), "{name} --{option}: {plain}");
        }
        assert!(plain.contains(".SH EXAMPLES") && plain.contains(&format!("\nfourbase {name}")), "{plain}");
        groff(&page);
    }
    groff(&program.run("man").succeeds());
}

#[test]
fn shells_accept_their_completions_which_name_every_subcommand() {
    let program = Program::new();
    for (shell, arguments) in [("bash", &["-n"][..]), ("zsh", &["-n"]), ("fish", &["--no-execute"])] {
        let script = program.run(&format!("completions {shell}")).succeeds();
        for name in program.subcommands() {
            assert!(script.contains(&name), "{shell} {name}");
        }
        assert!(script.contains("--keep-plies") || script.contains("-l keep-plies"), "{shell}");
        assert_accepted(shell, arguments, &script);
    }
}

#[test]
fn fish_completes_boards_players_and_strategies() {
    let script = Program::new().run("completions fish").succeeds();
    let completed = [("query 7", "7x4 7x5 7x6"), ("match ra", "random rating:9"), ("prove follow", "follow-up")];
    for (typed, expected) in completed {
        let check = format!("test (complete -C 'fourbase {typed}' | string join ' ') = '{expected}'; or exit 1");
        assert_accepted("fish", &["--no-config"], &format!("{script}\n{check}\n"));
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let program = Program::with("2x2c2");
    let once = ["query 2x2c2", "query 2x2c2 --json", "export 2x2c2", "list", "convert 2x2c2 1", "solve --help"];
    for arguments in once.into_iter().chain(["query 2x2c2 --batch", "play 4x4 --second random"]) {
        let mut child = program.spawn(arguments);
        drop(child.stdout.take());
        let mut input = child.stdin.take().expect("its input");
        // Writing fails as soon as the program has found out and ended.
        while !once.contains(&arguments) && input.write_all(b"1\n").is_ok() {}
        drop(input);
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{arguments}");
    }
}

#[test]
#[cfg(unix)]
fn nothing_that_is_refused_takes_long() {
    let program = Program::new();
    // Seconds of work, however busy the machine is.
    let run = |arguments: String| program.run_limited("-t 2", &arguments);
    for board in ["1x63", "8x8", "32x2", "1x64", "16x4", "9x7c255m"] {
        run(format!("query {board} 1 --search never")).fails(1);
        assert!(run(format!("query {board} 1 --search only --nodes 1")).ended().0.is_some());
        run(format!("convert {board} 1")).succeeds();
    }
    for board in ["1x63", "8x8", "32x2", "1x64", "9x7"] {
        run(format!("solve {board}")).fails(1);
    }
    assert!(!program.path("db").exists());
}
