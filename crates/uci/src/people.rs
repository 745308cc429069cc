//! Predicts what people do in the position that is searched.

use centipawn_core::{Context, EASE_CURVE, Eval, History, Mover, Score};
use centipawn_engine::{Analyst, Limit};
use centipawn_judge::ease::{EaseJudge, EaseJudgeError, JudgedEase, KnownEvals};
use centipawn_policy::{Network, is_known};
use shakmaty::{Move, Position as _};

/// Minimum probability of a move in a sentence.
const LEAST: f64 = 0.02;
/// Maximum number of moves in a sentence.
const MOVES: usize = 4;
/// Number of nodes for a position after a line.
const NODES: u64 = 5_000;
/// With [`Order::Ease`](crate::Order::Ease), lines that lose less expected score than this come
/// first.
pub(crate) const GOOD: f64 = 0.05;

/// Predicts the moves of people.
#[derive(Clone, Copy)]
pub(crate) struct People<'a> {
    /// The network that predicts moves.
    pub(crate) network: &'a Network,
}

impl People<'_> {
    /// Judges how players of `level` fare in a position with these evaluations, and with those that
    /// `analyst` adds.
    pub(crate) fn judge(
        self,
        history: &History,
        level: u32,
        known: KnownEvals,
        analyst: Option<(&dyn Analyst, u64)>,
    ) -> Result<Option<JudgedEase>, EaseJudgeError> {
        // Networks do not know the first three moves of each side.
        if !is_known(history) {
            return Ok(None);
        }
        let nodes = analyst.map_or(1, |(_, nodes)| nodes);
        let networks = std::slice::from_ref(self.network);
        let judge = EaseJudge {
            networks,
            levels: &[],
            analyst: analyst.map(|(analyst, _)| analyst),
            limit: Limit::Nodes(nodes),
            lines: 4,
            curve: EASE_CURVE,
            ahead: 1,
        };
        Ok(judge.judge(history, known, Some(level))?.pop())
    }

    /// Returns sentences about the lines of a search. Evaluations are for the side to move.
    pub(crate) fn sentences(
        self,
        history: &History,
        level: u32,
        lines: &[(Move, Score)],
    ) -> Result<Vec<String>, EaseJudgeError> {
        let evals: Vec<(Move, Eval<Mover>)> = lines
            .iter()
            .map(|(mv, score)| (*mv, Eval::new(*score)))
            .collect();
        let best = evals.iter().map(|(_, eval)| *eval).max();
        let Some(judged) = self.judge(
            history,
            level,
            KnownEvals {
                best,
                moves: evals,
                played: None,
            },
            None,
        )?
        else {
            return Ok(Vec::new());
        };
        let san = |mv: Move| history.san(mv);
        let percent = |p: f64| format!("{:.0} %", 100.0 * p);
        let mut sentences = Vec::new();
        let played = judged.moves.iter().filter(|mv| mv.p >= LEAST).take(MOVES);
        let played: Vec<String> = played
            .map(|mv| format!("{} {}", san(mv.mv), percent(mv.p)))
            .collect();
        if played.is_empty() {
            return Ok(sentences);
        }
        let mut sentence = format!("players of {level} play {}", played.join(", "));
        // The loss covers only moves with a line. It means little if natural moves have none.
        if judged.missing.is_empty() && judged.moves.len() > 1 {
            sentence += &format!("; on average they lose {:.2} points", judged.expected_loss);
        }
        sentences.push(sentence);
        if let Some(trap) = judged.trap() {
            sentences.push(format!(
                "trap: {} of them play {}, which loses {:.2} points",
                percent(trap.p),
                san(trap.mv),
                trap.loss
            ));
        }
        if !judged.missing.is_empty() && lines.len() > 1 {
            let missing: Vec<String> = judged
                .missing
                .iter()
                .take(MOVES)
                .map(|mv| san(*mv))
                .collect();
            sentences.push(format!(
                "natural moves without a line: {} (raise MultiPV)",
                missing.join(", ")
            ));
        }
        Ok(sentences)
    }

    /// Returns the expected score (0 to 1) of the side to move after `mv` against players of
    /// `level`, from the probabilities of their replies.
    pub(crate) fn chances(
        self,
        history: &History,
        mv: Move,
        level: u32,
        analyst: &dyn Analyst,
    ) -> Result<Option<f64>, EaseJudgeError> {
        let mut after = history.clone();
        after.push(mv);
        if after.position().legal_moves().is_empty() {
            return Ok(Some(if after.position().is_checkmate() {
                1.0
            } else {
                0.5
            }));
        }
        let Some(judged) =
            self.judge(&after, level, KnownEvals::default(), Some((analyst, NODES)))?
        else {
            return Ok(None);
        };
        let context = Context::of(after.position());
        let (mut sum, mut mass) = (0.0, 0.0);
        for reply in &judged.moves {
            sum += reply.p * (1.0 - EASE_CURVE.expected_score(reply.eval, context));
            mass += reply.p;
        }
        Ok((mass > 0.0).then(|| sum / mass))
    }

    /// Returns the expected score (0 to 1) that players of `level` lose on average with their next
    /// move after `mv` and `reply`.
    pub(crate) fn next_loss(
        self,
        history: &History,
        [mv, reply]: [Move; 2],
        level: u32,
        analyst: &dyn Analyst,
    ) -> Result<Option<f64>, EaseJudgeError> {
        let mut after = history.clone();
        after.push(mv);
        after.push(reply);
        if after.position().legal_moves().is_empty() {
            return Ok(Some(0.0));
        }
        let judged = self.judge(&after, level, KnownEvals::default(), Some((analyst, NODES)))?;
        Ok(judged.map(|judged| judged.expected_loss))
    }
}

/// Returns the expected score (0 to 1) of an evaluation, by the same curve that measures losses.
pub(crate) fn expected(history: &History, score: Score) -> f64 {
    EASE_CURVE.expected_score(Eval::<Mover>::new(score), Context::of(history.position()))
}
