//! Puzzles as games.

use std::io::{self, Read, Write};

use centipawn_pgn::{Game, Ply, Reader, write_game};
use shakmaty::{Color, KnownOutcome, Outcome};

use crate::{BadPuzzle, Puzzle, ReadError, Solution};

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

fn puzzle(game: &Game) -> Result<Puzzle, BadPuzzle> {
    let solution = Solution::new(game.start.position(), game.plies.iter().map(|ply| ply.mv))?;
    let mut puzzle = Puzzle::of(&game.start, solution);
    if let Some(id) = Some(tag(game, "PuzzleId")).filter(|id| !id.is_empty()) {
        id.clone_into(&mut puzzle.id);
    }
    puzzle.rating = number(game, "Rating")?;
    puzzle.deviation = number(game, "RatingDeviation")?;
    puzzle.popularity = number(game, "Popularity")?;
    puzzle.plays = number(game, "NbPlays")?;
    puzzle.set_theme_names(tag(game, "Themes").split_ascii_whitespace());
    tag(game, "GameUrl").clone_into(&mut puzzle.url);
    tag(game, "OpeningTags").clone_into(&mut puzzle.openings);
    Ok(puzzle)
}

pub(super) fn write(out: &mut impl Write, puzzle: &Puzzle) -> io::Result<()> {
    let mut game = Game::from_start(&puzzle.start);
    // A start position needs no FEN elsewhere; here it is what the puzzle begins with.
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
    set("Popularity", number(puzzle.popularity));
    set("NbPlays", number(puzzle.plays));
    set("Themes", puzzle.theme_names().join(" "));
    set("GameUrl", puzzle.url.clone());
    set("OpeningTags", puzzle.openings.clone());
    game.plies = puzzle.solution.moves().map(Ply::new).collect();
    if puzzle.themes.contains(crate::Theme::Mate) {
        let winner: Color = puzzle.solution.solver();
        game.result = Outcome::Known(KnownOutcome::Decisive { winner });
        game.headers.set("Result", winner.fold_wb("1-0", "0-1"));
    } else {
        game.headers.set("Result", "*");
    }
    write_game(out, &game)
}
