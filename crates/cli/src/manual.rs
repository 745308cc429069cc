//! The manual: pages for `man`, and the same as Markdown for the book of the documentation.

use std::{fmt::Write as _, fs, io, path::Path};

use clap::{Arg, Command};

/// Writes a manual page for each command into a folder.
pub(crate) fn write_pages(program: Command, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(program, folder)
}

/// Writes a Markdown file for each command of the program, which also describes the commands below
/// it, and a file `order.txt` with the names in the order of the help.
pub(crate) fn write_markdown(mut program: Command, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    program.build();
    let commands: Vec<&Command> = visible(&program).collect();
    for command in &commands {
        let file = folder.join(command.get_name()).with_extension("md");
        fs::write(file, page(command))?;
    }
    let names: Vec<&str> = commands.iter().map(|command| command.get_name()).collect();
    fs::write(folder.join("order.txt"), names.join("\n") + "\n")
}

/// Returns the commands below a command that its help lists.
fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command
        .get_subcommands()
        .filter(|below| !below.is_hide_set() && below.get_name() != "help")
}

/// Returns the text about a command and about those below it.
fn page(command: &Command) -> String {
    let mut text = String::new();
    add_command(&mut text, command, 1);
    text
}

fn add_command(text: &mut String, command: &Command, level: usize) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let _ = writeln!(text, "{} `{name}`\n", "#".repeat(level));
    let about = command.get_long_about().or(command.get_about());
    if let Some(about) = about {
        let _ = writeln!(text, "{}\n", escaped(&about.to_string()));
    }
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let _ = writeln!(text, "```text\n{usage}\n```\n");
    let is_own = |argument: &&Arg| !argument.is_hide_set() && !argument.is_global_set();
    let (places, options): (Vec<&Arg>, Vec<&Arg>) = command
        .get_arguments()
        .filter(is_own)
        .filter(|argument| !["help", "version"].contains(&argument.get_id().as_str()))
        .partition(|argument| argument.is_positional());
    add_arguments(text, "argument", &places);
    add_arguments(text, "option", &options);
    if let Some(examples) = command.get_after_help() {
        let examples = examples.to_string();
        let (_, lines) = examples
            .split_once("Examples:\n")
            .unwrap_or(("", &examples));
        let _ = writeln!(text, "Examples:\n\n```text");
        for line in lines.lines() {
            let _ = writeln!(text, "{}", line.trim_start());
        }
        let _ = writeln!(text, "```\n");
    }
    for below in visible(command) {
        add_command(text, below, level + 1);
    }
}

/// Adds a table of arguments, if there are any.
fn add_arguments(text: &mut String, what: &str, arguments: &[&Arg]) {
    if arguments.is_empty() {
        return;
    }
    let _ = writeln!(text, "| {what} | meaning |\n| --- | --- |");
    for argument in arguments {
        let forms = forms(argument).replace('|', "\\|");
        let _ = writeln!(text, "| {forms} | {} |", meaning(argument));
    }
    text.push('\n');
}

/// Returns how an argument is written: `` `-o`, `--output FILE` ``.
fn forms(argument: &Arg) -> String {
    let takes_value = argument.get_action().takes_values();
    let names: Vec<&str> = argument
        .get_value_names()
        .unwrap_or_default()
        .iter()
        .map(clap::builder::Str::as_str)
        .collect();
    let value = names.join(" ");
    if argument.is_positional() {
        return format!("`{value}`");
    }
    let short = argument.get_short().map(|short| format!("`-{short}`, "));
    let name = argument.get_long().unwrap_or_default();
    let may_lack_value = argument
        .get_num_args()
        .is_some_and(|range| range.min_values() == 0);
    let value = match (takes_value, may_lack_value) {
        (false, _) => String::new(),
        (true, false) => format!(" {value}"),
        (true, true) => format!("[={value}]"),
    };
    format!("{}`--{name}{value}`", short.unwrap_or_default())
}

/// Returns the help of an argument on one line, with its values and its default.
fn meaning(argument: &Arg) -> String {
    let help = argument.get_long_help().or(argument.get_help());
    let mut parts = vec![
        help.map(|help| escaped(&help.to_string()))
            .unwrap_or_default(),
    ];
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| {
            let help = value
                .get_help()
                .map(|help| format!(" ({})", escaped(&help.to_string())));
            format!("`{}`{}", value.get_name(), help.unwrap_or_default())
        })
        .collect();
    if !values.is_empty()
        && argument.get_action().takes_values()
        && !argument.is_hide_possible_values_set()
    {
        parts.push(format!("Values: {}.", values.join(", ")));
    }
    let defaults: Vec<String> = argument
        .get_default_values()
        .iter()
        .map(|value| format!("`{}`", value.to_string_lossy()))
        .collect();
    if !defaults.is_empty()
        && argument.get_action().takes_values()
        && !argument.is_hide_default_value_set()
    {
        parts.push(format!("Default: {}.", defaults.join(", ")));
    }
    if let Some(variable) = argument.get_env() {
        parts.push(format!(
            "Environment variable: `{}`.",
            variable.to_string_lossy()
        ));
    }
    // A paragraph break in a cell of a table is a line break.
    let lines: Vec<String> = parts
        .iter()
        .flat_map(|part| part.split("\n\n"))
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|part| !part.is_empty())
        .map(|part| part.replace('|', "\\|"))
        .collect();
    lines.join("<br>")
}

/// Escapes what Markdown would read as markup, except in code between backticks.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for (at, part) in text.split('`').enumerate() {
        if at > 0 {
            escaped.push('`');
        }
        if at % 2 == 1 {
            escaped.push_str(part);
            continue;
        }
        for letter in part.chars() {
            if "\\*_<[".contains(letter) {
                escaped.push('\\');
            }
            escaped.push(letter);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use clap::{ArgAction, CommandFactory as _};

    use super::*;
    use crate::Cli;

    #[test]
    fn options_are_described_with_values_and_defaults() {
        let nodes = Arg::new("nodes")
            .long("nodes")
            .short('n')
            .value_name("N")
            .default_value("10")
            .help("Nodes for <each> position | more");
        let mut command = Command::new("run")
            .bin_name("centipawn run")
            .about("Count * things")
            .arg(nodes)
            .arg(Arg::new("games").value_name("GAMES"))
            .arg(
                Arg::new("all")
                    .long("all")
                    .action(ArgAction::SetTrue)
                    .help("All of them"),
            )
            .after_help("Examples:\n  centipawn run a.pgn");
        command.build();
        assert_eq!(
            page(&command),
            "# `centipawn run`\n\nCount \\* things\n\n```text\ncentipawn run [OPTIONS] [GAMES]\n```\n\n\
             | argument | meaning |\n| --- | --- |\n| `GAMES` |  |\n\n\
             | option | meaning |\n| --- | --- |\n\
             | `-n`, `--nodes N` | Nodes for \\<each> position \\| more<br>Default: `10`. |\n\
             | `--all` | All of them |\n\n\
             Examples:\n\n```text\ncentipawn run a.pgn\n```\n\n"
        );
    }

    /// Each option that a command's own help shows is on the command's page.
    #[test]
    fn every_option_is_on_a_page() {
        fn check(command: &Command, page: &str) {
            for argument in command.get_arguments() {
                let Some(name) = argument.get_long() else {
                    continue;
                };
                let is_left_out = argument.is_hide_set()
                    || argument.is_global_set()
                    || ["help", "version"].contains(&name);
                assert!(
                    is_left_out || page.contains(&format!("`--{name}")),
                    "--{name} of {} is missing",
                    command.get_name()
                );
            }
            for below in visible(command) {
                check(below, page);
            }
        }
        let folder = tempfile::tempdir().unwrap();
        write_markdown(Cli::command(), folder.path()).unwrap();
        let order = fs::read_to_string(folder.path().join("order.txt")).unwrap();
        let mut program = Cli::command();
        program.build();
        for name in order.lines() {
            let page = fs::read_to_string(folder.path().join(name).with_extension("md")).unwrap();
            check(program.find_subcommand(name).unwrap(), &page);
        }
        assert!(
            order.starts_with("review\n") && order.contains("\nwdl\n"),
            "{order}"
        );
    }
}
