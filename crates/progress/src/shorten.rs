//! Limits the length of messages that quote from files.

use std::borrow::Cow;

/// Number of characters that are kept at the beginning and at the end of a long message.
const BEGINNING: usize = 700;
const END: usize = 250;

/// Limits a message to about a thousand characters by omitting its middle, because it may quote a
/// cell or a line of any size.
///
/// ```
/// use centipawn_progress::shorten;
///
/// assert_eq!(shorten("row 2: rank is \"x\""), "row 2: rank is \"x\"");
/// let long = format!("row 2: rank is {:?}; correct it", "x".repeat(100_000));
/// assert!(shorten(&long).chars().count() < 1000);
/// assert!(shorten(&long).ends_with("x\"; correct it"));
/// ```
pub fn shorten(text: &str) -> Cow<'_, str> {
    let ends = || {
        Some((
            text.char_indices().nth(BEGINNING)?.0,
            text.char_indices().nth_back(END)?.0,
        ))
    };
    match ends() {
        Some((first, last)) if first < last => {
            Cow::Owned(format!("{} … {}", &text[..first], &text[last..]))
        }
        _ => Cow::Borrowed(text),
    }
}
