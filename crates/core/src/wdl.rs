//! Win/draw/loss models of the kind Stockfish publishes.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{Context, InvalidCurve, Wdl, invalid_curve::check, math::Portable as _};

/// A win/draw/loss model: the win rate is a logistic curve whose middle `a` and width `b` are cubic
/// in the material or the move number.
///
/// With `v` the evaluation in the engine's internal unit, `W = 1/(1 + e^((a − v)/b))`, `L` is `W`
/// of `−v`, `D` the rest. Source: `win_rate_params` and `win_rate_model` in `src/uci.cpp` of each
/// Stockfish release.
///
/// ```
/// use centipawn_core::{Context, WdlModel};
///
/// // Stockfish 18 prints +1.00 for an evaluation that wins half of the games.
/// let wdl = WdlModel::stockfish("18").unwrap().wdl(1.0, Context::default());
/// assert!((wdl.win - 0.5).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(remote = "Self")]
pub struct WdlModel {
    /// What `a` and `b` depend on.
    pub argument: Argument,
    /// The argument is clamped to these bounds, where the model had data.
    pub range: [f64; 2],
    /// The clamped argument is divided by this before it enters the polynomials.
    pub divisor: f64,
    /// Coefficients of `a`, highest power first, in internal units.
    pub a: [f64; 4],
    /// Coefficients of `b`, highest power first, in internal units.
    pub b: [f64; 4],
    /// How many internal units the engine prints as one pawn.
    pub pawn: Pawn,
    /// Evaluations are clamped to plus or minus this many internal units.
    pub clamp: Option<f64>,
}

impl WdlModel {
    /// Checks that the model is a curve at every argument of the range: the expected score rises
    /// with the evaluation (`b` above 0), wins and losses together do not exceed 1 (`a` not below
    /// 0), and no number overflows.
    ///
    /// # Errors
    ///
    /// [`InvalidCurve`] names the first number that makes no sense, or where in the range the model
    /// does not rise.
    pub fn check(&self) -> Result<(), InvalidCurve> {
        let [least, most] = self.range;
        check("range", least, -LARGE, LARGE)?;
        check("range", most, least, LARGE)?;
        check("divisor", self.divisor, SMALL, LARGE)?;
        self.a
            .iter()
            .try_for_each(|value| check("a", *value, -LARGE, LARGE))?;
        self.b
            .iter()
            .try_for_each(|value| check("b", *value, -LARGE, LARGE))?;
        if let Pawn::Units(units) = self.pawn {
            check("pawn", units, SMALL, LARGE)?;
        }
        self.clamp
            .map_or(Ok(()), |clamp| check("clamp", clamp, SMALL, LARGE))?;
        let argument = self.argument;
        for at in self.extremes(self.b) {
            let (_, width) = self.at_argument(at);
            if width < SMALL {
                return Err(InvalidCurve::Width {
                    argument,
                    at,
                    width,
                });
            }
        }
        let is_pawn = self.pawn == Pawn::Normalised;
        for at in self.extremes(self.a) {
            let (middle, _) = self.at_argument(at);
            if middle < if is_pawn { SMALL } else { 0.0 } {
                return Err(InvalidCurve::Middle {
                    argument,
                    at,
                    middle,
                    is_pawn,
                });
            }
        }
        Ok(())
    }

    /// Returns the same model, with the range narrowed to the arguments around the anchor of
    /// Stockfish's models (material 58, move 33, ply 64) for which `a` and `b` stay above 0.
    /// Arguments outside the range count as its nearest bound. `None` if the model is not
    /// [valid](Self::check) even at the anchor.
    pub fn narrowed(&self) -> Option<Self> {
        /// Largest number of steps in each direction, far more than a game has moves.
        const MOST: u32 = 10_000;
        if self.check().is_ok() {
            return Some(*self);
        }
        let [least, most] = self.range;
        let anchor = match self.argument {
            Argument::Material => 58.0,
            Argument::Move => 33.0,
            Argument::Ply => 64.0,
        };
        let anchor = f64::max(least, f64::min(most, anchor));
        let is_sound = |at: f64| {
            let (middle, width) = self.at_argument(at);
            middle >= SMALL && width >= SMALL
        };
        let reach = |step: f64| {
            let steps = (0..=MOST).map(|count| anchor + f64::from(count) * step);
            let inside = steps.take_while(|at| (least..=most).contains(at) && is_sound(*at));
            inside.last()
        };
        let step = self.step();
        let narrowed = Self {
            range: [reach(-step)?, reach(step)?],
            ..*self
        };
        narrowed.check().is_ok().then_some(narrowed)
    }

    /// Returns the smallest difference between the arguments of two positions.
    fn step(&self) -> f64 {
        if self.argument == Argument::Move {
            0.5
        } else {
            1.0
        }
    }

    /// Returns the arguments of the range at which a cubic with these coefficients can have its
    /// least value, in order. Positions only have whole arguments (half ones for
    /// [`Argument::Move`]), and a cubic is monotonic between its turning points, so these are the
    /// ends of the range and the arguments next to each turning point.
    fn extremes(&self, [c3, c2, c1, _]: [f64; 4]) -> Vec<f64> {
        let [least, most] = self.range;
        let step = self.step();
        // Zeros of 3·c3·m² + 2·c2·m + c1. This form avoids the cancellation of the textbook
        // formula.
        let root = (c2 * c2 - 3.0 * c3 * c1).max(0.0).sqrt();
        let q = -(c2 + root.copysign(c2));
        let turns = [q / (3.0 * c3), c1 / q, -c1 / (2.0 * c2)].map(|m| m * self.divisor);
        let beside = turns
            .into_iter()
            .filter(|turn| turn.is_finite())
            .flat_map(|turn| {
                let below = (turn / step).floor() * step;
                // The turning point is rounded, so add one more argument on each side.
                [below - step, below, below + step, below + 2.0 * step]
            });
        // No position has an argument below 0, so an argument counts as the lower bound or as a
        // whole number above it.
        let mut all: Vec<f64> = beside
            .filter(|at| (least..=most).contains(at))
            .chain([least, most])
            .collect();
        all.sort_by(f64::total_cmp);
        all
    }
}

/// Maximum absolute value of a model's numbers, so that no computation overflows.
const LARGE: f64 = 1e9;
/// Lower bound of numbers that must be above 0.
const SMALL: f64 = 1e-6;

impl Serialize for WdlModel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WdlModel::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for WdlModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let model = WdlModel::deserialize(deserializer)?;
        model.check().map_err(D::Error::custom)?;
        Ok(model)
    }
}

/// The variable of a model's coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Argument {
    /// Material of both sides, pawn = 1, knight = bishop = 3, rook = 5, queen = 9: 78 at the start.
    Material,
    /// Full moves: ply/2 + 1.
    Move,
    /// Half-moves since the start of the game.
    Ply,
}

/// How many internal units make a printed pawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pawn {
    /// A fixed number (Stockfish 15.1 to 16.1; 100 where the printed centipawn is the internal unit
    /// itself).
    Units(f64),
    /// `a` at the position's own argument, so that +1.00 wins half the games everywhere (Stockfish
    /// 17 and later).
    Normalised,
}

/// One row of Stockfish's history: versions of this release line, argument, range, divisor, a, b,
/// pawn, clamp.
const fn published(
    argument: Argument,
    range: [f64; 2],
    divisor: f64,
    a: [f64; 4],
    b: [f64; 4],
    pawn: Pawn,
    clamp: Option<f64>,
) -> WdlModel {
    WdlModel {
        argument,
        range,
        divisor,
        a,
        b,
        pawn,
        clamp,
    }
}

const PLY: [f64; 2] = [0.0, 240.0];
const MATERIAL: [f64; 2] = [17.0, 78.0];

/// Stockfish's published models by the release that introduced them, oldest first.
const STOCKFISH: [(&str, WdlModel); 10] = [
    (
        "12",
        published(
            Argument::Ply,
            PLY,
            64.0,
            [-8.24404295, 64.23892342, -95.73056462, 153.86478679],
            [-3.37154371, 28.44489198, -56.67657741, 72.05858751],
            Pawn::Units(100.0),
            Some(1000.0),
        ),
    ),
    (
        "14",
        published(
            Argument::Ply,
            PLY,
            64.0,
            [-3.68389304, 30.07065921, -60.52878723, 149.53378557],
            [-2.01818570, 15.85685038, -29.83452023, 47.59078827],
            Pawn::Units(100.0),
            Some(2000.0),
        ),
    ),
    (
        "15",
        published(
            Argument::Ply,
            PLY,
            64.0,
            [-0.117202460, 0.594729104, 11.2065546, 122.606222],
            [-1.79066759, 11.30759193, -17.43677612, 36.47147479],
            Pawn::Units(100.0),
            Some(2000.0),
        ),
    ),
    (
        "15.1",
        published(
            Argument::Ply,
            PLY,
            64.0,
            [-0.58270499, 2.68512549, 15.24638015, 344.49745382],
            [-2.65734562, 15.96509799, -20.69040836, 73.61029937],
            Pawn::Units(361.0),
            Some(4000.0),
        ),
    ),
    (
        "16",
        published(
            Argument::Ply,
            PLY,
            64.0,
            [0.38036525, -2.82015070, 23.17882135, 307.36768407],
            [-2.29434733, 13.27689788, -14.26828904, 63.45318330],
            Pawn::Units(328.0),
            Some(4000.0),
        ),
    ),
    (
        "16.1",
        published(
            Argument::Move,
            [8.0, 120.0],
            32.0,
            [-1.06249702, 7.42016937, 0.89425629, 348.60356174],
            [-5.33122190, 39.57831533, -90.84473771, 123.40620748],
            Pawn::Units(356.0),
            Some(4000.0),
        ),
    ),
    (
        "17",
        published(
            Argument::Material,
            MATERIAL,
            58.0,
            [-37.45051876, 121.19101539, -132.78783573, 420.70576692],
            [90.26261072, -137.26549898, 71.10130540, 51.35259597],
            Pawn::Normalised,
            Some(4000.0),
        ),
    ),
    (
        "17.1",
        published(
            Argument::Material,
            MATERIAL,
            58.0,
            [-13.50030198, 40.92780883, -36.82753545, 386.83004070],
            [96.53354896, -165.79058388, 90.89679019, 49.29561889],
            Pawn::Normalised,
            Some(4000.0),
        ),
    ),
    (
        "18",
        published(
            Argument::Material,
            MATERIAL,
            58.0,
            [-72.32565836, 185.93832038, -144.58862193, 416.44950446],
            [83.86794042, -136.06112997, 69.98820887, 47.62901433],
            Pawn::Normalised,
            Some(4000.0),
        ),
    ),
    (
        "19",
        published(
            Argument::Material,
            MATERIAL,
            58.0,
            [-142.72052667, 372.35176398, -340.71073572, 415.23490212],
            [5.93832785, 15.61267078, -30.57816876, 69.63866711],
            Pawn::Normalised,
            Some(4000.0),
        ),
    ),
];

/// Stockfish's releases since the first one with a model, oldest first. A release without new
/// constants uses those of the previous release.
const RELEASES: [&str; 12] = [
    "12", "13", "14", "14.1", "15", "15.1", "16", "16.1", "17", "17.1", "18", "19",
];

impl WdlModel {
    /// Houdini 6's calibration: the probability of a win is 75 % at +1.00, 90 % at +1.50 and 99 %
    /// at +2.50.
    ///
    /// The three points define a win rate of this form, with the same `a` and `b` everywhere. The
    /// first two give `a = 0.50` pawns and `b = 0.50/ln 3` pawns, since the log-odds are `ln 3` and
    /// `ln 9 = 2·ln 3`. At the third point the curve has 98.78 %, which is 0.22 percentage points
    /// below 99 %, and rounds to 99 %. The curve also implies that half of the games are won at
    /// +0.50, and half are drawn at 0.00. Evaluations count in centipawns, as Houdini prints them.
    ///
    /// Source: the three points of Houdini's author for version 6.
    pub const HOUDINI_6: WdlModel = published(
        Argument::Material,
        [0.0, 78.0],
        58.0,
        [0.0, 0.0, 0.0, 50.0],
        [0.0, 0.0, 0.0, 45.511_961_331_341_87],
        Pawn::Units(100.0),
        None,
    );
}

impl Default for WdlModel {
    /// Returns Stockfish's newest model.
    fn default() -> Self {
        STOCKFISH[STOCKFISH.len() - 1].1
    }
}

impl WdlModel {
    /// Returns the model of a Stockfish release (`"15.1"`, `"17"`, `"16-dev"`): the last one
    /// published up to that release.
    ///
    /// `None` before Stockfish 12, which introduced the first model, and for every text that is not
    /// a [known release](Self::stockfish_releases): a later release may have other constants.
    ///
    /// ```
    /// use centipawn_core::WdlModel;
    ///
    /// assert_eq!(WdlModel::stockfish("14.1"), WdlModel::stockfish("14"));
    /// assert_eq!(WdlModel::stockfish("99"), None);
    /// ```
    pub fn stockfish(version: &str) -> Option<Self> {
        let (wanted, rest) = parse_version(version)?;
        let is_release = rest.is_empty() || rest.starts_with(['-', '_', ' ']);
        (is_release && is_known(wanted)).then(|| Self::published_up_to(wanted))
    }

    /// Like [`stockfish`](Self::stockfish), for the version that a program states. A version before
    /// 12 gets the oldest model, and one that is not known the last model published up to it.
    ///
    /// `None` if `version` is not a version number, such as the date of a development build. A
    /// number from 100 on is probably a date, so it is not a version.
    pub(crate) fn of_stockfish(version: &str) -> Option<Self> {
        parse_version(version)
            .filter(|((number, _), _)| *number < NO_VERSION)
            .map(|(wanted, _)| Self::published_up_to(wanted))
    }

    /// Returns the last model published up to a version; the oldest one for earlier versions.
    fn published_up_to(wanted: (u32, u32)) -> Self {
        let models = STOCKFISH
            .iter()
            .map(|(since, model)| (number_of(since), model));
        models
            .rev()
            .find(|(since, _)| *since <= wanted)
            .map_or(STOCKFISH[0].1, |(_, model)| *model)
    }

    /// Returns the version in an engine's name (`id name Stockfish 99`) if it is not
    /// [known](Self::stockfish_releases), with the release whose model replaces it: `("99", "19")`.
    /// `None` for known releases, for releases before 12, and for names without a version.
    ///
    /// ```
    /// use centipawn_core::WdlModel;
    ///
    /// assert_eq!(WdlModel::replaced_version("Stockfish 99 64 POPCNT"), Some(("99".to_owned(), "19")));
    /// assert_eq!(WdlModel::replaced_version("Stockfish 15.1"), None);
    /// assert_eq!(WdlModel::replaced_version("Stockfish dev-20250101-nogit"), None);
    /// ```
    pub fn replaced_version(engine: &str) -> Option<(String, &'static str)> {
        let engine = engine.rsplit(", else ").next().unwrap_or(engine);
        let (wanted, _) = parse_version(engine.strip_prefix("Stockfish ")?)?;
        if wanted.0 >= NO_VERSION || wanted < number_of(STOCKFISH[0].0) || is_known(wanted) {
            return None;
        }
        let used = RELEASES
            .iter()
            .rev()
            .find(|release| number_of(release) <= wanted)?;
        let own = if wanted.1 == 0 {
            wanted.0.to_string()
        } else {
            format!("{}.{}", wanted.0, wanted.1)
        };
        Some((own, used))
    }

    /// Returns Stockfish's releases with a model, oldest first: the versions that
    /// [`stockfish`](Self::stockfish) accepts.
    pub fn stockfish_releases() -> impl Iterator<Item = &'static str> {
        RELEASES.iter().copied()
    }

    /// Returns the releases that introduced a new model, oldest first.
    pub fn stockfish_versions() -> impl Iterator<Item = &'static str> {
        STOCKFISH.iter().map(|(version, _)| *version)
    }

    /// Returns the middle `a` and the width `b` of the win rate at a context, in internal units.
    pub fn parameters(&self, context: Context) -> (f64, f64) {
        let argument = match self.argument {
            Argument::Material => f64::from(context.material),
            Argument::Move => f64::from(context.ply) / 2.0 + 1.0,
            Argument::Ply => f64::from(context.ply),
        };
        self.at_argument(argument.clamp(self.range[0], self.range[1]))
    }

    /// `a` and `b` at an argument within the range.
    fn at_argument(&self, argument: f64) -> (f64, f64) {
        let m = argument / self.divisor;
        let cubic = |[c3, c2, c1, c0]: [f64; 4]| ((c3 * m + c2) * m + c1) * m + c0;
        (cubic(self.a), cubic(self.b))
    }

    /// Returns internal units that the engine prints as one pawn at a context.
    pub fn units_per_pawn(&self, context: Context) -> f64 {
        match self.pawn {
            Pawn::Units(units) => units,
            Pawn::Normalised => self.parameters(context).0,
        }
    }

    /// Returns win, draw and loss at an evaluation in printed pawns.
    pub fn wdl(&self, pawns: f64, context: Context) -> Wdl {
        let (a, b) = self.parameters(context);
        let limit = self.clamp.unwrap_or(f64::INFINITY);
        Self::rates(pawns, (a, b, self.units_per_pawn(context)), limit)
    }

    /// Returns the probabilities of a win, a draw and a loss at an evaluation in printed pawns. `a`
    /// and `b` are the model's parameters in internal units, `units` is the number of internal
    /// units in a pawn. The evaluation is clamped to ±`limit` internal units.
    #[inline]
    pub(crate) fn rates(pawns: f64, (a, b, units): (f64, f64, f64), limit: f64) -> Wdl {
        let v = (pawns * units).clamp(-limit, limit);
        let rate = |v: f64| 1.0 / (1.0 + ((a - v) / b).exp_portable());
        let (win, loss) = (rate(v), rate(-v));
        // Rounding must not make the draws negative.
        Wdl {
            win,
            draw: (1.0 - win - loss).max(0.0),
            loss,
        }
    }

    /// Returns the win-draw balance in printed pawns: the evaluation at which half the games are
    /// won.
    pub fn balance(&self, context: Context) -> f64 {
        self.parameters(context).0 / self.units_per_pawn(context)
    }
}

/// Numbers from here on are not versions: they are probably dates.
const NO_VERSION: u32 = 100;

/// `"15.1-dev"` → (15, 1) and the rest `"-dev"`; `None` without a number in front.
fn parse_version(version: &str) -> Option<((u32, u32), &str)> {
    let number = |text: &str| {
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        text[..digits]
            .parse()
            .ok()
            .map(|number: u32| (number, digits))
    };
    let version = version.trim();
    let (major, length) = number(version)?;
    let rest = &version[length..];
    match rest
        .strip_prefix('.')
        .and_then(|minor| Some((number(minor)?, minor)))
    {
        Some(((minor, length), rest)) => Some(((major, minor), &rest[length..])),
        None => Some(((major, 0), rest)),
    }
}

/// Returns the version number of a release in the tables above.
fn number_of(release: &str) -> (u32, u32) {
    parse_version(release).map_or((0, 0), |(number, _)| number)
}

fn is_known(version: (u32, u32)) -> bool {
    RELEASES.iter().any(|release| number_of(release) == version)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The log-odds at the published points, and the distance of the curve from them.
    #[test]
    fn the_houdini_curve_passes_through_its_points() {
        assert_eq!(WdlModel::HOUDINI_6.check(), Ok(()));
        let win = |pawns: f64| {
            WdlModel::HOUDINI_6
                .wdl(
                    pawns,
                    Context {
                        material: 31,
                        ply: 7,
                    },
                )
                .win
        };
        let log_odds = |p: f64| (p / (1.0 - p)).ln();
        let slope = (log_odds(0.90) - log_odds(0.75)) / 0.50;
        let middle = 1.0 - log_odds(0.75) / slope;
        assert!((middle - 0.5).abs() < 1e-12 && (1.0 / slope - 0.455_119_613).abs() < 1e-9);
        for (pawns, published, miss) in
            [(1.0, 0.75, 1e-12), (1.5, 0.90, 1e-12), (2.5, 0.99, 0.0022)]
        {
            let own = 1.0 / (1.0 + (slope * (middle - pawns)).exp());
            assert!((win(pawns) - own).abs() < 1e-12, "{pawns}");
            assert!(
                (win(pawns) - published).abs() <= miss,
                "{pawns}: {}",
                win(pawns)
            );
        }
        assert!((win(2.5) - 0.9878).abs() < 5e-5 && (win(0.5) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn releases_use_the_last_model_published_before_them() {
        let like = |version: &str, release: &str| {
            assert_eq!(WdlModel::stockfish(version), WdlModel::stockfish(release));
        };
        like("13", "12");
        like("14.1", "14");
        like("16-dev", "16");
        assert_ne!(WdlModel::stockfish("17"), WdlModel::stockfish("17.1"));
        assert_eq!(WdlModel::stockfish("11"), None);
        for unknown in ["361", "99", "19.2", "12.7", "20", "18abc", "18.", ""] {
            assert_eq!(WdlModel::stockfish(unknown), None, "{unknown}");
        }
        for release in WdlModel::stockfish_releases() {
            assert!(WdlModel::stockfish(release).is_some(), "{release}");
            assert_eq!(
                WdlModel::replaced_version(&format!("Stockfish {release} 64")),
                None,
                "{release}"
            );
        }
        assert_eq!(WdlModel::stockfish("dev-20240101"), None);
    }

    /// The model as published: at material 58, 304.155 units win half of the games, over a width of
    /// 60.612.
    #[test]
    fn stockfish_19_is_the_newest() {
        let (a, b) = WdlModel::default().parameters(Context {
            material: 58,
            ..Context::default()
        });
        assert!(
            (a - 304.155).abs() < 1e-3 && (b - 60.612).abs() < 1e-3,
            "{a} {b}"
        );
        assert_eq!(WdlModel::stockfish("19"), Some(WdlModel::default()));
        assert_ne!(WdlModel::stockfish("19"), WdlModel::stockfish("18"));
    }

    #[test]
    fn an_engine_s_unknown_version_gets_the_newest_model_up_to_it() {
        let replaced = |name: &str| {
            WdlModel::replaced_version(name).map(|(own, used)| format!("{own} by {used}"))
        };
        assert_eq!(replaced("Stockfish 99").as_deref(), Some("99 by 19"));
        assert_eq!(replaced("Stockfish 19.1").as_deref(), Some("19.1 by 19"));
        assert_eq!(
            replaced("Syzygy, else Stockfish 16.2 64").as_deref(),
            Some("16.2 by 16.1")
        );
        for known in [
            "Stockfish 11 64",
            "Stockfish",
            "Stockfish 070721",
            "Stockfish 202009282242",
            "Ethereal 99",
        ] {
            assert_eq!(replaced(known), None, "{known}");
        }
        assert_eq!(WdlModel::of_stockfish("99"), WdlModel::stockfish("19"));
        assert_eq!(WdlModel::of_stockfish("16.2"), WdlModel::stockfish("16.1"));
    }

    /// `Cp(cp).wdl(model=…, ply=…)` of python-chess 1.11.2, per mille.
    #[test]
    fn agrees_with_python_chess() {
        let rows = [
            ("12", 64, 222, [935, 65, 0]),
            ("12", 300, 0, [38, 924, 38]),
            ("12", 240, 100, [119, 869, 12]),
            ("12", 0, -37, [66, 769, 165]),
            ("12", 7, 222, [764, 232, 4]),
            ("12", 240, 100, [119, 869, 12]),
            ("12", 151, -1500, [0, 0, 1000]),
            ("12", 7, 5000, [1000, 0, 0]),
            ("14", 33, 0, [30, 940, 30]),
            ("14", 33, -350, [0, 2, 998]),
            ("14", 64, -37, [8, 915, 77]),
            ("14", 151, -37, [15, 892, 93]),
            ("14", 7, -37, [17, 899, 84]),
            ("14", 240, -37, [27, 872, 101]),
            ("14", 20, 0, [34, 932, 34]),
            ("14", 0, 100, [261, 734, 5]),
            ("15", 33, -37, [4, 950, 46]),
            ("15", 20, -100, [1, 692, 307]),
            ("15", 100, 100, [203, 797, 0]),
            ("15", 300, 100, [133, 866, 1]),
            ("15", 20, 100, [307, 692, 1]),
            ("15", 151, -100, [1, 811, 188]),
            ("15", 0, 222, [939, 61, 0]),
            ("15", 151, -37, [4, 960, 36]),
            ("15.1", 20, -100, [0, 458, 542]),
            ("15.1", 7, 222, [998, 2, 0]),
            ("15.1", 64, 5000, [1000, 0, 0]),
            ("15.1", 0, 5000, [1000, 0, 0]),
            ("15.1", 100, 15, [11, 987, 2]),
            ("15.1", 64, 222, [999, 1, 0]),
            ("15.1", 64, 600, [1000, 0, 0]),
            ("15.1", 100, -37, [1, 967, 32]),
            ("16", 240, 600, [1000, 0, 0]),
            ("16", 20, 0, [5, 990, 5]),
            ("16", 64, 0, [4, 992, 4]),
            ("16", 100, -350, [0, 0, 1000]),
            ("16", 0, -1500, [0, 0, 1000]),
            ("16", 151, 222, [994, 6, 0]),
            ("16", 151, 5000, [1000, 0, 0]),
            ("16", 0, 600, [1000, 0, 0]),
            ("16.1", 0, -37, [9, 883, 108]),
            ("16.1", 33, 15, [29, 963, 8]),
            ("16.1", 33, 600, [1000, 0, 0]),
            ("16.1", 100, -1500, [0, 0, 1000]),
            ("16.1", 100, -1500, [0, 0, 1000]),
            ("16.1", 64, 600, [1000, 0, 0]),
            ("16.1", 7, 5000, [1000, 0, 0]),
            ("16.1", 100, -100, [0, 537, 463]),
        ];
        for (version, ply, cp, expected) in rows {
            let wdl = WdlModel::stockfish(version).unwrap().wdl(
                f64::from(cp) / 100.0,
                Context {
                    ply,
                    ..Context::default()
                },
            );
            // python-chess rounds win and loss, and the draws get the rest.
            let [win, loss] = [wdl.win, wdl.loss].map(|rate| (0.5 + 1000.0 * rate) as i32);
            assert_eq!(
                [win, 1000 - win - loss, loss],
                expected,
                "Stockfish {version}, ply {ply}, {cp} cp"
            );
        }
    }

    /// The examples of Stockfish's own tests: a normalised pawn is the balance at every material.
    #[test]
    fn a_normalised_pawn_is_the_balance() {
        for material in [0, 17, 40, 58, 78, 100] {
            let context = Context {
                material,
                ..Context::default()
            };
            assert_eq!(WdlModel::stockfish("18").unwrap().balance(context), 1.0);
        }
        let old = WdlModel::stockfish("15.1").unwrap();
        assert!(
            (old.balance(Context {
                ply: 64,
                ..Context::default()
            }) - 1.0)
                .abs()
                < 0.01
        );
    }
}
