//! Files of counts: Centipawn's compact format, and WDL_model's JSON.

use std::io::{self, Read, Write};

use centipawn_progress::{Cancel, SmallDocument};

use super::{
    Counts, CountsError, GROUPS, Groups, Key,
    count_list::{CountList, read_varint, write_varint},
    counts_json,
    groups::GroupTable,
};

/// The first bytes of a compact file.
const MAGIC: &[u8; 16] = b"centipawn-wdl-2\n";

/// Number of bytes from which the format of a file is recognised.
const HEAD: u64 = 1024;

/// Size limit of a compact file. The file is read completely, because its checksum must be verified
/// before its contents are used. However many games there are, it has at most 43 million numbers,
/// most of which take one or two bytes.
const COMPACT: SmallDocument = SmallDocument::new("compact file of counts", 256 << 20);

/// The format of a file of counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountsFormat {
    /// Variable-length numbers and a checksum: a twentieth of the JSON's size.
    #[default]
    Compact,
    /// JSON exactly as WDL_model writes it.
    Stockfish,
}

impl Counts {
    /// Writes the counts.
    ///
    /// # Errors
    ///
    /// Errors of writing to `out`.
    pub fn write(&self, format: CountsFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            CountsFormat::Compact => self.write_compact(out),
            CountsFormat::Stockfish => counts_json::write(self, out),
        }
    }

    /// Reads counts in either format.
    ///
    /// # Errors
    ///
    /// [`CountsError`], if the input cannot be read or does not hold counts.
    pub fn read(mut input: impl Read) -> Result<Self, CountsError> {
        let mut bytes = Vec::new();
        input.by_ref().take(HEAD).read_to_end(&mut bytes)?;
        // A file of another kind may be endless, so it is not read completely.
        let is_compact = bytes.starts_with(MAGIC) || MAGIC.starts_with(&bytes);
        match bytes.trim_ascii_start().first() {
            Some(b'{') => Ok(counts_json::read(bytes.chain(input))?.checked()?),
            Some(_) if is_compact => {
                // This `Cancel` is never set. A caller that can be cancelled passes an input that
                // ends then.
                let bytes = COMPACT.read_from(bytes.chain(input), &Cancel::new())?;
                let body = bytes.strip_prefix(MAGIC);
                read_compact(body.ok_or(CountsError::Damaged("it ends too early"))?)
            }
            Some(b'n') if bytes.trim_ascii() == b"null" => Ok(Self::default()),
            _ => Err(CountsError::Unknown),
        }
    }

    /// Writes the compact format: bin; number of keys; for each key the distance from the previous
    /// one and its count; number of tables by group; for each table the length of its description
    /// in JSON, the description, and the cells of each group as a [`CountList`]; checksum.
    fn write_compact(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut bytes = MAGIC.to_vec();
        write_varint(&mut bytes, u64::from(self.bin().unwrap_or(0)));
        write_varint(&mut bytes, self.len() as u64);
        let mut before = 0;
        for (key, count) in self.iter() {
            write_varint(&mut bytes, u64::from(key.0 - before));
            write_varint(&mut bytes, count);
            before = key.0;
        }
        let tables = self.groups().map_or(&[][..], |groups| &groups.tables);
        write_varint(&mut bytes, tables.len() as u64);
        for table in tables {
            let rows = serde_json::to_vec(&table.rows).map_err(io::Error::other)?;
            write_varint(&mut bytes, rows.len() as u64);
            bytes.extend(rows);
            table
                .groups
                .iter()
                .for_each(|cells| cells.write(&mut bytes));
        }
        let sum = check_sum(&bytes[MAGIC.len()..]);
        bytes.extend_from_slice(&sum.to_le_bytes());
        out.write_all(&bytes)
    }
}

fn read_compact(body: &[u8]) -> Result<Counts, CountsError> {
    let Some((body, sum)) = body.split_last_chunk::<8>() else {
        return Err(CountsError::Damaged("it ends too early"));
    };
    // A fuzzer cannot guess the checksum, so without this exception it would never test the code
    // below.
    if !cfg!(fuzzing) && check_sum(body) != u64::from_le_bytes(*sum) {
        return Err(CountsError::Damaged("its check sum is wrong"));
    }
    let mut rest = body;
    let mut next = || read_number(&mut rest);
    let bin = next()?;
    let keys = next()?;
    let mut entries = CountList::default();
    let mut before = 0u64;
    for index in 0..keys {
        let step = next()?;
        let key = before.checked_add(step).filter(|_| step > 0 || index == 0);
        let key = key
            .and_then(|key| u32::try_from(key).ok())
            .and_then(Key::of_bits);
        let key = key.ok_or(CountsError::Damaged("a key is none"))?;
        before = u64::from(key.0);
        entries.push(key.0, next()?);
    }
    let groups = read_groups(&mut rest)?;
    if !rest.is_empty() {
        return Err(CountsError::Damaged("more follows its end"));
    }
    let bin = u32::try_from(bin).ok().filter(|&bin| bin > 0);
    let counts = Counts::of_list(bin, entries);
    let counts = match groups {
        Some(groups) => counts.with_groups(groups),
        None => counts,
    };
    Ok(counts.checked()?)
}

/// Reads the tables by group; `None` if there are none.
fn read_groups(rest: &mut &[u8]) -> Result<Option<Groups>, CountsError> {
    let mut tables = Vec::new();
    for _ in 0..read_number(rest)? {
        let length = usize::try_from(read_number(rest)?).unwrap_or(usize::MAX);
        let damaged = CountsError::Damaged("a table is cut off");
        let (rows, after) = rest.split_at_checked(length).ok_or(damaged)?;
        *rest = after;
        let rows = serde_json::from_slice(rows)
            .map_err(|_| CountsError::Damaged("a table has unknown rows"))?;
        let groups = (0..GROUPS).map(|_| CountList::read(rest).map_err(CountsError::Damaged));
        let groups = groups.collect::<Result<_, _>>()?;
        tables.push(GroupTable { rows, groups });
    }
    if tables.is_empty() {
        return Ok(None);
    }
    Groups::try_from(tables)
        .map(Some)
        .map_err(CountsError::Damaged)
}

fn read_number(rest: &mut &[u8]) -> Result<u64, CountsError> {
    read_varint(rest).ok_or(CountsError::Damaged("a number is cut off"))
}

/// Returns FNV-1a over words of eight bytes, which detects accidental truncation and changes.
fn check_sum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    let mut sum = 0xcbf2_9ce4_8422_2325;
    let (words, rest) = bytes.as_chunks::<8>();
    let last = rest
        .iter()
        .fold(rest.len() as u64, |word, &byte| word << 8 | u64::from(byte));
    for word in words
        .iter()
        .map(|word| u64::from_le_bytes(*word))
        .chain([last])
    {
        sum = (sum ^ word).wrapping_mul(PRIME);
        sum ^= sum >> 29;
    }
    sum
}

#[cfg(test)]
mod tests {
    use centipawn_pgn::Impossible;
    use proptest::prelude::*;

    use super::*;
    use crate::wdl::{GroupRows, MoverResult, groups::GroupCounter, table::Table};

    fn counts() -> impl Strategy<Value = Counts> {
        let key = (0..3usize, 0..256u32, 0..1024u32, -2048..2048i32).prop_map(
            |(result, number, material, eval)| {
                Key::packed(MoverResult::ALL[result], number, material, eval)
            },
        );
        prop::collection::vec((key, 1..Impossible::LARGEST / 200), 0..200)
            .prop_map(|entries| Counts::new(None, entries))
    }

    fn written(counts: &Counts, format: CountsFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        counts.write(format, &mut bytes).unwrap();
        bytes
    }

    proptest! {
        #[test]
        fn counts_survive_writing_and_reading(counts in counts()) {
            for format in [CountsFormat::Compact, CountsFormat::Stockfish] {
                prop_assert_eq!(&Counts::read(&written(&counts, format)[..]).unwrap(), &counts);
            }
        }

        #[test]
        fn json_has_sorted_keys(counts in counts()) {
            let json = written(&counts, CountsFormat::Stockfish);
            if !counts.is_empty() {
                let map: std::collections::BTreeMap<String, u64> =
                    counts.iter().map(|(key, count)| (key.to_string(), count)).collect();
                prop_assert_eq!(String::from_utf8(json).unwrap(), serde_json::to_string_pretty(&map).unwrap());
            }
        }

        #[test]
        fn any_changed_byte_is_detected(counts in counts(), at in any::<prop::sample::Index>(), by in 1..=255u8) {
            let mut bytes = written(&counts, CountsFormat::Compact);
            let at = at.index(bytes.len());
            bytes[at] ^= by;
            prop_assert!(Counts::read(&bytes[..]).is_err());
            bytes[at] ^= by;
            prop_assert!(Counts::read(&bytes[..at]).is_err());
        }

        #[test]
        fn no_input_causes_a_panic(bytes in prop::collection::vec(prop_oneof![
            any::<u8>(), prop::sample::select(&b"{}\"('WDL, 0123456789-):null"[..])], 0..80)) {
            let _ = Counts::read(&bytes[..]);
            let _ = Counts::read(&[MAGIC, &bytes[..]].concat()[..]);
            let _ = Counts::read(&[MAGIC, &bytes[..], &check_sum(&bytes).to_le_bytes()].concat()[..]);
        }
    }

    /// Counts of games with their groups.
    fn grouped() -> Counts {
        let table = Table::new(1, GroupCounter::new(&GroupRows::usual(), 1));
        for game in 0..300 {
            table.add(&[0, 1, 2].map(|ply| {
                Key::packed(MoverResult::ALL[game as usize % 3], 20 + ply, 40, game % 50).0
            }));
        }
        table.into_counts(1, 1)
    }

    #[test]
    fn counts_that_no_games_have_are_refused() {
        let counts = grouped();
        let bytes = written(&counts, CountsFormat::Compact);
        assert_eq!(Counts::read(&bytes[..]).unwrap(), counts);
        let error = |counts: &Counts| {
            let read = Counts::read(&written(counts, CountsFormat::Compact)[..]);
            let state = serde_json::from_str::<Counts>(&serde_json::to_string(counts).unwrap());
            assert!(state.is_err());
            read.unwrap_err().to_string()
        };
        // The groups sum to more wins than all games have, or to fewer.
        let entries = || counts.iter();
        for factor in [2, 1_000_000_000] {
            let more = Counts::new(
                Some(1),
                entries()
                    .map(|(key, count)| (key, factor * count))
                    .collect(),
            );
            assert!(
                error(&more.with_groups(counts.groups().unwrap().clone()))
                    .contains("by group of games")
            );
        }
        let fewer = Counts::new(Some(1), entries().skip(1).collect());
        assert!(
            error(&fewer.with_groups(counts.groups().unwrap().clone()))
                .contains("by group of games")
        );
        let first = entries().next().unwrap().0;
        let many = Counts::new(Some(1), vec![(first, u64::MAX)]);
        assert!(error(&many).contains("more positions"));
        let json = "{\"('W', 1, 78, 0)\": 281474976710656, \"('W', 1, 78, 5)\": 1}";
        assert!(
            Counts::read(json.as_bytes())
                .unwrap_err()
                .to_string()
                .contains("more positions")
        );
        assert!(Counts::read("{\"('W', 1, 78, 0)\": 18446744073709551615}".as_bytes()).is_err());
    }

    /// A small compressed file may unpack to endless text. Entries that repeat are summed, so
    /// memory stays bounded.
    #[test]
    fn endless_text_takes_bounded_memory() {
        let entry = "\"('W', 1, 78, 0)\": 2,";
        let text = format!("{{{}\"('L', 1, 78, 0)\": 1}}", entry.repeat(1_100_000));
        let counts = Counts::read(text.as_bytes()).unwrap();
        assert_eq!((counts.len(), counts.positions()), (2, 2_200_001));
        let error = Counts::read(MAGIC.chain(io::repeat(b'x')))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("larger than 256 MiB, the limit for a compact file of counts"),
            "{error}"
        );
    }

    #[test]
    fn equal_counts_have_equal_hashes() {
        let counts = grouped();
        let json = Counts::read(&written(&counts, CountsFormat::Stockfish)[..]).unwrap();
        assert_eq!(counts.sha256(), json.sha256());
        assert_ne!(counts.sha256(), Counts::default().sha256());
    }

    #[test]
    fn errors_name_the_line() {
        for (text, expected) in [
            ("[Event \"x\"]", "this is not a file of counts"),
            ("", "this is not a file of counts"),
            ("{\"('W', 1, 78, 0)\": 3", "line 1: the file ends too early"),
            (
                "{\n\"('X', 1, 78, 0)\": 3}",
                "line 2: a result is one of W, D and L",
            ),
            ("{\"('W', 1, 78, 9999)\": 3}", "moves go up to 255"),
            ("{\"('W', 1, 78, 0)\": -3}", "expected a whole number here"),
            (
                "{\"('W', 1, 78, 0)\": 99999999999999999999999}",
                "too large",
            ),
            ("{\"('W', 1, 78, 0)\": 3} x", "nothing may follow"),
            ("{\"a\": 3}", "expected ( here"),
            ("centipawn-wdl", "it ends too early"),
            ("nonsense", "this is not a file of counts"),
        ] {
            let error = Counts::read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(
            Counts::read(&b" {} "[..]).unwrap().is_empty()
                && Counts::read(&b"null\n"[..]).unwrap().is_empty()
        );
    }
}
