//! Engines that another program runs.

use std::{sync::Arc, time::Duration};

use shakmaty::Move;

use crate::{
    Analysis, AnalystError, Identity, Question,
    collect::Collector,
    engine::{read_search, search_commands},
    handshake::{Introduction, Read, set_up},
    options,
    sent::Sent,
    uci::{self, Message, OptionDecl, OptionKind},
};

/// A UCI engine that another program runs, such as a page in a browser: this type writes the
/// commands and reads the output. Its answers are those of an [`Engine`](crate::Engine) that prints
/// the same lines.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_engine::{DetachedEngine, Limit, Question};
///
/// let engine = DetachedEngine::introduced("id name Rook 1\nuciok\n", &[])?;
/// let question = Question::new(History::default(), Limit::Nodes(1000));
/// // The first time the search is unknown. The caller runs it, and asks again.
/// let mut wanted = String::new();
/// let unknown = engine.analyse(&question, |commands| {
///     wanted = commands.to_owned();
///     None
/// });
/// assert!(unknown.is_none() && wanted.ends_with("position startpos\ngo nodes 1000\n"));
/// let output = "info depth 9 score cp 21 nodes 1003 pv d2d4 d7d5\nbestmove d2d4\n";
/// let analysis = engine.analyse(&question, |_| Some(output)).unwrap()?;
/// assert_eq!(analysis.lines[0].eval.to_string(), "+0.21");
/// # Ok::<_, centipawn_engine::AnalystError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DetachedEngine {
    identity: Arc<Identity>,
    options: Vec<OptionDecl>,
    set_up: String,
}

impl DetachedEngine {
    /// Reads the lines that an engine printed after `uci`. `options` are names and values to set.
    ///
    /// # Errors
    ///
    /// [`AnalystError::Handshake`] without `uciok`, or [`AnalystError::Option`].
    pub fn introduced(output: &str, options: &[(String, String)]) -> Result<Self, AnalystError> {
        let mut introduction = Introduction::default();
        let is_end = |line| matches!(introduction.read(line), Read::End);
        if !output.lines().any(is_end) {
            return Err(AnalystError::Handshake {
                engine: "the engine".to_owned(),
                reason: "it ended before uciok".to_owned(),
            });
        }
        let (set_up, identity) = set_up(&introduction, options)?;
        Ok(Self {
            identity: Arc::new(identity),
            options: introduction.options,
            set_up,
        })
    }

    /// Returns the commands that set all options. They come before the first search.
    pub fn set_up(&self) -> &str {
        &self.set_up
    }

    /// Returns the engine's name, author and options.
    pub fn identity(&self) -> Arc<Identity> {
        Arc::clone(&self.identity)
    }

    /// Answers a question from the output of searches. `search` returns the lines that the engine
    /// printed from `go` to `bestmove` after these commands, which clear the hash, set all options
    /// that the question needs, and begin the search. Returns `None` if `search` does so, because
    /// the engine did not run this search yet.
    ///
    /// # Errors
    ///
    /// Any [`AnalystError`] about the output of an engine.
    pub fn analyse<'a>(
        &self,
        question: &Question,
        mut search: impl FnMut(&str) -> Option<&'a str>,
    ) -> Option<Result<Analysis, AnalystError>> {
        let candidates = match question.candidates() {
            Ok(candidates) if candidates.is_empty() => return Some(Ok(Analysis::terminal())),
            Ok(candidates) => candidates,
            Err(error) => return Some(Err(error)),
        };
        let wanted = question.lines.max(1).min(candidates.len());
        let mut ask = |question: &Question, candidates: &[Move], wanted: usize| {
            let commands = match self.commands(question, wanted) {
                Ok(commands) => commands,
                Err(error) => return Some(Err(error)),
            };
            Some(self.read(question, candidates, wanted, search(&commands)?))
        };
        let mut analysis = match ask(question, &candidates, wanted)? {
            Ok(analysis) => analysis,
            Err(error) => return Some(Err(error)),
        };
        // Lines are missing if the search was too short to fill all ranks, or if the engine has no
        // MultiPV. Search the other moves, as `Engine` does.
        while analysis.lines.len() < wanted {
            let rest = analysis.without_line(&candidates);
            let about_rest = question.clone().searchmoves(rest.iter().copied());
            match ask(&about_rest, &rest, wanted - analysis.lines.len())? {
                Ok(more) => analysis.extend(more),
                Err(AnalystError::NoScore { .. }) => {
                    return Some(Err(AnalystError::TooFewLines {
                        engine: self.identity.name.clone(),
                        wanted,
                        got: analysis.lines.len(),
                        limit: question.limit,
                        has_multipv: self.most_lines() > 1,
                        fen: question.history.fen(),
                    }));
                }
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok(analysis))
    }

    fn commands(&self, question: &Question, wanted: usize) -> Result<String, AnalystError> {
        let lines = wanted.min(self.most_lines());
        // The options that the engine received before are unknown.
        let commands = Sent::default().prepare(&self.options, &self.identity, question, lines)?;
        Ok(commands + &search_commands(question, false))
    }

    fn read(
        &self,
        question: &Question,
        candidates: &[Move],
        wanted: usize,
        output: &str,
    ) -> Result<Analysis, AnalystError> {
        let mut collector = Collector::new(wanted.min(self.most_lines()));
        let mut bestmove = "";
        for line in output.lines() {
            match uci::parse(line) {
                Message::Info(info) => collector.add(&info),
                Message::BestMove(mv) => bestmove = mv,
                _ => {}
            }
        }
        let engine = &self.identity.name;
        let read = read_search(
            engine,
            question,
            candidates,
            collector,
            bestmove,
            true,
            Duration::ZERO,
        )?;
        read.ok_or_else(|| AnalystError::IllegalMove {
            engine: engine.clone(),
            text: format!("bestmove {bestmove}, another move than asked for,"),
            fen: question.history.fen(),
        })
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
}
