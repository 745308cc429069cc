//! Numbers in arguments: ranges, and errors that say what a number must be.

use std::{
    error::Error,
    fmt,
    num::{IntErrorKind, ParseFloatError, ParseIntError},
    ops::{Bound, RangeBounds},
};

use clap::{
    Command,
    error::{ContextKind, ErrorKind},
};

/// The reason why an argument is not a whole number of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberError {
    NotWhole,
    /// The number must be at least the first value, and at most the second if there is one.
    OutOfRange(i64, Option<i64>),
    TooLarge,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotWhole => f.write_str("it must be a whole number"),
            Self::OutOfRange(least, None) => write!(f, "it must be {least} or more"),
            Self::OutOfRange(least, Some(most)) => write!(f, "it must be from {least} to {most}"),
            Self::TooLarge => f.write_str("it is too large"),
        }
    }
}

impl Error for NumberError {}

/// Returns a parser of whole numbers in `range`, which starts at 0 or above. clap has one, but its
/// error repeats the range in Rust's notation.
pub(crate) fn whole_number<T: TryFrom<i64>>(
    range: impl RangeBounds<i64>,
) -> impl Fn(&str) -> Result<T, NumberError> + Clone + Send + Sync + 'static {
    let limit = |bound: Bound<&i64>, step: i64| match bound {
        Bound::Included(limit) => Some(*limit),
        Bound::Excluded(limit) => Some(limit + step),
        Bound::Unbounded => None,
    };
    let least = limit(range.start_bound(), 1).unwrap_or(0);
    let most = limit(range.end_bound(), -1);
    move |text| {
        let number: i64 = match text.parse::<i64>() {
            Ok(number) => number,
            Err(error) if *error.kind() == IntErrorKind::PosOverflow => i64::MAX,
            Err(error) if *error.kind() == IntErrorKind::NegOverflow => i64::MIN,
            Err(_) => return Err(NumberError::NotWhole),
        };
        if number < least || most.is_some_and(|most| number > most) {
            return Err(NumberError::OutOfRange(least, most));
        }
        T::try_from(number).map_err(|_| NumberError::TooLarge)
    }
}

/// Returns the usage error with an explanation of what the number must be, if a number could not be
/// parsed. The messages of Rust's own parsers are meant for programmers.
pub(crate) fn explained(error: clap::Error, command: &Command) -> clap::Error {
    let context = |kind| error.get(kind).map(ToString::to_string);
    let (Some(reason), Some(value), Some(argument)) = (
        error.source().and_then(reason),
        context(ContextKind::InvalidValue),
        context(ContextKind::InvalidArg),
    ) else {
        return error;
    };
    let text = format!(
        "invalid value '{value}' for '{argument}': {reason}\n\nFor more information, try '--help'.\n"
    );
    clap::Error::raw(ErrorKind::ValueValidation, text).with_cmd(command)
}

/// Returns what a number must be; `None` if the error is about something else.
fn reason(error: &(dyn Error + 'static)) -> Option<&'static str> {
    if let Some(error) = error.downcast_ref::<ParseIntError>() {
        return match error.kind() {
            IntErrorKind::Empty | IntErrorKind::InvalidDigit => Some("it must be a whole number"),
            IntErrorKind::Zero => Some("it must be 1 or more"),
            IntErrorKind::PosOverflow => Some("it is too large"),
            _ => None,
        };
    }
    error
        .is::<ParseFloatError>()
        .then_some("it must be a number")
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use clap::{Arg, value_parser};

    use super::*;

    #[test]
    fn numbers_are_explained() {
        let command = Command::new("test")
            .arg(
                Arg::new("max")
                    .long("max")
                    .value_name("N")
                    .value_parser(value_parser!(NonZero<usize>)),
            )
            .arg(
                Arg::new("lines")
                    .long("lines")
                    .value_name("N")
                    .value_parser(whole_number::<u16>(1..=500)),
            )
            .arg(
                Arg::new("games")
                    .long("games")
                    .value_name("N")
                    .value_parser(whole_number::<u32>(2..)),
            )
            .arg(
                Arg::new("share")
                    .long("share")
                    .value_name("SHARE")
                    .value_parser(value_parser!(f64)),
            );
        for (argument, reason) in [
            (
                "--max=",
                "invalid value '' for '--max <N>': it must be a whole number",
            ),
            (
                "--max=1k",
                "invalid value '1k' for '--max <N>': it must be a whole number",
            ),
            ("--max=0", "it must be 1 or more"),
            ("--max=99999999999999999999", "it is too large"),
            (
                "--lines=501",
                "invalid value '501' for '--lines <N>': it must be from 1 to 500\n\nFor more information, try '--help'.",
            ),
            ("--lines=-1", "it must be from 1 to 500"),
            ("--lines=99999999999999999999", "it must be from 1 to 500"),
            ("--lines=x", "it must be a whole number"),
            ("--lines=", "it must be a whole number"),
            ("--games=1", "it must be 2 or more"),
            ("--games=99999999999999999999", "it is too large"),
            (
                "--share=half",
                "invalid value 'half' for '--share <SHARE>': it must be a number\n\nFor more information, try '--help'.",
            ),
            ("--other", "unexpected argument '--other'"),
        ] {
            let error = command
                .clone()
                .try_get_matches_from(["test", argument])
                .unwrap_err();
            let text = explained(error, &command).to_string();
            assert!(text.contains(reason), "{argument}: {text}");
        }
    }

    #[test]
    fn whole_numbers_in_a_range_are_read() {
        assert_eq!(whole_number::<u8>(1..=5)("5"), Ok(5));
        assert_eq!(whole_number::<u32>(..=255)("0"), Ok(0));
        assert_eq!(
            whole_number::<u32>(..=255)("256"),
            Err(NumberError::OutOfRange(0, Some(255)))
        );
    }
}
