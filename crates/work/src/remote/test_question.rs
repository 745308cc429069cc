//! A question that shows whether two engines of one name give the same answers.

use centipawn_core::{History, Score};
use centipawn_engine::{Analyst, AnalystError, Limit, Question};

/// A middlegame with many good moves.
const POSITION: &str = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 8";
const NODES: u64 = 50_000;
const LINES: usize = 2;

/// The answer of `analyst` to the test question; `None` for an engine with several threads, whose answers vary.
///
/// # Errors
///
/// Those of the analyst.
pub(super) fn test_answer(analyst: &dyn Analyst) -> Result<Option<String>, AnalystError> {
    let identity = analyst.identity();
    if identity.options.iter().any(|(name, value)| name.ends_with("Threads") && value != "1") {
        return Ok(None);
    }
    let position = History::from_fen(POSITION, None).unwrap_or_default();
    let analysis = analyst.analyse(&Question::new(position.clone(), Limit::Nodes(NODES)).lines(LINES))?;
    let line = |line: &centipawn_engine::Line| {
        let eval = match line.eval.score() {
            Score::Cp(cp) => format!("{cp} cp"),
            Score::Mate(moves) => format!("mate {moves}"),
        };
        format!("{} {eval} at depth {}", position.uci(line.first_move()), line.depth)
    };
    let lines: Vec<String> = analysis.lines.iter().map(line).collect();
    Ok(Some(format!("{}, {} nodes", lines.join(", "), analysis.nodes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_position_is_legal() {
        assert_eq!(History::from_fen(POSITION, None).unwrap().fen(), POSITION);
    }
}
