use centipawn_core::{Eval, History, material_balance};
use centipawn_engine::{Limit, Line};
use centipawn_judge::reason::{
    DrawKind, Gain, Idea, Moment, Motif, Prize, Proof, Reason, ReasonKind,
};
use shakmaty::{Chess, Move, Position as _, san::SanPlus};

use super::Around;
use crate::Language;

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

/// A mistake: the position, the move, the best line and the refutation, with evaluations in
/// centipawns of the mover.
struct Case<'a> {
    fen: &'a str,
    played: &'a str,
    best: &'a str,
    refutation: &'a str,
    evals: [Eval<centipawn_core::Mover>; 2],
}

impl Case<'_> {
    fn reason(&self) -> Option<(Reason, [String; 2])> {
        self.reason_of_loss(0.3)
    }

    fn reason_of_loss(&self, loss: f64) -> Option<(Reason, [String; 2])> {
        let before = History::from_fen(self.fen, None).unwrap();
        let played = before.parse_uci(self.played).unwrap();
        let mut after = before.clone();
        after.push(played);
        let lines = [line(&before, self.best, 0)];
        let answer = line(&after, self.refutation, 0);
        let [best, worth] = self.evals.map(|eval| eval.for_white(before.turn()));
        let moment = Moment {
            previous: None,
            before: before.position(),
            history: &before,
            played,
            loss,
            lead: 0.0,
            best,
            worth,
            lines: &lines,
            answer: &answer.pv,
            rival: None,
        };
        let reason = moment.shown()?;
        let start = if reason.kind == ReasonKind::Allows {
            &after
        } else {
            &before
        };
        let mut position: Chess = start.position().clone();
        let (number, is_white) = (position.fullmoves().get(), position.turn().is_white());
        let san = |&mv: &Move| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
        let san: Vec<String> = reason.line.iter().map(san).collect();
        let side = if reason.kind == ReasonKind::Allows {
            !before.turn()
        } else {
            before.turn()
        };
        let behind = (-material_balance(before.position().board(), side))
            .max(0)
            .unsigned_abs();
        let around = Around {
            number,
            is_white,
            san: &san,
            played_to: played.to(),
            behind,
            better: "1. a3",
        };
        let text = Language::ALL.map(|language| language.reason_sentence(&reason, &around));
        Some((reason, text))
    }
}

fn cp(best: i32, worth: i32) -> [Eval<centipawn_core::Mover>; 2] {
    [Eval::cp(best), Eval::cp(worth)]
}

#[test]
fn reasons_are_written_as_sentences() {
    for (case, english, german) in [
        (
            Case {
                fen: "4k3/ppp2ppp/3p4/8/2N5/8/PPP2PPP/4K3 w - - 0 1",
                played: "c4e5",
                best: "c4e3 e8e7 e1e2",
                refutation: "d6e5 e1e2 e8e7",
                evals: cp(300, -50),
            },
            "Puts the knight on e5, where it is lost: 1... dxe5.",
            "Stellt den Springer auf e5 ein: 1... dxe5.",
        ),
        (
            Case {
                fen: "4k3/pp3ppp/8/8/2n5/8/PPP2PPP/R3K2R w KQ - 0 1",
                played: "a1d1",
                best: "b2b3 c4d6 e1f1",
                refutation: "c4b2 d1d2 b2c4",
                evals: cp(100, -30),
            },
            "Leaves the pawn on b2 hanging: 1... Nxb2.",
            "Lässt den Bauern auf b2 hängen: 1... Sxb2.",
        ),
        (
            Case {
                fen: "4k3/ppp2ppp/8/3n4/8/2R5/PPP2PPP/4K3 b - - 0 1",
                played: "a7a6",
                best: "d5c3 b2c3 e8e7",
                refutation: "c3c4 e8e7 e1e2",
                evals: cp(50, -150),
            },
            "Misses 1... Nxc3, which wins back the exchange.",
            "Verpasst 1... Sxc3, was die Qualität zurückgewinnt.",
        ),
    ] {
        let found = case.reason();
        let (_, [en, de]) = found.unwrap_or_else(|| panic!("{english}"));
        assert_eq!((&*en, &*de), (english, german));
    }
}

#[test]
fn reasons_name_a_motif_and_its_pieces() {
    // A knight forks king and rook, and takes the rook.
    let fork = Case {
        fen: "r3k3/ppp3pp/8/3N4/8/7P/PPP3P1/4K3 b q - 0 1",
        played: "a7a6",
        best: "e8d7 d5f4 a8e8",
        refutation: "d5c7 e8d7 c7a8",
        evals: cp(-100, -700),
    };
    let (reason, [text, _]) = fork.reason().unwrap();
    assert_eq!(reason.motif.map(Motif::name), Some("fork"));
    let squares: Vec<String> = reason
        .targets
        .iter()
        .map(|(_, square)| square.to_string())
        .collect();
    assert_eq!(squares, ["e8", "a8"]);
    assert_eq!(
        text,
        "Allows 2. Nxc7+, which forks king and rook (2... Kd7 3. Nxa8)."
    );
    // Mate on the first rank.
    let mate = Case {
        fen: "3r2k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
        played: "a1a7",
        best: "g2g3 d8d2 a1a8",
        refutation: "d8d1",
        evals: [Eval::cp(0), Eval::mate(-1)],
    };
    let (reason, [text, german]) = mate.reason().unwrap();
    assert_eq!(reason.motif.map(Motif::name), Some("back rank"));
    assert_eq!(text, "Leaves the back rank open: 1... Rd1#.");
    assert_eq!(german, "Lässt die Grundreihe offen: 1... Td1#.");
}

#[test]
fn perpetual_checks_are_reasons() {
    let allowed = Case {
        fen: "2r3k1/1R3pp1/5q1p/1Q6/1P6/4P2P/5PP1/5rK1 w - - 0 30",
        played: "g1f1",
        best: "b5f1 f6d6",
        refutation: "f6a1 f1e2 c8c2 e2f3 a1f6 f3g4 f6g6 g4f3",
        evals: cp(198, 0),
    };
    let (reason, [text, german]) = allowed.reason().unwrap();
    assert_eq!(
        (reason.gain, reason.line.len()),
        (Gain::Draw(DrawKind::Perpetual), 3)
    );
    assert_eq!(text, "Allows a perpetual check: 30... Qa1+ 31. Ke2 Rc2+.");
    assert_eq!(german, "Lässt ein Dauerschach zu: 30... Da1+ 31. Ke2 Tc2+.");
    let missed = Case {
        fen: "2r3k1/1R3pp1/5q1p/1Q6/1P6/4P2P/5PP1/5K2 b - - 0 30",
        played: "c8c2",
        best: "f6a1 f1e2 c8c2 e2f3 a1f6 f3g4 f6g6 g4f3",
        refutation: "b5e8 g8h7 e8e4 f6g6 e4g6 h7g6",
        evals: cp(0, -375),
    };
    let (_, [text, _]) = missed.reason().unwrap();
    assert_eq!(
        text,
        "Misses a draw by perpetual check: 30... Qa1+ 31. Ke2 Rc2+."
    );
    // Two checks do not prove a perpetual check.
    let short = Case {
        refutation: "f6a1 f1e2 c8c2 e2f3",
        ..allowed
    };
    assert!(
        short
            .reason()
            .is_none_or(|(reason, _)| !matches!(reason.gain, Gain::Draw(_)))
    );
}

/// All moves win, so the move has its `?` only because it misses a mate.
#[test]
fn a_short_mate_counts_without_a_loss() {
    let case = Case {
        fen: "6k1/8/4PPK1/8/7P/8/8/8 w - - 3 62",
        played: "h4h5",
        best: "e6e7 g8h8 e7e8q",
        refutation: "g8f8 f6f7 f8e7 h5h6",
        evals: [Eval::mate(2), Eval::cp(2244)],
    };
    let (_, [text, _]) = case.reason_of_loss(0.0).unwrap();
    assert_eq!(text, "Misses mate in 2: 62. e7 Kh8 63. e8=Q#.");
}

/// The search after a move may find a faster mate than the search before it. The sentence counts
/// the moves of the line that is shown.
#[test]
fn a_mate_has_as_many_moves_as_its_line() {
    let case = Case {
        fen: "r5k1/5ppp/8/8/8/8/1r3PPP/3R2K1 w - - 0 30",
        played: "d1d3",
        best: "d1a1 b2b8 a1a8 b8a8",
        refutation: "b2b1 d3d1 b1d1",
        evals: [Eval::cp(-600), Eval::mate(-3)],
    };
    let (reason, _) = case.reason().unwrap();
    assert_eq!((reason.line.len(), reason.gain), (3, Gain::Mate(2)));
}

/// If a move loses a pawn and misses the win of a rook, the rook is the reason.
#[test]
fn the_greater_claim_comes_first() {
    let case = Case {
        fen: "r5k1/p1p2ppp/8/8/1P6/P2rPB2/3P1PPP/2B2K2 w - - 1 24",
        played: "f3e2",
        best: "f3a8 d3d8 a8f3 c7c5",
        refutation: "d3b3 e2f3 a8c8 f3g4 b3b1 g4c8 b1c1 f1e2 c1a1 c8a6 a1a3",
        evals: cp(528, -250),
    };
    let (reason, [text, _]) = case.reason().unwrap();
    assert_eq!(reason.kind, ReasonKind::Misses);
    assert_eq!(text, "Misses 24. Bxa8, which wins the rook.");
}

/// A piece that captured and is then recaptured is not a hanging piece.
#[test]
fn trades_are_no_hanging_pieces() {
    let queen = Case {
        fen: "3r2k1/pp3p1p/1q4pb/r3p3/8/3Q2PP/P4PB1/R4RK1 w - - 4 27",
        played: "d3d8",
        best: "d3e2 a5a3 h3h4",
        refutation: "b6d8 a1d1 d8e7",
        evals: cp(190, -120),
    };
    let (_, [text, german]) = queen.reason().unwrap();
    assert_eq!(text, "Loses the queen for a rook: 27... Qxd8.");
    assert_eq!(german, "Verliert die Dame für einen Turm: 27... Dxd8.");
}

/// A piece that is exchanged for another one is not the prize of the line, and pieces that are lost
/// for another reason are not trapped.
#[test]
fn motifs_name_what_the_line_wins() {
    // White wins a bishop but loses a bishop in exchange.
    let taken = Case {
        fen: "3r2k1/2p2ppp/1p3n2/8/3BP3/8/bPP1B1PP/2K4R b - - 1 21",
        played: "f6d7",
        best: "d8d4 b2b3 d4d8 c1b2 f6e4 b2a2 e4c5",
        refutation: "b2b3 c7c5 d4c3",
        evals: cp(60, -150),
    };
    let (_, [english, german]) = taken.reason().unwrap();
    assert_eq!(english, "Misses 21... Rxd4, which wins a pawn in the end.");
    assert_eq!(
        german,
        "Verpasst 21... Txd4, was am Ende einen Bauern gewinnt."
    );
    // The check leaves the knight no move, but does not trap it: its defender is drawn away.
    let check = Case {
        fen: "r1b1k2r/pppp1Npp/8/4p3/2B1n2q/4Q3/PPnP2PP/RNB3KR w kq - 0 10",
        played: "e3f3",
        best: "f7h8 c2e3 d2e3",
        refutation: "h4e1 f3f1 e1f1 c4f1 e8f7 f1c4 f7g6 d2d3 c2a1",
        evals: cp(100, -600),
    };
    let (reason, _) = check.reason().unwrap();
    assert_ne!(reason.motif, Some(Motif::TrappedPiece), "{reason:?}");
}

/// A sentence shows the line up to the capture of the lost piece.
#[test]
fn lines_are_shown_to_the_loss() {
    let exchange = Case {
        fen: "4rrk1/5ppp/8/8/4N3/8/5PPP/3RR1K1 b - - 0 1",
        played: "g8h8",
        best: "e8e7 e4c5 f8c8",
        refutation: "e4d6 h7h6 h2h3 g7g6 d6e8 f8e8 e1e8 h8g7",
        evals: cp(0, -300),
    };
    let (_, [text, _]) = exchange.reason().unwrap();
    assert!(text.contains("Nxe8") || text.contains("Rxe8"), "{text}");
}

/// Reading rejects a line that is too long, together with its reason.
#[test]
fn the_line_of_a_long_mate_is_read_back() {
    let mate = "c5d5 a8a7 d5a5 a7b8 a5b6 b8c8 b6c6 c8d8 c6b7 d8e8 b7g7 e8d8 b4b5 d8c8 b5b6 c8d8 b6b7 d8e8 b7c6 e8d8 g7f8";
    let fen = "K7/1P6/8/2q5/1k6/8/8/8 b - - 12 67";
    let evals = [Eval::mate(11), Eval::cp(0)];
    let case = Case {
        fen,
        played: "b4b5",
        best: mate,
        refutation: "b7b8q",
        evals,
    };
    let (reason, [text, _]) = case.reason().unwrap();
    assert_eq!(text, "Misses a forced mate: 67... Qd5.");
    let before = History::from_fen(fen, None).unwrap();
    let played = before.parse_uci("b4b5").unwrap();
    let uci = reason.uci(&before);
    let uci = || uci.iter().map(String::as_str);
    let read = |gain: &str| Proof::read(["misses", gain], uci(), Limit::Nodes(1), &before, played);
    let proof = read(&reason.gain.word()).unwrap();
    assert_eq!(
        (proof.kind, &proof.line, proof.gain),
        (reason.kind, &reason.line, reason.gain)
    );
    for gain in ["king3", "pawn1", "queen-king9"] {
        assert_eq!(read(gain), None, "{gain} cannot be won");
    }
}

/// Covers every German sentence that names a piece.
#[test]
fn german_nouns_have_their_gender_and_case() {
    use shakmaty::{Role, Square};

    let sentence = |motif, targets: Vec<(Role, Square)>| {
        let gain = Gain::Material(Prize::Piece(Role::Queen), 9);
        let mut reason = Reason::new(ReasonKind::Allows, Vec::new(), gain);
        (reason.motif, reason.targets) = (Some(motif), targets);
        let san = ["Re1".to_owned()];
        let around = Around {
            number: 7,
            is_white: true,
            san: &san,
            played_to: Square::A1,
            behind: 0,
            better: "6... h6",
        };
        Language::ALL.map(|language| language.reason_sentence(&reason, &around))
    };
    let (queen, knight) = ((Role::Queen, Square::E7), (Role::Knight, Square::D4));
    for (motif, targets, english, german) in [
        (
            Motif::Pin,
            vec![queen],
            "Allows 7. Re1, which wins the pinned queen on e7.",
            "Erlaubt 7. Te1, was durch eine Fesselung die Dame auf e7 gewinnt.",
        ),
        (
            Motif::RemovedDefender,
            vec![queen, knight],
            "Allows 7. Re1, which takes the defender of the knight on d4.",
            "Erlaubt 7. Te1, was die Deckung wegschlägt: Dann fällt der Springer auf d4.",
        ),
        (
            Motif::Fork,
            vec![queen, knight],
            "Allows 7. Re1, which forks queen and knight.",
            "Erlaubt 7. Te1 mit einer Gabel: Dame und Springer.",
        ),
        (
            Motif::Fork,
            vec![(Role::Rook, Square::E8), (Role::Rook, Square::D4)],
            "Allows 7. Re1, which forks two rooks.",
            "Erlaubt 7. Te1 mit einer Gabel: zwei Türme.",
        ),
    ] {
        assert_eq!(
            sentence(motif, targets),
            [english, german].map(String::from)
        );
    }
}

/// The lost piece is the one that is captured first, even if another piece of the same value is
/// exchanged later.
#[test]
fn exchanges_do_not_rename_what_is_lost() {
    let knight = Case {
        fen: "rnbqkb1r/pppp1ppp/7n/4p3/8/3PPP2/PPP3PP/RNBQKBNR b KQkq - 0 3",
        played: "h6g4",
        best: "d7d5 g1e2 b8c6",
        refutation: "f3g4 d7d5 b1c3 b8c6 f1e2 f8b4 a2a3 b4c3 b2c3",
        evals: cp(20, -330),
    };
    let (reason, [text, _]) = knight.reason().unwrap();
    assert_eq!(
        reason.gain,
        Gain::Material(Prize::Piece(shakmaty::Role::Knight), 3)
    );
    assert_eq!(text, "Puts the knight on g4, where it is lost: 4. fxg4.");
}

#[test]
fn losses_without_proof_have_no_reason() {
    // An exchange wins nothing before it is complete.
    let exchange = Case {
        fen: "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
        played: "d2d3",
        best: "e1g1 f8c5 c2c3",
        refutation: "d7d5 e4d5 f6d5",
        evals: cp(30, -80),
    };
    assert_eq!(exchange.reason().map(|(_, [text, _])| text), None);
    // The evaluation contradicts the loss of a rook.
    let rook = Case {
        fen: "r3k3/ppp3pp/8/3N4/8/7P/PPP3P1/4K3 b q - 0 1",
        played: "a7a6",
        best: "e8d7 d5f4 a8e8",
        refutation: "d5c7 e8d7 c7a8",
        evals: cp(-100, -130),
    };
    assert_eq!(rook.reason().map(|(_, [text, _])| text), None);
}

/// The sentence of each idea, and of what a move with it does.
#[test]
fn ideas_have_sentences() {
    use shakmaty::{Role, Square};

    let of = |kind, idea, targets: &[(Role, Square)], san: &[&str]| {
        let start = History::default();
        let mut reason = Reason::new(
            kind,
            vec![start.parse_uci("e2e4").unwrap(); san.len()],
            Gain::Idea(idea),
        );
        reason.targets = targets.to_vec();
        reason.piece = Some((Role::Bishop, Square::D3));
        let san: Vec<String> = san.iter().map(|san| (*san).to_owned()).collect();
        let around = Around {
            number: 12,
            is_white: true,
            san: &san,
            played_to: Square::A1,
            behind: 0,
            better: "11... h6",
        };
        Language::ALL.map(|language| language.reason_sentence(&reason, &around))
    };
    let (allows, misses, achieves) = (ReasonKind::Allows, ReasonKind::Misses, ReasonKind::Achieves);
    let queen = [(Role::Queen, Square::D7)];
    let rook = Idea::ThreatensPiece(Role::Rook, Square::A8);
    for (kind, idea, targets, san, english, german) in [
        (
            allows,
            Idea::Threat,
            &queen[..],
            &["Bb5"][..],
            "Overlooks the threat 12. Bb5, which attacks the queen on d7.",
            "Übersieht die Drohung 12. Lb5, was die Dame auf d7 angreift.",
        ),
        (
            allows,
            Idea::Prevention,
            &queen,
            &["Bb5"],
            "Allows 12. Bb5, which attacks the queen on d7; 11... h6 prevents it.",
            "Erlaubt 12. Lb5, was die Dame auf d7 angreift; 11... h6 verhindert das.",
        ),
        (
            allows,
            Idea::Attack,
            &queen,
            &["Bb5"],
            "Allows 12. Bb5, which attacks the queen on d7.",
            "Erlaubt 12. Lb5, was die Dame auf d7 angreift.",
        ),
        (
            allows,
            Idea::MateThreat,
            &[],
            &["Qg4"],
            "Allows 12. Qg4, which threatens mate.",
            "Erlaubt 12. Dg4 mit Mattdrohung.",
        ),
        (
            misses,
            Idea::ThreatensMate,
            &[],
            &["Qg4"],
            "Misses 12. Qg4, which threatens mate.",
            "Verpasst 12. Dg4 mit Mattdrohung.",
        ),
        (
            misses,
            rook,
            &[],
            &["Bf3"],
            "Misses 12. Bf3, which threatens the rook on a8.",
            "Verpasst 12. Lf3, was den Turm auf a8 bedroht.",
        ),
        (
            achieves,
            rook,
            &[],
            &["Bf3"],
            "Threatens the rook on a8.",
            "Bedroht den Turm auf a8.",
        ),
        (
            misses,
            Idea::QueenTrade,
            &[],
            &["Qd4", "Qxd4", "exd4"],
            "Misses the exchange of queens: 12. Qd4 Qxd4 13. exd4.",
            "Verpasst den Damentausch: 12. Dd4 Dxd4 13. exd4.",
        ),
        (
            allows,
            Idea::QueenTrade,
            &[],
            &["Qxd8"],
            "Allows the exchange of queens: 12. Qxd8.",
            "Lässt den Damentausch zu: 12. Dxd8.",
        ),
        (
            misses,
            Idea::Castling,
            &[],
            &["O-O"],
            "Misses 12. O-O, which brings the king to safety.",
            "Verpasst 12. O-O, was den König in Sicherheit bringt.",
        ),
        (
            misses,
            Idea::Break,
            &[],
            &["d5"],
            "Misses the pawn break 12. d5.",
            "Verpasst den Vorstoß 12. d5.",
        ),
        (
            misses,
            Idea::Development,
            &[],
            &["Bd3"],
            "Misses 12. Bd3, which develops the bishop.",
            "Verpasst 12. Ld3, was den Läufer entwickelt.",
        ),
        (
            misses,
            Idea::Order,
            &[],
            &["b4", "Bd6", "Nd2"],
            "Better in the other order: first 12. b4, then 13. Nd2.",
            "Besser in anderer Reihenfolge: erst 12. b4, dann 13. Sd2.",
        ),
    ] {
        assert_eq!(
            of(kind, idea, targets, san),
            [english, german].map(String::from)
        );
    }
}
