//! Files that are not supported networks are refused with a reason, and never cause a panic.

use std::{fs, io::Write as _};

use centipawn_core::History;
use centipawn_policy::{EvaluateError, Network, NetworkError};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use proptest::prelude::*;

fn file(name: &str) -> Vec<u8> {
    fs::read(format!(
        "{}/tests/data/{name}.pb.gz",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap()
}

fn unpacked(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut GzDecoder::new(file(name).as_slice()), &mut bytes).unwrap();
    bytes
}

fn error(bytes: &[u8]) -> String {
    Network::from_bytes(bytes).unwrap_err().to_string()
}

/// Returns a weight file whose format has these fields (field number and value, both below 128),
/// followed by `weights`.
fn with_format(fields: &[(u8, u8)], weights: &[u8]) -> Vec<u8> {
    let mut network = Vec::new();
    for (number, value) in fields {
        network.extend([number << 3, *value]);
    }
    let mut bytes = vec![
        0x0d,
        0xc0,
        0x01,
        0,
        0,
        0x22,
        network.len() as u8 + 4,
        0x08,
        1,
        0x12,
        network.len() as u8,
    ];
    bytes.extend(network);
    bytes.extend(weights);
    bytes
}

#[test]
fn compressed_and_plain_files_give_the_same_answers() {
    let plain = Network::from_bytes(&unpacked("res_se_conv_wdl")).unwrap();
    let packed = Network::from_bytes(&file("res_se_conv_wdl")).unwrap();
    let start = History::default();
    assert_eq!(plain.evaluate(&start), packed.evaluate(&start));
}

#[test]
fn unknown_formats_are_refused_with_their_numbers() {
    const EMPTY: &[u8] = &[0x52, 0];
    for (fields, wanted) in [
        (&[(1, 9)][..], "input format 9 is unknown"),
        (&[(3, 99)], "network format 99 is unknown"),
        (&[(3, 4), (4, 7)], "policy format 7 is unknown"),
        (&[(3, 4), (4, 2), (5, 8)], "value format 8 is unknown"),
        (
            &[(3, 4), (4, 2), (5, 2), (6, 5)],
            "moves-left format 5 is unknown",
        ),
        (
            &[(3, 4), (4, 2), (5, 2), (7, 3)],
            "default activation 3 is unknown",
        ),
        (
            &[(3, 6), (4, 3), (5, 2), (9, 77)],
            "ffn activation 77 is unknown",
        ),
        (
            &[(3, 6), (4, 3), (5, 2), (8, 77)],
            "smolgen activation 77 is unknown",
        ),
        (
            &[(3, 6), (4, 3), (5, 2), (10, 5)],
            "input embedding 5 is unknown",
        ),
        (
            &[(2, 6), (3, 4), (4, 2), (5, 2)],
            "output format 6 is unknown",
        ),
    ] {
        let error = error(&with_format(fields, EMPTY));
        assert!(error.starts_with(wanted), "{error}");
    }
    // An ONNX model in a weight file is recognised by the declared format and by the field that
    // holds it.
    assert!(error(&with_format(&[(3, 5)], EMPTY)).contains("ONNX"));
    assert!(error(&with_format(&[(3, 4)], &[0x5a, 0])).contains("ONNX"));
    assert!(error(&with_format(&[(3, 4)], &[])).contains("no weights"));
    assert!(error(&with_format(&[(3, 6), (4, 3)], EMPTY)).contains("no encoder"));
    assert!(error(&with_format(&[(3, 4), (4, 2)], EMPTY)).contains("no input"));
}

#[test]
fn damaged_files_are_refused() {
    for name in ["res_se_conv_wdl", "attn_pemap_nosmolgen_relu"] {
        let (packed, plain) = (file(name), unpacked(name));
        assert!(matches!(
            Network::from_bytes(&packed[..packed.len() / 2]),
            Err(NetworkError::Compressed(_))
        ));
        for part in 1..40 {
            let cut = plain.len() * part / 40;
            assert!(
                Network::from_bytes(&plain[..cut]).is_err(),
                "{name} cut at {cut}"
            );
        }
        let mut wrong = plain.clone();
        wrong[1] ^= 1;
        assert!(matches!(
            Network::from_bytes(&wrong),
            Err(NetworkError::Magic)
        ));
    }
    assert!(matches!(Network::from_bytes(&[]), Err(NetworkError::Magic)));
    let mut zip = GzEncoder::new(Vec::new(), Compression::fast());
    zip.write_all(b"not a network").unwrap();
    assert!(matches!(
        Network::from_bytes(&zip.finish().unwrap()),
        Err(NetworkError::Magic)
    ));
    let error = Network::open("nowhere.pb.gz").unwrap_err().to_string();
    assert!(
        error.starts_with("cannot read the network nowhere.pb.gz"),
        "{error}"
    );
}

#[test]
fn a_mated_position_is_an_error_and_made_up_history_is_counted() {
    let network = Network::from_bytes(&file("res_se_conv_wdl")).unwrap();
    let mated = History::from_fen(
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        None,
    )
    .unwrap();
    assert!(matches!(
        network.evaluate(&mated),
        Err(EvaluateError::NoMoves { .. })
    ));
    // Without a history the network reads made-up positions, except at the initial position, which
    // has none before it.
    let alone = History::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", None).unwrap();
    assert_eq!(network.evaluate(&alone).unwrap().made_up, 7);
    assert_eq!(network.evaluate(&History::default()).unwrap().made_up, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// After any change of bytes, the file is refused with an error, or it is a network that can be
    /// run without a panic.
    #[test]
    fn changed_bytes_never_cause_a_panic(changes in prop::collection::vec((0..4000_usize, any::<u8>()), 1..8), attention: bool) {
        let mut bytes = unpacked(if attention { "attn_pemap_nosmolgen_relu" } else { "res_se_conv_wdl" });
        for (place, value) in changes {
            bytes[place] = value;
        }
        if let Ok(network) = Network::from_bytes(&bytes) {
            let _ = network.evaluate(&History::default());
        }
    }
}
