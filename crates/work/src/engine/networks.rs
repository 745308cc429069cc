//! Policy networks on positions and whole games: the probability of each move.

use std::sync::Arc;

use centipawn_core::History;
use centipawn_pgn::{Game, Games, Sources, read_ahead};
use centipawn_policy::{EvaluateError, Evaluation, EvaluationDocument, Network};
use centipawn_progress::{Cancel, Outcome, Problem, ProblemCount, Progress, Reporter, Unit};
use shakmaty::Move;

use crate::engine::PositionInput;

/// Number of positions of a game that a network evaluates together.
const BATCH: usize = 64;

/// An event of [`run_networks`], in the order of the input.
#[derive(Debug)]
pub enum NetworkEvent<'a> {
    /// The beginning of a game.
    Game(&'a Game),
    /// A network's answer to a position.
    Answer(NetworkAnswer<'a>),
}

/// A network's answer to one position.
#[derive(Debug)]
#[non_exhaustive]
pub struct NetworkAnswer<'a> {
    /// The position, with the moves that led to it.
    pub history: &'a History,
    /// The place of the position in a game; `None` for a single position.
    pub place: Option<AnswerPlace>,
    /// The network that gave the answer.
    pub network: &'a Network,
    /// The network's probabilities and values.
    pub evaluation: Evaluation,
}

/// A position's place in a game, and the move that was played there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnswerPlace {
    /// The game's number among the games read, from 1.
    pub game: u64,
    /// The number of the ply after the position, from 1.
    pub ply: usize,
    /// The move that was played.
    pub played: Move,
}

impl NetworkAnswer<'_> {
    /// Returns the probability of a move, 0 to 1.
    pub fn probability(&self, mv: Move) -> f64 {
        self.evaluation
            .moves
            .iter()
            .find(|found| found.mv == mv)
            .map_or(0.0, |found| found.probability)
    }

    /// Returns the answer as a document.
    pub fn document(&self) -> EvaluationDocument {
        let document = EvaluationDocument::new(self.network, self.history, &self.evaluation);
        match self.place {
            Some(AnswerPlace { game, ply, played }) => {
                document.in_game(game, ply, self.history, played)
            }
            None => document,
        }
    }
}

/// How networks are run.
#[derive(Clone, Debug)]
pub struct PolicyOptions {
    /// The ratings for which a network that imitates several levels is asked.
    pub levels: Vec<u32>,
}

/// Evaluates positions, or every position of games in which a move was played, with each network at
/// each level, and calls `event` for each answer, in the order of the input.
///
/// Positions without a legal move, unreadable games and files are reported and count as skipped.
/// After `cancel` is set, or after an error of `event`, the rest is left out.
///
/// # Errors
///
/// The first error of `event`.
pub fn run_networks<E>(
    input: &PositionInput,
    networks: &[Network],
    options: &PolicyOptions,
    cancel: &Cancel,
    problems: &Arc<ProblemCount<impl Reporter + 'static>>,
    event: impl FnMut(NetworkEvent<'_>) -> Result<(), E>,
) -> Result<Outcome, E> {
    let mut run = Run {
        networks,
        options,
        cancel,
        problems: &**problems,
        event,
        positions: 0,
    };
    let done = match input {
        PositionInput::Positions(positions) => {
            run.positions(positions.clone().read(cancel, problems))?
        }
        PositionInput::Games(sources) => run.games(sources, problems)?,
    };
    Ok(Outcome {
        done,
        skipped: problems.errors(),
        cancelled: cancel.is_set(),
    })
}

struct Run<'a, F> {
    networks: &'a [Network],
    options: &'a PolicyOptions,
    cancel: &'a Cancel,
    problems: &'a dyn Reporter,
    event: F,
    /// How many positions were evaluated.
    positions: u64,
}

impl<E, F: FnMut(NetworkEvent<'_>) -> Result<(), E>> Run<'_, F> {
    /// Returns how many positions have an answer.
    fn positions(&mut self, mut positions: impl Iterator<Item = History>) -> Result<u64, E> {
        let mut done = 0;
        loop {
            let batch: Vec<History> = positions.by_ref().take(BATCH).collect();
            if batch.is_empty() || self.cancel.is_set() {
                return Ok(done);
            }
            done += self.batch(&batch, |_| None, "", 0)?;
        }
    }

    /// Returns how many games were read.
    fn games(
        &mut self,
        sources: &Sources,
        problems: &Arc<ProblemCount<impl Reporter + 'static>>,
    ) -> Result<u64, E> {
        let mut done = 0;
        for game in read_ahead(Games::new(sources, Arc::clone(problems)), self.cancel) {
            (self.event)(NetworkEvent::Game(&game))?;
            let label = game.headers.get("White").unwrap_or_default();
            let mut line = game.mainline().enumerate();
            loop {
                let batch: Vec<_> = line.by_ref().take(BATCH).collect();
                let Some((first, _)) = batch.first().filter(|_| !self.cancel.is_set()) else {
                    break;
                };
                let histories: Vec<History> = batch
                    .iter()
                    .map(|(_, (history, _))| history.clone())
                    .collect();
                let place = |index: usize| {
                    Some(AnswerPlace {
                        game: done + 1,
                        ply: first + index + 1,
                        played: batch[index].1.1.mv,
                    })
                };
                self.batch(&histories, place, label, done)?;
            }
            if self.cancel.is_set() {
                break;
            }
            done += 1;
        }
        Ok(done)
    }

    /// Evaluates positions together; returns how many have an answer.
    fn batch(
        &mut self,
        histories: &[History],
        place: impl Fn(usize) -> Option<AnswerPlace>,
        label: &str,
        games: u64,
    ) -> Result<u64, E> {
        let answers = self
            .networks
            .iter()
            .map(|network| network.evaluate_many(histories, &self.options.levels));
        let mut answers: Vec<_> = answers.map(Vec::into_iter).collect();
        let mut done = 0;
        for (index, history) in histories.iter().enumerate() {
            let all: Result<Vec<Vec<Evaluation>>, EvaluateError> = answers
                .iter_mut()
                .filter_map(Iterator::next)
                .collect::<Vec<_>>()
                .into_iter()
                .collect();
            self.positions += 1;
            let done_positions = self.positions;
            let progress = Progress {
                done: done_positions,
                total: None,
                unit: Unit::Positions,
                games,
                label: label.to_owned(),
            };
            self.problems.progress(&progress);
            match all {
                Ok(all) => {
                    let all = self.networks.iter().zip(all);
                    for (network, evaluation) in all
                        .flat_map(|(network, all)| all.into_iter().map(move |one| (network, one)))
                    {
                        (self.event)(NetworkEvent::Answer(NetworkAnswer {
                            history,
                            place: place(index),
                            network,
                            evaluation,
                        }))?;
                    }
                    done += 1;
                }
                Err(error) => self.problems.problem(&Problem::error(error)),
            }
        }
        Ok(done)
    }
}
