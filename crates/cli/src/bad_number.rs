//! Numbers in arguments that cannot be read: what is wrong with them, for the person who wrote them.

use std::{
    error::Error,
    num::{IntErrorKind, ParseFloatError, ParseIntError},
};

use clap::{
    Command,
    error::{ContextKind, ErrorKind},
};

/// The same error of usage. If it is about a number, it says what the number must be; the texts of Rust are for programmers.
pub(crate) fn explained(error: clap::Error, command: &Command) -> clap::Error {
    let context = |kind| error.get(kind).map(ToString::to_string);
    let (Some(reason), Some(value), Some(argument)) =
        (error.source().and_then(reason), context(ContextKind::InvalidValue), context(ContextKind::InvalidArg))
    else {
        return error;
    };
    let text = format!("invalid value '{value}' for '{argument}': {reason}\n\nFor more information, try '--help'.\n");
    clap::Error::raw(ErrorKind::ValueValidation, text).with_cmd(command)
}

/// What a number must be; `None` if the error is about something else.
fn reason(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<ParseIntError>() {
        return match error.kind() {
            IntErrorKind::Empty | IntErrorKind::InvalidDigit => Some("it must be a whole number".to_owned()),
            IntErrorKind::Zero => Some("it must be 1 or more".to_owned()),
            IntErrorKind::PosOverflow => Some("it is too large".to_owned()),
            _ => None,
        };
    }
    if error.is::<ParseFloatError>() {
        return Some("it must be a number".to_owned());
    }
    // clap's error for its ranges has no separate type: "501 is not in 1..=500".
    let text = error.to_string();
    let (least, most) = text.split_once(" is not in ")?.1.split_once("..=")?;
    let (least, most) = (least.parse::<u64>().ok()?, most.parse::<u64>().ok()?);
    // The most that the type can hold is no limit that means something.
    let is_of_type = [u64::from(u32::MAX), u64::MAX].contains(&most);
    Some(if is_of_type { format!("it must be {least} or more") } else { format!("it must be from {least} to {most}") })
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use clap::{Arg, value_parser};

    use super::*;

    #[test]
    fn numbers_are_explained() {
        let command = Command::new("test")
            .arg(Arg::new("max").long("max").value_name("N").value_parser(value_parser!(NonZero<usize>)))
            .arg(Arg::new("lines").long("lines").value_name("N").value_parser(value_parser!(u16).range(1..=500)))
            .arg(Arg::new("games").long("games").value_name("N").value_parser(value_parser!(u32).range(2..)))
            .arg(Arg::new("share").long("share").value_name("SHARE").value_parser(value_parser!(f64)));
        for (argument, reason) in [
            ("--max=", "invalid value '' for '--max <N>': it must be a whole number"),
            ("--max=1k", "invalid value '1k' for '--max <N>': it must be a whole number"),
            ("--max=0", "it must be 1 or more"),
            ("--max=99999999999999999999", "it is too large"),
            ("--lines=501", "it must be from 1 to 500"),
            ("--lines=x", "it must be a whole number"),
            ("--games=1", "it must be 2 or more"),
            (
                "--share=half",
                "invalid value 'half' for '--share <SHARE>': it must be a number\n\nFor more information, try '--help'.",
            ),
            ("--other", "unexpected argument '--other'"),
        ] {
            let error = command.clone().try_get_matches_from(["test", argument]).unwrap_err();
            let text = explained(error, &command).to_string();
            assert!(text.contains(reason), "{argument}: {text}");
        }
    }
}
