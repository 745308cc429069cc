//! Flags of earlier versions: each is hidden from the help, and names the flag in its place.

/// A parser for a flag that has another name now.
pub(crate) fn renamed(new: &'static str) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static {
    move |_| Err(format!("this flag is called {new} now"))
}
