//! Joins the modules of the page into one script, so that a first visit asks for few files. A module becomes a function that returns what it
//! exports. `js/site/build` leaves the same to a bundler.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The modules that the page loads, in their order; they import all others.
const ENTRIES: [&str; 2] = ["server.js", "app.js"];

/// What stands between `export` and a name.
const KEYWORDS: [&str; 4] = ["async", "function", "class", "const"];

/// Joins the modules among some files.
///
/// # Panics
///
/// If a module has an import or an export that is not `import { a, b } from "./file.js";` on a line of its own, or
/// `export` before a constant, a function or a class. A test joins the modules that are compiled in.
pub fn join(files: &BTreeMap<&str, &str>) -> String {
    let (mut script, mut joined) = (String::new(), Vec::new());
    for entry in ENTRIES {
        add(files, entry, &mut script, &mut joined);
    }
    script
}

/// Adds a module after those that it imports.
fn add<'a>(files: &BTreeMap<&str, &'a str>, name: &'a str, script: &mut String, joined: &mut Vec<&'a str>) {
    if joined.contains(&name) {
        return;
    }
    joined.push(name);
    let text = files.get(name).unwrap_or_else(|| panic!("no module {name}"));
    let (mut body, mut exports) = (String::new(), Vec::new());
    for line in text.lines() {
        if line.starts_with("import ") {
            let read = || line.strip_prefix("import {")?.strip_suffix("\";")?.split_once("} from \"./");
            let (names, module) = read().unwrap_or_else(|| panic!("{name}: {line}"));
            add(files, module, script, joined);
            let _ = writeln!(body, "const {{{names}}} = {};", variable(module));
        } else if let Some(declaration) = line.strip_prefix("export ") {
            assert!(KEYWORDS.iter().any(|word| declaration.starts_with(word)), "{name}: {line}");
            let mut words = declaration.split([' ', '(']).skip_while(|word| KEYWORDS.contains(word));
            exports.push(words.next().unwrap_or_else(|| panic!("{name}: {line}")));
            let _ = writeln!(body, "{declaration}");
        } else {
            let _ = writeln!(body, "{line}");
        }
    }
    let _ =
        write!(script, "const {} = (() => {{\n{body}return {{ {} }};\n}})();\n", variable(name), exports.join(", "));
}

fn variable(module: &str) -> String {
    format!("module_{}", module.trim_end_matches(".js").replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::page::FILES;

    #[test]
    fn every_module_is_joined_once_after_those_that_it_imports() {
        let script = join(&FILES);
        let begins = |name: &str| {
            let begin = format!("const {} = (() => {{", variable(name));
            assert_eq!(script.matches(&begin).count(), 1, "{name}");
            script.find(&begin)
        };
        let modules = FILES.keys().filter(|name| name.ends_with(".js"));
        assert!(modules.map(|name| assert!(begins(name).is_some(), "{name}")).count() > 10);
        assert!(begins("game.js") < begins("notation.js") && begins("server.js") < begins("app.js"));
        assert!(!script.contains("\nimport ") && !script.contains("\nexport "));
    }
}
