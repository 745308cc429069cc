//! Restores the full-move numbers of start positions whose FENs lost them.

use std::{
    collections::HashMap,
    io::{self, BufRead, BufReader, ErrorKind, Read},
};

/// Largest length of a line, in bytes.
const LONGEST: u64 = 10_000;
/// Largest length of a position without its counters, in bytes: eight ranks of eight pieces, and
/// further fields.
const LONGEST_POSITION: usize = 100;
/// Largest number of positions of a book, four times that of the largest books for engine tests.
/// They take at most 2 GB of memory.
const MOST: usize = 10_000_000;

/// The full-move numbers of the positions in an opening book (EPD or FEN, one position per line).
///
/// Some match runners write every start position with the counters `0 1`, so that the full moves of
/// their games count from 1. If the book has a position with two numbers, the lower one is used.
/// Lines without counters are skipped, and so are lines whose first fields are longer than any
/// position.
///
/// ```
/// use centipawn_calibrate::wdl::FenCounters;
///
/// let book = FenCounters::read(&b"4k3/8/8/8/8/8/4P3/4K3 w - - 3 9\n"[..])?;
/// assert_eq!(book.full_move(b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), Some(Some(9)));
/// assert_eq!(book.full_move(b"4k3/8/8/8/8/8/8/4K3 w - - 0 1"), Some(None)); // the book does not know it
/// assert_eq!(book.full_move(b"4k3/8/8/8/8/8/4P3/4K3 w - - 3 9"), None);     // nothing is lost
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FenCounters(HashMap<Vec<u8>, u32>);

impl FenCounters {
    /// Reads a book.
    ///
    /// # Errors
    ///
    /// The errors of the input. A line of more than 10,000 bytes, or more than ten million
    /// positions, is also an error, because no book has them.
    pub fn read(input: impl Read) -> io::Result<Self> {
        Self::read_at_most(input, MOST)
    }

    fn read_at_most(input: impl Read, most: usize) -> io::Result<Self> {
        let mut counters = HashMap::new();
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            if input.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if line.len() as u64 == LONGEST && !line.ends_with(b"\n") {
                let why = format!(
                    "line {number} has more than {LONGEST} bytes, so this is no file of positions"
                );
                return Err(io::Error::new(ErrorKind::InvalidData, why));
            }
            let fields: Vec<_> = line
                .split(u8::is_ascii_whitespace)
                .filter(|field| !field.is_empty())
                .collect();
            if let [board, turn, castling, passant, half, full, ..] = fields[..]
                && counter(half).is_some()
                && let Some(full) = counter(full).filter(|&full| full > 0)
            {
                let position = [board, turn, castling, passant].join(&b' ');
                if position.len() > LONGEST_POSITION {
                    continue;
                }
                let known = counters.entry(position).or_insert(full);
                *known = full.min(*known);
                if counters.len() > most {
                    let why = format!(
                        "line {number}: there are more than {most} positions, the limit for a book; give a book of start positions"
                    );
                    return Err(io::Error::new(ErrorKind::InvalidData, why));
                }
            }
        }
        Ok(Self(counters))
    }

    /// Returns the number of positions in the book.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the book has no position.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the full move of a FEN that ends in `0 1`; `Some(None)` if the book lacks the
    /// position. `None` for all other FENs, which did not lose their number.
    pub fn full_move(&self, fen: &[u8]) -> Option<Option<u32>> {
        let position = fen
            .strip_suffix(b" 0 1")
            .filter(|position| !position.is_empty())?;
        Some(self.0.get(position).copied())
    }
}

/// Returns the number at the start of a field.
fn counter(field: &[u8]) -> Option<u32> {
    let digits = field
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    std::str::from_utf8(&field[..digits]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_line_is_refused() {
        let error = FenCounters::read(b"\n".chain(io::repeat(0)))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("line 2 has more than 10000 bytes"),
            "{error}"
        );
    }

    #[test]
    fn the_number_of_positions_is_bounded() {
        let book = "a w - - 0 9\na w - - 5 7\nb w - - 0 8\nc w - - 0 8\n";
        assert_eq!(
            FenCounters::read_at_most(book.as_bytes(), 3).unwrap().len(),
            3
        );
        let error = FenCounters::read_at_most(book.as_bytes(), 2)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("line 4: there are more than 2 positions"),
            "{error}"
        );
        // Long lines must not fill the memory either.
        let long = format!("{} w - - 0 9\n", "8".repeat(200));
        assert!(FenCounters::read(long.as_bytes()).unwrap().is_empty());
    }

    #[test]
    fn invalid_lines_are_skipped() {
        let book = "a w - - 0 9\n\na w - - 5 7\r\na w - - 0 8\nb w - -\nc w - - bm e4;\nd w - - 0 0\ne w - - 1 3; x\n\
            f  w -\t- 0 4";
        let book = FenCounters::read(book.as_bytes()).unwrap();
        let known = |position: &str| {
            book.full_move(format!("{position} w - - 0 1").as_bytes())
                .unwrap()
        };
        assert_eq!(
            (known("a"), known("b"), known("c"), known("d")),
            (Some(7), None, None, None)
        );
        assert_eq!((known("e"), known("f"), book.len()), (Some(3), Some(4), 3));
    }
}
