//! Puzzles as JSON lines.

use std::io::{self, BufRead, Write};

use crate::{BadPuzzle, Puzzle, PuzzleDocument, ReadError};

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
    let document: PuzzleDocument =
        serde_json::from_slice(text).map_err(|error| (String::new(), BadPuzzle::Json(error.to_string())))?;
    document.puzzle().map_err(|kind| (document.id, kind))
}

pub(super) fn write(out: &mut impl Write, puzzle: &Puzzle) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &puzzle.document())?;
    out.write_all(b"\n")
}
