//! Variable-length numbers: 7 bits a byte, the lowest first; the high bit is set if more bytes follow.

/// Appends a number.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a signed number; small absolute values take few bytes.
pub(crate) fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    put(bytes, (number << 1 ^ number >> 63) as u64);
}

/// Reads numbers from the front of a slice; every method returns `None` past its end.
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
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        self.varint().map(|number| (number >> 1) as i64 ^ -((number & 1) as i64))
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
        fn numbers_come_back(number in any::<u64>(), signed in any::<i64>()) {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            put_signed(&mut bytes, signed);
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!((reader.varint(), reader.signed(), reader.rest().len()), (Some(number), Some(signed), 0));
        }

        #[test]
        fn cut_numbers_are_none(number in 128u64..) {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            prop_assert_eq!(Reader::new(&bytes[..bytes.len() - 1]).varint(), None);
        }
    }

    #[test]
    fn small_numbers_are_short() {
        let length = |number: i64| {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, number);
            bytes.len()
        };
        assert_eq!([0, -64, 63, 64, -8192, i64::MIN].map(length), [1, 1, 1, 2, 2, 10]);
    }
}
