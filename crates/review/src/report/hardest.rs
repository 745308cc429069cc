//! The hardest moments of a game, and which levels are expected to find a good move.

use std::io::{self, Write};

use super::{Escaped, Symbol, board};
use crate::Review;

/// Writes the hardest moments, each with its position; nothing without ease or if no moment was hard.
pub(super) fn write(out: &mut impl Write, review: &Review, section: usize) -> io::Result<()> {
    let (language, labels) = (review.options.language, review.options.language.labels());
    if !review.hardest_moments.is_empty() {
        writeln!(out, "<h2>{}</h2>\n<div class=\"moments hardest\">", labels.hardest_moments)?;
        for &index in &review.hardest_moments {
            let ply = &review.plies[index];
            writeln!(
                out,
                "<section>\n<h3><a data-ply=\"{}\" href=\"#g{section}p{}\">{}{}</a></h3>\n{}\n<p>{}</p>\n</section>",
                index + 1,
                index + 1,
                Escaped(&ply.numbered(language)),
                Symbol(ply),
                board::Diagram { ply, language },
                Escaped(&language.hard_moment(ply).unwrap_or_default())
            )?;
        }
        writeln!(out, "</div>")?;
    }
    match review.bounded_ease_note() {
        Some(note) => writeln!(out, "<p class=\"quiet\">{}</p>", Escaped(&note)),
        None => Ok(()),
    }
}
