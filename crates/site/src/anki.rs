//! Puzzles as notes for Anki.

use std::io::{self, Write};

use centipawn_puzzle::Puzzle;
use centipawn_review::Language;
use shakmaty::{Position as _, san::SanPlus};

use crate::{
    html::{Escaped, isolated},
    picture::BoardPicture,
};

/// Writes puzzles as a text file that Anki imports (*File*, *Import*): a note for each puzzle, with
/// the position as a picture on the front, and the solution, all correct first moves and the game
/// on the back.
///
/// The file follows Anki's [documentation of text
/// files](https://docs.ankiweb.net/importing/text-files.html): its header names the columns and the
/// deck. The id of a note depends only on the position, so a second import updates the notes.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_puzzle::Puzzle;
/// use centipawn_review::Language;
/// use centipawn_site::AnkiDeck;
///
/// let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None)?;
/// let puzzle = Puzzle::new(&start, ["a2b2", "d1d8"])?;
/// let mut deck = AnkiDeck::new(Vec::new(), "Tactics", Language::English)?;
/// deck.write(&puzzle)?;
/// let text = String::from_utf8(deck.finish()?)?;
/// assert!(text.starts_with("#separator:tab\n") && text.contains("2. Rd8#"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AnkiDeck<W: Write> {
    out: W,
    language: Language,
}

impl<W: Write> AnkiDeck<W> {
    /// Begins a file for this deck.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn new(mut out: W, deck: &str, language: Language) -> io::Result<Self> {
        let deck = one_line(deck);
        write!(
            out,
            "#separator:tab\n#html:true\n#notetype:Basic\n#deck:{deck}\n#guid column:1\n#tags column:4\n"
        )?;
        Ok(Self { out, language })
    }

    /// Adds a note.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn write(&mut self, puzzle: &Puzzle) -> io::Result<()> {
        let tags: Vec<String> = puzzle
            .motif_names()
            .into_iter()
            .map(|name| name.replace(char::is_whitespace, "_"))
            .collect();
        let columns = [
            puzzle.stable_id(),
            self.front(puzzle),
            self.back(puzzle),
            tags.join(" "),
        ];
        let columns = columns.map(|column| one_line(&column));
        writeln!(self.out, "{}", columns.join("\t"))
    }

    /// Returns the output.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    /// Returns the position, whose move it is, and the opponent's last move.
    fn front(&self, puzzle: &Puzzle) -> String {
        let (shown, labels) = (puzzle.shown(), self.language.labels());
        let to_move = shown
            .turn()
            .fold_wb(labels.white_to_move, labels.black_to_move);
        let last = puzzle.solution.moves().next().map(|mv| {
            let position = puzzle.start.position();
            self.language.line(
                position.fullmoves().get(),
                puzzle.start.turn().is_white(),
                &[puzzle.start.san(mv)],
            )
        });
        let last = last.map_or_else(String::new, |last| format!("<br>{}", Escaped(&last)));
        let picture = BoardPicture::new(&shown).seen_by(shown.turn()).size(360);
        format!(
            "{}<p>{to_move}{last}</p>",
            picture.without_coordinates().svg()
        )
    }

    /// Returns the solution, the other correct first moves, the rating, the continuation's themes
    /// and the game.
    fn back(&self, puzzle: &Puzzle) -> String {
        let shown = puzzle.shown();
        let mut position = shown.position().clone();
        let san = |mv| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
        let line: Vec<String> = puzzle.solution.line().map(san).collect();
        let number = shown.position().fullmoves().get();
        let line = self.language.line(number, shown.turn().is_white(), &line);
        let mut text = format!("<p><b>{}</b></p>", Escaped(&line));
        let others: Vec<String> = puzzle
            .also_correct(0)
            .into_iter()
            .map(|mv| self.language.san(&shown.san(mv)))
            .collect();
        if !others.is_empty() {
            text += &format!(
                "<p>{} {}</p>",
                self.words("Also correct:", "Auch richtig:"),
                Escaped(&others.join(", "))
            );
        }
        if let Some(game) = puzzle
            .game
            .as_ref()
            .filter(|game| !game.explanation.is_empty())
        {
            let symbol = Escaped(&game.played_symbol);
            let played = self.language.line(
                number,
                shown.turn().is_white(),
                std::slice::from_ref(&game.played),
            );
            text += &format!(
                "<p>{}{symbol}: {}</p>",
                Escaped(&played),
                Escaped(&game.explanation)
            );
        }
        if let Some(rating) = puzzle.rating {
            text += &format!("<p>{} {rating}</p>", self.words("Rating:", "Wertungszahl:"));
        }
        if let Some(game) = &puzzle.game {
            let names = [&game.white, &game.black]
                .map(|name| isolated(name))
                .join(" – ");
            text += &format!("<p>{names}</p>");
        }
        if puzzle.url.starts_with("http") {
            let url = Escaped(&puzzle.url);
            text += &format!("<p><a href=\"{url}\">{url}</a></p>");
        }
        text
    }

    fn words(&self, english: &'static str, german: &'static str) -> &'static str {
        if self.language == Language::German {
            german
        } else {
            english
        }
    }
}

/// Returns a column without the characters that separate columns and notes.
fn one_line(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use centipawn_core::History;
    use centipawn_puzzle::PuzzleGame;

    use super::*;

    fn deck(language: Language) -> String {
        let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None).unwrap();
        let mut puzzle = Puzzle::new(&start, ["a2b2", "d1d8"]).unwrap();
        puzzle.tag();
        puzzle.rating = Some(700);
        puzzle.game = Some(PuzzleGame {
            white: "אנה".to_owned(),
            black: "<Bo>".to_owned(),
            ..PuzzleGame::default()
        });
        puzzle.url = "https://example.org/a?b=\"1\"&c\tx".to_owned();
        let mut deck = AnkiDeck::new(Vec::new(), "My\ttactics", language).unwrap();
        deck.write(&puzzle).unwrap();
        deck.write(&puzzle).unwrap();
        String::from_utf8(deck.finish().unwrap()).unwrap()
    }

    #[test]
    fn each_note_is_a_line_of_four_columns() {
        let text = deck(Language::English);
        let (header, notes): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with('#'));
        assert_eq!(
            header[3..],
            ["#deck:My tactics", "#guid column:1", "#tags column:4"]
        );
        assert_eq!(notes.len(), 2);
        let columns: Vec<&str> = notes[0].split('\t').collect();
        let [id, front, back, tags] = columns[..] else {
            panic!("{columns:?}")
        };
        assert_eq!(
            (id.len(), notes[0]),
            (11, notes[1]),
            "the id depends only on the position"
        );
        assert!(
            front.starts_with("<svg ")
                && front.contains("White to move")
                && front.contains("1... Rb2"),
            "{front}"
        );
        assert!(
            back.contains("<b>2. Rd8#</b>")
                && back.contains("Rating: 700")
                && !back.contains("b=\"1"),
            "{back}"
        );
        assert!(
            back.contains("<p><bdi>אנה</bdi> – <bdi>&lt;Bo&gt;</bdi></p>"),
            "{back}"
        );
        assert!(tags.split(' ').any(|tag| tag == "backRankMate"), "{tags}");
        let german = deck(Language::German);
        assert!(
            german.contains("2. Td8#")
                && german.contains("Weiß am Zug")
                && german.contains("Wertungszahl: 700")
        );
    }
}
