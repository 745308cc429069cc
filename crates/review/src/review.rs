//! A reviewed game: its moves, judged, and what they add up to.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use centipawn_core::{Curve, Eval, MoveSymbol, White, accuracy_of_game};
use centipawn_engine::Identity;
use centipawn_pgn::{Game, Opening};
use shakmaty::Color;

use crate::{
    Phase, PlyReview, ReviewOptions,
    clock::{Clock, totals},
    ease::hardest_moments,
};

/// Moves named as critical moments, at most.
const CRITICAL_MOMENTS: usize = 3;

/// A reviewed game.
#[derive(Clone, Debug)]
pub struct Review {
    /// The game as it was read.
    pub game: Arc<Game>,
    /// Its moves, judged.
    pub plies: Vec<PlyReview>,
    /// What the opening is called.
    pub opening: Option<Opening>,
    /// White's totals.
    pub white: PlayerReview,
    /// Black's totals.
    pub black: PlayerReview,
    /// Indices into [`plies`](Self::plies) of the moves on which most depended, in the order of the game.
    pub critical_moments: Vec<usize>,
    /// Indices of the moves that were hardest to find, the hardest first; empty where ease was not asked for.
    pub hardest_moments: Vec<usize>,
    /// Who analysed; `None` if every evaluation came from the game itself.
    pub analyst: Option<Arc<Identity>>,
    /// From evaluations to expected scores.
    pub curve: Curve,
    /// How it was reviewed.
    pub options: ReviewOptions,
}

/// What a player's moves add up to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerReview {
    /// How many moves the player made.
    pub moves: usize,
    /// Accuracy in Lichess' sense, per cent; `None` without a move.
    pub accuracy: Option<f64>,
    /// Pawns at equality given away in all.
    pub relevant_loss: f64,
    /// Expected score given away in all.
    pub expected_score_loss: f64,
    /// How often each symbol was given, in the order of [`MoveSymbol::ALL`].
    pub symbols: [usize; 6],
    /// The parts of the game, in the order of [`Phase::ALL`].
    pub phases: [PhaseReview; 3],
    /// Time for all moves, if the game tells it of nearly every move.
    pub time: Option<Duration>,
}

/// What a player's moves in a part of the game add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseReview {
    /// How many moves the player made in it.
    pub moves: usize,
    /// Expected score given away in it.
    pub expected_score_loss: f64,
}

impl PlayerReview {
    fn new(plies: &[PlyReview], color: Color, accuracy: Option<f64>, time: Option<Duration>) -> Self {
        let own = || plies.iter().filter(|ply| ply.mover == color);
        Self {
            moves: own().count(),
            accuracy,
            relevant_loss: total(own().map(|ply| ply.loss.relevant)),
            expected_score_loss: total(own().map(|ply| ply.loss.expected_score)),
            symbols: MoveSymbol::ALL.map(|symbol| own().filter(|ply| ply.symbol == Some(symbol)).count()),
            phases: Phase::ALL.map(|phase| {
                let moves = || own().filter(|ply| ply.phase == phase);
                let expected_score_loss = total(moves().map(|ply| ply.loss.expected_score));
                PhaseReview { moves: moves().count(), expected_score_loss }
            }),
            time,
        }
    }

    /// How often the player's moves were given a symbol.
    pub fn count(&self, symbol: MoveSymbol) -> usize {
        MoveSymbol::ALL.iter().zip(self.symbols).find(|(other, _)| **other == symbol).map_or(0, |(_, count)| count)
    }
}

impl Review {
    pub(crate) fn new(
        game: Arc<Game>,
        plies: Vec<PlyReview>,
        analyst: Option<Arc<Identity>>,
        curve: Curve,
        options: ReviewOptions,
    ) -> Self {
        // A mate on the board counts as the mate that it was a move before.
        let evals: Vec<Eval<White>> = plies.iter().map(|ply| ply.after.unwrap_or(ply.played)).collect();
        // Lichess knows the start position only, which it counts as +0.15.
        let before = if game.start.is_from_startpos() { None } else { plies.first().map(|ply| ply.best) };
        let [white, black] = accuracy_of_game(game.start.turn(), before.unwrap_or(Eval::cp(15)), &evals);
        let clocks: Vec<Clock> = plies.iter().map(|ply| Clock { left: ply.clock, spent: ply.time }).collect();
        let [white_time, black_time] = totals(&clocks, game.start.turn());
        Self {
            opening: Opening::of(&game),
            white: PlayerReview::new(&plies, Color::White, white, white_time),
            black: PlayerReview::new(&plies, Color::Black, black, black_time),
            critical_moments: critical_moments(&plies),
            hardest_moments: hardest_moments(&plies),
            game,
            plies,
            analyst,
            curve,
            options,
        }
    }

    /// A player's totals.
    pub fn player(&self, color: Color) -> &PlayerReview {
        color.fold_wb(&self.white, &self.black)
    }

    /// A player's name, `White` or `Black` where the game does not tell.
    pub fn name(&self, color: Color) -> &str {
        self.told_name(color).unwrap_or(color.fold_wb("White", "Black"))
    }

    /// A player's name, if the game tells it.
    pub(crate) fn told_name(&self, color: Color) -> Option<&str> {
        let name = self.game.headers.get(color.fold_wb("White", "Black"))?.trim();
        Some(name).filter(|name| !name.trim_matches('?').is_empty())
    }

    /// Both players' names: `Anna – Boris`.
    pub fn title(&self) -> String {
        format!("{} – {}", self.name(Color::White), self.name(Color::Black))
    }

    /// How many good-move symbols were suppressed, and why, in a sentence; `None` if none was.
    pub fn suppressed(&self) -> Option<String> {
        let language = self.options.language;
        let reasons: BTreeSet<&str> =
            self.plies.iter().filter_map(|ply| ply.suppressed).map(|(_, reason)| language.reason(reason)).collect();
        let count = self.plies.iter().filter(|ply| ply.suppressed.is_some()).count();
        let reasons = reasons.into_iter().collect::<Vec<_>>().join(", ");
        (count > 0).then(|| format!("{} {count} ({reasons}).", language.labels().suppressed))
    }

    /// The opening as the game calls it, or as we do: `C41 Philidor Defense`. `None` if it has no name.
    pub fn opening_name(&self) -> Option<String> {
        let [eco, name] = self.opening_tags();
        let parts: Vec<&str> = [eco, name].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    /// The tags `ECO` and `Opening`: the game's own; ours where it has neither, or the same code and no name. Tables differ,
    /// and a code of one with the name of another would contradict itself.
    pub(crate) fn opening_tags(&self) -> [Option<&str>; 2] {
        let tag = |name| self.game.headers.get(name).filter(|text| !text.is_empty() && !text.contains('?'));
        match (tag("ECO"), tag("Opening"), self.opening) {
            (None, None, Some(own)) => [Some(own.eco), Some(own.name)],
            // Some write more behind the code: `B90/03`, `B90a`.
            (Some(eco), None, Some(own)) if eco.get(..3) == Some(own.eco) => [Some(eco), Some(own.name)],
            (eco, name, _) => [eco, name],
        }
    }

    /// Where and when it was played, as far as the game tells: `Paris, Paris Opera, 1858`.
    pub fn occasion(&self) -> String {
        let tag = |name| self.game.headers.get(name).filter(|text| !text.contains('?') && *text != "-");
        let date = self.game.headers.get("Date").map(|date| date.trim_end_matches(".??"));
        let date = date.filter(|date| !date.contains('?'));
        let mut parts: Vec<&str> = [tag("Event"), tag("Site"), date].into_iter().flatten().collect();
        parts.dedup();
        parts.join(", ")
    }
}

/// A sum; of nothing it is 0, not the −0 of an empty sum.
fn total(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |sum, value| sum + value)
}

/// The moves with symbols on which most depended: where most was given away, or where only one move would do. A mistake
/// changes the game and a good move only keeps it, so that one counts half.
fn critical_moments(plies: &[PlyReview]) -> Vec<usize> {
    let stake = |index: &usize| {
        let difference = plies[*index].difference;
        if difference < 0.0 { -difference } else { difference / 2.0 }
    };
    let mut moments: Vec<usize> = (0..plies.len()).filter(|&index| plies[index].symbol.is_some()).collect();
    moments.sort_by(|a, b| stake(b).total_cmp(&stake(a)).then(a.cmp(b)));
    moments.truncate(CRITICAL_MOMENTS);
    moments.sort_unstable();
    moments
}
