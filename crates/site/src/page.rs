//! The page of a game in a folder.

use std::fmt::Write as _;

use centipawn_review::Language;

use crate::{
    board,
    html::{Assets, head},
    reading::Reading,
    shown::ShownGame,
};

/// Returns the page of a game. `pgn` is the name of the file beside it.
pub(crate) fn game(game: &ShownGame, language: Language, pgn: Option<&str>) -> String {
    let labels = language.labels();
    let mut out = head(
        language,
        &game.title(),
        Some(&game.review.provenance),
        Assets::Beside("../"),
    );
    let _ = write!(
        out,
        "<body>\n<header class=\"top\"><a class=\"logo\" href=\"../index.html\"><img src=\"../icon.svg\" alt=\"\" width=\"26\" \
         height=\"26\"> {}</a></header>\n{}{}",
        labels.games,
        board::pieces(),
        Reading {
            game,
            language,
            side: None,
        }
        .text(),
    );
    if let Some(pgn) = pgn {
        let _ = writeln!(
            out,
            "<p class=\"take\"><a href=\"{pgn}\" download>{}</a></p>",
            labels.annotated_game
        );
    }
    out += &game.data(pgn);
    out + "</article>\n</body>\n</html>\n"
}
