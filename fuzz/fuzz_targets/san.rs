//! The fast board reads what shakmaty reads: the same moves, the same positions, the same refusals.
#![no_main]

use centipawn_pgn::{Board, GameScanner, Reader};
use libfuzzer_sys::fuzz_target;

const STARTS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w HBhb - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/8/8/1k1pP2R/8/8/8/4K3 w - d6 0 2",
];

/// What moves are written with: bytes become these, so that many are moves.
const LETTERS: &[u8; 32] = b"abcdefgh12345678KQRBNPxO-0=+qn  ";

fuzz_target!(|bytes: &[u8]| {
    let Some((start, moves)) = bytes.split_first() else {
        return;
    };
    let start = STARTS[usize::from(*start) % STARTS.len()];
    let moves: Vec<u8> = moves
        .iter()
        .map(|byte| {
            if LETTERS.contains(byte) {
                *byte
            } else {
                LETTERS[usize::from(*byte) % LETTERS.len()]
            }
        })
        .collect();
    let text = [format!("[FEN \"{start}\"]\n\ne. ").as_bytes(), &moves].concat();
    let mut fast = GameScanner::new(&text);
    let mut slow = Reader::new(text.as_slice());
    while let Some(game) = fast.next_game() {
        let owned = slow.next().expect("as many games").expect("no input error");
        match (game, owned) {
            (Ok(game), Ok(owned)) => {
                assert_eq!(game.len(), owned.plies.len());
                assert_eq!(*game.end(), Board::from(owned.end().position()));
                assert_eq!(game.end().position(), *owned.end().position());
                assert_eq!(game.result(), owned.result);
            }
            (Err(fast), Err(slow)) => assert_eq!(fast.kind, slow.kind),
            (fast, slow) => panic!(
                "{:?} {:?}",
                fast.map(|game| game.len()),
                slow.map(|game| game.plies.len())
            ),
        }
    }
    assert!(slow.next().is_none());
});
