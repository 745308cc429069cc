//! Options of a fit, from the command line's arguments.

use std::path::Path;

use anyhow::Result;
use centipawn_calibrate::wdl::{
    By, FitOptions, Method, ModelError, ResampleOptions, Selection, Shape, Units, UnitsError,
};
use clap::{Args, ValueEnum};

use crate::{args::SeedArg, exit::usage, numbers::whole_number};

/// Options of a fit of any shape.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArgs {
    /// Family of functions for a and b
    #[arg(long, value_enum, default_value_t)]
    shape: ShapeName,
    #[command(flatten)]
    cubics: CubicArgs,
    #[command(flatten)]
    units: UnitsArgs,
}

/// The units of the evaluations in games.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Model")]
pub(crate) struct UnitsArgs {
    /// Internal units of the engine for each pawn in the games' evaluations [default: 100,
    /// evaluations are not converted]
    #[arg(long, value_name = "UNITS", conflicts_with = "from")]
    normalize: Option<f64>,
    /// The model by which the engine normalised the games' evaluations: a Stockfish version (18), a
    /// curve file, Stockfish's src/uci.cpp, the four coefficients of `a` (highest power first,
    /// separated by commas), or WDL_model's JSON of them
    #[arg(long, value_name = "MODEL", allow_hyphen_values = true)]
    from: Option<String>,
}

/// Options of a fit of cubics, as WDL_model has them.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Model")]
pub(crate) struct CubicArgs {
    /// Objective of the fit
    #[arg(long, value_enum, default_value_t)]
    method: MethodName,
    /// What the parameters a and b depend on
    #[arg(long, value_enum, default_value_t)]
    by: ByName,
    /// First full move whose positions count
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_number::<u32>(..=255))]
    move_min: u32,
    /// Last full move whose positions count
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = whole_number::<u32>(..=255))]
    move_max: u32,
    /// Minimum material of both sides together (queen 9, rook 5, minor piece 3, pawn 1)
    #[arg(long, value_name = "N", default_value_t = 17, value_parser = whole_number::<u32>(..=1023))]
    material_min: u32,
    /// Maximum material of both sides together
    #[arg(long, value_name = "N", default_value_t = 78, value_parser = whole_number::<u32>(..=1023))]
    material_max: u32,
    /// Largest evaluation that counts, in centipawns of the model
    #[arg(long, value_name = "CP", default_value_t = 400, value_parser = whole_number::<u32>(1..=2000))]
    eval_max: u32,
    /// Fit a and b separately only for a material or move with at least N wins
    #[arg(long, value_name = "N", default_value_t = 10)]
    win_min: u64,
    /// Material or move that the cubics count as 1; there a parameter is the sum of its
    /// coefficients [default: 58; with --by move: 32]
    #[arg(long, value_name = "N")]
    target: Option<u32>,
}

/// How errors are computed.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ErrorArgs {
    /// Number of bootstrap resamples of the games for standard errors; 0: no errors
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole_number::<u16>(0..=1000))]
    resamples: u16,
    #[command(flatten)]
    seed: SeedArg,
    /// Number of folds of a held-out test: each fold of the games is predicted by a model fitted to
    /// the other folds; 0 for no test
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = crate::args::parse_folds)]
    folds: u16,
}

impl ErrorArgs {
    /// Returns the library's options.
    pub(crate) fn options(self) -> ResampleOptions {
        ResampleOptions {
            resamples: self.resamples.into(),
            folds: self.folds.into(),
            seed: self.seed.seed,
        }
    }
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
    /// Minimum squared error of the share of wins at each evaluation, separately for each material
    /// or move
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
    /// Functions that only rise or only fall
    Monotone,
    /// Smooth; linear where there are few games
    Spline,
}

impl ModelArgs {
    /// Returns the library's options.
    ///
    /// # Errors
    ///
    /// Usage errors of flags that exclude each other.
    pub(crate) fn options(&self, compat: bool) -> Result<FitOptions> {
        let shape = match self.shape {
            ShapeName::Cubic => Shape::Cubic,
            ShapeName::Monotone => Shape::Monotone,
            ShapeName::Spline => Shape::Spline,
        };
        self.cubics
            .with_shape(shape, self.units.units(compat)?, compat)
    }

    /// Returns the file that `--from` names, if it is a file.
    pub(crate) fn given_model(&self) -> Option<&Path> {
        self.units.from.as_deref().map(Path::new)
    }
}

impl CubicArgs {
    /// Returns the library's options for cubics.
    ///
    /// # Errors
    ///
    /// Usage errors of flags that exclude each other.
    pub(crate) fn options(&self, units: Units, compat: bool) -> Result<FitOptions> {
        self.with_shape(Shape::Cubic, units, compat)
    }

    fn with_shape(&self, shape: Shape, units: Units, compat: bool) -> Result<FitOptions> {
        let by = match self.by {
            ByName::Material => By::Material,
            ByName::Move => By::Move,
            ByName::Both => By::Both,
        };
        let target = self.target.map_or(by.usual_target(), f64::from);
        let method = match self.method {
            MethodName::Probability => Method::Probability,
            MethodName::Score => Method::Score,
            MethodName::Density => Method::Density,
        };
        if method == Method::Density && (shape != Shape::Cubic || by == By::Both) {
            return Err(usage(
                "--method density fits cubics by material or move only; take probability or score",
            ));
        }
        if by == By::Both && shape != Shape::Cubic {
            return Err(usage(
                "a model of material and move has polynomials only: leave out --shape",
            ));
        }
        let selection = Selection {
            by,
            moves: (self.move_min, self.move_max),
            material: (self.material_min, self.material_max),
            eval_max: self.eval_max,
            units,
        };
        let options = FitOptions {
            selection,
            method,
            shape,
            target,
            win_min: self.win_min,
            compat,
        };
        options.check().map_err(|error| usage(error.to_string()))?;
        Ok(options)
    }
}

impl UnitsArgs {
    /// Returns whether a flag sets the units of the games.
    pub(crate) fn are_given(&self) -> bool {
        self.normalize.is_some() || self.from.is_some()
    }

    /// Returns the units of the flags, else the default units.
    pub(crate) fn units(&self, compat: bool) -> Result<Units> {
        match (self.normalize, &self.from) {
            (Some(units), _) if (1.0..=10_000.0).contains(&units) => Ok(Units::Fixed(units)),
            (Some(_), _) => Err(usage("--normalize is a number of units from 1 to 10000")),
            (None, Some(from)) => Units::load(from).map_err(|error| match error {
                UnitsError::Model(error @ ModelError::Io { .. }) => error.into(),
                error => usage(format!("--from: {error}")),
            }),
            (None, None) => Ok(Units::usual(compat)),
        }
    }
}
