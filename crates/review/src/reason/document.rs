//! Reasons as JSON, and as a command in annotated games.

use centipawn_core::{History, material_balance, piece_name};
use centipawn_engine::Limit;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Move, Position as _, Role, san::SanPlus};

use super::{
    DrawKind, Gain, LONGEST_MATE, Moment, Prize, Proof, Reason, ReasonKind, mating, quiet::LONGEST, words::Around,
};
use crate::{Language, PlyReview};

/// Why a move is a mistake: the moves that prove it, and what they win.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct ReasonDocument {
    /// `allows`: what the opponent can do after the move; `misses`: what the better move would have achieved.
    pub kind: String,
    /// How the line wins: `fork`, `hanging piece`; missing where no motif causes the gain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub motif: Option<String>,
    /// The line in SAN: after the move for `allows`, instead of it for `misses`. Empty if the move itself draws.
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

/// What a line wins: mate, or material.
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
    /// `mate`, `draw`, `pawn`, `knight`, `exchange`, `queen for rook`, `two pieces for a rook`, `material`.
    pub what: String,
}

/// A [`Proof`] as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProofDocument {
    /// `allows` or `misses`.
    pub kind: String,
    /// The line in UCI notation, its moves separated by spaces.
    pub uci: String,
    /// What it wins, as one word: `mate3`, `bishop2`.
    pub gain: String,
    /// The longest search in which it holds.
    pub limit: Limit,
}

/// Two pieces for a rook as the word of a command.
const TWO_PIECES: &str = "two-pieces";

/// The command's name.
pub(crate) const REASON: &str = "reason";

impl PlyReview {
    /// The moves of a reason in SAN, and its sentence.
    fn reason_words(&self, reason: &Reason, language: Language) -> (Vec<String>, String) {
        let san = self.reason_san(reason);
        let text = self.around_reason(reason, &san, |around| language.reason_sentence(reason, around));
        (san, text)
    }

    fn reason_san(&self, reason: &Reason) -> Vec<String> {
        let mut position: Chess = reason.kind.start(&self.before, self.mv).position().clone();
        let san = |&mv: &Move| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
        reason.line.iter().map(san).collect()
    }

    fn around_reason(&self, reason: &Reason, san: &[String], words: impl Fn(&Around<'_>) -> String) -> String {
        let start = reason.kind.start(&self.before, self.mv);
        let (number, is_white) = (start.position().fullmoves().get(), start.turn().is_white());
        let side = start.turn();
        let behind = (-material_balance(self.before.position().board(), side)).max(0).unsigned_abs();
        words(&Around { number, is_white, san, played_to: self.mv.to(), behind })
    }

    /// The moves of a reason in UCI notation.
    fn reason_uci(&self, reason: &Reason) -> Vec<String> {
        reason.line.iter().map(|&mv| self.before.uci(mv).to_string()).collect()
    }

    /// Why the move is a mistake, in a sentence: `Allows 11... Qb6+, which forks king and bishop.` `None` where nothing is shown.
    pub fn reason_text(&self, language: Language) -> Option<String> {
        Some(self.reason_words(self.reason.as_ref()?, language).1)
    }

    /// What the missed move does, in a sentence that stands beside it: `Wins the bishop.` `None` unless the reason is what the move missed.
    pub fn solution_text(&self, language: Language) -> Option<String> {
        let reason = self.reason.as_ref().filter(|reason| reason.kind == ReasonKind::Misses)?;
        let san = self.reason_san(reason);
        Some(self.around_reason(reason, &san, |around| language.solution_sentence(reason, around)))
    }

    pub(crate) fn reason_document(&self, index: usize, language: Language) -> Option<ReasonDocument> {
        let reason = self.reason.as_ref()?;
        let (san, text) = self.reason_words(reason, language);
        let placed = |&(role, square): &(Role, shakmaty::Square)| PlacedPiece {
            piece: piece_name(role).to_owned(),
            square: square.to_string(),
        };
        Some(ReasonDocument {
            kind: reason.kind.name().to_owned(),
            motif: reason.motif.map(|motif| motif.name().to_owned()),
            san,
            uci: self.reason_uci(reason),
            ply: index + usize::from(reason.kind == ReasonKind::Allows),
            pieces: reason.piece.iter().map(placed).collect(),
            targets: reason.targets.iter().map(placed).collect(),
            gain: match reason.gain {
                Gain::Mate(moves) => GainDocument { mate: Some(moves), pawns: None, what: "mate".to_owned() },
                Gain::Material(prize, pawns) => GainDocument { mate: None, pawns: Some(pawns), what: prize.name() },
                Gain::Draw(_) => GainDocument { mate: None, pawns: None, what: "draw".to_owned() },
            },
            text,
        })
    }

    /// The comment of an annotated game: `[%reason 47 allows bishop3 d8b6 g1h1 b6b2] Allows 11... Qb6+, which …`. The number is that of
    /// the characters of the sentence, so that a later review can replace it.
    pub(crate) fn reason_comment(&self, language: Language) -> Option<String> {
        let (reason, text) = (self.reason.as_ref()?, self.reason_text(language)?);
        let (kind, gain, length) = (reason.kind.name(), reason.gain.word(), text.chars().count());
        let moves: String = self.reason_uci(reason).iter().map(|uci| format!(" {uci}")).collect();
        Some(format!("[%{REASON} {length} {kind} {gain}{moves}] {text}"))
    }
}

impl Proof {
    /// As JSON; `before` is the position of the played move.
    pub(crate) fn document(&self, before: &History) -> ProofDocument {
        let uci: Vec<String> = self.line.iter().map(|&mv| before.uci(mv).to_string()).collect();
        ProofDocument {
            kind: self.kind.name().to_owned(),
            uci: uci.join(" "),
            gain: self.gain.word(),
            limit: self.limit,
        }
    }
}

impl ProofDocument {
    /// The proof about the move `played` in the position `before`; `None` for an unknown word or an illegal move.
    pub(crate) fn read(&self, before: &History, played: Move) -> Option<Proof> {
        let (kind, gain) = (ReasonKind::of_name(&self.kind)?, Gain::of_word(&self.gain)?);
        let line = line_of(kind.start(before, played), self.uci.split_whitespace(), gain)?;
        Some(Proof { kind, line, gain, limit: self.limit })
    }
}

impl ReasonDocument {
    /// The reason for the move `played` in the position `before`, without its motif; `None` if its moves are illegal there.
    pub fn read(&self, before: &History, played: Move) -> Option<Reason> {
        let kind = ReasonKind::of_name(&self.kind)?;
        let gain = match (self.gain.mate, self.gain.pawns) {
            (Some(moves), _) => Gain::Mate(moves),
            (None, Some(pawns)) => Gain::Material(Prize::of_name(&self.gain.what, pawns), pawns),
            (None, None) => {
                let is_named = |draw: &DrawKind| self.motif.as_deref() == Some(draw.motif().name());
                Gain::Draw(DrawKind::ALL.into_iter().find(is_named).unwrap_or(DrawKind::Perpetual))
            }
        };
        let line = line_of(kind.start(before, played), self.uci.iter().map(String::as_str), gain)?;
        Some(Reason::bare(kind, line, gain))
    }
}

/// The moves of a reason's line from UCI notation; `None` if one is illegal, or the last is not the gaining side's. Only a draw may come
/// with the other side's move, or before the first.
fn line_of<'a>(mut at: History, uci: impl Iterator<Item = &'a str>, gain: Gain) -> Option<Vec<Move>> {
    let moves = uci.take(LONGEST).map(|uci| {
        let mv = at.parse_uci(uci).ok()?;
        at.push(mv);
        Some(mv)
    });
    let is_draw = matches!(gain, Gain::Draw(_));
    moves.collect::<Option<Vec<_>>>().filter(|line| line.len() % 2 == 1 || is_draw)
}

impl ReasonKind {
    /// Its name in JSON: `allows`.
    pub fn name(self) -> &'static str {
        match self {
            ReasonKind::Allows => "allows",
            ReasonKind::Misses => "misses",
        }
    }

    fn of_name(name: &str) -> Option<Self> {
        [ReasonKind::Allows, ReasonKind::Misses].into_iter().find(|kind| kind.name() == name)
    }
}

impl Gain {
    /// As one word of a command: `mate3`; `pawns2`, `knight2` (for a pawn), `exchange2`, `queen-rook4`, `material7`.
    fn word(self) -> String {
        match self {
            Gain::Mate(moves) => format!("mate{moves}"),
            Gain::Draw(draw) => draw.word().to_owned(),
            Gain::Material(prize, pawns) => {
                let name = match prize {
                    Prize::Pawns(_) => "pawns".to_owned(),
                    Prize::QueenFor(role) => format!("queen-{}", piece_name(role)),
                    Prize::TwoPieces => TWO_PIECES.to_owned(),
                    prize => prize.name(),
                };
                format!("{name}{pawns}")
            }
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        if let Some(draw) = DrawKind::ALL.into_iter().find(|draw| draw.word() == word) {
            return Some(Self::Draw(draw));
        }
        let name = word.trim_end_matches(|char: char| char.is_ascii_digit());
        let number = word[name.len()..].parse().ok().filter(|number| (1..=100).contains(number))?;
        let prize = match name {
            "mate" => return Some(Self::Mate(number)),
            "pawns" => Prize::Pawns(number),
            "material" => Prize::Worth(number),
            "exchange" => Prize::Exchange,
            TWO_PIECES => Prize::TwoPieces,
            _ => match name.strip_prefix("queen-") {
                Some(other) => Prize::QueenFor(role_of(other).filter(|role| *role != Role::King)?),
                None => Prize::Piece(role_of(name).filter(is_prize)?),
            },
        };
        Some(Self::Material(prize, number))
    }
}

impl Prize {
    /// The prize of this name in JSON; `pawns` is its worth.
    fn of_name(name: &str, pawns: u32) -> Self {
        match name {
            "exchange" => Self::Exchange,
            name if name == Self::TwoPieces.name() => Self::TwoPieces,
            _ => match name.strip_prefix("queen for ") {
                Some(other) => role_of(other).map_or(Self::Worth(pawns), Self::QueenFor),
                None => role_of(name).filter(is_prize).map_or(Self::Worth(pawns), Self::Piece),
            },
        }
    }
}

/// Whether a piece can be won by itself: no king, and pawns are counted.
fn is_prize(role: &Role) -> bool {
    !matches!(role, Role::King | Role::Pawn)
}

/// The piece of a name such as `knight`.
fn role_of(name: &str) -> Option<Role> {
    Role::ALL.into_iter().find(|role| piece_name(*role) == name)
}

impl Moment<'_> {
    /// The reason that an earlier review wrote into the game; `None` if it is none.
    pub(crate) fn of_command(&self, mode: shakmaty::CastlingMode, arguments: &str) -> Option<Reason> {
        let mut words = arguments.split_whitespace().skip(1);
        let kind = ReasonKind::of_name(words.next()?)?;
        let gain = Gain::of_word(words.next()?)?;
        let start = kind.start(&History::new(self.before.clone(), mode), self.played);
        let line = line_of(start.clone(), words, gain)?;
        // What mates soon is seen on the board.
        let is_short = matches!(gain, Gain::Mate(moves) if moves <= LONGEST_MATE.unsigned_abs());
        let is_so = !is_short || mating(start.position(), &line).is_some();
        is_so.then(|| self.with_motif(Reason::bare(kind, line, gain)))
    }
}
