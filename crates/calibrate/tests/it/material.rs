//! Rows and fits, compared with golden files.

use std::{
    fs,
    io::Read as _,
    num::NonZero,
    path::{Path, PathBuf},
};

use centipawn_calibrate::{
    Clusters,
    material::{
        BandOptions, Bands, By, Collection, Comparison, CountOptions, Feature, Finding, Fit,
        FitError, FitOptions, HeldOut, Hypothesis, Method, RowsFormat, ScoreByBalance, SearchCurve,
        Target, Term, count,
    },
};
use centipawn_pgn::{Merge as _, ScanOptions, Source, Sources};
use centipawn_progress::{Cancel, Silent};
use centipawn_test_support::data::{self, shared};
use proptest::prelude::*;
use serde_json::Value;

fn model(collection: &Collection, options: &FitOptions) -> Result<Fit, FitError> {
    Fit::new(collection, options, &Cancel::new(), &Silent)
}

fn held_out(
    collection: &Collection,
    options: &FitOptions,
    folds: usize,
) -> Result<HeldOut, FitError> {
    HeldOut::new(collection, options, folds, &Cancel::new())
}

fn bands(
    collection: &Collection,
    options: &FitOptions,
    by: By,
    width: u16,
    top: usize,
) -> Result<Bands, FitError> {
    let bands = BandOptions {
        by,
        width: NonZero::new(width),
        top,
    };
    Bands::new(collection, options, bands, &Cancel::new(), &Silent)
}

fn games(path: &Path) -> Collection {
    let sources = Sources::expand(&[path]).unwrap();
    count(&sources, &ScanOptions::default(), &CountOptions::default())
        .unwrap()
        .0
}

fn text(collection: &Collection, format: RowsFormat) -> String {
    let mut text = Vec::new();
    collection.write_rows(format, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// The two collections of the article: names of their golden rows, and paths of their games.
const COLLECTIONS: [(&str, &str); 2] = [
    ("OpenRating", "data/pgn/engine/OpenRating.pgn"),
    ("Carlsen", "data/pgn/human/Carlsen.pgn"),
];

fn golden_text(name: &str) -> String {
    data::text(&format!("golden/material/{name}.correct.rows.tsv.zst"))
}

fn golden_collection(name: &str) -> Collection {
    Collection::read_rows(golden_text(name).as_bytes(), Clusters::Row).unwrap()
}

fn golden_models() -> Value {
    serde_json::from_str(&data::text("golden/material/fits.json.zst")).unwrap()
}

#[test]
fn rows_of_games_equal_the_golden_rows() {
    for (name, pgn) in COLLECTIONS {
        let Some(pgn) = shared(pgn) else { return };
        assert!(
            text(&games(&pgn), RowsFormat::Tabs) == golden_text(name),
            "{name}"
        );
    }
}

#[test]
fn golden_rows_survive_reading_and_writing() {
    for (name, _) in COLLECTIONS {
        assert!(
            text(&golden_collection(name), RowsFormat::Tabs) == golden_text(name),
            "{name}"
        );
    }
}

#[test]
fn the_articles_format_equals_that_of_its_program() {
    let Some(pgn) = shared(COLLECTIONS[0].1) else {
        return;
    };
    assert!(
        text(&games(&pgn), RowsFormat::Article)
            .starts_with(&data::text("golden/material/sample_game.rows"))
    );
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|value| value.as_f64().unwrap())
        .collect()
}

#[track_caller]
fn near(own: f64, golden: f64, tolerance: f64, what: &str) {
    assert!(
        (own / golden - 1.0).abs() <= tolerance,
        "{what}: {own} is not {golden}"
    );
}

#[test]
fn coefficients_equal_the_golden_fits() {
    let fits = golden_models();
    for name in ["OpenRating", "Carlsen"] {
        let golden = &fits[name]["correct"];
        let collection = golden_collection(name);
        for (key, method) in [
            ("seed", Method::Classic),
            ("half", Method::Score),
            ("ordered", Method::Ordered),
            ("davidson", Method::Davidson),
        ] {
            let golden = &golden[key];
            let options = FitOptions {
                first_move: false,
                resamples: 0,
                ..FitOptions::of(method)
            };
            let fit = model(&collection, &options).unwrap();
            // The reference applies a penalty in every method, this crate only in the article's.
            let tolerance = if method == Method::Classic {
                1e-6
            } else {
                2e-3
            };
            for (own, golden) in fit.coefficients.iter().zip(numbers(&golden["theta"])) {
                println!(
                    "{name} {key} {} {golden} {:.1e}",
                    own.value,
                    own.value / golden - 1.0
                );
                near(own.value, golden, tolerance, key);
            }
            if let Some(errors) = golden.get("se_theta_cluster") {
                for (own, golden) in fit.coefficients.iter().zip(numbers(errors)) {
                    near(own.error, golden, 5e-3, key);
                }
                for (own, golden) in fit
                    .coefficients
                    .iter()
                    .zip(numbers(&fits[name]["correct"][key]["se_theta_model"]))
                {
                    near(own.model_error, golden, 5e-3, key);
                }
                assert_eq!(fit.games, golden["games"].as_u64().unwrap());
                assert_eq!(fit.rows, golden["rows"].as_u64().unwrap());
                assert_eq!(fit.groups, golden["groups"].as_u64().unwrap());
            }
        }
    }
}

/// Values, errors and resamples against the reference's. The reference draws other resamples, so
/// there is noise: with 1,000 resamples, 2 % of an error, and 8 % of an error for the end of an
/// interval.
#[test]
fn values_and_errors_equal_the_golden_values() {
    let fits = golden_models();
    for name in ["OpenRating", "Carlsen"] {
        let collection = golden_collection(name);
        for (key, method) in [("seed", Method::Classic), ("half", Method::Score)] {
            let golden = &fits[name]["correct"][key];
            let options = FitOptions {
                first_move: false,
                ..FitOptions::of(method)
            };
            let fit = model(&collection, &options).unwrap();
            assert_eq!(fit.resamples(), 1000);
            let list = |key: &str| numbers(&golden[key]);
            let (values, errors, rows, drawn) = (
                list("values"),
                list("se_cluster"),
                list("se_model"),
                list("se_boot"),
            );
            for (index, own) in fit.values().unwrap().into_iter().enumerate().skip(1) {
                let what = format!("{name} {key} {}", own.feature.name());
                near(own.value, values[index], 1e-3, &what);
                near(own.error, errors[index], 5e-3, &what);
                near(own.model_error, rows[index], 5e-3, &what);
                near(own.resamples_error.unwrap(), drawn[index], 0.08, &what);
                let ends = numbers(&golden["ci95_boot"][index]);
                for (own, golden) in [own.interval.0, own.interval.1].into_iter().zip(ends) {
                    assert!(
                        (own - golden).abs() < f64::max(0.35 * errors[index], 0.05 * golden),
                        "{what}: {own} is not {golden}"
                    );
                }
            }
        }
    }
}

/// Models with draws: values, and errors by row, which are the only ones that the reference
/// computes.
#[test]
fn values_of_models_with_draws_equal_the_golden_values() {
    let fits = golden_models();
    for name in ["OpenRating", "Carlsen"] {
        let collection = golden_collection(name);
        for (key, method) in [("ordered", Method::Ordered), ("davidson", Method::Davidson)] {
            let golden = &fits[name]["correct"][key];
            let options = FitOptions {
                first_move: false,
                resamples: 0,
                ..FitOptions::of(method)
            };
            let fit = model(&collection, &options).unwrap();
            let (values, errors) = (numbers(&golden["values"]), numbers(&golden["se_model"]));
            for (index, own) in fit.values().unwrap().into_iter().enumerate().skip(1) {
                near(own.value, values[index], 2e-3, key);
                near(own.model_error, errors[index], 0.01, key);
            }
            // The reference fits the logarithm of the ordered logit's width, and reports the sum of
            // losses instead of the mean.
            let width = fit.coefficient(Feature::Width).unwrap().value;
            let width = if method == Method::Ordered {
                width.ln()
            } else {
                width
            };
            assert!(
                (width - golden["aux"].as_f64().unwrap()).abs() < 2e-3,
                "{key}: {width}"
            );
            near(
                fit.loss * fit.rows as f64,
                golden["nll"].as_f64().unwrap(),
                1e-5,
                key,
            );
        }
    }
}

#[test]
fn values_of_golden_rows_are_those_of_the_article() {
    the_article_s_values_of(|name, _| Some(golden_collection(name)));
}

#[test]
fn values_of_the_articles_games_are_those_of_the_article() {
    the_article_s_values_of(|_, pgn| Some(games(&shared(pgn)?)));
}

fn the_article_s_values_of(collection: impl Fn(&str, &str) -> Option<Collection>) {
    let values = [
        [100.0, 288.0, 345.0, 480.0, 1077.0],
        [100.0, 213.0, 243.0, 352.0, 786.0],
    ];
    for ((name, pgn), values) in COLLECTIONS.into_iter().zip(values) {
        let Some(collection) = collection(name, pgn) else {
            return;
        };
        let fit = model(
            &collection,
            &FitOptions {
                resamples: 0,
                ..FitOptions::of(Method::Classic)
            },
        )
        .unwrap();
        for (own, article) in fit.values().unwrap().iter().zip(values) {
            assert!((own.value - article).abs() < 2.0, "{name}: {}", own.value);
        }
        if name == "OpenRating" {
            let balance = ScoreByBalance::new(&collection, &Cancel::new())
                .unwrap()
                .unwrap();
            assert!((0.64..0.76).contains(&balance.alpha), "{}", balance.alpha);
            // The count of even positions by the article's program, which could not read some of
            // the games.
            let even = balance
                .points
                .iter()
                .find(|point| point.balance == 0)
                .unwrap();
            assert!(even.rows().abs_diff(7294) < 20 && (even.score - 0.504_387).abs() < 0.001);
        }
    }
}

/// Returns the 130 games of the example file.
fn example(options: &CountOptions) -> Collection {
    part_of_example("1/1", options)
}

fn part_of_example(shard: &str, options: &CountOptions) -> Collection {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/selfplay.pgn.gz"
    );
    let mut text = String::new();
    Source::open(path)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    // Three files with as many games each, so that every part has some.
    let folder = tempfile::tempdir().unwrap();
    let starts: Vec<usize> = text.match_indices("[Event ").map(|(at, _)| at).collect();
    for part in 0..3 {
        let end = if part == 2 {
            text.len()
        } else {
            starts[(part + 1) * starts.len() / 3]
        };
        fs::write(
            folder.path().join(format!("{part}.pgn")),
            &text[starts[part * starts.len() / 3]..end],
        )
        .unwrap();
    }
    let scan = ScanOptions {
        shard: shard.parse().unwrap(),
        ..ScanOptions::default()
    };
    count(&Sources::expand(&[folder.path()]).unwrap(), &scan, options)
        .unwrap()
        .0
}

#[test]
fn parts_of_a_scan_merge_to_the_whole() {
    let options = CountOptions {
        names: true,
        ..CountOptions::default()
    };
    let whole = example(&options);
    let parts: Vec<Collection> = (1..=3)
        .map(|part| part_of_example(&format!("{part}/3"), &options))
        .collect();
    assert!(parts.iter().all(|part| !part.is_empty()));
    // The order in which parts are merged must not matter.
    for right_first in [false, true] {
        let [mut first, mut second, third] = <[Collection; 3]>::try_from(parts.clone()).unwrap();
        if right_first {
            second.merge(third);
            first.merge(second);
        } else {
            first.merge(second);
            first.merge(third);
        }
        for format in [RowsFormat::Article, RowsFormat::Tabs, RowsFormat::Commas] {
            assert_eq!(text(&first, format), text(&whole, format));
        }
        let fit_options = FitOptions {
            terms: vec![Term::BishopPair, Term::Tempo],
            ..FitOptions::default()
        };
        let (own, all) = (
            model(&first, &fit_options).unwrap(),
            model(&whole, &fit_options).unwrap(),
        );
        assert_eq!(
            (&own.coefficients, own.values()),
            (&all.coefficients, all.values())
        );
        let by = |collection: &Collection| {
            let found = bands(collection, &fit_options, By::Player, 1, 5).unwrap();
            found
                .bands
                .into_iter()
                .map(|band| (band.name, band.games))
                .collect::<Vec<_>>()
        };
        assert_eq!(by(&first), by(&whole));
    }
    // Parts of one file are stripes of it in turn, so merge them in another order too.
    let [mut first, second, mut third] = <[Collection; 3]>::try_from(parts.clone()).unwrap();
    third.merge(second);
    first.merge(third);
    let options = FitOptions {
        terms: vec![Term::BishopPair, Term::Tempo],
        ..FitOptions::default()
    };
    let (own, all) = (
        model(&first, &options).unwrap(),
        model(&whole, &options).unwrap(),
    );
    assert_eq!(
        (&own.coefficients, own.values()),
        (&all.coefficients, all.values())
    );
    assert_eq!(held_out(&first, &options, 5), held_out(&whole, &options, 5));
    // Parts may also be merged after writing and reading them as files.
    let mut read: Option<Collection> = None;
    for part in &parts {
        let part =
            Collection::read_rows(text(part, RowsFormat::Tabs).as_bytes(), Clusters::Row).unwrap();
        match &mut read {
            None => read = Some(part),
            Some(read) => read.merge(part),
        }
    }
    let options = FitOptions::default();
    let (own, all) = (
        model(&read.unwrap(), &options).unwrap(),
        model(&whole, &options).unwrap(),
    );
    assert_eq!(
        (&own.coefficients, own.values()),
        (&all.coefficients, all.values())
    );
}

/// Pseudo-random numbers in 0..1.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Games of three rows with random differences. Results are drawn from an ordered logit of the last
/// row.
fn drawn_games(theta: [f64; 5], width: f64, count: usize, seed: u64) -> Collection {
    let mut chance = Chance(seed);
    let mut file = String::new();
    for game in 1..=count {
        let rows: Vec<[i8; 5]> = (0..3)
            .map(|_| {
                std::array::from_fn(|piece| {
                    (chance.next() * if piece == 0 { 7.0 } else { 3.0 }) as i8
                        - if piece == 0 { 3 } else { 1 }
                })
            })
            .collect();
        let eta: f64 = rows[2]
            .iter()
            .zip(theta)
            .map(|(count, theta)| f64::from(*count) * theta)
            .sum();
        let noise = chance.next();
        let at = eta + (noise / (1.0 - noise)).ln();
        let result = if at > width {
            2
        } else if at < -width {
            0
        } else {
            1
        };
        let [p, n, b, r, q] = rows[2];
        file += &format!("{game}\t2\t{p}\t{n}\t{b}\t{r}\t{q}\t{result}\n");
    }
    Collection::read_rows(file.as_bytes(), Clusters::Row).unwrap()
}

/// In many collections with known values, the intervals contain the true value about 95 times of
/// 100.
#[test]
fn intervals_contain_the_true_values() {
    let theta = [0.5, 1.5, 1.7, 2.5, 4.5];
    let options = FitOptions {
        resamples: 200,
        ..FitOptions::default()
    };
    let (mut inside, mut all) = (0, 0);
    for seed in 0..60 {
        let fit = model(&drawn_games(theta, 0.6, 1500, seed), &options).unwrap();
        for (own, truth) in fit.values().unwrap().iter().zip(theta).skip(1) {
            let truth = 100.0 * truth / theta[0];
            inside += u32::from(own.interval.0 <= truth && truth <= own.interval.1);
            all += 1;
        }
    }
    let share = f64::from(inside) / f64::from(all);
    assert!((0.9..0.985).contains(&share), "{inside} of {all}");
}

/// Equal rows of one game add no information: errors by game stay the same, but errors by row
/// become too small.
#[test]
fn rows_of_a_game_are_one_observation() {
    let once = drawn_games([0.5, 1.5, 1.7, 2.5, 4.5], 0.6, 1500, 3);
    let rows = text(&once, RowsFormat::Tabs);
    let thrice: String = rows
        .lines()
        .map(|line| format!("{line}\n").repeat(3))
        .collect();
    let thrice = Collection::read_rows(thrice.as_bytes(), Clusters::Row).unwrap();
    let options = FitOptions {
        resamples: 0,
        ..FitOptions::default()
    };
    let (once, thrice) = (
        model(&once, &options).unwrap(),
        model(&thrice, &options).unwrap(),
    );
    assert_eq!((thrice.rows, thrice.games), (3 * once.rows, once.games));
    for (one, three) in once.coefficients.iter().zip(&thrice.coefficients) {
        near(three.value, one.value, 1e-6, "value");
        near(three.error, one.error, 1e-6, "error by game");
        near(
            three.model_error * 3f64.sqrt(),
            one.model_error,
            1e-6,
            "error by row",
        );
    }
}

#[test]
fn models_that_rows_cannot_determine_are_errors() {
    let fit = |rows: &str, options: &FitOptions| {
        let collection = Collection::read_rows(rows.as_bytes(), Clusters::Row).unwrap();
        model(&collection, options).map(|fit| fit.values())
    };
    let usual = FitOptions {
        resamples: 0,
        ..FitOptions::default()
    };
    let classic = FitOptions {
        resamples: 0,
        ..FitOptions::of(Method::Classic)
    };
    // Rows with each kind of men on either side, as a base for lines that are appended.
    let mut some = String::new();
    let mut chance = Chance(1);
    for _ in 0..300 {
        let [p, n, b, r, q] = std::array::from_fn(|_| (chance.next() * 3.0) as i8 - 1);
        some += &format!("{p} {n} {b} {r} {q} {}\n", (chance.next() * 3.0) as u8);
    }
    let changed = |change: &dyn Fn(&mut Vec<i64>)| -> String {
        let lines = some.lines().map(|line| {
            let mut numbers: Vec<i64> = line
                .split(' ')
                .map(|number| number.parse().unwrap())
                .collect();
            change(&mut numbers);
            numbers
                .iter()
                .map(i64::to_string)
                .collect::<Vec<_>>()
                .join(" ")
                + "\n"
        });
        lines.collect()
    };
    // Results are random, so a pawn has no significant value.
    assert!(
        fit(&some, &usual)
            .unwrap()
            .unwrap_err()
            .to_string()
            .contains("not two errors above zero")
    );
    let few: String = some
        .lines()
        .take(20)
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(matches!(
        fit(&few, &usual),
        Err(FitError::TooFewDecisive { .. })
    ));
    let collinear = changed(&|numbers| numbers[2] = -2 * numbers[1]);
    assert_eq!(
        fit(&collinear, &usual).unwrap_err().to_string(),
        "bishops cannot be distinguished from knights: in every row one determines the other; give more games"
    );
    let absent = changed(&|numbers| numbers[4] = 0);
    assert!(matches!(
        fit(&absent, &usual),
        Err(FitError::Absent {
            feature: Feature::Piece(4)
        })
    ));
    for options in [&usual, &classic] {
        let separated = changed(&|numbers| {
            if numbers[4] != 0 {
                numbers[5] = 1 + numbers[4];
            }
        });
        let error = fit(&separated, options).unwrap_err();
        assert_eq!(
            error,
            FitError::Separated {
                feature: Feature::Piece(4),
                wins: true
            }
        );
        let white = changed(&|numbers| numbers[5] = 2 * i64::from(numbers[5] > 0));
        let no_draws = fit(&white, options);
        assert_eq!(no_draws.is_err(), options.method.has_draws());
    }
    let always = changed(&|numbers| numbers[5] = 2 - i64::from(numbers[5] == 1));
    assert!(matches!(
        fit(&always, &usual),
        Err(FitError::Separated {
            feature: Feature::FirstMove,
            ..
        })
    ));
    let with = |term, method| FitOptions {
        terms: vec![term],
        ..FitOptions::of(method)
    };
    assert!(matches!(
        fit(&some, &with(Term::Tempo, Method::Ordered)),
        Err(FitError::BareRows { .. })
    ));
    assert!(matches!(
        fit(&some, &with(Term::OppositeBishops, Method::Classic)),
        Err(FitError::NoDrawsInMethod { .. })
    ));
    let search = |method| FitOptions {
        target: Target::Search,
        ..FitOptions::of(method)
    };
    assert!(matches!(
        fit(&some, &search(Method::Score)),
        Err(FitError::NoEvaluations)
    ));
    assert!(matches!(
        fit(&some, &search(Method::Ordered)),
        Err(FitError::SearchHasNoResults { .. })
    ));
    assert!(matches!(
        model(&Collection::default(), &usual),
        Err(FitError::NoRows)
    ));
}

#[test]
fn evaluations_of_a_search_can_be_the_target() {
    let options = CountOptions {
        search: Some(SearchCurve::ByDialect),
        ..CountOptions::default()
    };
    let collection = example(&options);
    let options = FitOptions {
        target: Target::Search,
        resamples: 0,
        ..FitOptions::of(Method::Score)
    };
    let fit = model(&collection, &options).unwrap();
    // Nearly all rows have an evaluation. The rest are book moves.
    assert!(
        fit.rows > 600 && fit.rows <= collection.rows().len() as u64,
        "{}",
        fit.rows
    );
    let values = fit.values().unwrap();
    assert!(
        values[1].value > 200.0 && values[4].value > values[3].value,
        "{values:?}"
    );
}

#[test]
fn collections_are_compared_and_divided_into_bands() {
    let theta = [0.5, 1.5, 1.7, 2.5, 4.5];
    let options = FitOptions {
        resamples: 0,
        ..FitOptions::default()
    };
    let fit = |theta, seed| model(&drawn_games(theta, 0.6, 3000, seed), &options).unwrap();
    let first = fit(theta, 7);
    let same = Comparison::new(&first, &fit(theta, 8)).unwrap();
    assert!(same.p > 0.01 && same.values == 4, "{same:?}");
    let other = Comparison::new(&first, &fit([0.5, 2.5, 1.7, 2.5, 4.5], 9)).unwrap();
    assert!(other.p < 1e-4 && other.differences[0].z > 4.0, "{other:?}");
    let itself = Comparison::new(&first, &first).unwrap();
    assert!(itself.chi_square == 0.0 && (itself.p - 1.0).abs() < 1e-12);

    let collection = example(&CountOptions {
        names: true,
        ..CountOptions::default()
    });
    let phases = bands(&collection, &options, By::Phase, 1, 1).unwrap();
    let rows: u64 = phases
        .bands
        .iter()
        .filter_map(|band| band.fit.as_ref().ok())
        .map(|fit| fit.rows)
        .sum();
    assert!(phases.bands.len() == 3 && rows <= collection.rows().len() as u64);
    let players = bands(&collection, &options, By::Player, 1, 1).unwrap();
    assert!(players.bands.len() == 1 && players.bands[0].games <= collection.games());
    assert!(matches!(
        bands(&drawn_games(theta, 0.6, 50, 1), &options, By::Year, 10, 1),
        Err(FitError::BareRows { .. })
    ));
}

#[test]
fn held_out_games_are_predicted_worse_than_fitted_ones() {
    let collection = example(&CountOptions::default());
    let options = FitOptions {
        terms: vec![Term::Tempo],
        resamples: 0,
        ..FitOptions::default()
    };
    let tested = held_out(&collection, &options, 5).unwrap();
    assert!(tested.fitted < tested.held_out, "{tested:?}");
    let bare = tested.without_terms.unwrap();
    assert!((bare.held_out - tested.held_out - bare.gain).abs() < 1e-12 && bare.error > 0.0);
    let rows: f64 = tested.calibration.iter().map(|bin| bin.rows).sum();
    assert!((rows - collection.rows().len() as f64).abs() < 1e-6);
}

proptest! {
    /// For any rows, a fit ends with a model or with a reason.
    #[test]
    fn every_fit_ends_with_a_model_or_a_reason(
        rows in prop::collection::vec((1..400_u16, prop::array::uniform5(-2..=2_i8), 0..3_u8), 40..200),
        far in prop::array::uniform5(-60..=60_i8),
        kinds in prop::sample::select(vec![2_usize, 5, 5, 5, 5, 5]),
    ) {
        let mut rows: Vec<_> = rows;
        rows.sort();
        // Results depend on the game. Some kinds of men never differ, and one row is far from all
        // others.
        let line = |(index, (_, row, result)): (usize, &(u16, [i8; 5], u8))| {
            let mut row = if index == 7 { far } else { *row };
            row[kinds..].fill(0);
            let [p, n, b, r, q] = row;
            format!("{}\t{}\t{p}\t{n}\t{b}\t{r}\t{q}\t{result}\n", index + 1, index % 7 + 2)
        };
        let text: String = rows.iter().enumerate().map(line).collect();
        let collection = Collection::read_rows(text.as_bytes(), Clusters::Row).unwrap();
        for method in [Method::Classic, Method::Score, Method::Ordered, Method::Davidson] {
            if let Ok(fit) = model(&collection, &FitOptions { resamples: 3, ..FitOptions::of(method) }) {
                prop_assert!(fit.coefficients.iter().all(|own| own.value.is_finite() && own.error.is_finite()), "{fit:?}");
            }
        }
        if let Some(balance) = ScoreByBalance::new(&collection, &Cancel::new()).unwrap() {
            for point in &balance.points {
                let (low, high) = point.interval();
                prop_assert!(0.0 <= low && low <= point.score && point.score <= high && high <= 1.0, "{point:?}");
            }
        }
    }
}

/// Each verdict follows from the p value next to it, and several tests at once are corrected.
#[test]
fn verdicts_agree_with_p_values() {
    let collection = golden_collection("Carlsen");
    let fit = model(
        &collection,
        &FitOptions {
            resamples: 0,
            ..FitOptions::default()
        },
    )
    .unwrap();
    let mut texts: Vec<String> = (10..60)
        .map(|tenths| format!("B > {}.{}P", tenths / 10, tenths % 10))
        .collect();
    texts.extend(texts.clone().iter().map(|text| text.replace('>', "<")));
    texts.extend(
        texts
            .clone()
            .iter()
            .map(|text| text.replace(['>', '<'], "=")),
    );
    let tests: Vec<Hypothesis> = texts.iter().map(|text| text.parse().unwrap()).collect();
    let mut seen = [0; 3];
    for hypothesis in &tests {
        let tested = fit.test(hypothesis).unwrap();
        let is_equation = hypothesis.to_string().contains('=');
        let wanted = match (is_equation, tested.p) {
            (false, p) if p < 0.05 => Finding::Holds,
            (false, p) if p > 0.95 => Finding::Fails,
            (true, p) if p < 0.05 => Finding::Fails,
            _ => Finding::Open,
        };
        assert_eq!(tested.verdict, wanted, "{hypothesis}: {tested:?}");
        assert!(tested.p_corrected.is_none());
        seen[tested.verdict as usize] += 1;
    }
    assert!(seen.iter().all(|seen| *seen > 0), "{seen:?}");
    // A hypothesis that holds when tested alone may be undecided among many.
    let barely = tests
        .iter()
        .find(|own| (0.02..0.05).contains(&fit.test(own).unwrap().p))
        .unwrap();
    let together = fit
        .test_all(&[std::slice::from_ref(barely), &Hypothesis::capablanca()].concat())
        .unwrap();
    assert_eq!(fit.test(barely).unwrap().verdict, Finding::Holds);
    assert_eq!(together[0].verdict, Finding::Open);
    assert!(together.iter().all(|own| own.p_corrected.unwrap() >= own.p));
    let alone = fit.test_all(std::slice::from_ref(barely)).unwrap();
    assert_eq!(
        (alone[0].verdict, alone[0].p_corrected),
        (Finding::Holds, Some(alone[0].p))
    );
    // An equation fails only by its own corrected p value, regardless of the other hypotheses.
    let mut several = Hypothesis::capablanca();
    several.extend(["R > 4P", "Q > 8P"].map(|text| text.parse().unwrap()));
    let together = fit.test_all(&several).unwrap();
    let equations = together
        .iter()
        .filter(|own| own.hypothesis.to_string().contains('='));
    equations.for_each(|own| {
        assert_eq!(
            own.verdict == Finding::Fails,
            own.p_corrected < Some(0.05),
            "{own:?}"
        );
    });
    assert!(
        together[4].p < 0.05 && together[4].verdict == Finding::Open,
        "{:?}",
        together[4]
    );
}

/// A plain number of pawns adds no error to a value in pawns, and the test itself needs no unit.
#[test]
fn the_error_of_a_test_includes_the_error_of_the_pawn() {
    let example = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/selfplay.pgn.gz"
    ));
    let fit = model(
        &games(&example),
        &FitOptions {
            resamples: 0,
            ..FitOptions::default()
        },
    )
    .unwrap();
    let tested = |text: &str| fit.test(&text.parse().unwrap()).unwrap();
    let values = fit.values().unwrap();
    for (index, name) in [(1, "N"), (2, "B"), (3, "R"), (4, "Q")] {
        let (bare, against) = (
            tested(&format!("{name} > 0")),
            tested(&format!("{name} > 3P")),
        );
        assert!(
            (bare.error / values[index].error - 1.0).abs() < 1e-9,
            "{bare:?} {:?}",
            values[index]
        );
        assert!(
            (against.error / bare.error - 1.0).abs() < 1e-9
                && (bare.estimate - against.estimate - 300.0).abs() < 1e-9
        );
        let logit = fit.coefficients[index];
        assert!((bare.z - logit.value / logit.error).abs() < 1e-9 && against.z < bare.z);
    }
    // The expected error comes from an independent computation by the delta method.
    let Some(carlsen) = shared("data/pgn/human/Carlsen.pgn") else {
        return;
    };
    let fit = model(
        &games(&carlsen),
        &FitOptions {
            resamples: 0,
            ..FitOptions::default()
        },
    )
    .unwrap();
    let errors: Vec<f64> = fit
        .test_all(&Hypothesis::capablanca())
        .unwrap()
        .iter()
        .map(|own| own.error)
        .collect();
    for (own, golden) in errors.iter().zip([13.18, 29.36, 28.05, 39.95, 65.81]) {
        assert!((own - golden).abs() < 0.02, "{errors:?}");
    }
}

/// Only the article's program counts a game without a result as drawn.
#[test]
fn an_unfinished_game_is_not_a_draw() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let moves = "1. e4 d5 2. exd5 Nf6 3. Nc3 Nxd5 4. Nxd5 Qxd5 5. d4 Nc6";
    let others = "1. e4 d5 2. exd5 Nf6 3. Nc3 Nxd5 4. d4 Nc6 5. Nxd5";
    let of = |result: &str, moves: &str| format!("[Result \"{result}\"]\n\n{moves} {result}\n\n");
    fs::write(
        &path,
        of("1-0", moves) + &of("*", moves) + &of("1/2-1/2", others) + &of("*", others),
    )
    .unwrap();
    let sources = Sources::expand(&[&path]).unwrap();
    let (collection, _) =
        count(&sources, &ScanOptions::default(), &CountOptions::default()).unwrap();
    assert_eq!(collection.unfinished(), 2);
    let drawn = |method: Method| {
        let rows = collection.with_results(method);
        let balance = ScoreByBalance::new(&rows, &Cancel::new()).unwrap().unwrap();
        (
            rows.games(),
            balance
                .points
                .iter()
                .map(|point| point.counts[1])
                .sum::<u64>(),
        )
    };
    let (games, draws) = drawn(Method::Ordered);
    assert_eq!((games, drawn(Method::Classic).0), (2, 4));
    assert!(draws < drawn(Method::Classic).1 && draws > 0, "{draws}");
    assert_eq!(drawn(Method::Davidson), drawn(Method::Ordered));
}

/// A band counts the games that its model can use, even if no model can be fitted.
#[test]
fn an_unfinished_game_is_counted_in_no_band() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let moves = "1. e4 d5 2. exd5 Nf6 3. Nc3 Nxd5 4. Nxd5 Qxd5 5. d4 Nc6";
    let of = |white: &str, result: &str| {
        format!("[White \"{white}\"]\n[Black \"B\"]\n\n{moves} {result}\n\n")
    };
    let games = [
        ("Anna", "1-0"),
        ("Anna", "0-1"),
        ("Cleo", "*"),
        ("Cleo", "*"),
        ("Cleo", "1/2-1/2"),
        ("", "*"),
    ];
    fs::write(
        &path,
        games.map(|(white, result)| of(white, result)).concat(),
    )
    .unwrap();
    let options = CountOptions {
        names: true,
        ..CountOptions::default()
    };
    let (collection, _) = count(
        &Sources::expand(&[&path]).unwrap(),
        &ScanOptions::default(),
        &options,
    )
    .unwrap();
    let of = |method: Method, by: By| {
        let bands = bands(
            &collection,
            &FitOptions {
                resamples: 0,
                ..FitOptions::of(method)
            },
            by,
            10,
            9,
        )
        .unwrap();
        let counts: Vec<_> = bands
            .bands
            .into_iter()
            .map(|band| (band.name, band.games, band.fit.is_ok()))
            .collect();
        (counts, bands.unknown)
    };
    let expected = |games: &[(&str, u64)]| -> Vec<_> {
        games
            .iter()
            .map(|&(name, games)| (name.to_owned(), games, false))
            .collect()
    };
    for method in [Method::Ordered, Method::Score, Method::Davidson] {
        assert_eq!(of(method, By::Phase), (expected(&[("opening", 3)]), 0));
        assert_eq!(
            of(method, By::Player),
            (expected(&[("B", 3), ("Anna", 2), ("Cleo", 1)]), 0)
        );
        assert_eq!(of(method, By::Year), (Vec::new(), 3));
    }
    // The article's program counts these games as drawn.
    assert_eq!(
        of(Method::Classic, By::Phase),
        (expected(&[("opening", 6)]), 0)
    );
    assert_eq!(
        of(Method::Classic, By::Player).0,
        expected(&[("B", 6), ("Cleo", 3), ("Anna", 2)])
    );
}

/// In half of the games, many resamples have no model. Intervals from the others alone would be too
/// narrow.
#[test]
fn intervals_need_nine_tenths_of_the_resamples() {
    let few = part_of_example("1/2", &CountOptions::default());
    let options = FitOptions {
        resamples: 100,
        ..FitOptions::of(Method::Ordered)
    };
    let fit = model(&few, &options).unwrap();
    assert_eq!(fit.resamples(), 0);
    let pawn = fit.coefficients[0];
    assert!((fit.interval(0).1 - pawn.value - 1.96 * pawn.error).abs() < 1e-3 * pawn.error);
}
