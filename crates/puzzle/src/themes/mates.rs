//! Named mate patterns.

mod newer;
mod older;

use shakmaty::{Bitboard, Board, Color, Square};

use crate::{
    Solution, Theme, Themes,
    guard::attackers,
    solution::{Step, Stop},
};

/// The final position of a puzzle, with the data that the patterns need.
struct Mate<'a> {
    board: &'a Board,
    checkers: Bitboard,
    king: Square,
    last: &'a Step,
    solver: Color,
}

type Pattern = fn(&Mate<'_>) -> bool;

/// The patterns that Lichess added later. They are independent: a mate may have several of them, in
/// addition to one of the older patterns.
const NEWER: [(Theme, Pattern); 11] = [
    (Theme::BalestraMate, |mate| mate.is_balestra()),
    (Theme::BlindSwineMate, |mate| mate.is_blind_swine()),
    (Theme::CornerMate, |mate| mate.is_corner()),
    (Theme::EpauletteMate, |mate| mate.is_epaulette()),
    (Theme::KillBoxMate, |mate| mate.is_kill_box()),
    (Theme::MorphysMate, |mate| mate.is_morphys()),
    (Theme::OperaMate, |mate| mate.is_opera()),
    (Theme::PillsburysMate, |mate| mate.is_pillsburys()),
    (Theme::SwallowstailMate, |mate| mate.is_swallowstail()),
    (Theme::TriangleMate, |mate| mate.is_triangle()),
    (Theme::VukovicMate, |mate| mate.is_vukovic()),
];

/// Adds the themes of the mate patterns of a puzzle.
pub(super) fn name(solution: &Solution, themes: &mut Themes) {
    let Some(mate) = Mate::of(solution) else {
        return;
    };
    if let Some(pattern) = mate.older() {
        themes.insert(pattern);
    }
    for (theme, is_so) in NEWER {
        themes.insert_if(theme, is_so(&mate));
    }
}

impl<'a> Mate<'a> {
    /// Returns the final position of a puzzle that ends with mate.
    fn of(solution: &'a Solution) -> Option<Self> {
        let Stop { chess: _, checkers } = *solution.end();
        let board = solution.end().board();
        let king = board.king_of(!solution.solver())?;
        let last = solution.step(solution.len() - 1);
        Some(Self {
            board,
            checkers,
            king,
            last,
            solver: solution.solver(),
        })
    }

    fn own(&self) -> Bitboard {
        self.board.by_color(self.solver)
    }

    fn theirs(&self) -> Bitboard {
        self.board.by_color(!self.solver)
    }

    fn attackers(&self, square: Square) -> Bitboard {
        attackers(self.board, self.solver, square)
    }
}
