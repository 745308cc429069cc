//! A game to be shown before anything is evaluated: who plays, the moves, and what annotators say.

use centipawn_core::History;
use centipawn_judge::Tags;
use centipawn_pgn::{Dialect, Game, Nag, Opening, Ply};
use serde::Serialize;
use shakmaty::{CastlingMode, Chess, Square};

use super::player_names;
use crate::without_review;

/// Variations of a game that are shown at most, their moves, and how deep they lie inside each
/// other.
const VARIATIONS: usize = 500;
const MOVES: usize = 60;
const DEPTH: usize = 8;
/// Arrows and circles of a position at most.
const SHAPES: usize = 64;
/// `$9`, the worst move.
const WORST: Nag = Nag(9);
/// The sign for a missed reason, which the page shows as the word "miss".
const MISS: &str = "×";

/// A game in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct GameSummary {
    /// Its number in the store, or on the site.
    pub id: i64,
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// Event, site and date, as far as the game has them.
    pub occasion: String,
    /// Code and name of the opening.
    pub opening: Option<String>,
    /// Half-moves.
    pub plies: usize,
    /// Half-moves whose evaluation the game has in its comments.
    pub evaluated: usize,
}

/// A game, to be shown before anything is evaluated.
///
/// ```
/// use centipawn_pgn::Reader;
/// use centipawn_review::rooms::{GameSummary, MovesDocument};
///
/// let pgn = "[White \"Anna\"]\n\n1. e4 e5 { solid } 1/2-1/2\n";
/// let game = Reader::new(pgn.as_bytes()).next().unwrap()?.unwrap();
/// let moves = MovesDocument::new(GameSummary::new(1, &game), &game, false);
/// assert_eq!((&*moves.summary.white, &*moves.summary.result), ("Anna", "1/2-1/2"));
/// assert_eq!(moves.uci, ["e2e4", "e7e5"]);
/// assert_eq!((moves.notes[0].ply, &*moves.notes[0].text), (2, "solid"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct MovesDocument {
    /// The game in a list.
    #[serde(flatten)]
    pub summary: GameSummary,
    /// The tag pairs, in their order.
    pub headers: Vec<(String, String)>,
    /// FEN of the start.
    pub fen: String,
    /// Whether castling is written as in Chess960.
    pub chess960: bool,
    /// The moves in SAN.
    pub san: Vec<String>,
    /// The moves in UCI notation.
    pub uci: Vec<String>,
    /// Comments and variations of the game, in its order.
    pub notes: Vec<NoteDocument>,
}

/// What an annotator says about a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct NoteDocument {
    /// Number of the half-move, from 1; 0 before the first one.
    pub ply: usize,
    /// Its symbol in the game: `!?`; empty without one.
    pub symbol: String,
    /// The comments, without numbers for programs.
    pub text: String,
    /// Moves that could be played instead.
    pub variations: Vec<Vec<NoteMove>>,
    /// The annotator's arrows (`Ge2e4`) and circles (`Rd4`) in the position after the move; missing
    /// without any. The first letter is the colour: green, red, yellow or blue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<String>,
}

/// A move of a variation. It may be a null move: `--` in SAN, `0000` in UCI notation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct NoteMove {
    /// The move; its SAN ends with its symbol.
    #[serde(flatten)]
    pub step: LineMove,
    /// The remark on the move; most moves have none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Moves that could be played instead of it; missing for most moves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion)]
    pub variations: Vec<Vec<NoteMove>>,
}

/// A move in both notations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct LineMove {
    /// UCI notation.
    pub uci: String,
    /// SAN.
    pub san: String,
}

impl GameSummary {
    /// Creates the summary of a game. `id` is its number in the store, or on the site.
    pub fn new(id: i64, game: &Game) -> Self {
        let tags = Tags::of(&game.headers);
        let dialect = Dialect::detect([game]);
        let has_eval =
            |(before, ply): &(History, &Ply)| ply.annotation(dialect, before.turn()).eval.is_some();
        let [white, black] = player_names(game);
        Self {
            id,
            white,
            black,
            result: game.result.to_string(),
            occasion: tags.occasion(),
            opening: tags.opening(Opening::of(game)),
            plies: game.plies.len(),
            evaluated: game.mainline().filter(has_eval).count(),
        }
    }
}

impl MovesDocument {
    /// Returns all of a game. `is_reviewed`: a review stands beside it, so annotations of an
    /// earlier review are left out.
    pub fn new(summary: GameSummary, game: &Game, is_reviewed: bool) -> Self {
        let line = || game.mainline();
        Self {
            summary,
            headers: game
                .headers
                .iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            fen: game.start.fen(),
            chess960: game.start.mode() == CastlingMode::Chess960,
            san: line()
                .map(|(before, ply)| ply.san(before.position()).to_string())
                .collect(),
            uci: line()
                .map(|(before, ply)| before.uci(ply.mv).to_string())
                .collect(),
            // Beside a review the remarks of an earlier one would repeat it, or contradict it.
            notes: if is_reviewed {
                notes(&without_review(game))
            } else {
                notes(game)
            },
        }
    }
}

/// Returns what the annotator says, move by move.
fn notes(game: &Game) -> Vec<NoteDocument> {
    let mut left = VARIATIONS;
    let first = NoteDocument {
        ply: 0,
        symbol: String::new(),
        text: said(&mut game.comments.iter()),
        variations: Vec::new(),
        shapes: shapes(&game.comments),
    };
    let others = game
        .mainline()
        .enumerate()
        .map(|(index, (before, ply))| NoteDocument {
            ply: index + 1,
            symbol: glyphs(ply),
            text: said(&mut ply.comments_before.iter().chain(&ply.comments)),
            variations: variations(before.position(), before.mode(), ply, DEPTH, &mut left),
            shapes: shapes(&ply.comments),
        });
    let is_said = |note: &NoteDocument| {
        !(note.symbol.is_empty()
            && note.text.is_empty()
            && note.variations.is_empty()
            && note.shapes.is_empty())
    };
    std::iter::once(first)
        .chain(others)
        .filter(is_said)
        .collect()
}

/// Comments as one text.
fn said(comments: &mut dyn Iterator<Item = &String>) -> String {
    let plain = comments
        .map(|comment| without_commands(comment, &[]))
        .filter(|text| !text.is_empty());
    plain.collect::<Vec<_>>().join(" ")
}

/// Returns the symbols of a move: `!?`. The worst move, which some sites write for a missed chance,
/// has no customary symbol.
fn glyphs(ply: &Ply) -> String {
    let glyph = |nag: &Nag| {
        if *nag == WORST {
            MISS
        } else {
            nag.glyph().unwrap_or_default()
        }
    };
    ply.nags.iter().map(glyph).collect()
}

/// Returns the arrows and circles of comments, as far as they are well formed.
fn shapes(comments: &[String]) -> Vec<String> {
    let commands = comments
        .iter()
        .flat_map(|comment| comment.split("[%").skip(1));
    let arguments = commands.filter_map(|command| {
        let arguments = command
            .strip_prefix("cal")
            .or_else(|| command.strip_prefix("csl"))?;
        arguments
            .starts_with(char::is_whitespace)
            .then(|| arguments.split_once(']').map(|(inside, _)| inside))?
    });
    let shapes = arguments.flat_map(|arguments| arguments.split(',').map(str::trim));
    let is_shape = |shape: &&str| is_shape(shape);
    shapes
        .filter(is_shape)
        .take(SHAPES)
        .map(str::to_owned)
        .collect()
}

/// Returns whether a text is an arrow (`Ge2e4`) or a circle (`Rd4`), with its colour.
fn is_shape(text: &str) -> bool {
    let is_square = |at: std::ops::Range<usize>| {
        text.get(at)
            .is_some_and(|square| square.parse::<Square>().is_ok())
    };
    text.starts_with(['G', 'R', 'Y', 'B'])
        && is_square(1..3)
        && (text.len() == 3 || (text.len() == 5 && is_square(3..5)))
}

/// Returns the variations of a move with those inside of them; `left` counts down how many more
/// there may be.
fn variations(
    before: &Chess,
    mode: CastlingMode,
    ply: &Ply,
    depth: usize,
    left: &mut usize,
) -> Vec<Vec<NoteMove>> {
    let mut all = Vec::new();
    for plies in ply.variations.iter().filter(|_| depth > 0) {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let mut at = before.clone();
        let mut line = Vec::new();
        for ply in plies.iter().take(MOVES) {
            let san = format!("{}{}", ply.san(&at), glyphs(ply));
            line.push(NoteMove {
                step: LineMove {
                    uci: ply.uci(mode).to_string(),
                    san,
                },
                text: said(&mut ply.comments_before.iter().chain(&ply.comments)),
                variations: variations(&at, mode, ply, depth - 1, left),
            });
            ply.play(&mut at);
        }
        all.push(line);
    }
    all
}

/// Returns a comment without its `[%eval 0.3]`, `[%clk 0:03:00]` and the like, except the commands
/// `kept`.
pub fn without_commands(comment: &str, kept: &[&str]) -> String {
    let (mut text, mut rest) = (String::new(), comment);
    while let Some(at) = rest.find("[%") {
        let end = rest[at..].find(']').map_or(rest.len(), |end| at + end + 1);
        let name = rest[at + 2..end]
            .split(|char: char| !char.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        text += &rest[..at];
        if kept.contains(&name) {
            text += &rest[at..end];
        }
        rest = &rest[end..];
    }
    text += rest;
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use crate::rooms::read_kept_game;

    use super::*;

    #[test]
    fn what_the_annotator_says_is_shown() {
        let text = "{ A game. } 1. e4! { best [%clk 0:03:00] by test } e5 (1... c5 2. Nf3 { ! } (2. c3 d5 (2... Nf6 $5))) 2. Nf3!! *";
        let game = read_kept_game(text).unwrap();
        let notes = notes(&game);
        let said: Vec<_> = notes
            .iter()
            .map(|note| (note.ply, &*note.symbol, &*note.text))
            .collect();
        assert_eq!(
            said,
            [
                (0, "", "A game."),
                (1, "!", "best by test"),
                (2, "", ""),
                (3, "!!", "")
            ]
        );
        let sans = |line: &[NoteMove]| {
            line.iter()
                .map(|mv| mv.step.san.clone())
                .collect::<Vec<_>>()
        };
        let line = &notes[2].variations[0];
        assert_eq!(sans(line), ["c5", "Nf3"]);
        assert_eq!(line[1].text, "!");
        assert_eq!(sans(&line[1].variations[0]), ["c3", "d5"]);
        assert_eq!(sans(&line[1].variations[0][1].variations[0]), ["Nf6!?"]);
        assert_eq!(without_commands("[%eval 0.3] a [%x", &[]), "a");
    }

    #[test]
    fn a_null_move_passes_the_turn() {
        let text = "1. e4 e5 2. Nf3 (2. -- Nc6 3. Z0 (3. Bc4 --) 3... Nf6 4. Nf3 d6 5. Bc4 Be7 6. O-O) Nc6 *";
        let notes = notes(&read_kept_game(text).unwrap());
        let line = &notes[0].variations[0];
        let moves = |line: &[NoteMove]| {
            line.iter()
                .map(|mv| (mv.step.san.clone(), mv.step.uci.clone()))
                .collect::<Vec<_>>()
        };
        let expected = [
            ("--", "0000"),
            ("Nc6", "b8c6"),
            ("--", "0000"),
            ("Nf6", "g8f6"),
        ];
        assert_eq!(
            moves(&line[..4]),
            expected.map(|(san, uci)| (san.to_owned(), uci.to_owned()))
        );
        assert_eq!(
            moves(&line[8..]),
            [("O-O".to_owned(), "e1g1".to_owned())],
            "the king has not moved"
        );
        assert_eq!(
            moves(&line[2].variations[0])[1],
            ("--".to_owned(), "0000".to_owned())
        );
    }

    #[test]
    fn arrows_and_circles_are_shown() {
        let text = "{ [%csl Yd4] } 1. e4 { [%cal Ge2e4,Rd1h5,x][%csl Rd4] [%cal e2e4] [%calx Ra1a2] } e5 $9 2. Nf3 $146 *";
        let notes = notes(&read_kept_game(text).unwrap());
        let shapes: Vec<_> = notes
            .iter()
            .map(|note| (note.ply, &*note.symbol, note.shapes.join(" ")))
            .collect();
        let expected = [
            (0, "", "Yd4"),
            (1, "", "Ge2e4 Rd1h5 Rd4"),
            (2, "×", ""),
            (3, "N", ""),
        ];
        assert_eq!(
            shapes,
            expected.map(|(ply, symbol, shapes)| (ply, symbol, shapes.to_owned()))
        );
    }
}
