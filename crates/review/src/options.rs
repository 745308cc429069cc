//! Options of a review: those of the judgement, and those of what is written about it.

use centipawn_engine::Limit;
use centipawn_judge::JudgeOptions;
use serde::{Deserialize, Serialize};

use crate::Language;

/// How games are reviewed. In JSON all fields but the limit of the [judgement](Self::judge) may be
/// missing; they then have their default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewOptions {
    /// How the games are searched and judged. JSON has these fields beside the others.
    #[serde(flatten)]
    pub judge: JudgeOptions,
    /// The language of comments and reports. Default English.
    #[serde(default)]
    pub language: Language,
    /// Whether existing annotations stay. Default [`Annotations::Keep`].
    #[serde(default)]
    pub annotations: Annotations,
}

/// Whether a game's own comments, NAGs and variations stay in the
/// [annotated](crate::Review::annotated) game.
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

impl ReviewOptions {
    /// The defaults with a limit: those of [`JudgeOptions::new`], English.
    pub fn new(limit: Limit) -> Self {
        JudgeOptions::new(limit).into()
    }
}

impl From<JudgeOptions> for ReviewOptions {
    /// In English; existing annotations stay.
    fn from(judge: JudgeOptions) -> Self {
        Self {
            judge,
            language: Language::default(),
            annotations: Annotations::default(),
        }
    }
}
