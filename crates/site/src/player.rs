//! A player's page in a batch: mistakes by phase, symbol and opening, and the worst of them.

use std::fmt::Write as _;

use centipawn_progress::Provenance;
use centipawn_review::{Language, MistakeCounts, Mistakes, Phase, PlayerRow};
use shakmaty::Color;

use crate::{
    html::{Assets, Escaped, head},
    table::{self, Cell, Column},
};

/// A player's page. Links lead to the index one folder up, and to the games' pages beside this one's folder.
pub(crate) fn player(language: Language, row: &PlayerRow, mistakes: &Mistakes, provenance: &Provenance) -> String {
    let labels = language.labels();
    let mut out = head(language, &row.player, Some(provenance), Assets::Beside("../"));
    let number = |value: Option<f64>, decimals| value.map(|value| language.number(value, decimals));
    let facts = [
        Some((labels.games, language.count(row.games))),
        number(row.score, 2).map(|score| (labels.result, score)),
        number(row.accuracy, 1).map(|accuracy| (labels.accuracy, format!("{accuracy}\u{a0}%"))),
        Some((labels.relevant_loss, language.number(row.relevant_loss, 2))),
        number(row.ease, 2).map(|ease| (labels.ease_heading, ease)),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().map(|(name, value)| format!("{name}: {value}")).collect();
    let _ = writeln!(
        out,
        "<body>\n<main class=\"reading index player\">\n<header>\n<h1>{}</h1>\n<p class=\"quiet\"><a href=\"../index.html\">{}</a> · {}</p>\n</header>",
        Escaped(&row.player),
        labels.games,
        facts.join(" · ")
    );
    let counted = |name: &'static str| {
        let columns = [
            Column::Text(name),
            Column::Number(labels.games),
            Column::Number(labels.moves),
            Column::Number(labels.given_away),
        ];
        columns.into_iter().chain(table::mistake_columns())
    };
    let text = &mut out;
    *text += &table::begin(labels.mistakes_by_phase, counted(labels.phase));
    for (phase, counts) in Phase::ALL.into_iter().zip(&mistakes.phases) {
        *text += &table::row(language, cells(Cell::Text(language.phase(phase)), counts));
    }
    *text += table::END;
    *text += &table::begin(labels.mistakes_by_opening, counted(labels.opening));
    for ((opening, is_black), counts) in &mistakes.openings {
        let color = if *is_black { Color::Black } else { Color::White };
        *text += &table::row(language, cells(Cell::Side(color, opening), counts));
    }
    *text += table::END;
    if !mistakes.worst.is_empty() {
        let columns = [
            Column::Text(labels.mv),
            Column::Text(labels.opponent),
            Column::Text(labels.date),
            Column::Text(labels.phase),
            Column::Number(labels.given_away),
        ];
        *text += &table::begin(labels.worst_mistakes, columns);
        for mistake in &mistakes.worst {
            let page = format!("../games/{:05}.html#ply={}", mistake.game, mistake.ply);
            let cells = [
                Cell::ShortLink(page, &mistake.text),
                Cell::Text(&mistake.opponent),
                Cell::Short(&mistake.date),
                Cell::Short(language.phase(mistake.phase)),
                Cell::Number(Some(mistake.loss), 2),
            ];
            *text += &table::row(language, cells);
        }
        *text += table::END;
    }
    out + "</main>\n</body>\n</html>\n"
}

fn cells<'a>(name: Cell<'a>, counts: &MistakeCounts) -> impl Iterator<Item = Cell<'a>> {
    let symbols = counts.symbols.map(|count| Cell::Count(Some(count)));
    let totals = [
        name,
        Cell::Count(Some(counts.games)),
        Cell::Count(Some(counts.moves)),
        Cell::Number((counts.moves > 0).then_some(counts.score_loss), 2),
    ];
    totals.into_iter().chain(symbols)
}
