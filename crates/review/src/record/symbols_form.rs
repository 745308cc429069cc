//! The form of the article "Evaluation Relevance Reduction": from the evaluations of a move to its
//! symbols and limits.

use std::{fmt, str::FromStr};

use centipawn_core::{
    ByCurve, Context, Curve, Eval, MoveScheme, MoveSymbol, PositionScheme, PositionSymbol, White,
};
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::symbols_document::{
    ByMoveScheme, ByMoveSymbol, ByPositionScheme, FormCurves, FormLimits, FormNags, FormScores,
    SymbolsDocument,
};

/// An evaluation as typed into the form, White's view: pawns (`0.31`, `-1`) or a mate (`#3`,
/// `#-2`).
///
/// ```
/// use centipawn_review::FormEval;
///
/// assert_eq!("-1".parse(), Ok(FormEval::Pawns(-1.0)));
/// assert_eq!("#-2".parse::<FormEval>().unwrap().to_string(), "#-2");
/// assert!("#0".parse::<FormEval>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum FormEval {
    /// Pawns, finite.
    Pawns(f64),
    /// Mate in this many moves, not 0: positive if White mates, negative if Black does.
    Mate {
        /// The moves.
        mate: i32,
    },
}

/// The text is not a [`FormEval`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an evaluation is in pawns, such as 0.31 or -1, or a mate, such as #3 or #-2")]
pub struct InvalidFormEval;

impl FromStr for FormEval {
    type Err = InvalidFormEval;

    fn from_str(text: &str) -> Result<Self, InvalidFormEval> {
        let mate = text.strip_prefix('#').map(str::parse::<i32>);
        match (mate, text.parse::<f64>()) {
            (Some(Ok(mate)), _) if mate != 0 => Ok(FormEval::Mate { mate }),
            (None, Ok(pawns)) if pawns.is_finite() => Ok(FormEval::Pawns(pawns)),
            _ => Err(InvalidFormEval),
        }
    }
}

impl fmt::Display for FormEval {
    /// `+0.31`, `-1.00`, `0.00`, `#3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormEval::Pawns(pawns) => f.pad(&signed_pawns(*pawns)),
            FormEval::Mate { mate } => f.pad(&format!("#{mate}")),
        }
    }
}

impl FormEval {
    /// Returns White's expected score by a curve, 0..=1.
    pub fn expected_score(self, curve: &Curve, context: Context) -> f64 {
        match self {
            FormEval::Pawns(pawns) => curve.at(pawns, context),
            FormEval::Mate { mate } => curve.expected_score(Eval::<White>::mate(mate), context),
        }
    }

    /// Returns a sort key: a greater key is better for White.
    fn order(self) -> f64 {
        match self {
            FormEval::Pawns(pawns) => pawns,
            FormEval::Mate { mate } => f64::INFINITY.copysign(f64::from(mate)),
        }
    }
}

/// Pawns with two decimals and their sign: `+0.31`, `-1.00`, `0.00`.
fn signed_pawns(pawns: f64) -> String {
    let text = format!("{pawns:+.2}");
    if text == "+0.00" || text == "-0.00" {
        "0.00".to_owned()
    } else {
        text
    }
}

/// The form, filled in. All evaluations and expected scores are White's.
///
/// ```
/// use centipawn_core::{Context, Curve};
/// use centipawn_review::{FormEval, SymbolsForm};
/// use shakmaty::Color;
///
/// let pawns = FormEval::Pawns;
/// let curve = Curve::Relevance { balance: 0.62 };
/// let form = SymbolsForm::new(Color::White, pawns(-1.0), pawns(2.0), None, curve, Context::default()).unwrap();
/// assert_eq!(form.document().relevant, form.relevant());
/// assert_eq!(format!("{:.5}", form.relevant()), "1.40089");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SymbolsForm {
    side: Color,
    curve: Curve,
    context: Context,
    played: FormEval,
    best: FormEval,
    second: Option<FormEval>,
    /// What the played move is compared with: the best other move, `None` if that is unknown.
    reference: Option<FormEval>,
}

/// The second-best move is better for the mover than the best move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the second-best move is better for the mover than the best; all evaluations are White's")]
pub struct SecondIsBetter;

impl SymbolsForm {
    /// Fills in the form: the move played by `side`, the best move, and the second-best move, with
    /// which the best is compared.
    ///
    /// # Errors
    ///
    /// [`SecondIsBetter`] if `second` is better for `side` than `best`.
    pub fn new(
        side: Color,
        played: FormEval,
        best: FormEval,
        second: Option<FormEval>,
        curve: Curve,
        context: Context,
    ) -> Result<Self, SecondIsBetter> {
        let is_better = |second: FormEval| {
            side.fold_wb(second.order() > best.order(), second.order() < best.order())
        };
        if second.is_some_and(is_better) {
            return Err(SecondIsBetter);
        }
        let mover = |eval: FormEval| {
            let p = eval.expected_score(&curve, context);
            side.fold_wb(p, 1.0 - p)
        };
        let is_best = match (played, best) {
            (FormEval::Pawns(played), FormEval::Pawns(best)) => played == best,
            _ => mover(played) == mover(best),
        };
        let reference = if is_best { second } else { Some(best) };
        Ok(Self {
            side,
            curve,
            context,
            played,
            best,
            second,
            reference,
        })
    }

    /// Returns who moved.
    pub fn side(&self) -> Color {
        self.side
    }

    /// Returns the curve that converts evaluations to expected scores.
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// Returns the context of the curve.
    pub fn context(&self) -> Context {
        self.context
    }

    /// Returns the evaluations of the played move and of the move that it is compared with; `None`
    /// if there is nothing to compare with.
    pub fn compared(&self) -> Option<(FormEval, FormEval)> {
        Some((self.played, self.reference?))
    }

    /// Returns the evaluations with their names: `played`, `best` and, if given, `second`.
    pub fn evals(&self) -> impl Iterator<Item = (&'static str, FormEval)> {
        let evals = [
            ("played", Some(self.played)),
            ("best", Some(self.best)),
            ("second", self.second),
        ];
        evals
            .into_iter()
            .filter_map(|(name, eval)| Some((name, eval?)))
    }

    /// Returns White's expected score of an evaluation by the chosen curve, 0..=1.
    pub fn expected_score(&self, eval: FormEval) -> f64 {
        eval.expected_score(&self.curve, self.context)
    }

    /// Returns White's expected score of an evaluation by every named curve; those that need a
    /// balance use the chosen curve's, the human curve is that of the players chosen, and the
    /// stretched curve has the slope chosen.
    pub fn expected_scores(&self, eval: FormEval) -> impl Iterator<Item = (&'static str, f64)> {
        let (context, chosen) = (self.context, self.curve);
        named_curves(self.curve.balance(context)).map(move |(name, curve)| {
            let is_chosen = matches!(
                (curve, chosen),
                (Curve::Human(_), Curve::Human(_))
                    | (
                        Curve::RelevanceStretched { .. },
                        Curve::RelevanceStretched { .. }
                    )
            );
            (
                name,
                eval.expected_score(if is_chosen { &chosen } else { &curve }, context),
            )
        })
    }

    /// Returns the expected score of the played move minus that of the move it is compared with,
    /// mover's view, −1..=1; 0 if there is nothing to compare with.
    pub fn difference(&self) -> f64 {
        let difference = self.reference.map_or(0.0, |reference| {
            self.expected_score(self.played) - self.expected_score(reference)
        });
        self.side.fold_wb(difference, -difference)
    }

    /// Pawns between the played move and the one it is compared with, 0 or more; `None` if either
    /// is a mate.
    pub fn absolute(&self) -> Option<f64> {
        match (self.played, self.reference) {
            (_, None) => Some(0.0),
            (FormEval::Pawns(played), Some(FormEval::Pawns(reference))) => {
                Some((played - reference).abs())
            }
            _ => None,
        }
    }

    /// Pawns at equality between them, 0 or more: the difference on the curve's own scale
    /// ([`Curve::total`]).
    pub fn relevant(&self) -> f64 {
        self.difference().abs() * self.curve.total(self.context)
    }

    /// Returns the evaluation from which the move deserves a symbol, in pawns, White's view; `None`
    /// if no evaluation does.
    pub fn limit(&self, scheme: MoveScheme, symbol: MoveSymbol) -> Option<f64> {
        let reference = self.expected_score(self.reference.unwrap_or(self.best));
        let p = self.side.fold_wb(reference, 1.0 - reference) + scheme.threshold(symbol);
        let limit = self.curve.pawns(p, self.context)?;
        Some(self.side.fold_wb(limit, -limit))
    }

    /// Returns the move's symbol.
    pub fn move_symbol(&self, scheme: MoveScheme) -> Option<MoveSymbol> {
        scheme.symbol(self.difference())
    }

    /// Returns the symbol of the position after the played move.
    pub fn position_symbol(&self, scheme: PositionScheme) -> PositionSymbol {
        scheme.symbol(self.expected_score(self.played))
    }

    /// Returns the evaluations from which `⩲`, `±`, `+−`, `++−` apply, in pawns; `None` where no
    /// evaluation is enough.
    pub fn position_limits(&self, scheme: PositionScheme) -> Vec<Option<f64>> {
        scheme
            .limits()
            .iter()
            .map(|&p| self.curve.pawns(p, self.context))
            .collect()
    }

    /// Returns all numbers as a JSON document. It contains its own inputs, so it needs no
    /// provenance.
    pub fn document(&self) -> SymbolsDocument {
        let scores = |eval: FormEval| {
            let mut scores = self.expected_scores(eval);
            ByCurve::new(|_| scores.next().map_or(f64::NAN, |(_, score)| score))
        };
        SymbolsDocument {
            side: self.side.to_string(),
            curve: self.curve.to_string(),
            balance: self.curve.balance(self.context),
            played: self.played,
            best: self.best,
            second: self.second,
            absolute: self.absolute(),
            relevant: self.relevant(),
            result: FormScores {
                played: self.expected_score(self.played),
                best: self.expected_score(self.best),
                second: self.second.map(|second| self.expected_score(second)),
            },
            curves: FormCurves {
                played: scores(self.played),
                best: scores(self.best),
                second: self.second.map(scores),
            },
            moves: ByMoveScheme::new(|scheme| {
                self.move_symbol(scheme)
                    .map_or("", MoveSymbol::glyph)
                    .to_owned()
            }),
            position: ByPositionScheme::new(|scheme| {
                self.position_symbol(scheme).ascii().to_owned()
            }),
            nag: FormNags {
                moves: ByMoveScheme::new(|scheme| self.move_symbol(scheme).map(MoveSymbol::nag)),
                position: ByPositionScheme::new(|scheme| self.position_symbol(scheme).nag()),
            },
            limits: FormLimits {
                moves: ByMoveScheme::new(|scheme| {
                    ByMoveSymbol::new(|symbol| self.limit(scheme, symbol))
                }),
                position: ByPositionScheme::new(|scheme| self.position_limits(scheme)),
            },
        }
    }
}

/// Returns every named curve; a balance that no relevance curve has, such as the 0 of a model
/// without draws, counts as the nearest.
fn named_curves(balance: f64) -> impl Iterator<Item = (&'static str, Curve)> {
    let balance = balance.clamp(Curve::BALANCES[0], Curve::BALANCES[1]);
    Curve::NAMED
        .iter()
        .map(move |named| (named.name, named.curve(balance)))
}
