//! `centipawn puzzles mine`: games in, puzzles out.

mod summary;

use std::{
    collections::{BTreeMap, HashSet},
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

use anyhow::{Context as _, Result};
use centipawn_engine::{Analyst, AnalystError, Limit};
use centipawn_pgn::{Dialect, Game, GameEvals, Opening};
use centipawn_puzzle::{Candidate, Classic, Format, Lichess, Limits, Miner, Rule, Verdict, Writer};
use clap::{Args, ValueEnum};

use super::{
    all,
    rate::{RateBy, Rater},
    scale,
};
use crate::{
    args::{CurveArgs, EngineArgs, Shared},
    engine::{TablesArg, start_pool},
    exit::{self, usage},
    games::{Games, read_ahead, sources},
    interrupt,
    kept::{self, StoreArg},
    output::{Output, refuse_collisions},
    progress::Progress,
    text::plural,
};
use summary::{Counted, Summary, explain, ply_number};

/// Arguments of `centipawn puzzles mine`.
#[derive(Args)]
pub(crate) struct Mine {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns; - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    /// What makes a position a puzzle
    #[arg(long, value_enum, default_value_t)]
    rules: Rules,
    /// Share of the rules' node limits: 0.1 is ten times as fast, and sees less
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = parse_scale)]
    scale: f64,
    /// Ask the engine about every position, also where the game has an evaluation
    #[arg(long, help_heading = "Engine")]
    ignore_evals: bool,
    /// How evaluations are written in the games, where auto does not find out
    #[arg(long, value_name = "DIALECT", default_value_t, help_heading = "Engine")]
    evals: Dialect,
    /// Least moves of the solver in the main line
    #[arg(long, value_name = "N", default_value_t = Limits::default().least)]
    least_moves: u8,
    /// Most moves of the solver in a line
    #[arg(long, value_name = "N", default_value_t = Limits::default().depth, value_parser = clap::value_parser!(u8).range(1..=40))]
    most_moves: u8,
    /// Most positions that a solution asks for, its branches included
    #[arg(long, value_name = "N", default_value_t = Limits::default().positions, value_parser = clap::value_parser!(u16).range(1..=500))]
    most_positions: u16,
    /// With the rules of Lichess: ask more of games of weak and hasty players, or pass over them, as the generator does
    #[arg(long)]
    tiers: bool,
    /// Puzzles that are had already, and not wanted again; may be repeated
    #[arg(long, value_name = "PUZZLES")]
    known: Vec<PathBuf>,
    /// Name each candidate with what became of it
    #[arg(long)]
    explain: bool,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// How puzzles are written: csv, json or pgn [default: as the output's name says, or else csv]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    tables: TablesArg,
    #[command(flatten)]
    store: StoreArg,
    #[command(flatten)]
    curve: CurveArgs,
    #[command(flatten)]
    rate_by: RateBy,
}

/// `--rules`.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Rules {
    /// In expected score: one move wins or saves, no second one does; whole solutions
    #[default]
    Centipawn,
    /// Those of the relevance article, in centipawns: one move wins and is not plain to see. A FEN a line
    Classic,
    /// Those of Lichess' generator: a mistake, by the games' own evaluations, with only one answer at each move. Whole solutions
    Lichess,
}

fn parse_scale(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(scale) if scale > 0.0 && f64::is_finite(scale) => Ok(scale),
        _ => Err("a scale is a number above 0, such as 0.1".to_owned()),
    }
}

/// What the threads tell.
enum Event {
    Position,
    /// A position that could not be answered.
    Failed(u64, String),
    Mined(u64, Box<Game>, Vec<Candidate>),
}

pub(super) fn run(args: &Mine, shared: &Shared) -> Result<ExitCode> {
    let stop = interrupt::flag()?;
    match mine(args, shared, stop) {
        // Engines killed under their start, say: that is what was asked for.
        Err(_) if interrupt::interrupted() => Ok(exit::INTERRUPTED.into()),
        result => result,
    }
}

fn mine(args: &Mine, shared: &Shared, stop: &'static AtomicBool) -> Result<ExitCode> {
    if args.engine.limit() != Limit::Nodes(1_000_000) {
        return Err(usage("puzzles have node limits of their own; --scale makes them smaller or larger"));
    }
    args.check_flags()?;
    let mut progress = Progress::new(shared.progress, shared.quiet);
    let problems = progress.problems();
    let sources = sources(&args.games, &problems);
    let read: Vec<PathBuf> = sources.paths().iter().chain(&args.known).cloned().collect();
    refuse_collisions(&[&args.output], &read)?;
    // Positions of puzzles that are not wanted again.
    if let Some(missing) = args.known.iter().find(|path| path.as_os_str() != "-" && !path.exists()) {
        return Err(usage(format!("--known: there is no file {}", missing.display())));
    }
    let mut known: HashSet<u64> = all(&args.known, None, &problems).map(|puzzle| puzzle.key()).collect();
    let rater = (args.rules != Rules::Classic).then(|| Rater::open(args.rate_by, &problems));
    let mut found = Found::create(args)?;
    let store = args.store.open(&problems)?.map(Arc::new);
    let pool = start_pool(&args.engine)?;
    let analyst = kept::cached_exactly(Arc::clone(&pool) as Arc<dyn Analyst>, store, &problems);
    let analyst = Counted::new(args.tables.before(analyst)?);
    let work = Work::new(args, &pool.identity().name)?;
    let games = Games::new(sources.paths().to_vec(), Arc::clone(&problems));
    let names = games.names();
    let games = Mutex::new(read_ahead(games, stop).enumerate());

    let (sender, receiver) = mpsc::channel();
    let mut summary = Summary::default();
    let mut written: Result<()> = Ok(());
    thread::scope(|scope| {
        for _ in 0..analyst.parallelism().max(1) {
            let (sender, games, analyst, work) = (sender.clone(), &games, &analyst, &work);
            scope.spawn(move || work.run(games, analyst, &sender, stop));
        }
        drop(sender);
        // Games come out in the order they went in.
        let (mut waiting, mut next) = (BTreeMap::new(), 0);
        for event in receiver {
            match event {
                Event::Position => progress.position(),
                Event::Failed(index, text) => problems.error(format_args!("{}: {text}", names.of(index))),
                Event::Mined(index, game, candidates) => {
                    waiting.insert(index, (game, candidates));
                }
            }
            while let Some((game, mut candidates)) = waiting.remove(&next) {
                summary.games += 1;
                progress.game(game.headers.get("White").unwrap_or_default());
                for candidate in &mut candidates {
                    if candidate.puzzle.as_ref().is_some_and(|puzzle| !known.insert(puzzle.key())) {
                        candidate.verdict = Verdict::Known;
                    }
                    summary.count(candidate.verdict);
                    if !candidate.verdict.is_puzzle() {
                        continue;
                    }
                    if let (Some(puzzle), Some(rater)) = (&mut candidate.puzzle, &rater) {
                        puzzle.openings = opening_tags(&game, candidate.ply);
                        if let Err(error) = rater.rate(puzzle) {
                            problems.error(format_args!("{}: game {}: {error}", names.of(next), game.place.game));
                        }
                    }
                    if written.is_ok() {
                        written = found.write(candidate).context("cannot write the puzzles");
                    }
                }
                if args.explain {
                    progress.suspend(|| explain(&names, next, &game, &candidates));
                }
                next += 1;
            }
            if written.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    progress.finish();
    written?;
    // No game read: what an earlier run wrote stays.
    if summary.games > 0 && interrupt::may_replace(&args.output) {
        found.finish()?;
    }
    let engine = &pool.identity().name;
    if args.rules == Rules::Centipawn && args.curve.curve()?.is_none() && analyst.is_guessing(engine) {
        problems.warning(format_args!(
            "{engine} tells no win, draw and loss; its centipawns were read as Stockfish's. --curve names another curve"
        ));
    }
    if !shared.quiet {
        summary.tell(&analyst, pool.stats().searches);
    }
    if interrupt::interrupted() {
        anstream::eprintln!("interrupted; finished: {}", plural(summary.games, "game"));
        return Ok(exit::INTERRUPTED.into());
    }
    Ok(match (summary.games, problems.count()) {
        (_, 0) => ExitCode::SUCCESS,
        (0, _) => exit::FAILED.into(),
        (_, _) => exit::SKIPPED.into(),
    })
}

impl Mine {
    /// Refuses flags that mean nothing with these rules.
    fn check_flags(&self) -> Result<()> {
        let limits = Limits::default();
        let of_puzzles = [("--format", self.format.is_some()), ("--known", !self.known.is_empty())];
        let of_centipawn = [
            ("--ignore-evals", self.ignore_evals),
            ("--least-moves", self.least_moves != limits.least),
            ("--most-moves", self.most_moves != limits.depth),
            ("--most-positions", self.most_positions != limits.positions),
            ("--curve", self.curve.is_given()),
            ("--syzygy", self.tables.is_given()),
        ];
        let given =
            |flags: &[(&'static str, bool)]| flags.iter().find(|(_, is_given)| *is_given).map(|(flag, _)| *flag);
        if self.least_moves > self.most_moves {
            return Err(usage("--least-moves asks for more moves than --most-moves allows"));
        }
        if self.rules != Rules::Lichess && self.tiers {
            return Err(usage("only the rules of Lichess know tiers; leave --tiers out"));
        }
        if let (Rules::Classic, Some(flag)) = (self.rules, given(&of_puzzles)) {
            return Err(usage(format!("the classic rules find positions, written as a FEN a line; leave {flag} out")));
        }
        if let (Rules::Classic | Rules::Lichess, Some(flag)) = (self.rules, given(&of_centipawn)) {
            return Err(usage(format!("{flag} belongs to the rules of Centipawn, the default; leave it out")));
        }
        Ok(())
    }
}

/// The opening of a puzzle's game as Lichess writes it: family and variation, while one may think of it still.
fn opening_tags(game: &Game, ply: usize) -> String {
    const LAST: usize = 40;
    let Some(opening) = Opening::of(game).filter(|_| ply <= LAST) else { return String::new() };
    let tag = |name: &str| -> String {
        let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-');
        name.chars().filter(is_kept).map(|c| if c == ' ' { '_' } else { c }).collect()
    };
    let (family, name) = (tag(opening.family()), tag(opening.name));
    if family == name { family } else { format!("{family} {name}") }
}

/// Where what was found goes.
enum Found {
    Positions(Output),
    Puzzles(Writer<Output>),
}

impl Found {
    fn create(args: &Mine) -> Result<Self> {
        let out = Output::create(&args.output)?;
        if args.rules == Rules::Classic {
            return Ok(Found::Positions(out));
        }
        let named = || Format::of_name(&args.output.to_string_lossy());
        Ok(Found::Puzzles(Writer::new(out, args.format.or_else(named).unwrap_or(Format::Csv))))
    }

    fn write(&mut self, candidate: &Candidate) -> io::Result<()> {
        match (self, &candidate.puzzle) {
            (Found::Puzzles(out), Some(puzzle)) => out.write(puzzle),
            (Found::Puzzles(_), None) => Ok(()),
            (Found::Positions(out), _) => writeln!(out, "{}", candidate.history.fen()),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Found::Positions(out) => out.finish(),
            Found::Puzzles(out) => out.finish().context("cannot write the puzzles")?.finish(),
        }
    }
}

/// What is done with each game.
enum Work {
    Centipawn(Box<Miner>, Option<Dialect>),
    Classic(Classic),
    Lichess(Lichess, Dialect),
}

impl Work {
    fn new(args: &Mine, engine: &str) -> Result<Self> {
        Ok(match args.rules {
            Rules::Classic => Work::Classic(Classic { scale: args.scale }),
            Rules::Lichess => Work::Lichess(Lichess { scale: args.scale, tiers: args.tiers }, args.evals),
            Rules::Centipawn => {
                let scale = scale(&args.curve, engine)?;
                let limits = Limits {
                    least: args.least_moves,
                    depth: args.most_moves,
                    positions: args.most_positions,
                    ..Limits::default()
                };
                let miner = Miner { scale, rule: Rule::default(), limits: limits.scaled(args.scale) };
                Work::Centipawn(Box::new(miner), (!args.ignore_evals).then_some(args.evals))
            }
        })
    }

    /// Mines games until there are no more.
    fn run(
        &self,
        games: &Mutex<impl Iterator<Item = (usize, Game)>>,
        analyst: &dyn Analyst,
        sender: &mpsc::Sender<Event>,
        stop: &AtomicBool,
    ) {
        while !stop.load(Ordering::Relaxed) {
            let game = games.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((index, game)) = game else { break };
            let index = index as u64;
            // The receiver is there until the last sender is gone.
            let failed = |ply: usize, error: AnalystError| {
                let number = ply_number(&game, ply);
                let _ = sender.send(Event::Failed(index, format!("game {}, at {number}: {error}", game.place.game)));
            };
            let position = || {
                let _ = sender.send(Event::Position);
            };
            let mined = match self {
                Work::Classic(classic) => classic.mine(&game, analyst, position, failed),
                Work::Lichess(lichess, dialect) => {
                    lichess.mine(&game, &GameEvals::read(&game, *dialect), analyst, position, failed)
                }
                Work::Centipawn(miner, dialect) => {
                    let told = dialect.map(|dialect| GameEvals::read(&game, dialect));
                    miner.mine(&game, told.as_ref(), analyst, position, failed)
                }
            };
            let Ok(candidates) = mined else { break };
            let _ = sender.send(Event::Mined(index, Box::new(game), candidates));
        }
    }
}
