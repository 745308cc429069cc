//! Themes beside Lichess' own labels.

use std::{collections::BTreeMap, fs, path::PathBuf};

use centipawn_puzzle::{Reader, Theme, themes};

fn shared(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(path);
    path.exists().then_some(path)
}

/// Of a theme: given by both, by us alone, by the label alone.
#[derive(Clone, Copy, Default)]
struct Agreement {
    both: u32,
    ours: u32,
    theirs: u32,
}

fn agreement(file: &str) -> Option<(u32, BTreeMap<Theme, Agreement>)> {
    let bytes = fs::read(shared(file)?).unwrap();
    let (mut count, mut table) = (0, BTreeMap::<Theme, Agreement>::new());
    for puzzle in Reader::new(&bytes[..], None).unwrap() {
        let puzzle = puzzle.unwrap();
        count += 1;
        let found = themes(&puzzle.solution);
        for &theme in Theme::ALL {
            let entry = table.entry(theme).or_default();
            match (found.contains(theme), puzzle.themes.contains(theme)) {
                (true, true) => entry.both += 1,
                (true, false) => entry.ours += 1,
                (false, true) => entry.theirs += 1,
                (false, false) => {}
            }
        }
    }
    Some((count, table))
}

#[test]
fn labels_of_unbiased_puzzles() {
    let Some((count, table)) = agreement("data/puzzles/lichess_unbiased_2500.csv") else { return };
    assert_eq!(count, 2500);
    for (theme, Agreement { both, ours, theirs }) in table {
        // The labels of this file are older than the theme discoveredCheck, and collinear is not in use yet.
        if theme.is_told() || matches!(theme, Theme::DiscoveredCheck | Theme::Collinear) {
            continue;
        }
        assert!(ours + theirs <= count / 100, "{theme}: {both} agree, {ours} only ours, {theirs} only theirs");
    }
}
