//! Reviews with an analyst whose answers the tests define.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use centipawn_core::{
    Curve, CurveChoice, Eval, HumanCurve, MoveSymbol, OLD_UNITS, Pool, accuracy_of_game,
};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Line, Question};
use centipawn_judge::{JudgeOptions, Suppression};
use centipawn_pgn::{Dialect, Game, Reader};
use centipawn_progress::{Cancel, Silent};
use centipawn_review::{Event, Language, Review, ReviewOptions, review_games};
use shakmaty::Color;

/// Lines of positions, by the moves that lead there: `"e2e4 e7e5" → "g1f3 30, f1a6 -300"`.
/// Evaluations are the mover's, in centipawns or `#n`. The lines of all other positions are their
/// first legal moves with equal evaluations.
#[derive(Default)]
struct Table {
    lines: BTreeMap<&'static str, &'static str>,
    failing: Option<&'static str>,
    /// Evaluations of moves in a search of the move alone, where they differ.
    alone: BTreeMap<&'static str, Eval<centipawn_core::Mover>>,
    asked: Mutex<Vec<String>>,
}

impl Table {
    fn new(lines: impl IntoIterator<Item = (&'static str, &'static str)>) -> Self {
        Self {
            lines: lines.into_iter().collect(),
            ..Self::default()
        }
    }
}

impl Analyst for Table {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let history = &question.history;
        let played: Vec<String> = history
            .moves()
            .iter()
            .map(|&mv| history.uci(mv).to_string())
            .collect();
        let played = played.join(" ");
        self.asked
            .lock()
            .unwrap()
            .push(format!("{played}:{}", question.searchmoves.len()));
        if self.failing == Some(&*played) {
            return Err(AnalystError::Died {
                engine: "Table".into(),
                status: "signal: 11".into(),
                fen: history.fen(),
                stderr: None,
            });
        }
        let candidates = question.candidates()?;
        // A position in which a side passed has no moves before it, and is none of the game's.
        let is_of_game = |text: &&&str| {
            let first = text.split(' ').next().unwrap_or_default();
            history.parse_uci(first).is_ok()
        };
        let known: Vec<Line> = match self.lines.get(&*played).filter(is_of_game) {
            Some(text) => text
                .split(", ")
                .map(|line| read_line(history, line))
                .collect(),
            None => candidates
                .iter()
                .map(|&mv| line(vec![mv], Eval::cp(0)))
                .collect(),
        };
        let wanted = known
            .into_iter()
            .filter(|line| candidates.contains(&line.pv[0]));
        let mut lines: Vec<Line> = wanted.take(question.lines).collect();
        if let [mv] = question.searchmoves[..]
            && let Some(eval) = self.alone.get(&*history.uci(mv).to_string())
        {
            lines[0].eval = *eval;
        }
        assert!(
            !lines.is_empty(),
            "no line of {:?} after {played}",
            question.searchmoves
        );
        Ok(Analysis {
            lines,
            nodes: 1,
            depth: 1,
            time: Duration::ZERO,
        })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::new(Identity {
            name: "Table".into(),
            ..Identity::default()
        })
    }

    fn parallelism(&self) -> usize {
        3
    }
}

/// Parses moves and the evaluation of the first one: `"g1f3 b8c6 30"`.
fn read_line(history: &centipawn_core::History, text: &str) -> Line {
    let mut words: Vec<&str> = text.split(' ').collect();
    let eval = words.pop().unwrap();
    let eval = match eval.strip_prefix('#') {
        Some(moves) => Eval::mate(moves.parse().unwrap()),
        None => Eval::cp(eval.parse().unwrap()),
    };
    let mut position = history.clone();
    let pv = words.iter().map(|uci| {
        let mv = position.parse_uci(uci).unwrap();
        position.push(mv);
        mv
    });
    line(pv.collect(), eval)
}

fn line(pv: Vec<shakmaty::Move>, eval: Eval<centipawn_core::Mover>) -> Line {
    Line {
        pv,
        eval,
        last_exact: None,
        wdl: None,
        depth: 1,
        seldepth: None,
    }
}

/// The start position without castling, from which no opening is known.
const UNKNOWN_OPENING: &str = "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1\"]\n\n";

fn games(pgn: &str) -> Vec<Game> {
    Reader::new(pgn.as_bytes())
        .map(|game| game.unwrap().unwrap())
        .collect()
}

fn options() -> ReviewOptions {
    JudgeOptions {
        curve: Curve::Relevance { balance: 1.0 }.into(),
        ..JudgeOptions::new(Limit::Nodes(1))
    }
    .into()
}

fn review(pgn: &str, table: &Table, options: &ReviewOptions) -> Review {
    let mut reviews = Vec::new();
    review_games(
        games(pgn).into_iter(),
        table,
        &[],
        options,
        &Cancel::new(),
        &Silent,
        |event| match event {
            Event::Reviewed(review) => reviews.push(*review),
            Event::Failed(failure) => panic!("{failure}"),
        },
    );
    assert_eq!(reviews.len(), 1);
    reviews.remove(0)
}

fn symbols(review: &Review) -> Vec<&'static str> {
    review
        .plies
        .iter()
        .map(|ply| ply.symbol.map_or("", MoveSymbol::glyph))
        .collect()
}

#[test]
fn blame_is_against_the_best_move() {
    let table = Table::new([
        ("", "e2e4 e7e5 50, d2d4 40, f2f3 -60"),
        ("f2f3", "e7e5 60, a7a6 -100"),
    ]);
    let review = review("1. f3 a6 *", &table, &options());
    assert_eq!(symbols(&review), ["?", "??"]);
    let [white, black] = [&review.plies[0], &review.plies[1]];
    assert_eq!(
        white.absolute_loss.map(|loss| (loss * 100.0).round()),
        Some(110.0)
    );
    let expected = Curve::Relevance { balance: 1.0 };
    let context = centipawn_core::Context::default();
    assert!((white.relevant_loss - expected.relevant_difference(0.5, -0.6, context)).abs() < 1e-12);
    assert!((white.difference + white.score_loss).abs() < 1e-12);
    // Black's evaluations are converted to White's view.
    assert_eq!(
        (black.eval_before, black.eval_played, black.eval),
        (Eval::cp(-60), Eval::cp(100), Some(Eval::cp(100)))
    );
    assert!((black.expected_score - 0.75).abs() < 1e-12);
    // White's move was not among the two best lines, so it and the best move were searched alone.
    // Black's move was among them. The fifth search, in which Black passes after the best move,
    // looks for an idea.
    let asked = table.asked.lock().unwrap();
    assert_eq!(asked.len(), 5, "{asked:?}");
    assert!(
        asked.contains(&":1".to_owned()) && !asked.contains(&"f2f3:1".to_owned()),
        "{asked:?}"
    );
}

#[test]
fn praise_is_against_the_best_other_move() {
    let table = Table::new([("", "e2e4 100, d2d4 -100"), ("e2e4", "e7e5 0, c7c5 0")]);
    let review = review(&format!("{UNKNOWN_OPENING}1. e4 e5 *"), &table, &options());
    assert_eq!(symbols(&review), ["!", ""]);
    assert_eq!(review.plies[0].score_loss, 0.0);
    // A move among the lines is not searched again, but praise needs a search of the other moves,
    // and one in which the opponent passes, for what the move threatens.
    assert_eq!(table.asked.lock().unwrap().len(), 4);
    let one_line = JudgeOptions {
        lines: 1,
        ..options().judge
    }
    .into();
    assert_eq!(
        symbols(&self::review(
            &format!("{UNKNOWN_OPENING}1. e4 e5 *"),
            &table,
            &one_line
        )),
        ["", ""],
        "nothing to measure it against"
    );
}

/// The lines of a search share its limit. Before a move is called a mistake, the best move is
/// searched to the same limit as the played one.
#[test]
fn a_mistake_needs_a_second_search_of_the_best_move() {
    let mut table = Table::new([("", "e2e4 0, d2d4 0, c2c4 -100")]);
    table.alone = BTreeMap::from([("e2e4", Eval::cp(-90))]);
    let review = review(
        "1. c4 *",
        &table,
        &JudgeOptions {
            lines: 1,
            ..options().judge
        }
        .into(),
    );
    assert_eq!(
        (symbols(&review), review.plies[0].eval_before),
        (vec![""], Eval::cp(-90))
    );
}

/// A search of the played move alone may find it better than all lines.
#[test]
fn a_move_may_be_better_than_all_lines() {
    let table = Table::new([("", "e2e4 0, d2d4 0, c2c4 100")]);
    let review = review("1. c4 *", &table, &options());
    assert_eq!(
        (symbols(&review), review.plies[0].eval_before),
        (vec![""], Eval::cp(100))
    );
    assert_eq!(
        review.plies[0].suppressed,
        Some((MoveSymbol::Good, Suppression::NotListed))
    );
    let bare = JudgeOptions {
        every_symbol: true,
        ..options().judge
    }
    .into();
    assert_eq!(symbols(&self::review("1. c4 *", &table, &bare)), ["!"]);
}

#[test]
fn recaptures_and_mates_under_way_get_no_praise() {
    let table = Table::new([
        ("e2e4 d7d5", "e4d5 0, a2a3 -10"),
        ("e2e4 d7d5 e4d5", "d8d5 0, a7a6 -200"),
        ("e2e4 d7d5 e4d5 d8d5", "b1c3 #3, a2a3 0"),
        ("e2e4 d7d5 e4d5 d8d5 b1c3 d5d8", "d1h5 #2, a2a3 0"),
    ]);
    let pgn = &format!("{UNKNOWN_OPENING}1. e4 d5 2. exd5 Qxd5 3. Nc3 Qd8 4. Qh5 *");
    let review = review(pgn, &table, &options());
    assert_eq!(symbols(&review), [""; 7]);
    assert_eq!(
        review.plies[4].suppressed,
        Some((MoveSymbol::Brilliant, Suppression::Natural))
    );
    assert_eq!(
        review.plies[3].suppressed,
        Some((MoveSymbol::Brilliant, Suppression::Recapture))
    );
    assert_eq!(
        review.plies[6].suppressed,
        Some((MoveSymbol::Brilliant, Suppression::MateContinues))
    );
    let bare = JudgeOptions {
        every_symbol: true,
        ..options().judge
    }
    .into();
    assert_eq!(
        symbols(&self::review(pgn, &table, &bare)),
        ["", "", "", "!!", "!!", "", "!!"]
    );
}

/// Obvious moves are the capture of a piece that just moved to a square where it is lost, and the
/// better one of two legal moves.
#[test]
fn obvious_captures_and_choices_get_no_praise() {
    let table = Table::new([
        ("d2d4 e7e5", "d4e5 0, a2a3 -500"),
        ("d2d4 e7e5 d4e5", "a7a6 0, a7a5 -500"),
    ]);
    let pgn = "1. d4 e5 2. dxe5 a6 *";
    let taken = review(pgn, &table, &options());
    assert_eq!(symbols(&taken), ["", "", "", "!"]);
    assert_eq!(
        taken.plies[2].suppressed,
        Some((MoveSymbol::Brilliant, Suppression::JustMoved))
    );
    assert!(
        !taken.plies[2].only_move
            && taken
                .suppressed()
                .unwrap()
                .contains("captures the piece that just moved")
    );
    assert_eq!(
        symbols(&review(
            pgn,
            &table,
            &JudgeOptions {
                every_symbol: true,
                ..options().judge
            }
            .into()
        )),
        ["", "", "!!", "!!"]
    );

    let table = Table::new([("", "a1a2 0, a1b1 -500")]);
    let review_of = |options: &ReviewOptions| {
        review(
            "[FEN \"7k/7p/8/8/8/3n4/8/K7 w - - 0 1\"]\n\n1. Ka2 *",
            &table,
            options,
        )
    };
    assert_eq!(
        review_of(&options()).plies[0].suppressed,
        Some((MoveSymbol::Brilliant, Suppression::TwoMoves))
    );
    assert_eq!(
        symbols(&review_of(
            &JudgeOptions {
                every_symbol: true,
                ..options().judge
            }
            .into()
        )),
        ["!!"]
    );
}

/// A small loss that crosses the threshold of a win or a draw does not give away the win or the
/// draw.
#[test]
fn remarks_on_wins_and_draws_are_true() {
    let remark_in = |start: &str, best: i32, played: i32| {
        let lines: &'static str = format!("e2e4 {best}, d2d4 {played}").leak();
        let ply = review(
            &format!("{start}1. d4 *"),
            &Table::new([("", lines)]),
            &options(),
        )
        .judgement
        .plies
        .remove(0);
        ply.symbol
            .map_or_else(String::new, |_| Language::English.remark(&ply))
    };
    let remark = |best, played| remark_in(UNKNOWN_OPENING, best, played);
    // By the curve with balance 1, 1.00 is 3/4 and 2.00 is 7/8.
    for (best, played, said) in [
        (210, 10, "Throws away the win."),
        (210, 90, "Makes the win harder."),
        (210, -210, "Throws away a won game."),
        (110, 0, "Gives away the advantage."),
        (90, -210, "Turns a better position into a lost one."),
        (30, -210, "Turns a level position into a lost one."),
        (10, -80, "Gives the opponent a clear advantage."),
    ] {
        assert_eq!(remark(best, played), said, "{best} → {played}");
    }
    // Only with little material does a level position count as a draw.
    let endgame = remark_in("[FEN \"4k3/4p3/8/8/8/8/3PP3/4K3 w - - 0 1\"]\n\n", 30, -210);
    assert_eq!(endgame, "Gives away the draw.");
}

#[test]
fn a_repeated_move_is_praised_once() {
    let table = Table::new([
        ("", "g1f3 100, a2a3 -100"),
        ("g1f3 g8f6 f3g1 f6g8", "g1f3 100, a2a3 -100"),
    ]);
    let review = review(
        &format!("{UNKNOWN_OPENING}1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 *"),
        &table,
        &options(),
    );
    assert_eq!(symbols(&review), ["!", "", "", "", ""]);
    assert_eq!(
        review.plies[4].suppressed,
        Some((MoveSymbol::Brilliant, Suppression::Repeats))
    );
}

/// `□` marks a move that keeps a win or a level position, and leads by the threshold of `!`.
#[test]
fn only_moves_keep_a_win_or_a_level_position() {
    let is_only = |best: i32, other: i32| {
        let lines: &'static str = format!("d2d4 {best}, e2e4 {other}").leak();
        review(
            &format!("{UNKNOWN_OPENING}1. d4 *"),
            &Table::new([("", lines)]),
            &options(),
        )
        .plies[0]
            .only_move
    };
    assert!(is_only(250, 30) && is_only(0, -250) && is_only(250, -250));
    assert!(
        !is_only(110, 90) && !is_only(110, -50),
        "nobody knows that it was won"
    );
    assert!(!is_only(210, 100) && !is_only(0, -150) && !is_only(-250, -600));
    // The difference of 7/8 and 13/20 is below the threshold of `!`.
    assert!(!is_only(200, 51));
}

#[test]
fn a_longer_mate_is_no_mistake() {
    let table = Table::new([("", "e2e4 #2, d2d4 #9"), ("d2d4", "e7e5 #-8, d7d5 #-3")]);
    let review = review("1. d4 d5 *", &table, &options());
    assert_eq!(symbols(&review), ["", ""]);
    assert_eq!(
        (review.plies[0].absolute_loss, review.plies[0].relevant_loss),
        (None, 0.0)
    );
    // The line is a mate in nine, of which one move has been played.
    assert_eq!(
        (review.plies[0].eval, review.plies[1].eval),
        (Some(Eval::mate(8)), Some(Eval::mate(3)))
    );
}

#[test]
fn the_end_of_a_game_needs_no_search() {
    let table = Table::new([("f2f3 e7e5 g2g4", "d8h4 #1, a7a6 0")]);
    let mate = review("1. f3 e5 2. g4 Qh4# 0-1", &table, &options());
    assert_eq!(
        (mate.plies[3].eval, mate.plies[3].expected_score),
        (None, 0.0)
    );
    let annotated = mate.annotated();
    assert!(
        !annotated.plies[3]
            .comments
            .iter()
            .any(|comment| comment.contains("[%eval")),
        "{annotated}"
    );

    let stalemate = "[SetUp \"1\"]\n[FEN \"7k/8/6K1/8/8/8/8/5Q2 w - - 0 1\"]\n\n1. Qf7 1/2-1/2";
    let table = Table::new([("", "f1f8 #1, f1e1 #2")]);
    let review = review(stalemate, &table, &options());
    assert_eq!(
        (symbols(&review), review.plies[0].eval),
        (vec!["??"], Some(Eval::cp(0)))
    );
    assert_eq!(
        table.asked.lock().unwrap().len(),
        2,
        "the lines, and the best move once more, but not the stalemate"
    );
}

/// Some dialects evaluate the position before a move, others the position after it, one all
/// positions in a single command.
#[test]
fn all_dialects_of_evaluations_give_the_same_symbols() {
    let reuse = JudgeOptions {
        curve: Curve::LICHESS.into(),
        reuse_evals: Some(Dialect::Auto),
        ..options().judge
    }
    .into();
    let review_of = |pgn: &str| review(pgn, &Table::default(), &reuse);
    let after = review_of(
        "1. e4 { [%eval 0.2] } e5 { [%eval 0.3] } 2. Ke2 { [%eval -4.0] } Ke7 { [%eval 2.0] } *",
    );
    assert_eq!(symbols(&after), ["", "", "?", "??"]);
    assert!(after.analyst.is_none());

    let before = review_of(
        "1. e4 {+0.15/20 1s} e5 {-0.20/20 1s} 2. Ke2 {+0.30/20 1s} Ke7 {+4.00/20 1s} 3. d4 {+2.00/9 1s} *",
    );
    assert_eq!(symbols(&before), ["", "", "?", "??", ""]);
    assert_eq!(before.plies[3].eval, Some(Eval::cp(200)));
    assert_eq!(
        before.plies[4].score_loss, 0.0,
        "nothing is known of the last move"
    );

    // Moves from the opening book of an engine are not judged.
    let book = review_of(
        "1. e4 {book} e5 {book} 2. Ke2 {+0.30/20 1s} Ke7 {+4.00/20 1s} 3. d4 {+2.00/9 1s} *",
    );
    assert_eq!(
        (symbols(&book), book.analyst.is_none()),
        (vec!["", "", "?", "??", ""], true)
    );

    let profile = review_of("{[%evp 0,4,15,20,30,-400,200]} 1. e4 e5 2. Ke2 Ke7 *");
    assert_eq!(symbols(&profile), symbols(&after));
    assert_eq!(profile.white.relevant_loss, after.white.relevant_loss);
}

/// The default curve is the human curve in games of people, in the unit of the evaluations, and
/// otherwise the curve of the engine that evaluated.
#[test]
fn the_default_curve_depends_on_the_players() {
    let of = |pgn: &str, curve: CurveChoice, reuse_evals: Option<Dialect>| {
        review(
            pgn,
            &Table::default(),
            &JudgeOptions {
                curve,
                reuse_evals,
                ..options().judge
            }
            .into(),
        )
    };
    let by_default = |pgn: &str, reuse| of(pgn, CurveChoice::Auto, reuse).curve;
    let auto = Some(Dialect::Auto);
    assert_eq!(
        by_default("[White \"Komodo 14\"]\n\n1. e4 *", None),
        Curve::for_engine("Table")
    );
    assert_eq!(
        by_default("1. e4 {d=20, wv=0.20, } e5 {d=20, wv=0.20, } *", auto),
        Curve::TCEC
    );
    let bots = "[Site \"https://lichess.org/x\"]\n[WhiteTitle \"BOT\"]\n\n1. e4 { [%eval 0.2] } *";
    assert_eq!(by_default(bots, auto), Curve::LICHESS);

    let study = HumanCurve::study();
    let Curve::Human(curve) = by_default("[White \"Anna\"]\n\n1. e4 *", None) else {
        panic!()
    };
    assert_eq!((curve.rating, curve.seconds), (study.rating, study.seconds));
    let tags = "[Site \"https://lichess.org/x\"]\n[Date \"2021.10.01\"]\n[WhiteElo \"1500\"]\n[BlackElo \"1600\"]\n\
                [TimeControl \"180+2\"]\n\n";
    let lichess = format!("{tags}1. e4 {{ [%eval 0.2] }} e5 {{ [%eval 0.2] }} *");
    let review = of(&lichess, CurveChoice::Auto, auto);
    assert_eq!(
        review.curve,
        Curve::Human(HumanCurve {
            pool: Pool::Lichess,
            units: OLD_UNITS,
            ..study
        })
    );
    let own = Curve::Human(HumanCurve {
        rating: 1550.0,
        seconds: 260.0,
        pool: Pool::Lichess,
        units: OLD_UNITS,
        ..study
    });
    assert_eq!(
        (review.practical_curve(), review.scheme.to_string()),
        (Some(own), "s20,s40".to_owned())
    );
    let practical = of(&lichess, CurveChoice::human(), auto);
    assert_eq!((practical.curve, practical.practical_curve()), (own, None));
}

/// The note gives the expected score of +3.00 by the study curve and by the practical curve, and
/// names missing data.
#[test]
fn the_curve_is_explained() {
    let note = |tags: &str, language| {
        let options = ReviewOptions {
            language,
            ..JudgeOptions {
                curve: CurveChoice::Auto,
                ..options().judge
            }
            .into()
        };
        review(&format!("{tags}\n1. e4 *"), &Table::default(), &options).curve_note()
    };
    let club = "[WhiteElo \"1500\"]\n[BlackElo \"1500\"]\n[TimeControl \"180+0\"]\n";
    assert_eq!(
        note(club, Language::English).unwrap(),
        "Judged as between players rated 1800 with 90 minutes: +3.00 is worth 80 %. For these two players (players rated 1500 \
         with 3 minutes), +3.00 was worth 66 %."
    );
    assert!(
        note("[White \"Anna\"]\n", Language::English)
            .unwrap()
            .ends_with("gives no ratings; they count as 1800.")
    );
    assert!(
        note(club, Language::German)
            .unwrap()
            .starts_with("Beurteilt wie zwischen Spielern mit 1800 Punkten")
    );
    assert_eq!(note("[White \"Komodo 14\"]\n", Language::English), None);
}

/// Allowing or missing a mate in at most three moves is at least a mistake, by any curve.
#[test]
fn short_mates_always_get_a_symbol() {
    let table = Table::new([
        ("", "e2e4 -900, f2f3 #-1"),
        ("f2f3", "e7e5 #1, a7a6 3000"),
        ("f2f3 a7a6", "e2e4 #-5, g2g4 #-3"),
    ]);
    let flat = JudgeOptions {
        curve: Curve::Relevance { balance: 0.5 }.into(),
        ..options().judge
    }
    .into();
    let review = review("1. f3 a6 2. g4 *", &table, &flat);
    assert_eq!(symbols(&review), ["", "?", ""]);
    let remarks: Vec<String> = review.plies[..2]
        .iter()
        .map(|ply| Language::English.remark(ply))
        .collect();
    assert_eq!(
        remarks,
        [
            "The position was already lost. Allows mate in 1.",
            "Still winning. Misses mate in 1."
        ]
    );
}

/// The next remark begins with the deeper evaluation, so the document has it beside the first one.
#[test]
fn a_document_has_the_deeper_evaluation_too() {
    let table = Table::new([
        ("", "e2e4 50, d2d4 40"),
        ("e2e4", "e7e5 10, a7a6 -100"),
        ("e2e4 a7a6", "d2d4 90, a2a3 80"),
    ]);
    let review = review("1. e4 a6 2. d4 *", &table, &options());
    assert_eq!(symbols(&review), ["", "?", ""]);
    assert_eq!(
        (review.plies[0].eval, review.plies[0].eval_deeper),
        (Some(Eval::cp(50)), Some(Eval::cp(-10)))
    );
    assert!(
        Language::English
            .remark_numbers(&review.plies[1])
            .starts_with("−0.10 → +1.00; ")
    );
    assert_eq!(
        review.plies[1].eval_deeper, None,
        "the next move has no remark"
    );
}

/// A sacrifice gets `!!`, another move with the same lead `!`. Moves that win material at once or
/// answer a check get nothing.
#[test]
fn sacrifices_get_more_praise_and_obvious_moves_none() {
    let praise = |fen: &str, line: &str, options: &ReviewOptions| {
        let san = line.split(' ').next().unwrap();
        let table = Table {
            lines: BTreeMap::from([("", line.to_owned().leak() as &str)]),
            ..Table::default()
        };
        let history = centipawn_core::History::from_fen(fen, None).unwrap();
        let mv = history.parse_uci(san).unwrap();
        let san = shakmaty::san::San::from_move(history.position(), mv).to_string();
        review(&format!("[FEN \"{fen}\"]\n\n1. {san} *"), &table, options)
            .judgement
            .plies
            .remove(0)
    };
    let morphy = "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16";
    let symbol = |ply: centipawn_judge::JudgedMove| ply.symbol.map_or("", MoveSymbol::glyph);
    assert_eq!(symbol(praise(morphy, "b3b8 #2, b3b7 0", &options())), "!!");
    assert_eq!(symbol(praise(morphy, "b3b7 500, b3b8 0", &options())), "!");
    let bare = JudgeOptions {
        every_symbol: true,
        ..options().judge
    }
    .into();
    assert_eq!(symbol(praise(morphy, "b3b7 500, b3b8 0", &bare)), "!!");

    let hanging = "4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1";
    let taken = praise(hanging, "d1d5 500, d1d2 -500", &options());
    assert_eq!(
        taken.suppressed,
        Some((MoveSymbol::Brilliant, Suppression::WinsMaterial))
    );
    assert!(taken.symbol.is_none() && !taken.only_move);
    let checked = "4k3/8/8/8/8/8/4r3/3RK3 w - - 0 1";
    let answer = praise(checked, "e1f1 0, e1e2 -500", &options());
    assert_eq!((answer.symbol, answer.only_move), (None, true));
    assert_eq!(
        answer.suppressed,
        Some((MoveSymbol::Brilliant, Suppression::AnswersCheck))
    );
}

/// A search with several lines may evaluate the second line too low, so a longer search of the
/// other moves decides.
#[test]
fn praise_needs_a_second_search() {
    let quiet = "4k3/8/8/8/8/8/4p3/R3K2R w - - 0 20";
    let of = |other: &'static str| {
        let table = Rival {
            other,
            table: Table::new([("", "a1a8 700, h1h8 100"), ("a1a8", "e8d7 -700")]),
        };
        let mut reviews = Vec::new();
        let pgn = format!("[FEN \"{quiet}\"]\n\n20. Ra8+ Kd7 *");
        review_games(
            games(&pgn).into_iter(),
            &table,
            &[],
            &options(),
            &Cancel::new(),
            &Silent,
            |event| {
                if let Event::Reviewed(review) = event {
                    reviews.push(*review);
                }
            },
        );
        let ply = reviews.remove(0).judgement.plies.remove(0);
        (ply.symbol, ply.difference, ply.lines[1].eval)
    };
    assert!(of("h1h8 100").0.is_some_and(MoveSymbol::is_praise));
    let (symbol, difference, eval) = of("h1h8 690");
    assert!(
        symbol.is_none() && difference < 0.05 && eval == Eval::cp(690),
        "{symbol:?} {difference}"
    );
    // A longer search may rate the best other move above the praised move. It then counts as equal.
    let (symbol, difference, eval) = of("h1h8 900");
    assert_eq!((symbol, difference, eval), (None, 0.0, Eval::cp(700)));
}

/// A table with another answer to longer searches that are restricted to several moves.
struct Rival {
    table: Table,
    other: &'static str,
}

impl Analyst for Rival {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        if question.limit == Limit::Nodes(2) && question.searchmoves.len() > 1 {
            let lines = vec![read_line(&question.history, self.other)];
            return Ok(Analysis {
                lines,
                nodes: 2,
                depth: 1,
                time: Duration::ZERO,
            });
        }
        self.table.analyse(question)
    }

    fn identity(&self) -> Arc<Identity> {
        self.table.identity()
    }

    fn parallelism(&self) -> usize {
        1
    }
}

#[test]
fn a_second_review_changes_nothing() {
    let table = Table::new([
        ("", "e2e4 50, d2d4 40, f2f3 -60"),
        ("f2f3", "e7e5 60, a7a6 -100"),
    ]);
    let once = review(
        "[Annotator \"Kasparov\"]\n\n1. f3 $1 {hm} a6 *",
        &table,
        &options(),
    )
    .annotated();
    assert!(
        once.headers
            .get("Annotator")
            .unwrap()
            .starts_with("Kasparov; Centipawn (Table")
    );
    let twice = review(&once.to_string(), &table, &options()).annotated();
    assert_eq!(once.to_string(), twice.to_string());
}

/// Lichess assumes a fixed evaluation of the start position. In a game from another position, that
/// would make the first move a blunder.
#[test]
fn accuracy_begins_at_the_first_position_of_the_game() {
    let table = Table::new([("", "g8f8 -500"), ("g8f8", "d1a1 500")]);
    let review = review(
        "[FEN \"6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 20\"]\n\n20... Kf8 21. Ra1 *",
        &table,
        &options(),
    );
    assert_eq!(
        (review.black.accuracy, review.white.accuracy),
        (Some(100.0), Some(100.0))
    );
    let empty = self::review("*", &table, &options());
    assert!(empty.white.relevant_loss.is_sign_positive() && empty.white.accuracy.is_none());
}

/// As on Lichess, accuracy uses the evaluation of the position that a move reaches, not the result
/// of the search before the move.
#[test]
fn accuracy_uses_evaluations_of_positions() {
    let table = Table::new([("", "e2e4 30, d2d4 30"), ("e2e4", "e7e5 100")]);
    let review = review("1. e4 e5 *", &table, &options());
    let evals = [-100, -100].map(Eval::cp);
    let [white, black] = accuracy_of_game(Color::White, Eval::cp(15), &evals);
    assert_eq!(
        (review.white.accuracy, review.black.accuracy),
        (white, black)
    );
    assert!(white.unwrap() < 95.0 && black.unwrap() == 100.0);
}

#[test]
fn the_analyst_evaluates_positions_without_evaluations() {
    let reuse = JudgeOptions {
        reuse_evals: Some(Dialect::Auto),
        ..options().judge
    }
    .into();
    let table = Table::default();
    let review = review(
        "1. e4 { [%eval 0.2] } e5 2. Nf3 { [%eval 0.2] } Nc6 { [%eval 0.2] } *",
        &table,
        &reuse,
    );
    assert_eq!(review.analyst.as_ref().unwrap().name, "Table");
    assert_eq!(review.curve, Curve::Relevance { balance: 1.0 });
    let asked = table.asked.lock().unwrap();
    assert!(
        asked
            .iter()
            .all(|question| question.starts_with("e2e4:") || question.starts_with("e2e4 e7e5:")),
        "{asked:?}"
    );
}

const THREE: &str = "[White \"A\"]\n\n1. e4 e5 2. Nf3 *\n\n[White \"B\"]\n\n1. d4 d5 *\n\n[White \"C\"]\n\n1. c4 *\n";

#[test]
fn games_come_in_order_and_a_failure_affects_one_game() {
    let table = Table {
        failing: Some("d2d4"),
        ..Table::default()
    };
    let mut seen = Vec::new();
    review_games(
        games(THREE).into_iter(),
        &table,
        &[],
        &options(),
        &Cancel::new(),
        &Silent,
        |event| match event {
            Event::Reviewed(review) => seen.push(review.name(shakmaty::Color::White).to_owned()),
            Event::Failed(failure) => seen.push(failure.to_string()),
        },
    );
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert!(seen[0] == "A" && seen[2] == "C");
    assert!(
        seen[1].starts_with("game 2 (line 5), at 1... d5: Table died (signal: 11) at rnbqkbnr/"),
        "{}",
        seen[1]
    );
}

#[test]
fn stopping_ends_the_run() {
    let cancel = Cancel::new();
    let mut reviewed = 0;
    let endless = games(THREE).into_iter().cycle();
    review_games(
        endless,
        &Table::default(),
        &[],
        &options(),
        &cancel,
        &Silent,
        |event| {
            if let Event::Reviewed(_) = event {
                reviewed += 1;
                cancel.set();
            }
        },
    );
    assert!(reviewed >= 1);
}

#[test]
fn critical_moments_are_few_and_in_order() {
    let table = Table::new([
        ("", "e2e4 0, f2f3 -60"),
        ("f2f3", "e7e5 60, a7a6 -100"),
        ("f2f3 a7a6", "e2e4 100, g2g4 -200"),
        ("f2f3 a7a6 g2g4", "e7e5 #5, h7h6 0"),
        ("f2f3 a7a6 g2g4 h7h6", "e2e4 0, b2b3 -10"),
    ]);
    let review = review(
        &format!("{UNKNOWN_OPENING}1. f3 a6 2. g4 h6 3. b3 *"),
        &table,
        &options(),
    );
    assert_eq!(symbols(&review), ["?!", "??", "??", "??", ""]);
    assert_eq!(review.critical_moments, [1, 2, 3]);
    assert_eq!(
        (
            review.white.symbols,
            review.black.count(MoveSymbol::Blunder)
        ),
        ([0, 0, 0, 1, 0, 1], 2)
    );
}

#[test]
fn a_small_game_is_written_as_pgn_and_json() {
    let table = Table::new([
        ("", "e2e4 e7e5 g1f3 30, d2d4 20"),
        ("e2e4", "e7e5 g1f3 -30, c7c5 -35"),
        ("e2e4 e7e5", "g1f3 b8c6 f1b5 30, f1c4 20, d1h5 -90"),
        ("e2e4 e7e5 d1h5", "b8c6 90, g7g6 -900, e8e7 #-1"),
        ("e2e4 e7e5 d1h5 e8e7", "h5e5 #1, f1c4 0"),
    ]);
    let pgn = "[Event \"A <test> & more\"]\n[Site \"?\"]\n[Date \"2026.11.??\"]\n[White \"Anna\"]\n[Black \"Bo \\\"B\\\" \"]\n\
               [Result \"1-0\"]\n\n{Before.} 1. e4 e5 { [%clk 0:03:00] solid } 2. Qh5 $2 (2. Nf3) Ke7 3. Qxe5# 1-0";
    let review = review(pgn, &table, &options());
    insta::assert_snapshot!("pgn", review.annotated().to_string());
    insta::assert_json_snapshot!("json", review.document());
}

/// The position after the last move is never searched, so the reason comes from the search of the
/// move alone.
#[test]
fn the_last_move_has_a_reason() {
    let table = Table::new([(
        "e2e4 e7e5 d1h5 b8c6 f1c4",
        "g7g6 h5f3 0, d8e7 10, g8f6 h5f7 #-1",
    )]);
    let review = review(
        "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 *",
        &table,
        &JudgeOptions {
            lines: 1,
            ..options().judge
        }
        .into(),
    );
    let document = review.document();
    let last = document.plies.last().unwrap();
    assert_eq!(last.symbol.as_deref(), Some("??"));
    assert_eq!(
        last.reason.as_ref().map(|reason| &*reason.text),
        Some("Allows mate in 1: 4. Qxf7#.")
    );
}

/// By the human curve, a mate in one is not a certain win. A mate on the board is.
#[test]
fn the_end_of_a_game_has_a_certain_expected_score() {
    let tags = "[Site \"https://lichess.org/x\"]\n[WhiteElo \"1500\"]\n[BlackElo \"1500\"]\n[TimeControl \"180+0\"]\n";
    let human = || {
        JudgeOptions {
            curve: CurveChoice::Auto,
            ..options().judge
        }
        .into()
    };
    let ends = |tags: &str, moves: &str| {
        let review = review(&format!("{tags}\n{moves}"), &Table::default(), &human());
        let last = review.document().plies.pop().unwrap();
        let (wdl, odds) = (last.wdl.unwrap(), last.odds.unwrap());
        assert_eq!(
            (odds.win, odds.draw, odds.loss),
            (Some(wdl.win), Some(wdl.draw), Some(wdl.loss))
        );
        assert_eq!(
            (last.expected_score, odds.expected_score),
            (wdl.expected_score(), wdl.expected_score())
        );
        [wdl.win, wdl.draw, wdl.loss]
    };
    assert_eq!(ends(tags, "1. f3 e5 2. g4 Qh4# 0-1"), [0.0, 0.0, 1.0]);
    let fen = "[FEN \"7k/8/5KQ1/8/8/8/8/8 w - - 0 1\"]\n";
    assert_eq!(
        ends(&format!("{tags}{fen}"), "1. Qf7 1/2-1/2"),
        [0.0, 1.0, 0.0],
        "stalemate"
    );
}
