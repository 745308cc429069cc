//! The key of an observation: result, move, material, evaluation.

use serde::{Deserialize, Serialize};

/// How a game ended for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MoverResult {
    /// The game was drawn.
    Draw,
    /// The side to move lost.
    Loss,
    /// The side to move won.
    Win,
}

impl MoverResult {
    /// All results, in the order of their letters.
    pub const ALL: [Self; 3] = [Self::Draw, Self::Loss, Self::Win];

    /// Returns the letter of WDL_model: `D`, `L` or `W`.
    pub fn letter(self) -> char {
        match self {
            Self::Draw => 'D',
            Self::Loss => 'L',
            Self::Win => 'W',
        }
    }

    /// Returns the result with this letter.
    pub(crate) fn of_letter(letter: u8) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|result| result.letter() as u32 == u32::from(letter))
    }
}

/// The evaluation that stands for giving mate, above all evaluations in centipawns. Its negative
/// stands for being mated.
pub const MATE: i32 = 1001;

/// Evaluations in centipawns are limited to ± this number.
pub(crate) const LARGEST_EVAL: i32 = 1000;

/// The last full move that is counted. Later positions are ignored.
pub(crate) const LAST_MOVE: u32 = 200;

/// An evaluated position: result for the side to move, full move, material of both sides (queen 9,
/// rook 5, bishop and knight 3, pawn 1), evaluation in centipawns from the side to move.
///
/// ```
/// use centipawn_calibrate::wdl::{Key, MoverResult};
///
/// let key = Key::new(MoverResult::Win, 34, 58, -115).unwrap();
/// assert_eq!((key.number(), key.material(), key.eval()), (34, 58, -115));
/// assert_eq!(key.to_string(), "('W', 34, 58, -115)");
/// assert_eq!(Key::new(MoverResult::Win, 300, 58, 0), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32")]
pub struct Key(pub(crate) u32);

impl TryFrom<u32> for Key {
    type Error = &'static str;

    fn try_from(bits: u32) -> Result<Self, Self::Error> {
        Self::of_bits(bits).ok_or("this is the key of no position")
    }
}

/// Number of bits of each field, from the lowest field: evaluation, material, move.
const EVAL: u32 = 12;
const MATERIAL: u32 = 10;
const NUMBER: u32 = 8;
const EVAL_OFFSET: i32 = 1 << (EVAL - 1);

impl Key {
    /// The last full move that a key can have.
    pub(crate) const LAST_NUMBER: u32 = (1 << NUMBER) - 1;

    /// The most material that a key can have.
    pub(crate) const MOST_MATERIAL: u32 = (1 << MATERIAL) - 1;

    /// Number of bits below result and full move.
    pub(crate) const BUCKET: u32 = MATERIAL + EVAL;

    /// Creates a key from the number of a bucket, which is the result and full move as in the bits
    /// above [`BUCKET`](Self::BUCKET). Material and evaluation must fit into their fields.
    #[inline]
    pub(crate) fn of_bucket(bucket: usize, material: u32, eval: i32) -> Self {
        Self((bucket as u32) << Self::BUCKET | material << EVAL | (eval + EVAL_OFFSET) as u32)
    }

    /// Creates a key; `None` unless the move is at most 255, the material at most 1023, and the
    /// evaluation from −2048 to 2047.
    pub fn new(result: MoverResult, number: u32, material: u32, eval: i32) -> Option<Self> {
        let fits = number < 1 << NUMBER
            && material < 1 << MATERIAL
            && (-EVAL_OFFSET..EVAL_OFFSET).contains(&eval);
        fits.then(|| Self::packed(result, number, material, eval))
    }

    /// Creates a key from fields that are known to fit.
    #[inline]
    pub(crate) fn packed(result: MoverResult, number: u32, material: u32, eval: i32) -> Self {
        let eval = (eval + EVAL_OFFSET) as u32;
        Self(((result as u32) << NUMBER | number) << (MATERIAL + EVAL) | material << EVAL | eval)
    }

    /// Adds move, material and evaluation to a key that has only a result.
    #[inline]
    pub(crate) fn moved_to(self, number: u32, material: u32, eval: i32) -> Self {
        Self(
            self.0
                .wrapping_add(number << Self::BUCKET | material << EVAL)
                .wrapping_add(eval as u32),
        )
    }

    /// Returns how the game ended for the side to move.
    #[inline]
    pub fn result(self) -> MoverResult {
        MoverResult::ALL[(self.0 >> (NUMBER + MATERIAL + EVAL)) as usize % 3]
    }

    /// Returns the full-move number.
    #[inline]
    pub fn number(self) -> u32 {
        self.0 >> (MATERIAL + EVAL) & ((1 << NUMBER) - 1)
    }

    /// Returns the material of both sides.
    #[inline]
    pub fn material(self) -> u32 {
        self.0 >> EVAL & ((1 << MATERIAL) - 1)
    }

    /// Returns the evaluation in centipawns from the side to move, or ±[`MATE`].
    #[inline]
    pub fn eval(self) -> i32 {
        (self.0 & ((1 << EVAL) - 1)) as i32 - EVAL_OFFSET
    }

    /// Returns the key with these bits; `None` if there is none.
    pub(crate) fn of_bits(bits: u32) -> Option<Self> {
        (bits >> (NUMBER + MATERIAL + EVAL) < 3).then_some(Self(bits))
    }
}

impl std::fmt::Display for Key {
    /// Formats the key as WDL_model does.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "('{}', {}, {}, {})",
            self.result().letter(),
            self.number(),
            self.material(),
            self.eval()
        )
    }
}

/// Ranks by which keys are sorted in the order of their texts.
pub(crate) struct TextOrder {
    numbers: Vec<u32>,
    materials: Vec<u32>,
    evals: Vec<u32>,
}

impl TextOrder {
    pub(crate) fn new() -> Self {
        let ranks = |from: i32, count: i32| {
            let mut texts: Vec<_> = (0..count)
                .map(|index| ((from + index).to_string(), index as usize))
                .collect();
            texts.sort();
            let mut ranks = vec![0; count as usize];
            for (rank, (_, index)) in texts.into_iter().enumerate() {
                ranks[index] = rank as u32;
            }
            ranks
        };
        Self {
            numbers: ranks(0, 1 << NUMBER),
            materials: ranks(0, 1 << MATERIAL),
            evals: ranks(-EVAL_OFFSET, 1 << EVAL),
        }
    }

    /// Returns a number that orders keys by their texts, byte by byte.
    pub(crate) fn rank(&self, key: Key) -> u32 {
        let number = self.numbers[key.number() as usize];
        let material = self.materials[key.material() as usize];
        let eval = self.evals[(key.0 & ((1 << EVAL) - 1)) as usize];
        ((key.result() as u32) << NUMBER | number) << (MATERIAL + EVAL) | material << EVAL | eval
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys() -> impl Strategy<Value = Key> {
        (0..3usize, 0..256u32, 0..1024u32, -2048..2048i32).prop_map(
            |(result, number, material, eval)| {
                Key::packed(MoverResult::ALL[result], number, material, eval)
            },
        )
    }

    proptest! {
        #[test]
        fn keys_keep_their_fields(result in 0..3usize, number in 0..256u32, material in 0..1024u32, eval in -2048..2048i32) {
            let key = Key::new(MoverResult::ALL[result], number, material, eval).unwrap();
            prop_assert_eq!(
                (key.result(), key.number(), key.material(), key.eval()),
                (MoverResult::ALL[result], number, material, eval)
            );
            prop_assert_eq!(Key::of_bits(key.0), Some(key));
            prop_assert_eq!(Key::packed(MoverResult::ALL[result], 0, 0, 0).moved_to(number, material, eval), key);
            prop_assert_eq!(Key::of_bucket((key.0 >> Key::BUCKET) as usize, material, eval), key);
        }

        #[test]
        fn ranks_have_the_order_of_texts(a in keys(), b in keys()) {
            let order = TextOrder::new();
            prop_assert_eq!(order.rank(a).cmp(&order.rank(b)), a.to_string().cmp(&b.to_string()));
        }
    }
}
