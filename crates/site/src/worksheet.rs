//! Puzzles on paper.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use centipawn_core::History;
use centipawn_puzzle::{Puzzle, Theme};
use centipawn_review::Language;
use shakmaty::{Position as _, san::SanPlus};

use crate::{
    board::{Diagram, pieces},
    html::{Escaped, GENERATOR, isolated},
};

/// Number of diagrams on a page.
const ON_PAGE: usize = 6;

/// The styles. A page of A4 has two columns of three diagrams; what is not printed is for the
/// screen.
const STYLE: &str = "
@page { size: A4; margin: 11mm 14mm 10mm; }
* { box-sizing: border-box; }
body { margin: 0; color: #000; background: #fff; font: 11pt/1.35 system-ui, sans-serif; }
.hidden { position: absolute; width: 0; height: 0; }
.sheet { break-after: page; }
.sheet header { display: flex; gap: 8mm; align-items: baseline; height: 11mm; }
h1 { flex: 1; margin: 0; font-size: 15pt; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.field { flex: 0 0 52mm; border-bottom: 0.3mm solid #555; color: #555; font-size: 9pt; }
.field.short { flex-basis: 32mm; }
.sheet ol { display: grid; grid-template-columns: 1fr 1fr; gap: 3mm 10mm; margin: 0; padding: 0; list-style: none; }
.sheet li { height: 85mm; break-inside: avoid; }
.sheet li > p { display: flex; gap: 2mm; align-items: baseline; margin: 0 0 1mm; font-size: 10pt; }
.sheet li b { font-size: 12pt; }
.sheet .last { color: #444; }
.place { display: flex; flex-direction: column; align-items: center; }
.diagram { width: 61mm; height: 61mm; display: block; border: 0.3mm solid #000; }
.to-move { order: -1; display: flex; gap: 1.5mm; align-items: center; align-self: flex-start; margin: 0 0 1mm; font-weight: 600; }
.disc { width: 3.2mm; height: 3.2mm; border: 0.3mm solid #000; border-radius: 50%; display: inline-block; }
.disc.w { background: #fff; }
.disc.b { background: #000; }
.light { fill: #fff; }
.dark { fill: #d4d4d4; }
.names { fill: #000; font: 11px system-ui, sans-serif; }
.pw, .pb { stroke-width: 1.5px; stroke-linejoin: round; stroke-linecap: round; }
.pw { fill: #fff; stroke: #000; }
.pb { fill: #000; stroke: #000; }
.pw .d { fill: #000; }
.pb .d { fill: #fff; stroke: none; }
.pb .l { stroke: #fff; }
.answer { height: 6.5mm; border-bottom: 0.3mm dotted #555; }
.diagram, .diagram *, .disc { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
.solutions { columns: 2; column-gap: 10mm; font-size: 10pt; }
.solutions h2 { column-span: all; margin: 0 0 4mm; font-size: 15pt; }
.solutions ol { margin: 0; padding-left: 7mm; }
.solutions li { margin-bottom: 2.5mm; break-inside: avoid; }
.solutions p { margin: 0; }
.solutions .small { color: #444; font-size: 9pt; }
.hint { margin: 0; padding: 3mm 14mm; background: #eee; }
@media screen {
  body { max-width: 210mm; margin: 0 auto; }
  .sheet, .solutions { padding: 11mm 14mm; border-bottom: 1px solid #bbb; }
}
@media screen and (max-width: 200mm) {
  .sheet, .solutions { padding: 4mm; }
  .sheet header { flex-wrap: wrap; height: auto; }
  .sheet ol, .solutions { display: block; columns: auto; }
  .sheet li { height: auto; margin-bottom: 8mm; }
}
@media print { .hint { display: none; } }
";

/// Puzzles as a page to print: six diagrams on a sheet of A4, each with the side to move and room
/// for an answer, and the solutions on the last pages. The page loads nothing, and browsers save it
/// as PDF.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_puzzle::Puzzle;
/// use centipawn_review::Language;
/// use centipawn_site::Worksheet;
///
/// let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None)?;
/// let mut sheet = Worksheet::new("Back rank", Language::English);
/// sheet.add(&Puzzle::new(&start, ["a2b2", "d1d8"])?);
/// let page = String::from_utf8(sheet.write(Vec::new())?)?;
/// assert!(page.contains("White to move") && page.contains("2. Rd8#"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Worksheet {
    title: String,
    language: Language,
    /// The diagrams, as HTML.
    tasks: Vec<String>,
    /// The solutions, as HTML.
    solutions: Vec<String>,
}

impl Worksheet {
    /// Begins a worksheet. An empty title becomes the word for a worksheet.
    pub fn new(title: &str, language: Language) -> Self {
        let title = match title.trim() {
            "" => language.labels().worksheet,
            title => title,
        };
        Self {
            title: title.to_owned(),
            language,
            tasks: Vec::new(),
            solutions: Vec::new(),
        }
    }

    /// Adds a puzzle.
    pub fn add(&mut self, puzzle: &Puzzle) {
        let shown = puzzle.shown();
        let number = self.tasks.len() + 1;
        self.tasks.push(self.task(puzzle, &shown, number));
        self.solutions.push(self.solution(puzzle, &shown));
    }

    /// Returns the number of puzzles.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Returns whether the worksheet has no puzzle.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Writes the page, and returns the writer.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write<W: Write>(&self, mut out: W) -> io::Result<W> {
        let labels = self.language.labels();
        let title = Escaped(&self.title);
        write!(
            out,
            "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             {GENERATOR}{}\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             {}<p class=\"hint\">{}</p>\n",
            self.language,
            env!("CARGO_PKG_VERSION"),
            pieces(),
            labels.print_hint
        )?;
        for tasks in self.tasks.chunks(ON_PAGE) {
            write!(
                out,
                "<section class=\"sheet\">\n<header><h1>{title}</h1><span class=\"field\">{}</span>\
                 <span class=\"field short\">{}</span></header>\n<ol>\n",
                labels.worksheet_name, labels.date
            )?;
            for task in tasks {
                out.write_all(task.as_bytes())?;
            }
            out.write_all(b"</ol>\n</section>\n")?;
        }
        write!(
            out,
            "<section class=\"solutions\">\n<h2>{}</h2>\n<ol>\n",
            labels.solutions
        )?;
        for solution in &self.solutions {
            out.write_all(solution.as_bytes())?;
        }
        out.write_all(b"</ol>\n</section>\n</body>\n</html>\n")?;
        out.flush()?;
        Ok(out)
    }

    fn task(&self, puzzle: &Puzzle, shown: &History, number: usize) -> String {
        let labels = self.language.labels();
        let last = puzzle.solution.moves().next().map(|mv| {
            let before = puzzle.start.position();
            self.language.line(
                before.fullmoves().get(),
                puzzle.start.turn().is_white(),
                &[puzzle.start.san(mv)],
            )
        });
        let last = last.map_or_else(String::new, |last| {
            format!(
                "<span class=\"last\">{} {}</span>",
                labels.last_move,
                Escaped(&last)
            )
        });
        format!(
            "<li><p><b>{number}</b>{last}</p>\n<div class=\"place\">{}</div>\n\
             <div class=\"answer\"></div><div class=\"answer\"></div></li>\n",
            Diagram::to_solve(shown, number.to_string(), self.language)
        )
    }

    fn solution(&self, puzzle: &Puzzle, shown: &History) -> String {
        let (language, labels) = (self.language, self.language.labels());
        let mut position = shown.position().clone();
        let san = |mv| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
        let line: Vec<String> = puzzle.solution.line().map(san).collect();
        let number = shown.position().fullmoves().get();
        let is_white = shown.turn().is_white();
        let line = language.line(number, is_white, &line);
        let mut text = format!("<li><p><b>{}</b></p>", Escaped(&line));
        let mut small = Vec::new();
        let others: Vec<String> = puzzle
            .also_correct(0)
            .into_iter()
            .map(|mv| language.san(&shown.san(mv)))
            .collect();
        if !others.is_empty() {
            let others = others.join(", ");
            small.push(format!("{} {}", labels.also_correct, Escaped(&others)));
        }
        let motifs: Vec<String> = puzzle
            .motif_names()
            .into_iter()
            .map(|name| {
                Theme::from_name(name)
                    .map_or(name, |theme| language.theme(theme))
                    .to_owned()
            })
            .collect();
        let explanation = puzzle.game.as_ref().map_or("", |game| &game.explanation);
        if !explanation.is_empty() {
            small.push(Escaped(explanation).to_string());
        } else if !motifs.is_empty() {
            small.push(Escaped(&motifs.join(", ")).to_string());
        }
        if let Some(game) = &puzzle.game {
            let names = [&game.white, &game.black].map(|name| isolated(name));
            let known = !game.white.is_empty() || !game.black.is_empty();
            let mut place = if known {
                names.join(" – ")
            } else {
                String::new()
            };
            if !game.date.is_empty() {
                let _ = write!(place, ", {}", Escaped(&game.date));
            }
            if !place.is_empty() {
                small.push(place);
            }
            if !game.played.is_empty() {
                let played = language.line(number, is_white, std::slice::from_ref(&game.played));
                small.push(format!(
                    "{} {}{}",
                    labels.played_then,
                    Escaped(&played),
                    Escaped(&game.played_symbol)
                ));
            }
        }
        for part in small {
            let _ = write!(text, "<p class=\"small\">{part}</p>");
        }
        text + "</li>\n"
    }
}

#[cfg(test)]
mod tests {
    use centipawn_puzzle::PuzzleGame;

    use super::*;

    fn puzzle() -> Puzzle {
        let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None).unwrap();
        let mut puzzle = Puzzle::new(&start, ["a2b2", "d1d8"]).unwrap();
        puzzle.tag();
        puzzle.game = Some(PuzzleGame {
            white: "Anna <1>".to_owned(),
            black: "Bo".to_owned(),
            date: "2026.01.02".to_owned(),
            played: "h3".to_owned(),
            played_symbol: "??".to_owned(),
            ..PuzzleGame::default()
        });
        puzzle
    }

    fn page(count: usize, language: Language) -> String {
        let mut sheet = Worksheet::new("A & B", language);
        (0..count).for_each(|_| sheet.add(&puzzle()));
        assert_eq!((sheet.len(), sheet.is_empty()), (count, count == 0));
        String::from_utf8(sheet.write(Vec::new()).unwrap()).unwrap()
    }

    #[test]
    fn six_diagrams_are_on_a_sheet_and_solutions_at_the_end() {
        let page = page(7, Language::English);
        assert_eq!(page.matches("<section class=\"sheet\">").count(), 2);
        assert_eq!(page.matches("class=\"diagram\"").count(), 7);
        assert_eq!(page.matches("White to move</p>").count(), 7);
        assert_eq!(page.matches("<h1>A &amp; B</h1>").count(), 2);
        let solutions = page.find("<section class=\"solutions\">").unwrap();
        assert!(!page[..solutions].contains("Rd8#"), "no solution before");
        let solutions = &page[solutions..];
        assert_eq!(solutions.matches("<b>2. Rd8#</b>").count(), 7);
        assert!(solutions.contains("<bdi>Anna &lt;1&gt;</bdi> – <bdi>Bo</bdi>, 2026.01.02"));
        assert!(solutions.contains("Played: 2. h3??"), "{solutions}");
        assert!(page.contains("Last move: 1... Rb2"));
    }

    /// What a review says of the mistake replaces the motifs.
    #[test]
    fn solutions_explain_the_mistake() {
        let mut puzzle = puzzle();
        if let Some(game) = &mut puzzle.game {
            game.explanation = "Misses mate in 1. Better: 2. Rd8#.".to_owned();
        }
        let mut sheet = Worksheet::new("", Language::English);
        sheet.add(&puzzle);
        let page = String::from_utf8(sheet.write(Vec::new()).unwrap()).unwrap();
        let solutions = page.split_once("<section class=\"solutions\">").unwrap().1;
        assert!(solutions.contains("<p class=\"small\">Misses mate in 1. Better: 2. Rd8#.</p>"));
        assert!(!solutions.contains("Back rank"), "{solutions}");
    }

    #[test]
    fn a_worksheet_in_german() {
        let page = page(1, Language::German);
        for text in [
            "Weiß am Zug",
            "<b>2. Td8#</b>",
            "Gespielt: 2. h3??",
            "Lösungen",
        ] {
            assert!(page.contains(text), "{text}");
        }
    }
}
