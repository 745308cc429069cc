//! The comment nearly every move of an engine match has, `+0.98/25 11.2s`, read without a branch for each digit.

/// A score in pawns with two decimals, a depth, a time in seconds: from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    pub(crate) cp: i32,
    pub(crate) depth: u32,
    pub(crate) micros: u64,
}

/// Reads a comment that is exactly this: sign, one to three digits, `.`, two digits, `/`, one to three digits, a blank,
/// a time of seven characters at most with or without decimals, `s`.
///
/// What it refuses is for the general decoder, which reads all this as well and says the same.
#[inline]
pub(crate) fn read(comment: &[u8]) -> Option<Plain> {
    let (&first, rest) = comment.split_first()?;
    let negative = first == b'-';
    let text = if negative || first == b'+' { rest } else { comment };
    let digit = |byte: u8| {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 { Some(u32::from(digit)) } else { None }
    };
    let (whole, rest) = match text {
        [a, b'.', rest @ ..] => (digit(*a)?, rest),
        [a, b, b'.', rest @ ..] => (10 * digit(*a)? + digit(*b)?, rest),
        [a, b, c, b'.', rest @ ..] => (100 * digit(*a)? + 10 * digit(*b)? + digit(*c)?, rest),
        _ => return None,
    };
    let [a, b, b'/', rest @ ..] = rest else { return None };
    let cp = (100 * whole + 10 * digit(*a)? + digit(*b)?) as i32;
    let (depth, time) = match rest {
        [a, b, b' ', time @ ..] => (10 * digit(*a)? + digit(*b)?, time),
        [a, b' ', time @ ..] => (digit(*a)?, time),
        [a, b, c, b' ', time @ ..] => (100 * digit(*a)? + 10 * digit(*b)? + digit(*c)?, time),
        _ => return None,
    };
    let (&last, before) = comment.split_last()?;
    if last != b's' {
        return None;
    }
    let micros = micros(before.last_chunk()?, time.len() - 1)?;
    Some(Plain { cp: if negative { -cp } else { cp }, depth, micros })
}

/// Microseconds in the last `length` of these characters, at most seven: seconds with or without decimals.
#[inline]
fn micros(text: &[u8; 8], length: usize) -> Option<u64> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const MICROS: [u64; 8] = [1_000_000, 100_000, 10_000, 1_000, 100, 10, 1, 0];
    if length == 0 || length > 7 {
        return None;
    }
    // The first character is the lowest byte. What is before the time becomes zeros.
    let before = (1u64 << (8 * (8 - length))) - 1;
    let bytes = u64::from_le_bytes(*text) & !before | (ONES * u64::from(b'0')) & before;
    // The point, if there is one: what stands before it moves up by one, and it is gone.
    let marks = bytes ^ (ONES * u64::from(b'.'));
    let point = marks.wrapping_sub(ONES) & !marks & (0x80 * ONES);
    let (bytes, decimals) = if point == 0 {
        (bytes, 0)
    } else {
        let at = point.trailing_zeros() & !7;
        let lower = (1u64 << at) - 1;
        (bytes & !(lower << 8 | 0xff) | (bytes & lower) << 8 | u64::from(b'0'), 7 - at / 8)
    };
    // Eight digits at once, then pairs, then fours.
    let digits = bytes.wrapping_sub(ONES * u64::from(b'0'));
    if (digits | digits.wrapping_add(ONES * (0x7f - 9))) & (0x80 * ONES) != 0 {
        return None;
    }
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let number = (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff;
    let unit = MICROS[decimals as usize & 7];
    // `5.` is not how a time ends; seven digits behind a point are none of these either.
    if point != 0 && (decimals == 0 || decimals > 6 || length as u32 == decimals + 1) {
        None
    } else {
        Some(number * unit)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::Color;

    use super::*;
    use crate::{Annotation, Dialect};

    #[test]
    fn what_it_reads() {
        let read = |text: &str| read(text.as_bytes()).map(|plain| (plain.cp, plain.depth, plain.micros));
        assert_eq!(read("+0.98/25 11s"), Some((98, 25, 11_000_000)));
        assert_eq!(read("-12.05/7 0.451s"), Some((-1205, 7, 451_000)));
        assert_eq!(read("0.00/101 1234.5s"), Some((0, 101, 1_234_500_000)));
        assert_eq!(read("+152.92/1 0s"), Some((15292, 1, 0)));
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
    }

    proptest! {
        /// What it reads, the general decoder reads the same.
        #[test]
        fn says_what_the_decoder_says(
            score in "[+-]?[0-9]{1,3}\\.[0-9]{2}/[0-9]{1,3} ",
            time in prop_oneof!["[0-9]{1,4}(\\.[0-9]{1,6})?s", "[0-9.x]{0,9}s?"],
        ) {
            let text = score + &time;
            let slow = Annotation::decode_any(text.as_bytes(), Dialect::Engine, Color::White);
            let fast = Annotation::decode(text.as_bytes(), Dialect::Engine, Color::White);
            prop_assert_eq!(fast, slow, "{}", text);
        }
    }
}
