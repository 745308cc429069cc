//! Predictions of a human model with standard errors from models of resampled games.

use centipawn_core::{Context, Curve, Eval, HumanCurve, HumanModel, Mover, Pool, Wdl};
use serde_json::Value;

use crate::{
    human::HumanReport,
    logistic::logistic,
    wdl::{Estimate, covariance},
};

/// A model of games between people, with the models of resampled games, which predicts expected
/// scores with standard errors.
///
/// The resampled models are those of [`HumanErrors`](crate::human::HumanErrors). Their spread is
/// the error by game and includes the correlation between all constants.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanPredictor {
    model: HumanModel,
    resamples: Vec<HumanModel>,
}

/// The properties of two players on which a prediction depends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HumanPlayers {
    /// The mean rating of both players.
    pub rating: f64,
    /// Seconds that each player has for the game: base + 40·increment.
    pub seconds: f64,
    /// The rating of the player whose score is predicted, minus the opponent's rating.
    pub difference: f64,
}

/// The prediction of a model for an evaluation between two people.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HumanPrediction {
    /// Expected score, 0..=1.
    pub expected_score: f64,
    /// Standard error of the expected score; `None` if there are no resamples.
    pub error: Option<Estimate>,
    /// Probabilities of win, draw and loss, without errors; `None` if the model has no draws.
    pub wdl: Option<Wdl>,
}

impl HumanPredictor {
    /// Creates a predictor from a report. If the report has no errors, predictions have none.
    pub fn new(report: &HumanReport) -> Self {
        let resamples = report
            .errors
            .as_ref()
            .map_or_else(Vec::new, |errors| errors.models.clone());
        Self {
            model: report.model,
            resamples,
        }
    }

    /// The models of those resamples that could be fitted.
    pub fn resamples(&self) -> &[HumanModel] {
        &self.resamples
    }

    /// The names and values of the constants that each [draw](Self::draws) has, in that order.
    pub fn constants(&self) -> Vec<(String, f64)> {
        let mut fitted = constants(&self.model);
        if let Some(first) = self.resamples.first().map(constants) {
            fitted.retain(|(name, _)| first.iter().any(|(own, _)| own == name));
        }
        fitted
    }

    /// The [constants](Self::constants) of each resample.
    pub fn draws(&self) -> Vec<Vec<f64>> {
        let names: Vec<String> = self.constants().into_iter().map(|(name, _)| name).collect();
        let draw = |model: &HumanModel| {
            let own = constants(model);
            let value = |name: &String| {
                own.iter()
                    .find(|(own, _)| own == name)
                    .map(|(_, value)| *value)
            };
            names.iter().map(value).collect::<Option<Vec<f64>>>()
        };
        self.resamples.iter().filter_map(draw).collect()
    }

    /// The covariance matrix of the constants, row by row; empty without resamples.
    pub fn covariance(&self) -> Vec<Vec<f64>> {
        covariance(&self.draws())
    }

    /// Predicts the score at an evaluation in pawns of the model's own unit.
    pub fn predict(&self, pawns: f64, people: HumanPlayers) -> HumanPrediction {
        let HumanPlayers {
            rating,
            seconds,
            difference,
        } = people;
        self.predicted(people, |model| {
            model.expected_score(pawns, rating, seconds, difference)
        })
    }

    /// Predicts the score with a mate in this number of moves, negative if it is against the player
    /// whose score is predicted.
    pub fn predict_mate(&self, moves: i32, people: HumanPlayers) -> HumanPrediction {
        let HumanPlayers {
            rating,
            seconds,
            difference,
        } = people;
        self.predicted(people, |model| {
            let curve = Curve::Human(HumanCurve {
                rating,
                seconds,
                pool: Pool::Unknown,
                units: model.units,
                model: *model,
            });
            let score = curve.expected_score(Eval::<Mover>::mate(moves), Context::default());
            // If the mate is certain, the log-odds are infinite and the rating difference does not
            // change them.
            let odds = (score / (1.0 - score)).ln() + model.r * difference / 400.0;
            logistic(odds)
        })
    }

    fn predicted(
        &self,
        people: HumanPlayers,
        score: impl Fn(&HumanModel) -> f64,
    ) -> HumanPrediction {
        let expected_score = score(&self.model);
        let error = (self.resamples.len() > 1)
            .then(|| Estimate::new(expected_score, self.resamples.iter().map(&score).collect()));
        HumanPrediction {
            expected_score,
            error,
            wdl: self
                .model
                .wdl(expected_score, people.rating, people.seconds),
        }
    }
}

/// The fitted numbers of a model, by their names in its JSON. Elements of lists have an index:
/// `draws[0]`.
fn constants(model: &HumanModel) -> Vec<(String, f64)> {
    const GIVEN: [&str; 3] = ["ratings", "seconds", "units"];
    let Ok(Value::Object(all)) = serde_json::to_value(model) else {
        return Vec::new();
    };
    let mut constants = Vec::new();
    for (name, value) in all
        .into_iter()
        .filter(|(name, _)| !GIVEN.contains(&name.as_str()))
    {
        match value {
            Value::Array(values) => {
                let numbered = values.iter().enumerate();
                constants.extend(
                    numbered.filter_map(|(place, own)| {
                        Some((format!("{name}[{place}]"), own.as_f64()?))
                    }),
                );
            }
            value => constants.extend(value.as_f64().map(|value| (name, value))),
        }
    }
    constants
}

#[cfg(test)]
mod tests {
    use centipawn_progress::{Cancel, Silent};

    use super::*;
    use crate::human::{HumanCountOptions, HumanFitOptions, HumanGames, HumanRows};

    const EQUAL: HumanPlayers = HumanPlayers {
        rating: 1800.0,
        seconds: 600.0,
        difference: 0.0,
    };

    /// Four hundred games in which the side that is a pawn ahead wins three of four.
    fn games() -> HumanGames {
        let mut table = "game\tcp\twhite_elo\tblack_elo\tresult\tseconds\n".to_owned();
        for number in 1..=400 {
            table += &format!(
                "{number}\t100\t1800\t1800\t{}\t600\n",
                u8::from(number % 4 != 0)
            );
        }
        HumanRows::read(table.as_bytes())
            .unwrap()
            .games(&HumanCountOptions::default())
    }

    #[test]
    fn errors_equal_those_of_the_report() {
        let options = HumanFitOptions {
            resamples: 60,
            folds: 0,
        };
        let report = HumanReport::new(&games(), &options, &Cancel::new(), &Silent).unwrap();
        let predictor = HumanPredictor::new(&report);
        let (name, value) = predictor.constants().swap_remove(0);
        assert_eq!((name.as_str(), value), ("b0", report.model.b0));
        let b0 = report.errors.unwrap().b0.error;
        assert!(
            (predictor.covariance()[0][0].sqrt() / b0 - 1.0).abs() < 0.01,
            "{b0}"
        );
        let predicted = predictor.predict(1.0, EQUAL);
        assert!((predicted.expected_score - 0.75).abs() < 1e-6);
        // By hand: the standard error of a share of 400 games is √(0.75·0.25/400).
        let error = predicted.error.unwrap().error;
        assert!((error / 0.02165 - 1.0).abs() < 0.3, "{error}");
    }

    #[test]
    fn without_resamples_there_are_no_errors() {
        let predictor = HumanPredictor {
            model: HumanModel::default(),
            resamples: Vec::new(),
        };
        let predicted = predictor.predict(3.0, EQUAL);
        assert_eq!((predicted.error, predictor.covariance().len()), (None, 0));
        assert!((predicted.wdl.unwrap().expected_score() - predicted.expected_score).abs() < 1e-9);
        assert!(
            predictor
                .constants()
                .iter()
                .any(|(name, _)| name == "draws[2]")
        );
    }

    #[test]
    fn a_mate_scores_as_on_the_curve() {
        let predictor = HumanPredictor {
            model: HumanModel::default(),
            resamples: Vec::new(),
        };
        let [own, other] = [3, -2].map(|moves| predictor.predict_mate(moves, EQUAL).expected_score);
        let curve = Curve::Human(HumanCurve {
            seconds: 600.0,
            ..HumanCurve::study()
        });
        assert!(
            (own - curve.expected_score(Eval::<Mover>::mate(3), Context::default())).abs() < 1e-12
        );
        assert!((own + other - 1.0).abs() < 1e-12 && own > 0.8);
        let weaker = predictor
            .predict_mate(
                3,
                HumanPlayers {
                    difference: -200.0,
                    ..EQUAL
                },
            )
            .expected_score;
        assert!(weaker <= own);
    }
}
