//! The workflows of GitHub in `.github/workflows`: each step is a script of `.ci` or an action pinned to a commit.

use std::fs;

use crate::support::files::{paths, root};

/// Tells whether an action is pinned to the commit of a version, whose name follows.
fn is_pinned(action: &str) -> bool {
    let version = action.split_once('@').and_then(|(_, version)| version.split_once(" # v"));
    version.is_some_and(|(commit, tag)| {
        commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()) && tag.split('.').count() == 3
    })
}

#[test]
fn steps_are_scripts_of_the_project_and_actions_pinned_to_commits() {
    for path in paths(&root().join(".github/workflows")) {
        let workflow = fs::read_to_string(&path).expect("a workflow");
        assert!(!workflow.contains("secrets."), "{}", path.display());
        for line in workflow.lines() {
            let (key, value) = line.trim_start().trim_start_matches("- ").split_once(": ").unwrap_or_default();
            let script = value.split(' ').next().unwrap_or_default();
            let is_allowed = match key {
                "run" => script.starts_with(".ci/") && root().join(script).is_file(),
                "uses" => is_pinned(value),
                _ => true,
            };
            assert!(is_allowed, "{}: {line}", path.display());
        }
    }
}
