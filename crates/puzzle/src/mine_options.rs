//! The options of mining puzzles.

use std::fmt;

use centipawn_core::Curve;
use centipawn_pgn::{Dialect, Shard};
use serde::{Deserialize, Serialize};

use crate::{
    Classic, Lichess, Limits, Miner, MiningRules, Rule, Scorer, SolverFilter, solve::Ratings,
};

/// The rules that decide whether a position is a puzzle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleSet {
    /// The default, in expected scores: one move wins or saves, and no second one does. Finds
    /// complete solutions.
    #[default]
    Centipawn,
    /// The rules of the article "Tactics Frenzy", in centipawns: one move wins and is not obvious.
    /// Finds positions, and their solutions only with [`MineOptions::solutions`].
    Classic,
    /// The rules of Lichess' generator: a mistake, by the game's own evaluations, after which each
    /// of the solver's moves is the only good one. Finds complete solutions.
    Lichess,
}

/// The options of mining puzzles in games.
///
/// ```
/// use centipawn_puzzle::{MineOptions, RuleSet};
///
/// let options: MineOptions = serde_json::from_str(r#"{"rules":"classic","effort":0.1}"#)?;
/// assert_eq!((options.rules, options.max_moves), (RuleSet::Classic, 12));
/// options.check()?;
/// let error = MineOptions { min_moves: 3, ..options }.check().unwrap_err();
/// assert_eq!(error.to_string(), "min_moves belongs to the rules centipawn; leave it out");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MineOptions {
    /// The rules that decide whether a position is a puzzle. Default [`RuleSet::Centipawn`].
    pub rules: RuleSet,
    /// Factor for the rules' node limits, > 0. With 0.1, mining is ten times as fast but finds
    /// fewer puzzles. Default 1.
    pub effort: f64,
    /// Rules `centipawn`: ask the analyst about every position, even if the game has an evaluation.
    /// Default false.
    pub ignore_evals: bool,
    /// Dialect of the evaluations in the games. Default: detected for each game.
    #[serde(with = "as_text")]
    pub dialect: Dialect,
    /// Rules `centipawn`: minimum number of the solver's moves in the main line. A mate in one is
    /// accepted if this is at most 2. Default 2.
    pub min_moves: u8,
    /// Rules `centipawn`: maximum number of the solver's moves in a line, 1 to 40. Default 12.
    pub max_moves: u8,
    /// Rules `centipawn`: maximum number of positions of the solver in a solution, including
    /// branches, 1 to 500. Default 32.
    pub max_positions: u16,
    /// The part of the games to mine: every Nth game. Default all.
    pub shard: Shard,
    /// Rules `centipawn`: only positions in which this player is to move, by the tags `White` and
    /// `Black` ([`SolverFilter::has_name`]). Default: all players.
    pub player: Option<String>,
    /// Rules `centipawn`: only puzzles that the player to move did not solve. Default false.
    pub missed: bool,
    /// Only puzzles with an estimated rating in this range. Invalid for the rules `classic`, whose
    /// positions have no rating. Default: all ratings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rated: Option<Ratings>,
    /// Rules `lichess`: apply stricter limits to games of weak and hasty players, or skip them, as
    /// the generator does. Default false.
    pub tiers: bool,
    /// Rules `classic`: also find the solution of each position, with its branches, as the rules
    /// `centipawn` do. Default false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub solutions: bool,
    /// Rules `centipawn`: the curve from evaluations to expected scores. Default: the engine's own
    /// win/draw/loss, or the curve that fits the engine's name.
    pub curve: Option<Curve>,
}

impl Default for MineOptions {
    fn default() -> Self {
        let Limits {
            min_moves,
            max_moves,
            max_positions,
            ..
        } = Limits::default();
        Self {
            rules: RuleSet::default(),
            effort: 1.0,
            ignore_evals: false,
            dialect: Dialect::default(),
            min_moves,
            max_moves,
            max_positions,
            shard: Shard::ALL,
            player: None,
            missed: false,
            rated: None,
            tiers: false,
            solutions: false,
            curve: None,
        }
    }
}

/// The reason why [`MineOptions`] are invalid. Messages name options by their field, as in JSON.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MineOptionsError {
    /// The effort is not a number above 0 and at most [`MineOptions::LARGEST_EFFORT`].
    #[error("effort is {0}; it is a number above 0 and at most {most}, such as 0.1", most = MineOptions::LARGEST_EFFORT)]
    Effort(f64),
    /// A number is out of range.
    #[error("{option} is {value}; it lies between {min} and {max}")]
    Range {
        /// Name of the option.
        option: &'static str,
        /// Value of the option.
        value: u16,
        /// The smallest allowed value.
        min: u16,
        /// The largest allowed value.
        max: u16,
    },
    /// `min_moves` is larger than `max_moves`.
    #[error("min_moves asks for more moves than max_moves allows")]
    MinAboveMax,
    /// An option belongs to another set of rules.
    #[error("{option} belongs to the rules {rules}; leave it out")]
    OtherRules {
        /// Name of the option.
        option: &'static str,
        /// The rule set that has the option.
        rules: RuleSet,
    },
}

impl MineOptions {
    /// The largest accepted effort, at which one position takes hours.
    pub const LARGEST_EFFORT: f64 = 1000.0;

    /// Checks that all options are valid, and valid together.
    ///
    /// # Errors
    ///
    /// [`MineOptionsError`] for the first invalid option.
    pub fn check(&self) -> Result<(), MineOptionsError> {
        if !(self.effort > 0.0 && self.effort <= Self::LARGEST_EFFORT) {
            return Err(MineOptionsError::Effort(self.effort));
        }
        for (option, value, max) in [
            ("max_moves", self.max_moves.into(), 40),
            ("max_positions", self.max_positions, 500),
        ] {
            if !(1..=max).contains(&value) {
                return Err(MineOptionsError::Range {
                    option,
                    value,
                    min: 1,
                    max,
                });
            }
        }
        if self.min_moves > self.max_moves {
            return Err(MineOptionsError::MinAboveMax);
        }
        if self.rules != RuleSet::Lichess && self.tiers {
            return Err(MineOptionsError::OtherRules {
                option: "tiers",
                rules: RuleSet::Lichess,
            });
        }
        if self.rules == RuleSet::Classic && self.rated.is_some() {
            return Err(MineOptionsError::OtherRules {
                option: "rated",
                rules: RuleSet::Centipawn,
            });
        }
        if self.rules != RuleSet::Classic && self.solutions {
            return Err(MineOptionsError::OtherRules {
                option: "solutions",
                rules: RuleSet::Classic,
            });
        }
        let default = Self::default();
        let of_centipawn = [
            ("ignore_evals", self.ignore_evals),
            ("min_moves", self.min_moves != default.min_moves),
            ("max_moves", self.max_moves != default.max_moves),
            ("max_positions", self.max_positions != default.max_positions),
            ("player", self.player.is_some()),
            ("missed", self.missed),
            ("curve", self.curve.is_some()),
        ];
        match of_centipawn.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) if self.rules != RuleSet::Centipawn => {
                Err(MineOptionsError::OtherRules {
                    option,
                    rules: RuleSet::Centipawn,
                })
            }
            _ => Ok(()),
        }
    }

    /// Returns the rules, for an engine of this name.
    pub fn rules_for(&self, engine: &str) -> MiningRules {
        match self.rules {
            RuleSet::Classic => {
                let classic = Classic {
                    effort: self.effort,
                };
                if !self.solutions {
                    return MiningRules::Classic(classic);
                }
                MiningRules::ClassicSolutions {
                    classic,
                    miner: Box::new(Miner {
                        scorer: Scorer::new(None, engine),
                        rule: Rule::default(),
                        limits: Limits::default().with_effort(self.effort),
                        solver: SolverFilter::default(),
                    }),
                }
            }
            RuleSet::Lichess => MiningRules::Lichess {
                rules: Lichess {
                    effort: self.effort,
                    tiers: self.tiers,
                },
                evals: self.dialect,
            },
            RuleSet::Centipawn => {
                let limits = Limits {
                    min_moves: self.min_moves,
                    max_moves: self.max_moves,
                    max_positions: self.max_positions,
                    ..Limits::default()
                };
                let miner = Miner {
                    scorer: Scorer::new(self.curve, engine),
                    rule: Rule::default(),
                    limits: limits.with_effort(self.effort),
                    solver: SolverFilter {
                        player: self.player.clone(),
                        missed: self.missed,
                    },
                };
                MiningRules::Centipawn {
                    miner: Box::new(miner),
                    evals: (!self.ignore_evals).then_some(self.dialect),
                }
            }
        }
    }
}

impl fmt::Display for RuleSet {
    /// Writes the name as in JSON: `centipawn`, `classic`, `lichess`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            RuleSet::Centipawn => "centipawn",
            RuleSet::Classic => "classic",
            RuleSet::Lichess => "lichess",
        })
    }
}

/// (De)serialises values as text.
mod as_text {
    use std::{fmt::Display, str::FromStr};

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<T: Display, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, T, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr,
        T::Err: Display,
    {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}
