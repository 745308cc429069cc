//! What a mistake does to the result of the game.

/// How a position stands for a player, in the words of remarks. Every expected score has one.
///
/// From 0.8 on a player wins at least three games of five, however many of the others are drawn:
/// people call that winning. Symbols of positions and `□` have their own limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// At most 0.2.
    Lost,
    /// Up to 0.4.
    Worse,
    /// Between 0.4 and 0.6.
    Level,
    /// From 0.6 on.
    Better,
    /// From 0.8 on.
    Won,
}

impl Outlook {
    /// Returns the outlook of the player with this expected score, 0..=1.
    pub fn of(score: f64) -> Self {
        match score {
            _ if score >= 0.8 => Self::Won,
            _ if score >= 0.6 => Self::Better,
            _ if score > 0.4 => Self::Level,
            _ if score > 0.2 => Self::Worse,
            _ => Self::Lost,
        }
    }
}

/// What a mistake does to the result: from the outlook of the best move to that of the played one.
/// A remark has a sentence for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say from where to where")]
pub enum ResultChange {
    WonToLost,
    WonToWorse,
    WonToLevel,
    /// A loss of at least 0.2.
    WonToSlightlyBetter,
    WonToBetter,
    StillWon,
    WonLessClearly,
    BetterToLost,
    BetterToWorse,
    BetterToLevel,
    LessBetter,
    /// A level endgame without queens, which would have been drawn.
    DrawToLost,
    LevelToLost,
    LevelToMuchWorse,
    LevelToWorse,
    /// The opponent was slightly better before.
    MoreAdvantage,
    SmallAdvantageGiven,
    SmallAdvantageLost,
    Inaccuracy,
    WorseToLost,
    MoreWorse,
    LastChances,
    EasierForOpponent,
    AlreadyLost,
}

/// At or below this expected score, the opponent's advantage is clear.
const CLEARLY_WORSE: f64 = 0.3;
/// At or below this expected score, the opponent's advantage is more than slight.
const WORSE: f64 = 0.35;
/// Between these expected scores, neither player has an advantage.
const SLIGHTLY_WORSE: f64 = 0.45;
const SLIGHTLY_BETTER: f64 = 0.55;
/// A smaller loss in a level position is only inaccurate.
const CLEAR_LOSS: f64 = 0.1;
/// A lost position with at least this expected score has chances, and one with at most
/// [`NO_CHANCE`] has none.
const CHANCES: f64 = 1.0 / 8.0;
const NO_CHANCE: f64 = 1.0 / 20.0;
/// A loss of expected score that takes most of a winning advantage.
const GREAT_LOSS: f64 = 0.2;
/// A loss of expected score that a remark on a won or lost position mentions.
const NOTICEABLE: f64 = 1.0 / 20.0;

impl ResultChange {
    /// All changes.
    pub const ALL: [Self; 24] = [
        Self::WonToLost,
        Self::WonToWorse,
        Self::WonToLevel,
        Self::WonToSlightlyBetter,
        Self::WonToBetter,
        Self::StillWon,
        Self::WonLessClearly,
        Self::BetterToLost,
        Self::BetterToWorse,
        Self::BetterToLevel,
        Self::LessBetter,
        Self::DrawToLost,
        Self::LevelToLost,
        Self::LevelToMuchWorse,
        Self::LevelToWorse,
        Self::MoreAdvantage,
        Self::SmallAdvantageGiven,
        Self::SmallAdvantageLost,
        Self::Inaccuracy,
        Self::WorseToLost,
        Self::MoreWorse,
        Self::LastChances,
        Self::EasierForOpponent,
        Self::AlreadyLost,
    ];

    /// Returns what a mistake does to the result: from the best move's expected score to the played
    /// one's, both the mover's, 0..=1. `is_endgame`: whether it is an endgame without queens, which
    /// is drawn if it is level.
    pub fn of(best: f64, played: f64, is_endgame: bool) -> Self {
        use Outlook::{Better, Level, Lost, Won, Worse};
        let loss = best - played;
        match (Outlook::of(best), Outlook::of(played)) {
            (Won, Lost) => Self::WonToLost,
            (Won, Worse) => Self::WonToWorse,
            (Won, Level) => Self::WonToLevel,
            (Won, Better) if loss >= GREAT_LOSS => Self::WonToSlightlyBetter,
            (Won, Better) => Self::WonToBetter,
            (Won, Won) if loss < NOTICEABLE => Self::StillWon,
            (Won, Won) => Self::WonLessClearly,
            (Better, Lost) => Self::BetterToLost,
            (Better, Worse) => Self::BetterToWorse,
            (Better, Level) if played >= SLIGHTLY_BETTER => Self::LessBetter,
            (Better, Level) => Self::BetterToLevel,
            (Better, _) => Self::LessBetter,
            (Level, Lost) if is_endgame && best >= SLIGHTLY_WORSE => Self::DrawToLost,
            (Level, Lost) => Self::LevelToLost,
            (Level, Worse) if played < CLEARLY_WORSE => Self::LevelToMuchWorse,
            (Level, _) if best < SLIGHTLY_WORSE => Self::MoreAdvantage,
            (Level, Worse) if played < WORSE => Self::LevelToWorse,
            (Level, Worse) => Self::SmallAdvantageGiven,
            (Level, _) if loss < CLEAR_LOSS => Self::Inaccuracy,
            (Level, _) if best - 0.5 > 0.5 - played => Self::SmallAdvantageLost,
            (Level, _) => Self::SmallAdvantageGiven,
            (Worse, Lost) => Self::WorseToLost,
            (Worse, _) => Self::MoreWorse,
            (Lost, _) if best >= CHANCES && played <= NO_CHANCE => Self::LastChances,
            (Lost, _) if best >= CHANCES => Self::EasierForOpponent,
            (Lost, _) => Self::AlreadyLost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_is_listed_once() {
        let mut seen = std::collections::HashSet::new();
        assert!(ResultChange::ALL.iter().all(|change| seen.insert(change)));
        for best in 0..=100 {
            for played in 0..=best {
                let [best, played] = [best, played].map(|percent| f64::from(percent) / 100.0);
                for is_endgame in [false, true] {
                    let change = ResultChange::of(best, played, is_endgame);
                    assert!(seen.contains(&change), "{best} {played}");
                }
            }
        }
    }
}
