//! Reasons and proofs as JSON.

use centipawn_core::{History, piece_name};
use centipawn_engine::Limit;
use centipawn_judge::{
    JudgedMove,
    reason::{DrawKind, Gain, Idea, Prize, Proof, Reason, ReasonKind},
};
use serde::{Deserialize, Serialize};
use shakmaty::{Move, Role, Square};

use crate::Language;

/// Why a move is a mistake: the moves that prove it, and what they win.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct ReasonDocument {
    /// `allows`: what the opponent can do after the move; `misses`: what the better move would have
    /// achieved; `achieves`: what the praised move does.
    pub kind: String,
    /// How the line wins: `fork`, `hanging piece`; or an idea without a gain: `pawn break`. Missing
    /// where no motif causes the gain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub motif: Option<String>,
    /// The line in SAN: after the move for `allows`, instead of it for `misses`. Empty if the move
    /// itself draws.
    pub san: Vec<String>,
    /// The line in UCI notation.
    pub uci: Vec<String>,
    /// Half-moves of the game before the line.
    pub ply: usize,
    /// The pieces that do it, where they stand then.
    pub pieces: Vec<PlacedPiece>,
    /// What it is done to, where that stands.
    pub targets: Vec<PlacedPiece>,
    /// What the line wins.
    pub gain: GainDocument,
    /// The reason in a sentence, in the review's language.
    pub text: String,
}

/// A piece on a square.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PlacedPiece {
    /// `pawn`, `knight`, `bishop`, `rook`, `queen` or `king`.
    pub piece: String,
    /// `e4`
    pub square: String,
}

/// What a line wins: mate, a draw or material; or its idea.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct GainDocument {
    /// Moves to mate; missing for material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub mate: Option<u32>,
    /// Material in pawns, at least; missing for mate and for a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pawns: Option<u32>,
    /// `mate`, `draw`, `pawn`, `knight`, `exchange`, `queen for rook`, `two pieces for a rook`,
    /// `rook for bishop`, `material`; for an idea its word in PGN: `prevention`,
    /// `threatens-rook-a8`.
    pub what: String,
}

/// A [`Proof`] as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProofDocument {
    /// `allows`, `misses` or `achieves`.
    pub kind: String,
    /// The line in UCI notation, its moves separated by spaces.
    pub uci: String,
    /// The gain of the line as one word: `mate3`, `bishop2`.
    pub gain: String,
    /// The limit of the longest search that confirmed the reason.
    pub limit: Limit,
}

impl Language {
    /// Returns the reason of a move as a document; `index` is that of the move in the game.
    pub(crate) fn reason_document(self, ply: &JudgedMove, index: usize) -> Option<ReasonDocument> {
        let reason = ply.reason.as_ref()?;
        let placed = |&(role, square): &(Role, Square)| PlacedPiece {
            piece: piece_name(role).to_owned(),
            square: square.to_string(),
        };
        Some(ReasonDocument {
            kind: reason.kind.name().to_owned(),
            motif: reason.motif.map(|motif| motif.name().to_owned()),
            san: reason.san(&ply.before, ply.mv),
            uci: reason.uci(&ply.before),
            ply: index + usize::from(reason.kind == ReasonKind::Allows),
            pieces: reason.piece.iter().map(placed).collect(),
            targets: reason.targets.iter().map(placed).collect(),
            gain: match reason.gain {
                Gain::Mate(moves) => GainDocument {
                    mate: Some(moves),
                    pawns: None,
                    what: "mate".to_owned(),
                },
                Gain::Material(prize, pawns) => GainDocument {
                    mate: None,
                    pawns: Some(pawns),
                    what: prize.name(),
                },
                Gain::Draw(_) => GainDocument {
                    mate: None,
                    pawns: None,
                    what: "draw".to_owned(),
                },
                Gain::Idea(idea) => GainDocument {
                    mate: None,
                    pawns: None,
                    what: idea.word(),
                },
            },
            text: self.reason_text(ply).unwrap_or_default(),
        })
    }
}

impl ProofDocument {
    /// Creates the document of a proof; `before` is the position of the played move.
    pub(crate) fn new(proof: &Proof, before: &History) -> Self {
        Self {
            kind: proof.kind.name().to_owned(),
            uci: proof.uci(before).join(" "),
            gain: proof.gain.word(),
            limit: proof.limit,
        }
    }

    /// Returns the proof about the move `played` in the position `before`; `None` for an unknown
    /// word or an illegal move.
    pub(crate) fn read(&self, before: &History, played: Move) -> Option<Proof> {
        Proof::read(
            [&self.kind, &self.gain],
            self.uci.split_whitespace(),
            self.limit,
            before,
            played,
        )
    }
}

impl ReasonDocument {
    /// Returns the reason for the move `played` in the position `before`, without its motif; `None`
    /// if its moves are illegal there.
    pub fn read(&self, before: &History, played: Move) -> Option<Reason> {
        let kind = ReasonKind::of_name(&self.kind)?;
        let gain = match (self.gain.mate, self.gain.pawns) {
            (Some(moves), _) => Gain::Mate(moves),
            (None, Some(pawns)) => Gain::Material(Prize::of_name(&self.gain.what, pawns), pawns),
            (None, None) if let Some(idea) = Idea::of_word(&self.gain.what) => Gain::Idea(idea),
            (None, None) => {
                let is_named = |draw: &DrawKind| self.motif.as_deref() == Some(draw.motif().name());
                Gain::Draw(
                    DrawKind::ALL
                        .into_iter()
                        .find(is_named)
                        .unwrap_or(DrawKind::Perpetual),
                )
            }
        };
        Reason::read(
            kind,
            gain,
            self.uci.iter().map(String::as_str),
            before,
            played,
        )
    }
}
