//! What a position is worth to the two players themselves.

use centipawn_core::{Context, Curve, CurveChoice, Eval, HumanModel, Odds, PlayerPair, White};
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use crate::{FormEval, Review};

/// Largest rating difference of the games behind the built-in constants.
const FURTHEST: f64 = 300.0;

/// A question about two players: `centipawn odds`.
///
/// ```
/// use centipawn_core::{HumanModel, PlayerPair, Pool};
/// use centipawn_review::OddsForm;
///
/// let players = PlayerPair {
///     ratings: [1620.0, 1500.0],
///     seconds: 260.0,
///     clocks: None,
///     pool: Pool::Lichess,
/// };
/// let form = OddsForm::new("1.20".parse()?, players, HumanModel::default())?;
/// assert!((0.6..0.8).contains(&form.odds().expected_score), "{:?}", form.odds());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OddsForm {
    #[serde(rename = "eval")]
    asked: FormEval,
    #[serde(skip)]
    eval: Eval<White>,
    #[serde(flatten)]
    players: PlayerPair,
    model: HumanModel,
}

/// An evaluation of more than 1000 pawns, which [`OddsForm::new`] refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an evaluation is at most 1000 pawns; a mate is #3 or #-3")]
pub struct HugeEval;

/// The document of `centipawn odds --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OddsFormDocument {
    /// The evaluation from White's side, as it was asked.
    pub eval: FormEval,
    /// The players.
    #[serde(flatten)]
    pub players: PlayerPair,
    /// The answer.
    #[serde(flatten)]
    pub odds: OddsDocument,
    /// The model behind it.
    pub model: HumanModel,
    /// Program, version and question.
    pub provenance: Provenance,
}

impl OddsForm {
    /// A question. The evaluation is White's.
    ///
    /// # Errors
    ///
    /// [`HugeEval`].
    pub fn new(asked: FormEval, players: PlayerPair, model: HumanModel) -> Result<Self, HugeEval> {
        let eval = match asked {
            FormEval::Mate { mate } => Eval::mate(mate),
            FormEval::Pawns(pawns) if pawns.abs() <= 1000.0 => {
                Eval::cp((100.0 * pawns).round() as i32)
            }
            FormEval::Pawns(_) => return Err(HugeEval),
        };
        Ok(Self {
            asked,
            eval,
            players,
            model,
        })
    }

    /// White's odds.
    pub fn odds(&self) -> OddsDocument {
        let has_clocks = self.players.clocks.is_some() && self.model.clocks.is_some();
        let odds = self
            .model
            .odds(self.eval, 1.0, Context::default(), &self.players);
        OddsDocument::new(&odds, has_clocks)
    }

    /// A sentence for players further apart than those of the games behind the built-in constants.
    pub fn warning(&self) -> Option<String> {
        let [white, black] = self.players.ratings;
        let is_far = (white - black).abs() > FURTHEST;
        is_far.then(|| {
            format!("The model had no games of players more than {FURTHEST} points apart.")
        })
    }

    /// The document with the question.
    pub fn document(&self) -> OddsFormDocument {
        let Self {
            asked: eval,
            players,
            model,
            ..
        } = *self;
        let provenance = Provenance::of("odds", self);
        OddsFormDocument {
            eval,
            players,
            odds: self.odds(),
            model,
            provenance,
        }
    }
}

/// White's odds between two named players: by the evaluation, their ratings and their clocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OddsDocument {
    /// White's expected score, 0..=1.
    pub expected_score: f64,
    /// The probability that White wins; missing if the model has no draws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub win: Option<f64>,
    /// The probability of a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub draw: Option<f64>,
    /// The probability that Black wins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub loss: Option<f64>,
    /// White's expected score by the evaluation alone: equal ratings, equal clocks.
    pub of_evaluation: f64,
    /// How many pawns the rating difference is worth to White.
    pub rating_pawns: f64,
    /// How many pawns the clocks are worth to White; missing if they are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub clock_pawns: Option<f64>,
}

impl OddsDocument {
    /// The document of odds; `has_clocks` says whether the clocks are known.
    pub fn new(odds: &Odds, has_clocks: bool) -> Self {
        let Odds {
            expected_score,
            wdl,
            of_evaluation,
            rating_pawns,
            clock_pawns,
        } = *odds;
        Self {
            expected_score,
            win: wdl.map(|wdl| wdl.win),
            draw: wdl.map(|wdl| wdl.draw),
            loss: wdl.map(|wdl| wdl.loss),
            of_evaluation,
            rating_pawns,
            clock_pawns: has_clocks.then_some(clock_pawns),
        }
    }
}

impl Review {
    /// White's odds between these two players after the move with this index: by its evaluation,
    /// their ratings, and the time that is left. `None` unless the review uses a human curve and
    /// the game has ratings or a time control; without ratings the players count as equal.
    pub fn odds(&self, index: usize) -> Option<OddsDocument> {
        let Curve::Human(curve) = self.curve else {
            return None;
        };
        if self.players.rating.is_none() && self.players.seconds.is_none() {
            return None;
        }
        let choice = CurveChoice::Human {
            rating: None,
            seconds: None,
            pool: None,
            model: curve.model,
        };
        let Curve::Human(own) = choice.curve(&self.players, self.curve, curve.units) else {
            return None;
        };
        let rating = |name: &str| self.game.headers.get(name).and_then(centipawn_pgn::rating);
        let ratings = match (rating("WhiteElo"), rating("BlackElo")) {
            (Some(white), Some(black)) => [white, black],
            _ => [own.rating; 2],
        };
        let ply = self.plies.get(index)?;
        let left = |color: Color| {
            let last = self.plies[..=index]
                .iter()
                .rev()
                .find(|ply| ply.mover == color)?;
            last.clock.map(|clock| clock.as_secs_f64())
        };
        let clocks = left(Color::White)
            .zip(left(Color::Black))
            .map(|(white, black)| [white, black]);
        let pair = PlayerPair {
            ratings,
            seconds: own.seconds,
            clocks,
            pool: own.pool,
        };
        let context = Context::of(ply.before.position());
        let odds = own.model.odds(ply.eval_played, own.units, context, &pair);
        let odds = match ply.ended {
            Some(wdl) => Odds {
                expected_score: wdl.expected_score(),
                wdl: odds.wdl.and(Some(wdl)),
                ..odds
            },
            None => odds,
        };
        Some(OddsDocument::new(&odds, clocks.is_some()))
    }
}
