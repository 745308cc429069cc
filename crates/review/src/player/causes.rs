//! What costs a player points: causes of mistakes, counted and weighed by the expected score lost,
//! over many games.

mod resamples;

use std::collections::BTreeMap;

use centipawn_judge::{Cause, Judgement};
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use self::resamples::Resamples;
use crate::Language;

/// Causes of a player's losses over many games.
///
/// Each move belongs to exactly one cause, so that the points lost add up: a move with a
/// [reason](centipawn_judge::reason::Reason) to that of the reason, a `?` or `??` without one to
/// [`Cause::Unexplained`], every other move that loses expected score to [`Cause::Smaller`]. Memory
/// does not grow with the number of games.
///
/// ```
/// use centipawn_review::{Causes, Language};
///
/// assert!(Causes::default().documents(Language::English).is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Causes {
    games: u64,
    searched_games: u64,
    totals: BTreeMap<Cause, Total>,
    resamples: Resamples,
}

/// The number of mistakes with a cause, and the expected score lost by them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Total {
    count: u64,
    score_loss: f64,
}

/// A cause in JSON. Points are expected score; a win is worth 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct CauseDocument {
    /// `allows`: what the opponent could do; `misses`: what the better move would have achieved;
    /// `rest`: moves without a reason.
    pub kind: String,
    /// `hanging piece`, `pawn`, `fork`, `pin`, `skewer`, `discovered attack`, `removed defender`,
    /// `intermezzo`, `trapped piece`, `promotion`, `back rank`, `mate`, `perpetual check`, `draw by
    /// rule` or `material`; of the rest, `unexplained` (a `?` or `??` without a proven reason) or
    /// `smaller losses` (all other moves).
    pub cause: String,
    /// Number of moves; moves that lost nothing are not counted as `smaller losses`.
    pub count: u64,
    /// Expected score lost by them.
    pub score_loss: f64,
    /// Their share of all expected score lost by the player, 0..=1.
    pub share: f64,
    /// 95 % confidence interval of the expected score lost, by resampling games; `None` for fewer
    /// than ten games.
    pub interval: Option<(f64, f64)>,
    /// The cause in words, in the review's language: `hangs pieces: 9 times, 3.1 points`.
    pub text: String,
}

impl Causes {
    /// Adds the moves of one side in a game. `game` is the game's number: the same numbers give the
    /// same intervals.
    pub fn add(&mut self, judged: &Judgement, color: Color, game: u64) {
        let own = judged.plies.iter().filter(|ply| ply.mover == color);
        self.searched_games += u64::from(judged.plies.iter().any(|ply| !ply.lines.is_empty()));
        self.add_moves(own.map(|ply| (Cause::of(ply), ply.score_loss)), game);
    }

    fn add_moves(&mut self, moves: impl Iterator<Item = (Cause, f64)>, game: u64) {
        let mut losses: BTreeMap<Cause, f64> = BTreeMap::new();
        for (cause, loss) in moves.filter(|(cause, loss)| cause.counts(*loss)) {
            let total = self.totals.entry(cause).or_default();
            total.count += 1;
            total.score_loss += loss;
            *losses.entry(cause).or_default() += loss;
        }
        self.games += 1;
        self.resamples.add(game, losses);
    }

    /// Games added.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Games that an engine searched, so that their losses may have reasons.
    pub fn searched_games(&self) -> u64 {
        self.searched_games
    }

    /// Returns all causes: those with a reason first, the costliest first; then the rest.
    pub fn documents(&self, language: Language) -> Vec<CauseDocument> {
        let all: f64 = self.totals.values().map(|total| total.score_loss).sum();
        let intervals = self.resamples.intervals(self.games);
        let mut totals: Vec<(Cause, Total)> = self
            .totals
            .iter()
            .map(|(cause, total)| (*cause, *total))
            .collect();
        totals.sort_by(|(a, of_a), (b, of_b)| {
            a.topic()
                .is_none()
                .cmp(&b.topic().is_none())
                .then(of_b.score_loss.total_cmp(&of_a.score_loss))
        });
        let document = |(cause, total): (Cause, Total)| CauseDocument {
            kind: cause.kind().to_owned(),
            cause: cause.name().to_owned(),
            count: total.count,
            score_loss: rounded(total.score_loss),
            share: if all > 0.0 {
                rounded(total.score_loss / all)
            } else {
                0.0
            },
            interval: intervals
                .get(&cause)
                .map(|(low, high)| (rounded(*low), rounded(*high))),
            text: language.cause(cause, total.count, total.score_loss),
        };
        totals.into_iter().map(document).collect()
    }
}

/// Rounds to four decimals.
pub(crate) fn rounded(value: f64) -> f64 {
    // An empty sum is −0, which JSON would show. Adding 0 turns −0 into 0.
    (value * 10_000.0).round() / 10_000.0 + 0.0
}

impl CauseDocument {
    /// Returns whether the cause is a reason, which can be trained.
    pub fn is_explained(&self) -> bool {
        self.kind != "rest"
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use centipawn_judge::Topic;

    const FORK: Cause = Cause::Allows(Topic::Fork);
    const HANGS: Cause = Cause::Allows(Topic::HangingPiece);

    /// Returns a player's games: a fork in every fourth, a hanging piece in every second, an
    /// unexplained mistake in every third.
    fn causes(games: u64) -> Causes {
        let mut causes = Causes::default();
        for game in 1..=games {
            let every =
                |nth: u64, cause: Cause, loss: f64| (game % nth == 0).then_some((cause, loss));
            let moves = [
                every(4, FORK, 0.3),
                every(2, HANGS, 0.25 + 0.01 * (game % 7) as f64),
                every(3, Cause::Unexplained, 0.2),
                Some((Cause::Smaller, 0.02)),
                Some((Cause::Smaller, 0.03)),
                Some((Cause::Smaller, 0.0)),
            ];
            causes.add_moves(moves.into_iter().flatten(), game);
        }
        causes
    }

    #[test]
    fn the_costliest_comes_first_and_the_shares_sum_to_one() {
        let causes = causes(40);
        let documents = causes.documents(Language::English);
        let names: Vec<&str> = documents
            .iter()
            .map(|document| document.cause.as_str())
            .collect();
        assert_eq!(
            names,
            ["hanging piece", "fork", "unexplained", "smaller losses"]
        );
        let counts: Vec<u64> = documents.iter().map(|document| document.count).collect();
        assert_eq!(counts, [20, 10, 13, 80]);
        let share: f64 = documents.iter().map(|document| document.share).sum();
        assert!((share - 1.0).abs() < 3e-4, "{share}");
        assert!((documents[1].score_loss - 3.0).abs() < 1e-9);
        assert_eq!(causes.games(), 40);
        assert_eq!(documents[1].text, "allows forks: 10 times, 3.0 points");
        assert_eq!(
            causes.documents(Language::German)[1].text,
            "lässt Gabeln zu: 10-mal, 3,0 Punkte"
        );
    }

    #[test]
    fn intervals_contain_the_points_and_are_reproducible() {
        for games in [10, 40, 1000] {
            let documents = causes(games).documents(Language::English);
            assert_eq!(documents, causes(games).documents(Language::English));
            for CauseDocument {
                cause,
                score_loss,
                interval,
                ..
            } in documents
            {
                let (low, high) = interval.unwrap();
                assert!(
                    low <= score_loss && score_loss <= high,
                    "{cause} in {games}: {low} {score_loss} {high}"
                );
            }
        }
        assert!(
            causes(9)
                .documents(Language::English)
                .iter()
                .all(|document| document.interval.is_none())
        );
    }

    #[test]
    fn moves_that_lose_nothing_count_only_with_a_cause() {
        let mut causes = Causes::default();
        causes.add_moves(
            [(Cause::Smaller, 0.0), (Cause::Allows(Topic::Mate), 0.0)].into_iter(),
            1,
        );
        let counts: Vec<_> = causes
            .documents(Language::English)
            .into_iter()
            .map(|it| (it.cause, it.count))
            .collect();
        assert_eq!((counts, causes.games()), (vec![("mate".to_owned(), 1)], 1));
    }

    /// The bootstrap of a sum over games has the standard deviation of the games, times the root of
    /// their number.
    #[test]
    fn intervals_are_as_wide_as_theory_says() {
        let games = 1000;
        let found = causes(games).documents(Language::English);
        let fork = found
            .iter()
            .find(|document| document.cause == "fork")
            .unwrap();
        let (low, high) = fork.interval.unwrap();
        let deviation = 0.3 * (0.25_f64 * 0.75 * games as f64).sqrt();
        let expected = 2.0 * 1.96 * deviation;
        assert!(
            ((high - low) / expected - 1.0).abs() < 0.2,
            "{} instead of {expected}",
            high - low
        );
    }

    #[test]
    fn every_cause_has_its_own_words() {
        for language in Language::ALL {
            let causes = Topic::ALL
                .into_iter()
                .flat_map(|topic| [Cause::Allows(topic), Cause::Misses(topic)]);
            let causes = causes.chain([Cause::Unexplained, Cause::Smaller]);
            let texts: Vec<String> = causes.map(|cause| language.cause(cause, 1, 0.5)).collect();
            assert_eq!(texts.iter().collect::<BTreeSet<_>>().len(), texts.len());
        }
        assert_eq!(
            Language::English.cause(HANGS, 1, 0.456),
            "hangs pieces: once, 0.46 points"
        );
        assert_eq!(
            Language::German.cause(HANGS, 1, 0.456),
            "stellt Figuren ein: einmal, 0,46 Punkte"
        );
    }
}
