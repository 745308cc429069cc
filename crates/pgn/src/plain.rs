//! Fast reading of the usual comment in engine matches, `+0.98/25 11.2s`, without a branch per
//! digit.

use centipawn_core::{Eval, White};
use shakmaty::Color;

/// Centipawns as written, at most 99,999: sign and magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signed {
    negative: bool,
    size: i32,
}

impl Signed {
    /// Centipawns, in the mover's view.
    #[inline(always)]
    pub(crate) fn centipawns(self) -> i32 {
        if self.negative { -self.size } else { self.size }
    }

    /// Returns White's view of this score, which is the mover's.
    #[inline(always)]
    pub(crate) fn for_white(self, mover: Color) -> Eval<White> {
        Eval::cp(if self.negative == mover.is_white() {
            -self.size
        } else {
            self.size
        })
    }
}

/// A score in pawns with two decimals, a depth, and a time in seconds, from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    pub(crate) score: Signed,
    pub(crate) depth: u32,
    pub(crate) micros: u64,
}

/// Reads a comment of exactly this form: sign, one to three digits, `.`, two digits, `/`, one to
/// three digits, a blank, a time of at most seven characters with or without decimals, `s`.
///
/// For any other comment it returns `None`, and the general decoder takes over; it gives the same
/// result for this form.
#[inline(always)]
pub(crate) fn read(comment: &[u8]) -> Option<Plain> {
    let (score, rest) = score(comment)?;
    let (depth, length) = depth(rest)?;
    let (&last, before) = comment.split_last()?;
    if last != b's' {
        return None;
    }
    let micros = micros(before.last_chunk()?, (rest.len() - length).checked_sub(2)?)?;
    Some(Plain {
        score,
        depth,
        micros,
    })
}

/// Reads only the score of such a comment; any text may follow the depth and its blank.
#[inline(always)]
pub(crate) fn score_alone(comment: &[u8]) -> Option<Signed> {
    let (score, rest) = score(comment)?;
    match rest {
        // Most depths have two digits. The second one is not needed here.
        [first, _, b' ', ..] if first.is_ascii_digit() => Some(score),
        _ => depth(rest).map(|_| score),
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x80 * ONES;

/// Returns a score in centipawns up to its slash, and the text that follows.
#[inline(always)]
fn score(comment: &[u8]) -> Option<(Signed, &[u8])> {
    let bytes = u64::from_le_bytes(*comment.first_chunk()?);
    let negative = bytes as u8 == b'-';
    let sign = u32::from(negative) | u32::from(bytes as u8 == b'+');
    let bytes = bytes >> (8 * sign);
    // Most scores have one digit before the point. All digits then have their value, and point and
    // slash are 0.
    let short = (bytes ^ 0x2f_3030_2e30) & 0xff_ffff_ffff;
    if (short | (short + 0x00_0606_0006)) & 0xff_f0f0_fff0 == 0 {
        let cp = 100 * (short & 15) + 10 * (short >> 16 & 15) + (short >> 24);
        return Some((
            Signed {
                negative,
                size: cp as i32,
            },
            comment.get(sign as usize + 5..)?,
        ));
    }
    let marks = bytes ^ (ONES * u64::from(b'.'));
    let point = (marks.wrapping_sub(ONES) & !marks & HIGHS).trailing_zeros() / 8;
    if !(1..=3).contains(&point) {
        return None;
    }
    // The point becomes the fourth byte; zeros fill the bytes in front.
    let zeros = (1 << (8 * (3 - point))) - 1;
    let bytes = (bytes << (8 * (3 - point)) | 0x30_3030 & zeros) ^ 0x002f_3030_2e30_3030;
    if (bytes | bytes.wrapping_add(0x0000_0606_0006_0606)) & 0x00ff_f0f0_fff0_f0f0 != 0 {
        return None;
    }
    let cp = number((bytes & 0xffff << 32) << 16 | (bytes & 0xff_ffff) << 24);
    Some((
        Signed {
            negative,
            size: cp as i32,
        },
        comment.get((sign + point) as usize + 4..)?,
    ))
}

/// Returns a depth of one to three digits followed by a blank: its value and length.
#[inline(always)]
fn depth(text: &[u8]) -> Option<(u32, usize)> {
    let digit = |byte: &u8| u32::from(byte.wrapping_sub(b'0'));
    match text {
        [a, b, b' ', ..] if digit(a) < 10 && digit(b) < 10 => Some((10 * digit(a) + digit(b), 2)),
        [a, b' ', ..] if digit(a) < 10 => Some((digit(a), 1)),
        [a, b, c, b' ', ..] if digit(a) < 10 && digit(b) < 10 && digit(c) < 10 => {
            Some((100 * digit(a) + 10 * digit(b) + digit(c), 3))
        }
        _ => None,
    }
}

/// Returns the value of eight digits, the first in the lowest byte, each as a number 0 to 9:
/// combined to pairs, fours, then all.
#[inline(always)]
fn number(digits: u64) -> u64 {
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff
}

/// Microseconds from the last `length` of these characters, at most seven: seconds with or without
/// decimals.
#[inline(always)]
fn micros(text: &[u8; 8], length: usize) -> Option<u64> {
    const MICROS: [u64; 8] = [1_000_000, 100_000, 10_000, 1_000, 100, 10, 1, 0];
    if length == 0 || length > 7 {
        return None;
    }
    // The first character is the lowest byte. Bytes in front of the time become zeros.
    let before = (1u64 << (8 * (8 - length))) - 1;
    let bytes = u64::from_le_bytes(*text) & !before | (ONES * u64::from(b'0')) & before;
    // Removes the point, if there is one, by moving the bytes before it up by one.
    let marks = bytes ^ (ONES * u64::from(b'.'));
    let point = marks.wrapping_sub(ONES) & !marks & HIGHS;
    let (bytes, decimals) = if point == 0 {
        (bytes, 0)
    } else {
        let at = point.trailing_zeros() & !7;
        let lower = (1u64 << at) - 1;
        (
            bytes & !(lower << 8 | 0xff) | (bytes & lower) << 8 | u64::from(b'0'),
            7 - at / 8,
        )
    };
    let digits = bytes.wrapping_sub(ONES * u64::from(b'0'));
    if (digits | digits.wrapping_add(ONES * (0x7f - 9))) & HIGHS != 0 {
        return None;
    }
    let number = number(digits);
    let unit = MICROS[decimals as usize & 7];
    // A time cannot end with `5.` or have seven digits behind the point.
    if point != 0 && (decimals == 0 || decimals > 6 || length as u32 == decimals + 1) {
        None
    } else {
        Some(number * unit)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Annotation, Dialect};

    #[test]
    fn plain_comments_are_read() {
        let read = |text: &str| {
            let Plain {
                score,
                depth,
                micros,
            } = read(text.as_bytes())?;
            Some((score.for_white(Color::White), depth, micros))
        };
        assert_eq!(read("+0.98/25 11s"), Some((Eval::cp(98), 25, 11_000_000)));
        assert_eq!(read("-12.05/7 0.451s"), Some((Eval::cp(-1205), 7, 451_000)));
        assert_eq!(
            read("0.00/101 1234.5s"),
            Some((Eval::cp(0), 101, 1_234_500_000))
        );
        assert_eq!(read("+152.92/1 0s"), Some((Eval::cp(15292), 1, 0)));
        for text in [
            "",
            "s",
            "+M29/53 0.45s",
            "0.1/5 1s",
            "+0.10/5",
            "+0.10/5 s",
            "+0.10/5 1.s",
            "+0.10/5 .5s",
            "+0.10/5 1.2.3s",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        // The sum of these bytes overflows the word in which the fast parser adds. It must reject
        // them.
        assert!(score(b"\x0c\x00.7\xcf\xd0\xff\xff\xff\xff").is_none());
    }

    proptest! {
        #[test]
        fn reading_never_panics(bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'.'), Just(0xff), b'0'..=b'9'], 0..24)) {
            read(&bytes);
            score_alone(&bytes);
        }

        /// The general decoder reads the same value from each comment that the fast parser accepts.
        #[test]
        fn agrees_with_the_decoder(
            score in "[+-]?[0-9]{1,3}\\.[0-9]{2}/[0-9]{1,3} ",
            time in prop_oneof!["[0-9]{1,4}(\\.[0-9]{1,6})?s", "[0-9.x]{0,9}s?"],
        ) {
            let text = score + &time;
            let slow = Annotation::decode_any(text.as_bytes(), Dialect::Engine, Color::White);
            let fast = Annotation::decode(text.as_bytes(), Dialect::Engine, Color::White);
            prop_assert_eq!(fast, slow, "{}", text);
            let eval = Annotation::eval(text.as_bytes(), Dialect::Engine, Color::White);
            prop_assert_eq!(eval, slow.eval, "{}", text);
        }
    }
}
