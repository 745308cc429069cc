//! How long the players thought.

use std::time::Duration;

use centipawn_pgn::{Dialect, Game};
use shakmaty::Color;

/// What a move's comments say of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Left on the mover's clock after the move.
    pub(crate) left: Option<Duration>,
    /// Spent on the move.
    pub(crate) spent: Option<Duration>,
}

/// The clocks of a game's main line. Where only the time left is told, the time spent is the difference to the mover's own
/// clock before, with the increment of the tag `TimeControl`; of a control with several stages nothing is known.
pub(crate) fn clocks(game: &Game) -> Vec<Clock> {
    let dialect = Dialect::detect([game]);
    let (base, increment) = game.headers.get("TimeControl").and_then(simple_control).unzip();
    // White's and Black's.
    let mut before = [base, base];
    let mut mover = game.start.turn();
    let mut clocks = Vec::with_capacity(game.plies.len());
    for ply in &game.plies {
        let said = ply.annotation(dialect, mover);
        let own = &mut before[mover.fold_wb(0, 1)];
        let difference = || (*own)?.checked_add(increment?)?.checked_sub(said.clock?);
        clocks.push(Clock { left: said.clock, spent: said.time.or_else(difference) });
        *own = said.clock;
        mover = !mover;
    }
    clocks
}

/// `300+3`, `600`: seconds at the beginning and for each move.
fn simple_control(text: &str) -> Option<(Duration, Duration)> {
    let (base, increment) = text.trim().split_once('+').unwrap_or((text.trim(), "0"));
    let seconds = |text: &str| text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds(base).zip(seconds(increment))
}

/// Both players' time in all, White's first; `None` where it is not told of every move but the first two.
pub(crate) fn totals(clocks: &[Clock], first: Color) -> [Option<Duration>; 2] {
    [Color::White, Color::Black].map(|color| {
        let own = clocks.iter().skip(usize::from(color != first)).step_by(2);
        let told: Vec<Duration> = own.clone().filter_map(|clock| clock.spent).collect();
        let enough = !told.is_empty() && told.len() + 2 > own.count();
        enough.then(|| told.iter().sum())
    })
}

#[cfg(test)]
mod tests {
    use centipawn_pgn::Reader;

    use super::*;

    fn spent(pgn: &str) -> Vec<Option<f64>> {
        let game = Reader::new(pgn.as_bytes()).next().unwrap().unwrap().unwrap();
        clocks(&game).iter().map(|clock| clock.spent.map(|spent| spent.as_secs_f64())).collect()
    }

    #[test]
    fn time_is_what_left_the_clock() {
        let moves = "1. e4 {[%clk 0:05:00]} e5 {[%clk 0:04:58]} 2. Nf3 {[%clk 0:04:50]} Nc6 {[%clk 0:05:00]} *";
        let with = |control: &str| spent(&format!("[TimeControl \"{control}\"]\n\n{moves}"));
        assert_eq!(with("300+3"), [Some(3.0), Some(5.0), Some(13.0), Some(1.0)]);
        assert_eq!(with("40/7200:3600"), [None; 4]);
        // A clock that was set forward says nothing.
        assert_eq!(with("300"), [Some(0.0), Some(2.0), Some(10.0), None]);
    }

    #[test]
    fn time_can_be_told() {
        assert_eq!(spent("1. e4 {+0.31/20 1.2s} e5 {[%emt 0:00:07]} 2. d4 *"), [Some(1.2), Some(7.0), None]);
        let clocks = [Some(1), Some(2), Some(3), None, Some(5)];
        let clocks = clocks.map(|spent| Clock { left: None, spent: spent.map(Duration::from_secs) });
        assert_eq!(totals(&clocks, Color::White), [9, 2].map(|spent| Some(Duration::from_secs(spent))));
        assert_eq!(totals(&[], Color::White), [None, None]);
    }
}
