//! Converts an evaluation to what it is worth to the two players.

use centipawn_core::{
    Context, Curve, Eval, HumanCurve, HumanModel, Mover, PlayerPair, Pool, Score, Wdl,
};
use centipawn_pgn::TimeControl;
use shakmaty::Color;

use crate::settings::{CurveSetting, ScoreType, Settings};

/// The curve of one search, with the position on which it depends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Worth {
    kind: Kind,
    context: Context,
    turn: Color,
    /// Whether the game has already ended in a draw.
    is_drawn: bool,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Curve(Curve),
    People {
        model: HumanModel,
        units: f64,
        pair: PlayerPair,
    },
}

impl Worth {
    /// `engine` is the name of the wrapped engine, `seconds` the time of a player for the game if
    /// it is known, and `clocks` the remaining times.
    pub(crate) fn new(
        settings: &Settings,
        engine: &str,
        (context, turn): (Context, Color),
        seconds: Option<f64>,
        clocks: Option<[f64; 2]>,
    ) -> Self {
        let of_engine = Curve::for_engine(engine);
        let kind = match settings.curve {
            CurveSetting::Engine => Kind::Curve(of_engine),
            CurveSetting::Given(curve) => Kind::Curve(curve),
            CurveSetting::People(model) => {
                let seconds = settings.time_control.map(TimeControl::seconds).or(seconds);
                let seconds = seconds.unwrap_or(HumanCurve::study().seconds);
                let pair = PlayerPair {
                    ratings: settings.ratings().map(f64::from),
                    seconds,
                    clocks,
                    pool: Pool::Unknown,
                };
                Kind::People {
                    model,
                    units: of_engine.source_units(),
                    pair,
                }
            }
        };
        Self {
            kind,
            context,
            turn,
            is_drawn: false,
        }
    }

    /// Sets whether the game has already ended in a draw in this position.
    pub(crate) fn drawn(self, is_drawn: bool) -> Self {
        Self { is_drawn, ..self }
    }

    /// Returns win, draw and loss for the side to move. With a curve without draws, draw is 0.
    pub(crate) fn wdl(&self, score: Score) -> Wdl {
        let eval = Eval::<Mover>::new(score);
        if self.is_drawn && matches!(score, Score::Cp(_)) {
            return Wdl {
                win: 0.0,
                draw: 1.0,
                loss: 0.0,
            };
        }
        let without_draws = |win: f64| Wdl {
            win,
            draw: 0.0,
            loss: 1.0 - win,
        };
        match &self.kind {
            Kind::Curve(curve) => curve
                .wdl(eval, self.context)
                .unwrap_or_else(|| without_draws(curve.expected_score(eval, self.context))),
            // The side to move is checkmated.
            Kind::People { .. } if score == Score::Mate(0) => without_draws(0.0),
            Kind::People { model, units, pair } => {
                let odds = model.odds(eval.for_white(self.turn), *units, self.context, pair);
                let white = odds
                    .wdl
                    .unwrap_or_else(|| without_draws(odds.expected_score));
                self.turn.fold_wb(white, white.for_opponent())
            }
        }
    }

    /// Returns the `score cp` for an evaluation in centipawns. Mate scores are not converted.
    pub(crate) fn cp(&self, cp: i32, score_type: ScoreType) -> i32 {
        match score_type {
            ScoreType::Engine => cp,
            ScoreType::Percentage => {
                (10_000.0 * self.wdl(Score::Cp(cp)).expected_score()).round() as i32
            }
            ScoreType::Pawns if self.is_drawn => 0,
            ScoreType::Pawns => {
                let balance = match &self.kind {
                    Kind::Curve(curve) => curve.balance(self.context),
                    Kind::People { model, units, pair } => {
                        let rating = (pair.ratings[0] + pair.ratings[1]) / 2.0;
                        let human = HumanCurve {
                            rating,
                            seconds: pair.seconds,
                            pool: pair.pool,
                            units: *units,
                            model: *model,
                        };
                        Curve::Human(human).balance(self.context)
                    }
                };
                (f64::from(cp) / balance).round() as i32
            }
        }
    }

    /// Returns whether the curve is about two people, so that a sentence about them makes sense.
    pub(crate) fn is_of_people(&self) -> bool {
        matches!(self.kind, Kind::People { .. })
    }

    /// Describes an evaluation as a sentence about the two players; `None` if the curve is not
    /// about people.
    pub(crate) fn sentence(&self, score: Score) -> Option<String> {
        let Kind::People { pair, .. } = &self.kind else {
            return None;
        };
        let mover = self.wdl(score);
        let Wdl { win, draw, loss } = self.turn.fold_wb(mover, mover.for_opponent());
        let [white, black] = pair.ratings;
        let percent = |p: f64| format!("{:.0} %", 100.0 * p);
        Some(format!(
            "between {white} and {black}: White wins {}, draw {}, Black wins {}",
            percent(win),
            percent(draw),
            percent(loss)
        ))
    }
}

/// Converts to per mille, as UCI prints it: the three numbers add up to 1000.
pub(crate) fn per_mille(wdl: Wdl) -> [u32; 3] {
    let of = |p: f64| (1000.0 * p).round().clamp(0.0, 1000.0) as u32;
    let win = of(wdl.win);
    let loss = of(wdl.loss).min(1000 - win);
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(change: impl FnOnce(&mut Settings), clocks: Option<[f64; 2]>, turn: Color) -> Worth {
        let mut settings = Settings::default();
        change(&mut settings);
        Worth::new(
            &settings,
            "Stockfish 15.1",
            (Context::default(), turn),
            Some(180.0),
            clocks,
        )
    }

    #[test]
    fn the_result_is_for_the_side_to_move() {
        let rated = |settings: &mut Settings| (settings.rating, settings.opponent) = (1800, 1500);
        // White has the higher rating, so at 0.00 the side to move is worse off if it is Black.
        let black = worth(rated, None, Color::Black).wdl(Score::Cp(0));
        let white = worth(rated, None, Color::White).wdl(Score::Cp(0));
        assert!(black.expected_score() < 0.3 && (black.win - white.loss).abs() < 1e-12);
        let hurried = worth(|_| {}, Some([60.0, 5.0]), Color::Black).wdl(Score::Cp(0));
        assert!(hurried.expected_score() < 0.4, "{hurried:?}");
    }

    #[test]
    fn the_curve_of_the_engine_depends_on_its_version() {
        let own = worth(
            |settings| settings.curve = CurveSetting::Engine,
            None,
            Color::White,
        );
        let wdl = own.wdl(Score::Cp(100));
        let model = centipawn_core::WdlModel::stockfish("15.1")
            .unwrap()
            .wdl(1.0, Context::default());
        assert_eq!(wdl, model);
        assert_eq!(own.cp(0, ScoreType::Pawns), 0);
        let at_balance = (100.0 * Curve::for_engine("Stockfish 15.1").balance(Context::default()))
            .round() as i32;
        assert!((own.cp(at_balance, ScoreType::Pawns) - 100).abs() <= 1);
        assert!((own.cp(at_balance, ScoreType::Percentage) - 7500).abs() < 30);
    }

    #[test]
    fn a_future_mate_is_no_certain_win_between_people() {
        let people = worth(|_| {}, None, Color::White);
        assert_eq!(people.wdl(Score::Mate(0)).loss, 1.0);
        let mates = [3, -3].map(|moves| people.wdl(Score::Mate(moves)).expected_score());
        assert!(
            mates[0] > 0.85 && mates[0] < 1.0 && (mates[0] + mates[1] - 1.0).abs() < 1e-9,
            "{mates:?}"
        );
    }

    #[test]
    fn a_drawn_game_has_an_expected_score_of_half() {
        let unequal = |settings: &mut Settings| (settings.rating, settings.opponent) = (1200, 2400);
        let over = worth(unequal, None, Color::White).drawn(true);
        assert_eq!(per_mille(over.wdl(Score::Cp(0))), [0, 1000, 0]);
        let cp = [ScoreType::Engine, ScoreType::Pawns, ScoreType::Percentage]
            .map(|kind| over.cp(7, kind));
        assert_eq!(cp, [7, 0, 5000]);
        assert_eq!(
            over.sentence(Score::Cp(0)).unwrap(),
            "between 1200 and 2400: White wins 0 %, draw 100 %, Black wins 0 %"
        );
    }

    #[test]
    fn per_mille_adds_up_to_1000() {
        for step in 0..=1000 {
            let p = f64::from(step) / 1000.0;
            let wdl = Wdl {
                win: p / 3.0,
                draw: 1.0 - p,
                loss: 2.0 * p / 3.0,
            };
            assert_eq!(per_mille(wdl).iter().sum::<u32>(), 1000);
        }
    }
}
