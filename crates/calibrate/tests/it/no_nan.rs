//! Whatever the games, the numbers in reports are finite, or the report states that they are
//! missing.

use std::{fmt::Write as _, fs};

use centipawn_calibrate::{
    PlotForm,
    balance::{BalanceDocument, BalanceOptions, BalancePlot, Bootstrap, Matches},
    material,
    wdl::{
        By, Candidate, CommonGames, CountOptions, FitDocument, FitOptions, FitReport, GroupRows,
        Method, ModelComparison, Plots, ResampleOptions, Selection, Shape, Units, count,
    },
};
use centipawn_pgn::{ScanOptions, Sources};
use centipawn_progress::{Cancel, Silent};
use proptest::prelude::*;

/// A game of a few moves back and forth, with an evaluation after each: centipawns, or mates.
#[derive(Clone, Debug)]
struct Game {
    evals: Vec<Result<i32, bool>>,
    result: &'static str,
}

fn games() -> impl Strategy<Value = Vec<Game>> {
    // There are only a few values, so that games agree, contradict each other and leave gaps.
    let eval = prop_oneof![
        8 => prop::sample::select(vec![-900, -250, -100, -30, 0, 30, 60, 100, 250, 900]).prop_map(Ok),
        2 => (-300..300i32).prop_map(Ok),
        1 => any::<bool>().prop_map(Err)
    ];
    let result = prop::sample::select(vec!["1-0", "0-1", "1/2-1/2", "1-0", "1/2-1/2"]);
    let game = (prop::collection::vec(eval, 0..24), result)
        .prop_map(|(evals, result)| Game { evals, result });
    prop::collection::vec(game, 1..12)
}

/// Returns the games as PGN, each repeated several times with different first moves.
fn pgn(games: &[Game], times: usize) -> String {
    // Captures, so that the material changes.
    const MOVES: [&str; 24] = [
        "e4", "d5", "exd5", "Qxd5", "Nc3", "Qe5+", "Be2", "Qg5", "Nf3", "Qxg2", "Rg1", "Qxf2+",
        "Kxf2", "Nc6", "Rxg7", "Bxg7", "d4", "Nxd4", "Nxd4", "Bxd4+", "Qxd4", "Nf6", "Qxf6",
        "exf6",
    ];
    let mut text = String::new();
    for time in 0..times {
        for Game { evals, result } in games {
            let _ = write!(
                text,
                "[White \"A\"]\n[Black \"B\"]\n[Event \"{time}\"]\n[Result \"{result}\"]\n\n"
            );
            for (index, eval) in evals.iter().enumerate() {
                if index % 2 == 0 {
                    let _ = write!(text, "{}. ", index / 2 + 1);
                }
                let shift = time as i32 % 7 * 5;
                let eval = match eval {
                    Ok(cp) => format!("{:+.2}", f64::from(cp + shift) / 100.0),
                    Err(own) => format!("{}M3", if *own { '+' } else { '-' }),
                };
                let _ = write!(text, "{} {{{eval}/9 1.0s}} ", MOVES[index]);
            }
            let _ = write!(text, "{result}\n\n");
        }
    }
    text
}

#[track_caller]
fn is_sound(text: &str) {
    for word in text.split(|char: char| !char.is_ascii_alphabetic()) {
        assert!(!["NaN", "inf", "nan"].contains(&word), "{text}");
    }
}

/// Checks that a document survives JSON. NaN and infinity become `null`, which cannot be read back.
#[track_caller]
fn comes_back<T: serde::Serialize + serde::de::DeserializeOwned>(document: &T) {
    let text = serde_json::to_string(document).unwrap();
    assert!(serde_json::from_str::<T>(&text).is_ok(), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn reports_on_models_have_no_nan(
        games in games(),
        times in prop::sample::select(vec![1, 3, 40]),
        method in prop::sample::select(vec![Method::Probability, Method::Score, Method::Density]),
        by in prop::sample::select(vec![By::Material, By::Move, By::Both]),
        shape in prop::sample::select(vec![Shape::Cubic, Shape::Monotone, Shape::Spline]),
        win_min in 1..10u64,
        compat in any::<bool>(),
        internal in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        fs::write(&path, pgn(&games, times)).unwrap();
        let units = if internal { Units::of_stockfish("18").unwrap() } else { Units::default() };
        let selection = Selection { by, units, ..Selection::default() };
        let options = CountOptions { groups: GroupRows::of_selection(&selection), ..CountOptions::default() };
        let sources = Sources::expand(&[&path]).unwrap();
        let counts = count(&sources, &ScanOptions::default(), &options, None).unwrap().0.counts;
        let target = by.usual_target();
        let options = FitOptions { selection, method, shape, target, win_min, compat };
        let resampling = ResampleOptions { resamples: 6, folds: 2, ..ResampleOptions::default() };
        let report = match FitReport::new(&counts, &options, resampling, &Cancel::new(), &Silent) {
            Err(error) => {
                is_sound(&error.to_string());
                return Ok(());
            }
            Ok(report) => report,
        };
        is_sound(&report.text());
        comes_back::<FitDocument>(&report.document(None));
        let plots = Plots::new(&counts, &report, None, None);
        for form in [PlotForm::Svg, PlotForm::Html] {
            is_sound(&String::from_utf8(plots.draw(form, None)).unwrap());
        }
        let Ok(own) = Candidate::fitted("own", &report, true) else { return Ok(()) };
        let games = CommonGames { name: "games", counts: &counts, selection, resampling };
        for games in [None, Some(&games)] {
            match ModelComparison::new(&[own.clone(), own.clone()], games, &Cancel::new()) {
                Err(error) => is_sound(&error.to_string()),
                Ok(comparison) => {
                    is_sound(&format!("{comparison:?}"));
                    comes_back(&comparison);
                }
            }
        }
    }

    #[test]
    fn reports_on_balances_have_no_nan(games in games(), times in prop::sample::select(vec![1, 2, 9])) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        fs::write(&path, pgn(&games, times)).unwrap();
        let options = BalanceOptions { list: true, ..BalanceOptions::default() };
        let sources = Sources::expand(&[&path]).unwrap();
        let (matches, _) = Matches::count(&sources, &ScanOptions::default(), &options).unwrap();
        let rows = matches.rows(Bootstrap { resamples: 50, seed: 0 }, &Cancel::new(), &Silent).unwrap();
        comes_back(&BalanceDocument::new(&rows, true, None));
        for row in &rows {
            let ends = row.interval.map(|(low, high)| format!("{low} to {high}"));
            is_sound(&format!("{ends:?} {:?}", row.fitted));
        }
        is_sound(&String::from_utf8(BalancePlot::new(&rows).draw(PlotForm::Svg)).unwrap());
    }

    #[test]
    fn reports_on_piece_values_have_no_nan(
        games in games(),
        times in prop::sample::select(vec![1, 2, 9]),
        method in prop::sample::select(vec![material::Method::Classic, material::Method::Ordered, material::Method::Davidson]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        fs::write(&path, pgn(&games, times)).unwrap();
        let sources = Sources::expand(&[&path]).unwrap();
        let options = material::CountOptions::default();
        let (collection, ..) = material::count(&sources, &ScanOptions::default(), &options).unwrap();
        let fit = material::FitOptions { resamples: 10, ..material::FitOptions::of(method) };
        let options = material::ReportOptions { fit, folds: 2, ..material::ReportOptions::default() };
        match material::MaterialReport::new(&collection, &options, &Cancel::new(), &Silent) {
            Err(error) => is_sound(&error.to_string()),
            Ok(report) => {
                comes_back(&report.document(None));
                if let Some(score) = &report.score_by_balance {
                    for plot in [material::MaterialPlot::score(score), material::MaterialPlot::results(score)] {
                        is_sound(&String::from_utf8(plot.draw(PlotForm::Svg)).unwrap());
                    }
                }
                let values = material::MaterialPlot::values(&[("own", &report.fit)]);
                is_sound(&String::from_utf8(values.draw(PlotForm::Svg)).unwrap());
            }
        }
    }
}
