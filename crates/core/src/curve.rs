//! From an evaluation to an expected score.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use shakmaty::{Chess, Position, Role};

use crate::{
    CurveParameter, Eval, HumanCurve, InvalidCurve, NamedCurve, Score, Wdl, WdlModel,
    history::ply_of, invalid_curve::check, logistic, material_value, math::Portable as _,
};

/// What an evaluation is worth: evaluation (and context) → expected score.
///
/// Every curve is symmetric, `P(−x) = 1 − P(x)`, so it serves White's and the mover's view alike.
/// Evaluations are in pawns as the engine prints them. Symbols, relevant differences and limits are
/// defined in expected score, so a new curve needs no new thresholds.
///
/// ```
/// use centipawn_core::{Context, Curve, Eval, Mover};
///
/// let curve = Curve::Relevance { balance: 0.62 };
/// let context = Context::default();
/// assert_eq!(curve.expected_score(Eval::<Mover>::cp(62), context), 0.75); // the balance: won half the time
/// assert_eq!(curve.expected_score(Eval::<Mover>::mate(3), context), 1.0);
///
/// // How much of the game lies between −1.00 and +2.00, in pawns at equality:
/// let loss = curve.relevant_difference(2.00, -1.00, context);
/// assert_eq!(format!("{loss:.5}"), "1.40089");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case", tag = "curve", remote = "Self")]
#[non_exhaustive]
pub enum Curve {
    /// Exponential, from "Evaluation Relevance Reduction": `1 − 2^(−x/a−1)` for x > 0, else
    /// `2^(x/a−1)`.
    Relevance {
        /// The win-draw balance `a` in pawns, > 0.
        balance: f64,
    },
    /// The same article's alternative: `x/(2√(3a² + x²)) + ½`.
    RelevanceSigmoid {
        /// The win-draw balance `a` in pawns, > 0.
        balance: f64,
    },
    /// The exponential curve with a second parameter: `1 − 2^(−(x/a)^s − 1)` for x > 0, a stretched
    /// exponential.
    ///
    /// With s = 1 it is [`Relevance`](Self::Relevance). Larger slopes are flatter near equality and
    /// steeper around the balance.
    RelevanceStretched {
        /// The win-draw balance `a` in pawns, > 0: the evaluation with the expected score ¾.
        balance: f64,
        /// The slope `s` at the balance, > 0, as a multiple of the slope of the exponential curve.
        slope: f64,
    },
    /// `1/(1 + e^(−k·cp))`.
    Logistic {
        /// Steepness per centipawn, > 0.
        k: f64,
        /// Evaluations are clamped to plus or minus this many pawns.
        clamp: Option<f64>,
    },
    /// A win/draw/loss model; the expected score is `W + D/2`.
    Wdl(WdlModel),
    /// What an evaluation is worth between two people: `1/(1 + e^(−k·pawns))` with a `k` by rating
    /// and time, and at most what a mate is worth.
    Human(HumanCurve),
}

impl Serialize for Curve {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Curve::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Curve {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let curve = Curve::deserialize(deserializer)?;
        curve.check().map_err(D::Error::custom)?;
        Ok(curve)
    }
}

/// The steepness of logistic curves, per centipawn.
const STEEPNESS: [f64; 2] = [1e-5, 1.0];
/// Where evaluations of a logistic curve may be clamped, in pawns.
const CLAMPS: [f64; 2] = [0.01, 1e6];

/// What an expected score may depend on besides the evaluation: the material and the move number.
/// The [default](Self::default) is the position at which Stockfish's models are anchored.
///
/// ```
/// use centipawn_core::{Context, Curve, Eval, Mover};
/// use shakmaty::Chess;
///
/// let start = Context::of(&Chess::default());
/// assert_eq!(start, Context { material: 78, ply: 0 });
///
/// // Under Stockfish 18's model, equal positions with less material are drawn more often.
/// let draws = |context| Curve::by_name("stockfish-18", 1.0)?.wdl(Eval::<Mover>::cp(0), context);
/// let endgame = Context { material: 20, ..start };
/// assert!(draws(endgame).unwrap().draw > draws(start).unwrap().draw);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Material of both sides, pawn = 1, knight = bishop = 3, rook = 5, queen = 9: 78 at the start.
    pub material: u32,
    /// Half-moves since the start of the game.
    pub ply: u32,
}

impl Default for Context {
    /// Material 58 and move 33 (ply 64), where Stockfish's models are anchored.
    fn default() -> Self {
        Self {
            material: 58,
            ply: 64,
        }
    }
}

impl Context {
    /// The context of a position; the ply comes from its full-move number.
    pub fn of(position: &Chess) -> Self {
        let board = position.board();
        let count = |role| material_value(role) * board.by_role(role).count() as u32;
        let material = Role::ALL.into_iter().map(count).sum();
        Self {
            material,
            ply: ply_of(position),
        }
    }
}

impl Curve {
    /// The balance of the relevance curves if the user gives none, in pawns.
    pub const DEFAULT_BALANCE: f64 = 1.0;

    /// The allowed balances of the relevance curves, in pawns. Below them a centipawn would decide
    /// the game; above them a queen would hardly matter.
    pub const BALANCES: [f64; 2] = [1e-3, 1e3];

    /// The allowed slopes of the stretched curve. Below them no evaluation would ever win; above
    /// them the curve would be a step.
    pub const SLOPES: [f64; 2] = [0.25, 20.0];

    /// The slope of the stretched curve if the user gives none: the mean of the slopes that fit
    /// four matches of engines (`docs/balance.md`).
    pub const DEFAULT_SLOPE: f64 = 2.0;

    /// Lichess' winning chances: k = 0.00368208 per centipawn, clamped to ±10 pawns.
    ///
    /// Source: <https://lichess.org/page/accuracy> and lila's `WinPercent`.
    pub const LICHESS: Curve = Curve::Logistic {
        k: 0.003_682_08,
        clamp: Some(10.0),
    };

    /// WintrChess' expected points: k = 0.0035 per centipawn.
    pub const WINTRCHESS: Curve = Curve::Logistic {
        k: 0.0035,
        clamp: None,
    };

    /// The TCEC site's formula, `½ + ½·(2·e^(cx)/(e^(cx)+1) − 1)` with c = 0.575517 per pawn, which
    /// is a logistic.
    pub const TCEC: Curve = Curve::Logistic {
        k: 0.005_755_17,
        clamp: None,
    };

    /// Returns the curve with this name: one of [`NAMED`](Self::NAMED), `stockfish-VERSION`, or
    /// `relevance-stretched:BALANCE,SLOPE`. `balance` is the win-draw balance in pawns, above 0,
    /// for the names that leave it open.
    ///
    /// Returns `None` for an unknown name, and for numbers that [`check`](Self::check) refuses.
    ///
    /// ```
    /// use centipawn_core::{Context, Curve};
    ///
    /// let curve = Curve::by_name("relevance-stretched:0.62,2", 1.0).unwrap();
    /// assert_eq!(curve, Curve::RelevanceStretched { balance: 0.62, slope: 2.0 });
    /// assert_eq!(curve.at(0.62, Context::default()), 0.75);
    /// ```
    pub fn by_name(name: &str, balance: f64) -> Option<Self> {
        if let Some(named) = Curve::NAMED.iter().find(|named| named.name == name) {
            return Some(named.curve(balance));
        }
        match name.split_once(':') {
            Some((NamedCurve::STRETCHED, numbers)) => {
                let (balance, slope) = numbers.split_once(',')?;
                let curve = Curve::RelevanceStretched {
                    balance: balance.trim().parse().ok()?,
                    slope: slope.trim().parse().ok()?,
                };
                curve.check().is_ok().then_some(curve)
            }
            _ => WdlModel::stockfish(name.strip_prefix("stockfish-")?).map(Curve::Wdl),
        }
    }

    /// Whether a name leaves the win-draw balance open, so that the user chooses it.
    ///
    /// ```
    /// use centipawn_core::Curve;
    ///
    /// assert!(Curve::leaves_balance_open("relevance"));
    /// assert!(!Curve::leaves_balance_open("lichess"));
    /// assert!(!Curve::leaves_balance_open("relevance-stretched:0.62,2"));
    /// ```
    pub fn leaves_balance_open(name: &str) -> bool {
        let named = Curve::NAMED.iter().find(|named| named.name == name);
        named.is_some_and(|named| named.parameter == CurveParameter::Balance)
    }

    /// Returns the names of the curves that [leave the balance open](Self::leaves_balance_open), in
    /// words, for messages.
    pub fn with_open_balance() -> String {
        let names: Vec<_> = Curve::NAMED
            .iter()
            .map(|named| named.name)
            .filter(|name| Curve::leaves_balance_open(name))
            .collect();
        match &names[..] {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            names => names.concat(),
        }
    }

    /// Checks that the expected score of every evaluation at every context is a number from 0 to 1
    /// that rises with the evaluation. Curves that are read from files are checked.
    ///
    /// # Errors
    ///
    /// [`InvalidCurve`] names the first number that makes no sense, or where in its range the curve
    /// does not rise.
    pub fn check(&self) -> Result<(), InvalidCurve> {
        match self {
            Curve::Relevance { balance } | Curve::RelevanceSigmoid { balance } => {
                let [least, most] = Curve::BALANCES;
                check("balance", *balance, least, most)
            }
            Curve::RelevanceStretched { balance, slope } => {
                let [least, most] = Curve::BALANCES;
                check("balance", *balance, least, most)?;
                let [least, most] = Curve::SLOPES;
                check("slope", *slope, least, most)
            }
            Curve::Logistic { k, clamp } => {
                let [least, most] = STEEPNESS;
                check("k", *k, least, most)?;
                let [least, most] = CLAMPS;
                clamp.map_or(Ok(()), |clamp| check("clamp", clamp, least, most))
            }
            Curve::Wdl(model) => model.check(),
            Curve::Human(curve) => Ok(curve.check()?),
        }
    }

    /// Returns the curve that fits an engine's centipawns, by the name that the engine reports (`id
    /// name`, `"Stockfish 15.1"`).
    ///
    /// A Stockfish release gets its published model, a release before 12 (which had none) the
    /// oldest. Development builds, which state no version or the date in its place (`"Stockfish
    /// 070721"`), and all other engines get the newest: many engines normalise their centipawns in
    /// the same way. So does a release that is not known yet ([`WdlModel::replaced_version`]). Of
    /// analysts that are asked one after the other (`"Syzygy, else Stockfish 15.1"`) the last one
    /// searches, so it counts.
    pub fn for_engine(name: &str) -> Self {
        let name = name.rsplit(", else ").next().unwrap_or(name);
        Curve::Wdl(
            name.strip_prefix("Stockfish ")
                .and_then(WdlModel::of_stockfish)
                .unwrap_or_default(),
        )
    }

    /// Expected score, 0..=1, of an evaluation. A mate is 1 or 0; between people it is less
    /// certain, by the [human curve](HumanCurve::of_mate).
    pub fn expected_score<View>(&self, eval: Eval<View>, context: Context) -> f64 {
        match (eval.score(), self) {
            (Score::Cp(cp), _) => self.at(f64::from(cp) / 100.0, context),
            (Score::Mate(moves), Curve::Human(curve)) if moves > 0 => curve.of_mate(),
            (Score::Mate(moves), Curve::Human(curve)) if moves < 0 => 1.0 - curve.of_mate(),
            (Score::Mate(moves), _) => f64::from(u8::from(moves > 0)),
        }
    }

    /// Expected score, 0..=1, of an evaluation in pawns.
    pub fn at(&self, pawns: f64, context: Context) -> f64 {
        match *self {
            Curve::Relevance { balance } if pawns <= 0.0 => (pawns / balance - 1.0).exp2_portable(),
            Curve::Relevance { balance } => 1.0 - (-pawns / balance - 1.0).exp2_portable(),
            Curve::RelevanceSigmoid { balance } => {
                // Beyond this bound the score is 0 or 1, and the square of the evaluation could
                // overflow.
                let pawns = pawns.clamp(-1e12, 1e12);
                0.5 + pawns / (2.0 * (3.0 * balance * balance + pawns * pawns).sqrt())
            }
            Curve::RelevanceStretched { balance, slope } => {
                let worse = (-(pawns.abs() / balance).powf_portable(slope) - 1.0).exp2_portable();
                if pawns <= 0.0 { worse } else { 1.0 - worse }
            }
            Curve::Logistic { k, clamp } => {
                let limit = clamp.unwrap_or(f64::INFINITY);
                logistic(k * 100.0 * pawns.clamp(-limit, limit))
            }
            Curve::Wdl(model) => model.wdl(pawns, context).expected_score(),
            Curve::Human(curve) => curve.at_material(pawns, context.material),
        }
    }

    /// Probabilities of win, draw and loss; `None` if the curve has no draws and the evaluation is
    /// not a mate.
    pub fn wdl<View>(&self, eval: Eval<View>, context: Context) -> Option<Wdl> {
        match (eval.score(), self) {
            (Score::Cp(_), Curve::Human(curve)) => curve.wdl(self.expected_score(eval, context)),
            (Score::Mate(moves), Curve::Human(curve)) if moves != 0 => {
                curve.wdl(self.expected_score(eval, context))
            }
            (Score::Mate(moves), _) if moves > 0 => Some(Wdl {
                win: 1.0,
                draw: 0.0,
                loss: 0.0,
            }),
            (Score::Mate(_), _) => Some(Wdl {
                win: 0.0,
                draw: 0.0,
                loss: 1.0,
            }),
            (Score::Cp(cp), Curve::Wdl(model)) => Some(model.wdl(f64::from(cp) / 100.0, context)),
            (Score::Cp(_), _) => None,
        }
    }

    /// The evaluation in pawns whose expected score is `p`; the inverse of [`at`](Self::at).
    ///
    /// `None` if `p` lies outside the open interval 0..1 or beyond the range of a clamped curve.
    pub fn pawns(&self, p: f64, context: Context) -> Option<f64> {
        if !(p > 0.0 && p < 1.0) {
            return None;
        }
        match *self {
            Curve::Relevance { balance } if p <= 0.5 => Some(balance * (2.0 * p).log2_portable()),
            Curve::Relevance { balance } => Some(-balance * (2.0 * (1.0 - p)).log2_portable()),
            Curve::RelevanceSigmoid { balance } => {
                // x/√(3a²+x²) = 2p−1 =: q, so x = a·q·√(3/(1−q²)), and 1−q² = 4p(1−p).
                Some(balance * (2.0 * p - 1.0) * (3.0 / (4.0 * p * (1.0 - p))).sqrt())
            }
            Curve::RelevanceStretched { balance, slope } => {
                let halvings = -(2.0 * p.min(1.0 - p)).log2_portable();
                Some((balance * halvings.max(0.0).powf_portable(1.0 / slope)).copysign(p - 0.5))
            }
            Curve::Logistic { k, clamp } => {
                let pawns = (p / (1.0 - p)).ln_portable() / (100.0 * k);
                (pawns.abs() <= clamp.unwrap_or(f64::INFINITY)).then_some(pawns)
            }
            Curve::Wdl(_) => self.bisect(p, context),
            Curve::Human(curve) => {
                let pawns = (p / (1.0 - p)).ln_portable() / curve.steepness_at(context.material);
                (pawns.abs() <= curve.largest_eval(context.material)).then_some(pawns)
            }
        }
    }

    /// Inverts a curve that has no closed inverse: P increases, so bisect down to neighbouring
    /// floats.
    fn bisect(&self, p: f64, context: Context) -> Option<f64> {
        const FAR: f64 = 1000.0;
        let (mut low, mut high) = (-FAR, FAR);
        if p < self.at(low, context) || p > self.at(high, context) {
            return None;
        }
        loop {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                return Some(middle);
            }
            if self.at(middle, context) < p {
                low = middle;
            } else {
                high = middle;
            }
        }
    }

    /// The win-draw balance in pawns: the evaluation at which half the games are won; with the
    /// other half drawn, `P = ¾`.
    pub fn balance(&self, context: Context) -> f64 {
        match *self {
            Curve::Relevance { balance }
            | Curve::RelevanceSigmoid { balance }
            | Curve::RelevanceStretched { balance, .. } => balance,
            Curve::Logistic { k, .. } => 3.0_f64.ln_portable() / (100.0 * k),
            Curve::Wdl(model) => model.balance(context),
            Curve::Human(curve) => 3.0_f64.ln_portable() / curve.steepness_at(context.material),
        }
    }

    /// The scale of relevant differences in pawns, `T = 2a/ln 2`: the difference between a certain
    /// loss and a certain win. For [`Relevance`](Self::Relevance) the unit is one pawn at equality.
    pub fn total(&self, context: Context) -> f64 {
        2.0 * self.balance(context) / std::f64::consts::LN_2
    }

    /// The relevant difference `to − from` of two evaluations in pawns: the integral of the
    /// relevance between them, which is `T·(P(to) − P(from))`. Positive when `to` is the better
    /// one.
    pub fn relevant_difference(&self, to: f64, from: f64, context: Context) -> f64 {
        self.total(context) * (self.at(to, context) - self.at(from, context))
    }

    /// Relevance: how much a centipawn matters at an evaluation, 1 at equality for the exponential
    /// curve.
    ///
    /// It is `2^(−|x|/a)` for the exponential curve, and the slope `T·P′(x)` for every other, in
    /// the same unit. A stretched curve with a slope below 1 is infinitely steep at 0; its
    /// relevance there is that of a hundredth of a centipawn.
    pub fn relevance(&self, pawns: f64, context: Context) -> f64 {
        let p = self.at(pawns, context);
        let slope = match *self {
            Curve::Relevance { balance } => return (-pawns.abs() / balance).exp2_portable(),
            Curve::RelevanceSigmoid { balance } => {
                let square = 3.0 * balance * balance;
                square / (2.0 * (square + pawns * pawns).powf_portable(1.5))
            }
            Curve::RelevanceStretched { balance, slope } => {
                let z = pawns.abs().max(1e-4) / balance;
                let steepness = slope
                    * z.powf_portable(slope - 1.0)
                    * (-z.powf_portable(slope) - 1.0).exp2_portable();
                std::f64::consts::LN_2 * steepness / balance
            }
            Curve::Logistic {
                clamp: Some(limit), ..
            } if pawns.abs() > limit => 0.0,
            Curve::Logistic { k, .. } => 100.0 * k * p * (1.0 - p),
            Curve::Human(curve) if pawns.abs() > curve.largest_eval(context.material) => 0.0,
            Curve::Human(curve) => curve.steepness_at(context.material) * p * (1.0 - p),
            Curve::Wdl(model) => {
                let Wdl { win, loss, .. } = model.wdl(pawns, context);
                let per_pawn = model.units_per_pawn(context);
                if model
                    .clamp
                    .is_some_and(|limit| (pawns * per_pawn).abs() > limit)
                {
                    0.0
                } else {
                    (win * (1.0 - win) + loss * (1.0 - loss)) / 2.0 * per_pawn
                        / model.parameters(context).1
                }
            }
        };
        self.total(context) * slope
    }
}

impl Default for Curve {
    /// Stockfish's newest model.
    fn default() -> Self {
        Curve::Wdl(WdlModel::default())
    }
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Curve::Relevance { balance } => write!(f, "relevance, balance {balance:.2}"),
            Curve::RelevanceSigmoid { balance } => {
                write!(f, "relevance-sigmoid, balance {balance:.2}")
            }
            Curve::RelevanceStretched { balance, slope } => write!(
                f,
                "relevance-stretched, balance {balance:.2}, slope {slope:.2}"
            ),
            Curve::Human(curve) => curve.fmt(f),
            Curve::Logistic { k, .. } => match NamedCurve::of_constants(self) {
                Some(named) => f.write_str(named.name),
                None => write!(f, "logistic, {k} per centipawn"),
            },
            Curve::Wdl(model) => {
                if let Some(named) = NamedCurve::of_constants(self) {
                    return f.write_str(named.name);
                }
                let published =
                    |version: &&str| WdlModel::stockfish(version).as_ref() == Some(model);
                match WdlModel::stockfish_versions().find(published) {
                    Some(version) => write!(f, "stockfish-{version}"),
                    None => f.write_str("win/draw/loss model"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::White;

    /// Every name of a curve, including Stockfish's releases.
    fn names() -> Vec<String> {
        let named = Curve::NAMED.iter().map(|named| named.name.to_owned());
        named
            .chain(WdlModel::stockfish_versions().map(|version| format!("stockfish-{version}")))
            .collect()
    }

    #[test]
    fn huge_evaluations_score_as_the_limit() {
        for name in names() {
            let curve = Curve::by_name(&name, 0.6).unwrap();
            let [low, high] = [-1e9, 1e9].map(|pawns| curve.at(pawns, Context::default()));
            for huge in [1e155, 1e157, f64::MAX, f64::INFINITY] {
                let [least, most] = [-huge, huge].map(|pawns| curve.at(pawns, Context::default()));
                assert!(
                    (least - low).abs() < 1e-12 && (most - high).abs() < 1e-12,
                    "{name} at {huge}: {least} and {most}"
                );
            }
            assert!(curve.at(f64::NAN, Context::default()).is_nan(), "{name}");
        }
    }

    fn curves() -> impl Strategy<Value = Curve> {
        let named = (proptest::sample::select(names()), 0.2..3.0)
            .prop_map(|(name, balance)| Curve::by_name(&name, balance).unwrap());
        let people = (0.0..4000.0_f64, 1.0..20_000.0_f64, 0.5..2.0_f64).prop_map(
            |(rating, seconds, units)| {
                Curve::Human(HumanCurve {
                    rating,
                    seconds,
                    units,
                    ..HumanCurve::study()
                })
            },
        );
        let stretched = (0.2..3.0_f64, 0.25..20.0_f64)
            .prop_map(|(balance, slope)| Curve::RelevanceStretched { balance, slope });
        prop_oneof![4 => named, 1 => people, 1 => stretched]
    }

    fn contexts() -> impl Strategy<Value = Context> {
        (0..104_u32, 0..400_u32).prop_map(|(material, ply)| Context { material, ply })
    }

    proptest! {
        #[test]
        fn symmetric_and_increasing(curve in curves(), context in contexts(), x in -20.0..20.0_f64, step in 0.0..5.0_f64) {
            prop_assert!((curve.at(x, context) + curve.at(-x, context) - 1.0).abs() < 1e-15);
            prop_assert!(curve.at(x + step, context) >= curve.at(x, context));
            prop_assert!((0.0..=1.0).contains(&curve.at(x, context)));
        }

        #[test]
        fn inverse_inverts(curve in curves(), context in contexts(), p in 0.001..0.999_f64) {
            if let Some(x) = curve.pawns(p, context) {
                prop_assert!((curve.at(x, context) - p).abs() < 1e-12, "{curve}: P({x}) is not {p}");
            }
        }

        #[test]
        fn relevance_is_the_slope(curve in curves(), context in contexts(), x in -5.0..5.0_f64) {
            let h = 1e-5;
            let slope = curve.relevant_difference(x + h, x - h, context) / (2.0 * h);
            // The exponential has a kink at 0, and stretched ones an infinite slope.
            let is_stretched = matches!(curve, Curve::RelevanceStretched { .. });
            prop_assume!(x.abs() > if is_stretched { 0.1 } else { h });
            let exact = curve.relevance(x, context);
            prop_assert!((slope - exact).abs() < 1e-5 * exact.max(1.0), "{curve} at {x}");
        }
    }

    #[test]
    fn quarter_points_of_the_specification() {
        let context = Context::default();
        for (name, balance) in [
            ("lichess", 2.984),
            ("wintrchess", 3.139),
            ("tcec", 1.909),
            ("relevance-sigmoid", 0.62),
            ("relevance-stretched", 0.62),
            ("relevance-stretched:0.62,0.9", 0.62),
        ] {
            let curve = Curve::by_name(name, 0.62).unwrap();
            assert!((curve.balance(context) - balance).abs() < 5e-4);
            assert!((curve.at(curve.balance(context), context) - 0.75).abs() < 1e-12);
        }
        assert!(
            Curve::by_name("stockfish-", 1.0).is_none()
                && Curve::by_name("stockfish-99", 1.0).is_none()
        );
        assert!(Curve::by_name("x", 1.0).is_none());
    }

    #[test]
    fn a_stretched_curve_with_slope_1_is_the_exponential_one() {
        let exponential = Curve::Relevance { balance: 0.62 };
        let stretched = |slope| Curve::RelevanceStretched {
            balance: 0.62,
            slope,
        };
        let context = Context::default();
        for pawns in [-3.0, -0.62, -0.01, 0.0, 0.3, 5.0] {
            assert_eq!(
                stretched(1.0).at(pawns, context),
                exponential.at(pawns, context)
            );
        }
        // The slope at the balance is a multiple of the exponential curve's.
        let slope = |curve: Curve| curve.relevance(0.62, context);
        for factor in [0.25, 0.9, 2.0, 7.0] {
            let ratio = slope(stretched(factor)) / slope(exponential);
            assert!((ratio - factor).abs() < 1e-12, "{factor}: {ratio}");
        }
        assert!(stretched(0.5).relevance(0.0, context).is_finite());
    }

    #[test]
    fn numbers_of_a_stretched_curve_are_checked() {
        for name in [
            "", ":", ":1", ":1,", ":0,1", ":1,0", ":1,x", ":1,2,3", ":nan,1", ":1,inf",
        ] {
            let name = format!("relevance-stretched{name}");
            let is_known = name == "relevance-stretched";
            assert_eq!(Curve::by_name(&name, 1.0).is_some(), is_known, "{name}");
        }
        assert!(Curve::by_name("relevance:1,2", 1.0).is_none());
    }

    /// `Cp(cp).wdl(model="lichess")` of python-chess 1.11.2, wins per mille.
    #[test]
    fn lichess_agrees_with_python_chess() {
        for (cp, wins) in [
            (0, 500),
            (15, 514),
            (-37, 466),
            (100, 591),
            (-350, 216),
            (999, 975),
            (1000, 975),
            (2500, 975),
            (-5000, 25),
        ] {
            let p = Curve::LICHESS.expected_score(Eval::<White>::cp(cp), Context::default());
            assert_eq!((1000.0 * p).round() as i32, wins, "{cp}");
        }
    }

    #[test]
    fn each_engine_gets_the_curve_of_its_centipawns() {
        assert_eq!(
            Curve::for_engine("Stockfish 15.1").to_string(),
            "stockfish-15.1"
        );
        assert_eq!(
            Curve::for_engine("Stockfish dev-20250101-nogit").to_string(),
            "stockfish-19"
        );
        assert_eq!(
            Curve::for_engine("Stockfish 11 64").to_string(),
            "stockfish-12"
        );
        for build in ["070721", "21070721", "202009282242", "202009282242 avx2"] {
            assert_eq!(
                Curve::for_engine(&format!("Stockfish {build}")).to_string(),
                "stockfish-19",
                "{build}"
            );
        }
        assert_eq!(
            Curve::for_engine("Stockfish 19").to_string(),
            "stockfish-19"
        );
        assert_eq!(
            Curve::for_engine("Stockfish 99").to_string(),
            "stockfish-19"
        );
        assert_eq!(Curve::for_engine("Ethereal 14").to_string(), "stockfish-19");
        assert_eq!(
            Curve::for_engine("Syzygy, else Stockfish 15.1").to_string(),
            "stockfish-15.1"
        );
    }

    #[test]
    fn the_context_of_a_position_has_its_material_and_ply() {
        assert_eq!(
            Context::of(&Chess::default()),
            Context {
                material: 78,
                ply: 0
            }
        );
    }

    #[test]
    fn curves_survive_a_round_trip_through_json() {
        for name in names() {
            let curve = Curve::by_name(&name, 0.62).unwrap();
            let json = serde_json::to_string(&curve).unwrap();
            assert_eq!(
                serde_json::from_str::<Curve>(&json).unwrap(),
                curve,
                "{json}"
            );
        }
    }

    /// Files whose numbers would make the expected score NaN or constant.
    #[test]
    fn curves_with_invalid_numbers_are_refused() {
        let wdl = |change: &dyn Fn(&mut serde_json::Value)| {
            let mut json = serde_json::to_value(Curve::default()).unwrap();
            change(&mut json);
            serde_json::from_value::<Curve>(json)
        };
        assert_eq!(wdl(&|_| {}).unwrap(), Curve::default());
        for (key, value, reason) in [
            (
                "range",
                serde_json::json!([78.0, 17.0]),
                "range is 17; it must be from 78",
            ),
            (
                "clamp",
                serde_json::json!(-1.0),
                "clamp is -1; it must be from",
            ),
            (
                "clamp",
                serde_json::json!(0.0),
                "clamp is 0; it must be from",
            ),
            (
                "divisor",
                serde_json::json!(0.0),
                "divisor is 0; it must be from",
            ),
            ("divisor", serde_json::json!(null), "invalid type: null"),
            (
                "a",
                serde_json::json!([1.0, null, 1.0, 1.0]),
                "invalid type: null",
            ),
            (
                "pawn",
                serde_json::json!({"units": 0.0}),
                "pawn is 0; it must be from",
            ),
        ] {
            let error = wdl(&|json| json[key] = value.clone())
                .unwrap_err()
                .to_string();
            assert!(error.starts_with(reason), "{key}: {error}");
        }
        for text in [
            r#"{"curve":"relevance","balance":0}"#,
            r#"{"curve":"relevance-sigmoid","balance":-1}"#,
            r#"{"curve":"logistic","k":0,"clamp":null}"#,
            r#"{"curve":"logistic","k":0.1,"clamp":-1}"#,
            r#"{"curve":"relevance-stretched","balance":0,"slope":1}"#,
            r#"{"curve":"relevance-stretched","balance":1,"slope":0}"#,
            r#"{"curve":"relevance-stretched","balance":1,"slope":21}"#,
            r#"{"curve":"relevance","balance":1e999}"#,
            r#"{"curve":"relevance","balance":1e308}"#,
            r#"{"curve":"relevance-sigmoid","balance":1e200}"#,
            r#"{"curve":"logistic","k":1e308,"clamp":null}"#,
            r#"{"curve":"logistic","k":1e-300,"clamp":null}"#,
            r#"{"curve":"logistic","k":0.004,"clamp":1e-300}"#,
        ] {
            assert!(serde_json::from_str::<Curve>(text).is_err(), "{text}");
        }
    }
}
