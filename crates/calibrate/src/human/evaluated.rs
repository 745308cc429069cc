//! Collects games whose positions an engine evaluates.

use std::borrow::Cow;

use centipawn_core::{Context, Eval, White};
use centipawn_pgn::{Dialect, Game};
use shakmaty::Color;

use super::{
    HumanCountOptions, HumanGame, HumanPosition, LeftOut,
    count::{Tagged, seconds_left},
};

impl HumanCountOptions {
    /// Checks by the tags whether a game counts.
    ///
    /// # Errors
    ///
    /// [`LeftOut`], the reason why the game does not count.
    pub fn accepts(&self, game: &Game) -> Result<(), LeftOut> {
        self.tagged(game).map(|_| ())
    }

    fn tagged(&self, game: &Game) -> Result<Tagged, LeftOut> {
        let dialect = Dialect::detect([game]);
        let first_clock = game.first_clock(dialect);
        let tag = |name: &str| game.headers.get(name).map(Cow::from);
        Tagged::read(tag, game.result, first_clock, dialect, self)
    }
}

impl HumanGame {
    /// Creates a game from evaluations of some of its positions, each given with the number of
    /// moves played before it. `units` is the unit of the evaluations, in [pawns for one of
    /// Stockfish 15.1's](centipawn_core::WdlModel::pawn_units); `source` is the number of the file
    /// and `place` that of the game in it.
    ///
    /// # Errors
    ///
    /// [`LeftOut`], the reason why the game does not count.
    pub fn evaluated(
        game: &Game,
        evals: &[(usize, Eval<White>)],
        units: f64,
        (source, place): (u32, u64),
        options: &HumanCountOptions,
    ) -> Result<Self, LeftOut> {
        let tagged = options.tagged(game)?;
        let circumstances = circumstances(game);
        let position = |(index, eval): &(usize, Eval<White>)| {
            let known = circumstances
                .get(*index)
                .filter(|_| *index >= options.first_ply as usize)?;
            options.evaluated(*known, *eval, units)
        };
        let positions = evals.iter().filter_map(position).collect();
        tagged.game(positions, source, options.number(source.into(), place))
    }
}

/// Ply, material and clocks of each position in which a move was played. The evaluations are set to
/// 0.
pub(super) fn circumstances(game: &Game) -> Vec<HumanPosition> {
    let dialect = Dialect::detect([game]);
    let mut clocks = [None; 2];
    let moves = game.mainline().zip(game.annotations(dialect)).enumerate();
    let each = moves.map(|(index, ((before, _), annotation))| {
        let position = HumanPosition {
            material: u8::try_from(Context::of(before.position()).material).ok(),
            clocks: clocks[0]
                .zip(clocks[1])
                .map(|(white, black)| [white, black]),
            ..HumanPosition::new(0, u16::try_from(index).unwrap_or(u16::MAX))
        };
        let mover: Color = before.turn();
        clocks[mover.fold_wb(0, 1)] = seconds_left(annotation.clock);
        position
    });
    each.collect()
}
