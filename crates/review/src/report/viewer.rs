//! The data for the board of the page's script: the game, position by position.

use std::io::{self, Write};

use serde::Serialize;
use shakmaty::{Chess, Color, EnPassantMode, Move, Position as _, Square, fen::Fen};

use super::{Escaped, board, is_blamed, printable};
use crate::{PlyReview, Review};

/// A position of the game and the move that led to it. Squares count from a1 = 0 to h8 = 63.
#[derive(Serialize)]
struct Frame {
    /// The pieces, as in the first field of a FEN.
    pieces: String,
    /// From and to of the move that led here; `None` at the start.
    #[serde(rename = "move")]
    mv: Option<[u8; 2]>,
    /// From and to of the best move instead, if the move is blamed.
    best: Option<[u8; 2]>,
    title: String,
    eval: String,
    /// White's expected score, with win, draw and loss if the curve is a win/draw/loss model.
    score: String,
    remark: String,
    line: String,
    /// Whether the move has a symbol; keys jump to such moves.
    marked: bool,
}

/// Writes the viewer with its data, hidden until the script shows it.
pub(super) fn write(out: &mut impl Write, review: &Review, section: usize) -> io::Result<()> {
    let labels = review.options.language.labels();
    writeln!(out, "<section class=\"viewer\" aria-label=\"{}\" hidden>", labels.board)?;
    board::empty(out)?;
    writeln!(out, "<div class=\"controls\">")?;
    for (action, sign, label) in [
        ("start", "|◀", labels.start),
        ("back", "◀", labels.back),
        ("forward", "▶", labels.forward),
        ("end", "▶|", labels.end),
        ("flip", "⇅", labels.flip),
    ] {
        writeln!(
            out,
            "<button type=\"button\" data-action=\"{action}\" aria-label=\"{label}\" title=\"{label}\">{sign}</button>"
        )?;
    }
    writeln!(
        out,
        "</div>\n<div class=\"now\" aria-live=\"polite\"><p class=\"title\"></p><p class=\"score\"></p>\
         <p class=\"remark\"></p><p class=\"line\"></p></div>\n<p class=\"quiet keys\">{}</p>",
        Escaped(labels.keys)
    )?;
    let data = serde_json::to_string(&frames(review))?;
    // Text of a game must not end the script element.
    let data = data.replace('<', "\\u003c");
    writeln!(out, "<script type=\"application/json\" id=\"g{section}data\">{data}</script>\n</section>")
}

fn frames(review: &Review) -> Vec<Frame> {
    let start = Frame {
        pieces: pieces(review.game.start.position()),
        mv: None,
        best: None,
        title: review.options.language.labels().start_position.to_owned(),
        eval: String::new(),
        score: String::new(),
        remark: review.opening_name().unwrap_or_default(),
        line: String::new(),
        marked: false,
    };
    std::iter::once(start).chain(review.plies.iter().map(|ply| frame(review, ply))).collect()
}

fn frame(review: &Review, ply: &PlyReview) -> Frame {
    let (language, labels) = (review.options.language, review.options.language.labels());
    let mut after = ply.before.position().clone();
    let context = centipawn_core::Context::of(&after);
    after.play_unchecked(ply.mv);
    let best = ply.better().and_then(|line| line.first()).filter(|_| is_blamed(ply));
    let glyphs = ply.glyphs();
    let score = language.number(ply.expected_score_played, 2);
    let score = match (review.practical_score(ply), review.curve.wdl(ply.played, context)) {
        (Some(practical), _) => format!("{score} ({} {})", labels.for_them, language.number(practical, 2)),
        (None, Some(wdl)) => {
            let percent = |part: f64| language.number(100.0 * part, 0);
            let [win, draw, loss] = [wdl.win, wdl.draw, wdl.loss].map(percent);
            format!("{score} ({win} % {}, {draw} % {}, {loss} % {})", labels.win, labels.draw, labels.loss)
        }
        (None, None) => score,
    };
    Frame {
        pieces: pieces(&after),
        mv: Some(squares(ply.mv, ply.mover)),
        best: best.map(|&mv| squares(mv, ply.mover)),
        title: format!("{}{glyphs}", ply.numbered(language)),
        eval: ply.eval_text(language).map_or_else(String::new, |eval| format!("{eval} {}", printable(ply.position))),
        score,
        remark: ply.symbol.map(|_| language.remark(ply)).unwrap_or_default(),
        line: ply
            .better_line(language)
            .filter(|_| is_blamed(ply))
            .map_or_else(String::new, |line| format!("{} {line}", labels.better)),
        marked: ply.symbol.is_some(),
    }
}

/// The first field of the FEN.
fn pieces(position: &Chess) -> String {
    let mut fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
    fen.truncate(fen.find(' ').unwrap_or(fen.len()));
    fen
}

/// From and to of a move; for castling, the king's move.
fn squares(mv: Move, mover: Color) -> [u8; 2] {
    let to = mv.castling_side().map_or(mv.to(), |castling| castling.king_to(mover));
    [mv.from().unwrap_or(to), to].map(|square: Square| square as u8)
}
