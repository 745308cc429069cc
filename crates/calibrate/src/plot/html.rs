//! The figure as an HTML page that shows numbers under the mouse.

use centipawn_progress::Provenance;
use serde_json::json;

use super::{
    figure::{BINS, Figure},
    panels::PANEL,
};

/// The page, with the provenance in a `meta` element.
pub(super) fn page(figure: &Figure, provenance: Option<&Provenance>) -> String {
    let svg = figure.drawing().svg();
    let areas: Vec<_> = figure
        .areas()
        .iter()
        .map(|area| json!([area.x, area.y, area.horizontal.0, area.horizontal.1, area.vertical.0, area.vertical.1]))
        .collect();
    let rows: Vec<_> = figure
        .rows
        .iter()
        .map(|row| json!({ "value": row.value, "cells": row.cells, "model": [row.model.0, row.model.1], "own": row.own }))
        .collect();
    let data = json!({
        "by": figure.by, "pawn": figure.pawn, "evalMax": figure.eval_max, "target": figure.target, "bins": BINS,
        "panel": [PANEL.0, PANEL.1], "areas": areas, "rows": rows,
    });
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let title = escaped(&figure.title);
    let json = provenance.and_then(|provenance| serde_json::to_string(provenance).ok());
    let meta = json.map(|json| format!("<meta name=\"provenance\" content=\"{}\">\n", escaped(&json)));
    let meta = meta.unwrap_or_default();
    // The data must not contain the end tag of the script.
    let data = data.to_string().replace("</", "<\\/");
    format!(
        "{HEAD}{meta}<title>{title}</title>\n{STYLE}<body>\n{svg}<div id=\"tip\" hidden></div>\n<script>\nconst figure = {data};\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";

const STYLE: &str = "<style>
body { margin: 0 auto; max-width: 1600px; font-family: ui-monospace, 'DejaVu Sans Mono', monospace; }
svg { width: 100%; height: auto; display: block; }
#tip { position: fixed; white-space: pre; pointer-events: none; background: #282c34; color: #fff; font-size: 13px;
       padding: 6px 9px; border-radius: 4px; }
</style>
";

const SCRIPT: &str = r#"const svg = document.querySelector("svg"), tip = document.getElementById("tip");
const rate = (x, [a, b]) => 1 / (1 + Math.exp((a - x) / b));
const rates = (x, model) => {
  const win = rate(x, model), loss = rate(-x, model);
  return [win, Math.max(0, 1 - win - loss), loss];
};
const percent = share => (100 * share).toFixed(1).padStart(5) + " %";
const told = (name, shares) => name + ["won", "drawn", "lost"].map((word, i) => `  ${word} ${percent(shares[i])}`).join("");
const rowOf = value => figure.rows.find(row => row.value === Math.round(value));

function atEval(row, pawns) {
  const eval_ = pawns * figure.pawn;
  const bin = Math.min(figure.bins - 1, Math.max(0, Math.floor((eval_ / figure.evalMax + 1) / 2 * figure.bins)));
  const counts = row.cells[bin] || [0, 0, 0], total = counts.reduce((sum, count) => sum + count, 0);
  const lines = [`${figure.by} ${row.value}, evaluation ${pawns.toFixed(2)} (${eval_.toFixed(0)} internal)`];
  lines.push(total ? told("data ", counts.map(count => count / total)) + `  of ${total} positions` : "data   none");
  lines.push(told("model", rates(eval_, row.model)));
  return lines.join("\n");
}

function say(index, x, y) {
  if (index === 1) {
    const row = rowOf(x);
    if (!row) return "";
    const pair = ([a, b]) => `a ${a.toFixed(1)}  b ${b.toFixed(1)}`;
    return `${figure.by} ${row.value}\nmodel ${pair(row.model)}\n` + (row.own ? `row   ${pair(row.own)}` : "row   too few wins");
  }
  const row = rowOf(index === 0 ? figure.target : y);
  return row ? atEval(row, x) : "";
}

svg.addEventListener("mousemove", event => {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const [width, height] = figure.panel;
  const index = figure.areas.findIndex(([x, y]) => x <= point.x && point.x <= x + width && y <= point.y && point.y <= y + height);
  let text = "";
  if (index >= 0) {
    const [x, y, left, right, bottom, top] = figure.areas[index];
    text = say(index, left + (right - left) * (point.x - x) / width, top + (bottom - top) * (point.y - y) / height);
  }
  tip.hidden = !text;
  tip.textContent = text;
  tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + "px";
});
svg.addEventListener("mouseleave", () => { tip.hidden = true; });
"#;
