//! `centipawn puzzles mine`: puzzles from games.

use std::{
    collections::HashSet,
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

use anyhow::{Context as _, Result};
use centipawn_engine::Analyst as _;
use centipawn_pgn::{Dialect, Shard, Sources};
use centipawn_printer as printer;
use centipawn_progress::{AtomicFile, Cancel, Files, Problem, ProblemCount, Reporter as _};
use centipawn_puzzle::{
    Candidate, Format, MineOptions, MineOptionsError, Mined, RuleSet, Writer, rating::Rater,
    solve::Ratings,
};
use centipawn_work::engine::{MineResources, mine_files, read_puzzles};
use clap::{Args, ValueEnum};

use super::{analyst, rate::RateBy};
use crate::{
    args::{CurveArgs, EngineArgs, TablesArg},
    crew::CrewArgs,
    exit::usage,
    numbers::whole_number,
    session::Session,
    store_arg::StoreArg,
};

/// Arguments of `centipawn puzzles mine`.
#[derive(Args)]
pub(crate) struct Mine {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns, web addresses, accounts (lichess:NAME,
    /// chesscom:NAME); - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    /// Rules that make a position a puzzle
    #[arg(long, value_enum, default_value_t)]
    rules: Rules,
    /// Fraction of the rules' node limits: 0.1 is ten times as fast, but finds fewer puzzles
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = parse_effort)]
    effort: f64,
    /// Search every position, even if the game has an evaluation
    #[arg(long, help_heading = "Engine")]
    ignore_evals: bool,
    /// Dialect (notation) of the evaluations in comments, if automatic detection fails: commands
    /// (lichess, chessbase, scid), engine (cutechess, fastchess, fishtest, openbench, c-chess-cli,
    /// xboard), tcec, text (annotator, chess-artist, chess.com)
    #[arg(long, value_name = "DIALECT", default_value_t, help_heading = "Engine")]
    evals: Dialect,
    /// Mine only every Nth game, beginning with the Ith, to divide the work among machines
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    shard: Shard,
    /// Use only positions in which NAME is to move; every word of NAME must occur in the player's
    /// tag
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Keep only puzzles that the player to move missed in the game
    #[arg(long)]
    missed: bool,
    /// Keep only puzzles with an estimated rating in this range (1400..1700, 1400.., ..1700)
    #[arg(long, value_name = "RANGE")]
    rated: Option<Ratings>,
    /// Minimum number of the solver's moves in the main line; with 2, mates in one are kept, too
    #[arg(long, value_name = "N", default_value_t = MineOptions::default().min_moves)]
    min_moves: u8,
    /// Maximum number of the solver's moves in a line
    #[arg(long, value_name = "N", default_value_t = MineOptions::default().max_moves, value_parser = whole_number::<u8>(1..=40))]
    max_moves: u8,
    /// Maximum number of positions in which the solver is to move, including branches
    #[arg(long, value_name = "N", default_value_t = MineOptions::default().max_positions, value_parser = whole_number::<u16>(1..=500))]
    max_positions: u16,
    /// With the rules of Lichess: be stricter with games of weaker players or faster time controls,
    /// or skip such games, as Lichess' generator does
    #[arg(long)]
    tiers: bool,
    /// Skip positions that this file of puzzles already contains; may be repeated
    #[arg(long, value_name = "PUZZLES")]
    known: Vec<PathBuf>,
    /// Print every candidate with its verdict
    #[arg(long)]
    explain: bool,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Format of the puzzles: csv, json or pgn [default: by the output's extension, otherwise csv]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    tables: TablesArg,
    #[command(flatten)]
    store: StoreArg,
    #[command(flatten)]
    crew: CrewArgs,
    #[command(flatten)]
    curve: CurveArgs,
    #[command(flatten)]
    rate_by: RateBy,
}

/// `--rules`.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Rules {
    /// By expected score: only one move wins or saves the game; writes complete solutions
    #[default]
    Centipawn,
    /// Rules of Tactics Frenzy, in centipawns: only one move wins, and this move is not obvious;
    /// writes one FEN per line, or complete solutions with --format or a file of puzzles (.pgn)
    Classic,
    /// Rules of Lichess' generator: after a mistake (by the evaluations in the games), only one
    /// move is good at each step; writes complete solutions
    Lichess,
}

fn parse_effort(text: &str) -> Result<f64, String> {
    let effort = text
        .parse()
        .map_err(|_| "an effort is a number, such as 0.1".to_owned())?;
    let options = MineOptions {
        effort,
        ..MineOptions::default()
    };
    options
        .check()
        .map(|()| effort)
        .map_err(|error| error.to_string())
}

pub(super) fn run(args: &Mine, session: &Session) -> Result<ExitCode> {
    let options = args.options(session.cancel()?)?;
    let stop = session.cancel()?.child();
    let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
    let sources = Sources::expand_reporting(&args.games, &problems);
    let mut files = Files::reading(sources.paths());
    files.also_reads(&args.known);
    let opened = args
        .store
        .resources(&stop, Arc::<ProblemCount<_>>::clone(&problems))?;
    args.store.protect(&mut files)?;
    files.reserve(&args.output)?;
    if let Some(missing) = args
        .known
        .iter()
        .find(|path| path.as_os_str() != "-" && !path.exists())
    {
        return Err(usage(format!(
            "--known: there is no file {}",
            missing.display()
        )));
    }
    let known: HashSet<u64> = read_puzzles(&args.known, None, &stop, &problems)
        .map(|puzzle| puzzle.key())
        .collect();
    let rater = (options.rules != RuleSet::Classic || options.solutions)
        .then(|| Rater::open(args.rate_by.options(false), &problems));
    let mut found = Found::create(args, session.cancel()?)?;
    let engines = opened.engine(&args.engine.spec());
    let analyst = analyst(&opened, &args.engine, &args.tables)?;
    let (crew, analyst) = args
        .crew
        .crew(&opened, analyst, &args.engine.spec(), &[], &problems)?;
    let resources = MineResources {
        analyst: &*analyst,
        rater: rater.as_ref(),
        known: &known,
    };
    let mut written = Ok(());
    let each = |mined: &Mined| {
        for candidate in mined
            .candidates
            .iter()
            .filter(|candidate| candidate.verdict.is_found())
        {
            if written.is_ok() {
                written = found.write(candidate).inspect_err(|_| stop.set());
            }
        }
        if args.explain {
            printer::candidate_lines(mined).for_each(|line| session.reporter().note(&line));
        }
    };
    let mined = mine_files(&sources, &options, resources, &crew, &stop, &problems, each);
    written.context("cannot write the puzzles")?;
    let (summary, mut outcome) = mined?;
    if let Some(status) = crew.end(problems.errors(), session)? {
        return Ok(status);
    }
    outcome.skipped = problems.errors();
    // If no game was read, do not replace the output of an earlier run.
    if summary.games > 0 {
        session.place(found.finish()?)?;
    }
    if summary.has_guessed_scores {
        problems.problem(&Problem::warning(format_args!(
            "{} reports no win, draw and loss; its centipawns were read as Stockfish's. --curve selects another curve",
            engines.identity().name
        )));
    }
    let searched = if crew.is_fleet() {
        summary.searches
    } else {
        engines.stats().searches
    };
    session.note(&printer::mine_summary(&summary, searched));
    if summary.puzzles() == 0 && outcome.done > 0 && !outcome.cancelled {
        session.note(&args.advice());
    }
    Ok(session.exit(outcome, "game", "mined"))
}

impl Mine {
    /// Suggests how to find more puzzles after a run that found none.
    fn advice(&self) -> String {
        let mut ways = Vec::new();
        if self.effort < 1.0 {
            ways.push("search longer (--effort 1 is the default)");
        }
        if self.missed {
            ways.push("leave --missed out, which skips solutions that were played");
        }
        if self.rated.is_some() {
            ways.push("widen --rated");
        }
        if self.player.is_some() {
            ways.push("leave --player out, which skips the other side");
        }
        if self.min_moves > 1 {
            ways.push("keep solutions of one move (--min-moves 1)");
        }
        ways.push("read more games");
        format!(
            "no puzzle found. To find more: {}. --explain lists why each candidate was refused",
            ways.join("; ")
        )
    }

    /// Returns whether the output has puzzles with their solutions: always, but for the classic
    /// rules without a format.
    fn writes_solutions(&self) -> bool {
        self.rules != Rules::Classic
            || self.format.is_some()
            || Format::of_name(&self.output.to_string_lossy()).is_some()
    }

    /// Returns the options of the flags; refuses flags that exclude each other.
    fn options(&self, cancel: &Cancel) -> Result<MineOptions> {
        if self.engine.given_limit().is_some() {
            return Err(usage(
                "puzzles have separate node limits; --effort scales them",
            ));
        }
        let rules = match self.rules {
            Rules::Centipawn => RuleSet::Centipawn,
            Rules::Classic => RuleSet::Classic,
            Rules::Lichess => RuleSet::Lichess,
        };
        // Use a curve from the environment only with rules that need a curve: for other rules it
        // would be an error.
        let has_curve = self.curve.is_given() || rules == RuleSet::Centipawn;
        let options = MineOptions {
            rules,
            effort: self.effort,
            ignore_evals: self.ignore_evals,
            dialect: self.evals,
            min_moves: self.min_moves,
            max_moves: self.max_moves,
            max_positions: self.max_positions,
            shard: self.shard,
            player: self.player.clone(),
            missed: self.missed,
            rated: self.rated,
            tiers: self.tiers,
            solutions: self.writes_solutions() && rules == RuleSet::Classic,
            curve: if has_curve {
                self.curve.curve(cancel)?
            } else {
                None
            },
        };
        let flag = |option: &str| format!("--{}", option.replace('_', "-"));
        let of_centipawn = |flag: &str| {
            usage(format!(
                "{flag} is only for the rules of Centipawn, the default; leave it out"
            ))
        };
        options.check().map_err(|error| match error {
            MineOptionsError::MinAboveMax => usage("--min-moves is above --max-moves"),
            MineOptionsError::OtherRules {
                rules: RuleSet::Lichess,
                ..
            } => usage("only the rules of Lichess have tiers; leave --tiers out"),
            MineOptionsError::OtherRules { option, .. } => of_centipawn(&flag(option)),
            other => usage(other.to_string()),
        })?;
        match rules {
            RuleSet::Classic if !self.known.is_empty() && !self.writes_solutions() => Err(usage(
                "the classic rules write a FEN a line, which --known does not read; write puzzles \
                 with --format pgn, or leave --known out",
            )),
            _ if rules != RuleSet::Centipawn && self.tables.syzygy.is_some() => {
                Err(of_centipawn("--syzygy"))
            }
            _ => Ok(options),
        }
    }
}

/// The output for puzzles or positions.
enum Found {
    Positions(AtomicFile),
    Puzzles(Writer<AtomicFile>),
}

impl Found {
    fn create(args: &Mine, cancel: &Cancel) -> Result<Self> {
        let out = AtomicFile::create(&args.output, cancel)?;
        if !args.writes_solutions() {
            return Ok(Found::Positions(out));
        }
        let named = || Format::of_name(&args.output.to_string_lossy());
        Ok(Found::Puzzles(Writer::new(
            out,
            args.format.or_else(named).unwrap_or(Format::Csv),
        )))
    }

    fn write(&mut self, candidate: &Candidate) -> io::Result<()> {
        match (self, &candidate.puzzle) {
            (Found::Puzzles(out), Some(puzzle)) => out.write(puzzle),
            (Found::Puzzles(_), None) => Ok(()),
            (Found::Positions(out), _) => writeln!(out, "{}", candidate.history.fen()),
        }
    }

    fn finish(self) -> Result<AtomicFile> {
        match self {
            Found::Positions(out) => Ok(out),
            Found::Puzzles(out) => out.finish().context("cannot write the puzzles"),
        }
    }
}
