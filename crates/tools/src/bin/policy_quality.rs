//! Measures how well the bundled policy predicts the moves of humans: `make bench-policy-quality`.
//!
//! Arguments: a file of rated Lichess games; the folder of the three Maia networks from which the
//! policy was made; rated puzzles, to fit and to measure the rating model; puzzles drawn without
//! regard to their rating. Only the last quarter of the games is measured. If
//! `research/train_policy.py` has trained one network for all levels, two more arguments can
//! follow: this network, and the same network before its weights were rounded. They are then
//! measured instead of the bundled policy. Exits with status 1 if a limit does not hold.

use std::{env, error::Error, fs, process::ExitCode, sync::Arc, time::Duration};

use centipawn_core::History;
use centipawn_engine::{EngineSpec, Limit, Line, Question};
use centipawn_pgn::{Dialect, Game, Reader, Source};
use centipawn_policy::{Evaluation, Kernel, Network};
use centipawn_progress::{Cancel, Silent};
use centipawn_puzzle::{
    Puzzle,
    rating::{FitRatingOptions, FittedRating},
};
use centipawn_work::{AnalystSpec, Resources, StoreChoice};
use shakmaty::Move;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The ratings of the bundled Maia networks.
const RATINGS: [u32; 3] = [1100, 1500, 1900];
/// The ratings of the players whose moves are measured.
const PLAYERS: std::ops::Range<u32> = 1000..2100;
/// The first ply that is measured, counted from 0. Earlier moves are left out, because players know
/// openings by heart.
const FIRST_PLY: usize = 10;
/// Number of positions in which Stockfish searches for the best move.
const BEST_MOVES: usize = 400;

/// A move for which the player had time to think.
struct Played {
    history: History,
    mv: Move,
    rating: u32,
}

/// Returns the moves of a game that are measured. The game is not bullet, and the player has at
/// least 30 seconds left.
fn played(game: &Game) -> Vec<Played> {
    let is_bullet = game.players().seconds.is_none_or(|seconds| seconds < 180.0);
    if is_bullet {
        return Vec::new();
    }
    let (dialect, mut clocks) = (Dialect::detect([game]), [None, None]);
    let mut all = Vec::new();
    let moves = game.mainline().zip(game.annotations(dialect)).enumerate();
    for (index, ((history, ply), annotation)) in moves {
        let mover = history.turn();
        let clock = &mut clocks[mover.fold_wb(0, 1)];
        let had = std::mem::replace(clock, annotation.clock);
        let rating = game
            .headers
            .get(mover.fold_wb("WhiteElo", "BlackElo"))
            .and_then(|text| text.parse().ok());
        let rating = rating.filter(|rating| PLAYERS.contains(rating));
        if let (Some(rating), true) = (rating, index >= FIRST_PLY)
            && had.is_some_and(|left| left >= Duration::from_secs(30))
        {
            all.push(Played {
                history,
                mv: ply.mv,
                rating,
            });
        }
    }
    all
}

/// How well predictions match the moves that were played.
#[derive(Clone, Copy, Default)]
struct Fit {
    moves: usize,
    found: usize,
    log_loss: f64,
}

impl Fit {
    fn add(&mut self, answer: &Evaluation, played: Move) {
        self.moves += 1;
        self.found += usize::from(answer.moves[0].mv == played);
        self.log_loss -= probability(answer, played).ln();
    }

    /// Returns the share of moves that the policy found most likely.
    fn found(self) -> f64 {
        self.found as f64 / self.moves as f64
    }

    fn log_loss(self) -> f64 {
        self.log_loss / self.moves as f64
    }
}

fn probability(answer: &Evaluation, mv: Move) -> f64 {
    answer
        .moves
        .iter()
        .find(|found| found.mv == mv)
        .map_or(1e-9, |found| found.probability.max(1e-9))
}

/// Returns the Kullback-Leibler divergence of `other` from `this`, in nats. Probabilities of 0
/// count as 1e-9.
fn divergence(this: &Evaluation, other: &Evaluation) -> f64 {
    this.moves
        .iter()
        .map(|mv| mv.probability * (mv.probability.max(1e-12) / probability(other, mv.mv)).ln())
        .sum()
}

/// Prints limits and counts those that do not hold.
#[derive(Default)]
struct Gates {
    failed: usize,
}

impl Gates {
    fn check(&mut self, what: &str, value: f64, holds: bool, limit: &str) {
        println!(
            "{} {what}: {value:.4} ({limit})",
            if holds { "ok    " } else { "FAILED" }
        );
        self.failed += usize::from(!holds);
    }
}

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [games, maias, puzzles, unbiased, one @ ..] = &arguments[..] else {
        return Err(
            "usage: policy_quality GAMES.pgn MAIA_FOLDER PUZZLES.csv UNBIASED.csv \
                    [NETWORK UNPACKED]"
                .into(),
        );
    };
    let mut gates = Gates::default();
    let packed = |rating: u32| {
        format!(
            "{}/../policy/networks/maia-{rating}-packed.pb.gz",
            env!("CARGO_MANIFEST_DIR")
        )
    };
    let bytes: u64 = RATINGS
        .iter()
        .map(|rating| fs::metadata(packed(*rating)).map_or(0, |file| file.len()))
        .sum();
    gates.check(
        "size in MB",
        bytes as f64 / 1e6,
        bytes <= 2_300_000,
        "at most 2.3",
    );

    let bundled = Network::find(Network::BUNDLED, Kernel::best())?;
    let open = |path: String| Network::open(path);
    let unpacked: Vec<Network> = RATINGS
        .iter()
        .map(|rating| open(format!("{maias}/maia-{rating}.pb.gz")))
        .collect::<std::result::Result<_, _>>()?;
    let packed: Vec<Network> = RATINGS
        .iter()
        .map(|rating| open(packed(*rating)))
        .collect::<std::result::Result<_, _>>()?;

    let games: Vec<Game> = Reader::new(Source::open(games)?)
        .filter_map(|game| game.ok()?.ok())
        .collect();
    let played: Vec<Played> = games[games.len() * 3 / 4..]
        .iter()
        .flat_map(played)
        .collect();
    let measured = if let [network, unrounded] = one {
        let bytes = fs::metadata(network)?.len();
        gates.check(
            "size of the network in MB",
            bytes as f64 / 1e6,
            bytes <= 600_000,
            "at most 0.6",
        );
        let [network, unrounded] = [Network::open(network)?, Network::open(unrounded)?];
        predict_with_one(
            &played,
            [&network, &unrounded, &bundled],
            &unpacked,
            &mut gates,
        )?;
        network
    } else {
        predict(&played, &bundled, &unpacked, &packed, &mut gates)?;
        bundled
    };
    levels(&played, &measured, &mut gates)?;
    ratings(puzzles, unbiased, measured, &mut gates)?;
    Ok(if gates.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Measures the predictions of the bundled policy, and what packing the networks changed in their
/// answers.
fn predict(
    played: &[Played],
    bundled: &Network,
    unpacked: &[Network],
    packed: &[Network],
    gates: &mut Gates,
) -> Result<()> {
    // For each band of ratings, the fit of the bundled policy, of the nearest Maia network, and of
    // Maia 1500.
    let mut bands = [[Fit::default(); 3]; 3];
    let mut divergences = [0.0; 3];
    let mut same = [0_usize; 3];
    for Played {
        history,
        mv,
        rating,
    } in played
    {
        let maias: Vec<Evaluation> = unpacked
            .iter()
            .map(|network| network.evaluate(history))
            .collect::<std::result::Result<_, _>>()?;
        for (index, network) in packed.iter().enumerate() {
            let answer = network.evaluate(history)?;
            divergences[index] += divergence(&maias[index], &answer) / played.len() as f64;
            same[index] += usize::from(answer.moves[0].mv == maias[index].moves[0].mv);
        }
        let band = &mut bands[band_of(*rating)];
        band[0].add(&bundled.evaluate_at(history, *rating)?, *mv);
        band[1].add(&maias[nearest(*rating)], *mv);
        band[2].add(&maias[1], *mv);
    }
    let all = table([Network::BUNDLED, "nearest Maia", "Maia 1500"], &bands);
    check_found(&bands, 1, gates);
    let gain = all[1].log_loss() - all[0].log_loss();
    gates.check(
        "log-loss below the nearest Maia's",
        gain,
        gain >= 0.015,
        "at least 0.015",
    );
    for (index, rating) in RATINGS.iter().enumerate() {
        let what = format!("divergence of maia-{rating} re-packed");
        gates.check(
            &what,
            divergences[index],
            divergences[index] <= 0.005,
            "at most 0.005",
        );
        println!(
            "       same first move: {:.1} %",
            100.0 * same[index] as f64 / played.len() as f64
        );
    }
    Ok(())
}

/// Measures one network for all levels in the same way. The networks are `[network, the same before
/// rounding, the bundled policy]`.
fn predict_with_one(
    played: &[Played],
    [network, unrounded, mixture]: [&Network; 3],
    maias: &[Network],
    gates: &mut Gates,
) -> Result<()> {
    let mut bands = [[Fit::default(); 3]; 3];
    let [mut to_mixture, mut apart, mut rounding] = [0.0; 3];
    let mut same = 0_usize;
    for Played {
        history,
        mv,
        rating,
    } in played
    {
        let [answer, fine, mixed] =
            [network, unrounded, mixture].map(|network| network.evaluate_at(history, *rating));
        let (answer, mixed) = (answer?, mixed?);
        let part = 1.0 / played.len() as f64;
        to_mixture += part * divergence(&mixed, &answer);
        rounding += part * divergence(&fine?, &answer);
        let differences = mixed
            .moves
            .iter()
            .map(|mv| (mv.probability - probability(&answer, mv.mv)).abs());
        apart += part * 0.5 * differences.sum::<f64>();
        same += usize::from(answer.moves[0].mv == mixed.moves[0].mv);
        let band = &mut bands[band_of(*rating)];
        band[0].add(&answer, *mv);
        band[1].add(&mixed, *mv);
        band[2].add(&maias[nearest(*rating)].evaluate(history)?, *mv);
    }
    let all = table([network.name(), Network::BUNDLED, "nearest Maia"], &bands);
    check_found(&bands, 2, gates);
    let loss = all[0].log_loss() - all[1].log_loss();
    gates.check(
        "log-loss above the mixture's",
        loss,
        loss <= 0.015,
        "at most 0.015",
    );
    gates.check(
        "total variation to the mixture",
        apart,
        apart <= 0.08,
        "at most 0.08",
    );
    println!(
        "       divergence {to_mixture:.4}, same first move: {:.1} %",
        100.0 * same as f64 / played.len() as f64
    );
    gates.check(
        "divergence by rounding",
        rounding,
        rounding <= 0.005,
        "at most 0.005",
    );
    Ok(())
}

/// Returns the index of the Maia network with the nearest rating.
fn nearest(rating: u32) -> usize {
    (0..3)
        .min_by_key(|index| RATINGS[*index].abs_diff(rating))
        .unwrap_or_default()
}

fn band_of(rating: u32) -> usize {
    ((rating - PLAYERS.start) / 400).min(2) as usize
}

/// The names of the bands of ratings, in the order of [`band_of`].
const BANDS: [&str; 3] = ["1000 to 1400", "1400 to 1800", "1800 to 2100"];

/// Prints the fit of three policies in each band. Returns the sum over the bands.
fn table(policies: [&str; 3], bands: &[[Fit; 3]; 3]) -> [Fit; 3] {
    let all = bands.iter().fold([Fit::default(); 3], |sum, band| {
        std::array::from_fn(|index| Fit {
            moves: sum[index].moves + band[index].moves,
            found: sum[index].found + band[index].found,
            log_loss: sum[index].log_loss + band[index].log_loss,
        })
    });
    println!(
        "\n| players | moves | {} |\n| --- | --- | --- | --- | --- |",
        policies.join(" | ")
    );
    for (name, band) in BANDS.iter().chain([&"all"]).zip(bands.iter().chain([&all])) {
        let cells = band.map(|fit| format!("{:.1} %, {:.3}", 100.0 * fit.found(), fit.log_loss()));
        println!("| {name} | {} | {} |", band[0].moves, cells.join(" | "));
    }
    println!();
    all
}

/// Checks how many moves the first policy finds, relative to the policy at index `nearest`, which
/// is the nearest Maia network.
fn check_found(bands: &[[Fit; 3]; 3], nearest: usize, gates: &mut Gates) {
    for (name, band) in BANDS.iter().zip(bands) {
        let ratio = band[0].found() / band[nearest].found();
        gates.check(
            &format!("moves found, {name}, to the nearest Maia's"),
            ratio,
            ratio >= 0.98,
            "at least 0.98",
        );
    }
}

/// Checks that the predicted probability of the best move rises with the level.
fn levels(played: &[Played], bundled: &Network, gates: &mut Gates) -> Result<()> {
    let levels: Vec<u32> = (1100..=1900).step_by(100).collect();
    let resources = Resources::new(StoreChoice::None, &Cancel::new(), Arc::new(Silent));
    let engine = EngineSpec {
        command: "stockfish".to_owned(),
        options: Vec::new(),
        jobs: 1,
    };
    let analyst = resources.some_analyst(&AnalystSpec {
        engine: Some(engine),
        ..AnalystSpec::default()
    })?;
    let mut means = vec![0.0; levels.len()];
    let chosen: Vec<&Played> = played
        .iter()
        .step_by((played.len() / BEST_MOVES).max(1))
        .collect();
    for Played { history, .. } in &chosen {
        let analysis = analyst.analyse(&Question::new(history.clone(), Limit::Nodes(20_000)))?;
        let Some(best) = analysis.best().map(Line::first_move) else {
            continue;
        };
        let answers = bundled
            .evaluate_many(std::slice::from_ref(history), &levels)
            .swap_remove(0)?;
        for (mean, answer) in means.iter_mut().zip(answers) {
            *mean += probability(&answer, best) / chosen.len() as f64;
        }
    }
    println!(
        "\nprobability of Stockfish's best move, {} positions:",
        chosen.len()
    );
    for (level, mean) in levels.iter().zip(&means) {
        println!("{level} {mean:.4}");
    }
    let least = means
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .fold(f64::INFINITY, f64::min);
    gates.check(
        "least rise from one level to the next",
        least,
        least > 0.0,
        "above 0",
    );
    Ok(())
}

/// Fits the rating model anew, and checks its errors on puzzles that were not used for the fit.
fn ratings(puzzles: &str, unbiased: &str, bundled: Network, gates: &mut Gates) -> Result<()> {
    let read = |path: &str| -> Result<Vec<Puzzle>> {
        let puzzles = centipawn_puzzle::Reader::new(Source::open(path)?, None)?;
        Ok(puzzles.collect::<std::result::Result<_, _>>()?)
    };
    let options = FitRatingOptions {
        source: puzzles.to_owned(),
        threads: 2,
        ..FitRatingOptions::default()
    };
    let others = [("unbiased".to_owned(), read(unbiased)?)];
    let fitted = FittedRating::fit(
        &read(puzzles)?,
        None,
        &others,
        &[bundled],
        &options,
        &Cancel::new(),
        &Silent,
    )?;
    println!();
    for (table, limit) in fitted.tables.iter().zip([277.0, 272.0]) {
        let all = table.bands.last().ok_or("no puzzles")?.errors;
        let what = format!(
            "mean absolute error of ratings, {} ({} puzzles)",
            table.title, all.count
        );
        gates.check(
            &what,
            all.mean_absolute,
            all.mean_absolute <= limit,
            &format!("at most {limit}"),
        );
    }
    Ok(())
}
