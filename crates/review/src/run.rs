//! Many games through one analyst: positions are worked on in parallel, games come out in order.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

use centipawn_core::{Curve, EASE_CURVE, History};
use centipawn_engine::{Analyst, AnalystError};
use centipawn_pgn::{Game, GameEvals};
use shakmaty::{Move, Position as _};

use crate::{
    Options, Review,
    clock::clocks,
    ease::{Judge, JudgeError, Judged, Known},
    findings::{Findings, told_findings},
    judge::judge,
};

/// What happens during [`review_games`].
#[derive(Debug)]
pub enum Event {
    /// One more position is evaluated.
    Position,
    /// A game is done; games come in the order they went in.
    Reviewed(Box<Review>),
    /// A game could not be reviewed; the others go on.
    Failed(Failure),
}

/// A game that could not be reviewed, and why.
#[derive(Debug, thiserror::Error)]
#[error("game {} (line {}), at {ply}: {source}", game.place.game, game.place.line)]
pub struct Failure {
    /// Its place among the games that went in, the first being 0.
    pub index: u64,
    /// The game as it was read.
    pub game: Arc<Game>,
    /// The move in whose position it failed, such as `12... Nxe4`.
    pub ply: String,
    /// What the analyst says, or why there is no ease.
    pub source: JudgeError,
}

/// Reviews games as they come, asking the analyst about as many positions at once as it can answer.
///
/// All positions of all games stand in one line, so a single long game keeps every engine as busy as a thousand short ones.
/// Few games are held at a time, however many there are. `on_event` is called on this thread.
///
/// Setting `stop` ends the run after the questions under way; games not finished by then are left out. An analyst that is
/// closed ends the run too.
pub fn review_games(
    games: impl Iterator<Item = Game> + Send,
    analyst: &dyn Analyst,
    options: &Options,
    stop: &AtomicBool,
    mut on_event: impl FnMut(Event),
) {
    let feeder = Mutex::new(Feeder { games, taken: 0, current: None, options });
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..analyst.parallelism().max(1) {
            let (feeder, sender) = (&feeder, sender.clone());
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let task = feeder.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((game, position)) = task else { break };
                    let Some(position) = position else {
                        let _ = sender.send((game.index, game.reviewed(&[], analyst, options)));
                        continue;
                    };
                    let answer = position.answer(&game, analyst, options);
                    if matches!(answer, Err(JudgeError::Analyst(AnalystError::Cancelled))) {
                        break;
                    }
                    // The receiver is there until the last sender is gone.
                    let _ = sender.send((game.index, Event::Position));
                    if let Some(event) = game.put(&position, answer, analyst, options) {
                        let _ = sender.send((game.index, event));
                    }
                }
            });
        }
        drop(sender);

        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (index, event) in receiver {
            if let Event::Position = event {
                on_event(event);
                continue;
            }
            waiting.insert(index, event);
            while let Some(event) = waiting.remove(&next) {
                on_event(event);
                next += 1;
            }
        }
        // What is done is handed over even if a game before it was cut off.
        waiting.into_values().for_each(on_event);
    });
}

/// Hands out positions, game after game.
struct Feeder<'a, I> {
    games: I,
    taken: u64,
    /// The game being handed out, and its next position.
    current: Option<(Arc<OpenGame>, Position)>,
    options: &'a Options,
}

/// A position of a game in which a move was played.
#[derive(Clone)]
struct Position {
    ply: usize,
    before: History,
}

impl<I: Iterator<Item = Game>> Feeder<'_, I> {
    /// The next position and its game; a game without moves has none.
    fn next(&mut self) -> Option<(Arc<OpenGame>, Option<Position>)> {
        if let Some((game, position)) = &mut self.current
            && let Some(ply) = game.game.plies.get(position.ply)
            && !game.failed.load(Ordering::Relaxed)
        {
            let task = (Arc::clone(game), Some(position.clone()));
            position.before.push(ply.mv);
            position.ply += 1;
            return Some(task);
        }
        let game = self.games.next()?;
        let told = self.options.reuse_evals.map(|dialect| GameEvals::read(&game, dialect));
        let start = game.start.clone();
        let game = Arc::new(OpenGame::new(self.taken, game, told));
        self.taken += 1;
        if game.game.plies.is_empty() {
            return Some((game, None));
        }
        self.current = Some((game, Position { ply: 0, before: start }));
        self.next()
    }
}

impl Position {
    fn answer(&self, game: &OpenGame, analyst: &dyn Analyst, options: &Options) -> Result<Answer, JudgeError> {
        let played = game.game.plies[self.ply].mv;
        let told = game.told.as_ref().and_then(|told| told_findings(told, self.ply, &self.before, played));
        let asked = told.is_none();
        let findings = match told {
            Some(findings) => findings,
            None => Findings::search(analyst, &self.before, played, &game.curve(analyst, options), options)?,
        };
        let ease = self.ease(&findings, played, asked.then_some(analyst), options)?;
        Ok(Answer { findings, asked, ease })
    }

    /// Ease for every network, weighing what was found; an analyst is asked about natural moves that were not.
    fn ease(
        &self,
        findings: &Findings,
        played: Move,
        analyst: Option<&dyn Analyst>,
        options: &Options,
    ) -> Result<Vec<Judged>, JudgeError> {
        if options.ease.is_empty() {
            return Ok(Vec::new());
        }
        let curve = options.curve.unwrap_or(EASE_CURVE);
        let judge =
            Judge { networks: &options.ease, analyst, limit: options.limit, lines: options.lines, curve, ahead: 1 };
        let listed = findings.lines.iter().map(|line| (line.first_move(), line.eval));
        let mut moves: Vec<_> = listed.filter(|(mv, _)| *mv != played).collect();
        moves.push((played, findings.played));
        judge.judge(&self.before, Known { best: Some(findings.best), moves })
    }
}

/// What is known of a position.
#[derive(Clone)]
struct Answer {
    findings: Findings,
    /// Whether the analyst was asked for them.
    asked: bool,
    ease: Vec<Judged>,
}

/// A game under way.
struct OpenGame {
    /// Its place in the order of input.
    index: u64,
    game: Arc<Game>,
    told: Option<GameEvals>,
    answers: Mutex<Vec<Option<Answer>>>,
    /// Set when one of its positions failed: the rest need not be asked about.
    failed: AtomicBool,
}

impl OpenGame {
    fn new(index: u64, game: Game, told: Option<GameEvals>) -> Self {
        let answers = Mutex::new(vec![None; game.plies.len()]);
        Self { index, game: Arc::new(game), told, answers, failed: AtomicBool::new(false) }
    }

    /// The curve that was asked for, or that of whoever evaluates.
    fn curve(&self, analyst: &dyn Analyst, options: &Options) -> Curve {
        options.curve.unwrap_or_else(|| match &self.told {
            Some(told) => told.curve(&self.game),
            None => Curve::for_engine(&analyst.identity().name),
        })
    }

    /// Takes an answer in; the event is that of the last one, or of the first that failed.
    fn put(
        &self,
        position: &Position,
        answer: Result<Answer, JudgeError>,
        analyst: &dyn Analyst,
        options: &Options,
    ) -> Option<Event> {
        match answer {
            Ok(answer) => {
                let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
                answers[position.ply] = Some(answer);
                let all: Vec<Answer> = answers.iter().cloned().collect::<Option<_>>()?;
                Some(self.reviewed(&all, analyst, options))
            }
            Err(_) if self.failed.swap(true, Ordering::Relaxed) => None,
            Err(source) => {
                let before = position.before.position();
                let dots = before.turn().fold_wb(".", "...");
                let san = self.game.plies[position.ply].san(before);
                let ply = format!("{}{dots} {san}", before.fullmoves());
                Some(Event::Failed(Failure { index: self.index, game: Arc::clone(&self.game), ply, source }))
            }
        }
    }

    fn reviewed(&self, answers: &[Answer], analyst: &dyn Analyst, options: &Options) -> Event {
        let curve = self.curve(analyst, options);
        let mut plies = Vec::with_capacity(answers.len());
        let clocks = clocks(&self.game);
        for (((before, ply), answer), clock) in self.game.mainline().zip(answers).zip(&clocks) {
            let mut reviewed = judge(&before, ply, answer.findings.clone(), *clock, &plies, &curve, options);
            reviewed.ease.clone_from(&answer.ease);
            plies.push(reviewed);
        }
        let asked = answers.iter().any(|answer| answer.asked);
        let analyst = asked.then(|| analyst.identity());
        Event::Reviewed(Box::new(Review::new(Arc::clone(&self.game), plies, analyst, curve, options.clone())))
    }
}
