//! One UCI engine.

mod after_moves;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use centipawn_core::Score;
use centipawn_progress::Cancel;
use shakmaty::Move;

use crate::{
    Analysis, AnalystError, EngineConfig, Identity, Limit, Patience, Question,
    collect::{BadReport, Collector},
    handshake::{LOOK, introduce, ready, set_up},
    options,
    process::{Process, Received},
    sent::Sent,
    uci::{self, Info, Message, OptionDecl, OptionKind},
};

/// Number of nodes that an engine may visit beyond twice its limit before it gets `stop`: many
/// check the counter rarely.
const OVERSHOOT: u64 = 20_000;

/// With a limit of at least this many nodes, an engine that ends at depth 1 does not understand `go
/// nodes`.
const MANY_NODES: u64 = 1_000;

/// One UCI engine in a separate process. It answers one question at a time.
///
/// Answers do not depend on earlier questions: each search begins with a cleared hash. Dropping the
/// engine ends its process and all processes that it started.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_engine::{Engine, EngineConfig, Limit, Question, find};
///
/// # let Ok(command) = find("stockfish") else { return Ok(()) };
/// # /*
/// let command = find("stockfish")?;
/// # */
/// let mut engine = Engine::start(&EngineConfig::new(command))?;
/// let scholar = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
/// let question = Question::new(History::from_fen(scholar, None).unwrap(), Limit::Depth(4));
/// let best = &engine.analyse(&question)?.lines[0];
/// assert_eq!(question.history.uci(best.first_move()).to_string(), "h5f7");
/// assert_eq!(best.eval.to_string(), "#1");
/// # Ok::<(), centipawn_engine::AnalystError>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    process: Process,
    identity: Arc<Identity>,
    options: Vec<OptionDecl>,
    patience: Patience,
    sent: Sent,
    /// The engine does not understand `go nodes`: this program counts the nodes and sends `stop`.
    counts_no_nodes: bool,
    /// After a cancelled question: what the engine must still answer, and the deadline for it.
    stopping: Option<(Pending, Instant)>,
    /// The changes of the best move during a watched search.
    sightings: Option<Vec<Sighting>>,
}

/// The reply that the engine still owes to a cancelled question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pending {
    ReadyOk,
    BestMove,
}

impl Pending {
    fn is_answered_by(self, line: &str) -> bool {
        match uci::parse(line) {
            Message::ReadyOk => self == Self::ReadyOk,
            Message::BestMove(_) => self == Self::BestMove,
            _ => false,
        }
    }
}

/// A moment of a search at which the first line began with another move than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// Since the search began.
    pub time: Duration,
    /// Number of nodes that the engine had visited; 0 if it does not print them.
    pub nodes: u64,
    /// Depth of the line.
    pub depth: u32,
    /// The move in UCI notation, as the engine wrote it.
    pub uci: String,
}

impl Engine {
    /// Starts an engine and sets its options.
    ///
    /// # Errors
    ///
    /// [`AnalystError::Start`], [`Handshake`](AnalystError::Handshake),
    /// [`Option`](AnalystError::Option), [`Unready`](AnalystError::Unready) or
    /// [`Died`](AnalystError::Died).
    pub fn start(config: &EngineConfig) -> Result<Self, AnalystError> {
        Self::start_under(config, &Cancel::new())
    }

    /// Like [`start`](Self::start); setting `cancel` kills the engine, also while it starts.
    ///
    /// # Errors
    ///
    /// [`AnalystError::Cancelled`], and the errors of [`start`](Self::start).
    pub fn start_under(config: &EngineConfig, cancel: &Cancel) -> Result<Self, AnalystError> {
        Self::start_for(config, cancel, cancel)
    }

    /// Starts an engine. `life` kills it at any time, `question` only while it starts.
    pub(crate) fn start_for(
        config: &EngineConfig,
        life: &Cancel,
        question: &Cancel,
    ) -> Result<Self, AnalystError> {
        let process =
            Process::spawn(&config.command, config.patience.quit, life).map_err(|error| {
                AnalystError::Start {
                    engine: config.command.to_string(),
                    reason: error.to_string(),
                }
            })?;
        let while_starting = process.kill_on(question);
        let engine = Self::introduced(process, config);
        drop(while_starting);
        // The start failed because it was cancelled, so do not report the engine's error.
        if question.is_set() {
            Err(AnalystError::Cancelled)
        } else {
            engine
        }
    }

    fn introduced(mut process: Process, config: &EngineConfig) -> Result<Self, AnalystError> {
        let introduction = introduce(&mut process, config)?;
        let (commands, identity) = set_up(&introduction, &config.options)?;
        process.send(&commands);
        // `question` is not passed on, because setting it kills the engine, which also ends the
        // handshake.
        let never = Cancel::new();
        ready(
            &mut process,
            &identity.name,
            config.patience.ready,
            &never,
            || "the first position".to_owned(),
        )?;
        Ok(Self {
            process,
            identity: Arc::new(identity),
            options: introduction.options,
            patience: config.patience,
            sent: Sent::default(),
            counts_no_nodes: false,
            stopping: None,
            sightings: None,
        })
    }

    /// Returns the engine's name, author and options.
    pub fn identity(&self) -> Arc<Identity> {
        Arc::clone(&self.identity)
    }

    /// Returns the options that the engine offers, in its order.
    pub fn options(&self) -> &[OptionDecl] {
        &self.options
    }

    /// Sends `quit` without waiting; the engine then answers no more questions.
    pub(crate) fn dismiss(&mut self) {
        self.process.dismiss();
    }

    /// Answers one question.
    ///
    /// # Errors
    ///
    /// Any [`AnalystError`] about a running engine. After a [transient](AnalystError::is_transient)
    /// error the engine may be dead and should be dropped; after any other error it answers the
    /// next question.
    pub fn analyse(&mut self, question: &Question) -> Result<Analysis, AnalystError> {
        self.analyse_under(question, &Cancel::new())
    }

    /// Like [`analyse`](Self::analyse), but returns within 0.1 s when `cancel` is set. A search
    /// then gets `stop`, and the engine is ready for the next question when it obeys. If it does
    /// not answer within [`Patience::stop`], the next question kills it.
    ///
    /// # Errors
    ///
    /// [`AnalystError::Cancelled`], and the errors of [`analyse`](Self::analyse).
    pub fn analyse_under(
        &mut self,
        question: &Question,
        cancel: &Cancel,
    ) -> Result<Analysis, AnalystError> {
        let candidates = question.candidates()?;
        if candidates.is_empty() {
            return Ok(Analysis::terminal());
        }
        self.settle(question, cancel)?;
        let wanted = question.lines.max(1).min(candidates.len());
        let Some(mut analysis) = self.ask(question, &candidates, wanted, cancel)? else {
            return self.search_after(question, &candidates, wanted, cancel);
        };
        while analysis.lines.len() < wanted {
            self.add_lines(&mut analysis, question, &candidates, wanted, cancel)?;
        }
        Ok(analysis)
    }

    /// Like [`analyse_under`](Self::analyse_under) for the best line, with the moments at which the
    /// best move changed.
    ///
    /// # Errors
    ///
    /// The errors of [`analyse_under`](Self::analyse_under).
    pub fn analyse_watched(
        &mut self,
        question: &Question,
        cancel: &Cancel,
    ) -> Result<(Analysis, Vec<Sighting>), AnalystError> {
        self.sightings = Some(Vec::new());
        let analysis = self.analyse_under(question, cancel);
        let sightings = self.sightings.take().unwrap_or_default();
        Ok((analysis?, sightings))
    }

    /// Returns whether the engine still owes the answer to a cancelled question.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.is_some()
    }

    /// Waits for the end of a cancelled question and discards its answer. `question` is the next
    /// question, for the error.
    pub(crate) fn settle(
        &mut self,
        question: &Question,
        cancel: &Cancel,
    ) -> Result<(), AnalystError> {
        while let Some((owed, deadline)) = self.stopping {
            if cancel.is_set() {
                return Err(AnalystError::Cancelled);
            }
            match self.process.listen(deadline.min(Instant::now() + LOOK)) {
                Received::Line(line) if owed.is_answered_by(&line) => self.stopping = None,
                Received::End => return Err(self.died(question)),
                _ if Instant::now() >= deadline => {
                    self.process.kill();
                    let (engine, waited) = (self.identity.name.clone(), self.patience.stop);
                    return Err(AnalystError::Unready {
                        engine,
                        waited,
                        fen: question.history.fen(),
                    });
                }
                Received::Line(_) | Received::Nothing => {}
            }
        }
        Ok(())
    }

    /// Searches the moves that have no line yet, to the same limit. Lines are missing if the search
    /// was too short to fill all ranks, or if the engine has no MultiPV.
    fn add_lines(
        &mut self,
        analysis: &mut Analysis,
        question: &Question,
        candidates: &[Move],
        wanted: usize,
        cancel: &Cancel,
    ) -> Result<(), AnalystError> {
        let got = analysis.lines.len();
        let rest = analysis.without_line(candidates);
        let about_rest = question.clone().searchmoves(rest.iter().copied());
        let more = match self.ask(&about_rest, &rest, wanted - got, cancel) {
            // The engine ignores `searchmoves`. Search the position after each move instead, unless
            // all legal moves were asked for, which would be too many.
            Ok(None) if !question.searchmoves.is_empty() => self
                .search_after(question, &rest, wanted - got, cancel)
                .map(Some),
            more => more,
        };
        match more {
            Ok(Some(more)) => {
                analysis.extend(more);
                Ok(())
            }
            Ok(None) | Err(AnalystError::NoScore { .. }) => Err(AnalystError::TooFewLines {
                engine: self.identity.name.clone(),
                wanted,
                got,
                limit: question.limit,
                has_multipv: self.most_lines() > 1,
                fen: question.history.fen(),
            }),
            Err(error) => Err(error),
        }
    }

    /// Runs one search. The answer has from 1 to `wanted` lines; `None` if the engine ignored
    /// `searchmoves` and answered with other moves.
    fn ask(
        &mut self,
        question: &Question,
        candidates: &[Move],
        wanted: usize,
        cancel: &Cancel,
    ) -> Result<Option<Analysis>, AnalystError> {
        let wanted = wanted.min(self.most_lines());
        self.prepare(question, wanted, cancel)?;
        cancel.check().map_err(|_| AnalystError::Cancelled)?;
        let began = Instant::now();
        self.process
            .send(&search_commands(question, self.counts_no_nodes));
        let (collector, bestmove) = self.search(question, wanted, began, cancel)?;
        let gave_up = matches!(question.limit, Limit::Nodes(nodes) if nodes >= MANY_NODES && collector.nodes < nodes / 10)
            && collector.depth == 1
            && candidates.len() > 1;
        if gave_up && !self.counts_no_nodes {
            self.counts_no_nodes = true;
            return self.ask(question, candidates, wanted, cancel);
        }
        // An engine that this program stops ends with whatever it printed last, which depends on
        // the machine's speed.
        let believes_bounds = !(self.counts_no_nodes && matches!(question.limit, Limit::Nodes(_)));
        read_search(
            &self.identity.name,
            question,
            candidates,
            collector,
            &bestmove,
            believes_bounds,
            began.elapsed(),
        )
    }

    /// Clears the engine's memory and sets the options that this question needs.
    fn prepare(
        &mut self,
        question: &Question,
        wanted: usize,
        cancel: &Cancel,
    ) -> Result<(), AnalystError> {
        let sent = &mut self.sent;
        let commands = sent.prepare(&self.options, &self.identity, question, wanted)?;
        self.process.send(&commands);
        let name = &self.identity.name;
        let answered = ready(&mut self.process, name, self.patience.ready, cancel, || {
            question.history.fen()
        });
        if answered == Err(AnalystError::Cancelled) {
            self.stopping = Some((Pending::ReadyOk, Instant::now() + self.patience.stop));
        }
        answered
    }

    /// Returns the greatest number of lines that one search returns.
    fn most_lines(&self) -> usize {
        match options::find(&self.options, "MultiPV") {
            Some(OptionDecl {
                kind: OptionKind::Spin { max, .. },
                ..
            }) => usize::try_from(*max).unwrap_or(1).max(1),
            _ => 1,
        }
    }

    /// Reads the engine's output from `go` to `bestmove`.
    fn search(
        &mut self,
        question: &Question,
        wanted: usize,
        began: Instant,
        cancel: &Cancel,
    ) -> Result<(Collector, String), AnalystError> {
        let mut collector = Collector::new(wanted);
        // If the search is repeated, forget the changes of the first attempt.
        self.sightings.iter_mut().for_each(Vec::clear);
        let patience = self
            .patience
            .search
            .unwrap_or_else(|| question.limit.generous_time(wanted));
        let mut deadline = began + patience;
        let mut stopped = false;
        let too_many_nodes = match question.limit {
            Limit::Nodes(nodes) if self.counts_no_nodes => nodes.saturating_sub(1),
            Limit::Nodes(nodes) => nodes.saturating_mul(2).saturating_add(OVERSHOOT),
            Limit::Depth(_) | Limit::MoveTime(_) => u64::MAX,
        };
        loop {
            if cancel.is_set() {
                if !stopped {
                    self.process.send("stop\n");
                }
                self.stopping = Some((Pending::BestMove, Instant::now() + self.patience.stop));
                return Err(AnalystError::Cancelled);
            }
            let received = self.process.listen(deadline.min(Instant::now() + LOOK));
            let is_late = Instant::now() >= deadline;
            match received {
                Received::Line(line) => match uci::parse(&line) {
                    Message::Info(info) => {
                        collector.add(&info);
                        if let Some(sightings) = &mut self.sightings {
                            watch(sightings, &info, began);
                        }
                    }
                    Message::BestMove(mv) => {
                        let reached = match question.limit {
                            Limit::Nodes(nodes) => collector.nodes >= nodes,
                            Limit::Depth(depth) => collector.depth >= depth,
                            Limit::MoveTime(time) => began.elapsed() >= time,
                        };
                        // A search stopped before its limit does not answer the question.
                        if stopped && !reached {
                            return Err(self.timeout(question, began, true));
                        }
                        return Ok((collector, mv.to_owned()));
                    }
                    _ => {}
                },
                Received::Nothing => {}
                Received::End => return Err(self.died(question)),
            }
            if is_late && stopped {
                self.process.kill();
                return Err(self.timeout(question, began, false));
            }
            if is_late || (!stopped && collector.nodes > too_many_nodes) {
                self.process.send("stop\n");
                stopped = true;
                deadline = Instant::now() + self.patience.stop;
            }
        }
    }

    fn died(&mut self, question: &Question) -> AnalystError {
        let (status, stderr) = self.process.post_mortem();
        AnalystError::Died {
            engine: self.identity.name.clone(),
            status,
            fen: question.history.fen(),
            stderr,
        }
    }

    fn timeout(&self, question: &Question, began: Instant, obeyed: bool) -> AnalystError {
        AnalystError::Timeout {
            engine: self.identity.name.clone(),
            limit: question.limit,
            waited: began.elapsed(),
            obeyed,
            fen: question.history.fen(),
        }
    }
}

/// Returns the commands that set the position and begin a search. `counts_no_nodes`: the engine
/// does not understand `go nodes`.
pub(crate) fn search_commands(question: &Question, counts_no_nodes: bool) -> String {
    let history = &question.history;
    let mut commands = if history.is_from_startpos() {
        "position startpos".to_owned()
    } else {
        format!("position fen {}", history.start_fen())
    };
    let words = |commands: &mut String, head: &str, moves: &[Move]| {
        if !moves.is_empty() {
            commands.push_str(head);
            for mv in moves {
                commands.push(' ');
                commands.push_str(&history.uci(*mv).to_string());
            }
        }
    };
    words(&mut commands, " moves", history.moves());
    commands.push_str("\ngo ");
    match question.limit {
        Limit::Nodes(_) if counts_no_nodes => commands.push_str("infinite"),
        limit => commands.push_str(&limit.uci()),
    }
    words(&mut commands, " searchmoves", &question.searchmoves);
    commands.push('\n');
    commands
}

/// Converts the reports to an analysis and checks every move; `None` if a move is not among the
/// candidates. `believes_bounds`: see [`Collector::finish`].
pub(crate) fn read_search(
    engine: &str,
    question: &Question,
    candidates: &[Move],
    collector: Collector,
    bestmove: &str,
    believes_bounds: bool,
    time: Duration,
) -> Result<Option<Analysis>, AnalystError> {
    let history = &question.history;
    let (engine, fen, limit) = (engine.to_owned(), history.fen(), question.limit);
    let Ok(best) = history.parse_uci(bestmove) else {
        return Err(AnalystError::IllegalMove {
            engine,
            text: format!("bestmove {bestmove}"),
            fen,
        });
    };
    let nodes = collector.nodes;
    let lines = match collector.finish(history, believes_bounds) {
        Ok(lines) => lines,
        Err(BadReport::Illegal(illegal)) => {
            return Err(AnalystError::IllegalMove {
                engine,
                text: format!("pv {}", illegal.uci),
                fen,
            });
        }
        Err(BadReport::Implausible(score)) => {
            let score = match score {
                Score::Cp(cp) => format!("cp {cp}"),
                Score::Mate(moves) => format!("mate {moves}"),
            };
            return Err(AnalystError::ImplausibleScore { engine, score, fen });
        }
    };
    if lines
        .iter()
        .map(crate::Line::first_move)
        .chain([best])
        .any(|mv| !candidates.contains(&mv))
    {
        return Ok(None);
    }
    match lines.first() {
        None => Err(AnalystError::NoScore { engine, limit, fen }),
        Some(best) => Ok(Some(Analysis {
            depth: best.depth,
            lines,
            nodes,
            time,
        })),
    }
}

/// Notes a line if its first move is another than before.
fn watch(sightings: &mut Vec<Sighting>, info: &Info<'_>, began: Instant) {
    let uci = info.pv.and_then(|pv| pv.split_whitespace().next());
    let Some(uci) = uci.filter(|_| info.score.is_some() && info.multipv.unwrap_or(1) == 1) else {
        return;
    };
    if sightings.last().is_none_or(|last| last.uci != uci) {
        let (nodes, depth) = (info.nodes.unwrap_or(0), info.depth.unwrap_or(0));
        sightings.push(Sighting {
            time: began.elapsed(),
            nodes,
            depth,
            uci: uci.to_owned(),
        });
    }
}
