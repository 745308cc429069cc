//! A sentence with ratings from play.

use crate::Language;

impl Language {
    /// Returns the ratings that the moves of a game show: name, rating, ends of the interval.
    /// `None` if there are none.
    pub(crate) fn play_ratings(self, shown: &[(&str, u32, (u32, u32))]) -> Option<String> {
        let of = |(name, rating, (low, high)): &(&str, u32, (u32, u32))| {
            self.pick(
                format!("{name} played like {rating} ({low} to {high})"),
                format!("{name} spielte wie {rating} ({low} bis {high})"),
            )
        };
        let both = shown.iter().map(of).collect::<Vec<_>>().join(", ");
        (!shown.is_empty()).then(|| {
            self.pick(
                format!(
                    "By the moves of this game, in Lichess ratings: {both}. Four of five such intervals contain the player's rating; \
                     one game says little."
                ),
                format!(
                    "Nach den Zügen dieser Partie, in Wertungszahlen von Lichess: {both}. Vier von fünf solchen Intervallen enthalten \
                     die Wertungszahl des Spielers; eine einzige Partie sagt wenig."
                ),
            )
        })
    }
}
