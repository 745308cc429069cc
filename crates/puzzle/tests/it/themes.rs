//! Compares the themes with Lichess' labels.

use std::{collections::BTreeMap, fs, path::Path};

use centipawn_puzzle::{Reader, Solution, Theme, themes};
use centipawn_test_support::data::{bytes, shared, test_data};
use proptest::prelude::*;
use shakmaty::{Chess, Position as _};

/// Numbers of puzzles with a theme found and labelled, only found, or only labelled.
#[derive(Clone, Copy, Default)]
struct Agreement {
    both: u32,
    ours: u32,
    theirs: u32,
}

fn agreement(file: &Path) -> (u32, BTreeMap<Theme, Agreement>) {
    let bytes = bytes(file);
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
    (count, table)
}

/// Asserts that every theme agrees in at least 99.5 % of the puzzles of a file.
fn holds(file: &Path, puzzles: u32, unused: &[Theme]) {
    let (count, table) = agreement(file);
    assert_eq!(count, puzzles);
    for (theme, Agreement { both, ours, theirs }) in table {
        if theme.is_external() || unused.contains(&theme) {
            continue;
        }
        assert!(
            (ours + theirs) * 200 <= count,
            "{theme}: {both} agree, {ours} only ours, {theirs} only theirs"
        );
    }
}

/// Themes that Lichess does not use yet.
const UNUSED: [Theme; 3] = [
    Theme::Collinear,
    Theme::EpauletteMate,
    Theme::SwallowstailMate,
];

#[test]
fn themes_agree_with_the_labels_of_the_test_data() {
    holds(&test_data("puzzles/lichess-themes.csv.zst"), 1_000, &UNUSED);
}

/// The labels of two files are older than the theme discoveredCheck and most of the newer mate
/// patterns.
#[test]
fn themes_agree_with_the_labels_of_the_large_files() {
    let Some(folder) = shared("data/puzzles") else {
        return;
    };
    holds(&folder.join("lichess_themes_6000.csv"), 6_000, &UNUSED);
    let older = [
        Theme::BalestraMate,
        Theme::BlindSwineMate,
        Theme::CornerMate,
        Theme::DiscoveredCheck,
        Theme::MorphysMate,
        Theme::OperaMate,
        Theme::PillsburysMate,
        Theme::TriangleMate,
    ];
    let older = [&older[..], &UNUSED].concat();
    holds(&folder.join("lichess_stratified_train.csv"), 12_000, &older);
    holds(&folder.join("lichess_unbiased_2500.csv"), 2_500, &older);
}

/// The newer mate patterns are rare, so exact numbers are compared: labelled puzzles, and puzzles
/// with the pattern but without the label.
#[test]
fn newer_mate_patterns_agree_with_the_labels() {
    let Some(file) = shared("data/puzzles/lichess_themes_6000.csv") else {
        return;
    };
    let (_, table) = agreement(&file);
    for (theme, labelled, only_ours) in [
        (Theme::BlindSwineMate, 15, 0),
        (Theme::CornerMate, 9, 0),
        (Theme::KillBoxMate, 7, 0),
        (Theme::MorphysMate, 6, 0),
        (Theme::OperaMate, 48, 0),
        (Theme::PillsburysMate, 52, 0),
        (Theme::TriangleMate, 8, 1),
        (Theme::VukovicMate, 3, 0),
    ] {
        let Agreement { both, ours, theirs } = table[&theme];
        assert_eq!((both, ours, theirs), (labelled, only_ours, 0), "{theme}");
    }
}

#[test]
fn themes_agree_with_the_labels_of_the_example() {
    let text = fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/puzzles.csv"
    ))
    .unwrap();
    for puzzle in Reader::new(&text[..], None).unwrap() {
        let mut puzzle = puzzle.unwrap();
        let labelled = puzzle.themes;
        puzzle.tag();
        assert_eq!(puzzle.themes, labelled, "{}", puzzle.id);
    }
}

proptest! {
    /// For every sequence of moves, finding themes does not panic, and there is exactly one length
    /// and one phase.
    #[test]
    fn any_sequence_of_moves_has_one_length_and_one_phase(choices in proptest::collection::vec(any::<u16>(), 2..160), length in 1_usize..6) {
        let (mut position, mut moves) = (Chess::default(), Vec::new());
        let mut starts = vec![position.clone()];
        for choice in choices {
            let legal = position.legal_moves();
            let Some(&mv) = legal.get(usize::from(choice) % legal.len().max(1)) else { break };
            position.play_unchecked(mv);
            moves.push(mv);
            starts.push(position.clone());
        }
        for first in (0..moves.len()).step_by(7) {
            let Some(part) = moves.get(first..first + 2 * length) else { break };
            let themes = themes(&Solution::new(&starts[first], part.iter().copied()).unwrap());
            let count = |some: &[Theme]| some.iter().filter(|theme| themes.contains(**theme)).count();
            prop_assert_eq!(count(&[Theme::OneMove, Theme::Short, Theme::Long, Theme::VeryLong]), 1);
            prop_assert_eq!(count(&[Theme::Opening, Theme::Middlegame, Theme::Endgame]), 1);
        }
    }
}
