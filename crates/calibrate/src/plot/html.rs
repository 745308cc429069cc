//! The figure as an HTML page that shows the numbers under the mouse pointer.

use centipawn_progress::Provenance;
use serde_json::json;

use super::{
    drawing::{Color, Drawing, svg},
    figure::{BINS, Figure},
    panels::{PANEL, legend_alone},
};

/// The order of the panels on the page, in two rows of three.
const ROWS: [usize; 6] = [0, 2, 4, 1, 3, 5];

/// Replaces the colours that change on dark screens by CSS variables.
fn themed(svg: String) -> String {
    Color::THEMED.iter().fold(svg, |svg, (color, _, variable)| {
        svg.replace(
            &format!("\"{}\"", color.hex()),
            &format!("\"var({variable})\""),
        )
    })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

/// Returns a page with the plot of a curve, and a text below it. Inside the areas in `places`
/// (left, top, width, height), the page shows the nearest of the points: an evaluation in pawns,
/// its expected score and its relevance.
pub(super) fn curve_page(
    drawing: &Drawing,
    title: &str,
    places: &[[f64; 4]],
    points: &[[f64; 3]],
    report: &str,
) -> String {
    let (width, height) = (f64::from(drawing.width), f64::from(drawing.height));
    let svg = themed(svg(&drawing.marks, [0.0, 0.0, width, height], ""));
    let (title, report) = (escaped(title), escaped(report.trim_end()));
    let data = json!({ "places": places, "points": points });
    let colors = colors();
    format!(
        "{HEAD}<title>{title}</title>\n{colors}{STYLE}<body>\n<main>\n<h1>{title}</h1>\n<div id=\"curve\">{svg}</div>\n\
         <h2>Numbers</h2>\n<pre>{report}</pre>\n</main>\n<div id=\"tip\" hidden></div>\n<script>\nconst figure = {data};\n\
         {CURVE_SCRIPT}</script>\n</body>\n</html>\n"
    )
}

const CURVE_SCRIPT: &str = r##"const tip = document.getElementById("tip");
const svg = document.querySelector("#curve svg");
svg.addEventListener("pointermove", event => {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const inside = ([x, y, width, height]) => x <= point.x && point.x <= x + width && y <= point.y && point.y <= y + height;
  const place = figure.places.find(inside);
  tip.hidden = !place;
  if (!place) return;
  const share = (point.x - place[0]) / place[2];
  const [pawns, score, relevance] = figure.points[Math.round(share * (figure.points.length - 1))];
  tip.textContent = `evaluation ${pawns.toFixed(2)}\nexpected score ${score.toFixed(3)}\nrelevance ${relevance.toFixed(3)}`;
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + "px";
});
svg.addEventListener("pointerleave", () => { tip.hidden = true; });
"##;

/// Returns the page. Its provenance stands in a `meta` element.
pub(super) fn page(figure: &Figure, provenance: Option<&Provenance>) -> String {
    // Each panel is a separate drawing, so that narrow screens can stack them.
    let (legend, place) = legend_alone();
    let (marks, areas) = (figure.panels(), figure.areas());
    let panels: String = ROWS
        .iter()
        .map(|&index| {
            format!(
                "<div data-panel=\"{index}\">{}</div>\n",
                svg(&marks[index], areas[index].frame(), "")
            )
        })
        .collect();
    let svg = themed(format!(
        "<div class=\"legend\">{}</div>\n<div class=\"panels\">\n{panels}</div>\n",
        svg(&legend, place, "")
    ));
    let areas: Vec<_> = areas
        .iter()
        .map(|area| {
            json!([
                area.x,
                area.y,
                area.horizontal.0,
                area.horizontal.1,
                area.vertical.0,
                area.vertical.1
            ])
        })
        .collect();
    let rows: Vec<_> = figure
        .rows
        .iter()
        .map(|row| json!({ "value": row.value, "cells": row.cells, "model": [row.model.0, row.model.1], "own": row.own, "old": row.old }))
        .collect();
    let data = json!({
        "by": figure.by, "pawn": figure.pawn, "evalMax": figure.eval_max, "target": figure.target, "bins": BINS,
        "panel": [PANEL.0, PANEL.1], "areas": areas, "rows": rows,
    });
    let title = escaped(&figure.title);
    let verdict = figure
        .verdict
        .as_ref()
        .map(|verdict| format!("<p class=\"verdict\">{}</p>\n", escaped(verdict.trim_end())));
    let verdict = verdict.unwrap_or_default();
    // The constants of the model are the last lines of the report.
    let (report, lines) = match figure.report.find("    constexpr double as") {
        Some(at) => figure.report.split_at(at),
        None => (&figure.report[..], ""),
    };
    let report = escaped(report.trim_end());
    let lines = match lines {
        "" => String::new(),
        lines => format!(
            "<h2>Lines to paste into src/uci.cpp <button id=\"copy\">Copy</button></h2>\n<pre id=\"lines\">{}</pre>\n",
            escaped(lines)
        ),
    };
    let json = provenance.and_then(|provenance| serde_json::to_string(provenance).ok());
    let meta = json.map(|json| {
        format!(
            "<meta name=\"provenance\" content=\"{}\">\n",
            escaped(&json)
        )
    });
    let meta = meta.unwrap_or_default();
    // The data must not contain the end tag of the script element.
    let data = data.to_string().replace("</", "<\\/");
    let colors = colors();
    format!(
        "{HEAD}{meta}<title>{title}</title>\n{colors}{STYLE}<body>\n<main>\n<h1>{title}</h1>\n{verdict}{svg}{lines}\
         <h2>Numbers</h2>\n<pre>{report}</pre>\n</main>\n<div id=\"tip\" hidden></div>\n<script>\nconst figure = {data};\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";

/// Returns the CSS variables of the page's colours, for light and dark screens.
fn colors() -> String {
    let variables = |of: fn((Color, Color)) -> Color| {
        Color::THEMED
            .map(|(light, dark, variable)| format!("{variable}: {}; ", of((light, dark)).hex()))
            .concat()
    };
    let (light, dark) = (variables(|(light, _)| light), variables(|(_, dark)| dark));
    format!(
        "<style>\n:root {{ color-scheme: light dark; {light}--box: #f4f5f7; }}\n\
         @media (prefers-color-scheme: dark) {{\n  :root {{ {dark}--box: #20242b; }}\n}}\n"
    )
}

const STYLE: &str = "body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.45 ui-monospace, 'DejaVu Sans Mono', monospace; }
main { margin: 0 auto; max-width: 1600px; padding: 0 16px 32px; }
h1 { font-size: 18px; }
h2 { font-size: 16px; margin: 24px 0 8px; }
.verdict { font-size: 17px; white-space: pre-line; border-left: 4px solid #1f77b4; padding: 4px 12px; }
pre { background: var(--box); font-size: 14px; padding: 12px 16px; border-radius: 6px; overflow-x: auto; margin: 0; }
button { font: inherit; font-size: 13px; }
svg { width: 100%; height: auto; display: block; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 12px 8px; margin-top: 12px; }
.legend { overflow-x: auto; }
.legend svg { min-width: 560px; max-width: 760px; margin: 0 auto; }
#tip { position: fixed; white-space: pre; pointer-events: none; background: #282c34; color: #fff; font-size: 13px;
       padding: 6px 9px; border-radius: 4px; border: 1px solid #555; }
</style>
";

const SCRIPT: &str = r#"const tip = document.getElementById("tip");
const rate = (x, [a, b]) => 1 / (1 + Math.exp((a - x) / Math.max(b, 1e-8)));
const rates = (x, model) => {
  const win = rate(x, model), loss = rate(-x, model);
  return [win, Math.max(0, 1 - win - loss), loss];
};
const percent = share => (100 * share).toFixed(1).padStart(5) + " %";
const shares_line = (name, shares) => name + ["won", "drawn", "lost"].map((word, i) => `  ${word} ${percent(shares[i])}`).join("");
const rowOf = value => figure.rows.find(row => row.value === Math.round(value));

function atEval(row, pawns) {
  const eval_ = pawns * figure.pawn;
  const bin = Math.min(figure.bins - 1, Math.max(0, Math.floor((eval_ / figure.evalMax + 1) / 2 * figure.bins)));
  const counts = row.cells[bin] || [0, 0, 0], total = counts.reduce((sum, count) => sum + count, 0);
  const lines = [`${figure.by} ${row.value}, evaluation ${pawns.toFixed(2)} (${eval_.toFixed(0)} internal)`];
  lines.push(total ? shares_line("data ", counts.map(count => count / total)) + `  of ${total} positions` : "data   none");
  lines.push(shares_line("model", rates(eval_, row.model)));
  return lines.join("\n");
}

function describe(index, x, y) {
  if (index === 1) {
    const row = rowOf(x);
    if (!row) return "";
    const pair = ([a, b]) => `a ${a.toFixed(1)}  b ${b.toFixed(1)}`;
    const old = row.old ? `\nold   a ${row.old[0].toFixed(1)}` + (row.old[1] === null ? "" : `  b ${row.old[1].toFixed(1)}`) : "";
    return `${figure.by} ${row.value}\nmodel ${pair(row.model)}\n` + (row.own ? `row   ${pair(row.own)}` : "row   too few wins") + old;
  }
  const row = rowOf(index === 0 ? figure.target : y);
  return row ? atEval(row, x) : "";
}

for (const panel of document.querySelectorAll("[data-panel]")) {
  const svg = panel.querySelector("svg"), index = Number(panel.dataset.panel);
  svg.addEventListener("pointermove", event => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const [width, height] = figure.panel;
    const [x, y, left, right, bottom, top] = figure.areas[index];
    const inside = x <= point.x && point.x <= x + width && y <= point.y && point.y <= y + height;
    tip.textContent = inside ? describe(index, left + (right - left) * (point.x - x) / width, top + (bottom - top) * (point.y - y) / height) : "";
    tip.hidden = !tip.textContent;
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + "px";
  });
  svg.addEventListener("pointerleave", () => { tip.hidden = true; });
}
const copy = document.getElementById("copy");
copy?.addEventListener("click", async () => {
  await navigator.clipboard.writeText(document.getElementById("lines").textContent);
  copy.textContent = "Copied";
});
"#;
