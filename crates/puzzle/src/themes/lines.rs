//! Line themes: pins, skewers, x-rays, discoveries and interference.

use shakmaty::{Bitboard, Board, Color, Position as _, Role, Square, attacks};

use crate::{
    Solution,
    guard::{attackers, is_hanging, is_in_bad_spot, is_slider, pinned, value},
    solution::Step,
};

/// Returns the squares between origin and target of a move.
fn passed(step: &Step) -> Bitboard {
    attacks::between(step.from, step.to)
}

pub(super) fn double_check(solution: &Solution) -> bool {
    solution
        .solvers(0)
        .any(|index| solution.after(index).checkers.more_than_one())
}

/// A piece other than the moved one gives check, whether or not the moved one does too.
pub(super) fn discovered_check(solution: &Solution) -> bool {
    solution.solvers(0).any(|index| {
        solution
            .after(index)
            .checkers
            .without(solution.step(index).to)
            .any()
    })
}

/// A check by another piece but not by the moved one, or a capture along a line that the solver's
/// previous move opened.
pub(super) fn discovered_attack(solution: &Solution) -> bool {
    let only_discovered = |index: usize| {
        let checkers = solution.after(index).checkers;
        checkers.any() && !checkers.contains(solution.step(index).to)
    };
    if solution.solvers(0).any(only_discovered) {
        return true;
    }
    for index in solution
        .solvers(1)
        .filter(|index| solution.step(*index).is_capture())
    {
        let (step, reply, opener) = (
            solution.step(index),
            solution.step(index - 1),
            solution.step(index - 2),
        );
        if reply.to == step.to {
            return false;
        }
        if passed(step).contains(opener.from)
            && step.to != opener.to
            && step.from != opener.to
            && !opener.mv.is_castle()
        {
            return true;
        }
    }
    false
}

/// Solver, opponent and solver capture on one square, and the last capture crosses the square from
/// which the opponent's piece came.
pub(super) fn x_ray(solution: &Solution) -> bool {
    solution.solvers(1).any(|index| {
        let (step, reply, first) = (
            solution.step(index),
            solution.step(index - 1),
            solution.step(index - 2),
        );
        step.is_capture()
            && reply.to == step.to
            && reply.role != Role::King
            && first.to == reply.to
            && passed(step).contains(reply.from)
    })
}

/// A sliding piece captures a piece behind a more valuable piece that has just left the line.
pub(super) fn skewer(solution: &Solution) -> bool {
    solution.solvers(1).any(|index| {
        let (step, reply) = (solution.step(index), solution.step(index - 1));
        step.taken
            .is_some_and(|taken| value(reply.role) > value(taken))
            && is_slider(step.role)
            && reply.to != step.to
            && passed(step).contains(reply.from)
            && is_in_bad_spot(solution.before(index).board(), step.to)
            && !solution.after(index).is_mate()
    })
}

/// A capture of a piece that a sliding piece defended until a move interposed: the opponent's last
/// move, or the solver's previous one.
pub(super) fn interference(solution: &Solution) -> bool {
    solution.solvers(1).any(|index| {
        let (step, reply, own) = (
            solution.step(index),
            solution.step(index - 1),
            solution.step(index - 2),
        );
        if step.taken.is_none()
            || !is_hanging(solution.before(index).board(), !solution.solver(), step.to)
        {
            return false;
        }
        let between = |board: &Board, stepped: Square| {
            line_guard(board, !solution.solver(), step.to)
                .is_some_and(|guard| attacks::between(step.to, guard).contains(stepped))
        };
        between(solution.before(index - 1).board(), reply.to)
            || step.to != reply.to && between(solution.before(index - 2).board(), own.to)
    })
}

/// Returns the first defender of a square, if it is a sliding piece. As in the public tagger, only
/// the first one is considered, and a defender on a1 is ignored.
fn line_guard(board: &Board, side: Color, square: Square) -> Option<Square> {
    let first = attackers(board, side, square)
        .first()
        .filter(|guard| *guard != Square::A1)?;
    board
        .role_at(first)
        .filter(|role| is_slider(*role))
        .map(|_| first)
}

/// A sliding piece moves to an empty square that the solver's previous move vacated, or crosses it.
/// The previous move was not a capture, or it sacrificed its piece.
pub(super) fn clearance(solution: &Solution) -> bool {
    solution.solvers(1).any(|index| {
        let (step, reply, cleared) = (
            solution.step(index),
            solution.step(index - 1),
            solution.step(index - 2),
        );
        step.taken.is_none()
            && is_slider(step.role)
            && cleared.promotion.is_none()
            && cleared.to != step.from
            && cleared.to != step.to
            && (cleared.from == step.to || passed(step).contains(cleared.from))
            && !solution.before(index).is_check()
            && (!solution.after(index).is_check() || reply.role != Role::King)
            && (cleared.taken.is_none()
                || is_in_bad_spot(solution.after(index - 2).board(), cleared.to))
    })
}

/// A sliding piece stays on the line of an enemy sliding piece that it could have captured, and
/// captures nothing.
pub(super) fn collinear(solution: &Solution) -> bool {
    solution.solvers(0).any(|index| {
        let (step, before) = (solution.step(index), solution.before(index));
        if !is_slider(step.role) || step.promotion.is_some() || step.is_capture() {
            return false;
        }
        let board = before.board();
        let targets =
            board.attacks_from(step.from) & board.by_color(!solution.solver()) & board.sliders();
        let shares_line = |square: &Square| {
            let straight = step.from.file() == square.file() || step.from.rank() == square.rank();
            let moves_so = if straight {
                board.rooks_and_queens()
            } else {
                board.bishops_and_queens()
            };
            moves_so.contains(*square) && attacks::aligned(step.from, *square, step.to)
        };
        let can_take = |square: Square| {
            before
                .chess
                .legal_moves()
                .iter()
                .any(|mv| mv.from() == Some(step.from) && mv.to() == square)
        };
        targets.into_iter().filter(shares_line).any(can_take)
    })
}

/// A pinned piece cannot capture a piece that it attacks, or cannot leave a square on which it is
/// attacked.
pub(super) fn pin(solution: &Solution) -> bool {
    pin_prevents_attack(solution) || pin_prevents_escape(solution)
}

/// Returns whether a pin prevents a move, given the board, the side that benefits, and the pinned
/// piece's square, role and pin line.
type Prevents = fn(&Board, Color, Square, Role, Bitboard) -> bool;

fn pin_prevents(solution: &Solution, prevents: Prevents) -> bool {
    let side = solution.solver();
    solution.solvers(0).any(|index| {
        let board = solution.after(index).board();
        pinned(board, !side).any(|(square, line)| {
            board
                .role_at(square)
                .is_some_and(|role| prevents(board, side, square, role, line))
        })
    })
}

/// The pin protects a more valuable or hanging piece from the pinned one.
pub(super) fn pin_prevents_attack(solution: &Solution) -> bool {
    pin_prevents(solution, prevents_attack)
}

/// The pinned piece is attacked by a less valuable piece, or is hanging, and could otherwise
/// escape.
pub(super) fn pin_prevents_escape(solution: &Solution) -> bool {
    pin_prevents(solution, prevents_escape)
}

fn prevents_attack(board: &Board, side: Color, square: Square, role: Role, line: Bitboard) -> bool {
    (board.attacks_from(square) & board.by_color(side) & !line)
        .into_iter()
        .any(|target| {
            board
                .role_at(target)
                .is_some_and(|dear| value(dear) > value(role))
                || is_hanging(board, side, target)
        })
}

fn prevents_escape(board: &Board, side: Color, square: Square, role: Role, line: Bitboard) -> bool {
    (attackers(board, side, square) & line)
        .into_iter()
        .any(|attacker| {
            board
                .role_at(attacker)
                .is_some_and(|cheap| value(role) > value(cheap))
                || is_hanging(board, !side, square)
                    && !attackers(board, !side, attacker).contains(square)
                    && (reach(board, square, role) & !line).any()
        })
}

/// Returns the squares to which a piece could move if pins (and en passant captures) are ignored.
fn reach(board: &Board, square: Square, role: Role) -> Bitboard {
    let Some(color) = board.color_at(square) else {
        return Bitboard::EMPTY;
    };
    let attacked = board.attacks_from(square);
    if role != Role::Pawn {
        return attacked & !board.by_color(color);
    }
    let ahead = square
        .offset(color.fold_wb(8, -8))
        .filter(|ahead| !board.occupied().contains(*ahead));
    attacked & board.by_color(!color) | ahead.map_or(Bitboard::EMPTY, Bitboard::from_square)
}
