//! A game's section of the page.

use std::io::{self, Write};

use centipawn_core::MoveSymbol;
use shakmaty::Color;

use super::{Disc, Escaped, Symbol, board, class, graph, hardest, is_blamed, isolated, printable, viewer};
use crate::{Language, Phase, PlayerReview, Review, result_text, words::Labels};

/// A game's section of the page.
pub(super) struct Section<'a> {
    pub(super) review: &'a Review,
    /// 1 for the first game of the page; part of every anchor.
    pub(super) number: usize,
}

impl Section<'_> {
    fn language(&self) -> Language {
        self.review.options.language
    }

    fn labels(&self) -> &'static Labels {
        self.language().labels()
    }

    /// The title, each player's name in its own direction.
    fn names(&self, title: &str) -> String {
        match title.strip_prefix(&self.review.title()) {
            None => isolated(title),
            Some(rest) => {
                let [white, black] = [Color::White, Color::Black].map(|color| isolated(self.review.name(color)));
                format!("{white} – {black}{}", Escaped(rest))
            }
        }
    }

    pub(super) fn write(&self, out: &mut impl Write, title: &str) -> io::Result<()> {
        let (review, labels) = (self.review, self.labels());
        writeln!(out, "<article id=\"g{}\">\n<header>\n<h1>{}</h1>", self.number, self.names(title))?;
        let (result, opening) = (result_text(review.game.result), review.opening_name().unwrap_or_default());
        let parts = [review.occasion(), result.to_owned(), opening].into_iter().filter(|part| !part.is_empty());
        let parts: Vec<String> = parts.map(|part| isolated(&part)).collect();
        write!(out, "<p>{}", parts.join(" · "))?;
        if let Some(address) = review.address() {
            let text = address.split_once("://").map_or(address, |(_, text)| text);
            write!(out, " · <a href=\"{}\" rel=\"noreferrer\">{}</a>", Escaped(address), Escaped(text))?;
        }
        writeln!(out, "</p>\n</header>")?;
        if review.plies.is_empty() {
            writeln!(out, "<p>{}</p>", labels.no_moves)?;
        } else {
            viewer::write(out, review, self.number)?;
            writeln!(out, "{}", graph::Graph { review, section: self.number })?;
            self.totals(out)?;
            self.critical_moments(out)?;
            hardest::write(out, review, self.number)?;
            self.moves(out)?;
            for note in [review.curve_note(), review.suppressed()].into_iter().flatten() {
                writeln!(out, "<p class=\"quiet\">{}</p>", Escaped(&note))?;
            }
        }
        writeln!(out, "<footer>{}</footer>\n</article>", Escaped(&review.basis()))
    }

    /// Both players side by side: accuracy, losses, symbols, phases, time.
    fn totals(&self, out: &mut impl Write) -> io::Result<()> {
        let (review, language, labels) = (self.review, self.language(), self.labels());
        let unknown = || "–".to_owned();
        let players = [&review.white, &review.black];
        writeln!(out, "<table class=\"totals\">\n<thead><tr><td></td>")?;
        for (color, name) in [(Color::White, labels.white), (Color::Black, labels.black)] {
            let rating = review
                .rating(color)
                .map_or_else(String::new, |rating| format!(" <span class=\"quiet\">{rating}</span>"));
            writeln!(
                out,
                "<th scope=\"col\">{} {}{rating}</th>",
                Disc(color, Some(name)),
                isolated(review.name(color))
            )?;
        }
        writeln!(out, "</tr></thead>\n<tbody>")?;
        let mut row = |class: &str, name: &str, [white, black]: [String; 2]| {
            writeln!(out, "<tr{class}><th scope=\"row\">{name}</th><td>{white}</td><td>{black}</td></tr>")
        };
        let percent = |accuracy| format!("{} %", language.number(accuracy, 1));
        row("", labels.accuracy, players.map(|player| player.accuracy.map_or_else(unknown, percent)))?;
        let relevant = format!("<abbr title=\"{}\">{}</abbr>", labels.relevant_loss_long, labels.relevant_loss);
        row("", &relevant, players.map(|player| language.number(player.relevant_loss, 2)))?;
        // Without a second line nobody knows which moves were good.
        for symbol in MoveSymbol::ALL.into_iter().filter(|symbol| !symbol.is_praise() || review.knows_praise()) {
            let name = format!("<span class=\"{}\">{symbol}</span>", class(symbol));
            row("", &name, players.map(|player| player.count(symbol).to_string()))?;
        }
        row(" class=\"group\"", labels.given_away, Default::default())?;
        for (index, phase) in Phase::ALL.into_iter().enumerate() {
            let losses = players.map(|player| player.phases[index]);
            let shown = losses.map(|phase| match phase.moves {
                0 => unknown(),
                _ => language.number(phase.score_loss, 2),
            });
            row(" class=\"part\"", language.phase(phase), shown)?;
        }
        if players.iter().any(|player| player.time.is_some()) {
            let time = |player: &PlayerReview| player.time.map_or_else(unknown, |time| language.time(time));
            row(" class=\"group\"", labels.time, players.map(time))?;
        }
        writeln!(out, "</tbody></table>\n<p class=\"quiet explained\">{}</p>", labels.losses_explained)
    }

    fn critical_moments(&self, out: &mut impl Write) -> io::Result<()> {
        if self.review.critical_moments.is_empty() {
            return Ok(());
        }
        let (language, labels) = (self.language(), self.labels());
        writeln!(out, "<h2>{}</h2>\n<div class=\"moments\">", labels.critical_moments)?;
        for &index in &self.review.critical_moments {
            let ply = &self.review.plies[index];
            writeln!(
                out,
                "<section>\n<h3><a data-ply=\"{}\" href=\"#{}\">{}{}</a></h3>\n{}\n<p>{}</p>",
                index + 1,
                self.anchor(index),
                Escaped(&ply.numbered(language)),
                Symbol(ply),
                board::Diagram { ply, language },
                Escaped(&language.remark(ply))
            )?;
            if let Some(line) = ply.better_line(language).filter(|_| is_blamed(ply)) {
                writeln!(out, "<p class=\"line\">{} {}</p>", labels.better, Escaped(&line))?;
            }
            writeln!(out, "</section>")?;
        }
        writeln!(out, "</div>")
    }

    fn moves(&self, out: &mut impl Write) -> io::Result<()> {
        let (language, labels) = (self.language(), self.labels());
        let [number, white, black] = [labels.number, labels.white, labels.black].map(column);
        let evaluation = column(&format!("<abbr title=\"{}\">{}</abbr>", labels.evaluation, labels.evaluation_short));
        writeln!(
            out,
            "<h2>{}</h2>\n<table class=\"moves\">\n<thead><tr>{number}{white}{evaluation}{black}{evaluation}</tr></thead>\n<tbody>",
            labels.moves
        )?;
        let plies = &self.review.plies;
        let mut index = 0;
        while index < plies.len() {
            let black_begins = plies[index].mover == Color::Black;
            let row = index..(index + 2 - usize::from(black_begins)).min(plies.len());
            write!(out, "<tr><th scope=\"row\">{}</th>", plies[index].number)?;
            if black_begins {
                write!(out, "<td>…</td><td></td>")?;
            }
            for index in row.clone() {
                let ply = &plies[index];
                let eval = ply
                    .eval_text(language)
                    .map_or_else(String::new, |eval| format!("{eval} {}", printable(ply.position)));
                let anchor = self.anchor(index);
                write!(
                    out,
                    "<td id=\"{anchor}\"><a data-ply=\"{}\" href=\"#{anchor}\">{}{}</a></td><td>{eval}</td>",
                    index + 1,
                    Escaped(&language.san(&ply.san)),
                    Symbol(ply)
                )?;
            }
            if row.len() == 1 && !black_begins {
                write!(out, "<td></td><td></td>")?;
            }
            writeln!(out, "</tr>")?;
            for ply in row.clone().map(|index| &plies[index]).filter(|ply| ply.symbol.is_some()) {
                let better = ply.better_line(language).filter(|_| is_blamed(ply));
                let better = better.map_or_else(String::new, |line| format!(" {} {line}", labels.better));
                writeln!(
                    out,
                    "<tr class=\"note\"><td></td><td colspan=\"4\">{}{} {}{}</td></tr>",
                    Escaped(&ply.numbered(language)),
                    Symbol(ply),
                    Escaped(&language.remark(ply)),
                    Escaped(&better)
                )?;
            }
            index = row.end;
        }
        writeln!(out, "</tbody></table>")
    }

    fn anchor(&self, index: usize) -> String {
        format!("g{}p{}", self.number, index + 1)
    }
}

fn column(name: &str) -> String {
    format!("<th scope=\"col\">{name}</th>")
}
