//! `centipawn symbols`: the form of the article "Evaluation Relevance Reduction", filled in by
//! flags.

use std::{io::Write as _, path::PathBuf};

use anyhow::Result;
use centipawn_calibrate::PlotForm;
use centipawn_core::{Context, SchemeChoice};
use centipawn_printer as printer;
use centipawn_progress::{AtomicFile, Cancel};
use centipawn_review::{FormEval, SymbolsForm};
use centipawn_work::symbols_plot;
use clap::Args;
use shakmaty::Color;

use crate::{
    args::{CurveArgs, parse_side, scheme},
    exit::usage,
    session::Session,
};

/// Arguments of `centipawn symbols`.
#[derive(Args)]
pub(crate) struct Symbols {
    /// Evaluation of the move played, from White's side: in pawns (0.31, -1) or a mate (#3, #-2)
    #[arg(
        long,
        value_name = "EVAL",
        allow_hyphen_values = true,
        requires = "best"
    )]
    played: Option<FormEval>,
    /// Evaluation of the best move
    #[arg(
        long,
        value_name = "EVAL",
        allow_hyphen_values = true,
        requires = "played"
    )]
    best: Option<FormEval>,
    /// Evaluation of the second-best move, which determines good-move symbols
    #[arg(
        long,
        value_name = "EVAL",
        allow_hyphen_values = true,
        requires = "best"
    )]
    second: Option<FormEval>,
    /// Side that moved: white or black
    #[arg(long, default_value = "white", value_parser = parse_side)]
    side: Color,
    #[command(flatten)]
    curve: CurveArgs,
    /// Material on the board (pawn 1 to queen 9, both sides), for curves that depend on it
    #[arg(long, value_name = "N", default_value_t = Context::default().material)]
    material: u32,
    /// Number of half-moves played, for curves that depend on it
    #[arg(long, value_name = "N", default_value_t = Context::default().ply)]
    ply: u32,
    /// Draw the curve with the evaluations, the shaded difference and the limits of symbols (.svg,
    /// .png or .html)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Symbol scheme of the plot [default: s20 with the human curve, else s8; s40]
    #[arg(long, value_name = "NAMES", requires = "plot")]
    scheme: Option<SchemeChoice>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(symbols: &Symbols, session: &Session) -> Result<()> {
    let plot_form = symbols
        .plot
        .as_deref()
        .map(|path| PlotForm::of(path, true))
        .transpose()
        .map_err(|error| usage(error.to_string()))?;
    let curve = symbols.curve.curve_or_relevance(&Cancel::new())?;
    let context = Context {
        material: symbols.material,
        ply: symbols.ply,
    };
    let (Some(played), Some(best)) = (symbols.played, symbols.best) else {
        return Err(usage(
            "two evaluations are needed, for example: centipawn symbols --played -1 --best 2 (the page of `centipawn serve` has a \
             form for them)",
        ));
    };
    let form = SymbolsForm::new(symbols.side, played, best, symbols.second, curve, context)
        .map_err(|_| {
            usage("--second is better for the mover than --best; all evaluations are White's")
        })?;
    let report = printer::symbols(&form);
    if let (Some(path), Some(plot_form)) = (&symbols.plot, plot_form) {
        let scheme = scheme(symbols.scheme)?.scheme(&curve);
        let plot = symbols_plot(&form, scheme, &report).draw(plot_form);
        session.report_kept(AtomicFile::write_whole(path, &plot, session.cancel()?)?);
    }
    let text = if symbols.json {
        serde_json::to_string_pretty(&form.document())? + "\n"
    } else {
        report
    };
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(())
}
