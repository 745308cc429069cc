//! Results as people and programs write them.

use shakmaty::{Color, KnownOutcome, Outcome};

use crate::spelling::dash;

/// The meaning of a written result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Score {
    /// A result of PGN.
    Known(KnownOutcome),
    /// A result in which both players lose: a double forfeit.
    BothLose,
    /// Text that looks like a result but is not a result of chess, such as `1-1`.
    Other,
}

const WHITE: KnownOutcome = KnownOutcome::Decisive {
    winner: Color::White,
};
const BLACK: KnownOutcome = KnownOutcome::Decisive {
    winner: Color::Black,
};

impl Score {
    /// Returns the outcome; unknown for what PGN has no result for.
    pub(crate) fn outcome(self) -> Outcome {
        match self {
            Self::Known(outcome) => Outcome::Known(outcome),
            Self::BothLose | Self::Other => Outcome::Unknown,
        }
    }

    /// Returns the result at the beginning of `text`, and its length: `1-0`, `½–½`, `1/2 - 1/2`,
    /// `0.5-0.5`, `1:0`, `1-0F`, `+:-`. A word or a number must end there.
    pub(crate) fn prefix(text: &[u8]) -> Option<(Self, usize)> {
        let (first, start) = Side::read(text)?;
        let (second, end) = match Side::after(text, start, first) {
            Some(found) => found,
            // `1/2` or `½` alone is a draw.
            None if first.points == 1 && !first.is_sign && !first.is_decimal => (first, start),
            None => return None,
        };
        let goes_on = match text.get(end) {
            Some(b'/' | b'.' | b',') => text.get(end + 1).is_some_and(u8::is_ascii_digit),
            Some(byte) => {
                byte.is_ascii_alphanumeric() || (dash(&text[end..]) > 0 && !first.is_sign)
            }
            None => false,
        };
        let castles = first.points + second.points == 0 && text[..end].contains(&b'O');
        if goes_on
            || castles
            || first.is_sign != second.is_sign
            || first.is_decimal != second.is_decimal
        {
            return None;
        }
        let score = match (first.points, second.points) {
            (2, 0) => Self::Known(WHITE),
            (0, 2) => Self::Known(BLACK),
            (1, 1) => Self::Known(KnownOutcome::Draw),
            (0, 0) => Self::BothLose,
            _ => Self::Other,
        };
        Some((score, end))
    }

    /// Returns the result of which a text consists, perhaps in brackets or quotes, as some programs
    /// write it into the last comment.
    pub(crate) fn alone(text: &[u8]) -> Option<Self> {
        let text = trim(text);
        Self::prefix(text)
            .filter(|(_, length)| *length == text.len())
            .map(|(score, _)| score)
    }
}

/// Returns text without blanks, brackets, quotes and stops around it.
fn trim(text: &[u8]) -> &[u8] {
    let is_around = |byte: &u8| byte.is_ascii_whitespace() || b"(){}[]<>\"'`.,;!".contains(byte);
    // A point may begin `.5-.5`.
    let is_before = |byte: &u8| is_around(byte) && *byte != b'.' && *byte != b',';
    let begin = text
        .iter()
        .position(|byte| !is_before(byte))
        .unwrap_or(text.len());
    let end = text
        .iter()
        .rposition(|byte| !is_around(byte))
        .map_or(begin, |last| last + 1);
    &text[begin..end.max(begin)]
}

/// The points of one player.
#[derive(Clone, Copy)]
struct Side {
    /// Half points: 2 for a win.
    points: u8,
    is_sign: bool,
    is_decimal: bool,
}

impl Side {
    /// `1`, `0`, `1/2`, `½`, `0.5`, `1,0`, `+`, `-`, `=`, perhaps marked as a forfeit; and its
    /// length.
    fn read(text: &[u8]) -> Option<(Self, usize)> {
        const NUMBERS: [(&[u8], u8, bool); 15] = [
            (b"1/2", 1, false),
            (b"\xc2\xbd", 1, false),
            (b"\xbd", 1, false),
            (b"0.5", 1, true),
            (b"0,5", 1, true),
            (b".5", 1, true),
            (b",5", 1, true),
            (b"1.0", 2, true),
            (b"1,0", 2, true),
            (b"0.0", 0, true),
            (b"0,0", 0, true),
            (b"1", 2, false),
            (b"0", 0, false),
            (b"=", 1, false),
            // Some files have the letter O for the zero: `1-O`. `O-O` is castling, which the caller
            // excludes.
            (b"O", 0, false),
        ];
        let side = |points, is_sign, is_decimal| Self {
            points,
            is_sign,
            is_decimal,
        };
        if let Some(&(number, points, is_decimal)) =
            NUMBERS.iter().find(|(number, ..)| text.starts_with(number))
        {
            let marked = text[number.len()..]
                .iter()
                .take_while(|byte| b"FfKk".contains(byte))
                .count();
            let end = number.len() + marked;
            let is_word = text.get(end).is_some_and(u8::is_ascii_alphanumeric);
            let end = if marked > 2 || (marked > 0 && is_word) {
                number.len()
            } else {
                end
            };
            return Some((side(points, number == b"=", is_decimal), end));
        }
        match (text.first(), dash(text)) {
            (Some(b'+'), _) => Some((side(2, true, false), 1)),
            (_, 0) => None,
            (_, length) => Some((side(0, true, false), length)),
        }
    }

    /// Returns the other player's points, behind the first one's that end at `at`, and where they
    /// end.
    fn after(text: &[u8], at: usize, first: Self) -> Option<(Self, usize)> {
        let sign = at + blanks(&text[at..]);
        let rest = &text[sign..];
        let length = match rest.first()? {
            b':' => 1,
            b'/' if first.is_sign => 1,
            // `+-` and `-+` have no separator; `+--` is `+`, `-`, `-`.
            _ if first.is_sign => {
                let length = dash(rest);
                if length > 0 && Self::read(&rest[length..]).is_some_and(|(side, _)| side.is_sign) {
                    length
                } else {
                    0
                }
            }
            _ => Some(dash(rest)).filter(|length| *length > 0)?,
        };
        let second = sign + length + blanks(&text[sign + length..]);
        let (side, length) = Self::read(text.get(second..)?)?;
        Some((side, second + length))
    }
}

/// Returns the length of up to two blanks at the beginning of `text`, also of those that do not
/// break a line, as web pages write `1 – 0`.
fn blanks(text: &[u8]) -> usize {
    let mut length = 0;
    for _ in 0..2 {
        length += match &text[length..] {
            [b' ' | b'\t' | 0xa0, ..] => 1,
            [0xc2, 0xa0, ..] => 2,
            [0xe2, 0x80, 0x80..=0x8a | 0xaf, ..] => 3,
            _ => break,
        };
    }
    length
}

/// The meaning of the tag `Result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tagged {
    /// No result: `*`, `?`, or empty.
    Nothing,
    /// A score of the game.
    Score(Score),
    /// Text that cannot be read as a score.
    Unreadable,
}

impl Tagged {
    /// Reads the value of the tag.
    pub(crate) fn read(value: &[u8]) -> Self {
        match value {
            b"1-0" => return Self::Score(Score::Known(WHITE)),
            b"0-1" => return Self::Score(Score::Known(BLACK)),
            b"1/2-1/2" => return Self::Score(Score::Known(KnownOutcome::Draw)),
            b"*" => return Self::Nothing,
            _ => {}
        }
        let bare = trim(value);
        let is = |words: &[&str]| {
            words
                .iter()
                .any(|word| bare.eq_ignore_ascii_case(word.as_bytes()))
        };
        if is(&[
            "",
            "*",
            "?",
            "-",
            "unknown",
            "none",
            "ongoing",
            "in progress",
        ]) {
            return Self::Nothing;
        }
        if is(&["white", "white wins", "white won"]) {
            return Self::Score(Score::Known(WHITE));
        }
        if is(&["black", "black wins", "black won"]) {
            return Self::Score(Score::Known(BLACK));
        }
        if is(&["draw", "drawn", "remis"]) {
            return Self::Score(Score::Known(KnownOutcome::Draw));
        }
        match Score::prefix(bare) {
            // Words may follow: `1-0 (forfeit)`, `1-0 ff`.
            Some((score, length))
                if bare
                    .get(length)
                    .is_none_or(|next| b" \t(,;!".contains(next)) =>
            {
                Self::Score(score)
            }
            _ => Self::Unreadable,
        }
    }

    /// Returns the outcome, if it is one.
    pub(crate) fn known(self) -> Option<Outcome> {
        match self {
            Self::Score(Score::Known(outcome)) => Some(Outcome::Known(outcome)),
            _ => None,
        }
    }

    /// Returns whether the tag states a result that counts as none.
    pub(crate) fn is_lost(self) -> bool {
        matches!(
            self,
            Self::Unreadable | Self::Score(Score::BothLose | Score::Other)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_in_every_spelling() {
        let read = |text: &str| Tagged::read(text.as_bytes());
        let white = Tagged::Score(Score::Known(WHITE));
        let black = Tagged::Score(Score::Known(BLACK));
        let draw = Tagged::Score(Score::Known(KnownOutcome::Draw));
        let both = Tagged::Score(Score::BothLose);
        for (texts, expected) in [
            (
                &[
                    "1-0",
                    "1–0",
                    "1 - 0",
                    "1:0",
                    "1.0-0.0",
                    "1,0 : 0,0",
                    "1-0F",
                    "1F-0F",
                    "+:-",
                    "+-",
                    "+/-",
                    "+--",
                    "+ -",
                    "1-0 ff",
                ][..],
                white,
            ),
            (
                &[
                    "1-0 (forfeit)",
                    "{1-0}",
                    "1-0`",
                    "White wins",
                    "1K-0K",
                    "1−0",
                    "1‑0",
                    "1\u{a0}–\u{202f}0",
                ],
                white,
            ),
            (
                &[
                    "0-1", "0—1", "0:1", "-:+", "-+", "-/+", "--+", "– +", "(0-1)", "0-1 FF", "O-1",
                ],
                black,
            ),
            (
                &[
                    "1/2-1/2",
                    "1/2",
                    "½-½",
                    "½–½",
                    "½",
                    "0.5-0.5",
                    "0,5-0,5",
                    ".5-.5",
                    "0.5 : 0.5",
                    "1/2 - 1/2",
                    "=-=",
                    "=:=",
                    "Remis",
                ],
                draw,
            ),
            (
                &["0-0", "0–0", "-:-", "-/-", "0F-0F", "0.0-0.0", "- -", "---"],
                both,
            ),
            (&["*", "", "?", " ", "-", "unknown"], Tagged::Nothing),
            (&["1-1", "1/2-0", "0-1/2"], Tagged::Score(Score::Other)),
            (
                &[
                    "won",
                    "1-0-1",
                    "5-3",
                    "1-",
                    "10-0",
                    "0-0-0",
                    "1.0-0",
                    "abandoned",
                ],
                Tagged::Unreadable,
            ),
        ] {
            for text in texts {
                assert_eq!(read(text), expected, "{text}");
            }
        }
        assert_eq!(read("\u{bd}-\u{bd}"), draw);
        assert_eq!(Tagged::read(b"\xbd-\xbd"), draw);
        assert_eq!(Score::alone(b" 0-1 "), Some(Score::Known(BLACK)));
        assert_eq!(Score::alone(b"0-1 in the end"), None);
    }
}
