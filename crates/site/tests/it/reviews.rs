//! Reviews of files with a store. The findings of a game are made once; judging them again asks no
//! engine.

use std::{
    fs, io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use centipawn_core::{Curve, Eval};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Line, Question};
use centipawn_judge::JudgeOptions;
use centipawn_pgn::{Dialect, Sources};
use centipawn_policy::Network;
use centipawn_progress::{Cancel, Files, ProblemCount, Silent};
use centipawn_review::{Language, ReviewDocument, ReviewOptions};
use centipawn_site::{OutputPaths, Outputs};
use centipawn_store::Store;
use centipawn_work::engine::{
    ReviewEnd, ReviewResources, Threads, review_files, review_provenance,
};

/// Each legal move is worth 60 centipawns less than the one before it; counts questions.
struct Ranks {
    name: &'static str,
    asked: AtomicUsize,
    named: AtomicUsize,
}

impl Ranks {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            asked: AtomicUsize::new(0),
            named: AtomicUsize::new(0),
        }
    }
}

impl Analyst for Ranks {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut moves = question.candidates()?;
        moves.truncate(question.lines.max(1));
        let rank = |mv| {
            shakmaty::Position::legal_moves(question.history.position())
                .iter()
                .position(|other| *other == mv)
        };
        let line = |mv| Line {
            pv: vec![mv],
            eval: Eval::cp(100 - 60 * rank(mv).unwrap_or_default() as i32),
            last_exact: None,
            wdl: None,
            depth: 1,
            seldepth: Some(3),
        };
        let lines = moves.into_iter().map(line).collect();
        Ok(Analysis {
            lines,
            nodes: 1,
            depth: 1,
            time: Duration::ZERO,
        })
    }

    fn identity(&self) -> Arc<Identity> {
        self.named.fetch_add(1, Ordering::Relaxed);
        Arc::new(Identity {
            name: self.name.into(),
            ..Identity::default()
        })
    }

    fn parallelism(&self) -> usize {
        2
    }
}

const GAMES: &str = "[White \"Anna\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n[White \"Boris\"]\n\n1. a3 h5 *\n";

struct Run {
    /// Contents of the PGN, the JSON and the HTML result.
    results: [String; 3],
    end: ReviewEnd,
    asked: usize,
}

fn networks() -> Vec<Network> {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../policy/tests/data/res_se_conv_wdl.pb.gz"
    );
    vec![Network::open(file).unwrap()]
}

fn run(
    folder: &Path,
    store: Option<&Arc<Store>>,
    analyst: &Ranks,
    networks: &[Network],
    options: ReviewOptions,
) -> Run {
    run_under(folder, store, analyst, networks, options, &Cancel::new())
}

fn run_under(
    folder: &Path,
    store: Option<&Arc<Store>>,
    analyst: &Ranks,
    networks: &[Network],
    options: ReviewOptions,
    cancel: &Cancel,
) -> Run {
    let before = analyst.asked.load(Ordering::Relaxed);
    let options = ReviewOptions {
        judge: options.judge.with_networks(networks),
        ..options
    };
    let sources = Sources::expand(&[folder.join("games.pgn")]).unwrap();
    let at = |name: &str| Some(folder.join(name));
    let paths = OutputPaths {
        pgn: at("out.pgn"),
        json: at("out.json"),
        html: at("out.html"),
        ..OutputPaths::default()
    };
    let provenance = review_provenance(&options, &sources, networks);
    let outputs = Outputs::create(
        &paths,
        &mut Files::reading(sources.paths()),
        &options,
        provenance,
        cancel,
    )
    .unwrap();
    let resources = ReviewResources {
        analyst,
        networks,
        store: store.cloned(),
    };
    let problems = Arc::new(ProblemCount::new(Silent));
    let show = |_: &_| io::Result::Ok(());
    let end = review_files(
        &sources,
        &options,
        &resources,
        outputs,
        &Threads::new(2),
        cancel,
        &problems,
        show,
    )
    .unwrap();
    let results = ["out.pgn", "out.json", "out.html"]
        .map(|name| fs::read_to_string(folder.join(name)).unwrap());
    Run {
        results,
        end,
        asked: analyst.asked.load(Ordering::Relaxed) - before,
    }
}

fn folder() -> (tempfile::TempDir, Arc<Store>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    let place = folder
        .path()
        .join("store.db")
        .display()
        .to_string()
        .parse()
        .unwrap();
    let store = Arc::new(Store::open(&place).unwrap());
    (folder, store)
}

fn options() -> ReviewOptions {
    ReviewOptions::new(Limit::Nodes(10))
}

#[test]
fn stored_findings_are_judged_without_an_engine() {
    for networks in [Vec::new(), networks()] {
        let (folder, store) = folder();
        let (folder, analyst) = (folder.path(), Ranks::new("Ranks"));
        let first = run(folder, Some(&store), &analyst, &networks, options());
        assert!(first.asked > 8, "{}", first.asked);
        // Options of the judgement need no search, and give the results of a run without a store.
        for judged in [
            options(),
            ReviewOptions {
                language: Language::German,
                ..options()
            },
            JudgeOptions {
                scheme: "auto,s9".parse().unwrap(),
                every_symbol: true,
                ..options().judge
            }
            .into(),
        ] {
            let again = run(folder, Some(&store), &analyst, &networks, judged.clone());
            assert_eq!((again.asked, again.end.outcome.done), (0, 2), "{judged:?}");
            let fresh = run(folder, None, &analyst, &networks, judged);
            assert_eq!(again.results, fresh.results);
        }
        // Options that change the engine requests need new searches.
        for asked in [
            JudgeOptions {
                limit: Limit::Nodes(11),
                ..options().judge
            },
            JudgeOptions {
                lines: 3,
                ..options().judge
            },
            JudgeOptions {
                scheme: "s8".parse().unwrap(),
                ..options().judge
            },
            JudgeOptions {
                curve: Curve::LICHESS.into(),
                ..options().judge
            },
            JudgeOptions {
                reuse_evals: Some(Dialect::Auto),
                ..options().judge
            },
        ] {
            assert!(
                run(
                    folder,
                    Some(&store),
                    &analyst,
                    &networks,
                    asked.clone().into()
                )
                .asked
                    > 8,
                "{asked:?}"
            );
        }
        assert!(
            run(
                folder,
                Some(&store),
                &Ranks::new("Another"),
                &networks,
                options()
            )
            .asked
                > 8
        );
        if !networks.is_empty() {
            assert!(
                run(folder, Some(&store), &analyst, &[], options()).asked > 8,
                "without the network"
            );
        }
    }
}

/// The run does not even ask for the engine's name.
#[test]
fn games_with_evaluations_need_no_engine() {
    let (folder, store) = folder();
    let pgn =
        "1. e4 { [%eval 0.24] } e5 { [%eval 0.12] } 2. Qh5 { [%eval -0.3] } Ke7 { [%eval #1] } *";
    fs::write(folder.path().join("games.pgn"), pgn).unwrap();
    let analyst = Ranks::new("Ranks");
    let reuse = ReviewOptions::from(JudgeOptions {
        reuse_evals: Some(Dialect::Auto),
        ..options().judge
    });
    for networks in [Vec::new(), networks()] {
        let first = run(
            folder.path(),
            Some(&store),
            &analyst,
            &networks,
            reuse.clone(),
        );
        let again = run(
            folder.path(),
            Some(&store),
            &analyst,
            &networks,
            reuse.clone(),
        );
        assert_eq!(first.results, again.results);
    }
    assert_eq!(
        (analyst.asked.into_inner(), analyst.named.into_inner()),
        (0, 0)
    );
}

#[test]
fn documents_say_where_they_come_from() {
    let (folder, _) = folder();
    let networks = networks();
    let run = run(
        folder.path(),
        None,
        &Ranks::new("Ranks"),
        &networks,
        options(),
    );
    let document: ReviewDocument = serde_json::from_str(&run.results[1]).unwrap();
    assert_eq!(
        (document.games.len(), document.lines, document.limit),
        (2, 2, Limit::Nodes(10))
    );
    let provenance = &document.provenance;
    assert_eq!(
        (
            provenance.inputs[0].name.as_str(),
            provenance.inputs[0].bytes
        ),
        ("games.pgn", Some(GAMES.len() as u64))
    );
    assert_eq!(provenance.engine.as_ref().unwrap().name, "Ranks");
    assert_eq!(provenance.limit.as_deref(), Some("10 nodes"));
    assert_eq!(provenance.networks[0].sha256, networks[0].sha256());
    // The recipe contains the options, and can be run again.
    let recipe: ReviewOptions = serde_json::from_value(provenance.recipe.clone()).unwrap();
    assert_eq!(recipe, options().judge.with_networks(&networks).into());
    assert_eq!(provenance.recipe["recipe"], "review");
    let meta = run.results[2]
        .split_once("<meta name=\"provenance\" content=\"")
        .unwrap()
        .1
        .split_once('"')
        .unwrap()
        .0;
    assert_eq!(
        meta.replace("&quot;", "\""),
        serde_json::to_string(provenance).unwrap()
    );
}

#[test]
fn a_cancelled_run_keeps_earlier_results_and_reports_it() {
    let (folder, _) = folder();
    let cancel = Cancel::new();
    let analyst = Ranks::new("Ranks");
    let whole = run(folder.path(), None, &analyst, &[], options());
    let sources = Sources::expand(&[folder.path().join("games.pgn")]).unwrap();
    let paths = OutputPaths {
        pgn: Some(folder.path().join("out.pgn")),
        batch: Some(folder.path().join("batch")),
        ..OutputPaths::default()
    };
    let review = |cancel: &Cancel, stop_after: usize| {
        let mut files = Files::default();
        let outputs =
            Outputs::create(&paths, &mut files, &options(), Default::default(), cancel).unwrap();
        let resources = ReviewResources {
            analyst: &analyst,
            networks: &[],
            store: None,
        };
        let mut seen = 0;
        let show = |_: &_| {
            seen += 1;
            if seen == stop_after {
                cancel.set();
            }
            io::Result::Ok(())
        };
        let problems = Arc::new(ProblemCount::new(Silent));
        review_files(
            &sources,
            &options(),
            &resources,
            outputs,
            &Threads::new(2),
            cancel,
            &problems,
            show,
        )
        .unwrap()
    };
    assert!(review(&Cancel::new(), 9).kept.is_empty());
    let page = || fs::read_to_string(folder.path().join("batch/games/00002.html")).unwrap();
    let before = page();
    let end = review(&cancel, 1);
    assert!(end.outcome.cancelled && end.outcome.done >= 1);
    let names: Vec<_> = end
        .kept
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(names, ["index.html", "out.pgn"]);
    assert_eq!(
        fs::read_to_string(folder.path().join("out.pgn")).unwrap(),
        whole.results[0]
    );
    assert_eq!(
        (
            page(),
            fs::read_dir(folder.path().join("batch/games"))
                .unwrap()
                .count()
        ),
        (before, 4)
    );
}

/// A full disk must not lead to a mixture of the results of two runs.
#[cfg(target_os = "linux")]
#[test]
fn if_one_result_cannot_be_written_all_earlier_ones_stay() {
    let (folder, _) = folder();
    let at = |name: &str| folder.path().join(name);
    let analyst = Ranks::new("Ranks");
    let sources = Sources::expand(&[at("games.pgn")]).unwrap();
    let review = |language: Language, pgn: std::path::PathBuf| {
        let paths = OutputPaths {
            pgn: Some(pgn),
            html: Some(at("out.html")),
            markdown: Some(at("out.md")),
            batch: Some(at("batch")),
            ..OutputPaths::default()
        };
        let options = ReviewOptions {
            language,
            ..options()
        };
        let outputs = Outputs::create(
            &paths,
            &mut Files::default(),
            &options,
            Default::default(),
            &Cancel::new(),
        )
        .unwrap();
        let resources = ReviewResources {
            analyst: &analyst,
            networks: &[],
            store: None,
        };
        let (cancel, show) = (Cancel::new(), |_: &_| io::Result::Ok(()));
        let problems = Arc::new(ProblemCount::new(Silent));
        review_files(
            &sources,
            &options,
            &resources,
            outputs,
            &Threads::new(2),
            &cancel,
            &problems,
            show,
        )
    };
    let names = [
        "out.html",
        "out.md",
        "batch/index.html",
        "batch/games/00001.html",
        "batch/players.csv",
    ];
    let read = || names.map(|name| fs::read_to_string(at(name)).unwrap());
    review(Language::English, at("out.pgn")).unwrap();
    let before = read();
    let error = review(Language::German, "/dev/full".into())
        .unwrap_err()
        .to_string();
    assert!(error.contains("No space left"), "{error}");
    assert!(read() == before);
    let left = fs::read_dir(at("batch"))
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    assert_eq!(
        left.filter(|name| name.starts_with('.')).count(),
        0,
        "nothing temporary is left"
    );
    review(Language::German, at("out.pgn")).unwrap();
    let [_, _, index, ..] = read();
    assert!(
        index.contains(">Ergebnis</th>"),
        "the column of 1–0 and 0–1"
    );
    assert!(index.contains("Genauigkeit <span class=\"disc w\" role=\"img\" aria-label=\"Weiß\">"));
}
