//! Reads and writes WDL_model's JSON: `{"('W', 34, 58, 112)": 17, …}`.

use std::io::{self, Read, Write};

use super::{Counts, CountsError, Key, MoverResult, key::TextOrder};

/// Writes exactly the bytes that WDL_model's `scoreWDLstat` writes: keys sorted by their bytes,
/// indented by two, no newline at the end, and `null` if nothing was counted.
pub(super) fn write(counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
    if counts.is_empty() {
        return out.write_all(b"null");
    }
    let order = TextOrder::new();
    let mut entries: Vec<(u32, Key, u64)> = counts
        .iter()
        .map(|(key, count)| (order.rank(key), key, count))
        .collect();
    entries.sort_unstable_by_key(|(rank, ..)| *rank);
    let mut text = Vec::with_capacity(1 << 16);
    let mut separator = "{\n";
    for (_, key, count) in entries {
        text.extend_from_slice(separator.as_bytes());
        text.extend_from_slice(b"  \"('");
        text.push(key.result().letter() as u8);
        text.extend_from_slice(b"', ");
        number(&mut text, u64::from(key.number()));
        text.extend_from_slice(b", ");
        number(&mut text, u64::from(key.material()));
        text.extend_from_slice(b", ");
        if key.eval() < 0 {
            text.push(b'-');
        }
        number(&mut text, u64::from(key.eval().unsigned_abs()));
        text.extend_from_slice(b")\": ");
        number(&mut text, count);
        separator = ",\n";
        if text.len() > (1 << 16) - 100 {
            out.write_all(&text)?;
            text.clear();
        }
    }
    text.extend_from_slice(b"\n}");
    out.write_all(&text)
}

fn number(text: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[at..]);
}

/// Reads this JSON as a stream, with any spacing and order. It is never held in memory as a whole,
/// because a small compressed file may unpack to endless text.
pub(super) fn read(input: impl Read) -> Result<Counts, CountsError> {
    Reader {
        input,
        buffer: vec![0; BUFFER],
        at: 0,
        end: 0,
        line: 1,
        error: None,
    }
    .counts()
}

/// Number of bytes read at once.
const BUFFER: usize = 64 << 10;
/// Number of entries from which equal keys are summed before the list grows.
const MANY: usize = 1 << 20;

struct Reader<R> {
    input: R,
    buffer: Vec<u8>,
    /// Index of the next byte in the buffer.
    at: usize,
    /// Index after the last byte in the buffer.
    end: usize,
    /// Number of the line of the next byte, from 1.
    line: u64,
    /// The error that ended the input early.
    error: Option<io::Error>,
}

impl<R: Read> Reader<R> {
    fn counts(&mut self) -> Result<Counts, CountsError> {
        let mut entries = Vec::new();
        self.expect(b'{')?;
        self.blanks();
        if self.peek() != Some(b'}') {
            loop {
                if entries.len() == entries.capacity() && entries.len() >= MANY {
                    Counts::sum_up(&mut entries);
                }
                entries.push(self.entry()?);
                self.blanks();
                if self.peek() != Some(b',') {
                    break;
                }
                self.at += 1;
            }
        }
        self.expect(b'}')?;
        self.blanks();
        if self.peek().is_some() || self.error.is_some() {
            return Err(self.error("nothing may follow the counts"));
        }
        Ok(Counts::new(None, entries))
    }

    /// Reads an entry: `"('W', 34, 58, 112)": 17`.
    #[inline]
    fn entry(&mut self) -> Result<(Key, u64), CountsError> {
        self.expect(b'"')?;
        self.expect(b'(')?;
        self.expect(b'\'')?;
        let result = self.peek().and_then(MoverResult::of_letter);
        let result = result.ok_or_else(|| self.error("a result is one of W, D and L"))?;
        self.at += 1;
        self.expect(b'\'')?;
        self.expect(b',')?;
        let number = self.number()?;
        self.expect(b',')?;
        let material = self.number()?;
        self.expect(b',')?;
        self.blanks();
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let eval = self.number()?;
        let eval = i64::try_from(eval).map_or(i64::MAX, |eval| if negative { -eval } else { eval });
        self.expect(b')')?;
        self.expect(b'"')?;
        self.expect(b':')?;
        let count = self.number()?;
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let key = i32::try_from(eval)
            .ok()
            .and_then(|eval| Key::new(result, small(number), small(material), eval));
        let key = key.ok_or_else(|| {
            self.error("moves go up to 255, material up to 1023, evaluations from -2048 to 2047 centipawns")
        })?;
        Ok((key, count))
    }

    #[inline]
    fn peek(&mut self) -> Option<u8> {
        if self.at == self.end {
            self.fill();
        }
        self.buffer[..self.end].get(self.at).copied()
    }

    #[cold]
    fn fill(&mut self) {
        (self.at, self.end) = (0, 0);
        while self.error.is_none() {
            match self.input.read(&mut self.buffer) {
                Ok(read) => {
                    self.end = read;
                    return;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.error = Some(error),
            }
        }
    }

    #[inline]
    fn blanks(&mut self) {
        while let Some(byte) = self.peek().filter(u8::is_ascii_whitespace) {
            self.line += u64::from(byte == b'\n');
            self.at += 1;
        }
    }

    #[inline]
    fn expect(&mut self, wanted: u8) -> Result<(), CountsError> {
        self.blanks();
        if self.peek() == Some(wanted) {
            self.at += 1;
            return Ok(());
        }
        Err(self.error(&format!("expected {} here", wanted as char)))
    }

    #[inline]
    fn number(&mut self) -> Result<u64, CountsError> {
        self.blanks();
        let (mut number, mut has_digits) = (0u64, false);
        while let Some(digit) = self
            .peek()
            .map(|byte| byte.wrapping_sub(b'0'))
            .filter(|&digit| digit < 10)
        {
            let next = number
                .checked_mul(10)
                .and_then(|number| number.checked_add(u64::from(digit)));
            number = next.ok_or_else(|| self.error("the number is too large"))?;
            has_digits = true;
            self.at += 1;
        }
        if has_digits {
            Ok(number)
        } else {
            Err(self.error("expected a whole number here"))
        }
    }

    #[cold]
    fn error(&mut self, what: &str) -> CountsError {
        let is_over = self.peek().is_none();
        if let Some(error) = self.error.take() {
            return CountsError::Io(error);
        }
        let what = if is_over {
            "the file ends too early"
        } else {
            what
        };
        CountsError::Json {
            line: self.line,
            what: what.to_owned(),
        }
    }
}
