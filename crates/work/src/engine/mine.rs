//! Puzzles from games.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use centipawn_engine::{Analyst, AnalystError, CountingAnalyst};
use centipawn_pgn::{Game, Games, Opening, Sources, read_ahead};
use centipawn_progress::{
    Cancel, Input, Job, Outcome, Problem, ProblemCount, Progress, Provenance, Reporter, Unit,
};
use centipawn_puzzle::{
    MineOptions, Mined, MiningRules, Refusal, RuleSet, Verdict, rating::Rater, solve::Ratings,
};
use serde::{Deserialize, Serialize};
use shakmaty::Position as _;

use super::failing::{Failing, Failures};
use crate::engine::{Crew, Recipe, Work};

/// After this many half-moves a puzzle no longer gets the game's opening tags.
const LAST_OF_OPENING: usize = 40;

/// The resources of [`mine_files`].
#[derive(Clone, Copy)]
pub struct MineResources<'a> {
    /// The analyst that evaluates positions.
    pub analyst: &'a dyn Analyst,
    /// The model that rates puzzles; `None` leaves puzzles unrated.
    pub rater: Option<&'a Rater>,
    /// [Keys](centipawn_puzzle::Puzzle::key) of puzzles that exist already; mining refuses them.
    pub known: &'a HashSet<u64>,
}

/// Counts of a mining run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MineSummary {
    /// Number of games finished, without those in which the analyst answered nothing.
    pub games: u64,
    /// Candidates by verdict: puzzles first, then refusals.
    pub verdicts: Vec<VerdictCount>,
    /// Number of questions answered by the analyst, by search or look-up.
    pub searches: u64,
    /// Number of nodes of these searches, as the engine counted them.
    pub nodes: u64,
    /// Whether an engine other than Stockfish reported no win, draw and loss, so that its
    /// centipawns were read as Stockfish's.
    pub has_guessed_scores: bool,
}

/// How many candidates got a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictCount {
    /// A verdict on candidates.
    pub verdict: Verdict,
    /// Number of candidates with this verdict.
    pub count: u64,
}

impl MineSummary {
    /// Returns the number of puzzles.
    pub fn puzzles(&self) -> u64 {
        self.count(true)
    }

    /// Returns the number of candidates that are not puzzles.
    pub fn refused(&self) -> u64 {
        self.count(false)
    }

    fn count(&self, is_found: bool) -> u64 {
        let counts = self
            .verdicts
            .iter()
            .filter(|count| count.verdict.is_found() == is_found);
        counts.map(|count| count.count).sum()
    }
}

/// Mining: [`Work`] on games.
struct Mining<'a> {
    options: &'a MineOptions,
    rules: MiningRules,
    analyst: &'a dyn Analyst,
    on_position: &'a (dyn Fn() + Sync),
}

impl Work for Mining<'_> {
    type Item = Game;
    type Answer = Mined;

    fn recipe(&self) -> Recipe {
        Recipe::Mine(self.options.clone())
    }

    fn job(&self, game: Game) -> impl Job<Output = Mined> {
        self.rules.job(game, self.analyst, self.on_position)
    }

    fn game<'i>(&self, game: &'i Game) -> Option<&'i Game> {
        Some(game)
    }

    fn item(&self, game: Game, _: u64) -> Option<Game> {
        Some(game)
    }

    fn unanswered(&self, game: Game, error: AnalystError) -> Option<Mined> {
        Some(Mined {
            game: Arc::new(game),
            candidates: Vec::new(),
            failures: vec![(0, error)],
            answers: 0,
        })
    }
}

/// Has `crew` mine all games of `sources`, and calls `on_game` with the result of each, in the
/// order of the games, on the calling thread.
///
/// Of `options.shard`, every Nth game is mined; a position is then refused as a repetition only
/// within the part.
///
/// The steps of all games share one queue (see [`MineJob`](centipawn_puzzle::MineJob)), so a long
/// game keeps every engine busy. A position becomes a puzzle only once: repetitions, and positions
/// in [`known`](MineResources::known), are refused. Puzzles come rated, with opening tags and
/// provenance. Positions that the analyst cannot answer are reported.
///
/// After `cancel` is set, the run ends as soon as the questions under way are answered; unfinished
/// games are left out.
///
/// # Errors
///
/// [`Failing`]: the analyst answered nothing in several consecutive games.
pub fn mine_files<R: Reporter + 'static>(
    sources: &Sources,
    options: &MineOptions,
    resources: MineResources<'_>,
    crew: &impl Crew,
    cancel: &Cancel,
    problems: &Arc<ProblemCount<R>>,
    mut on_game: impl FnMut(&Mined),
) -> Result<(MineSummary, Outcome), Failing> {
    let stop = cancel.child();
    let analyst = CountingAnalyst::new(resources.analyst);
    let engine = analyst.identity();
    let rules = options.rules_for(&engine.name);
    let provenance = Arc::new(provenance(options, sources, &resources));
    let positions = AtomicU64::new(0);
    let finished = AtomicU64::new(0);
    let progress = |done: u64, label: &str| {
        let games = finished.load(Ordering::Relaxed);
        problems.progress(&Progress {
            done,
            total: None,
            unit: Unit::Positions,
            games,
            label: label.to_owned(),
        });
    };
    let on_position = || progress(positions.fetch_add(1, Ordering::Relaxed) + 1, "");
    let shard = options.shard;
    let games = (0..)
        .zip(Games::new(sources, Arc::clone(problems)))
        .filter(move |(index, _)| shard.takes(*index));
    let games = read_ahead(games.map(|(_, game)| game), &stop);
    let work = Mining {
        options,
        rules,
        analyst: &analyst,
        on_position: &on_position,
    };
    let (mut failures, mut failed) = (Failures::of("games"), None);
    let mut seen = resources.known.clone();
    let mut verdicts = BTreeMap::<Verdict, u64>::new();
    let cancelled = crew.run(&work, games, &stop, |mut mined| {
        if failed.is_some() {
            return;
        }
        complete(
            &mut mined,
            &mut seen,
            resources.rater,
            options.rated,
            &provenance,
            problems,
        );
        // The engine may fail at some positions. Only a game without any answer counts as failed.
        let has_failed =
            !mined.failures.is_empty() && mined.answers == 0 && mined.candidates.is_empty();
        if let Err(error) = failures.add(has_failed) {
            failed = Some(error);
            stop.set();
        }
        if has_failed {
            return;
        }
        for candidate in &mined.candidates {
            *verdicts.entry(candidate.verdict).or_default() += 1;
        }
        finished.fetch_add(1, Ordering::Relaxed);
        progress(
            positions.load(Ordering::Relaxed),
            mined.game.headers.get("White").unwrap_or_default(),
        );
        on_game(&mined);
    });
    if let Some(failing) = failed {
        return Err(failing);
    }
    let summary = MineSummary {
        games: finished.load(Ordering::Relaxed),
        verdicts: verdicts
            .into_iter()
            .map(|(verdict, count)| VerdictCount { verdict, count })
            .collect(),
        searches: analyst.searches(),
        nodes: analyst.nodes(),
        has_guessed_scores: options.rules == RuleSet::Centipawn
            && options.curve.is_none()
            && analyst.is_without_wdl()
            && !engine.name.contains("Stockfish "),
    };
    let outcome = Outcome {
        done: summary.games,
        skipped: problems.errors(),
        cancelled: cancelled || cancel.is_set(),
    };
    Ok((summary, outcome))
}

/// Mines one game, for a caller who watches it: `on_position` is called after each position, from
/// any thread. Puzzles come with rating, opening tags and provenance, as from [`mine_files`]; what
/// could not be answered or rated is in `problems`.
///
/// `None` if `cancel` was set.
pub fn mine_game(
    game: Game,
    options: &MineOptions,
    resources: MineResources<'_>,
    crew: &impl Crew,
    cancel: &Cancel,
    problems: &dyn Reporter,
    on_position: &(dyn Fn() + Sync),
) -> Option<Mined> {
    let rules = options.rules_for(&resources.analyst.identity().name);
    let provenance = Arc::new(provenance(options, &Sources::default(), &resources));
    let mut seen = resources.known.clone();
    let mut found = None;
    let work = Mining {
        options,
        rules,
        analyst: resources.analyst,
        on_position,
    };
    let cancelled = crew.run(&work, std::iter::once(game), cancel, |mut mined| {
        complete(
            &mut mined,
            &mut seen,
            resources.rater,
            options.rated,
            &provenance,
            problems,
        );
        found = Some(mined);
    });
    found.filter(|_| !cancelled)
}

/// Refuses known puzzles, completes the others, and refuses those outside of `ratings`.
fn complete(
    mined: &mut Mined,
    seen: &mut HashSet<u64>,
    rater: Option<&Rater>,
    ratings: Option<Ratings>,
    provenance: &Arc<Provenance>,
    problems: &dyn Reporter,
) {
    for (ply, error) in &mined.failures {
        let text = format_args!("at {}: {error}", move_number(&mined.game, *ply));
        problems.problem(&problem(&mined.game, text));
    }
    for candidate in &mut mined.candidates {
        if candidate
            .puzzle
            .as_ref()
            .is_some_and(|puzzle| !seen.insert(puzzle.key()))
        {
            candidate.verdict = Refusal::Known.into();
        }
        let Some(puzzle) = candidate
            .puzzle
            .as_mut()
            .filter(|_| candidate.verdict.is_found())
        else {
            continue;
        };
        puzzle.openings = opening_tags(&mined.game, candidate.ply);
        puzzle.provenance = Some(Arc::clone(provenance));
        if let Some(Err(error)) = rater.map(|rater| rater.rate(puzzle)) {
            problems.problem(&problem(&mined.game, error));
        }
        let fits = |range: Ratings| puzzle.rating.is_some_and(|rating| range.contains(rating));
        if !ratings.is_none_or(fits) {
            candidate.verdict = Refusal::OtherRating.into();
        }
    }
}

fn provenance(
    options: &MineOptions,
    sources: &Sources,
    resources: &MineResources<'_>,
) -> Provenance {
    Provenance {
        engine: Some(Arc::new(resources.analyst.identity().shown())),
        networks: resources
            .rater
            .map_or_else(Vec::new, |rater| rater.networks().to_vec()),
        ..Provenance::new(&Recipe::Mine(options.clone())).inputs(Input::of_all(sources.paths()))
    }
}

fn problem(game: &Game, text: impl std::fmt::Display) -> Problem {
    Problem::error(text)
        .of(game.place.source.as_deref().unwrap_or_default())
        .in_game(game.place.game)
}

/// Returns the move played after `ply` half-moves of a game with its number, such as `12... Nxe4`;
/// `12...` where the game ends.
pub fn move_number(game: &Game, ply: usize) -> String {
    let mut position = game.start.position().clone();
    game.plies
        .iter()
        .take(ply)
        .for_each(|ply| position.play_unchecked(ply.mv));
    let dots = position.turn().fold_wb(".", "...");
    let played = game
        .plies
        .get(ply)
        .map_or_else(String::new, |ply| format!(" {}", ply.san(&position)));
    format!("{}{dots}{played}", position.fullmoves())
}

/// Returns the opening of a puzzle's game in Lichess' form: family and variation, up to move 20.
fn opening_tags(game: &Game, ply: usize) -> String {
    let Some(opening) = Opening::of(game).filter(|_| ply <= LAST_OF_OPENING) else {
        return String::new();
    };
    let tag = |name: &str| -> String {
        let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-');
        name.chars()
            .filter(is_kept)
            .map(|c| if c == ' ' { '_' } else { c })
            .collect()
    };
    let (family, name) = (tag(opening.family()), tag(opening.name));
    if family == name {
        family
    } else {
        format!("{family} {name}")
    }
}

#[cfg(test)]
mod tests {
    use centipawn_engine::{Analysis, EngineSpec, Identity, Question};
    use centipawn_progress::{Next, Silent};

    use super::*;

    /// A crew that finishes all games before it delivers the first one.
    struct Late;

    impl Crew for Late {
        fn run<W: Work>(
            &self,
            work: &W,
            items: impl Iterator<Item = W::Item> + Send,
            _: &Cancel,
            each: impl FnMut(W::Answer),
        ) -> bool {
            let mined = items.map(|item| {
                let job = work.job(item);
                while let Next::Step(step) = job.next() {
                    job.perform(step).unwrap();
                }
                job.finish()
            });
            mined.collect::<Vec<_>>().into_iter().for_each(each);
            false
        }
    }

    /// Does not answer about the first position of a game; about no position of a game that begins
    /// with 1. a4.
    struct Partly(Arc<dyn Analyst>);

    impl Analyst for Partly {
        fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
            let first = question.history.moves().first().map(ToString::to_string);
            if first.is_none_or(|mv| mv == "a2-a4") {
                Err(AnalystError::NoEngines)
            } else {
                self.0.analyse(question)
            }
        }

        fn identity(&self) -> Arc<Identity> {
            self.0.identity()
        }

        fn parallelism(&self) -> usize {
            1
        }
    }

    fn mined(moves: [&str; 6]) -> Result<(u64, usize), Failing> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pgn");
        std::fs::write(
            &path,
            moves
                .map(|moves| format!("[White \"X\"]\n\n{moves} *\n\n"))
                .concat(),
        )
        .unwrap();
        let command = format!("{:?}", centipawn_fake_engine::path().display().to_string());
        let cancel = Cancel::new();
        let pool = EngineSpec {
            command,
            ..EngineSpec::default()
        }
        .start(&cancel)
        .unwrap();
        let (analyst, known) = (Partly(Arc::new(pool)), HashSet::new());
        let resources = MineResources {
            analyst: &analyst,
            rater: None,
            known: &known,
        };
        let problems = Arc::new(ProblemCount::new(Arc::new(Silent)));
        let options = MineOptions {
            rules: RuleSet::Classic,
            ..MineOptions::default()
        };
        let mut candidates = 0;
        let sources = Sources::expand(&[path]).unwrap();
        let (summary, _) = mine_files(
            &sources,
            &options,
            resources,
            &Late,
            &cancel,
            &problems,
            |mined| {
                candidates += mined.candidates.len();
            },
        )?;
        Ok((summary.games, candidates))
    }

    /// A game counts as failed only if none of its questions was answered.
    #[test]
    fn answers_are_counted_for_each_game() {
        assert_eq!(mined(["1. e4 e5 2. Nf3"; 6]), Ok((6, 0)));
        assert!(mined(["1. a4 a5"; 6]).is_err());
    }
}
