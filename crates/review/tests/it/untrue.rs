//! Positions about which reviews once wrote something untrue, with the correct sentences and
//! numbers. Stockfish reviews them; without it these tests are skipped.
//!
//! Each position comes from a game of people or was composed for its kind of mistake.

use std::sync::{Arc, OnceLock};

use centipawn_core::MoveSymbol;
use centipawn_engine::{EngineConfig, Limit, Pool, find};
use centipawn_judge::{
    JudgedMove,
    reason::{DrawKind, Gain, Motif, ReasonKind},
};
use centipawn_pgn::Reader;
use centipawn_progress::{Cancel, Silent};
use centipawn_review::{Event, Language, Review, ReviewOptions, review_games};
use centipawn_test_support::skipped;

fn stockfish() -> Option<&'static Pool> {
    static POOL: OnceLock<Option<Pool>> = OnceLock::new();
    let start = || {
        let found = find("stockfish")
            .inspect_err(|error| skipped(&error.to_string(), "CENTIPAWN_REQUIRE_ENGINES"))
            .ok()?;
        Some(Pool::start(&[(EngineConfig::new(found), 2)], &Cancel::new()).unwrap())
    };
    POOL.get_or_init(start).as_ref()
}

fn review_in(pool: &Pool, pgn: &str, language: Language) -> Review {
    let options = ReviewOptions {
        language,
        ..ReviewOptions::new(Limit::Nodes(100_000))
    };
    let games = Reader::new(pgn.as_bytes()).map(|game| game.unwrap().unwrap());
    let mut reviews = Vec::new();
    review_games(
        games,
        pool,
        &[],
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

fn review(pool: &Pool, fen: &str, moves: &str) -> Review {
    review_in(
        pool,
        &format!("[FEN \"{fen}\"]\n\n{moves} *\n"),
        Language::English,
    )
}

/// Returns the last move of a game that begins in the given position, and its reason.
fn last(pool: &Pool, fen: &str, moves: &str) -> (JudgedMove, String) {
    let review = review(pool, fen, moves);
    let ply = review.plies.last().unwrap().clone();
    let text = Language::English.reason_text(&ply).unwrap_or_default();
    (ply, text)
}

#[test]
fn a_reason_explains_the_loss() {
    let Some(pool) = stockfish() else { return };
    // Rxf7 wins. The pawn on a6 is only a small part of the loss.
    let fen = "3r2k1/1R3pp1/p3pb1p/q7/P1B1Q3/1P4P1/3r1P1P/5RK1 b - - 0 27";
    let (ply, text) = last(pool, fen, "27... Qc5");
    assert_eq!(ply.symbol, Some(MoveSymbol::Blunder));
    assert!(!text.contains("a6"), "{text}");
    // The loss of a bishop for a pawn by Kxf2 is more important than the missed move.
    let (ply, text) = last(
        pool,
        "7r/p1pk1p2/4p3/2bp1p2/8/1P5P/P1R2PB1/5K2 b - - 0 30",
        "30... Bxf2",
    );
    assert_eq!(ply.reason.unwrap().kind, ReasonKind::Allows, "{text}");
    assert!(
        text.contains("bishop") && text.contains("31. Kxf2"),
        "{text}"
    );
}

#[test]
fn the_prize_is_what_the_line_shows() {
    let Some(pool) = stockfish() else { return };
    // The line captures a rook, although it wins only a bishop in total.
    let fen = "1q4k1/p1p2pp1/3p1bp1/Q1p5/2P2BP1/3P3P/P1P1rRK1/8 b - - 0 21";
    let (_, text) = last(pool, fen, "21... Re1");
    assert!(
        !text.is_empty() && !text.starts_with("Loses the bishop"),
        "{text}"
    );
    // The knight on c7 is lost in exchange for the queen.
    let fen = "1rb2rk1/ppNp1pp1/2nb4/1Q4p1/2B2q2/6P1/PPP2P1P/R4RK1 b - - 0 16";
    let (_, text) = last(pool, fen, "16... Qf5");
    assert!(
        text.starts_with("Loses the queen for a knight: 17. Qxf5 Bxc7"),
        "{text}"
    );
}

#[test]
fn a_loss_in_both_lines_is_no_reason() {
    let Some(pool) = stockfish() else { return };
    // The pawn on c3 is lost after the best move too. The reason is the bishop on b1.
    let fen = "2kr1Bnr/ppp2pp1/7p/3pq3/6P1/1PP1PB1P/P4P2/Rb1QK1R1 w Q - 0 16";
    let (ply, text) = last(pool, fen, "16. Be7");
    assert_eq!(ply.symbol, Some(MoveSymbol::Blunder));
    assert!(!text.contains("c3 hanging"), "{text}");
}

/// White wins with the queen, but gives check again and again, and the king can only repeat moves.
const REPETITION: &str = "[FEN \"6k1/5pp1/7p/8/8/8/1Q3PPP/6K1 w - - 0 1\"]\n[Result \"1/2-1/2\"]\n\n\
                          1. Qb8+ Kh7 2. Qb1+ Kg8 3. Qb8+ Kh7 4. Qb1+ Kg8 5. Qb8+ 1/2-1/2\n";

#[test]
fn draws_by_rule_are_reasons() {
    let Some(pool) = stockfish() else { return };
    for (language, text) in [
        (Language::English, "Draws by threefold repetition."),
        (
            Language::German,
            "Macht durch dreifache Stellungswiederholung remis.",
        ),
    ] {
        let review = review_in(pool, REPETITION, language);
        let last = review.plies.last().unwrap();
        assert_eq!(last.symbol, Some(MoveSymbol::Blunder));
        assert_eq!(language.reason_text(last).unwrap(), text);
        let reason = last.reason.as_ref().unwrap();
        assert_eq!(
            (reason.gain, reason.motif),
            (Gain::Draw(DrawKind::Repetition), Some(Motif::Repetition))
        );
        // The first repetitions do not change the result, and the king's moves lose nothing.
        assert!(
            review.plies[..8].iter().all(|ply| ply.symbol.is_none()),
            "{:?}",
            review.plies[6].symbol
        );
        assert_eq!(review.black.accuracy, Some(100.0));
        assert!(review.white.accuracy.unwrap() < 50.0);
    }
    // Stalemate by the move itself, and by a combination of the opponent.
    let (ply, text) = last(pool, "7k/8/6K1/8/8/8/8/5Q2 w - - 0 60", "60. Qf7");
    assert_eq!(
        (ply.symbol, &*text),
        (Some(MoveSymbol::Blunder), "Stalemates the opponent.")
    );
    for (fen, played, first) in [
        (
            "7k/3Q4/3q4/8/K7/8/5P2/8 w - - 0 60",
            "60. Qf7",
            "60... Qb4+ 61. Kxb4.",
        ),
        // The move also misses a mate, but the reason is the draw.
        ("8/8/8/8/3q4/P5Q1/2K5/k7 w - - 0 60", "60. Qb3", "60... Q"),
    ] {
        let (ply, text) = last(pool, fen, played);
        assert_eq!(ply.symbol, Some(MoveSymbol::Blunder), "{fen}");
        assert!(
            text.starts_with(&format!("Allows a draw by stalemate: {first}")),
            "{text}"
        );
        assert_eq!(ply.reason.unwrap().motif, Some(Motif::Stalemate));
    }
    // A draw by the fifty-move rule.
    let fen = "8/8/8/4k3/8/8/4P3/R3K3 w - - 99 90";
    let (ply, text) = last(pool, fen, "90. Ra2");
    assert_eq!(
        (ply.symbol, &*text),
        (Some(MoveSymbol::Blunder), "Draws by the fifty-move rule.")
    );
}

#[test]
fn a_note_names_an_unplayed_mate() {
    let Some(pool) = stockfish() else { return };
    // After 30... Ra2 White mates in one; after 30... Ra1 Black has exchanged rooks.
    let notes = |mv: &str, termination: &str, language| {
        let fen = "r5k1/5ppp/8/8/8/8/5PPP/1R4K1 b - - 0 30";
        let tags = format!("[FEN \"{fen}\"]\n[Result \"0-1\"]\n[Termination \"{termination}\"]");
        review_in(pool, &format!("{tags}\n\n30... {mv} 0-1\n"), language).notes()
    };
    for (termination, language, text) in [
        (
            "Time forfeit",
            Language::English,
            "White lost on time with a forced mate on the board: White mates in 1.",
        ),
        (
            "Normal",
            Language::English,
            "White resigned with a forced mate on the board: White mates in 1.",
        ),
        (
            "Abandoned",
            Language::English,
            "The game ended with a forced mate on the board: White mates in 1.",
        ),
        (
            "Time forfeit",
            Language::German,
            "Weiß verlor auf Zeit, als ein erzwungenes Matt auf dem Brett stand: Weiß setzt in einem Zug matt.",
        ),
    ] {
        assert_eq!(notes("Ra2", termination, language)[0], text);
    }
    let others = notes("Ra1", "Normal", Language::English);
    assert!(
        others.iter().all(|note| !note.contains("forced mate")),
        "{others:?}"
    );
}

/// The difference of a praised move reaches the threshold of its scheme, also after the search of
/// the other moves.
#[test]
fn praise_is_ahead_by_its_threshold() {
    let Some(pool) = stockfish() else { return };
    let opera = Arc::new(include_str!("../../../../examples/opera-game.pgn"));
    let review = review_in(pool, &opera, Language::English);
    let praised = review
        .plies
        .iter()
        .filter(|ply| ply.symbol.is_some_and(MoveSymbol::is_praise));
    for ply in praised {
        let symbol = ply.symbol.unwrap();
        let weakest = ply.scheme.threshold(MoveSymbol::Interesting);
        assert!(
            ply.difference >= weakest - 1e-9,
            "{} {symbol} {}",
            ply.san,
            ply.difference
        );
        let other = ply
            .lines
            .iter()
            .find(|line| line.first_move() != ply.mv)
            .unwrap();
        assert!(other.eval <= ply.eval_played.for_mover(ply.mover));
    }
}
