//! `centipawn policy fit-rating`: the model that rates puzzles.

use std::{
    collections::HashSet,
    fmt::Write as _,
    io::Write as _,
    num::NonZero,
    path::PathBuf,
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use anyhow::{Context as _, Result, anyhow};
use centipawn_pgn::Source;
use centipawn_policy::{Network, RatedLine, RatingModel, find_network};
use centipawn_puzzle::{Puzzle, Reader};
use clap::Args;

use crate::{
    args::{JobsArg, Shared},
    exit,
    output::{Output, refuse_collisions},
    text::plural,
};

/// Arguments of `centipawn policy fit-rating`.
#[derive(Args)]
pub(crate) struct FitRating {
    /// Puzzles as Lichess publishes them
    #[arg(value_name = "CSV")]
    puzzles: PathBuf,
    /// Where to write the model
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// More puzzles to measure the model on; those fitted on are left out
    #[arg(long, value_name = "CSV")]
    check: Vec<PathBuf>,
    /// Fit the model that serves without policy networks, from the moves of the solution alone
    #[arg(long)]
    no_policy: bool,
    #[command(flatten)]
    jobs: JobsArg,
}

/// Runs the command. The report goes to standard error, the model where it was asked for.
pub(crate) fn run(args: &FitRating, shared: &Shared) -> Result<ExitCode> {
    refuse_collisions(&[&args.output], &[std::slice::from_ref(&args.puzzles), &args.check[..]].concat())?;
    let names: &[&str] = if args.no_policy { &[] } else { &RatingModel::NETWORKS };
    let networks = names.iter().map(|name| Ok(Network::open(find_network(name)?)?));
    let networks: Vec<Network> = networks.collect::<Result<_>>()?;
    let threads = args.jobs.given().or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);

    let puzzles = read(&args.puzzles)?;
    let ids: HashSet<&str> = puzzles.iter().map(|puzzle| puzzle.id.as_str()).collect();
    let (lines, mut skipped) = featured(&puzzles, &networks, threads);
    let (held_back, fitted): (Vec<_>, Vec<_>) =
        lines.into_iter().partition(|(index, _)| is_held_back(&puzzles[*index].id));
    let strip = |lines: Vec<(usize, RatedLine)>| lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>();
    let (held_back, fitted) = (strip(held_back), strip(fitted));
    let names: Vec<String> = networks.iter().map(|network| network.name().to_owned()).collect();
    let too_few = || anyhow!("{} has too few puzzles to fit a model", args.puzzles.display());
    let mut model = RatingModel::fit(&names, &fitted, String::new()).ok_or_else(too_few)?;
    let errors = model.errors(&held_back, f64::MIN, f64::MAX).ok_or_else(too_few)?;
    model.provenance = format!(
        "centipawn policy fit-rating{} on {} puzzles of {} (Lichess puzzle database, CC0), {} others kept back: mean absolute error \
         {:.0}, root mean square {:.0}, {:.0} % in their intervals of 80 %",
        if args.no_policy { " --no-policy" } else { "" },
        fitted.len(),
        args.puzzles.file_name().unwrap_or_default().to_string_lossy(),
        errors.count,
        errors.mean_absolute,
        errors.root_mean_square,
        100.0 * errors.covered
    );
    let mut report = table(&model, "kept back", &held_back)?;
    for path in &args.check {
        let others: Vec<Puzzle> = read(path)?.into_iter().filter(|other| !ids.contains(other.id.as_str())).collect();
        let (lines, more) = featured(&others, &networks, threads);
        skipped += more;
        write!(report, "\n{}", table(&model, &path.display().to_string(), &strip(lines))?)?;
    }
    if !shared.quiet {
        anstream::eprint!("{report}");
    }
    let mut out = Output::create(&args.output)?;
    serde_json::to_writer_pretty(&mut out, &model)?;
    out.write_all(b"\n")?;
    out.finish()?;
    Ok(if skipped == 0 {
        ExitCode::SUCCESS
    } else {
        anstream::eprintln!("{} left out", plural(skipped, "puzzle"));
        exit::SKIPPED.into()
    })
}

/// Those puzzles of a file that have a rating.
fn read(path: &PathBuf) -> Result<Vec<Puzzle>> {
    let source = Source::open(path)?;
    let puzzles = Reader::new(source, None).with_context(|| format!("cannot read {}", path.display()))?;
    let puzzles: Vec<Puzzle> =
        puzzles.collect::<Result<_, _>>().with_context(|| format!("cannot read {}", path.display()))?;
    Ok(puzzles.into_iter().filter(|puzzle| puzzle.rating.is_some()).collect())
}

/// A third of all puzzles, the same whatever else is in the file: by a hash (FNV-1a) of the name.
fn is_held_back(id: &str) -> bool {
    let hash =
        id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    hash % 3 == 0
}

/// The features of all puzzles that can be read, with their places, and how many cannot.
fn featured(puzzles: &[Puzzle], networks: &[Network], threads: usize) -> (Vec<(usize, RatedLine)>, u64) {
    let networks: Vec<&Network> = networks.iter().collect();
    let (next, found, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((index, puzzle)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|index| Some((index, puzzles.get(index)?)))
                {
                    match features(puzzle, &networks) {
                        Ok(features) => {
                            let line = RatedLine { features, rating: f64::from(puzzle.rating.unwrap_or_default()) };
                            found.lock().unwrap_or_else(PoisonError::into_inner).push((index, line));
                        }
                        Err(error) => {
                            failed.fetch_add(1, Ordering::Relaxed);
                            anstream::eprintln!("error: puzzle {}: {error:#}", puzzle.id);
                        }
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(index, _)| *index);
    (found, failed.into_inner() as u64)
}

fn features(puzzle: &Puzzle, networks: &[&Network]) -> Result<Vec<f64>> {
    let line: Vec<_> = puzzle.solution.line().collect();
    Ok(RatingModel::features(networks, &puzzle.shown(), &line)?)
}

fn table(model: &RatingModel, title: &str, lines: &[RatedLine]) -> Result<String> {
    let mut text =
        format!("{title:24} {:>8} {:>6} {:>6} {:>6} {:>12}\n", "puzzles", "MAE", "RMSE", "bias", "in interval");
    let bands = [(0.0, 800.0), (800.0, 1200.0), (1200.0, 1600.0), (1600.0, 2000.0), (2000.0, 2400.0), (2400.0, 4000.0)];
    for (low, high) in bands.into_iter().chain([(0.0, 4000.0)]) {
        let Some(errors) = model.errors(lines, low, high) else { continue };
        let band = if high - low > 2000.0 { "all".to_owned() } else { format!("{low} to {high}") };
        writeln!(
            text,
            "{band:24} {:8} {:6.0} {:6.0} {:+6.0} {:10.0} %",
            errors.count,
            errors.mean_absolute,
            errors.root_mean_square,
            errors.bias,
            100.0 * errors.covered
        )?;
    }
    Ok(text)
}
