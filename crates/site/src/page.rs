//! The pages of a site as text. A game's page contains its document for the viewer, and the game to be read without scripts.

use std::fmt::Write as _;

use centipawn_review::{GameDocument, Language, PlyDocument, ReviewDocument, WhyDocument, report::Escaped};
use serde::Serialize;

use crate::{
    moves::{GameSummary, MovesDocument},
    write::{SiteGame, SiteOptions},
};

/// What the list of a site's games contains, and no other page.
pub(crate) const MARK: &str = "<meta name=\"centipawn\" content=\"site\">";

/// Symbols in the order of reports, with their classes.
const SYMBOLS: [(&str, &str); 6] =
    [("!!", "brilliant"), ("!", "good"), ("!?", "interesting"), ("?!", "dubious"), ("?", "mistake"), ("??", "blunder")];
/// Moves of a better line that are shown.
const LINE: usize = 6;
/// Curves are drawn this far, in pawns on each side of 0.
const DRAWN: f64 = 6.0;

/// What the viewer reads; `crates/web/ui/src/site/api.ts`.
#[derive(Serialize)]
struct Contents<'a> {
    moves: MovesDocument,
    review: &'a ReviewDocument,
    why: Vec<WhyDocument>,
    pgn: Option<&'a str>,
}

/// Words of the pages.
struct Words {
    games: &'static str,
    player: &'static str,
    accuracy: &'static str,
    loss: &'static str,
    better: &'static str,
    pgn: &'static str,
    reader: &'static str,
}

const ENGLISH: Words = Words {
    games: "Games",
    player: "Player",
    accuracy: "Accuracy",
    loss: "Relevant loss",
    better: "Better",
    pgn: "Annotated game as PGN",
    reader: "With scripts this page shows the game on a board.",
};

const GERMAN: Words = Words {
    games: "Partien",
    player: "Spieler",
    accuracy: "Genauigkeit",
    loss: "Relevanter Verlust",
    better: "Besser",
    pgn: "Kommentierte Partie als PGN",
    reader: "Mit Skripten zeigt diese Seite die Partie auf einem Brett.",
};

fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::German => &GERMAN,
    }
}

/// The beginning of a page up to its contents; `base` leads to the folder of the site.
fn head(language: Language, title: &str, base: &str, more: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self' file:; \
         style-src 'self' file:; img-src 'self' data: file:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"Centipawn {}\">\n{more}<title>{}</title>\n\
         <link rel=\"icon\" href=\"{base}icon.svg\" type=\"image/svg+xml\">\n\
         <link rel=\"stylesheet\" href=\"{base}viewer.css\">\n",
        env!("CARGO_PKG_VERSION"),
        Escaped(title),
    )
}

/// The page of a game. `pgn` is the name of the file beside it.
pub(crate) fn game(game: &SiteGame, language: Language, pgn: Option<&str>) -> String {
    let (document, words) = (game.document(), words(language));
    let moves = MovesDocument::new(GameSummary::new(game.number.cast_signed(), &game.game), &game.game, true);
    let names = format!("{} – {}", document.white.name, document.black.name);
    let mut out = head(language, &names, "../", "");
    out += "<script src=\"../viewer.js\" defer></script>\n</head>\n<body>\n<div class=\"page\">\n";
    let _ = write!(
        out,
        "<header class=\"top\"><a class=\"logo\" href=\"../index.html\"><img src=\"../icon.svg\" alt=\"\" width=\"26\" \
         height=\"26\"> {}</a></header>\n<main id=\"main\" class=\"reading\">\n<h1>{} <span class=\"result\">{}</span></h1>\n<p class=\"quiet\">{}</p>\n",
        words.games,
        Escaped(&names),
        Escaped(&moves.summary.result),
        Escaped(&about(&moves.summary, document)),
    );
    out += &totals(document, language);
    out += &score(document, language);
    if let Some(pgn) = pgn {
        let _ = writeln!(out, "<p><a href=\"{pgn}\" download>{}</a></p>", words.pgn);
    }
    let _ = writeln!(out, "<p class=\"quiet\">{}</p>\n</main>\n</div>", words.reader);
    let contents = Contents { moves, review: &game.review, why: game.why.iter().map(drawn).collect(), pgn };
    // Documents of ours have no maps with other keys than text, and no numbers that are none.
    let json = serde_json::to_string(&contents).unwrap_or_default().replace('<', "\\u003c");
    let _ = writeln!(out, "<script type=\"application/json\" id=\"data\">{json}</script>\n</body>\n</html>");
    out
}

/// Occasion and opening.
fn about(summary: &GameSummary, document: &GameDocument) -> String {
    let opening = document.opening.as_ref().map(|opening| format!("{} {}", opening.eco, opening.name));
    let parts = [Some(summary.occasion.clone()), opening];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// The points of the curve that are drawn, with as many digits as a drawing shows.
fn drawn(why: &WhyDocument) -> WhyDocument {
    let rounded = |(pawns, score): &(f64, f64)| (*pawns, (10_000.0 * score).round() / 10_000.0);
    let points = why.points.iter().filter(|(pawns, _)| pawns.abs() <= DRAWN).map(rounded);
    WhyDocument { points: points.collect(), ..why.clone() }
}

/// Both players' totals.
fn totals(document: &GameDocument, language: Language) -> String {
    let (words, both) = (words(language), [&document.white, &document.black]);
    let mut out = "<table class=\"totals\">\n<thead><tr>".to_owned();
    let _ = write!(out, "<th scope=\"col\">{}</th>", words.player);
    for player in both {
        let _ = write!(out, "<th scope=\"col\">{}</th>", Escaped(&player.name));
    }
    out += "</tr></thead>\n<tbody>\n";
    let mut row = |name: &str, cells: [String; 2]| {
        let [white, black] = cells;
        let _ = writeln!(out, "<tr><th scope=\"row\">{name}</th><td>{white}</td><td>{black}</td></tr>");
    };
    let accuracy = |share: f64| format!("{} %", language.number(share, 1));
    row(words.accuracy, both.map(|player| player.accuracy.map_or_else(|| "–".to_owned(), accuracy)));
    row(words.loss, both.map(|player| language.number(player.relevant_loss, 2)));
    for (symbol, class) in SYMBOLS {
        row(&format!("<b class=\"{class}\">{symbol}</b>"), both.map(|player| count(player, symbol).to_string()));
    }
    out + "</tbody>\n</table>\n"
}

fn count(player: &centipawn_review::PlayerDocument, symbol: &str) -> usize {
    let counts = &player.symbols;
    match symbol {
        "!!" => counts.brilliant,
        "!" => counts.good,
        "!?" => counts.interesting,
        "?!" => counts.dubious,
        "?" => counts.mistake,
        _ => counts.blunder,
    }
}

/// The moves; those with a remark are followed by it.
fn score(document: &GameDocument, language: Language) -> String {
    let words = words(language);
    let mut out = "<div class=\"score\">\n".to_owned();
    let mut is_open = false;
    for ply in &document.plies {
        if !is_open {
            out += "<p>";
        }
        if ply.mover == "white" {
            let _ = write!(out, "{}. ", ply.move_number);
        } else if !is_open {
            let _ = write!(out, "{} … ", ply.move_number);
        }
        let _ = write!(out, "{}{} ", Escaped(&language.san(&ply.san)), symbol(ply));
        is_open = ply.remark.is_none();
        if let Some(remark) = &ply.remark {
            let better = better(ply).map(|line| format!(" {}: {}.", words.better, Escaped(&language.san(&line))));
            let _ = writeln!(out, "</p>\n<p class=\"remark\">{}{}</p>", Escaped(remark), better.unwrap_or_default());
        }
    }
    out + if is_open { "</p>\n</div>\n" } else { "</div>\n" }
}

fn symbol(ply: &PlyDocument) -> String {
    let class = |symbol: &str| SYMBOLS.iter().find(|(known, _)| *known == symbol).map_or("", |(_, class)| class);
    let text = |symbol: &String| format!("<b class=\"{}\">{}</b>", class(symbol), Escaped(symbol));
    ply.symbol.as_ref().map(text).unwrap_or_default()
}

/// The best line that begins with another move, of a move that gave something away.
fn better(ply: &PlyDocument) -> Option<String> {
    let line = ply.lines.iter().find(|line| line.uci.first().is_some_and(|uci| *uci != ply.uci))?;
    (ply.score_loss > 0.0).then(|| line.san.iter().take(LINE).cloned().collect::<Vec<_>>().join(" "))
}

/// The list of a site's games.
pub(crate) struct Index {
    pub(crate) language: Language,
    title: String,
    rows: String,
}

impl Index {
    pub(crate) fn new(options: &SiteOptions) -> Self {
        let language = options.review.language;
        let title = options.title.clone().unwrap_or_else(|| words(language).games.to_owned());
        Self { language, title, rows: String::new() }
    }

    /// Adds a game whose page is at `address`.
    pub(crate) fn add(&mut self, game: &SiteGame, address: &str) {
        let (document, words) = (game.document(), words(self.language));
        let summary = GameSummary::new(game.number.cast_signed(), &game.game);
        let symbols: String = SYMBOLS
            .iter()
            .map(|(symbol, class)| (count(&document.white, symbol) + count(&document.black, symbol), symbol, class))
            .filter(|(count, ..)| *count > 0)
            .map(|(count, symbol, class)| format!(" · {count} <b class=\"{class}\">{symbol}</b>"))
            .collect();
        let accuracy =
            |share: Option<f64>| share.map_or_else(|| "–".to_owned(), |share| self.language.number(share, 1));
        let _ = writeln!(
            self.rows,
            "<li><a href=\"{address}\">{} – {}</a><span class=\"result\">{}</span>\n<p class=\"quiet\">{}</p>\n\
             <p class=\"quiet\">{} {} : {}{symbols}</p></li>",
            Escaped(&document.white.name),
            Escaped(&document.black.name),
            Escaped(&summary.result),
            Escaped(&about(&summary, document)),
            words.accuracy,
            accuracy(document.white.accuracy),
            accuracy(document.black.accuracy),
        );
    }

    /// The page.
    pub(crate) fn page(&self) -> String {
        let mut out = head(self.language, &self.title, "", &format!("{MARK}\n"));
        let _ = write!(
            out,
            "</head>\n<body>\n<main class=\"reading\">\n<h1>{}</h1>\n<ul class=\"games-list\">\n{}</ul>\n</main>\n</body>\n</html>\n",
            Escaped(&self.title),
            self.rows
        );
        out
    }
}
