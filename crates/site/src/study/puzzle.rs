//! A puzzle as a chapter.

use centipawn_pgn::{Game, Nag, PartialDate, Ply};
use centipawn_puzzle::Puzzle;
use centipawn_review::Language;
use shakmaty::san::SanPlus;

use super::{
    Chapter, occasion,
    shapes::{Brush, Remark},
};

/// Returns a puzzle: the opponent's move, then the solution. Other correct moves and the move of
/// the game are variations.
pub(super) fn chapter(puzzle: &Puzzle, event: &str, language: Language) -> Chapter {
    let words = |english: &str, german: &str| {
        if language == Language::German {
            german
        } else {
            english
        }
        .to_owned()
    };
    let mut game = Game::from_start(&puzzle.start);
    game.headers.set("Event", event);
    if let Some(source) = &puzzle.game {
        let site = if puzzle.url.is_empty() {
            &source.site
        } else {
            &puzzle.url
        };
        for (name, value) in [
            ("Site", site),
            ("Date", &source.date),
            ("White", &source.white),
            ("Black", &source.black),
        ] {
            if !value.is_empty() {
                game.headers.set(name, value.clone());
            }
        }
    }
    game.headers.set("Result", "*");
    game.plies = puzzle.solution.moves().map(Ply::new).collect();
    let (shown, side) = (puzzle.shown(), puzzle.solution.solver());
    for (step, ply) in game.plies.iter_mut().skip(1).step_by(2).enumerate() {
        let also = |mv| {
            let mut ply = Ply::new(mv);
            ply.comments = Remark::default()
                .say(words("Also correct.", "Auch richtig."))
                .comment();
            vec![ply]
        };
        ply.variations = puzzle.also_correct(step).into_iter().map(also).collect();
    }
    let answer = &mut game.plies[1];
    let played = puzzle.game.as_ref().and_then(|source| {
        let mv = SanPlus::from_ascii(source.played.as_bytes())
            .ok()?
            .san
            .to_move(shown.position())
            .ok()?;
        let mut ply = Ply::new(mv);
        // Only a review knows the symbol.
        ply.nags.extend(Nag::from_glyph(&source.played_symbol));
        Some(ply)
    });
    let is_shown = |ply: &Ply| {
        answer.mv == ply.mv || answer.variations.iter().any(|line| line[0].mv == ply.mv)
    };
    if let Some(mut ply) = played.filter(|ply| !is_shown(ply)) {
        ply.comments = Remark::default()
            .say(match puzzle.game.as_ref().map(|game| &*game.explanation) {
                Some(explanation) if !explanation.is_empty() => explanation.to_owned(),
                _ => words("Played in the game.", "So geschah es in der Partie."),
            })
            .comment();
        answer.variations.push(vec![ply]);
    }
    let first = Remark::default().arrow(Brush::Green, answer.mv, side);
    answer.comments = first.comment();
    let last = game.plies.len() - 1;
    let themes = puzzle.motif_names().join(", ");
    let themes = if themes.is_empty() {
        themes
    } else {
        format!("{}: {themes}.", words("Themes", "Themen"))
    };
    let mut end = if last == 1 { first } else { Remark::default() };
    end = end.say(themes);
    game.plies[last].comments = end.comment();
    let rating = puzzle
        .rating
        .map_or_else(String::new, |rating| format!(" ({rating})"));
    let title = match &puzzle.game {
        Some(source) if !(source.white.is_empty() && source.black.is_empty()) => {
            let name = |name: &str| {
                if name.is_empty() {
                    "?".to_owned()
                } else {
                    name.to_owned()
                }
            };
            occasion(
                &format!("{} – {}", name(&source.white), name(&source.black)),
                PartialDate::read(&source.date),
            )
        }
        _ => format!("{} {}", words("Puzzle", "Aufgabe"), puzzle.id),
    };
    Chapter::new(game, &format!("{title}{rating}"), side)
}
