//! Centipawn's command line: arguments, progress, output. The libraries do the work.

mod args;
mod balance;
mod crew;
mod diagram;
mod ease;
mod engines;
mod exit;
mod flags;
#[cfg(feature = "fleet")]
mod fleet;
#[cfg(feature = "fleet")]
mod fleet_args;
#[cfg(test)]
mod guides;
mod manual;
mod match_games;
mod material;
mod merge;
mod numbers;
mod odds;
mod pgn;
mod player;
mod policies;
mod policy;
mod policy_fit;
mod position;
mod puzzles;
mod rating;
mod review;
#[cfg(feature = "serve")]
mod serve;
mod session;
mod site;
mod store;
mod store_arg;
mod study;
mod symbols;
mod terminal;
mod uci;
mod wdl;
#[cfg(feature = "fleet")]
mod worker;

use std::{
    ffi::OsString,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use args::{ColorWhen, Shared};
use centipawn_progress::{is_account, shorten, text};
use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum as _};
use numbers::explained;
use session::Session;

/// The commit of this build; empty outside a repository.
#[cfg(feature = "fleet")]
const BUILD: &str = env!("CENTIPAWN_COMMIT");

/// The version, with the commit in brackets.
const VERSION: &str = env!("CENTIPAWN_VERSION");

/// What is a chess evaluation worth?
///
/// centipawn GAME.pgn reviews a game and opens the report (short for: review --quick --open
/// GAME.pgn)
#[derive(Parser)]
#[command(name = "centipawn", version = VERSION, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    shared: Shared,
}

#[derive(Subcommand)]
enum Command {
    /// Review games: symbols, accuracy, better lines, a report
    #[command(after_help = "\
Examples:
  centipawn review examples/opera-game.pgn
  centipawn review examples/*.pgn --nodes 200k -o reviewed.pgn --html report.html
  centipawn review examples/*.pgn --curve relevance --balance 0.62 --scheme s20 --json review.json
  centipawn review lichess:NAME --since 2026-10 --max 50 --nodes 100k --batch reviews
  centipawn review examples/immortal-draw.pgn --engine stockfish --option Hash=256 --depth 16
  centipawn review examples/opera-game.pgn --ease --html report.html")]
    Review(review::Review),
    /// Open Centipawn as a page in the browser: review games on a board
    #[cfg(feature = "serve")]
    #[command(after_help = "\
Examples:
  centipawn serve --open
  centipawn serve --nodes 200k --port 0
  centipawn serve --engine lc0 --curve lichess --language de")]
    #[command(mut_arg("store", serve::store_arg))]
    Serve(serve::Serve),
    /// Write reviewed games as a static site, with the same board as `serve`, but without a server
    #[command(after_help = "\
Examples:
  centipawn review examples/*.pgn --nodes 200k -o reviewed.pgn
  centipawn site games reviewed.pgn --title 'Three famous games'
  centipawn site club --language de reviewed.pgn")]
    Site(site::Site),
    /// Count, check, clean and export games
    #[command(subcommand)]
    Pgn(pgn::Pgn),
    /// Judge how hard positions are for humans: a number for each position, a graph for a game
    #[command(after_help = "\
Examples:
  centipawn ease 'startpos moves e2e4 e7e5 f1c4 b8c6 d1h5' --nodes 200k --explain
  centipawn ease 'startpos moves e2e4 e7e5 g1f3 f7f6' --nodes 200k --level 1100..1900
  centipawn ease examples/opera-game.pgn --nodes 200k --players 1400,1700
  centipawn ease examples/positions.txt --nodes 200k --json")]
    Ease(ease::EaseArgs),
    /// Estimate how strong players are from their moves, with an interval
    #[command(after_help = "\
Examples:
  centipawn rating examples/opera-game.pgn
  centipawn rating examples/*.pgn --player 'Anderssen, Adolf'
  centipawn rating examples/*.pgn --json")]
    Rating(rating::Rating),
    /// Find, verify, tag, rate, convert and solve puzzles
    #[command(subcommand)]
    Puzzles(puzzles::Puzzles),
    /// Make studies for Lichess: a lesson of mistakes, annotated games, puzzles
    #[command(subcommand)]
    Study(study::StudyCommand),
    /// Use policy networks, which predict human moves
    #[command(subcommand)]
    Policy(policy::Policy),
    /// Fit win/draw/loss models to games
    #[command(subcommand)]
    Wdl(wdl::Wdl),
    /// Estimate the win-draw balance of engines: the evaluation that wins half of the games
    #[command(after_help = "\
Examples:
  centipawn balance examples/selfplay.pgn.gz
  centipawn balance examples/selfplay.pgn.gz --by engine --list
  centipawn balance examples/selfplay.pgn.gz --not-won 17 --plot balance.svg --json
  centipawn balance examples/selfplay.pgn.gz --shard 1/2 --partial 1.part
  centipawn balance examples/selfplay.pgn.gz --shard 2/2 --partial 2.part
  centipawn balance 1.part 2.part --json")]
    Balance(balance::Balance),
    /// Evaluate a match or tournament: Elo with errors, pairs of games, a sequential test, ratings
    #[command(after_help = "\
Examples:
  centipawn match examples/selfplay.pgn.gz
  centipawn match examples/selfplay.pgn.gz --player 'Stockfish 15.1' --player weak --sprt 0,10
  centipawn match examples/selfplay.pgn.gz --anchor 'Stockfish 15.1=3500' --by opening --json
  centipawn match examples/selfplay.pgn.gz --plot match.svg")]
    Match(match_games::Match),
    /// Count how often a position occurs in games: results, by the moves played there and by rating
    ///
    /// GAMES may also be indexes that `centipawn position index` wrote.
    #[command(after_help = "\
Examples:
  centipawn position startpos examples/selfplay.pgn.gz
  centipawn position 'startpos moves g1f3 d7d5' examples --top 5
  centipawn position 'startpos moves e2e4 e7e5' examples --eval 0.3 --time 600+5
  centipawn position startpos examples/opera-game.pgn --json")]
    Position(position::Position),
    /// Estimate piece values from games, with standard errors
    ///
    /// GAMES may also be row files that --rows or --csv wrote (.rows, .mat, .tsv, .csv).
    #[command(after_help = "\
Examples:
  centipawn material examples/selfplay.pgn.gz
  centipawn material examples/selfplay.pgn.gz --terms tempo --test 'N > 2.5P' --out values
  centipawn material examples/selfplay.pgn.gz --method davidson --rows rows.tsv --json
  centipawn material examples/selfplay.pgn.gz --target search --by phase")]
    Material(material::Material),
    /// Add up files of counts, from `wdl count` or in WDL_model's JSON
    #[command(after_help = "\
Examples:
  centipawn wdl count examples/selfplay.pgn.gz --match-engine 'Stockfish 15.1' -o strong.wdl
  centipawn wdl count examples/selfplay.pgn.gz --match-engine 'Stockfish 15.1 weak' -o weak.wdl
  centipawn merge strong.wdl weak.wdl -o both.wdl
  centipawn merge examples/selfplay.wdl --format stockfish > counts.json")]
    Merge(merge::MergeFiles),
    /// Compute symbols and relevant differences of a move from its evaluations
    #[command(after_help = "\
Examples:
  centipawn symbols --played -1 --best 2 --balance 0.62
  centipawn symbols --played 0.50 --best 0.50 --second -0.30 --balance 0.62 --json
  centipawn symbols --side black --played 0.40 --best -0.75 --curve lichess
  centipawn symbols --played -1 --best 2 --balance 0.62 --plot curve.svg
  centipawn symbols --played -1 --best 2 --curve relevance-stretched:0.62,2")]
    Symbols(symbols::Symbols),
    /// Compute the odds of two players: by the evaluation, their ratings and their clocks
    #[command(after_help = "\
Examples:
  centipawn odds 1.20 --players 1620,1500 --time 180+2
  centipawn odds 0 --players 1500 --time 180+0 --clocks 1:00,0:30
  centipawn odds '#-3' --players 2100,2240 --time 90+30 --json")]
    Odds(odds::Odds),
    /// Draw a position as a picture: SVG or PNG, with arrows and circles
    #[command(after_help = "\
Examples:
  centipawn diagram startpos -o start.svg
  centipawn diagram 'startpos moves e2e4 e7e5 d1h5' --draw Rh5f7,Rf7 --size 720 -o check.png
  centipawn diagram '6k1/5ppp/8/8/8/8/r4PPP/3R2K1 w - - 0 1' --draw d1d8 > mate.svg")]
    Diagram(diagram::Diagram),
    /// Be a UCI engine for any GUI: another engine, with what its evaluations are worth to people
    #[command(after_help = "\
Examples:
  centipawn uci --engine stockfish --option UCI_ShowWDL=true --option Rating=1500
  centipawn uci --option UCI_ShowWDL=true --option Curve=lichess --option Hash=256
  centipawn uci --option Play_Like=1400
  LICHESS_TOKEN=… centipawn uci --lichess")]
    Uci(uci::Uci),
    /// List installed engines, with identity and speed; run an engine on a test suite
    #[command(after_help = "\
Examples:
  centipawn engines
  centipawn engines stockfish --options --movetime 100
  centipawn engines stockfish --json
  centipawn engines stockfish --suite examples/suite.epd --nodes 20k --all")]
    Engines(engines::Engines),
    /// Manage cached evaluations: statistics, export, import, vacuum
    Store(store::StoreCommand),
    /// Run the engine for games that other machines submit to a fleet
    #[cfg(feature = "fleet")]
    #[command(after_help = "\
Examples:
  centipawn worker --fleet postgres://worker@db.example/chess
  centipawn worker --fleet postgres://127.0.0.1/chess -j 4 --option Hash=64 --metrics 127.0.0.1:9100 --log json
  centipawn worker --once")]
    Worker(worker::Worker),
    /// Set up a fleet of workers, and monitor and control its runs
    #[cfg(feature = "fleet")]
    #[command(subcommand)]
    Fleet(fleet::FleetCommand),
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  centipawn completions bash > ~/.local/share/bash-completion/completions/centipawn
  centipawn completions fish > ~/.config/fish/completions/centipawn.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages of all commands into a folder
    #[command(after_help = "\
Examples:
  centipawn man ~/.local/share/man/man1
  centipawn man --markdown commands")]
    Man {
        /// The folder, which is created if necessary
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Write Markdown, a file for each command
        #[arg(long)]
        markdown: bool,
    },
}

/// Expands the short form: games in place of a command mean `review --quick --open`.
fn expand(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_command = |first: &OsString| Cli::command().find_subcommand(first).is_some();
    let names_games = |first: &OsString| {
        let name = first.to_string_lossy();
        is_account(Path::new(first))
            || Path::new(first).is_file()
            || name.contains(".pgn")
            || name.contains("://")
    };
    if arguments
        .get(1)
        .is_some_and(|first| names_games(first) && !is_command(first))
    {
        // --archive sets its own search limits, which --quick would override.
        let is_archive = arguments.iter().any(|argument| argument == "--archive");
        let review = ["review", "--open"]
            .into_iter()
            .chain((!is_archive).then_some("--quick"));
        arguments.splice(1..1, review.map(OsString::from));
    }
    arguments
}

/// `--color` of arguments that are not parsed yet.
fn color_of(arguments: &[OsString]) -> ColorWhen {
    let values =
        arguments
            .iter()
            .enumerate()
            .filter_map(|(at, argument)| match argument.to_str()? {
                "--color" => arguments.get(at + 1)?.to_str(),
                argument => argument.strip_prefix("--color="),
            });
    values
        .filter_map(|value| ColorWhen::from_str(value, false).ok())
        .next_back()
        .unwrap_or_default()
}

/// Prints clap's help, version or usage error, and returns the exit status. clap's own `exit`
/// ignores errors of standard output.
fn end_without_command(text: &clap::Error) -> ExitCode {
    let printed = text.print().and_then(|()| std::io::stdout().flush());
    match printed {
        Err(error) if !text.use_stderr() && error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(anstream::stderr(), "error: cannot print: {error}");
            exit::FAILED.into()
        }
        _ if text.use_stderr() => exit::USAGE.into(),
        _ => ExitCode::SUCCESS,
    }
}

fn main() -> ExitCode {
    session::quieten_caught_panics();
    let arguments = expand(std::env::args_os().collect());
    // Set the colour first, because clap prints help and usage errors while it parses.
    color_of(&arguments).set();
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return end_without_command(&explained(error, &Cli::command())),
    };
    cli.shared.color.set();
    let session = Session::new(&cli.shared);
    let result = match &cli.command {
        Command::Review(review) => review::run(review, &session),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(args, &session),
        Command::Site(args) => site::run(args, &session),
        Command::Pgn(pgn) => pgn::run(pgn, &session),
        Command::Ease(ease) => ease::run(ease, &session),
        Command::Rating(args) => rating::run(args, &session),
        Command::Puzzles(puzzles) => puzzles::run(puzzles, &session),
        Command::Study(command) => study::run(command, &session),
        Command::Policy(policy) => policy::run(policy, &session),
        Command::Wdl(wdl) => wdl::run(wdl, &session),
        Command::Balance(balance) => balance::run(balance, &session),
        Command::Match(args) => match_games::run(args, &session),
        Command::Position(args) => position::run(args, &session),
        Command::Material(material) => material::run(material, &session),
        Command::Merge(args) => merge::run(args, &session),
        Command::Symbols(symbols) => symbols::run(symbols, &session).map(|()| ExitCode::SUCCESS),
        Command::Odds(odds) => odds::run(odds, &session),
        Command::Diagram(diagram) => diagram::run(diagram, &session),
        Command::Uci(args) => uci::run(args, &session),
        Command::Engines(engines) => engines::run(engines, &session),
        Command::Store(store) => store::run(store, &session),
        #[cfg(feature = "fleet")]
        Command::Worker(args) => worker::run(args, &session),
        #[cfg(feature = "fleet")]
        Command::Fleet(command) => fleet::run(command, &session),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "centipawn", &mut script);
            let mut out = std::io::stdout();
            let printed = out.write_all(&script).and_then(|()| out.flush());
            printed.map(|()| ExitCode::SUCCESS).context("cannot print")
        }
        Command::Man { folder, markdown } => if *markdown {
            manual::write_markdown(Cli::command(), folder)
        } else {
            manual::write_pages(Cli::command(), folder)
        }
        .map(|()| ExitCode::SUCCESS)
        .with_context(|| format!("cannot write manual pages into {}", folder.display())),
    };
    result.unwrap_or_else(|error| {
        if exit::is_closed_pipe(&error) {
            // The reader closed standard output, as `head` does, which is no error.
            return ExitCode::SUCCESS;
        }
        // After Ctrl-C other errors are consequences of the interruption, so report only that. A
        // result that cannot be put in place is an independent error.
        if session.is_cancelled() && !exit::is_of_files(&error) {
            session.reporter().note("interrupted");
            return exit::INTERRUPTED.into();
        }
        let message = text::printable_lines(&shorten(&exit::message(&error)));
        // Ignore an error of standard error: the exit status still shows the failure.
        let _ = writeln!(anstream::stderr(), "error: {message}");
        exit::status(&error).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_in_place_of_a_command_are_reviewed() {
        let expanded = |text: &str| {
            let all = expand(text.split(' ').map(OsString::from).collect());
            all.iter()
                .map(|own| own.to_string_lossy())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            expanded("centipawn own.pgn --lines 3"),
            "centipawn review --open --quick own.pgn --lines 3"
        );
        assert_eq!(
            expanded("centipawn own.pgn --archive"),
            "centipawn review --open own.pgn --archive"
        );
        assert_eq!(
            expanded("centipawn review own.pgn"),
            "centipawn review own.pgn"
        );
    }

    /// The help of an option's value stands in double quotes in the completions of zsh and fish.
    #[test]
    fn the_help_of_values_needs_no_quoting() {
        fn check(command: &clap::Command) -> usize {
            let values: Vec<_> = command
                .get_arguments()
                .flat_map(clap::Arg::get_possible_values)
                .collect();
            for value in &values {
                let help = value
                    .get_help()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                assert!(
                    !help.contains(['"', '$', '`', '\\']),
                    "{}: {help}",
                    command.get_name()
                );
            }
            values.len() + command.get_subcommands().map(check).sum::<usize>()
        }
        assert!(check(&Cli::command()) > 50);
    }
}
