//! Three questions that check whether two engines give the same answers.

use centipawn_core::{History, Score};
use centipawn_engine::{Analyst, AnalystError, Limit, Question};

/// An opening, a middlegame and an endgame.
const POSITIONS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 8",
    "8/5pk1/4p1p1/3pP2p/1p1P1P1P/1P2K1P1/8/8 w - - 0 40",
];

/// Nodes for each.
const NODES: u64 = 50_000;

/// The answers of `analyst`, a line each. Empty for an engine that searches with several threads, whose answers vary.
///
/// # Errors
///
/// Those of the analyst.
pub(crate) fn prove(analyst: &dyn Analyst) -> Result<Vec<String>, AnalystError> {
    let identity = analyst.identity();
    let has_threads = |(name, value): (&String, &String)| name.ends_with("Threads") && value != "1";
    if identity.options.iter().any(has_threads) {
        return Ok(Vec::new());
    }
    let positions = POSITIONS.iter().filter_map(|fen| History::from_fen(fen, None).ok());
    positions
        .map(|position| {
            let analysis = analyst.analyse(&Question::new(position.clone(), Limit::Nodes(NODES)))?;
            let best = analysis.best().map_or_else(String::new, |line| {
                let eval = match line.eval.score() {
                    Score::Cp(cp) => format!("{cp} cp"),
                    Score::Mate(moves) => format!("mate {moves}"),
                };
                format!("{} {eval} depth {}", position.uci(line.first_move()), line.depth)
            });
            Ok(format!("{best}, {} nodes", analysis.nodes))
        })
        .collect()
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
