//! A compact list of numbers with counts.

use integer_encoding::{VarInt as _, VarIntWriter as _};
use serde::{Deserialize, Serialize, Serializer};

/// Numbers in ascending order with their counts, in the encoding that files of counts use for
/// [`Cell`](super::groups::Cell)s. An entry begins with twice the distance from the previous
/// number, plus 1 unless the count is 1. The count follows, unless it is 1. Both are
/// [variable-length numbers](write_varint).
///
/// Most distances are small and most counts are 1, so an entry takes about a byte and a half
/// instead of 8 or 16 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<(u32, u64)>")]
pub(super) struct CountList {
    bytes: Vec<u8>,
    len: usize,
    last: u32,
}

impl TryFrom<Vec<(u32, u64)>> for CountList {
    type Error = &'static str;

    fn try_from(entries: Vec<(u32, u64)>) -> Result<Self, Self::Error> {
        let is_ascending = entries.is_sorted_by(|one, next| one.0 < next.0);
        is_ascending
            .then(|| entries.into_iter().collect())
            .ok_or("counted numbers are not in ascending order")
    }
}

impl Serialize for CountList {
    /// Serialises as a list of pairs.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl FromIterator<(u32, u64)> for CountList {
    /// Creates a list from numbers in ascending order.
    fn from_iter<I: IntoIterator<Item = (u32, u64)>>(entries: I) -> Self {
        let mut list = Self::default();
        entries
            .into_iter()
            .for_each(|(number, count)| list.push(number, count));
        list
    }
}

impl CountList {
    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Removes all entries and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        (self.len, self.last) = (0, 0);
    }

    /// Appends a number with its count. The number must be larger than all in the list.
    #[inline]
    pub(super) fn push(&mut self, number: u32, count: u64) {
        debug_assert!(
            self.len == 0 || number > self.last,
            "{number} follows {}",
            self.last
        );
        let more = u32::from(count != 1);
        let distance = number.wrapping_sub(self.last);
        (self.len, self.last) = (self.len + 1, number);
        if distance >= 1 << 27 || count >= 0x80 {
            return self.push_large(distance, count);
        }
        // The lengths are unpredictable, so avoid branches: write a whole word, and keep the bytes
        // that are used.
        let step = distance << 1 | more;
        let length = (38 - (step | 1).leading_zeros()) / 7;
        let parts = (step & 0x7f)
            | (step & 0x3f80) << 1
            | (step & 0x1f_c000) << 2
            | (step & 0xfe0_0000) << 3;
        let marks = 0x0080_8080 & ((1_u32 << (8 * (length - 1))) - 1);
        let word = u64::from(parts | marks) | (count * u64::from(more)) << (8 * length);
        let end = self.bytes.len() + (length + more) as usize;
        self.bytes.extend_from_slice(&word.to_le_bytes());
        self.bytes.truncate(end);
    }

    #[cold]
    fn push_large(&mut self, distance: u32, count: u64) {
        write_varint(
            &mut self.bytes,
            u64::from(distance) << 1 | u64::from(count != 1),
        );
        if count != 1 {
            write_varint(&mut self.bytes, count);
        }
    }

    /// Appends a list whose numbers are larger than all in this list.
    pub(super) fn append(&mut self, later: &Self) {
        if self.bytes.is_empty() {
            return self.clone_from(later);
        }
        let mut entries = later.iter();
        if let Some((number, count)) = entries.next() {
            self.push(number, count);
            self.bytes.extend_from_slice(entries.rest);
            (self.len, self.last) = (self.len + entries.left, later.last);
        }
    }

    /// Merges two lists. Counts of equal numbers are added.
    pub(super) fn sum(&self, other: &Self) -> Self {
        let (mut own, mut others) = (self.iter().peekable(), other.iter().peekable());
        let mut sum = Self::default();
        loop {
            let (number, count) = match (own.peek().copied(), others.peek().copied()) {
                (Some(one), Some(next)) if one.0 == next.0 => (one.0, one.1.saturating_add(next.1)),
                (Some(one), Some(next)) if one.0 < next.0 => one,
                (Some(_), Some(next)) => next,
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => return sum,
            };
            own.next_if(|entry| entry.0 == number);
            others.next_if(|entry| entry.0 == number);
            sum.push(number, count);
        }
    }

    /// Returns the entries in ascending order.
    pub(super) fn iter(&self) -> Entries<'_> {
        Entries {
            rest: &self.bytes,
            left: self.len,
            last: 0,
        }
    }

    /// Writes the number of entries, then the entries.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        write_varint(bytes, self.len as u64);
        bytes.extend_from_slice(&self.bytes);
    }

    /// Reads a list that [`write`](Self::write) wrote from the front of `bytes`.
    ///
    /// # Errors
    ///
    /// The problem in words, if the bytes are not a list.
    pub(super) fn read(bytes: &mut &[u8]) -> Result<Self, &'static str> {
        let mut next = || read_varint(bytes).ok_or("a number is cut off");
        let mut list = Self::default();
        for index in 0..next()? {
            let step = next()?;
            let count = if step & 1 == 0 { 1 } else { next()? };
            let number = u32::try_from(step >> 1)
                .ok()
                .and_then(|distance| list.last.checked_add(distance));
            let number = number.filter(|&number| index == 0 || number > list.last);
            list.push(
                number.ok_or("counted numbers are not in ascending order")?,
                count,
            );
        }
        Ok(list)
    }
}

/// Iterates over a [`CountList`].
#[derive(Clone, Debug)]
pub(super) struct Entries<'a> {
    rest: &'a [u8],
    left: usize,
    last: u32,
}

impl Iterator for Entries<'_> {
    type Item = (u32, u64);

    #[inline]
    fn next(&mut self) -> Option<(u32, u64)> {
        let step = read_varint(&mut self.rest)?;
        let count = if step & 1 == 0 {
            1
        } else {
            read_varint(&mut self.rest)?
        };
        self.last = self.last.wrapping_add((step >> 1) as u32);
        self.left -= 1;
        Some((self.last, count))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Entries<'_> {}

/// Writes a number with seven bits in each byte, lowest bits first. The eighth bit is set if
/// another byte follows.
pub(super) fn write_varint(bytes: &mut Vec<u8>, number: u64) {
    // Writing to a vector cannot fail.
    let _ = bytes.write_varint(number);
}

/// Reads a number that [`write_varint`] wrote from the front of `bytes`; `None` if it is truncated
/// or larger than 64 bits.
#[inline]
pub(super) fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let (number, length) = u64::decode_var(bytes)?;
    *bytes = &bytes[length..];
    Some(number)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn entries() -> impl Strategy<Value = BTreeMap<u32, u64>> {
        let number = prop_oneof![0..300u32, 0..1_u32 << 21, any::<u32>(), Just(u32::MAX)];
        let count = prop_oneof![Just(1), 0..300u64, any::<u64>()];
        prop::collection::btree_map(number, count, 0..60)
    }

    fn list(entries: &BTreeMap<u32, u64>) -> CountList {
        entries
            .iter()
            .map(|(&number, &count)| (number, count))
            .collect()
    }

    proptest! {
        #[test]
        fn lists_hold_the_pushed_entries(entries in entries(), at in any::<u32>()) {
            let whole = list(&entries);
            prop_assert_eq!(whole.iter().collect::<BTreeMap<_, _>>(), entries.clone());
            prop_assert_eq!((whole.len(), whole.iter().len()), (entries.len(), entries.len()));
            // The fast way of writing must give the bytes of the plain way.
            let mut plain = CountList::default();
            for (&number, &count) in &entries {
                plain.push_large(number - plain.last, count);
                plain.last = number;
            }
            prop_assert_eq!(&whole.bytes, &plain.bytes);
            let (low, high): (BTreeMap<_, _>, BTreeMap<_, _>) = entries.into_iter().partition(|(number, _)| *number < at);
            let mut both = list(&low);
            both.append(&list(&high));
            prop_assert_eq!(&both, &whole);
            prop_assert_eq!(&serde_json::from_str::<CountList>(&serde_json::to_string(&whole).unwrap()).unwrap(), &whole);
        }

        #[test]
        fn sums_equal_those_of_maps(own in entries(), other in entries()) {
            let sum = list(&own).sum(&list(&other));
            let mut map = own;
            for (number, count) in other {
                let own = map.entry(number).or_default();
                *own = own.saturating_add(count);
            }
            prop_assert_eq!(sum, list(&map));
        }

        #[test]
        fn lists_survive_writing_and_reading(entries in entries(), mut more in prop::collection::vec(any::<u8>(), 0..20)) {
            let mut bytes = Vec::new();
            list(&entries).write(&mut bytes);
            bytes.append(&mut more.clone());
            let mut rest = &bytes[..];
            prop_assert_eq!(CountList::read(&mut rest), Ok(list(&entries)));
            prop_assert_eq!(rest, &more[..]);
            // No bytes may cause a panic.
            let _ = CountList::read(&mut &more[..]);
            more.insert(0, 9);
            let _ = CountList::read(&mut &more[..]);
        }
    }

    #[test]
    fn numbers_that_do_not_ascend_are_refused() {
        for bytes in [
            &[2, 2, 0][..],
            &[2, 2],
            &[1, 3],
            &[2, 0xfe, 0xff, 0xff, 0xff, 0x1f, 2],
        ] {
            assert!(CountList::read(&mut &bytes[..]).is_err(), "{bytes:?}");
        }
        assert!(serde_json::from_str::<CountList>("[[3, 1], [3, 1]]").is_err());
    }
}
