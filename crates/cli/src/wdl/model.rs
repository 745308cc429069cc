//! Options of a fit, from the command line's arguments.

use std::{fs, path::PathBuf};

use anyhow::{Context as _, Result, anyhow};
use centipawn_calibrate::wdl::{By, FitOptions, Method, Selection, Shape, Units};
use centipawn_core::{Argument, Curve, Pawn, WdlModel};
use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::exit::usage;

/// Options of a fit.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArgs {
    /// Objective of the fit
    #[arg(long, value_enum, default_value_t)]
    method: MethodName,
    /// What the parameters a and b depend on
    #[arg(long, value_enum, default_value_t)]
    by: ByName,
    /// Family of functions for a and b
    #[arg(long, value_enum, default_value_t)]
    shape: ShapeName,
    /// Internal units per pawn in the games' evaluations [default: 100, the centipawn itself]
    #[arg(long, value_name = "UNITS", conflicts_with = "from")]
    normalize: Option<f64>,
    /// The model by which the engine normalised the games' evaluations: a Stockfish version (18), a curve file, the four
    /// coefficients of `a` (highest power first, separated by commas), or WDL_model's JSON of them
    #[arg(long, value_name = "MODEL", allow_hyphen_values = true)]
    from: Option<String>,
    /// First full move
    #[arg(long, value_name = "N", default_value_t = 1)]
    move_min: u32,
    /// Last full move
    #[arg(long, value_name = "N", default_value_t = 120)]
    move_max: u32,
    /// Minimum material of both sides (queen 9, rook 5, minor piece 3, pawn 1)
    #[arg(long, value_name = "N", default_value_t = 17)]
    material_min: u32,
    /// Maximum material of both sides
    #[arg(long, value_name = "N", default_value_t = 78)]
    material_max: u32,
    /// Largest evaluation, in centipawns of the model
    #[arg(long, value_name = "CP", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=2000))]
    eval_max: u32,
    /// Minimum number of wins for fitting a material or move by itself
    #[arg(long, value_name = "N", default_value_t = 10)]
    win_min: u64,
    /// Material or move at which the coefficients add up to the parameters [default: 58; with --by move: 32]
    #[arg(long, value_name = "N")]
    target: Option<u32>,
}

/// `--method`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum MethodName {
    /// Maximum likelihood
    #[default]
    #[value(alias = "optimizeProbability")]
    Probability,
    /// Minimum squared error of the score
    #[value(alias = "optimizeScore")]
    Score,
    /// Minimum squared error of the share won at each evaluation, row by row
    #[value(alias = "fitDensity")]
    Density,
}

/// `--by`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum ByName {
    #[default]
    Material,
    Move,
    /// Material and move
    Both,
}

/// `--shape`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum ShapeName {
    /// Cubic polynomials, like Stockfish's
    #[default]
    Cubic,
    /// Only rising or only falling
    Monotone,
    /// Smooth; linear where there are few games
    Spline,
}

impl ModelArgs {
    /// The library's options.
    ///
    /// # Errors
    ///
    /// Usage errors of flags that exclude each other.
    pub(crate) fn options(&self, compat: bool) -> Result<FitOptions> {
        let by = match self.by {
            ByName::Material => By::Material,
            ByName::Move => By::Move,
            ByName::Both => By::Both,
        };
        for (low, high, what) in
            [(self.move_min, self.move_max, "move"), (self.material_min, self.material_max, "material")]
        {
            if low > high {
                return Err(usage(format!("--{what}-min is above --{what}-max")));
            }
        }
        let target = self.target.map_or(by.usual_target(), f64::from);
        if target <= 0.0 {
            return Err(usage("--target must be above 0"));
        }
        let method = match self.method {
            MethodName::Probability => Method::Probability,
            MethodName::Score => Method::Score,
            MethodName::Density => Method::Density,
        };
        let shape = match self.shape {
            ShapeName::Cubic => Shape::Cubic,
            ShapeName::Monotone => Shape::Monotone,
            ShapeName::Spline => Shape::Spline,
        };
        if method == Method::Density && (shape != Shape::Cubic || by == By::Both) {
            return Err(usage("--method density fits cubics by material or move only; take probability or score"));
        }
        if by == By::Both && shape != Shape::Cubic {
            return Err(usage("a model of material and move has polynomials only: leave out --shape"));
        }
        let selection = Selection {
            by,
            moves: (self.move_min, self.move_max),
            material: (self.material_min, self.material_max),
            eval_max: self.eval_max,
            units: self.units(compat)?,
        };
        Ok(FitOptions { selection, method, shape, target, win_min: self.win_min, compat })
    }

    fn units(&self, compat: bool) -> Result<Units> {
        match (self.normalize, &self.from) {
            (Some(units), _) if (1.0..=10_000.0).contains(&units) => Ok(Units::Fixed(units)),
            (Some(_), _) => Err(usage("--normalize is a number of units from 1 to 10000")),
            (None, Some(from)) => units_of(from),
            // As the reference does without a flag.
            (None, None) if compat => Ok(Units::of_model(WdlModel::default())),
            (None, None) => Ok(Units::default()),
        }
    }
}

fn units_of(from: &str) -> Result<Units> {
    let name = from.strip_prefix("stockfish-").or(from.strip_prefix("Stockfish ")).unwrap_or(from);
    if from == "stockfish" {
        return Ok(Units::of_model(WdlModel::default()));
    }
    if from.trim_start().starts_with('{') {
        return of_normalize_data(from).ok_or_else(|| {
            usage(
                "--from: NormalizeData is JSON such as \
                 {\"momType\": \"move\", \"momMin\": 11, \"momMax\": 120, \"momTarget\": 32, \"as\": [0.38, -2.82, 23.18, 307.37]}",
            )
        });
    }
    let numbers: Option<Vec<f64>> = from.split(',').map(|part| part.trim().parse().ok()).collect();
    if let Some(numbers) = numbers.filter(|numbers| numbers.len() >= 4) {
        let Ok(a) = <[f64; 4]>::try_from(&numbers[..4]) else { return Err(usage("--from: four coefficients")) };
        return Ok(Units::Model(dynamic(Argument::Material, [17.0, 78.0], 58.0, a)));
    }
    if let Some(units) = Units::of_stockfish(name) {
        return Ok(units);
    }
    let path = PathBuf::from(from);
    if !path.is_file() {
        return Err(usage(format!(
            "--from: {from:?} is no version of Stockfish with a model ({}), no curve file and no coefficients",
            WdlModel::stockfish_versions().collect::<Vec<_>>().join(", ")
        )));
    }
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {from}"))?;
    match serde_json::from_str(&text).with_context(|| format!("{from} is not a curve file"))? {
        Curve::Wdl(model) => Ok(Units::of_model(model)),
        other => Err(anyhow!("{from} has the curve {other}, which is no win/draw/loss model")),
    }
}

fn dynamic(argument: Argument, range: [f64; 2], divisor: f64, a: [f64; 4]) -> WdlModel {
    WdlModel { argument, range, divisor, a, b: [0.0, 0.0, 0.0, 1.0], pawn: Pawn::Normalised, clamp: None }
}

/// WDL_model's `--NormalizeData`.
fn of_normalize_data(json: &str) -> Option<Units> {
    let data: Value = serde_json::from_str(json).ok()?;
    let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    let field = |name: &str| data.get(name).and_then(number);
    let argument = match data.get("momType").map_or(Some("material"), Value::as_str)? {
        "material" => Argument::Material,
        "move" => Argument::Move,
        _ => return None,
    };
    let a: Vec<f64> = data.get("as")?.as_array()?.iter().map(number).collect::<Option<_>>()?;
    let range = [field("momMin")?, field("momMax")?];
    let divisor = field("momTarget").filter(|&target| target > 0.0)?;
    let sound = range[0] <= range[1];
    sound.then_some(Units::Model(dynamic(argument, range, divisor, a.try_into().ok()?)))
}
