//! An engine's `info` line, in which some numbers can be replaced. Everything else stays unchanged.

use std::ops::Range;

use centipawn_core::Score;

/// An `info` line with a score, and the positions of its replaceable parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InfoLine {
    text: String,
    /// The evaluation for the side to move.
    pub(crate) score: Score,
    /// Rank of the line among the best lines, from 1.
    pub(crate) rank: usize,
    /// Whether the evaluation is only a lower or upper bound.
    pub(crate) is_bound: bool,
    /// The first moves of the variation, in UCI notation.
    pub(crate) pv: Vec<String>,
    /// Range of `cp` or `mate` and its number in the line.
    score_place: Range<usize>,
    rank_place: Option<Range<usize>>,
    /// Range of ` wdl w d l` in the line, including the space before it.
    wdl_place: Option<Range<usize>>,
}

/// Number of moves of a variation that are stored.
const KEPT: usize = 4;

impl InfoLine {
    /// Parses a line. Returns `None` for any other line, including an `info` line without a score.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let words: Vec<(Range<usize>, &str)> = words(text).collect();
        let word = |index: usize| words.get(index).map(|(_, word)| *word);
        if word(0) != Some("info") {
            return None;
        }
        let (mut score, mut score_place, mut rank, mut rank_place, mut wdl_place) =
            (None, 0..0, 1, None, None);
        let (mut is_bound, mut pv, mut index) = (false, Vec::new(), 1);
        while let Some(field) = word(index) {
            match field {
                "string" => break,
                "pv" => {
                    pv = words[index + 1..]
                        .iter()
                        .take(KEPT)
                        .map(|(_, word)| (*word).to_owned())
                        .collect();
                    break;
                }
                "lowerbound" | "upperbound" => is_bound = true,
                "multipv" => {
                    if let Some(number) = word(index + 1).and_then(|word| word.parse().ok()) {
                        rank = number;
                        rank_place = Some(words[index + 1].0.clone());
                        index += 1;
                    }
                }
                "score" => {
                    let number = word(index + 2).and_then(|word| word.parse().ok());
                    score = match (word(index + 1), number) {
                        (Some("cp"), Some(number)) => Some(Score::Cp(number)),
                        (Some("mate"), Some(number)) => Some(Score::Mate(number)),
                        _ => None,
                    };
                    if score.is_some() {
                        score_place = words[index + 1].0.start..words[index + 2].0.end;
                        index += 2;
                    }
                }
                "wdl"
                    if (1..=3).all(|next| {
                        word(index + next).is_some_and(|word| word.parse::<u32>().is_ok())
                    }) =>
                {
                    wdl_place = Some(words[index - 1].0.end..words[index + 3].0.end);
                    index += 3;
                }
                _ => {}
            }
            index += 1;
        }
        let score = score?;
        Some(Self {
            text: text.to_owned(),
            score,
            rank,
            is_bound,
            pv,
            score_place,
            rank_place,
            wdl_place,
        })
    }

    /// Returns the line with another `score cp`, another rank and another `wdl`. Without a new
    /// `wdl`, the engine's own is removed unless `keeps_wdl` is set.
    pub(crate) fn with(
        &self,
        cp: Option<i32>,
        rank: Option<usize>,
        wdl: Option<[u32; 3]>,
        keeps_wdl: bool,
    ) -> String {
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        if let Some(cp) = cp {
            edits.push((self.score_place.clone(), format!("cp {cp}")));
        }
        if let (Some(rank), Some(place)) = (rank, &self.rank_place) {
            edits.push((place.clone(), rank.to_string()));
        }
        let text = wdl.map(|[win, draw, loss]| format!(" wdl {win} {draw} {loss}"));
        match (&self.wdl_place, text) {
            (Some(place), Some(text)) => edits.push((place.clone(), text)),
            (Some(place), None) if !keeps_wdl => edits.push((place.clone(), String::new())),
            (None, Some(text)) => edits.push((self.score_place.end..self.score_place.end, text)),
            (_, None) => {}
        }
        // Edit from the end, so that earlier positions stay valid. If a replacement and an
        // insertion start at the same position, the insertion comes second.
        edits.sort_by_key(|(place, _)| std::cmp::Reverse((place.start, place.end)));
        let mut line = self.text.clone();
        for (place, text) in edits {
            line.replace_range(place, &text);
        }
        line
    }
}

/// Returns the words of a line with their positions.
fn words(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    text.split_ascii_whitespace().map(move |word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        (start..start + word.len(), word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "info depth 8 seldepth 9 multipv 3 score cp 14 wdl 19 977 4 upperbound \
         nodes 20009 nps 588500 pv c2c4 g8f6 b1c3";

    #[test]
    fn a_line_without_changes_stays_identical() {
        let line = InfoLine::parse(LINE).unwrap();
        assert_eq!(
            (line.score, line.rank, line.is_bound, line.pv[0].as_str()),
            (Score::Cp(14), 3, true, "c2c4")
        );
        assert_eq!(line.with(None, None, None, true), LINE);
    }

    #[test]
    fn numbers_are_replaced_in_place() {
        let line = InfoLine::parse(LINE).unwrap();
        assert_eq!(
            line.with(Some(-5), Some(12), Some([500, 300, 200]), false),
            "info depth 8 seldepth 9 multipv 12 score cp -5 wdl 500 300 200 upperbound nodes 20009 \
             nps 588500 pv c2c4 g8f6 b1c3"
        );
        assert!(!line.with(None, None, None, false).contains("wdl"));
        let plain = InfoLine::parse("info score cp 13  depth 1 nodes 13 pv f1b5").unwrap();
        assert_eq!(
            plain.with(None, Some(2), Some([1, 2, 997]), false),
            "info score cp 13 wdl 1 2 997  depth 1 nodes 13 pv f1b5"
        );
        let both = plain.with(Some(7), None, Some([1, 2, 997]), false);
        assert_eq!(
            both,
            "info score cp 7 wdl 1 2 997  depth 1 nodes 13 pv f1b5"
        );
        let mate = InfoLine::parse("info depth 3 score mate -2 pv a1a2").unwrap();
        assert_eq!(
            mate.with(None, None, Some([10, 0, 990]), false),
            "info depth 3 score mate -2 wdl 10 0 990 pv a1a2"
        );
    }

    #[test]
    fn lines_without_a_score_are_not_parsed() {
        for text in [
            "info nodes 5000 time 2",
            "info string score cp 5",
            "bestmove e2e4",
            "",
            "info score cp",
            "readyok",
        ] {
            assert_eq!(InfoLine::parse(text), None, "{text}");
        }
    }
}
