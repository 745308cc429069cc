//! Material themes: captures, sacrifices, promotions and types of endgames.

use centipawn_core::material_balance;
use shakmaty::{Board, Position as _, Role};

use crate::{
    Solution, Theme,
    guard::{is_hanging, is_trapped, value},
};

pub(super) fn advanced_pawn(solution: &Solution) -> bool {
    solution.solvers(0).any(|index| {
        solution
            .step(index)
            .is_very_advanced_pawn(solution.solver())
    })
}

pub(super) fn promotion(solution: &Solution) -> bool {
    solution
        .solvers(0)
        .any(|index| solution.step(index).promotion.is_some())
}

/// A promotion to a knight, or to a rook or bishop without mate. A mate by a rook or bishop does
/// not count, because a queen would mate too.
pub(super) fn under_promotion(solution: &Solution) -> bool {
    solution
        .solvers(0)
        .any(|index| match solution.step(index).promotion {
            None | Some(Role::Queen) => false,
            Some(Role::Knight) => true,
            Some(_) => !solution.after(index).is_mate(),
        })
}

pub(super) fn en_passant(solution: &Solution) -> bool {
    solution
        .solvers(0)
        .any(|index| solution.step(index).mv.is_en_passant())
}

pub(super) fn castling(solution: &Solution) -> bool {
    solution
        .solvers(0)
        .any(|index| solution.step(index).mv.is_castle())
}

/// The solver is at least two points down after any move but the first, and the opponent does not
/// promote.
pub(super) fn sacrifice(solution: &Solution) -> bool {
    let side = solution.solver();
    let initial = material_balance(solution.position().board(), side);
    let opponent_promotes = || {
        (2..solution.len())
            .step_by(2)
            .any(|index| solution.step(index).promotion.is_some())
    };
    solution
        .solvers(1)
        .any(|index| material_balance(solution.after(index).board(), side) - initial <= -2)
        && !opponent_promotes()
}

/// The first move captures an undefended piece, is not part of an exchange, and the gain lasts.
pub(super) fn hanging_piece(solution: &Solution) -> bool {
    let (blunder, answer) = (solution.step(0), solution.step(1));
    let Some(taken) = answer.taken.filter(|taken| *taken != Role::Pawn) else {
        return false;
    };
    if !is_hanging(solution.position().board(), !solution.solver(), answer.to) {
        return false;
    }
    if blunder.to == answer.to
        && blunder
            .taken
            .is_some_and(|lost| value(lost) >= value(taken))
    {
        return false;
    }
    let won = |index| material_balance(solution.after(index).board(), solution.solver());
    solution.len() < 4 || won(3) >= won(1)
}

pub(super) fn trapped_piece(solution: &Solution) -> bool {
    solution.solvers(1).any(|index| {
        let (step, reply) = (solution.step(index), solution.step(index - 1));
        let square = if reply.to == step.to {
            reply.from
        } else {
            step.to
        };
        step.taken.is_some_and(|taken| taken != Role::Pawn)
            && is_trapped(&solution.before(index - 1).chess, square)
    })
}

/// Only kings, pawns and one kind of piece (or one queen with rooks) are on the board before and
/// after the solver's first move.
pub(super) fn ending(solution: &Solution) -> Option<Theme> {
    let boards = [solution.before(1).board(), solution.after(1).board()];
    let only = |board: &Board, role: Role| {
        let kind = board.by_role(role);
        kind.any() && (board.occupied() & !(board.kings() | board.pawns() | kind)).is_empty()
    };
    let queen_and_rooks = |board: &Board| {
        let heavy = board.rooks_and_queens();
        board.queens().count() == 1
            && board.rooks().any()
            && (board.occupied() & !(board.kings() | board.pawns() | heavy)).is_empty()
    };
    [
        (Role::Pawn, Theme::PawnEndgame),
        (Role::Queen, Theme::QueenEndgame),
        (Role::Rook, Theme::RookEndgame),
        (Role::Bishop, Theme::BishopEndgame),
        (Role::Knight, Theme::KnightEndgame),
    ]
    .into_iter()
    .find(|(role, _)| boards.iter().all(|board| only(board, *role)))
    .map(|(_, theme)| theme)
    .or_else(|| {
        boards
            .into_iter()
            .all(queen_and_rooks)
            .then_some(Theme::QueenRookEndgame)
    })
}

#[cfg(test)]
mod tests {
    use centipawn_core::History;

    use super::*;

    fn solution(fen: &str, moves: &str) -> Solution {
        Solution::from_uci(&History::from_fen(fen, None).unwrap(), moves.split(' ')).unwrap()
    }

    #[test]
    fn a_rook_that_mates_by_promotion_is_no_underpromotion() {
        let mate = "7k/P4ppp/8/8/8/8/6PP/7K b - - 0 1";
        assert!(!under_promotion(&solution(mate, "h8g8 a7a8r")));
        assert!(promotion(&solution(mate, "h8g8 a7a8r")));
        assert!(under_promotion(&solution(
            "7k/P7/8/8/8/8/6PP/7K b - - 0 1",
            "h8g7 a7a8r"
        )));
    }

    #[test]
    fn endings_hold_before_and_after() {
        let ending = |fen, moves| ending(&solution(fen, moves));
        assert_eq!(
            ending("8/8/8/3k4/8/8/4P3/4K3 b - - 0 1", "d5d4 e1d2"),
            Some(Theme::PawnEndgame)
        );
        assert_eq!(
            ending("8/4P3/8/3k4/8/8/8/4K3 b - - 0 1", "d5d4 e7e8q"),
            None
        );
        assert_eq!(
            ending("3q4/8/8/3k4/8/r7/1R6/4K3 b - - 0 1", "a3a4 b2b5"),
            Some(Theme::QueenRookEndgame)
        );
    }

    #[test]
    fn a_quiet_solution_has_no_themes() {
        let quiet = solution("8/8/8/3k4/8/8/4P3/4K3 b - - 0 1", "d5d4 e1d2");
        for rule in [
            advanced_pawn,
            promotion,
            en_passant,
            castling,
            sacrifice,
            hanging_piece,
            trapped_piece,
        ] {
            assert!(!rule(&quiet));
        }
        assert_eq!(quiet.position().turn(), quiet.solver());
    }
}
