//! A game to be read where scripts do not run: in mail programs, and on paper.

use std::fmt::Write as _;

use centipawn_core::{History, MoveSymbol};
use centipawn_judge::Phase;
use centipawn_review::{Language, PlayerDocument, PlyDocument, SymbolCounts, result_text};
use shakmaty::Color;

use crate::{
    board::Diagram,
    html::{Disc, Escaped, isolated, symbol, symbols},
    shown::ShownGame,
};

/// Number of boards for each player.
const MOMENTS: usize = 3;

/// A game to be read.
pub(crate) struct Reading<'a> {
    pub(crate) game: &'a ShownGame,
    pub(crate) language: Language,
    /// The side whose mistakes are explained; `None` for both.
    pub(crate) side: Option<Color>,
}

/// Returns the game's result.
pub(crate) fn result(game: &ShownGame) -> &'static str {
    result_text(game.game.result)
}

impl Reading<'_> {
    /// Returns an article without its closing tag: who played, boards at the moments on which most
    /// depended, the moves with remarks, both players' totals. Every move has an anchor, `g1p25`.
    pub(crate) fn text(&self) -> String {
        let document = self.game.document();
        let mut out = format!("<article class=\"reading\" id=\"g{}\">\n", self.game.number);
        self.title(&mut out);
        if document.plies.is_empty() {
            let _ = writeln!(out, "<p>{}</p>", self.language.labels().no_moves);
        } else {
            let befores: Vec<History> = self
                .game
                .game
                .mainline()
                .map(|(before, _)| before)
                .collect();
            self.critical_moments(&mut out, &befores);
            self.hardest_moments(&mut out, &befores);
            self.moves(&mut out);
            self.totals(&mut out);
            out += "<div class=\"drawn\"></div>\n";
        }
        for note in &document.notes {
            let _ = writeln!(out, "<p class=\"quiet\">{}</p>", Escaped(note));
        }
        out
    }

    fn title(&self, out: &mut String) {
        let (document, tags) = (self.game.document(), self.game.tags());
        let [white, black] =
            [&document.white, &document.black].map(|player| isolated(&player.name));
        let _ = writeln!(
            out,
            "<header>\n<h1>{white} – {black} <span class=\"result\">{}</span></h1>",
            result(self.game)
        );
        let parts = [tags.occasion(), self.game.opening().unwrap_or_default()];
        let mut parts: Vec<String> = parts
            .iter()
            .filter(|part| !part.is_empty())
            .map(|part| isolated(part))
            .collect();
        if let Some(address) = tags.address() {
            let text = address.split_once("://").map_or(address, |(_, text)| text);
            parts.push(format!(
                "<a href=\"{}\" rel=\"noreferrer\">{}</a>",
                Escaped(address),
                Escaped(text)
            ));
        }
        let _ = writeln!(
            out,
            "<p class=\"quiet\">{}</p>\n</header>",
            parts.join(" · ")
        );
    }

    /// Writes a table of both players' accuracy, losses, symbols, phases and time.
    fn totals(&self, out: &mut String) {
        let (document, language, labels) =
            (self.game.document(), self.language, self.language.labels());
        let players = [&document.white, &document.black];
        let unknown = || "–".to_owned();
        *out += "<table class=\"totals\">\n<thead><tr><td></td>";
        for (color, player) in Color::ALL.into_iter().zip(players) {
            let rating = self.game.tags().rating(color);
            let rating = rating
                .map(|rating| format!(" <span class=\"quiet\">{rating}</span>"))
                .unwrap_or_default();
            let disc = Disc(color, Some(side(language, color)));
            let _ = write!(
                out,
                "<th scope=\"col\">{disc} {}{rating}</th>",
                isolated(&player.name)
            );
        }
        *out += "</tr></thead>\n<tbody>\n";
        let mut row = |name: &str, cells: [String; 2]| {
            let [white, black] = cells;
            let _ = writeln!(
                out,
                "<tr><th scope=\"row\">{name}</th><td>{white}</td><td>{black}</td></tr>"
            );
        };
        let percent = |accuracy| format!("{} %", language.number(accuracy, 1));
        // Half a unit of the last digit would be shown as ±0.
        let error = |error: Option<f64>, decimals| {
            let least = 0.5 * 0.1_f64.powi(i32::from(decimals));
            let error = error.filter(|error| *error >= least);
            let shown = error.map(|error| language.number(error, usize::from(decimals)));
            shown.map_or_else(String::new, |error| {
                format!(" <span class=\"quiet\">±{error}</span>")
            })
        };
        row(
            labels.accuracy,
            players.map(|player| {
                let accuracy = player.accuracy.map_or_else(unknown, percent);
                accuracy + &error(player.accuracy_error, 1_u8)
            }),
        );
        row(
            labels.relevant_loss,
            players.map(|player| language.number(player.relevant_loss, 2)),
        );
        row(
            labels.given_away,
            players.map(|player| {
                language.number(player.score_loss, 2) + &error(player.score_loss_error, 2)
            }),
        );
        for (index, phase) in Phase::ALL.into_iter().enumerate() {
            let phases = players.map(|player| &player.phases[index]);
            if phases.iter().any(|phase| phase.moves > 0) {
                let loss = phases.map(|phase| match phase.moves {
                    0 => unknown(),
                    _ => language.number(phase.score_loss, 2),
                });
                row(&format!("… {}", language.phase(phase)), loss);
            }
        }
        if players.iter().any(|player| player.time_seconds.is_some()) {
            let time = |seconds| language.time(std::time::Duration::from_secs_f64(seconds));
            row(
                labels.time,
                players.map(|player| player.time_seconds.map_or_else(unknown, time)),
            );
        }
        // Good moves are known only if the analyst gave a second line. Without it, leave their
        // column out.
        let knows_praise = document.plies.iter().any(|ply| ply.lines.len() > 1);
        for kind in MoveSymbol::ALL
            .into_iter()
            .filter(|symbol| !symbol.is_praise() || knows_praise)
        {
            row(
                &symbol(kind),
                players.map(|player| count(&player.symbols, kind).to_string()),
            );
        }
        let _ = writeln!(
            out,
            "</tbody></table>\n<p class=\"quiet explained\">{}</p>",
            labels.losses_explained
        );
    }

    /// Boards before the moves on which most depended, each player's beside each other.
    fn critical_moments(&self, out: &mut String, befores: &[History]) {
        let (document, labels) = (self.game.document(), self.language.labels());
        let players = Color::ALL.map(|color| {
            let moments = match self.is_explained(color) {
                true => moments(&document.plies, &document.critical_moments, color),
                false => Vec::new(),
            };
            (color, moments)
        });
        if players.iter().all(|(_, moments)| moments.is_empty()) {
            return;
        }
        let _ = writeln!(out, "<h2>{}</h2>", labels.critical_moments);
        for (color, moments) in players
            .into_iter()
            .filter(|(_, moments)| !moments.is_empty())
        {
            let player: &PlayerDocument = color.fold_wb(&document.white, &document.black);
            let _ = writeln!(
                out,
                "<section class=\"moments\">\n<h3>{} {}</h3>\n<div>",
                Disc(color, Some(side(self.language, color))),
                isolated(&player.name)
            );
            for ply in moments {
                self.moment(out, ply, befores, &said(ply));
                if let Some(line) = ply.better_line(self.language) {
                    let _ = writeln!(
                        out,
                        "<p class=\"quiet\">{} {}</p>",
                        labels.better,
                        Escaped(&line)
                    );
                }
                if let Some(numbers) = &ply.remark_numbers {
                    let _ = writeln!(out, "<p class=\"quiet numbers\">{}</p>", Escaped(numbers));
                }
                *out += "</figcaption>\n</figure>\n";
            }
            *out += "</div>\n</section>\n";
        }
    }

    /// Boards before the moves that were hardest to find; nothing without ease or if no moment was
    /// hard.
    fn hardest_moments(&self, out: &mut String, befores: &[History]) {
        let document = self.game.document();
        let hardest = document
            .hardest_moments
            .iter()
            .flatten()
            .map(|ply| &document.plies[ply - 1]);
        let hardest: Vec<&PlyDocument> = hardest
            .filter(|ply| ply.hardness.is_some() && self.is_explained(mover(ply)))
            .collect();
        if hardest.is_empty() {
            return;
        }
        let heading = self.language.labels().hardest_moments;
        let _ = writeln!(
            out,
            "<h2>{heading}</h2>\n<section class=\"moments hardest\">\n<div>"
        );
        for ply in hardest {
            self.moment(
                out,
                ply,
                befores,
                ply.hardness.as_deref().unwrap_or_default(),
            );
            *out += "</figcaption>\n</figure>\n";
        }
        *out += "</div>\n</section>\n";
    }

    /// Writes a board with its move and text, without the closing tags.
    fn moment(&self, out: &mut String, ply: &PlyDocument, befores: &[History], text: &str) {
        let _ = writeln!(
            out,
            "<figure>\n{}\n<figcaption><a href=\"#{}\">{}{}</a>\n<p>{}</p>",
            Diagram::of(ply, &befores[ply.ply - 1], self.language),
            self.anchor(ply),
            Escaped(&ply.numbered(self.language)),
            symbols(ply),
            Escaped(text)
        );
    }

    /// Writes the moves, each followed by its remark, if it has one.
    fn moves(&self, out: &mut String) {
        let (language, labels) = (self.language, self.language.labels());
        let _ = writeln!(out, "<h2>{}</h2>\n<div class=\"score\">", labels.moves);
        let mut is_open = false;
        let comments = self.game.comments();
        for ply in &self.game.document().plies {
            if !is_open {
                *out += "<p>";
            }
            let number = match &*ply.mover {
                "white" => format!("{}. ", ply.move_number),
                _ if !is_open => format!("{}… ", ply.move_number),
                _ => String::new(),
            };
            let san = language.san(&ply.san);
            let _ = write!(
                out,
                "<span id=\"{}\">{number}{}{}</span> ",
                self.anchor(ply),
                Escaped(&san),
                symbols(ply)
            );
            let is_explained = ply.remark.is_some() && self.is_explained(mover(ply));
            let comment = comments.get(&ply.ply);
            is_open = !is_explained && comment.is_none();
            if let Some(comment) = comment {
                let _ = writeln!(
                    out,
                    "</p>\n<p class=\"remark annotator\"><i>{}</i></p>",
                    Escaped(comment)
                );
            }
            if is_explained {
                let better = ply
                    .better_line(language)
                    .map(|line| format!(" {} {}", labels.better, Escaped(&line)));
                let better = better.unwrap_or_default();
                let numbers = ply.remark_numbers.as_deref().unwrap_or_default();
                let end = if comment.is_none() { "</p>\n" } else { "" };
                let _ = writeln!(
                    out,
                    "{end}<p class=\"remark\">{}{better} <span class=\"quiet numbers\">{}</span></p>",
                    Escaped(&said(ply)),
                    Escaped(numbers)
                );
            }
        }
        *out += if is_open {
            "</p>\n</div>\n"
        } else {
            "</div>\n"
        };
    }

    fn is_explained(&self, color: Color) -> bool {
        self.side.is_none_or(|side| side == color)
    }

    fn anchor(&self, ply: &PlyDocument) -> String {
        format!("g{}p{}", self.game.number, ply.ply)
    }
}

fn mover(ply: &PlyDocument) -> Color {
    Color::from_white(ply.mover == "white")
}

/// Returns the remark on a move and the reason.
pub(crate) fn said(ply: &PlyDocument) -> String {
    let reason = ply.reason.as_ref().map(|reason| reason.text.as_str());
    [ply.remark.as_deref(), reason]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns a player's moves on which most depended, in the order of the game: the game's critical
/// moments, then the costliest mistakes.
pub(crate) fn moments<'a>(
    plies: &'a [PlyDocument],
    critical: &[usize],
    color: Color,
) -> Vec<&'a PlyDocument> {
    let mut own: Vec<&PlyDocument> = plies
        .iter()
        .filter(|ply| ply.mover == color.to_string() && ply.symbol.is_some())
        .collect();
    let is_critical = |ply: &PlyDocument| critical.contains(&ply.ply);
    own.sort_by(|a, b| {
        is_critical(b)
            .cmp(&is_critical(a))
            .then(b.score_loss.total_cmp(&a.score_loss))
    });
    own.retain(|ply| is_critical(ply) || ply.score_loss > 0.0);
    own.truncate(MOMENTS);
    own.sort_by_key(|ply| ply.ply);
    own
}

pub(crate) fn count(counts: &SymbolCounts, symbol: MoveSymbol) -> usize {
    match symbol {
        MoveSymbol::Brilliant => counts.brilliant,
        MoveSymbol::Good => counts.good,
        MoveSymbol::Interesting => counts.interesting,
        MoveSymbol::Dubious => counts.dubious,
        MoveSymbol::Mistake => counts.mistake,
        MoveSymbol::Blunder => counts.blunder,
    }
}

fn side(language: Language, color: Color) -> &'static str {
    color.fold_wb(language.labels().white, language.labels().black)
}
