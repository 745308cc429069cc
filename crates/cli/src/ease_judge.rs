//! How easy a position is: what humans would play, weighed by what an analyst says of it.

use anyhow::{Context as _, Result};
use centipawn_core::{Candidate, Context, Curve, Ease, EaseTree, Eval, History, Mover};
use centipawn_engine::{Analyst, Limit, Line, Question};
use centipawn_policy::{Evaluation, Network};
use shakmaty::{Move, Position as _};

use crate::policies::rating_of;

/// Moves less likely than this are not looked at unless the analyst names them.
const LEAST_LIKELY: f64 = 0.01;
/// Natural moves are looked at until so much of the probability is covered.
const MASS: f64 = 0.9;

/// How positions are judged.
pub(crate) struct Judge<'a> {
    pub(crate) networks: &'a [Network],
    /// Who evaluates what is not known yet; without one, ease can only be bounded.
    pub(crate) analyst: Option<&'a dyn Analyst>,
    pub(crate) limit: Limit,
    pub(crate) lines: usize,
    pub(crate) curve: Curve,
    /// Own moves to look ahead, this one included.
    pub(crate) ahead: usize,
}

/// What is known of a position before anybody is asked, from the game's comments.
#[derive(Clone, Copy, Default)]
pub(crate) struct Known {
    /// Of the best move, whichever that is.
    pub(crate) best: Option<Eval<Mover>>,
    /// Of the move that was played.
    pub(crate) played: Option<(Move, Eval<Mover>)>,
}

/// What is known of a position's moves once all have been asked.
struct Facts {
    known: Known,
    evals: Vec<(Move, Eval<Mover>)>,
    /// Moves that the analyst named by itself.
    listed: Vec<Move>,
    /// Whether there is one legal move.
    is_forced: bool,
}

/// What a position is for the players one network stands for.
pub(crate) struct Judged {
    pub(crate) policy: String,
    pub(crate) rating: Option<u32>,
    /// The likeliest first.
    pub(crate) moves: Vec<JudgedMove>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) ease: Ease,
    /// Natural moves that nobody evaluated: then the position is at most so easy. Empty where ease is exact.
    pub(crate) missing: Vec<Move>,
    /// The moves that humans consider, each with its probability.
    natural: Vec<(Move, f64)>,
    /// Ease of this move and those to come, where it was asked for.
    pub(crate) ahead: Option<f64>,
    pub(crate) made_up: usize,
}

/// A candidate move.
pub(crate) struct JudgedMove {
    pub(crate) mv: Move,
    pub(crate) p: f64,
    pub(crate) eval: Eval<Mover>,
    pub(crate) q: f64,
    pub(crate) loss: f64,
    pub(crate) share: f64,
}

impl Judge<'_> {
    /// Whether there is nobody to ask about a position and its game says nothing of it: then it is left out.
    pub(crate) fn knows_nothing(&self, known: &Known) -> bool {
        self.analyst.is_none() && known.best.is_none()
    }

    /// Judges a position for every network. Those get what they need evaluated together, once.
    pub(crate) fn judge(&self, history: &History, known: Known) -> Result<Vec<Judged>> {
        let answers = self.networks.iter().map(|network| Ok(network.evaluate(history)?));
        let answers: Vec<Evaluation> = answers.collect::<Result<_>>()?;
        let is_forced = history.position().legal_moves().len() == 1;
        let natural: Vec<Vec<Move>> = answers.iter().map(natural_moves).collect();
        let mut facts = Facts { known, evals: known.played.into_iter().collect(), listed: Vec::new(), is_forced };
        if let Some(analyst) = self.analyst.filter(|_| !is_forced) {
            self.ask(analyst, history, &natural, &mut facts)?;
        }
        let all = self.networks.iter().zip(&answers).zip(&natural);
        all.map(|((network, answer), natural)| self.weigh(history, network, answer, natural, &facts)).collect()
    }

    /// The same, and for every network how easy the next own moves are together: each natural move is followed,
    /// the analyst's best reply to it played.
    pub(crate) fn judge_ahead(&self, history: &History) -> Result<Vec<Judged>> {
        let mut judged = self.judge(history, Known::default())?;
        for (network, judged) in judged.iter_mut().enumerate() {
            judged.ahead = Some(self.tree(history, judged, network, self.ahead)?.expected());
        }
        Ok(judged)
    }

    fn tree(&self, history: &History, judged: &Judged, network: usize, moves: usize) -> Result<EaseTree> {
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
                let judged = self.judge(&after, Known::default())?;
                self.tree(&after, &judged[network], network, moves - 1)?
            };
            tree.next.push((*p, next));
        }
        Ok(tree)
    }

    /// Has the analyst evaluate its best lines and what natural moves are not among them.
    fn ask(&self, analyst: &dyn Analyst, history: &History, natural: &[Vec<Move>], facts: &mut Facts) -> Result<()> {
        let question = Question::new(history.clone(), self.limit);
        let evals = &mut facts.evals;
        // Where the best is known already, only what is missing is asked about.
        if facts.known.best.is_none() {
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
        facts: &Facts,
    ) -> Result<Judged> {
        let context = Context::of(history.position());
        let q = |eval| 2.0 * self.curve.expected_score(eval, context) - 1.0;
        let eval_of = |mv: Move| facts.evals.iter().find(|(other, _)| *other == mv).map(|(_, eval)| *eval);
        let is_played = |mv: Move| facts.known.played.is_some_and(|(played, _)| played == mv);
        let (mut candidates, mut moves, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for found in &answer.moves {
            let mv = found.mv;
            if !natural.contains(&mv) && !facts.listed.contains(&mv) && !is_played(mv) {
                continue;
            }
            let uci = history.uci(mv).to_string();
            match (eval_of(mv), self.analyst) {
                (None, _) if facts.is_forced => {}
                (None, None) => missing.push(mv),
                // A candidate without an evaluation is an error with the move's name.
                (eval, _) => {
                    candidates.push(Candidate::new(uci, Some(found.probability), eval.map(q))?);
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
        let ease = if facts.is_forced {
            Ease::forced()
        } else {
            // The best move may be another one than those that were evaluated; its worth is known all the same.
            if let Some(best) = facts.known.best {
                candidates.push(Candidate::new("best", Some(0.0), Some(q(best)))?);
            }
            Ease::of(&candidates).with_context(|| history.fen())?
        };
        for (index, mv) in moves.iter_mut().enumerate() {
            (mv.loss, mv.share) = (ease.losses[index], ease.shares[index]);
        }
        Ok(Judged {
            policy: network.name().to_owned(),
            rating: rating_of(network.name()),
            moves,
            candidates,
            ease,
            missing,
            natural: answer
                .moves
                .iter()
                .filter(|mv| natural.contains(&mv.mv))
                .map(|mv| (mv.mv, mv.probability))
                .collect(),
            ahead: None,
            made_up: answer.made_up,
        })
    }
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
