//! Which games are counted, and how, from the command line's arguments.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Result, anyhow};
use centipawn_calibrate::wdl::{
    CountOptions, FenCounters, FitOptions, GamesSelection, GroupRows, ResampleOptions,
};
use centipawn_pgn::{Dialect, Shard, Source};
use centipawn_progress::{Cancel, Files, Input};
use centipawn_work::{
    Inputs, Run,
    scan::{
        CountGamesError, CountedGames, FishtestFilter, WdlCountScan, WdlGamesOptions,
        WdlRunOptions, count_games,
    },
};
use clap::Args;

use crate::{
    args::{JobsArg, PartialArg, reading},
    exit::usage,
    session::Session,
};

/// Games and counting options.
#[derive(Args, Clone, Debug)]
pub(crate) struct GamesArgs {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns, web addresses, accounts (lichess:NAME,
    /// chesscom:NAME); - is standard input
    #[arg(required = true, value_name = "GAMES")]
    pub(crate) games: Vec<PathBuf>,
    /// Round evaluations to multiples of CP centipawns
    #[arg(long, value_name = "CP", default_value_t = 5, value_parser = parse_bin)]
    bin: u32,
    /// Count exactly as WDL_model's scoreWDLstat does; docs/wdl-model.md lists the differences from
    /// the default
    #[arg(long)]
    pub(crate) compat: bool,
    /// Dialect (notation) of the evaluations in comments, if automatic detection fails: commands
    /// (lichess, chessbase, scid), engine (cutechess, fastchess, fishtest, openbench, c-chess-cli,
    /// xboard), tcec, text (annotator, chess-artist, chess.com)
    #[arg(long, value_name = "DIALECT", default_value_t)]
    evals: Dialect,
    /// Use only files directly in the folders, not in subfolders
    #[arg(long)]
    flat: bool,
    /// Permit fishtest tests whose games are in two folders
    #[arg(long)]
    allow_duplicates: bool,
    #[command(flatten)]
    jobs: JobsArg,
    /// Read only the Ith of N equal parts, to divide the work among machines
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    shard: Shard,
    #[command(flatten)]
    pub(super) part: PartialArg,
    /// Stop at the first game or file that cannot be read
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    filters: Filters,
}

/// Filters by fishtest's metadata, `<test id>.json` beside the games, and by engine names.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Filters (regular expressions match the whole text)")]
struct Filters {
    /// Use only fishtest tests of this commit and, unless --match-engine is given, only evaluations
    /// by this commit's engine
    #[arg(long, value_name = "REGEX")]
    match_rev: Option<String>,
    /// Use only evaluations by engines with this name (tags White and Black)
    #[arg(long, value_name = "REGEX")]
    match_engine: Option<String>,
    /// Use only tests in which both engines have this time control
    #[arg(long, value_name = "REGEX")]
    match_tc: Option<String>,
    /// Use only tests with N threads per engine
    #[arg(long, value_name = "N")]
    match_threads: Option<String>,
    /// Use only tests with this opening book
    #[arg(long, value_name = "REGEX")]
    match_book: Option<String>,
    /// Use only tests whose opening book is known and does not match --match-book
    #[arg(long, requires = "match_book")]
    match_book_invert: bool,
    /// Use only tests whose normalised Elo difference is at most ELO (and at least -ELO, unless
    /// --elo-diff-min is given)
    #[arg(long, value_name = "ELO", allow_hyphen_values = true)]
    elo_diff_max: Option<String>,
    /// Use only tests whose normalised Elo difference is at least ELO
    #[arg(long, value_name = "ELO", allow_hyphen_values = true)]
    elo_diff_min: Option<String>,
    /// Use only sequential tests (SPRT)
    #[arg(long)]
    sprt_only: bool,
    /// Book (EPD) from which to restore the full-move numbers of start positions that end in "0 1"
    #[arg(long, value_name = "EPD")]
    fix_fen_source: Option<PathBuf>,
}

impl Filters {
    fn filter(&self) -> FishtestFilter {
        let Self {
            match_book_invert,
            sprt_only,
            ..
        } = *self;
        let own = self.clone();
        FishtestFilter {
            match_rev: own.match_rev,
            match_engine: own.match_engine,
            match_tc: own.match_tc,
            match_threads: own.match_threads,
            match_book: own.match_book,
            match_book_invert,
            elo_diff_max: own.elo_diff_max,
            elo_diff_min: own.elo_diff_min,
            sprt_only,
        }
    }
}

fn parse_bin(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(bin) if (1..=CountOptions::LARGEST_BIN).contains(&bin) => Ok(bin),
        _ => Err(format!(
            "a bin is a number of centipawns from 1 to {}",
            CountOptions::LARGEST_BIN
        )),
    }
}

impl GamesArgs {
    /// Returns the files that the command reads, which no result may replace.
    pub(super) fn reading(&self) -> Files {
        let mut files = reading(&self.games);
        files.also_reads(&self.filters.fix_fen_source);
        files
    }

    /// Returns whether only a part of the games is counted.
    pub(super) fn is_part(&self) -> bool {
        self.shard != Shard::ALL
    }

    /// Counts the games and reports omitted ones. `has_groups` is whether counts are kept by groups
    /// of games, which standard errors need.
    pub(super) fn count(&self, session: &Session, has_groups: bool) -> Result<CountedGames> {
        let (fit, resampling) = (FitOptions::default(), ResampleOptions::default());
        let (options, book) = self.options(&self.filter(), fit, resampling, session.cancel()?)?;
        let WdlRunOptions {
            selection,
            shard,
            mut count,
            ..
        } = options;
        if !has_groups {
            count.options.groups.clear();
        }
        let games = WdlGamesOptions { selection, count };
        count_games(
            &games,
            shard,
            book.as_ref(),
            self.inputs(false),
            self.run(session)?,
        )
        .map_err(refusal)
    }

    /// Returns the filters of the flags.
    pub(super) fn filter(&self) -> FishtestFilter {
        self.filters.filter()
    }

    /// Returns the exit status of a command that wrote a part.
    pub(super) fn wrote(&self, games: &CountedGames, session: &Session) -> ExitCode {
        session.note(&games.summary());
        session.status(games.outcome())
    }

    /// Counts the games for a fit.
    pub(super) fn count_for(
        &self,
        session: &Session,
        (options, book): &(WdlRunOptions, Option<FenCounters>),
    ) -> Result<CountedGames> {
        options
            .count_games(book.as_ref(), self.inputs(true), self.run(session)?)
            .map_err(refusal)
    }

    fn inputs(&self, is_hashed: bool) -> Inputs<'_> {
        Inputs {
            games: &self.games,
            partial: self.part.partial.as_deref(),
            is_hashed,
        }
    }

    /// Returns how the games are counted and the model is fitted.
    pub(super) fn run<'a>(&self, session: &'a Session) -> Result<Run<'a>> {
        let run = Run::new(session.cancel()?, session.reporter());
        Ok(Run {
            threads: self.jobs.given(),
            strict: self.strict,
            ..run
        })
    }

    /// Returns the options from games to a curve, with the book of start positions. Once `cancel`
    /// is set, waiting for a book that is a pipe ends.
    pub(super) fn options(
        &self,
        filter: &FishtestFilter,
        fit: FitOptions,
        resampling: ResampleOptions,
        cancel: &Cancel,
    ) -> Result<(WdlRunOptions, Option<FenCounters>)> {
        let filters = &self.filters;
        let (files, engine) = filter.resolve().map_err(|error| usage(error.to_string()))?;
        let book = filters
            .fix_fen_source
            .as_deref()
            .map(|path| read_fens(path, cancel))
            .transpose()?;
        let fens = filters
            .fix_fen_source
            .as_deref()
            .map(Input::of)
            .transpose()?;
        let groups = GroupRows::of_selection(&fit.selection);
        let options = CountOptions {
            bin: self.bin,
            compat: self.compat,
            engine,
            fens,
            groups,
        };
        let run = WdlRunOptions {
            selection: GamesSelection {
                flat: self.flat,
                allow_duplicates: self.allow_duplicates,
                files,
            },
            shard: self.shard,
            count: WdlCountScan {
                evals: self.evals,
                options,
            },
            fit,
            resampling,
            revisions: None,
            least_change: None,
        };
        Ok((run, book))
    }
}

fn refusal(error: CountGamesError) -> anyhow::Error {
    if error.is_usage() {
        usage(error.to_string())
    } else {
        error.into()
    }
}

/// Errors of the source already name the file.
fn read_fens(path: &Path, cancel: &Cancel) -> Result<FenCounters> {
    let source = Source::open_until(path, cancel).map_err(|error| anyhow!("{error}"))?;
    let fens = FenCounters::read(source)?;
    if fens.is_empty() {
        return Err(anyhow!(
            "{} has no positions with counters (FEN or EPD with six fields)",
            path.display()
        ));
    }
    Ok(fens)
}
