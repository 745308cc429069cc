//! A reviewed game on its way to a page.

use std::collections::BTreeMap;

use centipawn_judge::Tags;
use centipawn_pgn::{Game, Opening};
use centipawn_progress::Provenance;
use centipawn_review::{GameDocument, Review, ReviewDocument, WhyDocument};
use serde::Serialize;

use centipawn_review::rooms::{GameSummary, MovesDocument};

/// Range of the drawn curves, in pawns on each side of 0.
const DRAWN: f64 = 6.0;

/// A reviewed game on its way to a page.
pub(crate) struct ShownGame {
    /// The number in the names of its files, or of its section of a report.
    pub(crate) number: u64,
    pub(crate) game: Game,
    pub(crate) review: ReviewDocument,
    /// The explanation of each move's symbol; empty if it is unknown.
    pub(crate) why: Vec<WhyDocument>,
    /// The annotated game; `None` if there is only a document.
    pub(crate) pgn: Option<Vec<u8>>,
}

/// The JSON that the viewer reads, in `crates/web/ui/src/site/api.ts`.
#[derive(Serialize)]
struct Contents<'a> {
    moves: MovesDocument,
    review: &'a ReviewDocument,
    why: Vec<Why<'a>>,
    /// The drawn curves, which many moves share.
    curves: Vec<Vec<(f64, f64)>>,
    pgn: Option<&'a str>,
}

/// The reason why a move has its symbol. `drawn` is the index of its curve in [`Contents::curves`].
#[derive(Serialize)]
struct Why<'a> {
    #[serde(flatten)]
    why: &'a WhyDocument,
    drawn: usize,
}

impl ShownGame {
    pub(crate) fn of(number: u64, review: &Review, provenance: Provenance) -> Self {
        Self {
            number,
            game: Game::clone(&review.game),
            why: (0..review.plies.len())
                .map(|index| review.why(index))
                .collect(),
            review: ReviewDocument::of(review, provenance),
            pgn: None,
        }
    }

    pub(crate) fn document(&self) -> &GameDocument {
        &self.review.games[0]
    }

    pub(crate) fn tags(&self) -> Tags<'_> {
        Tags::of(&self.game.headers)
    }

    /// Returns both players' names.
    pub(crate) fn title(&self) -> String {
        format!(
            "{} – {}",
            self.document().white.name,
            self.document().black.name
        )
    }

    /// Returns the opening's code and name.
    pub(crate) fn opening(&self) -> Option<String> {
        self.tags().opening(Opening::of(&self.game))
    }

    /// Returns the annotator's comments on moves, by half-move from 1.
    pub(crate) fn comments(&self) -> BTreeMap<usize, String> {
        let notes = self.moves().notes.into_iter();
        notes
            .filter(|note| note.ply > 0 && !note.text.is_empty())
            .map(|note| (note.ply, note.text))
            .collect()
    }

    fn moves(&self) -> MovesDocument {
        let summary = GameSummary::new(self.number.cast_signed(), &self.game);
        MovesDocument::new(summary, &self.game, true)
    }

    /// Returns what the viewer reads, as an element of the page. `pgn` is the name of the file
    /// beside the page.
    pub(crate) fn data(&self, pgn: Option<&str>) -> String {
        let moves = self.moves();
        let mut curves: Vec<Vec<(f64, f64)>> = Vec::new();
        let bare: Vec<WhyDocument> = self
            .why
            .iter()
            .map(|why| WhyDocument {
                points: Vec::new(),
                ..why.clone()
            })
            .collect();
        let drawn = |(why, bare): (&WhyDocument, _)| {
            let points = drawn(why);
            // Store a curve only if it differs from the previous move's curve, which keeps pages
            // small.
            if curves.last() != Some(&points) {
                curves.push(points);
            }
            Why {
                why: bare,
                drawn: curves.len() - 1,
            }
        };
        let why = self.why.iter().zip(&bare).map(drawn).collect();
        let contents = Contents {
            moves,
            review: &self.review,
            why,
            curves,
            pgn,
        };
        // Serialising cannot fail: the maps of documents have text keys. `<` is escaped, because
        // `</script>` in a name would end the element.
        let json = serde_json::to_string(&contents)
            .unwrap_or_default()
            .replace('<', "\\u003c");
        format!("<script type=\"application/json\" class=\"data\">{json}</script>\n")
    }
}

/// Returns the points of the curve that are drawn, with as many digits as a drawing shows.
fn drawn(why: &WhyDocument) -> Vec<(f64, f64)> {
    let rounded = |(pawns, score): &(f64, f64)| (*pawns, (10_000.0 * score).round() / 10_000.0);
    why.points
        .iter()
        .filter(|(pawns, _)| pawns.abs() <= DRAWN)
        .map(rounded)
        .collect()
}
