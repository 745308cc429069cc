//! Policy networks on whole games: the probability of each move.

use centipawn_core::History;
use centipawn_pgn::{Game, Games, Sources, read_ahead};
use centipawn_policy::{EvaluateError, Evaluation, EvaluationDocument, Network};
use centipawn_progress::{Cancel, Outcome, ProblemCount, Progress, Reporter, Unit};
use shakmaty::Move;
use std::sync::Arc;

/// An event of [`run_networks`], in the order of the input.
#[derive(Debug)]
pub enum NetworkEvent<'a> {
    /// A game begins.
    Game(&'a Game),
    /// A network's answer to a position of the game.
    Answer(NetworkAnswer<'a>),
}

/// A network's answer to one position of a game, with the move played there.
#[derive(Debug)]
pub struct NetworkAnswer<'a> {
    /// The game's number among the games read, from 1.
    pub game: u64,
    /// The number of the ply that follows, from 1.
    pub ply: usize,
    /// The position before the move.
    pub history: &'a History,
    /// The move that was played.
    pub played: Move,
    /// The network that answers.
    pub network: &'a Network,
    /// The answer.
    pub evaluation: Evaluation,
}

impl NetworkAnswer<'_> {
    /// The probability of the played move, 0 to 1.
    pub fn probability(&self) -> f64 {
        self.evaluation.moves.iter().find(|mv| mv.mv == self.played).map_or(0.0, |mv| mv.probability)
    }

    /// The answer as a document.
    pub fn document(&self) -> EvaluationDocument {
        let document = EvaluationDocument::new(self.network, self.history, &self.evaluation);
        document.in_game(self.game, self.ply, self.history, self.played)
    }
}

/// Evaluates every position of every game in which a move was played, with each network in turn, and calls `event` for each
/// answer.
///
/// Unreadable games and files are reported and count as skipped. After `cancel` is set, or after an error of `event`, the
/// remaining positions are left out.
///
/// # Errors
///
/// The [`EvaluateError`] of a network, or the first error of `event`.
pub fn run_networks<E: From<EvaluateError>>(
    sources: &Sources,
    networks: &[Network],
    cancel: &Cancel,
    reporter: &Arc<impl Reporter + 'static>,
    mut event: impl FnMut(NetworkEvent<'_>) -> Result<(), E>,
) -> Result<Outcome, E> {
    let problems = Arc::new(ProblemCount::new(Arc::clone(reporter)));
    let (mut done, mut positions) = (0, 0);
    for game in read_ahead(Games::new(sources, Arc::clone(&problems)), cancel) {
        event(NetworkEvent::Game(&game))?;
        for (ply, (history, played)) in game.mainline().enumerate() {
            if cancel.is_set() {
                break;
            }
            for network in networks {
                let evaluation = network.evaluate(&history)?;
                let (game, ply, played) = (done + 1, ply + 1, played.mv);
                event(NetworkEvent::Answer(NetworkAnswer {
                    game,
                    ply,
                    history: &history,
                    played,
                    network,
                    evaluation,
                }))?;
            }
            positions += 1;
            let label = game.headers.get("White").unwrap_or_default().to_owned();
            reporter.progress(&Progress { done: positions, total: None, unit: Unit::Positions, games: done, label });
        }
        if cancel.is_set() {
            break;
        }
        done += 1;
    }
    Ok(Outcome { done, skipped: problems.errors(), cancelled: cancel.is_set() })
}
