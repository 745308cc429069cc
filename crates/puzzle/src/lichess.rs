//! Lichess' puzzles: mistakes that can be punished in one way only.

mod cook;
mod tier;

use std::collections::HashSet;

use centipawn_core::{Eval, History, Mover};
use centipawn_engine::{Analyst, AnalystError, Limit};
use centipawn_pgn::{Annotation, Dialect, Game, GameEvals};
use centipawn_progress::Cancelled;
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Move, Position as _, Square, fen::Epd};

use crate::{
    Candidate, PositionFailure, Puzzle, Refusal, Solution, Theme, Verdict, candidate::before_last, guard::balance,
    limits::with_effort, miner::url,
};
use cook::{Cook, Cooked, win_chances};

/// The rules of Lichess' generator (github.com/ornicar/lichess-puzzler, version 50), with its limits or a share of them.
///
/// A game's own evaluations say where one side made a mistake; the engine is asked only there. It must find an answer in which
/// each move of the solver's is much better than every other, to mate or as long as that holds. The first puzzle of a game is
/// taken, and the rest of the game is not looked at. A game is read up to its first move without an evaluation.
/// [`MiningRules`](crate::MiningRules) runs them on a game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lichess {
    /// Every node limit is multiplied by this, > 0; 1 is the generator.
    pub effort: f64,
    /// Whether games of weak or hasty players must offer more, or are skipped: with a rating up to 1500 or up to one minute
    /// they are; up to 1600 or under three minutes there is no mate in two; up to 1750 or under eight minutes no mate in one and
    /// no advantage of two moves. Titled players and short games have it a little easier.
    pub tiers: bool,
}

/// Nodes of a search for the two best moves.
const NODES: f64 = 25e6;
/// Plies of the search for the defence against mate. The generator's other limit, 8,000,000 nodes, is hardly ever reached.
const DEFENCE: Limit = Limit::Depth(15);
/// A mate in fewer moves is worth a puzzle.
const MATE_SOON: Eval<Mover> = Eval::mate(15);
/// At least this much is won at every step.
const WON: Eval<Mover> = Eval::cp(200);
/// This much is clearly won, also for a side that was not behind.
const CLEAR: Eval<Mover> = Eval::cp(400);
/// By how much the chances, −1 to 1, must rise with the mistake.
const RISE: f64 = 0.6;
/// More than this is crushing.
const CRUSHING: Eval<Mover> = Eval::cp(600);
/// What a game begins with, for the side that answers its first move.
const START: Eval<Mover> = Eval::cp(20);

/// A position after a move that may have been a mistake.
struct Mistake<'a> {
    ply: usize,
    history: &'a History,
    /// Evaluations of the position before it, and of this one, for the side to move now.
    was: Eval<Mover>,
    is: Eval<Mover>,
    /// What is played next.
    played: Option<Move>,
}

impl Lichess {
    /// All candidates of a game, in its order: mistakes by the evaluations that stand in it; and the positions that the analyst
    /// cannot answer, as half-moves before them, and why. The last candidate may be a puzzle.
    ///
    /// The game's start counts as +0.20 for the side that answers the first move, unless a comment before that move has an
    /// evaluation. Games of other variants have no candidates.
    pub(crate) fn look(
        self,
        game: &Game,
        evals: &GameEvals,
        analyst: &dyn Analyst,
        on_position: &(dyn Fn() + Sync),
    ) -> Result<(Vec<Candidate>, Vec<PositionFailure>), Cancelled> {
        let (mut candidates, mut failures) = (Vec::new(), Vec::new());
        let tier = if self.tiers { tier::of(game) } else { tier::HIGHEST };
        if tier == 0 || game.headers.get("Variant").is_some_and(|variant| variant != "Standard") {
            return Ok((candidates, failures));
        }
        let (mut was, mut seen, mut is_repeating) = (start_eval(game), HashSet::new(), false);
        let mut history = game.start.clone();
        for (index, ply) in game.plies.iter().enumerate() {
            let is_irreversible = is_irreversible(history.position(), ply.mv);
            history.push(ply.mv);
            // What follows a repetition is looked at again after a move that cannot be undone.
            if is_repeating {
                if !is_irreversible {
                    continue;
                }
                is_repeating = false;
                seen.clear();
            }
            let Some(is) = evals.of_position(index + 1, &history) else { break };
            if !seen.insert(Epd::from_position(history.position(), EnPassantMode::Legal).to_string()) {
                is_repeating = true;
                continue;
            }
            if hides_lost_castling(history.position()) {
                continue;
            }
            let ply = index + 1;
            let played = game.plies.get(ply).map(|next| next.mv);
            on_position();
            match self.look_at(&Mistake { ply, history: &history, was, is, played }, game, tier, analyst) {
                Ok(None) => {}
                Ok(Some(candidate)) => {
                    let is_over = candidate.verdict == Verdict::Refused(Refusal::GameOver);
                    let is_last = candidate.verdict.is_found() || is_over;
                    candidates.push(candidate);
                    if is_last {
                        break;
                    }
                }
                Err(AnalystError::Cancelled) => return Err(Cancelled),
                Err(error) => failures.push((ply, error)),
            }
            was = is.for_opponent();
        }
        Ok((candidates, failures))
    }

    fn look_at(
        self,
        mistake: &Mistake<'_>,
        game: &Game,
        tier: u8,
        analyst: &dyn Analyst,
    ) -> Result<Option<Candidate>, AnalystError> {
        let Mistake { ply, history, was, is, played } = *mistake;
        let position = history.position();
        let mates = is > MATE_SOON;
        let wins = is >= WON && win_chances(is) > win_chances(was) + RISE;
        if !(mates || wins) || position.legal_moves().len() < 2 {
            return Ok(None);
        }
        let material = balance(position.board(), history.turn());
        let refused = if material > 0 {
            Some(Refusal::MaterialUp)
        } else if is == Eval::mate(1) && tier < 3 {
            Some(Refusal::MateInOne)
        } else if is < CLEAR && material == 0 {
            Some(Refusal::NotClear)
        } else {
            None
        };
        let cooked = match refused {
            Some(refusal) => Cooked::new(refusal.into()),
            None => {
                let limit = Limit::Nodes(with_effort(NODES, self.effort));
                let cook = Cook { analyst, limit, solver: history.turn() };
                if mates { cook.mate(history, tier)? } else { cook.advantage(history, tier)? }
            }
        };
        let puzzle = match cooked.verdict {
            Verdict::Found(_) => puzzle(history, &cooked, game, ply).map(Box::new),
            Verdict::Refused(_) => None,
        };
        // A game that ends with the opponent's move: no solution.
        let verdict = match cooked.verdict {
            Verdict::Found(_) if puzzle.is_none() => Refusal::GameOver.into(),
            verdict => verdict,
        };
        let Cooked { best, stages, .. } = cooked;
        Ok(Some(Candidate { ply, history: history.clone(), played, best, verdict, stages, puzzle }))
    }
}

/// The puzzle that a solution is, with what it is about.
fn puzzle(history: &History, cooked: &Cooked, game: &Game, ply: usize) -> Option<Puzzle> {
    let (mistake, start) = before_last(history)?;
    let moves = [mistake].into_iter().chain(cooked.moves.iter().copied());
    let mut puzzle = Puzzle::of(&start, Solution::new(start.position(), moves).ok()?);
    puzzle.themes.insert(match cooked.worth {
        Some(worth) if worth <= WON => Theme::Equality,
        Some(worth) if worth <= CRUSHING => Theme::Advantage,
        _ => Theme::Crushing,
    });
    puzzle.tag();
    puzzle.url = url(game, ply);
    Some(puzzle)
}

fn start_eval(game: &Game) -> Eval<Mover> {
    let turn = game.start.turn();
    let said = |comment: &String| Annotation::eval(comment.as_bytes(), Dialect::Commands, turn);
    game.comments.iter().find_map(said).map_or(START, |eval| eval.for_mover(!turn))
}

/// Whether no position before can come again: something is taken, a pawn moves, castling or taking in passing is given up.
fn is_irreversible(before: &Chess, mv: Move) -> bool {
    let mut after = before.clone();
    after.play_unchecked(mv);
    mv.is_zeroing()
        || before.legal_ep_square().is_some()
        || before.castles().castling_rights() != after.castles().castling_rights()
}

/// Whether a king and a rook stand as at the beginning but may not castle, which nobody sees from the board.
fn hides_lost_castling(position: &Chess) -> bool {
    let board = position.board();
    let looks_possible = |color: Color| {
        let (king, corners) =
            color.fold_wb((Square::E1, [Square::A1, Square::H1]), (Square::E8, [Square::A8, Square::H8]));
        let is_home = board.king_of(color) == Some(king);
        let rooks = board.by_piece(color.rook()) & Bitboard::from_iter(corners);
        if is_home { rooks } else { Bitboard::EMPTY }
    };
    looks_possible(Color::White) | looks_possible(Color::Black) != position.castles().castling_rights()
}
