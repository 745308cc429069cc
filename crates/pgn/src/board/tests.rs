use proptest::prelude::*;
use shakmaty::{fen::Fen, san::San};

use super::*;
use crate::san::resolve;

fn position(fen: &str) -> Chess {
    fen.parse::<Fen>()
        .unwrap()
        .into_position(CastlingMode::Chess960)
        .unwrap()
}

/// Asserts that both resolvers agree on `text`.
fn agree(board: &Board, position: &Chess, text: &str) {
    let ours = board.resolve(text.as_bytes());
    let theirs = resolve(text.as_bytes(), position).map(Step::from);
    assert_eq!(
        ours,
        theirs,
        "{text} in {}",
        Fen::from_position(position, EnPassantMode::Legal)
    );
}

/// Returns every spelling of a move to some squares, legal or not, and castling.
fn spellings() -> Vec<String> {
    let mut texts: Vec<String> = [
        "O-O", "O-O-O", "0-0", "--", "x", "e1g1", "e1c1", "e8g8", "e1h1", "e1a1",
    ]
    .map(str::to_owned)
    .into();
    for role in ["", "P", "N", "B", "R", "Q", "K"] {
        for from in ["", "a", "e", "g", "2", "7", "gg", "ae", "7g", "xg"] {
            for to in ["a1", "d5", "e3", "e4", "g1", "f8", "c6"] {
                texts.push(format!("{role}{from}{to}"));
                texts.push(format!("{role}{from}x{to}=Q"));
            }
        }
    }
    texts
}

/// Plays random games from a start. Asserts that every spelling of every move, and the position
/// after each move, agree with shakmaty.
fn follows(start: Chess, choices: &[prop::sample::Index], others: &[String]) {
    let mut position = start;
    let mut board = Board::from(&position);
    for choice in choices {
        let legal = position.legal_moves();
        for mv in &legal {
            agree(
                &board,
                &position,
                &San::from_move(&position, *mv).to_string(),
            );
            agree(
                &board,
                &position,
                &mv.to_uci(CastlingMode::Standard).to_string(),
            );
            agree(
                &board,
                &position,
                &mv.to_uci(CastlingMode::Chess960).to_string(),
            );
            // Without capture signs and disambiguation.
            agree(
                &board,
                &position,
                &format!("{}{}", mv.role().upper_char(), mv.to()),
            );
        }
        for text in others {
            agree(&board, &position, text);
        }
        let Some(mv) = (!legal.is_empty()).then(|| *choice.get(&legal)) else {
            break;
        };
        position.play_unchecked(mv);
        board.play(mv);
        assert_eq!(board.position(), position);
        assert_eq!(board, Board::from(&position));
        assert_eq!(board.is_check(), position.is_check());
    }
}

const STARTS: [&str; 10] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w HBhb - 0 1",
    "rkrbbnnq/pppppppp/8/8/8/8/PPPPPPPP/RKRBBNNQ w CAca - 0 1",
    "bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/NRKRBBQN w DBhe - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w BGbg - 0 1",
    "8/8/8/1k1pP2R/8/8/8/4K3 w - d6 0 2",
];

#[test]
fn every_spelling_everywhere() {
    let texts = spellings();
    for start in STARTS {
        let start = position(start);
        let board = Board::from(&start);
        for text in &texts {
            agree(&board, &start, text);
        }
    }
}

#[test]
fn material_is_counted() {
    let mut board = Board::from(&position("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"));
    for text in ["gxf1=Q", "Kd2", "gxh1N"] {
        let step = board.resolve(text.as_bytes());
        if let Ok(step) = step {
            board.make(step);
        }
    }
    assert_eq!(board.material().counts(), [3, 1, 0, 0, 0, 2, 2, 0, 0, 1]);
    assert_eq!(board.material().balance(), 6 - 17);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn games_agree_with_shakmaty(
        start in prop::sample::select(&STARTS[..]),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 1..120),
    ) {
        follows(position(start), &choices, &[]);
    }

    #[test]
    fn keys_are_those_of_shakmaty(
        start in prop::sample::select(&STARTS[..]),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 1..120),
    ) {
        let mut position = position(start);
        let mut board = Board::from(&position);
        let mut keys = Keys::new(&board);
        prop_assert_eq!(keys.key(&board), position_key(&position));
        for choice in choices {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[choice.index(moves.len())];
            keys.play(&board, Step::from(mv));
            board.play(mv);
            position.play_unchecked(mv);
            prop_assert_eq!(keys.key(&board), position_key(&position), "{}", Fen::from_position(&position, EnPassantMode::Legal));
        }
    }

    #[test]
    fn wrong_moves_have_the_same_errors(
        start in prop::sample::select(&STARTS[..]),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 1..30),
    ) {
        follows(position(start), &choices, &spellings());
    }
}
