//! Reviewed games as Markdown with diagrams.

use std::{
    fmt::Write as _,
    io::{self, Write},
    path::{Path, PathBuf},
};

use centipawn_core::{History, MoveSymbol};
use centipawn_progress::{
    AtomicFile, Cancel, FileError, FolderFiles, Placed, Placement, Provenance, refuse_link,
    text::without_directions,
};
use centipawn_review::{Language, PlyDocument, Review};
use percent_encoding::percent_encode_byte;
use shakmaty::{Color, Position as _, Square};

use crate::{
    board::arrows_of,
    picture::{BoardPicture, Brush},
    reading::{count, moments, result, said},
    shown::ShownGame,
};

/// Writes reviewed games as Markdown: players, totals, moves, and a diagram with the remark at the
/// moments on which most depended.
///
/// Diagrams are SVG files in a folder beside the file, which its links name; on standard output
/// they are text.
///
/// ```
/// use centipawn_progress::Cancel;
/// use centipawn_review::Language;
/// use centipawn_site::Markdown;
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("review.md");
/// let markdown = Markdown::create(&file, Language::English, &Cancel::new())?;
/// // For each game: markdown.game(&review)?;
/// markdown.finish(&Cancel::new())?;
/// assert!(file.exists());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct Markdown {
    out: AtomicFile,
    /// The folder of diagrams: its path, and its name in links; `None` for diagrams as text.
    folder: Option<(PathBuf, String)>,
    diagrams: Vec<(String, String)>,
    language: Language,
    games: u64,
}

impl Markdown {
    /// Opens a file; `-` is standard output. After `cancel` is set, waiting for the reader of a
    /// pipe ends.
    ///
    /// # Errors
    ///
    /// [`FileError::Write`].
    pub fn create(path: &Path, language: Language, cancel: &Cancel) -> Result<Self, FileError> {
        let out = AtomicFile::create(path, cancel)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{stem}-diagrams");
        let folder = (!out.is_standard_output()).then(|| (path.with_file_name(&name), name));
        folder
            .iter()
            .try_for_each(|(folder, _)| refuse_link(folder))?;
        Ok(Self {
            out,
            folder,
            diagrams: Vec::new(),
            language,
            games: 0,
        })
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn game(&mut self, review: &Review) -> io::Result<()> {
        self.games += 1;
        let game = ShownGame::of(self.games, review, Provenance::default());
        let space = if self.games > 1 { "\n" } else { "" };
        let text = self.text(&game);
        write!(self.out, "{space}{text}")
    }

    /// Puts the file and its diagrams in their place. If `cancel` is set and there is an earlier
    /// file, that stays.
    ///
    /// # Errors
    ///
    /// [`FileError::Write`].
    pub fn finish(self, cancel: &Cancel) -> Result<Placed, FileError> {
        let mut results = Placement::new(cancel);
        self.finish_into(&mut results)?;
        Ok(results.place()?.pop().map_or(Placed::Written, Placed::Kept))
    }

    /// Adds the file and its diagrams to `results`.
    pub(crate) fn finish_into(self, results: &mut Placement) -> Result<(), FileError> {
        let Self {
            out,
            folder,
            diagrams,
            ..
        } = self;
        if results.add(out)
            && let Some((folder, _)) = folder.filter(|_| !diagrams.is_empty())
        {
            let mut files = FolderFiles::create(&folder, &[], |_| false)?;
            diagrams
                .into_iter()
                .try_for_each(|(name, svg)| files.add(name, svg.as_bytes()))?;
            results.add_folder(files);
        }
        Ok(())
    }

    fn text(&mut self, game: &ShownGame) -> String {
        let (document, tags, labels) = (game.document(), game.tags(), self.language.labels());
        let names = [&document.white, &document.black].map(|player| escaped(&player.name));
        let mut out = format!("# {} – {} {}\n", names[0], names[1], escaped(result(game)));
        let parts = [tags.occasion(), game.opening().unwrap_or_default()];
        let mut parts: Vec<String> = parts
            .iter()
            .filter(|part| !part.is_empty())
            .map(|part| escaped(part))
            .collect();
        parts.extend(
            tags.address()
                .map(|address| format!("<{}>", address.replace(['<', '>'], ""))),
        );
        if !parts.is_empty() {
            let _ = writeln!(out, "\n{}", parts.join(" · "));
        }
        if document.plies.is_empty() {
            let _ = writeln!(out, "\n{}", labels.no_moves);
        } else {
            self.totals(&mut out, game, &names);
            self.moves(&mut out, game);
        }
        for note in &document.notes {
            let _ = writeln!(out, "\n*{}*", escaped(note));
        }
        out
    }

    /// Writes a table of both players' totals.
    fn totals(&self, out: &mut String, game: &ShownGame, names: &[String; 2]) {
        let (language, labels) = (self.language, self.language.labels());
        let players = [&game.document().white, &game.document().black];
        let _ = write!(out, "\n| |");
        for (color, name) in Color::ALL.into_iter().zip(names) {
            let rating = game
                .tags()
                .rating(color)
                .map_or_else(String::new, |rating| format!(" ({rating})"));
            let _ = write!(out, " {name}{rating} |");
        }
        *out += "\n| --- | ---: | ---: |\n";
        let mut row = |name: &str, cells: [String; 2]| {
            let _ = writeln!(out, "| {name} | {} | {} |", cells[0], cells[1]);
        };
        let percent = |accuracy| format!("{} %", language.number(accuracy, 1));
        row(
            labels.accuracy,
            players.map(|player| player.accuracy.map_or_else(|| "–".to_owned(), percent)),
        );
        row(
            labels.relevant_loss,
            players.map(|player| language.number(player.relevant_loss, 2)),
        );
        row(
            labels.given_away,
            players.map(|player| language.number(player.score_loss, 2)),
        );
        let knows_praise = game.document().plies.iter().any(|ply| ply.lines.len() > 1);
        for kind in MoveSymbol::ALL
            .into_iter()
            .filter(|symbol| !symbol.is_praise() || knows_praise)
        {
            row(
                &format!("`{}`", kind.glyph()),
                players.map(|player| count(&player.symbols, kind).to_string()),
            );
        }
    }

    /// Writes the moves. A move with a remark ends a paragraph. At critical moments, a diagram
    /// precedes the remark.
    fn moves(&mut self, out: &mut String, game: &ShownGame) {
        let (language, labels) = (self.language, self.language.labels());
        let document = game.document();
        let moments = Color::ALL
            .map(|color| moments(&document.plies, &document.critical_moments, color))
            .concat();
        let _ = writeln!(out, "\n## {}", labels.moves);
        let mut line: Vec<String> = Vec::new();
        let comments = game.comments();
        for (ply, (before, _)) in document.plies.iter().zip(game.game.mainline()) {
            let dots = match &*ply.mover {
                "white" => Some("."),
                _ if line.is_empty() => Some("..."),
                _ => None,
            };
            line.extend(dots.map(|dots| format!("{}{dots}", ply.move_number)));
            let san = escaped(&language.san(&ply.san));
            let symbols = symbols(ply);
            line.push(if symbols.is_empty() {
                san
            } else {
                format!("**{san}{symbols}**")
            });
            let comment = comments.get(&ply.ply);
            if ply.remark.is_none() && comment.is_none() {
                continue;
            }
            let _ = writeln!(out, "\n{}", paragraph(&line));
            line.clear();
            if let Some(comment) = comment {
                let _ = writeln!(out, "\n*{}*", escaped(comment));
            }
            if ply.remark.is_none() {
                continue;
            }
            if moments.iter().any(|moment| moment.ply == ply.ply) {
                self.diagram(out, game.number, ply, &before);
            }
            let better = ply
                .better_line(language)
                .map(|line| format!(" {} {}", labels.better, escaped(&line)));
            let numbers = ply
                .remark_numbers
                .as_deref()
                .map(|numbers| format!(" *{}*", escaped(numbers)));
            let _ = writeln!(
                out,
                "\n> {}{}{}",
                escaped(&said(ply)),
                better.unwrap_or_default(),
                numbers.unwrap_or_default()
            );
        }
        if !line.is_empty() {
            let _ = writeln!(out, "\n{}", paragraph(&line));
        }
    }

    /// Writes a diagram of the position before a move, from the point of view of its mover.
    fn diagram(&mut self, out: &mut String, game: u64, ply: &PlyDocument, before: &History) {
        let Some((_, folder)) = &self.folder else {
            let _ = writeln!(out, "\n```text\n{}```", board(before));
            return;
        };
        let name = format!("g{game}p{}.svg", ply.ply);
        let label = format!(
            "{} {}",
            self.language.labels().position_before,
            ply.numbered(self.language)
        );
        let link = encoded(&format!("{folder}/{name}"));
        let _ = writeln!(out, "\n![{}](<{link}>)", escaped(&label));
        let side = before.turn();
        let picture = BoardPicture::new(before).seen_by(side);
        let picture = arrows_of(ply, before)
            .into_iter()
            .fold(picture, |picture, (mv, class)| {
                let brush = match class {
                    "best" => Brush::Green,
                    "played" => Brush::Red,
                    _ => Brush::Blue,
                };
                picture.move_arrow(brush, mv, side)
            });
        self.diagrams.push((name, picture.svg()));
    }
}

/// Returns the symbols after a move.
fn symbols(ply: &PlyDocument) -> String {
    let only_move = if ply.only_move { "□" } else { "" };
    format!("{}{only_move}", ply.symbol.as_deref().unwrap_or_default())
}

/// Words of a paragraph. A number and a point at its beginning would be a list.
fn paragraph(words: &[String]) -> String {
    let mut words = words.to_vec();
    if let Some(number) = words
        .first_mut()
        .filter(|number| number.ends_with('.') && !number.ends_with(".."))
    {
        number.insert(number.len() - 1, '\\');
    }
    words.join(" ")
}

/// Returns a position as eight lines of letters, seen by the side to move.
fn board(position: &History) -> String {
    let side = position.turn();
    let mut text = String::new();
    for row in 0..8_u32 {
        let rank = side.fold_wb(7 - row, row);
        let _ = write!(text, "{} ", rank + 1);
        for column in 0..8_u32 {
            let square = Square::ALL[(8 * rank + side.fold_wb(column, 7 - column)) as usize];
            let piece = position.position().board().piece_at(square);
            let _ = write!(text, " {}", piece.map_or('.', shakmaty::Piece::char));
        }
        text.push('\n');
    }
    text += side.fold_wb("   a b c d e f g h\n", "   h g f e d c b a\n");
    text
}

/// Returns the path of a file as an address: what would end the path or the link is written by its
/// number. Letters of other alphabets stay, so that people can read the address.
fn encoded(path: &str) -> String {
    let is_special = |char: char| char.is_ascii_control() || " \"#%<>?[\\]^`{|}".contains(char);
    path.chars()
        .map(|char| {
            if is_special(char) {
                percent_encode_byte(char as u8).to_owned()
            } else {
                char.into()
            }
        })
        .collect()
}

/// Returns text on one line whose characters mean nothing in Markdown, without marks of direction.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in without_directions(text)
        .chars()
        .map(|char| if char.is_control() { ' ' } else { char })
    {
        if matches!(
            char,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '&' | '~'
        ) {
            out.push('\\');
        }
        out.push(char);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_no_markup() {
        assert_eq!(
            escaped("*Bo* <b>|\n[x](y)"),
            "\\*Bo\\* \\<b\\>\\| \\[x\\](y)"
        );
        assert_eq!(escaped("An\u{202e}na\u{2069}"), "Anna");
        assert_eq!(
            encoded("Round #3? 100% <a>-diagrams/g1p2.svg"),
            "Round%20%233%3F%20100%25%20%3Ca%3E-diagrams/g1p2.svg"
        );
        assert_eq!(paragraph(&["1.".to_owned(), "e4".to_owned()]), "1\\. e4");
        assert_eq!(paragraph(&["1...".to_owned(), "e5".to_owned()]), "1... e5");
    }

    #[test]
    fn a_board_of_letters_is_seen_by_the_mover() {
        let mut history = History::default();
        assert!(board(&history).starts_with("8  r n b q k b n r\n7  p p"));
        history.push(history.parse_uci("e2e4").unwrap());
        assert!(
            board(&history).starts_with("1  R N B K Q B N R\n")
                && board(&history).ends_with("h g f e d c b a\n")
        );
    }
}
