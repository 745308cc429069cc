//! A player in many games: where points are lost, against what players of that level lose there,
//! and what to train next.
//!
//! [`PlayerGame`] is what one reviewed game says about one player. [`Profile`] sums many of them
//! into a [`ProfileDocument`].

mod answers;
mod document;
mod ending;
mod groups;
mod lesson;
mod level_loss;
mod sentences;
mod stored;

pub(crate) use answers::Finding;
use document::{CostlyMove, GroupDocument, LessonDocument, MeanDocument};
pub use document::{GroupRow, ProfileDocument};
pub(crate) use ending::Ending;
pub use level_loss::LossFeatures;

use centipawn_judge::{Cause, Judgement, Phase, is_forced};
use centipawn_pgn::{PartialDate, TimeClass};
use shakmaty::{Color, Outcome};

use self::level_loss::{LevelLossModel, short_of_time};
use crate::Language;

/// Minimum loss of a move without a symbol that lists of costly moves can show.
const SHOWN: f64 = 0.02;

/// Plausible ratings of humans. Other ratings in tags count as missing.
const RATINGS: std::ops::RangeInclusive<u32> = 400..=3300;

/// Measurements of one player in one reviewed game. Losses are expected scores, where a win counts
/// as 1. The JSON has losses with five decimals.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlayerGame {
    /// The number of the game in a library.
    pub game: i64,
    /// The number of the game's review in the library.
    pub review: i64,
    /// The player's name.
    pub player: String,
    /// The opponent's name.
    pub opponent: String,
    /// The player's color.
    pub color: Color,
    /// The player's rating, if the game has it.
    pub rating: Option<u32>,
    /// The opponent's rating, if the game has it.
    pub opponent_rating: Option<u32>,
    /// The player's points; `None` without a result.
    pub points: Option<f64>,
    /// The date as far as the game has it: `2026.10.01`.
    pub date: Option<PartialDate>,
    /// The class of the time control.
    pub time_class: Option<TimeClass>,
    /// The opening's family, as `Sicilian Defense`.
    pub opening: Option<String>,
    /// Whether an engine searched its positions, so that reasons of losses may be known.
    pub is_searched: bool,
    /// The player's expected score before the first move, and after the opening phase; `None` for
    /// a game without moves.
    pub opening_worth: Option<(f64, f64)>,
    /// The name of the ending's class, such as `rooks`, and the number of half-moves before the
    /// ending; `None` if the game has more than two pieces beside kings and pawns until its end.
    pub ending: Option<(&'static str, usize)>,
    /// The player's moves.
    pub moves: Vec<PlayerMove>,
}

/// A move of a player in a [`PlayerGame`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlayerMove {
    /// Number of the half-move, from 1.
    pub ply: usize,
    /// Move number and move in SAN with its symbol of blame: `12... Nxe4??`; empty for a move that
    /// has none and loses less than 0.02.
    pub text: String,
    /// Expected score lost, 0..=1.
    pub loss: f64,
    /// Standard error of the loss by the search; `None` if it is unknown.
    pub loss_error: Option<f64>,
    /// Expected score that players of the player's rating lose here; `None` if the rating or better
    /// moves are unknown.
    pub level_loss: Option<f64>,
    /// The cause of the loss.
    pub cause: Cause,
    /// The phase of the game.
    pub phase: Phase,
    /// Whether less than a tenth of the time for the game was left before it; `None` if either time
    /// is unknown.
    pub is_short_of_time: Option<bool>,
    /// Probability, 0..=1, that players of the player's rating find a good move here; `None` unless
    /// the review has [ease](centipawn_judge::ease).
    pub finds: Option<f64>,
}

impl PlayerGame {
    /// Returns what a judged game says about the player of this color. `game` and `job` are the
    /// numbers of the game and of its review in a library.
    pub fn of(judged: &Judgement, color: Color, game: i64, job: i64) -> Self {
        let tags = judged.tags();
        let rating = |color| tags.rating(color).filter(|rating| RATINGS.contains(rating));
        let mut level_losses = vec![None; judged.plies.len()];
        if let Some(rating) = rating(color).filter(|_| judged.players.are_people) {
            let features = LossFeatures::of(judged, color, rating);
            if !features.is_empty() {
                // A forced move counts as a loss of 0.
                let is_forced = |index: &usize| is_forced(&judged.plies[*index].before);
                (0..judged.plies.len())
                    .filter(is_forced)
                    .for_each(|index| level_losses[index] = Some(0.0));
            }
            for features in features {
                level_losses[features.ply] = Some(LevelLossModel::bundled().loss(&features));
            }
        }
        let short = short_of_time(judged);
        let own = judged
            .plies
            .iter()
            .enumerate()
            .filter(|(_, ply)| ply.mover == color);
        let moves = own.map(|(index, ply)| PlayerMove {
            ply: index + 1,
            text: match ply.symbol {
                Some(symbol) if !symbol.is_praise() => {
                    format!("{}{}", Language::English.numbered(ply), ply.glyphs())
                }
                _ if ply.score_loss >= SHOWN => Language::English.numbered(ply),
                _ => String::new(),
            },
            loss: ply.score_loss,
            loss_error: ply.certainty.map(|certainty| certainty.loss_error),
            level_loss: level_losses[index],
            cause: Cause::of(ply),
            phase: ply.phase,
            is_short_of_time: short[index],
            finds: ply
                .ease
                .iter()
                .find(|judged| judged.player.is_some())
                .map(|judged| judged.ease.finds()),
        });
        let opening = judged.opening.map(|opening| {
            opening
                .name
                .split(':')
                .next()
                .unwrap_or(opening.name)
                .to_owned()
        });
        Self {
            game,
            review: job,
            player: judged.name(color).to_owned(),
            opponent: judged.name(!color).to_owned(),
            color,
            rating: rating(color),
            opponent_rating: rating(!color),
            points: match judged.game.result {
                Outcome::Known(outcome) => Some(
                    outcome
                        .winner()
                        .map_or(0.5, |winner| f64::from(u8::from(winner == color))),
                ),
                Outcome::Unknown => None,
            },
            date: tags.date(),
            time_class: judged.game.time_class(),
            opening,
            is_searched: judged.plies.iter().any(|ply| !ply.lines.is_empty()),
            opening_worth: opening_worth(judged, color),
            ending: Ending::of(judged).map(|(ending, from)| (ending.name(), from)),
            moves: moves.collect(),
        }
    }

    /// Returns the moves that a lesson on a group of moves takes its positions from. `kind` is a
    /// kind of [groups](ProfileDocument::groups) or of causes, and `name` the name there; openings
    /// are named with the color, as in `black Sicilian Defense`.
    pub fn moves_of<'a>(
        &'a self,
        kind: &'a str,
        name: &'a str,
    ) -> impl Iterator<Item = &'a PlayerMove> + use<'a> {
        let is_game = match kind {
            "color" => groups::color(self.color) == name,
            "opening" => self.is_opening(name),
            "ending" => self.ending.is_some_and(|(ending, _)| ending == name),
            _ => true,
        };
        let ending_from = self.ending.map_or(usize::MAX, |(_, from)| from);
        let is_of = move |mv: &&PlayerMove| match kind {
            "color" => true,
            "opening" => mv.phase == Phase::Opening,
            "ending" => mv.ply > ending_from,
            "phase" => mv.phase.name() == name,
            "clock" => groups::clock(mv) == Some(name),
            "ease" => groups::ease(mv) == Some(name),
            _ => mv.cause.kind() == kind && mv.cause.name() == name,
        };
        self.moves.iter().filter(move |_| is_game).filter(is_of)
    }

    fn is_opening(&self, named: &str) -> bool {
        self.opening.as_deref().is_some_and(|opening| {
            named.strip_prefix(groups::color(self.color)) == Some(&*format!(" {opening}"))
        })
    }
}

impl PlayerMove {
    /// Returns whether the move has a symbol of blame.
    pub fn is_blamed(&self) -> bool {
        self.text.contains('?')
    }
}

/// Returns the player's expected score before the first move and after the opening phase.
fn opening_worth(judged: &Judgement, color: Color) -> Option<(f64, f64)> {
    let own = |white: f64| color.fold_wb(white, 1.0 - white);
    let first = judged.plies.first()?;
    let last = judged
        .plies
        .iter()
        .take_while(|ply| ply.phase == Phase::Opening)
        .last();
    let after = last.map_or(first.expected_score_best, |ply| ply.expected_score);
    Some((own(first.expected_score_best), own(after)))
}

/// A player in many games.
///
/// ```
/// use centipawn_review::{Language, Profile};
///
/// let profile = Profile::new("Anna", Vec::new());
/// assert_eq!(profile.document(Language::English).games, 0);
/// ```
#[derive(Clone, Debug)]
pub struct Profile {
    player: String,
    games: Vec<PlayerGame>,
}

impl Profile {
    /// Creates the profile of a player by these games.
    pub fn new(player: &str, games: Vec<PlayerGame>) -> Self {
        Self {
            player: player.to_owned(),
            games,
        }
    }

    /// Returns the player's games.
    pub fn games(&self) -> &[PlayerGame] {
        &self.games
    }

    /// Returns the mean rating in the games; `None` if no game has one.
    pub fn rating(&self) -> Option<f64> {
        let ratings: Vec<f64> = self
            .games
            .iter()
            .filter_map(|game| game.rating)
            .map(f64::from)
            .collect();
        (!ratings.is_empty()).then(|| ratings.iter().sum::<f64>() / ratings.len() as f64)
    }
}
