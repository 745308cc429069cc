//! Formats the symbols of one move by every scheme, with their limits.

use std::fmt::{self, Write as _};

use centipawn_core::{MoveScheme, MoveSymbol, PositionScheme};
use centipawn_review::{FormEval, SymbolsForm};
use shakmaty::Color;

/// Returns the form, 80 columns wide: evaluations, differences, symbols and their limits in pawns.
/// Six dashes stand for a symbol that has no limit.
///
/// ```
/// use centipawn_core::{Context, Curve};
/// use centipawn_printer::symbols;
/// use centipawn_review::{FormEval, SymbolsForm};
/// use shakmaty::Color;
///
/// let (played, best) = (FormEval::Pawns(-1.0), FormEval::Pawns(2.0));
/// let curve = Curve::Relevance { balance: 0.62 };
/// let form = SymbolsForm::new(Color::White, played, best, None, curve, Context::default()).unwrap();
/// assert!(symbols(&form).contains("Relevant difference       1.40089"));
/// ```
pub fn symbols(form: &SymbolsForm) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_text(&mut out, form);
    out
}

fn write_text(out: &mut String, form: &SymbolsForm) -> fmt::Result {
    let known = || form.evals();

    writeln!(
        out,
        "{} moved; curve {}; evaluations and expected scores are White's.\n",
        name(form.side()),
        form.curve()
    )?;
    write!(out, "{:24}", "")?;
    known().try_for_each(|(name, _)| write!(out, "{name:>9}"))?;
    write!(out, "\n{:24}", "Evaluation")?;
    known().try_for_each(|(_, typed)| write!(out, "{typed:>9}"))?;
    write!(out, "\n{:24}", "Expected score")?;
    known().try_for_each(|(_, typed)| write!(out, "{:>9.3}", form.expected_score(typed)))?;
    let scores: Vec<Vec<_>> = known()
        .map(|(_, eval)| form.expected_scores(eval).collect())
        .collect();
    for curve in 0..scores.first().map_or(0, Vec::len) {
        write!(out, "\n  by {:19}", scores[0][curve].0)?;
        scores
            .iter()
            .try_for_each(|scores| write!(out, "{:>9.3}", scores[curve].1))?;
    }

    writeln!(
        out,
        "\n\n{:24}{:>9}",
        "Absolute difference",
        form.absolute()
            .map_or_else(|| "------".to_owned(), |pawns| format!("{pawns:.2}"))
    )?;
    writeln!(out, "{:24}{:>9.5}", "Relevant difference", form.relevant())?;

    write!(out, "\n{:10}{:>6} {:4}", "Move", "symbol", "NAG")?;
    MoveSymbol::ALL
        .iter()
        .try_for_each(|symbol| write!(out, "{symbol:>8}"))?;
    writeln!(out, "  begins at")?;
    for scheme in MoveScheme::ALL {
        let symbol = form.move_symbol(scheme);
        let nag = symbol.map_or(String::new(), |symbol| format!("${}", symbol.nag()));
        write!(
            out,
            "  {:8}{:>6} {nag:4}",
            scheme.name(),
            symbol.map_or("-", MoveSymbol::glyph)
        )?;
        for symbol in MoveSymbol::ALL {
            write!(
                out,
                "{:>8}",
                or_dashes(
                    form.limit(scheme, symbol),
                    symbol.is_praise() == form.side().is_white()
                )
            )?;
        }
        writeln!(out)?;
    }

    write!(out, "\n{:10}{:>6} {:4}", "Position", "symbol", "NAG")?;
    ["⩲", "±", "+−", "++−"]
        .iter()
        .try_for_each(|symbol| write!(out, "{symbol:>8}"))?;
    writeln!(out, "  begins at")?;
    for scheme in PositionScheme::ALL {
        let symbol = form.position_symbol(scheme);
        write!(
            out,
            "  {:8}{symbol:>6} {:4}",
            scheme.name(),
            format!("${}", symbol.nag())
        )?;
        form.position_limits(scheme)
            .into_iter()
            .try_for_each(|limit| write!(out, "{:>8}", or_dashes(limit, true)))?;
        writeln!(out)?;
    }
    Ok(())
}

fn name(side: Color) -> &'static str {
    side.fold_wb("White", "Black")
}

/// Returns a limit in pawns, rounded to that hundredth at which the symbol still holds. Six dashes
/// if there is no limit; the article prints it in the same way.
fn or_dashes(limit: Option<f64>, is_up: bool) -> String {
    // A limit that differs from a hundredth only by rounding errors is not moved to the next one.
    const TOLERANCE: f64 = 1e-6;
    let outward = |hundredths: f64| {
        if is_up {
            (hundredths - TOLERANCE).ceil()
        } else {
            (hundredths + TOLERANCE).floor()
        }
    };
    limit.map_or_else(
        || "------".to_owned(),
        |limit| FormEval::Pawns(outward(limit * 100.0) / 100.0).to_string(),
    )
}
