//! Recognises how a game ended.

use std::borrow::Cow;

use centipawn_pgn::GameView;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, KnownOutcome, Outcome, Position as _};

/// How a game ended. The sources are, in this order: the tag `Termination` (and TCEC's
/// `TerminationDetails`), the last comment as cutechess, fastchess and Arena write it, the final
/// position, and for drawn games the moves that led to it. A statement that contradicts the result
/// is ignored: a game with a winner did not end by repetition. A comment states a fault only if the
/// fault follows the engine's numbers or is the whole comment, as in `White forfeits on time`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Checkmate on the board.
    Checkmate,
    /// Stalemate.
    Stalemate,
    /// The same position occurred three times.
    Repetition,
    /// Fifty moves of each side without a capture or a pawn move.
    FiftyMoves,
    /// Neither side has enough material for a mate.
    InsufficientMaterial,
    /// The tournament program declared a win by the evaluations.
    AdjudicatedWin,
    /// The tournament program declared a draw by the evaluations or the length of the game.
    AdjudicatedDraw,
    /// The tournament program ended the game by an endgame tablebase.
    Tablebase,
    /// A player ran out of time.
    Time,
    /// An engine played an illegal move.
    IllegalMove,
    /// An engine crashed or closed its connection.
    Disconnect,
    /// An engine stopped answering.
    Stall,
    /// A player resigned.
    Resignation,
    /// The players agreed on a draw.
    Agreement,
    /// The game does not show how it ended.
    Unknown,
}

/// Whole comments that state an ending without naming the player or the draw, as Arena writes them
/// (`3-fold repetition`, `50 moves rule`). In lower case, without hyphens.
const STATEMENTS: [&str; 15] = [
    "3 fold repetition",
    "three fold repetition",
    "threefold repetition",
    "repetition",
    "50 moves",
    "50 move rule",
    "50 moves rule",
    "fifty moves",
    "fifty move rule",
    "fifty moves rule",
    "stalemate",
    "insufficient material",
    "insufficient mating material",
    "adjudication",
    "arena adjudication",
];

/// Phrases of cutechess, fastchess, TCEC, Lichess and Chess.com in lower case, with their endings.
/// The first one that occurs decides.
const PHRASES: [(&str, Ending); 28] = [
    ("illegal move", Ending::IllegalMove),
    ("rules infraction", Ending::IllegalMove),
    ("loses on time", Ending::Time),
    ("time forfeit", Ending::Time),
    ("forfeits on time", Ending::Time),
    ("won on time", Ending::Time),
    ("stalls", Ending::Stall),
    ("stalled connection", Ending::Stall),
    ("disconnects", Ending::Disconnect),
    ("crash", Ending::Disconnect),
    ("syzygytb", Ending::Tablebase),
    ("tb position", Ending::Tablebase),
    ("tablebase", Ending::Tablebase),
    ("repetition", Ending::Repetition),
    ("fifty move", Ending::FiftyMoves),
    ("fifty-move", Ending::FiftyMoves),
    ("50 move", Ending::FiftyMoves),
    ("50-move", Ending::FiftyMoves),
    ("stalemate", Ending::Stalemate),
    ("insufficient", Ending::InsufficientMaterial),
    ("checkmate", Ending::Checkmate),
    ("white mates", Ending::Checkmate),
    ("black mates", Ending::Checkmate),
    ("resigns", Ending::Resignation),
    ("by resignation", Ending::Resignation),
    ("agreement", Ending::Agreement),
    ("draw accepted", Ending::Agreement),
    ("abandoned", Ending::Disconnect),
];

impl Ending {
    /// All endings, in the order of the enum.
    pub const ALL: [Ending; 15] = [
        Ending::Checkmate,
        Ending::Stalemate,
        Ending::Repetition,
        Ending::FiftyMoves,
        Ending::InsufficientMaterial,
        Ending::AdjudicatedWin,
        Ending::AdjudicatedDraw,
        Ending::Tablebase,
        Ending::Time,
        Ending::IllegalMove,
        Ending::Disconnect,
        Ending::Stall,
        Ending::Resignation,
        Ending::Agreement,
        Ending::Unknown,
    ];

    /// Returns the ending in words: `time loss`.
    pub fn words(self) -> &'static str {
        match self {
            Ending::Checkmate => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::Repetition => "repetition",
            Ending::FiftyMoves => "fifty moves",
            Ending::InsufficientMaterial => "insufficient material",
            Ending::AdjudicatedWin => "adjudicated win",
            Ending::AdjudicatedDraw => "adjudicated draw",
            Ending::Tablebase => "adjudicated by tables",
            Ending::Time => "time loss",
            Ending::IllegalMove => "illegal move",
            Ending::Disconnect => "crash or disconnect",
            Ending::Stall => "stalled connection",
            Ending::Resignation => "resignation",
            Ending::Agreement => "agreement",
            Ending::Unknown => "unknown",
        }
    }

    /// Returns how a game ended. `None` if its text says that the winner lost by a fault, such as
    /// an illegal move, so that either the text or the result is wrong.
    pub(super) fn of(game: &GameView<'_>) -> Option<Self> {
        let mut tags = String::new();
        for tag in ["Termination", "TerminationDetails"] {
            let value = game.tag(tag).unwrap_or_default();
            tags.push_str(without_name(
                &value,
                ["White", "Black"]
                    .into_iter()
                    .filter_map(|name| game.tag(name)),
            ));
            tags.push('\n');
        }
        let last = game.len().checked_sub(1).and_then(|last| game.ply(last));
        let comments = last.map_or_else(|| game.comments(), |ply| ply.comments());
        let names = ["White", "Black"]
            .map(|color| game.tag(color).unwrap_or_default().trim().to_lowercase());
        let comments: Vec<String> = comments
            // An illegal last move is kept with its comments: `f2c3 {-0.59/19 0.4s, New makes an
            // illegal move: f2c3}`.
            .flat_map(|comment| comment.split(|byte| matches!(byte, b'{' | b'}')))
            .map(|comment| with_color(one_line(&String::from_utf8_lossy(comment)), &names))
            .collect();
        let winner = match game.result() {
            Outcome::Known(KnownOutcome::Decisive { winner }) => Some(winner),
            _ => None,
        };
        let drawn = matches!(game.result(), Outcome::Known(KnownOutcome::Draw));
        let of_text = Self::of_text(&tags, &comments, drawn);
        let is_of_move =
            of_text == Some(Ending::IllegalMove) || (of_text.is_none() && game.ends_illegally());
        // An illegal move is not played on the board, so the player who made it still has to move.
        let at_fault = blamed(&comments).or(is_of_move.then(|| game.end().turn()));
        if at_fault.is_some() && at_fault == winner {
            return None;
        }
        let loses_by_last_move = game.ends_illegally() && winner.is_some();
        Some(
            of_text
                .or(loses_by_last_move.then_some(Ending::IllegalMove))
                .unwrap_or_else(|| {
                    let end = game.end().position();
                    match end.outcome() {
                        Outcome::Known(outcome) if outcome.winner().is_some() => Ending::Checkmate,
                        Outcome::Known(_) if end.is_stalemate() => Ending::Stalemate,
                        Outcome::Known(_) => Ending::InsufficientMaterial,
                        Outcome::Unknown if drawn => {
                            Self::of_moves(game).unwrap_or(Ending::Unknown)
                        }
                        Outcome::Unknown => Ending::Unknown,
                    }
                }),
        )
    }

    /// Recognises a draw by the moves that led to the final position: fifty moves without a capture
    /// or a pawn move, or its third occurrence.
    fn of_moves(game: &GameView<'_>) -> Option<Self> {
        /// A position needs at least this many plies to occur for the third time.
        const TWO_RETURNS: usize = 8;
        let reversible = game.end().halfmoves() as usize;
        if reversible >= 100 {
            return Some(Ending::FiftyMoves);
        }
        if reversible.min(game.len()) < TWO_RETURNS {
            return None;
        }
        let first = game.len().saturating_sub(reversible);
        let mut keys = Vec::with_capacity(reversible + 1);
        game.walk_keys(|key, ply| {
            if ply.is_none_or(|ply| ply.index() >= first) {
                keys.push(key);
            }
        });
        let last = keys.last()?;
        (keys.iter().filter(|key| *key == last).count() >= 3).then_some(Ending::Repetition)
    }

    /// Returns whether a player loses for a reason that has nothing to do with the position.
    fn is_fault(self) -> bool {
        matches!(
            self,
            Ending::Time | Ending::IllegalMove | Ending::Disconnect | Ending::Stall
        )
    }

    /// Recognises the ending from the tags and the last comments, each [on one line](one_line);
    /// `None` if they do not state it.
    fn of_text(tags: &str, comments: &[String], drawn: bool) -> Option<Self> {
        let tags = tags.to_lowercase();
        let contains = |phrase: &str| {
            tags.contains(phrase) || comments.iter().any(|comment| states_end(comment, phrase))
        };
        let is_meant = |(phrase, ending): &&(&str, Ending)| match ending {
            ending if ending.is_fault() => {
                tags.contains(phrase)
                    || comments.iter().any(|comment| states_fault(comment, phrase))
            }
            Ending::Repetition
            | Ending::FiftyMoves
            | Ending::Stalemate
            | Ending::InsufficientMaterial
            | Ending::Agreement => drawn && contains(phrase),
            Ending::Checkmate | Ending::Resignation => !drawn && contains(phrase),
            _ => contains(phrase),
        };
        if let Some((_, ending)) = PHRASES.iter().find(is_meant) {
            return Some(match ending {
                // A draw on time means that the other player had no material to mate.
                Ending::Time if drawn => Ending::InsufficientMaterial,
                ending => *ending,
            });
        }
        let is_adjudicated = ["adjudicat", "tcec win rule", "tcec draw rule"]
            .into_iter()
            .any(contains);
        is_adjudicated.then_some(if drawn {
            Ending::AdjudicatedDraw
        } else {
            Ending::AdjudicatedWin
        })
    }
}

/// Returns a comment in lower case with single blanks between its words, because programs also wrap
/// lines within comments.
fn one_line(comment: &str) -> String {
    comment
        .to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns whether a comment in lower case states this fault and nothing else except details: alone
/// (`white disconnects`), after the numbers of an engine (`+0.31/12 0.1s, white loses on time (12ms
/// overrun)`), or after a book move.
fn states_fault(comment: &str, phrase: &str) -> bool {
    let words = sentence(comment);
    let fault = ["white", "black"]
        .into_iter()
        .find_map(|color| words.strip_prefix(color));
    let fault = fault.map(|words| {
        words
            .trim_start_matches("'s connection")
            .trim_start_matches(" makes an")
            .trim_start()
    });
    let details = fault
        .and_then(|words| words.strip_prefix(phrase))
        .map(str::trim_start);
    details.is_some_and(|details| details.is_empty() || details.starts_with([':', '.', '(']))
}

/// Returns the player whom a comment names as the one at fault. `comments` are in lower case.
fn blamed(comments: &[String]) -> Option<Color> {
    let faults = PHRASES.iter().filter(|(_, ending)| ending.is_fault());
    faults
        .flat_map(|(phrase, _)| {
            comments
                .iter()
                .filter(|comment| states_fault(comment, phrase))
        })
        .find_map(|comment| {
            let words = sentence(comment);
            let is_black = words.starts_with("black");
            // Phrases such as "won on time" name the winner instead.
            (is_black || words.starts_with("white"))
                .then_some(Color::from_white(!is_black))
                .filter(|_| !words.contains(" won "))
        })
}

/// Returns whether a comment in lower case states this ending. It must be a short sentence about a
/// player or the game (`draw by 3-fold repetition`, `white wins by adjudication`), or one of the
/// [`STATEMENTS`]; remarks about moves use the same words.
fn states_end(comment: &str, phrase: &str) -> bool {
    const BEGINNINGS: [&str; 9] = [
        "white wins",
        "white mates",
        "white resigns",
        "black wins",
        "black mates",
        "black resigns",
        "draw",
        "game",
        "the game",
    ];
    let words = sentence(comment);
    let Some((before, after)) = words.split_once(phrase) else {
        return false;
    };
    if STATEMENTS.contains(&words.trim_end_matches('.').replace('-', " ").as_str()) {
        return true;
    }
    let is_statement = BEGINNINGS
        .iter()
        .any(|beginning| words.starts_with(beginning));
    is_statement
        && before.split_whitespace().count() <= 4
        && !after.starts_with(" in ")
        && after.split_whitespace().count() <= 4
}

/// Returns the part of a comment that follows the numbers of an engine (`+0.31/12 0.1s, `) or the
/// mark of a book move.
fn sentence(comment: &str) -> &str {
    let is_number = |first: char| first.is_ascii_digit() || "+-.m".contains(first);
    let is_of_engine =
        |begin: &str| begin == "book" || begin.starts_with(is_number) && begin.contains('/');
    match comment.rsplit_once(", ") {
        Some((begin, words)) if is_of_engine(begin) => words,
        _ => comment,
    }
}

/// Replaces a player's name at the beginning of a sentence by the color, because fastchess writes
/// names (`New makes an illegal move`). `names` are White's and Black's, in lower case.
fn with_color(comment: String, names: &[String; 2]) -> String {
    let words = sentence(&comment);
    let named = names
        .iter()
        .zip(["white", "black"])
        .filter(|(name, _)| !name.is_empty());
    // If one name begins with the other (`Engine`, `Engine 2`), take the longer match.
    let found = named
        .filter_map(|(name, color)| {
            let rest = words.strip_prefix(name.as_str())?;
            (rest.starts_with(' ') || rest.starts_with("'s ")).then_some((name.len(), color, rest))
        })
        .max_by_key(|(length, ..)| *length);
    match found {
        Some((_, color, rest)) => {
            format!("{}{color}{rest}", &comment[..comment.len() - words.len()])
        }
        None => comment,
    }
}

/// Returns the words without a player's name at their beginning, as Chess.com writes it (`Anna won
/// on time`). The name itself may contain a phrase.
fn without_name<'a>(words: &'a str, names: impl Iterator<Item = Cow<'a, str>>) -> &'a str {
    let rest = |name: Cow<'_, str>| {
        let (own, rest) = words.split_at_checked(name.len())?;
        (own.eq_ignore_ascii_case(&name) && rest.starts_with(' ')).then_some(rest)
    };
    names.into_iter().find_map(rest).unwrap_or(words)
}

#[cfg(test)]
mod tests {
    use centipawn_pgn::GameScanner;

    use super::*;

    fn stated(pgn: &str) -> Option<Ending> {
        let mut games = GameScanner::new(pgn.as_bytes());
        Ending::of(&games.next_game().unwrap().unwrap())
    }

    fn of_game(pgn: &str) -> Ending {
        stated(pgn).unwrap()
    }

    /// Reads tags, an empty line and a comment from one text.
    fn of_text(text: &str, drawn: bool) -> Option<Ending> {
        let (tags, comment) = text.split_once("\n\n").unwrap_or((text, ""));
        Ending::of_text(tags, &[one_line(comment)], drawn)
    }

    #[test]
    fn names_of_players_are_not_endings() {
        for (words, rest) in [
            ("crashy won on time", " won on time"),
            ("Bob won by resignation", " won by resignation"),
            ("Bobby won on time", "Bobby won on time"),
            ("Game drawn by agreement", "Game drawn by agreement"),
        ] {
            assert_eq!(
                without_name(words, ["Crashy", "Bob"].into_iter().map(Cow::from)),
                rest
            );
        }
    }

    #[test]
    fn endings_of_other_programs_are_recognised() {
        for (text, drawn, ending) in [
            (
                "normal\n\n-M2/5 0.1s, White mates",
                false,
                Ending::Checkmate,
            ),
            (
                "time forfeit\n\n+1.20/20 5.0s, Black loses on time (12ms overrun)",
                false,
                Ending::Time,
            ),
            (
                "adjudication\n\n0.00/30 0.1s, Draw by adjudication",
                true,
                Ending::AdjudicatedDraw,
            ),
            (
                "adjudication\n\n+9.10/30 0.1s, White wins by adjudication",
                false,
                Ending::AdjudicatedWin,
            ),
            (
                "adjudication\n\n+1.10/9 0.1s, White wins by adjudication: SyzygyTB",
                false,
                Ending::Tablebase,
            ),
            (
                "adjudication\nTCEC win rule\nd=30, pd=Kg1",
                false,
                Ending::AdjudicatedWin,
            ),
            ("abandoned\n\nWhite disconnects", false, Ending::Disconnect),
            (
                "abandoned\n\nWhite's connection stalls",
                false,
                Ending::Stall,
            ),
            (
                "illegal move\n\nBlack makes an illegal move: e2e9",
                false,
                Ending::IllegalMove,
            ),
            (
                "normal\n\n0.00/30 0.1s, Draw by 3-fold repetition",
                true,
                Ending::Repetition,
            ),
            ("Time forfeit\n\n", false, Ending::Time),
            ("Time forfeit\n\n", true, Ending::InsufficientMaterial),
            (" won on time\n\n", false, Ending::Time),
            (" won by resignation\n\n", false, Ending::Resignation),
            (
                "Game drawn by timeout vs insufficient material\n\n",
                true,
                Ending::InsufficientMaterial,
            ),
            ("Game drawn by 50-move rule\n\n", true, Ending::FiftyMoves),
        ] {
            assert_eq!(of_text(text, drawn), Some(ending), "{text}");
        }
        assert_eq!(of_text("Normal\n\n+0.31/12 0.1s", true), None);
    }

    #[test]
    fn remarks_about_moves_are_not_endings() {
        for (text, drawn, ending) in [
            ("\n\nand White crashes through", false, None),
            ("\n\nWhite crashes through", false, None),
            ("\n\navoiding the repetition", false, None),
            ("\n\nthe checkmate was missed", true, None),
            ("\n\nBlack loses on time here", false, None),
            ("\n\nBlack stalls, but the attack is decisive", false, None),
            ("\n\nWhite disconnects the rooks", false, None),
            (
                "\n\n25. Rxf7 wins, because White crashes through",
                false,
                None,
            ),
            ("\n\n+-, White disconnects the rooks", false, None),
            ("\n\nWhite mates in 3", false, None),
            ("\n\nand forced checkmate follows", false, None),
            ("\n\nInsufficient compensation", true, None),
            ("\n\nthe adjudicator saw nothing", false, None),
            ("\n\n3-fold repetition", false, None),
            ("\n\n50 moves rule", false, None),
            ("\n\n3-fold repetition was possible", true, None),
            ("\n\nno repetition", true, None),
            ("\n\nthe 50 moves rule is near", true, None),
            ("\n\n3-fold repetition", true, Some(Ending::Repetition)),
            ("\n\nThreefold repetition.", true, Some(Ending::Repetition)),
            (
                "\n\n0.00/30 0.1s, three-fold repetition",
                true,
                Some(Ending::Repetition),
            ),
            ("\n\nDraw by 50 moves rule", true, Some(Ending::FiftyMoves)),
            (
                "\n\nDraw by fifty-move rule",
                true,
                Some(Ending::FiftyMoves),
            ),
            ("\n\n50 moves rule", true, Some(Ending::FiftyMoves)),
            ("\n\nfifty moves", true, Some(Ending::FiftyMoves)),
            ("\n\nFifty-move rule", true, Some(Ending::FiftyMoves)),
            ("\n\nStalemate", true, Some(Ending::Stalemate)),
            (
                "\n\nInsufficient material",
                true,
                Some(Ending::InsufficientMaterial),
            ),
            (
                "\n\nArena Adjudication",
                true,
                Some(Ending::AdjudicatedDraw),
            ),
            (
                "\n\nArena Adjudication",
                false,
                Some(Ending::AdjudicatedWin),
            ),
            ("\n\nWhite resigns.", false, Some(Ending::Resignation)),
            (
                "\n\nWhite wins by checkmate.",
                false,
                Some(Ending::Checkmate),
            ),
            (
                "\n\nDraw by insufficient mating material",
                true,
                Some(Ending::InsufficientMaterial),
            ),
            (
                "\n\nM12/30 0.5s, Black loses on time",
                false,
                Some(Ending::Time),
            ),
            (
                "\n\nbook, Black disconnects",
                false,
                Some(Ending::Disconnect),
            ),
            (
                "\n\n+0.31/12 0.1s, n=5, sd=12, Black loses on time (12ms overrun)",
                false,
                Some(Ending::Time),
            ),
            ("\n\nBlack forfeits on time.", false, Some(Ending::Time)),
            ("\n\nWhite disconnects", false, Some(Ending::Disconnect)),
            (
                "\n\nBlack makes an illegal move: e2e9",
                false,
                Some(Ending::IllegalMove),
            ),
            ("\n\nWhite's connection stalls", false, Some(Ending::Stall)),
            ("engine crash\n\n", false, Some(Ending::Disconnect)),
        ] {
            assert_eq!(of_text(text, drawn), ending, "{text}");
        }
    }

    /// Programs wrap lines also within comments.
    #[test]
    fn line_breaks_in_comments_count_as_blanks() {
        for (comment, result, ending) in [
            ("White\nresigns", "0-1", Ending::Resignation),
            ("White\r\n  resigns", "0-1", Ending::Resignation),
            ("Black loses\non time", "1-0", Ending::Time),
            (
                "+1.20/20\n5.0s,\nBlack loses on\ntime (12ms overrun)",
                "1-0",
                Ending::Time,
            ),
            (
                "White makes an\nillegal\nmove: e2e9",
                "0-1",
                Ending::IllegalMove,
            ),
            (
                "+1.20/20 5.0s, White makes an illegal move",
                "0-1",
                Ending::IllegalMove,
            ),
            ("Black's\nconnection stalls", "1-0", Ending::Stall),
            ("Draw by\n3-fold\nrepetition", "1/2-1/2", Ending::Repetition),
            ("White mates\nin 3", "1-0", Ending::Unknown),
        ] {
            assert_eq!(
                of_game(&format!("1. e4 e5 2. d4 {{{comment}}} {result}")),
                ending,
                "{comment}"
            );
        }
    }

    #[test]
    fn draws_are_recognised_from_the_moves() {
        let knights = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8";
        // Positions differ if the rights to castle or to capture en passant differ.
        let rooks = "[FEN \"r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1\"]\n\n1. Rg1 Rb8 2. Rh1 Ra8 3. Rg1 Rb8 4. Rh1 Ra8";
        let passant = "[FEN \"4k1n1/8/8/8/4p3/8/3P4/4K1N1 w - - 0 1\"]\n\n1. d4 Nf6 2. Nf3 Ng8 3. Ng1 Nf6 4. Nf3 Ng8 5. Ng1";
        let pinned = "[FEN \"4k1n1/8/8/8/4p3/8/3P4/1K2R1N1 w - - 0 1\"]\n\n1. d4 Nf6 2. Nf3 Ng8 3. Ng1 Nf6 4. Nf3 Ng8 5. Ng1";
        let clock = |halfmoves: u32| {
            format!("[FEN \"r3k3/8/8/8/8/8/8/4K2R w - - {halfmoves} 80\"]\n\n80. Rg1 Rb8")
        };
        let game = |moves: &str, result: &str| of_game(&format!("{moves} {result}"));
        for (moves, ending) in [
            (knights.to_owned(), Ending::Repetition),
            (format!("{knights} {{+0.00/30 0.1s}}"), Ending::Repetition),
            (
                format!("{knights} {{Draw by adjudication}}"),
                Ending::AdjudicatedDraw,
            ),
            // The position occurred three times earlier, but the game went on and ended otherwise.
            (format!("{knights} 5. Nc3"), Ending::Unknown),
            (format!("{knights} 5. e4"), Ending::Unknown),
            (
                "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1".to_owned(),
                Ending::Unknown,
            ),
            (
                "1. e4 e5 2. Nf3 Nf6 3. Ng1 Ng8 4. Nf3 Nf6 5. Ng1 Ng8".to_owned(),
                Ending::Repetition,
            ),
            (
                "1. Nf3 Nf6 2. Ng1 Ng8 3. e4 e5 4. Nf3 Nf6 5. Ng1 Ng8".to_owned(),
                Ending::Unknown,
            ),
            (rooks.to_owned(), Ending::Unknown),
            (format!("{rooks} 5. Rg1 Rb8 6. Rh1 Ra8"), Ending::Repetition),
            (passant.to_owned(), Ending::Unknown),
            (pinned.to_owned(), Ending::Repetition),
            (clock(97), Ending::Unknown),
            (clock(98), Ending::FiftyMoves),
        ] {
            assert_eq!(game(&moves, "1/2-1/2"), ending, "{moves}");
        }
        assert_eq!(game(knights, "1-0"), Ending::Unknown);
        assert_eq!(game(&clock(98), "0-1"), Ending::Unknown);
        assert_eq!(
            game(&format!("{knights} {{Black loses on time}}"), "1-0"),
            Ending::Time
        );
    }

    /// fastchess names the engine and writes the illegal move into the comment.
    #[test]
    fn illegal_moves_are_faults() {
        let tags = "[White \"New\"]\n[Black \"New 2\"]\n\n";
        for (moves, ending) in [
            (
                "1. e4 e5 2. f2c3 {-0.59/19 0.394s, New makes an illegal move: f2c3} 0-1",
                Ending::IllegalMove,
            ),
            (
                "1. e4 Ke4 {0.00/1 0.0s, New 2 makes an illegal move} 1-0",
                Ending::IllegalMove,
            ),
            ("1. e4 e5 2. Bxa8 0-1", Ending::IllegalMove),
            ("1. e4 e5 2. Bxa8 {+0.10/9 0.1s} 0-1", Ending::IllegalMove),
            // Squares that do not exist.
            (
                "1. e4 {+0.10/9 0.1s} e5 2. Qe9 {+0.10/9 0.1s} 0-1",
                Ending::IllegalMove,
            ),
            ("1. e4 e9 1-0", Ending::IllegalMove),
            ("1. e4 e5 2. i4 0-1", Ending::IllegalMove),
            // Electronic boards record a result as kings in the centre. With an engine's comments,
            // such a move is an illegal one instead.
            (
                "1. e4 {+0.10/9 0.1s} e5 {+0.10/9 0.1s} 2. Kd4 0-1",
                Ending::IllegalMove,
            ),
            ("1. e4 e5 2. Kd4 0-1", Ending::Unknown),
            ("1. e4 e5 2. Ke4 Kd5 0-1", Ending::Unknown),
            (
                "1. e4 {+0.10/9 0.1s, New 2 loses on time} 1-0",
                Ending::Time,
            ),
            ("1. e4 {New disconnects the rooks} 1-0", Ending::Unknown),
        ] {
            assert_eq!(of_game(&format!("{tags}{moves}")), ending, "{moves}");
        }
    }

    /// If the text names the winner as the one at fault, text and result contradict each other.
    #[test]
    fn a_fault_of_the_winner_is_a_contradiction() {
        for game in [
            "1. e4 e5 2. Bxa8 1-0",
            "1. e4 {+0.10/9 0.1s} e5 {+0.10/9 0.1s} 2. Kd4 1-0",
            "1. e4 e5 2. Qe9 1-0",
            "1. e4 e5 {White makes an illegal move: e1e9} 1-0",
            "1. e4 {Black loses on time} 0-1",
            "1. e4 {Black's connection stalls} 0-1",
            "[Termination \"illegal move\"]\n\n1. e4 e5 2. Bxa8 1-0",
            "[Termination \"rules infraction\"]\n\n1. e4 e5 1-0",
        ] {
            assert_eq!(stated(game), None, "{game}");
        }
        for (game, ending) in [
            (
                "[Termination \"illegal move\"]\n\n1. e4 e5 2. Bxa8 0-1",
                Ending::IllegalMove,
            ),
            (
                "[Termination \"illegal move\"]\n\n1. e4 {Black makes an illegal move: e7e1} 1-0",
                Ending::IllegalMove,
            ),
            // The illegal move is Black's last one.
            (
                "1. e4 e5 {Black makes an illegal move: e7e5} 1-0",
                Ending::IllegalMove,
            ),
            (
                "[Termination \"White won on time\"]\n\n1. e4 e5 1-0",
                Ending::Time,
            ),
        ] {
            assert_eq!(of_game(game), ending, "{game}");
        }
    }

    #[test]
    fn all_endings_are_listed_once_in_order() {
        assert!(Ending::ALL.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
