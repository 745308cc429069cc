//! Decides which saves are puzzles: those that a mistake of the opponent allows.

use centipawn_core::History;
use shakmaty::{Chess, Move, Position as _};

use crate::{Refusal, ScoredMove, Tree, miner::takes_back};

/// An answer to a check is a choice if there are at least this many. Lichess' tagger uses the same
/// limit for `defensiveMove`.
const CHOICE: usize = 3;

/// A save must reach at least this expected score: nearly half a point.
pub(crate) const EQUAL: f64 = 0.48;

/// The opponent's last move must lose at least this much expected score to allow a save. Lichess'
/// generator requires the same of every puzzle: a change of 0.6 in its winning chances, which range
/// from −1 to 1.
pub(crate) const MISTAKE: f64 = 0.3;

/// Returns the reason why the only move that saves the game is not a puzzle; `None` if it may be
/// one. `is_allowed` states whether the opponent's last move was a [`MISTAKE`], and `is_last`
/// whether the evaluation comes from the last stage, because a shorter search may not find the
/// draw.
///
/// Most positions with a threat have only one defence. Such a defence is a puzzle only if it leads
/// to equality, and if the opponent's mistake made it possible.
pub(crate) fn refusal_of_save(
    history: &History,
    best: &ScoredMove,
    is_allowed: bool,
    is_last: bool,
) -> Option<Refusal> {
    if has_few_answers(history.position()) {
        Some(Refusal::ObviousDefence)
    } else if !is_allowed {
        Some(Refusal::OnlyHolds)
    } else if is_last && best.expected < EQUAL {
        Some(Refusal::StaysWorse)
    } else {
        None
    }
}

/// Returns whether every move of a solution is obvious: a recapture without loss, or an answer to a
/// check without a choice.
pub(crate) fn is_obvious(history: &History, tree: &Tree) -> bool {
    let mut history = history.clone();
    let moves: Vec<Move> = tree.main_moves().collect();
    moves.chunks(2).all(|pair| {
        let is_obvious = takes_back(&history, pair[0]) || has_few_answers(history.position());
        pair.iter().for_each(|&mv| history.push(mv));
        is_obvious
    })
}

fn has_few_answers(position: &Chess) -> bool {
    position.is_check() && position.legal_moves().len() < CHOICE
}

#[cfg(test)]
mod tests {
    use centipawn_core::Eval;

    use super::*;
    use crate::{CorrectMove, Node, Reply};

    fn refusal(
        fen: &str,
        opponent: &str,
        answer: &str,
        cp: i32,
        is_allowed: bool,
    ) -> Option<Refusal> {
        let mut history = History::from_fen(fen, None).unwrap();
        history.push(history.parse_uci(opponent).unwrap());
        let mv = history.parse_uci(answer).unwrap();
        let best = ScoredMove {
            mv,
            eval: Eval::cp(cp),
            expected: 0.5 + f64::from(cp) / 1000.0,
        };
        refusal_of_save(&history, &best, is_allowed, true)
    }

    #[test]
    fn a_defence_is_a_puzzle_only_after_a_mistake() {
        // In the solution, the knight attacks the queen in return.
        let counterattack = |cp, is_allowed| {
            let fen = "r4r1k/ppp2p1p/5p2/2b1p3/2BqP1Q1/2NP3P/PPP3P1/R1BK4 b - - 3 16";
            refusal(fen, "f8g8", "c3e2", cp, is_allowed)
        };
        assert_eq!(counterattack(-10, false), Some(Refusal::OnlyHolds));
        assert_eq!(counterattack(-10, true), None);
        // The solver already had a forced draw before the opponent's move.
        assert_eq!(counterattack(0, false), Some(Refusal::OnlyHolds));
        assert_eq!(counterattack(-30, true), Some(Refusal::StaysWorse));
    }

    #[test]
    fn an_answer_without_a_choice_is_obvious() {
        // The check has two answers.
        let fen = "r3r1k1/pp3pp1/1R3n1p/3b4/8/b1PP1PB1/N4KPP/3Q3R b - - 2 22";
        assert_eq!(
            refusal(fen, "a3c5", "d3d4", 18, true),
            Some(Refusal::ObviousDefence)
        );
    }

    #[test]
    fn recaptures_alone_are_obvious() {
        let is_obvious = |fen: &str, opponent: &str, moves: [&str; 3]| {
            let mut shown = History::from_fen(fen, None).unwrap();
            shown.push(shown.parse_uci(opponent).unwrap());
            let mut after = shown.clone();
            let [first, reply, second] = moves.map(|uci| {
                let mv = after.parse_uci(uci).unwrap();
                after.push(mv);
                mv
            });
            let node = |mv, replies| Node {
                answers: vec![CorrectMove {
                    mv,
                    eval: None,
                    expected: None,
                }],
                replies,
                end: None,
                continuation: Vec::new(),
            };
            let nodes = vec![
                node(first, vec![Reply { mv: reply, next: 1 }]),
                node(second, Vec::new()),
            ];
            super::is_obvious(&shown, &Tree { nodes })
        };
        let fen = "r2r2k1/1pq2ppp/p4n2/5b2/P2nN3/2N1Q3/1PP1BPPP/R3R1K1 b - - 0 19";
        assert!(is_obvious(fen, "f5e4", ["c3e4", "f6e4", "e3e4"]));
        // The king must choose the right square.
        let fen = "2rr4/2N2pk1/p1Q1b1pp/1p4q1/3pP3/1B1P4/PPP3PP/6RK w - - 7 25";
        assert!(!is_obvious(fen, "c7e6", ["f7e6", "c6b7", "g7h8"]));
    }
}
