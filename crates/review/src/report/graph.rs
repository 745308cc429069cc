//! The graph of a game: expected score, losses and times, one column per move.
//!
//! Across, units are half-moves, and the browser stretches them to the width it has; texts stand beside the drawings, so that they
//! keep their size.

use std::{borrow::Cow, fmt};

use centipawn_core::{Context, Wdl};

use super::{Escaped, class};
use crate::{PlyReview, Review, ease::middle};

/// Strips of inline SVG, one above the other. Every move links to its place in the move list and has a tooltip.
pub(super) struct Graph<'a> {
    pub(super) review: &'a Review,
    /// The section the links lead into.
    pub(super) section: usize,
}

/// The most move numbers under the graph, so that they have room on a phone.
const NUMBERS: usize = 8;

/// A strip of bars: White's go up, Black's down.
struct Bars {
    name: Cow<'static, str>,
    /// For each move, the value and the CSS class of its colour.
    bars: Vec<(f64, &'static str)>,
    /// The value of a bar of full length.
    longest: f64,
    label: String,
}

impl Graph<'_> {
    /// The whole width in half-moves: the start of the game stands at 0, a move at its number, and half a column follows.
    fn width(&self) -> f64 {
        self.review.plies.len() as f64 + 0.5
    }

    /// Win, draw and loss for White after every move, if the curve is a win/draw/loss model.
    fn wdl(&self) -> Option<Vec<Wdl>> {
        let wdl = |ply: &PlyReview| self.review.curve.wdl(ply.played, Context::of(ply.before.position()));
        self.review.plies.iter().map(wdl).collect()
    }

    /// Every half-move whose move number is written, with that number.
    fn numbered(&self) -> Vec<(usize, u32)> {
        let plies = &self.review.plies;
        let moves = plies.len().div_ceil(2);
        let step = [1, 2, 5, 10, 20, 50].into_iter().find(|step| moves / step <= NUMBERS).unwrap_or(100);
        let numbers = plies.iter().enumerate().map(|(index, ply)| (index + 1, ply.number));
        let mut written: Vec<(usize, u32)> =
            numbers.filter(|(_, number)| (*number as usize).is_multiple_of(step)).collect();
        written.dedup_by_key(|(_, number)| *number);
        written
    }

    /// White's expected score from 0 at the bottom to 100.
    fn score(&self, f: &mut fmt::Formatter<'_>, numbered: &[(usize, u32)]) -> fmt::Result {
        let plies = &self.review.plies;
        let (end, width) = (plies.len(), self.width());
        writeln!(
            f,
            "<div class=\"strip score\"><svg viewBox=\"0 0 {width} 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\n\
             <path class=\"black\" d=\"M0 0H{end}V100H0Z\"/>"
        )?;
        let begin = plies.first().map_or(0.5, |ply| ply.expected_score_best);
        let scores = || std::iter::once(begin).chain(plies.iter().map(|ply| ply.expected_score_played));
        let mut area =
            |class: &str, path: String| writeln!(f, "<path class=\"{class}\" d=\"{path}L{end} 100L0 100Z\"/>");
        match self.wdl().as_deref() {
            Some(wdl @ [first, ..]) => {
                let from_start = || std::iter::once(first).chain(wdl);
                area("draw", path(from_start().map(|wdl| wdl.win + wdl.draw)))?;
                area("white", path(from_start().map(|wdl| wdl.win)))?;
            }
            _ => area("white", path(scores()))?,
        }
        write!(f, "<path class=\"grid\" d=\"M0 25H{end}M0 50H{end}M0 75H{end}")?;
        numbered.iter().try_for_each(|(ply, _)| write!(f, "M{ply} 0V100"))?;
        writeln!(f, "\"/>\n<path class=\"line\" d=\"{}\"/>", path(scores()))?;
        for (index, ply) in plies.iter().enumerate() {
            if let Some(symbol) = ply.symbol {
                let y = y(ply.expected_score_played);
                // A line of no length has round ends: a dot that is round however the drawing is stretched.
                writeln!(f, "<path class=\"dot {}\" d=\"M{} {y:.1}h0\"/>", class(symbol), index + 1)?;
            }
        }
        writeln!(f, "</svg><b style=\"top:0\">1</b><b style=\"top:50%\">½</b><b style=\"top:100%\">0</b></div>")
    }

    fn bars(&self, f: &mut fmt::Formatter<'_>, strip: &Bars) -> fmt::Result {
        let width = self.width();
        writeln!(
            f,
            "<p>{}</p>\n<div class=\"strip\"><svg viewBox=\"0 -1 {width} 2\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\n\
             <path class=\"grid\" d=\"M0 0H{}\"/>",
            Escaped(&strip.name),
            self.review.plies.len()
        )?;
        for (index, (ply, (value, class))) in self.review.plies.iter().zip(&strip.bars).enumerate() {
            let height = value / strip.longest;
            if height < 0.005 {
                continue;
            }
            let (x, y) = (index as f64 + 0.6, ply.mover.fold_wb(-height, 0.0));
            writeln!(f, "<rect class=\"bar {class}\" x=\"{x:.1}\" y=\"{y:.3}\" width=\".8\" height=\"{height:.3}\"/>")?;
        }
        writeln!(f, "</svg><b style=\"top:0\">{}</b></div>", strip.label)
    }

    /// The strips: losses, and if known ease and times.
    fn strips(&self) -> Vec<Bars> {
        let Review { plies, options, .. } = self.review;
        let (language, labels) = (options.language, options.language.labels());
        let losses: Vec<(f64, &str)> =
            plies.iter().map(|ply| (ply.loss.expected_score, ply.symbol.map_or("", class))).collect();
        // A minimum scale, so that a quiet game does not look wild.
        let longest = longest(&losses).max(0.25);
        let label = language.number(longest, 2);
        let mut strips = vec![Bars { name: labels.losses.into(), bars: losses, longest, label }];
        strips.extend(self.hardness());
        let times: Vec<(f64, &str)> =
            plies.iter().map(|ply| (ply.time.map_or(0.0, |time| time.as_secs_f64()), "time")).collect();
        let longest = self::longest(&times);
        if longest > 0.0 {
            let label = language.time(std::time::Duration::from_secs_f64(longest));
            strips.push(Bars { name: labels.times.into(), bars: times, longest, label });
        }
        strips
    }

    /// How hard it was to find each move, 1 − ease; `None` without ease.
    fn hardness(&self) -> Option<Bars> {
        let Review { plies, options, hardest_moments, .. } = self.review;
        let (language, labels) = (options.language, options.language.labels());
        let policy = plies.iter().find_map(|ply| Some(&middle(&ply.ease)?.policy))?;
        let bar = |(index, ply): (usize, &PlyReview)| {
            middle(&ply.ease).map_or((0.0, ""), |judged| {
                let class = if hardest_moments.contains(&index) { "hard" } else { "ease" };
                (1.0 - judged.ease.sum, class)
            })
        };
        let bars: Vec<(f64, &str)> = plies.iter().enumerate().map(bar).collect();
        let longest = longest(&bars).max(0.5);
        let label = language.number(longest, 2);
        let name = format!("{} (1 − {}, {policy})", labels.hardness, labels.ease).into();
        Some(Bars { name, bars, longest, label })
    }

    /// The cursor and clickable columns over all strips, one per move.
    fn columns(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let language = self.review.options.language;
        writeln!(
            f,
            "<svg class=\"columns\" viewBox=\"0 0 {} 1\" preserveAspectRatio=\"none\">\n<path class=\"cursor\" d=\"M0 0V1\"/>",
            self.width()
        )?;
        for (index, ply) in self.review.plies.iter().enumerate() {
            let symbol = ply.symbol.map_or("", |symbol| symbol.glyph());
            let eval = ply.after.map_or_else(String::new, |eval| format!(" {}", language.eval(eval)));
            let score = language.number(ply.expected_score_played, 2);
            let time = ply.time.map_or_else(String::new, |time| format!(", {}", language.time(time)));
            let ease = middle(&ply.ease)
                .map_or_else(String::new, |judged| format!(", {} {}", language.labels().ease, language.ease(judged)));
            writeln!(
                f,
                "<a tabindex=\"-1\" data-ply=\"{number}\" href=\"#g{}p{number}\"><title>{}{symbol}{eval}: {score}{time}{ease}</title>\
                 <rect class=\"hit\" x=\"{}\" y=\"0\" width=\"1\" height=\"1\"/></a>",
                self.section,
                Escaped(&ply.numbered(language)),
                index as f64 + 0.5,
                number = index + 1,
            )?;
        }
        writeln!(f, "</svg>")
    }
}

fn y(expected_score: f64) -> f64 {
    100.0 * (1.0 - expected_score)
}

/// A line through values, beginning at the start of the game.
fn path(values: impl Iterator<Item = f64>) -> String {
    let points = values.enumerate().map(|(index, value)| {
        let letter = if index == 0 { 'M' } else { 'L' };
        format!("{letter}{index} {:.1}", y(value))
    });
    points.collect()
}

fn longest(bars: &[(f64, &str)]) -> f64 {
    bars.iter().map(|(value, _)| *value).fold(0.0, f64::max)
}

impl fmt::Display for Graph<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels = self.review.options.language.labels();
        let caption = if self.wdl().is_some() { labels.graph_wdl } else { labels.graph };
        writeln!(f, "<figure>\n<div class=\"graph\" role=\"group\" aria-label=\"{caption}\">")?;
        let numbered = self.numbered();
        self.score(f, &numbered)?;
        write!(f, "<div class=\"numbers\" aria-hidden=\"true\">")?;
        for (ply, number) in &numbered {
            write!(f, "<i style=\"left:{:.2}%\">{number}</i>", 100.0 * *ply as f64 / self.width())?;
        }
        writeln!(f, "</div>")?;
        self.strips().iter().try_for_each(|strip| self.bars(f, strip))?;
        self.columns(f)?;
        let (white, black) = (labels.white, labels.black);
        write!(f, "</div>\n<figcaption>{caption}. {}: ↑ {white}, ↓ {black}.</figcaption>\n</figure>", labels.bars)
    }
}
