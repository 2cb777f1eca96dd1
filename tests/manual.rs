//! Manual pages and the completion of shells, made from the help texts, as groff and the shells judge them.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::program::Program;

/// Runs a checker on a text, and asserts that it complains about nothing; says so where it is not installed.
fn assert_accepted(checker: &str, arguments: &[&str], text: &str) {
    let mut command = Command::new(checker);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        println!("skipped: {checker} is not installed");
        return;
    };
    let mut stdin = child.stdin.take().expect("a pipe");
    let written = text.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(written.as_bytes()));
    let output = child.wait_with_output().expect("an end");
    writer.join().expect("a writer").expect("a reader");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{checker}: {errors}\n{text}");
}

#[test]
fn every_subcommand_has_a_manual_page_with_its_options_and_examples() {
    let program = Program::new();
    for name in program.subcommands() {
        let page = program.run(&format!("man {name}")).succeeds();
        let help = program.run(&format!("{name} --help")).succeeds();
        let plain = page.replace("\\-", "-").replace("\\fR", "").replace("\\fB", "").replace("\\(aq", "'");
        let options = help
            .lines()
            .filter_map(|line| line.trim_start().split("--").nth(1).filter(|_| line.trim().starts_with('-')));
        for option in options.filter_map(|option| option.split([' ', ',', '[']).next()) {
            assert!(plain.contains(&format!("--{option}")), "{name} --{option}: {plain}");
        }
        assert!(plain.contains(".SH EXAMPLES") && plain.contains(&format!("\nfourbase {name}")), "{plain}");
        assert_accepted("groff", &["-K", "utf8", "-man", "-ww", "-Tutf8"], &page);
    }
    assert_accepted("groff", &["-K", "utf8", "-man", "-ww", "-Tutf8"], &program.run("man").succeeds());
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
