//! Variable-length integers: 7 bits in each byte, the lowest first. The high bit is set if more
//! bytes follow.

use integer_encoding::{VarInt, VarIntWriter as _};

/// Appends an unsigned number.
pub(crate) fn put(bytes: &mut Vec<u8>, number: u64) {
    // Writing to a vector cannot fail.
    let _ = bytes.write_varint(number);
}

/// Appends a signed number. Small absolute values take few bytes.
pub(crate) fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    let _ = bytes.write_varint(number);
}

/// Reads numbers from the front of a slice. Every method returns `None` at its end.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(crate) fn varint(&mut self) -> Option<u64> {
        self.number()
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        self.number()
    }

    fn number<T: VarInt>(&mut self) -> Option<T> {
        let (number, length) = T::decode_var(self.0)?;
        self.take(length).map(|_| number)
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_decoded_as_they_were_encoded(number in any::<u64>(), signed in any::<i64>()) {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            put_signed(&mut bytes, signed);
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!((reader.varint(), reader.signed(), reader.rest().len()), (Some(number), Some(signed), 0));
        }

        #[test]
        fn truncated_numbers_are_refused(number in 128u64..) {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            prop_assert_eq!(Reader::new(&bytes[..bytes.len() - 1]).varint(), None);
        }
    }

    #[test]
    fn small_numbers_take_one_byte() {
        let length = |number: i64| {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, number);
            bytes.len()
        };
        assert_eq!(
            [0, -64, 63, 64, -8192, i64::MIN].map(length),
            [1, 1, 1, 2, 2, 10]
        );
    }
}
