//! `centipawn symbols`: the form of the article "Evaluation Relevance Reduction", filled in by
//! flags.

use std::io::Write as _;

use anyhow::Result;
use centipawn_core::Context;
use centipawn_printer as printer;
use centipawn_progress::Cancel;
use centipawn_review::{FormEval, SymbolsForm};
use clap::Args;
use shakmaty::Color;

use crate::{
    args::{CurveArgs, parse_side},
    exit::usage,
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
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(symbols: &Symbols) -> Result<()> {
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
    let text = if symbols.json {
        serde_json::to_string_pretty(&form.document())? + "\n"
    } else {
        printer::symbols(&form)
    };
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(())
}
