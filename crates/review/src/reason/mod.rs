//! Why a move is a mistake, in words of chess: what it allows or misses, by which motif, and what that wins.
//!
//! A reason is read from the analyst's lines: the refutation is the best line after the move, what was missed is the best line before it.
//! Both are followed to where they are quiet, so that a piece in the middle of an exchange counts for nothing. A reason
//! claims mate, a perpetual check or material; where a line shows none of these, there is no reason.

mod document;
mod material;
mod motif;
mod proof;
mod quiet;
#[cfg(test)]
mod tests;
mod words;

use centipawn_core::{Eval, History, White, material_balance, material_value, static_exchange_eval};
use centipawn_engine::Line;
use shakmaty::{Chess, Color, Move, Position as _, Role, Square};

use crate::{PlyReview, praise::after};
pub(crate) use document::REASON;
pub use document::{GainDocument, PlacedPiece, ProofDocument, ReasonDocument};
pub use material::Prize;
pub use motif::Motif;
pub(crate) use proof::Claim;
pub use proof::Proof;
use quiet::{LONGEST, quiet_end};

/// Expected score that a move loses at least, for a reason: the smallest threshold of any scheme of move symbols.
const LEAST_LOSS: f64 = 1.0 / 20.0;
/// Expected score whose loss is explained by less than the lines showed, if that is all that is proven.
const GREAT_LOSS: f64 = 1.0 / 4.0;
/// The longest mate that a sentence counts the moves of, and that is proven by the moves up to mate.
const LONGEST_MATE: i32 = 6;
/// Checks of a line of perpetual check at least.
const LEAST_CHECKS: usize = 3;
/// Pawns that the evaluation falls for each pawn of material that a reason claims.
const AGREEMENT: f64 = 0.4;

/// Why a move is a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// Whether the opponent gains something, or the mover missed it.
    pub kind: ReasonKind,
    /// How; `None` where no motif causes the gain.
    pub motif: Option<Motif>,
    /// The moves that prove it, the gaining side's first and last: after the played move, or instead of it.
    pub line: Vec<Move>,
    /// What it wins.
    pub gain: Gain,
    /// The piece that does it, where it stands then.
    pub piece: Option<(Role, Square)>,
    /// What it is done to, where that stands.
    pub targets: Vec<(Role, Square)>,
}

/// What a reason is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasonKind {
    /// What the opponent can do after the played move.
    Allows,
    /// What the better move would have achieved.
    Misses,
}

/// What a line wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// Mate in this many moves.
    Mate(u32),
    /// Material, and its worth in pawns, less what it costs.
    Material(Prize, u32),
    /// A draw in a lost position.
    Draw,
}

/// What is known around a move.
pub(crate) struct Moment<'a> {
    /// The position before the opponent's last move, and that move; `None` at the start of the game.
    pub(crate) previous: Option<(&'a Chess, Move)>,
    /// The position before the move.
    pub(crate) before: &'a Chess,
    pub(crate) played: Move,
    /// Expected score that the move loses, 0..=1.
    pub(crate) loss: f64,
    /// Evaluations of the best move and of the played one, White's view.
    pub(crate) best: Eval<White>,
    pub(crate) worth: Eval<White>,
    /// The analyst's lines before the move, best first.
    pub(crate) lines: &'a [Line],
    /// Its best line after the move; empty if neither that position nor the move alone was searched.
    pub(crate) answer: &'a [Move],
}

impl<'a> Moment<'a> {
    /// What is known around a judged move; `next` is the one after it.
    pub(crate) fn of(previous: Option<&'a PlyReview>, ply: &'a PlyReview, next: Option<&'a PlyReview>) -> Self {
        Self {
            previous: previous.map(|ply| (ply.before.position(), ply.mv)),
            before: ply.before.position(),
            played: ply.mv,
            loss: ply.loss.expected_score,
            best: ply.best,
            worth: ply.played,
            lines: &ply.lines,
            answer: next.and_then(|next| next.lines.first()).map_or(&ply.answer, |line| &line.pv),
        }
    }

    fn mover(&self) -> Color {
        self.before.turn()
    }

    /// What the lines show, not yet proven; `None` where they show nothing.
    pub(crate) fn claim(&self) -> Option<Claim> {
        let refutation = self.refutation();
        // A short mate matters even where the rest wins too.
        let mate = self.allowed_mate(&refutation).or_else(|| self.missed_mate());
        if mate.is_none() && self.loss < LEAST_LOSS {
            return None;
        }
        let decided = mate.or_else(|| self.draw(&refutation));
        decided.map(|reason| Claim { reason, spare: 0 }).or_else(|| self.material(&refutation))
    }

    /// The reason that was proven.
    pub(crate) fn proven(&self, proof: &Proof) -> Reason {
        self.with_motif(Reason::bare(proof.kind, proof.line.clone(), proof.gain))
    }

    /// The opponent's best line after the played move.
    fn refutation(&self) -> Vec<Move> {
        let listed = self.lines.iter().find(|line| line.first_move() == self.played).map(|line| &line.pv[1..]);
        let known = [Some(self.answer), listed].into_iter().flatten().find(|line| !line.is_empty());
        known.unwrap_or_default().to_vec()
    }

    fn mates(&self, eval: Eval<White>) -> i32 {
        eval.for_mover(self.mover()).mate_moves().unwrap_or(0)
    }

    fn allowed_mate(&self, refutation: &[Move]) -> Option<Reason> {
        let (best, played) = (self.mates(self.best), self.mates(self.worth));
        let start = after(self.before, self.played);
        self.mate(ReasonKind::Allows, played, &start, refutation).filter(|_| played < 0 && best >= 0)
    }

    /// The mate that the engine announces, with the moves of a line up to it. The line may come from another search, so its own length
    /// counts. A mate in more than [`LONGEST_MATE`] moves needs a loss, but no complete line: it is cut off where reading stops.
    fn mate(&self, kind: ReasonKind, announced: i32, start: &Chess, line: &[Move]) -> Option<Reason> {
        let is_long = announced.abs() > LONGEST_MATE && self.loss >= LEAST_LOSS;
        let known = || (!line.is_empty()).then(|| line[..(line.len().min(LONGEST) - 1) / 2 * 2 + 1].to_vec());
        let (line, moves) = match mating(start, line) {
            Some(line) => {
                let moves = line.len().div_ceil(2) as u32;
                (line, moves)
            }
            None => (known().filter(|_| is_long)?, announced.unsigned_abs()),
        };
        Some(self.with_motif(Reason::bare(kind, line, Gain::Mate(moves))))
    }

    fn missed_mate(&self) -> Option<Reason> {
        let (best, played) = (self.mates(self.best), self.mates(self.worth));
        let first = &self.lines.first()?.pv;
        self.mate(ReasonKind::Misses, best, self.before, first).filter(|_| best > 0 && played <= 0)
    }

    /// A perpetual check that the move allows or misses, in a position that one side would otherwise win.
    fn draw(&self, refutation: &[Move]) -> Option<Reason> {
        let is_level = |eval: Eval<White>| eval == Eval::cp(0);
        let after = after(self.before, self.played);
        if is_level(self.worth) {
            let line = perpetual(&after, refutation)?;
            return Some(self.with_motif(Reason::bare(ReasonKind::Allows, line, Gain::Draw)));
        }
        let best = self.lines.first().filter(|_| is_level(self.best))?;
        let line = perpetual(self.before, &best.pv)?;
        Some(self.with_motif(Reason::bare(ReasonKind::Misses, line, Gain::Draw)))
    }

    fn material(&self, refutation: &[Move]) -> Option<Claim> {
        // Without both lines it is unknown what the move changed.
        let best = self.lines.first().map(|line| &*line.pv)?;
        if refutation.is_empty() || best.first() == Some(&self.played) {
            return None;
        }
        let mover = self.mover();
        let after = after(self.before, self.played);
        let here = material_balance(self.before.board(), mover);
        let better = quiet_end(self.before, best, mover)?;
        let worse = quiet_end(&after, refutation, !mover)?;
        let (gained, lost) = (better.balance - here, here + worse.balance);
        let difference = gained + lost;
        if difference < 1 || !self.agrees(difference) {
            return None;
        }
        let claim = |kind, line: &[Move], whole: &[Move], pawns: i32| {
            let side = if kind == ReasonKind::Allows { !mover } else { mover };
            let (line, gain) = match captured(line, whole, self.before, pawns) {
                // Most of it is what the first move takes: the rest is another story.
                Some((role, pawns)) => (&line[..1], (Prize::Piece(role), pawns)),
                None => (line, Prize::of(self.before, whole, side, pawns)?.by_force(line, pawns.unsigned_abs())),
            };
            // What the best move loses too is no reason, unless this move loses as much again.
            let is_shared = kind == ReasonKind::Allows && gained < 0;
            let (prize, pawns) = gain;
            let is_explained = !is_shared || pawns <= 2 * difference.unsigned_abs();
            let (prize, pawns) = if is_explained { (prize, pawns) } else { (Prize::Worth(1), 1) };
            let spare = if is_shared {
                pawns - 1
            } else if self.loss < GREAT_LOSS {
                // A small loss is not worth a smaller reason.
                0
            } else {
                (difference - 1).unsigned_abs().min(pawns - 1)
            };
            let reason = self.with_motif(Reason::bare(kind, line.to_vec(), Gain::Material(prize, pawns)));
            Some(Claim { reason, spare })
        };
        let allows = || {
            let whole = [&[self.played][..], &refutation[..worse.end]].concat();
            claim(ReasonKind::Allows, &refutation[..worse.plies], &whole, lost)
        };
        let misses = || claim(ReasonKind::Misses, &best[..better.plies], &best[..better.end], gained);
        // What is lost comes before what is missed, unless that is more.
        if lost >= gained { allows().or_else(misses) } else { misses().or_else(allows) }
    }

    /// Whether the evaluation falls enough for this loss of pawns.
    fn agrees(&self, pawns: i32) -> bool {
        let of = |eval: Eval<White>| eval.for_mover(self.mover()).pawns();
        match (of(self.best), of(self.worth)) {
            (Some(best), Some(worth)) => best - worth >= AGREEMENT * f64::from(pawns),
            // A mate is worth more than any material.
            _ => true,
        }
    }

    fn with_motif(&self, reason: Reason) -> Reason {
        let found = match reason.kind {
            ReasonKind::Allows => motif::find(self.before, self.played, &reason),
            ReasonKind::Misses => self.previous.and_then(|(before, mv)| motif::find(before, mv, &reason)),
        };
        let takes_there =
            self.played.is_capture() && reason.line.first().is_some_and(|first| first.to() == self.played.to());
        match found {
            // The move captured there too, but with another piece.
            Some((Motif::Hanging | Motif::Capture | Motif::Recapture, piece, targets))
                if reason.kind == ReasonKind::Misses && takes_there =>
            {
                Reason { motif: Some(Motif::OtherCapture), piece, targets, ..reason }
            }
            Some((motif, piece, targets)) => Reason { motif: Some(motif), piece, targets, ..reason },
            None => reason,
        }
    }
}

impl Reason {
    fn bare(kind: ReasonKind, line: Vec<Move>, gain: Gain) -> Self {
        Self { kind, motif: None, line, gain, piece: None, targets: Vec::new() }
    }
}

impl ReasonKind {
    /// The position in which the line of such a reason begins, for the move `played` in the position `before`.
    fn start(self, before: &History, played: Move) -> History {
        let mut start = before.clone();
        if self == ReasonKind::Allows {
            start.push(played);
        }
        start
    }
}

/// The moves of a line up to mate; `None` if it does not mate, or mates its own side.
fn mating(start: &Chess, line: &[Move]) -> Option<Vec<Move>> {
    let mut position = start.clone();
    let end = line.iter().take(2 * LONGEST_MATE as usize).position(|&mv| {
        position.play_unchecked(mv);
        position.is_checkmate()
    })?;
    (end % 2 == 0).then(|| line[..=end].to_vec())
}

/// The first moves of a perpetual check; `None` unless each own move of the line gives check.
fn perpetual(start: &Chess, line: &[Move]) -> Option<Vec<Move>> {
    let mut position = start.clone();
    let are_checks = line.iter().enumerate().all(|(index, &mv)| {
        position.play_unchecked(mv);
        index % 2 == 1 || position.is_check()
    });
    (are_checks && line.len().div_ceil(2) >= LEAST_CHECKS).then(|| line[..3].to_vec())
}

/// The piece that the first move of a line takes, and the pawns that its exchange wins, if that is less than the line wins, but at least half
/// of it. `whole` begins at `before` and ends with the line.
fn captured(line: &[Move], whole: &[Move], before: &Chess, pawns: i32) -> Option<(Role, u32)> {
    let (&first, &played) = (line.first()?, whole.first()?);
    let start = if played == first { before.clone() } else { after(before, played) };
    // The piece that has just captured: what it took counts too.
    let is_recapture = played != first && played.is_capture() && played.to() == first.to();
    let taken = first.capture().filter(|taken| *taken != Role::Pawn && !is_recapture)?;
    let worth = static_exchange_eval(&start, first).min(material_value(taken).cast_signed());
    // A queen for a rook is another prize.
    let is_whole = worth + 1 >= material_value(taken).cast_signed();
    (is_whole && worth < pawns && 2 * worth >= pawns).then_some((taken, worth.unsigned_abs()))
}
