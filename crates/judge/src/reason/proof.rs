//! Proves reasons: searches what a reason's first move wins against every reasonable defence.

use centipawn_core::{Context, Curve, Ending, Eval, History, White, material_balance};
use centipawn_engine::{Analyst, AnalystError, Limit, Line, Question};
use shakmaty::{Move, Position as _};

use super::{
    AGREEMENT, DrawKind, Gain, IdeaClaim, Motif, Prize, Reason, ReasonKind, quiet::quiet_end,
};

/// Maximum number of defences that are searched.
const DEFENCES: usize = 3;
/// Minimum number of half-moves of a line. A shorter line does not show what is lost.
const SHORTEST: usize = 4;
/// A defence that expects so much less than the best one is not worth naming.
const WORTH_NAMING: f64 = 1.0 / 20.0;

/// Searches that the proof of an idea takes on average, in searches to the limit of the review.
const IDEA_COST: f64 = 1.0;

/// Share of the expected score lost that the evaluation after the reason's first move explains at
/// least.
const EXPLAINED: f64 = 1.0 / 2.0;

/// A reason that longer searches confirmed, without its motif.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proof {
    /// Whether the opponent gains something, or the mover missed it.
    pub kind: ReasonKind,
    /// The moves that show it: after the played move, or instead of it.
    pub line: Vec<Move>,
    /// The gain of the line.
    pub gain: Gain,
    /// The limit of the longest search that confirmed the reason.
    pub limit: Limit,
}

/// What may explain a move, if searches confirm it.
#[derive(Clone, Debug)]
pub(crate) enum Claim {
    /// Mate, a draw or material that the analyst's lines show.
    Gain(GainClaim),
    /// An idea, which the searches have yet to find.
    Idea(IdeaClaim),
}

/// A reason that the analyst's lines suggest and that a longer search must confirm.
#[derive(Clone, Debug)]
pub(crate) struct GainClaim {
    /// The claimed reason. It has no motif if the claim does not depend on the motif.
    pub(crate) reason: Reason,
    /// Number of pawns by which the proof may fall short of the claim. The move then still loses
    /// material compared with the best move.
    pub(crate) spare: u32,
    /// Whether the lines show more pawns than the claim names.
    pub(crate) is_reduced: bool,
    /// The loss of the move, which the reason must explain.
    pub(crate) view: View,
}

/// A move's evaluations by the review's own searches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// Evaluation of the best move; that of the played move is in `worth`.
    pub(super) best: Eval<White>,
    pub(super) worth: Eval<White>,
    /// Expected score lost, 0..=1.
    pub(super) loss: f64,
}

impl View {
    /// Returns whether the evaluation after a reason's first move explains the loss. A move that
    /// wins a pawn is no reason if another move wins the game. So after the first move of a
    /// refutation, the mover must stand worse than after the best move by a good part of the loss.
    /// After the first move of what was missed, the mover must stand better than after the played
    /// move by as much.
    fn is_explained(
        &self,
        kind: ReasonKind,
        after: Eval<White>,
        before: &History,
        curve: &Curve,
    ) -> bool {
        let (mover, context) = (before.turn(), Context::of(before.position()));
        let [best, worth, after] = [self.best, self.worth, after].map(|eval| eval.for_mover(mover));
        let [from, to] = match kind {
            ReasonKind::Allows => [best, after],
            ReasonKind::Misses | ReasonKind::Achieves => [after, worth],
        };
        let expected = curve.expected_score(from, context) - curve.expected_score(to, context);
        let pawns = |from: Eval<_>, to: Eval<_>| Some(from.pawns()? - to.pawns()?);
        let agrees = match (pawns(best, worth), pawns(from, to)) {
            (Some(loss), Some(explained)) => explained >= AGREEMENT * loss,
            // For a mate the expected score is enough.
            _ => true,
        };
        expected >= EXPLAINED * self.loss && agrees
    }
}

/// The result of a line.
struct Outcome {
    /// Material won, in pawns; the largest number for mate.
    pawns: i32,
    line: Vec<Move>,
    /// Number of half-moves up to the gain and then to a quiet position.
    plies: usize,
    end: usize,
}

/// The result of a reason's first move against the best defence.
struct Defended {
    least: Outcome,
    /// The evaluation after the first move, by the best defence; `None` if the first move ends the
    /// game.
    after: Option<Eval<White>>,
}

impl Reason {
    /// Returns whether the line shows its claim at once, because the first move captures the prize.
    /// A short search is often wrong about other claims.
    pub(super) fn is_plain(&self) -> bool {
        matches!(
            self.motif,
            Some(Motif::Hanging | Motif::Capture | Motif::Recapture | Motif::OtherCapture)
        )
    }

    /// Returns whether the reason for the move `played` in the position `before` holds: by a search
    /// to `limit`, its first move wins what it claims against every defence within a twentieth of
    /// the best, three at most. `curve` says what evaluations are worth.
    ///
    /// # Errors
    ///
    /// Those of the analyst.
    pub fn holds(
        &self,
        before: &History,
        played: Move,
        analyst: &dyn Analyst,
        limit: Limit,
        curve: &Curve,
    ) -> Result<bool, AnalystError> {
        let defended = self.least(before, played, analyst, limit, curve)?;
        Ok(defended.is_some_and(|defended| self.gain.is_covered_by(defended.least.pawns)))
    }

    /// Returns the least that the first move wins against the defences, by one search of these;
    /// `None` where that is unclear.
    fn least(
        &self,
        before: &History,
        played: Move,
        analyst: &dyn Analyst,
        limit: Limit,
        curve: &Curve,
    ) -> Result<Option<Defended>, AnalystError> {
        let start = self.kind.start(before, played);
        let side = start.turn();
        let base = material_balance(before.position().board(), side);
        let Some(&first) = self.line.first() else {
            // The played move itself draws by a rule, so nothing needs to be searched.
            let is_drawn =
                matches!(self.gain, Gain::Draw(draw) if DrawKind::on_board(&start) == Some(draw));
            return Ok(is_drawn.then(|| Defended {
                least: self.drawn(),
                after: None,
            }));
        };
        let mut after = start.clone();
        after.push(first);
        let outcome = |line: Vec<Move>, mates: bool| match mates {
            true => Some(Outcome {
                pawns: i32::MAX,
                plies: line.len(),
                end: line.len(),
                line,
            }),
            false => {
                let end = quiet_end(start.position(), &line, side)?;
                Some(Outcome {
                    pawns: end.balance - base,
                    plies: end.plies,
                    end: end.end,
                    line,
                })
            }
        };
        let ended = |least: Option<Outcome>| Ok(least.map(|least| Defended { least, after: None }));
        match after.ending() {
            Some(Ending::Checkmate) => return ended(outcome(vec![first], true)),
            // Draws on the board need no search, and a stalemate has no defence to search for.
            Some(_) if matches!(self.gain, Gain::Draw(_)) => return ended(Some(self.drawn())),
            Some(Ending::Stalemate | Ending::InsufficientMaterial) => return Ok(None),
            Some(Ending::FiftyMoves | Ending::Repetition) | None => {}
        }
        let defences = analyst
            .analyse(&Question::new(after.clone(), limit).lines(DEFENCES))?
            .lines;
        let context = Context::of(after.position());
        let worth = |line: &Line| curve.expected_score(line.eval, context);
        let best = defences.first().map_or(0.0, worth);
        let eval = defences
            .first()
            .map(|line| line.eval.for_white(after.turn()));
        if let Gain::Draw(_) = self.gain {
            let is_level = defences
                .first()
                .is_some_and(|line| line.eval <= Eval::cp(0));
            return Ok(is_level.then(|| Defended {
                least: self.drawn(),
                after: eval,
            }));
        }
        // A line that the engine cut off proves nothing, unless it is the best defence.
        let is_shown = |(index, line): &(usize, &Line)| {
            *index == 0 || line.pv.len() >= SHORTEST || line.eval.mate_moves().is_some()
        };
        let named = defences
            .iter()
            .enumerate()
            .filter(|(_, line)| worth(line) >= best - WORTH_NAMING)
            .filter(is_shown);
        let outcomes = named.map(|(_, line)| {
            let moves: Vec<Move> = std::iter::once(first)
                .chain(line.pv.iter().copied())
                .collect();
            outcome(moves, line.eval.mate_moves().is_some_and(|moves| moves < 0))
        });
        let all: Option<Vec<Outcome>> = outcomes.collect();
        // `min_by_key` returns the first of equal outcomes.
        let least = all.and_then(|all| all.into_iter().min_by_key(|outcome| outcome.pawns));
        Ok(least.map(|least| Defended { least, after: eval }))
    }

    fn drawn(&self) -> Outcome {
        let length = self.line.len();
        Outcome {
            pawns: 0,
            plies: length,
            end: length,
            line: self.line.clone(),
        }
    }
}

impl Claim {
    /// Returns the proof of a claim that needs no search.
    pub(crate) fn announced(&self, limit: Limit) -> Option<Proof> {
        match self {
            Claim::Gain(claim) => claim.announced(limit),
            Claim::Idea(_) => None,
        }
    }

    /// Returns the cost of the proof, in searches to `limit`.
    pub(crate) fn cost(&self, limit: Limit) -> f64 {
        match self {
            Claim::Gain(claim) => claim.limit(limit).share_of(limit),
            Claim::Idea(_) => IDEA_COST,
        }
    }

    /// Returns the claim as far as it holds in searches for a review to `limit`. `None` if that is
    /// nothing.
    ///
    /// # Errors
    ///
    /// Those of the analyst.
    pub(crate) fn prove(
        &self,
        before: &History,
        played: Move,
        analyst: &dyn Analyst,
        limit: Limit,
        curve: &Curve,
    ) -> Result<Option<Proof>, AnalystError> {
        match self {
            Claim::Gain(claim) => claim.prove(before, played, analyst, claim.limit(limit), curve),
            Claim::Idea(claim) => claim.prove(before, played, analyst, limit, curve),
        }
    }
}

impl GainClaim {
    /// Returns whether the claim is about material whose pieces it cannot name, or about one of
    /// several pawns.
    pub(super) fn is_vague(&self) -> bool {
        match self.reason.gain {
            Gain::Material(Prize::Worth(_), _) => true,
            Gain::Material(Prize::Pawns(1), _) => self.is_reduced,
            _ => false,
        }
    }

    /// Returns whether the claim is a mate or a draw, beside which no idea matters.
    pub(super) fn is_decisive(&self) -> bool {
        !matches!(self.reason.gain, Gain::Material(..))
    }

    /// Returns the proof of a claim that needs no search: the engine announces the mate, and its
    /// line mates; or the move itself draws by a rule.
    fn announced(&self, limit: Limit) -> Option<Proof> {
        let Reason {
            kind, line, gain, ..
        } = &self.reason;
        let is_drawn = matches!(gain, Gain::Draw(_)) && line.is_empty();
        (matches!(gain, Gain::Mate(_)) || is_drawn).then(|| Proof {
            kind: *kind,
            line: line.clone(),
            gain: *gain,
            limit,
        })
    }

    /// Returns the limit of the search that proves the claim: that of the review for plain claims,
    /// twice as much for others.
    fn limit(&self, limit: Limit) -> Limit {
        if self.reason.is_plain() {
            limit
        } else {
            limit.doubled().unwrap_or(limit)
        }
    }

    /// Returns the claim as far as it holds in a search to `limit`: as it is, or reduced to what
    /// the best defence leaves of it. `None` if that is nothing.
    fn prove(
        &self,
        before: &History,
        played: Move,
        analyst: &dyn Analyst,
        limit: Limit,
        curve: &Curve,
    ) -> Result<Option<Proof>, AnalystError> {
        let Self {
            reason,
            spare,
            view,
            ..
        } = self;
        let Some(Defended { least, after }) =
            reason.least(before, played, analyst, limit, curve)?
        else {
            return Ok(None);
        };
        if after.is_some_and(|after| !view.is_explained(reason.kind, after, before, curve)) {
            return Ok(None);
        }
        let Reason {
            kind, line, gain, ..
        } = reason;
        let proof = |line: Vec<Move>, gain| {
            Some(Proof {
                kind: *kind,
                line,
                gain,
                limit,
            })
        };
        let Gain::Material(prize, claimed) = *gain else {
            return Ok(if gain.is_covered_by(least.pawns) {
                proof(line.clone(), *gain)
            } else {
                None
            });
        };
        let pawns = least.pawns.clamp(0, claimed.cast_signed()).unsigned_abs();
        let side = kind.start(before, played).turn();
        let to_end = &least.line[..least.end];
        let whole = match kind {
            ReasonKind::Allows => [&[played], to_end].concat(),
            ReasonKind::Misses | ReasonKind::Achieves => to_end.to_vec(),
        };
        let left = Prize::of(before.position(), &whole, side, least.pawns);
        // The proof may find a piece for fewer pawns, but not pawns instead of a piece.
        let is_same = pawns == claimed || left == Some(prize);
        if gain.is_covered_by(least.pawns) && is_same {
            return Ok(proof(
                line.clone(),
                Gain::Material(prize.worth(pawns), pawns),
            ));
        }
        if pawns < 1 || claimed - pawns > *spare {
            return Ok(None);
        }
        Ok(left.and_then(|left| {
            let line = &least.line[..least.plies];
            let (prize, pawns) = left.by_force(line, pawns);
            let prize = prize.as_shown(*kind, before.position(), played, line, pawns);
            proof(line.to_vec(), Gain::Material(prize, pawns))
        }))
    }
}

impl Gain {
    /// Returns whether a line that wins so many pawns wins this. A piece is won even if it costs
    /// two pawns, as [`Prize::of`] counts.
    fn is_covered_by(self, pawns: i32) -> bool {
        match self {
            Gain::Mate(_) => pawns == i32::MAX,
            Gain::Draw(_) => pawns == 0,
            // An idea claims nothing that a line could win.
            Gain::Idea(_) => false,
            Gain::Material(prize, claimed) => {
                let least = match prize {
                    Prize::Pawns(_) | Prize::Worth(_) => claimed,
                    piece => claimed.min(piece.least()),
                };
                pawns >= least.max(1).cast_signed()
            }
        }
    }
}
