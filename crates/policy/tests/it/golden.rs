//! Compares networks with Lc0: planes bit for bit, probabilities and values to 1e-4, on every
//! kernel.

use std::path::{Path, PathBuf};

use centipawn_core::History;
use centipawn_policy::{Kernel, Network};
use centipawn_test_support::data::{bytes, shared, test_data};
use serde_json::Value;
use shakmaty::{CastlingMode, Move, Position as _, Role, Square};

/// Returns the path of a small random network, which was made for this project.
fn own(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data")).join(name)
}

fn records(path: &Path) -> Vec<Value> {
    let text = String::from_utf8(bytes(path)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn game(record: &Value) -> History {
    let mut game = match record["start_fen"].as_str() {
        // In one record the side that is not to move is in check. Readers of FEN refuse such a
        // position, so start one move earlier and play the king's illegal step unchecked.
        Some("8/8/8/3k4/8/8/8/3QK3 w - - 10 80") => {
            let before = History::from_fen("8/8/3k4/8/8/8/8/3QK3 b - - 9 79", None).unwrap();
            let step = Move::Normal {
                role: Role::King,
                from: Square::D6,
                to: Square::D5,
                capture: None,
                promotion: None,
            };
            let mut position = before.position().clone();
            position.play_unchecked(step);
            History::new(position, CastlingMode::Standard)
        }
        Some(fen) => History::from_fen(fen, None).unwrap(),
        None => History::default(),
    };
    for uci in record["moves"].as_array().unwrap() {
        let mv = game.parse_uci(uci.as_str().unwrap()).unwrap();
        game.push(mv);
    }
    game
}

fn compare(network: &Network, record: &Value) {
    let game = game(record);
    let answer = network.evaluate(&game).unwrap();
    let about = format!(
        "{} {} on {}",
        network.name(),
        record["id"],
        network.kernel().name()
    );
    let wanted = record["policy"].as_object().unwrap();
    assert_eq!(answer.moves.len(), wanted.len(), "{about}");
    for mv in &answer.moves {
        let uci = game.uci(mv.mv).to_string();
        let probability = wanted[&uci].as_f64().unwrap();
        assert!(
            (mv.probability - probability).abs() < 1e-4,
            "{about}: {uci} {} for {probability}",
            mv.probability
        );
        let logit = record["logits"][&uci].as_f64().unwrap();
        assert!(
            (f64::from(mv.logit) - logit).abs() < 1e-3,
            "{about}: {uci} {} for {logit}",
            mv.logit
        );
    }
    match (&answer.wdl, record["wdl"].as_array()) {
        (Some(wdl), Some(wanted)) => {
            for (got, wanted) in [wdl.win, wdl.draw, wdl.loss].into_iter().zip(wanted) {
                assert!(
                    (got - wanted.as_f64().unwrap()).abs() < 1e-4,
                    "{about}: {wdl:?} for {wanted}"
                );
            }
        }
        (None, None) => {}
        other => panic!("{about}: {other:?}"),
    }
    if let Some(value) = record["q"].as_f64() {
        assert!(
            (answer.value - value).abs() < 1e-4,
            "{about}: {} for {value}",
            answer.value
        );
    }
    if let (Some(wanted), Some(got)) = (record["mlh"].as_f64(), answer.moves_left) {
        assert!(
            (got - wanted).abs() < 1e-4 * wanted.max(1.0),
            "{about}: {got} for {wanted}"
        );
    }
}

fn compare_all(network: &Path, records: &[Value]) {
    let name = network.file_name().unwrap().to_string_lossy().into_owned();
    let name = name.strip_suffix(".pb.gz").unwrap();
    let records: Vec<&Value> = records
        .iter()
        .filter(|record| record["net"] == name)
        .collect();
    assert!(!records.is_empty(), "{name}");
    for kernel in Kernel::available() {
        let network = Network::open_with(network, kernel).unwrap();
        for record in &records {
            compare(&network, record);
        }
    }
}

#[test]
fn small_random_networks_answer_like_lc0() {
    for name in [
        "res_se_conv_wdl",
        "attn_pemap_smolgen",
        "attn_pemap_nosmolgen_relu",
    ] {
        let golden = test_data(&format!("golden/policy/{name}.jsonl.zst"));
        compare_all(&own(&format!("{name}.pb.gz")), &records(&golden));
    }
}

#[test]
fn larger_random_networks_answer_like_lc0() {
    for name in ["res_nose_classical", "attn_multihead_pedense"] {
        let (Some(network), Some(golden)) = (
            shared(&format!("data/nets/{name}.pb.gz")),
            shared(&format!("golden/policy/{name}.jsonl")),
        ) else {
            return;
        };
        compare_all(&network, &records(&golden));
    }
}

#[test]
fn maia_networks_answer_like_lc0() {
    let Some(golden) = shared("golden/policy/maia.jsonl") else {
        return;
    };
    let records = records(&golden);
    for rating in [1100, 1500, 1900] {
        let Some(network) = shared(&format!("data/maia/maia-{rating}.pb.gz")) else {
            return;
        };
        compare_all(&network, &records);
    }
}

#[test]
fn planes_equal_those_of_lc0_bit_for_bit() {
    let golden = test_data("golden/policy/planes.jsonl.zst");
    let network = Network::open(own("res_se_conv_wdl.pb.gz")).unwrap();
    for record in records(&golden) {
        let planes = network.planes(&game(&record)).planes;
        let wanted = record["planes"].as_array().unwrap();
        assert_eq!(wanted.len(), 112);
        for (index, (wanted, (squares, value))) in wanted.iter().zip(planes).enumerate() {
            let (mask, number) = match wanted.as_array() {
                Some(pair) => (
                    u64::from_str_radix(pair[0].as_str().unwrap(), 16).unwrap(),
                    pair[1].as_f64().unwrap(),
                ),
                None => (0, 0.0),
            };
            // A plane without squares and a plane with the value 0 are the same, because both hold
            // 0 everywhere.
            let same = if value == 0.0 || number == 0.0 {
                (value == 0.0 || squares.is_empty()) && (number == 0.0 || mask == 0)
            } else {
                u64::from(squares) == mask && (mask == 0 || f64::from(value) == number)
            };
            assert!(
                same,
                "{} plane {index}: {squares:?} {value} for {wanted}",
                record["id"]
            );
        }
    }
}
