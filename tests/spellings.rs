//! Every surface of the program reads and refuses what `tests/data/spellings.tsv` lists.

use fourbase::{Position, notation};
use serde_json::Value as Json;

use crate::support::positions::board;
use crate::support::program::{Program, Run};
use crate::support::server::Server;
use crate::support::truth::rows;

/// A text, or a line of a batch, and what it means.
struct Spelling {
    is_line: bool,
    board: String,
    text: String,
    /// The position, or a part of the reason why there is none.
    meaning: Result<Position, String>,
}

fn spellings() -> Vec<Spelling> {
    let read = |row: String| {
        let [kind, name, text, meaning] = row.split('\t').collect::<Vec<_>>().try_into().expect("four fields");
        let meaning = match meaning.split_at(2) {
            ("= ", moves) => Ok(notation::parse(board(name), moves).expect("moves")),
            (_, reason) => Err(reason.to_owned()),
        };
        let text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r");
        Spelling { is_line: kind == "line", board: name.to_owned(), text, meaning }
    };
    rows("spellings.tsv").into_iter().map(read).collect()
}

#[test]
fn the_command_line_reads_and_refuses_what_is_listed() {
    let program = Program::new();
    // A blank argument is more likely a variable that is not set.
    let texts = spellings().into_iter().filter(|spelling| !spelling.is_line && !spelling.text.is_empty());
    for Spelling { board, text, meaning, .. } in texts {
        let run = Run::of(program.command().args(["convert", "--to", "bits", &board, "--", &text]));
        match meaning {
            Ok(position) => assert_eq!(run.succeeds().trim_end(), position.to_string(), "{text:?}"),
            Err(reason) => {
                let said = run.fails(2);
                assert!(said.contains(&reason), "{text:?}: {said}");
            }
        }
    }
}

#[test]
fn batches_read_and_refuse_lines_as_listed() {
    let program = Program::new();
    for Spelling { board, text, meaning, .. } in spellings().into_iter().filter(|spelling| spelling.is_line) {
        for (verb, options) in [("convert", ""), ("analyse", "--search only --nodes 1")] {
            let run = program.run_with_input(&format!("{verb} {board} --batch --json {options}"), format!("{text}\n"));
            let line: Json = serde_json::from_str(run.stdout.lines().next().expect("a line")).expect("JSON");
            let error = line["error"].as_str().unwrap_or_default();
            match &meaning {
                // An analysis is of the whole game.
                Ok(_) if verb == "analyse" && text.contains("&ply=") => {}
                // Bit strings are no game.
                Ok(_) if verb == "analyse" && text.starts_with("1000000 ") => {
                    assert!(error.contains("is not a game"), "{line}");
                }
                Ok(position) => assert_eq!(line["position"]["bits"], position.to_string(), "{verb} {text:?}"),
                Err(reason) => assert!(error.contains(reason), "{text:?}: {error}"),
            }
        }
    }
}

#[test]
fn the_server_reads_and_refuses_what_is_listed() {
    let server = Server::alone("");
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    for Spelling { is_line, text, meaning, .. } in spellings().into_iter().filter(|spelling| spelling.board == "7x6") {
        let answer = if is_line {
            server.post("/api/v1/positions?board=7x6", format!("{text}\n").as_bytes()).lines().remove(0)
        } else {
            server.get(&format!("/api/v1/position?board=7x6&position={}", encoded(&text))).json()
        };
        match meaning {
            Ok(position) => assert_eq!(answer["position"]["bits"], position.to_string(), "{text:?}"),
            Err(reason) => {
                let said = answer["error"].as_str().unwrap_or_default();
                assert!(said.contains(&reason), "{text:?}: {answer}");
            }
        }
    }
}
