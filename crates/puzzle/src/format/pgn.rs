//! Puzzles as PGN games.

use std::io::{self, Read, Write};

use centipawn_core::{Eval, History, Mover};
use centipawn_pgn::{Dialect, Game, Ply, Reader, write_game};
use shakmaty::{Color, KnownOutcome, Outcome, Position as _, san::SanPlus};

use crate::{BadPuzzle, CorrectMove, Node, Puzzle, ReadError, Reply, Solution, Tree, tree::MOST_POSITIONS};

pub(super) fn puzzles(input: impl Read) -> impl Iterator<Item = Result<Puzzle, ReadError>> {
    Reader::new(input).map(|game| match game {
        Ok(Ok(game)) => {
            let (line, id) = (game.place.line, tag(&game, "PuzzleId").to_owned());
            puzzle(&game).map_err(|kind| ReadError::Puzzle { line, id, kind })
        }
        Ok(Err(error)) => Err(ReadError::Game(error)),
        Err(error) => Err(ReadError::Io(error)),
    })
}

fn tag<'a>(game: &'a Game, name: &str) -> &'a str {
    game.headers.get(name).map_or("", str::trim)
}

fn number<N: std::str::FromStr>(game: &Game, column: &'static str) -> Result<Option<N>, BadPuzzle> {
    match tag(game, column) {
        "" | "?" => Ok(None),
        text => text.parse().map(Some).map_err(|_| BadPuzzle::NoNumber { column, text: text.to_owned() }),
    }
}

/// Parses an interval such as `1250-1720`; `None` for anything else.
fn interval(text: &str) -> Option<[u32; 2]> {
    let (low, high) = text.split_once('-')?;
    Some([low.trim().parse().ok()?, high.trim().parse().ok()?])
}

fn puzzle(game: &Game) -> Result<Puzzle, BadPuzzle> {
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
    if game.plies.iter().any(|ply| !ply.variations.is_empty()) {
        let mut tree = Tree { nodes: Vec::new() };
        if game.plies.len() + variation_plies(&game.plies) > 2 * MOST_POSITIONS {
            return Err(BadPuzzle::Tree("too many positions"));
        }
        read_node(&mut tree, game.plies.get(1..).unwrap_or_default(), puzzle.solution.solver());
        puzzle.tree = Some(tree);
    }
    Ok(puzzle)
}

/// Number of plies in variations; the game reader limits the nesting depth.
fn variation_plies(line: &[Ply]) -> usize {
    let variations = line.iter().flat_map(|ply| &ply.variations);
    variations.map(|variation| variation.len() + variation_plies(variation)).sum()
}

/// Reads a position of the solver from the line that follows it. Variations of the solver's move are further correct
/// moves; variations of the opponent's move are further defences.
fn read_node(tree: &mut Tree, line: &[Ply], solver: Color) -> Option<usize> {
    let (main, rest) = line.split_first()?;
    let number = tree.nodes.len();
    let others = main.variations.iter().filter_map(|variation| variation.first());
    let answers = std::iter::once(main).chain(others).map(|ply| answer(ply, solver)).collect();
    tree.nodes.push(Node { answers, replies: Vec::new(), end: None, continuation: Vec::new() });
    let defences = rest.first().map(|reply| std::iter::once(rest).chain(reply.variations.iter().map(Vec::as_slice)));
    for defence in defences.into_iter().flatten() {
        if let [reply, line @ ..] = defence
            && let Some(next) = read_node(tree, line, solver)
        {
            tree.nodes[number].replies.push(Reply { mv: reply.mv, next });
        }
    }
    Some(number)
}

/// The comment evaluates the position after the move, where a mate is one move shorter.
fn answer(ply: &Ply, solver: Color) -> CorrectMove {
    let eval = ply.annotation(Dialect::Commands, solver).eval.map(|eval| eval.for_mover(solver));
    let eval = eval.map(|eval: Eval<Mover>| match eval.mate_moves() {
        Some(moves) if moves >= 0 => Eval::mate(moves.saturating_add(1)),
        _ => eval,
    });
    CorrectMove { mv: ply.mv, eval, expected: None }
}

fn answer_ply(answer: &CorrectMove, solver: Color) -> Ply {
    let mut ply = Ply::new(answer.mv);
    match answer.eval.map(|eval| (eval, eval.mate_moves())) {
        // A mate in one needs no evaluation: the board shows it.
        None | Some((_, Some(1))) => {}
        Some((_, Some(moves))) if moves > 1 => ply.set_eval(Eval::<Mover>::mate(moves - 1).for_white(solver)),
        Some((eval, _)) => ply.set_eval(eval.for_white(solver)),
    }
    ply
}

/// The expected continuation after the end of the solution, as a comment for readers; the solver need not find it.
fn continuation(node: &Node, position: &History) -> Option<String> {
    const LONGEST: usize = 6;
    let mut after = position.position().clone();
    after.play_unchecked(node.main());
    let moves = node.continuation.iter().take(LONGEST);
    let sans: Vec<String> =
        moves.map(|mv| SanPlus::from_move_and_play_unchecked(&mut after, *mv).to_string()).collect();
    (!sans.is_empty()).then(|| format!("expected: {}", sans.join(" ")))
}

/// The line from a position of the tree, with all variations. A position reached a second time gets no continuation.
fn line(tree: &Tree, positions: &[History], number: usize, is_written: &mut Vec<bool>) -> Vec<Ply> {
    let (node, solver) = (&tree.nodes()[number], positions[number].turn());
    let (main, others) = (&node.answers[0], &node.answers[1..]);
    let mut first = answer_ply(main, solver);
    first.comments.extend(continuation(node, &positions[number]));
    first.variations = others.iter().map(|answer| vec![answer_ply(answer, solver)]).collect();
    let mut plies = vec![first];
    if std::mem::replace(&mut is_written[number], true) {
        return plies;
    }
    let mut lines = node.replies.iter().map(|reply| {
        let mut line = line(tree, positions, reply.next, is_written);
        line.insert(0, Ply::new(reply.mv));
        line
    });
    if let Some(mut main) = lines.next() {
        main[0].variations = lines.collect();
        plies.extend(main);
    }
    plies
}

/// The mining program's name with a capital letter: `Centipawn 0.1.0`.
fn annotator(program: &str) -> String {
    let mut letters = program.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

pub(super) fn write(out: &mut impl Write, puzzle: &Puzzle) -> io::Result<()> {
    let mut game = Game::from_start(&puzzle.start);
    // `from_start` omits the FEN of the normal start position; a puzzle always states it.
    let mut set = |name: &str, value: String| {
        if !value.is_empty() {
            game.headers.set(name, value);
        }
    };
    fn number<N: ToString>(number: Option<N>) -> String {
        number.map_or_else(String::new, |number| number.to_string())
    }
    set("Event", format!("Puzzle {}", puzzle.id));
    set("PuzzleId", puzzle.id.clone());
    set("Rating", number(puzzle.rating));
    set("RatingDeviation", number(puzzle.deviation));
    set("RatingInterval", puzzle.rating_interval.map_or_else(String::new, |[low, high]| format!("{low}-{high}")));
    set("Popularity", number(puzzle.popularity));
    set("NbPlays", number(puzzle.plays));
    set("Themes", puzzle.theme_names().join(" "));
    set("GameUrl", puzzle.url.clone());
    set("OpeningTags", puzzle.openings.clone());
    set("Annotator", puzzle.provenance.as_ref().map_or_else(String::new, |provenance| annotator(&provenance.program)));
    game.plies = match &puzzle.tree {
        None => puzzle.solution.moves().map(Ply::new).collect(),
        Some(tree) => {
            let positions = tree.positions(&puzzle.shown());
            let mut plies = line(tree, &positions, 0, &mut vec![false; positions.len()]);
            plies.splice(0..0, puzzle.solution.moves().take(1).map(Ply::new));
            plies
        }
    };
    if puzzle.themes.contains(crate::Theme::Mate) {
        let winner: Color = puzzle.solution.solver();
        game.result = Outcome::Known(KnownOutcome::Decisive { winner });
        game.headers.set("Result", winner.fold_wb("1-0", "0-1"));
    } else {
        game.headers.set("Result", "*");
    }
    write_game(out, &game)
}
