//! The default rules if an answer is uncertain: close answers are searched again.

use std::sync::Arc;

use crate::scripted::{
    BEFORE, Lines, SHOWN, START, Scripted, board, cp, mine, miner, two_defences,
};
use centipawn_core::Eval;
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Question};
use centipawn_pgn::{Dialect, Game, Reader};
use centipawn_puzzle::{FoundKind, MiningRules, Refusal, Verdict};

/// Answers like the inner analyst, except for searches of a million nodes, which have their own
/// answers.
struct Deep {
    inner: Scripted,
    deep: Scripted,
}

impl Analyst for Deep {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let is_known = self
            .deep
            .known
            .contains_key(&board(&question.history.fen()));
        let is_deep = is_known && question.limit == Limit::Nodes(1_000_000);
        if is_deep {
            self.deep.analyse(question)
        } else {
            self.inner.analyse(question)
        }
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::default()
    }

    fn parallelism(&self) -> usize {
        1
    }
}

/// Returns the verdict and the moves of the first candidate after 1... Kf7.
fn first_candidate(analyst: &dyn Analyst) -> (Verdict, Vec<String>) {
    let pgn = format!("{START}1... Kf7 {{ [%eval 5.1] }} 2. Kf2 {{ [%eval 0.1] }} *");
    let game: Game = Reader::new(pgn.as_bytes())
        .next()
        .unwrap()
        .unwrap()
        .unwrap();
    let rules = MiningRules::Centipawn {
        miner: Box::new(miner()),
        evals: Some(Dialect::Auto),
    };
    let candidate = rules.mine(&game, analyst).unwrap().candidates.remove(0);
    let moves = candidate
        .puzzle
        .map_or_else(Vec::new, |puzzle| puzzle.uci_moves().collect());
    (candidate.verdict, moves)
}

/// A deeper search may give other evaluations, but they must not move towards the other answer.
#[test]
fn a_close_first_move_is_searched_again() {
    let verdict = |[best, second]: [i32; 2], deep: &Lines| {
        let mut inner = Scripted::new(&[
            (SHOWN, &[("b2e5", cp(best)), ("g1f2", cp(second))]),
            (BEFORE, &[("g8f8", cp(0))]),
        ]);
        inner.elsewhere = cp(400);
        let analyst = Deep {
            inner,
            deep: Scripted::new(&[(SHOWN, deep)]),
        };
        let verdict = first_candidate(&analyst).0;
        (verdict, analyst.deep.asked().len())
    };
    let (found, unsure) = (
        Verdict::Found(FoundKind::Wins),
        Verdict::Refused(Refusal::Unsure),
    );
    // The curve gives 3 pawns an expected score of 0.9375, 0 pawns 0.5, and 0.67 pawns 0.69, which
    // is above the limit of 0.6.
    assert_eq!(
        verdict([300, 0], &[("b2e5", cp(310)), ("g1f2", cp(0))]),
        (found, 1)
    );
    assert_eq!(verdict([600, 0], &[("g1f2", cp(900))]), (found, 0));
    // The deeper search moves the evaluation from 3.00 to 2.01 or 1.99 pawns. The same change again
    // would give 1.02 pawns (expected score 0.753) or 0.98 pawns (0.747). The limit is 0.75, so
    // only the second case is unsure.
    assert_eq!(
        verdict([300, 0], &[("b2e5", cp(201)), ("g1f2", cp(0))]),
        (found, 1)
    );
    assert_eq!(
        verdict([300, 0], &[("b2e5", cp(199)), ("g1f2", cp(0))]),
        (unsure, 1)
    );
    assert_eq!(
        verdict([300, 0], &[("b2e5", cp(300)), ("g1f2", cp(49))]),
        (found, 1)
    );
    assert_eq!(
        verdict([300, 0], &[("b2e5", cp(300)), ("g1f2", cp(51))]),
        (unsure, 1)
    );
    // The evaluation of the second move falls, which does not make the answer unsure.
    assert_eq!(
        verdict([300, 18], &[("b2e5", cp(300)), ("d1d5", cp(-40))]),
        (found, 1)
    );
    assert_eq!(
        verdict([300, 0], &[("g1f2", cp(300)), ("b2e5", cp(290))]),
        (unsure, 1)
    );
}

#[test]
fn a_line_ends_before_a_doubtful_answer() {
    let after = "8/8/2p3k1/3pB3/8/8/8/3R2K1 w";
    let moves = |second: i32| {
        let inner = two_defences(-500, 300);
        first_candidate(&Deep {
            inner,
            deep: Scripted::new(&[(after, &[("d1d5", cp(300)), ("g1f2", cp(second))])]),
        })
        .1
    };
    assert_eq!(moves(0), ["g8f7", "b2e5", "f7g6", "d1d5"]);
    assert_eq!(moves(120), ["g8f7", "b2e5"]);
}

/// In the main line of a mate, other moves may win. A branch exists only because it has a single
/// answer.
#[test]
fn a_branch_of_a_mate_has_one_move_that_wins() {
    let pgn = "[FEN \"5k2/8/8/8/8/1R6/R7/6K1 b - - 0 1\"]\n\n1... Ke8 { [%eval #3] } 2. Kf2 { [%eval 0.0] } *";
    let positions = |main: i32, branch: i32| {
        let analyst = Scripted::new(&[
            ("5k2/8/8/8/8/1R6/R7/6K1 b", &[("f8g7", cp(0))]),
            (
                "4k3/8/8/8/8/1R6/R7/6K1 w",
                &[("b3b6", Eval::mate(3)), ("g1f2", cp(0))],
            ),
            (
                "4k3/8/1R6/8/8/8/R7/6K1 b",
                &[("e8d7", Eval::mate(-2)), ("e8f8", Eval::mate(-2))],
            ),
            (
                "8/3k4/1R6/8/8/8/R7/6K1 w",
                &[("a2a7", Eval::mate(2)), ("g1f2", cp(main))],
            ),
            ("8/R2k4/1R6/8/8/8/8/6K1 b", &[("d7e8", Eval::mate(-1))]),
            (
                "5k2/8/1R6/8/8/8/R7/6K1 w",
                &[("b6b7", Eval::mate(2)), ("g1f2", cp(branch))],
            ),
            ("5k2/1R6/8/8/8/8/R7/6K1 b", &[("f8e8", Eval::mate(-1))]),
        ]);
        mine(pgn, &analyst)[0]
            .puzzle
            .as_ref()
            .unwrap()
            .tree
            .as_ref()
            .unwrap()
            .nodes()
            .len()
    };
    assert_eq!(positions(0, 0), 5);
    assert_eq!(positions(900, 0), 5);
    assert_eq!(positions(0, 900), 3);
}
