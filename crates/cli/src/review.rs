//! `centipawn review`: annotated PGN, an HTML report, JSON, a summary on the terminal.

use std::{
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use anyhow::Result;
use centipawn_core::SchemeChoice;
use centipawn_engine::Limit;
use centipawn_judge::JudgeOptions;
use centipawn_pgn::{Dialect, Game, Glyphs, Sources};
use centipawn_printer as printer;
use centipawn_progress::{Cancel, Files, Placed, ProblemCount, Provenance, is_account};
use centipawn_review::{Annotations, Language, Review as Reviewed, ReviewOptions};
use centipawn_site::{OutputError, OutputPaths, Outputs, is_own_page};
use centipawn_work::{
    AnalystSpec,
    engine::{
        ExtraOptions, ReviewError, ReviewOutput, ReviewResources, WithExtras, review_files,
        review_provenance,
    },
    table::ReviewTable,
};
use clap::{Args, ValueEnum};

use crate::{
    args::{
        AccountArgs, CurveArgs, EngineArgs, ShardArg, TablesArg, language, parse_nodes, scheme,
    },
    crew::CrewArgs,
    exit::usage,
    numbers::whole_number,
    player,
    policies::{PlayersArg, PolicyArgs},
    session::Session,
    store_arg::StoreArg,
    terminal::columns,
    text::plural,
};

/// Arguments of `centipawn review`.
#[derive(Args)]
pub(crate) struct Review {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns, web addresses, accounts (lichess:NAME,
    /// chesscom:NAME); - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    #[command(flatten)]
    account: AccountArgs,
    #[command(flatten)]
    part: ShardArg,
    /// Write the annotated games to a file (- is standard output)
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    output: Option<PathBuf>,
    /// Write an HTML report, which opens in any browser
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    html: Option<PathBuf>,
    /// Make the HTML report a handout for this player: only their games, and on paper only their
    /// moments and the remarks on their moves; the whole name as in the tags, in upper or lower
    /// case
    #[arg(long, value_name = "NAME", help_heading = "Results")]
    player: Option<String>,
    /// Write a Markdown file with tables, moves, remarks and diagrams (- is standard output, with
    /// diagrams as text); the diagrams are SVG files in the folder FILE-diagrams beside it
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    markdown: Option<PathBuf>,
    /// Write an HTML table of the moves with a symbol: a diagram, the remark, the better line,
    /// expected scores and the relevant loss of each, and the mean loss per move by phase
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    moments: Option<PathBuf>,
    /// Write everything about many games into a folder: games.pgn, a page for each game,
    /// index.html, and tables of players and openings as CSV and JSON; a previous batch in the
    /// folder is replaced
    #[arg(long, value_name = "FOLDER", help_heading = "Results")]
    batch: Option<PathBuf>,
    /// Write games and judged moves as Parquet into a folder, for SQL queries (see pgn export)
    #[arg(long, value_name = "FOLDER", help_heading = "Results")]
    table: Option<PathBuf>,
    /// Write the symbol of the position after every move with a symbol and at the end (move), or
    /// after every move (position); then each position is also searched four times as long, and
    /// gets ∝ (unclear) if the two searches disagree
    #[arg(
        long,
        value_enum,
        value_name = "WHERE",
        default_value_t,
        help_heading = "Results"
    )]
    symbols: Symbols,
    /// Add the opponent's threat as a variation before moves with ?!, ? or ??: what follows if the
    /// side to move passes
    #[arg(long, help_heading = "Results")]
    threats: bool,
    /// Write everything as one JSON document (- is standard output)
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    json: Option<PathBuf>,
    /// Open the report in the browser at the end, if this runs on a terminal; without --html and
    /// --batch the report goes to GAME.html in the current folder
    #[arg(long, overrides_with = "open", help_heading = "Results")]
    open: bool,
    /// Judge how hard every move was to find for humans (see centipawn ease), and name the hardest
    /// moments; moves that humans are likely to play are evaluated even outside the engine's lines,
    /// except with --reuse-evals
    #[arg(long, help_heading = "Results")]
    ease: bool,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    players: PlayersArg,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    tables: TablesArg,
    #[command(flatten)]
    store: StoreArg,
    #[command(flatten)]
    crew: CrewArgs,
    /// Also use stored searches that are deeper or have more lines than requested; results then
    /// depend on the contents of the store
    #[arg(long, help_heading = "Engine")]
    at_least: bool,
    /// Search every position to N nodes first [default: 100k], then to the full limit only where a
    /// symbol may depend on it
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "100k",
        overrides_with = "quick", value_parser = parse_nodes, help_heading = "Engine")]
    quick: Option<Limit>,
    /// Search as much as suits hundreds of games: every position to 30,000 nodes, and to 300,000
    /// where a ?? or a mate may depend on it. On two cores, 300 blitz games take about 20 minutes
    #[arg(long, conflicts_with_all = ["quick", "nodes", "depth", "movetime"], help_heading = "Engine")]
    archive: bool,
    /// Number of lines per position; good-move symbols need at least 2
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = whole_number::<u16>(1..=500), help_heading = "Engine")]
    lines: u16,
    /// Use evaluations in the games; the engine searches only positions without one
    #[arg(long, help_heading = "Engine")]
    reuse_evals: bool,
    /// Dialect (notation) of the evaluations in comments, if automatic detection fails: commands
    /// (lichess, chessbase, scid), engine (cutechess, fastchess, fishtest, openbench, c-chess-cli,
    /// xboard), tcec, text (annotator, chess-artist, chess.com)
    #[arg(long, value_name = "DIALECT", default_value_t, help_heading = "Engine")]
    evals: Dialect,
    #[command(flatten)]
    curve: CurveArgs,
    /// Symbol schemes. For moves: auto (s20 for people, s8 for engines), s8 or s7 (fewer symbols),
    /// s20 or s12 (more symbols). For positions: s40, s9, s7. Give one of each, separated by a
    /// comma [default: $CENTIPAWN_SCHEME, or auto,s40]
    #[arg(long, value_name = "SCHEME", help_heading = "Curve")]
    scheme: Option<SchemeChoice>,
    /// In the summary, mark symbols with ~ that a longer search may well change: with a probability
    /// of more than 3 in 10
    #[arg(long, help_heading = "Results")]
    unsure: bool,
    /// Language of comments and reports: en (English), de (German)
    /// [default: $CENTIPAWN_LANGUAGE, or en]
    #[arg(long, value_name = "CODE", help_heading = "Annotation")]
    language: Option<Language>,
    /// Format of symbols in PGN
    #[arg(long, value_enum, default_value_t, help_heading = "Annotation")]
    glyphs: GlyphsArg,
    /// Keep existing comments, symbols and variations of the games (the default); annotations of a
    /// previous review are replaced
    #[arg(long, help_heading = "Annotation", overrides_with = "replace")]
    keep: bool,
    /// Replace existing comments, symbols and variations of the games; clocks stay
    #[arg(long, help_heading = "Annotation", overrides_with = "keep")]
    replace: bool,
    /// Also give good-move symbols to obvious moves: recaptures, captures that win material at
    /// once, answers to check, mates already under way; and !! without a sacrifice
    #[arg(long, help_heading = "Curve")]
    every_symbol: bool,
}

/// `--glyphs`.
#[derive(Clone, Copy, Default, ValueEnum)]
enum GlyphsArg {
    /// As the numbers of the PGN standard, such as 1 for !
    #[default]
    Numbers,
    /// As characters: ! ⩲
    Text,
}

impl From<GlyphsArg> for Glyphs {
    fn from(glyphs: GlyphsArg) -> Self {
        match glyphs {
            GlyphsArg::Numbers => Glyphs::Numbers,
            GlyphsArg::Text => Glyphs::Text,
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Review, session: &Session) -> Result<ExitCode> {
    if !args.ease && (args.policy.is_given() || args.players.is_given()) {
        return Err(usage(
            "--policy, --level and --players are for --ease; give that as well",
        ));
    }
    let networks = if args.ease {
        args.policy.open()?
    } else {
        Vec::new()
    };
    let ease_levels = args.policy.ease_levels(args.players, &networks, session);
    let options = args.options(session)?;
    let judge = JudgeOptions {
        ease_levels,
        ..options.judge
    }
    .with_networks(&networks);
    let options = ReviewOptions { judge, ..options };
    let cancel = session.cancel()?;
    let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
    let sources = Sources::expand_reporting(&args.account.apply(&args.games)?, &problems)
        .divided(args.part.shard);
    // Open the outputs before the engine starts, so that a wrong path costs no search time.
    let mut files = Files::reading(sources.paths());
    args.store.protect(&mut files)?;
    let provenance = if args.has_documents() {
        review_provenance(&options, &sources, &networks)
    } else {
        Provenance::default()
    };
    let outputs_to = args.outputs()?;
    let table = args.table.as_deref();
    let table = table.map(|folder| {
        ReviewTable::create(
            folder,
            &mut files,
            &sources,
            &options,
            provenance.clone(),
            cancel,
        )
    });
    let mut table = table.transpose()?;
    let outputs = Outputs::create(&outputs_to, &mut files, &options, provenance, cancel)
        .map_err(output_error)?;
    let opened = args
        .store
        .resources(cancel, Arc::<ProblemCount<_>>::clone(&problems))?;
    // Start the engine with the first search: if the games' own evaluations suffice, none is
    // needed.
    let spec = AnalystSpec {
        engine: Some(args.engine.spec()),
        tables: args.tables.syzygy.clone(),
        starts_late: args.reuse_evals,
        at_least: args.at_least,
        ..AnalystSpec::default()
    };
    let extras = ExtraOptions {
        position_symbols: args.symbols == Symbols::Position,
        threats: args.threats,
    };
    args.crew.refuse_with(&[
        ("--at-least", args.at_least),
        ("--symbols position", extras.position_symbols),
        ("--threats", extras.threats),
    ])?;
    let analyst = opened.some_analyst(&spec)?;
    let (crew, analyst) =
        args.crew
            .crew(&opened, analyst, &args.engine.spec(), &networks, &problems)?;
    let store = opened.store()?;
    let resumes = store.is_some();
    let resources = ReviewResources {
        analyst: &*analyst,
        networks: &networks,
        store,
    };

    // Print summaries on standard output unless it contains results. A batch has its summaries in
    // the folder. With --quiet, print them only if no file contains the results.
    let has_files = outputs_to.has_any() || table.is_some();
    let is_shown =
        !(has_files && session.quiet) && args.batch.is_none() && !args.writes_to_standard_output();
    let (mut space, width, is_marked) = ("", columns(), args.unsure);
    let show = |review: &Reviewed| {
        table
            .as_mut()
            .map_or(Ok(()), |table| table.game(review).map_err(io::Error::other))?;
        if !is_shown {
            return Ok(());
        }
        match session.reporter().print(&format!(
            "{space}{}",
            printer::review(review, width, is_marked)
        )) {
            // The reader closed standard output. Go on, because the files must still be written.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe && has_files => return Ok(()),
            printed => printed?,
        }
        space = "\n";
        Ok(())
    };
    let outputs = WithExtras {
        output: outputs,
        options: extras,
        analyst: &*analyst,
        cancel,
        reporter: &*problems,
    };
    let outputs = IfComplete {
        outputs,
        has_failed: || crew.has_failed(),
    };
    let end = review_files(
        &sources, &options, &resources, outputs, &crew, cancel, &problems, show,
    )
    .map_err(review_error)?;
    if let Some(status) = crew.end(problems.errors(), session)? {
        return Ok(status);
    }
    let kept = table
        .filter(|_| end.outcome.done > 0)
        .map(|table| table.finish(cancel))
        .transpose()?;
    kept.into_iter()
        .flatten()
        .for_each(|path| session.report_kept(Placed::Kept(path)));
    let is_placed = end.kept.is_empty() && end.outcome.done > 0;
    end.kept
        .into_iter()
        .for_each(|path| session.report_kept(Placed::Kept(path)));
    let status = session.exit(end.outcome, "game", "reviewed");
    if end.outcome.cancelled {
        if resumes {
            session.note("the same command continues where it stopped");
        }
    } else if let Some(page) = outputs_to.page().filter(|_| is_placed) {
        show_page(args, session, &page, end.outcome.done);
    }
    Ok(status)
}

/// `--symbols`.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Symbols {
    /// Of positions after moves with a symbol, and of the last position
    #[default]
    Move,
    /// Of the positions after all moves
    Position,
}

/// Discards the outputs if the fleet fails, because a file would not show that games are missing.
struct IfComplete<O, F> {
    outputs: O,
    has_failed: F,
}

impl<O: ReviewOutput, F: Fn() -> bool> ReviewOutput for IfComplete<O, F> {
    type Error = O::Error;

    fn game(&mut self, review: &Reviewed) -> Result<(), O::Error> {
        self.outputs.game(review)
    }

    fn unreviewed(&mut self, game: &Game) -> Result<(), O::Error> {
        self.outputs.unreviewed(game)
    }

    fn finish(self, cancel: &Cancel) -> Result<Vec<PathBuf>, O::Error> {
        if (self.has_failed)() {
            Ok(Vec::new())
        } else {
            self.outputs.finish(cancel)
        }
    }
}

/// Prints the path of the page, and opens the page if `--open` is given.
fn show_page(args: &Review, session: &Session, page: &Path, games: u64) {
    if args.batch.is_some() || args.open {
        session.note(&format!(
            "{} reviewed: {}",
            plural(games, "game"),
            page.display()
        ));
    }
    if args.open && io::stdout().is_terminal() && open::that_detached(page).is_err() {
        session.note("no browser could be started; open that file in one");
    }
}

/// Converts an output error; some of them are usage errors.
fn output_error(error: OutputError) -> anyhow::Error {
    if error.is_usage() {
        usage(error.to_string())
    } else {
        error.into()
    }
}

fn review_error(error: ReviewError<OutputError>) -> anyhow::Error {
    match error {
        ReviewError::Output(error) => output_error(error),
        error => error.into(),
    }
}

impl Review {
    fn options(&self, session: &Session) -> Result<ReviewOptions> {
        let judge = JudgeOptions {
            quick: self.quick,
            at_least: self.at_least,
            lines: self.lines.into(),
            curve: self.curve.noted_choice(session)?,
            scheme: scheme(self.scheme)?,
            every_symbol: self.every_symbol,
            reuse_evals: self.reuse_evals.then_some(self.evals),
            ..JudgeOptions::new(self.engine.limit())
        };
        Ok(ReviewOptions {
            judge: if self.archive {
                judge.archive()
            } else {
                judge.complete()
            },
            language: language(self.language)?,
            annotations: if self.replace {
                Annotations::Replace
            } else {
                Annotations::Keep
            },
        })
    }

    fn outputs(&self) -> Result<OutputPaths> {
        let html = match self.html.clone() {
            None if self.open && self.batch.is_none() => Some(self.page_beside()?),
            html => html,
        };
        if self.player.is_some() && html.is_none() {
            return Err(usage("--player is for the report; give --html as well"));
        }
        Ok(OutputPaths {
            pgn: self.output.clone(),
            html,
            json: self.json.clone(),
            markdown: self.markdown.clone(),
            moments: self.moments.clone(),
            batch: self.batch.clone(),
            glyphs: self.glyphs.into(),
            player: player::named(self.player.as_deref())?.map(str::to_owned),
        })
    }

    /// Returns the default path of the report: GAME.html in the current folder. A page that
    /// Centipawn did not write is not replaced.
    fn page_beside(&self) -> Result<PathBuf> {
        let name = self
            .games
            .first()
            .and_then(|path| path.file_name())
            .unwrap_or_default()
            .to_string_lossy();
        let is_account = self.games.first().is_some_and(|path| is_account(path));
        let name = match is_account {
            true => name
                .split('?')
                .next()
                .and_then(|name| name.rsplit(':').next())
                .unwrap_or_default(),
            false => &*name,
        };
        let name = name
            .split(".pgn")
            .next()
            .filter(|name| !name.is_empty() && *name != "-")
            .unwrap_or("review");
        let page = PathBuf::from(format!("{name}.html"));
        if page.exists() && !is_own_page(&page) {
            return Err(usage(format!(
                "{} is not a report of Centipawn, so it stays unchanged; name another file with --html",
                page.display()
            )));
        }
        Ok(page)
    }

    /// Returns whether any output contains a provenance.
    fn has_documents(&self) -> bool {
        self.html.is_some()
            || self.moments.is_some()
            || self.json.is_some()
            || self.batch.is_some()
            || self.table.is_some()
            || self.open
    }

    fn writes_to_standard_output(&self) -> bool {
        [
            &self.output,
            &self.html,
            &self.json,
            &self.markdown,
            &self.moments,
        ]
        .into_iter()
        .flatten()
        .any(|path| path == Path::new("-"))
    }
}
