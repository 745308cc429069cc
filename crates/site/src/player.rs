//! A player's page in a batch: what to train, the costliest moments, results by colour and over
//! time, mistakes by phase and opening, and puzzles made of the mistakes.

use std::fmt::Write as _;

use centipawn_judge::Phase;
use centipawn_progress::Provenance;
use centipawn_review::{
    CauseDocument, Causes, Language, Mistake, MistakeCounts, Mistakes, PlayerRow, Results, Tally,
};
use shakmaty::Color;

use crate::{
    board::{self, Diagram},
    html::{Assets, Escaped, head, isolated},
    table::{self, Cell, Column},
    trend::Trend,
};

/// Number of boards of the costliest moments.
const MOMENTS: usize = 3;
/// Maximum number of puzzles.
const PUZZLES: usize = 6;
/// Maximum number of causes in a list, not counting the cause without a reason.
const CAUSES: usize = 8;

/// A player in many games.
pub(crate) struct Player<'a> {
    row: &'a PlayerRow,
    mistakes: &'a Mistakes,
    causes: &'a Causes,
    results: &'a Results,
    language: Language,
    words: &'static Words,
}

/// The texts that only this page has.
struct Words {
    train: &'static str,
    no_reasons: &'static str,
    none_proven: &'static str,
    share: &'static str,
    interval: &'static str,
    moments: &'static str,
    by_color: &'static str,
    color: &'static str,
    trend: &'static str,
    puzzles: &'static str,
    solution: &'static str,
    game: &'static str,
}

const ENGLISH: Words = Words {
    train: "What to train",
    no_reasons: "No reason is known for a mistake: reasons need a review by an engine.",
    none_proven: "No reason could be proven for a mistake. Reviews with more nodes find more reasons.",
    share: "of the points given away",
    interval: "95 % interval",
    moments: "The costliest moments",
    by_color: "Results by colour",
    color: "Colour",
    trend: "Points given away per game",
    puzzles: "Find the better move",
    solution: "Solution",
    game: "Game",
};

const GERMAN: Words = Words {
    train: "Was zu üben ist",
    no_reasons: "Von keinem Fehler ist der Grund bekannt: Gründe findet nur eine Analyse mit einer Engine.",
    none_proven: "Von keinem Fehler ließ sich ein Grund beweisen. Analysen mit mehr Knoten finden mehr Gründe.",
    share: "der verschenkten Punkte",
    interval: "95-%-Intervall",
    moments: "Die teuersten Momente",
    by_color: "Ergebnisse nach Farbe",
    color: "Farbe",
    trend: "Verschenkte Punkte je Partie",
    puzzles: "Finde den besseren Zug",
    solution: "Lösung",
    game: "Partie",
};

/// Returns a player's page; empty for a player without games. Links lead to the index one folder
/// up, and to the games' pages beside this one's folder.
pub(crate) fn player(
    language: Language,
    row: &PlayerRow,
    tally: &Tally,
    provenance: &Provenance,
) -> String {
    let name = &row.player;
    let (Some(mistakes), Some(causes), Some(results)) = (
        tally.mistakes(name),
        tally.causes(name),
        tally.results(name),
    ) else {
        return String::new();
    };
    let words = match language {
        Language::English => &ENGLISH,
        Language::German => &GERMAN,
    };
    Player {
        row,
        mistakes,
        causes,
        results,
        language,
        words,
    }
    .page(provenance)
}

impl Player<'_> {
    fn page(&self, provenance: &Provenance) -> String {
        let mut out = head(
            self.language,
            &self.row.player,
            Some(provenance),
            Assets::Beside("../"),
        );
        let _ = writeln!(
            out,
            "<body>\n{}<main class=\"reading index player\">",
            board::pieces()
        );
        self.title(&mut out);
        self.training(&mut out);
        self.moments(&mut out);
        out += "<div class=\"beside\">\n";
        self.colors(&mut out);
        self.trend(&mut out);
        out += "</div>\n";
        self.puzzles(&mut out);
        self.phases(&mut out);
        self.openings(&mut out);
        self.worst(&mut out);
        out + "</main>\n</body>\n</html>\n"
    }

    fn title(&self, out: &mut String) {
        let (language, labels, row) = (self.language, self.language.labels(), self.row);
        let number =
            |value: Option<f64>, decimals| value.map(|value| language.number(value, decimals));
        let facts = [
            Some((labels.games, language.count(row.games))),
            number(row.score, 2).map(|score| (labels.score, score)),
            number(row.accuracy, 1).map(|accuracy| (labels.accuracy, format!("{accuracy}\u{a0}%"))),
            Some((labels.relevant_loss, language.number(row.relevant_loss, 2))),
            number(row.ease, 2).map(|ease| (labels.ease_heading, ease)),
        ];
        let facts: Vec<String> = facts
            .into_iter()
            .flatten()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let _ = writeln!(
            out,
            "<header>\n<h1>{}</h1>\n<p class=\"quiet\"><a href=\"../index.html\">{}</a> · {}</p>\n</header>",
            Escaped(&row.player),
            labels.games,
            facts.join(" · ")
        );
    }

    /// Causes, the costliest first, then the points that no reason explains.
    fn training(&self, out: &mut String) {
        let documents = self.causes.documents(self.language);
        if documents.iter().all(|cause| cause.score_loss == 0.0) {
            return;
        }
        let (explained, rest): (Vec<_>, Vec<_>) =
            documents.into_iter().partition(CauseDocument::is_explained);
        let _ = writeln!(
            out,
            "<section class=\"train\">\n<h2>{}</h2>",
            self.words.train
        );
        if explained.is_empty() {
            let text = if self.causes.searched_games() > 0 {
                self.words.none_proven
            } else {
                self.words.no_reasons
            };
            let _ = writeln!(out, "<p>{text}</p>");
        } else {
            let _ = writeln!(
                out,
                "<ol>{}</ol>",
                explained
                    .iter()
                    .take(CAUSES)
                    .map(|cause| self.cause(cause))
                    .collect::<String>()
            );
        }
        let rest = rest.iter().filter(|cause| cause.score_loss > 0.0);
        let _ = writeln!(
            out,
            "<ul class=\"quiet\">{}</ul>",
            rest.map(|cause| self.cause(cause)).collect::<String>()
        );
        let _ = writeln!(
            out,
            "<p class=\"quiet\">{}</p>\n</section>",
            self.searched_games()
        );
    }

    /// Returns a cause as an item of a list: its text, then `(31 % of the points given away; 95 %
    /// interval 2.0–4.4)`.
    fn cause(&self, cause: &CauseDocument) -> String {
        let Words {
            share: of,
            interval,
            ..
        } = self.words;
        let number = |value| self.language.number(value, 1);
        let share = self.language.number(100.0 * cause.share, 0);
        let interval = cause
            .interval
            .map(|(low, high)| format!("; {interval} {}–{}", number(low), number(high)));
        let interval = interval.unwrap_or_default();
        format!(
            "<li>{} <span class=\"quiet\">({share}\u{a0}% {of}{interval})</span></li>\n",
            Escaped(&cause.text)
        )
    }

    /// What a point is, and how many games were not searched, whose losses have no reasons.
    fn searched_games(&self) -> String {
        let (searched, all) = (self.causes.searched_games(), self.causes.games());
        let point = match self.language {
            Language::English => "A win is worth 1 point.",
            Language::German => "Ein Sieg zählt 1 Punkt.",
        };
        if searched == all {
            return point.to_owned();
        }
        let [searched, all] = [searched, all].map(|count| self.language.count(count));
        match self.language {
            Language::English => {
                format!(
                    "An engine searched {searched} of {all} games; the others have no reasons. {point}"
                )
            }
            Language::German => {
                format!(
                    "Eine Engine hat {searched} von {all} Partien durchsucht; die übrigen haben keine Gründe. {point}"
                )
            }
        }
    }

    fn moments(&self, out: &mut String) {
        let moments = &self.mistakes.worst[..self.mistakes.worst.len().min(MOMENTS)];
        if moments.is_empty() {
            return;
        }
        let labels = self.language.labels();
        let _ = writeln!(
            out,
            "<section class=\"moments\">\n<h2>{}</h2>\n<div>",
            self.words.moments
        );
        for mistake in moments {
            let loss = || {
                format!(
                    "{}: {}",
                    labels.given_away,
                    self.language.number(mistake.loss, 2)
                )
            };
            let _ = writeln!(
                out,
                "<figure>\n{}\n<figcaption><a href=\"{}\">{}</a> <span class=\"quiet\">– {}</span>\n<p>{}</p>",
                Diagram::of_mistake(mistake, self.language),
                address(mistake),
                Escaped(&mistake.text),
                isolated(&mistake.opponent),
                Escaped(&mistake.reason.clone().unwrap_or_else(loss)),
            );
            if let Some(line) = &mistake.better_line {
                let _ = writeln!(
                    out,
                    "<p class=\"quiet\">{} {}</p>",
                    labels.better,
                    Escaped(line)
                );
            }
            *out += "</figcaption>\n</figure>\n";
        }
        *out += "</div>\n</section>\n";
    }

    fn counted(
        &self,
        name: &'static str,
        has_result: bool,
    ) -> impl Iterator<Item = Column> + use<> {
        let labels = self.language.labels();
        let columns = [
            Some(Column::Text(name)),
            Some(Column::Number(labels.games)),
            has_result.then_some(Column::Number(labels.score)),
            Some(Column::Number(labels.moves)),
            Some(Column::Number(labels.given_away)),
        ];
        columns
            .into_iter()
            .flatten()
            .chain(table::mistake_columns())
    }

    fn colors(&self, out: &mut String) {
        *out += &table::begin(
            self.language,
            self.words.by_color,
            self.counted(self.words.color, true),
        );
        for (color, results) in Color::ALL
            .into_iter()
            .zip(&self.results.colors)
            .filter(|(_, results)| results.counts.moves > 0)
        {
            let points = (results.finished > 0).then(|| results.points / results.finished as f64);
            let mut cells: Vec<Cell<'_>> = cells(Cell::Color(color), &results.counts).collect();
            cells.insert(2, Cell::Number(points, 2));
            *out += &table::row(self.language, cells);
        }
        *out += table::END;
    }

    fn trend(&self, out: &mut String) {
        let points = self.results.trend();
        if points.is_empty() {
            return;
        }
        let name = self.words.trend;
        let trend = Trend {
            points: &points,
            name,
            language: self.language,
        };
        let _ = writeln!(out, "<section>\n<h2>{name}</h2>\n{trend}</section>");
    }

    fn phases(&self, out: &mut String) {
        let labels = self.language.labels();
        *out += &table::begin(
            self.language,
            labels.mistakes_by_phase,
            self.counted(labels.phase, false),
        );
        for (phase, counts) in Phase::ALL.into_iter().zip(&self.mistakes.phases) {
            *out += &table::row(
                self.language,
                cells(Cell::Text(self.language.phase(phase)), counts),
            );
        }
        *out += table::END;
    }

    /// Writes the openings, the costliest first.
    fn openings(&self, out: &mut String) {
        let labels = self.language.labels();
        *out += &table::begin(
            self.language,
            labels.mistakes_by_opening,
            self.counted(labels.opening, false),
        );
        let mut openings: Vec<_> = self.mistakes.openings.iter().collect();
        openings.sort_by(|(_, a), (_, b)| b.score_loss.total_cmp(&a.score_loss));
        for ((opening, is_black), counts) in openings {
            let color = if *is_black {
                Color::Black
            } else {
                Color::White
            };
            *out += &table::row(self.language, cells(Cell::Side(color, opening), counts));
        }
        *out += table::END;
    }

    fn worst(&self, out: &mut String) {
        if self.mistakes.worst.is_empty() {
            return;
        }
        let (language, labels) = (self.language, self.language.labels());
        let columns = [
            Column::Text(labels.mv),
            Column::Text(labels.opponent),
            Column::Text(labels.date),
            Column::Text(labels.phase),
            Column::Number(labels.given_away),
        ];
        // The styles hide this table on paper, where the boards above show the costliest mistakes.
        *out += &table::begin(self.language, labels.worst_mistakes, columns).replacen(
            "<section>",
            "<section class=\"worst\">",
            1,
        );
        for mistake in &self.mistakes.worst {
            let cells = [
                Cell::ShortLink(address(mistake), &mistake.text),
                Cell::Text(&mistake.opponent),
                Cell::Short(&mistake.date),
                Cell::Short(language.phase(mistake.phase)),
                Cell::Number(Some(mistake.loss), 2),
            ];
            *out += &table::row(language, cells);
        }
        *out += table::END;
    }

    /// Positions before mistakes with one better move; the solution is folded. The costliest
    /// moments stand above with theirs.
    fn puzzles(&self, out: &mut String) {
        let puzzles = self
            .mistakes
            .worst
            .iter()
            .skip(MOMENTS)
            .filter(|mistake| mistake.is_puzzle);
        let puzzles: Vec<&Mistake> = puzzles.take(PUZZLES).collect();
        if puzzles.is_empty() {
            return;
        }
        let Words {
            puzzles: heading,
            solution,
            game,
            ..
        } = self.words;
        let _ = writeln!(
            out,
            "<section class=\"moments puzzles\">\n<h2>{heading}</h2>\n<div>"
        );
        for puzzle in &puzzles {
            let _ = writeln!(
                out,
                "<figure>\n{}\n<figcaption><details>\n<summary>{solution}</summary>\n<p>{}</p>\n<p class=\"quiet\">{}</p>\n\
                 <p><a href=\"{}\">{game}: {}</a></p>\n</details></figcaption>\n</figure>",
                Diagram::of_puzzle(puzzle, self.language),
                Escaped(puzzle.better_line.as_deref().unwrap_or_default()),
                Escaped(puzzle.reason.as_deref().unwrap_or_default()),
                address(puzzle),
                Escaped(&puzzle.text),
            );
        }
        // The folded solutions are not printed, so a list below the boards has them for paper.
        *out += "</div>\n<ol class=\"answers\" aria-hidden=\"true\">\n";
        for puzzle in puzzles {
            let _ = writeln!(
                out,
                "<li>{} – {}: {} · {solution}: {}</li>",
                isolated(&self.row.player),
                isolated(&puzzle.opponent),
                Escaped(&puzzle.text),
                Escaped(puzzle.better_line.as_deref().unwrap_or_default()),
            );
        }
        *out += "</ol>\n</section>\n";
    }
}

/// Returns the page of the mistake's game after the mistake.
fn address(mistake: &Mistake) -> String {
    format!("../games/{:05}.html#ply={}", mistake.game, mistake.ply)
}

fn cells<'a>(name: Cell<'a>, counts: &MistakeCounts) -> impl Iterator<Item = Cell<'a>> + use<'a> {
    let symbols = counts.symbols.map(|count| Cell::Count(Some(count)));
    let totals = [
        name,
        Cell::Count(Some(counts.games)),
        Cell::Count(Some(counts.moves)),
        Cell::Number((counts.moves > 0).then_some(counts.score_loss), 2),
    ];
    totals.into_iter().chain(symbols)
}
