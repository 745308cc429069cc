//! Options of a review: those that shape the questions to an analyst, and those that shape the judgement of its answers.

use centipawn_core::{Curve, Scheme};
use centipawn_engine::{Identity, Limit};
use centipawn_pgn::Dialect;
use centipawn_policy::Network;
use centipawn_progress as progress;
use serde::{Deserialize, Serialize};

use crate::{Language, serde_text};

/// How games are reviewed. In JSON all fields but [`limit`](Self::limit) may be missing; they then have their default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewOptions {
    /// The analyst's limit for a position.
    pub limit: Limit,
    /// Lines that the analyst searches in a position, 1 or more; good-move symbols need at least 2. Default 2.
    #[serde(default = "default_lines")]
    pub lines: usize,
    /// From evaluations to expected scores. `None`, the default, takes the curve of the evaluations' source: the analyst
    /// ([`Curve::for_engine`]) or, with [`reuse_evals`](Self::reuse_evals), the site or event of the game.
    #[serde(default)]
    pub curve: Option<Curve>,
    /// From expected scores to symbols. Default `s8,s40`.
    #[serde(default)]
    pub scheme: Scheme,
    /// Gives good-move symbols by the bare formula, even where they mislead ([`Suppression`](crate::Suppression)): recaptures,
    /// captures of a piece that has just moved, the better of two legal moves, mates in progress, unlisted moves. Default
    /// `false`.
    #[serde(default)]
    pub every_symbol: bool,
    /// Takes evaluations from the games' comments, in this dialect, and asks the analyst about the rest. With `None`, the
    /// default, the analyst evaluates every position.
    #[serde(default, with = "serde_text::option")]
    pub reuse_evals: Option<Dialect>,
    /// Names of the policy networks that judge every move's ease; empty, the default, for no ease. The networks themselves go to
    /// [`review_games`](crate::review_games). The analyst then also evaluates natural moves outside its lines, except in
    /// positions whose evaluations come from the game itself.
    #[serde(default)]
    pub ease: Vec<String>,
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

/// Whether a game's own comments, NAGs and variations stay in the [annotated](crate::Review::annotated) game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
    /// Lines that the analyst searches in a position.
    pub lines: usize,
    /// The curve; `None` for that of the evaluations' source.
    pub curve: Option<Curve>,
    /// The name of the scheme of move symbols.
    pub move_scheme: String,
    /// The dialect of reused evaluations; `None` if none are reused.
    #[serde(with = "serde_text::option")]
    pub reuse_evals: Option<Dialect>,
}

/// Identifies the [findings](crate::GameFindings) of a game: with equal keys the same game has the same findings, so a store
/// can cache them. Its JSON text is the key in the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
}

impl ReviewOptions {
    /// The defaults with a limit: two lines, the curve of the evaluations' source, the schemes `s8,s40`, English.
    pub fn new(limit: Limit) -> Self {
        Self {
            limit,
            lines: default_lines(),
            curve: None,
            scheme: Scheme::default(),
            every_symbol: false,
            reuse_evals: None,
            ease: Vec::new(),
            language: Language::default(),
            annotations: Annotations::default(),
        }
    }

    /// The same options with the names of these networks.
    #[must_use]
    pub fn with_networks(self, networks: &[Network]) -> Self {
        Self { ease: networks.iter().map(|network| network.name().to_owned()).collect(), ..self }
    }

    /// The options that shape the questions to the analyst.
    pub fn find(&self) -> FindOptions {
        let Self { limit, lines, curve, scheme, reuse_evals, .. } = self;
        FindOptions {
            limit: *limit,
            lines: *lines,
            curve: *curve,
            move_scheme: scheme.moves.name().to_owned(),
            reuse_evals: *reuse_evals,
        }
    }
}

impl FindKey {
    /// The key of findings by `engine` (`None` if the game's own evaluations suffice) with these networks.
    pub fn new(options: &ReviewOptions, engine: Option<&Identity>, networks: &[Network]) -> Self {
        Self {
            recipe: "review".to_owned(),
            version: crate::GameFindings::VERSION,
            find: options.find(),
            engine: engine.cloned(),
            networks: networks.iter().map(Network::provenance).collect(),
        }
    }

    /// Its JSON text, the same for equal keys.
    pub fn text(&self) -> String {
        // Serialising plain values with text keys cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}
