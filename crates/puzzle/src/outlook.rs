//! A cheap look at what follows a move: whether the solver can have another one to find.

use centipawn_core::{History, exchange};
use shakmaty::{Move, Position as _};

use crate::{
    Goal, LineEnd, ScoredMove,
    solution_search::{MOST_CORRECT, SolutionSearch, Stop},
    tree::mating_moves,
    tree_growth::is_settled,
};

/// Whether the opponent may have a defence against the move just played that leaves the solver another move to find, as
/// far as a few nodes show. Mates in few moves are not looked at: they go on until the mate.
pub(crate) fn may_go_on(search: &SolutionSearch<'_>, after: &History, goal: Goal) -> Result<bool, Stop> {
    if after.ending().is_some() {
        return Ok(false);
    }
    for (index, &defence) in search.defences(after)?.iter().enumerate() {
        // A further defence that only throws material away never leads the main line.
        let is_sound = index == 0 || exchange(after.position(), defence) >= 0;
        if is_sound && end_after(search, after, defence, index == 0, goal)?.is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Why the line ends with a defence: the solver has too wide a choice, or the position is quiet. `None` if the line may go
/// on, or the goal may be missed. After the best defence a few answers are allowed, since a later position may have a
/// single one; after any other only a single answer counts.
pub(crate) fn end_after(
    search: &SolutionSearch<'_>,
    after: &History,
    defence: Move,
    is_best: bool,
    goal: Goal,
) -> Result<Option<LineEnd>, Stop> {
    let (nodes, slack) = search.limits.outlook;
    let mut next = after.clone();
    next.push(defence);
    if next.position().legal_moves().len() < 2 || !mating_moves(next.position()).is_empty() {
        return Ok(None);
    }
    let most = if is_best { MOST_CORRECT } else { 1 };
    let moves = search.best_moves(&next, nodes, most + 1)?;
    let Some(best) = moves.first() else { return Ok(None) };
    if best.expected < search.rule.middle(goal) {
        return Ok(None);
    }
    if is_settled(after, defence, best.mv) {
        return Ok(Some(LineEnd::Settled));
    }
    let limit = search.rule.too_little(goal, best.expected) + slack;
    let is_too_good = |other: &ScoredMove| other.expected > limit;
    Ok(moves.get(most).is_some_and(is_too_good).then_some(LineEnd::Choice))
}
