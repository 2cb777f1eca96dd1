//! `fourbase man`: the manual pages, made from the help texts.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use fourbase_tiers::files::escaped;

use crate::failure::BadInput;
use crate::temporary::WholeFile;
use crate::{output, wording};

/// Arguments of `fourbase man`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  fourbase man | man -l -          read the page of the program
  fourbase man solve | man -l -    read the page of a subcommand
  fourbase man --output ~/.local/share/man/man1
                                   write all pages, for man fourbase-solve")]
pub struct Arguments {
    /// The subcommand (default: the program itself)
    #[arg(value_name = "SUBCOMMAND", conflicts_with = "output")]
    subcommand: Option<String>,

    /// Write the pages of the program and of all subcommands into this folder, which is made if needed
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Prints a page, or writes all.
///
/// # Errors
///
/// A subcommand that does not exist; a folder or standard output that cannot be written.
pub fn run(arguments: &Arguments, command: clap::Command) -> anyhow::Result<()> {
    let pages = pages(command);
    if let Some(folder) = &arguments.output {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", wording::path(folder)))?;
        for Page { name, text } in pages {
            let path = folder.join(format!("{name}.1"));
            let write = || {
                let mut file = WholeFile::begin(&path)?;
                file.write(text.as_bytes())?;
                file.end()
            };
            write().with_context(|| format!("cannot write {}", wording::path(&path)))?;
        }
        return Ok(());
    }
    let name = arguments.subcommand.as_ref().map_or("fourbase".to_owned(), |name| format!("fourbase-{name}"));
    let page = pages.iter().find(|page| page.name == name);
    let unknown =
        || BadInput(format!("no page {}: write one of the subcommands that fourbase --help lists", escaped(&name)));
    let page = page.ok_or_else(unknown)?;
    output::print(page.text.trim_end())
}

/// A manual page.
struct Page {
    /// `fourbase` or `fourbase-SUBCOMMAND`.
    name: String,
    text: String,
}

/// Makes the pages of the program and of its subcommands.
fn pages(command: clap::Command) -> Vec<Page> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let subcommands = command.get_subcommands().cloned().map(|subcommand| page(subcommand, true)).collect::<Vec<_>>();
    std::iter::once(page(command, false)).chain(subcommands).collect()
}

/// Makes a page: the sections of clap_mangen, with the paragraphs and examples after the help in sections of their own.
fn page(command: clap::Command, is_subcommand: bool) -> Page {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let man = Man::new(command).manual("fourbase").source(concat!("fourbase ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = man.render_title(&mut text);
    let _ = man.render_name_section(&mut text);
    let _ = man.render_synopsis_section(&mut text);
    let _ = man.render_description_section(&mut text);
    let _ = man.render_options_section(&mut text);
    if !is_subcommand {
        let _ = man.render_subcommands_section(&mut text);
    }
    let _ = notes(&after).to_writer(&mut text);
    Page { name, text: String::from_utf8_lossy(&text).into_owned() }
}

/// Lays out what a help text says after the options: paragraphs, and blocks of indented lines under a title.
fn notes(after: &str) -> Roff {
    let mut notes = Roff::default();
    let mut is_noted = false;
    for block in after.split("\n\n") {
        let (title, lines) = block.split_once('\n').unwrap_or((block, ""));
        match title.strip_suffix(':').filter(|_| !lines.is_empty() && lines.lines().all(|line| line.starts_with(' '))) {
            Some(title) => {
                notes.control("SH", [title.to_uppercase().as_str()]);
                notes.control("nf", []);
                lines.lines().for_each(|line| {
                    notes.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
                });
                notes.control("fi", []);
                is_noted = false;
            }
            None => {
                if is_noted {
                    notes.control("PP", []);
                } else {
                    notes.control("SH", ["NOTES"]);
                }
                block.lines().for_each(|line| {
                    notes.text([roman(line)]);
                });
                is_noted = true;
            }
        }
    }
    notes
}
