//! Flags that several commands share: each has one meaning everywhere.

use std::{
    ffi::OsStr, fmt::Display, num::NonZero, path::PathBuf, str::FromStr, thread, time::Duration,
};

use anyhow::Result;
use centipawn_calibrate::{Clusters, NamedCurveError, named_choice};
use centipawn_core::{Curve, CurveChoice, HumanModel, NamedCurve, SchemeChoice};
use centipawn_engine::{AnalystError, EngineCommand, EngineSpec, Limit, find};
use centipawn_pgn::{BadTimeControl, Shard, Sources, TimeControl};
use centipawn_progress::{Cancel, Files, Silent, is_account};
use centipawn_review::Language;
use centipawn_uci::RATINGS;
use clap::{
    Arg, Args, Command, ValueEnum,
    builder::{PossibleValue, StringValueParser, TypedValueParser},
};
use shakmaty::Color;

use crate::{exit::usage, session::Session, terminal::ProgressKind};

/// The most engines or threads that may run in parallel; each takes memory, and the system has
/// limits too.
const MOST_JOBS: usize = 1024;

/// Flags of every command.
#[derive(Args)]
pub(crate) struct Shared {
    /// Print only the result (standard output) and errors (standard error)
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// When to use colour
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        help_heading = "Output"
    )]
    pub(crate) color: ColorWhen,
    /// How to show progress
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        help_heading = "Output"
    )]
    pub(crate) progress: ProgressKind,
}

/// `--color`.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum ColorWhen {
    /// Only on a terminal
    #[default]
    Auto,
    Always,
    Never,
}

impl ColorWhen {
    /// Sets whether output has colours, from now on.
    pub(crate) fn set(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// The engine.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub(crate) struct EngineChoice {
    /// UCI engine: a name, a path, or a command with arguments
    /// [default: $CENTIPAWN_ENGINE, or stockfish]
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    /// Engine option; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,
}

/// The engine and its limit.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub(crate) struct EngineArgs {
    #[command(flatten)]
    choice: EngineChoice,
    /// Nodes per position (100k, 1.5M) [default: 1M]
    #[arg(long, value_name = "N", value_parser = parse_nodes, conflicts_with_all = ["depth", "movetime"])]
    nodes: Option<Limit>,
    /// Depth per position, instead of nodes
    #[arg(long, value_name = "N", value_parser = parse_depth, conflicts_with = "movetime")]
    depth: Option<Limit>,
    /// Milliseconds per position, instead of nodes; results then differ between runs
    #[arg(long, value_name = "MS", value_parser = parse_movetime)]
    movetime: Option<Limit>,
    #[command(flatten)]
    jobs: JobsArg,
}

/// Parallelism.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct JobsArg {
    /// Number of engines or threads that run in parallel [default: one per processor core]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<NonZero<usize>>,
}

/// Which games of an account are read.
#[derive(Args, Clone, Debug)]
pub(crate) struct AccountArgs {
    /// Of lichess:NAME and chesscom:NAME, read only games since this year, month or day (2026,
    /// 2026-10, 2026-10-05)
    #[arg(long, value_name = "DATE", help_heading = "Games of an account")]
    since: Option<String>,
    /// Of lichess:NAME and chesscom:NAME, read only games up to this year, month or day
    #[arg(long, value_name = "DATE", help_heading = "Games of an account")]
    until: Option<String>,
    /// Of lichess:NAME and chesscom:NAME, read only the N newest games
    #[arg(long, value_name = "N", help_heading = "Games of an account")]
    max: Option<NonZero<usize>>,
    /// Of lichess:NAME and chesscom:NAME, read only these games: bullet, blitz, rapid, classical,
    /// correspondence
    #[arg(long, value_name = "CLASSES", help_heading = "Games of an account")]
    time_class: Option<String>,
}

impl AccountArgs {
    /// Returns the inputs with these conditions added to each account (such as `lichess:NAME`).
    pub(crate) fn apply(&self, games: &[PathBuf]) -> Result<Vec<PathBuf>> {
        let conditions = [
            ("since", self.since.clone()),
            ("until", self.until.clone()),
            ("max", self.max.map(|max| max.to_string())),
            ("time-class", self.time_class.clone()),
        ];
        let given: Vec<String> = conditions
            .into_iter()
            .filter_map(|(key, value)| Some(format!("{key}={}", value?)))
            .collect();
        if let (Some(first), false) = (given.first(), games.iter().any(|path| is_account(path))) {
            let flag = first.split('=').next().unwrap_or_default();
            return Err(usage(format!(
                "--{flag} is for games of an account; write lichess:NAME or chesscom:NAME"
            )));
        }
        let with = |path: &PathBuf| {
            if given.is_empty() || !is_account(path) {
                return path.clone();
            }
            let text = path.to_string_lossy();
            let joint = if text.contains('?') { '&' } else { '?' };
            PathBuf::from(format!("{text}{joint}{}", given.join("&")))
        };
        Ok(games.iter().map(with).collect())
    }
}

/// `--partial`.
#[derive(Args, Clone, Debug)]
pub(crate) struct PartialArg {
    /// Write this part (see --shard) to a file instead of results; the same command, with all parts
    /// in place of games, makes the results
    #[arg(long, value_name = "FILE")]
    pub(crate) partial: Option<PathBuf>,
}

/// `--shard` of commands that work game by game.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ShardArg {
    /// Process only every Nth game, beginning with the Ith, to divide the work among machines
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    pub(crate) shard: Shard,
}

/// `--seed`.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct SeedArg {
    /// Seed of the random numbers for resampling
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

impl JobsArg {
    /// Returns the number given, `None` for the default.
    pub(crate) fn given(self) -> Option<NonZero<usize>> {
        self.jobs
    }

    /// Returns the number given, or one for each core.
    pub(crate) fn or_cores(self) -> usize {
        self.jobs
            .or_else(|| thread::available_parallelism().ok())
            .map_or(1, NonZero::get)
    }
}

impl EngineChoice {
    /// Returns the engine that the flags and the environment name, `jobs` times.
    pub(crate) fn spec(&self, jobs: JobsArg) -> EngineSpec {
        EngineSpec {
            command: self.command(),
            options: self.options.clone(),
            jobs: jobs.or_cores(),
        }
    }

    /// Returns the program of the engine.
    pub(crate) fn find(&self) -> Result<EngineCommand, AnalystError> {
        find(&self.command())
    }

    /// Returns the options given, in their order.
    pub(crate) fn options(&self) -> &[(String, String)] {
        &self.options
    }

    fn command(&self) -> String {
        let set = self
            .engine
            .clone()
            .or_else(|| environment("CENTIPAWN_ENGINE"));
        set.unwrap_or_else(|| "stockfish".to_owned())
    }
}

impl EngineArgs {
    /// Returns the engine that the flags and the environment name.
    pub(crate) fn spec(&self) -> EngineSpec {
        self.choice.spec(self.jobs)
    }

    /// Returns the limit of each search.
    pub(crate) fn limit(&self) -> Limit {
        self.given_limit().unwrap_or(Limit::USUAL)
    }

    /// Returns the search limit of commands that have an engine evaluate games only on request.
    /// Without a limit (`None`) they read the evaluations in the games.
    pub(crate) fn limit_to_evaluate(&self) -> Result<Option<Limit>> {
        let limit = self.given_limit();
        let flag = match &self.choice {
            _ if limit.is_some() => return Ok(limit),
            choice if choice.engine.is_some() => "--engine",
            choice if !choice.options.is_empty() => "--option",
            _ => return Ok(None),
        };
        Err(usage(format!(
            "{flag} needs --nodes, --depth or --movetime: without a limit no engine runs, and the games' own evaluations are read"
        )))
    }

    /// Returns the limit that the flags give, if any.
    pub(crate) fn given_limit(&self) -> Option<Limit> {
        self.depth.or(self.movetime).or(self.nodes)
    }

    /// Returns the number of engines or threads, `None` for the default.
    pub(crate) fn given_jobs(&self) -> Option<NonZero<usize>> {
        self.jobs.given()
    }
}

/// Endgame tables, which are asked before engines.
#[derive(Args, Clone, Debug)]
pub(crate) struct TablesArg {
    /// Folder of Syzygy tables, which evaluate endgame positions in place of the engine
    #[arg(long, value_name = "FOLDER", help_heading = "Engine")]
    pub(crate) syzygy: Option<PathBuf>,
}

/// The flags that request an engine, for commands that otherwise read the evaluations in the games.
pub(crate) const LIMITS: [&str; 3] = ["nodes", "depth", "movetime"];

/// Returns the files that a command reads, which no result may replace: the games, including those
/// in folders and those that match patterns.
pub(crate) fn reading(games: &[PathBuf]) -> Files {
    let mut files = Files::reading(games);
    // Ignore missing files here, because the scan reports them when it opens them.
    files.also_reads(Sources::expand_reporting(games, &Silent).paths());
    files
}

/// Returns a setting from the environment; an empty value counts as unset.
pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name)
        .ok()
        .filter(|value| !value.trim().is_empty())
}

/// Returns the value of a flag, else of an environment variable, else the default. clap's own `env`
/// is not used: it takes an empty variable for a value, and reports a wrong variable as a wrong
/// flag.
fn or_environment<T: FromStr<Err: Display> + Default>(given: Option<T>, name: &str) -> Result<T> {
    match (given, environment(name)) {
        (Some(given), _) => Ok(given),
        (None, Some(text)) => text
            .trim()
            .parse()
            .map_err(|error| usage(format!("{name}: {error}"))),
        (None, None) => Ok(T::default()),
    }
}

/// Returns the symbol schemes from the flag, else from the environment.
pub(crate) fn scheme(given: Option<SchemeChoice>) -> Result<SchemeChoice> {
    or_environment(given, "CENTIPAWN_SCHEME")
}

/// Returns the language from the flag, else from the environment.
pub(crate) fn language(given: Option<Language>) -> Result<Language> {
    or_environment(given, "CENTIPAWN_LANGUAGE")
}

fn parse_jobs(text: &str) -> Result<NonZero<usize>, String> {
    let jobs = text
        .parse()
        .ok()
        .filter(|jobs: &NonZero<usize>| jobs.get() <= MOST_JOBS);
    jobs.ok_or_else(|| format!("jobs are a number from 1 to {MOST_JOBS}"))
}

pub(crate) fn parse_nodes(text: &str) -> Result<Limit, String> {
    match text.parse() {
        Ok(Limit::Nodes(nodes)) if nodes > 0 => Ok(Limit::Nodes(nodes)),
        _ => Err("nodes are a number above 0, such as 200000, 200k or 1.5M".to_owned()),
    }
}

pub(crate) fn parse_depth(text: &str) -> Result<Limit, String> {
    match text.parse() {
        Ok(depth @ 1..=245) => Ok(Limit::Depth(depth)),
        _ => Err("a depth is a number from 1 to 245".to_owned()),
    }
}

fn parse_movetime(text: &str) -> Result<Limit, String> {
    match text.parse() {
        Ok(milliseconds) if milliseconds > 0 => {
            Ok(Limit::MoveTime(Duration::from_millis(milliseconds)))
        }
        _ => Err("a time is a number of milliseconds above 0".to_owned()),
    }
}

pub(crate) fn parse_option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("an engine option is NAME=VALUE, such as Hash=256".to_owned()),
    }
}

/// Accepts any text, since it may name a file, and lists the names of curves for completion.
#[derive(Clone, Debug)]
pub(crate) struct CurveName;

impl TypedValueParser for CurveName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let auto = PossibleValue::new("auto").help("by the players of each game");
        let named = Curve::NAMED
            .iter()
            .map(|named| PossibleValue::new(named.name).help(named.about));
        Some(Box::new(std::iter::once(auto).chain(named)))
    }
}

/// Returns the help of an option for a curve: the text `begin`, then the names of all curves.
pub(crate) fn curve_help(begin: &str) -> String {
    format!(
        "{begin}, {}, stockfish-VERSION, or a curve file",
        NamedCurve::list(|_| true)
    )
}

/// The curve from evaluation to expected score.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Curve")]
pub(crate) struct CurveArgs {
    /// Curve from evaluation to expected score
    ///
    /// Default without these flags: $CENTIPAWN_CURVE, or $CENTIPAWN_BALANCE.
    #[arg(
        long, value_name = "NAME|FILE", value_parser = CurveName, hide_possible_values = true,
        help = curve_help("Curve from evaluation to expected score: auto (by the players)"),
        long_help = curve_help("Curve from evaluation to expected score: auto (by the players)")
            + "\n\nDefault without these flags: $CENTIPAWN_CURVE, or $CENTIPAWN_BALANCE."
    )]
    curve: Option<String>,
    /// Win-draw balance in pawns: the evaluation that wins half of the games. Implies --curve
    /// relevance
    #[arg(long, value_name = "PAWNS", value_parser = parse_balance, conflicts_with_all = ["rating", "time"])]
    balance: Option<f64>,
    /// Mean rating of the two players, instead of the ratings in the game's tags. Implies --curve
    /// human
    #[arg(long, value_name = "ELO", value_parser = parse_rating)]
    rating: Option<f64>,
    /// Time control in seconds (600+5), or in minutes if under 60 (15+10) or under 180 with +10 or
    /// more (90+30), instead of the one in the game's tags. Implies --curve human
    #[arg(long, value_name = "BASE+INCREMENT", value_parser = parse_time)]
    time: Option<TimeControl>,
}

impl CurveArgs {
    /// Returns whether a flag names a curve; the environment may also name one, for all commands.
    pub(crate) fn is_given(&self) -> bool {
        self.curve.is_some()
            || self.balance.is_some()
            || self.rating.is_some()
            || self.time.is_some()
    }

    /// Returns the curve for each game. Prints a note if `--rating` or `--time` lies outside the
    /// range of the model's games.
    pub(crate) fn noted_choice(&self, session: &Session) -> Result<CurveChoice> {
        let choice = self.choice(session.cancel()?)?;
        if let Some(note) = choice.beyond_games() {
            session.note(&note);
        }
        Ok(choice)
    }

    /// Returns the curve for each game. If the curve file is a pipe, setting `cancel` ends the wait
    /// for it.
    pub(crate) fn choice(&self, cancel: &Cancel) -> Result<CurveChoice> {
        // Read the environment only if no flag names a curve. clap's `env` would combine the flag
        // --balance with the variable CENTIPAWN_CURVE, which mean different curves.
        let (given_name, given_balance) = if self.is_given() {
            (self.curve.clone(), self.balance)
        } else {
            let balance = environment("CENTIPAWN_BALANCE")
                .map(|text| parse_balance(&text))
                .transpose();
            (
                environment("CENTIPAWN_CURVE"),
                balance.map_err(|error| usage(format!("CENTIPAWN_BALANCE: {error}")))?,
            )
        };
        let (own_rating, own_seconds) = (self.rating, self.time.map(TimeControl::seconds));
        let choice = match (&given_name, given_balance) {
            (Some(name), balance) => {
                named_choice(name, balance.unwrap_or(Curve::DEFAULT_BALANCE), cancel)
                    .map_err(curve_error)?
            }
            (None, Some(balance)) => Curve::Relevance { balance }.into(),
            (None, None) if own_rating.is_some() || own_seconds.is_some() => CurveChoice::human(),
            (None, None) => CurveChoice::Auto,
        };
        // A balance without a name means the curve `relevance`.
        let leaves_balance_open = given_name.as_deref().is_none_or(Curve::leaves_balance_open);
        let name = given_name.unwrap_or_default();
        if given_balance.is_some() && !leaves_balance_open {
            return Err(usage(format!(
                "--balance is for the curves {}; {name} has its own",
                Curve::with_open_balance()
            )));
        }
        match choice {
            CurveChoice::Human {
                rating,
                seconds,
                pool,
                model,
            } => Ok(CurveChoice::Human {
                rating: own_rating.or(rating),
                seconds: own_seconds.or(seconds),
                pool,
                model,
            }),
            _ if own_rating.is_some() || own_seconds.is_some() => Err(usage(format!(
                "--rating and --time are for the human curve; {name} depends on neither"
            ))),
            choice => Ok(choice),
        }
    }

    /// Returns the curve requested, for evaluations without a game; `None` if the command may
    /// choose.
    pub(crate) fn curve(&self, cancel: &Cancel) -> Result<Option<Curve>> {
        Ok(self.choice(cancel)?.without_game())
    }

    /// Returns the curve requested, or the relevance curve at its default balance.
    pub(crate) fn curve_or_relevance(&self, cancel: &Cancel) -> Result<Curve> {
        Ok(self.curve(cancel)?.unwrap_or(Curve::Relevance {
            balance: Curve::DEFAULT_BALANCE,
        }))
    }
}

/// Returns a choice of curves by name, or from a file.
pub(crate) fn named_curve_choice(name: &str, cancel: &Cancel) -> Result<CurveChoice> {
    named_choice(name, Curve::DEFAULT_BALANCE, cancel).map_err(curve_error)
}

/// Returns the human model by name (`human`), or from a file.
pub(crate) fn human_model(name: &str, cancel: &Cancel) -> Result<HumanModel> {
    match named_curve_choice(name, cancel)? {
        CurveChoice::Human { model, .. } => Ok(model),
        _ => Err(usage(format!(
            "{name} is no human curve; give a file that `centipawn wdl human --out` wrote"
        ))),
    }
}

/// Makes an unknown name a usage error.
fn curve_error(error: NamedCurveError) -> anyhow::Error {
    if matches!(
        error,
        NamedCurveError::Unknown(_) | NamedCurveError::Numbers(_)
    ) {
        usage(error.to_string())
    } else {
        error.into()
    }
}

fn parse_rating(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rating)
            if (f64::from(*RATINGS.start())..=f64::from(*RATINGS.end())).contains(&rating) =>
        {
            Ok(rating)
        }
        _ => Err(format!("a rating is a number {}", range_of_ratings())),
    }
}

/// In words: `from 100 to 4000`.
pub(crate) fn range_of_ratings() -> String {
    format!("from {} to {}", RATINGS.start(), RATINGS.end())
}

pub(crate) fn parse_time(text: &str) -> Result<TimeControl, String> {
    TimeControl::typed(text).ok_or_else(|| BadTimeControl.to_string())
}

fn parse_balance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(balance) => Curve::Relevance { balance }
            .check()
            .map(|()| balance)
            .map_err(|error| error.to_string()),
        _ => Err("a balance is a number of pawns above 0, such as 0.62".to_owned()),
    }
}

/// `--folds`.
pub(crate) fn parse_folds(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(folds @ (0 | 2..=50)) => Ok(folds),
        _ => Err("folds are 2 to 50, or 0 for none".to_owned()),
    }
}

/// `white` or `black`, or their first letters.
pub(crate) fn parse_side(text: &str) -> Result<Color, String> {
    match text.to_ascii_lowercase().as_str() {
        "white" | "w" => Ok(Color::White),
        "black" | "b" => Ok(Color::Black),
        _ => Err("a side is white or black".to_owned()),
    }
}

/// `--clusters`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClustersName {
    /// Games, which the table must number
    #[default]
    Game,
    /// Rows: each row without a game number is a game
    Row,
}

impl From<ClustersName> for Clusters {
    fn from(name: ClustersName) -> Self {
        match name {
            ClustersName::Game => Self::Game,
            ClustersName::Row => Self::Row,
        }
    }
}
