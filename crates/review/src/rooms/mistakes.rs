//! The mistakes of a reviewed game as puzzles: find the better move.

use centipawn_core::MoveSymbol;
use centipawn_judge::JudgedMove;
use centipawn_pgn::{Game, player_key};
use centipawn_puzzle::{Puzzle, PuzzleGame};
use shakmaty::{Color, Move, Position as _};

use crate::{Review, record::better_document};

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
    mistakes_of(review, player.as_slice())
}

/// Returns the mistakes of these players in a reviewed game; of both players without a name.
pub fn mistakes_of(review: &Review, players: &[&str]) -> Mistakes {
    let is_own = |tag| {
        players.is_empty()
            || players
                .iter()
                .any(|player| is_named(&review.game, tag, player))
    };
    let (white, black) = (is_own("White"), is_own("Black"));
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
        puzzle.url = address_of(&review.game).unwrap_or_default();
        puzzle.game = Some(PuzzleGame {
            played: ply.san.clone(),
            played_symbol: symbol.to_string(),
            explanation: explanation(review, ply),
            ..players_of(&review.game)
        });
        puzzle.tag();
        found.puzzles.push(MistakePuzzle { ply: index, puzzle });
    }
    found
}

/// Returns why a move was a mistake, and the line of the best move.
fn explanation(review: &Review, ply: &JudgedMove) -> String {
    let language = review.language;
    let better = better_document(ply).map(|better| {
        let number = ply.before.position().fullmoves().get();
        let line = language.line(number, ply.mover.is_white(), &better.san);
        format!("{} {line}.", language.labels().better)
    });
    [language.explanation(ply), better]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns whether a tag names the player.
fn is_named(game: &Game, tag: &str, player: &str) -> bool {
    let name = game.headers.get(tag).map(str::trim);
    name.is_some_and(|name| player_key(name) == player_key(player))
}

/// Returns the address of a game, from the tag `GameUrl` or `Link` of the sites, or from `Site`.
fn address_of(game: &Game) -> Option<String> {
    ["GameUrl", "Link", "Site"]
        .into_iter()
        .filter_map(|tag| game.headers.get(tag))
        .map(str::trim)
        .find(|text| text.starts_with("https://") || text.starts_with("http://"))
        .map(str::to_owned)
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
