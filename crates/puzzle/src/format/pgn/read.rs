//! Reads puzzles from PGN games.

use std::{collections::HashMap, io::Read};

use centipawn_core::{Eval, History, Mover};
use centipawn_pgn::{Dialect, Game, Ply, Reader};
use shakmaty::{Move, Position as _, san::SanPlus, zobrist::Zobrist64};

use super::{CONTINUATION, END, EXPECTED};
use crate::{
    BadPuzzle, CorrectMove, LineEnd, Node, Puzzle, PuzzleGame, ReadError, Reply, Side, Solution,
    Tree,
    error::clipped,
    solution_search::key,
    tree::{MOST_POSITIONS, mating_moves},
};

pub(in crate::format) fn puzzles(
    input: impl Read,
) -> impl Iterator<Item = Result<Puzzle, ReadError>> {
    Reader::new(input).map(|game| match game {
        Ok(Ok(game)) => {
            let (line, id) = (game.place.line, clipped(tag(&game, "PuzzleId")));
            puzzle(&game).map_err(|kind| ReadError::Puzzle { line, id, kind })
        }
        Ok(Err(error)) => Err(ReadError::Game(error)),
        Err(error) => Err(ReadError::Io(error)),
    })
}

fn tag<'a>(game: &'a Game, name: &str) -> &'a str {
    game.headers.get(name).map_or("", str::trim)
}

/// Returns the players, place and date of the puzzle's game, and the sides that erred; `None` if
/// the tags contain none of these.
fn puzzle_game(game: &Game) -> Option<PuzzleGame> {
    let erred = |name| match name {
        "White" => Some(Side::White),
        "Black" => Some(Side::Black),
        _ => None,
    };
    let puzzle_game = PuzzleGame {
        played: tag(game, "Played").to_owned(),
        played_symbol: tag(game, "PlayedSymbol").to_owned(),
        explanation: tag(game, "Explanation").to_owned(),
        erred: tag(game, "Erred")
            .split_ascii_whitespace()
            .filter_map(erred)
            .collect(),
        ..PuzzleGame::of(game)
    };
    (!puzzle_game.is_empty()).then_some(puzzle_game)
}

fn number<N: std::str::FromStr>(game: &Game, column: &'static str) -> Result<Option<N>, BadPuzzle> {
    match tag(game, column) {
        "" | "?" => Ok(None),
        text => text.parse().map(Some).map_err(|_| BadPuzzle::NoNumber {
            column,
            text: clipped(text),
        }),
    }
}

/// Parses an interval such as `1250-1720`. Returns `None` for anything else.
fn interval(text: &str) -> Option<[u32; 2]> {
    let (low, high) = text.split_once('-')?;
    Some([low.trim().parse().ok()?, high.trim().parse().ok()?])
}

fn puzzle(game: &Game) -> Result<Puzzle, BadPuzzle> {
    if ["FEN", "PuzzleId"]
        .iter()
        .all(|name| tag(game, name).is_empty())
    {
        return Err(BadPuzzle::Game);
    }
    let solution = Solution::new(game.start.position(), game.plies.iter().map(|ply| ply.mv))?;
    let mut puzzle = Puzzle::of(&game.start, solution);
    if let Some(id) = Some(tag(game, "PuzzleId")).filter(|id| !id.is_empty()) {
        id.clone_into(&mut puzzle.id);
    }
    puzzle.rating = number(game, "Rating")?;
    puzzle.deviation = number(game, "RatingDeviation")?;
    puzzle.rating_interval = interval(tag(game, "RatingInterval"));
    puzzle.popularity = number(game, "Popularity")?;
    puzzle.plays = number(game, "NbPlays")?;
    puzzle.set_theme_names(tag(game, "Themes").split_ascii_whitespace());
    tag(game, "GameUrl").clone_into(&mut puzzle.url);
    tag(game, "OpeningTags").clone_into(&mut puzzle.openings);
    puzzle.game = puzzle_game(game);
    let line = game.plies.get(1..).unwrap_or_default();
    if line.iter().any(is_of_tree) {
        if game.plies.len() + variation_plies(&game.plies) > 2 * MOST_POSITIONS {
            return Err(BadPuzzle::Tree("too many positions"));
        }
        let mut nodes = Nodes::default();
        nodes.read(line, &puzzle.shown());
        puzzle.tree = Some(Tree { nodes: nodes.nodes });
    }
    Ok(puzzle)
}

/// Returns whether a move shows that the game contains a tree, not only a solution.
fn is_of_tree(ply: &Ply) -> bool {
    !ply.variations.is_empty()
        || [EXPECTED, END]
            .into_iter()
            .any(|name| ply.command(name).is_some())
}

/// Returns the number of plies in variations. The recursion is safe, because the game reader limits
/// the nesting depth.
fn variation_plies(line: &[Ply]) -> usize {
    let variations = line.iter().flat_map(|ply| &ply.variations);
    variations
        .map(|variation| variation.len() + variation_plies(variation))
        .sum()
}

/// A tree that is being read.
#[derive(Default)]
struct Nodes {
    nodes: Vec<Node>,
    /// Numbers of the positions whose lines are complete. A position reached twice is written out
    /// once.
    numbers: HashMap<Zobrist64, usize>,
}

impl Nodes {
    /// Reads a position of the solver from the line that follows it, and returns its number.
    /// Variations of the solver's move are further correct moves; variations of the opponent's move
    /// are further defences.
    fn read(&mut self, line: &[Ply], position: &History) -> Option<usize> {
        let (main, rest) = line.split_first()?;
        if let Some(number) = self.numbers.get(&key(position)) {
            return Some(*number);
        }
        let number = self.nodes.len();
        let mut after = position.clone();
        after.push(main.mv);
        let others = main
            .variations
            .iter()
            .filter_map(|variation| variation.first());
        let answers = std::iter::once(main)
            .chain(others)
            .map(|ply| answer(ply, position))
            .collect();
        // Files do not state that a line ends with mate, because the board shows it.
        let mate = after.position().is_checkmate().then_some(LineEnd::Mate);
        let end = main.command(END).and_then(LineEnd::from_name).or(mate);
        self.nodes.push(Node {
            answers,
            replies: Vec::new(),
            end,
            continuation: continuation(main, &after),
        });
        let defences = rest
            .first()
            .map(|reply| std::iter::once(rest).chain(reply.variations.iter().map(Vec::as_slice)));
        for defence in defences.into_iter().flatten() {
            if let [reply, line @ ..] = defence {
                let mut next = after.clone();
                next.push(reply.mv);
                if let Some(next) = self.read(line, &next) {
                    self.nodes[number]
                        .replies
                        .push(Reply { mv: reply.mv, next });
                }
            }
        }
        self.numbers.insert(key(position), number);
        Some(number)
    }
}

/// Reads a correct move in `position`. The comment evaluates the position after it, in which a mate
/// is one move shorter. A mate in one has no evaluation, because the board shows it.
fn answer(ply: &Ply, position: &History) -> CorrectMove {
    let solver = position.turn();
    let expected = ply
        .command(EXPECTED)
        .and_then(|text| text.parse().ok())
        .filter(|score| (0.0..=1.0).contains(score));
    let eval = ply
        .annotation(Dialect::Commands, solver)
        .eval
        .map(|eval| eval.for_mover(solver));
    let eval = match eval.map(|eval: Eval<Mover>| (eval, eval.mate_moves())) {
        Some((_, Some(moves @ 0..))) => Some(Eval::mate(moves.saturating_add(1))),
        Some((eval, _)) => Some(eval),
        None => (expected.is_some() && mating_moves(position.position()).contains(&ply.mv))
            .then(|| Eval::mate(1)),
    };
    CorrectMove {
        mv: ply.mv,
        eval,
        expected,
    }
}

/// Reads the expected continuation after the end of the solution, up to the first word that is not
/// a legal move.
fn continuation(ply: &Ply, after: &History) -> Vec<Move> {
    let text = ply
        .comments
        .iter()
        .find_map(|comment| Some(comment.split_once(CONTINUATION)?.1))
        .unwrap_or_default();
    let mut now = after.clone();
    let next = |word: &str| {
        let mv = word
            .parse::<SanPlus>()
            .ok()?
            .san
            .to_move(now.position())
            .ok()?;
        now.push(mv);
        Some(mv)
    };
    text.split_ascii_whitespace().map_while(next).collect()
}
