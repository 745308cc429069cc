//! Curves of people: the published fit, scans of games, invalid input.

use std::{collections::BTreeMap, fs, path::Path};

use centipawn_calibrate::{
    Clusters,
    human::{
        HumanCountOptions, HumanFit, HumanFitError, HumanFitOptions, HumanGame, HumanGames,
        HumanPosition, HumanReport, HumanRows, LeftOut,
    },
};
use centipawn_core::{CurveChoice, HumanModel, Pool, SplitMix64};
use centipawn_pgn::{Merge as _, ScanOptions, Shard, Source, Sources};
use centipawn_progress::{Cancel, Silent};
use centipawn_test_support::data::text;

/// Returns the games whose positions the built-in constants are fitted to.
fn published() -> HumanGames {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/people.tsv.zst");
    HumanRows::read(Source::open(&table).unwrap())
        .unwrap()
        .games(&HumanCountOptions::default())
}

/// Fitting the table of the repository gives the built-in constants, to the last digit that they
/// are printed with.
#[test]
fn fitting_the_published_table_gives_the_built_in_constants() {
    let games = published();
    let options = HumanFitOptions {
        resamples: 0,
        folds: 5,
    };
    let report = HumanReport::new(&games, &options, &Cancel::new(), &Silent).unwrap();
    let (own, built_in) = (report.model, HumanModel::default());
    let all = |model: &HumanModel| {
        let HumanModel {
            b0,
            b1,
            half_time,
            r,
            phase,
            pools,
            mates,
            clocks,
            draws,
            ..
        } = *model;
        let effects = Pool::ALL.map(|pool| {
            let own = pools.get(pool).unwrap_or_default();
            [own.level, own.slope, own.difference]
        });
        let effects = effects.concat();
        let (mates, clocks, draws) = (mates.unwrap(), clocks.unwrap(), draws.unwrap());
        [
            vec![b0, b1, half_time / 100.0, r],
            phase.unwrap().to_vec(),
            effects,
            mates.to_vec(),
            clocks.to_vec(),
            draws.to_vec(),
        ]
        .concat()
    };
    for (own, built_in) in all(&own).into_iter().zip(all(&built_in)) {
        assert!((own - built_in).abs() < 5.1e-4, "{own} {built_in}");
    }
    assert_eq!((report.games, report.positions), (8733, 177_213));
    assert_eq!(report.only_decisive, ["lichess 2026, strong, decisive"]);
    let held_out = report.held_out.unwrap();
    let loss = |name: &str| {
        held_out
            .curves
            .iter()
            .find(|own| own.curve == name)
            .unwrap()
            .log_loss[0]
    };
    // The fitted model predicts held-out games better than every curve without rating and time.
    assert!(loss("this model, equal ratings") < loss("lichess") - 0.02);
    let clocks = report.clocks.unwrap();
    assert!(
        clocks.log_loss < clocks.log_loss_without - 0.012,
        "{clocks:?}"
    );
    let deep = report.deep_search.unwrap();
    assert!(
        (0.85..1.0).contains(&deep.factor) && deep.positions > 2000,
        "{deep:?}"
    );
}

/// The expected values come from an independent fit to the same games.
#[test]
fn the_steepness_of_each_collection_equals_an_independent_fit() {
    let wanted: serde_json::Value = serde_json::from_str(&text("golden/human/fit.json")).unwrap();
    let options = HumanFitOptions {
        resamples: 0,
        folds: 0,
    };
    let report = HumanReport::new(&published(), &options, &Cancel::new(), &Silent).unwrap();
    for (name, file) in [
        ("lichess 2021", "lichess 2021"),
        ("open", "open 90+30"),
        ("masters", "masters"),
    ] {
        let own = report
            .sources
            .iter()
            .find(|own| own.source == file)
            .unwrap();
        let k = wanted
            .pointer(&format!("/k_by_source/{name}/k"))
            .unwrap()
            .as_f64()
            .unwrap();
        assert!(
            (own.fit.steepness.unwrap() / k - 1.0).abs() < 0.005,
            "{name}: {:?} {k}",
            own.fit
        );
    }
}

/// The games follow the model, but a share of the drawn games is removed from one file.
#[test]
fn games_chosen_for_a_winner_do_not_make_the_curve_steeper() {
    let model = HumanModel {
        draws: Some([0.0, 0.0, 0.0]),
        ..HumanModel::default()
    };
    let mut random = SplitMix64::new(7);
    let mut games = HumanGames::new(100_000);
    games.sources = vec!["all".to_owned(), "chosen".to_owned()];
    for number in 0..40_000 {
        let source = (number % 2) as u32;
        let cp = (1200.0 * (random.unit() - 0.5)) as i16;
        let (rating, seconds) = (
            1400.0 + 800.0 * random.unit(),
            if number % 3 == 0 { 180.0 } else { 5400.0 },
        );
        let score = model.expected_score(f64::from(cp) / 100.0, rating, seconds, 0.0);
        let wdl = model.wdl(score, rating, seconds).unwrap();
        let chance = random.unit();
        let half_points = if chance < wdl.win {
            2
        } else {
            u8::from(chance < wdl.win + wdl.draw)
        };
        if source == 1 && half_points == 1 {
            continue;
        }
        let positions = vec![HumanPosition::new(cp, 20)];
        games.add(HumanGame {
            number,
            source,
            ratings: [rating; 2],
            seconds,
            pool: Pool::Unknown,
            players: None,
            half_points,
            positions,
        });
    }
    let options = HumanFitOptions {
        resamples: 0,
        folds: 0,
    };
    let report = HumanReport::new(&games, &options, &Cancel::new(), &Silent).unwrap();
    assert_eq!(report.only_decisive, ["chosen"]);
    assert!(
        (report.model.b0 - model.b0).abs() < 0.06,
        "{} {}",
        report.model.b0,
        model.b0
    );
    // If all files are treated as complete, k comes out too large.
    let all: Vec<&HumanGame> = games.kept().collect();
    assert!(
        HumanFit::new(&all, &Cancel::new())
            .unwrap()
            .model()
            .unwrap()
            .b0
            > model.b0 + 0.1
    );
}

/// Returns a folder with these games, whose evaluations are written as Lichess does.
fn folder(games: &[String]) -> (tempfile::TempDir, Sources) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), games.concat()).unwrap();
    let sources = Sources::expand(&[folder.path()]).unwrap();
    (folder, sources)
}

fn game(tags: &str, result: &str) -> String {
    const SHUFFLE: [&str; 4] = ["Nf3", "Nf6", "Ng1", "Ng8"];
    let mut text = format!("[Event \"x\"]\n{tags}[Result \"{result}\"]\n\n");
    for ply in 0..24 {
        if ply % 2 == 0 {
            text += &format!("{}. ", ply / 2 + 1);
        }
        let eval = f64::from(ply - 8) / 10.0;
        text += &format!(
            "{} {{ [%eval {eval:.2}] [%clk 0:0{}:{:02}] }} ",
            SHUFFLE[ply as usize % 4],
            4 - ply / 8,
            59 - ply
        );
    }
    text + result + "\n\n"
}

const TAGS: &str = "[WhiteElo \"1600\"]\n[BlackElo \"1500\"]\n[TimeControl \"300+3\"]\n";

#[test]
fn a_game_is_read_with_ratings_time_and_clocks() {
    let (_folder, sources) = folder(&[game(TAGS, "1-0")]);
    let count = |options: &HumanCountOptions| {
        HumanGames::count(&sources, &ScanOptions::default(), options)
            .unwrap()
            .0
    };
    let games = count(&HumanCountOptions::default());
    let game = games.kept().next().unwrap();
    assert_eq!(
        (game.ratings, game.seconds, game.half_points),
        ([1600.0, 1500.0], 420.0, 2)
    );
    // A comment after move n evaluates the position after it, so the one after the ninth ply
    // belongs to ply 10.
    let first = game.positions[0];
    assert_eq!((first.ply, first.cp, first.material), (10, 10, Some(78)));
    assert_eq!(first.clocks, Some([3 * 60 + 51, 3 * 60 + 50]));
    assert_eq!(game.positions.len(), 15);
    // An older engine prints more pawns for the same position, so its evaluations are divided.
    let old = count(&HumanCountOptions {
        units: Some(2.0),
        ..HumanCountOptions::default()
    });
    assert_eq!(old.kept().next().unwrap().positions[5].cp, 30);
}

#[test]
fn every_game_left_out_has_a_reason() {
    let with = |from: &str, to: &str| game(&TAGS.replace(from, to), "1-0");
    let huge = "9".repeat(400);
    let hostile = [
        (LeftOut::WithoutRatings, with("1600", "?")),
        (LeftOut::WithoutRatings, with("1600", "0")),
        (LeftOut::WithoutRatings, with("1600", "-1600")),
        (LeftOut::WithoutRatings, with("1600", &huge)),
        (LeftOut::WithoutRatings, with("1600", "NaN")),
        (LeftOut::WithoutRatings, with("[WhiteElo \"1600\"]\n", "")),
        (LeftOut::RatingsApart, with("1600", "2400")),
        (LeftOut::WithoutTime, with("300+3", "-")),
        (LeftOut::WithoutTime, with("300+3", "?")),
        (LeftOut::WithoutTime, with("300+3", "-300+3")),
        (LeftOut::WithoutTime, with("300+3", &huge)),
        (LeftOut::WithoutTime, with("300+3", "inf")),
        (LeftOut::Correspondence, with("300+3", "1/86400")),
        (LeftOut::Correspondence, with("300+3", "1209600")),
        (
            LeftOut::Abandoned,
            game(&format!("{TAGS}[Termination \"Abandoned\"]\n"), "0-1"),
        ),
        (
            LeftOut::Programs,
            game(&format!("{TAGS}[WhiteTitle \"BOT\"]\n"), "0-1"),
        ),
        (LeftOut::Unfinished, game(TAGS, "*")),
        (
            LeftOut::WithoutEvals,
            format!("{TAGS}\n1. e4 {{ [%clk 0:05:00] }} e5 1-0\n\n"),
        ),
        (
            LeftOut::NoPosition,
            format!("{TAGS}\n1. e4 {{ [%eval 0.3] }} e5 1-0\n\n"),
        ),
        (
            LeftOut::NoPosition,
            game(TAGS, "1-0").replace("[%eval ", "[%eval 9999999"),
        ),
    ];
    let mut wanted = BTreeMap::new();
    hostile
        .iter()
        .for_each(|(why, _)| *wanted.entry(*why).or_default() += 1);
    let (_folder, sources) = folder(&hostile.map(|(_, game)| game));
    let (games, report) = HumanGames::count(
        &sources,
        &ScanOptions::default(),
        &HumanCountOptions::default(),
    )
    .unwrap();
    assert_eq!((games.games, report.games), (0, 20));
    assert_eq!(games.left_out, wanted);
    let error =
        HumanReport::new(&games, &HumanFitOptions::default(), &Cancel::new(), &Silent).unwrap_err();
    assert!(matches!(error, HumanFitError::TooFew(0)), "{error}");
}

#[test]
fn parts_of_games_add_up_to_the_whole() {
    let games: Vec<String> = (0..200)
        .map(|index| {
            game(
                &TAGS.replace("1600", &(1400 + index).to_string()),
                ["1-0", "0-1"][index % 2],
            )
        })
        .collect();
    let (_folder, sources) = folder(&games);
    let options = HumanCountOptions {
        per_class: 20,
        ..HumanCountOptions::default()
    };
    let count = |shard| {
        HumanGames::count(
            &sources,
            &ScanOptions {
                shard,
                ..ScanOptions::default()
            },
            &options,
        )
        .unwrap()
        .0
    };
    let whole = count(Shard::ALL);
    assert_eq!((whole.games, whole.kept().count()), (200, 20));
    let part = |index| {
        let json = serde_json::to_string(&count(Shard::new(index, 3).unwrap())).unwrap();
        serde_json::from_str::<HumanGames>(&json).unwrap()
    };
    let mut sum = part(2);
    sum.merge(part(3));
    sum.merge(part(1));
    assert!(sum == whole);
    // Another seed must keep other games.
    let other = HumanCountOptions {
        seed: 1,
        ..options.clone()
    };
    let (other, _) = HumanGames::count(&sources, &ScanOptions::default(), &other).unwrap();
    assert!(
        other
            .kept()
            .map(|game| game.ratings)
            .ne(whole.kept().map(|game| game.ratings))
    );
}

#[test]
fn tables_survive_writing_and_reading() {
    let games = published();
    assert_eq!(
        (games.games, games.positions, games.left_out.len()),
        (8733, 177_213, 0)
    );
    let mut written = Vec::new();
    games.write_rows(&mut written).unwrap();
    let again = HumanRows::read(&written[..])
        .unwrap()
        .games(&HumanCountOptions::default());
    let of = |games: &HumanGames| {
        let all: Vec<&HumanGame> = games.kept().collect();
        HumanFit::new(&all, &Cancel::new()).unwrap().log_loss
    };
    assert!((of(&games) - of(&again)).abs() < 1e-9);
    let report = HumanReport::new(
        &games,
        &HumanFitOptions {
            resamples: 0,
            folds: 0,
        },
        &Cancel::new(),
        &Silent,
    )
    .unwrap();
    let read: CurveChoice = serde_json::from_str(&report.curve_file().json()).unwrap();
    assert_eq!(
        read,
        CurveChoice::Human {
            rating: None,
            seconds: None,
            pool: None,
            model: report.model
        }
    );
}

#[test]
fn errors_in_a_table_name_line_and_column() {
    let error = |table: &str| HumanRows::read(table.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        error(""),
        "line 1 must name the columns, separated by tabs; cp is missing"
    );
    assert_eq!(
        error("cp\tresult\n"),
        "line 1 must name the columns, separated by tabs; white_elo is missing"
    );
    let head = "game\tcp\twhite_elo\tblack_elo\tresult\tseconds\n";
    let with = |row: &str| error(&format!("{head}{row}\n"));
    assert_eq!(
        with("1\t1e3\t1500\t1500\t1\t60"),
        "line 2: cp is \"1e3\"; it must be a whole number of centipawns"
    );
    assert_eq!(
        with("1\t10\t1500\t1500\t1-0\t60"),
        "line 2: result is \"1-0\"; it must be White's score: 0, 0.5 or 1"
    );
    assert_eq!(
        with("1\t10\t1500\t1500\t1\t-60"),
        "line 2: seconds is \"-60\"; it must be a number of seconds"
    );
    assert_eq!(
        with("1\t10\t1500\t1500\t1\t60\n1\t10\t1500\t1500\t0\t60"),
        "line 3: game 1 has another result or rating than in the lines before"
    );
    // The rows do not name their game.
    let unnumbered =
        "cp\twhite_elo\tblack_elo\tresult\tseconds\n10\t1500\t1500\t1\t60\n-5\t1500\t1500\t1\t60\n";
    assert!(
        error(unnumbered)
            .starts_with("line 1 has no number in the column game: rows of one game share")
    );
    assert!(
        error(&format!(
            "{head}1\t10\t1500\t1500\t1\t60\n\t10\t1500\t1500\t1\t60\n"
        ))
        .starts_with("line 3 has no")
    );
    let rows = HumanRows::read_by(unnumbered.as_bytes(), Clusters::Row).unwrap();
    assert_eq!(rows.games(&HumanCountOptions::default()).games, 2);
    // If the table's game numbers do not refer to the games of the file, the ratings differ, and
    // nothing is added.
    let mut rows = HumanRows::read(format!("{head}1\t10\t1500\t1600\t1\t\n").as_bytes()).unwrap();
    let game = |elo: u32| {
        format!("[WhiteElo \"1500\"]\n[BlackElo \"{elo}\"]\n[TimeControl \"60\"]\n\n1. e4 1-0\n")
    };
    for (elo, fits) in [(1610, false), (1600, true)] {
        let game = centipawn_pgn::Reader::new(game(elo).as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap();
        assert_eq!(
            (rows.complete("", 1, &game), rows.lacks_time("")),
            (fits, !fits)
        );
    }
    // Exports write 0 or ? for a missing rating.
    let rows = HumanRows::read(format!("{head}1\t10\t?\t0\t1\t60\n").as_bytes()).unwrap();
    assert_eq!(
        rows.games(&HumanCountOptions::default()).left_out,
        BTreeMap::from([(LeftOut::WithoutRatings, 1)])
    );
}

/// Too few games have mates to fit their value. Their positions are left out instead of counting as
/// equal ones.
#[test]
fn few_mates_do_not_change_the_model() {
    let games = |with_mates: bool| {
        let mut games = HumanGames::new(1000);
        for number in 0..200 {
            let (ahead, is_won) = (number % 2 == 0, number % 5 != 0);
            let mut positions = vec![HumanPosition::new(if ahead { 100 } else { -100 }, 20)];
            if with_mates && number % 8 == 0 {
                positions.push(HumanPosition {
                    mate: if ahead { 3 } else { -3 },
                    ..HumanPosition::new(0, 40)
                });
            }
            let ratings = [1600.0 + (number % 7) as f64 * 20.0, 1600.0];
            let half_points = if ahead == is_won { 2 } else { 0 };
            games.add(HumanGame {
                number,
                source: 0,
                ratings,
                seconds: 420.0,
                pool: Pool::Unknown,
                players: None,
                half_points,
                positions,
            });
        }
        HumanReport::new(
            &games,
            &HumanFitOptions {
                resamples: 0,
                folds: 2,
            },
            &Cancel::new(),
            &Silent,
        )
        .unwrap()
    };
    let (with, without) = (games(true), games(false));
    assert_eq!((with.mates_left_out, without.mates_left_out), (25, 0));
    assert_eq!(
        (with.model, with.held_out),
        (without.model, without.held_out)
    );
    assert_eq!(with.model.mates, HumanModel::default().mates);
}

#[test]
fn unidentifiable_terms_are_left_out() {
    let mut games = HumanGames::new(1000);
    for number in 0..200 {
        // The side that is a pawn ahead wins four games of five.
        let (ahead, is_won) = (number % 2 == 0, number % 5 != 0);
        let position = HumanPosition::new(if ahead { 100 } else { -100 }, 20);
        let half_points = if ahead == is_won { 2 } else { 0 };
        let positions = vec![position];
        games.add(HumanGame {
            number,
            source: 0,
            ratings: [1600.0, 1500.0],
            seconds: 420.0,
            pool: Pool::Unknown,
            players: None,
            half_points,
            positions,
        });
    }
    let report = HumanReport::new(
        &games,
        &HumanFitOptions {
            resamples: 10,
            folds: 2,
        },
        &Cancel::new(),
        &Silent,
    )
    .unwrap();
    assert_eq!(report.unidentified.len(), 5, "{:?}", report.unidentified);
    assert_eq!((report.model.b1, report.model.half_time), (0.0, 0.0));
    assert_eq!(
        (report.model.mates, report.mates_left_out),
        (HumanModel::default().mates, 0)
    );
    assert_eq!(
        (report.model.draws, report.model.seconds),
        (None, [420.0; 2])
    );
}

/// The separate fit of a class has one steepness of evaluations, so it must skip mates instead of
/// treating them as equal positions.
#[test]
fn mates_do_not_count_as_equal_positions() {
    let with = |mates: bool| {
        let mut games = HumanGames::new(10_000);
        for game in published().kept() {
            let mut game = game.clone();
            game.positions
                .retain(|position| mates || position.mate == 0);
            if !game.positions.is_empty() {
                games.add(game);
            }
        }
        HumanReport::new(
            &games,
            &HumanFitOptions {
                resamples: 0,
                folds: 0,
            },
            &Cancel::new(),
            &Silent,
        )
        .unwrap()
    };
    let (all, without) = (with(true), with(false));
    assert!(all.positions > without.positions + 100);
    let steepness = |report: &HumanReport| {
        report
            .classes
            .iter()
            .filter_map(|own| own.fit.steepness)
            .collect::<Vec<_>>()
    };
    // The width of draws, which corrects the chosen games, differs slightly.
    for (all, without) in steepness(&all).into_iter().zip(steepness(&without)) {
        assert!((all / without - 1.0).abs() < 3e-3, "{all} {without}");
    }
}
