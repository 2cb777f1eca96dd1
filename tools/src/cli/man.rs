//! `fourbase man`: the manual pages, made from the help texts.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use fourbase_tiers::files::escaped;

use crate::failure::BadInput;
use crate::output::{self, wording};
use crate::temporary::Output;

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
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,
}

/// Prints the page of the program or of a subcommand, or writes all pages into a folder.
///
/// # Errors
///
/// A subcommand that does not exist; a folder or standard output that cannot be written.
pub fn run(arguments: &Arguments, command: clap::Command) -> anyhow::Result<()> {
    // An alias of a subcommand gets the page of that subcommand.
    let page_of = |name: &String| command.find_subcommand(name).map_or(&**name, clap::Command::get_name).to_owned();
    let named = arguments.subcommand.as_ref().map(page_of);
    let pages = pages(command);
    if let Some(folder) = &arguments.output {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", wording::path(folder)))?;
        for (name, text) in pages {
            let path = folder.join(format!("{name}.1"));
            Output::write_file(&path, &text).with_context(|| wording::cannot_write(&path))?;
        }
        return Ok(());
    }
    let name = named.map_or("fourbase".to_owned(), |name| format!("fourbase-{name}"));
    let Some((_, text)) = pages.iter().find(|(of, _)| *of == name) else {
        let name = escaped(&name);
        bail!(BadInput(format!("no page {name}: write one of the subcommands that fourbase --help lists")));
    };
    output::print(text.trim_end())
}

/// Makes the pages of the program and of its subcommands. Returns pairs; a page's name is `fourbase` or `fourbase-SUBCOMMAND`.
fn pages(command: clap::Command) -> Vec<(String, String)> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let subcommands = command.get_subcommands().cloned().map(|subcommand| page(subcommand, true)).collect::<Vec<_>>();
    std::iter::once(page(command, false)).chain(subcommands).collect()
}

/// Makes a page: the sections that clap_mangen writes, and sections for the examples and for the paragraphs after the help.
fn page(command: clap::Command, is_subcommand: bool) -> (String, String) {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let man = Man::new(command).manual("fourbase").source(concat!("fourbase ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = man.render_title(&mut text);
    let _ = man.render_name_section(&mut text);
    let _ = man.render_synopsis_section(&mut text);
    // The examples come before the options, because readers look for them first.
    let is_examples = |block: &&str| block.starts_with("Examples:\n");
    let (examples, others): (Vec<&str>, Vec<&str>) = after.split("\n\n").partition(is_examples);
    let _ = notes(&examples).to_writer(&mut text);
    let _ = man.render_description_section(&mut text);
    let _ = man.render_options_section(&mut text);
    if !is_subcommand {
        let _ = man.render_subcommands_section(&mut text);
    }
    let _ = notes(&others).to_writer(&mut text);
    (name, String::from_utf8_lossy(&text).into_owned())
}

/// Lays out blocks of a help text: paragraphs, and indented lines under a title.
fn notes(blocks: &[&str]) -> Roff {
    let mut notes = Roff::default();
    let mut is_noted = false;
    for block in blocks {
        let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
        let is_list = !rest.is_empty() && rest.lines().all(|line| line.starts_with(' '));
        let title = first.strip_suffix(':').filter(|_| is_list);
        if let Some(title) = title {
            notes.control("SH", [title.to_uppercase().as_str()]).control("nf", []);
            for line in rest.lines() {
                notes.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
            }
            notes.control("fi", []);
        } else {
            let title: &[&str] = if is_noted { &[] } else { &["NOTES"] };
            notes.control(if is_noted { "PP" } else { "SH" }, title.iter().copied());
            for line in block.lines() {
                notes.text([roman(line)]);
            }
        }
        is_noted = title.is_none();
    }
    notes
}
