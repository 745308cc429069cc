//! An analyst behind a store: no question is asked twice, and a failing store does not affect the
//! answers.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use crate::common::{engine, evaluation};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Question};
use centipawn_store::{Cached, Location, Store};

/// An analyst that answers with the tests' evaluations and counts the questions.
#[derive(Default)]
struct Counting {
    asked: AtomicUsize,
    slow: Duration,
    failing: bool,
}

impl Analyst for &Counting {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        thread::sleep(self.slow);
        if self.failing {
            return Err(AnalystError::NoEngines);
        }
        let (_, mut analysis) = evaluation(0, question.limit, 1, 1);
        let mv = question.candidates()?[0];
        analysis.lines[0].pv = vec![mv];
        Ok(analysis)
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::new(engine("Counting 1"))
    }

    fn parallelism(&self) -> usize {
        1
    }
}

fn question(number: u64) -> Question {
    evaluation(number, Limit::Nodes(1000), 1, 1).0
}

#[test]
fn no_question_is_asked_twice() {
    let folder = tempfile::tempdir().unwrap();
    let place = Location::File(folder.path().join("x.db"));
    let analyst = Counting::default();
    let panic = |error| panic!("{error}");
    let first: Vec<Analysis> = {
        let cached = Cached::new(&analyst, Arc::new(Store::open(&place).unwrap()), panic);
        (0..20)
            .map(|number| cached.analyse(&question(number)).unwrap())
            .collect()
    };
    assert_eq!(analyst.asked.load(Ordering::SeqCst), 20);
    let cached = Cached::new(&analyst, Arc::new(Store::open(&place).unwrap()), panic);
    let second: Vec<Analysis> = (0..20)
        .map(|number| cached.analyse(&question(number)).unwrap())
        .collect();
    assert_eq!((first, cached.found(), cached.asked()), (second, 20, 0));
    assert_eq!(analyst.asked.load(Ordering::SeqCst), 20);
}

#[test]
fn equal_concurrent_questions_are_asked_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(&Location::File(folder.path().join("x.db"))).unwrap());
    let analyst = Counting {
        slow: Duration::from_millis(200),
        ..Counting::default()
    };
    let cached = Cached::new(&analyst, Arc::clone(&store), |error| panic!("{error}"));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| cached.analyse(&question(3)).unwrap());
        }
    });
    assert_eq!((cached.asked(), cached.found()), (1, 7));

    // All callers get the error, and it is not stored. The answer takes so long that all four
    // threads wait for it, even if they start late.
    let failing = Counting {
        slow: Duration::from_secs(2),
        failing: true,
        ..Counting::default()
    };
    let cached = Cached::new(&failing, store, |error| panic!("{error}"));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                assert_eq!(
                    cached.analyse(&question(4)).unwrap_err(),
                    AnalystError::NoEngines
                );
            });
        }
    });
    assert_eq!(failing.asked.load(Ordering::SeqCst), 1);
    assert!(cached.analyse(&question(4)).is_err());
    assert_eq!(failing.asked.load(Ordering::SeqCst), 2);
}

#[test]
fn a_store_that_fails_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.db");
    let store = Arc::new(Store::open(&Location::File(file.clone())).unwrap());
    let said = Arc::new(Mutex::new(Vec::new()));
    let analyst = Counting::default();
    let cached = Cached::new(&analyst, store, {
        let said = Arc::clone(&said);
        move |error| said.lock().unwrap().push(error.to_string())
    });
    cached.analyse(&question(1)).unwrap();
    // Another program deletes the table.
    crate::common::sql(&file, "DROP TABLE evaluation");
    for number in 2..6 {
        cached.analyse(&question(number)).unwrap();
    }
    let said = said.lock().unwrap();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("x.db could not be read: no such table: evaluation"),
        "{said:?}"
    );
}
