//! Settings of contempt that games name.

use std::collections::BTreeSet;

use centipawn_pgn::GameView;

const WORD: &[u8] = b"contempt";
/// Longest value of a setting.
const LONGEST: usize = 12;

/// Returns the settings of contempt that a game names in its tags or in the comments before the
/// first move, where programs such as TCEC's write the options of both engines: `Contempt=24`.
pub(super) fn contempt(game: &GameView<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, value) in game.tags() {
        if let Some(at) = place(name) {
            let name = String::from_utf8_lossy(&name[..at + WORD.len()]);
            let value: String = String::from_utf8_lossy(value)
                .chars()
                .take(LONGEST)
                .collect();
            found.insert(format!("{name}={}", value.trim()));
        }
        settings(value, &mut found);
    }
    for comment in game.comments() {
        settings(comment, &mut found);
    }
    found
}

fn place(text: &[u8]) -> Option<usize> {
    text.windows(WORD.len())
        .position(|own| own.eq_ignore_ascii_case(WORD))
}

/// Adds every `Contempt=24`, `Contempt: 24` and `contempt 24` of a text.
fn settings(mut text: &[u8], found: &mut BTreeSet<String>) {
    while let Some(at) = place(text) {
        let rest = &text[at + WORD.len()..];
        let between = rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'=' | b':' | b'"'))
            .count();
        let value: String = rest[between..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
            .take(LONGEST)
            .map(|byte| char::from(*byte))
            .collect();
        // A word that merely begins with "contempt" (contemptuous), or a sentence about it, sets
        // nothing.
        let is_number = value.trim_end_matches('.').parse::<f64>().is_ok();
        let is_word = ["true", "false", "on", "off", "both", "white", "black"]
            .iter()
            .any(|own| own.eq_ignore_ascii_case(&value));
        if between > 0 && (is_number || is_word) {
            found.insert(format!("Contempt={}", value.trim_end_matches('.')));
        }
        text = rest;
    }
}

#[cfg(test)]
mod tests {
    use centipawn_pgn::GameScanner;

    use super::*;

    fn of(pgn: &str) -> Vec<String> {
        let mut scanner = GameScanner::new(pgn.as_bytes());
        let game = scanner.next_game().unwrap().unwrap();
        contempt(&game).into_iter().collect()
    }

    #[test]
    fn settings_are_read_from_tags_and_opening_comments() {
        let engines = "{WhiteEngineOptions: Protocol=uci; Contempt=24; Threads=4, BlackEngineOptions: contempt: 0;}";
        assert_eq!(
            of(&format!("{engines} 1. e4 *")),
            ["Contempt=0", "Contempt=24"]
        );
        assert_eq!(
            of("[WhiteContempt \"15\"]\n\n1. e4 *"),
            ["WhiteContempt=15"]
        );
        assert_eq!(
            of("[Annotator \"SF 12, Contempt -7\"]\n\n1. e4 *"),
            ["Contempt=-7"]
        );
    }

    #[test]
    fn other_texts_set_nothing() {
        for text in [
            "contemptuous play",
            "contempt is off",
            "contempt",
            "no Contempt= here",
        ] {
            assert!(of(&format!("{{{text}}} 1. e4 *")).is_empty(), "{text}");
        }
        assert!(of("1. e4 {Contempt=24} e5 *").is_empty());
    }
}
