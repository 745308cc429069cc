//! Flags of earlier versions: hidden from the help; their error names the new flag.

/// A parser for a flag that was renamed.
pub(crate) fn renamed<T>(new: &'static str) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |_| Err(format!("this flag is called {new} now"))
}
