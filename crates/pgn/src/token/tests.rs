use proptest::prelude::*;

use super::*;

/// Returns the games of a text, each as its tokens in short: `T` a tag, `!` a damaged one, `m:` a
/// move, `$`, `c:` a comment, `(`, `)`, `r:`, `?:`.
fn games(text: &[u8]) -> Vec<String> {
    let mut tokens = Tokenizer::new(text);
    let mut games = Vec::new();
    while tokens.next_game() {
        let words = tokens.by_ref().map(|token| match token {
            Token::Tag { name, value } => {
                format!(
                    "{}={}",
                    String::from_utf8_lossy(name),
                    String::from_utf8_lossy(value)
                )
            }
            Token::DamagedTag(text) => format!("!{}", String::from_utf8_lossy(text)),
            Token::Move(text) => String::from_utf8_lossy(text).into_owned(),
            Token::Nag(nag) => nag.to_string(),
            Token::Comment(text) => format!("{{{}}}", String::from_utf8_lossy(text)),
            Token::Open => "(".to_owned(),
            Token::Close => ")".to_owned(),
            Token::Result(outcome) => format!("={outcome}"),
            Token::Unknown(text) => format!("?{}", String::from_utf8_lossy(text)),
        });
        games.push(words.collect::<Vec<_>>().join(" "));
    }
    games
}

fn one(text: &str) -> String {
    let games = games(text.as_bytes());
    assert_eq!(games.len(), 1, "{games:?}");
    games.into_iter().next().unwrap()
}

#[test]
fn moves_in_every_writing() {
    assert_eq!(
        one(
            "1.e4 e5 2. Nf3+ Nc6# 3 O-O-O 0-0 4... e8=Q e8Q e2-e4 Ng1xf3 e2e4 e7e8q d:e5 -- Z0 0000"
        ),
        "e4 e5 Nf3 Nc6 O-O-O 0-0 e8=Q e8Q e2-e4 Ng1xf3 e2e4 e7e8q d:e5 -- Z0 0000"
    );
    assert_eq!(one("1. exd6 e.p. Rd8++ ... Kf7"), "exd6 Rd8 Kf7");
    for mark in [
        "e.p.", "e.p", " ep", " e.p.", " e.p", "/e.p.", "/ep", "e.p.+", "e.p.#",
    ] {
        assert_eq!(
            one(&format!("1. e4 exd6{mark} Rd8")),
            "e4 exd6 Rd8",
            "{mark}"
        );
        assert_eq!(one(&format!("1. e4 exd6{mark}")), "e4 exd6", "{mark}");
    }
    assert_eq!(one("1. e4 exd6ep Rd8"), "e4 exd6ep Rd8");
}

#[test]
fn glyphs_apart_and_attached() {
    assert_eq!(
        one("e4! e5?! Nf3+!? Nc6 $14 $999 Bb5+- a6= Ba4 +/= b5 ± Bb3 □ Na5 [] O-O = d6 −+ N"),
        "e4 $1 e5 $6 Nf3 $5 Nc6 $14 ?$999 Bb5 $18 a6 $10 Ba4 $14 b5 $16 Bb3 $7 Na5 $7 O-O $10 d6 $19 $146"
    );
    assert_eq!(one("d4 --+ d5 --"), "d4 $21 d5 --");
    assert_eq!(games(b"e4 \xb1 e5"), ["e4 $16 e5"]);
}

#[test]
fn other_spellings() {
    assert_eq!(
        one("1… e5 2. O–O O—O—O 3. N×f3 e2−e4\u{2009}Qh4† 1–0"),
        "e5 O–O O—O—O N×f3 e2−e4 Qh4 =1-0"
    );
    assert_eq!(
        one("e4 (1... <> 2. @@@@ null — Z0) e5 0.5-0.5"),
        "e4 ( <> @@@@ null — Z0 ) e5 =1/2-1/2"
    );
    for (text, result) in [
        ("1 - 0", "1-0"),
        ("½–½", "1/2-1/2"),
        ("0,5-0,5", "1/2-1/2"),
        ("1:0", "1-0"),
        ("+:-", "1-0"),
        ("-:-", "*"),
        ("1-0F", "1-0"),
    ] {
        assert_eq!(
            one(&format!("1. e4 e5 {text}")),
            format!("e4 e5 ={result}"),
            "{text}"
        );
    }
    // `+-` and `-+` are glyphs among moves, and results in a game without moves.
    assert_eq!(one("1. e4 +- e5 -+ *"), "e4 $18 e5 $19 =*");
    assert_eq!(one("[Result \"+-\"]\n\n+-\n"), "Result=+- =1-0");
    assert_eq!(one("1.0-0 0-0"), "0-0 0-0");
    // A null move after a number; elsewhere a variation without a move.
    assert_eq!(
        one("1. e4 (none) (1... (none) 2. d4) e5 2. N0"),
        "e4 ( ?none ) ( (none) d4 ) e5 N0"
    );
}

/// A `\r` alone ends a line.
#[test]
fn returns_end_lines() {
    assert_eq!(
        one("%x\r[Event \"x\"]\r[Site \"y\"]\r\re4 ; a comment\re5 *\r"),
        "Event=x Site=y e4 { a comment} e5 =*"
    );
    assert_eq!(games(b"1. e4 e5\r2. d4\r\r1. d4 d5"), ["e4 e5 d4", "d4 d5"]);
}

#[test]
fn blocks_of_tags() {
    assert_eq!(
        games(
            b"[Round \"1\"]\n[White \"a\"]\n\n[Board \"2\"]\n[White \"b\"]\n\n[Date \"x\"]\n\ne4"
        ),
        ["Round=1 White=a", "Board=2 White=b Date=x e4"]
    );
    assert_eq!(
        one("[White Adler, A]\n[Black \u{201c}Berg\u{201d}]\n[FEN: x y]\ne4"),
        "White=Adler, A Black=Berg FEN=x y e4"
    );
    assert_eq!(
        one("[A \"x\"]\n\n1. e4 e5\n[B \"y\"]\n2. d4 [C \"z\"] d5 [D \"z\"] *"),
        "A=x e4 e5 B=y d4 C=z d5 D=z =*"
    );
    assert_eq!(
        games(b"1. e4 e5\n[White \"y\"]\n1. d4 *"),
        ["e4 e5", "White=y d4 =*"]
    );
}

/// Tags after the last move belong to its game, unless they form a game without moves.
#[test]
fn tags_at_the_end() {
    assert_eq!(games(b"1. e4 e5\n[B \"y\"]\n"), ["e4 e5 B=y"]);
    assert_eq!(
        games(b"[A \"x\"]\n\n1. e4 1-0\n\n[B \"y\"]\n[C \"z\"]"),
        ["A=x e4 =1-0 B=y C=z"]
    );
    let text = b"1. e4 1-0\n[B \"y\"]\n\n[Event \"x\"]\n*";
    assert_eq!(games(text), ["e4 =1-0 B=y", "Event=x =*"]);
    // The next game begins with one of these tags, or with Event.
    assert_eq!(
        games(b"1. e4 *\n[B \"x\"]\n[B \"y\"]\n\n1. d4 *"),
        ["e4 =* B=x", "B=y d4 =*"]
    );
    assert_eq!(
        games(b"1. e4 *\n[B \"x\"]\n\n[C \"z\"]\n[B \"y\"]\n\n1. d4 *"),
        ["e4 =* B=x", "C=z B=y d4 =*"]
    );
    assert_eq!(
        games(b"1. e4 *\n[B \"x\"]\n[C \"z\"]\n\n[B \"y\"]\n\n1. d4 *"),
        ["e4 =* B=x C=z", "B=y d4 =*"]
    );
    for (tags, second) in [
        ("[White \"w\"]", "White=w"),
        ("[FEN \"f\"]\n[B \"y\"]", "FEN=f B=y"),
        ("[A \"y\"]", "A=y"),
        ("[B \"y\"]\n\n*", "B=y =*"),
        ("[B \"y\"]\n1. d4", "B=y d4"),
        ("[B \"y\"]\n\n[White \"w\"]", "B=y White=w"),
    ] {
        let text = format!("[A \"x\"]\n\n1. e4 1-0\n{tags}\n");
        assert_eq!(games(text.as_bytes()), ["A=x e4 =1-0", second], "{text}");
    }
}

/// A start position counts, however it is written.
#[test]
fn start_positions_in_other_forms() {
    const FEN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    for line in [
        format!("FEN \"{FEN}\""),
        format!("FEN: {FEN}"),
        format!("fen={FEN}"),
        format!("[FEN={FEN}]"),
        format!("[FEN: {FEN}]"),
        format!("[FEN=\"{FEN}\"]"),
        format!("(FEN {FEN})"),
        format!("(FEN \"{FEN}\")"),
    ] {
        let name = if line.starts_with("fen") {
            "fen"
        } else {
            "FEN"
        };
        for before in ["", "[Event \"e\"]\n"] {
            let event = if before.is_empty() { "" } else { "Event=e " };
            assert_eq!(
                one(&format!("{before}{line}\n\n1. e3 *")),
                format!("{event}{name}={FEN} e3 =*"),
                "{line}"
            );
        }
        if line.starts_with("FEN") || line.starts_with('[') {
            assert_eq!(
                games(format!("1. d4 *\n\n{line}\n1. e3 *").as_bytes()).len(),
                2,
                "{line}"
            );
        }
    }
    assert_eq!(one("FEN \"x\"\n1. e4"), "!FEN \"x\" e4");
    assert_eq!(
        one("1. e4 e5 (FEN 4k3/8/8/8/8/8/8/4K3 w - -) 2. d4"),
        "e4 e5 ( ?FEN ?k3/8/8/8/8/8/8/4K3 ?w ?- ?- ) d4"
    );
}

#[test]
fn comments_and_escapes() {
    assert_eq!(
        one("{a (b) [c] ;d} e4 ; to the end } \n% passed over { \ne5 {last"),
        "{a (b) [c] ;d} e4 { to the end } } e5 {last}"
    );
    assert_eq!(
        one("\u{feff}%x\n%y\n[Event \"x\"]\r\n\r\ne4 {two\r\nlines} *"),
        "Event=x e4 {two\r\nlines} =*"
    );
}

#[test]
fn variations_nest() {
    assert_eq!(
        one("e4 (d4 d5 (d6) 1-0) ) e5 *"),
        "e4 ( d4 d5 ( d6 ) ?1-0 ) e5 =*"
    );
}

#[test]
fn tags_of_all_sorts() {
    assert_eq!(
        one(
            "[Event \"a \\\"b\\\" c\"] [Site \"C:\\\\\"]\n[White \"The \"Pepe\" X\"]\n[Black \"no end]\n[Round \"1\\\"]\n[ECO  \"\" ]\n"
        ),
        "Event=a \\\"b\\\" c Site=C:\\\\ White=The \"Pepe\" X Black=no end Round=1\\ ECO="
    );
}

/// Tags are read after a damaged one, whatever is damaged. The text of a game does not become a
/// tag.
#[test]
fn damaged_tags() {
    for (damaged, shown) in [
        ("[Site]", "![Site]"),
        ("[Si!te \"x\"]", "![Si!te \"x\"]"),
        ("[Site \"x\"] y", "Site=x !y"),
        ("[Site \"x\"] y z.", "Site=x !y z."),
        ("[Site \"x\"]]", "Site=x !]"),
        ("[Site \"x\"] 5", "Site=x !5"),
        ("Site \"x\"]", "!Site \"x\"]"),
        ("Site x]", "!Site x]"),
        ("Site", "!Site"),
        ("[", "!["),
        ("[ ", "!["),
        ("[\"", "![\""),
        ("[%eval 0.3]", "![%eval 0.3]"),
        ("[Site x", "![Site x"),
        ("[Si", "![Si"),
    ] {
        for end in ["\n", "\r\n"] {
            let text =
                format!("[Event \"e\"]{end}{damaged}{end}[FEN \"f\"]{end}{end}1. e4 e5 *{end}");
            assert_eq!(
                one(&text),
                format!("Event=e {shown} FEN=f e4 e5 =*"),
                "{text}"
            );
        }
        if !damaged.starts_with("[Site \"x\"]") && damaged != "Site" {
            let text = format!("{damaged}\n[FEN \"f\"]\n\n1. e4 e5 *\n");
            assert_eq!(one(&text), format!("{shown} FEN=f e4 e5 =*"), "{text}");
            let second = format!("1. d4 *\n\n{damaged}\n[FEN \"f\"]\n\n1. e4 e5 *\n");
            if shown.contains(char::is_alphabetic) && !shown.contains('%') && damaged != "Site x]" {
                assert_eq!(
                    games(second.as_bytes()),
                    ["d4 =*", &*format!("{shown} FEN=f e4 e5 =*")],
                    "{second}"
                );
            }
        }
    }
    // Moves on the line of a tag, and words that are not moves.
    assert_eq!(one("[White \"A\"] 1. e4 e5 1-0"), "White=A e4 e5 =1-0");
    assert_eq!(one("[White \"A\"] Nf3 d5 1-0"), "White=A Nf3 d5 =1-0");
    assert_eq!(
        one("[White \"A\"] [Black \"B\"] {c} 1 e4 *"),
        "White=A Black=B {c} e4 =*"
    );
    assert_eq!(
        games(b"[White \"A\"] 1-0\n[White \"B\"] 0-1"),
        ["White=A =1-0", "White=B =0-1"]
    );
    assert_eq!(
        one("[White \"A\"]\n\nGambit 1. e4 *"),
        "White=A ?Gambit e4 =*"
    );
    assert_eq!(games(b"1. e4 e5\nSite [x]\n2. d4"), ["e4 e5 ?Site ?[x] d4"]);
}

#[test]
fn where_games_end() {
    assert_eq!(
        games(b"e4 1-0 d4 0-1 c4 1/2-1/2 {ok} $1"),
        ["e4 =1-0", "d4 =0-1", "c4 =1/2-1/2 {ok} $1"]
    );
    assert_eq!(
        games("e4 1/2 1/2-1/2 ½-½ * black resigned 1. d4".as_bytes()),
        ["e4 =1/2-1/2 ?black ?resigned", "d4"]
    );
    assert_eq!(
        games(b"[Event \"a\"]\n\n[Event \"b\"]\n\n*"),
        ["Event=a", "Event=b =*"]
    );
    assert_eq!(
        games(b"[Site \"a\"]\n\n[White \"w\"]\n[Site \"b\"]\ne4"),
        ["Site=a", "White=w Site=b e4"]
    );
    assert_eq!(
        games(b"[Site \"a\"]\n[Event \"b\"]\ne4"),
        ["Site=a Event=b e4"]
    );
    assert_eq!(
        games(b"[Site \"a\"]\n\n[Event \"b\"]\ne4"),
        ["Site=a", "Event=b e4"]
    );
    assert_eq!(
        games(b"[Event \"a\"]\n\n1. e4 e5 (1... c5\n\n[Event \"b\"]\n*"),
        ["Event=a e4 e5 ( c5", "Event=b =*"]
    );
    assert_eq!(
        games(b"1. e4 e5\n2. d4\n\n1. d4 d5\r\n\r\n1. c4"),
        ["e4 e5 d4", "d4 d5", "c4"]
    );
    assert_eq!(games(b"1. e4\n\n1... e5\n\n2. d4"), ["e4 e5 d4"]);
    assert_eq!(
        games(b"; made by hand\n[Event \"a\"]\n{c}\n[Site \"s\"]\ne4 *"),
        ["{ made by hand} Event=a {c} Site=s e4 =*"]
    );
    assert!(games(b" \n% nothing\n\xef\xbb\xbf").is_empty());
}

#[test]
fn an_open_comment_ends_where_a_game_begins() {
    assert_eq!(
        games(b"e4 {never closed\n[Event \"b\"]\n\nd4 {closed} *"),
        ["e4 {never closed\n}", "Event=b d4 {closed} =*"]
    );
}

proptest! {
    /// All bytes are consumed, game by game, and slices borrow from the input.
    #[test]
    fn any_input_is_read_without_panic(bytes in prop::collection::vec(prop_oneof![
        any::<u8>(), prop::sample::select(&b"[]{}();$%\n \"\\.-+=!?*01/2eN4OaZ"[..])], 0..200)) {
        let mut tokens = Tokenizer::new(&bytes);
        let mut last = 0;
        while tokens.next_game() {
            while tokens.next().is_some() {
                prop_assert!(tokens.offset() > tokens.token_start());
            }
            prop_assert!(tokens.offset() > last);
            last = tokens.offset();
        }
        prop_assert_eq!(tokens.offset(), bytes.len());
    }

    /// A game that is read from a part of the input ends where it ends in the whole input, unless
    /// `touched_end` asks for more bytes.
    #[test]
    fn more_bytes_do_not_change_the_end_of_a_game(cut in 0usize..400) {
        let text: &[u8] = b"[Event \"a\"]\n[Site \"x\"]\n\n1. e4 e5 {c} (1... c5 2. d4) 1-0 {end} 1-0\n\n1. d4 d5 1/2-1/2\n\n\
            [Event \"b\"]\n\n[Event \"c\"]\n\n1. e4 e5\n\n1. c4 c5 0-1 1. b4 *\n[Site \"y\"]\n[White \"w\"]\n\n[Site \"z\"]\n*\n[Round \"1\"]\n\n\
            [Event \"d\"]\n\n1. e4\n[Round \"2\"]\n";
        let ends = |bytes: &[u8], all: bool| {
            let mut tokens = Tokenizer::new(bytes);
            let mut ends = Vec::new();
            while tokens.next_game() {
                while tokens.next().is_some() {}
                if tokens.touched_end() && !all {
                    break;
                }
                ends.push(tokens.offset());
            }
            ends
        };
        let whole = ends(text, true);
        let part = ends(&text[..cut.min(text.len())], false);
        prop_assert!(whole.starts_with(&part), "{:?} {:?}", whole, part);
    }
}
