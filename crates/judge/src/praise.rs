//! Decides which good moves are praised. Obvious moves get no symbol, `!` marks moves that most
//! players miss, `!?` interesting moves, and `!!` sacrifices and moves that humans rarely find.

use centipawn_core::{Eval, History, MoveSymbol, Mover, piece_value, static_exchange_eval};
use shakmaty::{Chess, Color, Move, Position as _, Role};

use crate::{JudgedMove, ease::JudgedEase, likelihood::likelihood};

/// The reason why a move does not get the symbol that its loss or its lead gives: `!!`, `!` and
/// `!?` of obvious moves, and `?!` of moves in known openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suppression {
    /// The move recaptures.
    Recapture,
    /// The move captures a piece that has just moved there without a capture.
    JustMoved,
    /// The move captures and wins material by the exchange on that square alone.
    WinsMaterial,
    /// The move answers a check that has four answers at most. It may still be the only move (`□`).
    AnswersCheck,
    /// The position had only two legal moves. It may still be the only move (`□`).
    TwoMoves,
    /// The move mates.
    Mates,
    /// The move wins material by the exchange on its square alone, and leads to a forced mate.
    MatesByCapture,
    /// The player's previous move already led to a forced mate, and this one continues it without a
    /// sacrifice.
    MateContinues,
    /// The player played the same move in the same position before.
    Repeats,
    /// The move is not among the analyst's lines. It was searched alone, to a greater depth, so the
    /// comparison would be unfair.
    NotListed,
    /// The move belongs to a known opening.
    Theory,
    /// At least half of the players of that rating find the move. It may still be the only move
    /// (`□`).
    Natural,
    /// The move would get `!?`, but many players find it, it is no sacrifice, and the position is
    /// not lost.
    NotInteresting,
}

/// Maximum number of legal answers to a check that make the answer obvious.
const FEW_ANSWERS: usize = 4;
/// Minimum value of a piece left en prise, in pawns: the exchange.
const SACRIFICE: i32 = 2;
/// Minimum expected score of the mover after a brilliant sacrifice.
const NOT_WORSE: f64 = 7.0 / 20.0;
/// Below this probability of being played, a move counts as rarely found by humans.
const RARELY_FOUND: f64 = 0.1;
/// Minimum probability of a natural move.
const NATURAL: f64 = 0.5;
/// Maximum probability of a move that is interesting because few players choose it.
const SELDOM: f64 = 0.2;
/// Maximum expected score of a lost position, in which a rare move counts as a last try.
const LOST: f64 = 1.0 / 8.0;

impl Suppression {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Suppression::Recapture => "recapture",
            Suppression::JustMoved => "just moved",
            Suppression::WinsMaterial => "wins material",
            Suppression::AnswersCheck => "answers check",
            Suppression::TwoMoves => "two moves",
            Suppression::Mates => "mates",
            Suppression::MatesByCapture => "mates by capture",
            Suppression::MateContinues => "mate continues",
            Suppression::Repeats => "repeats",
            Suppression::NotListed => "not listed",
            Suppression::Theory => "theory",
            Suppression::Natural => "natural",
            Suppression::NotInteresting => "not interesting",
        }
    }

    /// Returns whether the move may still get `□`. Such a move is obvious, but the reader learns
    /// that all others fail.
    pub(crate) fn allows_only_move(self) -> bool {
        matches!(
            self,
            Suppression::AnswersCheck | Suppression::TwoMoves | Suppression::Natural
        )
    }

    /// Returns the reason to suppress praise of a move worth `played`; `previous` are the judged
    /// moves before it.
    pub(crate) fn of(
        before: &History,
        mv: Move,
        played: Eval<Mover>,
        is_listed: bool,
        previous: &[JudgedMove],
    ) -> Option<Self> {
        let (position, mover) = (before.position(), before.turn());
        let mates = |eval: Eval<Mover>| eval.mate_moves().is_some_and(|moves| moves > 0);
        let answers = position.legal_moves().len();
        match previous {
            [.., last] if mv.is_capture() && mv.to() == last.mv.to() => {
                return Some(if last.mv.is_capture() {
                    Suppression::Recapture
                } else {
                    Suppression::JustMoved
                });
            }
            [.., own, _]
                if mates(played)
                    && mates(own.eval_played.for_mover(mover))
                    && !is_sacrifice(position, mv) =>
            {
                return Some(Suppression::MateContinues);
            }
            _ => {}
        }
        let is_same = |ply: &JudgedMove| {
            ply.mover == mover && ply.mv == mv && ply.before.position().board() == position.board()
        };
        match () {
            () if previous.iter().any(is_same) => Some(Suppression::Repeats),
            // Report a capture that mates as a mate, not as a win of material.
            () if after(position, mv).is_checkmate() => Some(Suppression::Mates),
            () if wins_material(position, mv) && !mates(played) => Some(Suppression::WinsMaterial),
            () if wins_material(position, mv) => Some(Suppression::MatesByCapture),
            () if !is_listed => Some(Suppression::NotListed),
            () if position.is_check() && answers <= FEW_ANSWERS => Some(Suppression::AnswersCheck),
            () if answers == 2 => Some(Suppression::TwoMoves),
            () => None,
        }
    }
}

/// A move that may get a symbol of praise, with the facts that [`Suppression::of_earned`] needs.
pub(crate) struct Praised<'a> {
    pub(crate) before: &'a History,
    pub(crate) mv: Move,
    pub(crate) played: Eval<Mover>,
    /// Expected score after the move, 0..=1.
    pub(crate) expected_score: f64,
    /// Whether the move belongs to a known opening.
    pub(crate) is_theory: bool,
    /// The mover's rating.
    pub(crate) rating: Option<u32>,
}

impl Suppression {
    /// Returns the reason to suppress a symbol of praise that the move would otherwise keep: `!` is
    /// for moves that fewer than half of the players find, and `!?` for interesting moves: seldom
    /// found, a sacrifice, or a try in a lost position. `!!` stays.
    pub(crate) fn of_earned(symbol: MoveSymbol, praised: &Praised<'_>) -> Option<Self> {
        let Praised {
            before,
            mv,
            played,
            expected_score,
            is_theory,
            rating,
        } = *praised;
        if symbol == MoveSymbol::Brilliant {
            return None;
        }
        if is_theory {
            return Some(Suppression::Theory);
        }
        let likelihood = likelihood(before, mv, rating);
        let is_found_by = |share: f64| likelihood.is_some_and(|found| found >= share);
        if symbol == MoveSymbol::Good {
            return is_found_by(NATURAL).then_some(Suppression::Natural);
        }
        let position = before.position();
        let is_announced_mate = played.mate_moves().is_some_and(|moves| moves > 0);
        let is_try = is_sacrifice(position, mv)
            || !is_found_by(SELDOM)
            || (expected_score <= LOST && !is_found_by(NATURAL));
        let is_interesting = is_try && !is_announced_mate && !is_retreat(position, mv);
        (!is_interesting).then_some(Suppression::NotInteresting)
    }
}

/// Returns whether a piece moves backwards, or away from a square where the opponent could win it,
/// without a capture or a check.
fn is_retreat(position: &Chess, mv: Move) -> bool {
    let Some(from) = mv
        .from()
        .filter(|_| mv.role() != Role::Pawn && !mv.is_capture() && !mv.is_castle())
    else {
        return false;
    };
    let side = position.turn();
    if after(position, mv).is_check() || is_sacrifice(position, mv) {
        return false;
    }
    let is_back = match side {
        Color::White => mv.to().rank() < from.rank(),
        Color::Black => mv.to().rank() > from.rank(),
    };
    let was_attacked = || {
        let other = position.clone().swap_turn().ok();
        other.is_some_and(|other| {
            let captures = other.capture_moves();
            captures
                .iter()
                .any(|&capture| capture.to() == from && static_exchange_eval(&other, capture) > 0)
        })
    };
    is_back || was_attacked()
}

/// Returns `!!` only for a sacrifice after which the mover is not worse, and for a move that humans
/// rarely find; else `!`. Other symbols stay. `is_rare` says whether humans rarely find the move;
/// it counts only if `ease` is empty.
pub(crate) fn earned(
    symbol: MoveSymbol,
    position: &Chess,
    mv: Move,
    expected_score: f64,
    ease: &[JudgedEase],
    is_rare: bool,
) -> MoveSymbol {
    let is_rare_by_ease = || {
        let mut found = ease
            .iter()
            .filter_map(|judged| judged.policy_probability(mv))
            .peekable();
        found.peek().is_some() && found.all(|probability| probability < RARELY_FOUND)
    };
    let is_brilliant = || {
        (expected_score >= NOT_WORSE && is_sacrifice(position, mv))
            || is_rare_by_ease()
            || (is_rare && ease.is_empty())
    };
    if symbol == MoveSymbol::Brilliant && !is_brilliant() {
        MoveSymbol::Good
    } else {
        symbol
    }
}

/// Returns whether a capture wins material by the exchange on its square.
fn wins_material(position: &Chess, mv: Move) -> bool {
    // `static_exchange_eval` returns 0 for en passant, so look at the opponent's captures
    // afterwards.
    mv.is_capture()
        && (static_exchange_eval(position, mv) > 0
            || (mv.is_en_passant() && !gives_up(position, mv, 0)))
}

/// Returns whether a move gives up material: by the exchange on its own square, or because it
/// leaves a piece en prise that is worth at least the exchange (a rook for a minor piece) more than
/// what it captured. If every legal move loses the material, it is no sacrifice.
fn is_sacrifice(position: &Chess, mv: Move) -> bool {
    let is_given =
        |mv: Move| static_exchange_eval(position, mv) < 0 || gives_up(position, mv, SACRIFICE);
    is_given(mv)
        && position
            .legal_moves()
            .into_iter()
            .any(|other| other != mv && !is_given(other))
}

/// Returns whether after a move some capture of the opponent wins at least `pawns` more than the
/// move took.
fn gives_up(position: &Chess, mv: Move, pawns: i32) -> bool {
    let after = after(position, mv);
    let taken = mv.capture().map_or(0, piece_value);
    let captures = after.capture_moves();
    captures
        .iter()
        .any(|&capture| static_exchange_eval(&after, capture) - taken >= pawns)
}

/// Returns the position after a move.
pub(crate) fn after(position: &Chess, mv: Move) -> Chess {
    let mut after = position.clone();
    after.play_unchecked(mv);
    after
}

#[cfg(test)]
mod tests {
    use centipawn_core::Ease;

    use super::*;
    use crate::ease::EaseMove;

    fn at(fen: &str, uci: &str) -> (Chess, Move) {
        let history = History::from_fen(fen, None).unwrap();
        let mv = history.parse_uci(uci).unwrap();
        (history.position().clone(), mv)
    }

    #[test]
    fn a_sacrifice_gives_up_more_than_it_takes() {
        let is = |fen: &str, uci: &str| {
            let (position, mv) = at(fen, uci);
            is_sacrifice(&position, mv)
        };
        // Morphy's queen sacrifice, and the knight sacrifice before it.
        assert!(is(
            "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16",
            "b3b8"
        ));
        assert!(is(
            "rn2kb1r/p3qppp/2p2n2/1p2p1B1/2B1P3/1QN5/PPP2PPP/R3K2R w KQkq - 0 10",
            "c3b5"
        ));
        // The king's gambit is a sacrifice. An even exchange, and moving a pawn that stays
        // defended, are none.
        assert!(is(
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
            "f2f4"
        ));
        assert!(!is("3rk3/8/8/8/8/8/3R4/3RK3 w - - 0 1", "d2d8"));
        assert!(!is("4k3/3p4/8/8/4P3/8/8/3NK3 w - - 0 1", "e4e5"));
        // A move elsewhere leaves a rook en prise to a bishop.
        assert!(is("4k3/8/8/8/5b2/8/8/2R1K2N w - - 0 1", "h1g3"));
        // A pawn blocks a check, and the queen would be lost after every move. Nothing is given up
        // that could have been kept.
        assert!(!is("2r3k1/1b6/8/8/8/6P1/5PKP/2Q5 w - - 0 1", "f2f3"));
        // Moving the attacked rook away is not a sacrifice.
        assert!(!is("4k3/8/8/8/5b2/8/8/2R1K3 w - - 0 1", "c1c8"));
    }

    #[test]
    fn captures_that_win_by_themselves() {
        let wins = |fen: &str, uci: &str| {
            let (position, mv) = at(fen, uci);
            wins_material(&position, mv)
        };
        assert!(
            wins("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5"),
            "undefended"
        );
        assert!(
            wins("4k3/8/2p5/3r4/4P3/8/8/4K3 w - - 0 1", "e4d5"),
            "a rook for a pawn"
        );
        assert!(
            !wins("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1", "d1d5"),
            "a rook for a pawn of ours"
        );
        assert!(!wins("3rk3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d8"), "even");
        assert!(
            wins("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"),
            "en passant"
        );
        assert!(
            !wins("4k3/4p3/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"),
            "en passant, recaptured"
        );
    }

    #[test]
    fn a_retreat_goes_back_or_leaves_an_attack() {
        let is = |fen: &str, uci: &str| {
            let (position, mv) = at(fen, uci);
            is_retreat(&position, mv)
        };
        let attacked = "4k3/8/8/8/5b2/8/8/2R1K2N w - - 0 1";
        assert!(is(attacked, "c1c6"), "the rook was attacked");
        assert!(
            !is(attacked, "h1g3") && !is(attacked, "c1c8"),
            "an exchange left, and a check"
        );
        let free = "4k3/8/8/3N4/8/8/6P1/4K3 w - - 0 1";
        assert!(is(free, "d5c3"), "back");
        assert!(!is(free, "d5b6") && !is(free, "g2g4") && !is(free, "d5c7"));
        assert!(
            is("4k3/8/8/3n4/8/8/8/4K3 b - - 0 1", "d5e7"),
            "back, for Black"
        );
    }

    #[test]
    fn praise_is_for_what_is_not_obvious() {
        let before = |fen: &str| History::from_fen(fen, None).unwrap();
        let of = |symbol, fen: &str, uci: &str, played, expected_score, is_theory| {
            let before = before(fen);
            let mv = before.parse_uci(uci).unwrap();
            let praised = Praised {
                before: &before,
                mv,
                played,
                expected_score,
                is_theory,
                rating: Some(1500),
            };
            Suppression::of_earned(symbol, &praised)
        };
        let even = Eval::cp(0);
        let italian = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2P2N2/PP1P1PPP/RNBQK2R w KQkq - 1 5";
        let (good, interesting) = (MoveSymbol::Good, MoveSymbol::Interesting);
        assert_eq!(
            of(good, italian, "d2d3", even, 0.5, true),
            Some(Suppression::Theory)
        );
        assert_eq!(
            of(interesting, italian, "d2d3", even, 0.5, false),
            Some(Suppression::NotInteresting)
        );
        assert_eq!(
            of(good, italian, "c4f7", even, 0.5, false),
            None,
            "people seldom sacrifice"
        );
        assert_eq!(of(interesting, italian, "c4f7", even, 0.5, false), None);
        assert_eq!(
            of(interesting, italian, "c4f7", Eval::mate(5), 1.0, false),
            Some(Suppression::NotInteresting)
        );
        assert_eq!(
            of(MoveSymbol::Brilliant, italian, "d2d3", even, 0.5, true),
            None,
            "`!!` stays"
        );
        let obvious = "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3";
        assert_eq!(
            of(good, obvious, "b1c3", even, 0.5, false),
            Some(Suppression::Natural)
        );
    }

    #[test]
    fn brilliance_is_earned() {
        let (position, queen) = at(
            "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16",
            "b3b8",
        );
        let (_, quiet) = at(
            "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16",
            "b3b7",
        );
        let of = |mv, score| earned(MoveSymbol::Brilliant, &position, mv, score, &[], false);
        assert_eq!(
            (of(queen, 1.0), of(quiet, 1.0)),
            (MoveSymbol::Brilliant, MoveSymbol::Good)
        );
        assert_eq!(of(queen, 0.2), MoveSymbol::Good, "a last spite sacrifice");
        assert_eq!(
            earned(MoveSymbol::Interesting, &position, queen, 1.0, &[], false),
            MoveSymbol::Interesting
        );
    }

    /// A move that all networks rarely find can also get `!!`.
    #[test]
    fn what_people_rarely_find_is_brilliant() {
        let (position, mv) = at(
            "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16",
            "b3b7",
        );
        let network = |p: f64| JudgedEase {
            moves: vec![EaseMove {
                mv,
                p,
                p_policy: p,
                eval: Eval::cp(0),
                q: 0.0,
                loss: 0.0,
                share: 0.0,
                early_loss: None,
            }],
            ..JudgedEase::new("maia-1500", None, Ease::forced(), Vec::new())
        };
        let of =
            |ease: &[JudgedEase]| earned(MoveSymbol::Brilliant, &position, mv, 1.0, ease, false);
        assert_eq!(of(&[network(0.05), network(0.09)]), MoveSymbol::Brilliant);
        assert_eq!(of(&[network(0.05), network(0.2)]), MoveSymbol::Good);
        assert_eq!(of(&[]), MoveSymbol::Good);
        let known =
            |ease: &[JudgedEase]| earned(MoveSymbol::Brilliant, &position, mv, 1.0, ease, true);
        assert_eq!(
            (known(&[]), known(&[network(0.2)])),
            (MoveSymbol::Brilliant, MoveSymbol::Good)
        );
    }
}
