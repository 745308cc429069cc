//! The engine work on one game or position, in a process that only records the engine's answers.
//! Another process repeats the work with these answers.

use centipawn_core::History;
use centipawn_engine::{Analyst, AnalystError, Identity, Limit};
use centipawn_judge::{FindJob, Finder, PositionCount, ease::EaseJob};
use centipawn_pgn::Game;
use centipawn_policy::Network;
use centipawn_progress::{self as progress, Cancel, Job, Silent, run_jobs};
use centipawn_puzzle::RuleSet;
use centipawn_review::FindKey;
use centipawn_store::{Recorder, Transcript};

use super::evaluate::Evaluating;
use crate::engine::{Recipe, Work as _};

/// Nodes that mining takes for a game with evaluations, at full effort
/// (docs/how-we-know/puzzles.md).
const NODES_MINED: f64 = 3.7e6;

/// Nodes that mining takes for each position of a game without evaluations, at full effort.
const NODES_SCANNED: f64 = 4e5;

/// Number of nodes that one core searches in a millisecond.
const NODES_A_MILLISECOND: u64 = 1000;

/// Number of searches for the lines and the natural moves of a position, for an estimate.
const SEARCHES_FOR_EASE: u64 = 2;

/// Returns whether [`perform`] knows this work: reviews, mining, ease of games, and evaluating
/// games between humans.
pub(crate) fn is_fleet_work(recipe: &Recipe) -> bool {
    matches!(
        recipe,
        Recipe::Review(_) | Recipe::Mine(_) | Recipe::Ease(_) | Recipe::EvaluateHuman(_)
    )
}

/// Asks `analyst` every question that the work on `game` needs. Returns the answers, and the nodes
/// they took; with the answers the same work runs elsewhere without an engine, on one thread, and
/// gives the same result.
///
/// `None` if `cancel` was set, or if this is no work on games.
///
/// # Errors
///
/// The first error of `analyst`.
pub fn perform(
    recipe: &Recipe,
    game: Game,
    analyst: &dyn Analyst,
    networks: &[Network],
    cancel: &Cancel,
) -> Option<Result<(Transcript, u64), AnalystError>> {
    let recorder = Recorder::new(analyst);
    let count = PositionCount::new(&Silent);
    let cancelled = match recipe {
        Recipe::Review(options) => {
            let finder = Finder {
                analyst: &recorder,
                networks,
                options: &options.judge,
                count: &count,
            };
            run(FindJob::new(finder, game), cancel)
        }
        Recipe::Mine(options) => {
            let rules = options.rules_for(&analyst.identity().name);
            run(rules.job(game, &recorder, &|| ()), cancel)
        }
        Recipe::Ease(options) => {
            let judge = options.judge(networks, Some(&recorder));
            run(EaseJob::of_game(judge, &count, 1, game, options), cancel)
        }
        Recipe::EvaluateHuman(options) => {
            let accepts = |game: &Game| options.count.accepts(game).is_ok();
            let (recipe, positions) = (recipe.clone(), options.positions());
            let work = Evaluating {
                recipe,
                options: positions,
                accepts: &accepts,
                analyst: &recorder,
                count: &count,
            };
            run(work.job(game), cancel)
        }
        Recipe::Verify(_) | Recipe::Rate(_) | Recipe::Evaluate(_) => true,
    };
    (!cancelled).then(|| recorder.finish())
}

/// Like [`perform`], for a single position; the only such work is ease.
///
/// `None` if `cancel` was set, or if the recipe is no work on positions.
///
/// # Errors
///
/// The first error of `analyst`.
pub(crate) fn perform_position(
    recipe: &Recipe,
    position: History,
    analyst: &dyn Analyst,
    networks: &[Network],
    cancel: &Cancel,
) -> Option<Result<(Transcript, u64), AnalystError>> {
    let Recipe::Ease(options) = recipe else {
        return None;
    };
    let recorder = Recorder::new(analyst);
    let count = PositionCount::new(&Silent);
    let judge = options.judge(networks, Some(&recorder));
    let cancelled = run(
        EaseJob::of_position(judge, &count, 1, position, options),
        cancel,
    );
    (!cancelled).then(|| recorder.finish())
}

/// Runs the job on one thread. With several threads it would start searches that turn out to be
/// unnecessary, so a repetition could ask other questions.
fn run(job: impl Job, cancel: &Cancel) -> bool {
    run_jobs(std::iter::once(job), 1, cancel, |_| ())
}

/// Returns everything besides the game on which its answers depend: equal keys mean equal
/// questions. The language of a review is not part of it, for example.
pub fn game_key(recipe: &Recipe, engine: &Identity, networks: &[progress::Network]) -> String {
    if let Recipe::Review(options) = recipe {
        return FindKey::new(&options.judge, Some(engine), networks).text();
    }
    serde_json::to_string(&(recipe, engine, networks)).unwrap_or_default()
}

/// Returns an estimate of the nodes that the work on a game takes.
pub fn nodes_of_game(recipe: &Recipe, game: &Game) -> u64 {
    let plies = game.plies.len() as u64;
    match recipe {
        Recipe::Review(options) => {
            plies * nodes(options.judge.quick.unwrap_or(options.judge.limit))
        }
        Recipe::Ease(options) => plies * nodes(options.limit),
        Recipe::Mine(options) => {
            let has_evals = game
                .plies
                .iter()
                .any(|ply| ply.comments.iter().any(|comment| comment.contains("%eval")));
            let has_scores =
                has_evals && !options.ignore_evals && options.rules != RuleSet::Classic;
            let nodes = if has_scores {
                NODES_MINED
            } else {
                NODES_SCANNED * plies as f64
            };
            (nodes * options.effort) as u64
        }
        Recipe::EvaluateHuman(options) => {
            plies / options.evaluation.every.max(1) as u64 * nodes(options.evaluation.limit)
        }
        Recipe::Verify(_) | Recipe::Rate(_) | Recipe::Evaluate(_) => 0,
    }
}

/// Returns an estimate of the nodes that the work on a single position takes.
pub(crate) fn nodes_of_position(recipe: &Recipe) -> u64 {
    match recipe {
        Recipe::Ease(options) => {
            SEARCHES_FOR_EASE * options.ahead.max(1) as u64 * nodes(options.limit)
        }
        _ => 0,
    }
}

/// Returns the estimated nodes of one search, by its limit.
fn nodes(limit: Limit) -> u64 {
    match limit {
        Limit::Nodes(nodes) => nodes,
        Limit::MoveTime(time) => time.as_millis() as u64 * NODES_A_MILLISECOND,
        // The nodes double every two plies; depth 20 means a million.
        Limit::Depth(depth) => 1000 << (depth / 2).min(40),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use centipawn_engine::{Analysis, Line, Question};
    use centipawn_judge::{JudgeOptions, ease::EaseOptions};
    use centipawn_pgn::Reader;
    use centipawn_puzzle::MineOptions;
    use centipawn_review::ReviewOptions;
    use centipawn_store::Replay;

    use super::*;

    /// An analyst whose evaluations are hashes of the position, so that puzzles are found.
    struct Hashing;

    impl Analyst for Hashing {
        fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
            let eval = |text: &str| {
                text.bytes().fold(7_i32, |sum, byte| {
                    sum.wrapping_mul(31).wrapping_add(byte.into())
                }) % 400
            };
            let mut lines: Vec<Line> = question
                .candidates()?
                .into_iter()
                .map(|mv| {
                    let text = format!("{}{mv}", question.history.fen());
                    Line {
                        pv: vec![mv],
                        eval: centipawn_core::Eval::cp(eval(&text)),
                        last_exact: None,
                        wdl: None,
                        depth: 9,
                        seldepth: None,
                    }
                })
                .collect();
            lines.sort_by_key(|line| std::cmp::Reverse(line.eval));
            lines.truncate(question.lines.max(1));
            Ok(Analysis {
                lines,
                nodes: 10,
                depth: 9,
                time: std::time::Duration::ZERO,
            })
        }

        fn identity(&self) -> Arc<Identity> {
            Arc::new(Identity {
                name: "Hashing".to_owned(),
                author: String::new(),
                options: [].into(),
            })
        }

        fn parallelism(&self) -> usize {
            1
        }
    }

    fn game() -> Game {
        let pgn = "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1";
        Reader::new(pgn.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap()
    }

    #[test]
    fn repeated_work_needs_only_the_recorded_answers() {
        let network = Network::find(Network::BUNDLED, centipawn_policy::Kernel::best()).unwrap();
        let networks = [network];
        for recipe in [
            Recipe::Review(
                JudgeOptions::new(Limit::Nodes(10))
                    .with_networks(&networks)
                    .into(),
            ),
            Recipe::Mine(MineOptions::default()),
            Recipe::Ease(EaseOptions::new(Limit::Nodes(10))),
        ] {
            assert!(is_fleet_work(&recipe));
            let (first, nodes) = perform(&recipe, game(), &Hashing, &networks, &Cancel::new())
                .unwrap()
                .unwrap();
            assert!(
                first.len() > 10 && nodes >= 10 * first.len() as u64,
                "{} {nodes}",
                first.len()
            );
            let replay = Replay::new(Hashing.identity());
            replay.load(first.clone());
            let (again, _) = perform(&recipe, game(), &replay, &networks, &Cancel::new())
                .unwrap()
                .unwrap();
            assert_eq!(again, first);
            assert!(nodes_of_game(&recipe, &game()) > 0);
        }
    }

    #[test]
    fn keys_ignore_options_without_influence_on_questions() {
        let options = ReviewOptions::new(Limit::Nodes(10));
        let key =
            |options: ReviewOptions| game_key(&Recipe::Review(options), &Hashing.identity(), &[]);
        let german = ReviewOptions {
            language: "de".parse().unwrap(),
            ..options.clone()
        };
        assert_eq!(key(options.clone()), key(german));
        assert_ne!(key(options), key(ReviewOptions::new(Limit::Nodes(11))));
    }
}
