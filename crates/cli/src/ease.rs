//! `centipawn ease`: how hard positions are for humans.

use std::{
    io::Write as _,
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use anyhow::Result;
use centipawn_core::{Context, Curve, EASE_CURVE, Eval, History, White};
use centipawn_engine::{Analyst, ChessDb, Fallback};
use centipawn_pgn::{Annotation, Described, Dialect, Game};
use centipawn_review::ease::{EaseDocument, Judge, Known};
use clap::Args;
use serde::Serialize;

use crate::{
    args::{CurveArgs, EngineArgs, Shared},
    ease_text::{Moment, game as game_text, position as position_text, sharpness_of},
    engine::start_pool,
    exit::{self, usage},
    games::{Games, Problems, read_ahead, sources},
    interrupt,
    kept::{StoreArg, cached},
    policies::{Inputs, PolicyArgs},
    progress::Progress,
    text::{plural, printable},
};

/// Arguments of `centipawn ease`.
#[derive(Args)]
pub(crate) struct EaseArgs {
    /// Positions (FEN, or startpos, each with "moves e2e4 …" behind it if you like) or files of games
    #[arg(required = true, value_name = "FEN|GAMES")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    engine: EngineArgs,
    /// Lines the engine gives in each position; natural moves that are not among them are evaluated as well
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=500), help_heading = "Engine")]
    lines: u16,
    /// Use evaluations that stand in the games; the engine is asked only about natural moves without one
    #[arg(long, help_heading = "Engine")]
    reuse_evals: bool,
    /// How evaluations are written in the games, where auto does not find out
    #[arg(long, value_name = "DIALECT", default_value_t, help_heading = "Engine")]
    evals: Dialect,
    /// Ask ChessDB first, and the engine where it does not know enough; another address may be given
    #[arg(long, value_name = "URL", num_args = 0..=1, require_equals = true, help_heading = "Engine")]
    chessdb: Option<Option<String>>,
    /// Ask no engine: with --chessdb, what that does not know fails; with --reuse-evals alone, ease is given as "at most"
    #[arg(long, help_heading = "Engine")]
    no_engine: bool,
    #[command(flatten)]
    store: StoreArg,
    #[command(flatten)]
    curve: CurveArgs,
    /// Own moves to look ahead in positions: every natural move is followed, the engine's best reply played. 3 takes some forty
    /// searches
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=5))]
    ahead: u8,
    /// Show each move's probability, worth, loss, and part of the difficulty
    #[arg(long, help_heading = "Output")]
    explain: bool,
    /// One JSON document a line for each position and network
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &EaseArgs, shared: &Shared) -> Result<ExitCode> {
    let stop = interrupt::flag()?;
    match ease(args, shared, stop) {
        // Engines killed at their work, say: that is what was asked for.
        Err(_) if interrupt::interrupted() => Ok(exit::INTERRUPTED.into()),
        result => result,
    }
}

fn ease(args: &EaseArgs, shared: &Shared, stop: &'static AtomicBool) -> Result<ExitCode> {
    let inputs = Inputs::new(&args.inputs)?;
    let curve = args.curve.curve()?.unwrap_or(EASE_CURVE);
    let networks = args.policy.open()?;
    let mut progress = Progress::new(shared.progress, shared.quiet);
    let problems = progress.problems();
    let analyst = args.analyst(&problems)?;
    let judge = Judge {
        networks: &networks,
        analyst: analyst.as_deref(),
        limit: args.engine.limit(),
        lines: args.lines.into(),
        curve,
        ahead: args.ahead.into(),
    };
    if args.ahead > 1 && (analyst.is_none() || matches!(inputs, Inputs::Games(_))) {
        return Err(usage("--ahead is for positions, and needs somebody to ask for replies"));
    }
    let mut done = 0;
    match inputs {
        Inputs::Positions(positions) => {
            let tasks: Vec<Task> = positions.into_iter().map(Task::from).collect();
            for moment in judge_all(&judge, &tasks, args.engine.jobs(), stop, &problems).into_iter().flatten() {
                done += 1;
                let text = if args.json { lines(&moment, None) } else { position_text(&moment, args.explain) };
                show(&progress, &text)?;
            }
        }
        Inputs::Games(paths) => {
            let games = Games::new(sources(&paths, &problems).paths().to_vec(), Arc::clone(&problems));
            for (index, game) in read_ahead(games, stop).enumerate() {
                let title = title(&game);
                let tasks = tasks(&game, args.reuse_evals.then_some(args.evals));
                let moments = judge_all(&judge, &tasks, args.engine.jobs(), stop, &problems);
                if interrupt::interrupted() {
                    break;
                }
                if !tasks.is_empty() && tasks.iter().all(|task| judge.knows_nothing(&task.known)) {
                    problems.error(format_args!(
                        "{title}: no evaluations stand in the game, and there is no engine to ask"
                    ));
                    continue;
                }
                tasks.iter().for_each(|_| progress.position());
                progress.game(&title);
                done += moments.iter().flatten().count().min(1);
                let text = if args.json {
                    let moments = moments.iter().enumerate();
                    moments.filter_map(|(ply, moment)| Some(lines(moment.as_ref()?, Some((index, ply))))).collect()
                } else {
                    let explained = moments.iter().flatten().filter(|_| args.explain);
                    let explained: String = explained.map(|moment| position_text(moment, true)).collect();
                    game_text(&title, &moments) + &explained
                };
                show(&progress, &text)?;
            }
        }
    }
    progress.finish();
    if interrupt::interrupted() {
        anstream::eprintln!("interrupted; finished: {}", plural(done as u64, "game or position"));
        return Ok(exit::INTERRUPTED.into());
    }
    Ok(match (done, problems.count()) {
        (_, 0) => ExitCode::SUCCESS,
        (0, _) => exit::FAILED.into(),
        _ => exit::SKIPPED.into(),
    })
}

impl EaseArgs {
    /// Who evaluates: ChessDB, engines, or the one before the others, each behind the store.
    fn analyst(&self, problems: &Arc<Problems>) -> Result<Option<Arc<dyn Analyst>>> {
        if self.no_engine && !self.reuse_evals && self.chessdb.is_none() {
            return Err(usage(
                "without an engine evaluations must come from the games (--reuse-evals) or from --chessdb",
            ));
        }
        if self.no_engine && self.chessdb.is_none() {
            return Ok(None);
        }
        let store = self.store.open(problems)?.map(Arc::new);
        let service = self.chessdb.as_ref().map(|address| {
            let service: Arc<dyn Analyst> = Arc::new(address.as_deref().map_or_else(ChessDb::new, ChessDb::at));
            cached(service, store.clone(), problems)
        });
        let engines = if self.no_engine {
            None
        } else {
            let pool: Arc<dyn Analyst> = start_pool(&self.engine)?;
            Some(cached(pool, store, problems))
        };
        Ok(match (service, engines) {
            (Some(service), Some(engines)) => Some(Arc::new(Fallback::new(service, engines))),
            (service, engines) => service.or(engines),
        })
    }
}

fn show(progress: &Progress, text: &str) -> Result<()> {
    let mut printed = Ok(());
    progress.suspend(|| printed = anstream::stdout().write_all(text.as_bytes()));
    Ok(printed?)
}

/// A line of `--json`.
#[derive(Serialize)]
struct Document<'a> {
    fen: String,
    #[serde(flatten)]
    place: Option<&'a Place>,
    sharpness: Option<f64>,
    #[serde(flatten)]
    ease: EaseDocument,
}

/// Where in the input a position stands, counted from 1.
#[derive(Serialize)]
struct Place {
    game: usize,
    ply: usize,
    played: Option<String>,
}

fn lines(moment: &Moment, place: Option<(usize, usize)>) -> String {
    let place = place.map(|(game, ply)| Place {
        game: game + 1,
        ply: ply + 1,
        played: moment.played.map(|mv| moment.before.uci(mv).to_string()),
    });
    let documents = moment.judged.iter().map(|judged| Document {
        fen: moment.before.fen(),
        place: place.as_ref(),
        sharpness: moment.sharpness,
        ease: EaseDocument::new(&moment.before, judged),
    });
    // Of plain values; nothing in them can fail.
    documents.filter_map(|document| Some(serde_json::to_string(&document).ok()? + "\n")).collect()
}

fn title(game: &Game) -> String {
    let [white, black] = ["White", "Black"].map(|tag| printable(game.headers.get(tag).unwrap_or("?")));
    format!("{white} – {black}")
}

/// A position to judge.
struct Task {
    before: History,
    played: Option<shakmaty::Move>,
    known: Known,
}

impl From<History> for Task {
    fn from(before: History) -> Self {
        Self { before, played: None, known: Known::default() }
    }
}

/// The positions of a game in which moves were played, with what its comments say of them.
fn tasks(game: &Game, reuse: Option<Dialect>) -> Vec<Task> {
    let mut evals: Vec<Option<Eval<White>>> = vec![None; game.plies.len() + 1];
    if let Some(dialect) = reuse {
        let dialect = if dialect == Dialect::Auto { Dialect::detect([game]) } else { dialect };
        let mut mover = game.start.turn();
        for (index, ply) in game.plies.iter().enumerate() {
            let Annotation { eval, described, .. } = ply.annotation(dialect, mover);
            let place = if described == Described::Before { index } else { index + 1 };
            evals[place] = eval.or(evals[place]);
            mover = !mover;
        }
    }
    let positions = game.mainline().enumerate().map(|(index, (before, ply))| {
        let mover = before.turn();
        let [best, after] = [index, index + 1].map(|place| evals[place].map(|eval| eval.for_mover(mover)));
        // What a game says of the played move is worth something only beside what it says of the best one.
        let played = best.and(after).map(|eval| (ply.mv, eval));
        Task {
            before,
            played: Some(ply.mv),
            known: Known { best: played.and(best), moves: played.into_iter().collect() },
        }
    });
    positions.collect()
}

/// Judges all positions on as many threads as there are engines; those that cannot be judged are reported and `None`.
fn judge_all(
    judge: &Judge<'_>,
    tasks: &[Task],
    jobs: usize,
    stop: &AtomicBool,
    problems: &Problems,
) -> Vec<Option<Moment>> {
    let next = AtomicUsize::new(0);
    let answers: Mutex<Vec<Option<Result<Moment>>>> = Mutex::new(tasks.iter().map(|_| None).collect());
    thread::scope(|scope| {
        for _ in 0..jobs.min(tasks.len()) {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(index) else { break };
                    if judge.knows_nothing(&task.known) {
                        continue;
                    }
                    let moment = moment(judge, task);
                    answers.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(moment);
                }
            });
        }
    });
    let answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    let keep = |answer: Option<Result<Moment>>| match answer? {
        Ok(moment) => Some(moment),
        Err(_) if interrupt::interrupted() => None,
        Err(error) => {
            problems.error(format_args!("{error:#}"));
            None
        }
    };
    answers.into_iter().map(keep).collect()
}

fn moment(judge: &Judge<'_>, task: &Task) -> Result<Moment> {
    let judged = if judge.ahead > 1 {
        judge.judge_ahead(&task.before)?
    } else {
        judge.judge(&task.before, task.known.clone())?
    };
    // Sharpness needs draws, which only a win/draw/loss model knows.
    let best = judged.iter().flat_map(|judged| &judged.moves).map(|mv| mv.eval).max();
    let sharpness = best.and_then(|eval| {
        let pawns = eval.pawns()?;
        let Curve::Wdl(model) = judge.curve else { return None };
        let wdl = model.wdl(pawns, Context::of(task.before.position()));
        sharpness_of(wdl.win, wdl.loss)
    });
    Ok(Moment { before: task.before.clone(), played: task.played, judged, sharpness })
}
