//! Symbols of a score sheet. Positions get them by expected score, moves by the expected score that
//! they gain or lose.
//!
//! Every threshold is a rational number in expected score, whatever the curve. Source: the article
//! "Evaluation Relevance Reduction", whose schemes are named after their fractions.

use std::fmt;

use shakmaty::Color;

/// Tolerance of the thresholds, which are inclusive: a value on a threshold must not miss it by a
/// rounding error.
const ROUNDING: f64 = 1e-12;

/// A symbol for a move.
///
/// ```
/// use centipawn_core::{MoveScheme, MoveSymbol};
///
/// // Half a point given away is a blunder in every scheme.
/// let symbol = MoveScheme::S8.symbol(-0.5).unwrap();
/// assert_eq!((symbol.glyph(), symbol.nag()), ("??", 4));
/// assert_eq!(MoveScheme::S8.symbol(-0.1), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MoveSymbol {
    /// `??` $4
    Blunder,
    /// `?` $2
    Mistake,
    /// `?!` $6
    Dubious,
    /// `!?` $5
    Interesting,
    /// `!` $1
    Good,
    /// `!!` $3
    Brilliant,
}

impl MoveSymbol {
    /// All symbols in the article's order: `!! ! !? ?! ? ??`.
    pub const ALL: [MoveSymbol; 6] = [
        MoveSymbol::Brilliant,
        MoveSymbol::Good,
        MoveSymbol::Interesting,
        MoveSymbol::Dubious,
        MoveSymbol::Mistake,
        MoveSymbol::Blunder,
    ];

    /// Returns the symbol as written after a move.
    pub fn glyph(self) -> &'static str {
        match self {
            MoveSymbol::Brilliant => "!!",
            MoveSymbol::Good => "!",
            MoveSymbol::Interesting => "!?",
            MoveSymbol::Dubious => "?!",
            MoveSymbol::Mistake => "?",
            MoveSymbol::Blunder => "??",
        }
    }

    /// Returns the symbol's number among PGN's Numeric Annotation Glyphs.
    pub fn nag(self) -> u8 {
        match self {
            MoveSymbol::Good => 1,
            MoveSymbol::Mistake => 2,
            MoveSymbol::Brilliant => 3,
            MoveSymbol::Blunder => 4,
            MoveSymbol::Interesting => 5,
            MoveSymbol::Dubious => 6,
        }
    }

    /// Returns the symbol of a NAG; `None` for other NAGs.
    pub fn from_nag(nag: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|symbol| symbol.nag() == nag)
    }

    /// Returns whether the symbol praises a move (`!! ! !?`); the others criticise it.
    pub fn is_praise(self) -> bool {
        self >= MoveSymbol::Interesting
    }
}

impl fmt::Display for MoveSymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.glyph())
    }
}

/// A set of thresholds, in expected score gained or lost, from which a move gets each symbol.
///
/// ```
/// use centipawn_core::MoveScheme;
///
/// // A move that loses a quarter of a point.
/// assert_eq!(MoveScheme::S8.symbol(-0.25).unwrap().glyph(), "?");
/// assert_eq!(MoveScheme::S20.symbol(-0.25).unwrap().glyph(), "??");
/// assert_eq!(MoveScheme::S20.thresholds(), [0.25, 0.15, 0.05]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MoveScheme {
    /// Economical: 5/14, 3/14, 1/14.
    S7,
    /// Economical, the default: 3/8, 1/4, 1/8.
    #[default]
    S8,
    /// Generous: 1/4, 3/20, 1/20.
    S20,
    /// Generous: 1/4, 1/6, 1/12.
    S12,
}

impl MoveScheme {
    /// All schemes in the article's order.
    pub const ALL: [MoveScheme; 4] = [
        MoveScheme::S7,
        MoveScheme::S8,
        MoveScheme::S20,
        MoveScheme::S12,
    ];

    /// Returns the scheme's name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            MoveScheme::S7 => "s7",
            MoveScheme::S8 => "s8",
            MoveScheme::S20 => "s20",
            MoveScheme::S12 => "s12",
        }
    }

    /// Differences in expected score from which a move gets `!!`/`??`, `!`/`?` and `!?`/`?!`, in
    /// this order.
    pub fn thresholds(self) -> [f64; 3] {
        match self {
            MoveScheme::S7 => [5.0 / 14.0, 3.0 / 14.0, 1.0 / 14.0],
            MoveScheme::S8 => [3.0 / 8.0, 1.0 / 4.0, 1.0 / 8.0],
            MoveScheme::S20 => [1.0 / 4.0, 3.0 / 20.0, 1.0 / 20.0],
            MoveScheme::S12 => [1.0 / 4.0, 1.0 / 6.0, 1.0 / 12.0],
        }
    }

    /// Returns the difference in expected score that a symbol requires: positive for praise,
    /// negative for blame.
    pub fn threshold(self, symbol: MoveSymbol) -> f64 {
        let [strong, plain, weak] = self.thresholds();
        match symbol {
            MoveSymbol::Brilliant => strong,
            MoveSymbol::Good => plain,
            MoveSymbol::Interesting => weak,
            MoveSymbol::Dubious => -weak,
            MoveSymbol::Mistake => -plain,
            MoveSymbol::Blunder => -strong,
        }
    }

    /// Returns the differences, from and to, at which a move keeps its symbol: those of a symbol of
    /// blame, all from the threshold of a symbol of praise on, and all without blame for `None`.
    pub fn range(self, symbol: Option<MoveSymbol>) -> (f64, f64) {
        let [strong, plain, weak] = self.thresholds();
        match symbol {
            Some(MoveSymbol::Blunder) => (f64::NEG_INFINITY, -strong),
            Some(MoveSymbol::Mistake) => (-strong, -plain),
            Some(MoveSymbol::Dubious) => (-plain, -weak),
            Some(praise) => (self.threshold(praise), f64::INFINITY),
            None => (-weak, f64::INFINITY),
        }
    }

    /// Returns the symbol for a move by its difference in expected score, −1..=1, seen by the
    /// mover. The best move is compared with the best *other* move (praise), any other move with
    /// the best (blame). `None` below all thresholds.
    pub fn symbol(self, difference: f64) -> Option<MoveSymbol> {
        let [strong, plain, weak] = self
            .thresholds()
            .map(|threshold| difference.abs() >= threshold - ROUNDING);
        let praise = difference >= 0.0;
        Some(match (strong, plain, weak) {
            (true, ..) if praise => MoveSymbol::Brilliant,
            (true, ..) => MoveSymbol::Blunder,
            (_, true, _) if praise => MoveSymbol::Good,
            (_, true, _) => MoveSymbol::Mistake,
            (_, _, true) if praise => MoveSymbol::Interesting,
            (_, _, true) => MoveSymbol::Dubious,
            _ => return None,
        })
    }
}

/// A symbol for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PositionSymbol {
    /// `=` $10
    Equal,
    /// `⩲` $14, `⩱` $15: slightly better.
    Slight(Color),
    /// `±` $16, `∓` $17: better.
    Better(Color),
    /// `+−` $18, `−+` $19: winning.
    Winning(Color),
    /// `++−` $20, `−−+` $21: crushing.
    Crushing(Color),
}

impl PositionSymbol {
    /// Returns the symbol as printed.
    pub fn glyph(self) -> &'static str {
        use Color::{Black, White};
        match self {
            PositionSymbol::Equal => "=",
            PositionSymbol::Slight(White) => "⩲",
            PositionSymbol::Slight(Black) => "⩱",
            PositionSymbol::Better(White) => "±",
            PositionSymbol::Better(Black) => "∓",
            PositionSymbol::Winning(White) => "+−",
            PositionSymbol::Winning(Black) => "−+",
            PositionSymbol::Crushing(White) => "++−",
            PositionSymbol::Crushing(Black) => "−−+",
        }
    }

    /// Returns the symbol as typed: `=`, `+/=`, `=/+`, `+/-`, `-/+`, `+-`, `-+`, `++-`, `--+`. JSON
    /// uses this form.
    pub fn ascii(self) -> &'static str {
        use Color::{Black, White};
        match self {
            PositionSymbol::Equal => "=",
            PositionSymbol::Slight(White) => "+/=",
            PositionSymbol::Slight(Black) => "=/+",
            PositionSymbol::Better(White) => "+/-",
            PositionSymbol::Better(Black) => "-/+",
            PositionSymbol::Winning(White) => "+-",
            PositionSymbol::Winning(Black) => "-+",
            PositionSymbol::Crushing(White) => "++-",
            PositionSymbol::Crushing(Black) => "--+",
        }
    }

    /// Returns the symbol's number among PGN's Numeric Annotation Glyphs.
    pub fn nag(self) -> u8 {
        match self {
            PositionSymbol::Equal => 10,
            PositionSymbol::Slight(color) => color.fold_wb(14, 15),
            PositionSymbol::Better(color) => color.fold_wb(16, 17),
            PositionSymbol::Winning(color) => color.fold_wb(18, 19),
            PositionSymbol::Crushing(color) => color.fold_wb(20, 21),
        }
    }
}

impl fmt::Display for PositionSymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.glyph())
    }
}

/// How the scale of expected score is divided into position symbols.
///
/// ```
/// use centipawn_core::PositionScheme;
///
/// // White's expected score is 0.7: better, but not winning.
/// let symbol = PositionScheme::S40.symbol(0.7);
/// assert_eq!((symbol.glyph(), symbol.ascii(), symbol.nag()), ("±", "+/-", 16));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PositionScheme {
    /// Nine ranges of 5/40 5/40 4/40 4/40 …, the default: 11/20, 13/20, 3/4, 7/8.
    #[default]
    S40,
    /// Nine equal ranges: 5/9, 2/3, 7/9, 8/9.
    S9,
    /// Seven equal ranges: 4/7, 5/7, 6/7.
    S7,
}

impl PositionScheme {
    /// All schemes in the article's order.
    pub const ALL: [PositionScheme; 3] =
        [PositionScheme::S40, PositionScheme::S9, PositionScheme::S7];

    /// Returns the scheme's name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            PositionScheme::S40 => "s40",
            PositionScheme::S9 => "s9",
            PositionScheme::S7 => "s7",
        }
    }

    /// Returns the expected scores of the better side from which a position gets `⩲`, `±`, `+−`,
    /// `++−`, in this order (`s7` ends with `+−`).
    pub fn limits(self) -> &'static [f64] {
        match self {
            PositionScheme::S40 => &[11.0 / 20.0, 13.0 / 20.0, 3.0 / 4.0, 7.0 / 8.0],
            PositionScheme::S9 => &[5.0 / 9.0, 2.0 / 3.0, 7.0 / 9.0, 8.0 / 9.0],
            PositionScheme::S7 => &[4.0 / 7.0, 5.0 / 7.0, 6.0 / 7.0],
        }
    }

    /// Returns the symbol of a position by White's expected score, 0..=1. A score on a limit gets
    /// the stronger symbol.
    pub fn symbol(self, expected_score_white: f64) -> PositionSymbol {
        let (better, p) = if expected_score_white >= 0.5 {
            (Color::White, expected_score_white)
        } else {
            (Color::Black, 1.0 - expected_score_white)
        };
        match self
            .limits()
            .iter()
            .filter(|&&limit| p >= limit - ROUNDING)
            .count()
        {
            0 => PositionSymbol::Equal,
            1 => PositionSymbol::Slight(better),
            2 => PositionSymbol::Better(better),
            3 => PositionSymbol::Winning(better),
            _ => PositionSymbol::Crushing(better),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_is_found_by_its_nag() {
        for symbol in MoveSymbol::ALL {
            assert_eq!(MoveSymbol::from_nag(symbol.nag()), Some(symbol));
        }
        assert_eq!(MoveSymbol::from_nag(7), None);
    }

    #[test]
    fn a_threshold_is_the_smallest_difference_of_its_symbol() {
        for scheme in MoveScheme::ALL {
            for symbol in MoveSymbol::ALL {
                let threshold = scheme.threshold(symbol);
                assert_eq!(scheme.symbol(threshold), Some(symbol));
                assert_ne!(scheme.symbol(threshold * 0.999), Some(symbol));
            }
            assert_eq!(scheme.symbol(0.0), None);
        }
    }
}
