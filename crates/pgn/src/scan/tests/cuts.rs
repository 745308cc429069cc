//! Blocks, threads and shards make no difference.

use proptest::prelude::*;

use super::*;
use crate::Reader;

/// Returns the pieces that texts consist of: games with and without tags, broken games, and text
/// between them.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(
        &[
            "[Event \"a\"]\n[Site \"b\"]\n\n1. e4 {+0.31/20 1.2s} e5 {-0.25/21 1.4s} 1-0\n\n",
            "[Event \"a\"]\n\n1. d4 {one} {two} d5 (1... c5 {no} 2. d5) 2. {before} c4 1/2-1/2\n\n",
            "[Site \"b\"]\n[Event \"in between\"]\n\n1. e4 *\n",
            "[Event \"bad\"]\n\n1. e4 e5 2. Ke3 *\n\n",
            "[Event \"fen\"]\n[FEN \"8/5k2/8/8/8/8/1P3K2/8 b - - 3 60\"]\n\n60... Ke6 61. b4 *\n",
            "[FEN \"no\"]\n\n*\n",
            "[Variant \"Atomic\"]\n\n1. e4 *\n",
            "{before} ",
            "{open ",
            "}",
            "; a line\n",
            "% escape\n",
            "1-0 ",
            "\n\n",
            "\r\n",
            "[Event \"a\"]\n",
            "\n[Event \"b\"]\n",
            "\n[Event \"c",
            "[Site \"x\"]",
            "1. e4 e5 ",
            "2. Nf3 (2. d4 ",
            "2... Nc6 3. Bb5 ",
            "White resigned ",
            "2. Sf3 Sc6 ",
            "3. ♗b5 ",
            "[Broken]\n",
            "Broken \"x\"]\n",
            "[White \"x\"] y\n",
            "( -- d4) ",
            "-- ",
            "1. c4 0-1 1. f4 *",
            "{ a comment that is longer than a game may be, at least in this test, and goes on and on and on for ever }",
            "[White \"a name that is longer than it needs to be, for the sake of a block's end in the middle of it\"]\n",
            "\u{feff}",
            "\u{feff}\u{feff}%\u{feff}",
            "\u{a0}\u{a0}\u{a0}",
            "                                                                                                   ",
            "\t\t\t",
            "\r\r\r",
            "\r%[Event \"escaped\"] 1. e4 and on and on and on and on and on and on and on and on and on and on and on",
            "\0",
            "0.5-0.5 ",
            "½–½ ",
            "+:- ",
            "{1-0}",
            "(1-0)",
            "0-0 ",
            "O–O ",
            "b8(Q) ",
            "<> ",
            "2. Ke3 ",
            "[White Ann]\n",
            "\n\n[Site \"y\"]\n[White \"w\"]\n",
            "[Opening \"x\"] 2. Nf3 ",
            "[Opening \"x\"]\n",
            "\r[Event \"r\"]\r",
            "[Result \"0-0\"]\n",
            "7. d4 ",
            "e4\n\n1. d4 d5\n\n1. c4\n",
        ][..],
    );
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// Games and problems of a text do not depend on the block size and the number of threads.
    #[test]
    fn blocks_and_threads_make_no_difference(
        text in pieces(),
        block in prop_oneof![1usize..40, 40usize..3000],
        threads in 1usize..4,
        limit in prop_oneof![Just(1usize << 20), 60usize..400],
    ) {
        let plain = file(text.as_bytes());
        let whole = scan_of(&[plain.path()], &options(1, 1 << 30, limit));
        prop_assert_eq!(&scan_of(&[plain.path()], &options(threads, block, limit)), &whole);
        let packed = file(&gzip(text.as_bytes()));
        let mut unpacked = scan_of(&[packed.path()], &options(threads, block, limit));
        for problem in &mut unpacked.problems {
            *problem = problem.replace(&packed.path().display().to_string(), &plain.path().display().to_string());
        }
        prop_assert_eq!(&unpacked, &whole);
    }

    /// A scan finds the same games as the reader of owned games.
    #[test]
    fn the_reader_agrees(text in pieces(), limit in prop_oneof![Just(1usize << 20), 60usize..400]) {
        let plain = file(text.as_bytes());
        let scanned = scan_of(&[plain.path()], &options(2, 700, limit));
        let (mut lines, mut errors) = (Vec::new(), Vec::new());
        for game in Reader::with_limit(text.as_bytes(), limit) {
            match game.unwrap() {
                Ok(game) => {
                    lines.push(game.plies.len());
                    if game.warnings.iter().any(|warning| warning.kind.loses()) {
                        let name = plain.path().display();
                        errors.extend(game.warnings.iter().map(|warning| format!("{name}: {warning}")));
                    }
                }
                Err(error) => errors.push(format!("{}: {error}", plain.path().display())),
            }
        }
        prop_assert_eq!(scanned.problems, errors);
        prop_assert_eq!(scanned.counts.0, lines.len() as u64);
        prop_assert_eq!(scanned.counts.1, lines.iter().sum::<usize>() as u64);
    }

    #[test]
    fn any_bytes_are_read_alike_by_one_thread_and_two(bytes in prop::collection::vec(any::<u8>(), 0..2000), block in 1usize..500) {
        let plain = file(&bytes);
        prop_assert_eq!(scan_of(&[plain.path()], &options(2, block, 300)), scan_of(&[plain.path()], &options(1, 4000, 300)));
    }
}

/// Games that make sense only with German letters are cut at the same places as by their English
/// reading, in which the moves have other numbers.
#[test]
fn other_letters_do_not_change_where_games_end() {
    let text = "2. Sf3 Sc6 [White \"w\"]\n2. Nf3 (2. d4 {no}\n\n\
                1. e4 e5 1-0\n\n2. Sf3 Sc6 \n\n[Site \"y\"]\n[White \"w\"]\n2. Ke3 ";
    let plain = file(text.as_bytes());
    let whole = scan_of(&[plain.path()], &options(1, 1 << 30, 1 << 20));
    for block in 1..text.len() {
        let cut = scan_of(&[plain.path()], &options(1, block, 1 << 20));
        assert_eq!(cut, whole, "{block}");
    }
}

/// The blanks at the end of a range may extend beyond it. The game after these blanks belongs to
/// the next range only.
#[test]
fn blanks_that_end_behind_a_range() {
    // Longer than the 64 KiB of a file that are inspected first, and than the 16 KiB that are first
    // read beyond the end of a range. Two of the blocks below end exactly 16 KiB before the end of
    // the blanks, and one byte earlier.
    let blanks = 70_000;
    for text in [
        "[Event \"a\"]\n\n1. e4 *\n",
        "[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. d4 *\n",
    ] {
        let plain = file(format!("{}{text}", "\n".repeat(blanks)).as_bytes());
        let whole = scan_of(&[plain.path()], &options(1, 1 << 30, 1 << 20));
        for block in [
            blanks - (16 << 10),
            blanks - (16 << 10) - 1,
            blanks / 2,
            blanks - 1,
            blanks,
            blanks + 1,
        ] {
            assert_eq!(
                scan_of(&[plain.path()], &options(1, block, 1 << 20)),
                whole,
                "{block}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, ..ProptestConfig::with_cases(24) })]

    /// Each game is in exactly one part of a scan, with the same number.
    #[test]
    fn shards_are_parts_of_the_whole(
        texts in prop::collection::vec(pieces(), 1..4),
        count in 1u32..6,
        packed in any::<bool>(),
        fill in 0usize..300,
    ) {
        // The random texts are much shorter than a stripe of 4 MiB. Put a game with a long comment
        // before each of them, so that a file extends over several stripes.
        let filling = format!("[Event \"f\"]\n\n1. e4 {{{}}} 1-0\n\n", "x".repeat(fill << 15));
        let files: Vec<_> = texts
            .iter()
            .map(|text| [filling.as_str(), text, "\n", &filling, text].concat())
            .map(|text| if packed { file(&gzip(text.as_bytes())) } else { file(text.as_bytes()) })
            .collect();
        let paths: Vec<_> = files.iter().map(tempfile::NamedTempFile::path).collect();
        let limit = 1 << 24;
        let mut whole = scan_of(&paths, &options(2, 1 << 20, limit));
        let mut parts = Seen { games: Vec::new(), problems: Vec::new(), counts: (0, 0, 0, 0) };
        for index in 1..=count {
            let shard = Shard::new(index, count).unwrap();
            let part = scan_of(&paths, &ScanOptions { shard, ..options(2, 700_000, limit) });
            parts.games.extend(part.games);
            parts.problems.extend(part.problems);
            parts.counts.0 += part.counts.0;
            parts.counts.1 += part.counts.1;
            parts.counts.2 += part.counts.2;
        }
        for seen in [&mut whole, &mut parts] {
            seen.games.sort();
            seen.problems.sort();
        }
        prop_assert_eq!(whole, parts);
    }
}
