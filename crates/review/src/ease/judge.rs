//! How easy a position is: what humans would play, weighed by what an analyst says of it.

use centipawn_core::{Context, Curve, Ease, EaseError, EaseTree, Ending, Eval, History, Mover, WeighedMove};
use centipawn_engine::{Analyst, AnalystError, Limit, Line, Question};
use centipawn_policy::{EvaluateError, Evaluation, Network};
use shakmaty::{Move, Position as _};

use crate::findings::is_forced;

/// Moves less likely than this are not looked at unless the analyst names them.
const LEAST_LIKELY: f64 = 0.01;
/// Natural moves are looked at until this much of the probability is covered.
const MASS: f64 = 0.9;

/// Judges how easy positions are.
#[derive(Clone, Copy)]
pub struct EaseJudge<'a> {
    /// One a level; each judges by itself.
    pub networks: &'a [Network],
    /// Evaluates what is not known yet; without an analyst, ease is an upper bound.
    pub analyst: Option<&'a dyn Analyst>,
    /// How long the analyst thinks about a position.
    pub limit: Limit,
    /// How many lines it gives where nothing is known; natural moves that are not among them are asked about as well.
    pub lines: usize,
    /// From evaluations to what moves are worth; [`EASE_CURVE`](centipawn_core::EASE_CURVE) is that of the metric.
    pub curve: Curve,
    /// Own moves to look ahead, this one included.
    pub ahead: usize,
}

/// What is known of a position before anybody is asked, from the game's comments or an analysis made already.
#[derive(Clone, Debug, Default)]
pub struct KnownEvals {
    /// Of the best move, whichever that is. Where it is known, the analyst is asked about single moves only.
    pub best: Option<Eval<Mover>>,
    /// Of moves, the one that was played and the analyst's lines, each once; they count as candidates.
    pub moves: Vec<(Move, Eval<Mover>)>,
}

/// What is known of a position's moves once all have been asked.
struct MoveFacts {
    best: Option<Eval<Mover>>,
    evals: Vec<(Move, Eval<Mover>)>,
    /// Moves that were known before, or that the analyst named by itself.
    listed: Vec<Move>,
    /// Whether there is nothing to get wrong: one legal move, or no material to win with.
    is_settled: bool,
}

/// What a position is for the players one network stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedEase {
    /// The network's name.
    pub policy: String,
    /// The rating in that name.
    pub rating: Option<u32>,
    /// The candidates that were evaluated, the likeliest first.
    pub moves: Vec<JudgedMove>,
    /// What the formula was given.
    pub candidates: Vec<WeighedMove>,
    /// How easy it is.
    pub ease: Ease,
    /// Natural moves that nobody evaluated: then ease is only an upper bound. Empty where ease is exact.
    pub missing: Vec<Move>,
    /// The moves that humans consider, the likeliest first, each with its probability, 0..=1.
    pub natural: Vec<(Move, f64)>,
    /// Ease of this move and those to come, where it was asked for.
    pub ahead: Option<f64>,
    /// How many of the eight positions that the network looks at were made up, for want of a game.
    pub made_up: usize,
}

/// A candidate move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedMove {
    /// The move.
    pub mv: Move,
    /// How likely it is played, 0..=1.
    pub p: f64,
    /// Its evaluation.
    pub eval: Eval<Mover>,
    /// What it is worth to the side to move, −1..=1.
    pub q: f64,
    /// What it gives away, in expected score, 0..=1.
    pub loss: f64,
    /// Its part of what makes the position hard, 0..=1.
    pub share: f64,
}

/// Why a position's ease is not known.
#[derive(Debug, thiserror::Error)]
pub enum EaseJudgeError {
    /// The analyst has no answer.
    #[error(transparent)]
    Analyst(#[from] AnalystError),
    /// A network has none.
    #[error(transparent)]
    Policy(#[from] EvaluateError),
    /// The formula cannot be applied, in a position given as FEN.
    #[error("there is no ease of {fen}: {reason}")]
    Formula {
        /// The position.
        fen: String,
        /// What is the matter.
        reason: EaseError,
    },
}

impl EaseJudge<'_> {
    /// Whether neither an analyst nor the game evaluates a position, which is then left out.
    pub fn knows_nothing(&self, known: &KnownEvals) -> bool {
        self.analyst.is_none() && known.best.is_none()
    }

    /// Judges a position for every network. Those get what they need evaluated together, once.
    ///
    /// # Errors
    ///
    /// [`EaseJudgeError`]: the analyst or a network has no answer, or left a candidate out.
    pub fn judge(&self, history: &History, known: KnownEvals) -> Result<Vec<JudgedEase>, EaseJudgeError> {
        let answers = self.networks.iter().map(|network| Ok(network.evaluate(history)?));
        let answers: Vec<Evaluation> = answers.collect::<Result<_, EaseJudgeError>>()?;
        let is_settled = is_forced(history) || history.ending() == Some(Ending::InsufficientMaterial);
        let natural: Vec<Vec<Move>> = answers.iter().map(natural_moves).collect();
        let listed = known.moves.iter().map(|(mv, _)| *mv).collect();
        let mut facts = MoveFacts { best: known.best, evals: known.moves, listed, is_settled };
        if let Some(analyst) = self.analyst.filter(|_| !is_settled) {
            self.ask(analyst, history, &natural, &mut facts)?;
        }
        let all = self.networks.iter().zip(&answers).zip(&natural);
        all.map(|((network, answer), natural)| self.weigh(history, network, answer, natural, &facts)).collect()
    }

    /// The same, and for every network how easy the next own moves are together: each natural move is followed,
    /// the analyst's best reply to it played.
    ///
    /// # Errors
    ///
    /// As of [`judge`](Self::judge).
    pub fn judge_ahead(&self, history: &History) -> Result<Vec<JudgedEase>, EaseJudgeError> {
        let mut judged = self.judge(history, KnownEvals::default())?;
        for (network, judged) in judged.iter_mut().enumerate() {
            judged.ahead = Some(self.tree(history, judged, network, self.ahead)?.expected());
        }
        Ok(judged)
    }

    fn tree(
        &self,
        history: &History,
        judged: &JudgedEase,
        network: usize,
        moves: usize,
    ) -> Result<EaseTree, EaseJudgeError> {
        let mut tree = EaseTree { ease: judged.ease.sum, next: Vec::new() };
        let Some(analyst) = self.analyst.filter(|_| moves > 1) else { return Ok(tree) };
        for (mv, p) in &judged.natural {
            let mut after = history.clone();
            after.push(*mv);
            let reply = analyst.analyse(&Question::new(after.clone(), self.limit))?.best().map(Line::first_move);
            reply.into_iter().for_each(|reply| after.push(reply));
            // Where the game is over there is nothing more to get wrong.
            let next = if reply.is_none() || after.position().legal_moves().is_empty() {
                EaseTree { ease: 1.0, next: Vec::new() }
            } else {
                let judged = self.judge(&after, KnownEvals::default())?;
                self.tree(&after, &judged[network], network, moves - 1)?
            };
            tree.next.push((*p, next));
        }
        Ok(tree)
    }

    /// Has the analyst evaluate its best lines and what natural moves are not among them.
    fn ask(
        &self,
        analyst: &dyn Analyst,
        history: &History,
        natural: &[Vec<Move>],
        facts: &mut MoveFacts,
    ) -> Result<(), EaseJudgeError> {
        let question = Question::new(history.clone(), self.limit);
        let evals = &mut facts.evals;
        // Where the best is known already, only what is missing is asked about.
        if facts.best.is_none() {
            for line in analyst.analyse(&question.clone().lines(self.lines))?.lines {
                let mv = line.first_move();
                facts.listed.push(mv);
                evals.retain(|(other, _)| *other != mv);
                evals.push((mv, line.eval));
            }
        }
        let mut missing: Vec<Move> = Vec::new();
        for mv in natural.iter().flatten() {
            if !missing.contains(mv) && evals.iter().all(|(other, _)| other != mv) {
                missing.push(*mv);
            }
        }
        if !missing.is_empty() {
            let answer = analyst.analyse(&question.lines(missing.len()).searchmoves(missing.iter().copied()))?;
            evals.extend(answer.lines.iter().map(|line| (line.first_move(), line.eval)));
        }
        Ok(())
    }

    /// Weighs what one network expects with what is known of the moves.
    fn weigh(
        &self,
        history: &History,
        network: &Network,
        answer: &Evaluation,
        natural: &[Move],
        facts: &MoveFacts,
    ) -> Result<JudgedEase, EaseJudgeError> {
        let formula = |reason| EaseJudgeError::Formula { fen: history.fen(), reason };
        let context = Context::of(history.position());
        let q = |eval| 2.0 * self.curve.expected_score(eval, context) - 1.0;
        let eval_of = |mv: Move| facts.evals.iter().find(|(other, _)| *other == mv).map(|(_, eval)| *eval);
        let (mut candidates, mut moves, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for found in &answer.moves {
            let mv = found.mv;
            if !natural.contains(&mv) && !facts.listed.contains(&mv) {
                continue;
            }
            let uci = history.uci(mv).to_string();
            match (eval_of(mv), self.analyst) {
                (None, _) if facts.is_settled => {}
                (None, None) => missing.push(mv),
                // A candidate without an evaluation is an error with the move's name.
                (eval, _) => {
                    candidates.push(WeighedMove::new(uci, Some(found.probability), eval.map(q)).map_err(formula)?);
                    moves.extend(eval.map(|eval| JudgedMove {
                        mv,
                        p: found.probability,
                        eval,
                        q: q(eval),
                        loss: 0.0,
                        share: 0.0,
                    }));
                }
            }
        }
        let ease = if facts.is_settled {
            Ease::forced()
        } else {
            // The best move may be another one than those that were evaluated; its worth is known all the same.
            if let Some(best) = facts.best {
                candidates.push(WeighedMove::new("best", Some(0.0), Some(q(best))).map_err(formula)?);
            }
            Ease::of(&candidates).map_err(formula)?
        };
        for (mv, (loss, share)) in moves.iter_mut().zip(ease.losses.iter().zip(&ease.shares)) {
            (mv.loss, mv.share) = (*loss, *share);
        }
        let natural = answer.moves.iter().filter(|mv| natural.contains(&mv.mv));
        let natural = natural.map(|mv| (mv.mv, mv.probability)).collect();
        let made_up = answer.made_up;
        Ok(JudgedEase { moves, candidates, missing, made_up, ..JudgedEase::new(network.name(), ease, natural) })
    }
}

impl JudgedEase {
    /// What a network says, before the moves are filled in.
    pub(crate) fn new(policy: &str, ease: Ease, natural: Vec<(Move, f64)>) -> Self {
        Self {
            policy: policy.to_owned(),
            rating: rating_of(policy),
            moves: Vec::new(),
            candidates: Vec::new(),
            ease,
            missing: Vec::new(),
            natural,
            ahead: None,
            made_up: 0,
        }
    }
}

/// The rating in a network's name: `maia-1500` is 1500.
fn rating_of(name: &str) -> Option<u32> {
    let digits = name.rsplit(|char: char| !char.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|rating| (400..=3500).contains(rating))
}

/// The moves that humans consider: the likeliest, until nine tenths of the probability are covered.
fn natural_moves(answer: &Evaluation) -> Vec<Move> {
    let mut mass = 0.0;
    let likely = answer.moves.iter().take_while(|mv| {
        let is_needed = mass < MASS && mv.probability >= LEAST_LIKELY;
        mass += mv.probability;
        is_needed
    });
    likely.map(|mv| mv.mv).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_in_names() {
        assert_eq!(rating_of("maia-1500"), Some(1500));
        assert_eq!(rating_of("mine"), None);
        assert_eq!(rating_of("net-7"), None);
    }
}
