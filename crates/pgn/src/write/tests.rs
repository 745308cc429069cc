use proptest::{prelude::*, sample::Index};
use shakmaty::{CastlingMode, Outcome};

use super::*;
use crate::{Nag, Reader};
use centipawn_core::History;

fn read(text: &str) -> Game {
    let mut games = Reader::new(text.as_bytes());
    let game = games.next().unwrap().unwrap().unwrap();
    assert!(games.next().is_none(), "one game\n{text}");
    game
}

/// Returns a line of random legal moves with random annotations.
fn line(
    mut position: Chess,
    choices: &mut impl Iterator<Item = Index>,
    depth: usize,
    length: usize,
) -> Vec<Ply> {
    let mut plies = Vec::new();
    let mut chance = |many: usize| choices.next().map_or(many - 1, |index| index.index(many));
    for _ in 0..length {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mut ply = Ply::new(legal[chance(legal.len())]);
        for _ in 0..[1, 1, 0, 0, 0][chance(5)] {
            ply.nags.push(Nag(chance(256) as u8));
        }
        for _ in 0..[2, 1, 1, 0, 0, 0][chance(6)] {
            ply.comments
                .push(COMMENTS[chance(COMMENTS.len())].to_owned());
        }
        if chance(6) == 0 {
            ply.comments_before
                .push(COMMENTS[chance(COMMENTS.len())].to_owned());
        }
        let branches = if depth < 3 {
            [2, 1, 0, 0, 0, 0][chance(6)]
        } else {
            0
        };
        let lengths: Vec<usize> = (0..branches).map(|_| 1 + chance(4)).collect();
        let mv = ply.mv;
        plies.push((ply, position.clone(), lengths));
        position.play_unchecked(mv);
    }
    let complete = |(mut ply, before, lengths): (Ply, Chess, Vec<usize>)| {
        for length in lengths {
            let variation = line(before.clone(), choices, depth + 1, length);
            ply.variations
                .extend((!variation.is_empty()).then_some(variation));
        }
        ply
    };
    plies.into_iter().map(complete).collect()
}

/// Comments that could cause trouble: brackets, escapes, tags, runs of spaces, other alphabets,
/// several lines.
const COMMENTS: [&str; 12] = [
    "[%eval 0.17] [%clk 0:03:00]",
    "a } brace { and ( another )",
    "[Event \"x\"] is where a game begins, [Event \"y\"] too",
    "% is an escape; so is ; here",
    "two  spaces   and a\ttab in a comment that is long enough to be broken over more lines than only one of them",
    "Ünïcödé: ⩲ − 王",
    "a-word-of-more-than-eighty-characters-without-a-single-place-where-a-line-may-be-broken-into-two",
    "; a line",
    "1-0",
    "\\ \"quoted\"",
    "%",
    "…",
];

const STARTS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w HBhb - 0 1",
    "r3k2r/1P4P1/8/2pP4/2Pp4/8/1p4p1/R3K2R b KQkq c3 0 17",
    "4k3/8/8/8/8/8/8/4K2R w K - 99 200",
];

prop_compose! {
    fn game()(
        start in prop::sample::select(&STARTS[..]),
        length in 0usize..60,
        choices in prop::collection::vec(any::<Index>(), 0..600),
        comments in prop::collection::vec(prop::sample::select(&COMMENTS[..]), 0..3),
        result in prop::sample::select(&["1-0", "0-1", "1/2-1/2", "*"][..]),
        event in "\\PC{0,12}",
        value in "[a-z\\\\\" \\]\\[{}]{0,12}",
    ) -> Game {
        let mut game = Game::from_start(&History::from_fen(start, None).unwrap());
        let mut choices = choices.into_iter();
        game.plies = line(game.start.position().clone(), &mut choices, 0, length);
        game.comments = comments.into_iter().map(str::to_owned).collect();
        game.result = result.parse().unwrap();
        game.headers.set("Annotator", value);
        game.headers.set("Event", event);
        game
    }
}

fn same(read: &Game, written: &Game) {
    let mut tags: Vec<_> = read.headers.iter().collect();
    let mut before: Vec<_> = written.headers.iter().collect();
    tags.sort_unstable();
    before.sort_unstable();
    assert_eq!(tags, before);
    assert_eq!(read.start.start(), written.start.start());
    assert_eq!(read.start.mode(), written.start.mode());
    assert_eq!(read.comments, written.comments);
    assert_eq!(read.plies, written.plies);
    assert_eq!(read.result, written.result);
    assert!(read.warnings.is_empty());
}

proptest! {
    #[test]
    fn written_games_are_read_back(game in game()) {
        let text = game.to_string();
        let back = read(&text);
        same(&back, &game);
        prop_assert_eq!(back.to_string(), text);
    }

    #[test]
    fn lines_are_short(game in game()) {
        let moves = game.to_string();
        let moves = moves.split_once("]\n\n").unwrap().1;
        for line in moves.lines().filter(|line| !line.contains(['}', 'w'])) {
            prop_assert!(line.chars().count() < 80, "{}", line);
        }
    }
}

#[test]
fn the_seven_tags_come_first() {
    let mut game = Game {
        result: Outcome::Unknown,
        ..Game::default()
    };
    for name in ["ECO", "Result", "white", "Event", "Annotator"] {
        game.headers.push(name, "\\ \"x\"\n");
    }
    let names: Vec<_> = read(&game.to_string())
        .headers
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    let value = "\\ \"x\" ";
    assert_eq!(
        names,
        ["Event", "white", "Result", "ECO", "Annotator"].map(|name| format!("{name} {value}"))
    );
}

#[test]
fn a_start_has_its_tags() {
    let start = History::from_fen(STARTS[1], Some(CastlingMode::Chess960)).unwrap();
    let game = Game::from_start(&start);
    assert_eq!(game.headers.get("Variant"), Some("Chess960"));
    assert_eq!(game.headers.get("SetUp"), Some("1"));
    same(&read(&game.to_string()), &game);
}

#[test]
fn comments_of_several_lines_become_one() {
    let game = Game {
        comments: vec![" a\n\n b\r\nc ".to_owned(), " \n".to_owned()],
        ..Game::default()
    };
    assert_eq!(game.to_string(), "{ a b c } *\n");
}
