//! The page of `fourbase serve`, in a real browser.

mod access;
mod errors;
mod keys;
mod links;
mod notations;
mod play;
mod shown;

/// A search of the server ends when it is done, however slow the machine is.
const PATIENT: [&str; 4] = ["--search-nodes", "1e9", "--search-seconds", "60"];

fn button(column: usize) -> String {
    format!("#board button[data-column=\"{column}\"]")
}

fn ply(ply: usize) -> String {
    format!("#history button[data-ply=\"{ply}\"]")
}
