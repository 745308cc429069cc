//! The plot of `centipawn symbols`.

use centipawn_calibrate::{CurvePlot, CurvePlotData};
use centipawn_core::{MoveSymbol, PositionScheme, PositionSymbol, Scheme};
use centipawn_review::{FormEval, SymbolsForm};
use shakmaty::Color;

/// Returns the curve of a form with its evaluations, the shaded difference between the played move
/// and the one it is compared with, and the places where symbols of a scheme begin. `report` is a
/// text below the plot, in pages only.
///
/// ```
/// use centipawn_calibrate::PlotForm;
/// use centipawn_core::{Context, Curve, Scheme};
/// use centipawn_review::{FormEval, SymbolsForm};
/// use centipawn_work::symbols_plot;
/// use shakmaty::Color;
///
/// let (played, best) = (FormEval::Pawns(-1.0), FormEval::Pawns(2.0));
/// let curve = Curve::Relevance { balance: 0.62 };
/// let form = SymbolsForm::new(Color::White, played, best, None, curve, Context::default()).unwrap();
/// let plot = symbols_plot(&form, Scheme::default(), "");
/// assert!(String::from_utf8(plot.draw(PlotForm::Svg)).unwrap().contains("relevant difference 1.40"));
/// ```
pub fn symbols_plot(form: &SymbolsForm, scheme: Scheme, report: &str) -> CurvePlot {
    let evals = form.evals().map(|(name, eval)| {
        let name = if name == "second" {
            "second best"
        } else {
            name
        };
        (name.to_owned(), pawns(eval))
    });
    let moves = MoveSymbol::ALL.into_iter().filter_map(|symbol| {
        let limit = form.limit(scheme.moves, symbol)?;
        Some((symbol.glyph().to_owned(), limit))
    });
    let (symbol, position) = (
        form.move_symbol(scheme.moves),
        form.position_symbol(scheme.positions),
    );
    let symbol = symbol.map_or("no symbol", MoveSymbol::glyph);
    let position = position.ascii();
    CurvePlot::new(CurvePlotData {
        title: format!(
            "{} moved: {symbol}, position {position} ({scheme}; {})",
            form.side().fold_wb("White", "Black"),
            form.curve()
        ),
        curve: form.curve(),
        context: form.context(),
        evals: evals.collect(),
        difference: form
            .compared()
            .map(|(played, reference)| [pawns(played), pawns(reference)]),
        moves: moves.collect(),
        positions: position_limits(form, scheme.positions),
        report: report.to_owned(),
    })
}

/// Returns the evaluations at which symbols of positions begin, on both sides of equality.
fn position_limits(form: &SymbolsForm, scheme: PositionScheme) -> Vec<(String, f64)> {
    let symbols = [
        PositionSymbol::Slight,
        PositionSymbol::Better,
        PositionSymbol::Winning,
        PositionSymbol::Crushing,
    ];
    let limits = form.position_limits(scheme).into_iter().zip(symbols);
    let both = limits.filter_map(|(limit, symbol)| {
        let limit = limit?;
        let side = |color: Color| symbol(color).ascii().to_owned();
        Some([(side(Color::White), limit), (side(Color::Black), -limit)])
    });
    both.flatten().collect()
}

/// Returns an evaluation in pawns; infinite for a mate.
fn pawns(eval: FormEval) -> f64 {
    match eval {
        FormEval::Pawns(pawns) => pawns,
        FormEval::Mate { mate } => f64::INFINITY.copysign(f64::from(mate)),
    }
}
