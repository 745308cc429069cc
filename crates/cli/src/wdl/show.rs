//! `centipawn wdl show`.

use std::process::ExitCode;

use anyhow::Result;
use centipawn_calibrate::{
    document, named_choice,
    wdl::{EvalDocument, ModelError, NamedModel, Predictor},
};
use centipawn_core::{Argument, Curve, NamedCurve, WdlModel};
use centipawn_printer as printer;
use centipawn_progress::Cancel;
use clap::Args;

use crate::{exit::usage, numbers::whole_number, session::Session};

/// Arguments of `centipawn wdl show`.
#[derive(Args)]
pub(crate) struct Show {
    /// A model
    #[arg(value_name = "MODEL", help = format!(
        "A Stockfish version (18), stockfish (the newest), {}, a curve file, Stockfish's src/uci.cpp, or, \
         to see errors too, the folder of a fit",
        NamedCurve::list(|named| named.model().is_some())
    ))]
    model: String,
    /// Evaluation in pawns, as the engine prints it
    #[arg(long, value_name = "PAWNS", default_value_t = 0.0, allow_hyphen_values = true, value_parser = parse_pawns)]
    eval: f64,
    /// Material of both sides (queen 9, rook 5, minor piece 3, pawn 1) [default: 58]
    #[arg(long, value_name = "N", value_parser = whole_number::<u32>(0..=1000))]
    material: Option<u32>,
    /// Full move number [default: 32]
    #[arg(long = "move", value_name = "N", value_parser = whole_number::<u32>(1..=10_000))]
    number: Option<u32>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl Show {
    fn material(&self) -> u32 {
        self.material.unwrap_or(58)
    }

    fn number(&self) -> u32 {
        self.number.unwrap_or(32)
    }
}

fn parse_pawns(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(pawns) if f64::abs(pawns) <= 1000.0 => Ok(pawns),
        _ => Err("an evaluation is a number of pawns, such as 1.20 or -0.35".to_owned()),
    }
}

/// Returns the model, and the predictor with standard errors if they are known. Names are those of
/// `wdl compare`.
fn model(name: &str, cancel: &Cancel) -> Result<(WdlModel, Option<Predictor>)> {
    match NamedModel::load(name) {
        // Prefer the document of a fit, because a curve file has no standard errors.
        Ok(NamedModel {
            fit: Some(fit),
            model,
            ..
        }) => Ok((model, Predictor::of_document(&fit))),
        Ok(NamedModel { model, .. }) => Ok((model, None)),
        // A curve without draws is a known name too, so explain why it cannot be shown.
        Err(error @ ModelError::Unknown { .. }) => {
            match named_choice(name, Curve::DEFAULT_BALANCE, cancel) {
                Ok(_) => Err(usage(format!(
                    "{name} has no wins, draws and losses; models are versions of Stockfish (18), {others}, and \
                 files of `wdl fit`",
                    others = NamedCurve::list(|named| named.model().is_some())
                ))),
                Err(_) => Err(usage(error.to_string())),
            }
        }
        Err(error @ ModelError::NoModel { .. }) => Err(usage(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn run(args: &Show, session: &Session) -> Result<ExitCode> {
    let (model, predictor) = model(&args.model, session.cancel()?)?;
    let (asked, known) = match model.argument {
        Argument::Material => (
            args.number
                .filter(|_| args.material.is_none())
                .map(|_| "--move"),
            "--material",
        ),
        Argument::Move | Argument::Ply => (
            args.material
                .filter(|_| args.number.is_none())
                .map(|_| "--material"),
            "--move",
        ),
    };
    if let Some(asked) = asked {
        return Err(usage(format!(
            "{} does not depend on {asked}, but on {known}",
            args.model
        )));
    }
    let value = EvalDocument::new(
        &model,
        predictor.as_ref(),
        args.eval,
        args.material(),
        args.number(),
    );
    session.answer(
        args.json,
        || document(&value),
        || printer::eval_value(&value, &model),
    )?;
    Ok(ExitCode::SUCCESS)
}
