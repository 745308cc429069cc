//! The graph of a game: expected score, losses and times, one column per move.

use std::{borrow::Cow, fmt, ops::Range};

use centipawn_core::{Context, Wdl};

use super::{Escaped, class};
use crate::{PlyReview, Review, ease::middle};

/// An inline SVG. Every move links to its place in the move list and has a tooltip.
pub(super) struct Graph<'a> {
    pub(super) review: &'a Review,
    /// The section the links lead into.
    pub(super) section: usize,
}

const WIDTH: f64 = 720.0;
const LEFT: f64 = 34.0;
const RIGHT: f64 = 8.0;
/// Top and height of the expected score's strip.
const SCORE: (f64, f64) = (8.0, 160.0);
/// Height of each strip below, and of the name above it.
const BARS: f64 = 56.0;
const NAME: f64 = 22.0;

/// A strip of bars: White's go up, Black's down.
struct Bars<'a> {
    name: Cow<'a, str>,
    /// For each move, the value and the CSS class of its colour.
    bars: Vec<(f64, &'static str)>,
    /// The value of a bar of full length.
    longest: f64,
    label: String,
}

impl Graph<'_> {
    /// The middle of a move's column; the start of the game stands at the left edge.
    fn x(&self, moves_played: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * moves_played / self.review.plies.len() as f64
    }

    fn column(&self) -> f64 {
        self.x(1.0) - self.x(0.0)
    }

    /// Win, draw and loss for White after every move, if the curve is a win/draw/loss model.
    fn wdl(&self) -> Option<Vec<Wdl>> {
        let wdl = |ply: &PlyReview| self.review.curve.wdl(ply.played, Context::of(ply.before.position()));
        self.review.plies.iter().map(wdl).collect()
    }

    /// A line through values, beginning at the start of the game.
    fn path(&self, values: impl Iterator<Item = f64>) -> String {
        let mut path = String::new();
        for (index, value) in values.enumerate() {
            let letter = if index == 0 { 'M' } else { 'L' };
            path += &format!("{letter}{:.1} {:.1}", self.x(index as f64), y(value));
        }
        path
    }

    fn score(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plies = &self.review.plies;
        let (left, right) = (self.x(0.0), self.x(plies.len() as f64));
        let bottom = y(0.0);
        let (top, height) = SCORE;
        writeln!(
            f,
            "<rect class=\"black\" x=\"{left}\" y=\"{top}\" width=\"{:.1}\" height=\"{height}\"/>",
            right - left
        )?;
        let begin = plies.first().map_or(0.5, |ply| ply.expected_score_best);
        let scores = || std::iter::once(begin).chain(plies.iter().map(|ply| ply.expected_score_played));
        let mut area = |class: &str, path: String| {
            writeln!(f, "<path class=\"{class}\" d=\"{path}L{right:.1} {bottom}L{left} {bottom}Z\"/>")
        };
        match self.wdl().as_deref() {
            Some(wdl @ [first, ..]) => {
                let from_start = || std::iter::once(first).chain(wdl);
                area("draw", self.path(from_start().map(|wdl| wdl.win + wdl.draw)))?;
                area("white", self.path(from_start().map(|wdl| wdl.win)))?;
            }
            _ => area("white", self.path(scores()))?,
        }
        for (score, label) in [(1.0, "1"), (0.75, ""), (0.5, "½"), (0.25, ""), (0.0, "0")] {
            let y = y(score);
            writeln!(f, "<path class=\"grid\" d=\"M{left} {y}H{right:.1}\"/>")?;
            if !label.is_empty() {
                writeln!(f, "<text x=\"{}\" y=\"{}\">{label}</text>", LEFT - 6.0, y + 4.0)?;
            }
        }
        writeln!(f, "<path class=\"line\" d=\"{}\"/>", self.path(scores()))?;
        for (index, ply) in plies.iter().enumerate() {
            if let Some(symbol) = ply.symbol {
                let (x, y) = (self.x(index as f64 + 1.0), y(ply.expected_score_played));
                writeln!(f, "<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>", class(symbol))?;
            }
        }
        Ok(())
    }

    fn bars(&self, f: &mut fmt::Formatter<'_>, top: f64, strip: &Bars<'_>) -> fmt::Result {
        let (left, right) = (self.x(0.0), self.x(self.review.plies.len() as f64));
        let (middle, half) = (top + NAME + BARS / 2.0, BARS / 2.0);
        writeln!(f, "<text class=\"name\" x=\"{left}\" y=\"{}\">{}</text>", top + NAME - 7.0, Escaped(&strip.name))?;
        writeln!(f, "<path class=\"grid\" d=\"M{left} {middle}H{right:.1}\"/>")?;
        writeln!(f, "<text x=\"{}\" y=\"{}\">{}</text>", LEFT - 6.0, middle - half + 9.0, strip.label)?;
        let width = (self.column() * 0.8).min(14.0);
        for (index, (ply, (value, class))) in self.review.plies.iter().zip(&strip.bars).enumerate() {
            let height = half * value / strip.longest;
            if height < 0.05 {
                continue;
            }
            let x = self.x(index as f64 + 1.0) - width / 2.0;
            let y = ply.mover.fold_wb(middle - height, middle);
            writeln!(
                f,
                "<rect class=\"bar {class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
            )?;
        }
        Ok(())
    }

    /// The strips: losses, and if known ease and times.
    fn strips(&self) -> Vec<Bars<'static>> {
        let Review { plies, options, .. } = self.review;
        let (language, labels) = (options.language, options.language.labels());
        let losses: Vec<(f64, &str)> =
            plies.iter().map(|ply| (ply.loss.expected_score, ply.symbol.map_or("", class))).collect();
        // A minimum scale, so that a quiet game does not look wild.
        let longest = longest(&losses).max(0.25);
        let label = language.number(longest, 2);
        let mut strips: Vec<Bars<'static>> = vec![Bars { name: labels.losses.into(), bars: losses, longest, label }];
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
    fn hardness(&self) -> Option<Bars<'static>> {
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

    /// Clickable columns over all strips, one per move.
    fn links(&self, f: &mut fmt::Formatter<'_>, height: Range<f64>) -> fmt::Result {
        let language = self.review.options.language;
        let column = self.column();
        for (index, ply) in self.review.plies.iter().enumerate() {
            let symbol = ply.symbol.map_or("", |symbol| symbol.glyph());
            let eval = ply.after.map_or_else(String::new, |eval| format!(" {}", language.eval(eval)));
            let score = language.number(ply.expected_score_played, 2);
            let time = ply.time.map_or_else(String::new, |time| format!(", {}", language.time(time)));
            let ease = middle(&ply.ease)
                .map_or_else(String::new, |judged| format!(", {} {}", language.labels().ease, language.ease(judged)));
            writeln!(
                f,
                "<a tabindex=\"-1\" data-ply=\"{ply}\" href=\"#g{}p{ply}\"><title>{}{symbol}{eval}: {score}{time}{ease}</title>\
                 <rect class=\"hit\" x=\"{:.1}\" y=\"{}\" width=\"{column:.1}\" height=\"{}\"/></a>",
                self.section,
                Escaped(&self.review.plies[index].numbered()),
                self.x(index as f64 + 1.0) - column / 2.0,
                height.start,
                height.end - height.start,
                ply = index + 1,
            )?;
        }
        Ok(())
    }
}

fn y(expected_score: f64) -> f64 {
    SCORE.0 + SCORE.1 * (1.0 - expected_score)
}

fn longest(bars: &[(f64, &str)]) -> f64 {
    bars.iter().map(|(value, _)| *value).fold(0.0, f64::max)
}

impl fmt::Display for Graph<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels = self.review.options.language.labels();
        let caption = if self.wdl().is_some() { labels.graph_wdl } else { labels.graph };
        let strips = self.strips();
        let score_end = SCORE.0 + SCORE.1;
        let end = score_end + strips.len() as f64 * (NAME + BARS);
        let height = end + 8.0;
        writeln!(
            f,
            "<figure>\n<svg class=\"graph\" viewBox=\"0 0 {WIDTH} {height}\" role=\"group\" aria-label=\"{caption}\">"
        )?;
        self.score(f)?;
        for (index, strip) in strips.iter().enumerate() {
            self.bars(f, score_end + index as f64 * (NAME + BARS), strip)?;
        }
        writeln!(
            f,
            "<path class=\"cursor\" d=\"M{LEFT} {}V{end}\" data-left=\"{LEFT}\" data-column=\"{}\"/>",
            SCORE.0,
            self.column()
        )?;
        self.links(f, SCORE.0..end)?;
        let (white, black) = (labels.white, labels.black);
        write!(f, "</svg>\n<figcaption>{caption}. {}: ↑ {white}, ↓ {black}.</figcaption>\n</figure>", labels.bars)
    }
}
