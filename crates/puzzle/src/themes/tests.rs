//! The tests of Lichess' tagger, one rule each, and tests of this crate.

use centipawn_core::History;
use serde_json::Value;

use super::*;

fn solution(fen: &str, moves: &str) -> Solution {
    Solution::from_uci(&History::from_fen(fen, None).unwrap(), moves.split(' ')).unwrap()
}

fn rule(function: &str) -> fn(&Solution) -> bool {
    match function {
        "advanced_pawn" => material::advanced_pawn,
        "attacking_f2_f7" => attack::attacking_f2_f7,
        "attraction" => tricks::attraction,
        "back_rank_mate" => |solution| themes(solution).contains(Theme::BackRankMate),
        "capturing_defender" => tricks::capturing_defender,
        "clearance" => lines::clearance,
        "collinear" => lines::collinear,
        "defensive_move" | "check_escape" => attack::defensive_move,
        "deflection" => tricks::deflection,
        "discovered_attack" => lines::discovered_attack,
        "double_check" => lines::double_check,
        "exposed_king" => attack::exposed_king,
        "fork" => attack::fork,
        "hanging_piece" => material::hanging_piece,
        "interference" | "self_interference" => lines::interference,
        "intermezzo" => tricks::intermezzo,
        "kingside_attack" => |solution| attack::side(solution) == Some(Theme::KingsideAttack),
        "piece_endgame" => |solution| material::ending(solution) == Some(Theme::RookEndgame),
        "pin_prevents_attack" => lines::pin_prevents_attack,
        "pin_prevents_escape" => lines::pin_prevents_escape,
        "promotion" => material::promotion,
        "queenside_attack" => |solution| attack::side(solution) == Some(Theme::QueensideAttack),
        "quiet_move" => attack::quiet_move,
        "sacrifice" => material::sacrifice,
        "skewer" => lines::skewer,
        "trapped_piece" => material::trapped_piece,
        "under_promotion" => material::under_promotion,
        "x_ray" => lines::x_ray,
        other => panic!("no rule for {other}"),
    }
}

#[test]
fn tests_of_the_public_tagger() {
    let text = centipawn_test_support::data::text("golden/puzzles/tagger_tests.jsonl.zst");
    let (mut ran, mut wrong) = (0, Vec::new());
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        // Tests of helper functions are in the files of the helpers.
        if case["kind"] != "tag" {
            continue;
        }
        let rule = rule(case["fn"].as_str().unwrap().strip_prefix("cook.").unwrap());
        let moves: Vec<&str> = case["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|mv| mv.as_str().unwrap())
            .collect();
        ran += 1;
        if Some(rule(&solution(
            case["fen"].as_str().unwrap(),
            &moves.join(" "),
        ))) != case["expected"].as_bool()
        {
            wrong.push(line.to_owned());
        }
    }
    assert!(ran > 60);
    assert!(
        wrong.is_empty(),
        "{} of {ran}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Returns the names of the mate patterns with which a puzzle ends.
fn names(fen: &str, moves: &str) -> String {
    let mut names = Themes::default();
    mates::name(&solution(fen, moves), &mut names);
    names.to_string()
}

#[test]
fn older_mate_patterns_are_named() {
    assert_eq!(
        names("6rk/6pp/8/4N3/8/8/8/K7 b - - 0 1", "g7g6 e5f7"),
        "",
        "g7 is free"
    );
    assert_eq!(
        names("6rk/p5pp/8/4N3/8/8/8/K7 b - - 0 1", "a7a6 e5f7"),
        "smotheredMate"
    );
    assert_eq!(
        names("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", "a2b2 d1d8"),
        "backRankMate"
    );
    assert_eq!(
        names("7k/p6p/5N2/8/8/8/8/K2R4 b - - 0 1", "a7a6 d1d8"),
        "",
        "no neighbour"
    );
    assert_eq!(
        names("7k/p2R4/5N2/8/8/8/8/K7 b - - 0 1", "a7a6 d7h7"),
        "arabianMate"
    );
}

#[test]
fn newer_mate_patterns_are_named() {
    let names = |fen, moves| {
        assert!(solution(fen, moves).end().is_mate(), "{fen}");
        names(fen, moves)
    };
    // The same mate with a bishop that defends the rook, and without it.
    assert_eq!(
        names("4k3/p4p2/8/6B1/8/8/8/K2R4 b - - 0 1", "a7a6 d1d8"),
        "operaMate"
    );
    assert_eq!(
        names("4k3/p3Pp2/5P2/8/8/8/8/K2R4 b - - 0 1", "a7a6 d1d8"),
        ""
    );
    // The bishop covers g7 and h8. A queen in its place does not count.
    assert_eq!(
        names("6k1/p4p1p/5B2/8/8/8/8/K2R4 b - - 0 1", "a7a6 d1d8"),
        "pillsburysMate"
    );
    assert_eq!(
        names("6k1/p4p1p/5Q2/8/8/8/8/K2R4 b - - 0 1", "a7a6 d1d8"),
        ""
    );
    // The rook covers g8, but so does a queen, which does not count.
    assert_eq!(
        names("7k/p6p/8/8/8/8/8/K1B3R1 b - - 0 1", "a7a6 c1b2"),
        "morphysMate"
    );
    assert_eq!(names("7k/p6p/8/8/8/8/8/K1B3Q1 b - - 0 1", "a7a6 c1b2"), "");
    // Lichess' labels do not include the mirror image, here and for the knight below.
    assert_eq!(names("k7/p6p/8/8/8/8/8/1R3BK1 b - - 0 1", "h7h6 f1g2"), "");
    // The rook covers g7 and g8. A rook on g7 does not match the pattern, and a queen would cover
    // all squares alone.
    assert_eq!(
        names("7k/p6p/8/4N3/8/8/8/K5R1 b - - 0 1", "a7a6 e5f7"),
        "cornerMate"
    );
    assert_eq!(names("7k/p5Rp/7P/4N3/8/8/8/K7 b - - 0 1", "a7a6 e5f7"), "");
    assert_eq!(names("7k/p6p/8/4N3/8/8/8/K5Q1 b - - 0 1", "a7a6 e5f7"), "");
    assert_eq!(names("k7/p6p/8/3N4/8/8/8/1R4K1 b - - 0 1", "h7h6 d5c7"), "");
    // The second rook is beside the first one, or far away.
    assert_eq!(
        names("5rk1/1R5R/p7/8/8/8/8/K7 b - - 0 1", "a6a5 b7g7"),
        "blindSwineMate"
    );
    assert_eq!(
        names("5rk1/1R6/p4P2/8/8/8/8/K6R b - - 0 1", "a6a5 b7g7"),
        ""
    );
    // The centre of the box is empty, or occupied.
    assert_eq!(
        names("4k3/p7/5Q2/8/8/8/8/K2R4 b - - 0 1", "a7a6 d1d8"),
        "killBoxMate"
    );
    assert_eq!(
        names("4k3/p1P1p3/5Q2/8/8/8/8/K2R4 b - - 0 1", "a7a6 d1d8"),
        ""
    );
    assert_eq!(
        names("8/p7/6R1/7k/8/8/8/K5Q1 b - - 0 1", "a7a6 g1g4"),
        "triangleMate"
    );
    assert_eq!(
        names("4k3/pR6/3PN3/8/8/8/8/K7 b - - 0 1", "a7a6 b7e7"),
        "vukovicMate"
    );
    // The bishop and the queen are on different sides of the king.
    assert_eq!(
        names("4k3/7p/5Q2/8/8/3B4/8/K7 b - - 0 1", "h7h6 d3b5"),
        "balestraMate"
    );
    assert_eq!(
        names("3rkr2/p7/8/8/8/1Q6/8/K7 b - - 0 1", "a7a6 b3e6"),
        "epauletteMate"
    );
    assert_eq!(names("3rk3/p7/5K2/8/8/1Q6/8/8 b - - 0 1", "a7a6 b3f7"), "");
    assert_eq!(
        names("8/3p1p1p/4k3/Q7/5P2/8/8/K7 b - - 0 1", "h7h6 a5e5"),
        "swallowstailMate"
    );
}

#[test]
fn a_mate_with_two_names() {
    assert_eq!(
        names("4k3/p4N2/4P3/6B1/8/8/8/K2R4 b - - 0 1", "a7a6 d1d8"),
        "hookMate operaMate"
    );
}

#[test]
fn a_puzzle_has_one_phase_and_one_length() {
    let themes = themes(&solution(
        "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1",
        "a2b2 d1d8",
    ));
    assert_eq!(
        themes.to_string(),
        "backRankMate endgame mate mateIn1 oneMove rookEndgame"
    );
}
