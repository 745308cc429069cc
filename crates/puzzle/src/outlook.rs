//! A cheap estimate of the continuation after a move: whether the solver may have another move to
//! find.

use centipawn_core::{History, static_exchange_eval};
use shakmaty::{Move, Position as _};

use crate::{
    Goal, LineEnd, ScoredMove,
    solution_search::{MOST_CORRECT, SolutionSearch, Stop},
    tree::mating_moves,
    tree_growth::is_settled,
};

/// A fast estimate of how the solution continues after a defence.
pub(crate) enum Outlook {
    /// The line ends: several answers are good, or the position is quiet.
    Ends(LineEnd),
    /// The line may continue: with this move, or `None` if the position was not searched.
    GoesOn(Option<Move>),
}

/// Returns whether the opponent may have a defence against the last move after which the solver
/// must find another move. A short mate is not examined, because its line always continues until
/// the mate.
pub(crate) fn may_go_on(
    search: &SolutionSearch<'_>,
    after: &History,
    goal: Goal,
) -> Result<bool, Stop> {
    if after.ending().is_some() {
        return Ok(false);
    }
    for (index, &defence) in search.defences(after)?.iter().enumerate() {
        if let Outlook::GoesOn(answer) = Outlook::of(search, after, defence, index == 0, goal)?
            && (index == 0 || answer.is_none_or(|answer| !throws_away(after, defence, answer)))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether a defence loses material to the answer. Such a defence is in the main line only
/// if it is the best one.
pub(crate) fn throws_away(after: &History, defence: Move, answer: Move) -> bool {
    answer.is_capture()
        && answer.to() == defence.to()
        && static_exchange_eval(after.position(), defence) < 0
}

impl Outlook {
    /// Estimates the continuation after a defence. If in doubt, or if the goal may be missed, the
    /// line continues. After the best defence a few answers are allowed, because a later position
    /// may have a single one. After other defences only a single answer counts.
    pub(crate) fn of(
        search: &SolutionSearch<'_>,
        after: &History,
        defence: Move,
        is_best: bool,
        goal: Goal,
    ) -> Result<Self, Stop> {
        let (nodes, slack) = search.limits.outlook;
        let mut next = after.clone();
        next.push(defence);
        if next.position().legal_moves().len() < 2 || !mating_moves(next.position()).is_empty() {
            return Ok(Self::GoesOn(None));
        }
        let most = if is_best { MOST_CORRECT } else { 1 };
        let moves = search.best_moves(&next, nodes, most + 1)?;
        let Some(best) = moves.first() else {
            return Ok(Self::GoesOn(None));
        };
        let limit = search.rule.too_little(goal, best.expected) + slack;
        let is_too_good = |other: &ScoredMove| other.expected > limit;
        Ok(if best.expected < search.rule.middle(goal) {
            Self::GoesOn(Some(best.mv))
        } else if is_settled(after, defence, best.mv) {
            Self::Ends(LineEnd::Settled)
        } else if moves.get(most).is_some_and(is_too_good) {
            Self::Ends(LineEnd::Choice)
        } else {
            Self::GoesOn(Some(best.mv))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sacrifice_that_must_be_declined_loses_no_material() {
        let after =
            History::from_fen("8/8/P1B2p1p/5Pp1/3p1kP1/1b1Pb2P/8/4K3 b - - 0 51", None).unwrap();
        let throws = |defence: &str, answer: &str| {
            let defence = after.parse_uci(defence).unwrap();
            let mut next = after.clone();
            next.push(defence);
            throws_away(&after, defence, next.parse_uci(answer).unwrap())
        };
        assert!(throws("b3c4", "d3c4"));
        assert!(!throws("b3c4", "a6a7"));
    }
}
