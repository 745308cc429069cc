//! An engine on a test suite: positions whose best moves are known.

use std::{
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use centipawn_calibrate::wilson;
use centipawn_engine::{Analysis, AnalystError, Engine, EngineSpec, Limit, Question, Sighting};
use centipawn_progress::{
    Cancel, Input, Outcome, Problem, Progress, Provenance, Reporter, SmallDocument, Unit,
};
use serde::{Deserialize, Serialize};
use shakmaty::Move;

use super::epd::Epd;

/// The largest known suites have less than one megabyte. A position in memory takes ten times the
/// bytes of its line.
const SUITE: SmallDocument = SmallDocument::new("test suite", 8 << 20);

/// A position of a suite.
#[derive(Clone, Debug)]
pub struct SuitePosition {
    /// The operation `id`, or `FILE:LINE`.
    pub id: String,
    /// The position with its operations.
    pub epd: Epd,
    /// Moves with their points.
    points: Vec<(Move, f64)>,
    /// The wrong moves, if the suite names no right moves.
    avoid: Vec<Move>,
}

/// A test suite.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// The positions of the suite.
    pub positions: Vec<SuitePosition>,
    paths: Vec<PathBuf>,
}

/// How a suite is run: the recipe of `engines --suite --json`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteOptions {
    /// The limit for each position.
    pub limit: Limit,
}

/// The reason why a suite cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// No position can be used.
    #[error("no position has bm, am, or points in c0 or in c8 and c9")]
    Empty,
    /// The engine does not start.
    #[error(transparent)]
    Engine(#[from] AnalystError),
}

/// The result of an engine on a suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SuiteReport {
    /// The name that the engine reports.
    pub engine: String,
    /// Number of positions with an answer.
    pub positions: u64,
    /// Number of positions in which the answer got all points.
    pub solved: u64,
    /// Share of solved positions, 0..=1.
    pub score: f64,
    /// 95 % interval of this share, by Wilson's method: of suites like this one.
    pub interval: (f64, f64),
    /// Sum of the points over all positions.
    pub points: f64,
    /// Sum of the maximum points over all positions.
    pub most_points: f64,
    /// Median of the seconds to solution of solved positions; of two in the middle, their mean.
    pub median_seconds: Option<f64>,
    /// Median of the nodes to solution of solved positions; of two in the middle, their mean,
    /// rounded down.
    pub median_nodes: Option<u64>,
    /// Each position, in the order of the suite.
    pub results: Vec<SuiteResult>,
    /// Program, options, files and engine.
    pub provenance: Provenance,
}

/// An engine's answer in a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SuiteResult {
    /// The operation `id`, or `FILE:LINE`.
    pub id: String,
    /// The position as FEN.
    pub fen: String,
    /// Moves that get all points, in SAN; empty if only moves to avoid are known.
    pub best: Vec<String>,
    /// Moves to avoid, in SAN.
    pub avoid: Vec<String>,
    /// The engine's answer in SAN; `None` if it gave none.
    pub answer: Option<String>,
    /// Whether the answer got all points.
    pub solved: bool,
    /// The points of the answer.
    pub points: f64,
    /// The maximum points of the position.
    pub most_points: f64,
    /// Seconds after which the engine's first line began with a solution, and did so to the end;
    /// `None` if not solved.
    pub seconds: Option<f64>,
    /// Number of nodes searched at that time.
    pub nodes: Option<u64>,
    /// Depth of the search at that time.
    pub depth: Option<u32>,
    /// The reason why there is no answer; `None` if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Suite {
    /// Reads files of EPD, one position on each line; empty lines and lines that begin with `#` are
    /// skipped. Lines that cannot be used are reported. Once `cancel` is set, the rest is left out.
    pub fn read(paths: &[PathBuf], cancel: &Cancel, reporter: &dyn Reporter) -> Self {
        let mut positions = Vec::new();
        for path in paths {
            let name = path.display().to_string();
            let text = match SUITE.read(path, cancel) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(_) if cancel.is_set() => break,
                Err(error) => {
                    reporter.problem(&Problem::error(format!("cannot read {name}: {error}")));
                    continue;
                }
            };
            let lines = text
                .lines()
                .zip(1..)
                .filter(|(line, _)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
            for (line, number) in lines {
                let bad = |error: &dyn std::fmt::Display| {
                    reporter.problem(
                        &Problem::error(error.to_string())
                            .of(name.clone())
                            .at_line(number),
                    );
                };
                match line.parse::<Epd>() {
                    Ok(epd) => match SuitePosition::new(epd, path, number) {
                        Ok(position) => positions.push(position),
                        Err(error) => bad(&error),
                    },
                    Err(error) => bad(&error),
                }
            }
        }
        Self {
            positions,
            paths: paths.to_vec(),
        }
    }
}

impl SuitePosition {
    /// Reads the points of the moves. They are in `c0` (`"Nd5=10, a6=2"`), or in `c8` and `c9`
    /// (points, and moves in UCI notation) as in the Strategic Test Suite. Without them, each move
    /// of `bm` gets 1 point, or each move except those of `am`.
    fn new(epd: Epd, path: &Path, line: u64) -> Result<Self, String> {
        let id = epd
            .operand("id")
            .map_or_else(|| format!("{}:{line}", path.display()), str::to_owned);
        let (best, avoid) = (epd.moves("bm"), epd.moves("am"));
        let (best, avoid) = (
            best.map_err(|error| error.to_string())?,
            avoid.map_err(|error| error.to_string())?,
        );
        let mut points = points(&epd);
        if points.is_empty() {
            points = best.iter().map(|mv| (*mv, 1.0)).collect();
        }
        if points.is_empty() && avoid.is_empty() {
            return Err("the position has no bm, no am and no points".to_owned());
        }
        Ok(Self {
            id,
            epd,
            points,
            avoid,
        })
    }

    fn most(&self) -> f64 {
        self.points
            .iter()
            .map(|(_, points)| *points)
            .reduce(f64::max)
            .unwrap_or(1.0)
    }

    /// Returns the points of a move.
    fn of(&self, mv: Move) -> f64 {
        if self.points.is_empty() {
            return f64::from(u8::from(!self.avoid.contains(&mv)));
        }
        self.points
            .iter()
            .find(|(own, _)| *own == mv)
            .map_or(0.0, |(_, points)| *points)
    }

    /// Returns the moves that get all points; none if the suite names only moves to avoid.
    pub fn solutions(&self) -> impl Iterator<Item = Move> {
        let most = self.most();
        self.points
            .iter()
            .filter(move |(_, points)| *points >= most)
            .map(|(mv, _)| *mv)
    }

    fn is_solved_by(&self, mv: Move) -> bool {
        self.of(mv) >= self.most()
    }

    fn result(&self, answer: Result<(Analysis, Vec<Sighting>), AnalystError>) -> SuiteResult {
        let history = &self.epd.position;
        let san = |mv: &Move| history.san(*mv);
        let most_points = self.most();
        let best = self.solutions().map(|mv| history.san(mv));
        let mut result = SuiteResult {
            id: self.id.clone(),
            fen: history.fen(),
            best: best.collect(),
            avoid: self.avoid.iter().map(san).collect(),
            answer: None,
            solved: false,
            points: 0.0,
            most_points,
            seconds: None,
            nodes: None,
            depth: None,
            error: None,
        };
        match answer {
            Ok((analysis, sightings)) => {
                let Some(best) = analysis.best().map(centipawn_engine::Line::first_move) else {
                    result.error = Some("the game is over".to_owned());
                    return result;
                };
                result.answer = Some(san(&best));
                result.points = self.of(best);
                result.solved = self.is_solved_by(best);
                let is_right = |sighting: &&Sighting| {
                    history
                        .parse_uci(&sighting.uci)
                        .is_ok_and(|mv| self.is_solved_by(mv))
                };
                if let Some(first) = sightings
                    .iter()
                    .rev()
                    .take_while(is_right)
                    .last()
                    .filter(|_| result.solved)
                {
                    result.seconds = Some(first.time.as_secs_f64());
                    (result.nodes, result.depth) = (Some(first.nodes), Some(first.depth));
                }
            }
            Err(error) => result.error = Some(error.to_string()),
        }
        result
    }
}

/// Returns the points in comments.
fn points(epd: &Epd) -> Vec<(Move, f64)> {
    let of_c0 = epd
        .operand("c0")
        .filter(|text| text.contains('='))
        .map(|text| {
            let pairs = text
                .split([',', ' '])
                .filter_map(|pair| pair.trim().rsplit_once('='));
            let pair = |(san, number): (&str, &str)| {
                Some((
                    epd.parse_move("c0", san.trim()).ok()?,
                    number.trim().parse().ok()?,
                ))
            };
            pairs.filter_map(pair).collect::<Vec<_>>()
        });
    let of_c9 = epd
        .operand("c8")
        .zip(epd.operand("c9"))
        .map(|(points, moves)| {
            let numbers = points.split_whitespace().map(str::parse::<f64>);
            let moves = moves
                .split_whitespace()
                .map(|uci| epd.parse_move("c9", uci));
            moves
                .zip(numbers)
                .filter_map(|(mv, points)| Some((mv.ok()?, points.ok()?)))
                .collect::<Vec<_>>()
        });
    let found = of_c9
        .filter(|points| !points.is_empty())
        .or(of_c0)
        .unwrap_or_default();
    found
        .into_iter()
        .filter(|(_, points)| *points > 0.0 && points.is_finite())
        .collect()
}

/// Runs an engine on a suite, with [`EngineSpec::jobs`] processes. Each search begins with a
/// cleared hash.
///
/// # Errors
///
/// [`SuiteError`]. A position without an answer is a result with an error. After a cancel the
/// report has the positions that were done.
pub fn run_suite(
    suite: &Suite,
    options: &SuiteOptions,
    spec: &EngineSpec,
    cancel: &Cancel,
    reporter: &dyn Reporter,
) -> Result<(SuiteReport, Outcome), SuiteError> {
    if suite.positions.is_empty() {
        return Err(SuiteError::Empty);
    }
    let config = spec.config()?;
    let first = Engine::start_under(&config, cancel)?;
    let identity = first.identity();
    let (next, done) = (AtomicUsize::new(0), Mutex::new((Vec::new(), Some(first))));
    let total = suite.positions.len();
    let work = || {
        let mut engine = done.lock().unwrap_or_else(PoisonError::into_inner).1.take();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(position) = suite.positions.get(index).filter(|_| !cancel.is_set()) else {
                return;
            };
            let question = Question::new(position.epd.position.clone(), options.limit);
            let mut answer = Err(AnalystError::Cancelled);
            // Restart a crashed engine, but only once for each position.
            for _ in 0..2 {
                answer = match engine
                    .take()
                    .map_or_else(|| Engine::start_under(&config, cancel), Ok)
                {
                    Ok(mut own) => {
                        let answer = own.analyse_watched(&question, cancel);
                        if !answer.as_ref().is_err_and(AnalystError::is_transient) {
                            engine = Some(own);
                        }
                        answer
                    }
                    Err(error) => Err(error),
                };
                if !answer.as_ref().is_err_and(AnalystError::is_transient) {
                    break;
                }
            }
            if matches!(answer, Err(AnalystError::Cancelled)) {
                return;
            }
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.0.push((index, position.result(answer)));
            let count = done.0.len() as u64;
            reporter.progress(&Progress {
                done: count,
                total: Some(total as u64),
                unit: Unit::Positions,
                label: position.id.clone(),
                ..Progress::default()
            });
        }
    };
    thread::scope(|scope| {
        for _ in 1..spec.jobs.clamp(1, total) {
            scope.spawn(work);
        }
        work();
    });
    let (mut results, _) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    let results: Vec<SuiteResult> = results.into_iter().map(|(_, result)| result).collect();
    for failed in results.iter().filter(|result| result.error.is_some()) {
        let reason = failed.error.as_deref().unwrap_or_default();
        reporter.problem(&Problem::error(format!("{}: {reason}", failed.id)));
    }
    let inputs = suite
        .paths
        .iter()
        .filter_map(|path| Input::of(path).ok())
        .collect();
    let provenance = Provenance::of("engines suite", options)
        .engine(Some(identity.clone()), options.limit)
        .inputs(inputs);
    let report = SuiteReport::new(identity.name.clone(), results, provenance);
    let outcome = Outcome {
        done: report.positions,
        skipped: report.results.len() as u64 - report.positions,
        cancelled: cancel.is_set(),
    };
    Ok((report, outcome))
}

impl SuiteReport {
    fn new(engine: String, results: Vec<SuiteResult>, provenance: Provenance) -> Self {
        let answered = || results.iter().filter(|result| result.answer.is_some());
        let (positions, solved) = (
            answered().count(),
            answered().filter(|result| result.solved).count(),
        );
        let mut seconds: Vec<f64> = results.iter().filter_map(|result| result.seconds).collect();
        let mut nodes: Vec<u64> = results.iter().filter_map(|result| result.nodes).collect();
        seconds.sort_by(f64::total_cmp);
        nodes.sort_unstable();
        let n = positions.max(1) as f64;
        Self {
            engine,
            positions: positions as u64,
            solved: solved as u64,
            score: solved as f64 / n,
            interval: wilson(solved as f64 / n, n),
            points: answered().map(|result| result.points).sum(),
            most_points: answered().map(|result| result.most_points).sum(),
            median_seconds: median(&seconds, f64::midpoint),
            median_nodes: median(&nodes, u64::midpoint),
            results,
            provenance,
        }
    }

    /// Returns the document as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Returns the median of sorted numbers: of two in the middle, their mean.
fn median<T: Copy>(sorted: &[T], mean: impl FnOnce(T, T) -> T) -> Option<T> {
    let upper = *sorted.get(sorted.len() / 2)?;
    Some(mean(sorted[(sorted.len() - 1) / 2], upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_two() {
        let of = |sorted: &[u64]| median(sorted, u64::midpoint);
        assert_eq!(
            (of(&[]), of(&[20]), of(&[20, 47]), of(&[1, 2, 9])),
            (None, Some(20), Some(33), Some(2))
        );
        assert_eq!(of(&[1, 2, 9, 10]), Some(5));
        assert_eq!(median(&[0.5, 1.0], f64::midpoint), Some(0.75));
    }

    fn position(text: &str) -> SuitePosition {
        SuitePosition::new(text.parse().unwrap(), Path::new("a.epd"), 3).unwrap()
    }

    /// Its start would take ten seconds.
    #[test]
    fn a_cancel_ends_the_start_of_an_engine() {
        let cancel = Cancel::new();
        let command = format!(
            "{:?} hang",
            centipawn_fake_engine::path().display().to_string()
        );
        let spec = EngineSpec {
            command,
            ..EngineSpec::default()
        };
        let positions = vec![position("4k3/8/8/8/8/8/8/4K2R w K - bm O-O;")];
        let suite = Suite {
            positions,
            paths: Vec::new(),
        };
        let options = SuiteOptions {
            limit: Limit::Nodes(1),
        };
        let began = std::time::Instant::now();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(std::time::Duration::from_millis(300));
                cancel.set();
            });
            let ran = run_suite(
                &suite,
                &options,
                &spec,
                &cancel,
                &centipawn_progress::Silent,
            );
            assert!(
                matches!(ran, Err(SuiteError::Engine(AnalystError::Cancelled))),
                "{ran:?}"
            );
        });
        assert!(began.elapsed().as_secs() < 8, "{:?}", began.elapsed());
    }

    #[test]
    fn points_of_suites() {
        let sts = position(
            r#"1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id "STS 1"; c0 "f5=10, Be5+=2, Bf2=3, Bg4=2"; c8 "10 2 3 2"; c9 "f4f5 d4e5 d4f2 f3g4";"#,
        );
        let mv = |san: &str| sts.epd.parse_move("", san).unwrap();
        assert_eq!(
            (
                sts.of(mv("f5")),
                sts.of(mv("Bf2")),
                sts.of(mv("Kh1")),
                sts.most()
            ),
            (10.0, 3.0, 0.0, 10.0)
        );
        assert!(sts.is_solved_by(mv("f5")) && !sts.is_solved_by(mv("Bf2")));
        let avoid = position("4k3/8/8/8/8/8/8/4K2R w K - am O-O;");
        let castles = avoid.epd.parse_move("", "O-O").unwrap();
        assert!(avoid.id == "a.epd:3" && !avoid.is_solved_by(castles) && avoid.most() == 1.0);
        assert!(
            SuitePosition::new(
                "4k3/8/8/8/8/8/8/4K2R w K -".parse().unwrap(),
                Path::new("a"),
                1
            )
            .is_err()
        );
    }
}
