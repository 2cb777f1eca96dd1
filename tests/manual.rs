//! Manual pages and the completion of shells, made from the help texts.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::program::Program;

/// Runs a checker on a text, and returns what it complains about; says so where it is not installed.
fn complaints(checker: &str, arguments: &[&str], text: &str) -> Option<String> {
    let mut command = Command::new(checker);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        println!("skipped: {checker} is not installed");
        return None;
    };
    let mut stdin = child.stdin.take().expect("a pipe");
    let written = text.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(written.as_bytes()));
    let output = child.wait_with_output().expect("an end");
    writer.join().expect("a writer").expect("a reader");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() { errors } else { format!("{}: {errors}", output.status) })
}

/// The subcommands that the help lists.
fn subcommands(program: &Program) -> Vec<String> {
    let help = program.run("--help").succeeds();
    let commands = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("commands");
    let names = commands.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_subcommand_has_a_manual_page_with_its_options_and_examples() {
    let program = Program::new();
    program.run("man --output pages").succeeds();
    let folder = program.path("pages");
    let names = subcommands(&program);
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), names.len() + 1);
    for name in names {
        let page = fs::read_to_string(folder.join(format!("fourbase-{name}.1"))).expect("a page");
        assert_eq!(page.trim_end(), program.run(&format!("man {name}")).succeeds().trim_end());
        let help = program.run(&format!("{name} --help")).succeeds();
        let plain = page.replace("\\-", "-").replace("\\fR", "").replace("\\fB", "").replace("\\(aq", "'");
        let options = help
            .lines()
            .filter_map(|line| line.trim_start().split("--").nth(1).filter(|_| line.trim().starts_with('-')));
        for option in options.filter_map(|option| option.split([' ', ',', '[']).next()) {
            assert!(plain.contains(&format!("--{option}")), "{name} --{option}: {plain}");
        }
        assert!(plain.contains(".SH EXAMPLES") && plain.contains(&format!("\nfourbase {name}")), "{plain}");
    }
}

#[test]
fn manual_pages_have_no_mistakes_that_groff_knows() {
    let program = Program::new();
    for page in subcommands(&program).iter().map(|name| format!("man {name}")).chain(["man".to_owned()]) {
        let text = program.run(&page).succeeds();
        let Some(complaints) = complaints("groff", &["-K", "utf8", "-man", "-ww", "-Tutf8"], &text) else { return };
        assert_eq!(complaints, "", "{page}");
    }
}

#[test]
fn a_page_that_does_not_exist_and_a_folder_that_cannot_be_made_are_refused() {
    let program = Program::new();
    let error = program.run("man nothing").refused();
    assert!(error.contains("write one of the subcommands that fourbase --help lists"), "{error}");
    fs::write(program.path("file"), "").expect("a file");
    let error = program.run("man --output file/pages").fails(1);
    assert!(error.contains("cannot make file/pages"), "{error}");
}

#[test]
fn shells_accept_their_completions_which_name_every_subcommand() {
    let program = Program::new();
    for (shell, arguments) in [("bash", &["-n"][..]), ("zsh", &["-n"]), ("fish", &["--no-execute"])] {
        let script = program.run(&format!("completions {shell}")).succeeds();
        for name in subcommands(&program) {
            assert!(script.contains(&name), "{shell} {name}");
        }
        assert!(script.contains("--keep-plies") || script.contains("-l keep-plies"), "{shell}");
        if let Some(complaints) = complaints(shell, arguments, &script) {
            assert_eq!(complaints, "", "{shell}");
        }
    }
    assert!(program.run("completions powershell").succeeds().contains("Register-ArgumentCompleter"));
    assert!(program.run("completions elvish").succeeds().contains("edit:completion"));
    let error = program.run("completions csh").refused();
    assert!(error.contains("possible values: bash, elvish, fish, powershell, zsh"), "{error}");
}
