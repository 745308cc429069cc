//! Groups of a player's games and moves, with means over games.

use std::collections::BTreeMap;

use centipawn_judge::Phase;
use centipawn_pgn::PartialDate;
use shakmaty::Color;

use super::{
    CostlyMove, Ending, GroupDocument, GroupRow, MeanDocument, PlayerGame, PlayerMove, Profile,
    ProfileDocument, lesson,
};
use crate::{Language, player::causes::rounded};

/// Minimum number of games for an interval.
const FEWEST: usize = 5;
/// Maximum number of a group's costliest moves in the list.
const MOMENTS: usize = 10;
/// Maximum number of openings with a separate group; all other openings share one group.
const OPENINGS: usize = 12;
/// Maximum rating difference at which an opponent counts as equal.
const EQUAL: i64 = 100;

/// Least probability of a good move in easy positions.
const EASY: f64 = 0.8;
/// The same, below which positions are hard.
const HARD: f64 = 0.5;

/// The moves of one game that belong to a group.
pub(super) struct Part<'a> {
    game: &'a PlayerGame,
    moves: Vec<&'a PlayerMove>,
}

impl Profile {
    /// Returns the document, with texts in `language`.
    pub fn document(&self, language: Language) -> ProfileDocument {
        let dates = self.games.iter().filter_map(|game| game.date);
        let dates = dates
            .clone()
            .min()
            .zip(dates.max())
            .map(|(first, last)| (first.to_string(), last.to_string()));
        let causes = lesson::lessons(&self.games, self.rating(), language);
        ProfileDocument {
            answers: self.answers(&causes, language),
            player: self.player.clone(),
            games: self.games.len(),
            rating: self.rating(),
            dates,
            total: row(
                "all",
                "",
                &self.games.iter().map(whole).collect::<Vec<_>>(),
                true,
            ),
            groups: self.groups(),
            next: causes
                .iter()
                .find(|cause| cause.estimate.is_some())
                .cloned(),
            causes,
        }
    }

    fn groups(&self) -> Vec<GroupDocument> {
        let all = [
            ("color", self.by_game(|game| Some(color(game.color)))),
            (
                "phase",
                self.by_move(
                    |mv| Some(mv.phase.name()),
                    Phase::ALL.map(Phase::name).as_slice(),
                ),
            ),
            ("clock", self.by_move(clock, &["enough", "short"])),
            ("ease", self.by_move(ease, &["easy", "middling", "hard"])),
            (
                "time class",
                self.by_game(|game| game.time_class.map(centipawn_pgn::TimeClass::name)),
            ),
            ("opponent", self.by_game(opponent)),
            ("opening", self.openings()),
            ("ending", self.endings()),
            ("month", self.months()),
        ];
        let documents = all.into_iter().filter(|(_, rows)| !rows.is_empty());
        documents
            .map(|(kind, rows)| GroupDocument {
                kind: kind.to_owned(),
                rows,
            })
            .collect()
    }

    /// Groups of whole games, those with the most games first.
    fn by_game(&self, name: impl Fn(&PlayerGame) -> Option<&'static str>) -> Vec<GroupRow> {
        let mut groups: BTreeMap<&str, Vec<Part<'_>>> = BTreeMap::new();
        for game in &self.games {
            if let Some(name) = name(game) {
                groups.entry(name).or_default().push(whole(game));
            }
        }
        let mut rows: Vec<GroupRow> = groups
            .iter()
            .map(|(name, parts)| row(name, "", parts, true))
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.games));
        rows
    }

    /// Groups of moves, in the order of `names`.
    fn by_move(
        &self,
        name: impl Fn(&PlayerMove) -> Option<&'static str>,
        names: &[&str],
    ) -> Vec<GroupRow> {
        let rows = names.iter().map(|wanted| {
            let parts = self.games.iter().filter_map(|game| {
                let moves: Vec<&PlayerMove> = game
                    .moves
                    .iter()
                    .filter(|mv| name(mv) == Some(wanted))
                    .collect();
                (!moves.is_empty()).then_some(Part { game, moves })
            });
            row(wanted, "", &parts.collect::<Vec<_>>(), false)
        });
        rows.filter(|row| row.games > 0).collect()
    }

    /// Openings by color, those with the most games first; the rest as `other`.
    fn openings(&self) -> Vec<GroupRow> {
        let mut groups: BTreeMap<(&str, &str), Vec<Part<'_>>> = BTreeMap::new();
        for game in &self.games {
            if let Some(opening) = &game.opening {
                // Later moves say nothing about the opening.
                let moves = game.moves.iter().filter(|mv| mv.phase == Phase::Opening);
                groups
                    .entry((opening, color(game.color)))
                    .or_default()
                    .push(Part {
                        game,
                        moves: moves.collect(),
                    });
            }
        }
        let mut groups: Vec<((&str, &str), Vec<Part<'_>>)> = groups.into_iter().collect();
        groups.sort_by_key(|(_, parts)| std::cmp::Reverse(parts.len()));
        let others = groups.split_off(groups.len().min(OPENINGS));
        let mut rows: Vec<GroupRow> = groups
            .iter()
            .map(|((opening, color), parts)| opening_row(opening, color, parts))
            .collect();
        let others: Vec<Part<'_>> = others.into_iter().flat_map(|(_, parts)| parts).collect();
        if !others.is_empty() {
            rows.push(opening_row("other", "", &others));
        }
        rows
    }

    /// Classes of endings, with the moves from the ending on; games without one last, as `none`.
    fn endings(&self) -> Vec<GroupRow> {
        let names = Ending::ALL.map(Ending::name);
        let rows = names.into_iter().map(|name| {
            let parts = self.games.iter().filter_map(|game| {
                let (_, from) = game.ending.filter(|(ending, _)| *ending == name)?;
                let moves = game.moves.iter().filter(|mv| mv.ply > from);
                Some(Part {
                    game,
                    moves: moves.collect(),
                })
            });
            row(name, "", &parts.collect::<Vec<_>>(), true)
        });
        let rows: Vec<GroupRow> = rows.filter(|row| row.games > 0).collect();
        let others: Vec<Part<'_>> = self
            .games
            .iter()
            .filter(|game| game.ending.is_none())
            .map(whole)
            .collect();
        if rows.is_empty() || others.is_empty() {
            return rows;
        }
        rows.into_iter()
            .chain([row("none", "", &others, true)])
            .collect()
    }

    /// Months in their order.
    fn months(&self) -> Vec<GroupRow> {
        let mut groups: BTreeMap<PartialDate, Vec<Part<'_>>> = BTreeMap::new();
        for game in &self.games {
            if let Some(date) = game.date.filter(|date| date.month().is_some()) {
                groups
                    .entry(date.only_month())
                    .or_default()
                    .push(whole(game));
            }
        }
        groups
            .iter()
            .map(|(month, parts)| row(&month.to_string(), "", parts, true))
            .collect()
    }
}

pub(super) fn whole(game: &PlayerGame) -> Part<'_> {
    Part {
        game,
        moves: game.moves.iter().collect(),
    }
}

pub(super) fn color(color: Color) -> &'static str {
    color.fold_wb("white", "black")
}

pub(super) fn clock(mv: &PlayerMove) -> Option<&'static str> {
    mv.is_short_of_time
        .map(|is_short| if is_short { "short" } else { "enough" })
}

/// Returns how hard it was for players of the rating to find a good move: `easy` if at least four
/// of five find one, `hard` if fewer than half do.
pub(super) fn ease(mv: &PlayerMove) -> Option<&'static str> {
    mv.finds.map(|finds| match finds {
        _ if finds >= EASY => "easy",
        _ if finds < HARD => "hard",
        _ => "middling",
    })
}

fn opponent(game: &PlayerGame) -> Option<&'static str> {
    let difference = i64::from(game.opponent_rating?) - i64::from(game.rating?);
    Some(match difference {
        _ if difference < -EQUAL => "weaker",
        _ if difference > EQUAL => "stronger",
        _ => "equal",
    })
}

/// Returns the row of an opening, whose moves are those of the opening phase.
fn opening_row(name: &str, color: &str, parts: &[Part<'_>]) -> GroupRow {
    let worths: Vec<f64> = parts
        .iter()
        .filter_map(|part| Some(part.game.opening_worth?.1))
        .collect();
    GroupRow {
        after_opening: (!worths.is_empty()).then(|| mean(&worths, Some((0.0, 1.0)))),
        ..row(name, color, parts, true)
    }
}

/// Returns the row of a group; `is_of_games`: it consists of whole games, which have results.
fn row(name: &str, color: &str, parts: &[Part<'_>], is_of_games: bool) -> GroupRow {
    let points: Vec<f64> = parts.iter().filter_map(|part| part.game.points).collect();
    let losses: Vec<f64> = parts
        .iter()
        .map(|part| part.moves.iter().map(|mv| mv.loss).sum())
        .collect();
    // Only moves with a known loss of the player's level count in the comparison.
    let compared: Vec<(f64, f64)> = parts.iter().filter_map(compared).collect();
    let level_loss = (!compared.is_empty()).then(|| {
        rounded(compared.iter().map(|(_, level)| level).sum::<f64>() / compared.len() as f64)
    });
    let differences: Vec<f64> = compared.iter().map(|(own, level)| own - level).collect();
    GroupRow {
        name: name.to_owned(),
        color: color.to_owned(),
        games: parts.len(),
        moves: parts.iter().map(|part| part.moves.len()).sum(),
        score: (is_of_games && !points.is_empty()).then(|| mean(&points, Some((0.0, 1.0)))),
        after_opening: None,
        loss: mean(&losses, Some((0.0, f64::INFINITY))),
        loss_search_error: search_error(parts),
        level_loss,
        difference: (!differences.is_empty()).then(|| mean(&differences, None)),
        moments: moments(
            parts
                .iter()
                .flat_map(|part| part.moves.iter().map(|mv| (part.game, *mv))),
            MOMENTS,
        ),
    }
}

/// Returns the standard error that the searches leave in the mean loss of a game: the errors of
/// different searches are independent.
fn search_error(parts: &[Part<'_>]) -> Option<f64> {
    let errors = parts
        .iter()
        .flat_map(|part| part.moves.iter().filter_map(|mv| mv.loss_error));
    let squares: Vec<f64> = errors.map(|error| error * error).collect();
    (!squares.is_empty()).then(|| rounded(squares.iter().sum::<f64>().sqrt() / parts.len() as f64))
}

/// Returns the player's loss and that of the level, in the moves of a game in which both are known.
pub(super) fn compared(part: &Part<'_>) -> Option<(f64, f64)> {
    let known: Vec<(f64, f64)> = part
        .moves
        .iter()
        .filter_map(|mv| Some((mv.loss, mv.level_loss?)))
        .collect();
    (!known.is_empty()).then(|| {
        known
            .iter()
            .fold((0.0, 0.0), |(own, level), (loss, expected)| {
                (own + loss, level + expected)
            })
    })
}

/// Returns the costliest moves with a symbol, the costliest first.
pub(super) fn moments<'a>(
    moves: impl Iterator<Item = (&'a PlayerGame, &'a PlayerMove)>,
    most: usize,
) -> Vec<CostlyMove> {
    let mut costly: Vec<_> = moves.filter(|(_, mv)| !mv.text.is_empty()).collect();
    costly.sort_by(|(_, a), (_, b)| b.loss.total_cmp(&a.loss));
    let document = |(game, mv): (&PlayerGame, &PlayerMove)| CostlyMove {
        game: game.game,
        review: game.review,
        ply: mv.ply,
        text: mv.text.clone(),
        opponent: game.opponent.clone(),
        date: game.date.map_or_else(String::new, |date| date.to_string()),
        loss: rounded(mv.loss),
    };
    costly.into_iter().take(most).map(document).collect()
}

/// Returns a mean with its 95 % interval, cut off at limits that the quantity cannot exceed.
pub(super) fn mean(values: &[f64], limits: Option<(f64, f64)>) -> MeanDocument {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    let variance = values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / (n - 1.0);
    let half = student(values.len().saturating_sub(1)) * (variance / n).sqrt();
    let (least, most) = limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    MeanDocument {
        mean: rounded(mean),
        interval: (values.len() >= FEWEST).then(|| {
            (
                rounded((mean - half).max(least)),
                rounded((mean + half).min(most)),
            )
        }),
    }
}

/// Returns the 97.5 % quantile of Student's t, by the expansion of Cornish and Fisher (Abramowitz
/// and Stegun, 26.7.5); exact to 0.01 from four degrees of freedom on.
fn student(freedom: usize) -> f64 {
    let (z, n) = (1.959_964_f64, freedom as f64);
    z + (z.powi(3) + z) / (4.0 * n)
        + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n)
        + (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / (384.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    use centipawn_judge::Cause;

    use super::*;

    #[test]
    fn quantiles_of_student() {
        for (freedom, expected) in [(4, 2.776), (9, 2.262), (29, 2.045), (1000, 1.962)] {
            assert!(
                (student(freedom) - expected).abs() < 0.01,
                "{freedom}: {}",
                student(freedom)
            );
        }
    }

    fn mv(loss_error: Option<f64>, finds: Option<f64>) -> PlayerMove {
        PlayerMove {
            ply: 1,
            text: String::new(),
            loss: 0.1,
            loss_error,
            level_loss: None,
            cause: Cause::Smaller,
            phase: Phase::Opening,
            is_short_of_time: None,
            finds,
        }
    }

    /// Moves are grouped by how many players of the level find a good move, where that is known.
    #[test]
    fn moves_are_grouped_by_how_hard_they_were_to_find() {
        let finds = [
            Some(0.8),
            Some(0.79),
            Some(0.5),
            Some(0.49),
            Some(1.0),
            None,
        ];
        let game = PlayerGame {
            moves: finds.map(|finds| mv(None, finds)).to_vec(),
            ..game("2021.10.01")
        };
        // Stored games keep it.
        let stored = serde_json::to_string(&game).unwrap();
        let game: PlayerGame = serde_json::from_str(&stored).unwrap();
        let hard = game.moves_of("ease", "hard").count();
        let document = Profile::new("Anna", vec![game]).document(Language::English);
        let ease = document.groups.iter().find(|group| group.kind == "ease");
        let rows = ease.unwrap().rows.iter();
        let rows: Vec<(&str, usize)> = rows.map(|row| (&*row.name, row.moves)).collect();
        assert_eq!(rows, [("easy", 2), ("middling", 2), ("hard", 1)]);
        assert_eq!(hard, 1);
    }

    /// Two games with three known errors: the error of the sum is 0.05, that of the mean half of
    /// it.
    #[test]
    fn errors_of_searches_add_up() {
        let mv = |loss_error| mv(loss_error, None);
        let game = |errors: &[Option<f64>]| PlayerGame {
            moves: errors.iter().copied().map(mv).collect(),
            ..game("2021.10.01")
        };
        let searched = [game(&[Some(0.03), None]), game(&[Some(0.04), Some(0.0)])];
        let total = |games: &[PlayerGame]| {
            let profile = Profile::new("Anna", games.to_vec());
            profile.document(Language::English).total.loss_search_error
        };
        assert_eq!(total(&searched), Some(0.025));
        assert_eq!(total(&[game(&[None, None])]), None);
    }

    fn game(date: &str) -> PlayerGame {
        PlayerGame {
            game: 1,
            review: 1,
            player: "Anna".to_owned(),
            opponent: "Boris".to_owned(),
            color: Color::White,
            rating: None,
            opponent_rating: None,
            points: None,
            date: PartialDate::read(date),
            time_class: None,
            opening: None,
            is_searched: false,
            opening_worth: None,
            ending: None,
            moves: Vec::new(),
        }
    }

    /// Different spellings of a date are the same date, and months are sorted by time.
    #[test]
    fn games_are_grouped_by_month() {
        let dates = [
            "2021.9.30",
            "2021.10.01",
            "2021.2.3",
            "2020.12.31",
            "2021-09-05",
            "2021",
            "?",
        ];
        let document = Profile::new("Anna", dates.map(game).to_vec()).document(Language::English);
        assert_eq!(
            document.dates,
            Some(("2020.12.31".to_owned(), "2021.10.01".to_owned()))
        );
        let months = document
            .groups
            .iter()
            .find(|group| group.kind == "month")
            .unwrap();
        let months: Vec<(&str, usize)> = months
            .rows
            .iter()
            .map(|row| (&*row.name, row.games))
            .collect();
        assert_eq!(
            months,
            [
                ("2020.12", 1),
                ("2021.02", 1),
                ("2021.09", 2),
                ("2021.10", 1)
            ]
        );
    }

    #[test]
    fn few_games_have_no_interval() {
        assert_eq!(mean(&[1.0, 0.0, 0.5, 1.0], None).interval, None);
        let MeanDocument { mean, interval } = mean(&[1.0, 0.0, 0.5, 1.0, 0.0], Some((0.0, 1.0)));
        let (low, high) = interval.unwrap();
        assert_eq!(mean, 0.5);
        assert!(
            low < 0.1 && high > 0.9 && low >= 0.0 && high <= 1.0,
            "{low} {high}"
        );
    }
}
