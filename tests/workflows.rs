//! The workflows of GitHub in `.github/workflows`: each step is `.ci/run`, `.ci/nightly` or a script
//! that `.ci/run` runs, or an action pinned to a commit.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Lists what follows a key in the steps of a workflow, such as `run`.
fn values<'t>(workflow: &'t str, key: &str) -> impl Iterator<Item = &'t str> {
    let key = format!("{key}: ");
    workflow.lines().filter_map(move |line| line.trim_start().trim_start_matches("- ").strip_prefix(&key))
}

#[test]
fn steps_are_scripts_of_the_project_and_actions_pinned_to_commits() {
    let run = text(&root().join(".ci/run"));
    let runs = |script: &str| {
        [".ci/run", ".ci/nightly"].contains(&script) || run.split_whitespace().any(|word| word == script)
    };
    for entry in fs::read_dir(root().join(".github/workflows")).expect("workflows") {
        let path = entry.expect("an entry").path();
        let workflow = text(&path);
        assert!(!workflow.contains("secrets."), "{}", path.display());
        for command in values(&workflow, "run") {
            let script = command.split(' ').next().unwrap_or_default();
            assert!(root().join(script).is_file() && runs(script), "{}: {command}", path.display());
        }
        for action in values(&workflow, "uses") {
            let (_, version) = action.split_once('@').expect("a version");
            let (commit, tag) = version.split_once(" # v").expect("the commit of a version, and its name");
            let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_commit && tag.split('.').count() == 3, "{}: {action}", path.display());
        }
    }
}
