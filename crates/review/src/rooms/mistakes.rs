//! The mistakes of a reviewed game as puzzles: find the better move.

use centipawn_core::MoveSymbol;
use centipawn_pgn::{Game, player_key};
use centipawn_puzzle::{Puzzle, PuzzleGame};
use shakmaty::{Color, Move};

use crate::Review;

/// Returns whether a symbol is that of a mistake: `?!`, `?` or `??`.
pub fn is_mistake(symbol: MoveSymbol) -> bool {
    !symbol.is_praise()
}

/// A mistake as a puzzle.
#[derive(Clone, Debug)]
pub struct MistakePuzzle {
    /// Number of half-moves of the game before the mistake.
    pub ply: usize,
    /// The puzzle: the opponent's move before the mistake, and the better move as solution.
    pub puzzle: Puzzle,
}

/// The mistakes of a reviewed game.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Mistakes {
    /// The mistakes for which a puzzle exists.
    pub puzzles: Vec<MistakePuzzle>,
    /// The better move instead of a mistake at the first move. It gives no puzzle, since no move
    /// precedes it.
    pub first: Option<Move>,
    /// Number of mistakes for which no better move is known, because the game's own evaluations
    /// name none.
    pub without_better: usize,
    /// Whether the player takes part in the game.
    pub plays: bool,
}

/// Returns the mistakes of a player in a reviewed game; `None` for both players.
pub fn mistakes(review: &Review, player: Option<&str>) -> Mistakes {
    let (white, black) = (
        is_named(&review.game, "White", player),
        is_named(&review.game, "Black", player),
    );
    let mut found = Mistakes {
        plays: white || black,
        ..Mistakes::default()
    };
    let mut previous = None;
    for ((before, played), (index, ply)) in
        review.game.mainline().zip(review.plies.iter().enumerate())
    {
        let last = previous.replace((before, played));
        let is_own = if ply.mover == Color::White {
            white
        } else {
            black
        };
        let Some(symbol) = ply.symbol.filter(|symbol| is_own && is_mistake(*symbol)) else {
            continue;
        };
        let listed = ply.lines.iter().filter_map(|line| line.pv.first());
        let Some(better) = listed
            .chain(ply.own_line.first())
            .find(|better| **better != ply.mv)
        else {
            found.without_better += 1;
            continue;
        };
        // A puzzle begins with the opponent's move.
        let Some((start, opponent)) = last else {
            found.first = Some(*better);
            continue;
        };
        let [first, better] =
            [start.uci(opponent.mv), ply.before.uci(*better)].map(|mv| mv.to_string());
        let Ok(mut puzzle) = Puzzle::new(&start, [first.as_str(), &better]) else {
            continue;
        };
        puzzle.game = Some(PuzzleGame {
            played: ply.san.clone(),
            played_symbol: symbol.to_string(),
            ..players_of(&review.game)
        });
        puzzle.tag();
        found.puzzles.push(MistakePuzzle { ply: index, puzzle });
    }
    found
}

/// Returns whether a tag names the player; `None` is any player.
fn is_named(game: &Game, tag: &str, player: Option<&str>) -> bool {
    let name = game.headers.get(tag).map(str::trim);
    player.is_none_or(|player| name.is_some_and(|name| player_key(name) == player_key(player)))
}

fn players_of(game: &Game) -> PuzzleGame {
    let tag = |name| {
        game.headers
            .get(name)
            .filter(|text| !text.contains('?'))
            .unwrap_or_default()
            .to_owned()
    };
    PuzzleGame {
        white: tag("White"),
        black: tag("Black"),
        site: tag("Site"),
        date: tag("Date"),
        ..Default::default()
    }
}
