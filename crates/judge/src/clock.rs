//! How long the players thought.

use std::{mem::replace, time::Duration};

use centipawn_pgn::{Dialect, Game};
/// Times from a move's comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Left on the mover's clock after the move.
    pub left: Option<Duration>,
    /// Spent on the move.
    pub spent: Option<Duration>,
}

/// Returns the clocks of a game's main line. Where comments state only the time left, the time
/// spent is the difference to the mover's previous clock, plus the increment of the tag
/// `TimeControl`. With several stages in that tag it stays unknown.
///
/// The time of a player's first move is known only if the clock shows that it ran, and whether it
/// had an increment: on Lichess clocks start after both have moved and the first move gets no
/// increment, elsewhere it does. Exactly half of the base time after the first move is the clock of
/// a player who went berserk on Lichess: the time of that move is unknown, and there is no
/// increment.
pub fn clocks(game: &Game) -> Vec<Clock> {
    let dialect = Dialect::detect([game]);
    let (base, increment) = simple_control(game).unzip();
    // The previous clock of each player, White's first.
    let mut before = [None, None];
    let mut increments = [increment; 2];
    let mut moved = [false, false];
    let mut mover = game.start.turn();
    let mut clocks = Vec::with_capacity(game.plies.len());
    for annotation in game.annotations(dialect) {
        let side = mover.fold_wb(0, 1);
        let own = &mut before[side];
        let had = if replace(&mut moved[side], true) {
            *own
        } else if base
            .zip(annotation.clock)
            .is_some_and(|(base, left)| left.checked_mul(2) == Some(base))
        {
            increments[side] = Some(Duration::ZERO);
            None
        } else {
            base.filter(|base| {
                annotation.clock.is_some_and(|left| {
                    left > *base || (left < *base && increment == Some(Duration::ZERO))
                })
            })
        };
        let difference = || {
            had?.checked_add(increments[side]?)?
                .checked_sub(annotation.clock?)
        };
        clocks.push(Clock {
            left: annotation.clock,
            spent: annotation.time.or_else(difference),
        });
        *own = annotation.clock;
        mover = !mover;
    }
    clocks
}

/// Returns the base time and increment by a tag `TimeControl` of one stage: `300+3`, `600`, or in
/// minutes `90+30`. `None` for several stages.
pub fn simple_control(game: &Game) -> Option<(Duration, Duration)> {
    let tag = game.headers.get("TimeControl")?;
    if tag.contains(['/', ':']) || tag.contains("move") && tag.contains(" for ") {
        return None;
    }
    let control = game.time_control()?;
    let [base, increment] =
        [control.base, control.increment].map(|seconds| Duration::try_from_secs_f64(seconds).ok());
    base.zip(increment)
}

/// Returns a player's total time and how many moves it counts. Moves without a time are left out,
/// so a clock that was set wrong affects one move only. `None` if more than two, and more than a
/// tenth of the moves, have none, or if the sum overflows.
pub(crate) fn total_time(times: &[Option<Duration>]) -> Option<(Duration, usize)> {
    let known = times.iter().flatten().count();
    let unknown = times.len() - known;
    if known == 0 || unknown > 2.max(times.len() / 10) {
        return None;
    }
    let total = times
        .iter()
        .flatten()
        .try_fold(Duration::ZERO, |sum, spent| sum.checked_add(*spent))?;
    Some((total, known))
}

#[cfg(test)]
mod tests {
    use centipawn_pgn::Reader;

    use super::*;

    fn spent(pgn: &str) -> Vec<Option<f64>> {
        let game = Reader::new(pgn.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap();
        clocks(&game)
            .iter()
            .map(|clock| clock.spent.map(|spent| spent.as_secs_f64()))
            .collect()
    }

    #[test]
    fn time_is_what_left_the_clock() {
        let moves = "1. e4 {[%clk 0:05:00]} e5 {[%clk 0:04:58]} 2. Nf3 {[%clk 0:04:50]} Nc6 {[%clk 0:05:00]} *";
        let with = |control: &str| spent(&format!("[TimeControl \"{control}\"]\n\n{moves}"));
        assert_eq!(
            with("300+3"),
            [None, None, Some(13.0), Some(1.0)],
            "was there an increment for the first move?"
        );
        assert_eq!(
            with("298+3"),
            [Some(1.0), None, Some(13.0), Some(1.0)],
            "there was"
        );
        assert_eq!(with("40/7200:3600"), [None; 4]);
        // If a clock was set forward, the time spent is unknown.
        assert_eq!(with("300"), [None, Some(2.0), Some(10.0), None]);
    }

    /// Lichess halves the clock of a player who goes berserk and removes the increment. This must
    /// not count as time spent on the first move.
    #[test]
    fn going_berserk_takes_no_time() {
        let moves = "1. e4 {[%clk 0:01:30]} e5 {[%clk 0:03:00]} 2. Nf3 {[%clk 0:01:28]} Nc6 {[%clk 0:02:57]} *";
        let with = |control: &str| spent(&format!("[TimeControl \"{control}\"]\n\n{moves}"));
        assert_eq!(with("180+0"), [None, None, Some(2.0), Some(3.0)]);
        assert_eq!(with("180+2"), [None, None, Some(2.0), Some(5.0)]);
    }

    #[test]
    fn minutes_are_a_time_control_too() {
        let moves = "1. e4 {[%clk 1:30:10]} e5 {[%clk 1:30:20]} 2. d4 {[%clk 1:30:00]} d5 {[%clk 1:20:50]} *";
        let times = spent(&format!("[TimeControl \"90+30\"]\n\n{moves}"));
        assert_eq!(times, [Some(20.0), Some(10.0), Some(40.0), Some(600.0)]);
        let game = Reader::new(&b"[TimeControl \"90+30\"]\n\n1. e4 *"[..])
            .next()
            .unwrap()
            .unwrap()
            .unwrap();
        assert_eq!(
            simple_control(&game),
            Some((Duration::from_secs(5400), Duration::from_secs(30)))
        );
    }

    #[test]
    fn a_hostile_time_control_is_ignored() {
        let huge = u64::MAX.to_string();
        let pgn = format!(
            "[TimeControl \"{huge}+{huge}\"]\n\n1. e4 {{[%clk 0]}} e5 {{[%clk 0]}} 2. d4 {{[%clk 0]}} d5 {{[%clk 0]}} 3. c4 {{[%clk 0]}} *"
        );
        let game = Reader::new(pgn.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap();
        clocks(&game);
        assert_eq!(total_time(&[Some(Duration::MAX); 4]), None);
    }

    #[test]
    fn times_in_comments_are_read() {
        assert_eq!(
            spent("1. e4 {+0.31/20 1.2s} e5 {[%emt 0:00:07]} 2. d4 *"),
            [Some(1.2), Some(7.0), None]
        );
    }

    #[test]
    fn unknown_times_are_left_out_of_the_total() {
        let total = |seconds: &[Option<u64>]| {
            let times: Vec<_> = seconds
                .iter()
                .map(|seconds| seconds.map(Duration::from_secs))
                .collect();
            total_time(&times).map(|(total, moves)| (total.as_secs(), moves))
        };
        assert_eq!(
            total(&[None, Some(2), None, Some(5)]),
            Some((7, 2)),
            "the first move and an odd one"
        );
        assert_eq!(total(&[None, None, None, Some(5)]), None);
        assert_eq!(
            total(&[vec![None; 4], vec![Some(1); 36]].concat()),
            Some((36, 36))
        );
        assert_eq!(total(&[vec![None; 5], vec![Some(1); 36]].concat()), None);
        assert_eq!(total(&[]), None);
        // The clock of move 3 was set forward, so its time is unknown; the other moves count.
        let clocks = ["5:00", "4:50", "6:00", "5:40", "5:30", "5:25"];
        let moves = clocks
            .iter()
            .zip(["Nf3", "Ng1"].iter().cycle())
            .zip(["Nf6", "Ng8"].iter().cycle());
        let text: String = moves
            .map(|((clock, white), black)| format!("{white} {{[%clk 0:0{clock}]}} {black} "))
            .collect();
        let white: Vec<_> = spent(&format!("[TimeControl \"540\"]\n\n{text} *"))
            .into_iter()
            .step_by(2)
            .collect();
        assert_eq!(
            white,
            [
                Some(240.0),
                Some(10.0),
                None,
                Some(20.0),
                Some(10.0),
                Some(5.0)
            ]
        );
    }
}
