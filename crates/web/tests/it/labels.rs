//! Words of the page: those that it shares with the reports are generated from their table, and
//! none is missing in its own tables.

use std::{env, fmt::Write as _, fs};

use centipawn_judge::reason::Motif;
use centipawn_puzzle::Theme;
use centipawn_review::Labels;

#[test]
fn the_shared_texts_of_the_page_are_those_of_the_reports() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/ui/src/labels.ts");
    let mut text = "// Words that reports and texts share: written from `Labels` with \
                    UPDATE_LABELS=1. English, German.\n"
        .to_owned();
    for (name, english, german) in Labels::ALL {
        let _ = writeln!(
            text,
            "export const {name}: [string, string] = [{english:?}, {german:?}];"
        );
    }
    if env::var_os("UPDATE_LABELS").is_some() {
        fs::write(path, &text).unwrap();
    }
    assert!(
        fs::read_to_string(path).unwrap() == text,
        "run this test with UPDATE_LABELS=1, and commit labels.ts"
    );
}

/// A motif or a theme without words would be shown by its name in files.
#[test]
fn motifs_and_themes_have_words_on_the_page() {
    let text = |file: &str| {
        fs::read_to_string(format!(
            "{}/ui/src/rooms/{file}",
            env!("CARGO_MANIFEST_DIR")
        ))
        .unwrap()
    };
    let has = |text: &str, key: &str| {
        text.contains(&format!("\n  {key}: ")) || text.contains(&format!("\n  \"{key}\": "))
    };
    let motifs = text("practise-words.ts");
    for motif in Motif::ALL {
        assert!(
            has(&motifs, motif.name()),
            "practise-words.ts has no words for {}",
            motif.name()
        );
    }
    let themes = text("theme-words.ts");
    for theme in Theme::ALL {
        assert!(
            has(&themes, theme.name()),
            "theme-words.ts has no words for {}",
            theme.name()
        );
    }
}
