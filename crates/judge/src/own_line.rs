//! The better line that the comments and variations of a game contain.

use std::collections::HashSet;

use centipawn_core::History;
use centipawn_pgn::{Dialect, Ply};
use shakmaty::Move;

/// Returns the variation that the game itself gives as better than the move. It either begins with
/// the move that the comment calls best, as in Lichess' "Mistake. Nf6 was best.", or with an
/// evaluation, as in reviews. Empty if there is none.
pub(crate) fn own_line(before: &History, ply: &Ply) -> Vec<Move> {
    let best = called_best(&ply.comments);
    let is_better = |line: &&Vec<Ply>| {
        let Some(first) = line
            .first()
            .filter(|first| first.mv != ply.mv && !first.is_null())
        else {
            return false;
        };
        best.contains(&*first.san(before.position()).to_string())
            || first
                .annotation(Dialect::Auto, before.turn())
                .eval
                .is_some()
    };
    let line = ply.variations.iter().find(is_better);
    // Cut the line before a null move, because engines cannot play one.
    line.map_or_else(Vec::new, |line| {
        line.iter()
            .take_while(|ply| !ply.is_null())
            .map(|ply| ply.mv)
            .collect()
    })
}

/// Returns the moves in SAN that comments call best: "Nf6 was best", "Best move was Nf6". One pass,
/// however many variations there are.
fn called_best(comments: &[String]) -> HashSet<&str> {
    const BEFORE: &str = " was best";
    const AFTER: &str = "Best move was ";
    let is_other = |char: char| !(char.is_ascii_alphanumeric() || "=+#-".contains(char));
    let mut best = HashSet::new();
    for comment in comments {
        best.extend(
            comment
                .match_indices(BEFORE)
                .filter_map(|(at, _)| comment[..at].rsplit(is_other).next()),
        );
        best.extend(
            comment
                .match_indices(AFTER)
                .filter_map(|(at, _)| comment[at + AFTER.len()..].split(is_other).next()),
        );
    }
    best
}

#[cfg(test)]
mod tests {
    use centipawn_pgn::Reader;

    use super::*;

    /// Returns the better line at the first move.
    fn line(pgn: &str) -> String {
        let game = Reader::new(pgn.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap();
        let mut position = game.start.clone();
        let line = own_line(&game.start, &game.plies[0]);
        let moves = line.into_iter().map(|mv| {
            let uci = position.uci(mv).to_string();
            position.push(mv);
            uci
        });
        moves.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn own_lines_are_those_that_the_game_calls_better() {
        assert_eq!(
            line("1. f3 { [%eval -0.5] Inaccuracy. e4 was best. } ( 1. e4 e5 ) 1... e5 *"),
            "e2e4 e7e5"
        );
        assert_eq!(
            line("1. f3 { (0.2 → -0.5) Inaccuracy. Best move was e4. } ( 1. e4 ) *"),
            "e2e4"
        );
        assert_eq!(
            line("1. f3 ( 1. d4 d5 ) ( 1. e4 { [%eval 0.3] } e5 ) *"),
            "e2e4 e7e5"
        );
        assert_eq!(
            line("1. f3 { Bold. } ( 1. e4 e5 2. f4 { The author's favourite. } ) *"),
            "",
            "somebody's idea"
        );
        assert_eq!(line("1. f3 { Nf3 was best. } ( 1. e4 ) *"), "");
        assert_eq!(line("1. f3 { e4 was best. } ( 1. e4 -- 2. d4 ) *"), "e2e4");
        assert_eq!(
            line("1. h3 { Nf3 was best. } ( 1. f3 e5 ) ( 1. Nf3 d5 ) *"),
            "g1f3 d7d5",
            "not the pawn's move"
        );
        assert_eq!(
            line("1. h3 { Better: 1.Nf3 was best (Best move was O-O) } ( 1. f3 ) ( 1. Nf3 ) *"),
            "g1f3"
        );
    }

    /// A game may have a long comment and many variations.
    #[test]
    fn a_long_comment_is_read_once() {
        let (comment, variations) = ("not best ".repeat(300_000), "( 1. e4 ) ".repeat(100_000));
        assert_eq!(line(&format!("1. f3 {{ {comment} }} {variations} *")), "");
    }
}
