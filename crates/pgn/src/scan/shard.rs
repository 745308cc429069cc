//! Parts of a scan, for distributing it over machines.

use std::{borrow::Cow, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// One of N equal parts of the games: `2/8` is the second of eight.
///
/// Every game belongs to exactly one part, whatever the number of threads and the block size. If
/// there are at least as many sources as parts, each source belongs to one part as a whole,
/// assigned in turn: the first source to part 1, the second to part 2, and so on. Otherwise all
/// sources are cut into stripes of [`STRIPE`](Self::STRIPE) bytes of (decompressed) text, assigned
/// to the parts in turn. A game then belongs to the stripe of the line that certainly begins a game
/// ([`game_start`](crate::token::game_start)), its own or the last one before. Of plain files, only
/// the part's own stripes are read.
///
/// ```
/// use centipawn_pgn::Shard;
///
/// let shard: Shard = "2/8".parse()?;
/// assert_eq!(shard.to_string(), "2/8");
/// assert_eq!("9/8".parse::<Shard>().unwrap_err().to_string(), "\"9/8\" is not a part; write I/N with I from 1 to N, as 2/8");
/// # Ok::<_, centipawn_pgn::BadShard>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    /// Index of this part, from 0.
    index: u32,
    count: u32,
}

impl Shard {
    /// All games.
    pub const ALL: Self = Self { index: 0, count: 1 };

    /// Size of a stripe in bytes.
    pub const STRIPE: u64 = 4 << 20;

    /// Returns part `index` of `count`, the first being 1.
    ///
    /// # Errors
    ///
    /// [`BadShard`] if `index` is not in `1..=count`.
    pub fn new(index: u32, count: u32) -> Result<Self, BadShard> {
        match index.checked_sub(1) {
            Some(index) if index < count => Ok(Self { index, count }),
            _ => Err(BadShard(format!("{index}/{count}"))),
        }
    }

    /// Returns which part it is, from 1.
    pub fn index(self) -> u32 {
        self.index + 1
    }

    /// Returns the number of parts.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Returns whether it is all games.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "for serde")]
    pub fn is_all(&self) -> bool {
        self.count == 1
    }

    /// Returns whether item `index` of a sequence, the first being 0, is in this part: items are
    /// dealt to the parts in turn.
    ///
    /// ```
    /// use centipawn_pgn::Shard;
    ///
    /// let second = Shard::new(2, 3)?;
    /// assert_eq!((0..8).filter(|index| second.takes(*index)).collect::<Vec<_>>(), [1, 4, 7]);
    /// # Ok::<_, centipawn_pgn::BadShard>(())
    /// ```
    pub fn takes(self, index: u64) -> bool {
        index % u64::from(self.count) == u64::from(self.index)
    }

    /// Returns how this number of sources is divided.
    pub(crate) fn of_sources(self, sources: usize) -> Share {
        if self.count == 1 {
            Share::All
        } else if sources as u64 >= u64::from(self.count) {
            Share::Whole(self)
        } else {
            Share::Stripes(self)
        }
    }
}

/// The games of a source that belong to this part.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Share {
    All,
    Whole(Shard),
    Stripes(Shard),
}

impl Share {
    /// Returns whether a source belongs to this part, at least partly.
    pub(crate) fn has_source(self, source: usize) -> bool {
        match self {
            Self::Whole(shard) => source as u64 % u64::from(shard.count) == u64::from(shard.index),
            Self::All | Self::Stripes(_) => true,
        }
    }

    /// Returns whether sources are cut into stripes.
    pub(crate) fn is_striped(self) -> bool {
        matches!(self, Self::Stripes(_))
    }

    /// Returns whether an offset belongs to this part, in a source for which
    /// [`has_source`](Self::has_source) holds.
    pub(crate) fn has(self, source: usize, offset: u64) -> bool {
        match self {
            Self::Stripes(shard) => {
                (source as u64 + offset / Shard::STRIPE) % u64::from(shard.count)
                    == u64::from(shard.index)
            }
            Self::All | Self::Whole(_) => true,
        }
    }

    /// Returns the end of the stripe that contains `offset`.
    pub(crate) fn end(self, offset: u64) -> u64 {
        match self {
            Self::Stripes(_) => (offset / Shard::STRIPE + 1) * Shard::STRIPE,
            Self::All | Self::Whole(_) => u64::MAX,
        }
    }
}

impl Default for Shard {
    fn default() -> Self {
        Self::ALL
    }
}

impl Serialize for Shard {
    /// Writes the part as `I/N`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.count)
    }
}

impl FromStr for Shard {
    type Err = BadShard;

    fn from_str(text: &str) -> Result<Self, BadShard> {
        let bad = || BadShard(text.to_owned());
        let (index, count) = text.split_once('/').ok_or_else(bad)?;
        Self::new(
            index.parse().map_err(|_| bad())?,
            count.parse().map_err(|_| bad())?,
        )
    }
}

/// The text does not name a part of a scan; it holds the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a part; write I/N with I from 1 to N, as 2/8")]
pub struct BadShard(pub String);
