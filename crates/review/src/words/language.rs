//! The words of reviews, in the reader's language.

use std::{fmt, str::FromStr, time::Duration};

use centipawn_core::Eval;
use centipawn_judge::{Phase, Suppression};
use serde::{Deserialize, Serialize};

use crate::Labels;

/// The language of comments and reports.
///
/// ```
/// use centipawn_core::{Eval, White};
/// use centipawn_review::Language;
///
/// let german: Language = "de".parse()?;
/// assert_eq!(german.eval(Eval::<White>::cp(120)), "+1,20");
/// assert_eq!(german.san("12. Nf3"), "12. Sf3");
/// assert_eq!((german.labels().moves, Language::English.labels().moves), ("Züge", "Moves"));
/// # Ok::<_, centipawn_review::UnknownLanguage>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    /// `en`
    #[default]
    #[serde(rename = "en")]
    English,
    /// `de`
    #[serde(rename = "de")]
    German,
}

impl Language {
    /// All values.
    pub const ALL: [Language; 2] = [Language::English, Language::German];

    /// Its code (ISO 639-1), as on the command line and in HTML.
    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
        }
    }

    /// Returns the text for English or German.
    pub(crate) fn pick<T>(self, english: T, german: T) -> T {
        match self {
            Language::English => english,
            Language::German => german,
        }
    }

    /// Returns a number with `decimals` decimals, in the language's notation.
    pub fn number(self, number: f64, decimals: usize) -> String {
        let text = format!("{number:.decimals$}").replace('-', "−");
        self.pick(text.clone(), text.replace('.', ","))
    }

    /// Returns an evaluation: `+1.20`, `−0.35`, `#−3`.
    pub fn eval<View>(self, eval: Eval<View>) -> String
    where
        Eval<View>: fmt::Display,
    {
        let text = eval.to_string().replace('-', "−");
        self.pick(text.clone(), text.replace('.', ","))
    }

    /// Returns a time: `0:07`, `12:34`, `1:02:03`.
    pub fn time(self, time: Duration) -> String {
        let seconds = time.as_secs_f64().round() as u64;
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        if hours > 0 {
            format!("{hours}:{minutes:02}:{seconds:02}")
        } else {
            format!("{minutes}:{seconds:02}")
        }
    }

    /// Returns a phase's name.
    pub fn phase(self, phase: Phase) -> &'static str {
        match phase {
            Phase::Opening => self.pick("Opening", "Eröffnung"),
            Phase::Middlegame => self.pick("Middlegame", "Mittelspiel"),
            Phase::Endgame => self.pick("Endgame", "Endspiel"),
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(code: &str) -> Result<Self, UnknownLanguage> {
        Self::ALL
            .into_iter()
            .find(|language| language.code() == code)
            .ok_or_else(|| UnknownLanguage(code.to_owned()))
    }
}

/// The language is not supported; it holds the given text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown language {0:?}; choose en (English) or de (German)")]
pub struct UnknownLanguage(String);

impl Language {
    /// Returns the words of tables and headings.
    pub fn labels(self) -> &'static Labels {
        self.pick(&Labels::ENGLISH, &Labels::GERMAN)
    }

    /// Returns the word before a better line: `Better:`.
    pub fn better(self) -> &'static str {
        self.labels().better
    }

    /// Returns the heading of the accuracy column, ten characters at most.
    pub fn accuracy_short(self) -> &'static str {
        self.labels().accuracy_short
    }

    /// Returns the heading of the relevant-loss column, fifteen characters at most.
    pub fn relevant_loss_short(self) -> &'static str {
        self.labels().relevant_loss_short
    }

    /// Returns a sentence on the standard errors of White's and Black's accuracy and lost points.
    pub(crate) fn search_errors(self, players: [Option<(f64, f64)>; 2]) -> Option<String> {
        let labels = self.labels();
        let sides = [labels.white, labels.black].into_iter().zip(players);
        let parts: Vec<String> = sides
            .filter_map(|(side, errors)| {
                let (accuracy, loss) = errors?;
                let (accuracy, loss) = (self.number(accuracy, 1), self.number(loss, 2));
                Some(self.pick(
                    format!("{side} ±{accuracy} % accuracy, ±{loss} points lost"),
                    format!("{side} ±{accuracy} % Genauigkeit, ±{loss} verlorene Punkte"),
                ))
            })
            .collect();
        let lead = self.pick("Errors of the searches:", "Fehler der Suchen:");
        (!parts.is_empty()).then(|| format!("{lead} {}.", parts.join("; ")))
    }

    /// Returns the reason why a symbol is suppressed.
    pub(crate) fn suppression(self, reason: Suppression) -> &'static str {
        match reason {
            Suppression::Recapture => self.pick("recapture", "Wiedernehmen"),
            Suppression::WinsMaterial => {
                self.pick("wins material at once", "gewinnt sofort Material")
            }
            Suppression::AnswersCheck => self.pick("answers check", "beantwortet ein Schach"),
            Suppression::Mates => self.pick("mates", "setzt matt"),
            Suppression::MatesByCapture => {
                self.pick("captures and forces mate", "schlägt und erzwingt das Matt")
            }
            Suppression::JustMoved => self.pick(
                "captures the piece that just moved",
                "schlägt, was eben dorthin zog",
            ),
            Suppression::TwoMoves => self.pick("two legal moves", "zwei legale Züge"),
            Suppression::MateContinues => self.pick("mate continues", "Matt läuft schon"),
            Suppression::Repeats => self.pick("repeats a position", "wiederholt eine Stellung"),
            Suppression::NotListed => {
                self.pick("not among the engine's lines", "nicht unter den Varianten")
            }
            Suppression::Theory => self.pick("known opening", "bekannte Eröffnung"),
            Suppression::Natural => {
                self.pick("most players find it", "die meisten Spieler finden ihn")
            }
            Suppression::NotInteresting => self.pick("not unusual", "nicht ungewöhnlich"),
        }
    }
}

#[cfg(test)]
mod tests {
    use centipawn_core::White;

    use super::*;

    #[test]
    fn numbers_and_evaluations() {
        let (en, de) = (Language::English, Language::German);
        assert_eq!(
            (en.number(-0.354, 2), de.number(1.5, 1)),
            ("−0.35".into(), "1,5".into())
        );
        assert_eq!(
            (
                en.eval(Eval::<White>::cp(120)),
                de.eval(Eval::<White>::cp(-35))
            ),
            ("+1.20".into(), "−0,35".into())
        );
        assert_eq!(de.eval(Eval::<White>::mate(-3)), "#−3");
        assert_eq!(en.time(Duration::from_millis(7400)), "0:07");
        assert_eq!(en.time(Duration::from_secs(3723)), "1:02:03");
    }

    #[test]
    fn codes() {
        for language in Language::ALL {
            assert_eq!(language.to_string().parse(), Ok(language));
        }
        assert!(
            "xx".parse::<Language>()
                .unwrap_err()
                .to_string()
                .contains("de (German)")
        );
    }
}
