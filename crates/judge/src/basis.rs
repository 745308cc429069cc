//! The findings before a move, as a command in the annotated game: `[%basis 0.45 0.30 d2d4 0.45/12
//! e2e4 0.30/12]`.
//!
//! The arguments are the evaluations of the best move and of the played one, then the first move of
//! each of the analyst's lines with evaluation and depth. Evaluations are White's, moves in UCI
//! notation. With this command a review that is read back gives the same symbols and numbers: the
//! evaluation after the previous move comes from another search and differs. A last argument `rare`
//! means that humans rarely find the move. The further moves of a line are in the better line, if
//! there is one.

use std::fmt::Write as _;

use centipawn_core::{Eval, History, MoveSymbol, White};
use centipawn_engine::Line;
use centipawn_pgn::{Annotation, Dialect, Game, GameEvals, Ply};
use shakmaty::{Color, Move};

use crate::{
    JudgedMove, PositionFindings,
    better_line::{LOSS, is_better_line},
    praise::earned,
};

/// Name of the comment command that holds the findings.
pub const BASIS: &str = "basis";
/// The last argument, if humans rarely find the move.
const RARE: &str = "rare";

impl PositionFindings {
    /// Findings from the game's own comments for the move at `index`, from 0: those of an earlier
    /// review, or else the evaluations of the positions before and after the move. `None` if they
    /// do not suffice.
    pub(crate) fn of_game(
        game: &Game,
        evals: &GameEvals,
        index: usize,
        before: &History,
    ) -> Option<Self> {
        let ply = &game.plies[index];
        read(ply, evals, index, before).or_else(|| Self::from_game(evals, index, before, ply.mv))
    }
}

/// Findings of an earlier review; `None` without them, or if the game's evaluations have changed
/// since.
fn read(ply: &Ply, evals: &GameEvals, index: usize, before: &History) -> Option<PositionFindings> {
    let mut words = ply
        .command(BASIS)?
        .split_whitespace()
        .filter(|word| *word != RARE);
    let eval = |word: &str| {
        let (eval, depth) = eval_of(word)?;
        Some((
            evals.in_units(eval.for_mover(before.turn())),
            depth.unwrap_or(0),
        ))
    };
    let (best, _) = eval(words.next()?)?;
    let (played, _) = eval(words.next()?)?;
    if evals.of_move(index, before, ply.mv) != Some(played) || best < played {
        return None;
    }
    let better = better_lines(ply, before);
    let mut lines: Vec<Line> = Vec::new();
    while let Some(uci) = words.next() {
        let mv = before.parse_uci(uci).ok()?;
        let (eval, depth) = eval(words.next()?)?;
        // An analyst's lines begin with different moves. A hostile file may repeat a move many
        // times, so reject the whole command.
        if lines.iter().any(|line| line.first_move() == mv) {
            return None;
        }
        let pv = better
            .iter()
            .find(|line| line.first() == Some(&mv))
            .cloned()
            .unwrap_or_else(|| vec![mv]);
        lines.push(Line {
            pv,
            eval,
            last_exact: None,
            wdl: None,
            depth,
            seldepth: None,
        });
    }
    let best_other = lines
        .iter()
        .find(|line| line.first_move() != ply.mv)
        .map(|line| line.eval);
    let (played_last_exact, limit) = (None, None);
    let (ease, proof, answer) = (Vec::new(), None, Vec::new());
    Some(PositionFindings {
        lines,
        best,
        played,
        played_last_exact,
        best_other,
        limit,
        ease,
        proof,
        answer,
    })
}

/// Returns the better lines that an earlier review wrote at a move. The command has only the first
/// moves of the other lines.
fn better_lines(ply: &Ply, before: &History) -> Vec<Vec<Move>> {
    if !ply.comments.iter().any(|comment| comment.contains(LOSS)) {
        return Vec::new();
    }
    let lines = ply
        .variations
        .iter()
        .filter(|line| is_better_line(line, before.position()));
    lines
        .map(|line| line.iter().map(|ply| ply.mv).collect())
        .collect()
}

/// `0.45`, `#-3`, `0.45/12` with the depth; `None` for other text.
fn eval_of(word: &str) -> Option<(Eval<White>, Option<u32>)> {
    let decoded = Annotation::decode(
        format!("[%eval {word}]").as_bytes(),
        Dialect::Commands,
        Color::White,
    );
    Some((decoded.eval?, decoded.depth))
}

/// Returns whether an earlier review noted that humans rarely find the move.
pub(crate) fn is_rare(ply: &Ply) -> bool {
    ply.command(BASIS)
        .is_some_and(|decoded| decoded.split_whitespace().next_back() == Some(RARE))
}

/// Returns the arguments of the command for a move; `None` if the evaluations of this move and the
/// previous one give the same. `previous` is the judged move before it.
pub fn basis(review: &JudgedMove, previous: Option<&JudgedMove>) -> Option<String> {
    let from_evals = match previous {
        Some(previous) => previous.eval,
        // `GameEvals` assumes +0.15 for the normal start position.
        None => {
            Some(Eval::cp(15)).filter(|_| review.before.is_from_startpos() && review.eval.is_some())
        }
    };
    let mover = |eval: Eval<White>| eval.for_mover(review.mover);
    let is_known = from_evals.is_some_and(|eval| {
        mover(eval).max(mover(review.eval_played)) == mover(review.eval_before)
    });
    if review.lines.is_empty() && is_known {
        return None;
    }
    let mut text = format!(
        "{} {}",
        eval_text(review.eval_before),
        eval_text(review.eval_played)
    );
    for line in &review.lines {
        let eval = eval_text(line.eval.for_white(review.mover));
        let _ = write!(
            text,
            " {} {eval}/{}",
            review.before.uci(line.first_move()),
            line.depth
        );
    }
    if is_brilliant_since_rare(review) {
        let _ = write!(text, " {RARE}");
    }
    Some(text)
}

fn is_brilliant_since_rare(review: &JudgedMove) -> bool {
    let bare = || {
        let score = review.mover_score(review.expected_score);
        earned(
            MoveSymbol::Brilliant,
            review.before.position(),
            review.mv,
            score,
            &[],
            false,
        )
    };
    review.symbol == Some(MoveSymbol::Brilliant) && bare() != MoveSymbol::Brilliant
}

fn eval_text(eval: Eval<White>) -> String {
    match eval.mate_moves() {
        Some(moves) => format!("#{moves}"),
        None => eval.to_string().trim_start_matches('+').to_owned(),
    }
}
