//! Evaluating positions of games between humans with an engine, for a human curve.

use std::sync::Arc;

use centipawn_calibrate::human::{HumanCountOptions, HumanGame, HumanGames};
use centipawn_core::Curve;
use centipawn_engine::{Analyst, Limit};
use centipawn_judge::PositionCount;
use centipawn_pgn::Sources;
use centipawn_progress::{Cancel, Outcome, ProblemCount, Reporter, shown_path};
use serde::{Deserialize, Serialize};

use super::evaluate::{EvaluateOptions, Evaluating, evaluate_games};
use crate::engine::{Crew, Recipe};

/// How positions are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HumanEvaluation {
    /// How long the engine thinks about a position.
    pub limit: Limit,
    /// The positions to evaluate: every Nth, from the first that counts. Neighbouring positions
    /// give little more information than one of them.
    pub every: usize,
}

impl HumanEvaluation {
    /// Every how many positions by default, in all interfaces.
    pub const EVERY: usize = 3;
}

/// Which positions are evaluated, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HumanEvaluateOptions {
    /// How positions are evaluated.
    #[serde(flatten)]
    pub evaluation: HumanEvaluation,
    /// Which games and positions count.
    #[serde(flatten)]
    pub count: HumanCountOptions,
}

impl HumanEvaluateOptions {
    /// Returns which positions of a game are evaluated.
    pub(super) fn positions(&self) -> EvaluateOptions {
        let HumanEvaluation { limit, every } = self.evaluation;
        EvaluateOptions {
            limit,
            first_ply: self.count.first_ply as usize,
            every,
        }
    }
}

/// Has `crew` evaluate positions of the games of `sources`, and collects them. Games that cannot be
/// read and positions that the analyst cannot answer are reported.
///
/// After `cancel` is set, the run ends as soon as the questions under way are answered; unfinished
/// games are left out.
pub(crate) fn evaluate_human_games<R: Reporter + 'static>(
    sources: &Sources,
    options: &HumanEvaluateOptions,
    analyst: &dyn Analyst,
    crew: &impl Crew,
    cancel: &Cancel,
    problems: &Arc<ProblemCount<R>>,
) -> (HumanGames, Outcome) {
    let count = PositionCount::new(&**problems);
    let work = Evaluating {
        recipe: Recipe::EvaluateHuman(options.clone()),
        options: options.positions(),
        accepts: &|game| options.count.accepts(game).is_ok(),
        analyst,
        count: &count,
    };
    let units =
        options
            .count
            .units
            .unwrap_or_else(|| match Curve::for_engine(&analyst.identity().name) {
                Curve::Wdl(model) => model.pawn_units(),
                _ => 1.0,
            });
    let mut games = HumanGames::new(options.count.per_class);
    games.sources = sources
        .paths()
        .iter()
        .map(|path| shown_path(path))
        .collect();
    let outcome = evaluate_games(sources, &work, crew, cancel, problems, |game, evals| {
        let file = game.place.source.as_deref().unwrap_or_default();
        let source = games
            .sources
            .iter()
            .position(|own| own == file)
            .unwrap_or(0) as u32;
        match HumanGame::evaluated(
            game,
            evals,
            units,
            (source, game.place.game),
            &options.count,
        ) {
            Ok(game) => games.add(game),
            Err(why) => games.leave_out(why),
        }
    });
    (games, outcome)
}
