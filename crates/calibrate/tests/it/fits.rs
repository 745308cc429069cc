//! Fits, compared with the logs of the reference program.

use std::{env, fmt::Write as _, fs, path::Path};

use centipawn_calibrate::wdl::{
    By, CountOptions, Counts, Fit, FitOptions, Method, Selection, Units, count,
};
use centipawn_pgn::{ScanOptions, Source, Sources};
use centipawn_progress::Cancel;
use centipawn_test_support::data::{shared, test_data};

/// The numbers in a log of scoreWDL.py.
struct Log {
    name: String,
    options: FitOptions,
    a: Vec<f64>,
    b: Vec<f64>,
    objective: Option<(f64, f64)>,
    retained: [f64; 3],
}

fn log(path: &Path) -> Log {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let after = |start: &str| {
        text.lines()
            .find_map(|line| line.trim().strip_prefix(start))
            .map(|rest| rest.trim().to_owned())
    };
    let numbers = |text: String| -> Vec<f64> {
        let plain = text.replace(['{', '}', ';', '(', ')', '='], " ");
        plain
            .split([',', ' '])
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().unwrap())
            .collect()
    };
    let units = match after("Converting evals with NormalizeToPawnValue =") {
        Some(value) => Units::Fixed(value.trim_end_matches('.').parse().unwrap()),
        None => Units::of_stockfish("18").unwrap(),
    };
    let by = if name.contains("_move_") {
        By::Move
    } else {
        By::Material
    };
    let method = if name.contains("Probability") {
        Method::Probability
    } else if name.contains("Score") {
        Method::Score
    } else {
        Method::Density
    };
    // These logs were made with --moveMin 8.
    let moves = if by == By::Move { (8, 120) } else { (1, 120) };
    let eval_max = if name.contains("evalMax1000") {
        1000
    } else {
        400
    };
    let retained = text
        .lines()
        .find_map(|line| line.strip_prefix("Retained (W,D,L) = "))
        .unwrap();
    Log {
        options: FitOptions {
            selection: Selection {
                by,
                units,
                moves,
                eval_max,
                ..Selection::default()
            },
            method,
            target: by.usual_target(),
            ..FitOptions::default()
        },
        a: numbers(after("constexpr double as[]").unwrap()),
        b: numbers(after("constexpr double bs[]").unwrap()),
        objective: after("Initial objective function:")
            .zip(after("Final objective function:"))
            .map(|(before, end)| (before.parse().unwrap(), end.parse().unwrap())),
        retained: numbers(retained.replace("positions.", ""))
            .try_into()
            .unwrap(),
        name,
    }
}

fn logs(folder: &Path) -> Vec<Log> {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "log"));
    paths.sort();
    paths.iter().map(|path| log(path)).collect()
}

fn counts(path: &Path) -> Counts {
    Counts::read(Source::open(path).unwrap()).unwrap()
}

#[test]
fn fits_of_selfplay_equal_those_of_the_reference() {
    the_reference_s_fits(&test_data("golden/wdl/selfplay"), "t1.json.zst", 6);
}

#[test]
fn fits_of_tcec_equal_those_of_the_reference() {
    let Some(folder) = shared("golden/wdl/tcec") else {
        return;
    };
    the_reference_s_fits(&folder, "tcec.json.zst", 11);
}

fn the_reference_s_fits(folder: &Path, file: &str, fits: usize) {
    let (counts, logs) = (counts(&folder.join(file)), logs(folder));
    assert_eq!(logs.len(), fits);
    for Log {
        name,
        options,
        a,
        b,
        objective,
        retained,
    } in logs
    {
        let compat = Fit::new(
            &counts,
            &FitOptions {
                compat: true,
                ..options
            },
            &Cancel::new(),
        )
        .unwrap();
        assert_eq!(compat.retained, retained, "{name}");
        let best = Fit::new(&counts, &options, &Cancel::new()).unwrap();
        let worst = compat.a.iter().chain(&compat.b).zip(a.iter().chain(&b));
        let worst = worst
            .map(|(own, theirs)| (own / theirs - 1.0).abs())
            .fold(0.0, f64::max);
        if let (Some((_, reference)), Some((_, own))) = (objective, best.objective) {
            assert!(
                own <= reference,
                "{name}: {own} is above the reference's {reference}"
            );
        }
        // The self-play match has hardly any games with many moves, so the coefficients for late
        // moves diverge. Those of the reference diverge too, and the point where it stops is
        // arbitrary.
        assert!(
            worst < 2e-5 || name.starts_with("npv361_move"),
            "{name}: a coefficient is off by {worst:.1e}"
        );
    }
}

#[test]
fn the_fit_of_tcec_reaches_the_known_optimum() {
    let Some(path) = shared("golden/wdl/tcec/tcec.json.zst") else {
        return;
    };
    let fit = Fit::new(&counts(&path), &FitOptions::default(), &Cancel::new()).unwrap();
    assert_eq!(format!("{:.3}", fit.normalize_to_pawn_value()), "104.765");
    assert_eq!(format!("{:.7}", fit.objective.unwrap().1), "0.6157882");
}

/// Returns simulated counts of independent positions, whose results follow a model.
fn simulated(state: &mut u64) -> Counts {
    let mut json = "{".to_owned();
    let rate = |x: f64, a: f64| 1.0 / (1.0 + ((a - x) / 60.0).exp());
    for material in 30..60 {
        let a = 160.0 - f64::from(material);
        for eval in (-250..=250).step_by(25) {
            let (win, loss) = (rate(f64::from(eval), a), rate(f64::from(-eval), a));
            let mut counts = [0; 3];
            for _ in 0..40 {
                *state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let chance = (*state >> 11) as f64 / (1_u64 << 53) as f64;
                counts[if chance < win {
                    0
                } else {
                    usize::from(chance < win + loss) + 1
                }] += 1;
            }
            for (count, letter) in counts
                .into_iter()
                .zip(['W', 'D', 'L'])
                .filter(|(count, _)| *count > 0)
            {
                let comma = if json.len() > 1 { "," } else { "" };
                let _ = write!(
                    json,
                    "{comma}\"('{letter}', 1, {material}, {eval})\": {count}"
                );
            }
        }
    }
    Counts::read((json + "}").as_bytes()).unwrap()
}

/// If positions were independent, the error that each method reports would equal the spread over
/// repetitions.
#[test]
fn errors_of_independent_positions_equal_the_spread_of_repetitions() {
    const TIMES: usize = 60;
    let mut state = 1;
    let games: Vec<Counts> = (0..TIMES).map(|_| simulated(&mut state)).collect();
    for method in [Method::Probability, Method::Score, Method::Density] {
        let fits = games.iter().map(|counts| {
            let fit = Fit::new(
                counts,
                &FitOptions {
                    method,
                    target: 45.0,
                    ..FitOptions::default()
                },
                &Cancel::new(),
            )
            .unwrap();
            let convergence = fit.convergence.unwrap();
            let (before, after) = fit.objective.unwrap();
            assert!(
                convergence.is_minimum(before.min(after)),
                "{method:?} {convergence:?}"
            );
            assert!(
                convergence.condition.unwrap() >= 1.0 && convergence.gradient < 1e-4,
                "{method:?} {convergence:?}"
            );
            (fit.normalize_to_pawn_value(), fit.naive_error.unwrap())
        });
        let (values, errors): (Vec<f64>, Vec<f64>) = fits.unzip();
        let mean = |all: &[f64]| all.iter().sum::<f64>() / TIMES as f64;
        let (center, error) = (mean(&values), mean(&errors));
        let spread = values
            .iter()
            .map(|value| (value - center).powi(2))
            .sum::<f64>()
            / (TIMES - 1) as f64;
        // Sixty repetitions determine a spread to about a tenth.
        let ratio = error / spread.sqrt();
        assert!(
            (0.75..1.33).contains(&ratio),
            "{method:?}: {error} for {}",
            spread.sqrt()
        );
        assert!(
            (center - 115.0).abs() < 5.0 * error / (TIMES as f64).sqrt() + 0.5,
            "{method:?}: {center}"
        );
    }
}

/// The expected score is even in `a`, so each fit and each resample may end at `a` or `−a`. All
/// must be put on the branch with draws.
mod scores {
    use super::*;
    use centipawn_calibrate::wdl::{FitReport, ResampleOptions, Shape};
    use centipawn_pgn::Merge as _;
    use centipawn_progress::Silent;

    fn example() -> Counts {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/selfplay.wdl");
        Counts::read(std::fs::File::open(path).unwrap()).unwrap()
    }

    fn report(counts: &Counts, options: &FitOptions, resamples: usize) -> FitReport {
        let resampling = ResampleOptions {
            resamples,
            folds: 2,
            seed: 0,
        };
        FitReport::new(counts, options, resampling, &Cancel::new(), &Silent).unwrap()
    }

    #[test]
    fn fits_of_scores_have_a_model_with_draws() {
        let cubics = if env::var_os("CENTIPAWN_TEST_ALL").is_some() {
            100
        } else {
            20
        };
        for by in [By::Material, By::Move] {
            // Only cubics are resampled many times, because the other shapes take long in a debug
            // build.
            for (shape, resamples) in [
                (Shape::Cubic, cubics),
                (Shape::Spline, 2),
                (Shape::Monotone, 2),
            ] {
                let selection = Selection {
                    by,
                    ..Selection::default()
                };
                let options = FitOptions {
                    selection,
                    method: Method::Score,
                    shape,
                    target: by.usual_target(),
                    ..FitOptions::default()
                };
                let report = report(&example(), &options, resamples);
                let sure = report.uncertainty.as_ref().unwrap();
                let pawn = sure.normalize_to_pawn_value;
                assert!(
                    pawn.value > 0.0 && pawn.interval.0 >= 0.0,
                    "{by:?} {shape:?}: {pawn:?}"
                );
                let draws = sure.draw_rate;
                assert!(
                    draws.interval.0 >= 0.0 && draws.interval.1 <= 1.0,
                    "{by:?} {shape:?}: {draws:?}"
                );
                assert!(
                    report.text().contains("a and -a have the same score"),
                    "{}",
                    report.text()
                );
            }
        }
    }

    #[test]
    fn fits_of_scores_without_draws_stay_at_the_edge() {
        // Every game is won or lost, so the score rises as steeply as in a model without draws.
        let mut counts = Counts::default();
        for (material, base) in [(20, 40), (30, 45), (40, 50), (50, 55), (58, 60), (70, 65)] {
            let cells: Vec<String> = (-8..=8)
                .flat_map(|step: i32| {
                    let eval = 50 * step;
                    let won = 1.0 / (1.0 + (-f64::from(eval) / f64::from(base)).exp());
                    let (won, lost) = (
                        (1000.0 * won).round() + 1.0,
                        (1000.0 * (1.0 - won)).round() + 1.0,
                    );
                    [
                        format!("\"('W', 30, {material}, {eval})\": {won}"),
                        format!("\"('L', 30, {material}, {eval})\": {lost}"),
                    ]
                })
                .collect();
            counts.merge(Counts::read(format!("{{{}}}", cells.join(",")).as_bytes()).unwrap());
        }
        let options = FitOptions {
            method: Method::Score,
            ..FitOptions::default()
        };
        let fit = Fit::new(&counts, &options, &Cancel::new()).unwrap();
        assert!((0.0..0.2).contains(&fit.draw_rate()), "{}", fit.draw_rate());
        for value in [20, 30, 40, 50, 58, 70] {
            let (a, b) = fit.parameters(f64::from(value), 32.0);
            assert!(a >= 0.0 && b > 0.0, "{value}: {a} {b}");
        }
    }
}

/// Results that do not depend on evaluations have no model. Too few positions do not show whether
/// they depend on them, so the message must not claim it.
#[test]
fn results_without_a_model_are_explained_by_their_number() {
    let fit = |each: u32| {
        let cell = |result: char, material: u32, eval: i32| {
            format!("\"('{result}', 30, {material}, {eval})\": {each}")
        };
        let of_row = |material: u32| {
            [-300, 300]
                .map(|eval| {
                    format!(
                        "{},{}",
                        cell('W', material, eval),
                        cell('L', material, eval)
                    )
                })
                .join(",")
        };
        let cells: Vec<String> = [20, 30, 40, 50, 58, 70].map(of_row).to_vec();
        let counts = Counts::read(format!("{{{}}}", cells.join(",")).as_bytes()).unwrap();
        Fit::new(&counts, &FitOptions::default(), &Cancel::new())
            .unwrap_err()
            .to_string()
    };
    // 24 positions for each repetition.
    let few = fit(10);
    assert!(
        few.contains(
            "120 positions won, 0 drawn and 120 lost are too few to show whether they agree with their evaluations"
        ),
        "{few}"
    );
    let many = fit(100);
    assert!(many.contains("results do not follow evaluations"), "{many}");
}

/// People's games are won over a width as large as the evaluation that wins half of them. A descent
/// that starts only from narrower models ends at 0.8401, which is not a minimum.
#[test]
fn few_games_of_people_have_a_minimum() {
    let sources = Sources::expand(&[test_data("games/lichess-2021-10-evals.pgn.zst")]).unwrap();
    let (counted, _) = count(
        &sources,
        &ScanOptions::default(),
        &CountOptions::default(),
        None,
    )
    .unwrap();
    let selection = Selection {
        by: By::Move,
        ..Selection::default()
    };
    let options = FitOptions {
        selection,
        target: By::Move.usual_target(),
        ..FitOptions::default()
    };
    let fit = Fit::new(&counted.counts, &options, &Cancel::new()).unwrap();
    let (_, objective) = fit.objective.unwrap();
    assert!((objective - 0.816_521_941_4).abs() < 1e-9, "{objective}");
    assert!(fit.convergence.unwrap().is_minimum(objective));
}

/// The width of these positions falls with the moves and is 0 at the last one. The minimum is at
/// the edge of the valid models, and a descent that meets the edge elsewhere must continue along
/// it.
#[test]
fn a_fit_at_the_edge_of_valid_models_goes_on_along_it() {
    let mut cells = Vec::new();
    for number in (10_i32..=60).step_by(5) {
        let (a, b) = (f64::from(200 - 2 * number), f64::from(58 - number).max(0.1));
        let positions = if number == 60 { 20.0 } else { 400.0 };
        for eval in (-380_i32..=380).step_by(20) {
            let rate = |eval: f64| 1.0 / (1.0 + ((a - eval) / b).exp());
            let [won, lost] =
                [f64::from(eval), -f64::from(eval)].map(|eval| (positions * rate(eval)).round());
            for (result, count) in [('W', won), ('D', positions - won - lost), ('L', lost)] {
                if count > 0.0 {
                    cells.push(format!("\"('{result}', {number}, 40, {eval})\": {count}"));
                }
            }
        }
    }
    let counts = Counts::read(format!("{{{}}}", cells.join(",")).as_bytes()).unwrap();
    let selection = Selection {
        by: By::Move,
        units: Units::Fixed(100.0),
        ..Selection::default()
    };
    let options = FitOptions {
        selection,
        target: By::Move.usual_target(),
        ..FitOptions::default()
    };
    let fit = Fit::new(&counts, &options, &Cancel::new()).unwrap();
    let objective = fit.objective.unwrap().1;
    assert!(
        fit.convergence.unwrap().is_minimum(objective),
        "{:?}",
        fit.convergence
    );
    for number in (10..=60).step_by(5) {
        let (a, b) = fit.parameters(f64::from(number), 32.0);
        assert!(a > 0.0 && b > 0.0, "move {number}: {a} {b}");
    }
    assert!(
        fit.without_width().contains(&60),
        "{:?}",
        fit.without_width()
    );
}
