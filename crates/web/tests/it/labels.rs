//! The page shares texts with the reports. They are generated from the table of the reports.

use std::{env, fmt::Write as _, fs};

use centipawn_review::Labels;

#[test]
fn the_shared_texts_of_the_page_are_those_of_the_reports() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/ui/src/labels.ts");
    let mut text = "// Words that reports and texts share: written from `Labels` with \
                    UPDATE_LABELS=1. English, German.\n"
        .to_owned();
    for (name, english, german) in Labels::ALL {
        let _ = writeln!(text, "export const {name}: [string, string] = [{english:?}, {german:?}];");
    }
    if env::var_os("UPDATE_LABELS").is_some() {
        fs::write(path, &text).unwrap();
    }
    assert!(fs::read_to_string(path).unwrap() == text, "run this test with UPDATE_LABELS=1, and commit labels.ts");
}
