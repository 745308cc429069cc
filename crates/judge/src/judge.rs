//! From evaluations to a judgement: the loss of a move, its symbol and that of the position.

use std::{collections::HashSet, sync::Arc, time::Duration};

use centipawn_core::{
    Context, Curve, Eval, History, MoveScheme, MoveSymbol, Mover, PositionSymbol, Scheme, Wdl,
    White, accuracy_of_move, win_percent,
};
use centipawn_engine::{Limit, Line};
use centipawn_pgn::{Game, Opening, Ply};
use shakmaty::{Chess, Color, KnownOutcome, Move, Outcome, Position as _};

use crate::{
    Certainty, GameFindings, JudgeOptions, Judgement, Phase, PositionFindings, ResultChange,
    ShortMate, Suppression, basis,
    clock::{Clock, clocks},
    ease::JudgedEase,
    findings::{is_forced, one_move_later},
    own_line::own_line,
    praise::{Praised, earned},
    reason::{Claim, Moment, Proof, REASON, Reason},
    standing::Standing,
};

/// A move with its judgement.
///
/// ```
/// # use std::sync::Arc;
/// # use centipawn_core::{Curve, Eval};
/// # use centipawn_engine::Limit;
/// # use centipawn_judge::{GameFindings, JudgeOptions, PositionFindings, judge_game};
/// # use centipawn_pgn::Reader;
/// # let game = Reader::new("1. f3 e5 2. g4 Qh4# 0-1".as_bytes()).next().unwrap()?.unwrap();
/// # let found = |(best, played)| PositionFindings {
/// #     lines: Vec::new(), best, played, played_last_exact: None, best_other: None, limit: None,
/// #     ease: Vec::new(), proof: None, answer: Vec::new(),
/// # };
/// # let evals = [
/// #     (Eval::cp(30), Eval::cp(-50)), (Eval::cp(60), Eval::cp(50)),
/// #     (Eval::cp(-60), Eval::mate(-1)), (Eval::mate(1), Eval::mate(1)),
/// # ];
/// # let findings = GameFindings {
/// #     analyst: None, curve: Curve::LICHESS, positions: evals.map(found).to_vec(),
/// # };
/// # let judgement = judge_game(Arc::new(game), &findings, &JudgeOptions::new(Limit::Nodes(1000)));
/// use centipawn_core::MoveSymbol;
///
/// // In the game 1. f3 e5 2. g4 Qh4#, 2. g4 allows mate.
/// let ply = &judgement.plies[2];
/// assert_eq!((&*ply.san, ply.symbol), ("g4", Some(MoveSymbol::Blunder)));
/// assert_eq!((ply.eval_before, ply.eval_played), (Eval::cp(-60), Eval::mate(-1)));
/// assert!((ply.score_loss - (ply.expected_score_best - ply.expected_score)).abs() < 1e-12);
/// assert_eq!(ply.absolute_loss, None, "a mate has no distance in pawns");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JudgedMove {
    /// The side that made the move.
    pub mover: Color,
    /// The move number printed before the move.
    pub move_number: u32,
    /// The move.
    pub mv: Move,
    /// The move in SAN, with `+` or `#`.
    pub san: String,
    /// The position before the move, without the moves that led to it.
    pub before: History,
    /// The analyst's lines in that position, best first; empty if the evaluations come from the
    /// game itself.
    pub lines: Vec<Line>,
    /// The line that the game itself gives as better, if the evaluations come from it; else empty.
    pub own_line: Vec<Move>,
    /// The limit of the searches behind the evaluations; `None` if the analyst was not asked.
    pub limit: Option<Limit>,
    /// The evaluation of the best move in the position before the move, White's view.
    pub eval_before: Eval<White>,
    /// The evaluation of the played move by the search of the position before it, White's view.
    pub eval_played: Eval<White>,
    /// The evaluation of the position reached, White's view; `None` after checkmate.
    pub eval: Option<Eval<White>>,
    /// The evaluation of the position reached by a separate, deeper search, White's view. `None`
    /// unless it differs and the remark on the next move mentions it.
    pub eval_deeper: Option<Eval<White>>,
    /// White's expected score, 0..=1, if the best move is played.
    pub expected_score_best: f64,
    /// White's expected score, 0..=1, after the played move.
    pub expected_score: f64,
    /// Pawns between the best move and the played one, 0 or more; `None` if either is a mate.
    pub absolute_loss: Option<f64>,
    /// Pawns at equality that the move loses, 0 or more: the lost expected score on the curve's own
    /// scale (see [`Curve::total`]).
    pub relevant_loss: f64,
    /// Expected score that the move loses, 0..=1.
    pub score_loss: f64,
    /// What the move does to the result, for a remark on a mistake.
    pub result_change: ResultChange,
    /// Whether the remark on an earlier mistake of the same player was about the same change.
    pub repeats_change: bool,
    /// The value that decides the symbol: the move's expected score minus that of the second-best
    /// move if the move is the best and the second-best is known, else minus that of the best move;
    /// mover's view, −1..=1.
    pub difference: f64,
    /// The move's symbol: by the difference, `?` at least for a short mate missed or allowed where
    /// something was left to lose, and praise only where it is earned.
    pub symbol: Option<MoveSymbol>,
    /// How sure the symbol is; `None` if the errors of the evaluations are unknown, as for those of
    /// the game itself, or if no search decides the symbol.
    pub certainty: Option<Certainty>,
    /// The scheme of thresholds by which the symbol was chosen.
    pub scheme: MoveScheme,
    /// A suppressed symbol, which the bare formula gives but which would mislead, and the reason:
    /// of praise, or `?!` in a known opening.
    pub suppressed: Option<(MoveSymbol, Suppression)>,
    /// Whether it is the only move (`□`, $7): it keeps a win (expected score 7/8 or more) where the
    /// next best does not get beyond a level game (13/20), or it holds a level game where the next
    /// best loses (1/8 or less). It is ahead by at least the threshold of `!`. Never for a forced
    /// move or checkmate, nor for a suppressed symbol, except for answers to check and the better
    /// of two moves.
    pub only_move: bool,
    /// White's win, draw and loss if the move ends the game on the board. They are certain, while a
    /// mate in some moves must still be found by a human.
    pub ended: Option<Wdl>,
    /// The symbol of the position reached.
    pub position: PositionSymbol,
    /// The phase of the game in which the move was played.
    pub phase: Phase,
    /// Time left on the mover's clock after the move, if the game states it.
    pub clock: Option<Duration>,
    /// Time that the mover spent on the move; `None` if unknown.
    pub time: Option<Duration>,
    /// Accuracy in Lichess' sense, 0..=100 per cent.
    pub accuracy: f64,
    /// The ease of the position before the move, for each network; empty without ease.
    pub ease: Vec<JudgedEase>,
    /// The proof of [`reason`](Self::reason); `None` without a reason.
    pub proof: Option<Proof>,
    /// The reason why a move with a symbol of blame is a mistake; `None` where nothing is proven.
    pub reason: Option<Reason>,
    /// The best line after the move, if a separate search found it and the reason is not proven
    /// yet.
    pub(crate) answer: Vec<Move>,
}

/// Judges a game by its findings. This is a pure computation without an engine.
///
/// `findings` must belong to this game; moves without findings are left out.
///
/// ```
/// use std::sync::Arc;
///
/// use centipawn_core::{Curve, Eval, MoveSymbol};
/// use centipawn_engine::Limit;
/// use centipawn_judge::{GameFindings, JudgeOptions, PositionFindings, judge_game};
/// use centipawn_pgn::Reader;
///
/// let game = Reader::new("1. f3 e5 2. g4 Qh4# 0-1".as_bytes()).next().unwrap()?.unwrap();
/// // The evaluations of the best and the played move, for the side to move. Usually a `FindJob`
/// // makes the findings.
/// let evals = [
///     (Eval::cp(30), Eval::cp(-50)),
///     (Eval::cp(60), Eval::cp(50)),
///     (Eval::cp(-60), Eval::mate(-1)),
///     (Eval::mate(1), Eval::mate(1)),
/// ];
/// let found = |(best, played)| PositionFindings {
///     best,
///     played,
///     best_other: None,
///     lines: Vec::new(),
///     played_last_exact: None,
///     limit: None,
///     ease: Vec::new(),
///     proof: None,
///     answer: Vec::new(),
/// };
/// let findings = GameFindings {
///     analyst: None,
///     curve: Curve::LICHESS,
///     positions: evals.map(found).to_vec(),
/// };
/// let options = JudgeOptions::new(Limit::Nodes(100_000));
/// let judgement = judge_game(Arc::new(game), &findings, &options);
/// let symbols: Vec<_> = judgement.plies.iter().map(|ply| ply.symbol).collect();
/// assert_eq!(symbols, [None, None, Some(MoveSymbol::Blunder), None]);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn judge_game(game: Arc<Game>, findings: &GameFindings, options: &JudgeOptions) -> Judgement {
    let mut judge = GameJudge::new(game, findings.curve, options.clone());
    for found in &findings.positions {
        judge.push(found);
    }
    let GameJudge {
        game,
        plies,
        options,
        ..
    } = judge;
    Judgement::new(game, plies, findings, options)
}

/// Judges a game move by move, as soon as the findings before a move are there: each move costs the
/// same, however long the game is.
pub(crate) struct GameJudge {
    game: Arc<Game>,
    curve: Curve,
    options: JudgeOptions,
    scheme: Scheme,
    clocks: Vec<Clock>,
    /// Whether each of the first moves belongs to the opening table.
    theory: Vec<bool>,
    /// The position before the next move.
    before: History,
    plies: Vec<JudgedMove>,
    /// The changes of the result that remarks on mistakes have named so far, by player.
    named_changes: HashSet<(Color, ResultChange)>,
}

impl GameJudge {
    /// Creates the judge of a game before its first move.
    pub(crate) fn new(game: Arc<Game>, curve: Curve, options: JudgeOptions) -> Self {
        let (clocks, before) = (clocks(&game), game.before_first());
        let scheme = options.scheme.scheme(&curve);
        let plies = Vec::with_capacity(game.plies.len());
        let theory = Opening::theory(&game);
        Self {
            game,
            curve,
            options,
            scheme,
            clocks,
            theory,
            before,
            plies,
            named_changes: HashSet::new(),
        }
    }

    /// Judges the next move by the findings before it; does nothing after the last one.
    pub(crate) fn push(&mut self, found: &PositionFindings) {
        let index = self.plies.len();
        let Some(ply) = self.game.plies.get(index) else {
            return;
        };
        let judge = Judge {
            curve: &self.curve,
            scheme: self.scheme,
            every_symbol: self.options.every_symbol,
            is_theory: self.theory.get(index) == Some(&true),
            rating: self
                .options
                .ease_levels
                .players
                .rating(Some(&self.game.headers), self.before.turn()),
        };
        let mut judged = judge.judge(&self.before, ply, found, self.clocks[index], &self.plies);
        if judged.is_blamed() || (judged.symbol.is_none() && judged.has_remark()) {
            let change = (judged.mover, judged.result_change);
            judged.repeats_change = !self.named_changes.insert(change);
        }
        let is_blamed = judged.is_blamed();
        if let Some(last) = self.plies.last_mut() {
            last.eval_deeper =
                Some(judged.eval_before).filter(|best| is_blamed && last.eval != Some(*best));
        }
        self.before.push(ply.mv);
        self.plies.push(judged);
        // This move's best line is the refutation of the previous move, whose reason can be found
        // now.
        if let Some(last) = index.checked_sub(1) {
            self.plies[last].reason = self.reason(last);
        }
        if index + 1 == self.game.plies.len() {
            self.plies[index].reason = self.reason(index);
        }
    }

    /// Returns the reason why a judged move is a mistake: from the lines around it if it is proven,
    /// else from an earlier review.
    fn reason(&self, index: usize) -> Option<Reason> {
        let ply = self.plies.get(index).filter(|ply| ply.symbol.is_some())?;
        let previous = index.checked_sub(1).map(|previous| &self.plies[previous]);
        let moment = Moment::of(previous, ply, self.plies.get(index + 1));
        let written =
            || moment.of_command(ply.before.mode(), self.game.plies[index].command(REASON)?);
        // Evaluations of the game come with the reasons of the review that wrote them.
        match (ply.limit, &ply.proof) {
            (None, _) => written(),
            (Some(_), proof) => proof.as_ref().map(|proof| moment.proven(proof)),
        }
    }

    /// Returns the unproven reasons of all moves with a symbol: first those of blunders, then those
    /// of other mistakes, the costliest first, and at last those of praise.
    pub(crate) fn claims(&self) -> Vec<MoveClaims> {
        let mut shown: Vec<MoveClaims> = Vec::new();
        // Draws by repetition need the moves before the position.
        for ((index, ply), (history, _)) in self.plies.iter().enumerate().zip(self.game.mainline())
        {
            if ply.symbol.is_none() || ply.limit.is_none() {
                continue;
            }
            let previous = index.checked_sub(1).map(|previous| &self.plies[previous]);
            let moment = Moment {
                history: &history,
                ..Moment::of(previous, ply, self.plies.get(index + 1))
            };
            let claims = moment.claims();
            if !claims.is_empty() {
                shown.push(MoveClaims {
                    ply: index,
                    rank: rank(ply.symbol),
                    claims,
                });
            }
        }
        let loss = |shown: &MoveClaims| self.plies[shown.ply].score_loss;
        shown.sort_by(|a, b| {
            a.rank
                .cmp(&b.rank)
                .then_with(|| loss(b).total_cmp(&loss(a)))
        });
        shown
    }

    /// Returns the indices of the moves that are praised, so that a second search must confirm
    /// them.
    pub(crate) fn praised(&self) -> Vec<usize> {
        let is_praised =
            |ply: &JudgedMove| ply.symbol.is_some_and(MoveSymbol::is_praise) || ply.only_move;
        let plies = self.plies.iter().enumerate();
        plies
            .filter(|(_, ply)| is_praised(ply) && ply.limit.is_some())
            .map(|(index, _)| index)
            .collect()
    }

    /// Returns the searches behind the judged moves, in searches to `limit`: one for the lines, one
    /// for a move outside them, and one more for the best move if such a move may earn a symbol.
    pub(crate) fn searches(&self, limit: Limit) -> f64 {
        let of = |ply: &JudgedMove| {
            let is_listed = ply.lines.iter().any(|line| line.first_move() == ply.mv);
            let others = match is_listed {
                true => 0.0,
                false if self.scheme.moves.symbol(ply.difference).is_some() => 2.0,
                false => 1.0,
            };
            Some((1.0 + others) * ply.limit?.share_of(limit))
        };
        self.plies.iter().filter_map(of).sum()
    }

    /// Returns how many moves are judged.
    pub(crate) fn len(&self) -> usize {
        self.plies.len()
    }

    /// Returns the judged moves. The deeper evaluation and the reason of the last one depend on the
    /// next move.
    pub(crate) fn plies(&self) -> &[JudgedMove] {
        &self.plies
    }
}

/// Returns how late the reason of a move with this symbol is sought.
fn rank(symbol: Option<MoveSymbol>) -> u8 {
    match symbol {
        Some(MoveSymbol::Blunder) => 0,
        Some(MoveSymbol::Mistake) => 1,
        Some(MoveSymbol::Dubious) => 2,
        _ => 3,
    }
}

/// The unproven reasons of a move with a symbol, the best explanation first.
pub(crate) struct MoveClaims {
    /// Index of the move.
    pub(crate) ply: usize,
    /// The lower the sooner: `??`, `?`, `?!`, praise.
    pub(crate) rank: u8,
    pub(crate) claims: Vec<Claim>,
}

struct Judge<'a> {
    curve: &'a Curve,
    scheme: Scheme,
    every_symbol: bool,
    /// Whether the move belongs to the opening table.
    is_theory: bool,
    /// The mover's rating.
    rating: Option<u32>,
}

impl Judge<'_> {
    /// Judges a move; `previous` are the judged moves before it.
    fn judge(
        &self,
        before: &History,
        ply: &Ply,
        findings: &PositionFindings,
        clock: Clock,
        previous: &[JudgedMove],
    ) -> JudgedMove {
        let Judge {
            curve,
            scheme,
            every_symbol,
            is_theory,
            rating,
        } = *self;
        let mover = before.turn();
        let context = Context::of(before.position());
        let PositionFindings {
            best,
            played,
            best_other,
            ref lines,
            ref ease,
            ..
        } = *findings;
        let expected = |eval: Eval<Mover>| curve.expected_score(eval, context);
        let white = |p: f64| mover.fold_wb(p, 1.0 - p);

        let is_listed = lines.iter().any(|line| line.pv.first() == Some(&ply.mv));
        let difference = match best_other {
            // An unfinished search may rank a worse line first.
            Some(other) if played == best => (expected(played) - expected(other)).max(0.0),
            _ => (expected(played) - expected(best)).min(0.0),
        };
        let by_difference = scheme.moves.symbol(difference);
        let due = match ShortMate::of(best, played) {
            Some(mate) => mate.symbol(
                by_difference,
                expected(best),
                expected(best) - expected(played),
            ),
            None => by_difference,
        };
        let due = due.filter(|_| !is_forced(before));
        let (symbol, reason) = match due.filter(|_| !every_symbol) {
            None => (due, None),
            Some(MoveSymbol::Dubious) if is_theory => (None, Some(Suppression::Theory)),
            Some(symbol) if symbol.is_praise() => {
                // No analyst's lines means that an earlier review's command was rejected.
                let is_rare = findings.limit.is_none() && !lines.is_empty() && basis::is_rare(ply);
                let expected_score = expected(played);
                let earned = earned(
                    symbol,
                    before.position(),
                    ply.mv,
                    expected_score,
                    ease,
                    is_rare,
                );
                let praised = Praised {
                    before,
                    mv: ply.mv,
                    played,
                    expected_score,
                    is_theory,
                    rating,
                };
                let reason = Suppression::of(before, ply.mv, played, is_listed, previous)
                    .or_else(|| Suppression::of_earned(earned, &praised));
                (Some(earned).filter(|_| reason.is_none()), reason)
            }
            Some(_) => (due, None),
        };
        let suppressed = due.zip(reason);

        let only_move = best_other.is_some_and(|other| {
            let standing = |eval| Standing::of(expected(eval));
            let gives_up = standing(other)
                .zip(standing(played))
                .is_some_and(|(other, played)| other < played);
            played == best && gives_up && difference >= scheme.moves.threshold(MoveSymbol::Good)
        });
        let may_be_only =
            suppressed.is_none_or(|(_, reason)| reason.allows_only_move()) && !is_forced(before);

        let mut after: Chess = before.position().clone();
        after.play_unchecked(ply.mv);
        let ended = match after.outcome() {
            Outcome::Known(outcome) => Some(certain(outcome)),
            Outcome::Unknown => None,
        };
        let expected_score = ended.map_or_else(|| white(expected(played)), Wdl::expected_score);
        let score_loss = (expected(best) - expected(played)).max(0.0);
        let after_eval = (!after.is_checkmate()).then(|| one_move_later(played).for_white(mover));
        let [best_white, played_white] = [best, played].map(|eval| eval.for_white(mover));
        let phase = previous
            .last()
            .map_or(Phase::default(), |last| last.phase)
            .then(before.position());
        // With queens on the board, a level game is not yet a draw.
        let is_endgame = phase == Phase::Endgame && before.position().board().queens().is_empty();
        let result_change = ResultChange::of(
            expected(best),
            mover.fold_wb(expected_score, 1.0 - expected_score),
            is_endgame,
        );
        let mover_percent =
            |eval: Eval<White>| mover.fold_wb(win_percent(eval), 100.0 - win_percent(eval));

        JudgedMove {
            mover,
            move_number: before.position().fullmoves().get(),
            mv: ply.mv,
            san: ply.san(before.position()).to_string(),
            lines: lines.clone(),
            own_line: if lines.is_empty() {
                own_line(before, ply)
            } else {
                Vec::new()
            },
            limit: findings.limit,
            eval_before: best_white,
            eval_played: played_white,
            eval: after_eval,
            eval_deeper: None,
            expected_score_best: white(expected(best)),
            expected_score,
            absolute_loss: best
                .pawns()
                .zip(played.pawns())
                .map(|(best, played)| (best - played).max(0.0)),
            relevant_loss: score_loss * curve.total(context),
            score_loss,
            result_change,
            repeats_change: false,
            difference,
            symbol,
            certainty: None,
            scheme: scheme.moves,
            suppressed,
            ended,
            only_move: only_move && may_be_only && !after.is_checkmate(),
            position: scheme.positions.symbol(expected_score),
            phase,
            clock: clock.left,
            time: clock.spent,
            accuracy: accuracy_of_move(mover_percent(best_white), mover_percent(played_white)),
            ease: ease.clone(),
            proof: findings.proof.clone(),
            reason: None,
            answer: findings.answer.clone(),
            before: History::new(before.position().clone(), before.mode()),
        }
    }
}

/// The best move other than the played move.
pub struct NextBest {
    /// The move in SAN.
    pub san: String,
    /// The evaluation of the move, White's view.
    pub eval: Eval<White>,
}

/// Returns White's win, draw and loss in a game that is over.
fn certain(outcome: KnownOutcome) -> Wdl {
    let of = |is: bool| f64::from(u8::from(is));
    let winner = outcome.winner();
    Wdl {
        win: of(winner == Some(Color::White)),
        draw: of(winner.is_none()),
        loss: of(winner == Some(Color::Black)),
    }
}

impl JudgedMove {
    /// Returns White's win, draw and loss after the move: by the curve, or certain if the move ends
    /// the game on the board. `None` unless the curve is a win/draw/loss model.
    pub fn wdl(&self, curve: &Curve) -> Option<Wdl> {
        let wdl = curve.wdl(self.eval_played, Context::of(self.before.position()))?;
        Some(self.ended.unwrap_or(wdl))
    }

    /// Returns whether there is something to remark: the move has a symbol, or decides about a
    /// short mate.
    pub fn has_remark(&self) -> bool {
        self.symbol.is_some() || self.short_mate().is_some()
    }

    /// Returns the short mate that the move missed or allowed.
    pub fn short_mate(&self) -> Option<ShortMate> {
        ShortMate::of(
            self.eval_before.for_mover(self.mover),
            self.eval_played.for_mover(self.mover),
        )
    }

    /// Returns White's expected score as the mover's.
    pub fn mover_score(&self, white: f64) -> f64 {
        self.mover.fold_wb(white, 1.0 - white)
    }

    /// Returns whether the move has a symbol of blame: `?!`, `?` or `??`.
    pub fn is_blamed(&self) -> bool {
        self.symbol.is_some_and(|symbol| !symbol.is_praise())
    }

    /// Returns the symbols after the move: `!`, `!□`, or empty.
    pub fn glyphs(&self) -> String {
        let only_move = if self.only_move { "□" } else { "" };
        format!("{}{only_move}", self.symbol.map_or("", MoveSymbol::glyph))
    }

    /// Returns the evaluation of the position after the best move, White's view.
    pub fn best_after(&self) -> Eval<White> {
        one_move_later(self.eval_before.for_mover(self.mover)).for_white(self.mover)
    }

    /// Returns the moves to play instead, or, after the best move, the best line itself: the
    /// analyst's, else the game's own. `None` if neither is known.
    pub fn better(&self) -> Option<&[Move]> {
        let analysed = self.lines.first().map(|line| &line.pv);
        Some(&**analysed.unwrap_or(&self.own_line)).filter(|line| !line.is_empty())
    }

    /// Returns the best line that begins with another move.
    pub fn next_best(&self) -> Option<NextBest> {
        let line = self
            .lines
            .iter()
            .find(|line| line.pv.first() != Some(&self.mv))?;
        Some(NextBest {
            san: self.before.san(*line.pv.first()?),
            eval: line.eval.for_white(self.mover),
        })
    }
}
