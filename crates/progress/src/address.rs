//! Web addresses and accounts on chess sites, which commands accept in place of file paths.

use std::path::Path;

/// Formats a path for messages and documents. A web address is shown without its password, query
/// and fragment, because these may contain secrets.
///
/// ```
/// use centipawn_progress::shown_path;
///
/// assert_eq!(shown_path("games/a.pgn".as_ref()), "games/a.pgn");
/// let secret = "https://me:secret@example.org/a.pgn?key=1";
/// assert_eq!(shown_path(secret.as_ref()), "https://me@example.org/a.pgn?…");
/// ```
pub fn shown_path(path: &Path) -> String {
    let text = path.display().to_string();
    let Some((scheme, rest)) = text.split_once("://").filter(|_| is_address(path)) else {
        return text;
    };
    let rest = rest.split('#').next().unwrap_or_default();
    let (place, more) = rest
        .split_once('?')
        .map_or((rest, ""), |(place, _)| (place, "?…"));
    let (host, file) = place.split_at(place.find('/').unwrap_or(place.len()));
    let host = match host.rsplit_once('@') {
        Some((user, host)) => match user.split(':').next().unwrap_or_default() {
            "" => host.to_owned(),
            user => format!("{user}@{host}"),
        },
        None => host.to_owned(),
    };
    format!("{scheme}://{host}{file}{more}")
}

/// Returns whether a path is a web address (`http://…`, `https://…`) or an [account](is_account) on
/// a chess site (`lichess:NAME`, `chesscom:NAME`).
///
/// ```
/// use centipawn_progress::is_address;
///
/// assert!(is_address("https://example.org/a.pgn".as_ref()));
/// assert!(is_address("lichess:anna".as_ref()));
/// assert!(!is_address("example.org/a.pgn".as_ref()));
/// assert!(!is_address("ftp://example.org/a.pgn".as_ref()));
/// ```
pub fn is_address(path: &Path) -> bool {
    path.to_str()
        .is_some_and(|text| begins(text, "http://") || begins(text, "https://"))
        || is_account(path)
}

/// Returns whether a path names an account whose games a site provides: `lichess:NAME` or
/// `chesscom:NAME`, optionally followed by `?` and conditions.
///
/// ```
/// use centipawn_progress::is_account;
///
/// assert!(is_account("lichess:anna?max=50".as_ref()) && is_account("ChessCom:bob".as_ref()));
/// assert!(!is_account("lichess.pgn".as_ref()) && !is_account("lichess://anna".as_ref()));
/// ```
pub fn is_account(path: &Path) -> bool {
    let of = |text: &str, site: &str| begins(text, site) && !text[site.len()..].starts_with("//");
    path.to_str()
        .is_some_and(|text| of(text, "lichess:") || of(text, "chesscom:"))
}

fn begins(text: &str, with: &str) -> bool {
    text.get(..with.len())
        .is_some_and(|text| text.eq_ignore_ascii_case(with))
}
