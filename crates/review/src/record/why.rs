//! Why a move has its symbol: the evaluations, what they are worth on the curve, and where the
//! symbols begin.

use centipawn_core::{Context, Eval, MoveSymbol, White};
use serde::{Deserialize, Serialize};

use super::{Review, ply::SuppressedDocument};

/// Evaluations at which the curve is drawn, in pawns on each side of 0.
const DRAWN: i32 = 10;
/// Points for a pawn.
const FINENESS: i32 = 4;

/// How the symbol of a move comes about. Evaluations and expected scores are White's; differences
/// are the mover's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WhyDocument {
    /// Number of the half-move, from 1.
    pub ply: usize,
    /// The move in SAN.
    pub san: String,
    /// `white` or `black`.
    #[schema(value_type = crate::openapi::Color)]
    pub mover: String,
    /// The curve with its numbers, in the review's language.
    pub curve: String,
    /// The curve in this position: pairs of pawns and expected score, from −10 to +10 pawns.
    pub points: Vec<(f64, f64)>,
    /// The move that was played.
    pub played: WorthDocument,
    /// The best move.
    pub best: WorthDocument,
    /// The best move other than the played one, if known.
    pub second: Option<WorthDocument>,
    /// What the played move is compared with: `second` if it is the best and the second is known,
    /// else `best`.
    pub compared_with: ComparedMove,
    /// Expected score of the played move minus that of the other, −1..=1.
    pub difference: f64,
    /// The mover's expected score of the best move, 0..=1: all that could be given away.
    pub possible: f64,
    /// Where the symbols of the scheme begin, from `!!` to `??`.
    pub limits: Vec<LimitDocument>,
    /// The symbol; `None` for most moves.
    pub symbol: Option<String>,
    /// A symbol that was suppressed, and why.
    pub suppressed: Option<SuppressedDocument>,
    /// The remark on a move with a symbol, or on a short mate in a lost position, in the review's
    /// language.
    pub remark: Option<String>,
    /// Who evaluated; `None` if the evaluations come from the game.
    pub analyst: Option<String>,
    /// The analyst's limit for this position.
    pub limit: String,
}

/// Which move another one is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub enum ComparedMove {
    /// The best move.
    Best,
    /// The best move other than the played one.
    Second,
}

/// A move with its worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct WorthDocument {
    /// The move in SAN, if known.
    pub san: Option<String>,
    /// Its evaluation.
    #[schema(value_type = centipawn_core::Score)]
    pub eval: Eval<White>,
    /// Its expected score, 0..=1.
    pub expected_score: f64,
}

/// Where a symbol begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct LimitDocument {
    /// `!!` to `??`.
    pub symbol: String,
    /// The difference it takes, −1..=1.
    pub difference: f64,
    /// White's expected score at which it begins, 0..=1; `None` if the other move leaves no room
    /// for it.
    pub expected_score: Option<f64>,
    /// White's evaluation there, in pawns; `None` if no evaluation reaches it.
    pub eval_pawns: Option<f64>,
}

impl Review {
    /// Returns why the move of this index has its symbol, or has no symbol.
    ///
    /// # Panics
    ///
    /// If there is no such move.
    pub fn why(&self, index: usize) -> WhyDocument {
        let ply = &self.plies[index];
        let context = Context::of(ply.before.position());
        let worth = |san: Option<String>, eval: Eval<White>| WorthDocument {
            san,
            eval,
            expected_score: self.curve.expected_score(eval, context),
        };
        let is_best = ply.eval_played == ply.eval_before;
        let best_san = match ply.lines.first() {
            _ if is_best => Some(ply.san.clone()),
            Some(_) => ply.next_best().map(|best| best.san),
            None => None,
        };
        let second = ply
            .next_best()
            .filter(|_| is_best)
            .map(|second| worth(Some(second.san), second.eval));
        let compared = if is_best && second.is_some() {
            second.as_ref()
        } else {
            None
        };
        let best = worth(best_san, ply.eval_before);
        let other = ply.mover_score(compared.unwrap_or(&best).expected_score);
        let limit = |symbol: MoveSymbol| {
            let difference = self.scheme.moves.threshold(symbol);
            let p = other + difference;
            let reached = (0.0..=1.0).contains(&p);
            let pawns = self
                .curve
                .pawns(p, context)
                .map(|pawns| ply.mover.fold_wb(pawns, -pawns));
            LimitDocument {
                symbol: symbol.glyph().to_owned(),
                difference,
                expected_score: reached.then(|| ply.mover_score(p)),
                eval_pawns: pawns.filter(|_| reached),
            }
        };
        let points = (-DRAWN * FINENESS..=DRAWN * FINENESS)
            .map(|step| f64::from(step) / f64::from(FINENESS));
        WhyDocument {
            ply: index + 1,
            san: ply.san.clone(),
            mover: ply.mover.to_string(),
            curve: self.language.curve(&self.curve),
            points: points
                .map(|pawns| (pawns, self.curve.at(pawns, context)))
                .collect(),
            played: worth(Some(ply.san.clone()), ply.eval_played),
            compared_with: if compared.is_some() {
                ComparedMove::Second
            } else {
                ComparedMove::Best
            },
            second: second.clone(),
            possible: ply.mover_score(best.expected_score),
            best,
            difference: ply.difference,
            limits: MoveSymbol::ALL.map(limit).to_vec(),
            symbol: ply.symbol.map(|symbol| symbol.glyph().to_owned()),
            suppressed: ply.suppressed.map(|(symbol, reason)| SuppressedDocument {
                symbol: symbol.glyph().to_owned(),
                reason: reason.name().to_owned(),
                text: self.language.suppression(reason).to_owned(),
            }),
            remark: ply.has_remark().then(|| self.language.remark(ply)),
            analyst: self
                .analyst
                .as_ref()
                .filter(|_| !self.is_reused(ply))
                .map(|analyst| analyst.with_options()),
            limit: ply.limit.unwrap_or(self.options.limit).to_string(),
        }
    }
}
