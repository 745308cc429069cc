//! The page's own files, built from `ui/` and committed under `dist/` with fixed names.

use std::{io::Write as _, sync::OnceLock};

use axum::{
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use centipawn_progress::sha256;
use flate2::{Compression, write::GzEncoder};

/// Name, type and content of each file.
const FILES: [(&str, &str, &[u8]); 7] = [
    ("/", "text/html; charset=utf-8", include_bytes!("../dist/index.html")),
    ("/page.js", "text/javascript; charset=utf-8", include_bytes!("../dist/page.js")),
    ("/page.css", "text/css; charset=utf-8", include_bytes!("../dist/page.css")),
    ("/form.js", "text/javascript; charset=utf-8", include_bytes!("../dist/form.js")),
    ("/events.js", "text/javascript; charset=utf-8", include_bytes!("../dist/events.js")),
    ("/icon.svg", "image/svg+xml", include_bytes!("../dist/icon.svg")),
    ("/example.pgn", "application/x-chess-pgn", include_bytes!("example.pgn")),
];

/// A file as it is sent.
struct Asset {
    path: &'static str,
    kind: &'static str,
    plain: &'static [u8],
    gzip: Vec<u8>,
    tag: String,
}

fn assets() -> &'static [Asset] {
    static ASSETS: OnceLock<Vec<Asset>> = OnceLock::new();
    ASSETS.get_or_init(|| {
        let asset = |(path, kind, plain): (&'static str, &'static str, &'static [u8])| {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::new(9));
            // Writing to memory cannot fail.
            let gzip = gzip.write_all(plain).and_then(|()| gzip.finish()).unwrap_or_default();
            Asset { path, kind, plain, gzip, tag: format!("\"{}\"", &sha256(plain)[..16]) }
        };
        FILES.into_iter().map(asset).collect()
    })
}

/// The page's rooms are one document; their names belong to the page.
fn path_of(path: &str) -> &str {
    let is_room = ["/review", "/form"]
        .iter()
        .any(|room| path == *room || path.strip_prefix(room).is_some_and(|rest| rest.starts_with('/')));
    if is_room { "/" } else { path }
}

/// The answer to a request for a file.
pub(crate) fn asset(path: &str, headers: &HeaderMap) -> Response {
    let Some(asset) = assets().iter().find(|asset| asset.path == path_of(path)) else {
        return (StatusCode::NOT_FOUND, [(header::CONTENT_TYPE, "text/plain")], "There is no such page.\n")
            .into_response();
    };
    let has = |name, text: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|value| value.contains(text))
    };
    // Asked for anew each time, so that a new program shows its own page; usually the answer is 304.
    let about =
        [(header::ETAG, asset.tag.as_str()), (header::CACHE_CONTROL, "no-cache"), (header::VARY, "accept-encoding")];
    if has(header::IF_NONE_MATCH, &asset.tag) {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    let kind = [(header::CONTENT_TYPE, asset.kind)];
    if has(header::ACCEPT_ENCODING, "gzip") {
        return (about, kind, [(header::CONTENT_ENCODING, "gzip")], asset.gzip.as_slice()).into_response();
    }
    (about, kind, asset.plain).into_response()
}
