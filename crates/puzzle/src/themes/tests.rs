//! The public tagger's own tests, each about one rule, where they lie beside the repository; and a few of our own.

use std::fs;

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
        "back_rank_mate" => |solution| mates::pattern(solution) == Some(Theme::BackRankMate),
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
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/golden/puzzles/tagger_tests.jsonl");
    let Ok(text) = fs::read_to_string(path) else { return };
    let (mut ran, mut wrong) = (0, Vec::new());
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        // Those of helpers stand beside the helpers.
        if case["kind"] != "tag" {
            continue;
        }
        let rule = rule(case["fn"].as_str().unwrap().strip_prefix("cook.").unwrap());
        let moves: Vec<&str> = case["moves"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
        ran += 1;
        if Some(rule(&solution(case["fen"].as_str().unwrap(), &moves.join(" ")))) != case["expected"].as_bool() {
            wrong.push(line.to_owned());
        }
    }
    assert!(ran > 60);
    assert!(wrong.is_empty(), "{} of {ran}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn mates_with_names() {
    let pattern = |fen, moves| mates::pattern(&solution(fen, moves));
    let smothered = pattern("6rk/6pp/8/4N3/8/8/8/K7 b - - 0 1", "g7g6 e5f7");
    assert_eq!(smothered, None, "g7 is free");
    assert_eq!(pattern("6rk/p5pp/8/4N3/8/8/8/K7 b - - 0 1", "a7a6 e5f7"), Some(Theme::SmotheredMate));
    assert_eq!(pattern("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", "a2b2 d1d8"), Some(Theme::BackRankMate));
    assert_eq!(pattern("7k/p6p/5N2/8/8/8/8/K2R4 b - - 0 1", "a7a6 d1d8"), None, "no neighbour");
    assert_eq!(pattern("7k/p2R4/5N2/8/8/8/8/K7 b - - 0 1", "a7a6 d7h7"), Some(Theme::ArabianMate));
}

#[test]
fn a_puzzle_has_one_phase_and_one_length() {
    let themes = themes(&solution("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", "a2b2 d1d8"));
    assert_eq!(themes.to_string(), "backRankMate endgame mate mateIn1 oneMove rookEndgame");
}
