//! Irregular input, read by the scan.

use super::*;

/// Returns the games of a text in short, followed by the problems.
fn read(text: &[u8]) -> Vec<String> {
    let file = file(text);
    let seen = scan_of(&[file.path()], &options(1, 64, 1 << 20));
    let name = format!("{}: ", file.path().display());
    let games = seen
        .games
        .iter()
        .map(|game| game.splitn(3, ' ').nth(2).unwrap().to_owned());
    games
        .chain(
            seen.problems
                .iter()
                .map(|problem| problem.replace(&name, "")),
        )
        .collect()
}

/// Returns the moves of the only game, without anything around them.
fn moves(text: &[u8]) -> String {
    let games = read(text);
    assert_eq!(games.len(), 1, "{games:?}");
    let words = games[0]
        .split(' ')
        .filter(|word| word.contains('/') && !word.contains('"'));
    let plain = words.map(|word| {
        word.split('/')
            .next()
            .unwrap()
            .trim_start_matches(|c: char| c.is_ascii_digit())
    });
    plain
        .map(|word| word.trim_start_matches('.'))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn encodings_and_line_ends() {
    assert_eq!(
        read(b"[White \"M\xfcller\"]\r\n\r\n1. e4 *\r\n"),
        ["[(\"White\", \"M\u{fffd}ller\")] 1.e4/78 * auto"]
    );
    let name = |text: &[u8]| {
        let mut games = crate::GameScanner::new(text);
        games
            .next_game()
            .unwrap()
            .unwrap()
            .tag("white")
            .unwrap()
            .into_owned()
    };
    assert_eq!(name(b"[White \"M\xfcller\"]\n*"), "Müller");
    assert_eq!(
        name("[White \"Müller \\\"x\\\"\"]\n*".as_bytes()),
        "Müller \"x\""
    );
    assert_eq!(moves(b"\xef\xbb\xbf1. e4 e5\r\n*"), "e4 e5");
}

#[test]
fn escapes_comments_variations_and_glyphs() {
    assert_eq!(
        moves(b"% a line {\n1. e4! ; c5 {\n% d5\n1... e5?! $14 (1... c5 2. Nf3 (2. c3) d6) 2. Nf3 +/- *"),
        "e4 e5 Nf3"
    );
    let long = format!("1. e4 {{{}}} e5 *", "x".repeat(900));
    assert_eq!(moves(long.as_bytes()).split(' ').count(), 2);
    assert!(read(b"1. e4 {never closed")[0].contains(" 1.e4/"));
}

#[test]
fn moves_in_every_writing() {
    assert_eq!(
        moves(b"1. e2-e4 e7e5 2. Ng1f3 Ng8-f6 3. Bc4 Bc5 4. 0-0 O-O 5. Pd4 e5:d4 6 e5 ... d7d5 7. exd6 e.p. cd6 *"),
        "e2-e4 e7e5 Ng1f3 Ng8-f6 Bc4 Bc5 0-0 O-O Pd4 e5:d4 e5 d7d5 exd6 cd6"
    );
    let promotion = b"[FEN \"8/1P3k2/8/8/8/8/1p3K2/8 w - - 0 1\"]\n\n1. b8Q b1=N 2. Qb7+ Kf6++ *";
    let game = &read(promotion)[0];
    assert!(
        game.contains(" 1.b8Q/10 1...b1=N/12 2.Qb7/12 2...Kf6/12 "),
        "{game}"
    );
}

#[test]
fn null_moves_and_wrong_moves_are_problems() {
    let null = read(b"1. e4 {a} -- {b} 2. d4 1-0");
    assert!(null[0].starts_with("[] 1.e4/78{a}{b} 1-0"), "{null:?}");
    assert!(null[1].contains("1... -- is a null move"), "{null:?}");
    assert!(read(b"1. e4 Z0 *")[1].contains("is a null move"));
    assert_eq!(
        read(b"1. e4 (1. -- e5) e5 *"),
        ["[] 1.e4/78 1...e5/78 * auto"]
    );
    assert!(
        read(b"1. Nf3 Sf6 2. d4 *\n\n1. d4 *")[1]
            .contains("game 1, line 1: 1... Sf6 is not written as a move")
    );
    assert!(read(b"1. Nf3 d5 2. d3 d4 3. Nd2 *")[0].contains("can be more than one move"));
    // A pinned piece.
    assert!(
        read(b"1. e4 e5 2. Nf3 d6 3. Bb5 Nc6 4. O-O Nd4 *")[0]
            .contains("4... Nd4 is not a legal move")
    );
}

/// The unreadable parts of a game are reported, and the rest of the game is read.
#[test]
fn lost_parts_are_problems() {
    for (text, game, problem) in [
        ("1. e4 e5 2. Sf3 *", "1.e4/78 1...e5/78 2.Sf3/78 *", None),
        (
            "1. Nf3 d5 2. Sc3 *",
            "1.Nf3/78 1...d5/78 *",
            Some("2. Sc3 is not written as a move; it is kept as a comment"),
        ),
        ("1. e4 e5 2. ♘f3 *", "1.e4/78 1...e5/78 2.♘f3/78 *", None),
        (
            "1. e4 e5 2. Xf3 *",
            "1.e4/78 1...e5/78 *",
            Some("2. Xf3 is not written as a move"),
        ),
        (
            "1. e4 (1. d4 e5 2. d5",
            "1.e4/78 *",
            Some("\"(1. d4 e5 2. d5\" begins a variation that is never closed"),
        ),
        (
            "1. e4 {x e5 2. d5 *",
            "1.e4/78",
            Some("\"{x e5 2. d5 *\" begins a comment that is never closed"),
        ),
        (
            "[A \"x\"]\n[B]\n[C \"y\"]\n1. e4 *",
            "1.e4/78 *",
            Some("line 2: \"[B]\" is not a tag"),
        ),
        (
            "[A \"x\"]\n[B \"y\n1. e4 *",
            "(\"B\", \"y\")] 1.e4/78 *",
            Some("line 2: \"[B \"y\" begins a tag that is never"),
        ),
        ("[A \"C:\\\"]\n1. e4 *", "1.e4/78 *", None),
        (
            "[A \"x]\n1. e4 *",
            "(\"A\", \"x\")] 1.e4/78 *",
            Some("line 1: \"[A \"x]\" begins a tag that is never"),
        ),
        (
            "1. e4 *\n\n[White \"Carl",
            "1.e4/78 *",
            Some("game 2, line 3: \"[White \"Carl\" begins a tag"),
        ),
    ] {
        let seen = read(text.as_bytes());
        assert!(seen[0].contains(game), "{seen:?}");
        let games = 1 + text.matches("*\n\n").count();
        assert_eq!(
            seen.len(),
            games + usize::from(problem.is_some()),
            "{seen:?}"
        );
        assert!(
            seen.last().unwrap().contains(problem.unwrap_or_default()),
            "{seen:?}"
        );
    }
}

#[test]
fn results_and_games_without_this_or_that() {
    assert_eq!(read(b"1. e4 1-0 1. d4 0-1 0-1 1. c4").len(), 3);
    assert_eq!(
        read(b"[Event \"a\"]\n\n[Event \"b\"]\n\n*\n\n[Event \"c\"]\n1. e4").len(),
        3
    );
    assert_eq!(
        read(b"[Result \"1-0\"]\n\n1. e4"),
        ["[(\"Result\", \"1-0\")] 1.e4/78 1-0 auto"]
    );
    assert_eq!(read(b""), [""; 0]);
    assert_eq!(read(b" \n\n"), [""; 0]);
    for words in [
        "White resigns",
        "White lost on time",
        "Black wins on time",
        "Draw agreed",
        "adjudicated draw",
    ] {
        let game = format!("1. e4 e5 {words} 1-0");
        assert_eq!(
            read(game.as_bytes()),
            ["[] 1.e4/78 1...e5/78 1-0 auto"],
            "{words}"
        );
    }
}

#[test]
fn chess960_and_other_variants() {
    let game = |castling: &str| {
        let tags = "[Variant \"Chess960\"]\n[FEN \"4k3/8/8/8/8/8/8/1R2K1R1 w %s - 0 1\"]\n\n";
        read(format!("{}1. {castling} *", tags.replace("%s", "GB")).as_bytes()).remove(0)
    };
    for castling in ["O-O", "0-0-0", "e1g1", "e1b1"] {
        assert!(
            game(castling).contains(&format!(" 1.{castling}/10 ")),
            "{}",
            game(castling)
        );
    }
    // X-FEN.
    let text = b"[FEN \"nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w KQkq - 0 1\"]\n\n1. Nh1g3 Ng6 2. f3 f6 3. O-O *";
    assert_eq!(read(text).len(), 1);
    let other = read(b"[Variant \"Atomic\"]\n\n1. e4 *\n\n[Variant \"Standard\"]\n\n1. e4 *");
    assert!(
        other[1].contains("the variant \"Atomic\" is not chess or Chess960"),
        "{other:?}"
    );
    assert_eq!(other.len(), 2);
}
