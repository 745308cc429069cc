use std::io;

use shakmaty::Position as _;

use super::*;

fn read(text: &[u8]) -> Vec<Result<Game, GameError>> {
    Reader::new(text).map(Result::unwrap).collect()
}

fn one(text: &str) -> Game {
    let mut games = read(text.as_bytes());
    assert_eq!(games.len(), 1);
    games.remove(0).unwrap()
}

fn bad(text: &str) -> GameError {
    read(text.as_bytes()).remove(0).unwrap_err()
}

/// Returns the main line of a game, with its comments and variations, as written.
fn moves(text: &str) -> String {
    let game = one(text).to_string();
    let moves = game
        .split_once("]\n\n")
        .map_or(game.as_str(), |(_, moves)| moves);
    moves.trim_end().replace('\n', " ")
}

#[test]
fn comments_belong_to_moves() {
    let game = one("{g} 1. {b} e4 {a} {a2} 1... {b2} e5 {a3} (1... {v} c5 {w}) {after} 2. {end} *");
    assert_eq!(game.comments, ["g"]);
    assert_eq!(game.plies[0].comments_before, ["b"]);
    assert_eq!(game.plies[0].comments, ["a", "a2"]);
    assert_eq!(game.plies[1].comments_before, ["b2"]);
    assert_eq!(game.plies[1].comments, ["a3", "after", "end"]);
    assert_eq!(game.plies[1].variations[0][0].comments_before, ["v"]);
    assert_eq!(game.plies[1].variations[0][0].comments, ["w"]);
}

#[test]
fn nags_belong_to_moves() {
    assert_eq!(
        moves("$1 1. e4 $2 (1. d4 $3) 1... $4 e5 $5 2. $6 *"),
        "1. e4 $1 $2 ( 1. d4 $3 ) 1... e5 $4 $5 $6 *"
    );
    assert_eq!(moves("$1 *"), "{ $1 } *");
}

#[test]
fn results_of_the_moves_or_the_tag() {
    let result = |text: &str| one(text).result.to_string();
    assert_eq!(result("[Result \"1-0\"]\n\ne4"), "1-0");
    assert_eq!(result("[Result \"1-0\"]\n\ne4 *"), "1-0");
    assert_eq!(result("[Result \"1-0\"]\n\ne4 0-1"), "0-1");
    let warnings = |text: &str| {
        one(text)
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        warnings("[Result \"1-0\"]\n\ne4 e5\n0-1"),
        [
            "game 1, line 4: 0-1 is the result after the moves, but the tag Result is \"1-0\"; the one after the moves counts"
        ]
    );
    for agreed in [
        "[Result \"1-0\"]\n\ne4 1-0",
        "[Result \"*\"]\n\ne4 1-0",
        "[Result \"1-0\"]\n\ne4 *",
        "e4 1-0",
    ] {
        assert!(warnings(agreed).is_empty(), "{agreed}");
    }
    assert_eq!(result("[Result \"?\"]\n\ne4"), "*");
}

#[test]
fn starts() {
    let start = |text: &str| one(text).start.start_fen();
    let fen = "rnbqkb1r/p2ppppp/2p4n/1p6/4P3/3P1Q2/PPP2PPP/RNB1KBNR w KQkq - 0 4";
    assert_eq!(start(&format!("[fen \"{fen}\"]\n\n4. d4 *")), fen);
    // Move counters may be missing.
    assert_eq!(
        start("[FEN \"4k3/8/8/8/8/8/8/4K2R w K -\"]\n*"),
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    );
    let game = one(
        "[Variant \"chess 960\"]\n[FEN \"nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w HBhb - 0 1\"]\n1. f4 *",
    );
    assert_eq!(game.start.mode(), shakmaty::CastlingMode::Chess960);
    // The castling rights alone indicate Chess960.
    let game = one("[FEN \"4k3/8/8/8/8/8/8/4KR2 w F - 0 1\"]\n1. O-O *");
    assert_eq!(game.plies[0].uci(game.start.mode()).to_string(), "e1f1");
}

#[test]
fn unplayable_parts_are_kept_as_text() {
    assert_eq!(
        moves("1. e4 (1. d4 d5 2. Ke2 {x} Kd7) e5 *"),
        "1. e4 ( 1. d4 d5 ; Ke2 {x} Kd7 ) 1... e5 *"
    );
    assert_eq!(
        moves("1. e4 (1. Ke2 (1. d4)) e5 *"),
        "1. e4 { (Ke2 (1. d4)) } 1... e5 *"
    );
    assert_eq!(
        moves("1. e4 e5 (1... d5 2. Bb5+ -- 3. d4) *"),
        "1. e4 e5 ( 1... d5 2. Bb5+ { -- 3. d4 } ) *"
    );
    assert_eq!(
        moves("1. e4 e5 2. -- {why} d5 (2... d6) 3. d4 1-0"),
        "1. e4 e5 ; -- {why} d5 (2... d6) 3. d4 1-0"
    );
    assert_eq!(moves("(1. d4) 1. e4 *"), "{ (1. d4) } 1. e4 *");
    assert_eq!(
        moves("1. e4 (1. d4 1-0) ({why}) *"),
        "1. e4 { why } ( 1. d4 { 1-0 } ) *"
    );
    let game = one("1. e4 e5\n(1... d6\n2. Ke3) White resigns 0-1");
    assert_eq!(game.plies[1].comments, ["White resigns"]);
    let warnings: Vec<_> = game.warnings.iter().map(ToString::to_string).collect();
    assert!(
        warnings[0].starts_with("game 1, line 3: 2. Ke3 is not a legal move in "),
        "{warnings:?}"
    );
    assert!(
        warnings[1].starts_with("game 1, line 3: 2. White is text after the last move"),
        "{warnings:?}"
    );
}

#[test]
fn captures_in_passing_are_marked_in_many_ways() {
    for mark in [
        "", " e.p.", " ep", "e.p.", "ep", "e.p", "/e.p.", " (e.p.)", "e.p.!",
    ] {
        let game = one(&format!("1. e4 a6 2. e5 d5 3. exd6{mark} cxd6 *"));
        assert_eq!(
            (game.plies.len(), &game.warnings[..]),
            (6, &[][..]),
            "{mark}"
        );
    }
}

/// Some words begin like moves. Both readers treat them as text.
#[test]
fn words_after_the_moves_are_a_comment() {
    for words in [
        "White lost on time",
        "Draw agreed!",
        "Black wins on time",
        "adjudicated draw",
        "time forfeit by White",
        "White resigns here",
        "White lost on move 40, it seems",
        "agreed",
    ] {
        let text = format!("1. f3 e5 2. g4 {{ why }} {words} 0-1");
        let game = one(&text);
        let kinds: Vec<_> = game.warnings.iter().map(|warning| &warning.kind).collect();
        let comments: Vec<_> = game.plies[2].comments.iter().map(String::as_str).collect();
        assert_eq!(
            (game.plies.len(), &comments[..]),
            (3, &["why", words][..]),
            "{words}"
        );
        assert!(
            kinds == [&GameErrorKind::TextAfterMoves] && game.result.to_string() == "0-1",
            "{words}: {kinds:?}"
        );
    }
    // Text in place of the last move is reported as a lost move. Moves after such text are an
    // error.
    for last in ["2. xyz", "2. abc", "2. black", "Nf", "ex"] {
        let game = one(&format!("1. e4 e5 {last} 1-0"));
        assert_eq!(
            game.warnings[0].kind,
            GameErrorKind::UnknownLastMove,
            "{last}"
        );
    }
    for text in [
        "1. e4 Nf 2. d4 *",
        "1. e4 black 2. d4 *",
        "1. e4 e5 White wins after Qh5 *",
        "1. e4 e5 on O-O *",
    ] {
        let error = Reader::new(text.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap_err();
        assert_eq!(error.kind, GameErrorKind::NotAMove, "{text}");
    }
}

/// A tag with another name than FEN gives the start position if the moves are legal only from
/// there.
#[test]
fn start_positions_in_other_tags() {
    const FEN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let kinds = |game: &Game| {
        game.warnings
            .iter()
            .map(|warning| warning.kind.name())
            .collect::<Vec<_>>()
    };
    for name in ["Position", "StartFEN", "SetUp"] {
        let text = |moves: &str| format!("[White \"w\"]\n[{name} \"{FEN}\"]\n\n{moves} *");
        let game = one(&text("1. e3 Kd7"));
        assert_eq!(
            (game.plies.len(), kinds(&game)),
            (2, vec!["FEN in another tag"]),
            "{name}"
        );
        assert_eq!(
            (
                game.warnings[0].line,
                game.headers.get("FEN"),
                game.start.fen()
            ),
            (2, Some(FEN), FEN.to_owned())
        );
        let game = one(&text("1. e4"));
        assert_eq!(
            (kinds(&game), game.warnings[0].line),
            (vec!["no FEN"], 2),
            "{name}"
        );
        let message = game.warnings[0].to_string();
        assert!(
            message.contains(&format!("although its tag {name} gives a position")),
            "{message}"
        );
        // The game ends in this position.
        let end = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        assert_eq!(
            kinds(&one(&text("1. e4").replace(FEN, end))),
            [""; 0],
            "{name}"
        );
        // The move is legal from neither position.
        assert_eq!(bad(&text("1. e3 Kd3")).kind.name(), "illegal move");
        let text = text("1. e3 Kd7");
        let mut scanner = crate::GameScanner::new(text.as_bytes());
        let game = scanner.next_game().unwrap().unwrap();
        assert_eq!(
            (game.len(), game.start().position().board().to_string()),
            (2, "4k3/8/8/8/8/8/4P3/4K3".to_owned())
        );
    }
    assert_eq!(
        kinds(&one(&format!("[CurrentPosition \"{FEN}\"]\n\n1. e4 *"))),
        [""; 0],
        "Chess.com's last position"
    );
    assert_eq!(
        kinds(&one(&format!(
            "[FEN \"{FEN}\"]\n[Position \"{FEN}\"]\n\n1. e4 *"
        ))),
        [""; 0]
    );
}

/// A game of one half-move without a result ends where the next one begins.
#[test]
fn games_of_one_move_are_not_merged() {
    let games = |text: &str| -> Vec<usize> {
        Reader::new(text.as_bytes())
            .map(|game| game.unwrap().unwrap().plies.len())
            .collect()
    };
    assert_eq!(games("1. a3\n\n1. b3\n"), [1, 1]);
    assert_eq!(games("1. e4\n\n1. d4\n\n1. c4 c5\n"), [1, 1, 2]);
    assert_eq!(games("1. e4\n\n1... e5\n"), [2]);
}

/// Both readers agree on promotions in other spellings, and on null moves.
#[test]
fn promotions_and_null_moves_in_other_spellings() {
    for promotion in [
        "e8=Queen",
        "e8=\"Q\"",
        "e8='Q'",
        "e8 = Queen",
        "e8(Queen)",
        "e7e8=queen",
        "e8=Q",
    ] {
        let text =
            format!("[FEN \"8/4P1k1/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. {promotion} Kf6 2. Qe2 *");
        let game = one(&text);
        assert_eq!(
            (game.plies.len(), &game.warnings[..]),
            (3, &[][..]),
            "{promotion}"
        );
        assert_eq!(
            game.plies[0].mv.promotion(),
            Some(shakmaty::Role::Queen),
            "{promotion}"
        );
        let mut scanner = crate::GameScanner::new(text.as_bytes());
        assert_eq!(
            scanner.next_game().unwrap().unwrap().len(),
            3,
            "{promotion}"
        );
    }
    let game = one("1. e4 e5 (1... N0 2. d4) (1... (none) 2. d4) (none) 2. Nf3 (none) *");
    assert_eq!((game.plies.len(), game.plies[1].variations.len()), (3, 2));
    assert!(
        game.plies[1]
            .variations
            .iter()
            .all(|line| line[0].is_null())
    );
    let game = one("1. e4 e5 2. (none) 0-1");
    assert_eq!(
        (game.plies.len(), game.warnings[0].kind.name()),
        (2, "null move")
    );
}

/// Annotators use null moves in variations to show a threat.
#[test]
fn null_moves_in_variations() {
    let text =
        "1. e4 e5 ( 1... -- 2. d4 { threatens } 2... Z0 $1 3. Qh5 ( 3. 0000 d5 ) ) 2. Nf3 *\n";
    let game = one(text);
    assert_eq!(game.warnings, []);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        words(&game.to_string()),
        words(&text.replace("Z0", "--").replace("0000 d5", "-- d5"))
    );
    let line = &game.plies[1].variations[0];
    assert_eq!(
        line.iter().map(crate::Ply::is_null).collect::<Vec<_>>(),
        [true, false, true, false]
    );
    assert!(!game.plies[0].is_null());
}

#[test]
fn deep_nesting_is_text() {
    let deep = "1. e4 (".repeat(100_000);
    let game = one(&deep);
    assert_eq!(game.warnings.len(), 2);
    assert_eq!(game.warnings[0].kind, GameErrorKind::TooDeep { limit: 64 });
    assert_eq!(game.warnings[1].kind, GameErrorKind::UnclosedVariation);
    assert!(game.to_string().len() > deep.len());
}

#[test]
fn the_number_of_warnings_is_limited() {
    let many = "1. e4 e5 ".to_owned() + &"(x) ".repeat(50_000);
    let game = one(&many);
    assert_eq!(
        (game.warnings.len(), game.plies[1].comments.len()),
        (100, 50_000)
    );
}

/// A file can have a block of zeros after a power failure.
#[test]
fn a_lost_block_costs_no_other_game() {
    let games = "[Result \"1-0\"]\n\n1. e4 {+0.10/5 1s} e5 1-0\n\n".repeat(3);
    let nuls = "\0".repeat(4096);
    let count = |text: &str| {
        read(text.as_bytes())
            .iter()
            .filter(|game| game.is_ok())
            .count()
    };
    assert_eq!(count(&(games.clone() + &nuls)), 3);
    assert_eq!(count(&(games.clone() + &nuls + &games)), 6);
    // The first file of an archive of tar.
    let header = format!("games.pgn{}0000644\0{:0>12}\0", "\0".repeat(91), "1");
    assert_eq!(count(&(header + &"\0".repeat(390) + &games.repeat(100))), 0);
}

#[test]
fn errors_have_reason_and_place() {
    for (text, message) in [
        (
            "\n[Event \"x\"]\n\n1. e4 e5\n2. Ke3 *",
            "game 1, line 5: 2. Ke3 is not a legal move in rnbqkbnr/",
        ),
        (
            "1. Nf3 d5 2. d3 d4 3. Nd2 *",
            "game 1, line 1: 3. Nd2 can be more than one move in ",
        ),
        (
            "1. Nf3 Sf6 2. d4 *",
            "game 1, line 1: 1... Sf6 is not written as a move",
        ),
        (
            "[Variant \"Atomic\"]\n\n1. e4 *",
            "game 1, line 1: the variant \"Atomic\" is not chess or Chess960",
        ),
        (
            "[FEN \"x\"]\n\n1. e4 *",
            "game 1, line 1: the tag FEN, \"x\", gives no position: not a FEN",
        ),
        (
            "[White \"w\"]\n[FEN \"x\"]\n\n1. e4 *",
            "game 1, line 2: the tag FEN, \"x\", gives no position: not a FEN",
        ),
        (
            "[White \"w\"]\n[SetUp \"1\"]\n\n17. Rd8# 1-0",
            "game 1, line 4: 1. Rd8 is not legal from the usual start, and the game has no tag FEN, although its tag SetUp",
        ),
        (
            "[White \"w\"]\n\n17. Rd8+ Kb7 1-0",
            "game 1, line 3: 1. Rd8 is not legal from the usual start, and the game has no tag FEN, although ",
        ),
        (
            "Dear sirs,\nhello",
            "game 1, line 1: this is not PGN; it begins with neither a tag nor a move",
        ),
        (
            "fn main() {}",
            "game 1, line 1: this is not PGN; it begins with neither a tag nor a move",
        ),
        (
            "a\0b\0",
            "game 1, line 1: this is not PGN but a binary file",
        ),
    ] {
        let error = bad(text).to_string();
        assert!(error.starts_with(message), "{error}");
    }
    assert!(
        read(b"\xff\xfe[\0")
            .remove(0)
            .unwrap_err()
            .to_string()
            .contains("UTF-16")
    );
}

#[test]
fn reading_continues_after_a_bad_game() {
    let games = read(b"1. e5 *\n\n[Event \"b\"]\n\n1. e4 (1. d4 {open\n[Event \"c\"]\n\n1. d4 *\n1. c9 1-0 1. c4 *");
    let found: Vec<_> = games
        .iter()
        .map(|game| {
            game.as_ref()
                .map_or("", |game| game.headers.get("Event").unwrap_or("-"))
        })
        .collect();
    assert_eq!(found, ["", "b", "c", "", "-"]);
    let place = &games[4].as_ref().unwrap().place;
    assert_eq!((place.game, place.line), (5, 9));
}

/// Provides a few bytes at a time, and then fails.
struct Drip<'a>(&'a [u8], bool);

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() && self.1 {
            return Err(io::Error::other("unplugged"));
        }
        let length = buffer.len().min(7).min(self.0.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

#[test]
fn too_large_games_are_errors_and_need_little_memory() {
    let game = |name: &str, comment: usize| {
        format!(
            "[Event \"{name}\"]\n\n1. e4 {{{}}} *\n\n",
            "x ".repeat(comment)
        )
    };
    let text = [
        game("a", 1),
        game("b", 500_000),
        game("c", 40_000),
        game("d", 2),
    ]
    .concat();
    let mut reader = Reader::with_limit(Drip(text.as_bytes(), false), 30_000);
    let mut found = Vec::new();
    while let Some(game) = reader.next() {
        found.push(match game.unwrap() {
            Ok(game) => format!("{} {}", game.headers.get("Event").unwrap(), game.place.line),
            Err(error) => format!("{} {}", error.game, error.line),
        });
        assert!(
            reader.block.bytes.len() < 1_100_000,
            "{}",
            reader.block.bytes.len()
        );
    }
    assert_eq!(found, ["a 1", "2 5", "3 9", "d 13"]);
}

#[test]
fn an_input_error_ends_the_reading() {
    // A game with a result is complete, so it is returned in spite of the error after it.
    let mut reader = Reader::new(Drip(b"1. e4 *\n1. d4 *\n1. c4 c", true));
    for mv in ["e4", "d4"] {
        let game = reader.next().unwrap().unwrap().unwrap();
        assert_eq!(game.to_string(), format!("1. {mv} *\n"));
    }
    assert_eq!(reader.next().unwrap().unwrap_err().to_string(), "unplugged");
    assert!(reader.next().is_none());
}

/// A single NUL byte in the text makes at most its own game unreadable.
#[test]
fn a_stray_nul_is_no_archive() {
    let game = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 1-0\n\n";
    let text = format!("{game}{}{game}", game.replace("a6", "a6 {a \0 b}"));
    let games: Vec<_> = Reader::new(text.as_bytes()).collect();
    assert_eq!(
        games
            .iter()
            .filter(|game| matches!(game, Ok(Ok(_))))
            .count(),
        3,
        "{games:?}"
    );
}

/// A game of a million variations is read in bounded memory and time: variations beyond a maximum
/// number of moves stay text.
#[test]
fn variations_beyond_a_number_of_moves_stay_text() {
    let begin = std::time::Instant::now();
    let text = format!(
        "1. e4{} e5 2. Nf3 *\n\n1. d4 *\n",
        " (1. a3)".repeat(250_000)
    );
    let games: Vec<Game> = Reader::new(text.as_bytes())
        .map(|game| game.unwrap().unwrap())
        .collect();
    assert_eq!(games.len(), 2);
    let [first, rest @ ..] = &games[0].plies[..] else {
        panic!()
    };
    assert_eq!(
        (first.variations.len(), first.comments.len(), rest.len()),
        (200_000, 50_000, 2)
    );
    assert!(first.variations.iter().all(|line| line.capacity() == 1));
    assert!(matches!(
        games[0].warnings[0].kind,
        GameErrorKind::TooManyMoves { limit: 200_000 }
    ));
    // The search for illegal variations takes linear time, too.
    let text = format!("1. e4{} e5 *\n", " (1. e5)".repeat(250_000));
    let game = Reader::new(text.as_bytes())
        .next()
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!((game.plies.len(), game.warnings.len()), (2, 100));
    assert!(
        begin.elapsed() < std::time::Duration::from_secs(60),
        "{:?}",
        begin.elapsed()
    );
}
