//! The key of findings in a store.

use centipawn_core::{CurveChoice, SchemeChoice};
use centipawn_engine::{Identity, Limit};
use centipawn_pgn::Dialect;
use centipawn_progress as progress;
use serde::{Deserialize, Serialize};

use centipawn_judge::{Deepen, GameFindings, JudgeOptions, ease::EaseLevels};

/// The part of [`JudgeOptions`] that shapes the questions to an analyst; the rest shapes only the
/// judgement.
///
/// It includes the scheme and the curve, since a second search confirms a mistake where a symbol
/// depends on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindOptions {
    /// The analyst's limit for a position.
    pub limit: Limit,
    /// The limit of the first pass; `None` if there is only one pass.
    pub quick: Option<Limit>,
    /// The positions that are searched again after the first pass.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deepen: Deepen,
    /// Whether the analyst may answer with deeper or wider searches than asked for.
    pub at_least: bool,
    /// Number of lines that the analyst searches in a position.
    pub lines: usize,
    /// The choice of the curve.
    pub curve: CurveChoice,
    /// Which symbols of moves. Those of positions are the default ones here, since they shape no
    /// question.
    pub scheme: SchemeChoice,
    /// The dialect of reused evaluations; `None` if none are reused.
    pub reuse_evals: Option<Dialect>,
}

/// Identifies the [findings](GameFindings) of a game: with equal keys the same game has the same
/// findings, so a store can cache them. Its JSON text is the key in the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FindKey {
    /// The name of the recipe, always `review`.
    pub recipe: String,
    /// The version of the findings, [`GameFindings::VERSION`].
    pub version: u32,
    /// The options that determine the engine requests.
    #[serde(flatten)]
    pub find: FindOptions,
    /// The engine; `None` if the game's own evaluations suffice.
    pub engine: Option<Identity>,
    /// The networks that judge ease, in order.
    pub networks: Vec<progress::Network>,
    /// The levels for which the networks judge; missing without networks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ease_levels: Option<EaseLevels>,
}

impl FindKey {
    /// Options that find what is under this key; the rest has its defaults.
    pub fn options(&self) -> JudgeOptions {
        let FindOptions {
            limit,
            quick,
            deepen,
            at_least,
            lines,
            curve,
            scheme,
            reuse_evals,
        } = self.find.clone();
        let ease = self
            .networks
            .iter()
            .map(|network| network.name.clone())
            .collect();
        let ease_levels = self.ease_levels.clone().unwrap_or_default();
        JudgeOptions {
            quick,
            deepen,
            at_least,
            lines,
            curve,
            scheme,
            reuse_evals,
            ease,
            ease_levels,
            ..JudgeOptions::new(limit)
        }
    }

    /// Creates the key of findings by `engine` (`None` if the game's own evaluations suffice) with
    /// these networks.
    pub fn new(
        options: &JudgeOptions,
        engine: Option<&Identity>,
        networks: &[progress::Network],
    ) -> Self {
        Self {
            recipe: "review".to_owned(),
            version: GameFindings::VERSION,
            find: FindOptions::of(options),
            engine: engine.cloned(),
            networks: networks.to_vec(),
            ease_levels: (!networks.is_empty()).then(|| options.ease_levels.clone()),
        }
    }

    /// Its JSON text, the same for equal keys.
    pub fn text(&self) -> String {
        // Serialising plain values with text keys cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn is_default(deepen: &Deepen) -> bool {
    *deepen == Deepen::default()
}

impl FindOptions {
    /// Returns the options that shape the questions to the analyst.
    fn of(options: &JudgeOptions) -> Self {
        let JudgeOptions {
            limit,
            quick,
            deepen,
            at_least,
            lines,
            curve,
            scheme,
            reuse_evals,
            ..
        } = options;
        Self {
            limit: *limit,
            quick: *quick,
            deepen: *deepen,
            at_least: *at_least,
            lines: *lines,
            curve: *curve,
            scheme: SchemeChoice {
                moves: scheme.moves,
                ..SchemeChoice::default()
            },
            reuse_evals: *reuse_evals,
        }
    }
}
