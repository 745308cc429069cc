//! Parts of a scan for several machines.

use std::{borrow::Cow, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// One of several equal parts of the games: `2/8` is the second of eight.
///
/// Every game is in exactly one of the parts, whatever the threads and blocks. With at least as many sources as parts,
/// each source belongs as a whole to one: the first to part 1, the second to part 2, and so on around. Otherwise
/// all are cut into stripes of [`STRIPE`](Self::STRIPE) bytes of (decompressed) text, given to the parts in turn, and a game goes
/// where the line is that surely begins a game ([`game_start`](crate::token::game_start)), its own or the last one before; of plain
/// files only these stripes are read.
///
/// ```
/// use centipawn_pgn::Shard;
///
/// let shard: Shard = "2/8".parse()?;
/// assert_eq!(shard.to_string(), "2/8");
/// assert_eq!("9/8".parse::<Shard>().unwrap_err().to_string(), "\"9/8\" is no part; write I/N with I from 1 to N, as 2/8");
/// # Ok::<_, centipawn_pgn::BadShard>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    /// From 0.
    index: u32,
    count: u32,
}

impl Shard {
    /// All games.
    pub const ALL: Self = Self { index: 0, count: 1 };

    /// Bytes of a stripe.
    pub const STRIPE: u64 = 4 << 20;

    /// Part `index`, the first being 1, of `count`.
    ///
    /// # Errors
    ///
    /// [`BadShard`] if there is no such part.
    pub fn new(index: u32, count: u32) -> Result<Self, BadShard> {
        match index.checked_sub(1) {
            Some(index) if index < count => Ok(Self { index, count }),
            _ => Err(BadShard(format!("{index}/{count}"))),
        }
    }

    /// How the sources are shared out, so many being there.
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

/// Which games of a source are this part's.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Share {
    All,
    Whole(Shard),
    Stripes(Shard),
}

impl Share {
    /// Whether something of a source is this part's.
    pub(crate) fn has_source(self, source: usize) -> bool {
        match self {
            Self::Whole(shard) => source as u64 % u64::from(shard.count) == u64::from(shard.index),
            Self::All | Self::Stripes(_) => true,
        }
    }

    /// Whether sources are cut.
    pub(crate) fn is_striped(self) -> bool {
        matches!(self, Self::Stripes(_))
    }

    /// Whether what is at `offset` of a source that this part has something of is its.
    pub(crate) fn has(self, source: usize, offset: u64) -> bool {
        match self {
            Self::Stripes(shard) => {
                (source as u64 + offset / Shard::STRIPE) % u64::from(shard.count) == u64::from(shard.index)
            }
            Self::All | Self::Whole(_) => true,
        }
    }

    /// Where what is at `offset` ends to belong together.
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
    /// As `I/N`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
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
        Self::new(index.parse().map_err(|_| bad())?, count.parse().map_err(|_| bad())?)
    }
}

/// A text that names no part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no part; write I/N with I from 1 to N, as 2/8")]
pub struct BadShard(pub String);
