//! The three answers of a profile: how the player does, what costs the player more than others of
//! the level, and what to do now.

use std::collections::BTreeMap;

use centipawn_judge::{Cause, Phase};
use shakmaty::Color;

use super::{
    CostlyMove, Ending, LessonDocument, PlayerGame, PlayerMove, Profile,
    document::{
        AnswersDocument, CostDocument, CostsDocument, DoingDocument, DoingPoint, NowDocument,
    },
    groups::{clock, color, mean, moments, whole},
    lesson,
};
use crate::{Language, player::causes::rounded};

/// Maximum number of points in the graph over time.
const POINTS: usize = 12;
/// Minimum number of games of a point.
const FEWEST_OF_POINT: usize = 5;
/// Minimum number of games of a finding.
const FEWEST: usize = 10;
/// Minimum number of moves by one cause.
const FEWEST_MOVES: usize = 3;
/// Minimum evidence of a finding about losses, in standard errors. About forty comparisons are made
/// for each player, so chance alone shows one of them for one player in twenty.
const EVIDENCE: f64 = 3.0;
/// Minimum evidence of a finding about results, of which there are few.
const EVIDENCE_OF_RESULTS: f64 = 2.5;
/// Number of games from which losses by phase, and results by the class of ending, say something
/// about other games of the player (`research/personal_phases.py`, `personal_results.py`,
/// docs/me.md).
const GAMES_FOR_PHASES: usize = 50;
/// The same for openings.
const GAMES_FOR_OPENINGS: usize = 300;
/// Maximum number of findings.
const SHOWN: usize = 5;
/// Number of causes that are named if nothing stands out.
const COMMON: usize = 3;
/// Maximum number of a finding's costliest moves.
const MOMENTS: usize = 10;
/// Maximum number of positions of a lesson, as the library makes it.
const POSITIONS: usize = 20;
/// Maximum number of lessons that are proposed one after the other.
const LESSONS: usize = 8;
/// Standard errors of a 95 % interval.
const TWO: f64 = 1.96;
/// Advantage of White, in logits of the expected score (`research/personal_results.py`).
const WHITE: f64 = 0.06;

/// Where a player differs from the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Finding<'a> {
    /// Losses by a cause.
    Cause(Cause),
    /// Losses in a phase.
    Phase(Phase),
    /// Losses with little time.
    ShortOfTime,
    /// Results with a color; with the own score, and that with the other color.
    Color(Color, [f64; 2]),
    /// The worth of positions after the opening.
    Opening(Color, &'a str),
    /// Results of games with a class of endings.
    Ending(Ending),
}

/// A finding with its numbers.
#[derive(Clone, Copy, Debug)]
struct Found<'a> {
    finding: Finding<'a>,
    games: usize,
    own: f64,
    level: f64,
    /// The 95 % interval of `own`.
    interval: (f64, f64),
    /// The difference from the level in standard errors; above 0 is worse.
    evidence: f64,
}

impl Finding<'_> {
    /// Returns the kind and the name by which [`PlayerGame::moves_of`] finds the moves.
    fn key(&self) -> (&'static str, String) {
        match self {
            Self::Cause(cause) => (cause.kind(), cause.name().to_owned()),
            Self::Phase(phase) => ("phase", phase.name().to_owned()),
            Self::ShortOfTime => ("clock", "short".to_owned()),
            Self::Color(side, _) => ("color", color(*side).to_owned()),
            Self::Opening(side, name) => ("opening", format!("{} {name}", color(*side))),
            Self::Ending(ending) => ("ending", ending.name().to_owned()),
        }
    }

    /// Returns whether the numbers are scores, of which more is better, instead of losses.
    pub(super) fn is_score(&self) -> bool {
        matches!(self, Self::Color(..) | Self::Opening(..) | Self::Ending(_))
    }

    fn needed(&self) -> f64 {
        if matches!(self, Self::Color(..) | Self::Ending(_)) {
            EVIDENCE_OF_RESULTS
        } else {
            EVIDENCE
        }
    }
}

impl Profile {
    /// Returns the answers; `causes` are those of the profile.
    pub(super) fn answers(&self, causes: &[LessonDocument], language: Language) -> AnswersDocument {
        let found = self.findings();
        let costs = self.costs(&found, language);
        let mut lessons = self.next_lessons(&found, causes, language).into_iter();
        AnswersDocument {
            doing: self.doing(language),
            costs,
            now: lessons.next(),
            then: lessons.collect(),
        }
    }

    /// Expected score lost a game over time, beside that of the level.
    fn doing(&self, language: Language) -> DoingDocument {
        let mut games: Vec<&PlayerGame> = self.games.iter().collect();
        // The sort is stable: games of one day stay in the order of the library.
        games.sort_by_key(|game| game.date);
        let losses: Vec<f64> = games.iter().map(|game| game.loss()).collect();
        let levels: Vec<(f64, f64)> = games.iter().filter_map(|game| game.compared()).collect();
        let level = (levels.len() >= FEWEST_OF_POINT).then(|| {
            let differences: Vec<f64> = levels.iter().map(|(own, level)| own - level).collect();
            let (difference, error) = mean_and_error(&differences);
            let mean = levels.iter().map(|(_, level)| level).sum::<f64>() / levels.len() as f64;
            let clear = difference.abs() > TWO * error;
            (mean, clear.then_some(difference > 0.0))
        });
        let half = losses.len() / 2;
        let trend = (half >= FEWEST).then(|| {
            let [(before, first), (after, second)] =
                [&losses[..half], &losses[half..]].map(mean_and_error);
            let clear = (after - before).abs() > EVIDENCE_OF_RESULTS * first.hypot(second);
            clear.then_some((before, after))
        });
        let size = games.len().div_ceil(POINTS).max(FEWEST_OF_POINT);
        // A rest that is too small for a point joins the last one.
        let count = (games.len() / size).max(1);
        // Games that all have the same date are labelled by their numbers.
        let is_dated = games.first().map(|game| game.date) != games.last().map(|game| game.date);
        let points = (0..count).map(|index| {
            let end = if index + 1 == count {
                games.len()
            } else {
                (index + 1) * size
            };
            point(&games[index * size..end], index * size, is_dated)
        });
        let loss = losses.iter().sum::<f64>() / losses.len().max(1) as f64;
        DoingDocument {
            text: language.doing(loss, level, trend.flatten()),
            points: if count > 1 {
                points.collect()
            } else {
                Vec::new()
            },
        }
    }

    /// Returns what stands out, the clearest first.
    fn findings(&self) -> Vec<Found<'_>> {
        let mut found: Vec<Found<'_>> = Vec::new();
        found.extend(self.causes_found());
        found.extend(self.group_found(Finding::ShortOfTime, |mv| clock(mv) == Some("short")));
        found.extend(self.color_found());
        if self.games.len() >= GAMES_FOR_PHASES {
            for phase in Phase::ALL {
                found.extend(self.group_found(Finding::Phase(phase), |mv| mv.phase == phase));
            }
            for ending in Ending::ALL {
                let is_in =
                    |game: &PlayerGame| game.ending.is_some_and(|(name, _)| name == ending.name());
                found.extend(self.results_found(Finding::Ending(ending), is_in));
            }
        }
        if self.games.len() >= GAMES_FOR_OPENINGS {
            found.extend(self.openings_found());
        }
        found.retain(|found| found.games >= FEWEST && found.evidence >= found.finding.needed());
        found.sort_by(|a, b| b.evidence.total_cmp(&a.evidence));
        found.truncate(SHOWN);
        found
    }

    /// Losses by causes. Players who lose more than the level by all causes stand out by none.
    fn causes_found(&self) -> Vec<Found<'_>> {
        let searched = self.searched();
        let mut lost: BTreeMap<Cause, (usize, f64)> = BTreeMap::new();
        for mv in self.games.iter().flat_map(|game| &game.moves) {
            let sum = lost.entry(mv.cause).or_default();
            *sum = (sum.0 + 1, sum.1 + mv.loss);
        }
        let n = searched as f64;
        let priors = lesson::priors(self.rating());
        let expected: f64 = priors.iter().map(|prior| n * prior.mean).sum();
        let all: f64 = priors
            .iter()
            .filter_map(|prior| Some(lost.get(&prior.cause)?.1))
            .sum();
        if searched == 0 || all <= 0.0 {
            return Vec::new();
        }
        let ratio = all / expected;
        let found = priors.iter().filter_map(|prior| {
            let (count, sum) = *lost.get(&prior.cause)?;
            let usual = n * prior.mean * ratio.max(1.0);
            Some(Found {
                finding: Finding::Cause(prior.cause),
                games: if count >= FEWEST_MOVES { searched } else { 0 },
                own: sum / n,
                level: prior.mean,
                interval: counted_interval(sum, searched, prior.dispersion),
                evidence: (sum - usual) / (prior.dispersion * usual).sqrt(),
            })
        });
        found.collect()
    }

    /// Losses in a group of moves, beyond what the player loses more than the level everywhere.
    fn group_found<'a>(
        &'a self,
        finding: Finding<'a>,
        is_in: impl Fn(&PlayerMove) -> bool,
    ) -> Option<Found<'a>> {
        let sum = |game: &PlayerGame, is_in: &dyn Fn(&PlayerMove) -> bool| {
            let known = game.moves.iter().filter(|mv| is_in(mv));
            known
                .filter_map(|mv| Some((mv.loss, mv.level_loss?)))
                .reduce(|a, b| (a.0 + b.0, a.1 + b.1))
        };
        let all: Vec<(f64, f64)> = self
            .games
            .iter()
            .filter_map(|game| sum(game, &|_| true))
            .collect();
        let total =
            |pairs: &[(f64, f64)]| pairs.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        let (own, level) = total(&all);
        let ratio = if level > 0.0 {
            (own / level).max(1.0)
        } else {
            1.0
        };
        let group: Vec<(f64, f64)> = self
            .games
            .iter()
            .filter_map(|game| sum(game, &is_in))
            .collect();
        if group.len() < FEWEST {
            return None;
        }
        let differences: Vec<f64> = group
            .iter()
            .map(|(own, level)| own - ratio * level)
            .collect();
        let (difference, error) = mean_and_error(&differences);
        let owns: Vec<f64> = group.iter().map(|(own, _)| *own).collect();
        let (own, own_error) = mean_and_error(&owns);
        Some(Found {
            finding,
            games: group.len(),
            own,
            level: total(&group).1 / group.len() as f64,
            interval: (own - TWO * own_error, own + TWO * own_error),
            evidence: difference / error.max(f64::MIN_POSITIVE),
        })
    }

    /// The color with the worse results, beyond what ratings and the color explain.
    fn color_found(&self) -> Option<Found<'_>> {
        let of = |side: Color| {
            let games = self.games.iter().filter(move |game| game.color == side);
            games
                .filter_map(|game| Some((game.points?, game.expected_points())))
                .collect::<Vec<_>>()
        };
        let [white, black] = Color::ALL.map(of);
        if white.len().min(black.len()) < FEWEST {
            return None;
        }
        let beyond = |games: &[(f64, f64)]| -> (f64, f64) {
            mean_and_error(
                &games
                    .iter()
                    .map(|(points, usual)| points - usual)
                    .collect::<Vec<_>>(),
            )
        };
        let ((of_white, white_error), (of_black, black_error)) = (beyond(&white), beyond(&black));
        let error = white_error.hypot(black_error);
        // Games that all ended alike, as draws, show no error.
        if error <= 0.0 {
            return None;
        }
        let (side, worse, better) = if of_white < of_black {
            (Color::White, &white, &black)
        } else {
            (Color::Black, &black, &white)
        };
        let score = |games: &[(f64, f64)]| {
            mean_and_error(&games.iter().map(|(points, _)| *points).collect::<Vec<_>>())
        };
        let ((own, own_error), (other, _)) = (score(worse), score(better));
        // Against stronger opponents with the better color, both scores can be the same.
        if own >= other {
            return None;
        }
        let usual = worse.iter().map(|(_, usual)| usual).sum::<f64>() / worse.len() as f64;
        Some(Found {
            finding: Finding::Color(side, [own, other]),
            games: worse.len(),
            own,
            level: (usual + of_white.max(of_black)).clamp(0.0, 1.0),
            interval: (own - TWO * own_error, own + TWO * own_error),
            evidence: (of_white - of_black).abs() / error,
        })
    }

    /// Openings after which the positions are worth less than after the player's other openings.
    fn openings_found(&self) -> Vec<Found<'_>> {
        let change = |game: &PlayerGame| game.opening_worth.map(|(before, after)| after - before);
        let all: Vec<f64> = self.games.iter().filter_map(change).collect();
        if all.is_empty() {
            return Vec::new();
        }
        let (usual, _) = mean_and_error(&all);
        let mut groups: BTreeMap<(&'static str, &str), Vec<&PlayerGame>> = BTreeMap::new();
        for game in &self.games {
            if let (Some(opening), Some(_)) = (&game.opening, game.opening_worth) {
                groups
                    .entry((color(game.color), opening))
                    .or_default()
                    .push(game);
            }
        }
        let found = groups.into_values().filter_map(|games| {
            let changes: Vec<f64> = games.iter().filter_map(|game| change(game)).collect();
            let (mean, error) = mean_and_error(&changes);
            let worth = |index: fn((f64, f64)) -> f64| {
                let values: Vec<f64> = games
                    .iter()
                    .filter_map(|game| game.opening_worth.map(index))
                    .collect();
                mean_and_error(&values)
            };
            let ((before, _), (after, after_error)) = (worth(|pair| pair.0), worth(|pair| pair.1));
            let first = games.first()?;
            Some(Found {
                finding: Finding::Opening(first.color, first.opening.as_deref()?),
                games: games.len(),
                own: after,
                level: before,
                interval: (after - TWO * after_error, after + TWO * after_error),
                // Compared with the own usual change, and a gain is no cost.
                evidence: (usual.min(0.0) - mean) / error.max(f64::MIN_POSITIVE),
            })
        });
        found.collect()
    }

    /// Results of a group of games, beyond what the ratings and the player's results explain.
    fn results_found<'a>(
        &'a self,
        finding: Finding<'a>,
        is_in: impl Fn(&PlayerGame) -> bool,
    ) -> Option<Found<'a>> {
        let beyond = |game: &PlayerGame| Some(game.points? - game.expected_points());
        let all: Vec<f64> = self.games.iter().filter_map(beyond).collect();
        let group: Vec<&PlayerGame> = self
            .games
            .iter()
            .filter(|game| game.points.is_some() && is_in(game))
            .collect();
        if group.len() < FEWEST {
            return None;
        }
        let (usual, _) = mean_and_error(&all);
        let (mean, error) = mean_and_error(
            &group
                .iter()
                .filter_map(|game| beyond(game))
                .collect::<Vec<_>>(),
        );
        let (own, own_error) = mean_and_error(
            &group
                .iter()
                .filter_map(|game| game.points)
                .collect::<Vec<_>>(),
        );
        Some(Found {
            finding,
            games: group.len(),
            own,
            level: (own - mean + usual).clamp(0.0, 1.0),
            interval: (own - TWO * own_error, own + TWO * own_error),
            evidence: (usual - mean) / error.max(f64::MIN_POSITIVE),
        })
    }

    /// Returns the number of games that an engine searched.
    fn searched(&self) -> usize {
        self.games.iter().filter(|game| game.is_searched).count()
    }

    fn costs(&self, found: &[Found<'_>], language: Language) -> CostsDocument {
        if let Some(first) = found.first() {
            return CostsDocument {
                text: language.finding(first.finding, first.own, first.level),
                note: None,
                is_personal: true,
                rows: found
                    .iter()
                    .map(|found| self.cost(found, language))
                    .collect(),
            };
        }
        let searched = self.searched();
        let common: Vec<Found<'_>> = lesson::common(self.rating(), COMMON)
            .into_iter()
            .map(|prior| {
                let moves = self.games.iter().flat_map(|game| &game.moves);
                let lost = moves
                    .filter(|mv| mv.cause == prior.cause)
                    .map(|mv| mv.loss)
                    .sum::<f64>();
                Found {
                    finding: Finding::Cause(prior.cause),
                    games: searched,
                    own: lost / searched.max(1) as f64,
                    level: prior.mean,
                    interval: counted_interval(lost, searched, prior.dispersion),
                    evidence: 0.0,
                }
            })
            .collect();
        let is_searched = searched > 0;
        let first = common.first().map(|common| (common.finding, common.level));
        CostsDocument {
            text: language.nothing_found(self.games.len()),
            note: Some(match first {
                Some((Finding::Cause(cause), level)) if is_searched => {
                    language.common_cause(cause, level)
                }
                _ => language.reasons_need_an_engine().to_owned(),
            }),
            is_personal: false,
            rows: if is_searched {
                common
                    .iter()
                    .map(|common| self.cost(common, language))
                    .collect()
            } else {
                Vec::new()
            },
        }
    }

    fn cost(&self, found: &Found<'_>, language: Language) -> CostDocument {
        let (kind, name) = found.finding.key();
        let (low, high) = found.interval;
        let most = if found.finding.is_score() {
            1.0
        } else {
            f64::INFINITY
        };
        CostDocument {
            kind: kind.to_owned(),
            label: language.finding_name(found.finding),
            is_score: found.finding.is_score(),
            games: found.games,
            own: rounded(found.own),
            interval: (rounded(low.max(0.0)), rounded(high.min(most))),
            level: rounded(found.level),
            moments: self.moments_of(kind, &name, MOMENTS),
            name,
        }
    }

    /// Returns what to do now, and after that: first what stands out, then the causes whose lesson
    /// may be worth most, in the end the mistakes without a known cause.
    fn next_lessons(
        &self,
        found: &[Found<'_>],
        causes: &[LessonDocument],
        language: Language,
    ) -> Vec<NowDocument> {
        let of = |kind: &str, name: &str, finding: Finding<'_>, costs: Option<(f64, f64)>| {
            let moments = self.moments_of(kind, name, POSITIONS);
            let mistakes = self.games.iter().flat_map(|game| game.moves_of(kind, name));
            let positions = mistakes.filter(|mv| mv.is_blamed()).count().min(POSITIONS);
            (positions > 0).then(|| NowDocument {
                kind: kind.to_owned(),
                name: name.to_owned(),
                label: language.finding_name(finding),
                text: language.now(finding, positions, costs),
                button: language.start(finding),
                positions,
                first: moments.into_iter().find(|moment| moment.text.contains('?')),
            })
        };
        let personal = found.iter().filter_map(|found| {
            let (kind, name) = found.finding.key();
            of(kind, &name, found.finding, Some((found.own, found.level)))
        });
        let usual = causes.iter().filter_map(|lesson| {
            let cause = Cause::of_names(&lesson.kind, &lesson.cause)?;
            of(&lesson.kind, &lesson.cause, Finding::Cause(cause), None)
        });
        // One or two positions are no lesson, if another cause has more.
        let mut usual: Vec<NowDocument> = usual.collect();
        usual.sort_by_key(|lesson| lesson.positions < FEWEST_MOVES);
        let mut lessons: Vec<NowDocument> = Vec::new();
        for lesson in personal.chain(usual) {
            let is_same =
                |other: &NowDocument| (&other.kind, &other.name) == (&lesson.kind, &lesson.name);
            if !lessons.iter().any(is_same) {
                lessons.push(lesson);
            }
        }
        lessons.truncate(LESSONS);
        lessons
    }

    fn moments_of(&self, kind: &str, name: &str, most: usize) -> Vec<CostlyMove> {
        let moves = self
            .games
            .iter()
            .flat_map(|game| game.moves_of(kind, name).map(move |mv| (game, mv)));
        moments(moves, most)
    }
}

impl PlayerGame {
    fn loss(&self) -> f64 {
        self.moves.iter().map(|mv| mv.loss).sum()
    }

    /// Returns the player's loss and that of the level, in the moves in which both are known.
    fn compared(&self) -> Option<(f64, f64)> {
        super::groups::compared(&whole(self))
    }

    /// Returns the points that the ratings and the color predict, on the scale of Elo.
    fn expected_points(&self) -> f64 {
        let ratings = self.rating.zip(self.opponent_rating);
        let difference = ratings.map_or(0.0, |(own, other)| f64::from(own) - f64::from(other));
        let logits = self.color.fold_wb(WHITE, -WHITE)
            + std::f64::consts::LN_10 * difference.clamp(-800.0, 800.0) / 400.0;
        1.0 / (1.0 + (-logits).exp())
    }
}

/// Returns a point of the graph: games in a row, of which `before` precede them.
fn point(games: &[&PlayerGame], before: usize, is_dated: bool) -> DoingPoint {
    let losses: Vec<f64> = games.iter().map(|game| game.loss()).collect();
    let levels: Vec<f64> = games
        .iter()
        .filter_map(|game| Some(game.compared()?.1))
        .collect();
    let dates = [games.first(), games.last()].map(|game| game.and_then(|game| game.date));
    DoingPoint {
        label: match dates {
            [Some(first), Some(last)] if is_dated && first == last => first.to_string(),
            [Some(first), Some(last)] if is_dated => format!("{first} – {last}"),
            _ => format!("{}–{}", before + 1, before + games.len()),
        },
        games: games.len(),
        loss: mean(&losses, Some((0.0, f64::INFINITY))),
        level_loss: (2 * levels.len() > games.len())
            .then(|| rounded(levels.iter().sum::<f64>() / levels.len() as f64)),
    }
}

/// Returns the 95 % interval of the expected score that a cause costs in a game, from what it cost
/// in so many games. The variance of a sum is its mean times the dispersion. The interval contains
/// the means from which the sum differs by less than two standard errors, also if nothing was lost.
fn counted_interval(lost: f64, games: usize, dispersion: f64) -> (f64, f64) {
    let spread = TWO * TWO * dispersion;
    let half = (spread * lost + spread * spread / 4.0).sqrt();
    let of = |sum: f64| sum.max(0.0) / games.max(1) as f64;
    (
        of(lost + spread / 2.0 - half),
        of(lost + spread / 2.0 + half),
    )
}

/// Returns the mean and its standard error.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    let squares = values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>();
    (mean, (squares / (n - 1.0).max(1.0) / n.max(1.0)).sqrt())
}

#[cfg(test)]
mod tests;
