//! Puzzles by Lichess' rules: mistakes that have only one good answer.

mod cook;
mod tier;

use std::collections::HashSet;

use centipawn_core::{Eval, History, Mover, material_balance};
use centipawn_engine::{Analyst, AnalystError, Limit};
use centipawn_pgn::{Annotation, Dialect, Game, GameEvals};
use centipawn_progress::Cancelled;
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Move, Position as _, Square, fen::Epd};

use crate::{
    Candidate, PositionFailure, Puzzle, Refusal, Solution, Theme, Verdict, candidate::before_last,
    limits::with_effort, miner::url,
};
use cook::{Cook, Cooked, win_chances};

/// The rules of Lichess' generator (github.com/ornicar/lichess-puzzler, version 50), with its node
/// limits or a fraction of them.
///
/// The game's own evaluations locate the mistakes; the engine analyses only the positions after
/// them. Each of the solver's moves must be much better than every alternative; the solution ends
/// with mate or when a move is no longer the only one. Mining a game stops at its first puzzle, and
/// at its first move without an evaluation. [`MiningRules`](crate::MiningRules) applies the rules
/// to a game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lichess {
    /// Factor for every node limit, > 0; 1 gives the generator's limits.
    pub effort: f64,
    /// Whether games of weak or hasty players must meet stricter limits. A rating up to 1500, or a
    /// time of up to one minute, skips the game; up to 1600, or under three minutes, rules out
    /// mates in two; up to 1750, or under eight minutes, rules out mates in one and advantages of
    /// two moves. Limits are relaxed for titled players and for short games.
    pub tiers: bool,
}

/// Nodes of a search for the two best moves.
const NODES: f64 = 25e6;
/// Depth in plies of the search for the defence against a mate. The generator's other limit,
/// 8,000,000 nodes, is rarely reached.
const DEFENCE: Limit = Limit::Depth(15);
/// A mate in fewer moves than this starts a mate puzzle. Within its solution, mates up to this
/// length are followed.
const MATE_SOON: Eval<Mover> = Eval::mate(15);
/// The solver must have at least this evaluation at every step.
const WON: Eval<Mover> = Eval::cp(200);
/// With equal material, the solver must have at least this evaluation.
const CLEAR: Eval<Mover> = Eval::cp(400);
/// A move is a mistake if the opponent's winning chances (−1 to 1) rise by more than this.
const RISE: f64 = 0.6;
/// An advantage greater than this is crushing.
const CRUSHING: Eval<Mover> = Eval::cp(600);
/// Evaluation of the start position for the side that answers the first move.
const START: Eval<Mover> = Eval::cp(20);

/// A position after a possible mistake.
struct Mistake<'a> {
    ply: usize,
    history: &'a History,
    /// Evaluations before and after the mistake, both for the side that is to move after it.
    was: Eval<Mover>,
    is: Eval<Mover>,
    /// The next move of the game.
    played: Option<Move>,
}

impl Lichess {
    /// Returns all candidates of a game in game order (mistakes by the game's evaluations), and the
    /// positions that the analyst failed to analyse. Only the last candidate can be a puzzle.
    ///
    /// The start position counts as +0.20 for the side that answers the first move, unless a
    /// comment before that move has an evaluation. Games of other variants have no candidates.
    pub(crate) fn look(
        self,
        game: &Game,
        evals: &GameEvals,
        analyst: &dyn Analyst,
        on_position: &(dyn Fn() + Sync),
    ) -> Result<(Vec<Candidate>, Vec<PositionFailure>), Cancelled> {
        let (mut candidates, mut failures) = (Vec::new(), Vec::new());
        let tier = if self.tiers {
            tier::of(game)
        } else {
            tier::HIGHEST
        };
        if tier == 0
            || game
                .headers
                .get("Variant")
                .is_some_and(|variant| variant != "Standard")
        {
            return Ok((candidates, failures));
        }
        let (mut was, mut seen, mut is_repeating) = (start_eval(game), HashSet::new(), false);
        let mut history = game.start.clone();
        for (index, ply) in game.plies.iter().enumerate() {
            let is_irreversible = is_irreversible(history.position(), ply.mv);
            history.push(ply.mv);
            // Like the generator, after a repetition skip positions until the next irreversible
            // move.
            if is_repeating {
                if !is_irreversible {
                    continue;
                }
                is_repeating = false;
                seen.clear();
            }
            let Some(is) = evals.of_position(index + 1, &history) else {
                break;
            };
            if !seen
                .insert(Epd::from_position(history.position(), EnPassantMode::Legal).to_string())
            {
                is_repeating = true;
                continue;
            }
            if hides_lost_castling(history.position()) {
                continue;
            }
            let ply = index + 1;
            let played = game.plies.get(ply).map(|next| next.mv);
            on_position();
            match self.look_at(
                &Mistake {
                    ply,
                    history: &history,
                    was,
                    is,
                    played,
                },
                game,
                tier,
                analyst,
            ) {
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
        let Mistake {
            ply,
            history,
            was,
            is,
            played,
        } = *mistake;
        let position = history.position();
        let mates = is > MATE_SOON;
        let wins = is >= WON && win_chances(is) > win_chances(was) + RISE;
        if !(mates || wins) || position.legal_moves().len() < 2 {
            return Ok(None);
        }
        let material = material_balance(position.board(), history.turn());
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
                let cook = Cook {
                    analyst,
                    limit,
                    solver: history.turn(),
                };
                if mates {
                    cook.mate(history, tier)?
                } else {
                    cook.advantage(history, tier)?
                }
            }
        };
        let puzzle = match cooked.verdict {
            Verdict::Found(_) => puzzle(history, &cooked, game, ply).map(Box::new),
            Verdict::Refused(_) => None,
        };
        // The game ends with the opponent's move, so the solution has no moves.
        let verdict = match cooked.verdict {
            Verdict::Found(_) if puzzle.is_none() => Refusal::GameOver.into(),
            verdict => verdict,
        };
        let Cooked { best, stages, .. } = cooked;
        Ok(Some(Candidate {
            ply,
            history: history.clone(),
            played,
            best,
            verdict,
            stages,
            puzzle,
        }))
    }
}

/// Builds the puzzle from its solution, with its themes.
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
    let eval = |comment: &String| Annotation::eval(comment.as_bytes(), Dialect::Commands, turn);
    game.comments
        .iter()
        .find_map(eval)
        .map_or(START, |eval| eval.for_mover(!turn))
}

/// Returns whether no earlier position can recur: the move captures, moves a pawn, or gives up the
/// right to castle or to capture en passant.
fn is_irreversible(before: &Chess, mv: Move) -> bool {
    let mut after = before.clone();
    after.play_unchecked(mv);
    mv.is_zeroing()
        || before.legal_ep_square().is_some()
        || before.castles().castling_rights() != after.castles().castling_rights()
}

/// Returns whether a king and a rook on their original squares have lost the right to castle. The
/// board does not show this, so the solver could not know it.
fn hides_lost_castling(position: &Chess) -> bool {
    let board = position.board();
    let looks_possible = |color: Color| {
        let (king, corners) = color.fold_wb(
            (Square::E1, [Square::A1, Square::H1]),
            (Square::E8, [Square::A8, Square::H8]),
        );
        let is_home = board.king_of(color) == Some(king);
        let rooks = board.by_piece(color.rook()) & Bitboard::from_iter(corners);
        if is_home { rooks } else { Bitboard::EMPTY }
    };
    looks_possible(Color::White) | looks_possible(Color::Black)
        != position.castles().castling_rights()
}
