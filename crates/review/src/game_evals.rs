//! Evaluations that stand in games, as an analyst.

use std::{collections::HashMap, sync::Arc, time::Duration};

use centipawn_core::{Eval, History, Mover};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Line, Question};
use centipawn_pgn::{Dialect, Game, Told};
use shakmaty::Move;

/// What games' own comments say of their positions, as an analyst that knows nothing else.
///
/// It answers for a move that was played and evaluated, and for a position (one line) where the played move is known to be the
/// evaluator's own choice, or is worth no less than the position; to anything else its answer is [`AnalystError::Unknown`]. The
/// limit of a question means nothing to it. Put it before engines with [`Fallback`](centipawn_engine::Fallback).
///
/// ```
/// use centipawn_core::{Eval, History};
/// use centipawn_engine::{Analyst, Limit, Question};
/// use centipawn_pgn::{Dialect, Reader};
/// use centipawn_review::GameEvals;
///
/// let pgn = "1. e4 { [%eval 0.24] } e5 { [%eval 0.24] } 2. Qh5 { [%eval -0.3] } *";
/// let games = Reader::new(pgn.as_bytes()).filter_map(Result::ok).filter_map(Result::ok);
/// let told = GameEvals::read(games, Dialect::Auto);
///
/// let mut question = Question::new(History::default(), Limit::Depth(1));
/// assert_eq!(told.analyse(&question)?.lines[0].eval, Eval::cp(24));
/// for uci in ["e2e4", "e7e5"] {
///     let mv = question.history.parse_uci(uci).unwrap();
///     question.history.push(mv);
/// }
/// assert!(told.analyse(&question).is_err());        // +0.24, but by which move? Qh5 it is not
/// let played = question.history.parse_uci("d1h5").unwrap();
/// assert_eq!(told.analyse(&question.searchmoves([played]))?.lines[0].eval, Eval::cp(-30));
/// # Ok::<(), centipawn_engine::AnalystError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct GameEvals {
    positions: HashMap<String, Known>,
}

/// What is said of a position.
#[derive(Clone, Debug, Default)]
struct Known {
    /// Of the position, and the move that the evaluator chose, where that is known.
    best: Option<(Eval<Mover>, Option<Move>)>,
    /// Of moves played in it.
    moves: Vec<(Move, Eval<Mover>)>,
}

impl GameEvals {
    /// Reads all comments of these games, written in that dialect. Where games differ about a position, the first counts.
    pub fn read(games: impl IntoIterator<Item = Game>, dialect: Dialect) -> Self {
        let mut positions: HashMap<String, Known> = HashMap::new();
        for game in games {
            let told = Told::read(&game, dialect);
            for (index, (before, ply)) in game.mainline().enumerate() {
                let known = positions.entry(key(&before)).or_default();
                if let Some(eval) = told.of_position(index, &before) {
                    known.best.get_or_insert((eval, told.is_movers_own(index).then_some(ply.mv)));
                }
                let is_new = known.moves.iter().all(|(mv, _)| *mv != ply.mv);
                if let Some(eval) = told.of_move(index, &before, ply.mv).filter(|_| is_new) {
                    known.moves.push((ply.mv, eval));
                }
            }
        }
        Self { positions }
    }

    /// How many positions something is said of.
    pub fn positions(&self) -> usize {
        self.positions.values().filter(|known| known.best.is_some() || !known.moves.is_empty()).count()
    }
}

/// The position without its clocks: evaluators know the game, but none of them says so.
fn key(history: &History) -> String {
    let fen = history.fen();
    fen.rsplitn(3, ' ').last().unwrap_or(&fen).to_owned()
}

impl Analyst for GameEvals {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let candidates = question.candidates()?;
        if candidates.is_empty() {
            return Ok(Analysis::terminal());
        }
        let unknown = |reason: &str| AnalystError::Unknown {
            analyst: self.identity().name.clone(),
            reason: reason.to_owned(),
            fen: question.history.fen(),
        };
        if question.lines.min(candidates.len()) > 1 {
            return Err(unknown("a game tells one line at most"));
        }
        let Some(known) = self.positions.get(&key(&question.history)) else {
            return Err(unknown("its games say nothing of it"));
        };
        let played = |wanted: Move| known.moves.iter().find(|(mv, _)| *mv == wanted).copied();
        let told = if let [only] = candidates[..] {
            // The one move is worth what the position is.
            let is_forced = question.searchmoves.is_empty();
            played(only).or_else(|| known.best.filter(|_| is_forced).map(|(eval, _)| (only, eval)))
        } else if question.searchmoves.is_empty() {
            known.best.and_then(|(eval, chosen)| match chosen {
                Some(mv) => Some((mv, eval)),
                None => known.moves.iter().copied().filter(|(_, worth)| *worth >= eval).max_by_key(|(_, worth)| *worth),
            })
        } else {
            None
        };
        let (mv, eval) = told.ok_or_else(|| unknown("its games do not say by which move"))?;
        let line = Line { pv: vec![mv], eval, wdl: None, depth: 0, seldepth: None };
        Ok(Analysis { lines: vec![line], nodes: 0, depth: 0, time: Duration::ZERO })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::new(Identity { name: "the PGN".to_owned(), ..Identity::default() })
    }

    fn parallelism(&self) -> usize {
        1
    }
}

#[cfg(test)]
mod tests {
    use centipawn_engine::Limit;
    use centipawn_pgn::Reader;

    use super::*;

    fn told(pgn: &str) -> GameEvals {
        GameEvals::read(Reader::new(pgn.as_bytes()).map(|game| game.unwrap().unwrap()), Dialect::Auto)
    }

    fn after(moves: &str) -> Question {
        let mut history = History::default();
        for uci in moves.split_whitespace() {
            let mv = history.parse_uci(uci).unwrap();
            history.push(mv);
        }
        Question::new(history, Limit::Nodes(1))
    }

    fn answer(told: &GameEvals, question: &Question) -> Option<(String, String)> {
        let analysis = told.analyse(question).ok()?;
        let line = analysis.best()?;
        Some((question.history.uci(line.first_move()).to_string(), line.eval.to_string()))
    }

    fn is(uci: &str, eval: &str) -> Option<(String, String)> {
        Some((uci.to_owned(), eval.to_owned()))
    }

    /// Engines in matches evaluate the move they choose; the other side's view is its own.
    #[test]
    fn movers_tell_of_their_choice() {
        let told = told("1. e4 {+0.15/20 1s} e5 {-0.20/20 1s} 2. Nf3 {+0.30/20 1s} *");
        assert_eq!(told.positions(), 3);
        assert_eq!(answer(&told, &after("")), is("e2e4", "+0.15"));
        assert_eq!(answer(&told, &after("e2e4")), is("e7e5", "-0.20"));
        assert_eq!(answer(&told, &after("e2e4 c7c5")), None);
        assert_eq!(answer(&told, &after("").lines(2)), None);
    }

    #[test]
    fn sites_tell_of_positions() {
        let told = told("1. e4 { [%eval 0.3] } e5 { [%eval 0.3] } 2. Ke2 { [%eval -0.9] } Nc6 { [%eval -0.9] } *");
        assert_eq!(answer(&told, &after("e2e4")), is("e7e5", "-0.30"));
        let blunder = after("e2e4 e7e5");
        assert_eq!(answer(&told, &blunder), None, "it was not the best, and nobody says what was");
        let mv = blunder.history.parse_uci("e1e2").unwrap();
        assert_eq!(answer(&told, &blunder.clone().searchmoves([mv])), is("e1e2", "-0.90"));
        let other = blunder.history.parse_uci("g1f3").unwrap();
        let error = told.analyse(&blunder.searchmoves([other])).unwrap_err().to_string();
        assert!(error.starts_with("the PGN has no answer at "), "{error}");
    }

    #[test]
    fn mates_and_ends() {
        let told = told("1. f3 { [%eval -0.5] } e5 { [%eval -0.5] } 2. g4 { [%eval #-1] } Qh4# 0-1");
        assert_eq!(answer(&told, &after("f2f3 e7e5 g2g4")), is("d8h4", "#1"));
        assert!(told.analyse(&after("f2f3 e7e5 g2g4 d8h4")).unwrap().lines.is_empty());
    }
}
