//! Describes the curve of a review, and its value for the players themselves.

use centipawn_core::{Context, Curve, CurveChoice, HumanCurve, HumanModel, Pool, WdlModel};
use centipawn_judge::Judgement;
use centipawn_pgn::Evaluator;

use crate::Language;

/// Evaluation in pawns for the example of the curve.
const EXAMPLE: f64 = 3.0;

impl Language {
    /// Names the model that is used because the version of Stockfish that evaluated is not known;
    /// `None` where it is known, or where the options name the curve.
    pub(crate) fn version_note(self, judged: &Judgement) -> Option<String> {
        if matches!(judged.options.curve, CurveChoice::Given(_)) {
            return None;
        }
        let (version, used) = match &judged.analyst {
            Some(analyst) => WdlModel::replaced_version(&analyst.name),
            None => judged
                .game
                .headers
                .get("Annotator")
                .and_then(Evaluator::replaced_version),
        }?;
        Some(self.pick(
            format!(
                "Centipawn does not know Stockfish {version}; its evaluations count as those of Stockfish {used}. Its own constants can \
                 be given as a curve file."
            ),
            format!(
                "Centipawn kennt Stockfish {version} nicht; seine Bewertungen zählen wie die von Stockfish {used}. Seine eigenen \
                 Konstanten lassen sich als Kurvendatei angeben."
            ),
        ))
    }

    /// Explains the human curve of the review: the assumed players, the missing data, and the
    /// expected score of +3.00 for the real players. `None` for other curves.
    pub(crate) fn curve_note(self, judged: &Judgement) -> Option<String> {
        let Curve::Human(curve) = judged.curve else {
            return None;
        };
        let percent = |curve: &Curve| self.number(100.0 * curve.at(EXAMPLE, Context::default()), 0);
        let eval = self.signed(EXAMPLE);
        let (who, worth) = (self.pair(&curve, "Spielern"), percent(&judged.curve));
        let mut sentences = vec![self.pick(
            format!("Judged as between {who}: {eval} is worth {worth} %."),
            format!("Beurteilt wie zwischen {who}: {eval} ist {worth} % wert."),
        )];
        if judged.players.rating.is_none()
            && judged.players.are_people
            && judged.options.curve == CurveChoice::Auto
        {
            sentences.push(
                self.pick(
                    "The game gives no ratings; they count as 1800.",
                    "Die Partie nennt keine Wertungszahlen; sie zählen als 1800.",
                )
                .to_owned(),
            );
        }
        if let Some(practical @ Curve::Human(own)) = judged.practical_curve() {
            let (who, worth) = (self.pair(&own, "Spieler"), percent(&practical));
            sentences.push(self.pick(
                format!("For these two players ({who}), {eval} was worth {worth} %."),
                format!("Für die beiden selbst ({who}) war es {worth} % wert."),
            ));
        }
        Some(sentences.join(" "))
    }
}

impl Language {
    /// Returns a curve with its numbers: `human, rating 1800, 90 min a player, k 0.25`. Its name is
    /// that of the option `curve`, in any language.
    pub fn curve(self, curve: &Curve) -> String {
        match (self, curve) {
            (Language::English, curve) => curve.to_string(),
            (Language::German, Curve::Human(human)) => {
                let rating = self.number(human.rating, 0);
                let time = match human.seconds < 60.0 {
                    true => format!("{} s", self.number(human.seconds, 0)),
                    false => format!("{} min", self.number(human.seconds / 60.0, 0)),
                };
                let pool = match human.pool {
                    Pool::Unknown => String::new(),
                    pool => format!(", {pool}"),
                };
                let own = if human.model == HumanModel::default() {
                    ""
                } else {
                    ", eigene Konstanten"
                };
                format!(
                    "human, Wertung {rating}, {time} je Spieler{pool}, k {}{own}",
                    self.number(human.steepness(), 2)
                )
            }
            (Language::German, Curve::Relevance { balance }) => {
                format!("relevance, Balance {}", self.number(*balance, 2))
            }
            (Language::German, Curve::RelevanceSigmoid { balance }) => {
                format!("relevance-sigmoid, Balance {}", self.number(*balance, 2))
            }
            (Language::German, Curve::RelevanceStretched { balance, slope }) => format!(
                "relevance-stretched, Balance {}, Steigung {}",
                self.number(*balance, 2),
                self.number(*slope, 2)
            ),
            (Language::German, curve) => {
                let text = curve.to_string();
                text.replace(
                    "win/draw/loss model",
                    "Modell für Gewinn, Remis und Verlust",
                )
                .replace(" per centipawn", " je Hundertstelbauer")
            }
        }
    }

    /// Where a rating belongs to, behind the number: ` on Lichess`; empty if that is unknown.
    fn pool(self, pool: Pool) -> &'static str {
        let (english, german) = match pool {
            Pool::Lichess => (" on Lichess", " auf Lichess"),
            Pool::ChessCom => (" on Chess.com", " auf Chess.com"),
            Pool::Fide => (" by FIDE", " der FIDE"),
            Pool::FideOnline => (" by FIDE, online,", " der FIDE, online,"),
            Pool::Fics => (" on FICS", " auf FICS"),
            Pool::Unknown => ("", ""),
        };
        self.pick(english, german)
    }

    /// `+3.00`
    fn signed(self, pawns: f64) -> String {
        format!("+{}", self.number(pawns, 2))
    }

    /// `players rated 1800 with 90 minutes`; `german` is the German word for players in its case.
    fn pair(self, curve: &HumanCurve, german: &str) -> String {
        let rating = self.number(curve.rating, 0);
        let (count, [one, many]) = match curve.seconds < 60.0 {
            true => (
                curve.seconds,
                self.pick(["second", "seconds"], ["Sekunde", "Sekunden"]),
            ),
            false => (
                curve.seconds / 60.0,
                self.pick(["minute", "minutes"], ["Minute", "Minuten"]),
            ),
        };
        let unit = if count.round() == 1.0 { one } else { many };
        let time = format!("{} {unit}", self.number(count, 0));
        let pool = self.pool(curve.pool);
        self.pick(
            format!("players rated {rating}{pool} with {time}"),
            format!("{german} mit {rating} Punkten{pool} und {time}"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_in_german() {
        let of = |name: &str| Language::German.curve(&Curve::by_name(name, 0.62).unwrap());
        assert_eq!(
            of("human"),
            "human, Wertung 1800, 90 min je Spieler, k 0,47"
        );
        assert_eq!(
            (of("relevance"), of("lichess")),
            ("relevance, Balance 0,62".into(), "lichess".into())
        );
        assert_eq!(
            of("relevance-stretched:0.9,3"),
            "relevance-stretched, Balance 0,90, Steigung 3,00"
        );
        assert_eq!(of("stockfish-17"), "stockfish-17");
        let human = Curve::by_name("human", 1.0).unwrap();
        assert_eq!(Language::English.curve(&human), human.to_string());
    }
}
