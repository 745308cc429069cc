//! `centipawn study`: mistakes as a lesson, games and puzzles as chapters that Lichess imports.

mod place;

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Result;
use centipawn_core::SchemeChoice;
use centipawn_judge::JudgeOptions;
use centipawn_pgn::{Dialect, Sources, StudyMode};
use centipawn_progress::{Files, Outcome, Problem, ProblemCount, Reporter as _};
use centipawn_review::{Language, Review, ReviewOptions};
use centipawn_site::Study;
use centipawn_work::{
    AnalystSpec,
    engine::{ReviewResources, Threads, read_puzzles, review_files},
};
use clap::{Args, Subcommand};

use self::place::{Place, PlaceArgs};
use crate::{
    args::{AccountArgs, CurveArgs, EngineArgs, TablesArg, language, scheme},
    exit::usage,
    numbers::whole_number,
    player,
    policies::{PlayersArg, PolicyArgs},
    session::Session,
    store_arg::StoreArg,
    terminal::Terminal,
    text::plural,
};

/// `centipawn study …`.
#[derive(Subcommand)]
pub(crate) enum StudyCommand {
    /// Review games, and make each mistake a chapter of an interactive lesson that asks for the
    /// better move
    #[command(after_help = "\
Examples:
  centipawn study lesson examples/opera-game.pgn --nodes 200k -o lesson.pgn
  centipawn study lesson examples/*.pgn --player 'Anderssen, Adolf' --worst 5 --nodes 200k
  centipawn study lesson lichess:NAME --player NAME --since 2026-10 --post --name 'My mistakes'")]
    Lesson(Box<Lesson>),
    /// Review games, and make each a chapter with symbols, better lines, reasons and arrows
    #[command(after_help = "\
Examples:
  centipawn study games examples/opera-game.pgn --nodes 200k -o study.pgn
  centipawn study games reviewed.pgn --reuse-evals --post --name Club --visibility unlisted")]
    Games(Box<Games>),
    /// Make each puzzle a chapter
    #[command(after_help = "\
Examples:
  centipawn study puzzles examples/puzzles.csv -o study.pgn
  centipawn study puzzles examples/puzzles.csv --first 5 --language de
  centipawn study puzzles puzzles.csv --post --name Tactics")]
    Puzzles(Puzzles),
}

/// Arguments of `centipawn study lesson`.
#[derive(Args)]
pub(crate) struct Lesson {
    #[command(flatten)]
    review: ReviewArgs,
    /// Use only mistakes of this player: the whole name as in the tags, in upper or lower case
    /// [default: both players]
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Keep only the N mistakes that cost most
    #[arg(long, value_name = "N")]
    worst: Option<usize>,
    /// Number of lines per position: the lines after the first become variations, as good moves or
    /// as mistakes
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole_number::<u16>(1..=500), help_heading = "Engine")]
    lines: u16,
    /// Also add mistakes that players of the mover's rating often make in the position, by a policy
    /// network
    #[arg(long)]
    ease: bool,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Arguments of `centipawn study games`.
#[derive(Args)]
pub(crate) struct Games {
    #[command(flatten)]
    review: ReviewArgs,
    /// Show the games of this player from their side: the whole name as in the tags, in upper or
    /// lower case
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Number of lines per position; good-move symbols need at least 2
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = whole_number::<u16>(1..=500), help_heading = "Engine")]
    lines: u16,
}

/// Arguments of `centipawn study puzzles`.
#[derive(Args)]
pub(crate) struct Puzzles {
    /// Files of puzzles (CSV, JSON lines, PGN; plain, .gz, .zst, .bz2); - is standard input
    #[arg(required = true, value_name = "PUZZLES")]
    puzzles: Vec<PathBuf>,
    /// Read only the first N puzzles of each file
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    #[command(flatten)]
    place: PlaceArgs,
    /// Language of the comments: en (English), de (German)
    /// [default: $CENTIPAWN_LANGUAGE, or en]
    #[arg(long, value_name = "CODE")]
    language: Option<Language>,
}

/// Games, and how they are reviewed.
#[derive(Args)]
struct ReviewArgs {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns, web addresses, accounts (lichess:NAME,
    /// chesscom:NAME); - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    #[command(flatten)]
    account: AccountArgs,
    #[command(flatten)]
    place: PlaceArgs,
    /// Use evaluations in the games; the engine searches only positions without one
    #[arg(long, help_heading = "Engine")]
    reuse_evals: bool,
    /// Dialect (notation) of the evaluations in comments, if automatic detection fails: commands
    /// (lichess, chessbase, scid), engine (cutechess, fastchess, fishtest, openbench, c-chess-cli,
    /// xboard), tcec, text (annotator, chess-artist, chess.com)
    #[arg(
        long,
        value_name = "DIALECT",
        default_value_t,
        requires = "reuse_evals",
        help_heading = "Engine"
    )]
    evals: Dialect,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    tables: TablesArg,
    #[command(flatten)]
    store: StoreArg,
    #[command(flatten)]
    curve: CurveArgs,
    /// Symbol schemes (see review): a mistake is a move with ?!, ? or ??
    /// [default: $CENTIPAWN_SCHEME, or auto,s40]
    #[arg(long, value_name = "SCHEME", help_heading = "Curve")]
    scheme: Option<SchemeChoice>,
    /// Language of the comments: en (English), de (German)
    /// [default: $CENTIPAWN_LANGUAGE, or en]
    #[arg(long, value_name = "CODE")]
    language: Option<Language>,
}

/// Runs the command.
pub(crate) fn run(command: &StudyCommand, session: &Session) -> Result<ExitCode> {
    match command {
        StudyCommand::Lesson(args) => lesson(args, session),
        StudyCommand::Games(args) => games(args, session),
        StudyCommand::Puzzles(args) => puzzles(args, session),
    }
}

fn lesson(args: &Lesson, session: &Session) -> Result<ExitCode> {
    if !args.ease && args.policy.is_given() {
        return Err(usage(
            "--policy and --level are for --ease; give that as well",
        ));
    }
    let player = player::named(args.player.as_deref())?;
    let default = player.map_or_else(
        || "Mistakes".to_owned(),
        |player| format!("Mistakes of {player}"),
    );
    let networks = if args.ease {
        args.policy.open()?
    } else {
        Vec::new()
    };
    let options = args.review.options(session)?;
    let judge = JudgeOptions {
        lines: args.lines.into(),
        ease_levels: args
            .policy
            .ease_levels(PlayersArg::default(), &networks, session),
        ..options.judge
    };
    let options = ReviewOptions {
        judge: judge.with_networks(&networks),
        ..options
    };
    let work = args
        .review
        .begin(&options, StudyMode::Lesson, &default, session)?;
    let (mut study, mut plays, mut without_better) = (work.study(), false, 0);
    let outcome = work.review(&options, &networks, session, |review| {
        let added = study.add_mistakes(review, player);
        plays |= added.plays;
        without_better += added.without_better;
    })?;
    check_player(player, plays, outcome)?;
    if without_better > 0 {
        work.problems.problem(&Problem::warning(format_args!(
            "{} left out: no better move is known; review the games with the engine",
            plural(without_better as u64, "mistake")
        )));
    }
    let left_out = args.worst.map_or(0, |worst| study.keep_worst(worst));
    if left_out > 0 {
        session.note(&format!(
            "{} left out by --worst",
            plural(left_out as u64, "mistake")
        ));
    }
    work.place.finish(&study, outcome, session)?;
    Ok(session.exit(outcome, "game", "reviewed"))
}

fn games(args: &Games, session: &Session) -> Result<ExitCode> {
    let player = player::named(args.player.as_deref())?;
    let mut options = args.review.options(session)?;
    options.judge.lines = args.lines.into();
    let work = args
        .review
        .begin(&options, StudyMode::Analysis, "Games", session)?;
    let (mut study, mut plays) = (work.study(), false);
    let outcome = work.review(&options, &[], session, |review| {
        plays |= study.add_game(review, player);
    })?;
    check_player(player, plays, outcome)?;
    work.place.finish(&study, outcome, session)?;
    Ok(session.exit(outcome, "game", "reviewed"))
}

fn puzzles(args: &Puzzles, session: &Session) -> Result<ExitCode> {
    let cancel = session.cancel()?;
    let problems = ProblemCount::new(&**session.reporter());
    let mut files = Files::reading(&args.puzzles);
    let place = Place::open(
        &args.place,
        StudyMode::Lesson,
        "Puzzles",
        &mut files,
        session,
    )?;
    let mut study = Study::new(place.name(), language(args.language)?);
    for mut puzzle in
        read_puzzles(&args.puzzles, args.first, cancel, &problems).take_while(|_| !cancel.is_set())
    {
        if puzzle.themes.is_empty() {
            puzzle.tag();
        }
        study.add_puzzle(&puzzle);
    }
    let outcome = Outcome {
        done: study.len() as u64,
        skipped: problems.errors(),
        cancelled: cancel.is_set(),
    };
    place.finish(&study, outcome, session)?;
    Ok(session.exit(outcome, "puzzle", "written"))
}

fn check_player(player: Option<&str>, plays: bool, outcome: Outcome) -> Result<()> {
    match player {
        Some(player) if !plays && !outcome.cancelled && outcome.done > 0 => {
            Err(player::not_in_games(player))
        }
        _ => Ok(()),
    }
}

/// The games to review, and the destination of the study.
struct Work<'a> {
    args: &'a ReviewArgs,
    sources: Sources,
    place: Place,
    problems: Arc<ProblemCount<Arc<Terminal>>>,
    language: Language,
}

impl ReviewArgs {
    fn options(&self, session: &Session) -> Result<ReviewOptions> {
        let judge = JudgeOptions {
            reuse_evals: self.reuse_evals.then_some(self.evals),
            curve: self.curve.noted_choice(session)?,
            scheme: scheme(self.scheme)?,
            ..JudgeOptions::new(self.engine.limit())
        };
        Ok(ReviewOptions {
            language: language(self.language)?,
            ..judge.into()
        })
    }

    /// Checks where the study goes, before the engine starts to work.
    fn begin(
        &self,
        options: &ReviewOptions,
        mode: StudyMode,
        name: &str,
        session: &Session,
    ) -> Result<Work<'_>> {
        let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
        let sources = Sources::expand_reporting(&self.account.apply(&self.games)?, &problems);
        let mut files = Files::reading(sources.paths());
        self.store.protect(&mut files)?;
        let place = Place::open(&self.place, mode, name, &mut files, session)?;
        Ok(Work {
            args: self,
            sources,
            place,
            problems,
            language: options.language,
        })
    }
}

impl Work<'_> {
    fn study(&self) -> Study {
        Study::new(self.place.name(), self.language)
    }

    fn review(
        &self,
        options: &ReviewOptions,
        networks: &[centipawn_policy::Network],
        session: &Session,
        mut each: impl FnMut(&Review),
    ) -> Result<Outcome> {
        let cancel = session.cancel()?;
        let opened = self
            .args
            .store
            .resources(cancel, Arc::<ProblemCount<_>>::clone(&self.problems))?;
        let spec = AnalystSpec {
            engine: Some(self.args.engine.spec()),
            tables: self.args.tables.syzygy.clone(),
            starts_late: self.args.reuse_evals,
            ..AnalystSpec::default()
        };
        let analyst = opened.some_analyst(&spec)?;
        let resources = ReviewResources {
            analyst: &*analyst,
            networks,
            store: opened.store()?,
        };
        let crew = Threads::of(Some(&*analyst));
        let show = |review: &Review| {
            each(review);
            Ok(())
        };
        let end = review_files(
            &self.sources,
            options,
            &resources,
            (),
            &crew,
            cancel,
            &self.problems,
            show,
        )?;
        Ok(end.outcome)
    }
}
