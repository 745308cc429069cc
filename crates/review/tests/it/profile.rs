//! A player's profile by reviewed games with known evaluations.

use centipawn_core::CurveChoice;
use centipawn_engine::Limit;
use centipawn_judge::JudgeOptions;
use centipawn_pgn::{Dialect, Reader};
use centipawn_progress::{Cancel, Silent};
use centipawn_review::{
    Event, GroupRow, Language, PlayerGame, Profile, ProfileDocument, review_games,
};
use shakmaty::Color;

mod common {
    use std::sync::Arc;

    use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Question};

    /// An analyst that is never asked, because the games contain their evaluations.
    #[derive(Debug)]
    pub(super) struct Unasked;

    impl Analyst for Unasked {
        fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
            panic!("{}", question.history.fen())
        }

        fn identity(&self) -> Arc<Identity> {
            Arc::default()
        }

        fn parallelism(&self) -> usize {
            1
        }
    }
}

/// Returns a game of Anna. As White, in games with an even number, she loses her queen; as Black
/// she wins.
fn pgn(number: usize) -> String {
    let (white, black, result) = if number.is_multiple_of(2) {
        ("Anna", "Boris", "0-1")
    } else {
        ("Boris", "Anna", "0-1")
    };
    let ratings = if number.is_multiple_of(4) {
        (1500, 1700)
    } else {
        (1500, 1500)
    };
    format!(
        "[White \"{white}\"]\n[Black \"{black}\"]\n[Date \"2026.{:02}.01\"]\n[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n\
         [TimeControl \"180+0\"]\n[Result \"{result}\"]\n\n\
         1. e4 {{[%eval 0.3] [%clk 0:03:00]}} e5 {{[%eval 0.3] [%clk 0:03:00]}} 2. Qh5 {{[%eval -0.2] [%clk 0:00:10]}} \
         Nc6 {{[%eval -0.2] [%clk 0:02:50]}} 3. Qxe5+ {{[%eval -9.0] [%clk 0:00:05]}} Nxe5 {{[%eval -9.0] [%clk 0:02:40]}} {result}\n",
        1 + number % 3,
        ratings.0,
        ratings.1,
    )
}

fn document(games: usize, language: Language) -> ProfileDocument {
    let text: String = (0..games).map(|number| pgn(number) + "\n").collect();
    let played = played(&text);
    // Convert the games to JSON and back, as a store does.
    let kept: Vec<PlayerGame> =
        serde_json::from_str(&serde_json::to_string(&played).unwrap()).unwrap();
    for (kept, played) in kept.iter().zip(&played) {
        assert_eq!(
            (&kept.player, kept.color, kept.time_class),
            (&played.player, played.color, played.time_class)
        );
        assert!(
            kept.moves
                .iter()
                .zip(&played.moves)
                .all(|(a, b)| (a.loss - b.loss).abs() < 1e-5 && a.text == b.text)
        );
    }
    Profile::new("Anna", kept).document(language)
}

/// Returns Anna's games in a PGN text.
fn played(text: &str) -> Vec<PlayerGame> {
    let games = Reader::new(text.as_bytes()).map(|game| game.unwrap().unwrap());
    let options = JudgeOptions {
        reuse_evals: Some(Dialect::Auto),
        curve: CurveChoice::human(),
        ..JudgeOptions::new(Limit::Nodes(1))
    }
    .into();
    let mut played = Vec::new();
    review_games(
        games,
        &common::Unasked,
        &[],
        &options,
        &Cancel::new(),
        &Silent,
        |event| match event {
            Event::Reviewed(review) => {
                let number = played.len() as i64 + 1;
                let color = if review.name(Color::White) == "Anna" {
                    Color::White
                } else {
                    Color::Black
                };
                played.push(PlayerGame::of(&review, color, number, 100 + number));
            }
            Event::Failed(failure) => panic!("{failure}"),
        },
    );
    played
}

#[test]
fn time_trouble_is_unknown_without_the_time_for_the_game() {
    let short = |control: &str| {
        let games = played(&pgn(0).replace("180+0", control));
        games[0]
            .moves
            .iter()
            .map(|mv| mv.is_short_of_time)
            .collect::<Vec<_>>()
    };
    assert_eq!(short("180+0"), [Some(false), Some(false), Some(true)]);
    for control in ["-", "40/7200:3600"] {
        assert_eq!(short(control), [None; 3], "{control}");
    }
    let games = played(&pgn(0).replace("[%clk", "[%x"));
    assert!(
        games[0]
            .moves
            .iter()
            .all(|mv| mv.is_short_of_time.is_none()),
        "there are no clocks"
    );
}

fn rows<'a>(document: &'a ProfileDocument, kind: &str) -> &'a [GroupRow] {
    &document
        .groups
        .iter()
        .find(|group| group.kind == kind)
        .unwrap_or_else(|| panic!("{kind}"))
        .rows
}

#[test]
fn games_and_moves_are_grouped() {
    let profile = document(12, Language::English);
    assert_eq!((profile.games, profile.rating), (12, Some(1500.0)));
    assert_eq!(
        profile.dates,
        Some(("2026.01.01".to_owned(), "2026.03.01".to_owned()))
    );
    let [black, white] = rows(&profile, "color") else {
        panic!("{:?}", rows(&profile, "color"))
    };
    let (white, black) = if white.name == "white" {
        (white, black)
    } else {
        (black, white)
    };
    assert_eq!((white.games, white.score.unwrap().mean), (6, 0.0));
    assert_eq!((black.games, black.score.unwrap().mean), (6, 1.0));
    assert!(
        white.loss.mean > 0.3 && black.loss.mean < 0.05,
        "{} {}",
        white.loss.mean,
        black.loss.mean
    );
    let (low, high) = profile.total.loss.interval.unwrap();
    assert!(low < profile.total.loss.mean && profile.total.loss.mean < high);
    assert_eq!(white.moments[0].text, "3. Qxe5+??");
    assert_eq!(
        (white.moments[0].ply, &*white.moments[0].opponent),
        (5, "Boris")
    );
    assert!(white.moments[0].review > 100);
    let short = rows(&profile, "clock")
        .iter()
        .find(|row| row.name == "short")
        .unwrap();
    assert_eq!(
        (short.games, short.moves),
        (6, 6),
        "the move before which ten seconds of 180 were left"
    );
    let opponents: Vec<(&str, usize)> = rows(&profile, "opponent")
        .iter()
        .map(|row| (&*row.name, row.games))
        .collect();
    assert_eq!(opponents, [("equal", 9), ("stronger", 3)]);
    assert_eq!(
        rows(&profile, "month")
            .iter()
            .map(|row| row.games)
            .sum::<usize>(),
        12
    );
    assert_eq!(rows(&profile, "time class")[0].name, "blitz");
    // Evaluations in a game come without better moves. So there are no reasons, and no losses of
    // other players to compare with.
    assert!(profile.total.difference.is_none() && profile.next.is_none());
    let unexplained = profile
        .causes
        .iter()
        .find(|cause| cause.cause == "unexplained")
        .unwrap();
    assert_eq!((unexplained.count, unexplained.estimate), (6, None));
    assert!(
        document(12, Language::German)
            .causes
            .iter()
            .any(|cause| cause.text.contains("Grund") || cause.text.contains("Züge"))
    );
}

#[test]
fn few_games_have_no_intervals_and_no_games_are_no_error() {
    let profile = document(4, Language::English);
    assert_eq!(
        (profile.total.loss.interval, profile.total.games),
        (None, 4)
    );
    let nothing = document(0, Language::English);
    assert_eq!(
        (nothing.games, nothing.causes.len(), nothing.groups.len()),
        (0, 0, 0)
    );
}
