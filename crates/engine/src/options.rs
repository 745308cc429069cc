//! Checks the options that a user sets against the list that the engine offers.

use crate::uci::{OptionDecl, OptionKind};

/// Options that this crate sets for each question, so that a user's value would be overwritten.
const MANAGED: [&str; 4] = ["MultiPV", "UCI_Chess960", "UCI_ShowWDL", "Ponder"];

/// The reason why an engine option cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The engine has no option of this name.
    #[error("there is no option \"{name}\"; {}", near_text(.near, .known))]
    Unknown {
        /// The name, as the user gave it.
        name: String,
        /// Up to 3 of the engine's options with similar names.
        near: Vec<String>,
        /// All options of the engine, without buttons.
        known: Vec<String>,
    },
    /// The value is not a number in the engine's range.
    #[error("option {name} takes a whole number from {min} to {max}, not \"{value}\"")]
    OutOfRange {
        /// Name of the option.
        name: String,
        /// The value given.
        value: String,
        /// The least accepted value.
        min: i64,
        /// The greatest accepted value.
        max: i64,
    },
    /// The value is neither true nor false.
    #[error("option {name} takes true or false, not \"{value}\"")]
    NotACheck {
        /// Name of the option.
        name: String,
        /// The value given.
        value: String,
    },
    /// The value is not one of the option's choices.
    #[error("option {name} takes one of {}, not \"{value}\"", .choices.join(", "))]
    NotAChoice {
        /// Name of the option.
        name: String,
        /// The value given.
        value: String,
        /// The accepted values.
        choices: Vec<String>,
    },
    /// The option is a button, which has no value.
    #[error("{name} is a button, not an option with a value")]
    Button {
        /// Name of the option.
        name: String,
    },
    /// The value contains a line break, so its rest would be a separate command.
    #[error("the value of option {name} holds a line break")]
    LineBreak {
        /// Name of the option.
        name: String,
    },
    /// This crate sets the option for each question.
    #[error("option {name} is set by this program for each question")]
    Managed {
        /// Name of the option.
        name: String,
    },
}

impl OptionError {
    /// Returns the error for an option that the engine does not offer.
    pub(crate) fn unknown(offered: &[OptionDecl], name: &str) -> Self {
        let wanted = name.trim().to_ascii_lowercase();
        let known: Vec<String> = offered
            .iter()
            .filter(|decl| decl.kind != OptionKind::Button)
            .map(|decl| decl.name.clone())
            .collect();
        let mut near: Vec<(usize, String)> = known
            .iter()
            .map(|option| {
                (
                    strsim::osa_distance(&option.to_ascii_lowercase(), &wanted),
                    option.clone(),
                )
            })
            .filter(|(distance, option)| {
                // Up to 2 typing errors, or a part of the name with at least 3 characters.
                *distance <= 2
                    || (wanted.len() >= 3 && option.to_ascii_lowercase().contains(&wanted))
            })
            .collect();
        near.sort();
        near.truncate(3);
        Self::Unknown {
            name: name.trim().to_owned(),
            near: near.into_iter().map(|(_, option)| option).collect(),
            known,
        }
    }
}

fn near_text(near: &[String], known: &[String]) -> String {
    if near.is_empty() {
        format!("the engine has {}", known.join(", "))
    } else {
        format!("did you mean {}?", near.join(" or "))
    }
}

/// Returns the engine's option of this name. UCI option names are case-insensitive.
pub(crate) fn find<'a>(offered: &'a [OptionDecl], name: &str) -> Option<&'a OptionDecl> {
    offered
        .iter()
        .find(|decl| decl.name.eq_ignore_ascii_case(name.trim()))
}

/// Checks an option like [`check_option`]; options that this crate sets for each question are
/// errors too.
pub(crate) fn check(
    offered: &[OptionDecl],
    name: &str,
    value: &str,
) -> Result<(String, String), OptionError> {
    if MANAGED
        .iter()
        .any(|managed| managed.eq_ignore_ascii_case(name.trim()))
    {
        return Err(OptionError::Managed {
            name: name.trim().to_owned(),
        });
    }
    check_option(offered, name, value)
}

/// Checks an option against the list that an engine offers; returns the name as the engine spells
/// it and the value as UCI writes it.
///
/// # Errors
///
/// [`OptionError`], except [`Managed`](OptionError::Managed).
pub fn check_option(
    offered: &[OptionDecl],
    name: &str,
    value: &str,
) -> Result<(String, String), OptionError> {
    let decl = find(offered, name).ok_or_else(|| OptionError::unknown(offered, name))?;
    let (name, value) = (decl.name.clone(), value.trim().to_owned());
    if value.contains(['\n', '\r']) {
        return Err(OptionError::LineBreak { name });
    }
    match &decl.kind {
        OptionKind::Check { .. } => match value.to_ascii_lowercase().as_str() {
            "true" | "false" => Ok((name, value.to_ascii_lowercase())),
            _ => Err(OptionError::NotACheck { name, value }),
        },
        &OptionKind::Spin { min, max, .. } => match value.parse::<i64>() {
            Ok(number) if (min..=max).contains(&number) => Ok((name, number.to_string())),
            _ => Err(OptionError::OutOfRange {
                name,
                value,
                min,
                max,
            }),
        },
        OptionKind::Combo { choices, .. } => match choices
            .iter()
            .find(|choice| choice.eq_ignore_ascii_case(&value))
        {
            Some(choice) => Ok((name, choice.clone())),
            None => Err(OptionError::NotAChoice {
                name,
                value,
                choices: choices.clone(),
            }),
        },
        OptionKind::Button => Err(OptionError::Button { name }),
        OptionKind::Text { .. } => Ok((name, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::{Message, parse};

    fn offered() -> Vec<OptionDecl> {
        [
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Clear Hash type button",
            "option name MultiPV type spin default 1 min 1 max 500",
            "option name Use NNUE type check default true",
            "option name EvalFile type string default nn.nnue",
            "option name Style type combo default Solid var Solid var Risky",
            "option name SyzygyPath type string default <empty>",
            "option name SyzygyProbeDepth type spin default 1 min 1 max 100",
        ]
        .iter()
        .map(|line| match parse(line) {
            Message::Option(decl) => decl,
            other => panic!("{other:?}"),
        })
        .collect()
    }

    fn error(name: &str, value: &str) -> String {
        check(&offered(), name, value).unwrap_err().to_string()
    }

    #[test]
    fn names_get_the_engines_spelling() {
        let checked = |name, value| check(&offered(), name, value).unwrap();
        assert_eq!(
            checked("hash", " 064 "),
            ("Hash".to_owned(), "64".to_owned())
        );
        assert_eq!(
            checked("use nnue", "TRUE"),
            ("Use NNUE".to_owned(), "true".to_owned())
        );
        assert_eq!(
            checked("Style", "risky"),
            ("Style".to_owned(), "Risky".to_owned())
        );
        assert_eq!(checked("EvalFile", "/a b/c.nnue").1, "/a b/c.nnue");
    }

    #[test]
    fn errors_suggest_what_is_accepted() {
        assert_eq!(
            error("Hahs", "16"),
            "there is no option \"Hahs\"; did you mean Hash?"
        );
        assert_eq!(
            error("syzygy", "x"),
            "there is no option \"syzygy\"; did you mean SyzygyPath or SyzygyProbeDepth?"
        );
        assert_eq!(
            error("Contempt", "0"),
            "there is no option \"Contempt\"; the engine has Hash, MultiPV, Use NNUE, EvalFile, Style, SyzygyPath, SyzygyProbeDepth"
        );
        assert_eq!(
            error("Hash", "0"),
            "option Hash takes a whole number from 1 to 1024, not \"0\""
        );
        assert_eq!(
            error("Hash", "lots"),
            "option Hash takes a whole number from 1 to 1024, not \"lots\""
        );
        assert_eq!(
            error("Use NNUE", "yes"),
            "option Use NNUE takes true or false, not \"yes\""
        );
        assert_eq!(
            error("Style", "wild"),
            "option Style takes one of Solid, Risky, not \"wild\""
        );
        assert_eq!(
            error("Clear Hash", ""),
            "Clear Hash is a button, not an option with a value"
        );
        assert_eq!(
            error("EvalFile", "x\nquit"),
            "the value of option EvalFile holds a line break"
        );
        assert_eq!(
            error("multipv", "3"),
            "option multipv is set by this program for each question"
        );
    }
}
