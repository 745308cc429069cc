//! Flags that several commands share: each has one meaning everywhere.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, bail};
use centipawn_core::{Curve, WdlModel};
use clap::Args;
use shakmaty::Color;

/// The balance where none is given, in pawns.
const DEFAULT_BALANCE: f64 = 1.0;

/// How evaluations become expected scores and symbols.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Curve")]
pub(crate) struct CurveArgs {
    /// Curve from evaluation to expected score: stockfish, stockfish-VERSION, lichess, relevance, relevance-sigmoid,
    /// wintrchess, tcec, or a curve file
    #[arg(long, value_name = "NAME|FILE", env = "CENTIPAWN_CURVE")]
    pub(crate) curve: Option<String>,
    /// Win-draw balance in pawns: the evaluation that wins half the time. Implies --curve relevance
    #[arg(long, value_name = "PAWNS", env = "CENTIPAWN_BALANCE", value_parser = parse_balance)]
    pub(crate) balance: Option<f64>,
}

impl CurveArgs {
    /// The curve that was asked for, `None` if the command may choose.
    pub(crate) fn curve(&self) -> Result<Option<Curve>> {
        let balance = self.balance.unwrap_or(DEFAULT_BALANCE);
        let Some(name) = &self.curve else {
            return Ok(self.balance.map(|balance| Curve::Relevance { balance }));
        };
        let curve = match Curve::by_name(name, balance) {
            Some(curve) => curve,
            None if Path::new(name).is_file() => {
                let text = fs::read_to_string(name).with_context(|| format!("cannot read the curve file {name}"))?;
                serde_json::from_str(&text).with_context(|| format!("{name} is not a curve file"))?
            }
            None => bail!(
                "there is no curve or file {name:?}; curves are relevance, relevance-sigmoid, lichess, wintrchess, tcec, \
                 stockfish and stockfish-VERSION ({})",
                WdlModel::stockfish_versions().collect::<Vec<_>>().join(", ")
            ),
        };
        if self.balance.is_some() && !matches!(curve, Curve::Relevance { .. } | Curve::RelevanceSigmoid { .. }) {
            bail!("--balance is for the curves relevance and relevance-sigmoid; {name} has its own");
        }
        Ok(Some(curve))
    }

    /// The curve that was asked for, or the relevance curve at its default balance.
    pub(crate) fn curve_or_relevance(&self) -> Result<Curve> {
        Ok(self.curve()?.unwrap_or(Curve::Relevance { balance: DEFAULT_BALANCE }))
    }
}

fn parse_balance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(balance) if balance > 0.0 && f64::is_finite(balance) => Ok(balance),
        _ => Err("a balance is a number of pawns above 0, such as 0.62".to_owned()),
    }
}

/// `white` or `black`, or their first letters.
pub(crate) fn parse_side(text: &str) -> Result<Color, String> {
    match text.to_ascii_lowercase().as_str() {
        "white" | "w" => Ok(Color::White),
        "black" | "b" => Ok(Color::Black),
        _ => Err("a side is white or black".to_owned()),
    }
}
