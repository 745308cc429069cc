//! Reviewed games as Markdown.

use std::{fs, sync::Arc};

use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Question};
use centipawn_judge::JudgeOptions;
use centipawn_pgn::{Dialect, Reader};
use centipawn_progress::{Cancel, Placed, Silent};
use centipawn_review::{Event, Language, ReviewOptions, review_games};
use centipawn_site::Markdown;

/// An analyst that panics, because games that contain their evaluations need no engine.
struct NoEngine;

impl Analyst for NoEngine {
    fn analyse(&self, _: &Question) -> Result<Analysis, AnalystError> {
        Err(AnalystError::NoEngines)
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::default()
    }

    fn parallelism(&self) -> usize {
        1
    }
}

const GAME: &str = "[Event \"A <test> & *more*\"]\n[Site \"https://example.org/1\"]\n[Date \"2026.11.??\"]\n[White \"Anna\"]\n\
     [Black \"Bo | [B]\"]\n[WhiteElo \"1500\"]\n[Result \"1-0\"]\n\n1. e4 { [%eval 0.24] } e5 { [%eval 0.12] } 2. Qh5 { [%eval -0.3] } \
     Ke7 { [%eval #1] Blunder. Nc6 was best. } ( 2... Nc6 3. Bc4 g6 ) 3. Qxe5# 1-0\n";

fn write(file: &std::path::Path, language: Language, cancel: &Cancel) -> Placed {
    let games = format!("{GAME}\n[White \"Clara\"]\n\n*\n");
    let games = Reader::new(games.as_bytes())
        .filter_map(Result::ok)
        .filter_map(Result::ok);
    let options = ReviewOptions {
        language,
        ..JudgeOptions {
            reuse_evals: Some(Dialect::Auto),
            ..JudgeOptions::new(Limit::Nodes(1))
        }
        .into()
    };
    let mut markdown = Markdown::create(file, language, &Cancel::new()).unwrap();
    review_games(
        games,
        &NoEngine,
        &[],
        &options,
        &Cancel::new(),
        &Silent,
        |event| match event {
            Event::Reviewed(review) => markdown.game(&review).unwrap(),
            Event::Failed(failure) => panic!("{failure}"),
        },
    );
    markdown.finish(cancel).unwrap()
}

#[test]
fn a_game_with_its_diagrams() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my review.md");
    for language in Language::ALL {
        write(&file, language, &Cancel::new());
        let text = fs::read_to_string(&file).unwrap();
        insta::assert_snapshot!(format!("markdown_{language}"), text);
        // Each link leads to a picture.
        let links: Vec<&str> = text
            .split("](<")
            .skip(1)
            .map(|rest| rest.split('>').next().unwrap())
            .collect();
        assert!(!links.is_empty());
        for link in links {
            let svg = fs::read_to_string(folder.path().join(link.replace("%20", " "))).unwrap();
            // The arrows of the best move (green) and of the played move (red).
            assert!(svg.contains("#15781b") && svg.contains("#b3151b"), "{link}");
        }
    }
    let before = fs::read_to_string(&file).unwrap();
    let cancel = Cancel::new();
    cancel.set();
    assert!(matches!(
        write(&file, Language::English, &cancel),
        Placed::Kept(_)
    ));
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}
