//! Puzzles as JSON lines.

use std::io::{self, BufRead, Write};

use centipawn_core::History;
use serde::{Deserialize, Serialize};

use crate::{BadPuzzle, Puzzle, ReadError};

/// A line.
#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    id: String,
    fen: String,
    moves: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rating: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deviation: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    popularity: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plays: Option<u64>,
    #[serde(default)]
    themes: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    url: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    openings: String,
}

pub(super) fn puzzles(mut input: impl BufRead) -> impl Iterator<Item = Result<Puzzle, ReadError>> {
    let (mut number, mut is_over) = (0, false);
    std::iter::from_fn(move || {
        while !is_over {
            let mut text = Vec::new();
            number += 1;
            match input.read_until(b'\n', &mut text) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    is_over = true;
                    return Some(Err(ReadError::Io(error)));
                }
            }
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text).trim_ascii();
            if !text.is_empty() {
                return Some(read(text).map_err(|(id, kind)| ReadError::Puzzle { line: number, id, kind }));
            }
        }
        None
    })
}

fn read(text: &[u8]) -> Result<Puzzle, (String, BadPuzzle)> {
    let line: Line =
        serde_json::from_slice(text).map_err(|error| (String::new(), BadPuzzle::Json(error.to_string())))?;
    let Line { id, fen, moves, rating, deviation, popularity, plays, themes, url, openings } = line;
    let puzzle = History::from_fen(&fen, None).map_err(BadPuzzle::from).and_then(|start| {
        let puzzle = Puzzle::new(&start, moves.iter().map(String::as_str))?;
        Ok(Puzzle { rating, deviation, popularity, plays, url, openings, ..puzzle })
    });
    match puzzle {
        Ok(mut puzzle) => {
            puzzle.set_theme_names(themes.iter().map(String::as_str));
            if !id.is_empty() {
                puzzle.id = id;
            }
            Ok(puzzle)
        }
        Err(kind) => Err((id, kind)),
    }
}

pub(super) fn write(out: &mut impl Write, puzzle: &Puzzle) -> io::Result<()> {
    let line = Line {
        id: puzzle.id.clone(),
        fen: puzzle.start.fen(),
        moves: puzzle.uci_moves().collect(),
        rating: puzzle.rating,
        deviation: puzzle.deviation,
        popularity: puzzle.popularity,
        plays: puzzle.plays,
        themes: puzzle.theme_names().into_iter().map(str::to_owned).collect(),
        url: puzzle.url.clone(),
        openings: puzzle.openings.clone(),
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}
