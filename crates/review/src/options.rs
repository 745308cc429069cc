//! Options of a review: those of the judgement, and those of what is written about it.

use centipawn_engine::Limit;
use centipawn_judge::JudgeOptions;
use serde::{Deserialize, Serialize};

use crate::Language;

/// How games are reviewed. JSON may omit all fields except the limit of the
/// [judgement](Self::judge); omitted fields have their default.
///
/// ```
/// use centipawn_engine::Limit;
/// use centipawn_review::{Annotations, Language, ReviewOptions};
///
/// let options = ReviewOptions {
///     language: Language::German,
///     annotations: Annotations::Replace,
///     ..ReviewOptions::new(Limit::Nodes(100_000))
/// };
/// let json = r#"{ "limit": "100000 nodes", "language": "de", "annotations": "replace" }"#;
/// assert_eq!(serde_json::from_str::<ReviewOptions>(json)?, options);
/// # Ok::<_, serde_json::Error>(())
/// ```
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
    /// Existing annotations stay; only those of a previous review are replaced.
    #[default]
    Keep,
    /// Existing annotations are removed, except for clocks.
    Replace,
}

impl ReviewOptions {
    /// Creates the defaults with a limit: those of [`JudgeOptions::new`], English.
    pub fn new(limit: Limit) -> Self {
        JudgeOptions::new(limit).into()
    }
}

impl From<JudgeOptions> for ReviewOptions {
    /// Converts judge options to review options: in English, and existing annotations stay.
    fn from(judge: JudgeOptions) -> Self {
        Self {
            judge,
            language: Language::default(),
            annotations: Annotations::default(),
        }
    }
}
