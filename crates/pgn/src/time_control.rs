//! The time that each player has for a game.

mod words;

use std::{str::FromStr, time::Duration};

/// Largest length of a time control in bytes, far beyond any that an organizer writes.
const LONGEST_TEXT: usize = 1_000;

/// The number of moves by which the increment counts in the length of a game.
const MOVES: f64 = 40.0;

/// The time control of a game: a base for the game and an increment for each move, in seconds.
///
/// Parses `600+5`, `300`, the stages of the PGN standard (`40/7200:3600`, `40/5400+30:1800+30`) and
/// correspondence chess (`1/86400`); of stages the base is the time for the first forty moves. Also
/// parses units and words as organizers and associations write them: `90 min + 30 sec`, `G/60;d5`,
/// `90'+30"`, `1:30:00`, `90 minutes for the first 40 moves, then 30 minutes, 30 seconds per move`.
///
/// ```
/// use centipawn_pgn::TimeControl;
///
/// let control: TimeControl = "600+5".parse().unwrap();
/// assert_eq!((control.base, control.increment, control.seconds()), (600.0, 5.0, 800.0));
/// assert_eq!("40/7200:3600".parse::<TimeControl>().unwrap().seconds(), 7200.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeControl {
    /// Seconds for the game, or for its first forty moves.
    pub base: f64,
    /// Seconds added for each move.
    pub increment: f64,
}

/// The text is no time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a time control is seconds for the game and for each move, such as 600+5, or minutes and seconds, such as 15+10"
)]
pub struct BadTimeControl;

impl TimeControl {
    /// Seconds that a player has for forty moves: base + 40·increment.
    pub fn seconds(self) -> f64 {
        self.base + MOVES * self.increment
    }

    /// Reads the tag `TimeControl`. The standard counts in seconds; some programs write minutes and
    /// seconds (`90+30`). A clock after a first move that shows more than the base distinguishes
    /// them; without a clock a base under 15, or one under 180 with an increment of at least 10,
    /// counts as minutes, since a base of 90 seconds with an increment of 30 is not used.
    ///
    /// `None` if the tag states no control (`-`, `?`).
    ///
    /// ```
    /// use centipawn_pgn::TimeControl;
    ///
    /// let base = |tag, clock: Option<u64>| TimeControl::of_tag(tag, clock.map(std::time::Duration::from_secs)).unwrap().base;
    /// assert_eq!(base("90+30", None), 5400.0);
    /// assert_eq!(base("15+5", Some(15)), 15.0);
    /// assert_eq!(base("60+0", None), 60.0);
    /// ```
    pub fn of_tag(tag: &str, first_clock: Option<Duration>) -> Option<Self> {
        let (control, has_units) = Self::read(tag).ok()?;
        let Self { base, increment } = control;
        let has_minutes = match first_clock {
            _ if has_units => false,
            Some(clock) => clock.as_secs_f64() > base + 2.0 * increment + 30.0,
            // No organizer has several periods of seconds.
            None if tag.contains('/') && tag.contains(':') => base < 600.0,
            None => base < 15.0 || (base < 180.0 && increment >= 10.0),
        };
        Some(if has_minutes {
            Self {
                base: 60.0 * base,
                increment,
            }
        } else {
            control
        })
    }

    /// Reads what a person types. A base under 60, or one under 180 with an increment of at least
    /// 10, counts as minutes; others are seconds. A tag may say `15+0` for fifteen seconds, as
    /// sites write it; a person who types this means minutes.
    ///
    /// `None` if the text is no time control.
    ///
    /// ```
    /// use centipawn_pgn::TimeControl;
    ///
    /// let seconds = |text| TimeControl::typed(text).unwrap().base;
    /// assert_eq!(["3+2", "15+5", "30", "90+30"].map(seconds), [180.0, 900.0, 1800.0, 5400.0]);
    /// assert_eq!(["60", "180+2", "600+5", "5400+30"].map(seconds), [60.0, 180.0, 600.0, 5400.0]);
    /// ```
    pub fn typed(text: &str) -> Option<Self> {
        let (control, has_units) = Self::read(text).ok()?;
        let Self { base, increment } = control;
        let is_stage = text.contains('/') || has_units;
        let has_minutes = !is_stage && (base < 60.0 || (base < 180.0 && increment >= 10.0));
        Some(if has_minutes {
            Self {
                base: 60.0 * base,
                increment,
            }
        } else {
            control
        })
    }
}

impl TimeControl {
    /// Returns whether the clocks of a game that have two parts (`1:30`) are minutes and seconds
    /// rather than hours and minutes, by its tag `TimeControl` and the first clock, read as hours
    /// and minutes. The reading that is nearer to the time control is the right one. Without a
    /// control Lichess reads hours and minutes, which is kept unless no game lasts so long.
    pub(crate) fn has_clocks_in_minutes(tag: Option<&str>, first: Duration) -> bool {
        /// The longest time that a player has for a game in seconds, by the rules of usual
        /// tournaments.
        const LONGEST: f64 = 3.5 * 3600.0;
        let hours = first.as_secs_f64();
        match tag.and_then(|tag| Self::of_tag(tag, None)) {
            Some(control) if control.base > 0.0 && hours > 0.0 => {
                // Choose the reading that is closer to the control by ratio. The two readings
                // differ by a factor of 60.
                let geometric_mean = hours / 60_f64.sqrt();
                (control.base + control.increment) < geometric_mean
            }
            _ => hours > LONGEST,
        }
    }
}

impl FromStr for TimeControl {
    type Err = BadTimeControl;

    fn from_str(text: &str) -> Result<Self, BadTimeControl> {
        Self::read(text).map(|(control, _)| control)
    }
}

impl TimeControl {
    /// Reads a time control; also returns whether it states its units, so that it cannot be in
    /// other ones.
    fn read(text: &str) -> Result<(Self, bool), BadTimeControl> {
        if text.len() > LONGEST_TEXT {
            return Err(BadTimeControl);
        }
        // A quote or a colon around the value is a mistake of the program that wrote it.
        let text = text.trim_matches(|char: char| {
            char.is_whitespace() || matches!(char, '"' | '“' | '”' | ':' | ';' | '`')
        });
        // `15|10`, as Chess.com shows it, always counts minutes and seconds.
        if let Some((minutes, seconds)) = text.split_once('|')
            && let (Ok(minutes), Ok(seconds)) =
                (minutes.trim().parse::<f64>(), seconds.trim().parse::<f64>())
            && (0.0..=1000.0).contains(&minutes)
            && (0.0..=1000.0).contains(&seconds)
            && minutes + seconds > 0.0
        {
            return Ok((
                Self {
                    base: 60.0 * minutes,
                    increment: seconds,
                },
                true,
            ));
        }
        // `tc=60+0.6`, the option of match programs, is in seconds.
        if let Some(option) = text.strip_prefix("tc=")
            && let Ok(control) = Self::of_numbers(option)
        {
            return Ok((control, true));
        }
        // `3+2 blitz`: the name of the class says nothing about the units.
        match Self::of_numbers(words::without_class(text)) {
            Ok(control) => Ok((control, false)),
            Err(error) => words::read(text)
                .map(|control| (control, true))
                .ok_or(error),
        }
    }

    /// Reads the form of the standard.
    fn of_numbers(text: &str) -> Result<Self, BadTimeControl> {
        let number = |text: &str| {
            let number: f64 = text.trim().parse().map_err(|_| BadTimeControl)?;
            if (0.0..=1e9).contains(&number) {
                Ok(number)
            } else {
                Err(BadTimeControl)
            }
        };
        if text.contains(':')
            && !text
                .split(':')
                .next()
                .is_some_and(|first| first.contains('/'))
        {
            // A first stage without a number of moves has no further stages: `1:30:00` is a clock.
            return Err(BadTimeControl);
        }
        // Over the first forty moves.
        let (mut base, mut increment, mut moves) = (0.0, 0.0, 0.0);
        for stage in text.trim().split(':') {
            let (stage_moves, time) = match stage.split_once('/') {
                Some((count, time)) => (number(count)?.max(1.0), time),
                None => (f64::INFINITY, stage),
            };
            let (stage_base, stage_increment) = time.split_once('+').unwrap_or((time, "0"));
            let (mut stage_base, stage_increment) = (number(stage_base)?, number(stage_increment)?);
            let mut stage_moves = stage_moves;
            // `5400/40` for `40/5400`: no stage has hundreds of moves in a few seconds.
            if stage_moves.is_finite() && stage_moves >= 300.0 && stage_base < 100.0 {
                std::mem::swap(&mut stage_moves, &mut stage_base);
                stage_moves = stage_moves.max(1.0);
            }
            // A stage of fewer moves is repeated, and so is the last one. A stage of more moves
            // counts with all of its time.
            let here = stage_moves.min(MOVES - moves);
            base += stage_base;
            increment += stage_increment * here / MOVES;
            moves += here;
            if moves >= MOVES {
                break;
            }
        }
        if moves < MOVES && moves > 0.0 {
            (base, increment) = (base * MOVES / moves, increment * MOVES / moves);
        }
        if base > 0.0 || increment > 0.0 {
            Ok(Self { base, increment })
        } else {
            Err(BadTimeControl)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<f64> {
        text.parse().ok().map(TimeControl::seconds)
    }

    #[test]
    fn controls_of_the_standard() {
        for (text, expected) in [
            ("300", 300.0),
            ("180+2", 260.0),
            (" 5400 + 30 ", 6600.0),
            ("40/7200", 7200.0),
            ("40/7200:20/3600:900+30", 7200.0),
            ("40/5400+30:1800+30", 6600.0),
            ("20/3600:3600", 7200.0),
            ("1/86400", 40.0 * 86400.0),
            ("0+10", 400.0),
            ("5400/40+30:1800+30", 6600.0),
            ("15|10", 1300.0),
            ("10 | 0", 600.0),
            ("tc=60+0.6", 84.0),
            ("tc=40/60+0.5", 80.0),
            ("300+3 Blitz", 420.0),
            ("Rapid (900+10)", 1300.0),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "-",
            "?",
            "*180",
            "0",
            "0+0",
            "-300",
            "x+3",
            "300+",
            "1e99",
            "NaN",
            "inf",
            "none",
            "unlimited",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn clocks_of_two_parts_are_read_by_the_control() {
        let are_minutes = |tag: &str, hours: u64| {
            TimeControl::has_clocks_in_minutes(Some(tag), Duration::from_secs(3600 * hours))
        };
        assert!(
            are_minutes("180+2", 3)
                && !are_minutes("10800", 3)
                && !are_minutes("?", 3)
                && are_minutes("?", 10)
        );
    }

    #[test]
    fn minutes_are_distinguished_from_seconds() {
        let base = |tag, clock: Option<u64>| {
            TimeControl::of_tag(tag, clock.map(Duration::from_secs)).map(|control| control.base)
        };
        assert_eq!(base("90+30", Some(5456)), Some(5400.0));
        assert_eq!(base("90+30", Some(90)), Some(90.0));
        assert_eq!(
            (base("3+2", None), base("15+10", None)),
            (Some(180.0), Some(900.0))
        );
        assert_eq!(
            (
                base("3+2 blitz", None),
                base("15+10 (rapid)", None),
                base("game in 30", None)
            ),
            (Some(180.0), Some(900.0), Some(1800.0))
        );
        assert_eq!(
            (base("tc=10+0.1", None), base("tc=10+0.1", Some(10))),
            (Some(10.0), Some(10.0))
        );
        assert_eq!(
            (base("120+1", None), base("180", None)),
            (Some(120.0), Some(180.0))
        );
        assert_eq!(base("-", None), None);
    }
}
