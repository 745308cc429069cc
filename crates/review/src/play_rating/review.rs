//! The strength that a reviewed game shows.

use centipawn_core::{Curve, Eval, White, win_percent};
use shakmaty::Color;

use super::{GamePlay, PlayEvidence, PlayModel, PlayRating};
use crate::{Review, likelihood::policy};

impl Review {
    /// The ratings that the moves of this game show, White's first, on the scale of [`PlayModel::pool`]. `None` for a player with too few
    /// moves, and for both players if they are no humans, or not from Lichess, whose games the model was fitted to.
    pub fn play_ratings(&self) -> [Option<PlayRating>; 2] {
        *self.play_ratings.get_or_init(|| {
            let is_known = self.players.are_people && self.is_from_lichess();
            let Some(network) = policy().filter(|_| is_known) else { return [None; 2] };
            let Ok(play) = GamePlay::with_losses(&self.game, network, |index, _, _| self.lichess_loss(index)) else {
                return [None; 2];
            };
            Color::ALL.map(|color| {
                let mut evidence = PlayEvidence::default();
                evidence.add(play.player(color)?);
                PlayModel::bundled().rating(&evidence)
            })
        })
    }

    /// What move `index` loses of the mover's winning chances on Lichess' scale, 0..=1, between the evaluations of two positions in a
    /// row: the model was fitted to these, and [`GamePlay::of`] reads them from the annotated game.
    fn lichess_loss(&self, index: usize) -> Option<f64> {
        let ply = self.plies.get(index)?;
        let before = self.plies.get(index.checked_sub(1)?)?.after?;
        // The model was fitted to evaluations of Stockfish 15.1.
        let units = if let Curve::Human(curve) = self.curve { curve.units } else { 1.0 };
        let converted = |eval: Eval<White>| {
            // The cast saturates.
            eval.pawns().map_or(eval, |pawns| Eval::cp((100.0 * pawns / units).round() as i32))
        };
        let percent = |eval: Eval<White>| ply.mover_score(win_percent(converted(eval)) / 100.0);
        Some((percent(before) - percent(ply.played)).max(0.0))
    }

    fn is_from_lichess(&self) -> bool {
        let mut tags = ["Site", "Link", "Event"].into_iter().filter_map(|name| self.game.headers.get(name));
        tags.any(|text| text.to_ascii_lowercase().contains("lichess.org"))
    }

    /// A sentence with the ratings that the moves of this game show; `None` if there are none.
    pub fn play_rating_note(&self) -> Option<String> {
        let language = self.options.language;
        let shown = Color::ALL.into_iter().zip(self.play_ratings()).filter_map(|(color, rating)| {
            let PlayRating { rating, low, high, .. } = rating?;
            let name = self.name(color);
            Some(language.pick(
                format!("{name} played like {rating} ({low} to {high})"),
                format!("{name} spielte wie {rating} ({low} bis {high})"),
            ))
        });
        let shown: Vec<String> = shown.collect();
        let both = shown.join(language.pick(", ", ", "));
        (!shown.is_empty()).then(|| {
            language.pick(
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
