//! Writes puzzles as PGN games.

use std::io::{self, Write};

use centipawn_core::{Eval, History, Mover};
use centipawn_pgn::{Game, Ply, write_game};
use shakmaty::{Color, KnownOutcome, Outcome, Position as _, san::SanPlus};

use super::{CONTINUATION, END, EXPECTED};
use crate::{CorrectMove, LineEnd, Node, Puzzle, PuzzleGame, Side, Tree};

fn command(name: &str, arguments: impl std::fmt::Display) -> String {
    format!("[%{name} {arguments}]")
}

fn name_of(side: Side) -> &'static str {
    match side {
        Side::White => "White",
        Side::Black => "Black",
    }
}

/// Writes a correct move with its evaluation and its expected score, rounded to thousandths.
fn answer_ply(answer: &CorrectMove, solver: Color) -> Ply {
    let mut ply = Ply::new(answer.mv);
    match answer.eval.map(|eval| (eval, eval.mate_moves())) {
        // A mate in one needs no evaluation, because the board shows it.
        None | Some((_, Some(1))) => {}
        Some((_, Some(moves))) if moves > 1 => {
            ply.set_eval(Eval::<Mover>::mate(moves - 1).for_white(solver));
        }
        Some((eval, _)) => ply.set_eval(eval.for_white(solver)),
    }
    if let Some(expected) = answer.expected {
        let command = command(EXPECTED, (expected * 1000.0).round() / 1000.0);
        match ply.comments.first_mut() {
            Some(eval) => *eval += &format!(" {command}"),
            None => ply.comments.push(command),
        }
    }
    ply
}

/// Formats the expected continuation after the end of the solution. The solver need not find it.
fn continuation(node: &Node, position: &History) -> Option<String> {
    let mut after = position.position().clone();
    after.play_unchecked(node.main());
    let moves = node.continuation.iter();
    let sans: Vec<String> = moves
        .map(|mv| SanPlus::from_move_and_play_unchecked(&mut after, *mv).to_string())
        .collect();
    (!sans.is_empty()).then(|| format!("{CONTINUATION}{}", sans.join(" ")))
}

/// Returns the line from a position of the tree, with all variations. If the position was already
/// written, its continuation is omitted.
fn line(tree: &Tree, positions: &[History], number: usize, is_written: &mut Vec<bool>) -> Vec<Ply> {
    let (node, solver) = (&tree.nodes()[number], positions[number].turn());
    let (main, others) = (&node.answers[0], &node.answers[1..]);
    let mut first = answer_ply(main, solver);
    let is_again = std::mem::replace(&mut is_written[number], true);
    if !is_again {
        let end = node.end.filter(|end| *end != LineEnd::Mate);
        first
            .comments
            .extend(end.map(|end| command(END, end.name())));
        first
            .comments
            .extend(continuation(node, &positions[number]));
    }
    first.comments = vec![first.comments.join(" ")];
    first.comments.retain(|comment| !comment.is_empty());
    first.variations = others
        .iter()
        .map(|answer| vec![answer_ply(answer, solver)])
        .collect();
    let mut plies = vec![first];
    if is_again {
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

/// Returns the mining program's name with a capital letter: `Centipawn 0.1.0`.
fn annotator(program: &str) -> String {
    let mut letters = program.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

pub(in crate::format) fn write(out: &mut impl Write, puzzle: &Puzzle) -> io::Result<()> {
    let mut game = Game::from_start(&puzzle.start);
    // `from_start` omits the FEN of the normal start position, but every puzzle must state its
    // position.
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
    set(
        "RatingInterval",
        puzzle
            .rating_interval
            .map_or_else(String::new, |[low, high]| format!("{low}-{high}")),
    );
    set("Popularity", number(puzzle.popularity));
    set("NbPlays", number(puzzle.plays));
    set("Themes", puzzle.theme_names().join(" "));
    set("GameUrl", puzzle.url.clone());
    set("OpeningTags", puzzle.openings.clone());
    if let Some(PuzzleGame {
        white,
        black,
        site,
        date,
        played,
        played_symbol,
        explanation,
        erred,
    }) = &puzzle.game
    {
        for (name, value) in [
            ("White", white),
            ("Black", black),
            ("Site", site),
            ("Date", date),
            ("Played", played),
            ("PlayedSymbol", played_symbol),
            ("Explanation", explanation),
        ] {
            set(name, value.clone());
        }
        set(
            "Erred",
            erred
                .iter()
                .map(|side| name_of(*side))
                .collect::<Vec<_>>()
                .join(" "),
        );
    }
    set(
        "Annotator",
        puzzle
            .provenance
            .as_ref()
            .map_or_else(String::new, |provenance| annotator(&provenance.program)),
    );
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
