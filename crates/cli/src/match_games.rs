//! `centipawn match`: what the games of a match or tournament say.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use centipawn_calibrate::{
    PlotForm,
    engine_match::{Anchor, MatchError, MatchReportOptions, Sprt, SprtModel},
};
use centipawn_pgn::Dialect;
use centipawn_printer as printer;
use centipawn_progress::AtomicFile;
use centipawn_work::scan::{MatchGamesError, MatchRunOptions, MatchScan, match_games};
use clap::{Args, ValueEnum};

use crate::{
    args::{PartialArg, reading},
    exit::usage,
    flags::with_flags,
    pgn::ScanArgs,
    session::Session,
    terminal::columns,
};

/// Arguments of `centipawn match`.
#[derive(Args)]
pub(crate) struct Match {
    #[command(flatten)]
    scan: ScanArgs,
    #[command(flatten)]
    part: PartialArg,
    /// Use only games of this player; twice: only games between these two, and the first one comes
    /// first. A name, or a part of it that no other player has
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,
    /// Test the first of two players sequentially: is it stronger by ELO1 (H1), or by no more than
    /// ELO0 (H0)?
    #[arg(long, value_name = "ELO0,ELO1", value_parser = parse_bounds, allow_hyphen_values = true)]
    sprt: Option<[f64; 2]>,
    /// The scale of --sprt: normalized (normalised Elo), logistic (Elo) or bayesian (BayesElo)
    #[arg(
        long,
        value_name = "MODEL",
        default_value = "normalized",
        requires = "sprt"
    )]
    model: SprtModel,
    /// Probability of accepting H1 though H0 is true
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// Probability of accepting H0 though H1 is true
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "sprt")]
    beta: f64,
    /// White's advantage in Elo for the ratings; fitted to the games by default
    #[arg(long, value_name = "ELO", allow_hyphen_values = true)]
    white_advantage: Option<f64>,
    /// Fix the rating of one player; by default the mean of all ratings is 0
    #[arg(long, value_name = "NAME=ELO")]
    anchor: Option<Anchor>,
    /// Also list results by: opening
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<MatchBy>,
    /// How many openings --by lists
    #[arg(long, value_name = "N", default_value_t = 10, requires = "by")]
    top: usize,
    /// Dialect (notation) of the evaluations in comments, if automatic detection fails, for the
    /// win-draw balance: commands, engine, tcec, text
    #[arg(long, value_name = "DIALECT", default_value_t)]
    evals: Dialect,
    /// Print one JSON document
    #[arg(long, conflicts_with = "partial")]
    json: bool,
    /// Plot ratings, and the results of two players (.svg or .png)
    #[arg(long, value_name = "FILE", conflicts_with = "partial")]
    plot: Option<PathBuf>,
}

/// `--by`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MatchBy {
    /// The opening: start position and book moves
    Opening,
}

/// Runs the command.
pub(crate) fn run(args: &Match, session: &Session) -> Result<ExitCode> {
    let form = args
        .plot
        .as_deref()
        .map(|path| PlotForm::of(path, false))
        .transpose();
    let form = form.map_err(|error| usage(error.to_string()))?;
    let options = args.options()?;
    let mut files = reading(&args.scan.games);
    args.plot.iter().try_for_each(|path| files.reserve(path))?;
    let cancel = session.cancel()?;
    let inputs = args.scan.inputs(&args.part, args.json);
    let finished =
        match_games(&options, inputs, args.scan.run(session, cancel)).map_err(refusal)?;
    let Some(mut result) = finished.result else {
        return Ok(session.status(finished.outcome));
    };
    if let (Some(path), Some(form)) = (&args.plot, form) {
        session.report_kept(AtomicFile::write_whole(path, &result.plot(form), cancel)?);
    }
    if args.json {
        session.print(&result.json())?;
    } else {
        let width = columns();
        result
            .document
            .notes
            .iter_mut()
            .for_each(|note| *note = with_flags(note));
        let mut text = printer::match_games(&result.document, width);
        if args.by == Some(MatchBy::Opening) {
            text.push('\n');
            text.push_str(&printer::match_openings(&result.document, args.top, width));
        }
        session.print(&text)?;
    }
    Ok(session.status(finished.outcome))
}

impl Match {
    fn options(&self) -> Result<MatchRunOptions> {
        let sprt = self.sprt.map(|[elo0, elo1]| Sprt {
            alpha: self.alpha,
            beta: self.beta,
            ..Sprt::new(elo0, elo1, self.model)
        });
        let report = MatchReportOptions {
            players: self.player.clone(),
            sprt,
            white_advantage: self.white_advantage,
            anchor: self.anchor.clone(),
        };
        report.check().map_err(|error| usage(error.to_string()))?;
        Ok(MatchRunOptions {
            shard: self.scan.shard,
            count: MatchScan { evals: self.evals },
            report,
        })
    }
}

fn parse_bounds(text: &str) -> Result<[f64; 2], String> {
    let bounds = text
        .split_once(',')
        .map(|(elo0, elo1)| (elo0.trim().parse(), elo1.trim().parse()));
    match bounds {
        Some((Ok(elo0), Ok(elo1))) => Ok([elo0, elo1]),
        _ => Err("the bounds of a sequential test are two numbers, such as 0,5".to_owned()),
    }
}

fn refusal(error: MatchGamesError) -> anyhow::Error {
    match error {
        MatchGamesError::Report(
            error @ (MatchError::NoPlayer(_)
            | MatchError::SeveralPlayers { .. }
            | MatchError::NoGames(_)
            | MatchError::SprtOfSeveral(_)),
        ) => usage(error.to_string()),
        error => error.into(),
    }
}
