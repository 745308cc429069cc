//! The players of a game: humans or programs, their ratings and time control.

use std::{borrow::Cow, time::Duration};

use centipawn_core::{Players, Pool};
use shakmaty::Color;

use crate::{Annotation, Dialect, Game, TimeControl};

/// No over-the-board player reaches this rating; sites, where some players do, mark their programs.
const PROGRAM_RATING: f64 = 3000.0;

/// Beginnings of programs' names, in lower case.
const PROGRAMS: [&str; 26] = [
    "stockfish",
    "lc0",
    "lczero",
    "leela",
    "komodo",
    "houdini",
    "rybka",
    "deep blue",
    "deep fritz",
    "deep junior",
    "deep thought",
    "alphazero",
    "ethereal",
    "berserk",
    "koivisto",
    "rubichess",
    "stoofvlees",
    "alliestein",
    "shredder",
    "hiarcs",
    "gnu chess",
    "gnuchess",
    "crafty",
    "lichess ai",
    "computer",
    "maia",
];

/// A player's name in the form that all spellings of one player share: without blanks at its ends,
/// in small letters.
///
/// ```
/// assert_eq!(centipawn_pgn::player_key(" MÜLLER, Jörg "), "müller, jörg");
/// ```
pub fn player_key(name: &str) -> String {
    name.trim().to_lowercase()
}

/// The players, by a game's tags.
///
/// Programs are known by the tags `WhiteType` and `WhiteTitle` (or Black's; `program`, `BOT`), by
/// names that begin like a program's or contain a version (`Booot 5.1.0`), by ratings above 3000,
/// and by comments as programs write them in matches. On Lichess and Chess.com only titles and the
/// sites' own names count, since users of those sites choose arbitrary names.
///
/// The time comes from the time control; where there is none, from the words of the event: `World
/// Blitz 2021` counts as 3 minutes and 2 seconds, `Amber Rapid` as 15 minutes and 10 seconds,
/// `Bullet Open` as a minute and a second.
///
/// The pool is known by the site that the tags name; a tag with a number of FIDE shows a game over
/// the board.
///
/// `tag` gives the value of a tag, `first_clock` the first clock in the game (see
/// [`TimeControl::of_tag`]), `dialect` that of its evaluations.
///
/// ```
/// use centipawn_pgn::{Dialect, players};
///
/// let tag = |name: &str| match name {
///     "White" => Some("Boris".into()),
///     "Black" => Some("Anna".into()),
///     "WhiteElo" | "BlackElo" => Some("1500".into()),
///     "TimeControl" => Some("180+2".into()),
///     _ => None,
/// };
/// let players = players(tag, None, Dialect::Auto);
/// assert!(players.are_people);
/// assert_eq!((players.rating, players.seconds), (Some(1500.0), Some(180.0 + 40.0 * 2.0)));
/// ```
pub fn players<'a>(
    tag: impl Fn(&str) -> Option<Cow<'a, str>>,
    first_clock: Option<Duration>,
    dialect: Dialect,
) -> Players {
    let pool = pool(&tag);
    let has_site = matches!(pool, Pool::Lichess | Pool::ChessCom);
    let mut are_people = !matches!(dialect, Dialect::Engine | Dialect::Tcec);
    let mut ratings = Vec::new();
    for color in Color::ALL {
        let own = |name: &str| tag(&format!("{}{name}", color.fold_wb("White", "Black")));
        let rating = own("Elo").and_then(|text| rating(&text));
        let is = |name: &str, value: &str| {
            own(name).is_some_and(|text| text.trim().eq_ignore_ascii_case(value))
        };
        let is_named = own("").is_some_and(|name| is_program(&name, has_site));
        let is_strong = !has_site && rating.is_some_and(|rating| rating > PROGRAM_RATING);
        are_people &= !(is("Type", "program") || is("Title", "BOT") || is_named || is_strong);
        ratings.extend(rating);
    }
    let mean = ratings.iter().sum::<f64>() / ratings.len() as f64;
    let control = tag("TimeControl").and_then(|tag| TimeControl::of_tag(&tag, first_clock));
    let seconds = control
        .map(TimeControl::seconds)
        .or_else(|| tag("Event").and_then(|event| seconds_of_event(&event)));
    Players {
        are_people,
        rating: (!ratings.is_empty()).then_some(mean),
        seconds,
        pool,
    }
}

/// Returns the pool of the players, by the site that a game's tags name. `tag` gives the value of a
/// tag.
pub fn pool<'a>(tag: impl Fn(&str) -> Option<Cow<'a, str>>) -> Pool {
    const SITES: [(&str, Pool); 5] = [
        ("lichess.org", Pool::Lichess),
        ("chess.com", Pool::ChessCom),
        ("freechess.org", Pool::Fics),
        ("ficsgames.org", Pool::Fics),
        ("tornelo", Pool::FideOnline),
    ];
    let named = ["Site", "Event", "Link"].into_iter().find_map(|name| {
        let text = tag(name)?.trim().to_ascii_lowercase();
        let site = SITES.into_iter().find(|(site, _)| text.contains(site));
        site.map(|(_, pool)| pool).or(match text.as_str() {
            "lichess" => Some(Pool::Lichess),
            "fics" => Some(Pool::Fics),
            _ => None,
        })
    });
    let has_number = |name: &str| tag(name).is_some_and(|text| text.trim().parse::<u32>().is_ok());
    named.unwrap_or_else(|| {
        if has_number("WhiteFideId") && has_number("BlackFideId") {
            Pool::Fide
        } else {
            Pool::Unknown
        }
    })
}

/// Seconds a player (base + 40·increment) by the words of an event, as collections of masters'
/// games name events of fast games.
fn seconds_of_event(event: &str) -> Option<f64> {
    const BULLET: f64 = 60.0 + 40.0;
    const BLITZ: f64 = 180.0 + 40.0 * 2.0;
    const RAPID: f64 = 900.0 + 40.0 * 10.0;
    let event = event.to_lowercase();
    let mut words = event.split(|char: char| !char.is_alphanumeric()).peekable();
    while let Some(word) = words.next() {
        let next = words.peek().copied().unwrap_or_default();
        return Some(match word {
            "bullet" | "hyperbullet" | "ultrabullet" => BULLET,
            "blitz" | "lightning" | "speedchess" => BLITZ,
            "speed" | "titled" if matches!(next, "chess" | "tue" | "tues" | "tuesday") => BLITZ,
            "rapid" | "rapidplay" | "rap" => RAPID,
            _ => continue,
        });
    }
    None
}

impl Game {
    /// The players, see [`players`].
    ///
    /// ```
    /// use centipawn_pgn::Reader;
    ///
    /// let pgn = "[White \"Anna\"]\n[WhiteElo \"1500\"]\n[BlackElo \"1600\"]\n[TimeControl \"180+2\"]\n\n1. e4 *";
    /// let players = Reader::new(pgn.as_bytes()).next().unwrap()?.unwrap().players();
    /// assert_eq!((players.are_people, players.rating, players.seconds), (true, Some(1550.0), Some(260.0)));
    /// # Ok::<_, std::io::Error>(())
    /// ```
    pub fn players(&self) -> Players {
        let dialect = Dialect::detect([self]);
        players(
            |name| self.headers.get(name).map(Cow::from),
            self.first_clock(dialect),
            dialect,
        )
    }

    /// The time control by the tag, which may be in [minutes](TimeControl::of_tag).
    pub fn time_control(&self) -> Option<TimeControl> {
        TimeControl::of_tag(
            self.headers.get("TimeControl")?,
            self.first_clock(Dialect::detect([self])),
        )
    }

    /// The clock after the first move.
    pub fn first_clock(&self, dialect: Dialect) -> Option<Duration> {
        self.annotations(dialect).next()?.clock
    }

    /// The numbers in the comments behind each move of the main line. Clocks of two parts (`1:30`)
    /// are in hours and minutes, or in minutes and seconds where the time control and the first of
    /// them show it.
    ///
    /// ```
    /// use centipawn_pgn::{Dialect, Reader};
    ///
    /// let clock = |control: &str| {
    ///     let pgn = format!("[TimeControl \"{control}\"]\n\n1. e4 {{[%clk 1:30]}} *");
    ///     let game = Reader::new(pgn.as_bytes()).next().unwrap().unwrap().unwrap();
    ///     game.annotations(Dialect::Commands).next().unwrap().clock.unwrap().as_secs()
    /// };
    /// assert_eq!((clock("5400+30"), clock("90+1"), clock("-")), (5400, 90, 5400));
    /// ```
    pub fn annotations(&self, dialect: Dialect) -> impl Iterator<Item = Annotation> {
        let mut mover = self.start.turn();
        // Decide this only once: deciding it for each clock would take quadratic time in a hostile
        // game with many clocks and a long tag.
        let mut are_minutes = None;
        self.plies.iter().map(move |ply| {
            let mut annotation = ply.annotation(dialect, mover);
            mover = !mover;
            if let Some(clock) = annotation.clock.filter(|_| annotation.is_clock_short) {
                let tag = self.headers.get("TimeControl");
                let decide = || TimeControl::has_clocks_in_minutes(tag, clock);
                annotation.clock =
                    Some(short_clock(clock, *are_minutes.get_or_insert_with(decide)));
            }
            annotation
        })
    }
}

/// A clock of two parts, which was read as hours and minutes, or as minutes and seconds.
pub(crate) fn short_clock(clock: Duration, are_minutes: bool) -> Duration {
    if are_minutes { clock / 60 } else { clock }
}

/// A rating from the value of its tag, for every use of ratings: a number from 100 to 5000, also
/// with a question mark (provisional).
///
/// ```
/// use centipawn_pgn::rating;
///
/// assert_eq!((rating("1703"), rating("1703?")), (Some(1703.0), Some(1703.0)));
/// assert_eq!((rating("0"), rating("?"), rating("-")), (None, None, None));
/// ```
pub fn rating(text: &str) -> Option<f64> {
    let rating: f64 = text.trim().trim_end_matches('?').parse().ok()?;
    (100.0..=5000.0).contains(&rating).then_some(rating)
}

/// Whether a name is that of a program.
fn is_program(name: &str, has_site: bool) -> bool {
    let name = name.trim().to_lowercase();
    if has_site {
        return name.starts_with("lichess ai level") || name.starts_with("stockfish level");
    }
    // The name ends there, or a version follows.
    let begins = PROGRAMS
        .iter()
        .filter_map(|program| name.strip_prefix(program));
    let is_known = begins
        .into_iter()
        .any(|rest| !rest.starts_with(|next: char| next.is_alphabetic() || next == ','));
    is_known || name.split_whitespace().skip(1).any(is_version)
}

/// `5.1.0`, `v0.22`, `091007`, `64-bit`.
fn is_version(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let has_point = word
        .trim_start_matches('v')
        .split_once('.')
        .is_some_and(|(before, after)| {
            !before.is_empty()
                && before.chars().all(|char| char.is_ascii_digit())
                && after.starts_with(|char: char| char.is_ascii_digit())
        });
    has_point || digits >= 5 || word.contains("64-bit")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reader;

    fn of(pgn: &str) -> Players {
        Reader::new(pgn.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap()
            .players()
    }

    #[test]
    fn programs_are_known() {
        for tags in [
            "[White \"Stockfish 18102108\"]",
            "[Black \"LCZero v0.22.0-nT40B.4-260\"]",
            "[White \"Stockfish_15_100M\"]",
            "[White \"Booot 5.1.0\"]",
            "[White \"Deep Blue (Computer)\"]",
            "[White \"Ann\"]\n[BlackType \"program\"]",
            "[White \"Ann\"]\n[Black \"maia5\"]\n[BlackTitle \"BOT\"]",
            "[White \"lichess AI level 3\"]\n[Site \"https://lichess.org/x\"]",
            "[WhiteElo \"3512\"]",
        ] {
            assert!(!of(&format!("{tags}\n\n1. e4 *")).are_people, "{tags}");
        }
        assert!(
            !of("1. e4 {+0.31/20 1.2s} e5 {-0.20/20 1.1s} *").are_people,
            "comments of an engine match"
        );
    }

    #[test]
    fn names_of_people_are_not_taken_for_programs() {
        for tags in [
            "[White \"Paul Morphy\"]",
            "[White \"Fritz, Roland\"]\n[Black \"Lasker, Emanuel\"]",
            "[White \"Computerson, Ann\"]",
            "[White \"stockfish 99\"]\n[Site \"https://lichess.org/x\"]",
            "[White \"player2000\"]",
            "[White \"Player 1\"]\n[Black \"Ivanov, P.2\"]",
            "[WhiteElo \"3210\"]\n[Site \"https://lichess.org/x\"]",
            "",
        ] {
            assert!(of(&format!("{tags}\n\n1. e4 *")).are_people, "{tags}");
        }
    }

    #[test]
    fn fast_events_have_a_time() {
        let seconds = |event: &str| of(&format!("[Event \"{event}\"]\n\n1. e4 *")).seconds;
        for event in [
            "World Blitz 2021",
            "Superbet Blitz",
            "Women's Speed Chess Final",
            "Titled Tue 18th Apr Late",
        ] {
            assert_eq!(seconds(event), Some(260.0), "{event}");
        }
        assert_eq!(
            (
                seconds("Amber-rapid 3rd"),
                seconds("Chess.com Bullet Open KO")
            ),
            (Some(1300.0), Some(100.0))
        );
        for event in [
            "Linares",
            "Rapidan Open",
            "Titled Masters",
            "Wijk aan Zee",
            "?",
        ] {
            assert_eq!(seconds(event), None, "{event}");
        }
        assert_eq!(
            of("[Event \"World Blitz\"]\n[TimeControl \"300+3\"]\n\n1. e4 *").seconds,
            Some(420.0)
        );
    }

    #[test]
    fn unknown_values_are_missing() {
        let players = of("[WhiteElo \"?\"]\n[BlackElo \"1500?\"]\n[TimeControl \"-\"]\n\n1. e4 *");
        assert_eq!((players.rating, players.seconds), (Some(1500.0), None));
        assert_eq!(of("[WhiteElo \"0\"]\n\n1. e4 *").rating, None);
        let clock = of("[TimeControl \"90+30\"]\n\n1. e4 {[%clk 1:30:56]} *");
        assert_eq!(clock.seconds, Some(6600.0));
    }
}
