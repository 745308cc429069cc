//! To what a move's loss is ascribed, and what a player trains against it.

use centipawn_core::MoveSymbol;

use crate::{
    PlyReview,
    reason::{DrawKind, Gain, Motif, Prize, Reason, ReasonKind},
};

/// Losses of a player's moves are stored in units of this.
pub const LOSS_UNIT: f64 = 1e-5;

/// To what a move's loss is ascribed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// What the opponent could do after the move.
    Allows(Topic),
    /// What the better move would have achieved.
    Misses(Topic),
    /// A `?` or `??` without a proven reason.
    Unexplained,
    /// Any other move; it counts if it loses expected score.
    Smaller,
}

/// What a player trains against a cause: motifs as a coach groups them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// A piece is taken for free, or by an exchange that wins material.
    HangingPiece,
    /// Pawns are taken, without another motif.
    Pawn,
    /// A fork.
    Fork,
    /// A pin.
    Pin,
    /// A skewer.
    Skewer,
    /// A discovered attack or a double check.
    DiscoveredAttack,
    /// The defender is taken first.
    RemovedDefender,
    /// A move in between.
    Intermezzo,
    /// A piece has no safe square.
    TrappedPiece,
    /// A pawn promotes.
    Promotion,
    /// A mate on the back rank.
    BackRank,
    /// Another mate.
    Mate,
    /// A perpetual check.
    PerpetualCheck,
    /// Stalemate, a threefold repetition or the fifty-move rule.
    DrawByRule,
    /// Material by force, without a motif.
    Material,
}

impl Cause {
    /// The cause of a move.
    pub fn of(ply: &PlyReview) -> Self {
        match (&ply.reason, ply.symbol) {
            (Some(reason), _) if reason.kind == ReasonKind::Allows => Self::Allows(Topic::of(reason)),
            (Some(reason), _) => Self::Misses(Topic::of(reason)),
            (None, Some(MoveSymbol::Mistake | MoveSymbol::Blunder)) => Self::Unexplained,
            (None, _) => Self::Smaller,
        }
    }

    /// Whether a move of this cause counts: not if it is no mistake and loses nothing, to the precision in which losses are stored.
    pub fn counts(self, loss: f64) -> bool {
        self != Self::Smaller || loss >= LOSS_UNIT / 2.0
    }

    /// The cause of a kind and a name in JSON; both empty for [`Cause::Smaller`].
    pub fn of_names(kind: &str, name: &str) -> Option<Self> {
        let topic = || Topic::ALL.into_iter().find(|topic| topic.name() == name);
        match kind {
            "" => Some(Self::Smaller),
            "allows" => topic().map(Self::Allows),
            "misses" => topic().map(Self::Misses),
            _ => [Self::Unexplained, Self::Smaller].into_iter().find(|cause| cause.name() == name),
        }
    }

    /// What to train; `None` without a reason.
    pub fn topic(self) -> Option<Topic> {
        match self {
            Self::Allows(topic) | Self::Misses(topic) => Some(topic),
            Self::Unexplained | Self::Smaller => None,
        }
    }

    /// Its kind in JSON.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Allows(_) => ReasonKind::Allows.name(),
            Self::Misses(_) => ReasonKind::Misses.name(),
            Self::Unexplained | Self::Smaller => "rest",
        }
    }

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allows(topic) | Self::Misses(topic) => topic.name(),
            Self::Unexplained => "unexplained",
            Self::Smaller => "smaller losses",
        }
    }
}

impl Topic {
    /// All of them.
    pub const ALL: [Topic; 15] = [
        Topic::HangingPiece,
        Topic::Pawn,
        Topic::Fork,
        Topic::Pin,
        Topic::Skewer,
        Topic::DiscoveredAttack,
        Topic::RemovedDefender,
        Topic::Intermezzo,
        Topic::TrappedPiece,
        Topic::Promotion,
        Topic::BackRank,
        Topic::Mate,
        Topic::PerpetualCheck,
        Topic::DrawByRule,
        Topic::Material,
    ];

    /// The topic of a reason.
    pub fn of(reason: &Reason) -> Self {
        let wins_pawns = matches!(reason.gain, Gain::Material(Prize::Pawns(_), _));
        match (reason.gain, reason.motif) {
            (Gain::Mate(_), Some(Motif::BackRank)) => Self::BackRank,
            (Gain::Mate(_), _) => Self::Mate,
            (Gain::Draw(DrawKind::Perpetual), _) => Self::PerpetualCheck,
            (Gain::Draw(_), _) => Self::DrawByRule,
            (_, Some(Motif::Hanging | Motif::Capture | Motif::Recapture | Motif::OtherCapture) | None)
                if wins_pawns =>
            {
                Self::Pawn
            }
            (_, Some(Motif::Hanging | Motif::Capture | Motif::Recapture | Motif::OtherCapture)) => Self::HangingPiece,
            (_, Some(Motif::Fork)) => Self::Fork,
            (_, Some(Motif::Pin)) => Self::Pin,
            (_, Some(Motif::Skewer)) => Self::Skewer,
            (_, Some(Motif::DiscoveredAttack | Motif::DoubleCheck)) => Self::DiscoveredAttack,
            (_, Some(Motif::RemovedDefender)) => Self::RemovedDefender,
            (_, Some(Motif::Intermezzo)) => Self::Intermezzo,
            (_, Some(Motif::TrappedPiece)) => Self::TrappedPiece,
            (_, Some(Motif::Promotion)) => Self::Promotion,
            // Motifs of mates, which win no material.
            (_, Some(Motif::BackRank | Motif::Smothered | Motif::Perpetual) | None) => Self::Material,
            (_, Some(Motif::Repetition | Motif::Stalemate | Motif::FiftyMoves)) => Self::Material,
        }
    }

    /// The theme of puzzles that train it; `None` if no theme of a puzzle says so.
    pub fn theme(self) -> Option<&'static str> {
        match self {
            Topic::HangingPiece => Some("hangingPiece"),
            Topic::Fork => Some("fork"),
            Topic::Pin => Some("pin"),
            Topic::Skewer => Some("skewer"),
            Topic::DiscoveredAttack => Some("discoveredAttack"),
            Topic::RemovedDefender => Some("capturingDefender"),
            Topic::Intermezzo => Some("intermezzo"),
            Topic::TrappedPiece => Some("trappedPiece"),
            Topic::Promotion => Some("promotion"),
            Topic::BackRank => Some("backRankMate"),
            Topic::Mate => Some("mate"),
            Topic::Pawn | Topic::PerpetualCheck | Topic::DrawByRule | Topic::Material => None,
        }
    }

    /// Its name in JSON: `hanging piece`.
    pub fn name(self) -> &'static str {
        match self {
            Topic::HangingPiece => "hanging piece",
            Topic::Pawn => "pawn",
            Topic::Fork => "fork",
            Topic::Pin => "pin",
            Topic::Skewer => "skewer",
            Topic::DiscoveredAttack => "discovered attack",
            Topic::RemovedDefender => "removed defender",
            Topic::Intermezzo => "intermezzo",
            Topic::TrappedPiece => "trapped piece",
            Topic::Promotion => "promotion",
            Topic::BackRank => "back rank",
            Topic::Mate => "mate",
            Topic::PerpetualCheck => "perpetual check",
            Topic::DrawByRule => "draw by rule",
            Topic::Material => "material",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn themes_of_topics_are_themes_of_puzzles() {
        for theme in Topic::ALL.into_iter().filter_map(Topic::theme) {
            assert!(centipawn_puzzle::Theme::from_name(theme).is_some(), "{theme}");
        }
    }
}
