//! Removes annotations from a game: those of a previous review, or all.

use std::{collections::BTreeSet, time::Duration};

use centipawn_judge::{LOSS, is_better_line, reason::REASON};
use centipawn_pgn::{Dialect, Game, Nag, Ply};
use shakmaty::Chess;

use crate::{Language, record::extras::is_threat};

/// Returns a game without the remarks, symbols and better lines of an earlier review, so that only
/// the annotators' own text is left. Evaluations stay.
pub fn without_review(game: &Game) -> Game {
    let mut game = game.clone();
    let mut before = game.start.position().clone();
    for ply in &mut game.plies {
        remove_previous_review(ply, &before);
        ply.play(&mut before);
    }
    game
}

/// Removes a previous review's verdict on a move: the remark, even in the middle of a comment (some
/// programs join comments), and, if there was a remark, the symbols and the better line that came
/// with it. Returns whether there was a verdict.
pub(crate) fn remove_previous_review(ply: &mut Ply, before: &Chess) -> bool {
    let (mut kept, mut has_verdict, mut only_move, mut has_reason) =
        (BTreeSet::new(), false, false, false);
    for comment in &mut ply.comments {
        let (rest, cut) = without_remarks(comment);
        for (remark, annotators) in cut {
            has_verdict = true;
            // A review writes `□` together with a remark about the only move. A `□` without this
            // remark belongs to an annotator and stays.
            only_move |= Language::is_on_only_move(remark);
            kept.extend(annotators);
        }
        let bare = without_reasons(&rest);
        has_reason |= bare != rest;
        *comment = bare;
    }
    if has_verdict || has_reason {
        ply.comments.retain(|comment| !comment.is_empty());
    }
    if !has_verdict {
        return false;
    }
    let is_ours = |nag: &Nag| is_of_our_kind(*nag) || (nag.0 == 7 && only_move);
    ply.nags.retain(|nag| !is_ours(nag) || kept.contains(nag));
    ply.variations
        .retain(|line| !is_better_line(line, before) && !is_threat(line));
    true
}

/// Returns whether a review may write this symbol, for a move or for a position.
pub(crate) fn is_of_our_kind(nag: Nag) -> bool {
    matches!(nag.0, 1..=6 | 10..=21)
}

/// Removes each command `[%loss …]` and the remark after it from a comment, in one pass. Also
/// returns, for each command, the removed remark (empty if the text after the command is no remark
/// of ours; such text stays) and the annotator's symbols that the command lists.
fn without_remarks(comment: &str) -> (String, Vec<(&str, Vec<Nag>)>) {
    let (mut out, mut rest, mut cut) = (String::new(), comment, Vec::new());
    while let Some((before, command)) = rest.split_once(LOSS) {
        let Some((arguments, after)) = command.split_once(']') else {
            break;
        };
        let nags = arguments
            .split_whitespace()
            .filter_map(|word| word.strip_prefix('$')?.parse().ok().map(Nag));
        let words = after.trim_start();
        let (remark, after) = words.split_at(Language::remark_at(words).unwrap_or(0));
        cut.push((remark, nags.collect()));
        join(&mut out, before.trim_end());
        rest = after.trim_start();
    }
    join(&mut out, rest);
    (out, cut)
}

/// Removes each command `[%reason …]` and the sentence after it from a comment, in one pass. The
/// command gives the length of the sentence. Text that does not end with a full stop at this length
/// stays, because somebody has edited it.
fn without_reasons(comment: &str) -> String {
    let begin = format!("[%{REASON} ");
    let (mut out, mut rest) = (String::new(), comment);
    while let Some((before, command)) = rest.split_once(&begin) {
        let Some((arguments, after)) = command.split_once(']') else {
            break;
        };
        let length = arguments
            .split_whitespace()
            .next()
            .and_then(|length| length.parse().ok());
        let words = after.trim_start();
        let sentence = length
            .filter(|length| (1..=LONGEST_SENTENCE).contains(length))
            .and_then(|length| {
                let end = words
                    .char_indices()
                    .map(|(at, char)| at + char.len_utf8())
                    .nth(length - 1)?;
                words[..end].ends_with('.').then_some(end)
            });
        join(&mut out, before.trim_end());
        rest = words[sentence.unwrap_or(0)..].trim_start();
    }
    join(&mut out, rest);
    out
}

/// Maximum number of characters in a reason's sentence.
const LONGEST_SENTENCE: usize = 500;

/// Adds words to a text, separated by a space.
fn join(text: &mut String, words: &str) {
    if !text.is_empty() && !words.is_empty() {
        text.push(' ');
    }
    text.push_str(words);
}

/// Removes variations, NAGs and comments, except for clocks, which are rewritten as `[%clk]` and
/// `[%emt]` from any dialect.
pub(crate) fn strip(game: &mut Game) {
    let dialect = Dialect::detect([&*game]);
    game.comments.clear();
    let annotations: Vec<_> = game.annotations(dialect).collect();
    for (ply, annotation) in game.plies.iter_mut().zip(annotations) {
        let command =
            |name: &str, time: Option<Duration>| Some(format!("[%{name} {}]", clock(time?)));
        let clocks: Vec<String> = [
            command("clk", annotation.clock),
            command("emt", annotation.time),
        ]
        .into_iter()
        .flatten()
        .collect();
        *ply = Ply::new(ply.mv);
        ply.comments = if clocks.is_empty() {
            Vec::new()
        } else {
            vec![clocks.join(" ")]
        };
    }
}

/// `0:01:02`, `0:00:01.25`: hours, minutes, seconds, with up to three decimals as needed.
fn clock(time: Duration) -> String {
    let (seconds, millis) = (time.as_secs(), time.subsec_millis());
    let text = format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    if millis == 0 {
        text
    } else {
        format!("{text}.{millis:03}")
            .trim_end_matches('0')
            .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_is_cut_from_among_other_words() {
        let remark = "[%loss 0.16] Gives the opponent a clear advantage. Allows mate in 12.";
        for (comment, left) in [
            (remark.to_owned(), ""),
            (
                format!("{remark} My own words. [%clk 0:01:00]"),
                "My own words. [%clk 0:01:00]",
            ),
            (format!("[%eval 2.10] mine {remark}"), "[%eval 2.10] mine"),
            (format!("mine {remark} and {remark} mine"), "mine and mine"),
            ("[%loss 0.16] I disagree.".to_owned(), "I disagree."),
        ] {
            assert_eq!(without_remarks(&comment).0, left, "{comment}");
        }
        assert_eq!(
            without_remarks("[%loss 0.16"),
            ("[%loss 0.16".to_owned(), Vec::new())
        );
        let kept = remark.replace("0.16]", "0.16 $4 $300 $14]");
        let nags: Vec<Vec<Nag>> = without_remarks(&kept)
            .1
            .into_iter()
            .map(|(_, nags)| nags)
            .collect();
        assert_eq!(nags, [[Nag(4), Nag(14)]]);
    }

    /// A comment of a hostile game may be full of commands, and of remarks that do not end.
    #[test]
    fn many_remarks_are_cut_in_one_pass() {
        for (remark, count, words) in [
            ("[%loss 0.16] ", 300_000, 0),
            ("[%loss 0.16] Still winning. Misses mate in ", 100_000, 3),
        ] {
            let many = remark.repeat(count);
            let (rest, cut) = without_remarks(&many);
            assert_eq!(
                (rest.split_whitespace().count(), cut.len()),
                (words * count, count)
            );
        }
    }

    #[test]
    fn a_reason_is_cut_with_its_sentence() {
        let reason = "[%reason 27 allows mate1 h5e5] Allows mate in 1: 3. Qxe5#.";
        for (comment, left) in [
            (reason.to_owned(), ""),
            (format!("{reason} Mine."), "Mine."),
            (
                format!("Mine. {reason} [%clk 0:01:00] {reason}"),
                "Mine. [%clk 0:01:00]",
            ),
            (
                "[%reason 27 allows mate1 h5e5] I disagree, of course, strongly.".to_owned(),
                "I disagree, of course, strongly.",
            ),
            (
                "[%reason 99999999999999999999 x] Short.".to_owned(),
                "Short.",
            ),
            ("[%reason] None.".to_owned(), "[%reason] None."),
            ("[%reason 27".to_owned(), "[%reason 27"),
        ] {
            assert_eq!(without_reasons(&comment), left, "{comment}");
        }
        let many = "[%reason 400 x] ".repeat(50_000);
        assert_eq!(without_reasons(&many), "");
    }

    #[test]
    fn clocks_have_the_decimals_they_need() {
        let texts = [3_723_000, 1_250, 1_200, 0].map(|millis| clock(Duration::from_millis(millis)));
        assert_eq!(texts, ["1:02:03", "0:00:01.25", "0:00:01.2", "0:00:00"]);
    }
}
