//! Text form of reasons and proofs: in the command `[%reason …]` of an annotated game, and in
//! stored findings.

use centipawn_core::{History, piece_name};
use centipawn_engine::Limit;
use shakmaty::{Move, Role};

use super::{
    DrawKind, Gain, Idea, LONGEST_MATE, Moment, Prize, Proof, Reason, ReasonKind, Trade, mating,
    quiet::LONGEST,
};

/// The word for two pieces for a rook.
const TWO_PIECES: &str = "two-pieces";
/// The beginning of the word for other trades.
const TRADE: &str = "trade-";

/// Name of the comment command that holds a reason.
pub const REASON: &str = "reason";

impl Reason {
    /// Returns the moves of its line in UCI notation; `before` is the position before the mistake.
    pub fn uci(&self, before: &History) -> Vec<String> {
        uci(before, &self.line)
    }

    /// Returns the reason of this kind for the move `played` in the position `before`, without its
    /// motif; `None` if its moves in UCI notation are illegal there.
    pub fn read<'a>(
        kind: ReasonKind,
        gain: Gain,
        uci: impl Iterator<Item = &'a str>,
        before: &History,
        played: Move,
    ) -> Option<Self> {
        let line = line_of(kind.start(before, played), uci, gain)?;
        Some(Self::new(kind, line, gain))
    }

    /// Returns the arguments of the command after the length of the sentence: `allows bishop3 d8b6
    /// g1h1 b6b2`.
    pub fn command(&self, before: &History) -> String {
        let moves: String = self
            .uci(before)
            .iter()
            .map(|uci| format!(" {uci}"))
            .collect();
        format!("{} {}{moves}", self.kind.name(), self.gain.word())
    }
}

impl Proof {
    /// Returns the moves of its line in UCI notation; `before` is the position before the mistake.
    pub fn uci(&self, before: &History) -> Vec<String> {
        uci(before, &self.line)
    }

    /// Parses the proof about the move `played` in the position `before`: a word for its kind, one
    /// for its gain, then its moves in UCI notation. `None` for an unknown word or an illegal move.
    pub fn read<'a>(
        [kind, gain]: [&str; 2],
        uci: impl Iterator<Item = &'a str>,
        limit: Limit,
        before: &History,
        played: Move,
    ) -> Option<Self> {
        let (kind, gain) = (ReasonKind::of_name(kind)?, Gain::of_word(gain)?);
        let line = line_of(kind.start(before, played), uci, gain)?;
        Some(Self {
            kind,
            line,
            gain,
            limit,
        })
    }
}

fn uci(before: &History, line: &[Move]) -> Vec<String> {
    line.iter().map(|&mv| before.uci(mv).to_string()).collect()
}

/// Parses the moves of a reason's line in UCI notation. `None` if a move is illegal, or if the last
/// move is not by the gaining side. Only a draw may end with a move by the other side, or have no
/// moves.
fn line_of<'a>(
    mut at: History,
    uci: impl Iterator<Item = &'a str>,
    gain: Gain,
) -> Option<Vec<Move>> {
    let moves = uci.take(LONGEST).map(|uci| {
        let mv = at.parse_uci(uci).ok()?;
        at.push(mv);
        Some(mv)
    });
    let is_draw = matches!(gain, Gain::Draw(_));
    moves
        .collect::<Option<Vec<_>>>()
        .filter(|line| line.len() % 2 == 1 || is_draw)
}

impl ReasonKind {
    /// Its name in JSON: `allows`.
    pub fn name(self) -> &'static str {
        match self {
            ReasonKind::Allows => "allows",
            ReasonKind::Misses => "misses",
            ReasonKind::Achieves => "achieves",
        }
    }

    /// Returns the kind of this name in JSON.
    pub fn of_name(name: &str) -> Option<Self> {
        [ReasonKind::Allows, ReasonKind::Misses, ReasonKind::Achieves]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

impl Gain {
    /// Returns the gain as one word: `mate3`; `pawns2`, `knight2` (for a pawn), `exchange2`,
    /// `queen-rook4`, `trade-q-rn1`, `material7`; `threat`.
    pub fn word(self) -> String {
        match self {
            Gain::Mate(moves) => format!("mate{moves}"),
            Gain::Draw(draw) => draw.word().to_owned(),
            Gain::Idea(idea) => idea.word(),
            Gain::Material(prize, pawns) => {
                let name = match prize {
                    Prize::Pawns(_) => "pawns".to_owned(),
                    Prize::QueenFor(role) => format!("queen-{}", piece_name(role)),
                    Prize::TwoPieces => TWO_PIECES.to_owned(),
                    Prize::Trade(trade) => format!("{TRADE}{}", trade.word()),
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
        if let Some(idea) = Idea::of_word(word) {
            return Some(Self::Idea(idea));
        }
        let name = word.trim_end_matches(|char: char| char.is_ascii_digit());
        let number = word[name.len()..]
            .parse()
            .ok()
            .filter(|number| (1..=100).contains(number))?;
        let prize = match name {
            "mate" => return Some(Self::Mate(number)),
            "pawns" => Prize::Pawns(number),
            "material" => Prize::Worth(number),
            "exchange" => Prize::Exchange,
            TWO_PIECES => Prize::TwoPieces,
            _ if name.starts_with(TRADE) => Prize::Trade(Trade::of_word(&name[TRADE.len()..])?),
            _ => match name.strip_prefix("queen-") {
                Some(other) => Prize::QueenFor(role_of(other).filter(|role| *role != Role::King)?),
                None => Prize::Piece(role_of(name).filter(is_prize)?),
            },
        };
        Some(Self::Material(prize, number))
    }
}

impl Prize {
    /// Returns the prize of this name in JSON; `pawns` is its worth.
    pub fn of_name(name: &str, pawns: u32) -> Self {
        match name {
            "pawn" | "pawns" => Self::Pawns(pawns),
            "exchange" => Self::Exchange,
            name if name == Self::TwoPieces.name() => Self::TwoPieces,
            _ => match name.strip_prefix("queen for ") {
                Some(other) if let Some(role) = role_of(other) => Self::QueenFor(role),
                _ if let Some(trade) = Trade::of_name(name) => Self::Trade(trade),
                Some(_) => Self::Worth(pawns),
                None => role_of(name)
                    .filter(is_prize)
                    .map_or(Self::Worth(pawns), Self::Piece),
            },
        }
    }
}

/// Returns whether a piece can be won by itself: no king, and pawns are counted.
fn is_prize(role: &Role) -> bool {
    !matches!(role, Role::King | Role::Pawn)
}

/// Returns the piece of a name such as `knight`.
pub(super) fn role_of(name: &str) -> Option<Role> {
    Role::ALL.into_iter().find(|role| piece_name(*role) == name)
}

impl Moment<'_> {
    /// Returns the reason that an earlier review wrote into the game; `None` if the command is
    /// invalid.
    pub(crate) fn of_command(
        &self,
        mode: shakmaty::CastlingMode,
        arguments: &str,
    ) -> Option<Reason> {
        let mut words = arguments.split_whitespace().skip(1);
        let kind = ReasonKind::of_name(words.next()?)?;
        let gain = Gain::of_word(words.next()?)?;
        let start = kind.start(&History::new(self.before.clone(), mode), self.played);
        let line = line_of(start.clone(), words, gain)?;
        // A short mate must really end in mate on the board; a longer one has no complete line.
        let is_short = matches!(gain, Gain::Mate(moves) if moves <= LONGEST_MATE.unsigned_abs());
        let is_so = !is_short || mating(start.position(), &line).is_some();
        is_so.then(|| self.with_motif(Reason::new(kind, line, gain)))
    }
}
