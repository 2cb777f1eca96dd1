//! `fourbase completions`: a script with which a shell completes command lines of fourbase.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Args};
use clap_complete::Shell;

use crate::arguments::suggestions;
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

/// Prints the completion script for a shell. `command` is the definition of the command line.
///
/// # Errors
///
/// Standard output cannot be written.
pub fn run(arguments: &Arguments, command: clap::Command) -> anyhow::Result<()> {
    let mut command = command.mut_subcommands(|subcommand| subcommand.mut_args(with_suggestions));
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "fourbase", &mut script);
    let mut script = String::from_utf8(script)?;
    // For fish, clap_complete does not complete positional arguments, so add them here.
    for subcommand in command.get_subcommands().filter(|_| arguments.shell == Shell::Fish) {
        let values = subcommand.get_positionals().flat_map(Arg::get_possible_values);
        let values = values.map(|value| value.get_name().to_owned()).collect::<Vec<_>>().join(" ");
        let condition = format!("__fish_fourbase_using_subcommand {}", subcommand.get_name());
        if !values.is_empty() {
            script += &format!("complete -c fourbase -n \"{condition}\" -f -a \"{values}\"\n");
        }
    }
    output::print(script.trim_end())
}

/// Gives an argument a list of possible values, which shells complete, if it has none of its own and its value name has
/// suggestions.
fn with_suggestions(argument: Arg) -> Arg {
    let names = argument.get_value_names().unwrap_or_default();
    let values: Vec<String> = names.iter().flat_map(|name| suggestions(name)).collect();
    let is_listed = values.is_empty() || !argument.get_possible_values().is_empty();
    if is_listed { argument } else { argument.value_parser(PossibleValuesParser::new(values)) }
}
