//! Matches and tournaments: results, Elo, pairs of games with one opening, sequential tests, and
//! ratings of several players.
//!
//! [`MatchGames::count`] counts games into [`MatchGames`]; [`MatchGames::report`] computes a
//! [`MatchDocument`] from them.
//!
//! ```
//! use centipawn_calibrate::engine_match::{MatchGames, MatchReportOptions};
//! use centipawn_pgn::{ScanOptions, Sources};
//!
//! # let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/selfplay.pgn.gz");
//! let sources = Sources::expand(&[games])?;
//! let (games, _) = MatchGames::count(&sources, &ScanOptions::default())?;
//! let report = games.report(&MatchReportOptions::default())?;
//! let pairing = &report.pairings[0];
//! assert_eq!(pairing.games, pairing.wins + pairing.draws + pairing.losses);
//! assert!(pairing.estimate.elo.unwrap() < 0.0, "the weak engine played White in the first game");
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod balance;
mod connected;
mod document;
mod ending;
mod estimate;
mod pairs;
mod plot;
mod ratings;
mod report;
mod sound;
mod sprt;

use std::collections::BTreeMap;

use centipawn_pgn::{GameView, Merge, ScanOptions, ScanReport, Sources, Unreadable, scan};
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Outcome};

pub use balance::MatchBalance;
pub use document::{
    EndingCount, MatchDocument, MatchOpening, MatchPairing, MatchPlayer, MatchSides, RatingFit,
    SprtDocument,
};
pub use ending::Ending;
pub use estimate::{ScoreBasis, ScoreEstimate};
pub use pairs::PairRule;
pub use plot::MatchPlot;
pub use report::{Anchor, BadMatchOptions, MatchError, MatchReportOptions};
pub use sprt::{BadSprt, Sprt, SprtModel, SprtVerdict};

use crate::{
    balance::{BalanceOptions, By, Matches, pairs as as_pairs},
    wdl::{GameCounts, GameReading},
};

/// The counted games of a match or tournament. Parts of the same input [merge](Merge::merge) to the
/// same value however the input was divided. Memory grows with the number of games: by about a
/// hundred bytes each if players meet often, by some kilobytes each if all players differ, and by
/// four bytes for each evaluated position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchGames {
    /// Games by their two players, whose names are in alphabetical order.
    #[serde(with = "as_pairs")]
    pairings: BTreeMap<[String; 2], Pairing>,
    /// Number of games without a result, by the two names in alphabetical order.
    #[serde(with = "as_pairs")]
    unfinished: BTreeMap<[String; 2], u64>,
    /// Number of games without two different names of players.
    pub nameless: u64,
    /// Number of rounds without an opponent (byes), which are not games.
    #[serde(default)]
    pub byes: u64,
    /// Number of games whose text says that the winner lost by a fault, such as an illegal move.
    /// The game counts, the fault does not.
    #[serde(default)]
    contradictory: u64,
    /// Evaluations by engine and opponent, for the counting estimate of the win-draw balance.
    balance: Matches,
    /// Evaluated positions by pair of players, for the win/draw/loss model.
    #[serde(with = "as_pairs", default)]
    evaluated: BTreeMap<[String; 2], GameCounts>,
}

/// All games of one pair of players.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Pairing {
    /// Games by their opening, in the order of the input.
    #[serde(with = "as_pairs")]
    openings: BTreeMap<Opening, Vec<Played>>,
}

/// The position and the moves with which a game begins, as the organizer chose them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Opening {
    /// The tag `FEN`; empty for the standard start position.
    fen: String,
    /// Moves that a comment marks as book moves, as written, separated by blanks.
    moves: String,
}

/// A game of two players, as far as reports need it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Played {
    /// The index of its source among all sources, and its offset in the source.
    place: (usize, u64),
    /// The tags `Event` and `Round`.
    round: (String, String),
    /// Which of the two players has White: the first (0) or the second (1).
    white: u8,
    /// White's score in half points.
    points: u8,
    ending: Ending,
    plies: u32,
}

impl MatchGames {
    /// Counts games on all cores. Byes, and games without a result or without two different
    /// players, are only counted by number.
    ///
    /// # Errors
    ///
    /// Those of [`scan`]: none unless [`strict`](ScanOptions::strict).
    pub fn count(
        sources: &Sources,
        options: &ScanOptions<'_>,
    ) -> Result<(Self, ScanReport), Unreadable> {
        let reading = GameReading::default();
        scan(sources, options, Self::default, |games: &mut Self, game| {
            games.add(game, options, &reading);
        })
    }

    fn add(&mut self, game: &GameView<'_>, options: &ScanOptions<'_>, reading: &GameReading) {
        let tag = |name: &str| {
            game.tag(name)
                .map(|value| value.trim().to_owned())
                .unwrap_or_default()
        };
        let (white, black) = (tag("White"), tag("Black"));
        if is_bye(&white)
            || is_bye(&black)
            || (game.is_empty() && (is_unnamed(&white) || is_unnamed(&black)))
        {
            self.byes += 1;
            return;
        }
        let is_first = white < black;
        let Outcome::Known(outcome) = game.result() else {
            let names = if is_first {
                [white, black]
            } else {
                [black, white]
            };
            *self.unfinished.entry(names).or_default() += 1;
            return;
        };
        if white == black || is_unnamed(&white) || is_unnamed(&black) {
            self.nameless += 1;
            return;
        }
        let by_opponent = BalanceOptions {
            by: By::Opponent,
            ..BalanceOptions::default()
        };
        self.balance.add_view(game, options.dialect, &by_opponent);
        let points = outcome
            .winner()
            .map_or(1, |winner| if winner == Color::White { 2 } else { 0 });
        let ending = Ending::of(game);
        self.contradictory += u64::from(ending.is_none());
        let played = Played {
            place: (game.source(), game.offset()),
            round: (tag("Event"), tag("Round")),
            white: u8::from(!is_first),
            points,
            ending: ending.unwrap_or(Ending::Unknown),
            plies: u32::try_from(game.len()).unwrap_or(u32::MAX),
        };
        let names = if is_first {
            [white, black]
        } else {
            [black, white]
        };
        self.evaluated
            .entry(names.clone())
            .or_default()
            .add(game, options.dialect, reading);
        self.pairings
            .entry(names)
            .or_default()
            .openings
            .entry(Opening::of(game))
            .or_default()
            .push(played);
    }

    /// Returns the number of games without a result.
    pub fn unfinished(&self) -> u64 {
        self.unfinished_of(|_| true)
    }

    fn unfinished_of(&self, meets: impl Fn([&String; 2]) -> bool) -> u64 {
        self.unfinished
            .iter()
            .filter(|([one, other], _)| meets([one, other]))
            .map(|(_, games)| games)
            .sum()
    }

    /// Returns whether no game was counted.
    pub fn is_empty(&self) -> bool {
        self.pairings.is_empty()
    }
}

impl Merge for MatchGames {
    fn merge(&mut self, later: Self) {
        for (names, pairing) in later.pairings {
            let own = self.pairings.entry(names).or_default();
            for (opening, games) in pairing.openings {
                let own = own.openings.entry(opening).or_default();
                // Parts of several files are not merged in input order.
                let is_later = own
                    .last()
                    .zip(games.first())
                    .is_none_or(|(last, first)| last.place < first.place);
                own.extend(games);
                if !is_later {
                    own.sort_by_key(|game| game.place);
                }
            }
        }
        for (names, games) in later.unfinished {
            *self.unfinished.entry(names).or_default() += games;
        }
        self.nameless += later.nameless;
        self.byes += later.byes;
        self.contradictory += later.contradictory;
        self.balance.merge(later.balance);
        for (names, positions) in later.evaluated {
            self.evaluated.entry(names).or_default().merge(positions);
        }
    }
}

impl Opening {
    fn of(game: &GameView<'_>) -> Self {
        let fen = game
            .tag("FEN")
            .map(|fen| fen.trim().to_owned())
            .filter(|fen| !is_usual_start(fen));
        let mut moves = String::new();
        for ply in game.plies() {
            if !ply.comments().any(is_book) {
                break;
            }
            if !moves.is_empty() {
                moves.push(' ');
            }
            moves.push_str(&String::from_utf8_lossy(ply.san()));
        }
        Self {
            fen: fen.unwrap_or_default(),
            moves,
        }
    }

    /// Returns whether the game marks its opening by a FEN or by book moves.
    fn is_marked(&self) -> bool {
        !self.fen.is_empty() || !self.moves.is_empty()
    }
}

/// Returns whether a pairing program writes this name for a round without an opponent.
fn is_bye(name: &str) -> bool {
    const NONE: [&str; 5] = [
        "no opponent",
        "unpaired",
        "not paired",
        "spielfrei",
        "freilos",
    ];
    /// Words that may stand beside `bye`, as in `Bye (half point)`.
    const BESIDE: [&str; 6] = ["bye", "exempt", "half", "full", "point", "round"];
    let name = words(name);
    let words: Vec<&str> = name.split(' ').collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let has_bye = words.iter().any(|word| matches!(*word, "bye" | "exempt"));
    NONE.contains(&name.as_str())
        || (has_bye
            && words
                .iter()
                .all(|word| BESIDE.contains(word) || is_number(word)))
}

/// Returns whether the text stands for a missing name: empty, `?` or `-`.
fn is_unnamed(name: &str) -> bool {
    words(name).chars().all(|char| char == '?')
}

/// Returns the words of a name in lower case, separated by single blanks.
fn words(name: &str) -> String {
    let words = name.to_lowercase().replace(
        ['-', '_', '.', ',', '(', ')', '[', ']', '*', '<', '>', '"'],
        " ",
    );
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether a FEN has the standard start position, which does not mark an opening.
fn is_usual_start(fen: &str) -> bool {
    let fields = |fen: &str| {
        fen.split_whitespace()
            .take(4)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    fields(fen) == fields("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
}

/// Returns whether a comment marks a book move, as cutechess and fastchess (`book`) and TCEC
/// (`book, mb=+0+0+0+0+0,`) write it.
fn is_book(comment: &[u8]) -> bool {
    let comment = comment.trim_ascii();
    let (word, rest) = comment.split_at(comment.len().min(4));
    word.eq_ignore_ascii_case(b"book")
        && rest
            .first()
            .is_none_or(|next| matches!(next, b',' | b' ' | b'\n' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::{is_bye, is_unnamed};

    #[test]
    fn byes_are_recognised_by_name() {
        for name in [
            "bye",
            "BYE",
            "BYE, BYE",
            "Bye.",
            "(bye)",
            "[BYE]",
            "half-point bye",
            "Bye (full point)",
            "Bye 1",
            "exempt",
            "spielfrei",
            "*bye*",
            "no opponent",
        ] {
            assert!(is_bye(name) && !is_unnamed(name), "{name}");
        }
        for name in ["", "?", "??", "-", "---"] {
            assert!(is_unnamed(name) && !is_bye(name), "{name}");
        }
        for name in [
            "Byers, A",
            "Goodbye 1.0",
            "A",
            "Stockfish 17",
            "Bye, John",
            "1",
        ] {
            assert!(!is_bye(name) && !is_unnamed(name), "{name}");
        }
    }
}
