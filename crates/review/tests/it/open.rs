//! Reviews extend a search whose last bound leaves the symbol open.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use centipawn_core::{Curve, CurveChoice, Eval, MoveSymbol};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Line, Question};
use centipawn_judge::JudgeOptions;
use centipawn_pgn::Reader;
use centipawn_progress::{Cancel, Silent};
use centipawn_review::{Event, Review, review_games};

const FULL: Limit = Limit::Nodes(1000);
const GAME: &str = "1. f3 e5 2. g4 *";

/// Finds the refutation of 2. g4 only in a search that is long enough. Shorter searches end with a
/// bound.
struct Refuting {
    /// Number of nodes from which on the search finds the refutation.
    enough: u64,
    /// The bound with which shorter searches end.
    bound: Option<i32>,
    asked: Mutex<Vec<(usize, Limit)>>,
}

impl Refuting {
    fn new(enough: u64, bound: Option<i32>) -> Self {
        Self {
            enough,
            bound,
            asked: Mutex::default(),
        }
    }

    fn limits(&self, ply: usize) -> Vec<Limit> {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .filter(|(at, _)| *at == ply)
            .map(|(_, limit)| *limit)
            .collect()
    }
}

impl Analyst for Refuting {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let (history, Limit::Nodes(nodes)) = (&question.history, question.limit) else {
            return Err(AnalystError::NoEngines);
        };
        self.asked
            .lock()
            .unwrap()
            .push((history.moves().len(), question.limit));
        let is_enough = self.enough <= nodes;
        let lines = question.candidates()?.into_iter().map(|mv| {
            let is_blunder = history.moves().len() == 2 && history.uci(mv).to_string() == "g2g4";
            let (eval, last_exact) = match self.bound {
                _ if is_blunder && is_enough => (Eval::cp(-900), None),
                Some(bound) if is_blunder => (Eval::cp(bound), Some(Eval::cp(20))),
                _ if is_blunder => (Eval::cp(20), None),
                _ => (Eval::cp(0), None),
            };
            Line {
                pv: vec![mv],
                eval,
                last_exact,
                wdl: None,
                depth: 1,
                seldepth: None,
            }
        });
        let mut lines: Vec<Line> = lines.collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.eval));
        lines.truncate(question.lines.max(1));
        Ok(Analysis {
            lines,
            nodes,
            depth: 1,
            time: Duration::ZERO,
        })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::new(Identity {
            name: "Refuting".into(),
            ..Identity::default()
        })
    }

    fn parallelism(&self) -> usize {
        1
    }
}

fn review(analyst: &Refuting, quick: Option<Limit>) -> Review {
    let games = Reader::new(GAME.as_bytes())
        .map(|game| game.unwrap().unwrap())
        .collect::<Vec<_>>();
    let options = JudgeOptions {
        curve: CurveChoice::from(Curve::LICHESS),
        quick,
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
        &Silent,
        |event| match event {
            Event::Reviewed(review) => reviews.push(*review),
            Event::Failed(failure) => panic!("{failure}"),
        },
    );
    reviews.remove(0)
}

/// The bound allows a mistake or a blunder, so the search is extended until the score is exact.
#[test]
fn a_search_with_an_open_score_is_extended() {
    let analyst = Refuting::new(4000, Some(-200));
    let reviewed = review(&analyst, None);
    let ply = &reviewed.plies[2];
    assert_eq!(ply.symbol, Some(MoveSymbol::Blunder));
    assert_eq!(ply.limit, Some(Limit::Nodes(4000)));
    assert_eq!(
        reviewed.plies[0].limit,
        Some(FULL),
        "closed positions keep the limit"
    );
    assert!(
        analyst.limits(2).contains(&Limit::Nodes(2000)),
        "the limit is doubled"
    );
    let document = serde_json::to_value(reviewed.document()).unwrap();
    assert_eq!(document["plies"][2]["limit"], "4000 nodes");
}

#[test]
fn a_limit_is_doubled_at_most_three_times() {
    let analyst = Refuting::new(1_000_000, Some(-200));
    let reviewed = review(&analyst, None);
    assert_eq!(reviewed.plies[2].limit, Some(Limit::Nodes(8000)));
    assert!(reviewed.plies[2].score_loss > 0.1, "the bound is believed");
}

/// The expected scores of +0.20 and +0.10 differ by less than 0.05, so the difference does not
/// matter.
#[test]
fn a_bound_close_to_the_score_does_not_extend_the_search() {
    let analyst = Refuting::new(4000, Some(10));
    assert_eq!(review(&analyst, None).plies[2].limit, Some(FULL));
    assert!(analyst.limits(2).iter().all(|limit| *limit == FULL));
}

/// The quick pass does not extend searches.
#[test]
fn an_open_score_of_the_quick_pass_is_searched_in_the_second_pass() {
    let analyst = Refuting::new(1000, Some(-60));
    let quick = Limit::Nodes(10);
    let reviewed = review(&analyst, Some(quick));
    assert_eq!(reviewed.plies[2].symbol, Some(MoveSymbol::Blunder));
    assert_eq!(
        reviewed
            .plies
            .iter()
            .map(|ply| ply.limit.unwrap())
            .collect::<Vec<_>>(),
        [quick, quick, FULL]
    );
    assert!(!analyst.limits(2).contains(&Limit::Nodes(20)));
}
