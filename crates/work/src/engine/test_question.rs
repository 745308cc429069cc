//! Questions that show whether two engines of one name give the same answers.

use centipawn_core::{History, Score};
use centipawn_engine::{Analyst, AnalystError, Identity, Limit, Line, Question};

/// An opening, a middlegame with many good moves, and an endgame.
const POSITIONS: [&str; TEST_QUESTIONS] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 8",
    "8/5pk1/4p1p1/3pP2p/1p1P1P1P/1P2K1P1/8/8 w - - 0 40",
];

/// Number of test questions.
pub const TEST_QUESTIONS: usize = 3;

/// Number of nodes for each test question.
const NODES: u64 = 50_000;

/// Returns whether an engine gives the same answer to the same question: one that searches with
/// several threads does not.
pub fn is_repeatable(engine: &Identity) -> bool {
    !engine
        .options
        .iter()
        .any(|(name, value)| name.ends_with("Threads") && value != "1")
}

/// Returns the answer of `analyst` to test question `number` (modulo [`TEST_QUESTIONS`]), for its
/// best `lines` moves: each as UCI with its evaluation and depth, and the nodes of the search.
///
/// # Errors
///
/// Those of the analyst.
pub fn test_answer(
    analyst: &dyn Analyst,
    number: usize,
    lines: usize,
) -> Result<String, AnalystError> {
    let position = History::from_fen(POSITIONS[number % TEST_QUESTIONS], None).unwrap_or_default();
    let analysis =
        analyst.analyse(&Question::new(position.clone(), Limit::Nodes(NODES)).lines(lines))?;
    let line = |line: &Line| {
        let eval = match line.eval.score() {
            Score::Cp(cp) => format!("{cp} cp"),
            Score::Mate(moves) => format!("mate {moves}"),
        };
        format!(
            "{} {eval} depth {}",
            position.uci(line.first_move()),
            line.depth
        )
    };
    let lines: Vec<String> = analysis.lines.iter().map(line).collect();
    Ok(format!("{}, {} nodes", lines.join(", "), analysis.nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_are_legal() {
        for fen in POSITIONS {
            assert_eq!(History::from_fen(fen, None).unwrap().fen(), fen);
        }
    }
}
