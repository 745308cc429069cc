//! How long an analyst may think.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};

/// When a search ends. Only [`Nodes`](Self::Nodes) and [`Depth`](Self::Depth) are reproducible.
///
/// `Display` and serde write `100000 nodes`, `depth 20` or `1500 ms`. `FromStr` and serde also
/// accept `100k nodes`, `1.5M nodes`, `2s`, `nodes 100k`, `20 depth` and a bare number, which means
/// nodes.
///
/// ```
/// use centipawn_engine::Limit;
///
/// assert_eq!("1.5M nodes".parse(), Ok(Limit::Nodes(1_500_000)));
/// assert_eq!("100k".parse(), Ok(Limit::Nodes(100_000)));
/// assert_eq!(Limit::Depth(20).to_string(), "depth 20");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Limit {
    /// Positions visited. Engines overshoot a little; Stockfish by less than a hundred.
    Nodes(u64),
    /// Plies of the engine's main search.
    Depth(u32),
    /// Wall time, to the millisecond.
    MoveTime(Duration),
}

impl Limit {
    /// The limit of each search where no other one is given, in all interfaces.
    pub const USUAL: Self = Limit::Nodes(1_000_000);

    /// Returns a limit that takes about `factor` times as much work, for factors above 0. Depths
    /// grow by three plies for a factor of four.
    ///
    /// ```
    /// use centipawn_engine::Limit;
    ///
    /// assert_eq!(Limit::Nodes(10_000).times(4.0), Limit::Nodes(40_000));
    /// assert_eq!(Limit::Depth(12).times(4.0), Limit::Depth(15));
    /// ```
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        match self {
            Limit::Nodes(nodes) => Limit::Nodes((nodes as f64 * factor).round() as u64),
            Limit::Depth(depth) => {
                let plies = (1.5 * factor.log2()).round();
                Limit::Depth((f64::from(depth) + plies).clamp(1.0, 245.0) as u32)
            }
            Limit::MoveTime(time) => Limit::MoveTime(time.mul_f64(factor.clamp(0.0, 1e6))),
        }
    }

    /// Returns the argument of UCI's `go`, at least 1: engines read 0 as "no limit".
    pub(crate) fn uci(self) -> String {
        match self {
            Limit::Nodes(nodes) => format!("nodes {}", nodes.max(1)),
            Limit::Depth(depth) => format!("depth {}", depth.max(1)),
            Limit::MoveTime(time) => format!("movetime {}", time.as_millis().max(1)),
        }
    }

    /// Returns the cost of this limit relative to another of the same kind; 1 for different kinds
    /// and for depths.
    pub fn share_of(self, other: Self) -> f64 {
        match (self, other) {
            (Limit::Nodes(nodes), Limit::Nodes(all)) => nodes as f64 / (all.max(1)) as f64,
            (Limit::MoveTime(time), Limit::MoveTime(all)) => {
                time.as_secs_f64() / all.as_secs_f64().max(1e-3)
            }
            _ => 1.0,
        }
    }

    /// Returns twice this limit, for a search that left too much open. `None` for a depth, because
    /// such a search ended with a complete iteration, and for a time, because the caller has no
    /// more of it.
    #[must_use]
    pub fn doubled(self) -> Option<Self> {
        match self {
            Limit::Nodes(nodes) => nodes.checked_mul(2).map(Limit::Nodes),
            Limit::Depth(_) | Limit::MoveTime(_) => None,
        }
    }

    /// Returns half of this limit, for a search that settles a smaller question. A depth stays,
    /// because its cost does not grow in proportion.
    #[must_use]
    pub fn half(self) -> Self {
        match self {
            Limit::Nodes(nodes) => Limit::Nodes((nodes / 2).max(1)),
            Limit::MoveTime(time) => Limit::MoveTime(time / 2),
            Limit::Depth(_) => self,
        }
    }

    /// Returns a timeout that a healthy engine keeps for `lines` lines even on a slow and busy
    /// machine.
    pub(crate) fn generous_time(self, lines: usize) -> Duration {
        // The slowest engines in use (networks on old CPUs) visit a few thousand nodes a second.
        const NODES_PER_SECOND: u64 = 2_000;
        match self {
            Limit::Nodes(nodes) => Duration::from_secs(30)
                .saturating_add(Duration::from_secs(nodes / NODES_PER_SECOND)),
            Limit::Depth(depth) => {
                let lines = u32::try_from(lines).unwrap_or(u32::MAX);
                Duration::from_secs(60)
                    .saturating_mul(depth)
                    .saturating_mul(lines)
            }
            Limit::MoveTime(time) => time
                .saturating_mul(2)
                .saturating_add(Duration::from_secs(2)),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Limit::Depth(depth) => write!(f, "depth {depth}"),
            Limit::MoveTime(time) => write!(f, "{} ms", time.as_millis()),
        }
    }
}

/// The text is not a [`Limit`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is not a search limit; write for example \"100k nodes\", \"depth 20\" or \"500ms\""
)]
pub struct ParseLimitError(String);

impl FromStr for Limit {
    type Err = ParseLimitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| ParseLimitError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Limit> {
    let text = text.trim().to_ascii_lowercase();
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '.' | '_' | ',');
    let first = text.find(|c: char| c.is_ascii_digit())?;
    let (before, rest) = text.split_at(first);
    let (number, after) = rest.split_at(rest.find(|c| !is_digit(c)).unwrap_or(rest.len()));
    let number: f64 = number.replace(['_', ','], "").parse().ok()?;
    let unit = format!(
        "{} {}",
        before.trim().trim_end_matches(['=', ':']).trim(),
        after.trim()
    );
    let scaled = |factor: f64| {
        let value = number * factor;
        // Above 2^53 a double cannot represent every whole number.
        ((1.0..9e15).contains(&value) && (value - value.round()).abs() < 1e-6)
            .then(|| value.round() as u64)
    };
    match unit.trim() {
        "" | "nodes" | "node" | "n" => scaled(1.0).map(Limit::Nodes),
        "k" | "k nodes" | "knodes" | "nodes k" => scaled(1e3).map(Limit::Nodes),
        "m" | "m nodes" | "mnodes" | "nodes m" => scaled(1e6).map(Limit::Nodes),
        "depth" | "plies" => u32::try_from(scaled(1.0)?).ok().map(Limit::Depth),
        "ms" | "movetime" | "movetime ms" => {
            scaled(1.0).map(|ms| Limit::MoveTime(Duration::from_millis(ms)))
        }
        "s" | "movetime s" => scaled(1e3).map(|ms| Limit::MoveTime(Duration::from_millis(ms))),
        _ => None,
    }
}

impl From<Limit> for String {
    fn from(limit: Limit) -> String {
        limit.to_string()
    }
}

impl TryFrom<String> for Limit {
    type Error = ParseLimitError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        let ms = |ms| Limit::MoveTime(Duration::from_millis(ms));
        for (text, limit) in [
            ("nodes 100k", Limit::Nodes(100_000)),
            ("nodes=5", Limit::Nodes(5)),
            ("1,000,000 nodes", Limit::Nodes(1_000_000)),
            ("40M", Limit::Nodes(40_000_000)),
            ("depth=12", Limit::Depth(12)),
            ("0.5s", ms(500)),
            ("movetime 250", ms(250)),
            ("1500 ms", ms(1500)),
        ] {
            assert_eq!(text.parse(), Ok(limit), "{text}");
        }
        for text in [
            "",
            "depth",
            "0",
            "depth 0",
            "-3",
            "1.5",
            "12 parsecs",
            "depth 1.5",
            "1e9",
            "nodes 5 depth 3",
            "99999999999999999",
        ] {
            assert!(text.parse::<Limit>().is_err(), "{text}");
        }
    }

    #[test]
    fn text_is_read_back() {
        for limit in [
            Limit::Nodes(123_456),
            Limit::Depth(7),
            Limit::MoveTime(Duration::from_millis(40)),
        ] {
            assert_eq!(limit.to_string().parse(), Ok(limit));
            let json = serde_json::to_string(&limit).unwrap();
            assert_eq!(serde_json::from_str::<Limit>(&json).unwrap(), limit);
        }
    }

    #[test]
    fn uci_limits_are_at_least_one() {
        assert_eq!(Limit::Nodes(0).uci(), "nodes 1");
        assert_eq!(Limit::MoveTime(Duration::ZERO).uci(), "movetime 1");
    }
}
