//! Tables of the index and of players' pages, which a script sorts by any column.

use std::fmt::{self, Display};

use shakmaty::Color;

use super::{Disc, Escaped, class};
use crate::{Language, Mistakes};

/// A cell; what is unknown stays empty.
pub(super) enum Cell<'a> {
    Text(&'a str),
    /// Text that stays in one line: a result, a date.
    Short(&'a str),
    /// A link with its text.
    Link(String, &'a str),
    /// A player of a game, perhaps with a link, and the rating.
    Player(Option<String>, &'a str, Option<u32>),
    /// A colour and text.
    Side(Color, &'a str),
    Count(Option<u64>),
    /// A number with its decimals.
    Number(Option<f64>, usize),
    /// Per cent.
    Percent(Option<f64>),
}

/// A column's heading.
pub(super) enum Column {
    /// Its cells are text.
    Text(&'static str),
    Number(&'static str),
    /// A number about one side.
    Side(&'static str, Color),
    Symbol(centipawn_core::MoveSymbol),
}

/// The columns `?!`, `?`, `??`.
pub(super) fn mistake_columns() -> impl Iterator<Item = Column> {
    Mistakes::SYMBOLS.into_iter().map(Column::Symbol)
}

/// A table up to its rows, under a heading.
pub(super) fn begin(heading: &str, columns: impl IntoIterator<Item = Column>) -> String {
    let columns: String = columns.into_iter().map(|column| column.to_string()).collect();
    format!(
        "<section>\n<h2>{heading}</h2>\n<div class=\"wide\" tabindex=\"0\"><table class=\"listing\">\n\
         <thead><tr>{columns}</tr></thead>\n<tbody>\n"
    )
}

/// The end of a table.
pub(super) const END: &str = "</tbody></table></div></section>\n";

/// A row; its first cell is its heading.
pub(super) fn row<'a>(language: Language, cells: impl IntoIterator<Item = Cell<'a>>) -> String {
    let mut row = "<tr>".to_owned();
    for (index, cell) in cells.into_iter().enumerate() {
        row += &cell.html(language, if index == 0 { "th scope=\"row\"" } else { "td" });
    }
    row + "</tr>\n"
}

impl Cell<'_> {
    fn html(&self, language: Language, tag: &str) -> String {
        let end = &tag[..2];
        let number = |value: String, shown: String| format!("<{tag} data-value=\"{value}\">{shown}</{end}>");
        let text = |html: String| format!("<{tag} class=\"text\">{html}</{end}>");
        match self {
            Cell::Text(shown) => text(Escaped(shown).to_string()),
            Cell::Short(shown) => format!("<{tag} class=\"text short\">{}</{end}>", Escaped(shown)),
            Cell::Link(href, shown) => text(format!("<a href=\"{}\">{}</a>", Escaped(href), Escaped(shown))),
            Cell::Player(href, name, rating) => {
                let name = Escaped(name);
                let name = match href {
                    Some(href) => format!("<a href=\"{}\">{name}</a>", Escaped(href)),
                    None => name.to_string(),
                };
                let rating = rating.map(|rating| format!(" <span class=\"quiet\">{rating}</span>"));
                text(name + &rating.unwrap_or_default())
            }
            Cell::Side(color, shown) => {
                text(format!("{} {}", Disc(*color, Some(side(language, *color))), Escaped(shown)))
            }
            Cell::Count(Some(count)) => number(count.to_string(), language.count(*count)),
            Cell::Number(Some(value), decimals) => number(format!("{value:.4}"), language.number(*value, *decimals)),
            Cell::Percent(Some(value)) => number(format!("{value:.4}"), format!("{} %", language.number(*value, 1))),
            Cell::Count(None) | Cell::Number(None, _) | Cell::Percent(None) => format!("<{tag}></{end}>"),
        }
    }
}

fn side(language: Language, color: Color) -> &'static str {
    color.fold_wb(language.labels().white, language.labels().black)
}

impl Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Column::Text(name) => write!(f, "<th scope=\"col\" class=\"text\">{name}</th>"),
            Column::Number(name) => write!(f, "<th scope=\"col\">{name}</th>"),
            Column::Side(name, color) => {
                write!(f, "<th scope=\"col\">{name} {}</th>", Disc(*color, Some(color.fold_wb("○", "●"))))
            }
            Column::Symbol(symbol) => write!(f, "<th scope=\"col\" class=\"{}\">{symbol}</th>", class(*symbol)),
        }
    }
}
