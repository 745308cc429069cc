//! Themes of cause and effect over several moves.

use shakmaty::{Position as _, Role};

use crate::{
    Solution,
    guard::{attackers, is_hanging, value},
};

/// The opponent's king, queen or rook is lured into a capture and then punished: the king is
/// attacked, the others are captured later.
pub(super) fn attraction(solution: &Solution) -> bool {
    solution
        .solvers(0)
        .filter(|index| index + 2 < solution.len())
        .any(|index| {
            let (bait, taker, hunter) = (
                solution.step(index),
                solution.step(index + 1),
                solution.step(index + 2),
            );
            bait.to == taker.to
                && matches!(taker.role, Role::King | Role::Queen | Role::Rook)
                && attackers(
                    solution.after(index + 2).board(),
                    solution.solver(),
                    taker.to,
                )
                .contains(hunter.to)
                && (taker.role == Role::King
                    || index + 4 < solution.len() && solution.step(index + 4).to == taker.to)
        })
}

/// A piece must answer a capture or a check, and therefore stops defending its former target: a
/// piece, or the path of a promoting pawn.
pub(super) fn deflection(solution: &Solution) -> bool {
    solution.solvers(1).any(|index| {
        let (step, reply, lure) = (
            solution.step(index),
            solution.step(index - 1),
            solution.step(index - 2),
        );
        let is_promotion = step.promotion.is_some();
        if step.taken.is_none() && !is_promotion
            || step
                .taken
                .is_some_and(|taken| value(taken) > value(step.role))
        {
            return false;
        }
        // Like the public tagger, compare the captured piece's value with the number of the
        // capturing role, not with its value.
        let was_cheap = lure
            .taken
            .is_none_or(|taken| value(taken) < i32::from(u8::from(lure.role)));
        let lured = solution.after(index - 2);
        let guarded = lured.board().attacks_from(reply.from);
        let guards_way =
            is_promotion && step.to.file() == reply.from.file() && guarded.contains(step.from);
        was_cheap
            && step.to != reply.to
            && step.to != lure.to
            && (reply.to == lure.to || lured.is_check())
            && (guarded.contains(step.to) || guards_way)
            && !solution
                .before(index)
                .board()
                .attacks_from(reply.to)
                .contains(step.to)
    })
}

/// A capture that was possible a move earlier as a recapture, when another move was played first.
/// The first capture of a piece that was not left undefended by the opponent's last move decides.
pub(super) fn intermezzo(solution: &Solution) -> bool {
    for index in solution
        .solvers(1)
        .filter(|index| solution.step(*index).is_capture())
    {
        let (step, reply, between) = (
            solution.step(index),
            solution.step(index - 1),
            solution.step(index - 2),
        );
        let board = solution.after(index - 2).board();
        if attackers(board, !solution.solver(), step.to).contains(reply.from)
            || between.to == step.to
        {
            continue;
        }
        let capture = solution.step(index - 3);
        let then = &solution.before(index - 2).chess;
        return capture.to == step.to
            && capture.is_capture()
            && then.legal_moves().iter().any(|mv| {
                mv.from() == Some(step.from)
                    && mv.to() == step.to
                    && mv.promotion() == step.promotion
            });
    }
    false
}

/// A capture of a piece left hanging, or mate, after the piece's defender was captured.
pub(super) fn capturing_defender(solution: &Solution) -> bool {
    solution.solvers(1).any(|index| {
        let (step, reply, own) = (
            solution.step(index),
            solution.step(index - 1),
            solution.step(index - 2),
        );
        let is_prize = step.taken.is_some_and(|taken| {
            step.role != Role::King
                && value(taken) <= value(step.role)
                && is_hanging(solution.before(index).board(), !solution.solver(), step.to)
                && reply.to != step.to
        });
        if !is_prize && !solution.after(index).is_mate() {
            return false;
        }
        let before = solution.before(index - 2);
        own.taken.is_some()
            && own.to != step.from
            && !solution.after(index - 2).is_check()
            && !before.is_check()
            && attackers(before.board(), !solution.solver(), step.to).contains(own.to)
    })
}
