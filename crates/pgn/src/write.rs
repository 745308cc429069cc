//! Writing games as PGN text.

use std::{
    fmt,
    io::{self, Write},
};

use shakmaty::{Chess, Color, Position, san::SanPlus};

use crate::{Game, Headers, Nag, Ply, error::MoveNumber, text::one_line};

/// Writes a game in PGN's export format, followed by an empty line.
///
/// The standard's seven tags come first, as far as the game has them, then the others in order. A
/// game without tags that does not begin with a move gets the tag `[Event "?"]`, since behind
/// another game its comments and its result would belong to that one. Lines have at most 79
/// characters unless a word is longer. Comments that contain `}` become `;` comments, one per line.
///
/// # Errors
///
/// I/O errors of `out`.
///
/// ```
/// use centipawn_pgn::{Reader, write_game};
///
/// let game = Reader::new(&b"[White \"A\"][Event \"E\"] 1.e4! (1.d4 {solid}) e5 1-0"[..]).next().unwrap()?.unwrap();
/// let mut out = Vec::new();
/// write_game(&mut out, &game)?;
/// assert_eq!(
///     String::from_utf8_lossy(&out),
///     "[Event \"E\"]\n[White \"A\"]\n\n1. e4 $1 ( 1. d4 { solid } ) 1... e5 1-0\n\n"
/// );
/// # Ok::<_, std::io::Error>(())
/// ```
pub fn write_game(out: &mut impl Write, game: &Game) -> io::Result<()> {
    write_game_with(out, game, Glyphs::Numbers)
}

/// The form in which NAGs are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyphs {
    /// `Nf3 $1 $14`: the standard's export format.
    #[default]
    Numbers,
    /// `Nf3! ⩲`: symbols as in print, up to `$21`; other NAGs stay numbers. The standard's import
    /// format knows only `!` and `?`; [`Reader`](crate::Reader) reads all of them.
    Text,
}

impl Glyphs {
    /// The last NAG written as a symbol. Those after it are letters (`N`) or arrows, which other
    /// readers misinterpret.
    const LAST: u8 = 21;
}

/// Like [`write_game`], with NAGs in the given form.
///
/// # Errors
///
/// I/O errors of `out`.
pub fn write_game_with(out: &mut impl Write, game: &Game, glyphs: Glyphs) -> io::Result<()> {
    let text = WithGlyphs(game, glyphs).to_string();
    let begins = !game.headers.is_empty() || text.starts_with("1.");
    let tag = if begins { "" } else { "[Event \"?\"]\n\n" };
    out.write_all(format!("{tag}{text}\n").as_bytes())
}

impl fmt::Display for Game {
    /// Writes the game in PGN's export format; see [`write_game`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        WithGlyphs(self, Glyphs::Numbers).fmt(f)
    }
}

struct WithGlyphs<'a>(&'a Game, Glyphs);

impl fmt::Display for WithGlyphs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(game, glyphs) = *self;
        write_headers(f, &game.headers)?;
        let mut text = Movetext {
            glyphs,
            ..Movetext::default()
        };
        for comment in &game.comments {
            text.comment(comment);
        }
        text.line(game.start.position().clone(), &game.plies, true);
        text.word(game.result.as_str());
        f.write_str(&text.finish())
    }
}

const SEVEN: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

fn write_headers(f: &mut fmt::Formatter<'_>, headers: &Headers) -> fmt::Result {
    let rank = |name: &str| {
        SEVEN
            .iter()
            .position(|seven| name.eq_ignore_ascii_case(seven))
            .unwrap_or(SEVEN.len())
    };
    let mut sorted: Vec<_> = headers.iter().collect();
    // The sort is stable, so other tags keep their order.
    sorted.sort_by_key(|(name, _)| rank(name));
    for (name, value) in sorted {
        let value = value
            .replace('\\', r"\\")
            .replace('"', "\\\"")
            .replace(['\n', '\r'], " ");
        writeln!(f, "[{name} \"{value}\"]")?;
    }
    if headers.is_empty() {
        Ok(())
    } else {
        writeln!(f)
    }
}

/// Words wrapped into lines.
#[derive(Default)]
struct Movetext {
    text: String,
    /// Number of characters in the last line of `text`.
    column: usize,
    glyphs: Glyphs,
}

impl Movetext {
    const WIDTH: usize = 79;

    fn word(&mut self, word: &str) {
        let length = word.chars().count();
        if self.column > 0 {
            let fits = self.column + 1 + length <= Self::WIDTH;
            self.text.push(if fits { ' ' } else { '\n' });
            self.column = if fits { self.column + 1 } else { 0 };
        }
        self.text.push_str(word);
        self.column += length;
    }

    fn finish(mut self) -> String {
        if self.column > 0 {
            self.text.push('\n');
        }
        self.text
    }

    fn line(&mut self, mut position: Chess, plies: &[Ply], is_main: bool) {
        let mut numbered = true;
        for (index, ply) in plies.iter().enumerate() {
            // A comment after the move number, or at the beginning of a variation, is read back as
            // one before the move.
            let leads = index == 0 && !is_main;
            if leads {
                self.comments(&ply.comments_before);
            }
            if numbered || position.turn() == Color::White || !ply.comments_before.is_empty() {
                self.word(&MoveNumber::next(&position).to_string());
            }
            if !leads {
                self.comments(&ply.comments_before);
            }
            let before = (!ply.variations.is_empty()).then(|| position.clone());
            let mut mv = if ply.is_null() {
                ply.play(&mut position);
                "--".to_owned()
            } else {
                SanPlus::from_move_and_play_unchecked(&mut position, ply.mv).to_string()
            };
            let glyphs = self.glyphs;
            let as_text = |nag: &Nag| {
                nag.glyph()
                    .filter(|_| glyphs == Glyphs::Text && nag.0 <= Glyphs::LAST)
            };
            // The move symbol is attached to the move.
            let at_move = ply.nags.iter().position(|nag| matches!(nag.0, 1..=6));
            mv += at_move
                .and_then(|index| as_text(&ply.nags[index]))
                .unwrap_or_default();
            self.word(&mv);
            for (index, nag) in ply.nags.iter().enumerate() {
                match as_text(nag) {
                    Some(_) if at_move == Some(index) => {}
                    Some(glyph) => self.word(glyph),
                    None => self.word(&nag.to_string()),
                }
            }
            self.comments(&ply.comments);
            if let Some(before) = before {
                for variation in ply
                    .variations
                    .iter()
                    .filter(|variation| !variation.is_empty())
                {
                    self.word("(");
                    self.line(before.clone(), variation, false);
                    self.word(")");
                }
            }
            numbered = !ply.comments.is_empty() || !ply.variations.is_empty();
        }
    }

    fn comments(&mut self, comments: &[String]) {
        for comment in comments {
            self.comment(comment);
        }
    }

    fn comment(&mut self, comment: &str) {
        let comment = one_line(comment);
        if comment.is_empty() {
            return;
        }
        if comment.contains('}') {
            self.word("; ");
            self.text.push_str(&comment);
            self.text.push('\n');
            self.column = 0;
            return;
        }
        // The first word stays with its brace, so that no line begins with text that `can_break`
        // excludes. Commands are not broken, since some tools expect them in one piece.
        let comment = format!("{{ {comment} }}");
        let (mut start, mut scanned, mut in_command) = (0, 0, false);
        for (at, _) in comment.match_indices(' ').skip(1) {
            let word = &comment[scanned..at];
            in_command = match (word.rfind("[%"), word.rfind(']')) {
                (None, None) => in_command,
                (open, close) => open > close,
            };
            scanned = at;
            if !in_command && can_break(&comment, at) {
                self.word(&comment[start..at]);
                start = at + 1;
            }
        }
        self.word(&comment[start..]);
    }
}

/// Returns whether a line break may replace the space at `at`, judged by its neighbours: it must be
/// a single space, and no line may begin with text that has a meaning there (a game's first tag, an
/// escape).
fn can_break(comment: &str, at: usize) -> bool {
    let (before, after) = (&comment[..at], &comment[at + 1..]);
    !before.ends_with([' ', '\t'])
        && !after.starts_with([' ', '\t', '%', ';'])
        && !after.starts_with("[Event")
}

#[cfg(test)]
mod tests;
