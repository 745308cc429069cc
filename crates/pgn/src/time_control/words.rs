//! Time controls with units and in words.

use super::{MOVES, TimeControl};

/// Seconds in a day: the time for a move of correspondence games is given in days.
const DAY: f64 = 86_400.0;

/// Seconds that are too many for an increment or a delay: `90 min + 30 min` has two stages.
const LONGEST_INCREMENT: f64 = 180.0;

/// Numbers without a unit from this on are seconds, since no game lasts so many minutes.
const LONGEST_IN_MINUTES: f64 = 600.0;

/// A number or word of a time control, with its meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Item {
    /// Seconds.
    Time(f64),
    /// A number without a unit.
    Bare(f64),
    /// `+`, `plus`: what follows is added for each move.
    Plus,
    /// `d`, `delay`: what follows is a delay for each move.
    Delay,
    /// `increment`, `per move`: the last time is added for each move.
    PerMove,
    /// `moves`: the last number counts moves.
    Moves,
    /// `/`, `in`: between moves and their time.
    For,
    /// `G`, `SD`: the time for the rest of the game follows, in minutes.
    Game,
    /// The end of a stage: `,`, `;`, `then`.
    Next,
}

/// Reads what is not in the form of the standard: `90 min + 30 sec`, `G/60;d5`, `40/90, SD/30`,
/// `1:30:00`, or a sentence. `None` if it states no time.
pub(super) fn read(text: &str) -> Option<TimeControl> {
    let lower = text.to_lowercase();
    let items = items(&lower)?;
    let has_unit = items.iter().any(|item| matches!(item, Item::Time(_)));
    let has_game = items.contains(&Item::Game);
    // The federation of the USA writes minutes: `G/60;d5`.
    if !has_unit && !has_game {
        return None;
    }
    let (mut base, mut increment, mut moves) = (0.0, 0.0_f64, 0.0);
    // The moves of the stage that is read, its time, and whether the next time is one for each
    // move.
    let (mut stage, mut last, mut is_added, mut is_delay) = (None, None, false, false);
    let mut stages: Vec<(f64, Option<f64>)> = Vec::new();
    let mut waiting: Option<f64> = None;
    for (index, item) in items.iter().enumerate() {
        match *item {
            Item::Time(seconds) | Item::Bare(seconds) => {
                let is_bare = matches!(item, Item::Bare(_));
                let is_before = |back: usize, item: fn(&Item) -> bool| {
                    index
                        .checked_sub(back)
                        .and_then(|at| items.get(at))
                        .is_some_and(item)
                };
                // `40 moves in 90 min`, `90 min/40`.
                let is_behind = is_before(1, |item| *item == Item::For)
                    && is_before(2, |item| matches!(item, Item::Time(_)));
                let is_count = is_bare
                    && (is_behind || matches!(items.get(index + 1), Some(Item::Moves | Item::For)));
                // Without a unit, increments and delays are seconds, and times are minutes.
                if is_count {
                    stage = Some(seconds);
                } else if (is_added || is_delay) && seconds < LONGEST_INCREMENT {
                    increment = increment.max(seconds);
                    (is_added, is_delay) = (false, false);
                    last = None;
                } else {
                    let are_minutes = is_bare && seconds < LONGEST_IN_MINUTES;
                    let seconds = if are_minutes { 60.0 * seconds } else { seconds };
                    is_added = false;
                    last = Some(seconds);
                    if matches!(items.get(index + 1), Some(Item::PerMove)) {
                        continue;
                    }
                    // `1 h 30 min` is a single time: add the minutes to the hours.
                    match (waiting, items.get(index.wrapping_sub(1))) {
                        (Some(before), Some(Item::Time(_))) if !is_bare => {
                            waiting = Some(before + seconds);
                        }
                        (Some(before), _) => {
                            stages.push((before, stage.take()));
                            waiting = Some(seconds);
                        }
                        (None, _) => waiting = Some(seconds),
                    }
                }
            }
            Item::PerMove => {
                if let Some(seconds) = last.take() {
                    increment = increment.max(seconds);
                } else {
                    // `increment of 30 seconds`.
                    is_added = increment == 0.0;
                }
            }
            Item::Plus => is_added = true,
            Item::Delay => is_delay = true,
            Item::Next | Item::Game => {
                if let Some(before) = waiting.take() {
                    stages.push((before, stage.take()));
                }
                (is_added, last) = (false, None);
            }
            Item::Moves | Item::For => {}
        }
    }
    stages.extend(waiting.map(|seconds| (seconds, stage)));
    if stages.is_empty() && increment >= DAY {
        // A number of days for each move.
        return Some(TimeControl {
            base: MOVES * increment,
            increment: 0.0,
        });
    }
    for (seconds, count) in stages {
        base += seconds;
        moves += count.unwrap_or(f64::INFINITY);
        if moves >= MOVES {
            break;
        }
    }
    if moves < MOVES && moves > 0.0 {
        base *= MOVES / moves;
    }
    let is_plausible = (0.0..=1e9).contains(&base) && (0.0..=1e9).contains(&increment);
    (is_plausible && (base > 0.0 || increment > 0.0)).then_some(TimeControl { base, increment })
}

/// Returns the text without the name of a class of games at its beginning or end, if an increment
/// stands beside it: `3+2 blitz`, `Rapid (15+10)`. The number in `Blitz 2021` is no time.
pub(super) fn without_class(text: &str) -> &str {
    const CLASSES: [&str; 6] = [
        "bullet",
        "blitz",
        "rapid",
        "classical",
        "standard",
        "lightning",
    ];
    let around = |char: char| char.is_whitespace() || "()[],;:-".contains(char);
    let is_class = |word: &str| CLASSES.iter().any(|class| word.eq_ignore_ascii_case(class));
    let is_of_word = |char: char| char.is_ascii_alphabetic();
    let text = text.trim();
    let bare = text.trim_matches(around);
    let first = bare.find(|char| !is_of_word(char)).unwrap_or(bare.len());
    let last = bare.rfind(|char: char| !is_of_word(char)).map_or(0, |at| {
        at + bare[at..].chars().next().map_or(1, char::len_utf8)
    });
    let without = match () {
        () if is_class(&bare[..first]) => bare[first..].trim_matches(around),
        () if is_class(&bare[last..]) => bare[..last].trim_matches(around),
        () => text,
    };
    if without.contains('+') { without } else { text }
}

/// Returns the numbers and words of a text in lower case; `None` if it has no number, or one
/// without a meaning.
fn items(text: &str) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_digit() {
            let length = rest
                .find(|char: char| !char.is_ascii_digit() && char != '.' && char != ':')
                .unwrap_or(rest.len());
            let number = rest[..length].trim_end_matches(['.', ':']);
            rest = &rest[number.len()..];
            if number.contains(':') {
                items.push(Item::Time(clock(number)?));
                continue;
            }
            let number: f64 = number.parse().ok()?;
            let word = rest.trim_start_matches([' ', '-']);
            match unit(word) {
                Some((seconds, length)) => {
                    items.push(Item::Time(number * seconds));
                    rest = &word[length..];
                }
                None => items.push(Item::Bare(number)),
            }
        } else if first.is_alphabetic() {
            let length = rest
                .find(|char: char| !char.is_alphabetic())
                .unwrap_or(rest.len());
            let (word, behind) = rest.split_at(length);
            rest = behind;
            items.extend(match word {
                "plus" | "bonus" | "inc" | "zuzüglich" => Some(Item::Plus),
                "increment" | "inkrement" | "zugabe" => Some(Item::PerMove),
                "per" | "pro" | "each" | "every" | "je" if begins_with_move(rest) => {
                    Some(Item::PerMove)
                }
                "d" | "delay" => Some(Item::Delay),
                "moves" | "mvs" | "züge" | "zügen" | "coups" | "jugadas" => Some(Item::Moves),
                "in" => Some(Item::For),
                "g" | "game" | "sd" | "tc" if let Some(time) = time_of_game(rest) => {
                    rest = time;
                    Some(Item::Game)
                }
                "then" | "followed" | "dann" | "danach" | "rest" => Some(Item::Next),
                _ => None,
            });
        } else {
            items.extend(match first {
                '+' => Some(Item::Plus),
                '/' if begins_with_move(&rest[1..]) => Some(Item::PerMove),
                '/' => Some(Item::For),
                ',' | ';' | ':' => Some(Item::Next),
                _ => None,
            });
            rest = &rest[first.len_utf8()..];
        }
    }
    items
        .iter()
        .any(|item| matches!(item, Item::Time(_) | Item::Bare(_)))
        .then_some(items)
}

/// Returns the text from the number on, if one follows `game` or `G`: `/60`, `30`, ` in 30`.
fn time_of_game(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let behind = text
        .strip_prefix('/')
        .or(text.strip_prefix("in "))
        .unwrap_or(text)
        .trim_start();
    behind
        .starts_with(|char: char| char.is_ascii_digit())
        .then_some(behind)
}

/// Returns whether the next word is `move`.
fn begins_with_move(text: &str) -> bool {
    let word = text.trim_start();
    ["move", "zug", "mv", "coup", "jugada"].iter().any(|one| {
        word.strip_prefix(one)
            .is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
    })
}

/// Returns the seconds of the unit at the beginning of `text`, and the length of its word.
fn unit(text: &str) -> Option<(f64, usize)> {
    for (sign, seconds) in [
        ("\'\'", 1.0),
        ("\"", 1.0),
        ("″", 1.0),
        ("”", 1.0),
        ("\'", 60.0),
        ("′", 60.0),
        ("’", 60.0),
    ] {
        if text.starts_with(sign) {
            return Some((seconds, sign.len()));
        }
    }
    let length = text
        .find(|char: char| !char.is_alphabetic())
        .unwrap_or(text.len());
    let seconds = match &text[..length] {
        "s" | "sec" | "secs" | "second" | "seconds" | "sek" | "sekunde" | "sekunden"
        | "segundos" | "secondes" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" | "minuten" | "minutos" | "mn" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" | "std" | "stunde" | "stunden" | "hora" | "horas"
        | "heure" | "heures" => 3600.0,
        "day" | "days" | "tag" | "tage" | "tagen" | "jours" => DAY,
        _ => return None,
    };
    Some((seconds, length))
}

/// Returns the seconds of a clock such as `1:30:00`. Two parts are hours and minutes up to `3:59`,
/// otherwise minutes and seconds.
fn clock(text: &str) -> Option<f64> {
    let parts: Vec<f64> = text
        .split(':')
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    match *parts {
        [hours, minutes, seconds] => Some(3600.0 * hours + 60.0 * minutes + seconds),
        [hours, minutes] if (1.0..4.0).contains(&hours) => Some(3600.0 * hours + 60.0 * minutes),
        [minutes, seconds] => Some(60.0 * minutes + seconds),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_organizers() {
        for (text, base, increment) in [
            ("60 mins", 3600.0, 0.0),
            ("60min", 3600.0, 0.0),
            ("90 min + 30 sec", 5400.0, 30.0),
            ("90'+30\"", 5400.0, 30.0),
            ("90'+30''", 5400.0, 30.0),
            ("90m+30s", 5400.0, 30.0),
            ("15 minutes plus 10 seconds per move", 900.0, 10.0),
            ("90 minutes with 30 seconds increment", 5400.0, 30.0),
            (
                "1 hour 30 minutes, 30 seconds increment per move",
                5400.0,
                30.0,
            ),
            ("1h30m + 30s", 5400.0, 30.0),
            ("1:30:00", 5400.0, 0.0),
            ("0:03:00+0:00:02", 180.0, 2.0),
            ("G/60;d5", 3600.0, 5.0),
            ("G/90 +30", 5400.0, 30.0),
            ("G60 d5", 3600.0, 5.0),
            ("Game/30", 1800.0, 0.0),
            ("game in 30", 1800.0, 0.0),
            ("Game in 60 minutes", 3600.0, 0.0),
            ("40/90, SD/30; d5", 5400.0, 5.0),
            ("30/90, SD/60", 9000.0, 0.0),
            (
                "90 minutes for the first 40 moves, followed by 30 minutes for the rest of the gamewith an increment of 30 seconds per \
                 move starting from move 1",
                5400.0,
                30.0,
            ),
            (
                "90 min for 40 moves + 30 min for the rest + 30 sec/move",
                5400.0,
                30.0,
            ),
            ("40 moves in 2 hours, then 20 moves in 1 hour", 7200.0, 0.0),
            ("2 hours for 40 moves, 1 hour for 20 moves", 7200.0, 0.0),
            ("3 days per move", 40.0 * 3.0 * DAY, 0.0),
            ("1 day/move", 40.0 * DAY, 0.0),
            ("5 min.", 300.0, 0.0),
            ("5400 + 30 s", 5400.0, 30.0),
            ("120'/40 + 60'/20 + 15' + 30''", 7200.0, 30.0),
            ("90 Minuten, 30 Sekunden pro Zug", 5400.0, 30.0),
        ] {
            let read = read(text).map(|control| (control.base, control.increment));
            assert_eq!(
                read,
                Some((base, increment)),
                "{text}: {:?}",
                items(&text.to_lowercase())
            );
        }
        for text in [
            "",
            "-",
            "?",
            "none",
            "unlimited",
            "*180",
            "x+3",
            "300+",
            "normal",
            "blitz 2021",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
