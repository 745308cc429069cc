//! The units of engines' evaluations.

use crate::{Context, Curve, WdlModel};

impl WdlModel {
    /// Returns how many pawns an engine with this win/draw/loss model prints for an evaluation that
    /// Stockfish 15.1 prints as one pawn.
    ///
    /// From Stockfish 15.1 on, +1.00 is the win-draw balance, so the unit follows from the models'
    /// balances. Stockfish 12 to 15 print 361/208 = 1.74 times as much: their pawn has 208 internal
    /// units, that of 15.1 has 361. (Evaluations of Lichess games of 2021 are 1.67 times those of
    /// Stockfish 15.1, the median over 1,055 positions; the balances of those models, fitted to
    /// games from other openings, would give 1.14.)
    ///
    /// ```
    /// use centipawn_core::WdlModel;
    ///
    /// let units = |version| WdlModel::stockfish(version).unwrap().pawn_units();
    /// assert_eq!(units("15.1"), 1.0);
    /// assert_eq!(format!("{:.2} {:.2}", units("18"), units("12")), "1.00 1.74");
    /// ```
    pub fn pawn_units(&self) -> f64 {
        let release = |version| WdlModel::stockfish(version);
        if ["12", "14", "15"]
            .iter()
            .any(|version| release(version).as_ref() == Some(self))
        {
            return OLD_UNITS;
        }
        let anchor = Context::default();
        let reference = release("15.1").map_or(1.0, |model| model.balance(anchor));
        self.balance(anchor) / reference
    }
}

impl Curve {
    /// Returns the unit of evaluations whose source has this curve, in [pawns for one of Stockfish
    /// 15.1's](WdlModel::pawn_units): that of its model, 1 for any other curve.
    ///
    /// ```
    /// use centipawn_core::{Curve, OLD_UNITS};
    ///
    /// assert_eq!(Curve::for_engine("Stockfish 14.1").source_units(), OLD_UNITS);
    /// assert_eq!(Curve::for_engine("Stockfish 15.1").source_units(), 1.0);
    /// ```
    pub fn source_units(&self) -> f64 {
        match self {
            Curve::Wdl(model) => model.pawn_units(),
            _ => 1.0,
        }
    }
}

/// [`WdlModel::pawn_units`] of Stockfish 12 to 15.
pub const OLD_UNITS: f64 = 361.0 / 208.0;
