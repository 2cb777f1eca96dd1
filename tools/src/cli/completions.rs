//! `fourbase completions`: what a shell needs to complete the command line.

use clap::Args;
use clap_complete::Shell;

use crate::output;

/// Arguments of `fourbase completions`.
#[derive(Args, Debug)]
#[command(after_help = "\
Put the script where your shell looks for it, and start a new shell.

Examples:
  fourbase completions bash > fourbase.bash         and source it in ~/.bashrc
  fourbase completions fish > ~/.config/fish/completions/fourbase.fish
  fourbase completions zsh > ~/.zfunc/_fourbase     with ~/.zfunc in $fpath")]
pub struct Arguments {
    /// Which shell
    shell: Shell,
}

/// Prints the script of a shell for a command line.
///
/// # Errors
///
/// Standard output cannot be written.
pub fn run(arguments: &Arguments, mut command: clap::Command) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "fourbase", &mut script);
    output::print(String::from_utf8(script)?.trim_end())
}
