//! The engine work of a review, game by game: a job whose steps are positions.
//!
//! With [`JudgeOptions::quick`] it has two passes: all positions to that limit, then those that
//! [matter](crate::what_matters). Then neighbouring positions are [reconciled](crate::reconcile),
//! and praise is confirmed. At the end the reasons of mistakes are proven, those of `??` first, as
//! far as their budget goes.

use std::{
    collections::BTreeMap,
    mem,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use centipawn_core::{Curve, EASE_CURVE, History};
use centipawn_engine::{Analyst, AnalystError, Limit};
use centipawn_pgn::{Game, GameEvals};
use centipawn_policy::{Network, is_known};
use centipawn_progress::{Cancelled, Job, Next, Problem};
use shakmaty::Move;

use crate::{
    GameFindings, JudgeOptions, PositionCount, PositionFindings,
    ease::{EaseJudge, EaseJudgeError, JudgedEase, KnownEvals},
    findings::needs_search,
    judge::{GameJudge, MoveClaims},
    reason::{Claim, Proof},
    reconcile::reconcile,
    what_matters::what_matters,
};

/// Shared by the jobs of all games.
#[derive(Clone, Copy)]
pub struct Finder<'a> {
    /// The analyst that evaluates positions.
    pub analyst: &'a dyn Analyst,
    /// Judge the ease of every position; empty for no ease.
    pub networks: &'a [Network],
    /// Options of searching and judging games.
    pub options: &'a JudgeOptions,
    /// The counter of finished positions.
    pub count: &'a PositionCount<'a>,
}

/// Makes the [`GameFindings`] of one game; each position is a step, so that one long game keeps all
/// engines busy.
pub struct FindJob<'a> {
    finder: Finder<'a>,
    game: Arc<Game>,
    evals: Option<GameEvals>,
    /// Whether the game's own evaluations leave positions to the analyst.
    is_mixed: bool,
    /// The curve of the game. Choosing it reads all tags and comments, so the result is kept.
    curve: OnceLock<Curve>,
    state: Mutex<State>,
}

struct State {
    pass: Pass,
    next: usize,
    before: History,
    found: Vec<Option<PositionFindings>>,
    /// Number of steps that have begun and not ended. A cancelled step never ends, so the next pass
    /// does not begin.
    running: usize,
    failure: Option<Failure>,
}

/// A pass over the positions of the game.
enum Pass {
    /// A quick search of every position to this limit, before the last pass.
    Quick(Limit),
    /// Completes the findings. `true` searches a position; `false` keeps the findings of the quick
    /// pass.
    Last(Vec<bool>),
    /// Steps that search for moves better than the praised ones, in reverse order.
    Praise(Vec<FindStep>),
    /// The longer searches that prove the reasons of mistakes.
    Reasons(Proofs),
}

/// The proofs of a game.
#[derive(Default)]
struct Proofs {
    /// The remaining steps in reverse order: the last element is the next step.
    steps: Vec<FindStep>,
    /// Further claims about moves whose first claim was not proven, the better explanation first.
    rest: Vec<MoveClaims>,
    /// Remaining budget. The unit is one search to the limit of proofs.
    budget: f64,
}

/// Budget of the proofs of a game, as a share of the searches for its findings.
const BUDGET: f64 = 0.3;

/// A position to work on.
#[non_exhaustive]
pub struct FindStep {
    ply: usize,
    before: History,
    task: Task,
}

/// The work of a step on its position.
enum Task {
    /// Evaluate the moves of the position. The result of the last pass is final.
    Search {
        /// `None` keeps the findings of the quick pass.
        limit: Option<Limit>,
        is_last: bool,
    },
    /// Confirm that the played move is better than all other moves.
    Confirm,
    /// Prove a reason of the move's loss.
    Prove(Claim),
}

/// The outcome of a [`FindJob`].
#[derive(Debug)]
pub struct Found {
    /// The game as read.
    pub game: Arc<Game>,
    /// The findings, or the failure that prevented them.
    pub findings: Result<GameFindings, Failure>,
}

/// The failure of a review: the position and the error.
#[derive(Debug, thiserror::Error)]
#[error("game {} (line {}), at {ply}: {source}", game.place.game, game.place.line)]
pub struct Failure {
    /// The game as read.
    pub game: Arc<Game>,
    /// The move after the position that could not be evaluated, such as `12... Nxe4`.
    pub ply: String,
    /// The error of the analyst or of the networks.
    pub source: EaseJudgeError,
}

impl Failure {
    /// Returns the failure as a problem with the game's source, number and line.
    pub fn problem(&self) -> Problem {
        let place = &self.game.place;
        let problem = Problem::error(format_args!(
            "at {}: {}; the game stays unreviewed",
            self.ply, self.source
        ));
        problem
            .of(place.source.as_deref().unwrap_or_default())
            .in_game(place.game)
            .at_line(place.line)
    }
}

impl FindStep {
    /// Returns the index of the move whose position is searched.
    pub fn ply(&self) -> usize {
        self.ply
    }

    /// Returns whether the step proves a reason or confirms praise; otherwise it searches the
    /// position.
    pub fn is_proof(&self) -> bool {
        !matches!(self.task, Task::Search { .. })
    }
}

impl<'a> FindJob<'a> {
    /// Creates the job of a game.
    pub fn new(finder: Finder<'a>, game: Game) -> Self {
        let evals = finder
            .options
            .reuse_evals
            .map(|dialect| GameEvals::read(&game, dialect));
        // The comments of a game may evaluate only some positions. Then the analyst evaluates the
        // others, so convert the comments to the analyst's unit: a review has a single unit.
        let is_mixed = evals.as_ref().is_some_and(|evals| asks(&game, evals));
        let evals = evals.map(|evals| match is_mixed {
            true => evals.converted(
                &game,
                Curve::for_engine(&finder.analyst.identity().name).source_units(),
            ),
            false => evals,
        });
        let pass = match finder.options.quick {
            Some(quick) => Pass::Quick(quick),
            None => Pass::Last(vec![true; game.plies.len()]),
        };
        let (before, found) = (game.before_first(), vec![None; game.plies.len()]);
        let state = State {
            pass,
            next: 0,
            before,
            found,
            running: 0,
            failure: None,
        };
        Self {
            finder,
            game: Arc::new(game),
            evals,
            is_mixed,
            curve: OnceLock::new(),
            state: Mutex::new(state),
        }
    }

    /// Returns the game.
    pub fn game(&self) -> &Arc<Game> {
        &self.game
    }

    /// Returns whether the job needs the analyst: `false` if the game's own evaluations cover all
    /// positions.
    pub fn asks(&self) -> bool {
        match self.evals {
            Some(_) => self.is_mixed,
            None => self
                .game
                .mainline()
                .any(|(before, _)| needs_search(&before)),
        }
    }

    /// Returns the findings before the move of this index, once they are there.
    pub fn found(&self, index: usize) -> Option<PositionFindings> {
        self.state().found.get(index)?.clone()
    }

    /// Returns the curve that the options choose for this game. The unit of its evaluations is that
    /// of their source: the analyst, or the game itself if it leaves no position to the analyst.
    pub fn curve(&self) -> Curve {
        *self.curve.get_or_init(|| {
            let evals = self.evals.as_ref().filter(|_| !self.is_mixed);
            curve_of(&self.game, evals, self.finder.options, || {
                self.finder.analyst.identity().name.clone()
            })
        })
    }

    fn found_in_game(&self, index: usize, before: &History) -> Option<PositionFindings> {
        PositionFindings::of_game(&self.game, self.evals.as_ref()?, index, before)
    }

    fn find(
        &self,
        FindStep { ply, before, .. }: &FindStep,
        limit: Option<Limit>,
        is_last: bool,
    ) -> Result<PositionFindings, EaseJudgeError> {
        let Finder {
            analyst,
            networks,
            options,
            ..
        } = self.finder;
        let played = self.game.plies[*ply].mv;
        let from_game = || self.found_in_game(*ply, before);
        let from_quick_pass = || self.state().found[*ply].clone();
        let known = if limit.is_none() {
            from_quick_pass()
        } else {
            from_game()
        };
        let mut found = match known {
            Some(found) => found,
            None => {
                let search = if is_last {
                    PositionFindings::search_on
                } else {
                    PositionFindings::search
                };
                search(
                    analyst,
                    before,
                    played,
                    &self.curve(),
                    limit.unwrap_or(options.limit),
                    options,
                )?
            }
        };
        // Networks were not trained on the first moves of a game, so their probabilities mean
        // nothing there.
        if is_last && !networks.is_empty() && is_known(before) {
            found.ease = self.ease(before, played, &found)?;
        }
        Ok(found)
    }

    /// Returns ease for every network. The analyst also evaluates natural moves without a finding,
    /// unless the position's evaluations come from the game.
    fn ease(
        &self,
        before: &History,
        played: Move,
        found: &PositionFindings,
    ) -> Result<Vec<JudgedEase>, EaseJudgeError> {
        let Finder {
            analyst,
            networks,
            options,
            ..
        } = self.finder;
        let judge = EaseJudge {
            networks,
            levels: &options.ease_levels.fixed,
            analyst: found.limit.is_some().then_some(analyst),
            limit: found.limit.unwrap_or(options.limit),
            lines: options.lines,
            curve: options.curve.without_game().unwrap_or(EASE_CURVE),
            ahead: 1,
        };
        let player = options
            .ease_levels
            .players
            .rating(Some(&self.game.headers), before.turn());
        judge.judge(before, KnownEvals::of(found, played), player)
    }

    /// Returns the proof of the part of a claim that a longer search confirms; `None` if it
    /// confirms nothing.
    fn prove(&self, step: &FindStep, claim: &Claim) -> Result<Option<Proof>, AnalystError> {
        let Finder {
            analyst, options, ..
        } = self.finder;
        let (played, limit) = (self.game.plies[step.ply].mv, options.proof_limit());
        claim.prove(&step.before, played, analyst, limit, &self.curve())
    }

    /// Returns the findings of a praised move, corrected by a second search of all other moves.
    fn confirmed(&self, step: &FindStep) -> Result<Option<PositionFindings>, AnalystError> {
        let Finder {
            analyst, options, ..
        } = self.finder;
        let Some(mut found) = self.found(step.ply) else {
            return Ok(None);
        };
        let limit = found.limit.unwrap_or(options.limit);
        found.confirm(analyst, &step.before, self.game.plies[step.ply].mv, limit)?;
        Ok(Some(found))
    }

    fn judge(&self, found: &[Option<PositionFindings>], options: JudgeOptions) -> GameJudge {
        let mut judge = GameJudge::new(Arc::clone(&self.game), self.curve(), options);
        found.iter().flatten().for_each(|found| judge.push(found));
        judge
    }

    /// Reconciles the findings of neighbouring positions, and returns the steps that confirm
    /// praise.
    fn praise(&self, found: &mut [Option<PositionFindings>]) -> Vec<FindStep> {
        if found.iter().flatten().all(|found| found.limit.is_none()) {
            return Vec::new();
        }
        let options = self.finder.options;
        reconcile(&self.game, found, &self.curve(), options);
        // With `every_symbol` praise is not checked, and with one line no move is praised.
        if options.every_symbol || options.lines < 2 {
            return Vec::new();
        }
        let praised = self.judge(found, options.clone()).praised();
        self.steps(
            praised
                .into_iter()
                .map(|ply| (ply, Task::Confirm))
                .collect(),
        )
    }

    /// Makes a step of each task, in one walk through the game. The steps are in reverse order,
    /// because they are popped from the end.
    fn steps(&self, tasks: Vec<(usize, Task)>) -> Vec<FindStep> {
        let mut befores: BTreeMap<usize, Option<History>> =
            tasks.iter().map(|(ply, _)| (*ply, None)).collect();
        for (ply, (before, _)) in self.game.mainline().enumerate() {
            if let Some(place) = befores.get_mut(&ply) {
                *place = Some(before);
            }
        }
        let step = |(ply, task)| {
            Some(FindStep {
                ply,
                before: befores.remove(&ply)??,
                task,
            })
        };
        tasks.into_iter().rev().filter_map(step).collect()
    }

    /// Keeps the proofs that need no search, and returns the steps of the others, up to the budget:
    /// first those of `??`, `?`, `?!` and praise, then the cheapest, and of equally cheap ones the
    /// costliest mistake.
    fn proofs(&self, found: &mut [Option<PositionFindings>]) -> Proofs {
        let limit = self.finder.options.proof_limit();
        if found.iter().flatten().all(|found| found.limit.is_none()) {
            return Proofs::default();
        }
        // Findings serve reviews with every symbol, too, so the moves that need a reason are those
        // that have a symbol without this option.
        let options = JudgeOptions {
            every_symbol: false,
            ..self.finder.options.clone()
        };
        let judge = self.judge(found, options);
        let mut claims = Vec::new();
        for shown in judge.claims() {
            let Some(found) = &mut found[shown.ply] else {
                continue;
            };
            found.proof = shown
                .claims
                .first()
                .and_then(|claim| claim.announced(found.limit.unwrap_or(limit)));
            if found.proof.is_none() {
                claims.push(shown);
            }
        }
        let proofs = Proofs {
            steps: Vec::new(),
            rest: claims,
            budget: BUDGET * judge.searches(limit),
        };
        // The budget of a short game is smaller than one search, so the first proof is free.
        self.next_claims(proofs, true)
    }

    /// Returns the steps that prove the next claim of each move, up to the budget. With
    /// `is_one_free` the first step costs nothing.
    fn next_claims(&self, proofs: Proofs, mut is_one_free: bool) -> Proofs {
        let limit = self.finder.options.proof_limit();
        let Proofs {
            mut rest,
            mut budget,
            ..
        } = proofs;
        rest.retain(|shown| !shown.claims.is_empty());
        let cost = |shown: &MoveClaims| shown.claims.first().map_or(0.0, |claim| claim.cost(limit));
        // The sort is stable, so among equal costs the costliest mistake comes first.
        rest.sort_by(|a, b| {
            a.rank
                .cmp(&b.rank)
                .then_with(|| cost(a).total_cmp(&cost(b)))
        });
        let mut tasks = Vec::new();
        for shown in &mut rest {
            let cost = cost(shown);
            let is_affordable = mem::take(&mut is_one_free) || cost <= budget;
            if is_affordable {
                budget -= cost;
                tasks.push((shown.ply, Task::Prove(shown.claims.remove(0))));
            }
        }
        Proofs {
            steps: self.steps(tasks),
            rest,
            budget,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job for FindJob<'_> {
    type Step = FindStep;
    type Output = Found;

    fn next(&self) -> Next<FindStep> {
        let state = &mut *self.state();
        // After a failure the rest of the game is skipped.
        if state.failure.is_some() {
            return Next::Done;
        }
        if let Pass::Quick(_) = state.pass
            && state.next == self.game.plies.len()
        {
            if state.running > 0 {
                return Next::Wait;
            }
            state.pass = Pass::Last(what_matters(
                &self.game,
                &state.found,
                &self.curve(),
                self.finder.options,
            ));
            (state.next, state.before) = (0, self.game.before_first());
        }
        while let Some(ply) = self.game.plies.get(state.next) {
            let (number, before) = (state.next, state.before.clone());
            state.before.push(ply.mv);
            state.next += 1;
            let (search, is_last) = match &state.pass {
                Pass::Quick(limit) => (Some(*limit), false),
                Pass::Last(matters) => (matters[number].then_some(self.finder.options.limit), true),
                Pass::Praise(_) | Pass::Reasons(_) => break,
            };
            if search.is_some() || !self.finder.networks.is_empty() {
                state.running += 1;
                return Next::Step(FindStep {
                    ply: number,
                    before,
                    task: Task::Search {
                        limit: search,
                        is_last,
                    },
                });
            }
            self.finder.count.add(1);
        }
        if let Pass::Last(_) = state.pass {
            if state.running > 0 {
                return Next::Wait;
            }
            let mut found = mem::take(&mut state.found);
            let praise = self.praise(&mut found);
            (state.found, state.pass) = (found, Pass::Praise(praise));
        }
        if let Pass::Praise(steps) = &mut state.pass {
            if let Some(step) = steps.pop() {
                state.running += 1;
                return Next::Step(step);
            }
            if state.running > 0 {
                return Next::Wait;
            }
            let mut found = mem::take(&mut state.found);
            let proofs = self.proofs(&mut found);
            (state.found, state.pass) = (found, Pass::Reasons(proofs));
        }
        let Pass::Reasons(proofs) = &mut state.pass else {
            return Next::Done;
        };
        if proofs.steps.is_empty() && !proofs.rest.is_empty() {
            // Wait until all first claims are tried: only then it is known which moves still need a
            // reason.
            if state.running > 0 {
                return Next::Wait;
            }
            proofs.rest.retain(|shown| {
                state.found[shown.ply]
                    .as_ref()
                    .is_some_and(|found| found.proof.is_none())
            });
            *proofs = self.next_claims(mem::take(proofs), false);
            if proofs.steps.is_empty() {
                proofs.rest.clear();
            }
        }
        let Some(proof) = proofs.steps.pop() else {
            return Next::Done;
        };
        state.running += 1;
        Next::Step(proof)
    }

    fn perform(&self, step: FindStep) -> Result<(), Cancelled> {
        match &step.task {
            Task::Search { limit, is_last } => self.perform_search(&step, *limit, *is_last),
            Task::Confirm => {
                let confirmed = self.confirmed(&step);
                if matches!(confirmed, Err(AnalystError::Cancelled)) {
                    return Err(Cancelled);
                }
                let state = &mut *self.state();
                state.running -= 1;
                // Some analysts cannot restrict a search to given moves. The praise is then kept
                // without confirmation.
                if let Ok(Some(found)) = confirmed {
                    state.found[step.ply] = Some(found);
                }
                Ok(())
            }
            Task::Prove(claim) => {
                let proof = self.prove(&step, claim);
                if matches!(proof, Err(AnalystError::Cancelled)) {
                    return Err(Cancelled);
                }
                let state = &mut *self.state();
                state.running -= 1;
                // Without a proof the move gets no reason. This is no failure of the review.
                if let Some(found) = &mut state.found[step.ply] {
                    found.proof = proof.unwrap_or_default();
                }
                Ok(())
            }
        }
    }

    fn finish(&self) -> Found {
        let (found, failure) = {
            let mut state = self.state();
            (mem::take(&mut state.found), state.failure.take())
        };
        let findings = match failure {
            Some(failure) => Err(failure),
            None => {
                let mut positions: Vec<PositionFindings> = found.into_iter().flatten().collect();
                positions
                    .iter_mut()
                    .for_each(|position| position.answer.clear());
                let was_asked = positions.iter().any(|position| position.limit.is_some());
                let analyst = was_asked.then(|| self.finder.analyst.identity());
                Ok(GameFindings {
                    analyst,
                    curve: self.curve(),
                    positions,
                })
            }
        };
        Found {
            game: Arc::clone(&self.game),
            findings,
        }
    }
}

impl FindJob<'_> {
    fn perform_search(
        &self,
        step: &FindStep,
        limit: Option<Limit>,
        is_last: bool,
    ) -> Result<(), Cancelled> {
        let found = self.find(step, limit, is_last);
        if matches!(found, Err(EaseJudgeError::Analyst(AnalystError::Cancelled))) {
            return Err(Cancelled);
        }
        let state = &mut *self.state();
        state.running -= 1;
        match found {
            Ok(found) => state.found[step.ply] = Some(found),
            Err(source) => {
                let ply = step.before.numbered(self.game.plies[step.ply].mv);
                state.failure.get_or_insert(Failure {
                    game: Arc::clone(&self.game),
                    ply,
                    source,
                });
            }
        }
        self.finder.count.add(1);
        Ok(())
    }
}

/// Returns whether the game's own evaluations leave positions to the analyst.
fn asks(game: &Game, evals: &GameEvals) -> bool {
    let mut positions = game.mainline().map(|(before, _)| before).enumerate();
    positions.any(|(index, before)| {
        PositionFindings::of_game(game, evals, index, &before).is_none() && needs_search(&before)
    })
}

/// Returns the curve that the options choose for a game, for the evaluations `evals`, or else for
/// those of the engine named `engine_name`.
fn curve_of(
    game: &Game,
    evals: Option<&GameEvals>,
    options: &JudgeOptions,
    engine_name: impl FnOnce() -> String,
) -> Curve {
    let (source, units) = match evals {
        Some(evals) => (evals.curve(game), evals.units(game)),
        None => {
            let curve = Curve::for_engine(&engine_name());
            (curve, curve.source_units())
        }
    };
    options.curve.curve(&game.players(), source, units)
}

impl GameFindings {
    /// Recomputes the curve of these findings of `game` from `options`.
    #[must_use]
    pub fn under(self, game: &Game, options: &JudgeOptions) -> Self {
        let is_from_game = self.analyst.is_none();
        let evals = options
            .reuse_evals
            .filter(|_| is_from_game)
            .map(|dialect| GameEvals::read(game, dialect));
        let engine_name = || {
            self.analyst
                .as_ref()
                .map_or_else(String::new, |analyst| analyst.name.clone())
        };
        let curve = curve_of(game, evals.as_ref(), options, engine_name);
        Self { curve, ..self }
    }
}

impl KnownEvals {
    /// Returns the evaluations in the findings of a position in which `played` was played.
    pub(crate) fn of(found: &PositionFindings, played: Move) -> Self {
        let listed = found
            .lines
            .iter()
            .map(|line| (line.first_move(), line.eval));
        let mut moves: Vec<_> = listed.filter(|(mv, _)| *mv != played).collect();
        moves.push((played, found.played));
        Self {
            best: Some(found.best),
            moves,
            played: Some(played),
        }
    }
}
