//! `centipawn ease`: how hard positions are for humans.

use std::{io, path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Result;
use centipawn_engine::ChessDb;
use centipawn_judge::ease::{EaseOptions, EaseOutcome};
use centipawn_pgn::Dialect;
use centipawn_printer as printer;
use centipawn_progress::{Cancel, ProblemCount, Provenance};
use centipawn_review::MomentDocument;
use centipawn_work::{
    AnalystSpec,
    engine::{EaseResources, PositionInput, Threads, judge_ease},
};
use clap::Args;

use crate::{
    args::{CurveArgs, EngineArgs, ShardArg},
    crew::{AnyCrew, CrewArgs},
    exit::usage,
    numbers::whole_number,
    policies::{PlayersArg, PolicyArgs},
    session::Session,
    store_arg::StoreArg,
};

/// Arguments of `centipawn ease`.
#[derive(Args)]
pub(crate) struct EaseArgs {
    /// Positions (FEN or startpos, optionally followed by "moves e2e4 …"), files with one position
    /// on each line, or files of games; - is standard input
    #[arg(required = true, value_name = "FEN|FILE")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    part: ShardArg,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    players: PlayersArg,
    #[command(flatten)]
    engine: EngineArgs,
    /// Number of lines per position; moves that humans are likely to play are evaluated even
    /// outside these lines
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole_number::<u16>(1..=500), help_heading = "Engine")]
    lines: u16,
    /// Use evaluations in the games; the engine evaluates only moves that humans are likely to play
    /// and that have no evaluation
    #[arg(long, help_heading = "Engine")]
    reuse_evals: bool,
    /// Dialect (notation) of the evaluations in comments, if automatic detection fails: commands
    /// (lichess, chessbase, scid), engine (cutechess, fastchess, fishtest, openbench, c-chess-cli,
    /// xboard), tcec, text (annotator, chess-artist, chess.com)
    #[arg(long, value_name = "DIALECT", default_value_t, help_heading = "Engine")]
    evals: Dialect,
    /// Query ChessDB first, and use the engine only if ChessDB lacks evaluations; =URL sets another
    /// address
    #[arg(long, value_name = "URL", num_args = 0..=1, require_equals = true, value_parser = parse_service, help_heading = "Engine")]
    chessdb: Option<Option<String>>,
    /// Use no engine: with --chessdb, positions without an evaluation in ChessDB fail; with
    /// --reuse-evals alone, ease is only an upper bound ("at most")
    #[arg(long, help_heading = "Engine")]
    no_engine: bool,
    #[command(flatten)]
    store: StoreArg,
    #[command(flatten)]
    crew: CrewArgs,
    /// Also use stored searches that are deeper or have more lines than requested; results then
    /// depend on the contents of the store
    #[arg(long, help_heading = "Engine")]
    at_least: bool,
    #[command(flatten)]
    curve: CurveArgs,
    /// For positions: number of moves to look ahead for the side to move. After each natural move
    /// the engine's best reply is played. A value of 3 needs about forty searches per position
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_number::<u8>(1..=5))]
    ahead: u8,
    /// Show each move's probability, worth, loss and share of the difficulty
    #[arg(long, help_heading = "Output")]
    explain: bool,
    /// Print one JSON document per line, for each position, network and level
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// Returns the address of a ChessDB.
fn parse_service(text: &str) -> Result<String, String> {
    let is_address = ["http://", "https://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    is_address
        .then(|| text.to_owned())
        .ok_or_else(|| "an address begins with http:// or https://".to_owned())
}

/// Runs the command.
pub(crate) fn run(args: &EaseArgs, session: &Session) -> Result<ExitCode> {
    let cancel = session.cancel()?;
    let networks = args.policy.open()?;
    let options = EaseOptions {
        levels: args.policy.ease_levels(args.players, &networks, session),
        ..args.options(cancel)?
    };
    let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
    let input = PositionInput::read(&args.inputs, cancel, &problems)
        .map_err(|error| usage(error.to_string()))?;
    let input = input.divided(args.part.shard);
    let what = if matches!(input, PositionInput::Positions(_)) {
        "position"
    } else {
        "game"
    };
    let opened = args
        .store
        .resources(cancel, Arc::<ProblemCount<_>>::clone(&problems))?;
    let of_here = [
        ("--at-least", args.at_least),
        ("--no-engine", args.no_engine),
        ("--chessdb", args.chessdb.is_some()),
        ("a position", matches!(input, PositionInput::Positions(_))),
    ];
    args.crew.refuse_with(&of_here)?;
    let (crew, analyst) = match opened.analyst(&args.analyst()?)? {
        Some(analyst) => {
            let (crew, analyst) =
                args.crew
                    .crew(&opened, analyst, &args.engine.spec(), &networks, &problems)?;
            (crew, Some(analyst))
        }
        None => (AnyCrew::Threads(Threads::of(None)), None),
    };
    let resources = EaseResources {
        networks: &networks,
        analyst: analyst.as_deref(),
    };
    let mut provenance = args.json.then(|| resources.provenance(&options, &input));
    let show = |judged: &EaseOutcome| {
        let text = if args.json {
            lines(judged, &mut provenance)?
        } else {
            printer::ease(judged, args.explain)
        };
        session.reporter().print(&text)
    };
    let outcome = judge_ease(input, &options, &resources, &crew, cancel, &problems, show).map_err(
        |error| {
            if error.is_usage() {
                usage(error.to_string())
            } else {
                error.into()
            }
        },
    )?;
    if let Some(status) = crew.end(problems.errors(), session)? {
        return Ok(status);
    }
    Ok(session.exit(outcome, what, "judged"))
}

/// Returns the documents of a game or position, one per line; the very first line has the
/// provenance.
fn lines(judged: &EaseOutcome, provenance: &mut Option<Provenance>) -> io::Result<String> {
    let mut text = String::new();
    for document in MomentDocument::of_outcome(judged, provenance) {
        text += &serde_json::to_string(&document)?;
        text.push('\n');
    }
    Ok(text)
}

impl EaseArgs {
    fn options(&self, cancel: &Cancel) -> Result<EaseOptions> {
        Ok(EaseOptions {
            at_least: self.at_least,
            lines: self.lines.into(),
            curve: self.curve.curve(cancel)?,
            ahead: self.ahead.into(),
            reuse_evals: self.reuse_evals.then_some(self.evals),
            ..EaseOptions::new(self.engine.limit())
        })
    }

    /// Returns the analyst: ChessDB, engines, or ChessDB before engines; none if evaluations come
    /// from the games alone.
    fn analyst(&self) -> Result<AnalystSpec> {
        if self.no_engine && !self.reuse_evals && self.chessdb.is_none() {
            return Err(usage(
                "without an engine evaluations must come from the games (--reuse-evals) or from --chessdb",
            ));
        }
        let chessdb = self
            .chessdb
            .clone()
            .map(|address| address.unwrap_or_else(|| ChessDb::BASE.to_owned()));
        let engine = (!self.no_engine).then(|| self.engine.spec());
        Ok(AnalystSpec {
            engine,
            chessdb,
            at_least: self.at_least,
            ..AnalystSpec::default()
        })
    }
}
