//! A game's section of the page.

use std::io::{self, Write};

use centipawn_core::MoveSymbol;
use shakmaty::Color;

use super::{Escaped, Symbol, board, class, graph, hardest, is_blamed, printable, viewer};
use crate::{Language, Phase, Review, words::Labels};

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

    pub(super) fn write(&self, out: &mut impl Write, title: &str) -> io::Result<()> {
        let (review, labels) = (self.review, self.labels());
        writeln!(out, "<article id=\"g{}\">\n<header>\n<h1>{}</h1>", self.number, Escaped(title))?;
        let parts = [review.occasion(), review.game.result.to_string(), review.opening_name().unwrap_or_default()];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        writeln!(out, "<p>{}</p>\n</header>", Escaped(&parts.join(" · ")))?;
        self.players(out)?;
        if review.plies.is_empty() {
            writeln!(out, "<p>{}</p>", labels.no_moves)?;
        } else {
            viewer::write(out, review, self.number)?;
            writeln!(out, "{}", graph::Graph { review, section: self.number })?;
            self.phases(out)?;
            self.critical_moments(out)?;
            hardest::write(out, review, self.number)?;
            self.moves(out)?;
            if let Some(suppressed) = review.suppressed() {
                writeln!(out, "<p class=\"quiet\">{}</p>", Escaped(&suppressed))?;
            }
        }
        let who = review.analyst.as_ref().map_or_else(
            || labels.own_evaluations.to_owned(),
            |analyst| format!("{}, {} {}", analyst.with_options(), review.options.limit, labels.a_position),
        );
        writeln!(
            out,
            "<footer>{}. {} {}; {} {}.</footer>\n</article>",
            Escaped(&who),
            labels.by_curve,
            Escaped(&review.curve.to_string()),
            labels.by_schemes,
            review.options.scheme
        )
    }

    fn players(&self, out: &mut impl Write) -> io::Result<()> {
        let (language, labels) = (self.language(), self.labels());
        writeln!(
            out,
            "<div class=\"wide\" tabindex=\"0\"><table class=\"players\">\n<thead><tr>{}{}",
            column(labels.player),
            column(labels.accuracy)
        )?;
        write!(
            out,
            "<th scope=\"col\"><abbr title=\"{}\">{}</abbr></th>",
            labels.relevant_loss_long, labels.relevant_loss
        )?;
        for symbol in MoveSymbol::ALL {
            write!(out, "<th scope=\"col\" class=\"{}\">{symbol}</th>", class(symbol))?;
        }
        writeln!(out, "</tr></thead>\n<tbody>")?;
        for color in [Color::White, Color::Black] {
            let player = self.review.player(color);
            let accuracy = player
                .accuracy
                .map_or_else(|| "–".to_owned(), |accuracy| format!("{} %", language.number(accuracy, 1)));
            let loss = language.number(player.relevant_loss, 2);
            write!(out, "<tr>{}<td>{accuracy}</td><td>{loss}</td>", self.player(color))?;
            player.symbols.iter().try_for_each(|count| write!(out, "<td>{count}</td>"))?;
            writeln!(out, "</tr>")?;
        }
        writeln!(out, "</tbody></table></div>")
    }

    /// Expected score given away in each phase of the game, and the time.
    fn phases(&self, out: &mut impl Write) -> io::Result<()> {
        let (language, labels) = (self.language(), self.labels());
        let has_times = Color::ALL.into_iter().any(|color| self.review.player(color).time.is_some());
        write!(
            out,
            "<div class=\"wide\" tabindex=\"0\"><table class=\"players\">\n<thead><tr>{}",
            column(labels.given_away)
        )?;
        Phase::ALL.iter().try_for_each(|phase| write!(out, "{}", column(language.phase(*phase))))?;
        writeln!(out, "{}</tr></thead>\n<tbody>", if has_times { column(labels.time) } else { String::new() })?;
        for color in [Color::White, Color::Black] {
            let player = self.review.player(color);
            write!(out, "<tr>{}", self.player(color))?;
            for phase in player.phases {
                let loss = language.number(phase.expected_score_loss, 2);
                write!(out, "<td>{}</td>", if phase.moves > 0 { &loss } else { "–" })?;
            }
            if has_times {
                write!(out, "<td>{}</td>", player.time.map_or_else(|| "–".to_owned(), |time| language.time(time)))?;
            }
            writeln!(out, "</tr>")?;
        }
        writeln!(out, "</tbody></table></div>")
    }

    /// The header of a player's row.
    fn player(&self, color: Color) -> String {
        let (disc, name) = (color.fold_wb("○", "●"), Escaped(self.review.name(color)));
        format!("<th scope=\"row\"><span aria-hidden=\"true\">{disc}</span> {name}</th>")
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
                Escaped(&ply.numbered()),
                Symbol(ply),
                board::Diagram { ply, label: labels.position_before },
                Escaped(&language.remark(ply))
            )?;
            if let Some(line) = ply.better_line().filter(|_| is_blamed(ply)) {
                writeln!(out, "<p class=\"line\">{} {}</p>", labels.better, Escaped(&line))?;
            }
            writeln!(out, "</section>")?;
        }
        writeln!(out, "</div>")
    }

    fn moves(&self, out: &mut impl Write) -> io::Result<()> {
        let (language, labels) = (self.language(), self.labels());
        let [number, white, black, evaluation] =
            [labels.number, labels.white, labels.black, labels.evaluation].map(column);
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
                    .after
                    .map_or_else(String::new, |eval| format!("{} {}", language.eval(eval), printable(ply.position)));
                let anchor = self.anchor(index);
                write!(
                    out,
                    "<td id=\"{anchor}\"><a data-ply=\"{}\" href=\"#{anchor}\">{}{}</a></td><td>{eval}</td>",
                    index + 1,
                    Escaped(&ply.san),
                    Symbol(ply)
                )?;
            }
            if row.len() == 1 && !black_begins {
                write!(out, "<td></td><td></td>")?;
            }
            writeln!(out, "</tr>")?;
            for ply in row.clone().map(|index| &plies[index]).filter(|ply| ply.symbol.is_some()) {
                let better = ply.better_line().filter(|_| is_blamed(ply));
                let better = better.map_or_else(String::new, |line| format!(" {} {line}", labels.better));
                writeln!(
                    out,
                    "<tr class=\"note\"><td></td><td colspan=\"4\">{}{} {}{}</td></tr>",
                    Escaped(&ply.numbered()),
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
