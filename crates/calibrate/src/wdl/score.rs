//! Reads evaluations in comments as WDL_model does, and rounds them to bins.

use std::ops::ControlFlow;

use super::{LARGEST_EVAL, MATE};

/// The result of reading a comment as WDL_model does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// The comment has no evaluation.
    Nothing,
    /// Centipawns, truncated and clamped but not rounded yet, or ±[`MATE`].
    Eval(i32),
    /// WDL_model aborts here and skips the rest of its files.
    Aborts,
}

/// Reads a comment as WDL_model does.
///
/// The evaluation ends at the first blank or slash; without one there is no evaluation. An `M` as
/// second character means mate. Otherwise the text, without a leading `+`, is a single-precision
/// number of pawns in C notation.
pub(crate) fn as_reference(comment: &[u8]) -> Parsed {
    if !comment.iter().any(|byte| matches!(byte, b' ' | b'/')) {
        return Parsed::Nothing;
    }
    if comment.get(1) == Some(&b'M') {
        return Parsed::Eval(if comment[0] == b'+' { MATE } else { -MATE });
    }
    match float(comment.strip_prefix(b"+").unwrap_or(comment)) {
        Some(pawns) => Parsed::Eval(truncated(pawns)),
        None => Parsed::Aborts,
    }
}

/// Returns a hundred times the number, truncated and clamped. A number beyond 32 bits becomes the
/// smallest integer, as in C++.
fn truncated(pawns: f32) -> i32 {
    let product = 100.0 * pawns;
    let whole = if (-2_147_483_648.0..2_147_483_648.0).contains(&product) {
        product as i32
    } else {
        i32::MIN
    };
    whole.clamp(-LARGEST_EVAL, LARGEST_EVAL)
}

/// Returns the number at the start of a text: an optional minus, then digits with an optional point
/// and exponent, or `inf` or `nan`.
///
/// Returns `None` if there is none, or if it overflows or underflows single precision.
fn float(text: &[u8]) -> Option<f32> {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let sign = text.len() - unsigned.len();
    for (word, value) in [(&b"nan"[..], f32::NAN), (b"inf", f32::INFINITY)] {
        if unsigned.len() >= 3 && unsigned[..3].eq_ignore_ascii_case(word) {
            return Some(if sign == 1 { -value } else { value });
        }
    }
    let digits = |from: usize| {
        unsigned[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let whole = digits(0);
    let mut end = whole;
    if unsigned.get(end) == Some(&b'.') {
        let decimals = digits(end + 1);
        if whole + decimals == 0 {
            return None;
        }
        end += 1 + decimals;
    } else if whole == 0 {
        return None;
    }
    if matches!(unsigned.get(end), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(unsigned.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + signed).min(unsigned.len()));
        if exponent > 0 {
            end += 1 + signed + exponent;
        }
    }
    let text = std::str::from_utf8(&text[..sign + end]).ok()?;
    let number: f32 = text.parse().ok()?;
    let is_zero = text
        .bytes()
        .take_while(|byte| !matches!(byte, b'e' | b'E'))
        .all(|byte| !(b'1'..=b'9').contains(&byte));
    (number.is_finite() && (number != 0.0 || is_zero)).then_some(number)
}

/// Returns the score of a comment in the most common form, `+0.98/25 …`, exactly in centipawns.
///
/// The form is an optional sign, one to three digits, a point, two digits, then a slash or blank.
/// Returns `None` for any other text.
#[inline]
pub(crate) fn plain(comment: &[u8]) -> Option<i32> {
    let (&first, rest) = comment.split_first()?;
    let negative = first == b'-';
    let text = if negative || first == b'+' {
        rest
    } else {
        comment
    };
    let digit = |byte: u8| {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            ControlFlow::Continue(i32::from(digit))
        } else {
            ControlFlow::Break(())
        }
    };
    let read = || {
        let (whole, rest) = match text {
            [a, b'.', rest @ ..] => (digit(*a)?, rest),
            [a, b, b'.', rest @ ..] => (10 * digit(*a)? + digit(*b)?, rest),
            [a, b, c, b'.', rest @ ..] => (100 * digit(*a)? + 10 * digit(*b)? + digit(*c)?, rest),
            _ => return ControlFlow::Break(()),
        };
        match rest {
            [a, b, b'/' | b' ', ..] => {
                ControlFlow::Continue(100 * whole + 10 * digit(*a)? + digit(*b)?)
            }
            _ => ControlFlow::Break(()),
        }
    };
    match read() {
        ControlFlow::Continue(cp) => Some(if negative { -cp } else { cp }),
        ControlFlow::Break(()) => None,
    }
}

/// Rounds evaluations in centipawns to multiples of the bin width, halves away from zero, and
/// clamps them.
pub(crate) struct Bins {
    width: i32,
    /// For −1000 to 1000 centipawns, the evaluation rounded exactly.
    exact: Vec<i16>,
    /// For −1000 to 1000 centipawns, the evaluation as WDL_model rounds a score with two decimals.
    reference: Vec<i16>,
}

impl Bins {
    pub(crate) fn new(width: u32) -> Self {
        let width = width as i32;
        let round = |cp: i32| ((2 * cp + width) / (2 * width) * width) as i16;
        let all = 0..=LARGEST_EVAL;
        Self {
            width,
            exact: (-LARGEST_EVAL..=LARGEST_EVAL)
                .map(|cp| cp.signum() as i16 * round(cp.abs()))
                .collect(),
            reference: all.map(|cp| round(truncated(cp as f32 / 100.0))).collect(),
        }
    }

    /// Rounds the evaluation exactly.
    #[inline]
    pub(crate) fn exact(&self, cp: i32) -> i32 {
        i32::from(self.exact[(cp.clamp(-LARGEST_EVAL, LARGEST_EVAL) + LARGEST_EVAL) as usize])
    }

    /// Rounds a score with two decimals as WDL_model does; `None` if WDL_model ignores the result.
    #[inline]
    pub(crate) fn reference(&self, cp: i32) -> Option<i32> {
        let eval = signed(
            cp,
            i32::from(self.reference[cp.unsigned_abs().min(LARGEST_EVAL as u32) as usize]),
        );
        (eval != NONE).then_some(eval)
    }

    /// Rounds the result of [`as_reference`]; `None` if WDL_model ignores the result.
    pub(crate) fn rounded(&self, eval: i32) -> Option<i32> {
        let eval = if eval.abs() == MATE {
            eval
        } else {
            signed(
                eval,
                (2 * eval.abs() + self.width) / (2 * self.width) * self.width,
            )
        };
        (eval != NONE).then_some(eval)
    }
}

/// WDL_model's mark for "no evaluation". An evaluation that rounds to it is ignored too.
const NONE: i32 = 1002;

#[inline]
fn signed(sign: i32, magnitude: i32) -> i32 {
    if sign < 0 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn comments_are_read_as_by_wdl_model() {
        let bins = Bins::new(1);
        for (comment, eval) in [
            ("+0.53/10 0.1s", Parsed::Eval(52)),
            ("-0.53 28/40 2700 12345", Parsed::Eval(-52)),
            ("+M29/53 0.45s", Parsed::Eval(MATE)),
            ("-M2/5 1s", Parsed::Eval(-MATE)),
            ("xM2/5 1s", Parsed::Eval(-MATE)),
            ("nan/0 0.1s", Parsed::Eval(-1000)),
            ("inf/0 0.1s", Parsed::Eval(-1000)),
            ("-inf/0 0.1s", Parsed::Eval(-1000)),
            ("1e1/3 x", Parsed::Eval(1000)),
            ("1e-2/3 x", Parsed::Eval(1)),
            ("30000000/3 x", Parsed::Eval(-1000)),
            ("+-0.25/3", Parsed::Eval(-25)),
            (".5/3", Parsed::Eval(50)),
            ("5./3", Parsed::Eval(500)),
            ("5.e/3", Parsed::Eval(500)),
            ("1e99/3", Parsed::Aborts),
            ("1e-99/3", Parsed::Aborts),
            ("0e-99/3", Parsed::Eval(0)),
            ("++0.25/3", Parsed::Aborts),
            (" 0.25/3", Parsed::Aborts),
            ("M12/10 0.1s", Parsed::Aborts),
            ("/0 0.1s", Parsed::Aborts),
            ("a nice move", Parsed::Aborts),
            ("book, x", Parsed::Aborts),
            ("./3", Parsed::Aborts),
            ("book", Parsed::Nothing),
            ("+0.25", Parsed::Nothing),
            ("", Parsed::Nothing),
        ] {
            assert_eq!(as_reference(comment.as_bytes()), eval, "{comment}");
        }
        // In single precision, sixty-two scores with two decimals lose a centipawn.
        let lose = |cp: &i32| bins.reference(*cp) != Some(*cp);
        assert_eq!((0..=1000).filter(lose).count(), 62);
        assert_eq!(Bins::new(6).reference(999), None);
        assert_eq!(Bins::new(6).reference(-999), Some(-1002));
        assert_eq!(Bins::new(6).rounded(1000), None);
    }

    proptest! {
        #[test]
        fn the_fast_reading_equals_the_general_one(cp in -99_999i32..99_999, plus in any::<bool>(), width in 1u32..2000) {
            let sign = if cp < 0 { "-" } else if plus { "+" } else { "" };
            let comment = format!("{sign}{}.{:02}/12 0.5s", cp.abs() / 100, cp.abs() % 100);
            let bins = Bins::new(width);
            prop_assert_eq!(plain(comment.as_bytes()), Some(cp));
            let Parsed::Eval(parsed) = as_reference(comment.as_bytes()) else { panic!("{comment}") };
            prop_assert_eq!(bins.reference(cp), bins.rounded(parsed));
        }

        #[test]
        fn no_input_causes_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            as_reference(&bytes);
            plain(&bytes);
        }
    }
}
