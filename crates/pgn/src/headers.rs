//! The tag pairs of a game.

/// Tag pairs in order. Names consist of letters, digits and the characters `_-+.:#=/`; they keep
/// their case and are matched without it.
///
/// ```
/// use centipawn_pgn::Headers;
///
/// let mut headers = Headers::default();
/// headers.set("White", "Carlsen");
/// headers.set("white", "Carlsen, Magnus");
/// assert_eq!(headers.get("WHITE"), Some("Carlsen, Magnus"));
/// assert_eq!(headers.iter().collect::<Vec<_>>(), [("White", "Carlsen, Magnus")]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// Returns the value of the first tag of this name, ignoring case; `None` if there is none.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.position(name).map(|index| self.0[index].1.as_str())
    }

    /// Replaces the value of the first tag of this name, or adds the tag at the end.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        match self.position(name) {
            Some(index) => self.0[index].1 = value.into(),
            None => self.push(name, value),
        }
    }

    /// Adds a tag at the end, even if the name already exists.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push((name.into(), value.into()));
    }

    /// Removes all tags of this name.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(own, _)| !own.eq_ignore_ascii_case(name));
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns whether there are no tags.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.0
            .iter()
            .position(|(own, _)| own.eq_ignore_ascii_case(name))
    }
}
