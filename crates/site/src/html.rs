//! What all pages share: the head, escaped text, symbols in their colours.

use std::{
    fmt::{self, Display, Write as _},
    fs::File,
    io::Read as _,
    path::Path,
};

use centipawn_core::MoveSymbol;
use centipawn_progress::{
    Provenance,
    text::{is_direction, is_foreign},
};
use centipawn_review::{Language, PlyDocument};
use shakmaty::Color;

/// The viewer, built from `crates/web/ui`.
pub(crate) const SCRIPT: &str = include_str!("../dist/viewer.js");
/// The styles of the viewer, and of the text that is shown without scripts.
pub(crate) const STYLE: &str = include_str!("../dist/viewer.css");
/// The icon of pages, as SVG.
pub(crate) const ICON: &str = include_str!("../dist/icon.svg");

/// The place of a page's script and styles.
#[derive(Clone, Copy)]
pub(crate) enum Assets<'a> {
    /// In the page, which then loads no other file.
    Within,
    /// In the folder at this relative path: `../`, or empty for the folder of the page.
    Beside(&'a str),
}

/// Returns a page's beginning up to the tag of its body.
pub(crate) fn head(
    language: Language,
    title: &str,
    provenance: Option<&Provenance>,
    assets: Assets<'_>,
) -> String {
    let (script, style) = match assets {
        Assets::Within => ("'unsafe-inline'", "'unsafe-inline'"),
        Assets::Beside(_) => ("'self' file:", "'self' file:"),
    };
    let image = if matches!(assets, Assets::Within) {
        "data:"
    } else {
        "'self' data: file:"
    };
    let mut out = format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {script}; style-src {style}; \
         img-src {image}; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n{GENERATOR}{}\">\n<title>{}</title>\n",
        env!("CARGO_PKG_VERSION"),
        Escaped(title),
    );
    if let Some(provenance) = provenance {
        // Serialising cannot fail: the maps of a provenance have text keys.
        let json = serde_json::to_string(provenance).unwrap_or_default();
        let _ = writeln!(
            out,
            "<meta name=\"provenance\" content=\"{}\">",
            Escaped(&json)
        );
    }
    match assets {
        Assets::Within => {
            let _ = writeln!(out, "<style>\n{STYLE}</style>");
        }
        Assets::Beside(folder) => {
            let _ = writeln!(
                out,
                "<link rel=\"icon\" href=\"{folder}icon.svg\" type=\"image/svg+xml\">\n\
                 <link rel=\"stylesheet\" href=\"{folder}viewer.css\">\n<script src=\"{folder}viewer.js\" defer></script>"
            );
        }
    }
    out + "</head>\n"
}

pub(crate) const GENERATOR: &str = "<meta name=\"generator\" content=\"Centipawn ";

/// Returns whether a file is a page that Centipawn wrote.
pub fn is_own_page(path: &Path) -> bool {
    let mut begin = Vec::new();
    let read = File::open(path).and_then(|file| file.take(4096).read_to_end(&mut begin));
    read.is_ok() && String::from_utf8_lossy(&begin).contains(GENERATOR)
}

/// Text as HTML content or an attribute's value: `&`, `<`, `>` and both quotation marks are
/// escaped, control characters are replaced, and marks of direction are left out.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        let is_special = |char: char| {
            matches!(char, '&' | '<' | '>' | '"' | '\'') || is_direction(char) || is_foreign(char)
        };
        while let Some((index, special)) = rest.char_indices().find(|(_, char)| is_special(*char)) {
            f.write_str(&rest[..index])?;
            f.write_str(match special {
                '&' => "&amp;",
                '<' => "&lt;",
                '>' => "&gt;",
                '"' => "&quot;",
                '\'' => "&#39;",
                char if is_foreign(char) => "\u{fffd}",
                _ => "",
            })?;
            rest = &rest[index + special.len_utf8()..];
        }
        f.write_str(rest)
    }
}

/// Returns text in an element with its own direction: a name that is written from right to left
/// does not reorder the text around it.
pub(crate) fn isolated(text: &str) -> String {
    format!("<bdi>{}</bdi>", Escaped(text))
}

/// Returns the CSS class of a symbol, as in the viewer.
pub(crate) fn class(symbol: MoveSymbol) -> &'static str {
    match symbol {
        MoveSymbol::Brilliant => "brilliant",
        MoveSymbol::Good => "good",
        MoveSymbol::Interesting => "interesting",
        MoveSymbol::Dubious => "dubious",
        MoveSymbol::Mistake => "mistake",
        MoveSymbol::Blunder => "blunder",
    }
}

/// Returns a symbol in its colour.
pub(crate) fn symbol(symbol: MoveSymbol) -> String {
    format!("<b class=\"{}\">{symbol}</b>", class(symbol))
}

/// Returns a move's symbols in their colours; empty without one.
pub(crate) fn symbols(ply: &PlyDocument) -> String {
    let mut text = ply
        .nag
        .and_then(MoveSymbol::from_nag)
        .map(symbol)
        .unwrap_or_default();
    if ply.only_move {
        text += "<b class=\"good\">□</b>";
    }
    text
}

/// A player's colour as a disc, which dark pages leave as it is. With a name it stands for the
/// player; without, it decorates.
pub(crate) struct Disc(pub(crate) Color, pub(crate) Option<&'static str>);

impl Display for Disc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = self.0.fold_wb("w", "b");
        match self.1 {
            Some(name) => write!(
                f,
                "<span class=\"disc {class}\" role=\"img\" aria-label=\"{name}\"></span>"
            ),
            None => write!(
                f,
                "<span class=\"disc {class}\" aria-hidden=\"true\"></span>"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_becomes_markup() {
        let escaped = Escaped("<b onclick=\"x\">O'Kelly & Co ♞").to_string();
        assert_eq!(
            escaped,
            "&lt;b onclick=&quot;x&quot;&gt;O&#39;Kelly &amp; Co ♞"
        );
        assert_eq!(Escaped("A\u{202e}nna\u{2069}").to_string(), "Anna");
    }

    /// A report contains the script and the styles, so they must not contain their end tags.
    #[test]
    fn script_and_styles_can_stand_in_a_page() {
        assert!(
            !SCRIPT.contains("</script") && !SCRIPT.contains("<!--") && !STYLE.contains("</style")
        );
    }
}
