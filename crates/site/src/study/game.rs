//! A reviewed game as a chapter.

use std::fmt::Write as _;

use centipawn_judge::{JudgedMove, reason::ReasonKind};
use centipawn_pgn::Ply;
use centipawn_review::{Review, result_text};
use shakmaty::Color;

use super::{
    Chapter, occasion,
    shapes::{Brush, Remark},
};
use centipawn_review::rooms::without_commands;

/// Names of comment commands that other programs also read.
const KNOWN: [&str; 5] = ["eval", "clk", "emt", "cal", "csl"];

/// Returns a reviewed game with symbols, better lines and reasons.
pub(super) fn chapter(review: &Review, side: Color) -> Chapter {
    let mut game = review.annotated();
    let answers = review.plies.iter().skip(1).map(Some).chain([None]);
    for ((ply, judged), next) in game.plies.iter_mut().zip(&review.plies).zip(answers) {
        strip(ply);
        if judged.is_blamed() {
            mark(ply, judged, next);
        }
    }
    game.comments
        .iter_mut()
        .for_each(|comment| *comment = without_commands(comment, &KNOWN));
    let summary = summary(review);
    game.comments.insert(0, summary);
    let title = format!("{} {}", review.title(), result_text(review.game.result));
    Chapter::new(game, &occasion(&title, review.tags().date()), side)
}

/// Returns the opening, and both players' accuracy.
fn summary(review: &Review) -> String {
    let (language, labels) = (review.language, review.language.labels());
    let mut text = review
        .opening_name()
        .map_or_else(String::new, |opening| format!("{opening}. "));
    let accuracy = |color| {
        let accuracy = review.player(color).accuracy?;
        Some(format!(
            "{} {} %",
            review.name(color),
            language.number(accuracy, 1)
        ))
    };
    let accuracies: Vec<String> = Color::ALL.into_iter().filter_map(accuracy).collect();
    if !accuracies.is_empty() {
        let _ = write!(text, "{}: {}.", labels.accuracy, accuracies.join(", "));
    }
    text.trim_end().to_owned()
}

/// Adds a red arrow for the answer to a mistake, and a green arrow for the better move.
fn mark(ply: &mut Ply, judged: &JudgedMove, next: Option<&JudgedMove>) {
    let allowed = judged
        .reason
        .as_ref()
        .filter(|reason| reason.kind == ReasonKind::Allows);
    let answer = next.and_then(|next| next.lines.first()?.pv.first());
    if let Some(&answer) = allowed.and_then(|reason| reason.line.first()).or(answer) {
        add(
            ply,
            &Remark::default().arrow(Brush::Red, answer, !judged.mover),
        );
    }
    let Some(better) = judged.better().and_then(<[_]>::first).copied() else {
        return;
    };
    let lines = ply
        .variations
        .iter_mut()
        .filter_map(|line| line.first_mut());
    if let Some(first) = lines.into_iter().find(|first| first.mv == better) {
        add(
            first,
            &Remark::default().arrow(Brush::Green, better, judged.mover),
        );
    }
}

/// Puts arrows in front of the comment, unless an annotator drew some.
fn add(ply: &mut Ply, shapes: &Remark) {
    for shapes in shapes.comment() {
        if ply.comments.is_empty() {
            ply.comments.push(shapes);
        } else if !ply.comments[0].contains("[%cal") {
            ply.comments[0] = format!("{shapes} {}", ply.comments[0]);
        }
    }
}

/// Removes the commands that only Centipawn reads.
fn strip(ply: &mut Ply) {
    for comments in [&mut ply.comments, &mut ply.comments_before] {
        comments
            .iter_mut()
            .for_each(|comment| *comment = without_commands(comment, &KNOWN));
        comments.retain(|comment| !comment.is_empty());
        // Join all comments, because Lichess shows them as a single comment anyway.
        if comments.len() > 1 {
            *comments = vec![comments.join(" ")];
        }
    }
    ply.variations.iter_mut().flatten().for_each(strip);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_of_other_programs_stay() {
        let comment = "[%eval 0.3] [%loss 0.21 $4] Bold. [%reason 3 x] [%cal Ge2e4] [%clk 0:03:00]";
        assert_eq!(
            without_commands(comment, &KNOWN),
            "[%eval 0.3] Bold. [%cal Ge2e4] [%clk 0:03:00]"
        );
        assert_eq!(without_commands("a [%x", &KNOWN), "a");
    }
}
