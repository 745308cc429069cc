//! `centipawn study`: mistakes as a lesson, games and puzzles as chapters that Lichess imports, and
//! puzzles on paper.

mod place;

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::{Context as _, Result};
use centipawn_core::{MoveSymbol, SchemeChoice};
use centipawn_judge::JudgeOptions;
use centipawn_pgn::{Dialect, Sources, StudyMode, player_key};
use centipawn_progress::{Files, Outcome, Problem, ProblemCount, Reporter as _};
use centipawn_puzzle::{
    Puzzle,
    solve::{seed_of_now, shuffled},
};
use centipawn_review::{Language, Review, ReviewOptions};
use centipawn_site::{MistakeChoice, Study, Worksheet};
use centipawn_work::{
    AnalystSpec,
    engine::{ReviewResources, Threads, read_puzzles, review_files, review_files_once},
    library::is_mistake,
};
use clap::{Args, Subcommand};
use shakmaty::Color;

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
  centipawn study lesson examples/*.pgn --per-game 2 --symbols '?,??' --with-reason --nodes 200k
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
    /// Make a page to print: six diagrams on a sheet of A4 with room for answers, and the solutions
    /// on the last page. A browser saves it as PDF
    #[command(after_help = "\
Examples:
  centipawn study worksheet examples/puzzles.csv --most 12 -o sheet.html
  centipawn study worksheet examples/puzzles.csv --shuffle --title 'Monday' -o sheet.html
  centipawn study worksheet examples/puzzles.csv --first 3 --language de")]
    Worksheet(WorksheetArgs),
}

/// Arguments of `centipawn study lesson`.
#[derive(Args)]
pub(crate) struct Lesson {
    #[command(flatten)]
    review: ReviewArgs,
    /// Use only mistakes of this player: the whole name as in the tags, in upper or lower case; may
    /// be given several times [default: both players]
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,
    /// Keep only the N mistakes that cost most
    #[arg(long, value_name = "N")]
    worst: Option<usize>,
    /// Of each game, keep only the N mistakes that cost most
    #[arg(long, value_name = "N")]
    per_game: Option<usize>,
    /// Keep only mistakes with these symbols, separated by commas: ?!, ?, ??
    #[arg(long, value_name = "SYMBOLS", value_delimiter = ',', value_parser = mistake_symbol)]
    symbols: Vec<MoveSymbol>,
    /// Keep only mistakes whose reason is proven
    #[arg(long)]
    with_reason: bool,
    /// Keep only mistakes where one move is good and no other one; this needs two lines or more
    #[arg(long)]
    unique: bool,
    /// Number of lines per position: the lines after the first become variations, as good moves or
    /// as mistakes [default: 3, or those of the review in the store]
    #[arg(long, value_name = "N", value_parser = whole_number::<u16>(1..=500), help_heading = "Engine")]
    lines: Option<u16>,
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

/// Arguments of `centipawn study worksheet`.
#[derive(Args)]
pub(crate) struct WorksheetArgs {
    /// Files of puzzles (CSV, JSON lines, PGN; plain, .gz, .zst, .bz2); - is standard input
    #[arg(required = true, value_name = "PUZZLES")]
    puzzles: Vec<PathBuf>,
    /// Read only the first N puzzles of each file
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// Put at most N puzzles on the worksheet
    #[arg(long, value_name = "N")]
    most: Option<usize>,
    /// Take the puzzles in random order
    #[arg(long)]
    shuffle: bool,
    /// Make --shuffle choose the same puzzles in each run
    #[arg(long, value_name = "N", requires = "shuffle")]
    seed: Option<u64>,
    /// Write the page to this file; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// The heading of each sheet [default: Worksheet]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Language of the page: en (English), de (German)
    /// [default: $CENTIPAWN_LANGUAGE, or en]
    #[arg(long, value_name = "CODE")]
    language: Option<Language>,
}

/// Number of lines per position of a lesson.
const LESSON_LINES: u16 = 3;

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
        StudyCommand::Worksheet(args) => worksheet(args, session),
    }
}

fn lesson(args: &Lesson, session: &Session) -> Result<ExitCode> {
    if !args.ease && args.policy.is_given() {
        return Err(usage(
            "--policy and --level are for --ease; give that as well",
        ));
    }
    let players = args
        .player
        .iter()
        .filter_map(|name| player::named(Some(name)).transpose())
        .collect::<Result<Vec<&str>>>()?;
    let default = match &players[..] {
        [] => "Mistakes".to_owned(),
        players => format!("Mistakes of {}", players.join(", ")),
    };
    let networks = if args.ease {
        args.policy.open()?
    } else {
        Vec::new()
    };
    let options = args.review.options(session)?;
    let judge = JudgeOptions {
        lines: args.lines.unwrap_or(LESSON_LINES).into(),
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
    let choice = MistakeChoice {
        players: &players,
        has_reason: args.with_reason,
        is_unique: args.unique,
        symbols: &args.symbols,
        per_game: args.per_game,
    };
    let (mut study, mut without_better, mut not_chosen) = (work.study(), 0, 0);
    let mut seen = vec![false; players.len()];
    // Without another wish, a review in the store is good enough.
    let takes_any =
        args.review.engine.given_limit().is_none() && args.lines.is_none() && networks.is_empty();
    let outcome = work.review(&options, &networks, takes_any, session, |review| {
        for (player, seen) in players.iter().zip(&mut seen) {
            *seen |= plays(review, player);
        }
        let added = study.add_mistakes(review, &choice);
        without_better += added.without_better;
        not_chosen += added.left_out;
    })?;
    for (player, seen) in players.iter().zip(seen) {
        check_player(Some(player), seen, outcome)?;
    }
    if not_chosen > 0 {
        session.note(&format!(
            "{} left out by the choice",
            plural(not_chosen as u64, "mistake")
        ));
    }
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
    let outcome = work.review(&options, &[], false, session, |review| {
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

/// Returns whether a player takes part in a reviewed game.
fn plays(review: &Review, player: &str) -> bool {
    Color::ALL
        .into_iter()
        .any(|color| player_key(review.name(color)) == player_key(player))
}

/// Parses a symbol of a mistake.
fn mistake_symbol(text: &str) -> Result<MoveSymbol, String> {
    MoveSymbol::ALL
        .into_iter()
        .find(|symbol| is_mistake(*symbol) && symbol.glyph() == text.trim())
        .ok_or_else(|| "a mistake has ?!, ? or ??".to_owned())
}

fn worksheet(args: &WorksheetArgs, session: &Session) -> Result<ExitCode> {
    let cancel = session.cancel()?;
    let problems = ProblemCount::new(&**session.reporter());
    let mut files = Files::reading(&args.puzzles);
    let out = files.create(&args.output, cancel)?;
    let title = args.title.as_deref().unwrap_or_default();
    let mut sheet = Worksheet::new(title, language(args.language)?);
    let puzzles = read_puzzles(&args.puzzles, args.first, cancel, &problems);
    let puzzles = puzzles.take_while(|_| !cancel.is_set());
    let most = args.most.unwrap_or(usize::MAX);
    let puzzles: Vec<Puzzle> = if args.shuffle {
        let seed = args.seed.unwrap_or_else(seed_of_now);
        shuffled(puzzles, most, seed, cancel)
    } else {
        puzzles.take(most).collect()
    };
    for mut puzzle in puzzles {
        if puzzle.themes.is_empty() {
            puzzle.tag();
        }
        sheet.add(&puzzle);
    }
    let outcome = Outcome {
        done: sheet.len() as u64,
        skipped: problems.errors(),
        cancelled: cancel.is_set(),
    };
    // An earlier sheet is not replaced by one without puzzles.
    if !sheet.is_empty() && !outcome.cancelled {
        let out = sheet.write(out).context("cannot write the worksheet")?;
        session.place(out)?;
    }
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
        takes_any: bool,
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
            starts_late: self.args.reuse_evals || takes_any,
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
        let (sources, problems) = (&self.sources, &self.problems);
        let end = if takes_any {
            review_files_once(
                sources,
                options,
                &resources,
                (),
                &crew,
                cancel,
                problems,
                show,
            )?
        } else {
            review_files(
                sources,
                options,
                &resources,
                (),
                &crew,
                cancel,
                problems,
                show,
            )?
        };
        Ok(end.outcome)
    }
}
