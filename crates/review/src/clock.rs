//! How long the players thought.

use std::{mem::replace, time::Duration};

use centipawn_pgn::{Dialect, Game};
use shakmaty::Color;

/// Times from a move's comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Left on the mover's clock after the move.
    pub(crate) left: Option<Duration>,
    /// Spent on the move.
    pub(crate) spent: Option<Duration>,
}

/// The clocks of a game's main line. Where comments state only the time left, the time spent is the difference to the mover's
/// previous clock, plus the increment of the tag `TimeControl`. With several stages in that tag it stays unknown.
///
/// The time of a player's first move is known only if the clock shows that it ran, and whether it had an increment: on Lichess
/// clocks start after both have moved and the first move gets no increment, elsewhere it does.
pub(crate) fn clocks(game: &Game) -> Vec<Clock> {
    let dialect = Dialect::detect([game]);
    let (base, increment) = game.headers.get("TimeControl").and_then(simple_control).unzip();
    // White's and Black's.
    let mut before = [None, None];
    let mut moved = [false, false];
    let mut mover = game.start.turn();
    let mut clocks = Vec::with_capacity(game.plies.len());
    for ply in &game.plies {
        let said = ply.annotation(dialect, mover);
        let own = &mut before[mover.fold_wb(0, 1)];
        let had = if replace(&mut moved[mover.fold_wb(0, 1)], true) {
            *own
        } else {
            base.filter(|base| {
                said.clock.is_some_and(|left| left > *base || (left < *base && increment == Some(Duration::ZERO)))
            })
        };
        let difference = || had?.checked_add(increment?)?.checked_sub(said.clock?);
        clocks.push(Clock { left: said.clock, spent: said.time.or_else(difference) });
        *own = said.clock;
        mover = !mover;
    }
    clocks
}

/// `300+3`, `600`: seconds for the game and for each move.
fn simple_control(text: &str) -> Option<(Duration, Duration)> {
    let (base, increment) = text.trim().split_once('+').unwrap_or((text.trim(), "0"));
    let seconds = |text: &str| text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds(base).zip(seconds(increment))
}

/// Each player's total time, White's first; `None` if the time of more than one move is unknown, or if the sum overflows.
pub(crate) fn totals(clocks: &[Clock], first: Color) -> [Option<Duration>; 2] {
    [Color::White, Color::Black].map(|color| {
        let own = clocks.iter().skip(usize::from(color != first)).step_by(2);
        let told: Vec<Duration> = own.clone().filter_map(|clock| clock.spent).collect();
        let enough = !told.is_empty() && told.len() + 2 > own.count();
        if enough { told.iter().try_fold(Duration::ZERO, |sum, spent| sum.checked_add(*spent)) } else { None }
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
        assert_eq!(with("300+3"), [None, None, Some(13.0), Some(1.0)], "was there an increment for the first move?");
        assert_eq!(with("298+3"), [Some(1.0), None, Some(13.0), Some(1.0)], "there was");
        assert_eq!(with("40/7200:3600"), [None; 4]);
        // A clock that was set forward says nothing.
        assert_eq!(with("300"), [None, Some(2.0), Some(10.0), None]);
    }

    #[test]
    fn a_hostile_time_control_is_no_trouble() {
        let huge = u64::MAX.to_string();
        let pgn = format!(
            "[TimeControl \"{huge}+{huge}\"]\n\n1. e4 {{[%clk 0]}} e5 {{[%clk 0]}} 2. d4 {{[%clk 0]}} d5 {{[%clk 0]}} 3. c4 {{[%clk 0]}} *"
        );
        let game = Reader::new(pgn.as_bytes()).next().unwrap().unwrap().unwrap();
        totals(&clocks(&game), Color::White);
        let most = Clock { left: None, spent: Some(Duration::MAX) };
        assert_eq!(totals(&[most; 4], Color::White), [None, None]);
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
