//! Reviewing an annotated game again gives the same review: symbols, curve with its unit, numbers,
//! bytes.

use std::{cmp::Reverse, sync::Arc, time::Duration};

use centipawn_core::{Curve, Eval, MoveSymbol, Mover, OLD_UNITS};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Line, Question};
use centipawn_judge::JudgeOptions;
use centipawn_pgn::{Dialect, Game, Nag, Reader};
use centipawn_progress::{Cancel, Silent};
use centipawn_review::{
    Annotations, EvalSources, Event, GameDocument, Language, Review, ReviewOptions, review_games,
};

/// An engine with a name. Its evaluations are pseudo-random, depend only on position and move, and
/// include mates.
struct Dice(&'static str);

impl Dice {
    fn eval(text: &str) -> Eval<Mover> {
        // FNV-1a, followed by a mixing step.
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let hash = (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20;
        let size = (hash % 347) as i32;
        match hash % 41 {
            0 => Eval::mate(1 + size % 7),
            1 => Eval::mate(-1 - size % 7),
            2..12 => Eval::cp(3 * size - 500),
            _ => Eval::cp(size / 3 - 57),
        }
    }
}

impl Analyst for Dice {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let history = &question.history;
        let fen = history.fen();
        let alone = if question.searchmoves.is_empty() {
            ""
        } else {
            "alone"
        };
        let line = |&mv: &shakmaty::Move| {
            let eval = Self::eval(&format!("{fen} {}{alone}", history.uci(mv)));
            let mut after = history.clone();
            after.push(mv);
            let answer = after.ending().is_none().then(|| after.position().clone());
            let answer = answer
                .and_then(|position| shakmaty::Position::legal_moves(&position).first().copied());
            let pv = [Some(mv), answer].into_iter().flatten().collect();
            Line {
                pv,
                eval,
                last_exact: None,
                wdl: None,
                depth: 7,
                seldepth: None,
            }
        };
        let mut lines: Vec<Line> = question.candidates()?.iter().map(line).collect();
        lines.sort_by_key(|line| Reverse(line.eval));
        lines.truncate(question.lines);
        Ok(Analysis {
            lines,
            nodes: 1,
            depth: 7,
            time: Duration::ZERO,
        })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::new(Identity {
            name: self.0.into(),
            ..Identity::default()
        })
    }

    fn parallelism(&self) -> usize {
        1
    }
}

/// An analyst without answers.
struct NoAnalyst;

impl Analyst for NoAnalyst {
    fn analyse(&self, _: &Question) -> Result<Analysis, AnalystError> {
        Err(AnalystError::NoEngines)
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::default()
    }

    fn parallelism(&self) -> usize {
        1
    }
}

fn review(pgn: &str, analyst: &dyn Analyst, options: &ReviewOptions) -> Review {
    let game: Game = Reader::new(pgn.as_bytes())
        .next()
        .unwrap()
        .unwrap()
        .unwrap();
    let mut reviews = Vec::new();
    review_games(
        [game].into_iter(),
        analyst,
        &[],
        options,
        &Cancel::new(),
        &Silent,
        |event| match event {
            Event::Reviewed(review) => reviews.push(*review),
            Event::Failed(failure) => panic!("{failure}\n{pgn}"),
        },
    );
    reviews.remove(0)
}

fn options() -> ReviewOptions {
    ReviewOptions::new(Limit::Nodes(8000))
}

fn reuse() -> ReviewOptions {
    JudgeOptions {
        reuse_evals: Some(Dialect::Auto),
        ..options().judge
    }
    .into()
}

/// Returns the document without the parts that differ after reading: tags, analyst, notes, the
/// certainty of symbols, and lines after their first move.
fn numbers(review: &Review) -> GameDocument {
    let mut document = review.document();
    document.headers.clear();
    document.analyst = None;
    document.notes.clear();
    // The errors of evaluations that the game itself has are unknown.
    for player in [&mut document.white, &mut document.black] {
        (player.accuracy_error, player.score_loss_error) = (None, None);
    }
    for ply in &mut document.plies {
        (ply.symbol_probability, ply.blame_probability) = (None, None);
        if let Some(numbers) = &mut ply.remark_numbers
            && let Some((own, _)) = [" stands with ", " gilt mit "]
                .into_iter()
                .find_map(|words| numbers.split_once(words))
            && let Some((own, _)) = own.rsplit_once("; ")
        {
            *numbers = own.to_owned();
        }
    }
    for line in document.plies.iter_mut().flat_map(|ply| &mut ply.lines) {
        line.san.truncate(1);
        line.uci.truncate(1);
    }
    document
}

/// Reviews a game, then three times the annotated game, and checks that nothing changes.
fn stays(pgn: &str, analyst: &dyn Analyst, first: &ReviewOptions) -> Review {
    let once = review(pgn, analyst, first);
    let mut again = first.clone();
    again.judge.reuse_evals = Some(Dialect::Auto);
    let mut text = once.annotated().to_string();
    for trip in 1..=3 {
        let next = review(&text, &NoAnalyst, &again);
        assert!(next.analyst.is_none());
        assert_eq!(next.curve, once.curve, "trip {trip}: {text}");
        assert_eq!(numbers(&next), numbers(&once), "trip {trip}: {text}");
        let written = next.annotated().to_string();
        assert_eq!(written, text, "trip {trip}");
        text = written;
    }
    once
}

const LICHESS_2021: &str = "[Event \"Rated Bullet game\"]\n[Site \"https://lichess.org/x\"]\n[Date \"2021.10.01\"]\n\
    [White \"Anna\"]\n[Black \"Boris\"]\n[WhiteElo \"1700\"]\n[BlackElo \"1690\"]\n[TimeControl \"60+0\"]\n";
const MOVES: &str = "1. e4 {[%clk 0:01:00]} e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 {quiet} Nf6 (4... d6 5. c3 $14) 5. O-O Nxe4 6. d4 b5 \
    7. Bb3 d5 $6 8. dxe5 Be6 9. c3 Bc5 10. Nbd2 O-O 11. Bc2 Nxf2 12. Rxf2 f6 13. exf6 Bxf2+ 14. Kxf2 Qxf6 15. Nf1 Ne5 16. Be3 \
    Rae8 17. Bc5 Nxf3 18. gxf3 Rf7 19. Kg2 h5 20. Qd2 h4 *";

#[test]
fn an_annotated_game_is_judged_the_same() {
    for engine in [
        "Stockfish 15.1",
        "Stockfish 18",
        "Stockfish 14.1",
        "Lc0 v0.31.2",
        "Ethereal 14",
        "Syzygy, else Stockfish 16",
    ] {
        for language in Language::ALL {
            let options = ReviewOptions {
                language,
                ..options()
            };
            let once = stays(&format!("{LICHESS_2021}\n{MOVES}"), &Dice(engine), &options);
            let symbols = once.plies.iter().filter(|ply| ply.symbol.is_some()).count();
            // A pseudo-random second search seldom confirms praise, so there are few symbols.
            assert!(symbols > 5, "{symbols}");
        }
    }
    let replace = ReviewOptions {
        annotations: Annotations::Replace,
        ..JudgeOptions {
            lines: 3,
            ..options().judge
        }
        .into()
    };
    stays(
        &format!("{LICHESS_2021}\n{MOVES}"),
        &Dice("Stockfish 15.1"),
        &replace,
    );
    // Evaluations of another source, which a review replaced, have no influence.
    let evaluated = MOVES
        .replace("e5 2.", "e5 {[%eval 3.1]} 2.")
        .replace("Nc6 3", "Nc6 {[%eval 3.1]} 3");
    stays(
        &format!("{LICHESS_2021}[Annotator \"lichess.org\"]\n\n{evaluated}"),
        &Dice("Stockfish 15.1"),
        &options(),
    );
}

#[test]
fn short_games_endgames_and_games_of_engines_are_judged_the_same() {
    let mate = "[Event \"?\"]\n\n1. f3 e5 2. g4 Qh4# 0-1";
    let ending =
        "[FEN \"8/8/8/4k3/8/8/4p3/4K3 b - - 0 60\"]\n\n60... Kd4 61. Kxe2 Ke4 62. Kd2 Kd4 1/2-1/2";
    let stalemate = "[FEN \"7k/8/6K1/8/8/8/8/5Q2 w - - 0 1\"]\n\n1. Qf7 1/2-1/2";
    let cutechess = "[White \"Komodo 14\"]\n[Black \"Booot 5.1.0\"]\n\n1. e4 {+0.30/20 1.2s} Ke7 {-0.35/20 1s} 2. Nf3 \
        {+4.50/20 1s} Kf6 {-5.00/20 1s} 3. Nc3 {+3.00/20 1s} *"
        .replace("1. e4 {+0.30/20 1.2s} Ke7", "1. e4 {+0.30/20 1.2s} e5 {-0.30/20 1s} 2. d4 {+0.30/20 1.2s} Ke7")
        .replace("2. Nf3 {+4.50", "3. Nf3 {+4.50")
        .replace("3. Nc3", "4. Nc3");
    let chess960 = "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1\"]\n\n\
        1. e4 e5 2. Ng3 Ng6 3. O-O O-O *";
    for pgn in [mate, ending, stalemate, &cutechess, chess960] {
        stays(pgn, &Dice("Stockfish 15.1"), &options());
    }
}

/// Lichess' evaluations of 2021 are converted if an engine with another unit evaluates the rest.
#[test]
fn evaluations_of_two_sources_get_one_unit() {
    let pgn = format!(
        "{LICHESS_2021}\n1. e4 {{ [%eval 0.40] }} e5 {{ [%eval 0.40] }} 2. Nf3 {{ [%eval 0.40] }} f6 {{ [%eval 2.00] }} \
         3. Nxe5 Qe7 4. Nf3 Qxe4+ {{ [%eval 1.00] }} 5. Be2 {{ [%eval 1.00] }} Ke7 {{ [%eval #3] }} *"
    );
    let mixed = stays(&pgn, &Dice("Stockfish 15.1"), &reuse());
    let Curve::Human(curve) = mixed.curve else {
        panic!()
    };
    assert_eq!((curve.units, mixed.plies[0].limit), (1.0, None));
    let converted = |cp: f64| Some(Eval::cp((cp / OLD_UNITS).round() as i32));
    assert_eq!(
        [0, 3].map(|index| mixed.plies[index].eval),
        [converted(40.0), converted(200.0)]
    );
    assert_eq!(mixed.plies[9].eval, Some(Eval::mate(3)));
    assert!(mixed.plies[4].limit.is_some() && mixed.plies[9].limit.is_none());
    // The notes of one review and of several reviews name both sources of evaluations.
    let notes = |language| {
        let options = ReviewOptions {
            language,
            ..reuse()
        };
        let [mixed, whole] = [pgn.clone(), mixed.annotated().to_string()]
            .map(|pgn| review(&pgn, &Dice("Stockfish 15.1"), &options));
        let of_both = EvalSources::default().and(&whole).and(&mixed);
        [
            mixed.notes().pop().unwrap(),
            whole.basis_of_each(&of_both, false, false),
        ]
        .map(|note| note.split_once(". ").unwrap().0.to_owned())
    };
    let english = "Stockfish 15.1, 8,000 nodes a position; evaluations from the game itself at";
    assert_eq!(
        notes(Language::English),
        [format!("{english} 6 of 10"), format!("{english} 16 of 20")]
    );
    let german = "Stockfish 15.1, 8.000 Knoten je Stellung; Bewertungen aus der Partie selbst bei";
    assert_eq!(
        notes(Language::German),
        [format!("{german} 6 von 10"), format!("{german} 16 von 20")]
    );
    assert_eq!(mixed.why(0).analyst, None);
    assert_eq!(mixed.why(4).analyst.as_deref(), Some("Stockfish 15.1"));
    // Without another source, evaluations keep their unit.
    let whole = review(
        &pgn.replace(" 3. Nxe5 Qe7 4. Nf3 Qxe4+", " *\n\n[Event \"-\"]\n\n1. e4"),
        &NoAnalyst,
        &reuse(),
    );
    let Curve::Human(curve) = whole.curve else {
        panic!()
    };
    assert_eq!(
        (curve.units, whole.plies[3].eval),
        (OLD_UNITS, Some(Eval::cp(200)))
    );
}

/// The tag `Annotator` has priority over the site. A person's name is ignored.
#[test]
fn the_unit_is_that_of_the_evaluating_engine() {
    let units = |annotator: &str, analyst: &dyn Analyst| {
        let pgn = format!(
            "{LICHESS_2021}[Annotator \"{annotator}\"]\n\n1. e4 {{ [%eval 0.3] }} e5 {{ [%eval 0.3] }} *"
        );
        let Curve::Human(curve) = review(&pgn, analyst, &reuse()).curve else {
            panic!()
        };
        curve.units
    };
    let of = |annotator| units(annotator, &NoAnalyst);
    assert_eq!(
        ["", "Kasparov", "lichess.org", "Centipawn", "Fritz, Roland"].map(of),
        [OLD_UNITS; 5]
    );
    assert_eq!(of("Centipawn (Stockfish 15.1, 8000 nodes)"), 1.0);
    assert_eq!(
        of("Kasparov; Centipawn (Stockfish 18, 8000 nodes)"),
        Curve::for_engine("Stockfish 18").source_units()
    );
    assert_eq!(of("Lc0 v0.31.2"), Curve::default().source_units());
    assert_eq!(of("Stockfish 14"), OLD_UNITS);
}

/// If another program changed an evaluation, the findings that the game has beside it are ignored.
#[test]
fn a_changed_evaluation_replaces_the_findings() {
    let once = review(
        &format!("{LICHESS_2021}\n1. e4 e5 2. Nf3 Nc6 *"),
        &Dice("Stockfish 15.1"),
        &options(),
    );
    let mut game = once.annotated();
    game.plies[1].set_eval(Eval::cp(777));
    let next = review(&game.to_string(), &NoAnalyst, &reuse());
    assert_eq!(next.plies[1].eval_played, Eval::cp(777));
    assert!(next.plies[1].lines.is_empty() && !next.plies[3].lines.is_empty());
    let text = next.annotated().to_string();
    assert_eq!(
        review(&text, &NoAnalyst, &reuse()).annotated().to_string(),
        text
    );
}

/// `!!` for a move that people rarely find stays, although no network judges it again.
#[test]
fn a_rare_move_stays_brilliant() {
    let pgn = "[FEN \"4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16\"]\n\
        [Annotator \"Centipawn (Stockfish 15.1, 8000 nodes)\"]\n\n16. Qb7 { [%eval 5.00] [%basis 5.00 5.00 b3b7 5.00/9 b3b8 -3.00/9 rare] } *";
    let rare = review(pgn, &NoAnalyst, &reuse());
    assert_eq!(rare.plies[0].symbol.map(MoveSymbol::glyph), Some("!!"));
    assert!(rare.annotated().to_string().contains(" rare]"));
    let common = review(&pgn.replace(" rare]", "]"), &NoAnalyst, &reuse());
    assert_eq!(common.plies[0].symbol.map(MoveSymbol::glyph), Some("!"));
    assert_eq!(common.annotated().plies[0].nags[0], Nag(1));
}
