//! Numbers, scores and clocks at the beginning of a text, read without allocation or floats.

use std::time::Duration;

use centipawn_core::Eval;

/// A decimal number as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    /// Whether the number has a leading `+` or `-`.
    pub(crate) signed: bool,
    /// Whether the number has a decimal point.
    pub(crate) point: bool,
    negative: bool,
    digits: i64,
    decimals: u32,
}

impl Decimal {
    /// Reads a number with optional sign and decimals (`5`, `-0.25`, `.5`); also returns the text
    /// that follows.
    #[inline]
    pub(crate) fn read(text: &[u8]) -> Option<(Self, &[u8])> {
        let (signed, negative, text) = sign(text);
        let (digits, _, whole) = digits(text, 0);
        let number = Self {
            signed,
            point: false,
            negative,
            digits,
            decimals: 0,
        };
        match text.get(whole..) {
            Some([b'.', rest @ ..]) if rest.first().is_some_and(u8::is_ascii_digit) => {
                let (digits, decimals, length) = self::digits(rest, digits);
                Some((
                    Self {
                        point: true,
                        digits,
                        decimals,
                        ..number
                    },
                    &rest[length..],
                ))
            }
            Some(rest) if whole > 0 => Some((number, rest)),
            _ => None,
        }
    }

    /// Returns the number times 10 to the `power`, rounded half away from zero.
    #[inline]
    pub(crate) fn scaled(self, power: u32) -> i64 {
        let magnitude = if self.decimals > power {
            let unit = POWERS[(self.decimals - power) as usize & 15];
            (self.digits + unit / 2) / unit
        } else {
            self.digits
                .saturating_mul(POWERS[(power - self.decimals) as usize & 15])
        };
        if self.negative { -magnitude } else { magnitude }
    }

    /// Returns whether it is 0.
    pub(crate) fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// Returns the number as a duration; `unit` is the unit as a power of ten of a microsecond
    /// (seconds 6, milliseconds 3).
    #[inline]
    pub(crate) fn duration(self, unit: u32) -> Option<Duration> {
        u64::try_from(self.scaled(unit))
            .ok()
            .map(Duration::from_micros)
    }
}

/// Powers of ten.
static POWERS: [i64; 16] = {
    let mut powers = [1; 16];
    let mut power = 1;
    while power < 16 {
        powers[power] = 10 * powers[power - 1];
        power += 1;
    }
    powers
};

/// Appends the digits of `text` to `number`; returns the number, how many digits count, and how
/// many there are.
#[inline]
fn digits(text: &[u8], mut number: i64) -> (i64, u32, usize) {
    // After the point, further digits are insignificant; before it, the number is out of range
    // anyway.
    const ENOUGH: i64 = 100_000_000_000_000;
    let (mut counted, mut length) = (0, 0);
    while let Some(digit) = text
        .get(length)
        .map(|byte| byte.wrapping_sub(b'0'))
        .filter(|&digit| digit < 10)
    {
        if number < ENOUGH && counted < 15 {
            number = 10 * number + i64::from(digit);
            counted += 1;
        }
        length += 1;
    }
    (number, counted, length)
}

/// Returns whether there is a sign, whether it is a minus, and the text that follows.
#[inline]
fn sign(text: &[u8]) -> (bool, bool, &[u8]) {
    match text {
        [b'+', rest @ ..] => (true, false, rest),
        [b'-', rest @ ..] => (true, true, rest),
        _ => (false, false, text),
    }
}

/// A score as written; its point of view depends on the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// A number: pawns if it has a decimal point, otherwise centipawns.
    Number(Decimal),
    /// `#n`: mate in n moves.
    Moves(i32),
    /// `Mn`: mate in n moves or plies, depending on the dialect.
    Letter(i32),
}

/// The unit in which a dialect counts the `n` of `Mn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MateUnit {
    Moves,
    Plies,
}

impl Written {
    /// Reads `0.17`, `-106`, `#-3`, `-#36`, `+M29`, `M-3`; also returns the text that follows.
    #[inline]
    pub(crate) fn read(text: &[u8]) -> Option<(Self, &[u8])> {
        let (_, outer, rest) = sign(text);
        let [letter @ (b'#' | b'M'), rest @ ..] = rest else {
            let (number, rest) = Decimal::read(text)?;
            return Some((Self::Number(number), rest));
        };
        let (number, rest) = Decimal::read(rest)?;
        let count = clamp(number.scaled(0));
        let count = if outer { -count.abs() } else { count };
        Some((
            if *letter == b'#' {
                Self::Moves(count)
            } else {
                Self::Letter(count)
            },
            rest,
        ))
    }

    /// Returns the evaluation, from the side for which it was written.
    #[inline]
    pub(crate) fn eval<View>(self, unit: MateUnit) -> Eval<View> {
        match self {
            Self::Number(number) => {
                Eval::cp(clamp(number.scaled(if number.point { 2 } else { 0 })))
            }
            Self::Letter(plies) if unit == MateUnit::Plies => Eval::mate(moves_of_plies(plies)),
            Self::Letter(moves) | Self::Moves(moves) => Eval::mate(moves),
        }
    }

    /// Returns whether such a number is unlikely in prose: it has a sign or a decimal point, or is
    /// a mate.
    pub(crate) fn is_unambiguous(self) -> bool {
        match self {
            Self::Number(number) => number.signed || number.point,
            Self::Moves(_) | Self::Letter(_) => true,
        }
    }
}

/// Converts signed plies to mate into moves of the mating side: an odd last ply is a whole move.
pub(crate) fn moves_of_plies(plies: i32) -> i32 {
    plies / 2 + plies % 2
}

fn clamp(number: i64) -> i32 {
    number.clamp(i64::from(-i32::MAX), i64::from(i32::MAX)) as i32
}

/// Returns an unsigned whole number such as a depth; also returns the text that follows.
#[inline]
pub(crate) fn whole(text: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = Decimal::read(text)?;
    (!number.signed && !number.point).then_some((u32::try_from(number.scaled(0)).ok()?, rest))
}

/// Reads `1:30:49`, `0:00:05.3` or `90`: hours and minutes are optional.
pub(crate) fn clock(text: &[u8]) -> Option<Duration> {
    // The usual format; TCEC writes two digits for the hours.
    let (tens, usual) = match text {
        [tens, usual @ ..] if text.len() == 8 => (*tens, usual),
        _ => (b'0', text),
    };
    if let &[
        hours,
        b':',
        minutes,
        more_minutes,
        b':',
        seconds,
        more_seconds,
    ] = usual
    {
        let digits = [tens, hours, minutes, more_minutes, seconds, more_seconds]
            .map(|byte| u64::from(byte.wrapping_sub(b'0')));
        if digits.iter().all(|&digit| digit < 10) {
            let [tens, hours, minutes, more_minutes, seconds, more_seconds] = digits;
            let minutes = 60 * (10 * tens + hours) + 10 * minutes + more_minutes;
            return Some(Duration::from_secs(
                60 * minutes + 10 * seconds + more_seconds,
            ));
        }
    }
    let mut total = Duration::ZERO;
    let mut rest = text.trim_ascii();
    for _ in 0..3 {
        let (part, after) = Decimal::read(rest)?;
        if part.signed {
            return None;
        }
        total = total.checked_mul(60)?.checked_add(part.duration(6)?)?;
        match after {
            [] => return Some(total),
            [b':', after @ ..] if !part.point => rest = after,
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use centipawn_core::White;
    use proptest::prelude::*;

    use super::*;

    fn eval(text: &str, unit: MateUnit) -> Option<Eval<White>> {
        Written::read(text.as_bytes()).map(|(score, _)| score.eval(unit))
    }

    #[test]
    fn scores() {
        use MateUnit::{Moves, Plies};
        for (text, unit, expected) in [
            ("0.17", Moves, Eval::cp(17)),
            ("-.5 x", Moves, Eval::cp(-50)),
            ("+1.005", Moves, Eval::cp(101)),
            ("-106", Moves, Eval::cp(-106)),
            ("99999999999999999999.1", Moves, Eval::cp(i32::MAX)),
            (
                "0.000000000000000000000000000000000000000000001",
                Moves,
                Eval::cp(0),
            ),
            ("#-3", Plies, Eval::mate(-3)),
            ("-#36", Plies, Eval::mate(-36)),
            ("-M74", Plies, Eval::mate(-37)),
            ("+M29", Plies, Eval::mate(15)),
            ("M-3", Moves, Eval::mate(-3)),
            ("#0", Moves, Eval::mate(0)),
        ] {
            assert_eq!(eval(text, unit), Some(expected), "{text}");
        }
        for text in ["", "-", "+x", "#", "M", ".", "e4"] {
            assert_eq!(eval(text, Moves), None, "{text}");
        }
    }

    #[test]
    fn clocks() {
        let seconds = |text: &str| clock(text.as_bytes()).map(|time| time.as_secs_f64());
        assert_eq!(seconds("1:30:49"), Some(5449.0));
        assert_eq!(seconds("01:57:28"), Some(7048.0));
        assert_eq!(seconds("+1:57:28"), None);
        assert_eq!(seconds("x1:57:28"), None);
        assert_eq!(seconds("0:00:05.3"), Some(5.3));
        assert_eq!(seconds(" 1:30:49"), Some(5449.0));
        assert_eq!(seconds("9:59:5x"), None);
        assert_eq!(seconds(" 90 "), Some(90.0));
        assert_eq!(seconds("1:2:3:4"), None);
        assert_eq!(seconds("-1:00"), None);
        assert_eq!(seconds("1.5:00"), None);
    }

    proptest! {
        #[test]
        fn decimals_are_the_floats(cents in -10_000_000i32..10_000_000, decimals in 1usize..6) {
            let text = format!("{:.decimals$}", f64::from(cents) / 100.0);
            let float: f64 = text.parse().unwrap();
            let read = eval(&text, MateUnit::Moves).unwrap().pawns().unwrap();
            prop_assert!((read - float).abs() <= 0.005 + 1e-9, "{} {}", text, read);
        }
    }
}
