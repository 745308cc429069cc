//! Reports: the text that is shown without scripts, and the data that the viewer reads.

use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Question};
use centipawn_judge::JudgeOptions;
use centipawn_pgn::{Dialect, Reader};
use centipawn_progress::{Cancel, Silent};
use centipawn_review::{Event, Language, Review, ReviewOptions, review_games};
use centipawn_site::Report;

/// An analyst that panics, because games that contain their evaluations need no engine.
struct NoEngine;

impl Analyst for NoEngine {
    fn analyse(&self, _: &Question) -> Result<Analysis, AnalystError> {
        Err(AnalystError::NoEngines)
    }

    fn identity(&self) -> std::sync::Arc<Identity> {
        std::sync::Arc::default()
    }

    fn parallelism(&self) -> usize {
        1
    }
}

const GAME: &str = "[Event \"A <test> & more\"]\n[Site \"?\"]\n[Date \"2026.11.??\"]\n[White \"Anna\"]\n[Black \"Bo \\\"B\\\" \"]\n\
     [WhiteElo \"1500\"]\n[Result \"1-0\"]\n\n1. e4 { [%eval 0.24] } e5 { [%eval 0.12] [%clk 0:03:00] solid } 2. Qh5 { [%eval -0.3] } \
     Ke7 { [%eval #1] Blunder. Nc6 was best. } ( 2... Nc6 3. Bc4 g6 ) 3. Qxe5# 1-0\n";

fn reviews(pgn: &str, language: Language) -> Vec<Review> {
    let games = Reader::new(pgn.as_bytes())
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
    let mut reviews = Vec::new();
    review_games(
        games,
        &NoEngine,
        &[],
        &options,
        &Cancel::new(),
        &Silent,
        |event| match event {
            Event::Reviewed(review) => reviews.push(*review),
            Event::Failed(failure) => panic!("{failure}"),
        },
    );
    reviews
}

fn report(pgn: &str, language: Language) -> String {
    let mut report = Report::new(Vec::new(), language);
    reviews(pgn, language)
        .iter()
        .for_each(|review| report.game(review).unwrap());
    String::from_utf8(report.finish(None).unwrap()).unwrap()
}

#[test]
fn a_report_can_be_read_without_scripts() {
    for language in Language::ALL {
        let page = report(GAME, language);
        // Browser tests cover the styles and the drawings of the pieces.
        let reading = page
            .split_once("</defs></svg>\n")
            .unwrap()
            .1
            .split_once("<script")
            .unwrap()
            .0;
        insta::assert_snapshot!(format!("reading_{language}"), reading);
    }
}

/// What the viewer reads is the document that `review --json` writes.
#[test]
fn a_handout_explains_one_player() {
    let both = report(GAME, Language::English);
    assert_eq!(both.matches("<p class=\"remark\">").count(), 1);
    let for_player = |player: &str| {
        let mut report =
            Report::new(Vec::new(), Language::English).for_player(Some(player.to_owned()));
        for review in reviews(GAME, Language::English) {
            report.game(&review).unwrap();
        }
        String::from_utf8(report.finish(None).unwrap()).unwrap()
    };
    let black = for_player("bo \"b\"");
    assert!(black.contains("<p class=\"remark\">") && black.contains("Critical moments"));
    // Only Black made a mistake.
    let white = for_player("Anna");
    assert!(white.contains("<h2>Moves</h2>"));
    assert!(!white.contains("<p class=\"remark\">") && !white.contains("Critical moments</h2>"));
    // Games of others are left out.
    assert!(!for_player("Clara").contains("<article"));
}

#[test]
fn a_report_contains_its_documents() {
    let page = report(&format!("{GAME}\n{GAME}"), Language::English);
    let data: Vec<serde_json::Value> = page
        .split("class=\"data\">")
        .skip(1)
        .map(|rest| serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap())
        .collect();
    assert_eq!(data.len(), 2);
    let document = serde_json::to_value(reviews(GAME, Language::English)[0].document()).unwrap();
    for data in data {
        assert_eq!(data["review"]["games"][0], document);
        assert_eq!(
            (
                data["why"].as_array().unwrap().len(),
                data["moves"]["white"].as_str()
            ),
            (5, Some("Anna"))
        );
    }
    assert!(page.contains("<li><a href=\"#g2\"><bdi>Anna – Bo &quot;B&quot; 1–0</bdi></a></li>"));
}

/// Text of a game must not end an element of the page.
#[test]
fn a_report_escapes_names_and_loads_nothing() {
    let page = report(
        &GAME.replace("Anna", "</script><script>alert(1)</script>"),
        Language::English,
    );
    assert!(!page.contains("<script>alert"));
    assert_eq!(page.matches("<script").count(), 2);
    let page = page.replace("http://www.w3.org/", "");
    assert!(
        !page.contains(" src=")
            && !page.contains("@import")
            && !page.contains("url(http")
            && !page.contains("<link")
    );
}
