//! A player's results over many games: by colour, and over time.

use std::collections::BTreeMap;

use centipawn_judge::Judgement;
use centipawn_pgn::PartialDate;
use shakmaty::{Color, Outcome};

use crate::MistakeCounts;

/// Maximum number of points in a [trend](Results::trend).
const POINTS: usize = 24;

/// A player's results over many games.
///
/// Memory grows with the number of days on which the player played.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Results {
    /// Results as White, then as Black.
    pub colors: [ColorResults; 2],
    /// Number of games and expected score lost by day; games without a complete date are left out.
    days: BTreeMap<PartialDate, Sum>,
    /// Number of games and expected score lost in the order in which the games were added.
    order: Order,
}

/// A player's results with one colour.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ColorResults {
    /// Numbers of moves and mistakes.
    pub counts: MistakeCounts,
    /// Number of games with a result.
    pub finished: u64,
    /// The player's points in the games with a result.
    pub points: f64,
}

/// One point of a [trend](Results::trend).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TrendPoint {
    /// The day, month or year (`2021.10`), or the numbers of games (`1–12`).
    pub label: String,
    /// Number of games in this period.
    pub games: u64,
    /// Expected score lost per game in this period.
    pub score_loss: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sum {
    games: u64,
    score_loss: f64,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.games += other.games;
        self.score_loss += other.score_loss;
    }
}

/// Games in their order, in groups of equal size, which doubles when there are too many groups.
#[derive(Clone, Debug, PartialEq)]
struct Order {
    groups: Vec<Sum>,
    size: u64,
}

impl Default for Order {
    fn default() -> Self {
        Self {
            groups: Vec::new(),
            size: 1,
        }
    }
}

impl Order {
    fn add(&mut self, game: Sum) {
        match self.groups.last_mut().filter(|last| last.games < self.size) {
            Some(last) => last.add(game),
            None => self.groups.push(game),
        }
        if self.groups.len() > POINTS {
            self.size *= 2;
            let pairs = self.groups.chunks(2).map(|pair| {
                let mut sum = Sum::default();
                pair.iter().for_each(|group| sum.add(*group));
                sum
            });
            self.groups = pairs.collect();
        }
    }
}

impl Results {
    /// Adds one side of a game.
    pub(crate) fn add(&mut self, judged: &Judgement, color: Color) {
        let results = &mut self.colors[color.fold_wb(0, 1)];
        results
            .counts
            .add(judged.plies.iter().filter(|ply| ply.mover == color));
        if let Outcome::Known(outcome) = judged.game.result {
            results.finished += 1;
            results.points += match outcome.winner() {
                Some(winner) => f64::from(u8::from(winner == color)),
                None => 0.5,
            };
        }
        let game = Sum {
            games: 1,
            score_loss: judged.player(color).score_loss,
        };
        if let Some(day) = judged.tags().date().filter(|date| date.day().is_some()) {
            self.days.entry(day).or_default().add(game);
        }
        self.order.add(game);
    }

    /// Returns the expected score lost per game over time: by day, month or year, whichever is the
    /// finest that fits into 24 points. If most games have no date, or all have the same date, the
    /// points follow the order of the games. Empty for fewer than two points.
    pub fn trend(&self) -> Vec<TrendPoint> {
        let dated: u64 = self.days.values().map(|sum| sum.games).sum();
        let all: u64 = self.order.groups.iter().map(|group| group.games).sum();
        let mut points = if 2 * dated > all {
            self.by_date()
        } else {
            Vec::new()
        };
        if points.len() < 2 {
            points = self.by_order();
        }
        if points.len() < 2 { Vec::new() } else { points }
    }

    fn by_date(&self) -> Vec<TrendPoint> {
        let spans: [fn(PartialDate) -> PartialDate; 3] =
            [|day| day, PartialDate::only_month, PartialDate::only_year];
        let grouped = |span: fn(PartialDate) -> PartialDate| {
            let mut groups: BTreeMap<PartialDate, Sum> = BTreeMap::new();
            self.days
                .iter()
                .for_each(|(day, sum)| groups.entry(span(*day)).or_default().add(*sum));
            groups
        };
        let fitting = spans
            .into_iter()
            .map(grouped)
            .find(|groups| groups.len() <= POINTS);
        let groups = fitting.unwrap_or_default().into_iter();
        groups
            .map(|(span, sum)| TrendPoint::new(span.to_string(), sum))
            .collect()
    }

    fn by_order(&self) -> Vec<TrendPoint> {
        let mut first = 1;
        let point = |sum: &Sum| {
            let last = first + sum.games - 1;
            let label = if first == last {
                format!("{first}")
            } else {
                format!("{first}–{last}")
            };
            first = last + 1;
            TrendPoint::new(label, *sum)
        };
        self.order.groups.iter().map(point).collect()
    }
}

impl TrendPoint {
    fn new(label: String, sum: Sum) -> Self {
        Self {
            label,
            games: sum.games,
            score_loss: sum.score_loss / sum.games as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(days: impl Iterator<Item = (u16, u8, u8)>) -> Results {
        let mut results = Results::default();
        for (year, month, day) in days {
            let game = Sum {
                games: 1,
                score_loss: f64::from(month),
            };
            let day = format!("{year}.{month}.{day}").parse().unwrap();
            results.days.entry(day).or_default().add(game);
            results.order.add(game);
        }
        results
    }

    fn labels(results: &Results) -> Vec<String> {
        results
            .trend()
            .into_iter()
            .map(|point| point.label)
            .collect()
    }

    #[test]
    fn the_trend_has_few_points() {
        let year = || (1..=12).flat_map(|month| (1..=28).map(move |day| (2025, month, day)));
        assert_eq!(
            labels(&results(year().take(3))),
            ["2025.01.01", "2025.01.02", "2025.01.03"]
        );
        let trend = results(year()).trend();
        assert_eq!(
            (
                trend.len(),
                &*trend[11].label,
                trend[11].games,
                trend[11].score_loss
            ),
            (12, "2025.12", 28, 12.0)
        );
        assert_eq!(
            labels(&results(
                (2000..2003).flat_map(|year| (1..=12).map(move |month| (year, month, 1)))
            ))
            .len(),
            3
        );
        assert_eq!(labels(&results(year().take(1))), [""; 0]);
    }

    #[test]
    fn games_of_one_day_count_in_their_order() {
        let of_a_day = |games| results(std::iter::repeat_n((2025, 3, 2), games));
        assert_eq!(labels(&of_a_day(3)), ["1", "2", "3"]);
        let trend = of_a_day(1000).trend();
        assert!(
            trend.len() <= POINTS && trend.iter().map(|point| point.games).sum::<u64>() == 1000
        );
        assert_eq!((&*trend[0].label, &*trend[1].label), ("1–64", "65–128"));
    }
}
