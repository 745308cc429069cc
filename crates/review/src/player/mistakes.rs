//! A player's mistakes in many games: by phase, symbol and opening, and the worst of them.

use std::collections::BTreeMap;

use centipawn_core::{Context, History, MoveSymbol};
use centipawn_judge::{JudgedMove, Judgement, Phase, reason::ReasonKind};
use shakmaty::{Color, Move, san::SanPlus};

use crate::Language;

/// The most mistakes that are kept of a player, so that memory does not grow with the number of
/// games.
const WORST: usize = 30;
/// Number of half-moves of a better line.
const BETTER_PLIES: usize = 5;

/// A player's mistakes, by phase and by opening.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Mistakes {
    /// The phases of games, in the order of [`Phase::ALL`].
    pub phases: [MistakeCounts; 3],
    /// Openings with their code and name, and the player's colour.
    pub openings: BTreeMap<(String, bool), MistakeCounts>,
    /// The mistakes with the largest losses of expected score, the largest first, at most 30.
    pub worst: Vec<Mistake>,
}

/// Totals of a player's moves in one phase or opening.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MistakeCounts {
    /// Number of games in which the player made a move in this phase or opening.
    pub games: u64,
    /// Number of moves made.
    pub moves: u64,
    /// Expected score lost.
    pub score_loss: f64,
    /// Numbers of moves with `?!`, `?` and `??`.
    pub symbols: [u64; 3],
}

/// A move with `?!`, `?` or `??`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mistake {
    /// The game's number in the batch, from 1.
    pub game: u64,
    /// Number of the half-move, from 1.
    pub ply: usize,
    /// The move with its number and symbol, in the review's language.
    pub text: String,
    /// The opponent's name.
    pub opponent: String,
    /// The date, as far as the game has it.
    pub date: String,
    /// The phase of the game.
    pub phase: Phase,
    /// Expected score lost, 0..=1.
    pub loss: f64,
    /// The position before the move.
    pub before: History,
    /// The move.
    pub mv: Move,
    /// The better move; `None` if it is unknown.
    pub better: Option<Move>,
    /// The better line with move numbers, five half-moves at most, in the review's language; `None`
    /// if it is unknown.
    pub better_line: Option<String>,
    /// The reason why it is a mistake, in a sentence of the review's language; `None` without a
    /// reason.
    pub reason: Option<String>,
    /// Whether its position is a puzzle, "find the better move": the reason is what the move
    /// misses, or every move but the better one gets a symbol of blame.
    pub is_puzzle: bool,
}

impl Mistakes {
    /// The symbols that count as mistakes.
    pub const SYMBOLS: [MoveSymbol; 3] = [
        MoveSymbol::Dubious,
        MoveSymbol::Mistake,
        MoveSymbol::Blunder,
    ];

    /// Adds the moves of one side in a game.
    pub(crate) fn add(&mut self, judged: &Judgement, language: Language, color: Color, game: u64) {
        let own = || {
            judged
                .plies
                .iter()
                .enumerate()
                .filter(|(_, ply)| ply.mover == color)
        };
        for (counts, phase) in self.phases.iter_mut().zip(Phase::ALL) {
            counts.add(own().map(|(_, ply)| ply).filter(|ply| ply.phase == phase));
        }
        if let Some(opening) = judged.opening {
            let key = (
                format!("{} {}", opening.eco, opening.name),
                color.is_black(),
            );
            self.openings
                .entry(key)
                .or_default()
                .add(own().map(|(_, ply)| ply));
        }
        self.worst.extend(
            own()
                .filter(|(_, ply)| blamed(ply).is_some())
                .map(|(index, ply)| Mistake {
                    game,
                    ply: index + 1,
                    text: text(ply, language),
                    opponent: judged.name(!color).to_owned(),
                    date: judged
                        .tags()
                        .date()
                        .map_or_else(String::new, |date| date.to_string()),
                    phase: ply.phase,
                    loss: ply.score_loss,
                    before: ply.before.clone(),
                    mv: ply.mv,
                    better: better(ply),
                    better_line: better(ply).and_then(|_| better_line(ply, language)),
                    reason: language.reason_text(ply),
                    is_puzzle: is_puzzle(ply, judged),
                }),
        );
        // A stable sort: of equal losses, the earlier comes first.
        self.worst.sort_by(|a, b| b.loss.total_cmp(&a.loss));
        self.worst.truncate(WORST);
    }
}

impl MistakeCounts {
    pub(crate) fn add<'a>(&mut self, moves: impl Iterator<Item = &'a JudgedMove>) {
        let before = self.moves;
        for ply in moves {
            self.moves += 1;
            self.score_loss += ply.score_loss;
            if let Some(index) = blamed(ply) {
                self.symbols[index] += 1;
            }
        }
        self.games += u64::from(self.moves > before);
    }
}

/// Returns the index of the move's symbol in [`Mistakes::SYMBOLS`]; `None` for other moves.
fn blamed(ply: &JudgedMove) -> Option<usize> {
    Mistakes::SYMBOLS
        .iter()
        .position(|symbol| ply.symbol == Some(*symbol))
}

fn text(ply: &JudgedMove, language: Language) -> String {
    format!("{}{}", language.numbered(ply), ply.glyphs())
}

/// Returns the better move, if it is known.
fn better(ply: &JudgedMove) -> Option<Move> {
    ply.better()?
        .first()
        .copied()
        .filter(|better| *better != ply.mv)
}

fn better_line(ply: &JudgedMove, language: Language) -> Option<String> {
    let mut position = ply.before.position().clone();
    let san = |&mv: &Move| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
    let moves: Vec<String> = ply.better()?.iter().take(BETTER_PLIES).map(san).collect();
    Some(language.line(ply.move_number, ply.mover.is_white(), &moves))
}

fn is_puzzle(ply: &JudgedMove, judged: &Judgement) -> bool {
    let misses = || {
        ply.reason
            .as_ref()
            .is_some_and(|reason| reason.kind == ReasonKind::Misses)
    };
    let is_single = || {
        let [first, second, ..] = &*ply.lines else {
            return false;
        };
        let context = Context::of(ply.before.position());
        let [best, next] =
            [first, second].map(|line| judged.curve.expected_score(line.eval, context));
        ply.scheme
            .symbol(next - best)
            .is_some_and(|symbol| !symbol.is_praise())
    };
    better(ply).is_some() && (misses() || is_single())
}
