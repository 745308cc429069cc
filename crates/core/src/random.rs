//! Reproducible pseudo-random numbers.

/// Increment of the state at each step: 2^64 divided by the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes the bits of a number: the output of [`SplitMix64`] in this state.
///
/// Mixing a number that identifies an item gives a random number that depends neither on the order
/// of items nor on threads.
#[inline]
pub fn mix64(state: u64) -> u64 {
    let mut bits = state.wrapping_add(STEP);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// The pseudo-random generator of Steele, Lea and Flood (2014).
///
/// The same seed gives the same numbers on every machine and in every version, because published
/// samples and resamples are identified by their seed.
///
/// ```
/// use centipawn_core::SplitMix64;
///
/// let mut random = SplitMix64::new(1_234_567);
/// assert_eq!([random.next_u64(), random.next_u64()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
/// assert!(random.below(6) < 6 && (0.0..1.0).contains(&random.unit()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Creates a generator whose numbers depend on the seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let bits = mix64(self.0);
        self.0 = self.0.wrapping_add(STEP);
        bits
    }

    /// Returns a number in `0.0..1.0`, a multiple of 2^−53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number in `0..end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next_u64()) * end as u128) >> 64) as usize
    }
}
