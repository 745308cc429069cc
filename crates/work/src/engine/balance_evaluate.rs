//! Evaluating all positions of games with an engine, for win-draw balances.

use std::sync::Arc;

use centipawn_calibrate::balance::{BalanceOptions, Matches};
use centipawn_engine::{Analyst, Limit};
use centipawn_judge::PositionCount;
use centipawn_pgn::{Game, Sources};
use centipawn_progress::{Cancel, Outcome, ProblemCount, Reporter, shown_path};
use shakmaty::Outcome as GameResult;

use super::evaluate::{EvaluateOptions, Evaluating, evaluate_games};
use crate::engine::{Crew, Recipe};

/// How games are evaluated for win-draw balances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BalanceEvaluation<'a> {
    /// How long the engine thinks about a position.
    pub(crate) limit: Limit,
    /// Only games of players whose name contains this, in lower case; all by default.
    pub(crate) player: Option<&'a str>,
    /// Options of counting the games.
    pub(crate) count: &'a BalanceOptions,
}

/// Has `crew` evaluate every position in which a move was played, and counts the games; the counts
/// still need [`finish`](Matches::finish). Games without a result are not evaluated. Games that
/// cannot be read and positions that the analyst cannot answer are reported.
///
/// After `cancel` is set, the run ends as soon as the questions under way are answered; unfinished
/// games are left out.
pub(crate) fn evaluate_balance<R: Reporter + 'static>(
    sources: &Sources,
    evaluation: BalanceEvaluation<'_>,
    analyst: &dyn Analyst,
    crew: &impl Crew,
    cancel: &Cancel,
    problems: &Arc<ProblemCount<R>>,
) -> (Matches, Outcome) {
    let BalanceEvaluation {
        limit,
        player,
        count: options,
    } = evaluation;
    let is_played = |game: &Game| {
        let name = |tag: &str| game.headers.get(tag).unwrap_or_default().to_lowercase();
        player.is_none_or(|part| {
            ["White", "Black"]
                .into_iter()
                .any(|tag| name(tag).contains(part))
        })
    };
    let count = PositionCount::new(&**problems);
    count.count_sources(sources.clone(), cancel);
    let evaluate = EvaluateOptions {
        limit,
        first_ply: 0,
        every: 1,
    };
    let work = Evaluating {
        recipe: Recipe::Evaluate(evaluate.clone()),
        options: evaluate,
        accepts: &|game| {
            let is_accepted = is_played(game) && matches!(game.result, GameResult::Known(_));
            if !is_accepted {
                count.add(game.plies.len() as u64);
            }
            is_accepted
        },
        analyst,
        count: &count,
    };
    let files: Vec<String> = sources
        .paths()
        .iter()
        .map(|path| shown_path(path))
        .collect();
    let mut matches = Matches::default();
    let outcome = evaluate_games(sources, &work, crew, cancel, problems, |game, evals| {
        let file = game.place.source.as_deref().unwrap_or_default();
        let source = files.iter().position(|own| own == file).unwrap_or(0);
        if is_played(game) {
            matches.add_evaluated(game, evals, source, options);
        }
    });
    (matches, outcome)
}
