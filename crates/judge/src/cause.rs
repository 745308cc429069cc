//! To what a move's loss is ascribed, and what a player trains against it.

use centipawn_core::MoveSymbol;

use crate::{
    JudgedMove,
    reason::{DrawKind, Gain, Motif, Prize, Reason, ReasonKind},
};

/// Unit in which the expected score lost by a move is stored.
pub const LOSS_UNIT: f64 = 1e-5;

/// The cause of the expected score that a move loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The opponent's resource after the move.
    Allows(Topic),
    /// The move missed a gain: the topic of the better move.
    Misses(Topic),
    /// A `?` or `??` without a proven reason that wins something.
    Unexplained,
    /// Another move. It counts if it loses expected score.
    Smaller,
}

/// Declares the topics: each with its name in JSON, and with the theme of puzzles that train it.
macro_rules! topics {
    ($($(#[$doc:meta])* $topic:ident: $name:literal, $theme:expr;)*) => {
        /// The topic that a player should train to avoid a cause: motifs, grouped as a coach would
        /// do it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Topic {
            $($(#[$doc])* $topic,)*
        }

        impl Topic {
            /// All topics.
            pub const ALL: [Topic; [$($name),*].len()] = [$(Topic::$topic),*];

            /// Its name in JSON: `hanging piece`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Topic::$topic => $name,)*
                }
            }

            /// Returns the theme of puzzles that train this topic; `None` if no theme matches it.
            pub fn theme(self) -> Option<&'static str> {
                match self {
                    $(Topic::$topic => $theme,)*
                }
            }
        }
    };
}

topics! {
    /// A piece is taken for free, or by an exchange that wins material.
    HangingPiece: "hanging piece", Some("hangingPiece");
    /// Pawns are captured, without another motif.
    Pawn: "pawn", None;
    /// A fork.
    Fork: "fork", Some("fork");
    /// A pin.
    Pin: "pin", Some("pin");
    /// A skewer.
    Skewer: "skewer", Some("skewer");
    /// A discovered attack or a double check.
    DiscoveredAttack: "discovered attack", Some("discoveredAttack");
    /// The defender is captured first.
    RemovedDefender: "removed defender", Some("capturingDefender");
    /// A move in between.
    Intermezzo: "intermezzo", Some("intermezzo");
    /// A piece has no safe square.
    TrappedPiece: "trapped piece", Some("trappedPiece");
    /// A pawn promotes.
    Promotion: "promotion", Some("promotion");
    /// A mate on the back rank.
    BackRank: "back rank", Some("backRankMate");
    /// A mate of another kind.
    Mate: "mate", Some("mate");
    /// A perpetual check.
    PerpetualCheck: "perpetual check", None;
    /// Stalemate, a threefold repetition or the fifty-move rule.
    DrawByRule: "draw by rule", None;
    /// Material by force, without a motif.
    Material: "material", None;
}

impl Cause {
    /// Returns the cause of a move. What each cause costs was measured on the reasons of `?` and
    /// `??` that win something, so no other reasons count.
    pub fn of(ply: &JudgedMove) -> Self {
        if !matches!(ply.symbol, Some(MoveSymbol::Mistake | MoveSymbol::Blunder)) {
            return Self::Smaller;
        }
        let wins = |reason: &&Reason| !matches!(reason.gain, Gain::Idea(_));
        match ply.reason.as_ref().filter(wins) {
            Some(reason) if reason.kind == ReasonKind::Allows => Self::Allows(Topic::of(reason)),
            Some(reason) => Self::Misses(Topic::of(reason)),
            None => Self::Unexplained,
        }
    }

    /// Returns whether a move of this cause counts: not if it is no mistake and loses nothing, to
    /// the precision in which losses are stored.
    pub fn counts(self, loss: f64) -> bool {
        self != Self::Smaller || loss >= LOSS_UNIT / 2.0
    }

    /// Returns the cause of a kind and a name in JSON; both empty for [`Cause::Smaller`].
    pub fn of_names(kind: &str, name: &str) -> Option<Self> {
        let topic = || Topic::ALL.into_iter().find(|topic| topic.name() == name);
        match kind {
            "" => Some(Self::Smaller),
            "allows" => topic().map(Self::Allows),
            "misses" => topic().map(Self::Misses),
            _ => [Self::Unexplained, Self::Smaller]
                .into_iter()
                .find(|cause| cause.name() == name),
        }
    }

    /// Returns what to train; `None` without a reason.
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
    /// Returns the topic of a reason.
    pub fn of(reason: &Reason) -> Self {
        let wins_pawns = matches!(reason.gain, Gain::Material(Prize::Pawns(_), _));
        match (reason.gain, reason.motif) {
            (Gain::Mate(_), Some(Motif::BackRank)) => Self::BackRank,
            (Gain::Mate(_), _) => Self::Mate,
            (Gain::Draw(DrawKind::Perpetual), _) => Self::PerpetualCheck,
            (Gain::Draw(_), _) => Self::DrawByRule,
            // A captured pawn belongs to the topic of lost pawns, even if it was undefended.
            (_, motif)
                if wins_pawns && motif.is_none_or(|motif| motif.topic() == Self::HangingPiece) =>
            {
                Self::Pawn
            }
            (_, Some(motif)) => motif.topic(),
            (_, None) => Self::Material,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn themes_of_topics_are_themes_of_puzzles() {
        for theme in Topic::ALL.into_iter().filter_map(Topic::theme) {
            assert!(
                centipawn_puzzle::Theme::from_name(theme).is_some(),
                "{theme}"
            );
        }
    }
}
