//! Models fitted to resampled games.

use centipawn_core::mix64;
use centipawn_progress::{Cancel, Cancelled, Reporter};

use super::{
    FitOptions,
    data::Data,
    lowest::{lowest, problem},
};
use crate::{
    newton::solve,
    parallel::{Resampled, are_enough, in_parallel, poisson, seeded},
};

/// Number of resamples that are counted in one pass. Their counts of a cell fill two cache lines.
const TOGETHER: usize = 32;

/// Fits models to resampled games and returns their coefficients. In each resample a game counts as
/// often as a Poisson number of mean 1, which is derived from the game's number, the resample and
/// the seed. Empty if more than a tenth of the resamples cannot be fitted.
pub(super) fn resamples(
    data: &Data,
    point: &[f64],
    options: &FitOptions,
    cancel: &Cancel,
    reporter: &dyn Reporter,
) -> Result<Vec<Vec<f64>>, Cancelled> {
    let count = options.resamples;
    let resampled = Resampled::new(reporter, count, "intervals");
    let blocks = in_parallel(count.div_ceil(TOGETHER), cancel, |block| {
        let weights = |game: usize| {
            let mut state = mix64(data.number(game) ^ mix64(block as u64) ^ seeded(options.seed));
            let mut own = [0; TOGETHER];
            for four in own.chunks_exact_mut(4) {
                state = mix64(state);
                for (index, own) in four.iter_mut().enumerate() {
                    *own = poisson((state >> (16 * index)) as u16);
                }
            }
            own
        };
        let sums = data.resampled::<TOGETHER>(weights, cancel);
        let own = (0..TOGETHER).take(count - block * TOGETHER);
        let fitted = own.take_while(|_| !cancel.is_set()).filter_map(|resample| {
            let fitted = near(data, &data.counts_of(&sums, resample), point, cancel);
            resampled.done(1);
            fitted
        });
        fitted.collect::<Vec<_>>()
    })?;
    let fitted: Vec<_> = blocks.into_iter().flatten().collect();
    Ok(if are_enough(fitted.len(), count) {
        fitted
    } else {
        Vec::new()
    })
}

/// Returns the minimum for counts that are close to those whose minimum is `start`.
fn near(data: &Data, counts: &[[f64; 3]], start: &[f64], cancel: &Cancel) -> Option<Vec<f64>> {
    const STEPS: usize = 4;
    let problem = problem(data, counts);
    let mut point = start.to_vec();
    for _ in 0..STEPS {
        let at = problem.derivatives(&point);
        let step = solve(at.bend, at.slope)?;
        let size: f64 = step.iter().map(|step| step * step).sum();
        let length: f64 = point.iter().map(|own| own * own).sum();
        point
            .iter_mut()
            .zip(&step)
            .for_each(|(own, step)| *own -= step);
        // Newton's method converges quadratically, so the next step would be negligible.
        if size <= 1e-8 * length {
            return Some(point);
        }
    }
    // The steps did not converge, so fall back to damped ones.
    lowest(data, counts, cancel).ok()
}
