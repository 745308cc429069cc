//! Engine work as a value.

use centipawn_puzzle::{MineOptions, VerifyOptions, rating::RateOptions};
use centipawn_review::{ReviewOptions, ease::EaseOptions};
use serde::{Deserialize, Serialize};

/// Engine work that is done item by item, as a value that can be written down and sent: all options that shape what comes of it,
/// and neither paths nor handles.
///
/// ```
/// use centipawn_work::Recipe;
///
/// let recipe: Recipe = serde_json::from_str(r#"{ "recipe": "review", "limit": "100000 nodes" }"#)?;
/// let Recipe::Review(options) = &recipe else { panic!() };
/// assert_eq!(options.lines, 2);
/// # assert_eq!(serde_json::from_str::<Recipe>(&serde_json::to_string(&recipe)?)?, recipe);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "recipe", rename_all = "lowercase")]
pub enum Recipe {
    /// Games to reviewed games.
    Review(ReviewOptions),
    /// Games or positions to how hard they are.
    Ease(EaseOptions),
    /// Games to puzzles.
    Mine(MineOptions),
    /// Puzzles to whether their solutions stand.
    Verify(VerifyOptions),
    /// Puzzles to their ratings.
    Rate(RateOptions),
}
