//! `centipawn puzzles mine`: games in, puzzles out.

use std::{
    collections::BTreeMap,
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
use centipawn_pgn::{Dialect, Game, Ply, Told};
use centipawn_puzzle::{Candidate, Classic, Format, Lichess, Verdict, Writer};
use clap::{Args, ValueEnum};

use crate::{
    args::{EngineArgs, Shared},
    engine::start_pool,
    exit::{self, usage},
    games::{Games, Names, read_ahead, sources},
    interrupt,
    kept::{self, StoreArg},
    output::{Output, refuse_collisions},
    progress::Progress,
    text::plural,
};

/// Arguments of `centipawn puzzles mine`.
#[derive(Args)]
pub(crate) struct Mine {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns; - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    /// What makes a position a puzzle
    #[arg(long, value_enum)]
    rules: Rules,
    /// Share of the rules' node limits: 0.1 is ten times as fast, and sees less
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = parse_scale)]
    scale: f64,
    /// With the rules of Lichess: ask more of games of weak and hasty players, or pass over them, as the generator does
    #[arg(long)]
    tiers: bool,
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
    store: StoreArg,
}

/// `--rules`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rules {
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
    match args.rules {
        Rules::Classic if args.format.is_some() => {
            return Err(usage(
                "the classic rules find positions, which are written as a FEN a line; leave --format out",
            ));
        }
        Rules::Classic if args.tiers => return Err(usage("only the rules of Lichess know tiers; leave --tiers out")),
        Rules::Classic | Rules::Lichess => {}
    }
    let mut progress = Progress::new(shared.progress, shared.quiet);
    let problems = progress.problems();
    let sources = sources(&args.games, &problems);
    refuse_collisions(&[&args.output], sources.paths())?;
    let mut found = Found::create(args)?;
    let store = args.store.open(&problems)?.map(Arc::new);
    let analyst = kept::cached(start_pool(&args.engine)?, store, &problems);
    let games = Games::new(sources.paths().to_vec(), Arc::clone(&problems));
    let names = games.names();
    let games = Mutex::new(read_ahead(games, stop).enumerate());

    let (sender, receiver) = mpsc::channel();
    let mut summary = BTreeMap::<Verdict, u64>::new();
    let mut done = 0_u64;
    let mut written: Result<()> = Ok(());
    thread::scope(|scope| {
        for _ in 0..analyst.parallelism().max(1) {
            let (sender, games, analyst) = (sender.clone(), &games, &*analyst);
            scope.spawn(move || work(args, games, analyst, &sender, stop));
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
            while let Some((game, candidates)) = waiting.remove(&next) {
                done += 1;
                progress.game(game.headers.get("White").unwrap_or_default());
                if args.explain {
                    progress.suspend(|| explain(&names, next, &game, &candidates));
                }
                for candidate in candidates {
                    *summary.entry(candidate.verdict).or_default() += 1;
                    if candidate.verdict.is_puzzle() && written.is_ok() {
                        written = found.write(&candidate).context("cannot write the puzzles");
                    }
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
    if done > 0 {
        found.finish()?;
    }
    if !shared.quiet {
        tell(done, &summary);
    }
    if interrupt::interrupted() {
        anstream::eprintln!("interrupted; finished: {}", plural(done, "game"));
        return Ok(exit::INTERRUPTED.into());
    }
    Ok(match (done, problems.count()) {
        (_, 0) => ExitCode::SUCCESS,
        (0, _) => exit::FAILED.into(),
        (_, _) => exit::SKIPPED.into(),
    })
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

/// Mines games until there are no more.
fn work(
    args: &Mine,
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
        let mined = match args.rules {
            Rules::Classic => Classic { scale: args.scale }.mine(&game, analyst, position, failed),
            Rules::Lichess => {
                let told = Told::read(&game, Dialect::Auto);
                Lichess { scale: args.scale, tiers: args.tiers }.mine(&game, &told, analyst, position, failed)
            }
        };
        let Ok(candidates) = mined else { break };
        let _ = sender.send(Event::Mined(index, Box::new(game), candidates));
    }
}

/// Such as `12... Nxe4`, or `12...` where the game ends.
fn ply_number(game: &Game, ply: usize) -> String {
    use shakmaty::Position as _;
    let (before, played) =
        game.mainline().nth(ply).map_or_else(|| (game.end(), None), |(before, ply)| (before, Some(ply)));
    let position = before.position();
    let dots = position.turn().fold_wb(".", "...");
    let played = played.map_or_else(String::new, |ply| format!(" {}", ply.san(position)));
    format!("{}{dots}{played}", position.fullmoves())
}

fn explain(names: &Names, index: u64, game: &Game, candidates: &[Candidate]) {
    for candidate in candidates {
        let best = candidate
            .best
            .map_or_else(String::new, |mv| format!("{}: ", Ply::new(mv).san(candidate.history.position())));
        anstream::eprintln!(
            "{}: game {}, at {}: {best}{}, {}, {}",
            names.of(index),
            game.place.game,
            ply_number(game, candidate.ply),
            if candidate.verdict.is_puzzle() { "a puzzle" } else { "refused" },
            candidate.verdict,
            plural(candidate.stages as u64, "stage")
        );
    }
}

/// How many puzzles and refusals of each kind.
fn tell(games: u64, summary: &BTreeMap<Verdict, u64>) {
    let count = |is_puzzle: bool| -> u64 {
        summary.iter().filter(|(verdict, _)| verdict.is_puzzle() == is_puzzle).map(|(_, count)| count).sum()
    };
    let (puzzles, refused) = (count(true), count(false));
    anstream::eprintln!(
        "{}, {}: {}, {refused} refused",
        plural(games, "game"),
        plural(puzzles + refused, "candidate"),
        plural(puzzles, "puzzle")
    );
    for (verdict, count) in summary {
        let what = match (verdict.is_puzzle(), count) {
            (true, 1) => "puzzle",
            (true, _) => "puzzles",
            (false, _) => "refused",
        };
        anstream::eprintln!("{count:>7} {what}: {verdict}");
    }
}
