use centipawn_judge::Topic;
use centipawn_pgn::PartialDate;

use super::*;

/// Returns game `number` of Anna, without losses.
fn game(number: i64, side: Color, points: f64) -> PlayerGame {
    PlayerGame {
        game: number,
        review: 1000 + number,
        player: "Anna".to_owned(),
        opponent: "Boris".to_owned(),
        color: side,
        rating: Some(1500),
        opponent_rating: Some(1500),
        points: Some(points),
        date: None,
        time_class: None,
        opening: None,
        is_searched: true,
        opening_worth: Some((0.5, 0.5)),
        ending: None,
        moves: vec![mv(1, 0.0, Cause::Smaller, Phase::Opening)],
    }
}

/// Returns a move with which players of the level lose as much.
fn usual_mv(ply: usize, loss: f64, cause: Cause, phase: Phase) -> PlayerMove {
    PlayerMove {
        level_loss: Some(loss),
        ..mv(ply, loss, cause, phase)
    }
}

/// Returns a move with which players of the level lose 0.02.
fn mv(ply: usize, loss: f64, cause: Cause, phase: Phase) -> PlayerMove {
    PlayerMove {
        ply,
        text: if loss > 0.1 {
            format!("{ply}. Qh5??")
        } else {
            String::new()
        },
        loss,
        level_loss: Some(0.02),
        loss_error: None,
        cause,
        phase,
        is_short_of_time: Some(false),
        finds: None,
    }
}

fn side(number: i64) -> Color {
    if number % 2 == 0 {
        Color::White
    } else {
        Color::Black
    }
}

fn answers(games: Vec<PlayerGame>) -> AnswersDocument {
    Profile::new("Anna", games)
        .document(Language::English)
        .answers
}

#[test]
fn a_color_with_clearly_worse_results_is_named_first() {
    // 28 % as White, 56 % as Black.
    let games = |count: i64| {
        let game = |number: i64| {
            let wins = if number % 2 == 0 { 28 } else { 56 };
            // Spreads the wins evenly.
            let won = (number / 2 * wins) % 100 < wins;
            let mut game = game(number, side(number), f64::from(u8::from(won)));
            game.moves
                .push(usual_mv(41, 0.3, Cause::Unexplained, Phase::Middlegame));
            game
        };
        (0..count).map(game).collect::<Vec<_>>()
    };
    let many = answers(games(200));
    assert_eq!(
        many.costs.text,
        "You score 28 % with White, but 56 % with Black."
    );
    assert!(many.costs.is_personal && many.costs.rows[0].is_score);
    let now = many.now.unwrap();
    assert_eq!(
        (&*now.kind, &*now.name, now.positions),
        ("color", "white", 20)
    );
    assert_eq!(now.button, "Practise: your games with White");
    // So few games may differ as much by chance.
    let few = answers(games(30));
    assert!(!few.costs.is_personal, "{:?}", few.costs);
    assert_eq!(
        few.costs.text,
        "Nothing yet: 30 games cannot show what costs you more than others."
    );
    assert_eq!(few.costs.rows.len(), COMMON);
    assert!(
        few.costs
            .note
            .unwrap()
            .starts_with("What costs all players of your level most: ")
    );
}

#[test]
fn equal_scores_with_both_colors_are_no_finding() {
    // Every game is lost; with White against slightly weaker opponents.
    let lost = |number: i64| PlayerGame {
        opponent_rating: u32::try_from(1470 + 30 * (number % 2) + number % 7).ok(),
        ..game(number, side(number), 0.0)
    };
    let costs = answers((0..100).map(lost).collect()).costs;
    assert!(
        costs.rows.iter().all(|row| row.kind != "color"),
        "{costs:?}"
    );
}

#[test]
fn a_cause_that_costs_more_than_the_level_stands_out() {
    let fork = Cause::Allows(Topic::Fork);
    let usual = Cause::Allows(Topic::HangingPiece);
    let games = (0..60).map(|number| {
        let mut game = game(number, side(number), 0.5);
        if number % 3 == 0 {
            game.moves.push(usual_mv(31, 0.4, fork, Phase::Middlegame));
        }
        // As often with either color.
        if number % 8 < 2 {
            game.moves.push(usual_mv(33, 0.4, usual, Phase::Middlegame));
        }
        game
    });
    let answers = answers(games.collect());
    let first = &answers.costs.rows[0];
    assert_eq!((&*first.kind, &*first.name), ("allows", "fork"));
    assert!(first.own > 0.13 && first.level < 0.01, "{first:?}");
    assert!(first.interval.0 < first.own && first.own < first.interval.1);
    assert_eq!(
        answers.costs.text,
        "You lose 0.13 points a game by the opponent’s forks; players of your level lose 0.008."
    );
    let now = answers.now.unwrap();
    assert_eq!(
        (&*now.kind, &*now.name, now.positions),
        ("allows", "fork", 20)
    );
    assert_eq!(now.first.unwrap().ply, 31);
}

#[test]
fn an_ending_counts_from_fifty_games_on() {
    let games = |count: i64| {
        let game = |number: i64| {
            let is_rooks = number % 3 == 0;
            let points = if is_rooks {
                0.0
            } else {
                f64::from(u8::from(number % 2 == 0))
            };
            let mut game = game(number, side(number / 2), points);
            game.ending = is_rooks.then_some(("rooks", 1));
            game.moves
                .push(mv(61, 0.2, Cause::Unexplained, Phase::Endgame));
            game
        };
        answers((0..count).map(game).collect())
    };
    let kinds = |answers: &AnswersDocument| {
        let rows = answers
            .costs
            .rows
            .iter()
            .filter(|_| answers.costs.is_personal);
        rows.map(|row| row.kind.clone()).collect::<Vec<_>>()
    };
    assert!(kinds(&games(60)).contains(&"ending".to_owned()));
    assert!(!kinds(&games(45)).contains(&"ending".to_owned()));
}

#[test]
fn the_graph_has_twelve_points_at_most_and_all_games() {
    for (count, points) in [(0, 0), (9, 0), (10, 2), (47, 9), (200, 11)] {
        let games = (0..count)
            .map(|number| game(number, side(number), 0.5))
            .collect();
        let doing = answers(games).doing;
        assert_eq!(doing.points.len(), points, "{count} games");
        let sum: usize = doing.points.iter().map(|point| point.games).sum();
        assert!(points == 0 || sum == count as usize, "{count} games");
    }
    // Games that all have the same date are labelled by their numbers.
    let of_year = |number: i64| PlayerGame {
        date: PartialDate::read("2021"),
        ..game(number, side(number), 0.5)
    };
    let points = answers((0..10).map(of_year).collect()).doing.points;
    let labels: Vec<&str> = points.iter().map(|point| &*point.label).collect();
    assert_eq!(labels, ["1–5", "6–10"]);
}

#[test]
fn a_change_is_named_if_it_is_clear() {
    let games = |losses: [f64; 2]| {
        let game = |number: i64| {
            let mut game = game(number, side(number), 0.5);
            let loss = losses[usize::from(number >= 30)] + 0.01 * (number % 5) as f64;
            game.moves
                .push(mv(41, loss, Cause::Smaller, Phase::Middlegame));
            game
        };
        answers((0..60).map(game).collect()).doing.text
    };
    let better = games([0.6, 0.4]);
    assert_eq!(
        better,
        "You lose 0.52 points a game by your moves, more than players of your level in the same \
         positions (0.04). In the older half of the games it was 0.62, in the newer half 0.42. A \
         win is 1 point, and your opponents lose points, too."
    );
    assert!(!games([0.6, 0.6]).contains("older"));
}
