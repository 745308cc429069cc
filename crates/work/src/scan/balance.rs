//! Win-draw balances of engines: from games to the document.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use centipawn_calibrate::{
    CurveFile, PlotForm,
    balance::{BalanceDocument, BalanceEstimate, BalanceOptions, BalancePlot, Bootstrap, Matches},
    document,
    wdl::FenCounters,
};
use centipawn_core::Curve;
use centipawn_engine::{Analyst, Limit};
use centipawn_pgn::{Dialect, Impossible, ScanOptions, ScanReport, Shard, Sources};
use centipawn_progress::{
    Cancel, Cancelled, Outcome, Problem, ProblemCount, Provenance, Reporter, text::plural,
};
use serde::{Deserialize, Serialize};

use super::gather::{gather, named_games};
use crate::{
    Finished, Inputs, Run,
    engine::{BalanceEvaluation, Crew, evaluate_balance},
    scan::{Gathered, InputHashes, Scan, ScanError},
};

/// How games are counted for [`Matches`]; they are to be [finished](Matches::finish) after the last
/// merge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BalanceScan {
    /// The dialect of the evaluations; by default, it is detected for each file.
    pub evals: Dialect,
    /// Options of counting the games.
    #[serde(flatten)]
    pub options: BalanceOptions,
}

impl Scan for BalanceScan {
    type State = Matches;

    const NAME: &'static str = "balance";

    const COMMANDS: &'static [&'static str] = &["balance"];

    fn run(
        &self,
        _book: Option<&FenCounters>,
        sources: &Sources,
        options: &ScanOptions<'_>,
    ) -> Result<(Matches, ScanReport), ScanError> {
        let options = ScanOptions {
            dialect: self.evals,
            ..*options
        };
        Ok(Matches::count_part(sources, &options, &self.options)?)
    }

    fn check(state: &Matches, report: &ScanReport) -> Result<(), Impossible> {
        state.check(report)
    }

    fn for_results(mut self, asked: &Self) -> Self {
        self.options.list = asked.options.list;
        self
    }
}

/// From games to balances: the recipe of `balance --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BalanceRunOptions {
    /// The part of the games to read; all by default.
    pub shard: Shard,
    /// Options of counting the games.
    pub count: BalanceScan,
    /// How intervals are computed.
    pub bootstrap: Bootstrap,
    /// How long an engine thinks about each position, in [`balance_evaluated`]; [`balance`] reads
    /// the evaluations in the games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluate: Option<Limit>,
    /// A part of the names of the engines to count, in upper or lower case; all engines by default.
    /// A whole name means only its engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// Whether the document lists the games not won; they must be [counted
    /// so](centipawn_calibrate::balance::BalanceOptions::list).
    pub list: bool,
}

/// Balances of engines with their provenance.
#[derive(Debug)]
#[non_exhaustive]
pub struct Balances {
    /// An estimate for each group.
    pub rows: Vec<BalanceEstimate>,
    /// Warnings about the games.
    pub warnings: Vec<String>,
    /// Number of games that name a setting of contempt, by the setting.
    pub contempt: BTreeMap<String, u64>,
    /// The provenance; `None` if inputs were not [hashed](Inputs::is_hashed).
    pub provenance: Option<Provenance>,
    /// Whether the games not won are listed.
    pub list: bool,
    /// Whether the stretched curve was fitted.
    pub fit: bool,
}

/// The reason why there are no balances.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BalanceError {
    /// The scan cannot continue.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// No game could be used; this is the reason.
    #[error("{0}")]
    Nothing(String),
    /// No game has evaluations that this dialect reads.
    #[error("no evaluated games: {}, {without_evals} without evaluations; dialect: {evals}", plural(*games, "game"))]
    NoEvals {
        /// Number of games read.
        games: u64,
        /// Number of games without evaluations.
        without_evals: u64,
        /// The dialect that the options or the games selected.
        evals: Dialect,
    },
    /// No engine's name contains the text of [`BalanceRunOptions::player`].
    #[error("no player's name contains {0:?}")]
    NoPlayer(String),
    /// The run was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The estimate that becomes a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BalanceChoice {
    /// The article's: with n games won, the nth highest evaluation of a game not won.
    #[default]
    Counting,
    /// Maximum likelihood over all positions.
    Fitted,
    /// The stretched curve, by maximum likelihood over all positions; the options must [ask for
    /// it](centipawn_calibrate::balance::BalanceOptions::fit).
    Stretched,
}

/// The reason why balances are no curve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BalanceCurveError {
    /// A curve file has a single balance, but there are several.
    #[error("a curve has one balance, and these games have {0}")]
    Several(usize),
    /// There is no counting estimate. A fitted estimate may exist, because it needs only results.
    #[error("there is no counting estimate: {0}")]
    NoCounting(String),
    /// There is no fitted estimate.
    #[error("no balance between 0.1 and 10 pawns fits the results")]
    NoFitted,
    /// There is no stretched curve.
    #[error("no balance and slope fit the results")]
    NoStretched,
}

/// Estimates balances from games, or from parts. Unreadable games are reported, the first ones
/// individually, and skipped.
///
/// # Errors
///
/// [`BalanceError`].
pub fn balance(
    options: &BalanceRunOptions,
    inputs: Inputs<'_>,
    run: Run<'_>,
) -> Result<Finished<Balances>, BalanceError> {
    let choose = || Ok::<_, ScanError>(named_games(inputs.games, run.reporter));
    let mut gathered = gather(
        "balance",
        inputs,
        &options.count,
        None,
        &run.scan(options.shard),
        choose,
    )?;
    gathered.state.finish(&gathered.options.options);
    let outcome = gathered.outcome();
    let Gathered {
        state: matches,
        options: count,
        report,
        hashes,
        is_part,
        ..
    } = gathered;
    if is_part {
        return Ok(Finished {
            result: None,
            outcome,
        });
    }
    let options = BalanceRunOptions {
        count,
        evaluate: None,
        ..options.clone()
    };
    let is_empty = nothing(&matches, (report.games, report.bad_games()), &options);
    if let Some(error) = is_empty.filter(|_| !report.cancelled) {
        return Err(error);
    }
    let provenance = |hashes: InputHashes| provenance(&options).inputs(hashes.finish(run.cancel));
    estimated(
        &matches,
        &options,
        hashes.map(provenance),
        (outcome, &report),
        run,
    )
}

/// Estimates balances from games whose positions `analyst` evaluates within `limit` each, with the
/// help of `crew`: every position in which a move was played. Evaluations in the games are ignored,
/// and games of other players than [`BalanceRunOptions::player`] are skipped. Games that cannot be
/// read and positions that the analyst cannot answer are reported.
///
/// # Errors
///
/// [`BalanceError`].
pub fn balance_evaluated<R: Reporter + 'static>(
    options: &BalanceRunOptions,
    limit: Limit,
    games: &[PathBuf],
    analyst: &dyn Analyst,
    crew: &impl Crew,
    cancel: &Cancel,
    problems: &Arc<ProblemCount<R>>,
) -> Result<Finished<Balances>, BalanceError> {
    let options = BalanceRunOptions {
        evaluate: Some(limit),
        ..options.clone()
    };
    let player = options.player.as_ref().map(|player| player.to_lowercase());
    let sources = Sources::expand_reporting(games, problems);
    let evaluation = BalanceEvaluation {
        limit,
        player: player.as_deref(),
        count: &options.count.options,
    };
    let (mut matches, outcome) =
        evaluate_balance(&sources, evaluation, analyst, crew, cancel, problems);
    cancel.check()?;
    matches.finish(&options.count.options);
    let player = options
        .player
        .clone()
        .filter(|_| matches.is_empty() && matches.unfinished == 0 && outcome.done > 0);
    if let Some(player) = player {
        return Err(BalanceError::NoPlayer(player));
    }
    if let Some(error) = nothing(&matches, (outcome.done, outcome.skipped), &options) {
        return Err(error);
    }
    let hashes = InputHashes::start(sources.paths().to_vec());
    let provenance = provenance(&options)
        .engine(Some(analyst.identity()), limit)
        .inputs(hashes.finish(cancel));
    let run = Run::new(cancel, &**problems);
    // Only the number of unreadable games is known here.
    let errors = [("see the messages".into(), outcome.skipped)].into();
    let report = ScanReport {
        games: outcome.done,
        errors,
        ..ScanReport::default()
    };
    estimated(
        &matches,
        &options,
        Some(provenance),
        (outcome, &report),
        run,
    )
}

/// Returns the provenance of balances, without the inputs.
fn provenance(options: &BalanceRunOptions) -> Provenance {
    Provenance::of("balance", options).seed(options.bootstrap.seed)
}

/// Returns the estimates from counted games.
fn estimated(
    matches: &Matches,
    options: &BalanceRunOptions,
    provenance: Option<Provenance>,
    (outcome, report): (Outcome, &ScanReport),
    run: Run<'_>,
) -> Result<Finished<Balances>, BalanceError> {
    report_left_out(matches, &options.count, run.reporter);
    let mut rows = matches.rows(options.bootstrap, run.cancel, run.reporter)?;
    if let Some(part) = &options.player {
        let part = part.to_lowercase();
        let name = |row: &BalanceEstimate| row.key.engine.as_ref().map(|name| name.to_lowercase());
        // A whole name names only its player, even if it is a part of another name.
        let is_whole = rows.iter().any(|row| name(row).as_ref() == Some(&part));
        rows.retain(|row| {
            name(row).is_some_and(|name| name == part || !is_whole && name.contains(&part))
        });
        if rows.is_empty() {
            return Err(BalanceError::NoPlayer(part));
        }
    }
    let outcome = Outcome {
        done: rows.len() as u64,
        ..outcome
    };
    let further = [
        (matches.unfinished, "without a result"),
        (matches.without_evals, "without evaluations"),
        (matches.excluded, "excluded"),
    ];
    let warnings = report
        .left_out(&further)
        .into_iter()
        .chain(matches.warnings())
        .collect();
    let result = Balances {
        rows,
        warnings,
        contempt: matches.contempt.clone(),
        provenance,
        list: options.list,
        fit: options.count.options.fit,
    };
    Ok(Finished {
        result: Some(result),
        outcome,
    })
}

impl Balances {
    /// Returns the document of `balance --json`.
    pub fn document(&self) -> BalanceDocument {
        let document = BalanceDocument::new(&self.rows, self.list, self.provenance.clone());
        document
            .with_warnings(self.warnings.clone())
            .with_contempt(self.contempt.clone())
    }

    /// Returns the document as JSON.
    pub fn json(&self) -> String {
        document(&self.document())
    }

    /// Returns the games behind each balance, and the scores by evaluation. The games not won must
    /// be [listed](centipawn_calibrate::balance::BalanceOptions::list).
    pub fn plot(&self, form: PlotForm) -> Vec<u8> {
        BalancePlot::new(&self.rows).draw(form)
    }

    /// Returns the relevance curve with the single balance.
    ///
    /// # Errors
    ///
    /// [`BalanceCurveError`], if there are several balances, or no such estimate.
    pub fn curve_file(&self, choice: BalanceChoice) -> Result<CurveFile, BalanceCurveError> {
        let [row] = &*self.rows else {
            return Err(BalanceCurveError::Several(self.rows.len()));
        };
        let counting = || {
            let why = row.reason().unwrap_or("it is not above 0");
            row.pawns()
                .ok_or_else(|| BalanceCurveError::NoCounting(why.to_owned()))
        };
        let balance = match choice {
            BalanceChoice::Counting => counting()?,
            BalanceChoice::Fitted => {
                row.fitted
                    .as_ref()
                    .ok_or(BalanceCurveError::NoFitted)?
                    .balance
            }
            BalanceChoice::Stretched => {
                let stretched = row.stretched.ok_or(BalanceCurveError::NoStretched)?;
                return Ok(CurveFile {
                    curve: stretched.curve(),
                    provenance: self.provenance.clone(),
                });
            }
        };
        Ok(CurveFile {
            curve: Curve::Relevance { balance },
            provenance: self.provenance.clone(),
        })
    }
}

/// Returns the reason if no game was counted, of `games` and `bad` ones that cannot be read.
fn nothing(
    matches: &Matches,
    (games, bad): (u64, u64),
    options: &BalanceRunOptions,
) -> Option<BalanceError> {
    if !matches.is_empty() {
        return None;
    }
    let without_evals = matches.without_evals;
    let evals = options.count.evals;
    Some(BalanceError::Nothing(match (games, bad) {
        (0, 0) => "there are no games".to_owned(),
        (0, bad) => format!("none of {} can be read", plural(bad, "game")),
        (games, _) if without_evals > 0 && options.evaluate.is_none() => {
            return Some(BalanceError::NoEvals {
                games,
                without_evals,
                evals,
            });
        }
        (games, _) if without_evals > 0 => {
            let games = plural(games, "game");
            format!(
                "no game counts: {games}, {without_evals} of which the engine evaluated no position"
            )
        }
        (games, _) => format!(
            "no game counts: {}, {} without a result, {} excluded",
            plural(games, "game"),
            matches.unfinished,
            matches.excluded
        ),
    }))
}

/// Reports how many games were left out, and names of games that do not name one game each.
fn report_left_out(
    matches: &Matches,
    BalanceScan { options, .. }: &BalanceScan,
    reporter: &dyn Reporter,
) {
    let warn = |text: String| reporter.problem(&Problem::warning(text));
    let without_evals = "without evaluations in the dialect of their file";
    for (count, why) in [
        (matches.unfinished, "without a result"),
        (matches.without_evals, without_evals),
    ] {
        if count > 0 {
            warn(format!("{} {why} left out", plural(count, "game")));
        }
    }
    let names = [
        (&options.not_won, matches.not_won, "games not won"),
        (&options.exclude, matches.excluded, "games to leave out"),
    ];
    for (names, count, what) in names {
        if !names.is_empty() && count != names.len() as u64 {
            let named: Vec<String> = names.iter().map(ToString::to_string).collect();
            let games = plural(count, "game");
            warn(format!(
                "{what}: {} names {games}; name the event too where rounds repeat",
                named.join(",")
            ));
        }
    }
}
