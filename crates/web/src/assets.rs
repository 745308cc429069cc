//! The files of the page. They are built from `ui/` and committed under `dist/` with fixed names.

use std::{io::Write as _, sync::OnceLock};

use axum::{
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use centipawn_progress::sha256;
use flate2::{Compression, write::GzEncoder};

use crate::base_path::BasePath;

/// The address and the content of each file. `dist/index.html` is the document of all rooms, at
/// `/`.
const FILES: [(&str, &[u8]); 32] = [
    ("/", include_bytes!("../dist/index.html")),
    ("/axes.css", include_bytes!("../dist/axes.css")),
    ("/axes.js", include_bytes!("../dist/axes.js")),
    ("/board.js", include_bytes!("../dist/board.js")),
    ("/curves.css", include_bytes!("../dist/curves.css")),
    ("/curves.js", include_bytes!("../dist/curves.js")),
    ("/ease.css", include_bytes!("../dist/ease.css")),
    ("/ease.js", include_bytes!("../dist/ease.js")),
    ("/engines.css", include_bytes!("../dist/engines.css")),
    ("/engines.js", include_bytes!("../dist/engines.js")),
    ("/events.js", include_bytes!("../dist/events.js")),
    ("/form.css", include_bytes!("../dist/form.css")),
    ("/form.js", include_bytes!("../dist/form.js")),
    ("/game-filter.js", include_bytes!("../dist/game-filter.js")),
    ("/games.css", include_bytes!("../dist/games.css")),
    ("/games.js", include_bytes!("../dist/games.js")),
    (
        "/human-arrows.js",
        include_bytes!("../dist/human-arrows.js"),
    ),
    ("/icon.svg", include_bytes!("../dist/icon.svg")),
    ("/job.js", include_bytes!("../dist/job.js")),
    ("/jsxRuntime.js", include_bytes!("../dist/jsxRuntime.js")),
    ("/loading.js", include_bytes!("../dist/loading.js")),
    ("/me.css", include_bytes!("../dist/me.css")),
    ("/me.js", include_bytes!("../dist/me.js")),
    ("/page.css", include_bytes!("../dist/page.css")),
    ("/page.js", include_bytes!("../dist/page.js")),
    (
        "/puzzle-address.js",
        include_bytes!("../dist/puzzle-address.js"),
    ),
    ("/puzzles.css", include_bytes!("../dist/puzzles.css")),
    ("/puzzles.js", include_bytes!("../dist/puzzles.js")),
    ("/refute.js", include_bytes!("../dist/refute.js")),
    ("/review.css", include_bytes!("../dist/review.css")),
    ("/review.js", include_bytes!("../dist/review.js")),
    ("/example.pgn", include_bytes!("example.pgn")),
];

/// Returns the media type of a file, by the ending of its name.
fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, end)| end) {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "pgn" => "application/x-chess-pgn",
        _ => "text/html; charset=utf-8",
    }
}

/// A file of the page, compressed for sending.
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
        let asset = |(path, plain): (&'static str, &'static [u8])| {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::new(9));
            // Writing to memory cannot fail, so an empty default is never used.
            let gzip = gzip
                .write_all(plain)
                .and_then(|()| gzip.finish())
                .unwrap_or_default();
            Asset {
                path,
                kind: kind(path),
                plain,
                gzip,
                tag: format!("\"{}\"", &sha256(plain)[..16]),
            }
        };
        FILES.into_iter().map(asset).collect()
    })
}

/// Returns whether a path without a file may be a mistyped address of a room. The page then says so
/// and leads back; scripts and pictures get plain text.
fn may_be_room(path: &str) -> bool {
    !path.starts_with("/api/") && !path.contains('.')
}

/// Returns the address of the file for a path. All rooms are one document, so `/review/17` is `/`.
fn path_of(path: &str) -> &str {
    let is_room = [
        "/review", "/me", "/form", "/curves", "/ease", "/puzzles", "/engines",
    ]
    .iter()
    .any(|room| {
        path == *room
            || path
                .strip_prefix(room)
                .is_some_and(|rest| rest.starts_with('/'))
    });
    if is_room { "/" } else { path }
}

/// Returns the document of all rooms below `base`. It has addresses of any depth, so its files have
/// whole addresses.
fn based(document: &Asset, base: &str) -> String {
    String::from_utf8_lossy(document.plain).replace("=\"/", &format!("=\"{base}"))
}

/// Answers a request for a file of the page, whose addresses begin with `base`.
pub(crate) fn asset(base: &BasePath, path: &str, headers: &HeaderMap) -> Response {
    let base = base.as_str();
    let file = |path: &str| assets().iter().find(|asset| asset.path == path);
    let Some(asset) = file(path_of(path)) else {
        let page = file("/").filter(|_| may_be_room(path));
        return match page {
            Some(page) => (
                StatusCode::NOT_FOUND,
                [(header::CONTENT_TYPE, page.kind)],
                based(page, base),
            )
                .into_response(),
            None => (
                StatusCode::NOT_FOUND,
                [(header::CONTENT_TYPE, "text/plain")],
                "There is no such page.\n",
            )
                .into_response(),
        };
    };
    if asset.path == "/" && base != "/" {
        let document = based(asset, base);
        return (
            [
                (header::CONTENT_TYPE, asset.kind),
                (header::CACHE_CONTROL, "no-cache"),
            ],
            document,
        )
            .into_response();
    }
    let has = |name, text: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.contains(text))
    };
    // The browser asks again each time, usually gets 304 (not modified), and shows the new page
    // after an update of the program.
    let about = [
        (header::ETAG, asset.tag.as_str()),
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "accept-encoding"),
    ];
    if has(header::IF_NONE_MATCH, &asset.tag) {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    let kind = [(header::CONTENT_TYPE, asset.kind)];
    if has(header::ACCEPT_ENCODING, "gzip") {
        return (
            about,
            kind,
            [(header::CONTENT_ENCODING, "gzip")],
            asset.gzip.as_slice(),
        )
            .into_response();
    }
    (about, kind, asset.plain).into_response()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    #[test]
    fn every_file_in_dist_is_served() {
        let dist = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("dist")).unwrap();
        let built = dist.map(|file| file.unwrap().file_name().into_string().unwrap());
        let built: BTreeSet<String> = built
            .map(|name| {
                if name == "index.html" {
                    "/".to_owned()
                } else {
                    format!("/{name}")
                }
            })
            .collect();
        let served = FILES
            .into_iter()
            .map(|(path, _)| path.to_owned())
            .filter(|path| path != "/example.pgn");
        assert_eq!(built, served.collect());
    }
}
