//! Puzzles as JSON lines.

use std::io::{self, BufRead, Read as _, Write};

use crate::{BadPuzzle, Puzzle, PuzzleDocument, ReadError, error::clipped};
use centipawn_progress::LONGEST_LINE;

pub(super) fn puzzles(mut input: impl BufRead) -> impl Iterator<Item = Result<Puzzle, ReadError>> {
    let (mut number, mut is_over) = (0, false);
    std::iter::from_fn(move || {
        while !is_over {
            number += 1;
            let mut text = Vec::new();
            let mut is_long = false;
            let mut line = input.by_ref().take(LONGEST_LINE as u64);
            let read = line.read_until(b'\n', &mut text).and_then(|count| {
                is_long = count == LONGEST_LINE && text.last() != Some(&b'\n');
                if is_long {
                    input.skip_until(b'\n')
                } else {
                    Ok(count)
                }
            });
            match read {
                _ if is_long && read.is_ok() => {
                    return Some(Err(ReadError::LongLine { line: number }));
                }
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    is_over = true;
                    return Some(Err(ReadError::Io(error)));
                }
            }
            let text = text
                .strip_prefix(b"\xef\xbb\xbf")
                .unwrap_or(&text)
                .trim_ascii();
            if !text.is_empty() {
                return Some(read_puzzle(text).map_err(|(id, kind)| ReadError::Puzzle {
                    line: number,
                    id,
                    kind,
                }));
            }
        }
        None
    })
}

fn read_puzzle(text: &[u8]) -> Result<Puzzle, (String, BadPuzzle)> {
    let document: PuzzleDocument = serde_json::from_slice(text)
        .map_err(|error| (String::new(), BadPuzzle::Json(clipped(&error.to_string()))))?;
    document
        .puzzle()
        .map_err(|kind| (clipped(&document.id), kind))
}

pub(super) fn write(out: &mut impl Write, puzzle: &Puzzle) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &puzzle.document())?;
    out.write_all(b"\n")
}
