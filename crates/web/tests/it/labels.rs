//! The page shares words with the reports. Its tables of them are generated from those of
//! `centipawn-review`, so that a word stands in one place.

use std::{env, fmt::Write as _, fs};

use centipawn_core::MoveSymbol;
use centipawn_judge::{Phase, reason::Motif};
use centipawn_pgn::TimeClass;
use centipawn_puzzle::Theme;
use centipawn_review::{Labels, Language};
use shakmaty::Role;

const NOTE: &str =
    "// Generated from the words of centipawn-review; UPDATE_LABELS=1 in the tests writes it.\n";

/// A name in files, with its words in English and German.
type Row<'a> = (&'a str, &'a str, &'a str);

/// Compares a file of the page with `text`, or writes it if `UPDATE_LABELS` is set.
fn check(file: &str, text: &str) {
    let path = format!("{}/ui/src/{file}", env!("CARGO_MANIFEST_DIR"));
    if env::var_os("UPDATE_LABELS").is_some() {
        fs::write(&path, text).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == text,
        "run this test with UPDATE_LABELS=1, and commit {file}"
    );
}

/// Checks a TypeScript file that declares the names as a union of literals, with a table of their
/// labels.
fn check_table(file: &str, name: &str, table: &str, rows: &[Row<'_>]) {
    let mut text = format!("{NOTE}export type {name} =");
    for (name, ..) in rows {
        let _ = write!(text, "\n  | {name:?}");
    }
    let _ = write!(
        text,
        ";\n\n/** English, German. */\n\
         export const {table}: Record<{name}, [english: string, german: string]> = {{\n"
    );
    for (name, english, german) in rows {
        let _ = writeln!(text, "  {name:?}: [{english:?}, {german:?}],");
    }
    text += "};\n";
    check(&format!("names/{file}.ts"), &text);
}

/// Returns the words of each value in both languages.
fn rows<T: Copy>(
    values: &[T],
    name: impl Fn(T) -> &'static str,
    words: impl Fn(Language, T) -> &'static str,
) -> Vec<Row<'static>> {
    let row = |&value: &T| {
        (
            name(value),
            words(Language::English, value),
            words(Language::German, value),
        )
    };
    values.iter().map(row).collect()
}

#[test]
fn the_page_has_the_labels_of_the_reports() {
    let mut text = NOTE.to_owned();
    for (name, english, german) in Labels::ALL {
        let _ = writeln!(
            text,
            "export const {name}: [string, string] = [{english:?}, {german:?}];"
        );
    }
    check("labels.ts", &text);
}

#[test]
fn the_page_has_the_words_of_motifs() {
    let rows = rows(&Motif::ALL, Motif::name, Language::motif);
    check_table("motifs", "Motif", "motifs", &rows);
}

#[test]
fn the_page_has_the_words_of_themes() {
    let rows = rows(Theme::ALL, Theme::name, Language::theme);
    check_table("themes", "Theme", "themes", &rows);
}

#[test]
fn the_page_has_the_words_of_symbols() {
    let rows = rows(&MoveSymbol::ALL, MoveSymbol::glyph, Language::symbol);
    check_table("symbols", "MoveSymbol", "symbols", &rows);
}

#[test]
fn the_page_has_the_words_of_phases() {
    let rows = rows(&Phase::ALL, Phase::name, Language::phase);
    check_table("phases", "Phase", "phases", &rows);
}

#[test]
fn the_page_has_the_words_of_pieces() {
    let rows = rows(&Role::ALL, centipawn_core::piece_name, Language::piece);
    check_table("pieces", "Piece", "pieces", &rows);
}

#[test]
fn the_page_has_the_letters_of_pieces() {
    let letters = Role::ALL.map(|role| role.upper_char().to_string());
    let german = letters
        .each_ref()
        .map(|letter| Language::German.san(letter));
    // Moves of pawns have no letter.
    let rows: Vec<Row<'_>> = letters
        .iter()
        .zip(&german)
        .filter(|(letter, _)| *letter != "P")
        .map(|(letter, german)| (&**letter, &**letter, &**german))
        .collect();
    check_table("letters", "Letter", "letters", &rows);
}

/// They have the same names in all languages.
#[test]
fn the_page_has_the_names_of_time_classes() {
    let names = TimeClass::ALL.map(TimeClass::name);
    check(
        "names/time-classes.ts",
        &format!("{NOTE}export const timeClasses = {names:?} as const;\n"),
    );
}
