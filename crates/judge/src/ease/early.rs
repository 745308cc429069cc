//! What moves lose in short searches: strong players avoid a loss more often if it shows early.

use centipawn_core::{Context, EASE_CURVE, History, MoveModel};
use centipawn_engine::{Analyst, AnalystError, Limit, Question};
use shakmaty::Move;

/// Returns the early loss of each move, 0..=1: its mean loss in searches of all these moves to the
/// depths [`MoveModel::EARLY_DEPTHS`]. `None` if an answer does not come from such a search: tables
/// and web services have no depth, and a store may answer with a deeper search if that is allowed.
///
/// Each depth is a separate question, the smallest first, so that it is stored and replayed like
/// every other question.
pub(super) fn early_losses(
    analyst: &dyn Analyst,
    history: &History,
    moves: &[Move],
) -> Result<Option<Vec<f64>>, AnalystError> {
    let context = Context::of(history.position());
    let mut sums = vec![0.0; moves.len()];
    for depth in MoveModel::EARLY_DEPTHS {
        let question = Question::new(history.clone(), Limit::Depth(depth));
        let answer = analyst.analyse(
            &question
                .lines(moves.len())
                .searchmoves(moves.iter().copied()),
        )?;
        let scores = moves.iter().map(|mv| {
            let line = answer.lines.iter().find(|line| line.first_move() == *mv)?;
            (1..=depth)
                .contains(&line.depth)
                .then(|| EASE_CURVE.expected_score(line.eval, context))
        });
        let Some(scores) = scores.collect::<Option<Vec<f64>>>() else {
            return Ok(None);
        };
        let best = scores.iter().copied().fold(0.0, f64::max);
        for (sum, score) in sums.iter_mut().zip(scores) {
            *sum += best - score;
        }
    }
    let count = MoveModel::EARLY_DEPTHS.len() as f64;
    Ok(Some(sums.into_iter().map(|sum| sum / count).collect()))
}
