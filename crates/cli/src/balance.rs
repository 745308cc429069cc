//! `centipawn balance`: the win-draw balance of engines, from their games.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::{Result, anyhow};
use centipawn_calibrate::{
    PlotForm,
    balance::{BalanceOptions, Bootstrap, By, GameName},
};
use centipawn_engine::Limit;
use centipawn_pgn::{Dialect, Shard};
use centipawn_printer as printer;
use centipawn_progress::{AtomicFile, Cancel, ProblemCount};
use centipawn_work::{
    AnalystSpec, Finished, Inputs, ResourceError, Run,
    engine::Threads,
    scan::{
        BalanceChoice, BalanceCurveError, BalanceError, BalanceRunOptions, BalanceScan, Balances,
        balance, balance_evaluated,
    },
};
use clap::{Args, ValueEnum};

use crate::{
    args::{EngineArgs, LIMITS, PartialArg, SeedArg, reading},
    exit::usage,
    numbers::whole_number,
    session::Session,
    store_arg::StoreArg,
};

/// Arguments of `centipawn balance`.
#[derive(Args)]
#[command(mut_arg("nodes", |arg| arg.help(
    "Evaluate every position of all games with an engine, with N nodes each (20k, 1.5M); evaluations in the games are ignored"
)))]
pub(crate) struct Balance {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns, web addresses, accounts (lichess:NAME,
    /// chesscom:NAME); - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    /// Read only the Ith of N equal parts, to divide the work among machines
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    shard: Shard,
    /// Stop at the first game or file that cannot be read
    #[arg(long, conflicts_with_all = LIMITS)]
    strict: bool,
    #[command(flatten)]
    part: PartialArg,
    /// How to group games: event (an engine in an event), engine, year, opponent, elo
    #[arg(long, value_name = "WHAT", default_value = "event")]
    by: By,
    /// Use only the player with this name, else those whose names contain NAME; an engine then
    /// evaluates only their games
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// List the games that were not won, the highest evaluation first
    #[arg(long)]
    list: bool,
    /// Also fit the curve relevance-stretched: its balance and its slope, by maximum likelihood
    /// over all positions
    #[arg(long)]
    fit: bool,
    /// Count these games as drawn, whatever their result: a number or round (17, 4.1), optionally
    /// with the event ('Season 9:17'); separate several by commas
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    not_won: Vec<GameName>,
    /// Leave these games out
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    exclude: Vec<GameName>,
    /// Dialect (notation) of the evaluations in comments, if automatic detection fails: commands
    /// (lichess, chessbase, scid), engine (cutechess, fastchess, fishtest, openbench, c-chess-cli,
    /// xboard), tcec, text (annotator, chess-artist, chess.com)
    #[arg(long, value_name = "DIALECT", default_value_t, conflicts_with_all = LIMITS)]
    evals: Dialect,
    /// Number of bootstrap resamples for the intervals; 0 for no intervals
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole_number::<u16>(0..=10_000))]
    resamples: u16,
    #[command(flatten)]
    seed: SeedArg,
    /// Print one JSON document
    #[arg(long, conflicts_with = "partial")]
    json: bool,
    /// Write the relevance curve with this balance to a file for --curve; requires a single balance
    #[arg(short, long, value_name = "FILE", conflicts_with = "partial")]
    output: Option<PathBuf>,
    /// Which estimate of the balance the curve uses
    #[arg(long, value_enum, default_value_t, requires = "output")]
    estimate: Which,
    /// Plot the games behind each balance and the scores by evaluation (.svg or .png)
    #[arg(long, value_name = "FILE", conflicts_with = "partial")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    store: StoreArg,
}

/// `--estimate`.
#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
enum Which {
    /// The article's method: if n games are won, the nth highest evaluation among games not won
    #[default]
    Counting,
    /// Maximum likelihood over all positions
    Fitted,
    /// Balance and slope of relevance-stretched, by maximum likelihood; implies --fit
    Stretched,
}

/// Runs the command.
pub(crate) fn run(args: &Balance, session: &Session) -> Result<ExitCode> {
    let form = args
        .plot
        .as_deref()
        .map(|path| PlotForm::of(path, false))
        .transpose();
    let form = form.map_err(|error| usage(error.to_string()))?;
    let mut files = reading(&args.games);
    args.store.protect(&mut files)?;
    args.output
        .iter()
        .chain(&args.plot)
        .try_for_each(|path| files.reserve(path))?;
    let cancel = session.cancel()?;
    let options = args.options()?;
    let finished = match options.evaluate {
        None => {
            let is_hashed = args.json || args.output.is_some();
            let inputs = Inputs {
                games: &args.games,
                partial: args.part.partial.as_deref(),
                is_hashed,
            };
            let threads = args.engine.given_jobs();
            let run = Run {
                threads,
                strict: args.strict,
                ..Run::new(cancel, session.reporter())
            };
            balance(&options, inputs, run).map_err(refusal)?
        }
        Some(limit) => args.evaluate(&options, limit, session, cancel)?,
    };
    let Some(balances) = finished.result else {
        return Ok(session.status(finished.outcome));
    };
    if let (Some(path), Some(form)) = (&args.plot, form) {
        session.report_kept(AtomicFile::write_whole(path, &balances.plot(form), cancel)?);
    }
    if let Some(path) = &args.output {
        let file = balances
            .curve_file(args.estimate.into())
            .map_err(|error| no_curve(error, args.by))?;
        session.report_kept(AtomicFile::write_whole(
            path,
            file.json().as_bytes(),
            cancel,
        )?);
    }
    session.answer(
        args.json,
        || balances.json(),
        || printer::balances(&balances),
    )?;
    Ok(session.status(finished.outcome))
}

impl Balance {
    fn options(&self) -> Result<BalanceRunOptions> {
        let options = BalanceOptions {
            by: self.by,
            not_won: self.not_won.clone(),
            exclude: self.exclude.clone(),
            list: self.list || self.plot.is_some(),
            fit: self.fit || self.estimate == Which::Stretched,
        };
        Ok(BalanceRunOptions {
            shard: self.shard,
            evaluate: self.engine.limit_to_evaluate()?,
            count: BalanceScan {
                evals: self.evals,
                options,
            },
            bootstrap: Bootstrap {
                resamples: self.resamples.into(),
                seed: self.seed.seed,
            },
            player: self.player.clone(),
            list: self.list,
        })
    }

    /// Returns the balances by evaluations of an engine.
    fn evaluate(
        &self,
        options: &BalanceRunOptions,
        limit: Limit,
        session: &Session,
        cancel: &Cancel,
    ) -> Result<Finished<Balances>> {
        if self.shard != Shard::ALL || self.part.partial.is_some() {
            return Err(usage(
                "--shard and --partial are for evaluations in the games: those of an engine are in the store",
            ));
        }
        let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
        let resources = self
            .store
            .resources(cancel, Arc::<ProblemCount<_>>::clone(&problems))?;
        let spec = AnalystSpec {
            engine: Some(self.engine.spec()),
            ..AnalystSpec::default()
        };
        let analyst = resources.analyst(&spec)?.ok_or(ResourceError::NoAnalyst)?;
        let crew = Threads::of(Some(&*analyst));
        let finished = balance_evaluated(
            options,
            limit,
            &self.games,
            &*analyst,
            &crew,
            cancel,
            &problems,
        )
        .map_err(refusal)?;
        session.note(&format!(
            "Evaluations: {}, {limit} for each position",
            analyst.identity().name
        ));
        Ok(finished)
    }
}

impl From<Which> for BalanceChoice {
    fn from(which: Which) -> Self {
        match which {
            Which::Counting => Self::Counting,
            Which::Fitted => Self::Fitted,
            Which::Stretched => Self::Stretched,
        }
    }
}

fn refusal(error: BalanceError) -> anyhow::Error {
    match error {
        BalanceError::NoPlayer(_) => usage(error.to_string()),
        BalanceError::NoEvals { .. } => {
            anyhow!("{error}; see --evals, or evaluate the games with --nodes")
        }
        error => error.into(),
    }
}

fn no_curve(error: BalanceCurveError, by: By) -> anyhow::Error {
    match error {
        BalanceCurveError::Several(_) => {
            let together = if by == By::Engine {
                ""
            } else {
                ", or count together with --by engine"
            };
            usage(format!("{error}; choose one with --player{together}"))
        }
        BalanceCurveError::NoCounting(_) => {
            anyhow!("{error}; --estimate fitted needs only results")
        }
        error => error.into(),
    }
}
