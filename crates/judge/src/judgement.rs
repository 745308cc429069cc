//! A judged game: its moves and their totals.

use std::{collections::HashSet, sync::Arc, time::Duration};

use centipawn_core::{
    Context, Curve, CurveChoice, Eval, MoveSymbol, Players, Scheme, White, accuracy_errors,
    accuracy_of_moves,
};
use centipawn_engine::Identity;
use centipawn_pgn::{Game, Opening};
use shakmaty::Color;

use crate::{
    GameFindings, JudgeOptions, JudgedMove, Phase, Tags,
    certainty::set_certainties,
    clock::total_time,
    ease::hardest_moments,
    findings::{drawn_by_rule, needs_search},
};

/// The most critical moments of a game.
const CRITICAL_MOMENTS: usize = 3;

/// The results that follow from the findings of a game by a curve, as values without text. The
/// crate `centipawn-review` writes the text.
///
/// ```
/// # use std::sync::Arc;
/// # use centipawn_core::{Curve, Eval};
/// # use centipawn_engine::Limit;
/// # use centipawn_judge::{GameFindings, JudgeOptions, PositionFindings, judge_game};
/// # use centipawn_pgn::Reader;
/// # let game = Reader::new("1. f3 e5 2. g4 Qh4# 0-1".as_bytes()).next().unwrap()?.unwrap();
/// # let found = |(best, played)| PositionFindings {
/// #     lines: Vec::new(), best, played, played_last_exact: None, best_other: None, limit: None,
/// #     ease: Vec::new(), proof: None, answer: Vec::new(),
/// # };
/// # let evals = [
/// #     (Eval::cp(30), Eval::cp(-50)), (Eval::cp(60), Eval::cp(50)),
/// #     (Eval::cp(-60), Eval::mate(-1)), (Eval::mate(1), Eval::mate(1)),
/// # ];
/// # let findings = GameFindings {
/// #     analyst: None, curve: Curve::LICHESS, positions: evals.map(found).to_vec(),
/// # };
/// # let options = JudgeOptions::new(Limit::Nodes(100_000));
/// use centipawn_core::MoveSymbol;
///
/// // The game 1. f3 e5 2. g4 Qh4# with its findings; `judge_game` shows how they are made.
/// let judgement = judge_game(Arc::new(game), &findings, &options);
/// assert_eq!(judgement.plies.len(), 4);
/// assert_eq!((judgement.white.moves, judgement.white.count(MoveSymbol::Blunder)), (2, 1));
/// assert!(judgement.critical_moments.contains(&2), "2. g4 decides the game");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Judgement {
    /// The game as read.
    pub game: Arc<Game>,
    /// The judged moves of the game.
    pub plies: Vec<JudgedMove>,
    /// The opening, from Centipawn's table; `None` if it is unknown.
    pub opening: Option<Opening>,
    /// White's totals.
    pub white: PlayerReview,
    /// Black's totals.
    pub black: PlayerReview,
    /// Indices into [`plies`](Self::plies) of the moves on which most depended, three at most, in
    /// the order of the game.
    pub critical_moments: Vec<usize>,
    /// Indices of the plies at which a good move was hardest to find, three at most, hardest first;
    /// empty without ease.
    pub hardest_moments: Vec<usize>,
    /// The analyst; `None` if every evaluation came from the game itself.
    pub analyst: Option<Arc<Identity>>,
    /// The curve from evaluations to expected scores.
    pub curve: Curve,
    /// The scheme from expected scores to symbols.
    pub scheme: Scheme,
    /// Ratings and time control of the players.
    pub players: Players,
    /// The options by which the game was searched and judged.
    pub options: JudgeOptions,
}

/// Totals of a player's moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerReview {
    /// Number of moves that the player made.
    pub moves: usize,
    /// Accuracy in Lichess' sense, per cent; `None` without a move.
    pub accuracy: Option<f64>,
    /// Standard error of [`accuracy`](Self::accuracy) by the errors of the searches, per cent;
    /// `None` if they are unknown.
    pub accuracy_error: Option<f64>,
    /// Pawns at equality lost, in total.
    pub relevant_loss: f64,
    /// Expected score lost, in total.
    pub score_loss: f64,
    /// Standard error of [`score_loss`](Self::score_loss) by the errors of the searches; `None` if
    /// they are unknown.
    pub score_loss_error: Option<f64>,
    /// Number of moves with each symbol, in the order of [`MoveSymbol::ALL`].
    pub symbols: [usize; 6],
    /// The phases of the game, in the order of [`Phase::ALL`].
    pub phases: [PhaseReview; 3],
    /// Time for the moves whose time is known; `None` if [too few](Self::timed_moves) are.
    pub time: Option<Duration>,
    /// Number of moves that [`time`](Self::time) counts. At most two moves, or a tenth of them, are
    /// missing; 0 without a time.
    pub timed_moves: usize,
}

/// Totals of a player's moves in one phase of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseReview {
    /// Number of moves that the player made in this phase.
    pub moves: usize,
    /// Expected score lost in this phase.
    pub score_loss: f64,
}

impl PlayerReview {
    fn new(plies: &[JudgedMove], color: Color, accuracy: Accuracy) -> Self {
        let own = || plies.iter().filter(|ply| ply.mover == color);
        let times: Vec<Option<Duration>> = own().map(|ply| ply.time).collect();
        let (time, timed_moves) = total_time(&times).unzip();
        Self {
            moves: own().count(),
            accuracy: accuracy.mean,
            accuracy_error: accuracy.error,
            relevant_loss: total(own().map(|ply| ply.relevant_loss)),
            score_loss: total(own().map(|ply| ply.score_loss)),
            score_loss_error: loss_error(own()),
            symbols: MoveSymbol::ALL
                .map(|symbol| own().filter(|ply| ply.symbol == Some(symbol)).count()),
            phases: Phase::ALL.map(|phase| {
                let moves = || own().filter(|ply| ply.phase == phase);
                let score_loss = total(moves().map(|ply| ply.score_loss));
                PhaseReview {
                    moves: moves().count(),
                    score_loss,
                }
            }),
            time,
            timed_moves: timed_moves.unwrap_or_default(),
        }
    }

    /// Returns how many of the player's moves got a symbol.
    pub fn count(&self, symbol: MoveSymbol) -> usize {
        MoveSymbol::ALL
            .iter()
            .zip(self.symbols)
            .find(|(other, _)| **other == symbol)
            .map_or(0, |(_, count)| count)
    }
}

/// Returns the evaluation after each move in Lichess' sense: that of a search of the position
/// reached. Without such a search, use the evaluation of the move, and for checkmate the mate in
/// one before it. A move that draws by a rule counts as a draw, even if the game continues.
fn evals_after(game: &Game, plies: &[JudgedMove]) -> Vec<Eval<White>> {
    let drawn = game
        .mainline()
        .map(|(before, ply)| drawn_by_rule(&before, ply.mv).is_some());
    let searched = plies
        .iter()
        .skip(1)
        .map(|next| (!next.lines.is_empty()).then_some(next.eval_before))
        .chain([None]);
    let evals = plies
        .iter()
        .zip(searched)
        .zip(drawn)
        .map(|((ply, own), is_drawn)| {
            own.filter(|_| !is_drawn)
                .or(ply.eval)
                .unwrap_or(ply.eval_played)
        });
    evals.collect()
}

/// A player's accuracy and its standard error, per cent.
#[derive(Clone, Copy)]
struct Accuracy {
    mean: Option<f64>,
    error: Option<f64>,
}

/// Accuracies of the two players, White's first.
fn accuracies(game: &Game, plies: &[JudgedMove], curve: &Curve) -> [Accuracy; 2] {
    let evals = evals_after(game, plies);
    // Lichess assumes +0.15 for the normal start position.
    let before = if game.start.is_from_startpos() {
        None
    } else {
        plies.first().map(|ply| ply.eval_before)
    };
    let positions: Vec<Eval<White>> = std::iter::once(before.unwrap_or(Eval::cp(15)))
        .chain(evals)
        .collect();
    // Whether each position has occurred before, the last one included. `History::repetitions`
    // replays the game for each position, which takes too long for games of thousands of moves.
    let mut seen = HashSet::new();
    let reached = game
        .mainline()
        .map(|(before, _)| before.position().clone())
        .chain([game.end().position().clone()]);
    let has_occurred: Vec<bool> = reached.map(|position| !seen.insert(position)).collect();
    let pairs = plies
        .iter()
        .zip(positions.windows(2))
        .zip(has_occurred.windows(2))
        .map(|((ply, pair), repeated)| {
            // The searches before and after the move see different repetitions, so only those
            // before it are comparable.
            match ply.limit.is_some() && repeated.contains(&true) {
                true => [ply.eval_before, ply.eval_played],
                false => [pair[0], pair[1]],
            }
        });
    let pairs: Vec<[Eval<White>; 2]> = pairs.collect();
    // Errors are proportional in pawns at equality, and accuracies have a separate curve.
    let errors: Vec<Option<f64>> = plies
        .iter()
        .map(|ply| {
            let context = Context::of(ply.before.position());
            let pawns = ply.certainty?.loss_error * curve.total(context);
            Some(100.0 * pawns / Curve::LICHESS.total(context))
        })
        .collect();
    let turn = game.start.turn();
    let [white, black] = accuracy_of_moves(turn, &positions, &pairs);
    let [white_error, black_error] = accuracy_errors(turn, &positions, &pairs, &errors);
    [(white, white_error), (black, black_error)].map(|(mean, error)| Accuracy { mean, error })
}

impl Judgement {
    pub(crate) fn new(
        game: Arc<Game>,
        mut plies: Vec<JudgedMove>,
        findings: &GameFindings,
        options: JudgeOptions,
    ) -> Self {
        set_certainties(&mut plies, &findings.curve, findings.analyst.as_deref());
        let [white, black] = accuracies(&game, &plies, &findings.curve);
        Self {
            opening: Opening::of(&game),
            white: PlayerReview::new(&plies, Color::White, white),
            black: PlayerReview::new(&plies, Color::Black, black),
            critical_moments: critical_moments(&plies),
            hardest_moments: hardest_moments(&plies),
            players: game.players(),
            game,
            plies,
            analyst: findings.analyst.clone(),
            curve: findings.curve,
            scheme: options.scheme.scheme(&findings.curve),
            options,
        }
    }

    /// Returns a player's totals.
    pub fn player(&self, color: Color) -> &PlayerReview {
        color.fold_wb(&self.white, &self.black)
    }

    /// Returns a player's name, `White` or `Black` if the game has none.
    pub fn name(&self, color: Color) -> &str {
        self.tags()
            .name(color)
            .unwrap_or(color.fold_wb("White", "Black"))
    }

    /// Returns both players' names: `Anna – Boris`.
    pub fn title(&self) -> String {
        format!("{} – {}", self.name(Color::White), self.name(Color::Black))
    }

    /// Returns the tags of the game.
    pub fn tags(&self) -> Tags<'_> {
        Tags::of(&self.game.headers)
    }

    /// Returns the opening's code and name, from the game's tags or Centipawn's table: `C41
    /// Philidor Defense`. `None` if unknown.
    pub fn opening_name(&self) -> Option<String> {
        self.tags().opening(self.opening)
    }

    /// Returns whether the evaluations of the position before a move come from the game itself.
    pub fn is_reused(&self, ply: &JudgedMove) -> bool {
        self.options.reuse_evals.is_some() && ply.limit.is_none() && needs_search(&ply.before)
    }

    /// Returns the human curve for the players' own rating and time; `None` unless the review uses
    /// another human curve and the game has of either.
    pub fn practical_curve(&self) -> Option<Curve> {
        let Curve::Human(curve) = self.curve else {
            return None;
        };
        let is_known = self.players.rating.is_some() || self.players.seconds.is_some();
        let choice = CurveChoice::Human {
            rating: None,
            seconds: None,
            pool: None,
            model: curve.model,
        };
        let practical = choice.curve(&self.players, self.curve, curve.units);
        (is_known && practical != self.curve).then_some(practical)
    }

    /// Returns whether good moves could get their symbols: an analyst gave more than one line.
    pub fn knows_praise(&self) -> bool {
        self.plies.iter().any(|ply| ply.lines.len() > 1)
    }
}

/// Returns the standard error of the expected score that moves lose in total: errors of different
/// searches are independent. `None` without a known error.
fn loss_error<'a>(plies: impl Iterator<Item = &'a JudgedMove>) -> Option<f64> {
    let errors: Vec<f64> = plies
        .filter_map(|ply| Some(ply.certainty?.loss_error))
        .collect();
    let squares = errors.iter().map(|error| error * error);
    (!errors.is_empty()).then(|| total(squares).sqrt())
}

/// Returns a sum that is 0 if empty, where `Iterator::sum` gives −0.
fn total(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |sum, value| sum + value)
}

/// Returns the moves with symbols on which most depended: the largest losses, and the best moves
/// furthest ahead of the next. A mistake changes the game while a good move only keeps it, so a
/// good move's difference counts half.
fn critical_moments(plies: &[JudgedMove]) -> Vec<usize> {
    let stake = |index: &usize| {
        let difference = plies[*index].difference;
        if difference < 0.0 {
            -difference
        } else {
            difference / 2.0
        }
    };
    let mut moments: Vec<usize> = (0..plies.len())
        .filter(|&index| plies[index].symbol.is_some())
        .collect();
    moments.sort_by(|a, b| stake(b).total_cmp(&stake(a)).then(a.cmp(b)));
    moments.truncate(CRITICAL_MOMENTS);
    moments.sort_unstable();
    moments
}
