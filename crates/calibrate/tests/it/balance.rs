//! Balances of real matches, compared with those of an independent program.

use std::{collections::BTreeMap, fs, path::PathBuf};

use centipawn_calibrate::balance::{
    BalanceEstimate, BalanceOptions, Bootstrap, By, Highest, Matches,
};
use centipawn_core::{Eval, White};
use centipawn_pgn::{Merge as _, Reader, ScanOptions, Shard, Sources};
use centipawn_progress::{Cancel, Silent};
use centipawn_test_support::data::{shared, text};
use serde_json::Value;

fn count(paths: &[PathBuf], scan: &ScanOptions<'_>, options: &BalanceOptions) -> Matches {
    Matches::count(&Sources::expand(paths).unwrap(), scan, options)
        .unwrap()
        .0
}

fn rows(matches: &Matches, resamples: usize) -> Vec<BalanceEstimate> {
    matches
        .rows(Bootstrap { resamples, seed: 0 }, &Cancel::new(), &Silent)
        .unwrap()
}

fn of(rows: &[BalanceEstimate], engine: &str) -> BalanceEstimate {
    rows.iter()
        .find(|row| {
            row.key
                .engine
                .as_ref()
                .is_some_and(|name| name.starts_with(engine))
        })
        .unwrap()
        .clone()
}

/// Compares wins, the highest evaluation without a win, the balance, its interval, and every game
/// behind it.
#[test]
fn balances_of_superfinals_equal_an_independent_program() {
    let Some(folder) = shared("data/pgn/tcec") else {
        return;
    };
    for line in text("golden/relevance/tcec_balance.jsonl.zst").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let path = folder.join(format!("TCEC_Season_{}_-_Superfinal.pgn", row["season"]));
        // The article counts game 17 of season 9, which was adjudicated by a tablebase, as not won.
        let by_hand = row["season"] == 9 && row["wins"] == 16;
        let not_won = if by_hand {
            vec!["17".parse().unwrap()]
        } else {
            Vec::new()
        };
        let options = BalanceOptions {
            not_won,
            list: true,
            ..BalanceOptions::default()
        };
        let found = rows(&count(&[path], &ScanOptions::default(), &options), 1000);
        let found = of(&found, row["engine"].as_str().unwrap());
        assert_eq!(
            (Some(found.wins), Some(found.not_won)),
            (row["wins"].as_u64(), row["nonwins"].as_u64()),
            "{line}"
        );
        let [highest, balance] =
            [found.highest_not_won, found.balance].map(|found| found.unwrap().pawns());
        assert_eq!(
            (Some(highest), Some(balance)),
            (row["highest"].as_f64(), row["balance"].as_f64())
        );
        let (low, high) = found.interval.unwrap();
        for (end, golden) in [(low, &row["boot95"][0]), (high, &row["boot95"][1])] {
            assert!(
                (end.pawns() - golden.as_f64().unwrap()).abs() <= 0.05,
                "{end:?} for {golden}"
            );
        }
        let ours: BTreeMap<u64, (f64, u64)> = found
            .list
            .iter()
            .map(|game| (game.game, (game.highest.pawns(), game.move_number.into())))
            .collect();
        let theirs = row["games"].as_array().unwrap();
        assert_eq!(ours.len(), theirs.len());
        let differ = |game: &&Value| {
            let theirs = (
                game["max_own"].as_f64().unwrap(),
                game["move"].as_u64().unwrap(),
            );
            ours[&game["game"].as_u64().unwrap()] != theirs
        };
        // The reference program keeps the evaluation of the last move always or (`droplast`) never.
        // This crate drops it only if the move ends the game by rule, so a few games may differ.
        let differ: Vec<&Value> = theirs.iter().filter(differ).collect();
        assert!(differ.len() <= 2, "season {}: {differ:?}", row["season"]);
    }
}

/// Three games with an evaluation for each ply, in centipawns for the mover. Evaluations in
/// comments and those of an engine must count alike.
#[test]
fn evaluations_of_an_engine_count_like_those_in_comments() {
    let stalemate =
        "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6";
    let mut only_white = vec![None; 19];
    only_white
        .iter_mut()
        .step_by(2)
        .enumerate()
        .for_each(|(index, eval)| *eval = Some(90 * index as i32));
    let games = [
        (
            "A",
            "B",
            "1-0",
            "e4 e5 d4",
            vec![Some(10), Some(-20), Some(35)],
        ),
        (
            "B",
            "A",
            "1/2-1/2",
            "e4 e5 d4 exd4",
            vec![Some(30), Some(40), Some(15), Some(25)],
        ),
        ("A", "B", "1/2-1/2", stalemate, only_white),
        ("A", "B", "*", "e4 e5", vec![Some(500), Some(-500)]),
    ];
    let mut text = String::new();
    for (white, black, result, moves, evals) in &games {
        text += &format!(
            "[Event \"E\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n"
        );
        for (index, (san, eval)) in moves.split(' ').zip(evals).enumerate() {
            let comment = eval
                .map(|cp: i32| format!(" {{{:+.2}/9 1s}}", f64::from(cp) / 100.0))
                .unwrap_or_default();
            let number = if index % 2 == 0 {
                format!("{}. ", index / 2 + 1)
            } else {
                String::new()
            };
            text += &format!("{number}{san}{comment} ");
        }
        text += &format!("{result}\n\n");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    fs::write(&path, &text).unwrap();
    let options = BalanceOptions::default();
    let annotated = count(&[path], &ScanOptions::default(), &options);
    let mut analysed = Matches::default();
    for (game, (.., evals)) in Reader::new(text.as_bytes())
        .map(|game| game.unwrap().unwrap())
        .zip(&games)
    {
        let of = |(index, eval): (usize, &Option<i32>)| {
            Some((
                index,
                Eval::cp((*eval)? * if index % 2 == 0 { 1 } else { -1 }),
            ))
        };
        let evals: Vec<(usize, Eval<White>)> = evals.iter().enumerate().filter_map(of).collect();
        analysed.add_evaluated(&game, &evals, 0, &options);
    }
    analysed.finish(&options);
    assert_eq!(analysed, annotated);
    // By hand: A won once. In the games that it did not win, its highest evaluations are 0.40, and
    // 7.20 before the stalemate. The 8.10 on the stalemating move does not count.
    let found = rows(&analysed, 0);
    let [a, b] = ["A", "B"].map(|name| of(&found, name));
    assert_eq!((a.games, a.wins, a.balance), (3, 1, Some(Highest::Cp(720))));
    assert_eq!(
        (b.games, b.wins, b.highest_not_won),
        (2, 0, Some(Highest::Cp(30)))
    );
    assert_eq!(analysed.unfinished, 1);
}

/// Synthetic matches whose games have one evaluation each.
#[test]
fn counting_estimates_follow_the_rule_of_the_article() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen = 0;
    for line in text("golden/relevance/relevance.jsonl.zst").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        if row["k"] != "balance" {
            continue;
        }
        seen += 1;
        let number = |value: &Value| value.as_str().map(|text| text.parse::<f64>().unwrap());
        let game = |eval: f64, result: &str| {
            format!(
                "[White \"A\"]\n[Black \"B\"]\n[Result \"{result}\"]\n\n1. e4 {{{eval:+.2}/20 1.0s}} e5 {result}\n\n"
            )
        };
        let mut text: String = (0..row["wins"].as_u64().unwrap())
            .map(|_| game(3.0, "1-0"))
            .collect();
        text.extend(
            row["nonwin"]
                .as_array()
                .unwrap()
                .iter()
                .map(|eval| game(number(eval).unwrap(), "1/2-1/2")),
        );
        let path = folder.path().join("match.pgn");
        fs::write(&path, text).unwrap();
        let found = rows(
            &count(&[path], &ScanOptions::default(), &BalanceOptions::default()),
            0,
        );
        let found = of(&found, "A");
        assert_eq!(
            found.highest_not_won.map(Highest::pawns),
            number(&row["highest"]),
            "{line}"
        );
        assert_eq!(
            found.balance.map(Highest::pawns),
            number(&row["balance"]),
            "{line}"
        );
    }
    assert_eq!(seen, 148);
}

/// Parts of the games, in any number, merge to the whole.
#[test]
fn parts_of_a_scan_merge_to_the_whole() {
    let games = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/selfplay.pgn.gz"
    ));
    for by in By::ALL {
        let options = BalanceOptions {
            by,
            ..BalanceOptions::default()
        };
        let whole = count(
            std::slice::from_ref(&games),
            &ScanOptions::default(),
            &options,
        );
        let mut parts = Matches::default();
        for part in 1..=3 {
            let shard: Shard = format!("{part}/3").parse().unwrap();
            parts.merge(count(
                std::slice::from_ref(&games),
                &ScanOptions {
                    shard,
                    ..ScanOptions::default()
                },
                &options,
            ));
        }
        assert_eq!(rows(&parts, 100), rows(&whole, 100));
        assert!(!whole.is_empty());
    }
}

/// A move that ends the game by rule cannot lead to a win any more, so its evaluation does not
/// count.
#[test]
fn a_move_that_ends_the_game_by_rule_has_no_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stalemate.pgn");
    let head = "[White \"A\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n[SetUp \"1\"]\n[FEN \"7k/8/6K1/8/8/8/8/5Q2 w - - 0 1\"]\n\n";
    let highest = |moves: &str| {
        fs::write(&path, format!("{head}{moves} 1/2-1/2\n")).unwrap();
        let found = rows(
            &count(
                std::slice::from_ref(&path),
                &ScanOptions::default(),
                &BalanceOptions::default(),
            ),
            0,
        );
        of(&found, "A").highest_not_won.unwrap().pawns()
    };
    assert_eq!(
        highest("1. Qe1 {+1.00/9 1s} Kg8 2. Qf1 {+0.50/9 1s} Kh8 3. Qf7 {+9.00/9 1s}"),
        1.0
    );
    assert_eq!(highest("1. Qe1 {+1.00/9 1s} Kg8 2. Qf2 {+9.00/9 1s}"), 9.0);
}

#[test]
fn games_without_a_rating_are_in_no_band() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let game = "[White \"A\"]\n[Black \"B\"]\n[WhiteElo \"0\"]\n[BlackElo \"1590?\"]\n\n1. e4 {+0.60/9 1s} e5 {-0.60/9 1s} 1-0\n";
    fs::write(&path, game).unwrap();
    let options = BalanceOptions {
        by: By::Elo,
        ..BalanceOptions::default()
    };
    let found = rows(&count(&[path], &ScanOptions::default(), &options), 0);
    let mut bands: Vec<Option<u32>> = found.iter().map(|row| row.key.elo).collect();
    bands.sort_unstable();
    assert_eq!(bands, [None, Some(1500)]);
}
