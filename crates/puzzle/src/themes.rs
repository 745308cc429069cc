//! Finding the themes of a puzzle.

mod attack;
mod lines;
mod material;
mod mates;
mod phase;
mod tricks;

use shakmaty::Position as _;

use crate::{Solution, Theme, Themes};

/// Returns the themes that follow from the moves alone.
///
/// The rules are those of Lichess' public tagger where it needs no engine, and Lichess' own for the
/// phase of the game; `docs/themes.md` describes them. For the other themes see
/// [`Theme::is_external`].
///
/// ```
/// use centipawn_core::History;
/// use centipawn_puzzle::{Solution, themes};
///
/// let start = History::from_fen("8/7p/5Kpk/5p2/8/4p1Pr/8/4R3 b - - 3 43", None).unwrap();
/// let solution = Solution::from_uci(&start, ["h3g3", "e1h1", "g3h3", "h1h3"])?;
/// assert_eq!(themes(&solution).to_string(), "endgame mate mateIn2 rookEndgame short");
/// # Ok::<_, centipawn_puzzle::SolutionError>(())
/// ```
pub fn themes(solution: &Solution) -> Themes {
    let mut themes = Themes::default();
    themes.insert(phase::phase(solution.position().board()));
    themes.insert(match solution.len() {
        2 => Theme::OneMove,
        4 => Theme::Short,
        6 => Theme::Long,
        _ => Theme::VeryLong,
    });
    if solution.end().is_mate() {
        themes.insert(Theme::Mate);
        themes.insert(match solution.len() / 2 {
            1 => Theme::MateIn1,
            2 => Theme::MateIn2,
            3 => Theme::MateIn3,
            4 => Theme::MateIn4,
            _ => Theme::MateIn5,
        });
        mates::name(solution, &mut themes);
    }
    for (theme, rule) in RULES {
        themes.insert_if(*theme, rule(solution));
    }
    if let Some(ending) = material::ending(solution) {
        themes.insert(ending);
    }
    if !themes.contains(Theme::BackRankMate)
        && !themes.contains(Theme::Fork)
        && let Some(side) = attack::side(solution)
    {
        themes.insert(side);
    }
    themes
}

type Rule = fn(&Solution) -> bool;

/// Themes with a rule that does not depend on other themes.
const RULES: &[(Theme, Rule)] = &[
    (Theme::AdvancedPawn, material::advanced_pawn),
    (Theme::AttackingF2F7, attack::attacking_f2_f7),
    (Theme::Attraction, tricks::attraction),
    (Theme::CapturingDefender, tricks::capturing_defender),
    (Theme::Castling, material::castling),
    (Theme::Clearance, lines::clearance),
    (Theme::Collinear, lines::collinear),
    (Theme::DefensiveMove, attack::defensive_move),
    (Theme::Deflection, tricks::deflection),
    (Theme::DiscoveredAttack, lines::discovered_attack),
    (Theme::DiscoveredCheck, lines::discovered_check),
    (Theme::DoubleCheck, lines::double_check),
    (Theme::EnPassant, material::en_passant),
    (Theme::ExposedKing, attack::exposed_king),
    (Theme::Fork, attack::fork),
    (Theme::HangingPiece, material::hanging_piece),
    (Theme::Interference, lines::interference),
    (Theme::Intermezzo, tricks::intermezzo),
    (Theme::Pin, lines::pin),
    (Theme::Promotion, material::promotion),
    (Theme::QuietMove, attack::quiet_move),
    (Theme::Sacrifice, material::sacrifice),
    (Theme::Skewer, lines::skewer),
    (Theme::TrappedPiece, material::trapped_piece),
    (Theme::UnderPromotion, material::under_promotion),
    (Theme::XRayAttack, lines::x_ray),
];

#[cfg(test)]
mod tests;
