//! Themes of lines: pins, skewers, x-rays, discoveries, interference.

use shakmaty::{Bitboard, Board, Color, Position as _, Role, Square, attacks};

use crate::{
    Solution,
    guard::{attackers, is_hanging, is_in_bad_spot, is_slider, pinned, value},
    solution::Step,
};

/// The squares a move passes.
fn passed(step: &Step) -> Bitboard {
    attacks::between(step.from, step.to)
}

pub(super) fn double_check(solution: &Solution) -> bool {
    solution.solvers(0).any(|index| solution.after(index).checkers.more_than_one())
}

/// Somebody else than the moved piece gives check, whether or not that does too.
pub(super) fn discovered_check(solution: &Solution) -> bool {
    solution.solvers(0).any(|index| solution.after(index).checkers.without(solution.step(index).to).any())
}

/// The moved piece gives no check but another does, or a capture along a line that the solver's last move opened.
pub(super) fn discovered_attack(solution: &Solution) -> bool {
    let only_discovered = |index: usize| {
        let checkers = solution.after(index).checkers;
        checkers.any() && !checkers.contains(solution.step(index).to)
    };
    if solution.solvers(0).any(only_discovered) {
        return true;
    }
    for index in solution.solvers(1).filter(|index| solution.step(*index).is_capture()) {
        let (step, reply, opener) = (solution.step(index), solution.step(index - 1), solution.step(index - 2));
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

/// Solver, opponent and solver take on one square, and the last comes from behind where the opponent's piece stood.
pub(super) fn x_ray(solution: &Solution) -> bool {
    solution.solvers(1).any(|index| {
        let (step, reply, first) = (solution.step(index), solution.step(index - 1), solution.step(index - 2));
        step.is_capture()
            && reply.to == step.to
            && reply.role != Role::King
            && first.to == reply.to
            && passed(step).contains(reply.from)
    })
}

/// A line piece takes what stood behind a dearer piece that has just left the line.
pub(super) fn skewer(solution: &Solution) -> bool {
    solution.solvers(1).any(|index| {
        let (step, reply) = (solution.step(index), solution.step(index - 1));
        step.taken.is_some_and(|taken| value(reply.role) > value(taken))
            && is_slider(step.role)
            && reply.to != step.to
            && passed(step).contains(reply.from)
            && is_in_bad_spot(solution.before(index).board(), step.to)
            && !solution.after(index).is_mate()
    })
}

/// A capture of something that a line piece guarded until somebody stepped between: the opponent by his last move, or the
/// solver by his.
pub(super) fn interference(solution: &Solution) -> bool {
    solution.solvers(1).any(|index| {
        let (step, reply, own) = (solution.step(index), solution.step(index - 1), solution.step(index - 2));
        if step.taken.is_none() || !is_hanging(solution.before(index).board(), !solution.solver(), step.to) {
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

/// The first guard of a square, if it is a line piece. The public tagger looks at the first only, and takes a1 for none.
fn line_guard(board: &Board, side: Color, square: Square) -> Option<Square> {
    let first = attackers(board, side, square).first().filter(|guard| *guard != Square::A1)?;
    board.role_at(first).filter(|role| is_slider(*role)).map(|_| first)
}

/// A line piece goes to a free square that the solver's last move left, or over one that it left; that move went to an empty
/// square or gave its piece up.
pub(super) fn clearance(solution: &Solution) -> bool {
    solution.solvers(1).any(|index| {
        let (step, reply, cleared) = (solution.step(index), solution.step(index - 1), solution.step(index - 2));
        step.taken.is_none()
            && is_slider(step.role)
            && cleared.promotion.is_none()
            && cleared.to != step.from
            && cleared.to != step.to
            && (cleared.from == step.to || passed(step).contains(cleared.from))
            && !solution.before(index).is_check()
            && (!solution.after(index).is_check() || reply.role != Role::King)
            && (cleared.taken.is_none() || is_in_bad_spot(solution.after(index - 2).board(), cleared.to))
    })
}

/// A line piece stays on the line of an enemy line piece that it could have taken, and takes nothing.
pub(super) fn collinear(solution: &Solution) -> bool {
    solution.solvers(0).any(|index| {
        let (step, before) = (solution.step(index), solution.before(index));
        if !is_slider(step.role) || step.promotion.is_some() || step.is_capture() {
            return false;
        }
        let board = before.board();
        let targets = board.attacks_from(step.from) & board.by_color(!solution.solver()) & board.sliders();
        let shares_line = |square: &Square| {
            let straight = step.from.file() == square.file() || step.from.rank() == square.rank();
            let moves_so = if straight { board.rooks_and_queens() } else { board.bishops_and_queens() };
            moves_so.contains(*square) && attacks::aligned(step.from, *square, step.to)
        };
        let can_take = |square: Square| {
            before.chess.legal_moves().iter().any(|mv| mv.from() == Some(step.from) && mv.to() == square)
        };
        targets.into_iter().filter(shares_line).any(can_take)
    })
}

/// A piece bound to its king cannot take what it attacks, or cannot leave where it is attacked.
pub(super) fn pin(solution: &Solution) -> bool {
    pin_prevents_attack(solution) || pin_prevents_escape(solution)
}

/// What a pin prevents: board, the side that gains by it, where the bound piece stands, what it is, and its line.
type Prevents = fn(&Board, Color, Square, Role, Bitboard) -> bool;

fn pin_prevents(solution: &Solution, prevents: Prevents) -> bool {
    let side = solution.solver();
    solution.solvers(0).any(|index| {
        let board = solution.after(index).board();
        pinned(board, !side)
            .any(|(square, line)| board.role_at(square).is_some_and(|role| prevents(board, side, square, role, line)))
    })
}

/// A dearer or hanging piece is safe from the bound one.
pub(super) fn pin_prevents_attack(solution: &Solution) -> bool {
    pin_prevents(solution, prevents_attack)
}

/// The bound piece is lost to a cheaper one, or to any if it hangs.
pub(super) fn pin_prevents_escape(solution: &Solution) -> bool {
    pin_prevents(solution, prevents_escape)
}

fn prevents_attack(board: &Board, side: Color, square: Square, role: Role, line: Bitboard) -> bool {
    (board.attacks_from(square) & board.by_color(side) & !line).into_iter().any(|target| {
        board.role_at(target).is_some_and(|dear| value(dear) > value(role)) || is_hanging(board, side, target)
    })
}

fn prevents_escape(board: &Board, side: Color, square: Square, role: Role, line: Bitboard) -> bool {
    (attackers(board, side, square) & line).into_iter().any(|attacker| {
        board.role_at(attacker).is_some_and(|cheap| value(role) > value(cheap))
            || is_hanging(board, !side, square)
                && !attackers(board, !side, attacker).contains(square)
                && (reach(board, square, role) & !line).any()
    })
}

/// Where a piece could go if its king were no matter. (A pawn that could take in passing is not thought of.)
fn reach(board: &Board, square: Square, role: Role) -> Bitboard {
    let Some(color) = board.color_at(square) else { return Bitboard::EMPTY };
    let attacked = board.attacks_from(square);
    if role != Role::Pawn {
        return attacked & !board.by_color(color);
    }
    let ahead = square.offset(color.fold_wb(8, -8)).filter(|ahead| !board.occupied().contains(*ahead));
    attacked & board.by_color(!color) | ahead.map_or(Bitboard::EMPTY, Bitboard::from_square)
}
