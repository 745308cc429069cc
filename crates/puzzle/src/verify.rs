//! Whether a puzzle's solution stands.

use centipawn_core::{Eval, History};
use centipawn_engine::{Analyst, AnalystError, Limit, Question};
use shakmaty::{Move, Position as _};

use crate::{Goal, Puzzle, Rule, Scale, Theme, Tree, Worth, tree::mates};

/// Asks an engine again whether the solution's moves stand alone, in every position of the solver.
///
/// A solution may come from anywhere, so what counts is whether another move is as good: one within the rule's margin of the
/// best, or, where the solution is a mate, one that mates too and is slower by a move at most; and whether the solution reaches
/// its goal. Where the solution mates at once, all that mates is right. A tree is checked with all its branches; a move that it
/// calls correct as well may be twice the margin behind.
#[derive(Clone, Copy, Debug)]
pub struct Verifier {
    /// From evaluations to expected scores.
    pub scale: Scale,
    /// When a move stands alone.
    pub rule: Rule,
    /// How long to think about each position.
    pub limit: Limit,
}

/// What came of verifying a puzzle.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Positions of the solver.
    pub positions: usize,
    /// How many of them stand.
    pub standing: usize,
    /// Whether the engine's first choice in the first position is the solution's.
    pub is_first_same: bool,
    /// The first position where the solution does not stand.
    pub fault: Option<Fault>,
}

/// Where and why a solution does not stand.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The position of the solver.
    pub history: History,
    /// What the solution says.
    pub solution: Worth,
    /// What is wrong with it.
    pub kind: FaultKind,
}

/// Why a solution's move does not stand.
#[derive(Clone, Copy, Debug)]
pub enum FaultKind {
    /// Another move is as good.
    AsGood(Worth),
    /// Another move is better.
    Better(Worth),
    /// A move that the solution calls correct as well is not.
    NotAsGood(Worth),
    /// It is best, but misses what the puzzle is about: to win, or not to lose.
    Misses,
}

impl Verifier {
    /// Verifies one puzzle.
    ///
    /// # Errors
    ///
    /// Those of the analyst: then nothing is known of the puzzle.
    pub fn verify(&self, puzzle: &Puzzle, analyst: &dyn Analyst) -> Result<Verified, AnalystError> {
        let mut verified = Verified { positions: 0, standing: 0, is_first_same: true, fault: None };
        let goal = self.goal(puzzle);
        let is_mate = puzzle.themes.contains(Theme::Mate) || puzzle.solution.ends_with_mate();
        for (history, correct) in questions(puzzle) {
            let (best, fault) = self.check(&history, &correct, is_mate, goal, analyst)?;
            if verified.positions == 0 {
                verified.is_first_same = best == correct[0];
            }
            verified.positions += 1;
            match fault {
                None => verified.standing += 1,
                Some((solution, kind)) => {
                    verified.fault.get_or_insert(Fault { history, solution, kind });
                }
            }
        }
        Ok(verified)
    }

    /// What the solver is after: as the tree's evaluation or a theme says, or else not to lose.
    fn goal(&self, puzzle: &Puzzle) -> Goal {
        let expected = puzzle.tree.as_ref().and_then(|tree| tree.nodes()[0].answers[0].expected);
        let is_win = match expected {
            Some(expected) => expected >= self.rule.won,
            None => [Theme::Mate, Theme::Crushing].into_iter().any(|theme| puzzle.themes.contains(theme)),
        };
        if is_win { Goal::Win } else { Goal::Save }
    }

    /// The engine's move in a position, and what is wrong with the solution's.
    fn check(
        &self,
        history: &History,
        correct: &[Move],
        is_mate: bool,
        goal: Goal,
        analyst: &dyn Analyst,
    ) -> Result<(Move, Option<(Worth, FaultKind)>), AnalystError> {
        let position = history.position();
        let main = correct[0];
        let mating = mates(position);
        if mating.contains(&main) {
            let worth = |mv, eval, expected| Worth { mv, eval, expected };
            let wrong = correct.iter().find(|mv| !mating.contains(mv)).map(|mv| worth(*mv, Eval::cp(0), 0.0));
            return Ok((main, wrong.map(|wrong| (worth(main, Eval::mate(1), 1.0), FaultKind::NotAsGood(wrong)))));
        }
        if position.legal_moves().len() == 1 {
            return Ok((main, None));
        }
        let ask =
            |question: Question| analyst.analyse(&question).map(|analysis| self.scale.of_analysis(&analysis, position));
        let question = Question::new(history.clone(), self.limit);
        let worths = ask(question.clone().lines(correct.len() + 1))?;
        let Some(best) = worths.first().copied() else { return Ok((main, None)) };
        // Moves that the solution calls correct and the engine does not think of are asked about by themselves.
        let mut listed = Vec::with_capacity(correct.len());
        for mv in correct {
            listed.push(match worths.iter().find(|worth| worth.mv == *mv) {
                Some(worth) => *worth,
                None => ask(question.clone().searchmoves([*mv]))?.first().copied().unwrap_or(best),
            });
        }
        let solution = listed[0];
        let as_good =
            |worth: &&Worth| !correct.contains(&worth.mv) && is_as_good(worth, &best, is_mate, self.rule.margin);
        let wrong = listed[1..].iter().find(|worth| !is_as_good(worth, &best, is_mate, 2.0 * self.rule.margin));
        let kind = match worths.iter().find(as_good) {
            Some(other) if solution.expected < other.expected - self.rule.margin => Some(FaultKind::Better(*other)),
            Some(other) => Some(FaultKind::AsGood(*other)),
            None if solution.expected < self.rule.middle(goal) => Some(FaultKind::Misses),
            None => None,
        };
        let kind = kind.or_else(|| wrong.map(|worse| FaultKind::NotAsGood(*worse)));
        Ok((best.mv, kind.map(|kind| (solution, kind))))
    }
}

fn is_as_good(worth: &Worth, best: &Worth, is_mate: bool, margin: f64) -> bool {
    match best.eval.mate_moves() {
        Some(fastest @ 1..) if is_mate => {
            worth.eval.mate_moves().is_some_and(|moves| (1..=fastest + 1).contains(&moves))
        }
        _ => worth.expected >= best.expected - margin,
    }
}

/// The positions in which the solver moves, each with what is correct there, the main move first.
fn questions(puzzle: &Puzzle) -> Vec<(History, Vec<Move>)> {
    let shown = puzzle.shown();
    if let Some(tree) = &puzzle.tree {
        let correct = |tree: &Tree| -> Vec<Vec<Move>> {
            tree.nodes().iter().map(|node| node.answers.iter().map(|answer| answer.mv).collect()).collect()
        };
        return tree.positions(&shown).into_iter().zip(correct(tree)).collect();
    }
    let moves: Vec<Move> = puzzle.solution.line().collect();
    let mut now = shown;
    let mut questions = Vec::new();
    for pair in moves.chunks(2) {
        questions.push((now.clone(), vec![pair[0]]));
        pair.iter().for_each(|mv| now.push(*mv));
    }
    questions
}
