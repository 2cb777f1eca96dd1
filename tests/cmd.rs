//! Transcripts: what the program prints, in pages that are reviewed like documentation (`tests/cmd/*.md`), and in those that are
//! documentation.
//!
//! A block `console` has commands of a shell after `$`, each with what it prints: standard output, standard error after `2>`
//! without blank lines, and the exit code after `?` unless it is 0. All commands of a page run in one folder, which is empty
//! at first. A block `http` has requests after `>`, to a server in that folder which is started with the options of the
//! block; an answer is its status, the headers that matter, and its body. `[..]` stands for any text in a line and `...` for
//! any lines.
//!
//! `SNAPSHOTS=overwrite cargo test cmd::` writes the pages anew; what differs between machines has to become `[..]` by hand.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use rayon::prelude::*;
use snapbox::cmd::Command;
use snapbox::{Assert, Data, IntoData};

use crate::support::files::{paths, root};
use crate::support::program::{LIMIT, PROGRAM, Program, Run, record};
use crate::support::server::Server;

/// Headers that are part of an answer.
const HEADERS: [&str; 5] = ["content-type", "cache-control", "etag", "location", "retry-after"];

#[test]
fn every_command_prints_what_its_page_says() {
    check(&["tests/cmd"], true);
}

#[test]
fn every_command_of_the_docs_prints_what_they_show() {
    check(&["docs/tutorial", "docs/how-to"], false);
}

/// Checks all pages of some folders.
fn check(folders: &[&str], with_errors: bool) {
    let pages: Vec<_> = folders.iter().flat_map(|folder| paths(&root().join(folder))).collect();
    let wrong: Vec<String> = pages.par_iter().filter_map(|page| differences(page, with_errors)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs the commands of a page and compares; with `SNAPSHOTS=overwrite` writes the page instead. Without `with_errors` the page has
/// standard output alone, and what was measured on another machine.
fn differences(path: &Path, with_errors: bool) -> Option<String> {
    let assert = Assert::new().action_env("SNAPSHOTS").normalize_paths(false);
    let expected = fs::read_to_string(path).expect("a page");
    let found = run(&expected, with_errors);
    if !with_errors && without_figures(&found) == without_figures(&expected) {
        return None;
    }
    let result = assert.try_eq(Some(&path.display()), found.into_data(), Data::read_from(path, None));
    result.err().map(|error| error.to_string())
}

/// Leaves out times, and memory and disks of this machine.
fn without_figures(page: &str) -> String {
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let unit = |at: usize| words.get(at).map_or("", |word| word.trim_end_matches([',', ':']));
        let is_figure = |at: usize| words[at].starts_with(|first: char| first.is_ascii_digit());
        let is_time = |at: usize| is_figure(at) && ["s", "min", "h", "ms", "days"].contains(&unit(at + 1));
        let is_peak = |at: usize| at > 1 && words[at - 2..at] == ["peak", "memory"];
        let is_measured = |at: usize| is_time(at) || is_peak(at);
        let kept = (0..words.len()).filter(|&at| !(is_measured(at) || at > 0 && is_measured(at - 1)));
        match words[0] {
            // Rows of a plan: what this machine takes, and whether it has that.
            row @ ("time" | "memory" | "fits") => row.to_owned(),
            _ => kept.map(|at| words[at]).collect::<Vec<_>>().join(" "),
        }
    };
    page.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns a page with what its commands print now.
fn run(page: &str, with_errors: bool) -> String {
    let (program, mut server, mut block, mut found) = (Program::new(), None, "", String::new());
    for line in page.lines() {
        if let Some(fence) = line.strip_prefix("```") {
            block = fence;
            server = fence.strip_prefix("http").map(|options| Server::start(&program, options));
        }
        let is_shown = server.is_some() || block == "console";
        let sign = if server.is_some() { "> " } else { "$ " };
        let command = line.strip_prefix(sign).filter(|_| is_shown);
        if !is_shown || line.starts_with("```") || command.is_some() {
            found += &format!("{line}\n");
        }
        match (command, &server) {
            (Some(request), Some(server)) => found += &answer(server, request),
            (Some(command), None) => found += &printed(&program, command, with_errors),
            (None, _) => {}
        }
    }
    found
}

/// Runs a command of the shell.
fn printed(program: &Program, command: &str, with_errors: bool) -> String {
    let folder = Path::new(PROGRAM).parent().expect("a folder").display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let shell = Command::from_std(program.process("sh")).args(["-c", command]).env("PATH", path).timeout(LIMIT);
    let Run { code, stdout: mut text, stderr } = Run::of(shell);
    let json = text.lines().filter(|line| line.starts_with("{\"schema\":"));
    json.filter_map(|line| serde_json::from_str(line).ok()).for_each(|line| record(&line));
    if !text.is_empty() && !text.ends_with('\n') {
        text += "\n";
    }
    let errors = stderr.lines().filter(|line| with_errors && !line.is_empty());
    text.extend(errors.map(|line| format!("2> {line}\n")));
    if code != Some(0) {
        text += &format!("? {}\n", code.map_or("a signal".to_owned(), |code| code.to_string()));
    }
    text
}

/// Sends a request: a method, an address, and after spaces the lines of a body.
fn answer(server: &Server, request: &str) -> String {
    let words: Vec<&str> = request.split_whitespace().collect();
    let reply = match words[..] {
        ["GET", address] => server.get(address),
        ["POST", address, ref body @ ..] => server.post(address, body.join("\n").as_bytes()),
        _ => panic!("GET or POST: {request}"),
    };
    let mut text = format!("{}\n", reply.status);
    for name in HEADERS.iter().filter(|name| !reply.header(name).is_empty()) {
        text += &format!("{name}: {}\n", reply.header(name));
    }
    text + reply.body.trim_end() + "\n"
}
