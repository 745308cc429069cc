use proptest::prelude::*;

use crate::{Comments, GameScanner, Reader};

fn texts(comments: Comments<'_>) -> Vec<String> {
    comments
        .map(|comment| String::from_utf8_lossy(comment).into_owned())
        .collect()
}

/// Comments before and behind each move; those before the first move come first.
fn comments(pgn: &str) -> Vec<[Vec<String>; 2]> {
    let mut games = GameScanner::new(pgn.as_bytes());
    let game = games.next_game().unwrap().unwrap();
    let opening = [Vec::new(), texts(game.comments())];
    let plies = game
        .plies()
        .map(|ply| [texts(ply.comments_before()), texts(ply.comments())]);
    [opening].into_iter().chain(plies).collect()
}

#[test]
fn comments_stand_with_their_moves() {
    let all = comments(
        "{a} {b} 1. {c} e4 {d} {e} 1... {f} {g} e5 2. {h} (2. d4) {i} Nf3+ {j} 2... Nc6 {k} 3. Bb5# 3... a6 4. {l} *",
    );
    let expected = [
        ["", "a b"],
        ["c", "d e"],
        ["f g", "h i"],
        ["", "j"],
        ["", "k"],
        ["", ""],
        ["", "l"],
    ];
    assert_eq!(
        all.iter()
            .map(|both| both.each_ref().map(|texts| texts.join(" ")))
            .collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn moves_are_clear_without_check_marks() {
    let mut games = GameScanner::new(
        b"1. e4+ {is none} e5# 2. Nf3+ Nc6 3. Bb5 {which is as good as any other move} a6+ *",
    );
    let game = games.next_game().unwrap().unwrap();
    let moves: Vec<&[u8]> = game.plies().map(|ply| ply.san()).collect();
    assert_eq!(moves, [&b"e4"[..], b"e5", b"Nf3", b"Nc6", b"Bb5", b"a6"]);
}

#[test]
fn moves_are_clear_without_glyphs() {
    let mut games = GameScanner::new(
        b"1. e4! e5?? {lost} 2. Nf3+!? Nc6!!! {a comment that fills the window of the usual ply} 3. Bb5?! {x} 3... a6 ?? *",
    );
    let game = games.next_game().unwrap().unwrap();
    let moves: Vec<&[u8]> = game.plies().map(|ply| ply.san()).collect();
    assert_eq!(moves, [&b"e4"[..], b"e5", b"Nf3", b"Nc6", b"Bb5", b"a6"]);
    let comments: Vec<usize> = game.plies().map(|ply| ply.comments().len()).collect();
    assert_eq!(comments, [0, 1, 0, 1, 1, 0]);
}

proptest! {
    /// With any number of comments and any annotations of the moves, the comments agree with the
    /// reader's.
    #[test]
    fn comments_are_the_readers(
        around in prop::collection::vec((0usize..3, 0usize..3, 0usize..3, 0usize..60), 6..=6),
        glyphs in prop::collection::vec(prop::sample::select(vec!["", "!", "??", "!?", "!!!"]), 6..=6),
        opening in 0usize..3,
        numbers in any::<bool>(),
    ) {
        let mut count = 0;
        let mut some = |many: usize, length: usize| -> String {
            (0..many).map(|_| { count += 1; format!("{{{count}{}}} ", "x".repeat(length)) }).collect()
        };
        let mut pgn = some(opening, 3);
        for (index, (mv, (before, behind, more, length))) in ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"].iter().zip(around).enumerate() {
            if index % 2 == 0 || numbers {
                pgn += &format!("{}{} ", index / 2 + 1, if index % 2 == 0 { "." } else { "..." });
                pgn += &some(before, length);
            }
            let glyph = glyphs[index];
            pgn += &format!("{mv}{glyph} {}$1 {}", some(behind, length), some(more, length));
        }
        pgn += "*";
        let game = Reader::new(pgn.as_bytes()).next().unwrap().unwrap().unwrap();
        let plies = game.plies.iter().map(|ply| [ply.comments_before.clone(), ply.comments.clone()]);
        let expected: Vec<_> = [[Vec::new(), game.comments.clone()]].into_iter().chain(plies).collect();
        prop_assert_eq!(comments(&pgn), expected, "{}", pgn);
    }
}
