//! Reviews in two passes: all positions to a small limit, then those that matter to the full one.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use centipawn_core::{Curve, Eval, MoveSymbol};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Line, Question};
use centipawn_judge::{Deepen, JudgeOptions};
use centipawn_pgn::Reader;
use centipawn_progress::{Cancel, Progress, Reporter};
use centipawn_review::{Event, Review, review_games};

const QUICK: Limit = Limit::Nodes(1);
const FULL: Limit = Limit::Nodes(2);
/// Two harmless moves, a blunder, mate.
const GAME: &str = "1. f3 e5 2. g4 Qh4# 0-1";

/// Finds the mate in the position before it with any limit, one move earlier only with the full
/// limit.
#[derive(Default)]
struct Shortsighted {
    asked: Mutex<Vec<(usize, Limit)>>,
}

impl Analyst for Shortsighted {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let history = &question.history;
        self.asked
            .lock()
            .unwrap()
            .push((history.moves().len(), question.limit));
        let eval = |uci: &str| match (history.moves().len(), uci) {
            (3, "d8h4") => Eval::mate(1),
            (2, "g2g4") if question.limit == FULL => Eval::mate(-1),
            _ => Eval::cp(0),
        };
        let mut lines: Vec<Line> = question
            .candidates()?
            .into_iter()
            .map(|mv| {
                let eval = eval(&history.uci(mv).to_string());
                Line {
                    pv: vec![mv],
                    eval,
                    last_exact: None,
                    wdl: None,
                    depth: 1,
                    seldepth: None,
                }
            })
            .collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.eval));
        lines.truncate(question.lines.max(1));
        Ok(Analysis {
            lines,
            nodes: 1,
            depth: 1,
            time: Duration::ZERO,
        })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::new(Identity {
            name: "Shortsighted".into(),
            ..Identity::default()
        })
    }

    fn parallelism(&self) -> usize {
        3
    }
}

/// The largest reported number of finished positions.
#[derive(Default)]
struct Counted(Mutex<u64>);

impl Reporter for Counted {
    fn progress(&self, progress: &Progress) {
        let mut most = self.0.lock().unwrap();
        *most = progress.done.max(*most);
    }

    fn problem(&self, problem: &centipawn_progress::Problem) {
        panic!("{problem}");
    }
}

fn review(analyst: &Shortsighted, quick: Option<Limit>, reporter: &Counted) -> Review {
    deepened(analyst, quick, Deepen::Symbols, reporter)
}

fn deepened(
    analyst: &Shortsighted,
    quick: Option<Limit>,
    deepen: Deepen,
    reporter: &Counted,
) -> Review {
    let games = Reader::new(GAME.as_bytes())
        .map(|game| game.unwrap().unwrap())
        .collect::<Vec<_>>();
    let curve = centipawn_core::CurveChoice::from(Curve::LICHESS);
    let options = JudgeOptions {
        curve,
        quick,
        deepen,
        ..JudgeOptions::new(FULL)
    }
    .into();
    let mut reviews = Vec::new();
    review_games(
        games.into_iter(),
        analyst,
        &[],
        &options,
        &Cancel::new(),
        reporter,
        |event| match event {
            Event::Reviewed(review) => reviews.push(*review),
            Event::Failed(failure) => panic!("{failure}"),
        },
    );
    reviews.remove(0)
}

#[test]
fn the_search_of_the_next_position_corrects_the_quick_pass() {
    let (analyst, counted) = (Shortsighted::default(), Counted::default());
    let reviewed = review(&analyst, Some(QUICK), &counted);
    let limits: Vec<_> = reviewed
        .plies
        .iter()
        .map(|ply| ply.limit.unwrap())
        .collect();
    assert_eq!(limits, [QUICK, QUICK, FULL, FULL]);
    assert!(
        reviewed.plies[2]
            .symbol
            .is_some_and(|symbol| !symbol.is_praise()),
        "the blunder is found"
    );
    assert_eq!(reviewed.plies[0].symbol.map(MoveSymbol::glyph), None);
    // The quick pass searches the whole game before the second pass begins.
    let asked = analyst.asked.lock().unwrap();
    let first_deep = asked.iter().position(|(_, limit)| *limit == FULL).unwrap();
    assert!(
        asked[first_deep..]
            .iter()
            .all(|(ply, limit)| *limit == FULL && *ply >= 2),
        "{asked:?}"
    );
    assert_eq!(
        *counted.0.lock().unwrap(),
        8,
        "two passes over four positions"
    );
    assert!(
        reviewed
            .annotated()
            .to_string()
            .contains("1 nodes, where it matters 2 nodes")
    );
}

#[test]
fn one_pass_searches_everything_to_the_limit() {
    let (analyst, counted) = (Shortsighted::default(), Counted::default());
    let reviewed = review(&analyst, None, &counted);
    assert!(reviewed.plies.iter().all(|ply| ply.limit == Some(FULL)));
    assert_eq!(*counted.0.lock().unwrap(), 4);
}

#[test]
fn in_an_archive_only_blunders_get_a_second_search() {
    let (analyst, counted) = (Shortsighted::default(), Counted::default());
    let reviewed = deepened(&analyst, Some(QUICK), Deepen::Blunders, &counted);
    let limits: Vec<_> = reviewed
        .plies
        .iter()
        .map(|ply| ply.limit.unwrap())
        .collect();
    assert_eq!(
        limits,
        [QUICK, QUICK, FULL, QUICK],
        "the mate itself is no mistake"
    );
    assert_eq!(
        reviewed.options.limits(),
        "1 nodes, at blunders and mates 2 nodes"
    );
}
