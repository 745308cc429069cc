//! Reviews as JSON.

use centipawn_core::{Curve, Scheme, SchemeChoice};
use centipawn_engine::Limit;
use centipawn_judge::{JudgeOptions, Phase, PhaseReview, PlayerReview};
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::PlyDocument;
use crate::{PlayRating, Review};

/// Reviews of many games, as `centipawn review --json` writes them, game by game with a
/// [`DocumentWriter`](crate::DocumentWriter).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct ReviewDocument {
    /// Version of Centipawn that wrote it.
    pub centipawn: String,
    /// The analyst's limit for a position.
    #[schema(value_type = String)]
    pub limit: Limit,
    /// Lines that the analyst was asked for.
    pub lines: usize,
    /// The schemes of symbols that were asked for: `auto,s40`.
    #[schema(value_type = String)]
    pub scheme: SchemeChoice,
    /// The reviewed games, in the order of the input.
    pub games: Vec<GameDocument>,
    /// The program, options, inputs and engine behind it.
    pub provenance: Provenance,
}

impl ReviewDocument {
    /// Returns the document of one reviewed game.
    pub fn of(review: &Review, provenance: Provenance) -> Self {
        let JudgeOptions {
            limit,
            lines,
            scheme,
            ..
        } = review.options;
        let centipawn = env!("CARGO_PKG_VERSION").to_owned();
        Self {
            centipawn,
            limit,
            lines,
            scheme,
            games: vec![review.document()],
            provenance,
        }
    }

    /// Returns the same with a document for each game.
    pub fn by_game(mut self) -> impl Iterator<Item = Self> {
        std::mem::take(&mut self.games)
            .into_iter()
            .map(move |game| Self {
                games: vec![game],
                ..self.clone()
            })
    }
}

/// A reviewed game. Plies count from 1.
///
/// ```
/// # use std::sync::Arc;
/// # use centipawn_core::{Curve, Eval};
/// # use centipawn_judge::{GameFindings, PositionFindings};
/// # use centipawn_pgn::Reader;
/// # let game = Reader::new("1. f3 e5 2. g4 Qh4# 0-1".as_bytes()).next().unwrap()?.unwrap();
/// # let found = |(best, played)| PositionFindings {
/// #     lines: Vec::new(), best, played, played_last_exact: None, best_other: None, limit: None,
/// #     ease: Vec::new(), proof: None, answer: Vec::new(),
/// # };
/// # let evals = [
/// #     (Eval::cp(30), Eval::cp(-50)), (Eval::cp(60), Eval::cp(50)),
/// #     (Eval::cp(-60), Eval::mate(-1)), (Eval::mate(1), Eval::mate(1)),
/// # ];
/// # let findings = GameFindings {
/// #     analyst: None, curve: Curve::LICHESS, positions: evals.map(found).to_vec(),
/// # };
/// # use centipawn_engine::Limit;
/// # use centipawn_review::{Review, ReviewOptions};
/// # let options = ReviewOptions::new(Limit::Nodes(100_000));
/// # let review = Review::judge(Arc::new(game), &findings, &options);
/// use centipawn_review::GameDocument;
///
/// // A review of the game 1. f3 e5 2. g4 Qh4#.
/// let document: GameDocument = review.document();
/// let json = serde_json::to_value(&document)?;
/// let ply = &json["plies"][2];
/// assert_eq!((ply["san"].as_str(), ply["symbol"].as_str()), (Some("g4"), Some("??")));
/// assert_eq!(serde_json::from_value::<GameDocument>(json)?, document);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
#[schema(description = "A reviewed game. Plies count from 1.")]
pub struct GameDocument {
    /// The tag pairs, in their order.
    pub headers: Vec<(String, String)>,
    /// FEN of the start.
    pub start_fen: String,
    /// Who analysed, with options; `None` if every evaluation came from the game itself.
    pub analyst: Option<String>,
    /// The curve, in words.
    pub curve: String,
    /// The curve's numbers.
    pub curve_numbers: Curve,
    /// The human curve for the players' own rating and time, in words; missing unless it differs
    /// from the curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub practical_curve: Option<String>,
    /// The schemes of symbols: `s20,s40`.
    #[schema(value_type = String)]
    pub scheme: Scheme,
    /// The opening, from Centipawn's table.
    pub opening: Option<OpeningDocument>,
    /// White's totals.
    pub white: PlayerDocument,
    /// Black's totals.
    pub black: PlayerDocument,
    /// Plies on which most depended, three at most, in the order of the game.
    pub critical_moments: Vec<usize>,
    /// Plies at which a good move was hardest to find, hardest first; missing without ease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub hardest_moments: Option<Vec<usize>>,
    /// The moves.
    pub plies: Vec<PlyDocument>,
    /// What stands under the review, in its language: the players that its curve is about, praise
    /// that was suppressed, who evaluated by which curve.
    #[serde(default)]
    #[schema(required = true)]
    pub notes: Vec<String>,
}

/// An opening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct OpeningDocument {
    /// Its code, `C41`.
    pub eco: String,
    /// Its name.
    pub name: String,
    /// Half-moves after which the game reaches it.
    pub plies: usize,
}

/// Totals of a player's moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct PlayerDocument {
    /// The player's name in the game, else `White` or `Black`.
    pub name: String,
    /// Moves made.
    pub moves: usize,
    /// Accuracy in Lichess' sense, per cent; `None` without a move.
    pub accuracy: Option<f64>,
    /// Standard error of `accuracy` by the errors of the searches, per cent; missing if they are
    /// unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub accuracy_error: Option<f64>,
    /// Pawns at equality given away, in total.
    pub relevant_loss: f64,
    /// Expected score lost, in total.
    pub score_loss: f64,
    /// Standard error of `score_loss` by the errors of the searches; missing if they are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub score_loss_error: Option<f64>,
    /// How often each symbol was given.
    pub symbols: SymbolCounts,
    /// Time for the moves whose time is known, in seconds; `None` if it is unknown for more than a
    /// tenth of them (two always may).
    pub time_seconds: Option<f64>,
    /// The phases of the game, in order.
    pub phases: Vec<PhaseDocument>,
    /// The rating that the moves of this game show, for humans on Lichess; missing for others and
    /// if too few moves count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub play_rating: Option<PlayRating>,
}

/// Totals of a player's moves in one phase of the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct PhaseDocument {
    /// The phase.
    pub phase: Phase,
    /// Moves made in it.
    pub moves: usize,
    /// Expected score lost in it.
    pub score_loss: f64,
    /// Relevant loss of the moves in it, in pawns; divided by the moves it is the mean per move.
    #[serde(default)]
    pub relevant_loss: f64,
}

/// How often each symbol was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SymbolCounts {
    /// `!!`
    #[serde(rename = "!!")]
    pub brilliant: usize,
    /// `!`
    #[serde(rename = "!")]
    pub good: usize,
    /// `!?`
    #[serde(rename = "!?")]
    pub interesting: usize,
    /// `?!`
    #[serde(rename = "?!")]
    pub dubious: usize,
    /// `?`
    #[serde(rename = "?")]
    pub mistake: usize,
    /// `??`
    #[serde(rename = "??")]
    pub blunder: usize,
}

impl Review {
    /// Returns the review as a document.
    pub fn document(&self) -> GameDocument {
        let language = self.language;
        GameDocument {
            headers: self
                .game
                .headers
                .iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            start_fen: self.game.start.fen(),
            analyst: self.analyst.as_ref().map(|analyst| analyst.with_options()),
            curve: self.curve.to_string(),
            curve_numbers: self.curve,
            practical_curve: self.practical_curve().map(|curve| curve.to_string()),
            scheme: self.scheme,
            opening: self.opening.map(|opening| OpeningDocument {
                eco: opening.eco.to_owned(),
                name: opening.name.to_owned(),
                plies: opening.plies,
            }),
            white: self.player_document(Color::White),
            black: self.player_document(Color::Black),
            critical_moments: self
                .critical_moments
                .iter()
                .map(|index| index + 1)
                .collect(),
            hardest_moments: (!self.options.ease.is_empty())
                .then(|| self.hardest_moments.iter().map(|index| index + 1).collect()),
            plies: self
                .plies
                .iter()
                .enumerate()
                .map(|(index, ply)| PlyDocument {
                    odds: self.odds(index),
                    hardness: self
                        .hardest_moments
                        .contains(&index)
                        .then(|| language.hard_moment(ply))
                        .flatten(),
                    ..PlyDocument::new(index, ply, &self.curve, &self.options, language)
                })
                .collect(),
            notes: self.notes(),
        }
    }

    fn player_document(&self, color: Color) -> PlayerDocument {
        let PlayerReview {
            moves,
            accuracy,
            accuracy_error,
            relevant_loss,
            score_loss,
            score_loss_error,
            symbols,
            phases,
            time,
            ..
        } = *self.player(color);
        let [white_rating, black_rating] = self.play_ratings();
        let [brilliant, good, interesting, dubious, mistake, blunder] = symbols;
        let symbols = SymbolCounts {
            brilliant,
            good,
            interesting,
            dubious,
            mistake,
            blunder,
        };
        let phases =
            Phase::ALL
                .into_iter()
                .zip(phases)
                .map(|(phase, PhaseReview { moves, score_loss })| PhaseDocument {
                    phase,
                    moves,
                    score_loss,
                    relevant_loss: self
                        .plies
                        .iter()
                        .filter(|ply| ply.mover == color && ply.phase == phase)
                        .map(|ply| ply.relevant_loss)
                        .sum::<f64>()
                        // The sum of no numbers is −0.
                        + 0.0,
                });
        PlayerDocument {
            name: self.name(color).to_owned(),
            moves,
            accuracy,
            accuracy_error,
            relevant_loss,
            score_loss,
            score_loss_error,
            symbols,
            time_seconds: time.map(|time| time.as_secs_f64()),
            phases: phases.collect(),
            play_rating: color.fold_wb(white_rating, black_rating),
        }
    }
}
