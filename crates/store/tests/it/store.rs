//! The store on both databases: each case runs on SQLite, and on a PostgreSQL server that the test
//! starts.

use std::{path::Path, sync::Arc, thread, time::Duration};

use crate::common::{engine, evaluation};
use centipawn_core::{Eval, History};
use centipawn_engine::{Analysis, Cancel, Limit, Line, Question};
use centipawn_progress::{Outcome, Placed, Silent};
use centipawn_store::{
    Attempted, BatchCount, BatchJobs, BatchState, Deleted, JobState, JudgedReview, Location,
    NewJob, NewPuzzle, PuzzleCounts, PuzzleFilter, Remembered, Repetition, Store, StoreError,
    TableFormat,
};
use centipawn_test_support::postgres::Server;

/// Creates a test on SQLite for each case, and one test on PostgreSQL for all cases.
macro_rules! on_both {
    ($($case:ident),+ $(,)?) => {
        $(#[test]
        fn $case() {
            let folder = tempfile::tempdir().unwrap();
            cases::$case(&Location::File(folder.path().join("a store.db")));
        })+

        #[test]
        fn the_same_on_postgres() {
            let Some(server) = Server::start(&["fsync = off"]) else { return };
            $({
                eprintln!("{}", stringify!($case));
                cases::$case(&server.database().parse().unwrap());
            })+
        }
    };
}

on_both![
    stored_answers_are_found,
    a_larger_answer_is_used_for_a_smaller_question,
    engines_with_other_options_have_other_answers,
    the_first_answer_is_not_replaced,
    questions_with_searchmoves_have_their_own_answers,
    many_answers_in_one_call,
    threads_may_write_to_two_open_stores,
    a_new_store_may_be_opened_by_many_threads_at_once,
    exported_tables_can_be_imported,
    findings_are_found_by_game_and_settings,
    jobs_are_stored_with_their_state,
    only_one_server_works_on_the_jobs,
    findings_of_an_open_job_have_a_job,
    findings_of_version_1_are_migrated,
    boxes_of_version_2_become_memories,
    batches_can_be_paused_and_cancelled,
    several_batches_may_share_a_job,
    the_running_job_stays_when_its_batch_is_cancelled,
    opening_to_read_creates_no_tables,
    summaries_of_reviews_are_stored_by_version,
    the_character_0_is_replaced,
    games_are_deleted_with_what_belongs_to_them,
    copied_batches_have_their_jobs_and_state,
    puzzles_are_filtered_and_repeated,
    a_newer_store_is_refused_and_not_changed,
];

const NODES: Limit = Limit::Nodes(100_000);

mod cases {
    use super::*;

    pub(super) fn jobs_are_stored_with_their_state(place: &Location) {
        let store = Store::open(place).unwrap();
        let game = store.keep_game("1. e4 *").unwrap();
        assert_eq!(store.keep_game("1. e4 *").unwrap(), game);
        assert_eq!(store.game(game).unwrap().as_deref(), Some("1. e4 *"));
        assert_eq!(store.game(game + 1).unwrap(), None);
        let other = store
            .keep_game("[White \"100% Müller_\"]\n\n1. d4 *")
            .unwrap();
        let games = store.games_after(0, 10).unwrap();
        assert_eq!(
            games.iter().map(|game| game.id).collect::<Vec<_>>(),
            [game, other]
        );
        assert!(games[0].line.is_none() && games[0].pgn.as_deref() == Some("1. e4 *"));
        store.note_game_lines(&[(game, "{}".to_owned())]).unwrap();
        let games = store.games_after(0, 1).unwrap();
        assert_eq!(
            (games.len(), games[0].line.as_deref(), &games[0].pgn),
            (1, Some("{}"), &None)
        );
        assert_eq!(store.games_after(other, 10).unwrap().len(), 0);

        let new = NewJob {
            game,
            title: "A – B",
            positions: 1,
            recipe: "{}",
            engine: "X",
        };
        let job = store.keep_job(new).unwrap();
        assert_eq!(
            (job.state.clone(), job.title.as_str(), job.positions),
            (JobState::Open, "A – B", 1)
        );
        assert_eq!(
            store.keep_job(new).unwrap(),
            job,
            "the same request is the same job"
        );
        let second = store.keep_job(NewJob { engine: "Y", ..new }).unwrap();
        store
            .set_job(job.id, &JobState::Failed("it crashed".to_owned()))
            .unwrap();
        drop(store);
        let store = Store::open(place).unwrap();
        let failed = store.job(job.id).unwrap().unwrap();
        assert_eq!(failed.state, JobState::Failed("it crashed".to_owned()));
        store
            .set_job(job.id, &JobState::Reviewed(Some("settings".to_owned())))
            .unwrap();
        let done = store.keep_job(new).unwrap();
        assert_eq!(done.state, JobState::Reviewed(Some("settings".to_owned())));
        store.set_job(second.id, &JobState::Mined(7)).unwrap();
        let mined = store.job(second.id).unwrap().unwrap();
        assert_eq!(mined.state, JobState::Mined(7));
        assert_eq!(
            store
                .jobs(10)
                .unwrap()
                .iter()
                .map(|job| job.id)
                .collect::<Vec<_>>(),
            [second.id, job.id]
        );
        assert_eq!(store.job(second.id + 1).unwrap(), None);
    }

    pub(super) fn only_one_server_works_on_the_jobs(place: &Location) {
        let [one, other] = [(); 2].map(|()| Store::open(place).unwrap());
        let lock = one.lock_queue().unwrap();
        let refused = other.lock_queue().unwrap_err();
        assert!(
            matches!(refused, StoreError::QueueTaken { .. }),
            "{refused}"
        );
        let text = refused.to_string();
        assert!(
            text.starts_with(&format!(
                "another `centipawn serve` works on the store {place}; close it"
            )),
            "{text}"
        );
        // All other functions of the store still work.
        other.keep_game("1. e4 *").unwrap();
        drop(lock);
        let lock = other.lock_queue().unwrap();
        one.lock_queue().unwrap_err();
        // The store may be dropped before the lock.
        drop((other, lock));
        one.lock_queue().unwrap();
    }

    pub(super) fn findings_of_an_open_job_have_a_job(place: &Location) {
        let store = Store::open(place).unwrap();
        let game = store.keep_game("1. e4 *").unwrap();
        let job = store
            .keep_job(NewJob {
                game,
                title: "",
                positions: 1,
                recipe: "{}",
                engine: "X",
            })
            .unwrap()
            .id;
        let adopted = || store.findings_without_job().unwrap();
        store.note_settings(job, "of the job").unwrap();
        store.keep_findings("1. e4 *", "of the job", "{}").unwrap();
        assert_eq!(adopted(), []);
        store
            .keep_findings("1. e4 *", "of the command line", "{}")
            .unwrap();
        assert_eq!(adopted(), [(game, "of the command line".to_owned())]);
        store.set_job(job, &JobState::Cancelled).unwrap();
        assert_eq!(adopted().len(), 2);
        store.note_settings(job, "of the job").unwrap();
        assert_eq!(
            adopted().len(),
            2,
            "the settings of a job that is not open are not noted"
        );
    }

    pub(super) fn batches_can_be_paused_and_cancelled(place: &Location) {
        let store = Store::open(place).unwrap();
        let games: Vec<i64> = ["1. e4 *", "1. d4 *", "1. c4 *"]
            .map(|pgn| store.keep_game(pgn).unwrap())
            .into();
        let new = |game: i64| NewJob {
            game,
            title: "A – B",
            positions: 10,
            recipe: "{}",
            engine: "X",
        };
        let done = store.keep_job(new(games[0])).unwrap().id;
        store.set_job(done, &JobState::Reviewed(None)).unwrap();
        let failed = store.keep_job(new(games[1])).unwrap().id;
        store
            .set_job(failed, &JobState::Failed("it crashed".to_owned()))
            .unwrap();

        let jobs: Vec<NewJob<'_>> = games.iter().map(|game| new(*game)).collect();
        let id = store.keep_batch("3 games", &jobs).unwrap();
        let batch = store.batch(id).unwrap().unwrap();
        let count = || store.batch(id).unwrap().unwrap().jobs;
        assert_eq!((&*batch.title, batch.state), ("3 games", BatchState::Open));
        assert_eq!(
            count().open,
            BatchCount {
                jobs: 2,
                positions: 20
            },
            "the failed one begins again"
        );
        assert_eq!(
            count().done,
            BatchCount {
                jobs: 1,
                positions: 10
            }
        );
        let next = || store.next_of_batches(&[id]).unwrap().map(|(_, job)| job);
        assert_eq!(next(), Some(failed));
        store.set_job(failed, &JobState::Cancelled).unwrap();
        let third = next().unwrap();
        assert!(third != failed && third != done, "the first one has ended");
        store.set_batch(id, BatchState::Paused, None).unwrap();
        assert_eq!(next(), None);
        store.set_batch(id, BatchState::Open, None).unwrap();
        store
            .set_job(third, &JobState::Reviewed(Some("settings".to_owned())))
            .unwrap();
        assert_eq!(
            store.reviewed_games().unwrap(),
            [(games[0], done), (games[2], third)]
        );
        store.set_job(failed, &JobState::Open).unwrap();
        store.set_batch(id, BatchState::Cancelled, None).unwrap();
        assert_eq!(
            store.job(failed).unwrap(),
            None,
            "nothing is left of what was not done"
        );
        assert_eq!(store.batches(10).unwrap().len(), 1);
        assert_eq!(count().done.jobs, 2);
        assert_eq!(store.batch(id + 1).unwrap(), None);

        let single = store
            .keep_job(NewJob {
                engine: "Y",
                ..new(games[0])
            })
            .unwrap()
            .id;
        assert_eq!(
            store
                .jobs_of_games(&games[..1])
                .unwrap()
                .iter()
                .map(|job| job.id)
                .collect::<Vec<_>>(),
            [single, done]
        );
        store.forget_job(done).unwrap();
        store.forget_job(single).unwrap();
        assert_eq!(
            store.jobs_of_games(&games[..1]).unwrap().len(),
            1,
            "a finished job is not forgotten"
        );
    }

    /// Checks that two batches can request a review of the same game.
    pub(super) fn several_batches_may_share_a_job(place: &Location) {
        let store = Store::open(place).unwrap();
        let games: Vec<i64> = ["1. e4 *", "1. d4 *"]
            .map(|pgn| store.keep_game(pgn).unwrap())
            .into();
        let job = |game: i64| NewJob {
            game,
            title: "A – B",
            positions: 10,
            recipe: "{}",
            engine: "X",
        };
        let keep = |games: &[i64]| {
            let jobs: Vec<NewJob<'_>> = games.iter().map(|game| job(*game)).collect();
            store.keep_batch("games", &jobs).unwrap()
        };
        let counts = |batch: i64| {
            let BatchJobs {
                open,
                done,
                cancelled,
                failed,
            } = store.batch(batch).unwrap().unwrap().jobs;
            [open, done, cancelled, failed].map(|count| count.jobs)
        };
        let shared = |batch: &[i64]| store.next_of_batches(batch).unwrap();

        let (first, second) = (keep(&games), keep(&games[1..]));
        assert_eq!(
            (counts(first), counts(second)),
            ([2, 0, 0, 0], [1, 0, 0, 0])
        );
        let (batch, id) = shared(&[second]).unwrap();
        assert_eq!(
            (batch, &*store.job(id).unwrap().unwrap().batches),
            (second, &[first, second][..])
        );
        store
            .set_batch(second, BatchState::Cancelled, None)
            .unwrap();
        assert_eq!(
            (counts(first), counts(second)),
            ([2, 0, 0, 0], [0; 4]),
            "the first one still wants it"
        );
        // Finished jobs stay in both batches.
        store.set_job(id, &JobState::Reviewed(None)).unwrap();
        let third = keep(&games[1..]);
        assert_eq!((counts(first), counts(third)), ([1, 1, 0, 0], [0, 1, 0, 0]));

        // A failed review counts as failed in its batch until the next attempt ends.
        let failed = shared(&[first]).unwrap().1;
        store
            .set_job(failed, &JobState::Failed("it crashed".to_owned()))
            .unwrap();
        let fourth = keep(&games[..1]);
        assert_eq!(
            (counts(first), counts(fourth)),
            ([0, 1, 0, 1], [1, 0, 0, 0])
        );
        assert_eq!(shared(&[first]), None);
        store.set_job(failed, &JobState::Reviewed(None)).unwrap();
        assert_eq!(
            (counts(first), counts(fourth)),
            ([0, 2, 0, 0], [0, 1, 0, 0])
        );

        // A review that is also requested by itself stays when its batch is cancelled.
        let other = NewJob {
            engine: "Y",
            ..job(games[0])
        };
        let fifth = store.keep_batch("1 game", &[other]).unwrap();
        let alone = store.keep_job(other).unwrap().id;
        store.keep_alone(alone).unwrap();
        assert_eq!(counts(fifth), [1, 0, 0, 0], "and stays in it");
        store.set_batch(fifth, BatchState::Cancelled, None).unwrap();
        assert!(counts(fifth) == [0; 4] && store.job(alone).unwrap().is_some());
    }

    pub(super) fn the_running_job_stays_when_its_batch_is_cancelled(place: &Location) {
        let store = Store::open(place).unwrap();
        let games = ["1. e4 *", "1. d4 *"].map(|pgn| store.keep_game(pgn).unwrap());
        let new = games.map(|game| NewJob {
            game,
            title: "",
            positions: 1,
            recipe: "{}",
            engine: "X",
        });
        let batch = store.keep_batch("2 games", &new).unwrap();
        let [running, other] = new.map(|new| store.keep_job(new).unwrap().id);
        store
            .set_batch(batch, BatchState::Cancelled, Some(running))
            .unwrap();
        assert!(store.job(running).unwrap().is_some());
        assert_eq!(store.job(other).unwrap(), None);
        store.forget_job(running).unwrap();
        assert_eq!(store.job(running).unwrap(), None);
    }

    pub(super) fn opening_to_read_creates_no_tables(place: &Location) {
        let read = || Store::open_to_read(place, Arc::new(Silent));
        let error = read().unwrap_err();
        assert!(matches!(error, StoreError::Missing { .. }), "{error}");
        match place {
            Location::File(path) => assert!(!path.exists()),
            // The statement fails if the table exists, which proves that the store has created it.
            Location::Server(_) => {
                run(place, "CREATE TABLE batch (id BIGINT)");
                run(place, "DROP TABLE batch");
            }
        }
        drop(Store::open(place).unwrap());
        assert_eq!(read().unwrap().stats().unwrap().evaluations, 0);
    }

    pub(super) fn summaries_of_reviews_are_stored_by_version(place: &Location) {
        let store = Store::open(place).unwrap();
        let game = store.keep_game("1. e4 *").unwrap();
        let job = store
            .keep_job(NewJob {
                game,
                title: "",
                positions: 1,
                recipe: "{}",
                engine: "X",
            })
            .unwrap()
            .id;
        assert_eq!(
            store.not_judged(1, 10).unwrap(),
            [0; 0],
            "it is not finished"
        );
        store.set_job(job, &JobState::Reviewed(None)).unwrap();
        assert_eq!(store.not_judged(1, 10).unwrap(), [job]);
        let says = JudgedReview {
            job,
            line: "{}".to_owned(),
            sides: "[]".to_owned(),
        };
        store.note_judged(1, std::slice::from_ref(&says)).unwrap();
        assert_eq!(store.not_judged(1, 10).unwrap(), [0; 0]);
        assert_eq!(
            store.judged(1, &[job, 99], true).unwrap(),
            std::slice::from_ref(&says)
        );
        assert_eq!(store.judged(1, &[job], false).unwrap()[0].sides, "");
        assert_eq!(
            store.judged(2, &[job], true).unwrap().len(),
            0,
            "texts of another version"
        );
        assert_eq!(store.not_judged(2, 10).unwrap(), [job]);
        store.note_judged(2, &[says]).unwrap();
        assert_eq!(store.judged(2, &[job], true).unwrap().len(), 1);

        store.keep_findings("1. d4 *", "settings", "{}").unwrap();
        let other = store.keep_game("1. d4 *").unwrap();
        assert_eq!(
            store.findings_without_job().unwrap(),
            [(other, "settings".to_owned())]
        );
        let job = store
            .keep_job(NewJob {
                game: other,
                title: "",
                positions: 1,
                recipe: "{}",
                engine: "X",
            })
            .unwrap()
            .id;
        store
            .set_job(job, &JobState::Reviewed(Some("settings".to_owned())))
            .unwrap();
        assert_eq!(store.findings_without_job().unwrap().len(), 0);
    }

    pub(super) fn the_character_0_is_replaced(place: &Location) {
        let store = Store::open(place).unwrap();
        let pgn = "1. e4 {a\0b} *";
        let game = store.keep_game(pgn).unwrap();
        assert_eq!(store.keep_game(pgn).unwrap(), game);
        assert_eq!(
            store.game(game).unwrap().as_deref(),
            Some("1. e4 {a\u{FFFD}b} *")
        );
        let job = NewJob {
            game,
            title: "a\0b",
            positions: 1,
            recipe: "{}",
            engine: "X",
        };
        assert_eq!(store.keep_job(job).unwrap().title, "a\u{FFFD}b");
        store.keep_findings(pgn, "{}", "{}").unwrap();
        assert!(store.find_findings(pgn, "{}").unwrap().is_some());
    }

    pub(super) fn puzzles_are_filtered_and_repeated(place: &Location) {
        let store = Store::open(place).unwrap();
        let game = store.keep_game("1. e4 *").unwrap();
        let themes = ["fork", "mateIn2"];
        let new = NewPuzzle {
            key: u64::MAX - 3,
            origin: "a.csv",
            rating: Some(1500),
            themes: &themes,
            place: None,
            document: "{}",
        };
        let (first, is_new) = store.keep_puzzle(new).unwrap();
        assert!(is_new);
        assert_eq!(
            store.keep_puzzle(NewPuzzle { origin: "b", ..new }).unwrap(),
            (first, false),
            "the same position"
        );
        let mine = NewPuzzle {
            key: 7,
            origin: "Anna",
            rating: None,
            themes: &[],
            place: Some((game, 12)),
            ..new
        };
        let (second, _) = store.keep_puzzle(mine).unwrap();
        let kept = store.puzzle(second).unwrap().unwrap();
        assert_eq!(
            (kept.game, kept.ply, kept.rating, kept.attempts),
            (Some(game), Some(12), None, 0)
        );
        assert_eq!(store.puzzle(second + 1).unwrap(), None);

        let ids = |filter| {
            let found = store.puzzles(filter, 0, 10).unwrap();
            assert_eq!(store.count_puzzles(filter).unwrap(), found.len() as i64);
            found
                .into_iter()
                .map(|puzzle| puzzle.id)
                .collect::<Vec<_>>()
        };
        let all = PuzzleFilter::default();
        assert_eq!(ids(all), [first, second]);
        assert_eq!(
            ids(PuzzleFilter {
                theme: Some("fork"),
                ..all
            }),
            [first]
        );
        let long = "f".repeat(60_000);
        for other in ["mate", "FORK", "for_", "%", "fork\\", &long] {
            assert!(
                ids(PuzzleFilter {
                    theme: Some(other),
                    ..all
                })
                .is_empty(),
                "{other}: whole names as they are written"
            );
        }
        assert_eq!(
            ids(PuzzleFilter {
                ratings: Some((1400, 1500)),
                ..all
            }),
            [first]
        );
        assert!(
            ids(PuzzleFilter {
                ratings: Some((1501, 1600)),
                ..all
            })
            .is_empty()
        );
        assert_eq!(
            ids(PuzzleFilter {
                origin: Some("Anna"),
                ..all
            }),
            [second]
        );
        assert_eq!(store.puzzles(all, 1, 10).unwrap().len(), 1);
        assert_eq!(
            store.puzzle_origins().unwrap(),
            [("Anna".to_owned(), 1), ("a.csv".to_owned(), 1)]
        );
        assert_eq!(store.puzzle_themes().unwrap().get("fork"), Some(&1));

        let day = 86_400;
        let repetition = Repetition {
            due: 11 * day,
            memory: Some(Remembered {
                stability: 0.212,
                difficulty: 6.4133,
                at: 10 * day,
            }),
        };
        let attempt = Attempted {
            puzzle: second,
            at: 10 * day,
            mistakes: 1,
            hints: 0,
        };
        store.keep_attempt(attempt, Some(repetition)).unwrap();
        assert_eq!(
            ids(PuzzleFilter {
                untried: true,
                ..all
            }),
            [first]
        );
        assert!(
            ids(PuzzleFilter {
                due: Some(11 * day - 1),
                ..all
            })
            .is_empty()
        );
        assert_eq!(
            ids(PuzzleFilter {
                due: Some(11 * day),
                ..all
            }),
            [second]
        );
        assert_eq!(ids(all), [second, first], "what is due comes first");
        let after = |id, most| {
            store
                .puzzles_after(all, id, most)
                .unwrap()
                .iter()
                .map(|own| own.id)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (after(0, 10), after(0, 1), after(first, 10)),
            (vec![first, second], vec![first], vec![second])
        );
        assert_eq!(
            store.puzzle_counts(11 * day).unwrap(),
            PuzzleCounts {
                total: 2,
                due: 1,
                untried: 1
            }
        );
        let again = store.puzzle(second).unwrap().unwrap();
        assert_eq!((again.repetition, again.attempts), (Some(repetition), 1));
        store
            .keep_attempt(
                Attempted {
                    mistakes: 0,
                    ..attempt
                },
                None,
            )
            .unwrap();
        assert_eq!(
            store.puzzle(second).unwrap().unwrap().repetition,
            Some(repetition)
        );
        assert_eq!(
            store.attempts().unwrap(),
            [
                attempt,
                Attempted {
                    mistakes: 0,
                    ..attempt
                }
            ]
        );
        store.set_repetition(second, None).unwrap();
        assert_eq!(store.puzzle(second).unwrap().unwrap().repetition, None);
    }

    pub(super) fn games_are_deleted_with_what_belongs_to_them(place: &Location) {
        let store = Store::open(place).unwrap();
        let games = ["1. e4 *", "1. d4 *", "1. c4 *"].map(|pgn| store.keep_game(pgn).unwrap());
        store.keep_findings("1. e4 *", "{}", "{}").unwrap();
        let new = |game| NewJob {
            game,
            title: "a – b",
            positions: 1,
            recipe: "{}",
            engine: "{}",
        };
        let batch = store
            .keep_batch("two games", &[new(games[0]), new(games[1])])
            .unwrap();
        let [job, other] = [games[0], games[1]].map(|game| store.keep_job(new(game)).unwrap().id);
        store
            .set_job(job, &JobState::Reviewed(Some("{}".to_owned())))
            .unwrap();
        let judged = JudgedReview {
            job,
            line: "null".to_owned(),
            sides: String::new(),
        };
        store.note_judged(1, &[judged]).unwrap();
        let puzzle = |key, place| NewPuzzle {
            key,
            origin: "Anna",
            rating: None,
            themes: &[],
            place,
            document: "{}",
        };
        let (own, _) = store.keep_puzzle(puzzle(1, Some((games[0], 3)))).unwrap();
        let (imported, _) = store.keep_puzzle(puzzle(2, None)).unwrap();
        for puzzle in [own, own, imported] {
            let attempt = Attempted {
                puzzle,
                at: 7,
                mistakes: 0,
                hints: 0,
            };
            store.keep_attempt(attempt, None).unwrap();
        }

        let expected = Deleted {
            games: 2,
            reviews: 1,
            puzzles: 1,
            attempts: 2,
        };
        let wanted = [games[0], games[2], 99];
        assert_eq!(store.would_delete(&wanted).unwrap(), expected);
        assert_eq!(store.deletions().unwrap(), 0);
        assert_eq!(store.delete_games(&wanted).unwrap(), expected);
        assert_eq!(store.deletions().unwrap(), 1);
        assert_eq!(store.game(games[0]).unwrap(), None);
        assert!(store.game(games[1]).unwrap().is_some());
        assert_eq!(store.find_findings("1. e4 *", "{}").unwrap(), None);
        assert_eq!(store.job(job).unwrap(), None);
        assert!(store.job(other).unwrap().is_some());
        assert_eq!(store.batch_members(batch).unwrap(), [other]);
        assert_eq!(store.puzzle(own).unwrap(), None);
        assert_eq!(store.attempts().unwrap().len(), 1);
        assert_eq!(store.puzzle(imported).unwrap().unwrap().attempts, 1);
        assert_eq!(
            store.delete_games(&wanted).unwrap(),
            Deleted::default(),
            "they are gone"
        );

        store.delete_batch(batch).unwrap();
        assert_eq!(store.batch(batch).unwrap(), None);
        assert_eq!(
            store.job(other).unwrap(),
            None,
            "nothing needs this open job"
        );
    }

    pub(super) fn copied_batches_have_their_jobs_and_state(place: &Location) {
        let store = Store::open(place).unwrap();
        let game = store.keep_game("1. e4 *").unwrap();
        let new = NewJob {
            game,
            title: "a – b",
            positions: 3,
            recipe: "{}",
            engine: "{}",
        };
        let job = store.keep_job(new).unwrap().id;
        let failed = JobState::Failed("no engine".to_owned());
        store.set_job(job, &failed).unwrap();
        let batch = store
            .add_batch("copied", BatchState::Paused, &[job])
            .unwrap();
        let found = store.batch(batch).unwrap().unwrap();
        assert_eq!((&*found.title, found.state), ("copied", BatchState::Paused));
        assert_eq!(found.jobs.failed.jobs, 1);
        assert_eq!(store.job(job).unwrap().unwrap().state, failed);
        assert_eq!(
            store.game_texts_after(0, 9).unwrap(),
            [(game, "1. e4 *".to_owned())]
        );
    }

    pub(super) fn stored_answers_are_found(place: &Location) {
        let who = engine("X 1");
        let (question, analysis) = evaluation(7, NODES, 3, 12);
        let store = Store::open(place).unwrap();
        assert_eq!(store.find(&who, &question).unwrap(), None);
        store.keep(&who, &question, &analysis).unwrap();
        assert_eq!(
            store.find(&who, &question).unwrap().as_ref(),
            Some(&analysis)
        );
        drop(store);
        // Another process also finds the evaluation.
        assert_eq!(
            Store::open(place).unwrap().find(&who, &question).unwrap(),
            Some(analysis)
        );
        // An answer for a position without a legal move is not stored.
        let store = Store::open(place).unwrap();
        let mate = Question::new(
            History::from_fen("8/8/8/8/8/6k1/8/r6K w - - 0 1", None).unwrap(),
            NODES,
        );
        store.keep(&who, &mate, &Analysis::terminal()).unwrap();
        assert_eq!(store.find(&who, &mate).unwrap(), None);
    }

    pub(super) fn a_larger_answer_is_used_for_a_smaller_question(place: &Location) {
        let who = engine("X 1");
        let store = Store::open(place).unwrap();
        let (question, analysis) = evaluation(7, NODES, 3, 12);
        store.keep(&who, &question, &analysis).unwrap();
        let found = |limit: Limit, lines: usize| {
            let question = Question {
                limit,
                ..question.clone()
            }
            .lines(lines);
            store
                .find(&who, &question)
                .unwrap()
                .map(|found| found.lines)
        };
        assert_eq!(
            found(Limit::Nodes(50_000), 1).as_deref(),
            Some(&analysis.lines[..1])
        );
        assert_eq!(
            found(Limit::Depth(14), 2).as_deref(),
            Some(&analysis.lines[..2])
        );
        assert_eq!(found(NODES, 4), None, "narrower");
        assert_eq!(found(Limit::Nodes(100_001), 1), None, "shallower");
        assert_eq!(found(Limit::Depth(15), 1), None);
        // The answer with the smallest excess is used, whatever the order in which they were
        // stored.
        let (larger, mut deeper) = evaluation(7, Limit::Nodes(200_000), 3, 12);
        deeper.nodes = 200_003;
        store.keep(&who, &larger, &deeper).unwrap();
        assert_eq!(
            store.find(&who, &question).unwrap().unwrap().nodes,
            analysis.nodes
        );
        assert_eq!(
            store
                .find(
                    &who,
                    &Question {
                        limit: Limit::Nodes(150_000),
                        ..question
                    }
                )
                .unwrap()
                .unwrap()
                .nodes,
            200_003
        );
    }

    pub(super) fn engines_with_other_options_have_other_answers(place: &Location) {
        let store = Store::open(place).unwrap();
        let (question, analysis) = evaluation(7, NODES, 3, 12);
        let who = engine("X 1");
        store.keep(&who, &question, &analysis).unwrap();
        let mut other = who.clone();
        other.options.insert("Hash".into(), "64".into());
        assert_eq!(store.find(&other, &question).unwrap(), None);
        assert_eq!(store.find(&engine("X 2"), &question).unwrap(), None);
        store
            .keep(
                &other,
                &question,
                &Analysis {
                    nodes: 1,
                    ..analysis.clone()
                },
            )
            .unwrap();
        assert_eq!(store.find(&other, &question).unwrap().unwrap().nodes, 1);
        assert_eq!(store.find(&who, &question).unwrap(), Some(analysis));
    }

    pub(super) fn the_first_answer_is_not_replaced(place: &Location) {
        let store = Store::open(place).unwrap();
        let who = engine("X 1");
        let (question, analysis) = evaluation(7, NODES, 3, 12);
        store.keep(&who, &question, &analysis).unwrap();
        store
            .keep(
                &who,
                &question,
                &Analysis {
                    nodes: 1,
                    ..analysis.clone()
                },
            )
            .unwrap();
        assert_eq!(store.find(&who, &question).unwrap(), Some(analysis));
    }

    pub(super) fn questions_with_searchmoves_have_their_own_answers(place: &Location) {
        let store = Store::open(place).unwrap();
        let who = engine("X 1");
        let question = Question::new(History::default(), NODES);
        let mv = |uci: &str| question.history.parse_uci(uci).unwrap();
        let line = Line {
            pv: vec![mv("e2e4")],
            eval: Eval::cp(30),
            last_exact: None,
            wdl: None,
            depth: 14,
            seldepth: None,
        };
        let analysis = Analysis {
            lines: vec![line],
            nodes: 100_000,
            depth: 14,
            time: Duration::ZERO,
        };
        let about = |moves: &[&str]| {
            question
                .clone()
                .searchmoves(moves.iter().map(|uci| mv(uci)))
        };
        store
            .keep(&who, &about(&["e2e4", "d2d4"]), &analysis)
            .unwrap();
        assert_eq!(
            store.find(&who, &about(&["d2d4", "e2e4", "d2d4"])).unwrap(),
            Some(analysis)
        );
        for moves in [&["e2e4"][..], &["d2d4"], &[]] {
            assert_eq!(store.find(&who, &about(moves)).unwrap(), None, "{moves:?}");
        }
    }

    pub(super) fn many_answers_in_one_call(place: &Location) {
        let store = Store::open(place).unwrap();
        let who = engine("X 1");
        let evaluations: Vec<(Question, Analysis)> = (0..3000)
            .map(|number| evaluation(number, NODES, 2, 6))
            .collect();
        store
            .keep_all(
                &who,
                evaluations
                    .iter()
                    .map(|(question, analysis)| (question, analysis)),
            )
            .unwrap();
        let mut questions: Vec<Question> = evaluations
            .iter()
            .map(|(question, _)| question.clone())
            .collect();
        let unknown = Question::new(History::default(), NODES);
        questions.insert(1000, unknown);
        let mut found = store.find_all(&who, &questions).unwrap();
        assert_eq!(found.remove(1000), None);
        for ((question, analysis), found) in evaluations.iter().zip(found) {
            assert_eq!(
                found.unwrap().lines,
                analysis.lines,
                "{}",
                question.history.fen()
            );
        }
    }

    pub(super) fn threads_may_write_to_two_open_stores(place: &Location) {
        let stores = [Store::open(place).unwrap(), Store::open(place).unwrap()];
        let who = engine("X 1");
        thread::scope(|scope| {
            for number in 0..8_u64 {
                let (store, who) = (&stores[number as usize % 2], &who);
                scope.spawn(move || {
                    // Two threads store each evaluation.
                    for index in 0..60 {
                        let (question, analysis) =
                            evaluation(number / 2 * 100 + index, NODES, 2, 6);
                        store.keep(who, &question, &analysis).unwrap();
                        assert!(store.find(who, &question).unwrap().is_some());
                    }
                });
            }
        });
        for store in &stores {
            let questions: Vec<Question> = (0..4)
                .flat_map(|number| {
                    (0..60).map(move |index| evaluation(number * 100 + index, NODES, 2, 6).0)
                })
                .collect();
            assert!(
                store
                    .find_all(&who, &questions)
                    .unwrap()
                    .iter()
                    .all(Option::is_some)
            );
        }
    }

    pub(super) fn a_new_store_may_be_opened_by_many_threads_at_once(place: &Location) {
        thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| Store::open(place).unwrap());
            }
        });
    }

    pub(super) fn exported_tables_can_be_imported(place: &Location) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(place).unwrap();
        let who = engine("X \"1\", Größe\n");
        let mut evaluations: Vec<(Question, Analysis)> = (0..6000)
            .map(|number| evaluation(number, NODES, 1 + number as usize % 3, 6))
            .collect();
        // Covers earlier moves that can be repeated, castling, Chess960, `searchmoves`, a mate, and
        // fields that the engine did not report.
        let mut history = History::from_fen(
            "nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w HBhb - 0 1",
            None,
        )
        .unwrap();
        for uci in ["a1b3", "a8b6", "b3a1", "b6a8"] {
            let mv = history.parse_uci(uci).unwrap();
            history.push(mv);
        }
        let mv = history.parse_uci("e2e4").unwrap();
        let line = Line {
            pv: vec![mv],
            eval: Eval::mate(-7),
            last_exact: None,
            wdl: None,
            depth: 3,
            seldepth: None,
        };
        let analysis = Analysis {
            lines: vec![line],
            nodes: 77,
            depth: 3,
            time: Duration::from_micros(5),
        };
        evaluations.push((
            Question::new(history, Limit::Depth(3)).searchmoves([mv]),
            analysis,
        ));
        store
            .keep_all(
                &who,
                evaluations
                    .iter()
                    .map(|(question, analysis)| (question, analysis)),
            )
            .unwrap();
        let questions: Vec<Question> = evaluations
            .iter()
            .map(|(question, _)| question.clone())
            .collect();
        let expected = store.find_all(&who, &questions).unwrap();
        // Names of engines are imported without control characters.
        let imported = engine("X \"1\", Größe\u{fffd}");
        assert_eq!(
            expected.last().unwrap().as_ref(),
            Some(&evaluations.last().unwrap().1)
        );

        for ending in ["csv", "parquet"] {
            let file = folder.path().join(format!("all.{ending}"));
            let mut out = store.files().create(&file, &Cancel::new()).unwrap();
            let exported = store
                .export(&mut out, TableFormat::of(&file), &Cancel::new(), &Silent)
                .unwrap();
            assert_eq!(out.finish(&Cancel::new()).unwrap(), Placed::Written);
            let count = store.stats().unwrap().evaluations;
            assert_eq!(
                exported,
                Outcome {
                    done: count,
                    skipped: 0,
                    cancelled: false
                }
            );
            let copy =
                Store::open(&Location::File(folder.path().join(format!("{ending}.db")))).unwrap();
            assert_eq!(
                copy.import(&file, &Cancel::new(), &Silent).unwrap().done,
                count
            );
            assert_eq!(
                copy.find_all(&imported, &questions).unwrap(),
                expected,
                "{ending}"
            );
            // Importing the table again changes nothing.
            copy.import(&file, &Cancel::new(), &Silent).unwrap();
            assert_eq!(copy.stats().unwrap().evaluations, count);
        }
        cancelled_tables_are_parts(&store, folder.path());
        // The provenance is in the metadata at the end of the file.
        let bytes = std::fs::read(folder.path().join("all.parquet")).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            text.contains("\"recipe\":\"store export\"")
                && text.contains("\"program\":\"centipawn ")
        );
        let text = std::fs::read_to_string(folder.path().join("all.csv")).unwrap();
        let broken = folder.path().join("broken.csv");
        std::fs::write(&broken, text.replacen("100000 nodes", "a lot", 2)).unwrap();
        let other = Store::open(&Location::File(folder.path().join("b.db"))).unwrap();
        let error = other.import(&broken, &Cancel::new(), &Silent).unwrap_err();
        assert!(
            error.to_string().contains("broken.csv: row")
                && error.to_string().contains("\"a lot\""),
            "{error}"
        );

        // Write the two lines of one evaluation, then damage them in different ways.
        let (question, analysis) = evaluation(1, NODES, 2, 3);
        let two = Store::open(&Location::File(folder.path().join("two.db"))).unwrap();
        two.keep(&who, &question, &analysis).unwrap();
        let whole = folder.path().join("two.csv");
        let mut out = two.files().create(&whole, &Cancel::new()).unwrap();
        two.export(&mut out, TableFormat::Csv, &Cancel::new(), &Silent)
            .unwrap();
        out.finish(&Cancel::new()).unwrap();
        let mut rows: Vec<csv::StringRecord> = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_path(&whole)
            .unwrap()
            .records()
            .map(Result::unwrap)
            .collect();
        let first = rows.len() - 2;
        let column = |name: &str| rows[0].iter().position(|head| head == name).unwrap();
        let [rank, lines, pv] = ["rank", "lines", "pv"].map(column);
        let best = rows[first][pv].to_owned();
        let broken_rows = rows.split_off(first);
        for (cells, why) in [
            (
                vec![(1, rank, "7")],
                "rows 2 to 3: rank 7 stands where rank 2 is expected",
            ),
            (
                vec![(0, lines, "-3"), (1, lines, "-3")],
                "-3 lines were asked for",
            ),
            (vec![(1, pv, &*best)], "two lines begin with"),
        ] {
            let mut table = csv::WriterBuilder::new().from_path(&broken).unwrap();
            rows.iter().for_each(|row| table.write_record(row).unwrap());
            for (index, row) in broken_rows.iter().enumerate() {
                let cell = |place: usize| {
                    cells
                        .iter()
                        .find(|cell| (cell.0, cell.1) == (index, place))
                        .map(|cell| cell.2)
                };
                table
                    .write_record(
                        row.iter()
                            .enumerate()
                            .map(|(place, old)| cell(place).unwrap_or(old)),
                    )
                    .unwrap();
            }
            table.flush().unwrap();
            let error = other
                .import(&broken, &Cancel::new(), &Silent)
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("broken.csv: rows ") && error.contains(why),
                "{error}"
            );
        }
    }

    /// A cancelled export or import leaves the earlier file, or a valid table that ends early.
    fn cancelled_tables_are_parts(store: &Store, folder: &Path) {
        let cancel = Cancel::new();
        cancel.set();
        for (ending, whole) in [
            ("csv", folder.join("all.csv")),
            ("parquet", folder.join("all.parquet")),
        ] {
            let before = std::fs::read(&whole).unwrap();
            for file in [&whole, &folder.join(format!("part.{ending}"))] {
                let mut out = store.files().create(file, &Cancel::new()).unwrap();
                let outcome = store
                    .export(&mut out, TableFormat::of(file), &cancel, &Silent)
                    .unwrap();
                assert_eq!(
                    outcome,
                    Outcome {
                        done: 0,
                        skipped: 0,
                        cancelled: true
                    }
                );
                out.finish(&cancel).unwrap();
            }
            assert_eq!(std::fs::read(&whole).unwrap(), before);
            let copy =
                Store::open(&Location::File(folder.join(format!("part-{ending}.db")))).unwrap();
            assert_eq!(
                copy.import(
                    &folder.join(format!("part.{ending}")),
                    &Cancel::new(),
                    &Silent
                )
                .unwrap()
                .done,
                0,
                "{ending}"
            );
            let outcome = copy.import(&whole, &cancel, &Silent).unwrap();
            assert!(
                outcome.cancelled && outcome.done == copy.stats().unwrap().evaluations,
                "{outcome:?}"
            );
        }
        if let Location::File(path) = store.location() {
            let error = store.files().create(path, &Cancel::new()).unwrap_err();
            assert!(error.is_usage(), "{error}");
        }
    }

    pub(super) fn findings_are_found_by_game_and_settings(place: &Location) {
        let store = Store::open(place).unwrap();
        let games = ["1. e4 e5 *", "1. e4 c5 *"];
        for game in games {
            store
                .keep_findings(game, "{\"limit\":\"1k\"}", "{\"first\":1}")
                .unwrap();
        }
        store
            .keep_findings(games[0], "{\"limit\":\"2k\"}", "{\"second\":2}")
            .unwrap();
        store
            .keep_findings(games[0], "{\"limit\":\"1k\"}", "{\"third\":3}")
            .unwrap();
        let found = |game: &str, settings: &str| store.find_findings(game, settings).unwrap();
        assert_eq!(
            found(games[0], "{\"limit\":\"1k\"}").as_deref(),
            Some("{\"third\":3}")
        );
        assert_eq!(
            found(games[1], "{\"limit\":\"1k\"}").as_deref(),
            Some("{\"first\":1}")
        );
        assert_eq!(found(games[1], "{\"limit\":\"2k\"}"), None);
        let stats = store.stats().unwrap();
        assert_eq!((stats.games, stats.reviews, stats.evaluations), (2, 3, 0));
    }

    pub(super) fn findings_of_version_1_are_migrated(place: &Location) {
        let to_version_1 = || {
            to_version_2(place);
            run(place, "ALTER TABLE findings RENAME TO review");
            set_version(place, 1);
        };
        Store::open(place)
            .unwrap()
            .keep_findings("1. e4 *", "{}", "{\"first\":1}")
            .unwrap();
        for is_read in [true, false] {
            to_version_1();
            let store = match is_read {
                true => Store::open_to_read(place, Arc::new(Silent)).unwrap(),
                false => Store::open(place).unwrap(),
            };
            assert_eq!(
                store.find_findings("1. e4 *", "{}").unwrap().as_deref(),
                Some("{\"first\":1}")
            );
            assert_eq!(store.stats().unwrap().reviews, 1);
        }
        to_version_1();
        // Several processes migrate at the same time.
        let stores = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| Store::open(place).unwrap()))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect::<Vec<_>>()
        });
        for store in stores {
            store.keep_findings("1. d4 *", "{}", "{}").unwrap();
        }
        set_version(place, 0);
        assert!(matches!(
            Store::open(place).unwrap_err(),
            StoreError::Newer { found: 0, .. }
        ));
    }

    pub(super) fn boxes_of_version_2_become_memories(place: &Location) {
        let store = Store::open(place).unwrap();
        let keep = |key| {
            let new = NewPuzzle {
                key,
                origin: "a.csv",
                rating: None,
                themes: &[],
                place: None,
                document: "{}",
            };
            store.keep_puzzle(new).unwrap().0
        };
        let [first, second, third] = [1, 2, 3].map(keep);
        drop(store);
        to_version_2(place);
        for (id, number, due) in [(first, 0, 86_400), (second, 4, 70 * 86_400)] {
            run(
                place,
                &format!("UPDATE puzzle SET box_number = {number}, due = {due} WHERE id = {id}"),
            );
        }
        let store = Store::open(place).unwrap();
        let repetition = |id| store.puzzle(id).unwrap().unwrap().repetition;
        let memory = |stability, at| Remembered {
            stability,
            difficulty: 5.0,
            at,
        };
        assert_eq!(
            repetition(first),
            Some(Repetition {
                due: 86_400,
                memory: Some(memory(1.0, 0))
            })
        );
        assert_eq!(
            repetition(second),
            Some(Repetition {
                due: 70 * 86_400,
                memory: Some(memory(60.0, 10 * 86_400))
            })
        );
        assert_eq!(repetition(third), None);
    }

    pub(super) fn a_newer_store_is_refused_and_not_changed(place: &Location) {
        let (question, analysis) = evaluation(7, NODES, 3, 12);
        let store = Store::open(place).unwrap();
        store.keep(&engine("X 1"), &question, &analysis).unwrap();
        drop(store);
        set_version(place, 99);
        let error = Store::open(place).unwrap_err();
        assert!(
            matches!(error, StoreError::Newer { found: 99, .. }),
            "{error}"
        );
        assert!(
            error
                .to_string()
                .ends_with("update the program, or name another store"),
            "{error}"
        );
        set_version(place, 3);
        assert_eq!(
            Store::open(place)
                .unwrap()
                .find(&engine("X 1"), &question)
                .unwrap(),
            Some(analysis)
        );
    }
}

/// Turns the tables into those of version 2.
fn to_version_2(place: &Location) {
    for column in ["stability", "difficulty", "answered_at"] {
        run(place, &format!("ALTER TABLE puzzle DROP COLUMN {column}"));
    }
    run(place, "ALTER TABLE puzzle ADD COLUMN box_number BIGINT");
    run(place, "ALTER TABLE centipawn_store DROP COLUMN deletions");
    set_version(place, 2);
}

/// Sets the version of the tables, as a later version of the program would.
fn set_version(place: &Location, version: i64) {
    run(
        place,
        &format!("UPDATE centipawn_store SET version = {version}"),
    );
}

fn run(place: &Location, statement: &str) {
    match place {
        Location::File(path) => crate::common::sql(path, statement),
        Location::Server(url) => crate::common::sql_at(url, statement),
    }
}
