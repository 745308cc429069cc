//! Ideas: what a move allows or misses without winning material at once, as a trainer would name
//! it.
//!
//! Each idea has a condition on the board, and those about a reply or a threat have one that the
//! analyst must confirm. What a threat is, a search shows in which one side passes: the null move
//! of engines. The kinds, and their order, are those that spoke to readers of a trial; advice about
//! structure, mobility and thinking time did not.

use centipawn_core::{
    Context, Curve, Eval, History, Mover, White, material_balance, material_value, piece_name,
    static_exchange_eval,
};
use centipawn_engine::{Analyst, AnalystError, Limit, Line, Question};
use shakmaty::{Board, Chess, Color, Move, Position as _, Rank, Role, Square, attacks};

use super::{
    GREAT_LOSS, Gain, Motif, Proof, ReasonKind, command::role_of, proof::View, quiet::quiet_end,
};
use crate::praise::after;

/// Pawns that a passed move must win for the opponent, so that there was a threat. Every pass gives
/// away the value of a move, which is less.
const THREAT: f64 = 1.0;
/// Pawns that a passed move must win for a move that is said to make a threat.
const NEW_THREAT: f64 = 1.5;
/// The share of such a threat that may exist after the played move, too.
const SAME_THREAT: f64 = 0.5;
/// Pawns that the attack on a piece must win at least, if its side passes.
const ATTACK: f64 = 1.0;
/// The longest mate that a move is said to threaten, in moves.
const MATE: i32 = 3;
/// Share of the loss by which the better move must be ahead of other moves, if it is said to be
/// missed. Else any of them would have done, and the cause is the played move.
const SINGLED_OUT: f64 = 0.5;
/// The same for a move that makes a threat.
const THREAT_SINGLED_OUT: f64 = 0.75;
/// Pawns within which a pawn break may decide.
const LEVEL: f64 = 1.5;
/// Pawns that a reply must be worse after the better move, so that this move prevents it.
const PREVENTED: f64 = 0.5;
/// Share of the loss that the reply alone must cause: after the opponent's second-best reply, the
/// mover would stand better by so much.
const CAUSED: f64 = 0.4;
/// The same for a reply that only attacks a piece, which often can simply move.
const CAUSED_BY_ATTACK: f64 = 0.7;
/// Number of half-moves of the better and of the played line within which queens are exchanged.
const TRADE_BETTER: usize = 3;
const TRADE_PLAYED: usize = 4;
/// Number of half-moves within which the other line must not exchange queens.
const NO_TRADE: usize = 8;
/// The last moves of which it is said that they should have castled, or developed a piece.
const LAST_CASTLING: u32 = 15;
const LAST_DEVELOPMENT: u32 = 12;
/// Number of half-moves of a line in which a move counts as played later.
const LATER: usize = 6;

/// What a move allows or misses besides mate, draws and material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idea {
    /// The opponent's reply was a threat before the move, which the better move would have met.
    Threat,
    /// The better move would have made the opponent's reply impossible.
    Prevention,
    /// The opponent's reply attacks a piece.
    Attack,
    /// The opponent's reply threatens mate.
    MateThreat,
    /// The better move threatens mate.
    ThreatensMate,
    /// The better move threatens the piece on this square.
    ThreatensPiece(Role, Square),
    /// A line exchanges the queens.
    QueenTrade,
    /// A line exchanges the last pieces, so that kings and pawns remain.
    PawnEnding,
    /// The better move castles.
    Castling,
    /// The better move is a pawn's, and attacks a pawn.
    Break,
    /// The better move brings out a knight or bishop.
    Development,
    /// The better move first, then the played one.
    Order,
}

impl Idea {
    /// Its motif, whose name JSON has.
    pub fn motif(self) -> Motif {
        match self {
            Idea::Threat => Motif::Threat,
            Idea::Prevention => Motif::Prevention,
            Idea::Attack | Idea::MateThreat => Motif::Attack,
            Idea::ThreatensMate | Idea::ThreatensPiece(..) => Motif::NewThreat,
            Idea::QueenTrade => Motif::QueenTrade,
            Idea::PawnEnding => Motif::PawnEnding,
            Idea::Castling => Motif::Castling,
            Idea::Break => Motif::Break,
            Idea::Development => Motif::Development,
            Idea::Order => Motif::Order,
        }
    }

    /// Returns the idea as the word of a command: `prevention`, `threatens-rook-a8`.
    pub fn word(self) -> String {
        let word = match self {
            Idea::ThreatensPiece(role, square) => {
                return format!("{THREATENS}{}-{square}", piece_name(role));
            }
            Idea::Threat => "threat",
            Idea::Prevention => "prevention",
            Idea::Attack => "attack",
            Idea::MateThreat => "mate-threat",
            Idea::ThreatensMate => "threatens-mate",
            Idea::QueenTrade => "queen-trade",
            Idea::PawnEnding => "pawn-ending",
            Idea::Castling => "castling",
            Idea::Break => "break",
            Idea::Development => "development",
            Idea::Order => "order",
        };
        word.to_owned()
    }

    /// Returns the idea of a command's word.
    pub fn of_word(word: &str) -> Option<Self> {
        if let Some(idea) = PLAIN.into_iter().find(|idea| idea.word() == word) {
            return Some(idea);
        }
        let (role, square) = word.strip_prefix(THREATENS)?.split_once('-')?;
        Some(Idea::ThreatensPiece(role_of(role)?, square.parse().ok()?))
    }

    /// Returns whether the idea can stand behind a great loss: it is about a threat or a reply that
    /// the analyst confirmed, or a pawn ending, in which little is left to find.
    fn is_concrete(self) -> bool {
        matches!(
            self,
            Idea::Threat
                | Idea::Prevention
                | Idea::Attack
                | Idea::MateThreat
                | Idea::ThreatensMate
                | Idea::ThreatensPiece(..)
                | Idea::PawnEnding
        )
    }
}

const THREATENS: &str = "threatens-";

/// The ideas whose word does not name a piece.
const PLAIN: [Idea; 11] = [
    Idea::Threat,
    Idea::Prevention,
    Idea::Attack,
    Idea::MateThreat,
    Idea::ThreatensMate,
    Idea::QueenTrade,
    Idea::PawnEnding,
    Idea::Castling,
    Idea::Break,
    Idea::Development,
    Idea::Order,
];

/// A move whose loss, or whose lead over all others, an idea may explain.
#[derive(Clone, Debug)]
pub(crate) struct IdeaClaim {
    /// The best line; it begins with the played move if that is praised.
    pub(super) best: Vec<Move>,
    /// The line after the played move.
    pub(super) refutation: Vec<Move>,
    /// Evaluation of the opponent's second-best reply; `None` if unknown.
    pub(super) rival: Option<Eval<White>>,
    /// Evaluation of the best move other than the better and the played one; `None` if all are
    /// worse than the played one.
    pub(super) other: Option<Eval<White>>,
    pub(super) view: View,
}

/// The searches of one claim.
struct Search<'a> {
    before: &'a History,
    mover: Color,
    analyst: &'a dyn Analyst,
    limit: Limit,
    curve: &'a Curve,
    context: Context,
}

impl Search<'_> {
    fn best(&self, question: &Question) -> Result<Option<Line>, AnalystError> {
        Ok(self.analyst.analyse(question)?.lines.into_iter().next())
    }

    /// Searches a position in which the side to move passes; `None` if it is in check or has no
    /// reply to pass to.
    fn passed(&self, position: &Chess) -> Result<Option<(Chess, Line)>, AnalystError> {
        let Some(passed) = passed(position) else {
            return Ok(None);
        };
        let history = History::new(passed.clone(), self.before.mode());
        let line = self.best(&Question::new(history, self.limit))?;
        Ok(line.map(|line| (passed, line)))
    }

    fn expected(&self, eval: Eval<Mover>) -> f64 {
        self.curve.expected_score(eval, self.context)
    }
}

/// Returns the position with the other side to move, if that is legal and a move is possible.
fn passed(position: &Chess) -> Option<Chess> {
    if position.is_check() {
        return None;
    }
    let passed = position.clone().swap_turn().ok()?;
    (!passed.legal_moves().is_empty()).then_some(passed)
}

/// Returns the legal move between the same squares, which may capture something else.
fn alike(position: &Chess, mv: Move) -> Option<Move> {
    position.legal_moves().into_iter().find(|other| {
        (other.from(), other.to(), other.promotion(), other.role())
            == (mv.from(), mv.to(), mv.promotion(), mv.role())
    })
}

fn is_alike(one: Option<&Move>, other: Move) -> bool {
    one.is_some_and(|one| {
        (one.from(), one.to(), one.promotion()) == (other.from(), other.to(), other.promotion())
    })
}

/// Returns the pieces that the move newly attacks in a way that must be answered: more valuable
/// ones and undefended ones, the most valuable first.
pub(super) fn attacked(position: &Chess, mv: Move) -> Vec<(Role, Square)> {
    let (side, next) = (position.turn(), after(position, mv));
    let board = next.board();
    let role = mv.promotion().unwrap_or(mv.role());
    let seen = mv
        .from()
        .map(|from| position.board().attacks_from(from))
        .unwrap_or_default();
    let hits = board.attacks_from(mv.to()) & board.by_color(!side) & !seen;
    let mut targets: Vec<(Role, Square)> = hits
        .into_iter()
        .filter_map(|square| Some((board.role_at(square)?, square)))
        .filter(|(target, square)| {
            let is_dear = material_value(*target) > material_value(role);
            let is_loose = board
                .attacks_to(*square, !side, board.occupied())
                .is_empty();
            !matches!(target, Role::Pawn | Role::King) && (is_dear || is_loose)
        })
        .collect();
    targets.sort_by_key(|(role, square)| (std::cmp::Reverse(material_value(*role)), *square));
    targets.truncate(2);
    targets
}

/// Returns the piece that the move takes for a gain by the exchange on its square.
fn wins(position: &Chess, mv: Move) -> Option<(Role, Square)> {
    let taken = mv.capture().filter(|taken| *taken != Role::Pawn)?;
    (static_exchange_eval(position, mv) >= 1).then_some((taken, mv.to()))
}

/// Returns how much better one evaluation is than another, in pawns; without bound if only it is a
/// mate for the side.
fn ahead(eval: Eval<Mover>, other: Eval<Mover>) -> f64 {
    let mates = |eval: Eval<Mover>| eval.mate_moves().map(i32::signum);
    match (eval.pawns(), other.pawns()) {
        (Some(eval), Some(other)) => eval - other,
        _ if mates(eval) == mates(other) => 0.0,
        _ if mates(eval) == Some(1) || mates(other) == Some(-1) => f64::INFINITY,
        _ => f64::NEG_INFINITY,
    }
}

fn mates_soon(eval: Eval<Mover>) -> bool {
    eval.mate_moves()
        .is_some_and(|moves| (1..=MATE).contains(&moves))
}

fn reversed(eval: Eval<Mover>) -> Eval<Mover> {
    eval.for_white(Color::White).for_mover(Color::Black)
}

impl IdeaClaim {
    /// Searches for an idea behind the move `played` in the position `before`. The first that holds
    /// is returned: threats and replies before trades, these before structure.
    ///
    /// # Errors
    ///
    /// Those of the analyst.
    pub(super) fn prove(
        &self,
        before: &History,
        played: Move,
        analyst: &dyn Analyst,
        limit: Limit,
        curve: &Curve,
    ) -> Result<Option<Proof>, AnalystError> {
        let search = Search {
            before,
            mover: before.turn(),
            analyst,
            limit: limit.half(),
            curve,
            context: Context::of(before.position()),
        };
        let limit = search.limit;
        let proof = |(kind, line, idea): (ReasonKind, &[Move], Idea)| Proof {
            kind,
            line: line.to_vec(),
            gain: Gain::Idea(idea),
            limit,
        };
        let Some(&better) = self.best.first() else {
            return Ok(None);
        };
        if better == played {
            let idea = match self.new_threat(&search, better, None)? {
                Some(idea) => Some(idea),
                None => self.is_break(&search, better).then_some(Idea::Break),
            };
            return Ok(idea.map(|idea| proof((ReasonKind::Achieves, &self.best[..1], idea))));
        }
        if let Some(idea) = self.reply(&search, played, better)? {
            return Ok(Some(proof((
                ReasonKind::Allows,
                &self.refutation[..1],
                idea,
            ))));
        }
        let trade = self.trade(before.position(), played);
        let found = match trade.filter(|(_, _, idea)| self.may_be(*idea)) {
            Some(found) => Some(found),
            None if !self.is_singled_out(&search, THREAT_SINGLED_OUT) => None,
            None => self
                .new_threat(&search, better, Some(played))?
                .map(|idea| (ReasonKind::Misses, &self.best[..1], idea)),
        };
        let found = found.or_else(|| {
            let idea = self
                .structure(&search, played, better)
                .filter(|_| self.is_singled_out(&search, SINGLED_OUT))?;
            let length = match idea {
                Idea::Order => self.later(played)? + 1,
                _ => 1,
            };
            Some((ReasonKind::Misses, &self.best[..length], idea))
        });
        Ok(found.map(proof))
    }

    fn may_be(&self, idea: Idea) -> bool {
        idea.is_concrete() || self.view.loss < GREAT_LOSS
    }

    /// Returns what the opponent's reply is: a threat that was overlooked, a move that could have
    /// been prevented, or an attack.
    fn reply(
        &self,
        search: &Search<'_>,
        played: Move,
        better: Move,
    ) -> Result<Option<Idea>, AnalystError> {
        let position = search.before.position();
        let Some(&reply) = self.refutation.first() else {
            return Ok(None);
        };
        if !self.is_cause(search, CAUSED) || is_alike(self.best.get(1), reply) {
            return Ok(None);
        }
        // A recapture is no idea of the opponent's.
        if played.is_capture() && reply.to() == played.to() {
            return Ok(None);
        }
        let after_played = after(position, played);
        let targets = match reply.is_capture() {
            true => Vec::new(),
            false => attacked(&after_played, reply),
        };
        // What the reply takes, the played move does not protect.
        let protects = after_played
            .board()
            .attacks_from(played.to())
            .contains(reply.to());
        if reply.is_capture() && protects {
            return Ok(None);
        }
        let effect = match reply.is_capture() {
            true => None,
            false => self.effect(search, &after_played, reply, &targets)?,
        };
        if effect == Some(Idea::MateThreat) {
            return Ok(effect);
        }
        if !reply.is_capture() && effect.is_none() {
            return Ok(None);
        }
        let could_reply = passed(position).is_some_and(|passed| alike(&passed, reply).is_some());
        if could_reply && self.is_stopped(search, better, reply)? {
            let standing = self.view.best.for_mover(search.mover);
            let gain = search
                .passed(position)?
                .map(|(_, line)| line)
                .filter(|line| is_alike(line.pv.first(), reply))
                .map_or(0.0, |line| ahead(line.eval, reversed(standing)));
            if gain >= THREAT {
                return Ok(Some(Idea::Threat));
            }
            // A capture has its own point, and a reply that stays possible is not prevented.
            let is_impossible = alike(&after(position, better), reply).is_none();
            let hits_moved = targets.iter().any(|(_, square)| *square == played.to());
            if is_impossible && !better.is_capture() && effect == Some(Idea::Attack) && !hits_moved
            {
                return Ok(Some(Idea::Prevention));
            }
        }
        let is_attack = effect == Some(Idea::Attack) && self.is_cause(search, CAUSED_BY_ATTACK);
        let is_new = is_attack && {
            let after_better = after(position, better);
            alike(&after_better, reply).is_none_or(|same| attacked(&after_better, same).is_empty())
        };
        Ok(is_new.then_some(Idea::Attack))
    }

    /// Returns what a reply does that must be answered: it threatens mate soon, or attacks a piece
    /// that is lost if its side passes.
    fn effect(
        &self,
        search: &Search<'_>,
        after_played: &Chess,
        reply: Move,
        targets: &[(Role, Square)],
    ) -> Result<Option<Idea>, AnalystError> {
        let Some((_, line)) = search.passed(&after(after_played, reply))? else {
            return Ok(None);
        };
        let standing = reversed(self.view.worth.for_mover(search.mover));
        let gain = ahead(line.eval, standing);
        if mates_soon(line.eval) && standing.mate_moves().is_none() {
            return Ok(Some(Idea::MateThreat));
        }
        let takes = |mv: Move| targets.iter().any(|(_, square)| *square == mv.to());
        Ok((gain >= ATTACK && takes(line.first_move())).then_some(Idea::Attack))
    }

    /// Returns whether the better move is ahead of all others but the played one by this share of
    /// the loss.
    fn is_singled_out(&self, search: &Search<'_>, share: f64) -> bool {
        let of = |eval: Eval<White>| search.expected(eval.for_mover(search.mover));
        self.other
            .is_none_or(|other| of(self.view.best) - of(other) >= share * self.view.loss)
    }

    /// Returns whether the reply causes this share of the loss: after the second-best reply, the
    /// mover would stand better by so much.
    fn is_cause(&self, search: &Search<'_>, share: f64) -> bool {
        let of = |eval: Eval<White>| search.expected(eval.for_mover(search.mover));
        self.rival
            .is_some_and(|rival| of(rival) - of(self.view.worth) >= share * self.view.loss)
    }

    /// Returns whether the reply is impossible after the better move, or clearly worse than
    /// others.
    fn is_stopped(
        &self,
        search: &Search<'_>,
        better: Move,
        reply: Move,
    ) -> Result<bool, AnalystError> {
        let mut after_better = search.before.clone();
        after_better.push(better);
        let Some(same) = alike(after_better.position(), reply) else {
            return Ok(true);
        };
        let question = Question::new(after_better, search.limit).searchmoves([same]);
        let standing = reversed(self.view.best.for_mover(search.mover));
        let line = search.best(&question)?;
        Ok(line.is_some_and(|line| ahead(standing, line.eval) >= PREVENTED))
    }

    /// Returns what the move `better` threatens, unless it captures or the move `played` threatens
    /// as much.
    fn new_threat(
        &self,
        search: &Search<'_>,
        better: Move,
        played: Option<Move>,
    ) -> Result<Option<Idea>, AnalystError> {
        let position = search.before.position();
        if better.is_capture() {
            return Ok(None);
        }
        let [best, worth] =
            [self.view.best, self.view.worth].map(|eval| eval.for_mover(search.mover));
        let Some((passed, line)) = search.passed(&after(position, better))? else {
            return Ok(None);
        };
        let gain = ahead(line.eval, best);
        let threat = line.first_move();
        let is_old = alike(position, threat).is_some_and(|same| wins(position, same).is_some());
        let idea = if mates_soon(line.eval) && best.mate_moves().is_none() {
            Some(Idea::ThreatensMate)
        } else {
            wins(&passed, threat)
                .filter(|_| !is_old)
                .map(|(role, square)| Idea::ThreatensPiece(role, square))
        };
        let Some(idea) = idea.filter(|_| gain >= NEW_THREAT) else {
            return Ok(None);
        };
        let Some(played) = played else {
            return Ok(Some(idea));
        };
        let other = search.passed(&after(position, played))?;
        let same = other.map_or(0.0, |(_, line)| ahead(line.eval, worth));
        Ok((same <= SAME_THREAT * gain).then_some(idea))
    }

    /// Returns the line that exchanges the last pieces, or else the queens, if only one of the two
    /// lines does, and neither wins material.
    fn trade(&self, position: &Chess, played: Move) -> Option<(ReasonKind, &[Move], Idea)> {
        let whole: Vec<Move> = std::iter::once(played)
            .chain(self.refutation.iter().copied())
            .collect();
        let ends = |is_end: fn(&Board) -> bool| {
            let of = |line: &[Move]| exchanged(position, line, is_end);
            (!is_end(position.board())).then(|| [of(&self.best), of(&whole)])
        };
        let within = |plies: Option<usize>, most: usize| plies.is_some_and(|plies| plies <= most);
        let odd = |plies: usize| plies - (1 - plies % 2);
        let of = |ends: Option<[Option<usize>; 2]>, idea: Idea| {
            let [better, worse] = ends?;
            if within(better, TRADE_BETTER) && !within(worse, NO_TRADE) {
                return Some((ReasonKind::Misses, &self.best[..odd(better?)], idea));
            }
            // The exchange ends with the half-move `worse` of the whole line, which begins with the
            // played move.
            let may_capture = idea == Idea::PawnEnding || !played.is_capture();
            if within(worse, TRADE_PLAYED) && !within(better, NO_TRADE) && may_capture {
                let plies = odd((worse? - 1).max(1));
                return Some((ReasonKind::Allows, self.refutation.get(..plies)?, idea));
            }
            None
        };
        let has_both_queens = Color::ALL.into_iter().all(|color| {
            let board = position.board();
            (board.queens() & board.by_color(color)).count() == 1
        });
        of(ends(is_pawn_ending), Idea::PawnEnding).or_else(|| {
            let queens = ends(|board| board.queens().is_empty());
            of(queens.filter(|_| has_both_queens), Idea::QueenTrade)
        })
    }

    /// Returns whether the line after the played move wins no material for the opponent.
    fn costs_no_material(&self, position: &Chess, played: Move) -> bool {
        let (mover, next) = (position.turn(), after(position, played));
        let here = material_balance(position.board(), !mover);
        quiet_end(&next, &self.refutation, !mover).is_some_and(|end| end.balance <= here)
    }

    fn structure(&self, search: &Search<'_>, played: Move, better: Move) -> Option<Idea> {
        let position = search.before.position();
        let number = position.fullmoves().get();
        let own = |index: usize| self.refutation.get(index).copied();
        // What the mover does a move later was not missed.
        let comes_later = |mv: Move| {
            [1, 3]
                .into_iter()
                .any(|index| is_alike(own(index).as_ref(), mv))
        };
        let castles = |mv: Move| mv.is_castle();
        let is_castling = number <= LAST_CASTLING
            && castles(better)
            && ![1, 3].into_iter().filter_map(own).any(castles);
        let is_order = self.later(played).is_some()
            && self.refutation.first().is_some_and(|reply| {
                reply.to() == played.to() || !attacked(&after(position, played), *reply).is_empty()
            })
            && self.is_cause(search, CAUSED);
        let is_break = self.is_break(search, better)
            && self.costs_no_material(position, played)
            && played.role() != Role::Pawn
            && !comes_later(better);
        let is_development = number <= LAST_DEVELOPMENT
            && develops(position, better)
            && is_idle(position, played)
            && !comes_later(better);
        let found = [
            (is_break, Idea::Break),
            (is_castling, Idea::Castling),
            (is_order, Idea::Order),
            (is_development, Idea::Development),
        ];
        found
            .into_iter()
            .find(|(holds, idea)| *holds && self.may_be(*idea))
            .map(|(_, idea)| idea)
    }

    /// Returns the index of the played move in the better line, where it comes soon after.
    fn later(&self, played: Move) -> Option<usize> {
        (2..self.best.len().min(LATER))
            .step_by(2)
            .find(|&index| is_alike(self.best.get(index), played))
    }

    /// Returns whether a pawn moves without a capture and attacks a pawn, in a position that is
    /// about level.
    fn is_break(&self, search: &Search<'_>, mv: Move) -> bool {
        let position = search.before.position();
        let hits = attacks::pawn_attacks(search.mover, mv.to())
            & position.board().by_piece(Role::Pawn.of(!search.mover));
        let is_level = self
            .view
            .best
            .pawns()
            .is_some_and(|pawns| pawns.abs() <= LEVEL);
        let is_push = mv.role() == Role::Pawn && !mv.is_capture() && !mv.is_promotion();
        is_level && is_push && hits.any()
    }
}

/// Returns the number of half-moves after which a line has exchanged pieces until `is_end`; `None`
/// if it does not, or if it wins or loses material besides.
fn exchanged(position: &Chess, line: &[Move], is_end: fn(&Board) -> bool) -> Option<usize> {
    let balance = |board: &Board| material_balance(board, position.turn());
    let (mut at, here) = (position.clone(), balance(position.board()));
    for (index, &mv) in line.iter().enumerate() {
        if !at.is_legal(mv) {
            return None;
        }
        at.play_unchecked(mv);
        if is_end(at.board()) {
            return (balance(at.board()) == here).then_some(index + 1);
        }
    }
    None
}

/// Returns whether kings and pawns alone are on the board.
fn is_pawn_ending(board: &Board) -> bool {
    board.occupied() == board.kings() | board.pawns()
}

/// Returns whether a knight or bishop leaves the first rank for the first time.
fn develops(position: &Chess, mv: Move) -> bool {
    is_home(position.turn(), mv) && !mv.is_capture()
}

fn is_home(side: Color, mv: Move) -> bool {
    let home = side.fold_wb(Rank::First, Rank::Eighth);
    matches!(mv.role(), Role::Knight | Role::Bishop)
        && mv.from().is_some_and(|from| from.rank() == home)
}

/// Returns whether a move does nothing for the development: a queen's, a piece's that is out
/// already, or a rook pawn's.
fn is_idle(position: &Chess, mv: Move) -> bool {
    let is_rook_pawn = mv.role() == Role::Pawn
        && mv
            .from()
            .is_some_and(|from| matches!(from.file(), shakmaty::File::A | shakmaty::File::H));
    let is_out = matches!(mv.role(), Role::Knight | Role::Bishop) && !is_home(position.turn(), mv);
    !mv.is_capture() && (mv.role() == Role::Queen || is_out || is_rook_pawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_ideas_can_be_read_back() {
        let ideas = PLAIN
            .into_iter()
            .chain([Idea::ThreatensPiece(Role::Rook, Square::A8)]);
        for idea in ideas {
            assert_eq!(Idea::of_word(&idea.word()), Some(idea), "{idea:?}");
        }
        assert_eq!(Idea::of_word("threatens-rook"), None);
    }

    #[test]
    fn a_move_attacks_what_must_be_answered() {
        let start = History::from_fen("4k3/8/8/8/2q5/8/3N4/3RK3 w - - 0 1", None).unwrap();
        let of = |uci: &str| attacked(start.position(), start.parse_uci(uci).unwrap());
        // The knight on d2 attacked the queen already; from e4 it does not.
        assert_eq!(of("d2e4"), []);
        assert_eq!(of("d2b3"), []);
        assert_eq!(of("d1c1"), [(Role::Queen, Square::C4)]);
    }
}
