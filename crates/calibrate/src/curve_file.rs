//! Curves in files.

use centipawn_core::Curve;
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};

/// A curve in the format that `--curve` reads: the keys of the curve, then the provenance.
///
/// ```
/// use centipawn_calibrate::CurveFile;
/// use centipawn_core::Curve;
///
/// let file = CurveFile { curve: Curve::Relevance { balance: 0.62 }, provenance: None };
/// assert_eq!(file.json(), "{\n  \"curve\": \"relevance\",\n  \"balance\": 0.62\n}\n");
/// assert_eq!(serde_json::from_str::<CurveFile>(&file.json())?, file);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurveFile<C = Curve> {
    /// The curve, or the [choice](centipawn_core::CurveChoice) of one for each game.
    #[serde(flatten)]
    pub curve: C,
    /// Where the curve comes from; `None` in files that another program wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

impl<C: Serialize> CurveFile<C> {
    /// Returns the JSON text of the file.
    pub fn json(&self) -> String {
        document(self)
    }
}

/// Formats a document as JSON, indented by two, with a newline at the end.
pub fn document(document: &impl Serialize) -> String {
    // Documents are plain values, so serialising them cannot fail.
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}
