//! HTML tables for notebooks.

/// Escapes a text for HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// A table with a title, and with a note below it unless the note is empty. All texts are escaped.
pub(crate) fn table(title: &str, head: &[&str], rows: &[Vec<String>], note: &str) -> String {
    let cells = |tag: &str, cells: &mut dyn Iterator<Item = &str>| {
        let all: String = cells
            .map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell)))
            .collect();
        format!("<tr>{all}</tr>")
    };
    let body: String = rows
        .iter()
        .map(|row| cells("td", &mut row.iter().map(String::as_str)))
        .collect();
    let head = cells("th", &mut head.iter().copied());
    let note = if note.is_empty() {
        String::new()
    } else {
        format!("<p>{}</p>", escaped(note))
    };
    format!(
        "<div><p><b>{}</b></p><table><thead>{head}</thead><tbody>{body}</tbody></table>{note}</div>",
        escaped(title)
    )
}

/// The cells of a number with its standard error and 95 % interval.
pub(crate) fn estimate(
    name: &str,
    value: f64,
    error: Option<(f64, (f64, f64))>,
    digits: usize,
) -> Vec<String> {
    let number = |value: f64| format!("{value:.digits$}");
    let (error, interval) = match error {
        None => (String::new(), String::new()),
        Some((error, (low, high))) => (
            number(error),
            format!("{} to {}", number(low), number(high)),
        ),
    };
    vec![name.to_owned(), number(value), error, interval]
}

/// The column names for rows of [`estimate`].
pub(crate) const ESTIMATE: [&str; 4] = ["", "value", "standard error", "95 % interval"];
