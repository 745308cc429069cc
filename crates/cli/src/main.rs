//! Centipawn's command line: arguments, progress, output. What it says is computed elsewhere.

mod args;
mod symbols;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

/// What is a chess evaluation worth?
#[derive(Parser)]
#[command(name = "centipawn", version, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t)]
    color: Color,
}

#[derive(Subcommand)]
enum Command {
    /// The symbols and relevant differences of a move, by hand
    #[command(after_help = "\
Examples:
  centipawn symbols --played -1 --best 2 --balance 0.62
  centipawn symbols --played 0.50 --best 0.50 --second -0.30 --balance 0.62 --json
  centipawn symbols --side black --played 0.40 --best -0.75 --curve lichess")]
    Symbols(symbols::Symbols),
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  centipawn completions bash > ~/.local/share/bash-completion/completions/centipawn
  centipawn completions fish > ~/.config/fish/completions/centipawn.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Clone, Copy, Default, clap::ValueEnum)]
enum Color {
    /// On a terminal
    #[default]
    Auto,
    Always,
    Never,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.color {
        Color::Auto => anstream::ColorChoice::Auto,
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
    }
    .write_global();
    let result = match &cli.command {
        Command::Symbols(symbols) => symbols::run(symbols).map(|()| ExitCode::SUCCESS),
        Command::Completions { shell } => {
            clap_complete::generate(*shell, &mut Cli::command(), "centipawn", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
    };
    result.unwrap_or_else(|error| {
        anstream::eprintln!("error: {error:#}");
        ExitCode::from(3)
    })
}
