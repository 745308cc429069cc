use centipawn_core::{Eval, History};
use centipawn_engine::Line;

use super::{Moment, Reason, ReasonKind};

fn line(start: &History, uci: &str, cp: i32) -> Line {
    let mut at = start.clone();
    let pv = uci.split_whitespace().map(|uci| {
        let mv = at.parse_uci(uci).unwrap();
        at.push(mv);
        mv
    });
    Line { pv: pv.collect(), eval: Eval::cp(cp), last_exact: None, wdl: None, depth: 20, seldepth: None }
}

/// A capture with the wrong piece is one only if the right capture wins material: here it mates.
#[test]
fn a_mate_is_no_other_capture() {
    let previous = History::from_fen("4r2k/2N2ppp/8/8/8/8/5PPP/4R1K1 b - - 0 1", None).unwrap();
    let king = previous.parse_uci("h8g8").unwrap();
    let mut before = previous.clone();
    before.push(king);
    let lines = [line(&before, "e1e8", 0)];
    let moment = Moment {
        previous: Some((previous.position(), king)),
        before: before.position(),
        history: &before,
        played: before.parse_uci("c7e8").unwrap(),
        loss: 0.3,
        best: Eval::mate(1),
        worth: Eval::cp(300),
        lines: &lines,
        answer: &[],
    };
    let reason = moment.claims().remove(0).reason;
    assert_eq!((reason.kind, reason.motif), (ReasonKind::Misses, Some(super::Motif::BackRank)));
}

/// The check before a recapture wins nothing if only a pawn is taken back: the knight falls later, for another reason.
#[test]
fn a_move_in_between_wins_what_is_taken_back() {
    let before = "rn1qk2r/p2b2b1/2p2p2/4p2p/P1B1Ppp1/2N4P/1PPB2P1/R2Q1RK1 w kq - 0 16";
    let before = History::from_fen(before, None).unwrap();
    let played = before.parse_uci("h3g4").unwrap();
    let mut after = before.clone();
    after.push(played);
    let moves = line(&after, "d8b6 f1f2 h5g4 d2e1 b6c5 c3b5 c6b5", 0).pv;
    let motif = |prize| {
        let reason = Reason::new(ReasonKind::Allows, moves.clone(), super::Gain::Material(prize, 1));
        super::motif::find(before.position(), played, &reason).map(|(motif, ..)| motif)
    };
    assert_eq!(motif(super::Prize::Piece(shakmaty::Role::Knight)), None);
    assert_eq!(motif(super::Prize::Pawns(1)), Some(super::Motif::Intermezzo));
}

/// The exchange is a rook for a minor piece on one square; a knight that is lost elsewhere is another story.
#[test]
fn the_exchange_is_on_one_square() {
    let prize = |fen: &str, uci: &str| {
        let start = History::from_fen(fen, None).unwrap();
        let moves = line(&start, uci, 0).pv;
        super::Prize::of(start.position(), &moves, shakmaty::Color::Black, 2)
    };
    let fen = "r5k1/5ppp/8/8/8/4n3/5PPP/R5K1 w - - 0 1";
    assert_eq!(prize(fen, "h2h3 a8a1 g1h2 a1a2 f2e3"), Some(super::Prize::Worth(2)));
    let fen = "6k1/5ppp/8/8/6b1/8/5PPP/R2R2K1 w - - 0 1";
    assert_eq!(prize(fen, "h2h3 g4d1 a1d1"), Some(super::Prize::Exchange));
}
