//! What the form says: in text and as JSON.

use std::fmt::{self, Write as _};

use centipawn_core::{Context, Curve, MoveScheme, MoveSymbol, PositionScheme, PositionSymbol};
use serde_json::{Map, Value, json};
use shakmaty::Color;

use super::{Evals, Typed};

/// The form, filled in. All evaluations and expected scores are White's.
pub(super) struct Form {
    side: Color,
    curve: Curve,
    context: Context,
    played: Typed,
    best: Typed,
    second: Option<Typed>,
    /// What the played move is measured against: the best other move, `None` when that is not known.
    reference: Option<Typed>,
}

impl Form {
    pub(super) fn new(side: Color, evals: Evals, curve: Curve, context: Context) -> Self {
        let Evals { played, best, second } = evals;
        let mover = |typed: Typed| {
            let p = typed.expected_score(&curve, context);
            side.fold_wb(p, 1.0 - p)
        };
        let is_best = match (played, best) {
            (Typed::Pawns(played), Typed::Pawns(best)) => played == best,
            _ => mover(played) == mover(best),
        };
        let reference = if is_best { second } else { Some(best) };
        Form { side, curve, context, played, best, second, reference }
    }

    fn expected_score(&self, typed: Typed) -> f64 {
        typed.expected_score(&self.curve, self.context)
    }

    /// From the mover's view, 0 when there is nothing to compare with.
    fn difference(&self) -> f64 {
        let difference =
            self.reference.map_or(0.0, |reference| self.expected_score(self.played) - self.expected_score(reference));
        self.side.fold_wb(difference, -difference)
    }

    fn absolute(&self) -> Option<f64> {
        match (self.played, self.reference) {
            (_, None) => Some(0.0),
            (Typed::Pawns(played), Some(Typed::Pawns(reference))) => Some((played - reference).abs()),
            _ => None,
        }
    }

    fn relevant(&self) -> f64 {
        self.difference().abs() * self.curve.total(self.context)
    }

    /// The evaluation from which on the move deserves a symbol, seen by White.
    fn limit(&self, scheme: MoveScheme, symbol: MoveSymbol) -> Option<f64> {
        let reference = self.expected_score(self.reference.unwrap_or(self.best));
        let p = self.side.fold_wb(reference, 1.0 - reference) + scheme.threshold(symbol);
        let limit = self.curve.pawns(p, self.context)?;
        Some(self.side.fold_wb(limit, -limit))
    }

    /// The move's symbol. The form's evaluations have two decimals and it prints its limits with two, so praise is due
    /// from the limit *as printed*: 0.50 is enough where `!!` begins at 0.502. Blame needs the limit itself.
    fn move_symbol(&self, scheme: MoveScheme) -> Option<MoveSymbol> {
        let exact = scheme.symbol(self.difference());
        let (Typed::Pawns(played), true) = (self.played, self.difference() > 0.0) else { return exact };
        let as_printed = |symbol: &MoveSymbol| {
            self.limit(scheme, *symbol).is_some_and(|limit| {
                let printed = (limit * 100.0).round() / 100.0;
                self.side.fold_wb(played >= printed, played <= printed)
            })
        };
        MoveSymbol::ALL.into_iter().filter(|symbol| symbol.is_praise()).find(as_printed).max(exact)
    }

    fn position_symbol(&self, scheme: PositionScheme) -> PositionSymbol {
        scheme.symbol(self.expected_score(self.played))
    }

    fn position_limits(&self, scheme: PositionScheme) -> impl Iterator<Item = Option<f64>> {
        scheme.limits().iter().map(|&p| self.curve.pawns(p, self.context))
    }

    /// Every curve by its name; those that need a balance have the chosen curve's.
    fn all_curves(&self) -> impl Iterator<Item = (&'static str, Curve)> {
        let balance = self.curve.balance(self.context);
        let names = ["relevance", "relevance-sigmoid", "stockfish", "lichess", "wintrchess", "tcec"];
        names.into_iter().filter_map(move |name| Some((name, Curve::by_name(name, balance)?)))
    }

    pub(super) fn json(&self) -> Value {
        let per_move = |value: &dyn Fn(MoveScheme) -> Value| -> Map<String, Value> {
            MoveScheme::ALL.iter().map(|&scheme| (scheme.name().to_owned(), value(scheme))).collect()
        };
        let per_position = |value: &dyn Fn(PositionScheme) -> Value| -> Map<String, Value> {
            PositionScheme::ALL.iter().map(|&scheme| (scheme.name().to_owned(), value(scheme))).collect()
        };
        let limits = |scheme: MoveScheme| -> Map<String, Value> {
            let limit = |symbol: MoveSymbol| (symbol.glyph().to_owned(), json!(self.limit(scheme, symbol)));
            MoveSymbol::ALL.into_iter().map(limit).collect()
        };
        let result = |typed: Typed| json!(self.expected_score(typed));
        let by_all_curves = |typed: Typed| -> Map<String, Value> {
            let score =
                |(name, curve): (&str, Curve)| (name.to_owned(), json!(typed.expected_score(&curve, self.context)));
            self.all_curves().map(score).collect()
        };
        json!({
            "side": self.side.to_string(),
            "curve": self.curve.to_string(),
            "balance": self.curve.balance(self.context),
            "played": self.played.json(),
            "best": self.best.json(),
            "second": self.second.map(Typed::json),
            "absolute": self.absolute(),
            "relevant": self.relevant(),
            "result": {
                "played": result(self.played),
                "best": result(self.best),
                "second": self.second.map(result),
            },
            "curves": {
                "played": by_all_curves(self.played),
                "best": by_all_curves(self.best),
                "second": self.second.map(by_all_curves),
            },
            "move": per_move(&|scheme| json!(self.move_symbol(scheme).map_or("", MoveSymbol::glyph))),
            "position": per_position(&|scheme| json!(self.position_symbol(scheme).ascii())),
            "nag": {
                "move": per_move(&|scheme| json!(self.move_symbol(scheme).map(MoveSymbol::nag))),
                "position": per_position(&|scheme| json!(self.position_symbol(scheme).nag())),
            },
            "limits": {
                "move": per_move(&|scheme| json!(limits(scheme))),
                "position": per_position(&|scheme| json!(self.position_limits(scheme).collect::<Vec<_>>())),
            },
        })
    }

    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_text(&mut out);
        out
    }

    fn write_text(&self, out: &mut String) -> fmt::Result {
        let evals = [("played", Some(self.played)), ("best", Some(self.best)), ("second", self.second)];
        let known = || evals.iter().filter_map(|(name, typed)| typed.map(|typed| (*name, typed)));

        writeln!(
            out,
            "{} moved; curve {}; evaluations and expected scores are White's.\n",
            name(self.side),
            self.curve
        )?;
        write!(out, "{:22}", "")?;
        known().try_for_each(|(name, _)| write!(out, "{name:>9}"))?;
        write!(out, "\n{:22}", "Evaluation")?;
        known().try_for_each(|(_, typed)| write!(out, "{typed:>9}"))?;
        write!(out, "\n{:22}", "Expected score")?;
        known().try_for_each(|(_, typed)| write!(out, "{:>9.3}", self.expected_score(typed)))?;
        for (name, curve) in self.all_curves() {
            write!(out, "\n  by {name:17}")?;
            known().try_for_each(|(_, typed)| write!(out, "{:>9.3}", typed.expected_score(&curve, self.context)))?;
        }

        writeln!(
            out,
            "\n\n{:22}{:>9}",
            "Absolute difference",
            self.absolute().map_or_else(|| "------".to_owned(), |pawns| format!("{pawns:.2}"))
        )?;
        writeln!(out, "{:22}{:>9.5}", "Relevant difference", self.relevant())?;

        write!(out, "\n{:10}{:>6} {:4}", "Move", "symbol", "NAG")?;
        MoveSymbol::ALL.iter().try_for_each(|symbol| write!(out, "{symbol:>8}"))?;
        writeln!(out, "  from")?;
        for scheme in MoveScheme::ALL {
            let symbol = self.move_symbol(scheme);
            let nag = symbol.map_or(String::new(), |symbol| format!("${}", symbol.nag()));
            write!(out, "  {:8}{:>6} {nag:4}", scheme.name(), symbol.map_or("-", MoveSymbol::glyph))?;
            for symbol in MoveSymbol::ALL {
                write!(out, "{:>8}", or_dashes(self.limit(scheme, symbol)))?;
            }
            writeln!(out)?;
        }

        write!(out, "\n{:10}{:>6} {:4}", "Position", "symbol", "NAG")?;
        ["⩲", "±", "+−", "++−"].iter().try_for_each(|symbol| write!(out, "{symbol:>8}"))?;
        writeln!(out, "  from")?;
        for scheme in PositionScheme::ALL {
            let symbol = self.position_symbol(scheme);
            write!(out, "  {:8}{symbol:>6} {:4}", scheme.name(), format!("${}", symbol.nag()))?;
            self.position_limits(scheme).try_for_each(|limit| write!(out, "{:>8}", or_dashes(limit)))?;
            writeln!(out)?;
        }
        Ok(())
    }
}

fn name(side: Color) -> &'static str {
    side.fold_wb("White", "Black")
}

/// `+0.31`, `-1.00`, `0.00`.
pub(super) fn signed(pawns: f64) -> String {
    let text = format!("{pawns:+.2}");
    if text == "+0.00" || text == "-0.00" { "0.00".to_owned() } else { text }
}

/// A number of pawns; six dashes where there is no solution, as the article prints it.
fn or_dashes(pawns: Option<f64>) -> String {
    pawns.map_or_else(|| "------".to_owned(), signed)
}
