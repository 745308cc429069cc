//! Regular expressions that must match a whole text.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A regular expression that must match a whole text, like `std::regex_match`; supports look-ahead
/// and back-references.
///
/// ```
/// use centipawn_calibrate::wdl::Pattern;
///
/// let pattern: Pattern = "UHO_.*|DFRC".parse()?;
/// assert!(pattern.matches("UHO_4060_v3.epd") && pattern.matches("DFRC"));
/// assert!(!pattern.matches("DFRC_4852"));
/// # Ok::<_, centipawn_calibrate::wdl::BadPattern>(())
/// ```
#[derive(Clone)]
pub struct Pattern {
    regex: fancy_regex::Regex,
    text: String,
}

impl Pattern {
    /// Creates an expression that matches only this text.
    ///
    /// ```
    /// use centipawn_calibrate::wdl::Pattern;
    ///
    /// let pattern = Pattern::literal("My<Engine> 1.0")?;
    /// assert!(pattern.matches("My<Engine> 1.0") && !pattern.matches("My<Engine> 1x0"));
    /// # Ok::<_, centipawn_calibrate::wdl::BadPattern>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BadPattern`], if the text is too long for an expression.
    pub fn literal(text: &str) -> Result<Self, BadPattern> {
        fancy_regex::escape(text).parse()
    }

    /// Returns whether the expression matches the whole text.
    ///
    /// An expression that exceeds the backtracking limit does not match.
    pub fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text).unwrap_or(false)
    }
}

impl std::str::FromStr for Pattern {
    type Err = BadPattern;

    fn from_str(text: &str) -> Result<Self, BadPattern> {
        // Compile the expression without anchors first, so that an error refers to the user's text.
        let whole = |_| fancy_regex::Regex::new(&format!(r"\A(?:{text})\z"));
        let regex = fancy_regex::Regex::new(text).and_then(whole);
        let regex = regex.map_err(|error| BadPattern {
            pattern: text.to_owned(),
            error: Box::new(error),
        })?;
        Ok(Self {
            regex,
            text: text.to_owned(),
        })
    }
}

impl Serialize for Pattern {
    /// Serialises as the text that the user writes.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({:?})", self.text)
    }
}

/// The text is not a regular expression.
#[derive(Debug, thiserror::Error)]
#[error("{pattern:?} is not a regular expression: {error}")]
pub struct BadPattern {
    pattern: String,
    #[source]
    error: Box<fancy_regex::Error>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_must_match_the_whole_text() {
        let matches = |pattern: &str, text: &str| pattern.parse::<Pattern>().unwrap().matches(text);
        assert!(
            matches(r"60\+0.6", "60+0.6")
                && !matches(r"60\+0.6", "160+0.6")
                && !matches(r"60\+0.6", "60+0.6x")
        );
        assert!(matches(".*abc|.*def", "x-def") && !matches(".*abc|.*def", "defx"));
        assert!(matches("(?!DFRC).*", "UHO") && !matches("(?!DFRC).*", "DFRC_1"));
        assert!(matches(r"UHO\_a\/b", "UHO_a/b") && !matches(r"UHO\_a\/b", r"UHO\_a\/b"));
        assert!(!matches("a|ab", "abc") && matches("a|ab", "ab"));
        let error = "(".parse::<Pattern>().unwrap_err().to_string();
        assert!(
            error.starts_with("\"(\" is not a regular expression: "),
            "{error}"
        );
    }

    /// `\<` and `\>` are word boundaries, so escaping must not put a backslash before every sign.
    #[test]
    fn literal_names_match_themselves() {
        for name in [
            "My<Engine>",
            "Engine 1.0 (x86-64)",
            "a|b",
            r"c:\d",
            "C++",
            "[x]{2}",
            "^_^ #1",
            "Ünï-cödé$",
        ] {
            let pattern = Pattern::literal(name).unwrap();
            assert!(
                pattern.matches(name) && !pattern.matches(&format!("{name}1")),
                "{pattern}"
            );
        }
    }
}
