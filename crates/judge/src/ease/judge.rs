//! Judges how easy a position is: the moves humans play, weighed by an analyst's evaluations.

use std::{iter, slice};

use centipawn_core::{
    BlunderMeter, Context, Curve, EASE_CURVE, Ease, EaseError, EaseTree, Ending, Eval, History,
    MoveModel, Mover, PolicyMove, WeighedMove,
};
use centipawn_engine::{Analyst, AnalystError, Limit, Line, Question};
use centipawn_policy::{EvaluateError, Evaluation, Network};
use serde::{Deserialize, Serialize};
use shakmaty::{Move, Position as _};

use super::early::early_losses;
use crate::findings::is_forced;

/// Minimum probability of a natural move.
const LEAST_LIKELY: f64 = 0.01;
/// The natural moves are the likeliest moves whose probabilities add up to at least this.
const MASS: f64 = 0.9;
/// The rating assumed for players whose rating is unknown.
const UNRATED: u32 = 1500;

/// Judges how easy positions are.
#[derive(Clone, Copy)]
pub struct EaseJudge<'a> {
    /// The networks; each gives a judgement.
    pub networks: &'a [Network],
    /// The ratings for which a network that imitates several levels is asked.
    pub levels: &'a [u32],
    /// Evaluates moves without a known evaluation; without an analyst, ease is an upper bound.
    pub analyst: Option<&'a dyn Analyst>,
    /// The analyst's limit for a position.
    pub limit: Limit,
    /// Number of lines that the analyst searches if no evaluation is known; it also evaluates
    /// natural moves outside of them.
    pub lines: usize,
    /// The curve from evaluations to values of moves. The published metric uses
    /// [`EASE_CURVE`](centipawn_core::EASE_CURVE).
    pub curve: Curve,
    /// Number of the player's moves to look ahead, including the current one; 1 or more.
    pub ahead: usize,
}

/// Evaluations known before the analyst is asked, from the game's comments or an earlier analysis.
#[derive(Clone, Debug, Default)]
pub struct KnownEvals {
    /// Evaluation of the best move, which need not be among `moves`. If it is known, the analyst
    /// evaluates only missing natural moves.
    pub best: Option<Eval<Mover>>,
    /// Evaluations of the played move and the analyst's lines, each move once; all are candidates.
    pub moves: Vec<(Move, Eval<Mover>)>,
    /// The move that was played: the analyst evaluates it even if it is not natural, and it is a
    /// candidate.
    pub played: Option<Move>,
}

/// The evaluations of a position's moves, after the analyst's answers.
struct MoveFacts {
    best: Option<Eval<Mover>>,
    evals: Vec<(Move, Eval<Mover>)>,
    /// Moves that already have an evaluation, and the first moves of the analyst's lines.
    listed: Vec<Move>,
    /// Whether no move can be wrong: there is one legal move, or insufficient material.
    is_settled: bool,
}

/// The ease of a position for the players of one level. Stored findings have the moves in UCI
/// notation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedEase<M = Move> {
    /// The name of the network that imitates these players.
    pub policy: String,
    /// The rating of the players; `None` if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// The rating of the player to move, if the judgement is for players with that rating. The
    /// level is then the nearest that the network can imitate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<u32>,
    /// The candidates that were evaluated, the likeliest first.
    pub moves: Vec<EaseMove<M>>,
    /// The arguments of the formula.
    pub candidates: Vec<WeighedMove>,
    /// The ease of the position.
    #[serde(flatten)]
    pub ease: Ease,
    /// Natural moves without an evaluation, which make ease an upper bound. Empty if ease is exact.
    pub missing: Vec<M>,
    /// The moves that humans consider, the likeliest first, each with its probability, 0..=1.
    pub natural: Vec<(M, f64)>,
    /// Ease of this move and the player's next moves, 0..=1; `None` unless `EaseJudge::judge_ahead`
    /// computed it.
    pub ahead: Option<f64>,
    /// Number of the eight positions in the network's input that are substitutes, because the game
    /// has fewer positions.
    pub made_up: usize,
    /// Expected score, 0..=1, that players of this rating lose here on average with the evaluated
    /// moves: the mean of their losses, weighted by their probabilities.
    pub expected_loss: f64,
}

/// A candidate move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EaseMove<M = Move> {
    /// The move.
    #[serde(rename = "uci")]
    pub mv: M,
    /// The probability, 0..=1, that players of this rating play the move ([`MoveModel`]).
    pub p: f64,
    /// The move's probability by the network alone, 0..=1.
    pub p_policy: f64,
    /// The evaluation of the move.
    pub eval: Eval<Mover>,
    /// The value of the move for the side to move, −1..=1.
    pub q: f64,
    /// Expected score that the move loses, 0..=1.
    pub loss: f64,
    /// The move's share in the difficulty of the position, 0..=1.
    pub share: f64,
    /// Expected score that the move seems to lose in short searches, 0..=1 ([`PolicyMove::early`]).
    /// Known only for players rated [`MoveModel::EARLY_FROM`] or more, and if an engine was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early_loss: Option<f64>,
}

/// The reason why a position could not be judged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EaseJudgeError {
    /// The analyst failed.
    #[error(transparent)]
    Analyst(#[from] AnalystError),
    /// A network failed.
    #[error(transparent)]
    Policy(#[from] EvaluateError),
    /// The formula cannot be applied to a position.
    #[error("ease cannot be computed for {fen}: {reason}")]
    Formula {
        /// FEN of the position.
        fen: String,
        /// The reason, in words.
        reason: EaseError,
    },
}

impl EaseJudge<'_> {
    /// Returns whether a position must be left out, because neither an analyst nor the game
    /// evaluates it.
    pub(crate) fn knows_nothing(&self, known: &KnownEvals) -> bool {
        self.analyst.is_none() && known.best.is_none()
    }

    /// Judges a position for every network and level, and for players with the rating `player` of
    /// the side to move. The analyst evaluates each move once, for all of them. Callers should
    /// report nothing about the first three moves of each side, for which networks are not
    /// [trained](centipawn_policy::is_known).
    ///
    /// # Errors
    ///
    /// [`EaseJudgeError`] if the analyst or a network fails, or the analyst leaves a candidate
    /// without an evaluation.
    pub fn judge(
        &self,
        history: &History,
        known: KnownEvals,
        player: Option<u32>,
    ) -> Result<Vec<JudgedEase>, EaseJudgeError> {
        let answers = self
            .networks
            .iter()
            .map(|network| self.answers(network, history, player));
        let answers: Vec<(&Network, Evaluation)> = answers
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect();
        let is_settled =
            is_forced(history) || history.ending() == Some(Ending::InsufficientMaterial);
        let natural: Vec<Vec<Move>> = answers
            .iter()
            .map(|(_, answer)| natural_moves(answer))
            .collect();
        let listed = known.moves.iter().map(|(mv, _)| *mv).collect();
        let mut facts = MoveFacts {
            best: known.best,
            evals: known.moves,
            listed,
            is_settled,
        };
        if let Some(analyst) = self.analyst.filter(|_| !is_settled) {
            let wanted = natural.iter().flatten().chain(&known.played);
            self.ask(analyst, history, wanted, &mut facts)?;
            facts.listed.extend(known.played);
        }
        let all = answers
            .iter()
            .zip(&natural)
            .map(|((network, answer), natural)| {
                // A network of one level stands for players of all ratings. The rating still
                // matters: `weigh_by_loss` uses it.
                let like = |rating: &u32| {
                    network
                        .nearest_level(*rating)
                        .is_none_or(|level| answer.level == Some(level))
                };
                let player = player.filter(like);
                let judged = self.weigh(history, network, answer, natural, &facts, player)?;
                Ok(JudgedEase { player, ..judged })
            });
        all.collect()
    }

    /// Returns the network's answers at the requested levels and at the player's level, in
    /// ascending order.
    fn answers<'n>(
        &self,
        network: &'n Network,
        history: &History,
        player: Option<u32>,
    ) -> Result<Vec<(&'n Network, Evaluation)>, EaseJudgeError> {
        let mut levels: Vec<u32> = self
            .levels
            .iter()
            .copied()
            .chain(player)
            .filter_map(|rating| network.nearest_level(rating))
            .collect();
        levels.sort_unstable();
        levels.dedup();
        let answers = network
            .evaluate_many(slice::from_ref(history), &levels)
            .swap_remove(0)?;
        Ok(answers
            .into_iter()
            .map(|answer| (network, answer))
            .collect())
    }

    /// Like [`judge`](Self::judge), and fills in [`JudgedEase::ahead`]: follows each natural move
    /// and the analyst's best reply to it, [`ahead`](Self::ahead) of the player's moves deep.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    pub(crate) fn judge_ahead(
        &self,
        history: &History,
        known: KnownEvals,
        player: Option<u32>,
    ) -> Result<Vec<JudgedEase>, EaseJudgeError> {
        let mut judged = self.judge(history, known, player)?;
        for (index, judged) in judged.iter_mut().enumerate() {
            judged.ahead = Some(
                self.tree(history, judged, (index, player), self.ahead)?
                    .expected(),
            );
        }
        Ok(judged)
    }

    fn tree(
        &self,
        history: &History,
        judged: &JudgedEase,
        (index, player): (usize, Option<u32>),
        moves: usize,
    ) -> Result<EaseTree, EaseJudgeError> {
        let mut tree = EaseTree {
            ease: judged.ease.sum,
            next: Vec::new(),
        };
        let Some(analyst) = self.analyst.filter(|_| moves > 1) else {
            return Ok(tree);
        };
        for (mv, p) in &judged.natural {
            let mut after = history.clone();
            after.push(*mv);
            let reply = analyst
                .analyse(&Question::new(after.clone(), self.limit))?
                .best()
                .map(Line::first_move);
            reply.into_iter().for_each(|reply| after.push(reply));
            // After the end of the game no move can be wrong, so ease is 1.
            let next = if reply.is_none() || after.position().legal_moves().is_empty() {
                EaseTree {
                    ease: 1.0,
                    next: Vec::new(),
                }
            } else {
                let judged = self.judge(&after, KnownEvals::default(), player)?;
                self.tree(&after, &judged[index], (index, player), moves - 1)?
            };
            tree.next.push((*p, next));
        }
        Ok(tree)
    }

    /// Requests the analyst's best lines, unless the best move is known, and the `wanted` moves
    /// that are not among them.
    fn ask<'m>(
        &self,
        analyst: &dyn Analyst,
        history: &History,
        wanted: impl Iterator<Item = &'m Move>,
        facts: &mut MoveFacts,
    ) -> Result<(), EaseJudgeError> {
        let question = Question::new(history.clone(), self.limit);
        let evals = &mut facts.evals;
        // If the best evaluation is known, only missing moves need a search.
        if facts.best.is_none() {
            for line in analyst.analyse(&question.clone().lines(self.lines))?.lines {
                let mv = line.first_move();
                facts.listed.push(mv);
                evals.retain(|(other, _)| *other != mv);
                evals.push((mv, line.eval));
            }
        }
        let mut missing: Vec<Move> = Vec::new();
        for mv in wanted {
            if !missing.contains(mv) && evals.iter().all(|(other, _)| other != mv) {
                missing.push(*mv);
            }
        }
        if !missing.is_empty() {
            let answer = analyst.analyse(
                &question
                    .lines(missing.len())
                    .searchmoves(missing.iter().copied()),
            )?;
            evals.extend(
                answer
                    .lines
                    .iter()
                    .map(|line| (line.first_move(), line.eval)),
            );
        }
        Ok(())
    }

    /// Weighs one network's probabilities with the evaluations of the moves.
    fn weigh(
        &self,
        history: &History,
        network: &Network,
        answer: &Evaluation,
        natural: &[Move],
        facts: &MoveFacts,
        player: Option<u32>,
    ) -> Result<JudgedEase, EaseJudgeError> {
        let formula = |reason| EaseJudgeError::Formula {
            fen: history.fen(),
            reason,
        };
        let context = Context::of(history.position());
        let q = |eval| 2.0 * self.curve.expected_score(eval, context) - 1.0;
        let eval_of = |mv: Move| {
            facts
                .evals
                .iter()
                .find(|(other, _)| *other == mv)
                .map(|(_, eval)| *eval)
        };
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
                // `Ease::of` rejects a candidate without an evaluation, and its error names the
                // move.
                (eval, _) => {
                    candidates.push(
                        WeighedMove::new(uci, Some(found.probability), eval.map(q))
                            .map_err(formula)?,
                    );
                    moves.extend(eval.map(|eval| EaseMove {
                        mv,
                        p: found.probability,
                        p_policy: found.probability,
                        eval,
                        q: q(eval),
                        loss: 0.0,
                        share: 0.0,
                        early_loss: None,
                    }));
                }
            }
        }
        let best = facts
            .evals
            .iter()
            .map(|(_, eval)| *eval)
            .chain(facts.best)
            .max();
        let ease = if facts.is_settled {
            Ease::forced()
        } else {
            // Moves are compared with the best one at every level, even if it is natural at another
            // level only, or not evaluated here.
            if let Some(best) = best
                .map(q)
                .filter(|best| moves.iter().all(|mv| mv.q < *best))
            {
                candidates.push(WeighedMove::new("best", Some(0.0), Some(best)).map_err(formula)?);
            }
            Ease::of(&candidates).map_err(formula)?
        };
        for (mv, (loss, share)) in moves.iter_mut().zip(ease.losses.iter().zip(&ease.shares)) {
            (mv.loss, mv.share) = (*loss, *share);
        }
        let natural = answer.moves.iter().filter(|mv| natural.contains(&mv.mv));
        let natural = natural.map(|mv| (mv.mv, mv.probability)).collect();
        let made_up = answer.made_up;
        let mut judged = JudgedEase {
            moves,
            candidates,
            missing,
            made_up,
            ..JudgedEase::new(network.name(), answer.level, ease, natural)
        };
        if !facts.is_settled {
            let rating = player.or(answer.level).unwrap_or(UNRATED);
            judged.find_early_losses(
                self.analyst.filter(|_| rating >= MoveModel::EARLY_FROM),
                history,
            )?;
            judged.weigh_by_loss(rating, best, context);
        }
        Ok(judged)
    }
}

impl<M> JudgedEase<M> {
    /// Converts the moves, and keeps everything else.
    ///
    /// # Errors
    ///
    /// The first error of `convert`.
    pub fn map_moves<N, E>(
        &self,
        convert: impl Fn(&M) -> Result<N, E>,
    ) -> Result<JudgedEase<N>, E> {
        let candidate = |found: &EaseMove<M>| {
            let EaseMove {
                ref mv,
                p,
                p_policy,
                eval,
                q,
                loss,
                share,
                early_loss,
            } = *found;
            Ok(EaseMove {
                mv: convert(mv)?,
                p,
                p_policy,
                eval,
                q,
                loss,
                share,
                early_loss,
            })
        };
        Ok(JudgedEase {
            policy: self.policy.clone(),
            level: self.level,
            player: self.player,
            moves: self.moves.iter().map(candidate).collect::<Result<_, E>>()?,
            candidates: self.candidates.clone(),
            ease: self.ease.clone(),
            missing: self
                .missing
                .iter()
                .map(&convert)
                .collect::<Result<_, E>>()?,
            natural: self
                .natural
                .iter()
                .map(|(mv, p)| Ok((convert(mv)?, *p)))
                .collect::<Result<_, E>>()?,
            ahead: self.ahead,
            made_up: self.made_up,
            expected_loss: self.expected_loss,
        })
    }
}

impl JudgedEase {
    /// Creates a network's judgement, before the moves are filled in.
    pub fn new(policy: &str, level: Option<u32>, ease: Ease, natural: Vec<(Move, f64)>) -> Self {
        Self {
            policy: policy.to_owned(),
            level,
            player: None,
            moves: Vec::new(),
            candidates: Vec::new(),
            ease,
            missing: Vec::new(),
            natural,
            ahead: None,
            made_up: 0,
            expected_loss: 0.0,
        }
    }

    /// Requests from the analyst, if any, what the moves lose in short searches.
    fn find_early_losses(
        &mut self,
        analyst: Option<&dyn Analyst>,
        history: &History,
    ) -> Result<(), AnalystError> {
        let Some(analyst) = analyst.filter(|_| self.moves.len() > 1) else {
            return Ok(());
        };
        let moves: Vec<Move> = self.moves.iter().map(|mv| mv.mv).collect();
        if let Some(losses) = early_losses(analyst, history, &moves)? {
            self.moves
                .iter_mut()
                .zip(losses)
                .for_each(|(mv, loss)| mv.early_loss = Some(loss));
        }
        Ok(())
    }

    /// Replaces the policy's probabilities by those of players with this rating, who avoid losing
    /// moves, and sums up the expected loss. `best` is the best evaluation.
    fn weigh_by_loss(&mut self, rating: u32, best: Option<Eval<Mover>>, context: Context) {
        let Some(best) = best.filter(|_| !self.moves.is_empty()) else {
            return;
        };
        let expected = |eval| EASE_CURVE.expected_score(eval, context);
        let loss = |eval| (expected(best) - expected(eval)).max(0.0);
        let early: Option<Vec<f64>> = self.moves.iter().map(|mv| mv.early_loss).collect();
        let model = if early.is_some() {
            MoveModel::FITTED_EARLY
        } else {
            MoveModel::FITTED
        };
        let early = early.into_iter().flatten().chain(iter::repeat(0.0));
        let moves = self.moves.iter().zip(early);
        let moves: Vec<PolicyMove> = moves
            .map(|(mv, early)| PolicyMove {
                p: mv.p_policy,
                loss: loss(mv.eval),
                early,
            })
            .collect();
        let played = model.played(rating, &moves);
        let evaluated: f64 = played.iter().sum();
        for (mv, p) in self.moves.iter_mut().zip(&played) {
            mv.p = *p;
        }
        // Average over the evaluated moves only, because the loss of other moves is unknown.
        self.expected_loss = self.moves.iter().map(|mv| mv.p * mv.loss).sum::<f64>() / evaluated;
        self.ease.meter = BlunderMeter::of(self.moves.iter().map(|mv| (mv.p, mv.loss)));
        self.moves.sort_by(|a, b| b.p.total_cmp(&a.p));
    }
}

/// Returns the moves that humans consider: the likeliest, until nine tenths of the probability are
/// covered.
fn natural_moves(answer: &Evaluation) -> Vec<Move> {
    let mut mass = 0.0;
    let likely = answer.moves.iter().take_while(|mv| {
        let is_needed = mass < MASS && mv.probability >= LEAST_LIKELY;
        mass += mv.probability;
        is_needed
    });
    likely.map(|mv| mv.mv).collect()
}
