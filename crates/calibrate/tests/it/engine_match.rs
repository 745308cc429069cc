//! Reports of matches, compared with what fastchess and Ordo print for the same games.
//!
//! `match.pgn.gz` is a match of 80 games played by fastchess; `tournament.pgn.gz` holds 240 games
//! between five players. All comments except the last one of each game are removed.

use std::{fs, io::Read as _, path::Path};

use centipawn_calibrate::engine_match::{
    Ending, MatchDocument, MatchError, MatchGames, MatchReportOptions, PairRule, ScoreBasis, Sprt,
    SprtModel, SprtVerdict,
};
use centipawn_pgn::{ScanOptions, Source, Sources};

fn games(name: &str) -> MatchGames {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    MatchGames::count(&Sources::expand(&[path]).unwrap(), &ScanOptions::default())
        .unwrap()
        .0
}

fn report(games: &MatchGames, options: &MatchReportOptions) -> MatchDocument {
    games.report(options).unwrap()
}

fn text(pgn: &str, options: &MatchReportOptions) -> MatchDocument {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    fs::write(&path, pgn).unwrap();
    let sources = Sources::expand(&[path]).unwrap();
    report(
        &MatchGames::count(&sources, &ScanOptions::default())
            .unwrap()
            .0,
        options,
    )
}

/// Formats a number with two decimals, as the other programs print it.
fn two(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
}

#[test]
fn estimates_equal_those_of_fastchess() {
    let games = games("match.pgn.gz");
    // The output of fastchess at commit 74deac23 for these games, with -sprt elo0=-40 elo1=10 and
    // each model.
    for (model, llr, basis) in [
        (SprtModel::Normalized, "4.79", ScoreBasis::Pairs),
        (SprtModel::Logistic, "4.84", ScoreBasis::Pairs),
        (SprtModel::Bayesian, "5.05", ScoreBasis::Games),
    ] {
        let sprt = Some(Sprt::new(-40.0, 10.0, model));
        let document = report(
            &games,
            &MatchReportOptions {
                sprt,
                ..MatchReportOptions::default()
            },
        );
        let test = document.pairings[0].sprt.unwrap();
        assert_eq!(
            (two(Some(test.llr)).as_str(), test.basis, test.verdict),
            (llr, basis, SprtVerdict::H1),
            "{model:?}"
        );
    }
    let document = report(&games, &MatchReportOptions::default());
    let own = &document.pairings[0];
    assert_eq!(
        (
            own.first.as_str(),
            own.games,
            own.wins,
            own.losses,
            own.draws
        ),
        ("Stockfish", 80, 51, 22, 7)
    );
    assert_eq!(own.pentanomial, Some([2, 1, 17, 6, 14]));
    assert_eq!(
        (own.pairs_by, own.unpaired, own.won_and_lost),
        (PairRule::Openings, 0, 17)
    );
    let numbers = |estimate: &centipawn_calibrate::engine_match::ScoreEstimate| {
        let superiority = estimate.superiority.map(|share| 100.0 * share);
        [
            estimate.elo,
            estimate.elo_error,
            estimate.normalized_elo,
            estimate.normalized_elo_error,
            superiority,
        ]
        .map(two)
    };
    // Elo: 131.94 +/- 70.61, nElo: 159.35 +/- 76.13, LOS: 100.00 %
    assert_eq!(
        numbers(&own.estimate),
        ["131.94", "70.61", "159.35", "76.13", "100.00"]
    );
    // With pentanomial statistics off: Elo: 131.94 +/- 79.35, nElo: 142.51 +/- 76.13, LOS: 99.99 %
    assert_eq!(
        numbers(&own.by_games),
        ["131.94", "79.35", "142.51", "76.13", "99.99"]
    );
    let of = |ending| {
        own.endings
            .iter()
            .find(|own| own.ending == ending)
            .map(|own| (own.wins, own.draws, own.losses))
    };
    assert_eq!(of(Ending::Checkmate), Some((13, 0, 18)));
    assert_eq!(of(Ending::AdjudicatedWin), Some((38, 0, 4)));
    assert_eq!(of(Ending::Unknown), None);
}

#[test]
fn ratings_equal_those_of_ordo() {
    let games = games("tournament.pgn.gz");
    // The output of Ordo 1.0.6 with -a 0 -z 200.24094 -W -D -N 2, without the games of Ethereal,
    // which Ordo does not rate.
    let document = report(&games, &MatchReportOptions::default());
    let own: Vec<(&str, String)> = document
        .players
        .iter()
        .map(|player| (player.name.as_str(), two(player.rating)))
        .collect();
    let expected = [
        ("Stockfish", "121.98"),
        ("Fairy 800", "55.37"),
        ("Fairy 500", "-72.09"),
        ("Fairy 300", "-105.26"),
        ("Ethereal", "-"),
    ];
    assert_eq!(
        own,
        expected.map(|(name, rating)| (name, rating.to_owned()))
    );
    assert_eq!(
        document.players[4].reason.as_deref(),
        Some("lost every game against rated players")
    );
    let fit = document.ratings.unwrap();
    // Ordo stops its iterations within 0.01.
    assert!(
        (fit.white_advantage + 51.73).abs() < 0.01,
        "{}",
        fit.white_advantage
    );
    assert_eq!(two(fit.draw_rate.map(|rate| 100.0 * rate)), "7.70");
    assert_eq!(fit.superiority.len(), 4);
    for (row, own) in fit.superiority.iter().enumerate() {
        for (column, share) in own.iter().enumerate() {
            let other = fit.superiority[column][row];
            assert!(
                share
                    .zip(other)
                    .map_or(row == column, |(share, other)| (share + other - 1.0).abs()
                        < 1e-12)
            );
        }
    }
    // An anchor shifts all ratings and has no error itself.
    let anchored = MatchReportOptions {
        anchor: "fairy 500=2000".parse().ok(),
        ..MatchReportOptions::default()
    };
    let anchored = report(&games, &anchored);
    assert_eq!(
        (two(anchored.players[2].rating), anchored.players[2].error),
        ("2000.00".into(), None)
    );
    assert_eq!(two(anchored.players[0].rating), "2194.07");
    assert!(anchored.players[0].error > document.players[0].error);
}

/// Arena states these endings in comments that it wraps over several lines. python-chess finds the
/// same repetitions and fifty-move draws.
#[test]
fn endings_in_arena_comments_are_recognised() {
    let Some(path) = centipawn_test_support::data::shared("data/pgn/engine/OpenRating.pgn") else {
        return;
    };
    let pgn: String = fs::read(path)
        .unwrap()
        .into_iter()
        .map(char::from)
        .collect();
    let of = |pgn: &str| {
        let document = text(pgn, &MatchReportOptions::default());
        let all: Vec<_> = document
            .pairings
            .iter()
            .flat_map(|pairing| pairing.endings.clone())
            .collect();
        move |ending| {
            let games = all
                .iter()
                .filter(|own| own.ending == ending)
                .map(|own| own.wins + own.draws + own.losses);
            games.sum::<u64>()
        }
    };
    let stated = of(&pgn);
    let resigned_or_late = [Ending::Resignation, Ending::Time].map(&stated);
    assert_eq!(resigned_or_late, [668, 27]);
    let drawn = [Ending::Repetition, Ending::FiftyMoves];
    assert_eq!(
        (drawn.map(&stated), stated(Ending::AdjudicatedDraw)),
        ([197, 71], 2)
    );
    // Without comments the moves show the same draws, and one more repetition, in a game that was
    // drawn because a player ran out of time.
    let bare: String = pgn
        .split('{')
        .map(|part| part.split_once('}').map_or(part, |(_, moves)| moves))
        .collect();
    assert_eq!(drawn.map(of(&bare)), [198, 71]);
}

#[test]
fn players_are_chosen_by_name_or_part_of_a_name() {
    let games = games("tournament.pgn.gz");
    let of = |names: &[&str]| {
        let players = names.iter().map(|name| (*name).to_owned()).collect();
        games.report(&MatchReportOptions {
            players,
            ..MatchReportOptions::default()
        })
    };
    let two = of(&["fairy 300", "stock"]).unwrap();
    let pairing = two.single().unwrap();
    assert_eq!(
        (
            pairing.first.as_str(),
            pairing.second.as_str(),
            pairing.games
        ),
        ("Fairy 300", "Stockfish", 24)
    );
    assert_eq!((pairing.wins, pairing.draws, pairing.losses), (6, 2, 16));
    assert_eq!(of(&["Ethereal"]).unwrap().games, 96);
    assert_eq!(
        of(&["Crafty"]).unwrap_err(),
        MatchError::NoPlayer("Crafty".to_owned())
    );
    let names = "Fairy 300, Fairy 500, Fairy 800".to_owned();
    assert_eq!(
        of(&["fairy"]).unwrap_err(),
        MatchError::SeveralPlayers {
            name: "fairy".to_owned(),
            names
        }
    );
    let sprt = Some(Sprt::new(0.0, 5.0, SprtModel::Normalized));
    let several = games.report(&MatchReportOptions {
        sprt,
        ..MatchReportOptions::default()
    });
    assert_eq!(several.unwrap_err(), MatchError::SprtOfSeveral(5));
    let anchor = "Ethereal=1".parse().ok();
    let error = games
        .report(&MatchReportOptions {
            anchor,
            ..MatchReportOptions::default()
        })
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the anchor Ethereal has no finite rating: lost every game against rated players"
    );
    // If no player has a finite rating, the anchor has none either.
    let anchored = |anchor: &str| {
        let players = ["Ethereal", "Stockfish"].map(str::to_owned).to_vec();
        let options = MatchReportOptions {
            players,
            anchor: anchor.parse().ok(),
            ..MatchReportOptions::default()
        };
        games.report(&options).unwrap_err().to_string()
    };
    assert_eq!(
        anchored("Ethereal=1"),
        "the anchor Ethereal has no finite rating: its games have won or lost points only"
    );
    assert_eq!(anchored("Crafty=1"), "no player's name contains \"Crafty\"");
}

/// Games of other players must not change the report on chosen players: neither the balance nor the
/// number of games without a result.
#[test]
fn games_of_other_players_do_not_change_the_report() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/selfplay.pgn.gz"
    );
    let mut pgn = String::new();
    Source::open(Path::new(path))
        .unwrap()
        .read_to_string(&mut pgn)
        .unwrap();
    let half = pgn.len() / 2 + pgn[pgn.len() / 2..].find("[Event ").unwrap();
    let (own, others) = pgn.split_at(half);
    // The other games involve a third player, and their results contradict the evaluations.
    let swapped = others
        .replace("1-0", "?")
        .replace("0-1", "1-0")
        .replace('?', "0-1");
    let others = swapped.replace("Stockfish 15.1 weak", "Third")
        + "\n[White \"Third\"]\n[Black \"Stockfish 15.1\"]\n\n1. e4 *\n";
    let options = MatchReportOptions {
        players: ["Stockfish 15.1", "Stockfish 15.1 weak"]
            .map(str::to_owned)
            .to_vec(),
        ..MatchReportOptions::default()
    };
    let (alone, among) = (
        text(own, &options),
        text(&(own.to_owned() + &others), &options),
    );
    assert_eq!(among, alone);
    // If results contradict the evaluations, the report has the same warning as `balance`.
    let third = MatchReportOptions {
        players: vec!["Third".to_owned()],
        ..MatchReportOptions::default()
    };
    let third = text(&(own.to_owned() + &others), &third);
    let warns = |document: &MatchDocument| {
        document
            .notes
            .iter()
            .any(|note| note.starts_with("Balances may be wrong: point of view"))
    };
    assert!(warns(&third) && !warns(&alone), "{:?}", third.notes);
    assert_eq!((third.unfinished, alone.unfinished), (1, 0));
}

#[test]
fn openings_and_faults_are_read_from_comments() {
    let game = |white: &str, black: &str, result: &str, book: &str, end: &str| {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"-\"]\n[Result \"{result}\"]\n\n1. {book} {{{end}}} {result}\n\n"
        )
    };
    let pgn = [
        game(
            "A",
            "B",
            "1-0",
            "e4 {book} e5 {book} 2. Nf3 {+0.20/9 1s} Nc6",
            "-0.10/8 2s, Black loses on time",
        ),
        game(
            "B",
            "A",
            "1-0",
            "e4 {book} e5 {book} 2. Nf3 {+0.20/9 1s} a6",
            "-0.90/8 2s, Black makes an illegal move: e5e4",
        ),
        game(
            "A",
            "B",
            "0-1",
            "d4 {book, mb=+0+0+0+0+0,} 1... d5 {+0.10/9 1s} 2. c4",
            "+0.10/8 2s, White disconnects",
        ),
        game(
            "B",
            "A",
            "1/2-1/2",
            "d4 {book} d5 {+0.10/9 1s} 2. c4",
            "0.00/8 2s, Draw by adjudication",
        ),
        game("A", "B", "*", "d4", "unfinished"),
        game("A", "A", "1-0", "d4", "a game against itself"),
    ];
    let document = text(&pgn.concat(), &MatchReportOptions::default());
    assert_eq!(
        (document.games, document.unfinished, document.nameless),
        (4, 1, 1)
    );
    let own = document.single().unwrap();
    assert_eq!(
        (own.first.as_str(), own.pairs_by, own.pentanomial),
        ("A", PairRule::Openings, Some([0, 1, 1, 0, 0]))
    );
    assert_eq!(
        (
            own.with_white.wins,
            own.with_white.losses,
            own.with_black.draws,
            own.won_and_lost
        ),
        (1, 1, 1, 1)
    );
    let openings: Vec<(&str, u64, f64)> = document
        .openings
        .iter()
        .map(|own| (own.moves.as_str(), own.games, own.white_score))
        .collect();
    assert_eq!(openings, [("e4 e5", 2, 1.0), ("d4", 2, 0.25)]);
    let faults = |name: &str| {
        let player = document
            .players
            .iter()
            .find(|player| player.name == name)
            .unwrap();
        (player.time_losses, player.illegal_moves, player.crashes)
    };
    assert_eq!((faults("A"), faults("B")), ((0, 1, 1), (1, 0, 0)));
    assert!((own.mean_plies - 3.5).abs() < 1e-12);
}

/// One pair in which each player won once, and a game that belongs to no pair.
#[test]
fn games_without_a_partner_count() {
    let game = |white: &str, black: &str, opening: &str, result: &str| {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. {opening} {{book}} e5 2. Nf3 {result}\n\n"
        )
    };
    let pgn = [
        game("A", "B", "e4", "1-0"),
        game("B", "A", "e4", "1-0"),
        game("A", "B", "d4", "1-0"),
    ]
    .concat();
    let sprt = Some(Sprt::new(0.0, 5.0, SprtModel::Normalized));
    let document = text(
        &pgn,
        &MatchReportOptions {
            sprt,
            ..MatchReportOptions::default()
        },
    );
    let own = document.single().unwrap();
    assert_eq!((own.pentanomial, own.unpaired), (Some([0, 0, 1, 0, 0]), 1));
    assert_eq!(
        (own.estimate.basis, own.estimate.observations),
        (ScoreBasis::PairsAndGames, 2)
    );
    assert!((own.estimate.score - 2.0 / 3.0).abs() < 1e-12);
    // The sequential test uses the pair only.
    assert_eq!(own.sprt.unwrap().basis, ScoreBasis::Pairs);
    // A single result shows no error.
    let one = text(&game("A", "B", "e4", "1-0"), &MatchReportOptions::default());
    let own = one.single().unwrap().estimate;
    assert_eq!(
        (own.score, own.score_error, own.superiority),
        (1.0, None, None)
    );
}

#[test]
fn missing_pairs_and_ratings_are_noted() {
    let game = |white: &str, black: &str| {
        format!("[White \"{white}\"]\n[Black \"{black}\"]\n\n1. e4 e5 1-0\n\n")
    };
    let document = text(
        &[game("A", "B"), game("A", "B"), game("C", "D")].concat(),
        &MatchReportOptions::default(),
    );
    assert_eq!(document.ratings, None);
    assert!(
        document
            .players
            .iter()
            .all(|player| player.rating.is_none() && player.reason.is_some())
    );
    assert_eq!(document.notes.len(), 2, "{:?}", document.notes);
    assert!(
        document.notes[0].starts_with("No ratings") && document.notes[1].starts_with("No pairs")
    );
    let first = &document.pairings[0];
    assert_eq!(
        (
            first.estimate.elo,
            first.estimate.elo_error,
            first.pentanomial
        ),
        (None, None, None)
    );
}

/// One pair shows a difference, but hardly which player is stronger.
#[test]
fn one_pair_proves_nothing() {
    let game = |white: &str, black: &str, result: &str| {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 {{book}} e5 2. Nf3 {result}\n\n"
        )
    };
    let pair = [game("A", "B", "1-0"), game("B", "A", "1/2-1/2")].concat();
    let document = text(&pair, &MatchReportOptions::default());
    assert_eq!(document.single().unwrap().estimate.superiority, None);
    let superiority = document.ratings.as_ref().unwrap().superiority[0][1].unwrap();
    assert!((0.6..0.95).contains(&superiority), "{superiority}");
    assert!(
        document
            .players
            .iter()
            .all(|player| player.error.unwrap() > 150.0),
        "{:?}",
        document.players
    );
}
