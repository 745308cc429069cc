//! Warnings about counts that do not look like evaluations and results of normal games.

use super::{FitReport, GROUPS, Grid, Method, Resamples};

/// Evaluations of at least this share of the largest one are far from 0. Those below the share
/// [`NEAR`] are near 0.
const FAR: f64 = 0.5;
const NEAR: f64 = 0.125;

/// Fewest decided positions needed for a warning.
const FEWEST: f64 = 300.0;

/// Far from 0, the side with the higher evaluation must have won at least this share of the decided
/// positions. Otherwise the evaluations are probably read from the wrong side.
const RIGHT: f64 = 0.58;

/// Largest normal difference from a half of the share of wins among decided positions.
const ASYMMETRY: f64 = 0.1;

/// A larger difference is reported if it exceeds this many standard errors by game.
const SURE: f64 = 4.0;

/// If the log loss is above this share of that of guessing, the model is no better than guessing.
const GUESSING: f64 = 0.98;

/// Number of decided positions in which the side with the higher evaluation won and in which it
/// lost, and number of drawn ones.
#[derive(Clone, Copy, Default)]
pub(super) struct Decided {
    right: f64,
    wrong: f64,
    drawn: f64,
}

impl Decided {
    /// Counts the positions whose evaluation is at least half of the largest one.
    pub(super) fn far(grid: &Grid, largest: f64) -> Self {
        sums(grid, largest)[1]
    }

    /// Returns whether the side with the higher evaluation won often enough for the evaluations to
    /// be read correctly. Too few positions count as correct, since they do not show the contrary.
    pub(super) fn are_right(self) -> bool {
        !self.are_enough() || self.right / self.all() >= RIGHT
    }

    /// Returns whether there are enough positions to show whether the evaluations are read
    /// correctly.
    pub(super) fn are_enough(self) -> bool {
        self.all() >= FEWEST
    }

    fn all(self) -> f64 {
        self.right + self.wrong
    }

    fn share(self) -> f64 {
        self.all() / (self.all() + self.drawn).max(1.0)
    }
}

/// Returns the warnings about a fit, each with its cause.
pub(super) fn warnings(report: &FitReport, grid: &Grid, games: Option<&Resamples>) -> Vec<String> {
    let mut all = Vec::new();
    all.extend(point_of_view(
        grid,
        f64::from(report.fit.options.selection.internal_max()),
    ));
    all.extend(asymmetry(report.fit.retained, games));
    all.extend(guessing(report));
    all
}

/// Returns the positions near 0, and those far from it.
fn sums(grid: &Grid, largest: f64) -> [Decided; 2] {
    let (mut near, mut far) = (Decided::default(), Decided::default());
    for (&eval, &[wins, draws, losses]) in grid
        .rows
        .iter()
        .flat_map(|row| row.evals.iter().zip(&row.counts))
    {
        let size = f64::from(eval.abs()) / largest;
        let decided = if size >= FAR {
            &mut far
        } else if size <= NEAR {
            &mut near
        } else {
            continue;
        };
        let (right, wrong) = if eval < 0 {
            (losses, wins)
        } else {
            (wins, losses)
        };
        decided.right += right;
        decided.wrong += wrong;
        decided.drawn += draws;
    }
    [near, far]
}

fn point_of_view(grid: &Grid, largest: f64) -> Option<String> {
    let [near, far] = sums(grid, largest);
    if far.are_right() {
        return None;
    }
    let right = far.right / far.all();
    let percent = 100.0 * right;
    Some(if right < 1.0 - RIGHT {
        format!(
            "point of view: of decided positions with a large evaluation, the side that it favours won {percent:.0} %: the evaluations \
             seem to be from the opponent's view; set the dialect of the comments with the option `evals`, or correct the games"
        )
    } else if far.share() > near.share() {
        format!(
            "point of view: large evaluations go with few draws, but the side that they favour won {percent:.0} % of the decided \
             positions only: some evaluations seem to be from White's view instead of the side to move, or are of other games; set the \
             dialect of the comments with the option `evals`, or correct the games"
        )
    } else {
        format!(
            "results do not follow evaluations: the side that a large evaluation favours won {percent:.0} % of the decided positions \
             only; are the evaluations those of these games?"
        )
    })
}

fn asymmetry([wins, _, losses]: [f64; 3], games: Option<&Resamples>) -> Option<String> {
    let share = wins / (wins + losses);
    if wins + losses < FEWEST || (share - 0.5).abs() <= ASYMMETRY {
        return None;
    }
    if let Some(games) = games {
        let squares = (0..GROUPS).map(|group| {
            let [wins, _, losses] = games.group(group).results();
            (wins - share * (wins + losses)).powi(2)
        });
        let error = squares.sum::<f64>().sqrt() / (wins + losses);
        if (share - 0.5).abs() <= SURE * error {
            return None;
        }
    }
    Some(format!(
        "asymmetry: the side to move won {:.0} % of the decided positions, while the model is symmetric, with as many losses at -x as wins \
         at +x: the evaluations are those of a stronger or weaker side; count both sides of each game, or of equal opponents",
        100.0 * share
    ))
}

fn guessing(report: &FitReport) -> Option<String> {
    let held_out = report.held_out?;
    let [wins, draws, losses] = report.fit.retained;
    let all = wins + draws + losses;
    // The model is symmetric (wins at x equal losses at −x), so the baseline without a model also
    // gives wins and losses the same share.
    let shares = [(wins + losses) / 2.0, draws, (wins + losses) / 2.0].map(|count| count / all);
    let guessed: f64 = shares
        .iter()
        .filter(|share| **share > 0.0)
        .map(|share| -share * share.ln())
        .sum();
    if held_out.held_out <= GUESSING * guessed {
        return None;
    }
    let cause = if report.fit.options.method == Method::Score {
        "the method score does not count draws, so take the method probability for probabilities"
            .to_owned()
    } else if held_out.fitted < GUESSING * guessed {
        format!(
            "the model predicts the games that it was fitted to ({:.3}), but no others: there are too few games",
            held_out.fitted
        )
    } else {
        "these evaluations, as they are read, do not predict results".to_owned()
    };
    Some(format!(
        "no better than guessing: the log loss in games held out is {:.3}, that of guessing with the shares of won, drawn and lost \
         positions is {guessed:.3}; {cause}",
        held_out.held_out
    ))
}
