//! Formats the atlas of games at odds.

use std::fmt::Write as _;

use centipawn_calibrate::OddsAtlas;
use centipawn_progress::text::{plural, printable, thousands};

use crate::columns::{padded, shortened};

/// Returns the start positions with their scores, then the evaluation at which people of each
/// rating score one half.
pub fn odds_atlas(atlas: &OddsAtlas) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{} at odds, receivers are the side with more material of {}; mean score {:.3}.\n",
        plural(atlas.games, "game"),
        plural(atlas.players, "player"),
        atlas.score
    );
    let _ = writeln!(
        out,
        "{:26}{:>8}{:>8}{:>8}{:>8}{:>10}{:>11}",
        "given", "eval", "games", "rating", "score", "expected", "even for"
    );
    for start in &atlas.starts {
        let number = |value: Option<f64>, digits| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
        };
        let _ = writeln!(
            out,
            "{}{:>+8.2}{:>8}{:>8.0}{:>8.3}{:>10}{:>11}",
            padded(&shortened(&printable(&start.handicap), 25), 26),
            start.eval,
            thousands(start.games),
            start.rating,
            start.score,
            number(start.expected, 3),
            number(start.even_rating, 0),
        );
    }
    if !atlas.ratings.is_empty() {
        let _ = writeln!(
            out,
            "\n{:>8}{:>18}  {:20}",
            "rating", "scores half at", "95 %"
        );
        for own in &atlas.ratings {
            let beyond = if own.is_inside {
                ""
            } else {
                "beyond these games"
            };
            let interval = format!("{:+.2} to {:+.2}", own.interval.0, own.interval.1);
            let line = format!(
                "{:>8.0}{:>+18.2}  {interval:20}{beyond}",
                own.rating, own.eval
            );
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    for note in &atlas.notes {
        let _ = writeln!(out, "\nNote: {}", printable(note));
    }
    out
}
