//! Selects the puzzles to pose, and their order.

use std::{str::FromStr, time::SystemTime};

use centipawn_core::SplitMix64;
use centipawn_progress::Cancel;
use serde::{Deserialize, Serialize};

use crate::{Puzzle, Theme, Themes};

/// A range of ratings, both ends included. As text it is `1200..1600`, `1200..` or `..1600`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ratings {
    /// The lowest rating, at most [`to`](Self::to).
    pub from: u32,
    /// The highest rating.
    pub to: u32,
}

impl Ratings {
    /// Returns whether a rating is in the range.
    pub fn contains(self, rating: u32) -> bool {
        (self.from..=self.to).contains(&rating)
    }
}

/// A filter for the puzzles to pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only puzzles with at least one of these themes; all puzzles if empty. Default empty.
    pub themes: Themes,
    /// Only puzzles with a rating in this range; `None`, the default, includes puzzles without a
    /// rating.
    pub ratings: Option<Ratings>,
    /// The solver's rating. Without [`ratings`](Self::ratings), only puzzles rated within
    /// [`NEAR`](Self::NEAR) points of it are selected, and those without a rating.
    pub level: Option<u32>,
}

impl Wanted {
    /// Maximum difference in points between the ratings of a solver and of a puzzle for that
    /// solver. At this difference, 15 to 85 % of such solvers solve it.
    pub const NEAR: u32 = 300;

    /// Returns whether the filter selects a puzzle.
    pub fn fits(&self, puzzle: &Puzzle) -> bool {
        let is_near = |rating: u32| {
            self.level
                .is_none_or(|level| rating.abs_diff(level) <= Self::NEAR)
        };
        let rating_fits = match self.ratings {
            Some(range) => puzzle.rating.is_some_and(|rating| range.contains(rating)),
            None => puzzle.rating.is_none_or(is_near),
        };
        rating_fits
            && (self.themes.is_empty()
                || puzzle
                    .themes
                    .iter()
                    .any(|theme| self.themes.contains(theme)))
    }
}

impl FromStr for Ratings {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "ratings are a range, such as 1200..1600, 1200.. or ..1600";
        let (from, to) = text.split_once("..").ok_or(wrong)?;
        let end = |text: &str, open| {
            if text.is_empty() {
                Ok(open)
            } else {
                text.parse().map_err(|_| wrong)
            }
        };
        let ratings = Self {
            from: end(from, 0)?,
            to: end(to, u32::MAX)?,
        };
        if ratings.from > ratings.to {
            Err("the first rating of a range is the lower one")
        } else {
            Ok(ratings)
        }
    }
}

/// Parses a theme's name, ignoring case.
///
/// # Errors
///
/// A message that suggests similar names.
pub fn parse_theme(name: &str) -> Result<Theme, String> {
    let is_it = |theme: &&Theme| theme.name().eq_ignore_ascii_case(name);
    Theme::ALL.iter().find(is_it).copied().ok_or_else(|| {
        let alike = Theme::ALL.iter().filter(|theme| {
            let (theme, name) = (theme.name().to_ascii_lowercase(), name.to_ascii_lowercase());
            !name.is_empty() && (theme.contains(&name) || name.contains(&theme))
        });
        let alike: Vec<&str> = alike.map(|theme| theme.name()).collect();
        if alike.is_empty() {
            "no theme of this name; there are fork, pin, mateIn2, backRankMate and those in \
             docs/themes.md"
                .to_owned()
        } else {
            format!("no theme of this name; do you mean {}?", alike.join(", "))
        }
    })
}

/// Returns a uniformly random sample of at most `count` items, in random order. The same `seed`
/// gives the same sample. If `cancel` is set, the sample covers the items read so far.
pub fn shuffled<T>(
    items: impl Iterator<Item = T>,
    count: usize,
    seed: u64,
    cancel: &Cancel,
) -> Vec<T> {
    let mut random = SplitMix64::new(seed);
    let mut picked: Vec<T> = Vec::new();
    for (index, item) in items.take_while(|_| !cancel.is_set()).enumerate() {
        let place = random.below(index + 1);
        if picked.len() < count {
            picked.push(item);
            picked.swap(place, index);
        } else if place < count {
            picked[place] = item;
        }
    }
    picked
}

/// Returns a seed that depends on the current time.
pub fn seed_of_now() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_ratings_are_parsed() {
        let range = |text: &str| text.parse::<Ratings>();
        let both = range("1200..1600").unwrap();
        assert!(
            both.contains(1200)
                && both.contains(1600)
                && !both.contains(1199)
                && !both.contains(1601)
        );
        assert!(range("1200..").unwrap().contains(3000) && range("..900").unwrap().contains(0));
        for wrong in ["1200", "a..b", "1600..1200", "-5..5"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn unknown_themes_suggest_similar_names() {
        assert_eq!(parse_theme("backrankmate"), Ok(Theme::BackRankMate));
        assert!(
            parse_theme("smothered")
                .unwrap_err()
                .contains("smotheredMate")
        );
        assert!(parse_theme("knifing").is_err() && parse_theme("").is_err());
    }

    #[test]
    fn every_item_is_drawn_equally_often() {
        let go = Cancel::new();
        let mut first = [0; 6];
        let mut chosen = [0; 6];
        for seed in 0..6000 {
            let picked = shuffled(0..6_usize, 3, seed, &go);
            assert_eq!(picked.len(), 3);
            first[picked[0]] += 1;
            picked.iter().for_each(|&item| chosen[item] += 1);
            assert_eq!(picked, shuffled(0..6, 3, seed, &go));
        }
        assert!(
            first.iter().all(|count| (850..1150).contains(count)),
            "{first:?}"
        );
        assert!(
            chosen.iter().all(|count| (2850..3150).contains(count)),
            "{chosen:?}"
        );
        let mut all = shuffled(0..6, 9, 1, &go);
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5]);
    }
}
