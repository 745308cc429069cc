//! `centipawn symbols`: the form of the article "Evaluation Relevance Reduction" in the terminal.

mod entry;
mod form;

use std::{
    fmt,
    io::{self, IsTerminal as _, Write as _},
    str::FromStr,
};

use anyhow::Result;
use centipawn_core::{Context, Curve};
use clap::Args;
use serde_json::{Value, json};
use shakmaty::Color;

use entry::Entry;
use form::{Form, signed};

use crate::{
    args::{CurveArgs, parse_side},
    exit::usage,
};

/// Arguments of `centipawn symbols`.
#[derive(Args)]
pub(crate) struct Symbols {
    /// Evaluation of the move that was played, seen by White: pawns (0.31, -1) or a mate (#3, #-2)
    #[arg(long, value_name = "EVAL", allow_hyphen_values = true, requires = "best")]
    played: Option<Typed>,
    /// Evaluation of the best move
    #[arg(long, value_name = "EVAL", allow_hyphen_values = true, requires = "played")]
    best: Option<Typed>,
    /// Evaluation of the second-best move, which a good move is measured against
    #[arg(long, value_name = "EVAL", allow_hyphen_values = true, requires = "best")]
    second: Option<Typed>,
    /// Who moved: white or black
    #[arg(long, default_value = "white", value_parser = parse_side)]
    side: Color,
    #[command(flatten)]
    curve: CurveArgs,
    /// Material on the board (pawn 1 to queen 9, both sides), for the curves that depend on it
    #[arg(long, value_name = "N", default_value_t = Context::default().material)]
    material: u32,
    /// Half-moves played, for the curves that depend on them
    #[arg(long, value_name = "N", default_value_t = Context::default().ply)]
    ply: u32,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs the command: with evaluations it answers, without them it opens a form on the terminal.
pub(crate) fn run(symbols: &Symbols) -> Result<()> {
    let curve = symbols.curve.curve_or_relevance()?;
    let context = Context { material: symbols.material, ply: symbols.ply };
    let (Some(played), Some(best)) = (symbols.played, symbols.best) else {
        if symbols.json || !io::stdout().is_terminal() || !io::stdin().is_terminal() {
            return Err(usage("give --played and --best; on a terminal, `centipawn symbols` alone opens a form"));
        }
        return entry::run(Entry::new(symbols.side, curve, context));
    };
    let evals = Evals { played, best, second: symbols.second };
    if !evals.are_in_order(symbols.side) {
        return Err(usage("--second is better for the mover than --best; all evaluations are White's"));
    }
    let form = Form::new(symbols.side, evals, curve, context);
    let text = if symbols.json { format!("{:#}\n", form.json()) } else { form.text() };
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// The form's evaluations, all White's.
#[derive(Clone, Copy)]
struct Evals {
    played: Typed,
    best: Typed,
    second: Option<Typed>,
}

impl Evals {
    /// Whether the second-best move is none better than the best.
    fn are_in_order(&self, side: Color) -> bool {
        let best = self.best.order();
        self.second.is_none_or(|second| side.fold_wb(second.order() <= best, second.order() >= best))
    }
}

/// An evaluation as it is typed.
#[derive(Clone, Copy)]
enum Typed {
    Pawns(f64),
    Mate(i32),
}

impl FromStr for Typed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mate = text.strip_prefix('#').map(str::parse::<i32>);
        match (mate, text.parse::<f64>()) {
            (Some(Ok(moves)), _) if moves != 0 => Ok(Typed::Mate(moves)),
            (None, Ok(pawns)) if pawns.is_finite() => Ok(Typed::Pawns(pawns)),
            _ => Err("an evaluation is in pawns, such as 0.31 or -1, or a mate, such as #3 or #-2".to_owned()),
        }
    }
}

impl fmt::Display for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Typed::Pawns(pawns) => f.pad(&signed(*pawns)),
            Typed::Mate(moves) => f.pad(&format!("#{moves}")),
        }
    }
}

impl Typed {
    fn expected_score(self, curve: &Curve, context: Context) -> f64 {
        match self {
            Typed::Pawns(pawns) => curve.at(pawns, context),
            Typed::Mate(moves) => f64::from(u8::from(moves > 0)),
        }
    }

    /// Greater is better for White.
    fn order(self) -> f64 {
        match self {
            Typed::Pawns(pawns) => pawns,
            Typed::Mate(moves) => f64::INFINITY.copysign(f64::from(moves)),
        }
    }

    fn json(self) -> Value {
        match self {
            Typed::Pawns(pawns) => json!(pawns),
            Typed::Mate(moves) => json!({ "mate": moves }),
        }
    }
}
