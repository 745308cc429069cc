use std::sync::Arc;

use centipawn_core::{Curve, Eval, History};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Line, Question};

use shakmaty::Position as _;

use super::{Moment, Reason, ReasonKind};

fn line(start: &History, uci: &str, cp: i32) -> Line {
    let mut at = start.clone();
    let pv = uci.split_whitespace().map(|uci| {
        let mv = at.parse_uci(uci).unwrap();
        at.push(mv);
        mv
    });
    Line {
        pv: pv.collect(),
        eval: Eval::cp(cp),
        last_exact: None,
        wdl: None,
        depth: 20,
        seldepth: None,
    }
}

/// "Captured with the wrong piece" needs a right capture that wins material. Here the right capture
/// mates.
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
        lead: 0.0,
        best: Eval::mate(1),
        worth: Eval::cp(300),
        lines: &lines,
        answer: &[],
        rival: None,
    };
    let reason = moment.gains().remove(0).reason;
    assert_eq!(
        (reason.kind, reason.motif),
        (ReasonKind::Misses, Some(super::Motif::BackRank))
    );
}

/// The check before the recapture gains nothing if only a pawn is recaptured: the knight is lost
/// later, for another reason.
#[test]
fn an_intermediate_move_gains_only_with_a_piece() {
    let before = "rn1qk2r/p2b2b1/2p2p2/4p2p/P1B1Ppp1/2N4P/1PPB2P1/R2Q1RK1 w kq - 0 16";
    let before = History::from_fen(before, None).unwrap();
    let played = before.parse_uci("h3g4").unwrap();
    let mut after = before.clone();
    after.push(played);
    let moves = line(&after, "d8b6 f1f2 h5g4 d2e1 b6c5 c3b5 c6b5", 0).pv;
    let motif = |prize| {
        let reason = Reason::new(
            ReasonKind::Allows,
            moves.clone(),
            super::Gain::Material(prize, 1),
        );
        super::motif::find(before.position(), played, &reason).map(|(motif, ..)| motif)
    };
    assert_eq!(motif(super::Prize::Piece(shakmaty::Role::Knight)), None);
    assert_eq!(
        motif(super::Prize::Pawns(1)),
        Some(super::Motif::Intermezzo)
    );
}

/// The exchange is a rook for a minor piece on the same square. Elsewhere the sentence names both
/// pieces.
#[test]
fn the_exchange_is_on_one_square() {
    let prize = |fen: &str, uci: &str| {
        let start = History::from_fen(fen, None).unwrap();
        let moves = line(&start, uci, 0).pv;
        super::Prize::of(start.position(), &moves, shakmaty::Color::Black, 2)
    };
    let fen = "r5k1/5ppp/8/8/8/4n3/5PPP/R5K1 w - - 0 1";
    assert_eq!(
        prize(fen, "h2h3 a8a1 g1h2 a1a2 f2e3"),
        Some(super::Prize::Trade(super::Trade {
            won: [0, 0, 0, 1, 0],
            given: [0, 1, 0, 0, 0],
        }))
    );
    let fen = "6k1/5ppp/8/8/6b1/8/5PPP/R2R2K1 w - - 0 1";
    assert_eq!(prize(fen, "h2h3 g4d1 a1d1"), Some(super::Prize::Exchange));
}

/// Trades have names in documents and words in commands, which can be read back.
#[test]
fn trades_are_read_back() {
    let trade = |won, given| super::Prize::Trade(super::Trade { won, given });
    for (prize, name) in [
        (trade([0, 0, 0, 1, 0], [0, 1, 0, 0, 0]), "rook for knight"),
        (
            trade([0, 0, 0, 0, 1], [2, 0, 1, 1, 0]),
            "queen for rook and bishop and 2 pawns",
        ),
        (trade([0, 0, 0, 2, 0], [0, 0, 0, 0, 1]), "2 rooks for queen"),
    ] {
        assert_eq!(prize.name(), name);
        assert_eq!(super::Prize::of_name(name, 2), prize);
        let super::Prize::Trade(own) = prize else {
            panic!("{prize:?}");
        };
        assert_eq!(super::Trade::of_word(&own.word()), Some(own));
    }
    assert_eq!(super::Trade::of_word("q-k"), None);
    assert_eq!(super::Trade::of_word("q-"), None);
}

/// Returns the reason that the lines of a move show: `best` is the best line before the move,
/// `answer` the best line after it, in SAN, with their evaluations.
fn shown(
    fen: &str,
    played: &str,
    (best, best_cp): (&str, i32),
    (answer, cp): (&str, i32),
) -> Vec<(ReasonKind, super::Gain)> {
    let before = History::from_fen(fen, None).unwrap();
    let moves = |at: &History, text: &str| -> Vec<shakmaty::Move> {
        let mut at = at.clone();
        let moves = text.split_whitespace().map(|san| {
            let san: shakmaty::san::SanPlus = san.parse().unwrap();
            let mv = san.san.to_move(at.position()).unwrap();
            at.push(mv);
            mv
        });
        moves.collect()
    };
    let played = moves(&before, played)[0];
    let mut after = before.clone();
    after.push(played);
    let answer = moves(&after, answer);
    let lines = [Line {
        pv: moves(&before, best),
        ..line(&before, "", best_cp)
    }];
    let moment = Moment {
        previous: None,
        before: before.position(),
        history: &before,
        played,
        loss: 0.26,
        lead: 0.0,
        best: Eval::cp(best_cp),
        worth: Eval::cp(cp),
        lines: &lines,
        answer: &answer,
        rival: None,
    };
    moment
        .gains()
        .into_iter()
        .map(|claim| (claim.reason.kind, claim.reason.gain))
        .collect()
}

/// The pawn that is lost in one line is lost in the other line, too: in exchange for another pawn,
/// or to the king some moves later.
#[test]
fn a_pawn_that_falls_in_both_lines_is_no_reason() {
    // White takes the pawn on e3 in both lines. The better move makes a passed pawn, which costs
    // White the bishop.
    let breakthrough = shown(
        "8/5p2/1p5p/p1p3p1/2B3P1/PPk1pK2/7P/8 b - - 6 37",
        "Kd2",
        ("a4 Kxe3 axb3 Bd3 c4 Bxc4 Kxc4 Kd2 Kb5 Kc1", -469),
        ("a4 f6 h3 e2 Bxe2 Kc3 Bc4 Kd4 Ke2 Ke4", 340),
    );
    let bishop = super::Gain::Material(super::Prize::Piece(shakmaty::Role::Bishop), 2);
    assert_eq!(breakthrough, [(ReasonKind::Misses, bishop)]);
    // White loses the pawn on e5 in both lines, but wins the one on b7 first in the better one.
    let pawn_first = shown(
        "8/pp3pp1/4p2p/2pkP3/5K2/1P6/P5PP/3B4 w - - 0 26",
        "g4",
        ("Bf3+ Kd4 Bxb7 g5+ Kg4 Kxe5 Kh5 Kf5 Kxh6 e5", 318),
        ("g5+ Ke3 Kxe5 Be2 f5 a4 Kf6 h3 Ke5 Bc4", 71),
    );
    let pawn = super::Gain::Material(super::Prize::Pawns(1), 1);
    assert_eq!(pawn_first, [(ReasonKind::Misses, pawn)]);
}

/// If a line ends with a capture whose captor can be recaptured at once, the reason names the
/// exchange and not the captured piece.
#[test]
fn a_line_cut_off_before_a_recapture_names_the_exchange() {
    let claims = shown(
        "r1r3k1/3b1pp1/ppn4p/3pp1q1/3P4/P2BP2P/1PRN1PP1/2Q2RK1 w - - 0 21",
        "dxe5",
        ("Nf3 Qf6 dxe5 Nxe5 Nxe5 Qxe5 Qd2 Rxc2 Bxc2 Rc8", 13),
        ("Bxh3 g3 Nxe5 Be2 Rxc2 Qxc2 Bxf1 Kxf1 Qd8 Nf3", -365),
    );
    assert_eq!(
        claims,
        [(
            ReasonKind::Allows,
            super::Gain::Material(super::Prize::Exchange, 3)
        )]
    );
}

/// If a piece is lost, a pawn that another move would have won is not the cause, even where the
/// loss of the piece cannot be proven.
#[test]
fn a_missed_pawn_does_not_explain_a_lost_piece() {
    let claims = shown(
        "r2qk1nr/pp2bppp/2n1p3/1BppPbB1/3P4/2P2N2/PP3PPP/RN1QK2R w KQkq - 2 8",
        "O-O",
        ("Bxe7 Nxe7 dxc5 O-O O-O Bg4 Re1 b6 cxb6 Qxb6", 7),
        ("Bxg5 Qa4 f6 Bxc6+ bxc6 Qxc6+ Kf7 dxc5 Bf4 c4", -258),
    );
    let bishop = super::Prize::Piece(shakmaty::Role::Bishop);
    assert_eq!(
        claims,
        [(ReasonKind::Allows, super::Gain::Material(bishop, 1))]
    );
}

/// An analyst that knows one answer for each position, and for others the first legal move.
struct Scripted(Vec<(String, Line)>);

impl Analyst for Scripted {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let history = &question.history;
        let fen = history.fen();
        let board = fen.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let found = self.0.iter().find(|(own, _)| *own == board);
        let first = history.position().legal_moves()[0];
        let line = found.map_or_else(
            || Line {
                pv: vec![first],
                ..line(history, "", 0)
            },
            |(_, line)| line.clone(),
        );
        Ok(Analysis {
            lines: vec![line],
            ..Analysis::terminal()
        })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::default()
    }

    fn parallelism(&self) -> usize {
        1
    }
}

/// Returns the board and the side to move of a FEN, with the answer of an analyst there.
fn answer(fen: &str, uci: &str, cp: i32) -> (String, Line) {
    let history = History::from_fen(fen, None).unwrap();
    let board = fen.split(' ').take(2).collect::<Vec<_>>().join(" ");
    (board, line(&history, uci, cp))
}

/// Black's queen attacks the undefended rook, which was possible before White's move, too.
#[test]
fn a_threat_is_overlooked_if_passing_shows_it() {
    let before = History::from_fen("3q2k1/8/8/8/8/8/6K1/R7 w - - 0 1", None).unwrap();
    let lines = [line(&before, "g2g3 g8f7", 150)];
    let played = before.parse_uci("g2h2").unwrap();
    let mut after = before.clone();
    after.push(played);
    let reply = line(&after, "d8d4 a1a5", 0).pv;
    let found = |rival: i32, gain: i32, capture: &str| {
        let moment = Moment {
            previous: None,
            before: before.position(),
            history: &before,
            played,
            loss: 0.2,
            lead: 0.0,
            best: Eval::cp(150),
            worth: Eval::cp(0),
            lines: &lines,
            answer: &reply,
            rival: Some(Eval::cp(rival)),
        };
        let analyst = Scripted(vec![
            // White passes before the move.
            answer("3q2k1/8/8/8/8/8/6K1/R7 b - - 0 1", "d8d4", gain - 150),
            // The same reply after the better move.
            answer("3q2k1/8/8/8/8/6K1/8/R7 b - - 0 1", "d8d4", -400),
            // White passes after the reply.
            answer("6k1/8/8/8/3q4/8/7K/R7 b - - 0 1", capture, 500),
        ]);
        let proof = moment
            .idea()
            .prove(
                &before,
                played,
                &analyst,
                Limit::Nodes(1000),
                &Curve::LICHESS,
            )
            .unwrap();
        proof.map(|proof| (proof.kind, proof.gain.word()))
    };
    let allows = |word: &str| Some((ReasonKind::Allows, word.to_owned()));
    assert_eq!(found(150, 200, "d4a1"), allows("threat"));
    // Passing costs only the move itself, and after the better move the reply stays possible.
    assert_eq!(found(150, 40, "d4a1"), None);
    // Another reply is as good, so this one does not explain the loss.
    assert_eq!(found(10, 200, "d4a1"), None);
    // The attack on the rook is not what the reply is about.
    assert_eq!(found(150, 200, "g8g7"), None);
}

/// Returns the first reason of a move after which these lines were found. Evaluations are White's.
fn reason_of(
    fen: &str,
    previous: &str,
    played: &str,
    best: (&str, i32),
    answer: (&str, i32),
) -> Reason {
    let start = History::from_fen(fen, None).unwrap();
    let first = start.parse_uci(previous).unwrap();
    let mut before = start.clone();
    before.push(first);
    let played = before.parse_uci(played).unwrap();
    let mut after = before.clone();
    after.push(played);
    let moment = Moment {
        previous: Some((start.position(), first)),
        before: before.position(),
        history: &before,
        played,
        loss: 0.5,
        lead: 0.0,
        best: Eval::cp(best.1),
        worth: Eval::cp(answer.1),
        lines: &[line(&before, best.0, best.1)],
        answer: &line(&after, answer.0, answer.1).pv,
        rival: None,
    };
    moment.gains().remove(0).reason
}

/// White takes the queen, and gives her back later for bishop and pawn: the reader sees a queen.
#[test]
fn a_piece_that_is_captured_at_once_is_the_prize_whatever_the_line_gives_back() {
    let reason = reason_of(
        "5rk1/p5p1/1pRq1b1p/3P1p2/7B/1Q2r3/PP3PP1/7K w - - 0 26",
        "f2e3",
        "d6d5",
        ("d6e5 h4f6 f8f6 c6f6 e5f6 b3c4 g8f8 c4c8", 11),
        ("b3d5 g8h7 d5f5 h7g8 f5f6 g7f6 h4f6 a7a5 h1h2 g8h7", 654),
    );
    let super::Gain::Material(prize, _) = reason.gain else {
        panic!("{reason:?}");
    };
    assert_eq!(prize, super::Prize::Piece(shakmaty::Role::Queen));
    assert_eq!(reason.line.len(), 1);
}

/// A rook moves to a square where the queen simply takes it, and a queen could have been won.
#[test]
fn a_piece_left_hanging_precedes_a_missed_gain() {
    let reason = reason_of(
        "2k4r/4ppb1/4Nn1p/1p6/1B2Pq2/3Q3R/PP3PP1/3RK3 b - - 0 28",
        "f7e6",
        "d1c1",
        ("d3b5 f4e4 h3e3 e4e3 f2e3 f6d5 d1c1 d5c3 b2c3 h8f8", 799),
        ("f4c1 e1e2 c1b2 b4d2 h8d8 d3c3 b2c3 d2c3 c8b7 c3b2", -383),
    );
    assert_eq!(reason.kind, ReasonKind::Allows, "{reason:?}");
}

/// The pawn attacks the knight; only a king that steps on the rook's file allows the check.
#[test]
fn a_check_into_which_the_king_steps_is_no_discovered_attack() {
    let reason = reason_of(
        "r4r2/3nk3/2qNp3/p1P2Pp1/3P3p/3B3P/5PP1/R4RK1 w - - 1 26",
        "f1e1",
        "e7d8",
        ("e6e5 d3e4 c6c7 d6b5 c7c8 b5d6", 0),
        ("f5e6 d8e7 e6d7 e7d7 d3b5", 452),
    );
    assert_ne!(
        reason.motif,
        Some(super::Motif::DiscoveredAttack),
        "{reason:?}"
    );
}

/// In the best line, too, the queen is captured within the next moves, but she is exchanged there.
#[test]
fn a_queen_that_is_exchanged_in_the_best_line_does_not_fall_anyway() {
    let reason = reason_of(
        "rnbq1rk1/pp3ppp/2pb1n2/4p3/2B1P3/3P1Q2/PPP2PPP/RNB1K1NR w KQ - 1 7",
        "c1g5",
        "f6e4",
        ("b7b5 g5f6 d8f6 f3f6 g7f6 c4b3 b8a6 b1d2 f8d8", 80),
        ("g5d8 e4c5 d8h4 b8d7 b1d2 d7b6 e1c1 a8b8", 606),
    );
    assert_eq!(reason.kind, ReasonKind::Allows, "{reason:?}");
    let super::Gain::Material(prize, _) = reason.gain else {
        panic!("{reason:?}");
    };
    assert_eq!(prize, super::Prize::Piece(shakmaty::Role::Queen));
}
