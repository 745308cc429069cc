//! Engine work as a value.

use centipawn_judge::ease::EaseOptions;
use centipawn_puzzle::{MineOptions, VerifyOptions, rating::RateOptions};
use centipawn_review::ReviewOptions;
use serde::{Deserialize, Serialize};

use crate::engine::{EvaluateOptions, HumanEvaluateOptions};

/// Engine work on items, as a value that can be stored and sent: all options that affect the
/// result, and no paths or handles.
///
/// ```
/// use centipawn_work::engine::Recipe;
///
/// let recipe: Recipe = serde_json::from_str(r#"{ "recipe": "review", "limit": "100000 nodes" }"#)?;
/// let Recipe::Review(options) = &recipe else { panic!() };
/// assert_eq!(options.judge.lines, 2);
/// # assert_eq!(serde_json::from_str::<Recipe>(&serde_json::to_string(&recipe)?)?, recipe);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "recipe", rename_all = "lowercase")]
pub enum Recipe {
    /// Review games.
    Review(ReviewOptions),
    /// Judge how hard games or positions are for humans.
    Ease(EaseOptions),
    /// Find puzzles in games.
    Mine(MineOptions),
    /// Check the solutions of puzzles.
    Verify(VerifyOptions),
    /// Rate puzzles.
    Rate(RateOptions),
    /// Evaluate positions of games between humans, for a human curve.
    #[serde(rename = "evaluate-human")]
    EvaluateHuman(HumanEvaluateOptions),
    /// Evaluate positions of games.
    Evaluate(EvaluateOptions),
}
