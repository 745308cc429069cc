//! Options of a review: those that shape the questions to an analyst, and those that shape the judgement of its answers.

use centipawn_core::{CurveChoice, SchemeChoice};
use centipawn_engine::{Identity, Limit};
use centipawn_pgn::Dialect;
use centipawn_policy::Network;
use centipawn_progress as progress;
use serde::{Deserialize, Serialize};

use crate::{Language, ease::EaseLevels};

/// How games are reviewed. In JSON all fields but [`limit`](Self::limit) may be missing; they then have their default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewOptions {
    /// The analyst's limit for a position.
    pub limit: Limit,
    /// A smaller limit, to which all positions of a game are searched first; then [`limit`](Self::limit) is only for positions
    /// where a symbol may depend on it. With `None`, the default, every position is searched to `limit` at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quick: Option<Limit>,
    /// Which positions are searched to [`limit`](Self::limit) after the first pass. Default [`Deepen::Symbols`].
    #[serde(default, skip_serializing_if = "Deepen::is_default")]
    pub deepen: Deepen,
    /// Whether the analyst may answer with deeper or wider searches than asked for, as a store can; results then depend on
    /// what the store contains. Default `false`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Lines that the analyst searches in a position, 1 or more; good-move symbols need at least 2. Default 2.
    #[serde(default = "default_lines")]
    pub lines: usize,
    /// From evaluations to expected scores. [`CurveChoice::Auto`], the default, judges games of people for study, and any other
    /// game by the curve of the evaluations' source: the analyst ([`Curve::for_engine`](centipawn_core::Curve::for_engine)) or,
    /// with [`reuse_evals`](Self::reuse_evals), the site or event of the game.
    #[serde(default)]
    pub curve: CurveChoice,
    /// From expected scores to symbols. Default `auto,s40`: s20 for moves under the human curve, s8 under any other.
    #[serde(default)]
    pub scheme: SchemeChoice,
    /// Gives good-move symbols by the bare formula, even where they mislead ([`Suppression`](crate::Suppression)): recaptures,
    /// captures that simply win a man, answers to check, mates in progress, unlisted moves; and `!!` to moves that give up
    /// nothing. Default `false`.
    #[serde(default)]
    pub every_symbol: bool,
    /// Takes evaluations from the games' comments, in this dialect, and asks the analyst about the rest. With `None`, the
    /// default, the analyst evaluates every position.
    #[serde(default)]
    pub reuse_evals: Option<Dialect>,
    /// Names of the policy networks that judge every move's ease; empty, the default, for no ease. The networks themselves go to
    /// [`review_games`](crate::review_games). The analyst then also evaluates natural moves outside its lines, except in
    /// positions whose evaluations come from the game itself.
    #[serde(default)]
    pub ease: Vec<String>,
    /// For which levels of play ease is judged. Default 1100, 1500, 1900 and the players' own.
    #[serde(default)]
    pub ease_levels: EaseLevels,
    /// The language of comments and reports. Default English.
    #[serde(default)]
    pub language: Language,
    /// Whether existing annotations stay. Default [`Annotations::Keep`].
    #[serde(default)]
    pub annotations: Annotations,
}

fn default_lines() -> usize {
    2
}

/// Which positions are searched again after a [quick first pass](ReviewOptions::quick).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Deepen {
    /// Those in which any symbol may depend on it.
    #[default]
    Symbols,
    /// Those in which a `??` or a mate may depend on it.
    Blunders,
}

impl Deepen {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether a game's own comments, NAGs and variations stay in the [annotated](crate::Review::annotated) game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Annotations {
    /// They stay; only annotations of a previous review are replaced.
    #[default]
    Keep,
    /// They are removed, except for clocks.
    Replace,
}

/// The part of [`ReviewOptions`] that shapes the questions to an analyst; the rest shapes only the judgement.
///
/// It includes the scheme and the curve, since a second search confirms a mistake where a symbol depends on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindOptions {
    /// The analyst's limit for a position.
    pub limit: Limit,
    /// The limit of the first pass, if there are two.
    pub quick: Option<Limit>,
    /// Which positions are searched again after it.
    #[serde(default, skip_serializing_if = "Deepen::is_default")]
    pub deepen: Deepen,
    /// Whether the analyst may answer with deeper or wider searches than asked for.
    pub at_least: bool,
    /// Lines that the analyst searches in a position.
    pub lines: usize,
    /// Which curve.
    pub curve: CurveChoice,
    /// Which symbols of moves. Those of positions are the default ones here, since they shape no question.
    pub scheme: SchemeChoice,
    /// The dialect of reused evaluations; `None` if none are reused.
    pub reuse_evals: Option<Dialect>,
}

/// Identifies the [findings](crate::GameFindings) of a game: with equal keys the same game has the same findings, so a store
/// can cache them. Its JSON text is the key in the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FindKey {
    /// Always `review`.
    pub recipe: String,
    /// [`GameFindings::VERSION`](crate::GameFindings::VERSION).
    pub version: u32,
    /// The options that shape the questions.
    #[serde(flatten)]
    pub find: FindOptions,
    /// The engine; `None` if the game's own evaluations suffice.
    pub engine: Option<Identity>,
    /// The networks that judge ease, in order.
    pub networks: Vec<progress::Network>,
    /// For which levels they judge; missing without networks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ease_levels: Option<EaseLevels>,
}

impl ReviewOptions {
    /// The defaults with a limit: two lines, the curve and the scheme by the players, English.
    pub fn new(limit: Limit) -> Self {
        Self {
            limit,
            quick: None,
            deepen: Deepen::default(),
            at_least: false,
            lines: default_lines(),
            curve: CurveChoice::default(),
            scheme: SchemeChoice::default(),
            every_symbol: false,
            reuse_evals: None,
            ease: Vec::new(),
            ease_levels: EaseLevels::default(),
            language: Language::default(),
            annotations: Annotations::default(),
        }
    }

    /// Options that find what is under a key; the rest has its defaults.
    pub fn of_key(key: &FindKey) -> Self {
        let FindOptions { limit, quick, deepen, at_least, lines, curve, scheme, reuse_evals } = key.find.clone();
        let ease = key.networks.iter().map(|network| network.name.clone()).collect();
        let ease_levels = key.ease_levels.clone().unwrap_or_default();
        Self { quick, deepen, at_least, lines, curve, scheme, reuse_evals, ease, ease_levels, ..Self::new(limit) }
    }

    /// The same options with the searches for a large number of games: every position to 30,000 nodes, and to 300,000 where a `??` or a mate
    /// may depend on it.
    #[must_use]
    pub fn archive(self) -> Self {
        Self { limit: Limit::Nodes(300_000), quick: Some(Limit::Nodes(30_000)), deepen: Deepen::Blunders, ..self }
    }

    /// The same options without a first pass that is no quicker than the whole search.
    #[must_use]
    pub fn complete(self) -> Self {
        let is_quicker = |quick: &Limit| match (*quick, self.limit) {
            (Limit::Nodes(quick), Limit::Nodes(whole)) => quick < whole,
            (Limit::Depth(quick), Limit::Depth(whole)) => quick < whole,
            (quick, whole) => quick != whole,
        };
        Self { quick: self.quick.filter(is_quicker), ..self }
    }

    /// The same options with the names of these networks.
    #[must_use]
    pub fn with_networks(self, networks: &[Network]) -> Self {
        Self { ease: networks.iter().map(|network| network.name().to_owned()).collect(), ..self }
    }

    /// Number of passes of a review over the positions of a game.
    pub fn passes(&self) -> u64 {
        1 + u64::from(self.quick.is_some())
    }

    /// The limits of searches as they are used: `1000000 nodes`, `100000 nodes, where it matters 1000000 nodes`, `30000 nodes, at blunders
    /// and mates 300000 nodes`, or with [`at_least`](Self::at_least) `at least 1000000 nodes`.
    pub fn limits(&self) -> String {
        let bound = if self.at_least { "at least " } else { "" };
        match self.quick {
            Some(quick) => {
                let place = match self.deepen {
                    Deepen::Symbols => "where it matters",
                    Deepen::Blunders => "at blunders and mates",
                };
                format!("{bound}{quick}, {place} {bound}{}", self.limit)
            }
            None => format!("{bound}{}", self.limit),
        }
    }

    /// The options that shape the questions to the analyst.
    pub fn find(&self) -> FindOptions {
        let Self { limit, quick, deepen, at_least, lines, curve, scheme, reuse_evals, .. } = self;
        FindOptions {
            limit: *limit,
            quick: *quick,
            deepen: *deepen,
            at_least: *at_least,
            lines: *lines,
            curve: *curve,
            scheme: SchemeChoice { moves: scheme.moves, ..SchemeChoice::default() },
            reuse_evals: *reuse_evals,
        }
    }
}

impl FindKey {
    /// The key of findings by `engine` (`None` if the game's own evaluations suffice) with these networks.
    pub fn new(options: &ReviewOptions, engine: Option<&Identity>, networks: &[progress::Network]) -> Self {
        Self {
            recipe: "review".to_owned(),
            version: crate::GameFindings::VERSION,
            find: options.find(),
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
