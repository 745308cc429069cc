//! Attacking themes: forks, exposed kings, attacks on a wing and quiet moves.

use shakmaty::{Bitboard, Color, File, Position as _, Role, Square, attacks};

use crate::{
    Solution, Theme,
    guard::{attackers, is_hanging, is_in_bad_spot, value},
};

/// A move, neither the last one nor a king's, to a safe square from which it attacks two pieces at
/// once. Each of them is more valuable, or hanging and not attacking back. Pawns do not count.
pub(super) fn fork(solution: &Solution) -> bool {
    let side = solution.solver();
    solution.solvers(0).rev().skip(1).any(|index| {
        let (step, board) = (solution.step(index), solution.after(index).board());
        if step.role == Role::King {
            return false;
        }
        let targets = board.attacks_from(step.to) & board.by_color(!side) & !board.pawns();
        let is_target = |square: &Square| {
            board
                .role_at(*square)
                .is_some_and(|role| value(role) > value(step.role))
                || is_hanging(board, !side, *square)
                    && !attackers(board, !side, step.to).contains(*square)
        };
        targets.more_than_one()
            && targets.into_iter().filter(is_target).count() > 1
            && !is_in_bad_spot(board, step.to)
    })
}

/// Returns whether the moved piece attacks an enemy piece.
fn attacks_something(solution: &Solution, index: usize) -> bool {
    let board = solution.after(index).board();
    (board.attacks_from(solution.step(index).to) & board.by_color(!solution.solver())).any()
}

/// A move before the last one, not a king's, that gives no check, does not escape a check, captures
/// or attacks nothing, and is not an advanced pawn move.
pub(super) fn quiet_move(solution: &Solution) -> bool {
    solution.solvers(0).rev().skip(1).any(|index| {
        let step = solution.step(index);
        !solution.before(index).is_check()
            && !solution.after(index).is_check()
            && !step.is_capture()
            && !attacks_something(solution, index)
            && !step.is_advanced_pawn(solution.solver())
            && step.role != Role::King
    })
}

/// The last move is quiet and one of at least three legal moves, or quiet moves lead to an escape
/// from check.
pub(super) fn defensive_move(solution: &Solution) -> bool {
    let has_choice = |index: usize| solution.before(index).chess.legal_moves().len() >= 3;
    let is_calm =
        |index: usize| !solution.after(index).is_check() && !solution.step(index).is_capture();
    let last = solution.len() - 1;
    let quiet_end = is_calm(last)
        && !attacks_something(solution, last)
        && !solution.step(last).is_advanced_pawn(solution.solver())
        && has_choice(last);
    let escapes = || {
        for index in solution.solvers(0) {
            if !is_calm(index) || !has_choice(index) {
                return false;
            }
            if solution.before(index).is_check() {
                return true;
            }
        }
        false
    };
    quiet_end || escapes()
}

/// The opponent's king is on its first three ranks without an own pawn beside or in front of it,
/// and there is a check between the first move and the last.
pub(super) fn exposed_king(solution: &Solution) -> bool {
    let (board, owner) = (solution.position().board(), !solution.solver());
    let Some(king) = board.king_of(owner) else {
        return false;
    };
    let rank = owner.fold_wb(king.rank().to_u32(), 7 - king.rank().to_u32());
    // Pawns behind the king do not shelter it.
    let shelter = attacks::king_attacks(king) & !behind(king, owner);
    rank <= 2
        && (shelter & board.pawns() & board.by_color(owner)).is_empty()
        && solution
            .solvers(1)
            .rev()
            .skip(1)
            .any(|index| solution.after(index).is_check())
}

/// Returns the rank behind a king, seen from its own side.
fn behind(king: Square, owner: Color) -> Bitboard {
    king.rank()
        .offset(owner.fold_wb(-1, 1))
        .map_or(Bitboard::EMPTY, Bitboard::from)
}

/// A capture on f2 or f7 next to the king on its original square. Only the first such capture
/// counts.
pub(super) fn attacking_f2_f7(solution: &Solution) -> bool {
    let on_f = |index: &usize| {
        let step = solution.step(*index);
        step.taken.is_some() && matches!(step.to, Square::F2 | Square::F7)
    };
    solution.solvers(0).find(on_f).is_some_and(|index| {
        let home = if solution.step(index).to == Square::F7 {
            Square::E8
        } else {
            Square::E1
        };
        solution.after(index).board().king_of(!solution.solver()) == Some(home)
    })
}

/// An attack on the kingside or the queenside, with enough pieces on the board.
pub(super) fn side(solution: &Solution) -> Option<Theme> {
    let board = solution.position().board();
    let back = solution.solver().fold_wb(7, 0);
    let king = board.king_of(!solution.solver())?;
    // A bug of the public tagger, which does not recognise a king on a1. This rule copies it, so
    // that labels agree.
    if king.rank().to_u32() != back || king == Square::A1 {
        return None;
    }
    let (theme, corner, fewest) = match king.file() {
        File::G | File::H => (Theme::KingsideAttack, File::H, 20),
        File::A | File::B | File::C => (Theme::QueensideAttack, File::A, 18),
        _ => return None,
    };
    if board.occupied().count() < fewest
        || !solution
            .solvers(0)
            .any(|index| solution.after(index).is_check())
    {
        return None;
    }
    let corner = Square::from_coords(corner, king.rank());
    let score: i32 = solution
        .solvers(0)
        .map(|index| {
            let step = solution.step(index);
            let distance = corner.distance(step.to);
            let near_or_far = match distance {
                _ if step.is_capture() && distance <= 3 => 1,
                5.. => -1,
                _ => 0,
            };
            i32::from(solution.after(index).is_check()) + near_or_far
        })
        .sum();
    (score >= 2).then_some(theme)
}
