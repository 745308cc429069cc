//! Finds out why a move is a mistake, as a chess player would explain it: what the move allows or
//! misses, by which motif, and what this motif wins.
//!
//! A reason follows from the analyst's lines: the refutation is the best line after the move, and
//! the missed line is the best line before it. Each line is followed to a quiet position, so that a
//! capture in the middle of an exchange does not count as a gain. A reason claims mate, a draw or
//! material; if the line shows none of these, an [`Idea`] may still explain the move. A gain at the
//! end of both lines is no reason either: a pawn that is lost after any move does not explain why
//! this move is a mistake.

mod command;
mod draw;
mod fallen;
mod idea;
mod material;
mod motif;
mod proof;
mod quiet;
mod shown;
#[cfg(test)]
mod tests;

use centipawn_core::{
    Eval, History, White, material_balance, material_value, static_exchange_eval,
};
use centipawn_engine::Line;
use shakmaty::{Chess, Color, Move, Position as _, Role, Square};

use crate::{JudgedMove, praise::after};
pub use command::REASON;
pub use draw::DrawKind;
pub use idea::Idea;
use idea::IdeaClaim;
pub use material::{Prize, Trade};
pub use motif::Motif;
pub use proof::Proof;
use proof::View;
pub(crate) use proof::{Claim, GainClaim};
use quiet::{LONGEST, QuietEnd, quiet_end};

/// Expected score that a move loses at least, for a reason: the smallest threshold of any scheme of
/// move symbols.
const LEAST_LOSS: f64 = 1.0 / 20.0;
/// Expected score whose loss is explained by less than the lines showed, if that is all that is
/// proven.
const GREAT_LOSS: f64 = 1.0 / 4.0;
/// Number of half-moves of the other line, from the position before the move. A piece that is
/// captured within this number is lost after any move, so a reason must not name it; a later
/// capture has other causes.
const SOON: usize = 4;
/// The same limit for pawns. A king often needs several moves to capture one.
const SOON_FOR_PAWNS: usize = 8;
/// The minimum value of a piece in pawns.
const PIECE: i32 = 2;
/// The longest mate that a sentence counts the moves of, and that is proven by the moves up to
/// mate.
pub const LONGEST_MATE: i32 = 6;
/// Pawns that the evaluation falls for each pawn of material that a reason claims.
const AGREEMENT: f64 = 0.4;

/// The reason why a move is a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// Whether the opponent gains something, or the mover missed it.
    pub kind: ReasonKind,
    /// The motif of the gain; `None` if no motif causes it.
    pub motif: Option<Motif>,
    /// The moves that prove it, the gaining side's first and last: after the played move, or
    /// instead of it.
    pub line: Vec<Move>,
    /// The gain of the line.
    pub gain: Gain,
    /// The piece that carries out the motif, with its square at that time.
    pub piece: Option<(Role, Square)>,
    /// The pieces that are targets of the motif, with their squares at that time.
    pub targets: Vec<(Role, Square)>,
    /// Number of half-moves after which the line has won what the reason names; `None` if unknown.
    shown: Option<usize>,
}

/// Whether a reason is about the played move or about a missed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasonKind {
    /// The opponent gains something after the played move.
    Allows,
    /// The better move would have achieved something.
    Misses,
    /// The played move, which is praised, achieves something.
    Achieves,
}

/// The gain of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// Mate in the given number of moves.
    Mate(u32),
    /// Material: the prize, and its value in pawns minus the material paid for it.
    Material(Prize, u32),
    /// A draw in a position that the other side would win.
    Draw(DrawKind),
    /// No material, but an idea that explains the difference.
    Idea(Idea),
}

impl Gain {
    /// Pawns that what a sentence names is worth, whatever it costs besides; 0 unless it is
    /// material.
    fn named_pawns(self) -> u32 {
        match self {
            Gain::Material(Prize::Piece(role), _) => material_value(role),
            Gain::Material(_, pawns) => pawns,
            Gain::Mate(_) | Gain::Draw(_) | Gain::Idea(_) => 0,
        }
    }
}

/// A move with the analyst's lines before and after it.
pub struct Moment<'a> {
    /// The position before the opponent's last move, and that move; `None` at the start of the
    /// game.
    pub previous: Option<(&'a Chess, Move)>,
    /// The position before the move.
    pub before: &'a Chess,
    /// The position before the move, with the known earlier moves, on which draws by repetition
    /// depend.
    pub history: &'a History,
    /// The played move.
    pub played: Move,
    /// Expected score that the move loses, 0..=1.
    pub loss: f64,
    /// Expected score by which it is ahead of all other moves, 0..=1; 0 unless it is the best.
    pub lead: f64,
    /// Evaluation of the best move, White's view.
    pub best: Eval<White>,
    /// The evaluation of the played move.
    pub worth: Eval<White>,
    /// The analyst's lines before the move, best first.
    pub lines: &'a [Line],
    /// The best line after the played move; empty if neither this position nor the move alone was
    /// searched.
    pub answer: &'a [Move],
    /// Evaluation of the opponent's second-best reply to the played move, White's view; `None` if
    /// unknown.
    pub rival: Option<Eval<White>>,
}

impl<'a> Moment<'a> {
    /// Returns the moment of a judged move; `next` is the move after it.
    pub(crate) fn of(
        previous: Option<&'a JudgedMove>,
        ply: &'a JudgedMove,
        next: Option<&'a JudgedMove>,
    ) -> Self {
        Self {
            previous: previous.map(|ply| (ply.before.position(), ply.mv)),
            before: ply.before.position(),
            history: &ply.before,
            played: ply.mv,
            loss: ply.score_loss,
            lead: ply.difference.max(0.0),
            best: ply.eval_before,
            worth: ply.eval_played,
            lines: &ply.lines,
            answer: next
                .and_then(|next| next.lines.first())
                .map_or(&ply.answer, |line| &line.pv),
            rival: next.and_then(|next| Some(next.lines.get(1)?.eval.for_white(next.mover))),
        }
    }

    fn mover(&self) -> Color {
        self.before.turn()
    }

    /// Returns the unproven claims about the move, the best explanation first; empty if nothing
    /// needs one.
    pub(crate) fn claims(&self) -> Vec<Claim> {
        if self.lines.first().map(Line::first_move) == Some(self.played) {
            return self.achievements();
        }
        let mut claims: Vec<Claim> = self.gains().into_iter().map(Claim::Gain).collect();
        let is_decided = claims
            .first()
            .is_some_and(|claim| matches!(claim, Claim::Gain(gain) if gain.is_decisive()));
        if self.loss >= LEAST_LOSS && !is_decided {
            // Of a small loss, an idea says more than material without a name.
            let is_small = self.loss < GREAT_LOSS;
            let vague =
                |claim: &Claim| matches!(claim, Claim::Gain(gain) if is_small && gain.is_vague());
            let place = claims.iter().position(vague).unwrap_or(claims.len());
            claims.insert(place, self.idea());
        }
        claims
    }

    /// Returns the claims of both lines about mate, a draw or material, the best explanation first.
    fn gains(&self) -> Vec<GainClaim> {
        // The refutation of the move comes before what was missed: that the move allows a draw
        // explains more than a missed mate. Even in a won position, a short mate is worth
        // mentioning.
        let refutation = self.refutation();
        let is_loss = self.loss >= LEAST_LOSS;
        let decided = self
            .allowed_mate(&refutation)
            .or_else(|| self.allowed_draw(&refutation).filter(|_| is_loss))
            .or_else(|| self.missed_mate())
            .or_else(|| self.missed_draw().filter(|_| is_loss));
        match decided {
            Some(reason) => vec![GainClaim {
                reason,
                spare: 0,
                is_reduced: false,
                view: self.view(),
            }],
            None if is_loss => self.material(&refutation),
            None => Vec::new(),
        }
    }

    /// Returns what a praised move may achieve: more material than the next best move, or an idea.
    fn achievements(&self) -> Vec<Claim> {
        let [best, next, ..] = self.lines else {
            return Vec::new();
        };
        let here = material_balance(self.before.board(), self.mover());
        let gained =
            |line: &[Move]| Some(quiet_end(self.before, line, self.mover())?.balance - here);
        let material = || {
            let end = quiet_end(self.before, &best.pv, self.mover())?;
            let pawns = end.balance - here;
            let is_more = pawns >= 1 && pawns > gained(&next.pv)?;
            let line = &best.pv[..end.plies];
            let (prize, pawns) = Prize::of(self.before, &best.pv[..end.end], self.mover(), pawns)
                .filter(|_| is_more)?
                .by_force(line, pawns.unsigned_abs());
            let kind = ReasonKind::Achieves;
            let prize = prize.as_shown(kind, self.before, self.played, line, pawns);
            // That a praised move wins "material" says nothing.
            if matches!(prize, Prize::Worth(_)) {
                return None;
            }
            let reason = Reason::new(kind, line.to_vec(), Gain::Material(prize, pawns));
            Some(Claim::Gain(GainClaim {
                reason: self.with_motif(reason),
                spare: 0,
                is_reduced: false,
                view: View {
                    best: best.eval.for_white(self.mover()),
                    worth: next.eval.for_white(self.mover()),
                    loss: self.lead,
                },
            }))
        };
        material().into_iter().chain([self.idea()]).collect()
    }

    /// Returns the evaluation of the best move other than the first line's and the played one;
    /// `None` if it is not listed, and therefore worse than the played one, or unknown.
    fn other(&self) -> Option<Eval<White>> {
        let mut others = self.lines.iter().skip(1);
        let line = others.find(|line| line.first_move() != self.played)?;
        Some(line.eval.for_white(self.mover()))
    }

    /// Returns whether the best move is ahead of all others but the played one by half of the loss,
    /// in pawns. Else the played move is the cause of the loss rather than what it missed.
    fn is_singled_out(&self) -> bool {
        let pawns = |eval: Eval<White>| eval.for_mover(self.mover()).pawns();
        let Some(other) = self.other() else {
            return true;
        };
        match (pawns(self.best), pawns(other), pawns(self.worth)) {
            (Some(best), Some(other), Some(worth)) => 2.0 * (best - other) >= best - worth,
            // Only the best move mates, or only the played one is mated.
            (best, other, _) => best.is_none() && other.is_some(),
        }
    }

    /// Returns the claim that an idea explains the move.
    fn idea(&self) -> Claim {
        let best = self
            .lines
            .first()
            .map_or_else(Vec::new, |line| line.pv.clone());
        Claim::Idea(IdeaClaim {
            best,
            refutation: self.refutation(),
            rival: self.rival,
            other: self.other(),
            view: self.view(),
        })
    }

    /// Returns the best unproven reason by mate, a draw or material; `None` if the lines show none.
    pub fn shown(&self) -> Option<Reason> {
        self.gains().into_iter().next().map(|claim| claim.reason)
    }

    fn view(&self) -> View {
        View {
            best: self.best,
            worth: self.worth,
            loss: self.loss,
        }
    }

    /// Returns the reason that was proven.
    pub(crate) fn proven(&self, proof: &Proof) -> Reason {
        self.with_motif(Reason::new(proof.kind, proof.line.clone(), proof.gain))
    }

    /// Returns the opponent's best line after the played move.
    fn refutation(&self) -> Vec<Move> {
        let listed = self
            .lines
            .iter()
            .find(|line| line.first_move() == self.played)
            .map(|line| &line.pv[1..]);
        let known = [Some(self.answer), listed]
            .into_iter()
            .flatten()
            .find(|line| !line.is_empty());
        known.unwrap_or_default().to_vec()
    }

    fn mates(&self, eval: Eval<White>) -> i32 {
        eval.for_mover(self.mover()).mate_moves().unwrap_or(0)
    }

    fn allowed_mate(&self, refutation: &[Move]) -> Option<Reason> {
        let (best, played) = (self.mates(self.best), self.mates(self.worth));
        let start = after(self.before, self.played);
        self.mate(ReasonKind::Allows, played, &start, refutation)
            .filter(|_| played < 0 && best >= 0)
    }

    /// Returns the mate that the engine announces, with the moves up to it. The line may come from
    /// another search, so its own length counts. A mate in more than [`LONGEST_MATE`] moves is a
    /// reason only if expected score is lost; its line may be incomplete and is shortened to what a
    /// reader follows.
    fn mate(
        &self,
        kind: ReasonKind,
        announced: i32,
        start: &Chess,
        line: &[Move],
    ) -> Option<Reason> {
        let is_long = announced.abs() > LONGEST_MATE && self.loss >= LEAST_LOSS;
        let known = || {
            (!line.is_empty()).then(|| line[..(line.len().min(LONGEST) - 1) / 2 * 2 + 1].to_vec())
        };
        let (line, moves) = match mating(start, line) {
            Some(line) => {
                let moves = line.len().div_ceil(2) as u32;
                (line, moves)
            }
            None => (known().filter(|_| is_long)?, announced.unsigned_abs()),
        };
        Some(self.with_motif(Reason::new(kind, line, Gain::Mate(moves))))
    }

    fn missed_mate(&self) -> Option<Reason> {
        let (best, played) = (self.mates(self.best), self.mates(self.worth));
        let first = &self.lines.first()?.pv;
        self.mate(ReasonKind::Misses, best, self.before, first)
            .filter(|_| best > 0 && played <= 0)
    }

    /// Returns a draw that the move allows although its side would otherwise win: by a rule or by
    /// perpetual check.
    fn allowed_draw(&self, refutation: &[Move]) -> Option<Reason> {
        let mut after = self.history.clone();
        after.push(self.played);
        self.draw(ReasonKind::Allows, self.worth, &after, refutation)
    }

    /// Returns a draw that the best move would have achieved although the other side otherwise
    /// wins. If the position before the move is already drawn by a rule and the game continues
    /// anyway, the best move does not achieve the draw, and there is no line to show.
    fn missed_draw(&self) -> Option<Reason> {
        if DrawKind::on_board(self.history).is_some() {
            return None;
        }
        self.draw(
            ReasonKind::Misses,
            self.best,
            self.history,
            &self.lines.first()?.pv,
        )
    }

    fn draw(
        &self,
        kind: ReasonKind,
        eval: Eval<White>,
        start: &History,
        line: &[Move],
    ) -> Option<Reason> {
        let (draw, plies) = DrawKind::of(start, line).filter(|_| eval == Eval::cp(0))?;
        Some(self.with_motif(Reason::new(kind, line[..plies].to_vec(), Gain::Draw(draw))))
    }

    /// Returns what the move loses or misses in material, by the quiet ends of both lines.
    fn material(&self, refutation: &[Move]) -> Vec<GainClaim> {
        self.ends(refutation)
            .map_or_else(Vec::new, |ends| ends.claims())
    }

    /// `None` if the lines do not show what the move changed, or the evaluation disagrees.
    fn ends<'b>(&'b self, refutation: &'b [Move]) -> Option<Ends<'b>> {
        // A reason compares the lines before and after the move, so it needs both.
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
        let ends = Ends {
            moment: self,
            best,
            refutation,
            better,
            worse,
            gained,
            lost,
        };
        (gained + lost >= 1 && self.agrees(gained + lost)).then_some(ends)
    }

    /// Returns whether the evaluation falls enough for this loss of pawns.
    fn agrees(&self, pawns: i32) -> bool {
        let of = |eval: Eval<White>| eval.for_mover(self.mover()).pawns();
        match (of(self.best), of(self.worth)) {
            (Some(best), Some(worth)) => best - worth >= AGREEMENT * f64::from(pawns),
            // A mate is worth more than any amount of material.
            _ => true,
        }
    }

    fn with_motif(&self, reason: Reason) -> Reason {
        let shown = match reason.gain {
            Gain::Material(prize, _) => {
                prize.plies_shown(reason.kind, self.before, self.played, &reason.line)
            }
            Gain::Mate(_) | Gain::Draw(_) | Gain::Idea(_) => None,
        };
        let reason = Reason { shown, ..reason };
        if let Gain::Idea(idea) = reason.gain {
            return self.with_idea(reason, idea);
        }
        let found = match reason.kind {
            ReasonKind::Allows => motif::find(self.before, self.played, &reason),
            ReasonKind::Misses | ReasonKind::Achieves => match reason.gain {
                // The draw itself is the motif, whatever the opponent's last move was.
                Gain::Draw(draw) => Some((draw.motif(), None, Vec::new())),
                _ => self
                    .previous
                    .and_then(|(before, mv)| motif::find(before, mv, &reason)),
            },
        };
        let takes_there = self.played.is_capture()
            && reason
                .line
                .first()
                .is_some_and(|first| first.to() == self.played.to());
        match found {
            // The played move captured on the same square, but with another piece.
            Some((Motif::Hanging | Motif::Capture | Motif::Recapture, piece, targets))
                if reason.kind == ReasonKind::Misses && takes_there =>
            {
                Reason {
                    motif: Some(Motif::OtherCapture),
                    piece,
                    targets,
                    ..reason
                }
            }
            Some((motif, piece, targets)) => Reason {
                motif: Some(motif),
                piece,
                targets,
                ..reason
            },
            None => reason,
        }
    }

    /// Completes the reason of an idea with its piece and targets: what the first move attacks.
    fn with_idea(&self, reason: Reason, idea: Idea) -> Reason {
        let start = reason.kind.board_start(self.before, self.played);
        let first = reason.line.first().copied();
        let targets = match (idea, first) {
            (Idea::ThreatensPiece(role, square), _) => vec![(role, square)],
            (Idea::Threat | Idea::Prevention | Idea::Attack, Some(first)) => {
                match first.capture() {
                    Some(taken) => vec![(taken, first.to())],
                    None => idea::attacked(&start, first),
                }
            }
            _ => Vec::new(),
        };
        Reason {
            motif: Some(idea.motif()),
            piece: first.map(|mv| (mv.role(), mv.to())),
            targets,
            ..reason
        }
    }
}

/// The quiet ends of the best line and of the refutation.
struct Ends<'a> {
    moment: &'a Moment<'a>,
    best: &'a [Move],
    refutation: &'a [Move],
    better: QuietEnd,
    worse: QuietEnd,
    /// Pawns that the mover gains in the best line, and pawns that the mover loses in the
    /// refutation.
    gained: i32,
    lost: i32,
}

impl Ends<'_> {
    /// Returns the claims that the two lines allow, the one that explains more first.
    fn claims(&self) -> Vec<GainClaim> {
        let whole = [
            &[self.moment.played][..],
            &self.refutation[..self.worse.end],
        ]
        .concat();
        let allows = self.claim(
            ReasonKind::Allows,
            &self.refutation[..self.worse.plies],
            &whole,
        );
        let better = &self.best[..self.better.end];
        let misses = self
            .claim(ReasonKind::Misses, &self.best[..self.better.plies], better)
            .filter(|_| self.moment.is_singled_out() || self.other_wins());
        // A loss precedes a missed gain, unless the missed gain is larger. A lost piece also
        // precedes a larger missed gain that has no name, and one that is at most twice as large if
        // the next move simply captures the piece: that is what a player sees first.
        let is_vague = |claim: &Option<GainClaim>| claim.as_ref().is_some_and(GainClaim::is_vague);
        let is_captured = 2 * self.lost >= self.gained
            && allows.as_ref().is_some_and(|claim| {
                matches!(claim.reason.motif, Some(Motif::Hanging | Motif::Capture))
            });
        let is_first = self.lost >= self.gained
            || self.lost >= PIECE && (is_captured || is_vague(&misses) && !is_vague(&allows));
        let claims = if is_first {
            [allows, misses]
        } else {
            [misses, allows]
        };
        let mut claims: Vec<GainClaim> = claims.into_iter().flatten().collect();
        // The second claim is tried if the first cannot be proven. If it is worth less than half of
        // the first, it is not the cause of the loss even then.
        let worth = |claim: &GainClaim| claim.reason.gain.named_pawns();
        if let [first, second] = &claims[..]
            && 2 * worth(second) < worth(first)
        {
            claims.truncate(1);
        }
        claims
    }

    /// Returns whether another listed move than the best and the played one wins material too. Then
    /// that material was missed, whichever of the two moves wins it.
    fn other_wins(&self) -> bool {
        let Moment {
            before,
            lines,
            played,
            ..
        } = *self.moment;
        let mover = self.moment.mover();
        let here = material_balance(before.board(), mover);
        lines
            .iter()
            .skip(1)
            .filter(|line| line.first_move() != played)
            .filter_map(|line| quiet_end(before, &line.pv, mover))
            .any(|end| end.balance > here)
    }

    /// Returns the gain of one side in a line, if it explains the loss. `whole` begins in the
    /// position before the move and ends with the line.
    fn claim(&self, kind: ReasonKind, line: &[Move], whole: &[Move]) -> Option<GainClaim> {
        let Self {
            moment,
            gained,
            lost,
            ..
        } = *self;
        let (before, mover) = (moment.before, moment.mover());
        let difference = gained + lost;
        let (side, pawns) = if kind == ReasonKind::Allows {
            (!mover, lost)
        } else {
            (mover, gained)
        };
        let (line, gain) = match captured(line, whole, before, pawns) {
            // The first move captures most of the gain; the rest has other reasons.
            Some((role, pawns)) => (&line[..1], (Prize::Piece(role), pawns)),
            None => {
                let prize = Prize::of(before, whole, side, pawns)?;
                match captured_alone(line, whole, before, pawns) {
                    Some(taken) if !prize.names(taken) => {
                        (&line[..1], (Prize::Piece(taken), pawns.unsigned_abs()))
                    }
                    _ => (line, prize.by_force(line, pawns.unsigned_abs())),
                }
            }
        };
        // If the best move loses material too, the loss explains the mistake only if at least half
        // of it is the difference between the two moves.
        let is_shared = kind == ReasonKind::Allows && gained < 0;
        let (prize, claimed) = gain;
        let is_reduced = claimed < pawns.unsigned_abs();
        let pawns = claimed;
        let is_explained = !is_shared || pawns <= 2 * difference.unsigned_abs();
        let (prize, pawns) = if is_explained {
            (prize, pawns)
        } else {
            (Prize::Worth(1), 1)
        };
        let spare = if is_shared {
            pawns - 1
        } else if moment.loss < GREAT_LOSS {
            // For a small loss, do not reduce the claim any further.
            0
        } else {
            (difference - 1).unsigned_abs().min(pawns - 1)
        };
        let prize = prize.as_shown(kind, before, moment.played, line, pawns);
        let reason = moment.with_motif(Reason::new(
            kind,
            line.to_vec(),
            Gain::Material(prize, pawns),
        ));
        (!self.falls_anyway(&reason)).then(|| GainClaim {
            reason,
            spare,
            is_reduced,
            view: moment.view(),
        })
    }

    /// Returns whether the piece that the reason names is captured in the other line, too.
    fn falls_anyway(&self, reason: &Reason) -> bool {
        let Moment { before, played, .. } = *self.moment;
        let own = reason.kind.whole_line(played, &reason.line);
        // Engines cut lines off, so the capture may come just after the quiet end. Therefore follow
        // the other line beyond its quiet end.
        let other = match reason.kind {
            ReasonKind::Allows => self.best.to_vec(),
            ReasonKind::Misses | ReasonKind::Achieves => [&[played], self.refutation].concat(),
        };
        let loser = if reason.kind == ReasonKind::Allows {
            before.turn()
        } else {
            !before.turn()
        };
        let Gain::Material(prize, _) = reason.gain else {
            return false;
        };
        // Men that are exchanged on the way are not part of the gain.
        let won = fallen::net(before, &own, loser);
        let named = fallen::all(before, &own)
            .into_iter()
            .find(|man| man.color == loser && prize.names(man.role) && won.contains(&man.origin));
        // An exchange that has begun is followed to its end: otherwise a queen that is exchanged
        // would count as lost.
        let within = |plies: usize| {
            let mut end = other.len().min(plies);
            while end > 0
                && other
                    .get(end)
                    .is_some_and(|next| next.is_capture() && next.to() == other[end - 1].to())
            {
                end += 1;
            }
            &other[..end]
        };
        named.is_some_and(|man| match man.role {
            // If the other line captures another pawn in return, that pawn is the difference
            // between the lines, and the named one does not explain the loss.
            Role::Pawn => {
                fallen::taken(before, within(SOON_FOR_PAWNS), loser).contains(&man.origin)
            }
            _ => fallen::net(before, within(SOON), loser).contains(&man.origin),
        })
    }
}

impl Reason {
    /// Creates a reason without its motif.
    pub fn new(kind: ReasonKind, line: Vec<Move>, gain: Gain) -> Self {
        Self {
            kind,
            motif: None,
            line,
            gain,
            piece: None,
            targets: Vec::new(),
            shown: None,
        }
    }
}

impl ReasonKind {
    /// Returns a line of such a reason, from the position before the move `played` on.
    fn whole_line(self, played: Move, line: &[Move]) -> Vec<Move> {
        match self {
            ReasonKind::Allows => [&[played], line].concat(),
            ReasonKind::Misses | ReasonKind::Achieves => line.to_vec(),
        }
    }

    /// Returns the same as [`start`](Self::start), without the moves that led there.
    fn board_start(self, before: &Chess, played: Move) -> Chess {
        match self {
            ReasonKind::Allows => after(before, played),
            ReasonKind::Misses | ReasonKind::Achieves => before.clone(),
        }
    }

    /// Returns the position in which the line of such a reason begins, for the move `played` in the
    /// position `before`.
    pub fn start(self, before: &History, played: Move) -> History {
        let mut start = before.clone();
        if self == ReasonKind::Allows {
            start.push(played);
        }
        start
    }
}

/// Returns the moves of a line up to mate; `None` if it does not mate, or mates its own side.
fn mating(start: &Chess, line: &[Move]) -> Option<Vec<Move>> {
    let mut position = start.clone();
    let end = line
        .iter()
        .take(2 * LONGEST_MATE as usize)
        .position(|&mv| {
            position.play_unchecked(mv);
            position.is_checkmate()
        })?;
    (end % 2 == 0).then(|| line[..=end].to_vec())
}

/// Returns the piece that the first move of a line takes, and the pawns that its exchange wins, if
/// that is less than the line wins, but at least half of it. `whole` begins at `before` and ends
/// with the line.
fn captured(line: &[Move], whole: &[Move], before: &Chess, pawns: i32) -> Option<(Role, u32)> {
    let (&first, &played) = (line.first()?, whole.first()?);
    let start = start_of(first, played, before);
    // The captured piece has just captured something itself, which belongs to the exchange, so this
    // capture alone is not the gain.
    let is_recapture = played != first && played.is_capture() && played.to() == first.to();
    let taken = first
        .capture()
        .filter(|taken| *taken != Role::Pawn && !is_recapture)?;
    let worth = static_exchange_eval(&start, first).min(material_value(taken).cast_signed());
    // If the captor is lost in return (a queen for a rook), the prize is not the whole piece.
    let is_whole = worth + 1 >= material_value(taken).cast_signed();
    (is_whole && worth < pawns && 2 * worth >= pawns).then_some((taken, worth.unsigned_abs()))
}

/// Returns the piece that the first move of a line takes, if its exchange alone wins at least as
/// much as the line, which gives the captor back later: a queen takes the queen, and is exchanged
/// for two pieces in the end. What remains is not what the reader sees captured.
fn captured_alone(line: &[Move], whole: &[Move], before: &Chess, pawns: i32) -> Option<Role> {
    let (&first, &played) = (line.first()?, whole.first()?);
    let taken = first.capture().filter(|taken| *taken != Role::Pawn)?;
    let start = start_of(first, played, before);
    // What the played move has just captured belongs to the exchange.
    let paid = played
        .capture()
        .filter(|_| played != first && played.to() == first.to())
        .map_or(0, material_value);
    let wins = static_exchange_eval(&start, first).min(material_value(taken).cast_signed());
    let is_whole =
        wins - paid.cast_signed() >= pawns && wins + 1 >= material_value(taken).cast_signed();
    let mut captor = first.to();
    let is_given_back = line.iter().skip(1).any(|mv| {
        let is_taken = mv.capture().is_some() && mv.to() == captor;
        if mv.from() == Some(captor) {
            captor = mv.to();
        }
        is_taken
    });
    (is_whole && is_given_back && first.role() == taken).then_some(taken)
}

/// Returns the position in which a line begins with the move `first`: it replaces the move `played`
/// in the position `before`, or answers it.
fn start_of(first: Move, played: Move, before: &Chess) -> Chess {
    if played == first {
        before.clone()
    } else {
        after(before, played)
    }
}
