//! Numeric annotation glyphs.

use std::fmt;

/// A numeric annotation glyph, `$0` to `$255`: `$1` is `!`, `$16` is `±`.
///
/// ```
/// use centipawn_pgn::Nag;
///
/// assert_eq!(Nag::from_glyph("?!"), Some(Nag(6)));
/// assert_eq!(Nag::from_glyph("+/-"), Nag::from_glyph("±"));
/// assert_eq!(Nag(16).glyph(), Some("±"));
/// assert_eq!(Nag(16).to_string(), "$16");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Nag(pub u8);

impl Nag {
    /// Returns the glyph used in chess literature, if the NAG has one.
    pub fn glyph(self) -> Option<&'static str> {
        GLYPHS
            .iter()
            .find(|(_, nag)| *nag == self.0)
            .map(|(glyph, _)| *glyph)
    }

    /// Returns the NAG of a glyph in any of its spellings (`±`, `+/-`); `None` for an unknown
    /// glyph.
    pub fn from_glyph(glyph: &str) -> Option<Self> {
        match Self::prefix(glyph.as_bytes()) {
            Some((nag, length)) if length == glyph.len() => Some(nag),
            _ => None,
        }
    }

    /// Returns sort key among the NAGs of a move: move symbol, `□`, position symbol, all others.
    pub(crate) fn rank(self) -> u8 {
        match self.0 {
            1..=6 => 0,
            7 => 1,
            10..=21 => 2,
            _ => 3,
        }
    }

    /// Returns whether a move can have only one of the two: both are move symbols (`$1` to `$6`) or
    /// position symbols (`$10` to `$21`).
    pub fn excludes(self, other: Nag) -> bool {
        self == other || (self.rank() == other.rank() && matches!(self.rank(), 0 | 2))
    }

    /// Returns the longest glyph at the beginning of `text`, with its length in bytes.
    pub(crate) fn prefix(text: &[u8]) -> Option<(Self, usize)> {
        let first = text.first();
        let utf8 = GLYPHS
            .iter()
            // Compare the first byte here, which excludes most glyphs without a call.
            .filter(|(glyph, _)| {
                glyph.as_bytes().first() == first && text.starts_with(glyph.as_bytes())
            })
            .max_by_key(|(glyph, _)| glyph.len())
            .map(|&(glyph, nag)| (Self(nag), glyph.len()));
        // `±` is the only glyph of this list that exists in Latin-1, where it is one byte.
        utf8.or_else(|| text.starts_with(b"\xb1").then_some((Self(16), 1)))
    }
}

impl fmt::Display for Nag {
    /// Writes the NAG as in PGN's export format: `$6`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}

/// Glyphs and their NAGs; the first of several spellings is used for output.
///
/// `$0`–`$139` are defined by the PGN standard (section 10), the others are customary (ChessBase,
/// Scid).
const GLYPHS: [(&str, u8); 52] = [
    ("!", 1),
    ("?", 2),
    ("!!", 3),
    ("‼", 3),
    ("??", 4),
    ("⁇", 4),
    ("!?", 5),
    ("⁉", 5),
    ("?!", 6),
    ("⁈", 6),
    ("□", 7),
    ("[]", 7),
    ("=", 10),
    ("∞", 13),
    ("~", 13),
    ("⩲", 14),
    ("+=", 14),
    ("+/=", 14),
    ("⩱", 15),
    ("=+", 15),
    ("=/+", 15),
    ("±", 16),
    ("+/-", 16),
    ("+/−", 16),
    ("∓", 17),
    ("-/+", 17),
    ("−/+", 17),
    ("+−", 18),
    ("+-", 18),
    ("-+", 19),
    ("−+", 19),
    // The true minus sign comes first, because other readers take `--` for a null move.
    ("+−−", 20),
    ("+--", 20),
    ("−−+", 21),
    ("--+", 21),
    ("⨀", 22),
    ("⊙", 22),
    ("⟳", 32),
    ("↑", 36),
    ("→", 40),
    ("⯹", 44),
    ("=∞", 44),
    ("=/∞", 44),
    ("⇆", 132),
    ("⨁", 138),
    ("⊕", 138),
    ("∆", 140),
    ("Δ", 140),
    ("△", 140),
    ("⌓", 142),
    ("N", 146),
    ("D", 220),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_glyph_wins() {
        assert_eq!(Nag::prefix(b"!? 2. Nf3"), Some((Nag(5), 2)));
        assert_eq!(Nag::prefix(b"+/- x"), Some((Nag(16), 3)));
        assert_eq!(Nag::prefix("+− x".as_bytes()), Some((Nag(18), 4)));
        assert_eq!(Nag::prefix(b"\xb1"), Some((Nag(16), 1)));
        assert_eq!(Nag::prefix(b"e4"), None);
        assert_eq!(Nag::from_glyph("!x"), None);
    }

    /// `--` is a null move to python-chess and others.
    #[test]
    fn no_glyph_looks_like_a_null_move() {
        for nag in (0..=255).map(Nag) {
            assert!(!nag.glyph().unwrap_or_default().contains("--"), "{nag}");
        }
    }

    #[test]
    fn every_glyph_reads_back() {
        for nag in (0..=255).map(Nag) {
            if let Some(glyph) = nag.glyph() {
                assert_eq!(Nag::from_glyph(glyph), Some(nag), "{glyph}");
            }
        }
    }
}
