//! A position with its ease.

use centipawn_core::{Context, Curve, History, sharpness};
use centipawn_policy::{UNKNOWN_NOTE, is_known};
use shakmaty::Move;

use super::{EaseJudge, EaseJudgeError, JudgedEase, KnownEvals, middle};

/// A position of a game, or a single position, with its ease.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Moment {
    /// The position, with the moves that led to it.
    pub before: History,
    /// The move played in the position; `None` for a single position.
    pub played: Option<Move>,
    /// The ease of the position, for each network and level.
    pub judged: Vec<JudgedEase>,
    /// [`sharpness`](centipawn_core::sharpness), 0 or more; `None` for a mate, or unless the curve
    /// is a win/draw/loss model.
    pub sharpness: Option<f64>,
}

impl Moment {
    pub(crate) fn judge(
        judge: &EaseJudge<'_>,
        before: History,
        played: Option<Move>,
        known: KnownEvals,
        player: Option<u32>,
    ) -> Result<Self, EaseJudgeError> {
        let judged = match judge.ahead {
            0 | 1 => judge.judge(&before, known, player)?,
            _ => judge.judge_ahead(
                &before,
                KnownEvals {
                    played,
                    ..KnownEvals::default()
                },
                player,
            )?,
        };
        // Sharpness depends on the probability of a draw, which only a win/draw/loss model has.
        let best = judged
            .iter()
            .flat_map(|judged| &judged.moves)
            .map(|mv| mv.eval)
            .max();
        let sharpness = best.and_then(|eval| {
            let pawns = eval.pawns()?;
            let Curve::Wdl(model) = judge.curve else {
                return None;
            };
            let wdl = model.wdl(pawns, Context::of(before.position()));
            sharpness(wdl.win, wdl.loss).ok()
        });
        Ok(Self {
            before,
            played,
            judged,
            sharpness,
        })
    }

    /// Returns a note on a position for which networks are not trained; `None` for all others.
    pub fn note(&self) -> Option<&'static str> {
        (!is_known(&self.before)).then_some(UNKNOWN_NOTE)
    }

    /// Returns the expected score that the played move lost, 0..=1; `None` if it was not evaluated.
    pub fn lost(&self) -> Option<f64> {
        let played = self.played?;
        middle(&self.judged)?
            .moves
            .iter()
            .find(|mv| mv.mv == played)
            .map(|mv| mv.loss)
    }

    /// Returns the ease of the [`middle`] judgement, 0..=1, as in the graph of a game; `None`
    /// without networks.
    pub fn ease(&self) -> Option<f64> {
        middle(&self.judged).map(|judged| judged.ease.sum)
    }
}
