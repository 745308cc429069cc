//! How a player played a game, in numbers.

use std::{collections::BTreeMap, time::Duration};

use centipawn_core::{History, win_percent};
use centipawn_judge::{Clock, clocks, simple_control};
use centipawn_pgn::{Dialect, Game, GameEvals};
use centipawn_policy::{EvaluateError, Evaluation, Network};
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Move};

/// Ratings at which the network judges each move.
const LEVELS: [u32; 5] = [1100, 1300, 1500, 1700, 1900];
/// Index of 1500 in [`LEVELS`].
const MIDDLE: usize = 2;
/// Number of half-moves of the opening, which many players know by heart.
const OPENING: usize = 10;
/// Minimum number of moves after the opening for a measurement.
const FEWEST_MOVES: usize = 5;
/// Moves made with less time on the clock do not count, because players then move by reflex.
const SCRAMBLE: Duration = Duration::from_secs(20);
/// Lower bound of the logarithm of a probability, so that a single odd move does not dominate a
/// mean.
const LEAST: f64 = -5.0;
/// Lower bound of a probability, so that its logarithm stays finite.
const TINY: f64 = 1e-6;
/// Number of positions that the network evaluates together.
const BATCH: usize = 64;
/// Number of increments that count as time for the game, as on Lichess.
const MOVES_OF_A_GAME: f64 = 40.0;

/// How a player played one game. The names of the values are those in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct PlayFeatures {
    /// Moves that count: after the opening, and with at least 20 seconds on the clock if it is
    /// known.
    pub moves: usize,
    /// The values by name. Those of the clock and of losses are missing if the game has no clocks
    /// or evaluations.
    #[serde(flatten)]
    pub values: BTreeMap<String, f64>,
}

/// The measurements of both players in a game.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GamePlay {
    /// White's features; `None` if too few moves count.
    pub white: Option<PlayFeatures>,
    /// Black's features; `None` if too few moves count.
    pub black: Option<PlayFeatures>,
}

impl GamePlay {
    /// Measures a game, whose losses follow from the evaluations in its comments.
    ///
    /// # Errors
    ///
    /// [`EvaluateError`] if the network fails.
    pub fn of(game: &Game, network: &Network) -> Result<Self, EvaluateError> {
        // The model was fitted to evaluations of Stockfish 15.1.
        let evals = GameEvals::read(game, Dialect::Auto).converted(game, 1.0);
        Self::with_losses(game, network, |index, before, played| {
            let [best, played] = [
                evals.of_position(index, before)?,
                evals.of_move(index, before, played)?,
            ];
            let percent = |eval: centipawn_core::Eval<centipawn_core::Mover>| {
                win_percent(eval.for_white(Color::White))
            };
            Some(((percent(best) - percent(played)) / 100.0).max(0.0))
        })
    }

    /// Measures a game; `loss` is what move `index` of the game loses of the mover's winning
    /// chances on Lichess' scale, 0..=1.
    ///
    /// # Errors
    ///
    /// [`EvaluateError`] if the network fails.
    pub(crate) fn with_losses(
        game: &Game,
        network: &Network,
        loss: impl Fn(usize, &History, Move) -> Option<f64>,
    ) -> Result<Self, EvaluateError> {
        let line: Vec<(History, Move)> = game
            .mainline()
            .map(|(before, ply)| (before, ply.mv))
            .collect();
        let control = simple_control(game);
        let clocks = clocks(game);
        let mut plies = Vec::with_capacity(line.len());
        for batch in line.chunks(BATCH) {
            let histories: Vec<History> = batch.iter().map(|(before, _)| before.clone()).collect();
            for ((before, mv), answer) in
                batch.iter().zip(network.evaluate_many(&histories, &LEVELS))
            {
                let index = plies.len();
                plies.push(Ply::new(
                    index,
                    before,
                    *mv,
                    &answer?,
                    clocks[index],
                    loss(index, before, *mv),
                ));
            }
        }
        let of = |color: Color| {
            let own: Vec<&Ply> = plies.iter().filter(|ply| ply.mover == color).collect();
            features(&own, control)
        };
        Ok(Self {
            white: of(Color::White),
            black: of(Color::Black),
        })
    }

    /// Returns the measurement of a player; `None` if too few moves count.
    pub fn player(&self, color: Color) -> Option<&PlayFeatures> {
        color.fold_wb(self.white.as_ref(), self.black.as_ref())
    }
}

/// A move, with the network's probabilities and the time spent on it.
struct Ply {
    index: usize,
    mover: Color,
    /// Logarithms of the move's probability at each level.
    log_p: [f64; LEVELS.len()],
    /// Whether the move is the likeliest one at each level.
    is_likeliest: [bool; LEVELS.len()],
    /// The entropy of the probabilities at 1500.
    entropy: f64,
    /// The expected [`trend`](Self::trend) of a player rated 1500.
    expected_trend: f64,
    /// The network's value of the position for the mover, −1..=1.
    value: f64,
    clock: Clock,
    loss: Option<f64>,
}

impl Ply {
    fn new(
        index: usize,
        before: &History,
        mv: Move,
        answer: &[Evaluation],
        clock: Clock,
        loss: Option<f64>,
    ) -> Self {
        let at = |level: usize| &answer[level.min(answer.len() - 1)];
        let log = |evaluation: &Evaluation, mv: Move| {
            let found = evaluation.moves.iter().find(|found| found.mv == mv);
            found.map_or(TINY, |found| found.probability).max(TINY).ln()
        };
        let levels = [0, 1, 2, 3, 4];
        let middle = at(MIDDLE);
        let expected = middle.moves.iter().map(|found| {
            found.probability * (log(at(LEVELS.len() - 1), found.mv) - log(at(0), found.mv))
        });
        Self {
            index,
            mover: before.turn(),
            log_p: levels.map(|level| log(at(level), mv)),
            is_likeliest: levels
                .map(|level| at(level).moves.first().is_some_and(|found| found.mv == mv)),
            entropy: middle
                .moves
                .iter()
                .map(|found| -found.probability * found.probability.max(TINY).ln())
                .sum(),
            expected_trend: expected.sum(),
            value: middle.value,
            clock,
            loss,
        }
    }

    /// Returns the logarithm of the move's probability among players of 1900 minus that among
    /// players of 1100.
    fn trend(&self) -> f64 {
        self.log_p[LEVELS.len() - 1] - self.log_p[0]
    }

    fn counts(&self) -> bool {
        self.index >= OPENING && self.clock.left.is_none_or(|left| left >= SCRAMBLE)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    if count == 0 {
        0.0
    } else {
        sum / f64::from(count)
    }
}

fn deviation(values: &[f64]) -> f64 {
    let middle = mean(values.iter().copied());
    mean(values.iter().map(|value| (value - middle).powi(2))).sqrt()
}

fn share(plies: &[&Ply], is: impl Fn(&Ply) -> bool) -> f64 {
    mean(plies.iter().map(|ply| f64::from(u8::from(is(ply)))))
}

/// Returns the values of a player's moves; `None` if too few count.
fn features(own: &[&Ply], control: Option<(Duration, Duration)>) -> Option<PlayFeatures> {
    let main: Vec<&Ply> = own.iter().copied().filter(|ply| ply.counts()).collect();
    if main.len() < FEWEST_MOVES {
        return None;
    }
    let opening: Vec<&Ply> = own
        .iter()
        .copied()
        .filter(|ply| ply.index < OPENING)
        .collect();
    let of = |plies: &[&Ply], value: &dyn Fn(&Ply) -> f64| mean(plies.iter().map(|ply| value(ply)));
    let last = LEVELS.len() - 1;
    let mut values = BTreeMap::new();
    let mut set = |name: &str, value: f64| {
        values.insert(name.to_owned(), value);
    };
    for (index, level) in LEVELS.iter().enumerate() {
        set(
            &format!("log_p_{level}"),
            of(&main, &|ply| ply.log_p[index].max(LEAST)),
        );
    }
    set("trend", of(&main, &Ply::trend));
    set(
        "trend_clamped",
        of(&main, &|ply| ply.trend().clamp(-1.0, 1.0)),
    );
    set("trend_expected", of(&main, &|ply| ply.expected_trend));
    set("trend_late", of(&main[main.len() / 2..], &Ply::trend));
    set(
        "likeliest_1500",
        share(&main, |ply| ply.is_likeliest[MIDDLE]),
    );
    set("likeliest_1900", share(&main, |ply| ply.is_likeliest[last]));
    set("rare", share(&main, |ply| ply.log_p[last] < -3.0));
    set("very_rare", share(&main, |ply| ply.log_p[last] < -4.5));
    set("entropy", of(&main, &|ply| ply.entropy));
    set("opening_trend", of(&opening, &Ply::trend));
    set(
        "opening_log_p",
        of(&opening, &|ply| ply.log_p[last].max(LEAST)),
    );
    set("value", of(&main, &|ply| ply.value));
    set(
        "value_deviation",
        deviation(&main.iter().map(|ply| ply.value).collect::<Vec<_>>()),
    );
    set("log_moves", (main.len() as f64).ln());
    let losses: Vec<f64> = main.iter().filter_map(|ply| ply.loss).collect();
    if losses.len() == main.len() {
        set("loss", mean(losses.iter().copied()));
        set("loss_root", mean(losses.iter().map(|loss| loss.sqrt())));
        set(
            "loss_over_5",
            mean(losses.iter().map(|loss| f64::from(u8::from(*loss > 0.05)))),
        );
        set(
            "loss_over_10",
            mean(losses.iter().map(|loss| f64::from(u8::from(*loss > 0.1)))),
        );
        set(
            "loss_over_20",
            mean(losses.iter().map(|loss| f64::from(u8::from(*loss > 0.2)))),
        );
    }
    if let Some((base, increment)) = control {
        let seconds = base.as_secs_f64() + MOVES_OF_A_GAME * increment.as_secs_f64();
        let spent = |plies: &[&Ply]| -> Vec<f64> {
            plies
                .iter()
                .filter_map(|ply| ply.clock.spent)
                .map(|spent| spent.as_secs_f64() / seconds)
                .collect()
        };
        let (times, early) = (spent(&main), spent(&opening));
        if times.len() == main.len() && !early.is_empty() && seconds > 0.0 {
            let middle = mean(times.iter().copied());
            set("log_seconds", seconds.ln());
            set("log_time", (middle + 0.002).ln());
            set(
                "time_spread",
                if middle > 0.0 {
                    deviation(&times) / middle
                } else {
                    0.0
                },
            );
            set(
                "opening_log_time",
                (mean(early.iter().copied()) + 0.002).ln(),
            );
            set("longest_time", times.iter().copied().fold(0.0, f64::max));
            set(
                "fast",
                mean(times.iter().map(|time| f64::from(u8::from(*time < 0.01)))),
            );
            let entropies: Vec<f64> = main.iter().map(|ply| ply.entropy).collect();
            set(
                "time_by_entropy",
                correlation(
                    &times
                        .iter()
                        .map(|time| (40.0 * time).ln_1p())
                        .collect::<Vec<_>>(),
                    &entropies,
                ),
            );
        }
    }
    Some(PlayFeatures {
        moves: main.len(),
        values,
    })
}

/// Returns Pearson's correlation of two series of equal length, 0 if one is constant.
fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let (mean_x, mean_y) = (mean(x.iter().copied()), mean(y.iter().copied()));
    let both = mean(x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)));
    let product = deviation(x) * deviation(y);
    if product > 0.0 { both / product } else { 0.0 }
}
