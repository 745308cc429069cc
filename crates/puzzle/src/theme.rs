//! The themes of puzzles.

use std::fmt;

/// Generates the enum, its list and its names from one table.
macro_rules! themes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A theme of puzzles, named as on Lichess.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "each is explained in docs/themes.md, under the name it \
             has everywhere")]
        pub enum Theme { $($(#[$doc])* $variant,)* }

        impl Theme {
            /// All themes, ordered by name.
            pub const ALL: &[Theme] = &[$(Theme::$variant,)*];

            /// Returns the name used in files.
            pub fn name(self) -> &'static str {
                match self { $(Theme::$variant => $name,)* }
            }

            /// Returns the theme with this name; `None` for an unknown name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Theme::$variant),)* _ => None }
            }
        }
    };
}

themes! {
    AdvancedPawn = "advancedPawn",
    Advantage = "advantage",
    AnastasiaMate = "anastasiaMate",
    ArabianMate = "arabianMate",
    AttackingF2F7 = "attackingF2F7",
    Attraction = "attraction",
    BackRankMate = "backRankMate",
    BalestraMate = "balestraMate",
    BishopEndgame = "bishopEndgame",
    BlindSwineMate = "blindSwineMate",
    BodenMate = "bodenMate",
    CapturingDefender = "capturingDefender",
    Castling = "castling",
    Clearance = "clearance",
    Collinear = "collinear",
    CornerMate = "cornerMate",
    Crushing = "crushing",
    DefensiveMove = "defensiveMove",
    Deflection = "deflection",
    DiscoveredAttack = "discoveredAttack",
    DiscoveredCheck = "discoveredCheck",
    DoubleBishopMate = "doubleBishopMate",
    DoubleCheck = "doubleCheck",
    DovetailMate = "dovetailMate",
    EnPassant = "enPassant",
    Endgame = "endgame",
    EpauletteMate = "epauletteMate",
    Equality = "equality",
    ExposedKing = "exposedKing",
    Fork = "fork",
    HangingPiece = "hangingPiece",
    HookMate = "hookMate",
    Interference = "interference",
    Intermezzo = "intermezzo",
    KillBoxMate = "killBoxMate",
    KingsideAttack = "kingsideAttack",
    KnightEndgame = "knightEndgame",
    Long = "long",
    Master = "master",
    MasterVsMaster = "masterVsMaster",
    Mate = "mate",
    MateIn1 = "mateIn1",
    MateIn2 = "mateIn2",
    MateIn3 = "mateIn3",
    MateIn4 = "mateIn4",
    MateIn5 = "mateIn5",
    Middlegame = "middlegame",
    MorphysMate = "morphysMate",
    OneMove = "oneMove",
    Opening = "opening",
    OperaMate = "operaMate",
    PawnEndgame = "pawnEndgame",
    PillsburysMate = "pillsburysMate",
    Pin = "pin",
    Promotion = "promotion",
    QueenEndgame = "queenEndgame",
    QueenRookEndgame = "queenRookEndgame",
    QueensideAttack = "queensideAttack",
    QuietMove = "quietMove",
    RookEndgame = "rookEndgame",
    Sacrifice = "sacrifice",
    Short = "short",
    Skewer = "skewer",
    SmotheredMate = "smotheredMate",
    SuperGm = "superGM",
    SwallowstailMate = "swallowstailMate",
    TrappedPiece = "trappedPiece",
    TriangleMate = "triangleMate",
    UnderPromotion = "underPromotion",
    VeryLong = "veryLong",
    VukovicMate = "vukovicMate",
    XRayAttack = "xRayAttack",
    Zugzwang = "zugzwang",
}

impl Theme {
    /// Returns whether the theme does not follow from the moves: it needs an engine's evaluation
    /// (goals, zugzwang) or the players' titles. [`themes`](crate::themes) never returns such a
    /// theme.
    pub fn is_external(self) -> bool {
        matches!(
            self,
            Theme::Crushing
                | Theme::Advantage
                | Theme::Equality
                | Theme::Zugzwang
                | Theme::Master
                | Theme::MasterVsMaster
                | Theme::SuperGm
        )
    }
}

impl Theme {
    /// Returns whether the theme is an idea that a solver can learn. Phases of the game, lengths,
    /// goals and the players' titles are not.
    pub(crate) fn is_motif(self) -> bool {
        let is_phase = matches!(
            self,
            Theme::Opening
                | Theme::Middlegame
                | Theme::Endgame
                | Theme::PawnEndgame
                | Theme::KnightEndgame
                | Theme::BishopEndgame
                | Theme::RookEndgame
                | Theme::QueenEndgame
                | Theme::QueenRookEndgame
        );
        let is_length = matches!(
            self,
            Theme::OneMove | Theme::Short | Theme::Long | Theme::VeryLong
        );
        // `mate` says no more than the number of moves of the mate, which is a separate theme.
        let is_general = self == Theme::Mate || self.is_external() && self != Theme::Zugzwang;
        !(is_phase || is_length || is_general)
    }

    /// Returns whether the theme states what the solver achieves: a decisive advantage, an
    /// advantage or a draw.
    pub fn is_goal(self) -> bool {
        matches!(self, Theme::Crushing | Theme::Advantage | Theme::Equality)
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A set of themes.
///
/// ```
/// use centipawn_puzzle::{Theme, Themes};
///
/// let themes: Themes = [Theme::Short, Theme::Fork].into_iter().collect();
/// assert!(themes.contains(Theme::Fork));
/// assert_eq!(themes.to_string(), "fork short");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Themes(u128);

impl Themes {
    /// Returns whether the theme is in the set.
    pub fn contains(self, theme: Theme) -> bool {
        self.0 >> (theme as u32) & 1 == 1
    }

    /// Adds a theme.
    pub fn insert(&mut self, theme: Theme) {
        self.0 |= 1 << (theme as u32);
    }

    /// Adds a theme if `is_so` is true.
    pub(crate) fn insert_if(&mut self, theme: Theme, is_so: bool) {
        self.0 |= u128::from(is_so) << (theme as u32);
    }

    /// Returns the themes, ordered by name.
    pub fn iter(self) -> impl Iterator<Item = Theme> {
        Theme::ALL
            .iter()
            .copied()
            .filter(move |theme| self.contains(*theme))
    }

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Theme> for Themes {
    fn from_iter<I: IntoIterator<Item = Theme>>(themes: I) -> Self {
        let mut set = Self::default();
        themes.into_iter().for_each(|theme| set.insert(theme));
        set
    }
}

impl fmt::Display for Themes {
    /// Formats the names, separated by spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, theme) in self.iter().enumerate() {
            write!(f, "{}{theme}", if index == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_theme_is_found_by_its_name() {
        assert!(Theme::ALL.len() <= 128);
        for &theme in Theme::ALL {
            assert_eq!(Theme::from_name(theme.name()), Some(theme));
        }
        assert_eq!(Theme::from_name("Fork"), None);
        let all: Themes = Theme::ALL.iter().copied().collect();
        assert_eq!(all.iter().count(), Theme::ALL.len());
        assert!(Themes::default().is_empty() && !all.is_empty());
    }

    #[test]
    fn phases_lengths_and_goals_are_no_motifs() {
        assert!(Theme::Fork.is_motif() && Theme::MateIn2.is_motif());
        assert!(!Theme::Middlegame.is_motif() && !Theme::Long.is_motif());
        assert!(!Theme::Advantage.is_motif());
    }
}
