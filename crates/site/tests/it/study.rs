//! Studies: lessons of mistakes, annotated games, puzzles.

use std::{sync::Arc, time::Duration};

use centipawn_core::{Eval, History, MoveSymbol};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Line, Question};
use centipawn_judge::JudgeOptions;
use centipawn_pgn::{Nag, Reader};
use centipawn_policy::Network;
use centipawn_progress::{Cancel, Silent};
use centipawn_puzzle::{Puzzle, PuzzleGame};
use centipawn_review::{Event, Language, Review, ReviewOptions, review_games};
use centipawn_site::{MistakeChoice, Study};
use shakmaty::{Color, Position};

/// Knows the positions before and after each mistake of one game. In all other positions, all moves
/// are equal.
struct Book;

/// The lines of a position, best first, with centipawns or moves to mate for the side to move.
type Known = Vec<(&'static str, Eval<centipawn_core::Mover>)>;

const GAME: &str = "[Event \"Club\"]\n[Site \"?\"]\n[Date \"2026.10.05\"]\n[White \"Anna\"]\n[Black \"Boris\"]\n[Result \"1-0\"]\n\n\
     1. e4 e5 2. Bc4 { [%clk 0:03:00] [%cal Gc4f7] Aims at f7. } Nc6 3. Qh5 Nf6 $4 4. Qxf7# 1-0\n";

/// The position after 3. Qh5.
const BEFORE: &str = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3";
const AFTER: &str = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4";

fn known(fen: &str) -> Known {
    match fen {
        BEFORE => vec![
            ("g7g6 h5f3 g8f6 g1e2 f8g7", Eval::cp(25)),
            ("d8e7 g1f3 g8f6 h5h4", Eval::cp(15)),
            ("d7d6 h5f7", Eval::mate(-1)),
        ],
        AFTER => vec![("h5f7", Eval::mate(1)), ("h5f3 d7d6", Eval::cp(-40))],
        _ => Vec::new(),
    }
}

impl Analyst for Book {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let line = |pv, eval| Line {
            pv,
            eval,
            last_exact: None,
            wdl: None,
            depth: 1,
            seldepth: None,
        };
        let moves = question.candidates()?;
        let mut lines = Vec::new();
        for (uci, eval) in known(&question.history.fen()) {
            let mut at = question.history.clone();
            let pv: Vec<_> = uci
                .split(' ')
                .map(|uci| {
                    let mv = at.parse_uci(uci).unwrap();
                    at.push(mv);
                    mv
                })
                .collect();
            if moves.contains(&pv[0]) {
                lines.push(line(pv, eval));
            }
        }
        let is_mate_in_one = question.history.fen() == BEFORE;
        if lines.is_empty() {
            let eval = if is_mate_in_one {
                Eval::mate(-1)
            } else {
                Eval::cp(0)
            };
            lines.extend(moves.into_iter().map(|mv| line(vec![mv], eval)));
        }
        lines.truncate(question.lines.max(1));
        Ok(Analysis {
            lines,
            nodes: 1,
            depth: 1,
            time: Duration::ZERO,
        })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::new(Identity {
            name: "Book".into(),
            ..Identity::default()
        })
    }

    fn parallelism(&self) -> usize {
        1
    }
}

fn review(language: Language) -> Review {
    review_with(&[], language)
}

/// Returns a review with the ease of these networks.
fn review_with(networks: &[Network], language: Language) -> Review {
    let games = Reader::new(GAME.as_bytes())
        .filter_map(Result::ok)
        .filter_map(Result::ok);
    let options = ReviewOptions {
        language,
        ..JudgeOptions {
            lines: 3,
            ..JudgeOptions::new(Limit::Nodes(1))
        }
        .with_networks(networks)
        .into()
    };
    let mut reviews = Vec::new();
    review_games(
        games,
        &Book,
        networks,
        &options,
        &Cancel::new(),
        &Silent,
        |event| match event {
            Event::Reviewed(review) => reviews.push(*review),
            Event::Failed(failure) => panic!("{failure}"),
        },
    );
    reviews.remove(0)
}

/// Reads the games of a text, and checks that no move of a variation is illegal.
fn games(pgn: &str) -> Vec<centipawn_pgn::Game> {
    let games: Vec<_> = Reader::new(pgn.as_bytes())
        .map(|game| game.unwrap().unwrap())
        .collect();
    assert!(games.iter().all(|game| game.warnings.is_empty()), "{pgn}");
    games
}

fn of<'a>(players: &'a [&'a str]) -> MistakeChoice<'a> {
    MistakeChoice {
        players,
        ..MistakeChoice::default()
    }
}

#[test]
fn mistakes_of_a_lesson_can_be_chosen() {
    let review = review(Language::English);
    let chapters = |choice: MistakeChoice<'_>| {
        let added = Study::new("", Language::English).add_mistakes(&review, &choice);
        (added.chapters, added.left_out)
    };
    let all = MistakeChoice::default();
    let (both, none) = chapters(all);
    assert!(both >= 1 && none == 0);
    assert_eq!(chapters(of(&["boris", "Clara"])), (1, 0));
    assert_eq!(
        chapters(MistakeChoice {
            per_game: Some(0),
            ..of(&["boris"])
        }),
        (0, 1)
    );
    // Qe7 is good as well.
    assert_eq!(
        chapters(MistakeChoice {
            is_unique: true,
            ..of(&["boris"])
        }),
        (0, 1)
    );
    let by_symbol = |symbols: &[MoveSymbol]| {
        chapters(MistakeChoice {
            symbols,
            ..of(&["boris"])
        })
    };
    assert_eq!(by_symbol(&[MoveSymbol::Blunder]), (1, 0));
    assert_eq!(
        by_symbol(&[MoveSymbol::Dubious, MoveSymbol::Mistake]),
        (0, 1)
    );
    let with_reason = |has_reason| {
        chapters(MistakeChoice {
            has_reason,
            ..of(&["boris"])
        })
    };
    assert_eq!(with_reason(true), (1, 0));
}

#[test]
fn a_mistake_is_a_chapter_of_a_lesson() {
    for language in Language::ALL {
        let mut study = Study::new("My mistakes", language);
        let added = study.add_mistakes(&review(language), &of(&["boris"]));
        assert_eq!(
            (added.chapters, added.without_better, added.plays),
            (1, 0, true)
        );
        let parts = study.parts();
        assert_eq!(
            (parts.len(), &*parts[0].name, parts[0].orientation),
            (1, "My mistakes", Some(Color::Black))
        );
        let pgn = parts[0].pgn();
        insta::assert_snapshot!(format!("lesson_{language}"), pgn);
        let [game] = &games(&pgn)[..] else { panic!() };
        assert_eq!(game.start.fen(), BEFORE);
        // Lichess shows a lesson from the side that moves last, unless there is a result.
        assert_eq!(
            (game.plies.len() % 2, game.headers.get("Result")),
            (1, Some("*"))
        );
        let first: Vec<_> = game.plies[0]
            .variations
            .iter()
            .map(|line| (game.start.san(line[0].mv), line[0].nags.clone()))
            .collect();
        assert_eq!(
            first,
            [
                ("Nf6".to_owned(), vec![Nag(4)]),
                ("Qe7".to_owned(), vec![]),
                ("d6".to_owned(), vec![Nag(4)])
            ]
        );
    }
    assert!(
        !Study::new("", Language::English)
            .add_mistakes(&review(Language::English), &of(&["Clara"]))
            .plays
    );
}

#[test]
fn a_lesson_warns_of_what_players_like_the_mover_play() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../policy/tests/data/");
    let mut review = review_with(
        &[Network::open(format!("{data}res_se_conv_wdl.pb.gz")).unwrap()],
        Language::English,
    );
    // The mistake is among the first three moves of its side, which have no ease. So move the ease
    // of the last move there.
    let judged = review.judgement.plies.last_mut().unwrap().ease.remove(0);
    let ply = review
        .judgement
        .plies
        .iter_mut()
        .find(|ply| ply.before.fen() == BEFORE)
        .unwrap();
    let before = ply.before.clone();
    // The levels are sorted by rating, and a very strong or weak player's level is at an end.
    let plays = |level, player, often: &str| {
        let mut judged = judged.clone();
        (judged.level, judged.player) = (Some(level), player);
        let own = judged.moves.remove(0);
        let of = |mv| {
            let mut judged = own;
            (judged.mv, judged.p) = (mv, if before.san(mv) == often { 0.5 } else { 0.0 });
            judged
        };
        judged.moves = before
            .position()
            .legal_moves()
            .iter()
            .map(|&mv| of(mv))
            .collect();
        assert!(
            judged.moves.iter().any(|mv| mv.p > 0.0),
            "{often} is not judged"
        );
        judged
    };
    ply.ease = vec![
        plays(1100, None, "a6"),
        plays(1500, None, "Qf6"),
        plays(1900, Some(2566), "Nh6"),
    ];
    let mut study = Study::new("My mistakes", Language::English);
    study.add_mistakes(&review, &of(&["boris"]));
    let pgn = study.parts()[0].pgn();
    let [game] = &games(&pgn)[..] else { panic!() };
    let last = &game.plies[0].variations.last().unwrap()[0];
    assert_eq!(game.start.san(last.mv), "Nh6");
    assert!(
        last.comments
            .join(" ")
            .contains("50 % of players rated 2566 play this."),
        "{pgn}"
    );
    assert_eq!(pgn.matches("of players rated").count(), 1, "{pgn}");
}

#[test]
fn a_reviewed_game_is_a_chapter() {
    let mut study = Study::new("Club", Language::English);
    assert!(study.add_game(&review(Language::English), Some("boris")));
    let part = study.parts().remove(0);
    insta::assert_snapshot!(part.pgn());
    let [game] = &games(&part.pgn())[..] else {
        panic!()
    };
    assert_eq!(game.plies.len(), 7);
    assert_eq!(game.headers.get("Orientation"), Some("black"));
}

#[test]
fn a_puzzle_is_a_chapter() {
    let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None).unwrap();
    let mut puzzle = Puzzle::new(&start, ["a2b2", "d1d8"]).unwrap();
    puzzle.tag();
    puzzle.rating = Some(700);
    puzzle.game = Some(PuzzleGame {
        white: "Anna".to_owned(),
        played: "h3".to_owned(),
        ..PuzzleGame::default()
    });
    let chapter = |puzzle: &Puzzle| {
        let mut study = Study::new("Tactics", Language::English);
        study.add_puzzle(puzzle);
        study.parts()[0].pgn()
    };
    let pgn = chapter(&puzzle);
    insta::assert_snapshot!(pgn);
    games(&pgn);
    // The move played has the symbol of its review.
    puzzle.game.as_mut().unwrap().played_symbol = "??".to_owned();
    assert_eq!(
        games(&chapter(&puzzle))[0].plies[1].variations[0][0].nags,
        [Nag(4)]
    );
}

/// Correct moves are the moves of the tree, and all mates.
#[test]
fn a_puzzle_shows_all_correct_moves() {
    let text = "[PuzzleId \"x\"]\n[FEN \"6k1/r4ppp/8/8/8/8/8/3RR1K1 b - - 0 1\"]\n\n\
                1... Ra2 2. Rd7 ( 2. Ra1 ) 2... Rb2 3. Rd8# *\n";
    let puzzle = centipawn_puzzle::Reader::new(text.as_bytes(), None)
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let mut study = Study::new("Tactics", Language::English);
    study.add_puzzle(&puzzle);
    let pgn = study.parts()[0].pgn();
    let [game] = &games(&pgn)[..] else { panic!() };
    let others = |index: usize| -> Vec<String> {
        let mut before = game.start.clone();
        game.plies[..index]
            .iter()
            .for_each(|ply| before.push(ply.mv));
        game.plies[index]
            .variations
            .iter()
            .map(|line| before.san(line[0].mv))
            .collect()
    };
    assert_eq!(
        [others(1), others(3)],
        [vec!["Ra1", "Rd8#", "Re8#"], vec!["Re8#"]],
        "{pgn}"
    );
}

#[test]
fn more_than_64_chapters_are_several_studies() {
    let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None).unwrap();
    let puzzle = Puzzle::new(&start, ["a2b2", "d1d8"]).unwrap();
    let mut study = Study::new("Tactics", Language::English);
    assert!(study.is_empty() && study.parts().is_empty());
    (0..130).for_each(|_| study.add_puzzle(&puzzle));
    let parts: Vec<_> = study
        .parts()
        .iter()
        .map(|part| (part.name.clone(), games(&part.pgn()).len()))
        .collect();
    assert_eq!(
        parts,
        [
            ("Tactics (1/3)", 64),
            ("Tactics (2/3)", 64),
            ("Tactics (3/3)", 2)
        ]
        .map(|(name, count)| (name.to_owned(), count))
    );
    assert_eq!(
        (study.keep_worst(64), study.len(), study.parts().len()),
        (66, 64, 1)
    );
    assert_eq!(study.keep_worst(64), 0);
}
