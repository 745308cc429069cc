//! The moments of reviewed games as one table, with a diagram each.

use std::io::{self, Write};

use centipawn_core::History;
use centipawn_judge::Phase;
use centipawn_progress::Provenance;
use centipawn_review::{Language, PlyDocument, Review};
use shakmaty::Color;
use tempfile::{SpooledTempFile, spooled_tempfile};

use crate::{
    board::{self, Diagram},
    html::{Assets, Disc, Escaped, head, isolated, symbols},
    reading::said,
    report::{IN_MEMORY, copy},
    shown::ShownGame,
};

/// Writes a page with a table for each game: its moves with a symbol, each with a diagram, the
/// remark, the better line, the evaluations and the relevant loss. Below it stands each player's
/// mean relevant loss per move by phase.
///
/// The page needs no scripts, so it can be printed, and its tables can be copied into a text.
pub struct MomentsTable<W> {
    out: W,
    language: Language,
    games: SpooledTempFile,
    /// Number of games so far.
    count: u64,
}

impl<W: Write> MomentsTable<W> {
    /// Begins a page in a language.
    pub fn new(out: W, language: Language) -> Self {
        Self {
            out,
            language,
            games: spooled_tempfile(IN_MEMORY),
            count: 0,
        }
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// Errors of writing a temporary file.
    pub fn game(&mut self, review: &Review) -> io::Result<()> {
        self.count += 1;
        let game = ShownGame::of(self.count, review, Provenance::default());
        let document = game.document();
        let (language, labels) = (self.language, self.language.labels());
        let out = &mut self.games;
        writeln!(
            out,
            "<section class=\"moment-table\" id=\"g{}\">\n<h2>{}</h2>",
            self.count,
            Escaped(&game.title())
        )?;
        let befores: Vec<History> = game.game.mainline().map(|(before, _)| before).collect();
        let moments: Vec<&PlyDocument> = document
            .plies
            .iter()
            .filter(|ply| ply.symbol.is_some())
            .collect();
        if moments.is_empty() {
            writeln!(out, "<p>{}</p>", labels.no_symbols)?;
        } else {
            writeln!(
                out,
                "<table>\n<thead><tr><th></th><th scope=\"col\">{}</th><th scope=\"col\">{}</th><th scope=\"col\">{}</th>\
                 <th scope=\"col\">{}</th></tr></thead>\n<tbody>",
                labels.moves, labels.remark, labels.expected_score, labels.relevant_loss
            )?;
            for ply in moments {
                row(out, ply, &befores[ply.ply - 1], language)?;
            }
            writeln!(out, "</tbody>\n</table>")?;
        }
        let players = [&document.white, &document.black];
        writeln!(
            out,
            "<table class=\"means\">\n<thead><tr><th scope=\"col\">{}</th>",
            labels.loss_per_move
        )?;
        for (color, player) in Color::ALL.into_iter().zip(players) {
            write!(
                out,
                "<th scope=\"col\">{} {}</th>",
                Disc(color, None),
                isolated(&player.name)
            )?;
        }
        writeln!(out, "</tr></thead>\n<tbody>")?;
        let mean = |loss: f64, moves: usize| match moves {
            0 => "–".to_owned(),
            moves => language.number(loss / moves as f64, 3),
        };
        for (index, phase) in Phase::ALL.into_iter().enumerate() {
            let cells = players.map(|player| {
                let phase = &player.phases[index];
                mean(phase.relevant_loss, phase.moves)
            });
            let [white, black] = cells;
            writeln!(
                out,
                "<tr><th scope=\"row\">{}</th><td>{white}</td><td>{black}</td></tr>",
                language.phase(phase)
            )?;
        }
        let [white, black] = players.map(|player| mean(player.relevant_loss, player.moves));
        writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{white}</td><td>{black}</td></tr>\n</tbody>\n</table>\n</section>",
            labels.whole_game
        )
    }

    /// Writes the page and returns the writer.
    ///
    /// # Errors
    ///
    /// Errors of the writer or of the temporary file.
    pub fn finish(mut self, provenance: Option<&Provenance>) -> io::Result<W> {
        let title = self.language.labels().critical_moments;
        let head = head(self.language, title, provenance, Assets::Within);
        let head = head.replace("</head>", &format!("<style>\n{STYLE}</style>\n</head>"));
        write!(
            self.out,
            "{head}<body class=\"report-page\">\n{}<main class=\"reading\">\n<h1>{title}</h1>\n",
            board::pieces()
        )?;
        copy(self.games, &mut self.out)?;
        writeln!(self.out, "</main>\n</body>\n</html>")?;
        self.out.flush()?;
        Ok(self.out)
    }
}

const STYLE: &str = ".moment-table table { border-collapse: collapse; width: 100%; margin: 0 0 1.5em; }
.moment-table th, .moment-table td { border-bottom: 1px solid #8886; padding: 6px 10px; text-align: left; vertical-align: top; }
.moment-table td:first-child { width: 190px; }
.moment-table td:first-child svg { width: 180px; height: auto; }
.moment-table td.number { text-align: right; white-space: nowrap; }
.moment-table tr { break-inside: avoid; }
.moment-table .means { width: auto; }
.moment-table .means td { text-align: right; }
";

/// Writes a moment. Expected scores are White's, before and after the move.
fn row(
    out: &mut impl Write,
    ply: &PlyDocument,
    before: &History,
    language: Language,
) -> io::Result<()> {
    let better = ply.better_line(language).map(|line| {
        format!(
            "<br><span class=\"quiet\">{} {}</span>",
            language.labels().better,
            Escaped(&line)
        )
    });
    let numbers = ply.remark_numbers.as_deref().unwrap_or_default();
    writeln!(
        out,
        "<tr><td>{}</td><td><b>{}</b>{}</td><td>{}{}<br><span class=\"quiet numbers\">{}</span></td>\
         <td class=\"number\">{} → {}</td><td class=\"number\">{}</td></tr>",
        Diagram::of(ply, before, language),
        Escaped(&ply.numbered(language)),
        symbols(ply),
        Escaped(&said(ply)),
        better.unwrap_or_default(),
        Escaped(numbers),
        language.number(ply.expected_score_best, 2),
        language.number(ply.expected_score, 2),
        language.number(ply.relevant_loss, 2),
    )
}
