//! Options that shape the questions to an analyst, and the judgement of its answers.

use centipawn_core::{CurveChoice, SchemeChoice};
use centipawn_engine::Limit;
use centipawn_pgn::Dialect;
use centipawn_policy::Network;
use serde::{Deserialize, Serialize};

use crate::ease::EaseLevels;

/// How games are searched and judged. In JSON all fields but [`limit`](Self::limit) may be missing;
/// they then have their default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeOptions {
    /// The analyst's limit for a position.
    pub limit: Limit,
    /// A smaller limit, to which all positions of a game are searched first; then
    /// [`limit`](Self::limit) is only for positions where a symbol may depend on it. With `None`,
    /// the default, every position is searched to `limit` at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quick: Option<Limit>,
    /// Which positions are searched to [`limit`](Self::limit) after the first pass. Default
    /// [`Deepen::Symbols`].
    #[serde(default, skip_serializing_if = "Deepen::is_default")]
    pub deepen: Deepen,
    /// Whether the analyst may answer with deeper or wider searches than asked for, as a store can;
    /// results then depend on what the store contains. Default `false`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Number of lines that the analyst searches in a position, 1 or more; good-move symbols need
    /// at least 2. Default 2.
    #[serde(default = "default_lines")]
    pub lines: usize,
    /// From evaluations to expected scores. [`CurveChoice::Auto`], the default, judges games of
    /// people for study, and any other game by the curve of the evaluations' source: the analyst
    /// ([`Curve::for_engine`](centipawn_core::Curve::for_engine)) or, with
    /// [`reuse_evals`](Self::reuse_evals), the site or event of the game.
    #[serde(default)]
    pub curve: CurveChoice,
    /// From expected scores to symbols. Default `auto,s40`: s20 for moves under the human curve, s8
    /// under any other.
    #[serde(default)]
    pub scheme: SchemeChoice,
    /// Gives good-move symbols by the bare formula, even where they mislead
    /// ([`Suppression`](crate::Suppression)): recaptures, captures that simply win a piece, answers
    /// to check, mates in progress, unlisted moves; and `!!` to moves that give up nothing. Default
    /// `false`.
    #[serde(default)]
    pub every_symbol: bool,
    /// Takes evaluations from the games' comments, in this dialect, and asks the analyst about the
    /// rest. With `None`, the default, the analyst evaluates every position.
    #[serde(default)]
    pub reuse_evals: Option<Dialect>,
    /// Names of the policy networks that judge every move's ease; empty, the default, for no ease.
    /// The networks themselves go to the [`Finder`](crate::Finder). The analyst then also evaluates
    /// natural moves outside its lines, except in positions whose evaluations come from the game
    /// itself.
    #[serde(default)]
    pub ease: Vec<String>,
    /// For which levels of play ease is judged. Default 1100, 1500, 1900 and the players' own.
    #[serde(default)]
    pub ease_levels: EaseLevels,
}

fn default_lines() -> usize {
    2
}

/// Which positions are searched again after a [quick first pass](JudgeOptions::quick).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Deepen {
    /// Positions in which any symbol may depend on the deeper search.
    #[default]
    Symbols,
    /// Positions in which a `??` or a mate may depend on the deeper search.
    Blunders,
}

impl Deepen {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl JudgeOptions {
    /// Creates the defaults with a limit: two lines, the curve and the scheme by the players.
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
        }
    }

    /// Returns the same options with the searches for a large number of games: every position to
    /// 30,000 nodes, and to 300,000 where a `??` or a mate may depend on it.
    #[must_use]
    pub fn archive(self) -> Self {
        Self {
            limit: Limit::Nodes(300_000),
            quick: Some(Limit::Nodes(30_000)),
            deepen: Deepen::Blunders,
            ..self
        }
    }

    /// Returns the same options without a first pass that would search as much as the whole search.
    #[must_use]
    pub fn complete(self) -> Self {
        let is_quicker = |quick: &Limit| match (*quick, self.limit) {
            (Limit::Nodes(quick), Limit::Nodes(whole)) => quick < whole,
            (Limit::Depth(quick), Limit::Depth(whole)) => quick < whole,
            (quick, whole) => quick != whole,
        };
        Self {
            quick: self.quick.filter(is_quicker),
            ..self
        }
    }

    /// Returns the same options with the names of these networks.
    #[must_use]
    pub fn with_networks(self, networks: &[Network]) -> Self {
        Self {
            ease: networks
                .iter()
                .map(|network| network.name().to_owned())
                .collect(),
            ..self
        }
    }

    /// Returns the limit of the searches that prove reasons: [`limit`](Self::limit), or with
    /// [`Deepen::Blunders`] four times the limit of the first pass, so that the reasons of a large
    /// number of games cost no more than their evaluations.
    pub(crate) fn proof_limit(&self) -> Limit {
        match (self.deepen, self.quick) {
            (Deepen::Blunders, Some(quick)) => {
                let doubled = quick.doubled().and_then(Limit::doubled);
                doubled.unwrap_or(quick)
            }
            _ => self.limit,
        }
    }

    /// Returns the number of passes of a review over the positions of a game.
    pub fn passes(&self) -> u64 {
        1 + u64::from(self.quick.is_some())
    }

    /// Returns the limits of searches as they are used: `1000000 nodes`, `100000 nodes, where it
    /// matters 1000000 nodes`, `30000 nodes, at blunders and mates 300000 nodes`, or with
    /// [`at_least`](Self::at_least) `at least 1000000 nodes`.
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
}
