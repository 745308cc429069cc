//! Removes annotations from a game: those of a previous review, or all.

use std::time::Duration;

use centipawn_pgn::{Dialect, Game, Nag, Ply};

use crate::{Language, annotate::LINE_PLIES};

/// The command before our remark on a move, with the loss in expected score: `[%loss 0.62] Gives away half a point …`. Symbols of an
/// annotator that stay in place of ours follow the number: `[%loss 0.62 $4 $14]`.
pub(crate) const LOSS: &str = "[%loss ";

/// A game without the remarks, symbols and better lines of an earlier review: the annotators' own text. Evaluations stay.
pub fn without_review(game: &Game) -> Game {
    let mut game = game.clone();
    game.plies.iter_mut().for_each(remove_previous_review);
    game
}

/// Removes a previous review's verdict on a move: the remark, even in the middle of a comment (some programs join comments),
/// and, if there was a remark, the symbols and the better line that came with it.
pub(crate) fn remove_previous_review(ply: &mut Ply) {
    let (mut remarks, mut kept) = (Vec::new(), Vec::new());
    for comment in &mut ply.comments {
        while let Some((remark, annotators)) = cut_remark(comment) {
            remarks.push(remark);
            kept.extend(annotators);
        }
    }
    if remarks.is_empty() {
        return;
    }
    ply.comments.retain(|comment| !comment.is_empty());
    // A `□` of ours comes with its remark; without one it belongs to another annotator.
    let only_move = remarks.iter().any(|remark| Language::ONLY_MOVE.iter().any(|words| remark.starts_with(words)));
    let is_ours = |nag: &Nag| matches!(nag.0, 1..=6 | 10..=21) || (nag.0 == 7 && only_move);
    ply.nags.retain(|nag| !is_ours(nag) || kept.contains(nag));
    ply.variations.retain(|line| !is_better_line(line));
}

/// Cuts the first `[%loss …]` and the remark after it out of a comment. Returns the remark, empty if the words after the command
/// are not ours and stay, and the annotator's symbols; `None` without such a command.
fn cut_remark(comment: &mut String) -> Option<(String, Vec<Nag>)> {
    let start = comment.find(LOSS)?;
    let end_of_command = start + comment[start..].find(']')? + 1;
    let nags = comment[start..end_of_command - 1].split_whitespace().filter_map(|word| word.strip_prefix('$'));
    let nags = nags.filter_map(|number| number.parse().ok().map(Nag)).collect();
    let words = end_of_command + comment[end_of_command..].len() - comment[end_of_command..].trim_start().len();
    let length = Language::remark_at(&comment[words..]);
    let remark = length.map_or_else(String::new, |length| comment[words..words + length].to_owned());
    let end = length.map_or(end_of_command, |length| words + length);
    let (before, after) = (comment[..start].trim_end(), comment[end..].trim_start());
    let between = if before.is_empty() || after.is_empty() { "" } else { " " };
    *comment = format!("{before}{between}{after}");
    Some((remark, nags))
}

/// Whether a variation has the form of our better lines: only `[%eval …]` at the first move, and no other annotation except a
/// position symbol at the end.
pub(crate) fn is_better_line(line: &[Ply]) -> bool {
    let ([first, ..], Some((last, inner))) = (line, line.split_last()) else { return false };
    let is_eval = |comment: &str| {
        comment.strip_prefix("[%eval ").and_then(|rest| rest.strip_suffix(']')).is_some_and(|eval| !eval.contains(']'))
    };
    line.len() <= LINE_PLIES
        && matches!(&first.comments[..], [comment] if is_eval(comment))
        && line[1..].iter().all(|ply| ply.comments.is_empty())
        && line.iter().all(|ply| ply.comments_before.is_empty() && ply.variations.is_empty())
        && inner.iter().all(|ply| ply.nags.is_empty())
        && matches!(last.nags[..], [] | [Nag(10..=21)])
}

/// Removes variations, NAGs and comments, except for clocks, which are rewritten as `[%clk]` and `[%emt]` from any dialect.
pub(crate) fn strip(game: &mut Game) {
    let dialect = Dialect::detect([&*game]);
    let mut mover = game.start.turn();
    game.comments.clear();
    for ply in &mut game.plies {
        let annotation = ply.annotation(dialect, mover);
        let command = |name: &str, time: Option<Duration>| Some(format!("[%{name} {}]", clock(time?)));
        let clocks: Vec<String> =
            [command("clk", annotation.clock), command("emt", annotation.time)].into_iter().flatten().collect();
        *ply = Ply::new(ply.mv);
        ply.comments = if clocks.is_empty() { Vec::new() } else { vec![clocks.join(" ")] };
        mover = !mover;
    }
}

/// `0:01:02`, `0:00:01.25`: hours, minutes, seconds, with up to three decimals as needed.
fn clock(time: Duration) -> String {
    let (seconds, millis) = (time.as_secs(), time.subsec_millis());
    let text = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if millis == 0 { text } else { format!("{text}.{millis:03}").trim_end_matches('0').to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_is_cut_from_among_other_words() {
        let remark = "[%loss 0.16] Gives away a fifth of a point: +0.30 → +2.10 (0.16 of a possible 0.47).";
        for (comment, left) in [
            (remark.to_owned(), ""),
            (format!("{remark} My own words. [%clk 0:01:00]"), "My own words. [%clk 0:01:00]"),
            (format!("[%eval 2.10] mine {remark}"), "[%eval 2.10] mine"),
            (format!("mine {remark} and {remark} mine"), "mine and mine"),
            ("[%loss 0.16] I disagree.".to_owned(), "I disagree."),
        ] {
            let mut rest = comment.clone();
            while cut_remark(&mut rest).is_some() {}
            assert_eq!(rest, left, "{comment}");
        }
        let mut open = "[%loss 0.16".to_owned();
        assert_eq!((cut_remark(&mut open), &*open), (None, "[%loss 0.16"));
        let mut kept = remark.replace("0.16]", "0.16 $4 $300 $14]");
        assert_eq!(cut_remark(&mut kept).map(|(_, nags)| nags), Some(vec![Nag(4), Nag(14)]));
    }

    #[test]
    fn clocks_have_the_decimals_they_need() {
        let texts = [3_723_000, 1_250, 1_200, 0].map(|millis| clock(Duration::from_millis(millis)));
        assert_eq!(texts, ["1:02:03", "0:00:01.25", "0:00:01.2", "0:00:00"]);
    }
}
