//! Tables of the index and of players' pages, which the script sorts by any column.

use centipawn_review::{Language, Mistakes};
use shakmaty::Color;

use crate::html::{Disc, Escaped, class};

/// A cell of a table. Unknown values give empty cells.
pub(crate) enum Cell<'a> {
    Text(&'a str),
    /// Text without line breaks, such as a result or a date.
    Short(&'a str),
    /// Text that needs a wide column, such as an opening.
    Long(&'a str),
    /// A link with its text.
    Link(String, &'a str),
    /// A link whose text has no line breaks, such as a move.
    ShortLink(String, &'a str),
    /// A player of a game with a link, and the rating.
    Player(String, &'a str, Option<u32>),
    /// A colour and an opening.
    Side(Color, &'a str),
    /// A colour with its name.
    Color(Color),
    Count(Option<u64>),
    /// A number, with the number of decimals.
    Number(Option<f64>, usize),
    /// A percentage.
    Percent(Option<f64>),
}

/// The heading of a column.
pub(crate) enum Column {
    /// A column of text.
    Text(&'static str),
    Number(&'static str),
    /// A column of numbers about one side.
    Side(&'static str, Color),
    Symbol(centipawn_core::MoveSymbol),
}

/// Returns the columns `?!`, `?`, `??`.
pub(crate) fn mistake_columns() -> impl Iterator<Item = Column> {
    Mistakes::SYMBOLS.into_iter().map(Column::Symbol)
}

/// Returns a table up to its rows, under a heading.
pub(crate) fn begin(
    language: Language,
    heading: &str,
    columns: impl IntoIterator<Item = Column>,
) -> String {
    let columns: String = columns
        .into_iter()
        .map(|column| column.html(language))
        .collect();
    let heading = if heading.is_empty() {
        String::new()
    } else {
        format!("<h2>{heading}</h2>\n")
    };
    format!(
        "<section>\n{heading}<div class=\"wide\" tabindex=\"0\"><table class=\"listing\">\n\
         <thead><tr>{columns}</tr></thead>\n<tbody>\n"
    )
}

/// The end of a table.
pub(crate) const END: &str = "</tbody></table></div></section>\n";

/// Returns a row; its first cell is its heading.
pub(crate) fn row<'a>(language: Language, cells: impl IntoIterator<Item = Cell<'a>>) -> String {
    let mut row = "<tr>".to_owned();
    for (index, cell) in cells.into_iter().enumerate() {
        row += &cell.html(language, if index == 0 { "th scope=\"row\"" } else { "td" });
    }
    row + "</tr>\n"
}

impl Cell<'_> {
    fn html(&self, language: Language, tag: &str) -> String {
        let end = &tag[..2];
        let number =
            |value: String, shown: String| format!("<{tag} data-value=\"{value}\">{shown}</{end}>");
        let classed =
            |class: &str, html: String| format!("<{tag} class=\"{class}\">{html}</{end}>");
        let text = |html| classed("text", html);
        let link = |href: &str, shown: &str| {
            format!("<a href=\"{}\">{}</a>", Escaped(href), Escaped(shown))
        };
        match self {
            Cell::Text(shown) => text(Escaped(shown).to_string()),
            Cell::Short(shown) => classed("text short", Escaped(shown).to_string()),
            Cell::Long(shown) => classed("text long", Escaped(shown).to_string()),
            Cell::Link(href, shown) => text(link(href, shown)),
            Cell::ShortLink(href, shown) => classed("text short", link(href, shown)),
            Cell::Player(href, name, rating) => {
                let rating = rating.map(|rating| format!(" <span class=\"quiet\">{rating}</span>"));
                text(link(href, name) + &rating.unwrap_or_default())
            }
            Cell::Side(color, shown) => {
                let disc = Disc(*color, Some(side(language, *color)));
                classed("text long", format!("{disc} {}", Escaped(shown)))
            }
            Cell::Color(color) => classed(
                "text short",
                format!("{} {}", Disc(*color, None), side(language, *color)),
            ),
            Cell::Count(Some(count)) => number(count.to_string(), language.count(*count)),
            Cell::Number(Some(value), decimals) => {
                number(format!("{value:.4}"), language.number(*value, *decimals))
            }
            Cell::Percent(Some(value)) => number(
                format!("{value:.4}"),
                format!("{} %", language.number(*value, 1)),
            ),
            Cell::Count(None) | Cell::Number(None, _) | Cell::Percent(None) => {
                format!("<{tag}></{end}>")
            }
        }
    }
}

fn side(language: Language, color: Color) -> &'static str {
    color.fold_wb(language.labels().white, language.labels().black)
}

impl Column {
    fn html(&self, language: Language) -> String {
        match self {
            Column::Text(name) => format!("<th scope=\"col\" class=\"text\">{name}</th>"),
            Column::Number(name) => format!("<th scope=\"col\">{name}</th>"),
            Column::Side(name, color) => {
                format!(
                    "<th scope=\"col\">{name} {}</th>",
                    Disc(*color, Some(side(language, *color)))
                )
            }
            Column::Symbol(symbol) => format!(
                "<th scope=\"col\" class=\"{}\">{symbol}</th>",
                class(*symbol)
            ),
        }
    }
}
