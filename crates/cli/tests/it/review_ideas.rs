//! Ideas as reasons, found with Stockfish: what a trainer would say of these moves.

use serde_json::Value;

use crate::common::{centipawn, have_stockfish, run};

/// A position, the move with the opponent's reply, and the reasons that are right.
struct Case {
    fen: &'static str,
    moves: &'static str,
    /// The kind and the motif.
    right: &'static [(&'static str, &'static str)],
}

const CASES: [Case; 2] = [
    // 9... Bd7 blocks the check and attacks the queen, which must move.
    Case {
        fen: "r2qkb1r/p1p1pppp/2Q2n2/8/3P2b1/2N1B3/PPP3PP/R3K1NR b KQkq - 0 9",
        moves: "9... Nd7 10. h3",
        right: &[("misses", "new threat")],
    },
    // White's king is exposed, and without queens the attack is over.
    Case {
        fen: "2kr4/ppp2p2/2n3p1/3p4/8/1P2P1R1/P1Q1KP2/2R4q b - - 3 25",
        moves: "25... Qe4 26. Qxe4",
        right: &[("allows", "queen trade")],
    },
];

#[test]
fn a_move_that_loses_no_material_gets_an_idea() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ideas.pgn");
    let games: String = CASES
        .iter()
        .map(|case| format!("[FEN \"{}\"]\n\n{} *\n\n", case.fen, case.moves))
        .collect();
    std::fs::write(&path, games).unwrap();
    let mut command = centipawn([
        "review", "--nodes", "300k", "--store", "none", "--json", "-",
    ]);
    command.arg(&path);
    let ran = run(command);
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let reviews = document["games"].as_array().unwrap();
    assert_eq!(reviews.len(), CASES.len(), "{}", ran.stderr());
    for (case, review) in CASES.iter().zip(reviews) {
        let reason = &review["plies"][0]["reason"];
        let found = (
            reason["kind"].as_str().unwrap_or_default(),
            reason["motif"].as_str().unwrap_or_default(),
        );
        assert!(case.right.contains(&found), "{}: {reason}", case.moves);
    }
}
