//! Computes the report on a position from its counts.

use std::collections::BTreeMap;

use centipawn_core::{Context, Eval, HumanCurve, HumanModel, White};
use centipawn_pgn::{Merge as _, position_key};
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, EnPassantMode, fen::Fen, san::San};

use super::{
    ExpectedResults, NextMove, PositionBand, PositionCounts, PositionDocument, PositionEval,
    PositionMove, PositionResults, RatingBand, Results, counts::median,
};
use crate::{OutOfRange, wilson};

/// Options of the report on a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PositionReportOptions {
    /// The evaluation of the position, from White's side. By default it is the median of the
    /// evaluations in comments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval: Option<Eval<White>>,
    /// The model that gives the expectations; by default the built-in one.
    pub curve: HumanModel,
    /// Seconds that each player has for the game: base + 40·increment. By default 90 minutes, the
    /// time for [study](HumanCurve::study).
    pub seconds: f64,
}

impl Default for PositionReportOptions {
    fn default() -> Self {
        Self {
            eval: None,
            curve: HumanModel::default(),
            seconds: HumanCurve::STUDY_SECONDS,
        }
    }
}

type Bands = BTreeMap<RatingBand, Results>;

impl PositionCounts {
    /// Computes the report. `position` must be the position of these counts.
    pub fn report(&self, position: &Chess, options: &PositionReportOptions) -> PositionDocument {
        let mut by_move: BTreeMap<NextMove, Bands> = BTreeMap::new();
        let (mut all, mut illegal) = (Bands::new(), 0);
        for (mv, band, results) in self.rows() {
            if san_of(mv, position).is_none() {
                illegal += results.games();
                continue;
            }
            by_move.entry(mv).or_default().insert(band, results);
            all.entry(band).or_default().merge(results);
        }
        let total = sum(&all);
        let from_comments =
            |evals| median(evals).map(|(eval, comments)| PositionEval { eval, comments });
        let given = options.eval.map(|eval| PositionEval { eval, comments: 0 });
        let eval = given.or_else(|| from_comments(&self.evals));
        // A capture changes the material by little, so the moves have that of the position, too.
        let expectation = Expectation {
            options,
            material: Context::of(position).material,
        };
        let mut moves: Vec<PositionMove> = by_move
            .into_iter()
            .map(|(mv, bands)| {
                let results = sum(&bands);
                let eval = self.evals_after.get(&mv).and_then(from_comments);
                PositionMove {
                    uci: mv,
                    san: san_of(mv, position).unwrap_or_default(),
                    share: results.games() as f64 / total.games() as f64,
                    results: results.into(),
                    eval,
                    expected: expectation.mean(eval, &bands),
                    bands: expectation.bands(eval, &bands),
                }
            })
            .collect();
        moves.sort_by_key(|own| (std::cmp::Reverse(own.results.games), own.uci));
        PositionDocument {
            fen: Fen::from_position(position, EnPassantMode::Legal).to_string(),
            key: format!("{:016x}", position_key(position)),
            games: self.games,
            results: total.into(),
            eval,
            expected: expectation.mean(eval, &all),
            moves,
            bands: expectation.bands(eval, &all),
            curve: options.curve,
            seconds: options.seconds,
            illegal,
            provenance: None,
        }
    }
}

impl PositionReportOptions {
    /// Checks the seconds, which are the option `time`.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`], if a human curve cannot have so many seconds.
    pub fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::check("time", Some(self.seconds), HumanCurve::SECONDS)
    }
}

/// What the options expect of evaluations of one position.
struct Expectation<'a> {
    options: &'a PositionReportOptions,
    /// Material of both sides on the board.
    material: u32,
}

impl Expectation<'_> {
    fn bands(&self, eval: Option<PositionEval>, bands: &Bands) -> Vec<PositionBand> {
        let row = |(band, results): (&RatingBand, &Results)| PositionBand {
            from: band.from(),
            to: band.from().map(|from| from + RatingBand::WIDTH - 1),
            results: (*results).into(),
            expected: self.expected(eval, *band),
        };
        bands.iter().map(row).collect()
    }

    fn expected(&self, eval: Option<PositionEval>, band: RatingBand) -> Option<ExpectedResults> {
        let curve = HumanCurve {
            rating: band.middle()?,
            seconds: self.options.seconds,
            model: self.options.curve,
            ..HumanCurve::study()
        };
        let eval = eval?.eval;
        let score = match (eval.pawns(), eval.mate_moves()) {
            (Some(pawns), _) => curve.at_material(pawns, self.material),
            (None, Some(moves)) if moves < 0 => 1.0 - curve.of_mate(),
            _ => curve.of_mate(),
        };
        let wdl = curve.wdl(score);
        let of = |share: fn(&centipawn_core::Wdl) -> f64| wdl.as_ref().map(share);
        Some(ExpectedResults {
            score,
            win: of(|wdl| wdl.win),
            draw: of(|wdl| wdl.draw),
            loss: of(|wdl| wdl.loss),
        })
    }

    /// Returns the mean expectation over the rated games.
    fn mean(&self, eval: Option<PositionEval>, bands: &Bands) -> Option<ExpectedResults> {
        let rows = bands
            .iter()
            .filter_map(|(band, results)| Some((results.games(), self.expected(eval, *band)?)));
        let rows: Vec<(u64, ExpectedResults)> = rows.collect();
        let games: u64 = rows.iter().map(|(games, _)| games).sum();
        let mean = |of: fn(&ExpectedResults) -> Option<f64>| {
            let sum: Option<f64> = rows
                .iter()
                .map(|(games, own)| Some(*games as f64 * of(own)?))
                .sum();
            sum.filter(|_| games > 0).map(|sum| sum / games as f64)
        };
        let score = mean(|own| Some(own.score))?;
        Some(ExpectedResults {
            score,
            win: mean(|own| own.win),
            draw: mean(|own| own.draw),
            loss: mean(|own| own.loss),
        })
    }
}

/// Returns the move in algebraic notation; empty for the end of the game, `None` if it is not
/// legal.
fn san_of(mv: NextMove, position: &Chess) -> Option<String> {
    match mv.uci() {
        None => Some(String::new()),
        Some(uci) => uci
            .to_move(position)
            .ok()
            .map(|mv| San::from_move(position, mv).to_string()),
    }
}

fn sum(bands: &Bands) -> Results {
    let mut sum = Results::default();
    bands.values().for_each(|results| sum.merge(*results));
    sum
}

impl From<Results> for PositionResults {
    fn from(results: Results) -> Self {
        let Results {
            white_wins,
            draws,
            black_wins,
        } = results;
        let games = results.games();
        let n = games as f64;
        let share = |count: u64| if games == 0 { 0.0 } else { count as f64 / n };
        let [win, draw, loss] = [white_wins, draws, black_wins].map(share);
        let score = if games == 0 {
            0.0
        } else {
            (white_wins as f64 + draws as f64 / 2.0) / n
        };
        // The variance of the points of a game. Draws make it smaller than the variance of a share.
        let variance =
            (win * (1.0 - score).powi(2) + draw * (0.5 - score).powi(2) + loss * score.powi(2))
                .max(0.0);
        let equivalent = if variance > 0.0 {
            n * score * (1.0 - score) / variance
        } else {
            n
        };
        Self {
            games,
            white_wins,
            draws,
            black_wins,
            score,
            score_interval: wilson(score, equivalent),
            win,
            win_interval: wilson(win, n),
            draw,
            draw_interval: wilson(draw, n),
            loss,
            loss_interval: wilson(loss, n),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_shares_with_intervals() {
        let none = PositionResults::from(Results::default());
        assert_eq!((none.score, none.win_interval), (0.0, (0.0, 1.0)));
        let some = PositionResults::from(Results {
            white_wins: 40,
            draws: 40,
            black_wins: 20,
        });
        assert_eq!((some.games, some.score), (100, 0.6));
        assert!(
            some.score_interval.0 > some.win_interval.0 && some.score_interval.1 < 0.68,
            "{some:?}"
        );
    }

    #[test]
    fn expectations_equal_those_of_the_curve() {
        let mut counts = PositionCounts::default();
        let white = Results {
            white_wins: 1,
            ..Results::default()
        };
        let band = |rating| RatingBand::of([Some(rating); 2]);
        for (band, games) in [
            (RatingBand::UNRATED, 5),
            (band(1500.0), 3),
            (band(2100.0), 1),
        ] {
            for _ in 0..games {
                counts.add("e2e4".parse().unwrap(), band, white);
            }
        }
        counts.add("e2e5".parse().unwrap(), RatingBand::UNRATED, white);
        let options = PositionReportOptions {
            eval: Some(Eval::cp(100)),
            ..PositionReportOptions::default()
        };
        let report = counts.report(&Chess::default(), &options);
        assert_eq!(
            (report.results.games, report.illegal, report.moves.len()),
            (9, 1, 1)
        );
        let curve = |rating| {
            HumanCurve {
                rating,
                ..HumanCurve::study()
            }
            .at_material(1.0, 78)
        };
        let scores: Vec<Option<f64>> = report
            .bands
            .iter()
            .map(|own| own.expected.map(|own| own.score))
            .collect();
        assert_eq!(scores, [None, Some(curve(1500.0)), Some(curve(2100.0))]);
        let mean = (3.0 * curve(1500.0) + curve(2100.0)) / 4.0;
        assert!((report.expected.unwrap().score - mean).abs() < 1e-12);
        let mated = PositionReportOptions {
            eval: Some(Eval::mate(-2)),
            ..options
        };
        assert!(
            counts
                .report(&Chess::default(), &mated)
                .expected
                .unwrap()
                .score
                < 0.1
        );
    }
}
