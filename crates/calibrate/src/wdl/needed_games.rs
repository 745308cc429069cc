//! Computes how many games a given standard error of NormalizeToPawnValue needs.

use std::fmt;

use centipawn_progress::{Provenance, text::thousands};
use serde::{Deserialize, Serialize};

use super::{FitDocument, FitReport};

/// The standard error of NormalizeToPawnValue that reports aim at, in internal units. It is half a
/// percent of Stockfish's value.
const ERROR: f64 = 2.0;

/// The number of games needed for a standard error of NormalizeToPawnValue. The error of a mean
/// over n games falls as 1/√n, so the number is that of the fit × (error of the fit/aimed error)².
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NeededGames {
    /// The standard error aimed at, in internal units.
    pub error: f64,
    /// The number of games needed, as a multiple of the games of the fit.
    pub factor: f64,
    /// The number of games needed; `None` if the number of the fit's games is unknown, since files
    /// of counts do not contain it.
    pub games: Option<u64>,
}

/// A model with the number of games needed for a smaller error: `fit.json`, and `wdl fit --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FitReportDocument {
    /// The model.
    #[serde(flatten)]
    pub fit: FitDocument,
    /// Number of games for a standard error of 2 units, if errors were computed.
    pub needed_games: Option<NeededGames>,
}

impl NeededGames {
    /// Computes the games needed for a standard error of 2 units, from a fit to this many games
    /// with this standard error. `None` if the error is not above 0.
    ///
    /// ```
    /// use centipawn_calibrate::wdl::NeededGames;
    ///
    /// let needed = NeededGames::new(21.5, Some(1331)).unwrap();
    /// assert_eq!(needed.games, Some(153_814));
    /// assert_eq!(needed.to_string(), "about 154,000 games like these");
    /// ```
    pub fn new(error: f64, games: Option<u64>) -> Option<Self> {
        let factor = (error / ERROR).powi(2);
        let games = games.map(|games| (games as f64 * factor).round() as u64);
        (error > 0.0 && factor.is_finite()).then_some(Self {
            error: ERROR,
            factor,
            games,
        })
    }
}

impl fmt::Display for NeededGames {
    /// Writes the number with three significant digits, since the error of the fit is itself
    /// uncertain.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.games {
            Some(games) => write!(
                f,
                "about {} games like these",
                thousands(rounded(games as f64) as u64)
            ),
            None if self.factor < 100.0 => {
                write!(f, "about {:.1} times as many games", self.factor)
            }
            None => write!(
                f,
                "about {} times as many games",
                thousands(rounded(self.factor) as u64)
            ),
        }
    }
}

/// Rounds to three significant digits.
fn rounded(value: f64) -> f64 {
    let unit = 10_f64.powf((value.max(1.0).log10().floor() - 2.0).max(0.0));
    (value / unit).round() * unit
}

impl FitReport {
    /// Returns the same for a fit to this many games.
    #[must_use]
    pub fn of_games(self, games: u64) -> Self {
        Self {
            games: Some(games),
            ..self
        }
    }

    /// Returns the number of games needed for a standard error of 2 units; `None` without errors.
    pub fn needed_games(&self) -> Option<NeededGames> {
        NeededGames::new(
            self.uncertainty.as_ref()?.normalize_to_pawn_value.error,
            self.games,
        )
    }

    /// Returns the [document](Self::document) of the model, with the number of games needed for a
    /// smaller error.
    pub fn report_document(&self, provenance: Option<Provenance>) -> FitReportDocument {
        FitReportDocument {
            fit: self.document(provenance),
            needed_games: self.needed_games(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needed_games_follow_from_the_square_of_the_error() {
        let games =
            |error: f64, games: u64| NeededGames::new(error, Some(games)).unwrap().games.unwrap();
        assert_eq!(games(2.0, 500), 500);
        assert_eq!(games(4.0, 500), 2000);
        assert_eq!(games(1.0, 500), 125);
        assert_eq!(NeededGames::new(0.0, Some(500)), None);
        assert_eq!(NeededGames::new(f64::NAN, Some(500)), None);
        assert_eq!(NeededGames::new(f64::INFINITY, None), None);
    }

    #[test]
    fn numbers_in_words_have_three_digits() {
        let text =
            |error: f64, games: Option<u64>| NeededGames::new(error, games).unwrap().to_string();
        assert_eq!(text(2.0, Some(999)), "about 999 games like these");
        assert_eq!(
            text(2.0, Some(12_345_678)),
            "about 12,300,000 games like these"
        );
        assert_eq!(text(5.1, None), "about 6.5 times as many games");
        assert_eq!(text(100.3, None), "about 2,520 times as many games");
        assert_eq!(text(1.0, None), "about 0.2 times as many games");
    }
}
