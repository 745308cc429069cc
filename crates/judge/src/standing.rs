//! Whether a position is won, level or lost.

/// Whether a position is won, level or lost, where that is beyond dispute.
///
/// The limits are those of the symbols in scheme `s40`: a position counts as won from an expected
/// score of 7/8 (`++−`, twice the win-draw balance) and as level up to 13/20 (`=` and `⩲`).
/// Positions between them have no standing: at the balance (`+−`) a win and a draw are equally
/// likely. Two standings differ by more than a fifth of a point, so no small loss counts as the
/// loss of a win or a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// An expected score of at most 1/8.
    Lost,
    /// An expected score from 7/20 to 13/20.
    Level,
    /// An expected score of at least 7/8.
    Won,
}

impl Standing {
    /// Returns the standing of the player with this expected score, 0..=1; `None` between the
    /// standings.
    pub fn of(score: f64) -> Option<Self> {
        const WON: f64 = 7.0 / 8.0;
        const LEVEL: f64 = 13.0 / 20.0;
        match score {
            _ if score >= WON => Some(Standing::Won),
            _ if score <= 1.0 - WON => Some(Standing::Lost),
            _ if (1.0 - LEVEL..=LEVEL).contains(&score) => Some(Standing::Level),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standings_are_far_apart() {
        let of = |score| Standing::of(score);
        assert_eq!(
            [0.875, 0.65, 0.35, 0.125].map(of),
            [Won, Level, Level, Lost].map(Some)
        );
        assert_eq!([0.87, 0.75, 0.66, 0.34, 0.25, 0.13].map(of), [None; 6]);
        use Standing::{Level, Lost, Won};
    }
}
