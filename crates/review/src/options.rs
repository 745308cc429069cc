//! How games are reviewed: what shapes the questions to an analyst, and what shapes the judgement of its answers.

use centipawn_core::{Curve, Scheme};
use centipawn_engine::{Identity, Limit};
use centipawn_pgn::Dialect;
use centipawn_policy::Network;
use centipawn_progress as progress;
use serde::{Deserialize, Serialize};

use crate::{Language, serde_text};

/// How games are reviewed. All fields but [`limit`](Self::limit) may be missing in JSON and then have their default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewOptions {
    /// How long the analyst thinks about a position.
    pub limit: Limit,
    /// Lines that the analyst gives for a position, 1 or more; with 1 no good move is known as one. Default 2.
    #[serde(default = "default_lines")]
    pub lines: usize,
    /// From evaluations to expected scores. `None`, the default: the curve of whoever evaluated, be it the analyst
    /// ([`Curve::for_engine`]) or, with [`reuse_evals`](Self::reuse_evals), the site or event that the game is from.
    #[serde(default)]
    pub curve: Option<Curve>,
    /// From expected scores to symbols. Default `s8,s40`.
    #[serde(default)]
    pub scheme: Scheme,
    /// Gives good-move symbols by the bare formula, also where they mislead: for recaptures, captures of what has just moved
    /// there, the better of two legal moves, and mates under way. Default `false`.
    #[serde(default)]
    pub every_symbol: bool,
    /// Takes evaluations from the games' comments, written in this dialect, and asks the analyst about the rest. `None`, the
    /// default: the analyst is asked about every position.
    #[serde(default, with = "serde_text::option")]
    pub reuse_evals: Option<Dialect>,
    /// Names of the policy networks that judge every move's ease; empty, the default, for none. The networks themselves are
    /// given to [`review_games`](crate::review_games). Natural moves that the lines leave out are evaluated as well, but not
    /// where evaluations come from the game itself.
    #[serde(default)]
    pub ease: Vec<String>,
    /// The language of comments and reports. Default English.
    #[serde(default)]
    pub language: Language,
    /// What becomes of annotations that the games have already. Default [`Annotations::Keep`].
    #[serde(default)]
    pub annotations: Annotations,
}

fn default_lines() -> usize {
    2
}

/// What becomes of a game's own comments, NAGs and variations in the [annotated](crate::Review::annotated) game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Annotations {
    /// They stay; only annotations of a previous review are replaced.
    #[default]
    Keep,
    /// They go, but for clocks.
    Replace,
}

/// The part of [`ReviewOptions`] that shapes what an analyst is asked; the rest shapes only the judgement.
///
/// The scheme and the curve belong to it because a mistake is confirmed by a second search where a symbol depends on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindOptions {
    /// How long the analyst thinks about a position.
    pub limit: Limit,
    /// Lines that the analyst gives for a position.
    pub lines: usize,
    /// The curve that was asked for; `None` for that of whoever evaluated.
    pub curve: Option<Curve>,
    /// The scheme of move symbols, by its name.
    pub move_scheme: String,
    /// The dialect of evaluations that are taken from the games.
    #[serde(with = "serde_text::option")]
    pub reuse_evals: Option<Dialect>,
}

/// What identifies the [findings](crate::GameFindings) of a game: with equal keys the same game has the same findings, so that
/// they need not be made again. Its JSON text is the key in a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindKey {
    /// Always `review`.
    pub recipe: String,
    /// Version of the way findings are made and written, [`GameFindings::VERSION`](crate::GameFindings::VERSION).
    pub version: u32,
    /// What shapes the questions.
    #[serde(flatten)]
    pub find: FindOptions,
    /// Who is asked; `None` where the game's own evaluations suffice.
    pub engine: Option<Identity>,
    /// The networks that judge ease, in their order.
    pub networks: Vec<progress::Network>,
}

impl ReviewOptions {
    /// The defaults, with a limit: two lines, the evaluator's own curve, the default schemes, English.
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

    /// The same with the names of these networks.
    #[must_use]
    pub fn with_networks(self, networks: &[Network]) -> Self {
        Self { ease: networks.iter().map(|network| network.name().to_owned()).collect(), ..self }
    }

    /// What shapes the questions to the analyst.
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
    /// Of findings by `engine` (`None` where nobody is asked) with these networks.
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
        // Of plain values with text keys; nothing in it can fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}
