//! Evaluations of positions, with the point of view in the type.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    marker::PhantomData,
};

use serde::{Deserialize, Serialize};
use shakmaty::Color;

/// A score without a point of view, as read from a file or from an engine.
///
/// Serialises as `{"cp": 35}` or `{"mate": -3}`, the form of the project's JSON.
///
/// ```
/// use centipawn_core::{Eval, Mover, Score};
///
/// let score: Score = serde_json::from_str(r#"{"mate": -3}"#)?;
/// assert_eq!(score, Score::Mate(-3));
/// // The score comes from an engine, so it is from the side to move.
/// assert_eq!(Eval::<Mover>::new(score).to_string(), "#-3");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Eval)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// Centipawns in the engine's own unit (see [`Curve`](crate::Curve)).
    Cp(i32),
    /// Mate in N *moves* of the mating side: positive when mating, negative when being mated. `0`:
    /// the side to move is already mated. As White's evaluation, a 0 does not show which side that
    /// is; it counts as a loss of the view's side.
    Mate(i32),
}

impl Score {
    fn negated(self) -> Score {
        match self {
            Score::Cp(cp) => Score::Cp(cp.saturating_neg()),
            Score::Mate(moves) => Score::Mate(moves.saturating_neg()),
        }
    }
}

/// White's point of view, which PGN uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum White {}

/// The point of view of the side to move, which UCI uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mover {}

/// An engine's evaluation of a position, seen by `View` ([`White`] or [`Mover`]).
///
/// The view is part of the type, so a score from the wrong side does not compile. Converting
/// between views needs the side to move; do it once, where a score enters or leaves the program.
///
/// ```
/// use centipawn_core::{Eval, Mover, White};
/// use shakmaty::Color;
///
/// let mover: Eval<Mover> = Eval::cp(35);                // UCI, Black to move: Black is a little better
/// let white: Eval<White> = mover.for_white(Color::Black);
/// assert_eq!(white.to_string(), "-0.35");
/// assert!(Eval::<White>::mate(2) > Eval::mate(5));      // the quicker mate is the better one
/// ```
pub struct Eval<View> {
    score: Score,
    view: PhantomData<View>,
}

impl<View> Eval<View> {
    /// Returns an evaluation in centipawns.
    pub const fn cp(cp: i32) -> Self {
        Self::new(Score::Cp(cp))
    }

    /// Returns mate in `moves` moves for the view's side (negative: against it).
    pub const fn mate(moves: i32) -> Self {
        Self::new(Score::Mate(moves))
    }

    /// Adds a point of view to a score. The caller must know that it is the right one.
    pub const fn new(score: Score) -> Self {
        Self {
            score,
            view: PhantomData,
        }
    }

    /// Returns the bare score, for formats that state the point of view elsewhere.
    pub const fn score(self) -> Score {
        self.score
    }

    /// Returns the evaluation in pawns; `None` for a mate.
    pub fn pawns(self) -> Option<f64> {
        match self.score {
            Score::Cp(cp) => Some(f64::from(cp) / 100.0),
            Score::Mate(_) => None,
        }
    }

    /// Moves to mate, as in [`Score::Mate`]; `None` for centipawns.
    pub const fn mate_moves(self) -> Option<i32> {
        match self.score {
            Score::Cp(_) => None,
            Score::Mate(moves) => Some(moves),
        }
    }

    /// Returns a sort key in the order of players: a quicker mate is better, and a later mate
    /// against one's side is better.
    fn rank(self) -> i64 {
        const MATE: i64 = 1 << 40;
        match self.score {
            Score::Cp(cp) => i64::from(cp),
            Score::Mate(moves) if moves > 0 => MATE - i64::from(moves),
            Score::Mate(moves) => -MATE - i64::from(moves),
        }
    }
}

impl Eval<White> {
    /// Returns the same evaluation as the side to move sees it.
    pub fn for_mover(self, turn: Color) -> Eval<Mover> {
        Eval::new(turn.fold_wb(self.score, self.score.negated()))
    }

    /// Plies to mate in a position with `turn` to move, negative when Black mates; `None` for
    /// centipawns.
    ///
    /// The side to move mates in an odd number of plies, the other side in an even one.
    pub fn mate_plies(self, turn: Color) -> Option<i32> {
        let moves = self.mate_moves()?;
        let movers_own = turn.fold_wb(moves > 0, moves < 0);
        Some(2 * moves - if movers_own { moves.signum() } else { 0 })
    }
}

impl Eval<Mover> {
    /// Returns the same evaluation as White sees it.
    pub fn for_white(self, turn: Color) -> Eval<White> {
        Eval::new(turn.fold_wb(self.score, self.score.negated()))
    }

    /// Returns the same evaluation as the side that is *not* to move sees it.
    pub fn for_opponent(self) -> Self {
        Self::new(self.score.negated())
    }
}

impl<View> fmt::Display for Eval<View> {
    /// `+0.35`, `-1.20`, `0.00`, `#3`, `#-2`: players' notation. `[%eval]` uses the same without
    /// the plus sign.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.score {
            Score::Cp(0) => f.pad("0.00"),
            Score::Cp(cp) => {
                let sign = if cp < 0 { '-' } else { '+' };
                let cp = cp.unsigned_abs();
                f.pad(&format!("{sign}{}.{:02}", cp / 100, cp % 100))
            }
            Score::Mate(moves) => f.pad(&format!("#{moves}")),
        }
    }
}

// Derived impls would require the same traits of `View`, which is never instantiated.
impl<View> Clone for Eval<View> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<View> Copy for Eval<View> {}
impl<View> fmt::Debug for Eval<View> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Eval({self})")
    }
}
impl<View> PartialEq for Eval<View> {
    fn eq(&self, other: &Self) -> bool {
        self.score == other.score
    }
}
impl<View> Eq for Eval<View> {}
impl<View> Hash for Eval<View> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.score.hash(state);
    }
}
impl<View> PartialOrd for Eval<View> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<View> Ord for Eval<View> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}
impl<View> Serialize for Eval<View> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.score.serialize(serializer)
    }
}
impl<'de, View> Deserialize<'de> for Eval<View> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Score::deserialize(deserializer).map(Self::new)
    }
}

/// Win, draw and loss probabilities of the view's side; they sum to 1.
///
/// ```
/// use centipawn_core::Wdl;
///
/// // An engine's `wdl 300 600 100`.
/// let wdl = Wdl::from_per_mille(300, 600, 100).unwrap();
/// assert!((wdl.expected_score() - 0.6).abs() < 1e-12);
/// assert_eq!(wdl.for_opponent().win, wdl.loss);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Wdl {
    /// Probability of a win, 0..=1.
    pub win: f64,
    /// Probability of a draw, 0..=1.
    pub draw: f64,
    /// Probability of a loss, 0..=1.
    pub loss: f64,
}

impl Wdl {
    /// Creates probabilities from values per mille, as in UCI's `wdl` and ChessBase's `[%wdl]`.
    /// Rounded values are scaled so that they sum to 1.
    ///
    /// `None` if all are 0.
    pub fn from_per_mille(win: u32, draw: u32, loss: u32) -> Option<Self> {
        let sum = f64::from(win) + f64::from(draw) + f64::from(loss);
        (sum > 0.0).then(|| Self {
            win: f64::from(win) / sum,
            draw: f64::from(draw) / sum,
            loss: f64::from(loss) / sum,
        })
    }

    /// Returns whether all three are within 0..=1 and sum to 1 up to rounding.
    pub fn is_distribution(self) -> bool {
        let all = [self.win, self.draw, self.loss];
        all.iter().all(|p| (0.0..=1.0).contains(p)) && (all.iter().sum::<f64>() - 1.0).abs() < 1e-6
    }

    /// Returns the expected score, 0..=1: win + draw/2.
    pub fn expected_score(self) -> f64 {
        self.win + self.draw / 2.0
    }

    /// Returns the same probabilities as the other side sees them.
    pub fn for_opponent(self) -> Self {
        Self {
            win: self.loss,
            draw: self.draw,
            loss: self.win,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quicker_mates_rank_higher() {
        let sorted: Vec<Eval<White>> = vec![
            Eval::mate(0),
            Eval::mate(-1),
            Eval::mate(-9),
            Eval::cp(-32000),
            Eval::cp(0),
            Eval::cp(1),
            Eval::mate(7),
            Eval::mate(1),
        ];
        assert!(sorted.is_sorted());
    }

    #[test]
    fn views_convert_there_and_back() {
        for turn in Color::ALL {
            for eval in [Eval::<White>::cp(31), Eval::mate(-4)] {
                assert_eq!(eval.for_mover(turn).for_white(turn), eval);
            }
        }
        assert_eq!(Eval::<White>::cp(31).for_mover(Color::Black), Eval::cp(-31));
    }

    #[test]
    fn mates_in_moves_become_plies() {
        let plies = |moves, turn| Eval::<White>::mate(moves).mate_plies(turn);
        assert_eq!(plies(3, Color::White), Some(5));
        assert_eq!(plies(3, Color::Black), Some(6));
        assert_eq!(plies(-3, Color::Black), Some(-5));
        assert_eq!(plies(-37, Color::White), Some(-74));
        assert_eq!(plies(0, Color::White), Some(0));
    }

    #[test]
    fn evaluations_print_in_players_notation() {
        let text = |eval: Eval<White>| eval.to_string();
        assert_eq!(text(Eval::cp(-7)), "-0.07");
        assert_eq!(text(Eval::cp(120)), "+1.20");
        assert_eq!(text(Eval::cp(i32::MIN)), "-21474836.48");
        assert_eq!(text(Eval::mate(-2)), "#-2");
        assert_eq!(
            serde_json::to_string(&Eval::<Mover>::mate(3)).unwrap(),
            r#"{"mate":3}"#
        );
    }
}
