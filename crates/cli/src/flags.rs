//! Replaces option names in texts of the libraries by the command line's flags.

use centipawn_progress::text::with_options;

/// Returns the text with `--games-in` in place of "the option `games_in`", and `--no-first-move` in
/// place of "option `first_move false`".
pub(crate) fn with_flags(text: &str) -> String {
    with_options(text, |name, value| {
        let name = name.replace('_', "-");
        match value {
            None | Some("true") => format!("--{name}"),
            Some("false") => format!("--no-{name}"),
            Some(value) => format!("--{name} {value}"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_flags() {
        let text = "give the option `games_in`, or leave out option `first_move false` and option `method score`";
        assert_eq!(
            with_flags(text),
            "give --games-in, or leave out --no-first-move and --method score"
        );
        for text in ["the option `Hash` is no option", "an option `", "option ``"] {
            assert_eq!(with_flags(text), text);
        }
    }
}
