//! The path below which a proxy shows the page.

use std::str::FromStr;

use axum::http::{Uri, uri::PathAndQuery};
use serde::{Deserialize, Serialize};

/// First parts of addresses that the page uses itself.
const OWN: [&str; 9] = [
    "api", "session", "review", "me", "form", "curves", "ease", "puzzles", "engines",
];

/// The path of the page, with a slash at both ends: `/`, or `/chess/` if a proxy shows the page
/// there.
///
/// ```
/// use centipawn_web::BasePath;
///
/// let base: BasePath = "/chess".parse()?;
/// assert_eq!(base.as_str(), "/chess/");
/// assert!("chess".parse::<BasePath>().is_err());
/// # Ok::<_, centipawn_web::InvalidBasePath>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BasePath(String);

/// A text is not a path of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a base path is such as /chess/: it begins with /, has only letters, digits, -, _ and ., and \
     its first part is no address of the page itself, such as api or review"
)]
pub struct InvalidBasePath;

impl Default for BasePath {
    fn default() -> Self {
        Self("/".to_owned())
    }
}

impl FromStr for BasePath {
    type Err = InvalidBasePath;

    fn from_str(text: &str) -> Result<Self, InvalidBasePath> {
        if text == "/" {
            return Ok(Self::default());
        }
        let inner = text.strip_prefix('/').ok_or(InvalidBasePath)?;
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        let is_part = |part: &str| {
            !part.trim_matches('.').is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        let mut parts = inner.split('/');
        let is_own = parts.clone().next().is_some_and(|part| OWN.contains(&part));
        match parts.all(is_part) && !is_own {
            true => Ok(Self(format!("/{inner}/"))),
            false => Err(InvalidBasePath),
        }
    }
}

impl BasePath {
    /// Returns the path, with a slash at both ends.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address of a request without this path; `None` if it has another one, as behind
    /// a proxy that removes the path itself.
    pub(crate) fn without(&self, uri: &Uri) -> Option<Uri> {
        let text = uri.path_and_query()?.as_str();
        let outer = self.0.trim_end_matches('/');
        let inner = text.strip_prefix(outer)?;
        let inner = match inner.chars().next() {
            Some('/') => inner.to_owned(),
            None | Some('?') => format!("/{inner}"),
            Some(_) => return None,
        };
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(PathAndQuery::try_from(inner).ok()?);
        Uri::from_parts(parts).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_page_are_checked() {
        let base = |text: &str| text.parse().map(|base: BasePath| base.0);
        for text in ["/", ""] {
            assert_eq!(base(&format!("/{}", text.trim_matches('/'))).unwrap(), "/");
        }
        assert_eq!(base("/club/chess-2").unwrap(), "/club/chess-2/");
        for text in [
            "chess", "//", "/a//b/", "/a b/", "/../", "/a/./b", "/api/", "/review", "/a?b", "/ü/",
        ] {
            assert_eq!(base(text), Err(InvalidBasePath), "{text}");
        }
    }

    #[test]
    fn the_path_is_removed_from_addresses() {
        let base: BasePath = "/chess/".parse().unwrap();
        let without = |base: &BasePath, text: &str| {
            base.without(&text.parse().unwrap())
                .map(|uri| uri.to_string())
        };
        for (text, inner) in [
            ("/chess/api/games?a=/chess/", Some("/api/games?a=/chess/")),
            ("/chess/", Some("/")),
            ("/chess", Some("/")),
            ("/chess?x", Some("/?x")),
            ("/chessboard", None),
            ("/api/games", None),
        ] {
            assert_eq!(without(&base, text).as_deref(), inner, "{text}");
        }
        assert_eq!(
            without(&BasePath::default(), "/me?a").as_deref(),
            Some("/me?a")
        );
    }
}
