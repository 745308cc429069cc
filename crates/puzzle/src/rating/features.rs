//! Features of a line of moves that indicate how hard it is to find.

use centipawn_core::History;
use centipawn_policy::{EvaluateError, Evaluation, Network};
use shakmaty::{Move, Position as _, Role};

use super::RatingNetwork;

/// Lower bound for probabilities, so that logarithms stay finite.
const LEAST: f64 = 1e-6;

/// Names of the features that each network provides.
const OF_NETWORK: [&str; 17] = [
    "sum_log_p",
    "min_log_p",
    "first_log_p",
    "last_log_p",
    "mean_log_p",
    "sum_surprise",
    "max_surprise",
    "sum_log_rank",
    "max_log_rank",
    "sum_entropy",
    "max_entropy",
    "min_p",
    "product_p",
    "first_value",
    "lowest_value",
    "last_value",
    "replies_log_p",
];

/// Names of the features that need no network.
const OF_LINE: [&str; 22] = [
    "moves",
    "log_moves",
    "quiet",
    "captures",
    "checks",
    "recaptures",
    "promotions",
    "backward",
    "king_moves",
    "knight_moves",
    "queen_moves",
    "pawn_moves",
    "sum_log_legal",
    "first_log_legal",
    "is_mate",
    "sacrifice",
    "gain",
    "first_is_check",
    "first_is_capture",
    "pieces",
    "balance",
    "in_check",
];

/// Returns the names of all features of a line, in order, for these networks.
pub(super) fn names(networks: &[RatingNetwork]) -> Vec<String> {
    let of_networks = networks
        .iter()
        .flat_map(|RatingNetwork { network, level }| {
            let level = level.map_or_else(String::new, |level| format!("@{level}"));
            OF_NETWORK
                .iter()
                .map(move |name| format!("{network}{level}.{name}"))
        });
    let of_line = OF_LINE.iter().map(|&name| name.to_owned());
    of_networks.chain(of_line).collect()
}

/// Computes the features of a line that starts with the solver's move in `before` and alternates
/// with the replies.
///
/// # Errors
///
/// [`LineError`] for an empty or illegal line, or if a network fails.
pub(super) fn features(
    networks: &[Network],
    levels: &[u32],
    before: &History,
    line: &[Move],
) -> Result<Vec<f64>, LineError> {
    if line.is_empty() {
        return Err(LineError::Empty);
    }
    let mut histories = vec![before.clone()];
    for mv in line {
        let mut next = histories[histories.len() - 1].clone();
        if !next.position().is_legal(*mv) {
            return Err(LineError::Illegal {
                uci: next.uci(*mv).to_string(),
                fen: next.fen(),
            });
        }
        next.push(*mv);
        histories.push(next);
    }
    let mut all = Vec::new();
    for network in networks {
        let answers = network
            .evaluate_many(&histories[..line.len()], levels)
            .into_iter();
        let answers: Vec<Vec<Evaluation>> = answers
            .collect::<Result<_, _>>()
            .map_err(LineError::Network)?;
        for level in 0..answers[0].len() {
            all.extend(of_network(
                answers.iter().map(|answer| &answer[level]),
                line,
            ));
        }
    }
    all.extend(of_line(&histories, line));
    Ok(all)
}

/// Computes the features from one network at one level. `answers` are its evaluations of the
/// positions before the line's moves.
fn of_network<'a>(
    answers: impl Iterator<Item = &'a Evaluation>,
    line: &[Move],
) -> [f64; OF_NETWORK.len()] {
    let mut solver = Vec::new();
    let (mut replies, mut values) = (0.0, Vec::new());
    for (index, (answer, mv)) in answers.zip(line).enumerate() {
        let seen = Seen::new(answer, *mv);
        if index % 2 == 0 {
            values.push(answer.value);
            solver.push(seen);
        } else {
            replies += seen.log_p;
        }
    }
    let count = solver.len() as f64;
    let sum = |of: fn(&Seen) -> f64| solver.iter().map(of).sum::<f64>();
    let least = |of: fn(&Seen) -> f64| solver.iter().map(of).fold(f64::INFINITY, f64::min);
    let most = |of: fn(&Seen) -> f64| solver.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
    let sum_log_p = sum(|seen| seen.log_p);
    [
        sum_log_p,
        least(|seen| seen.log_p),
        solver[0].log_p,
        solver[solver.len() - 1].log_p,
        sum_log_p / count,
        sum(|seen| seen.surprise),
        most(|seen| seen.surprise),
        sum(|seen| seen.log_rank),
        most(|seen| seen.log_rank),
        sum(|seen| seen.entropy),
        most(|seen| seen.entropy),
        least(|seen| seen.log_p).exp(),
        sum_log_p.exp(),
        values[0],
        values.iter().copied().fold(f64::INFINITY, f64::min),
        values[values.len() - 1],
        replies,
    ]
}

/// A network's judgement of a move.
struct Seen {
    log_p: f64,
    /// Logarithm of the ratio of the most likely move's probability to this move's.
    surprise: f64,
    log_rank: f64,
    entropy: f64,
}

impl Seen {
    fn new(answer: &Evaluation, mv: Move) -> Self {
        let place = answer
            .moves
            .iter()
            .position(|other| other.mv == mv)
            .unwrap_or(answer.moves.len());
        let p = answer
            .moves
            .get(place)
            .map_or(LEAST, |found| found.probability)
            .max(LEAST);
        let likeliest = answer.moves[0].probability.max(LEAST);
        let entropy = answer
            .moves
            .iter()
            .map(|mv| -mv.probability * mv.probability.max(LEAST).ln())
            .sum();
        Self {
            log_p: p.ln(),
            surprise: (likeliest / p).ln(),
            log_rank: ((place + 1) as f64).ln(),
            entropy,
        }
    }
}

fn of_line(histories: &[History], line: &[Move]) -> [f64; OF_LINE.len()] {
    let solver: Vec<(&History, Move, &History)> = (0..line.len())
        .step_by(2)
        .map(|index| (&histories[index], line[index], &histories[index + 1]))
        .collect();
    let count = |is: &dyn Fn(usize, &History, Move, &History) -> bool| {
        let found = solver
            .iter()
            .enumerate()
            .filter(|(index, (before, mv, after))| is(*index, before, *mv, after));
        found.count() as f64
    };
    let gives_check = |after: &History| after.position().is_check();
    let of_role = |role: Role| count(&move |_, _, mv, _| mv.role() == role);
    let us = histories[0].turn();
    let material = |history: &History| {
        let board = history.position().board();
        let worth = |color| {
            let count = |role| (board.by_color(color) & board.by_role(role)).count() as f64;
            count(Role::Pawn)
                + 3.0 * (count(Role::Knight) + count(Role::Bishop))
                + 5.0 * count(Role::Rook)
                + 9.0 * count(Role::Queen)
        };
        worth(us) - worth(!us)
    };
    let balance = material(&histories[0]);
    let course = histories.iter().map(material);
    let lowest = course.clone().fold(f64::INFINITY, f64::min);
    let legal = |history: &History| (history.position().legal_moves().len() as f64).ln();
    let last = &histories[histories.len() - 1];
    let rank = |square: shakmaty::Square| us.fold_wb(square.rank() as i32, -(square.rank() as i32));
    let (first, first_move, first_after) = solver[0];
    let moves = solver.len() as f64;
    [
        moves,
        moves.ln(),
        count(&|_, _, mv, after| !mv.is_capture() && !mv.is_promotion() && !gives_check(after)),
        count(&|_, _, mv, _| mv.is_capture()),
        count(&|_, _, _, after| gives_check(after)),
        count(&|index, _, mv, _| {
            index > 0 && mv.is_capture() && line[2 * index - 1].to() == mv.to()
        }),
        count(&|_, _, mv, _| mv.is_promotion()),
        count(&|_, _, mv, _| mv.from().is_some_and(|from| rank(mv.to()) < rank(from))),
        of_role(Role::King),
        of_role(Role::Knight),
        of_role(Role::Queen),
        of_role(Role::Pawn),
        solver.iter().map(|(before, ..)| legal(before)).sum(),
        legal(first),
        f64::from(u8::from(last.position().is_checkmate())),
        balance - lowest,
        material(last) - balance,
        f64::from(u8::from(gives_check(first_after))),
        f64::from(u8::from(first_move.is_capture())),
        first.position().board().occupied().count() as f64,
        balance,
        f64::from(u8::from(first.position().is_check())),
    ]
}

/// The reason why a line has no features.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum LineError {
    /// The line has no moves.
    #[error("the solution has no moves")]
    Empty,
    /// A move is not legal.
    #[error("{uci} is not a legal move in {fen}")]
    Illegal {
        /// The move, in UCI notation.
        uci: String,
        /// FEN of the position in which the move would be played.
        fen: String,
    },
    /// A network failed to evaluate a position.
    #[error(transparent)]
    Network(EvaluateError),
}
