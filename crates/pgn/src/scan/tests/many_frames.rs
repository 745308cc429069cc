//! Files of many Zstandard frames, which several threads decode.

use centipawn_progress::Cancel;

use super::*;
use crate::source::{Opened, open};

/// Games whose comments do not compress well, some of them bad.
fn text() -> String {
    let mut number = 1u64;
    let mut comment = || {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        format!(
            "{:016x}{:016x}",
            number.rotate_left(9),
            number.wrapping_mul(number | 1)
        )
    };
    (0..12_000)
        .map(|game| {
            let mv = if game % 1000 == 999 { "Ke3 d6" } else { "Nf3" };
            let comments = [comment(), comment(), comment()];
            format!(
                "[Event \"{game}\"]\n\n1. e4 {{{}}} e5 {{+0.31/20 1.2s {}}} 2. {mv} {{{}}} 1-0\n\n",
                comments[0], comments[1], comments[2]
            )
        })
        .collect()
}

/// Frames of 700,000 bytes of text each, as pzstd writes them: each follows one that says how long
/// it is.
fn pzstd(text: &str) -> Vec<u8> {
    let frame = |text: &[u8]| {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(text).unwrap();
        let frame = encoder.finish().unwrap();
        [
            &[0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0],
            &(frame.len() as u32).to_le_bytes()[..],
            &frame,
        ]
        .concat()
    };
    text.as_bytes().chunks(700_000).flat_map(frame).collect()
}

/// Returns the same with another name of the file.
fn named(mut seen: Seen, path: &Path) -> Seen {
    for problem in &mut seen.problems {
        *problem = problem.replace(&path.display().to_string(), "FILE");
    }
    seen
}

#[test]
fn many_frames_are_read_as_their_text() {
    let text = text();
    let (plain, packed) = (file(text.as_bytes()), file(&pzstd(&text)));
    assert!(matches!(
        open(packed.path(), &Arc::default(), 2, None),
        Ok(Opened::Stream(_, Some(_)))
    ));
    let whole = named(
        scan_of(&[plain.path()], &options(1, 2 << 20, 1 << 20)),
        plain.path(),
    );
    assert_eq!(whole.counts, (11_988, 35_964, 12, 0));
    for threads in 1..4 {
        let many = named(
            scan_of(&[packed.path()], &options(threads, 300_000, 1 << 20)),
            packed.path(),
        );
        assert!(
            many == whole,
            "{threads} threads: {:?}, not {:?}",
            many.counts,
            whole.counts
        );
    }
    // Beside another file.
    let both = [packed.path(), plain.path()];
    let one = scan_of(&both, &options(1, 2 << 20, 1 << 20));
    assert!(scan_of(&both, &options(3, 100_000, 1 << 20)) == one);
}

#[test]
fn damage_is_found_at_the_same_place() {
    let text = text();
    let bytes = pzstd(&text);
    let mut changed = bytes.clone();
    changed[bytes.len() / 2] ^= 1;
    for bytes in [
        &bytes[..bytes.len() * 2 / 3],
        &changed,
        &[&bytes[..], b"?"].concat(),
    ] {
        let damaged = file(bytes);
        let one = scan_of(&[damaged.path()], &options(1, 2 << 20, 1 << 20));
        assert_eq!(one.counts.3, 1, "{:?}", one.problems);
        assert!(one.counts.0 > 3000, "{:?}", one.counts);
        for threads in 2..4 {
            let many = scan_of(&[damaged.path()], &options(threads, 300_000, 1 << 20));
            assert!(
                many == one,
                "{threads} threads: {:?} {:?}",
                many.counts,
                many.problems
            );
        }
    }
}

#[test]
fn a_scan_of_many_frames_can_be_cancelled() {
    let packed = file(&pzstd(&text()));
    let sources = Sources::expand(&[packed.path()]).unwrap();
    for threads in 1..4 {
        let cancel = Cancel::new();
        let options = ScanOptions {
            cancel: Some(&cancel),
            ..options(threads, 10_000, 1 << 20)
        };
        let (games, report) = scan(
            &sources,
            &options,
            || 0,
            |games, _| {
                *games += 1;
                cancel.set();
            },
        )
        .unwrap();
        assert!(
            report.cancelled && report.games == games && games < 11_988,
            "{report:?}"
        );
    }
}
