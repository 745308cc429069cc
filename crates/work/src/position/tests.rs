use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use centipawn_calibrate::position::{NextMove, PositionGames, RatingBand, Results};
use centipawn_pgn::{Merge as _, Reader, Shard, Source, position_key, rating};
use centipawn_progress::{Cancel, Provenance, Silent};
use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, KnownOutcome, Outcome, Position as _, fen::Fen,
};

use super::{
    PositionError, PositionIndex, PositionIndexError, PositionIndexOptions, PositionRow as Row,
    PositionRunOptions,
    format::{GROUP, IndexHeader, VERSION},
    position_index, position_statistics,
    write::write_index,
};
use crate::{Inputs, Run};

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn games() -> Vec<PathBuf> {
    [
        "tests/data/lichess.pgn",
        "tests/data/odd-games.pgn",
        "examples/opera-game.pgn",
        "examples/selfplay.pgn.gz",
    ]
    .map(at)
    .into()
}

fn make(inputs: &[PathBuf], output: &Path, shard: Shard) -> Result<u64, PositionIndexError> {
    let cancel = Cancel::new();
    let options = PositionIndexOptions { shard };
    position_index(inputs, output, &options, Run::new(&cancel, &Silent)).map(|made| made.rows)
}

fn rows_of(index: &Path) -> Vec<Row> {
    PositionIndex::open(index)
        .unwrap()
        .stream()
        .flat_map(|batch| batch.unwrap())
        .collect()
}

/// Returns all rows of games, counted by shakmaty without a key: positions are distinguished by
/// their FEN.
fn by_brute_force(
    paths: &[PathBuf],
) -> (
    BTreeMap<(String, String, RatingBand), Results>,
    PositionGames,
) {
    let (mut rows, mut counted) = (BTreeMap::<_, Results>::new(), PositionGames::default());
    for path in paths {
        for game in Reader::new(Source::open(path).unwrap()) {
            let Ok(game) = game.unwrap() else { continue };
            let results = match game.result {
                Outcome::Known(KnownOutcome::Decisive {
                    winner: Color::White,
                }) => Results {
                    white_wins: 1,
                    ..Results::default()
                },
                Outcome::Known(KnownOutcome::Decisive {
                    winner: Color::Black,
                }) => Results {
                    black_wins: 1,
                    ..Results::default()
                },
                Outcome::Known(_) => Results {
                    draws: 1,
                    ..Results::default()
                },
                Outcome::Unknown => {
                    counted.unfinished += 1;
                    continue;
                }
            };
            if game.start.mode() == CastlingMode::Chess960 {
                counted.other_variants += 1;
                continue;
            }
            counted.counted += 1;
            let elo = |name: &str| game.headers.get(name).and_then(rating);
            let band = RatingBand::of([elo("WhiteElo"), elo("BlackElo")]);
            let mut seen = BTreeSet::new();
            let mut position: Chess = game.start.position().clone();
            for index in 0..=game.plies.len() {
                let mv = game.plies.get(index).map(|ply| ply.mv);
                let fen = fen_of(&position);
                if seen.insert(fen.clone()) {
                    let uci = mv
                        .map(|mv| mv.to_uci(CastlingMode::Standard).to_string())
                        .unwrap_or_default();
                    rows.entry((fen, uci, band)).or_default().merge(results);
                }
                if let Some(mv) = mv {
                    position.play_unchecked(mv);
                }
            }
        }
    }
    (rows, counted)
}

/// Returns the position without its counters.
fn fen_of(position: &Chess) -> String {
    let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

#[test]
fn an_index_equals_a_brute_force_count() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("all.parquet");
    let rows = make(&games(), &index, Shard::ALL).unwrap();
    let (expected, counted) = by_brute_force(&games());
    assert!(
        counted.counted > 100 && counted.unfinished > 0,
        "{counted:?}"
    );
    assert_eq!(rows, expected.len() as u64);
    let opened = PositionIndex::open(&index).unwrap();
    assert_eq!((opened.header.games, opened.rows()), (counted, rows));
    let mut by_key: BTreeMap<u64, Vec<Row>> = BTreeMap::new();
    for ((fen, uci, band), results) in expected {
        let fen: Fen = format!("{fen} 0 1").parse().unwrap();
        let key = position_key(&fen.into_position(CastlingMode::Standard).unwrap());
        by_key.entry(key).or_default().push(Row {
            key,
            mv: uci.parse().unwrap(),
            band,
            results,
        });
    }
    let all: Vec<Row> = by_key.values().flatten().copied().collect();
    assert_eq!(rows_of(&index), all);
    for (key, rows) in by_key.into_iter().step_by(37) {
        assert_eq!(opened.find(key).unwrap(), rows);
        assert_eq!(opened.find(key ^ 1).unwrap(), []);
    }
}

#[test]
fn an_index_answers_as_the_games_do() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("all.parquet");
    make(&games(), &index, Shard::ALL).unwrap();
    for position in [
        "startpos",
        "startpos moves e2e4 e7e5",
        "startpos moves g1f3 d7d5 d2d4",
        "8/8/8/8/8/8/k7/2K5 w - - 0 1",
    ] {
        let answer = |games: &[PathBuf]| {
            let options = PositionRunOptions {
                position: position.to_owned(),
                ..PositionRunOptions::default()
            };
            let cancel = Cancel::new();
            let finished =
                position_statistics(&options, Inputs::new(games), Run::new(&cancel, &Silent))
                    .unwrap();
            let mut document = finished.result.unwrap().document;
            // An index has no evaluations, so leave them out of the comparison.
            (document.eval, document.expected) = (None, None);
            document
                .bands
                .iter_mut()
                .for_each(|own| own.expected = None);
            for own in &mut document.moves {
                (own.eval, own.expected) = (None, None);
                own.bands.iter_mut().for_each(|own| own.expected = None);
            }
            // An index lists its input files in the order of their names, so sort them.
            let inputs = &mut document.provenance.as_mut().unwrap().inputs;
            inputs.sort_by_key(|input| input.name.clone());
            document
        };
        assert_eq!(
            answer(std::slice::from_ref(&index)),
            answer(&games()),
            "{position}"
        );
    }
}

#[test]
fn merged_parts_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let name = |name: &str| folder.path().join(name);
    let bytes = |path: &Path| fs::read(path).unwrap();
    make(&games(), &name("all.parquet"), Shard::ALL).unwrap();
    let mut parts = Vec::new();
    for (number, path) in games().into_iter().enumerate() {
        parts.push(name(&format!("{number}.parquet")));
        make(&[path], &parts[number], Shard::ALL).unwrap();
    }
    parts.reverse();
    make(&parts, &name("merged.parquet"), Shard::ALL).unwrap();
    assert_eq!(bytes(&name("merged.parquet")), bytes(&name("all.parquet")));
    // Merging in two steps gives the same bytes.
    make(&parts[..2], &name("half.parquet"), Shard::ALL).unwrap();
    make(
        &[name("half.parquet"), parts[2].clone(), parts[3].clone()],
        &name("steps.parquet"),
        Shard::ALL,
    )
    .unwrap();
    assert_eq!(bytes(&name("steps.parquet")), bytes(&name("all.parquet")));
    // Merging shards also gives the same index.
    let shards = ["1/3", "3/3", "2/3"].map(|shard| {
        let path = name(&format!("shard-{}.parquet", &shard[..1]));
        make(&games(), &path, shard.parse().unwrap()).unwrap();
        path
    });
    make(&shards, &name("shards.parquet"), Shard::ALL).unwrap();
    assert_eq!(bytes(&name("shards.parquet")), bytes(&name("all.parquet")));
    for wrong in [
        &shards[..2],
        &[shards[0].clone(), shards[0].clone(), shards[1].clone()],
        &[shards[0].clone(), parts[0].clone()],
    ] {
        assert!(matches!(
            make(wrong, &name("x.parquet"), Shard::ALL),
            Err(PositionIndexError::Shards)
        ));
    }
    let twice = [name("half.parquet"), parts[0].clone()];
    let error = make(&twice, &name("x.parquet"), Shard::ALL)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("selfplay.pgn.gz is in ")
            && error.ends_with("so its games would count twice"),
        "{error}"
    );
    assert!(!name("x.parquet").exists());
}

#[test]
fn games_and_indexes_do_not_mix() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("opera.parquet");
    make(&[at("examples/opera-game.pgn")], &index, Shard::ALL).unwrap();
    let out = folder.path().join("x.parquet");
    let both = make(
        &[at("examples/opera-game.pgn"), index.clone()],
        &out,
        Shard::ALL,
    );
    assert!(matches!(both, Err(PositionIndexError::Both { .. })));
    assert!(matches!(
        make(std::slice::from_ref(&index), &out, "1/2".parse().unwrap()),
        Err(PositionIndexError::Whole)
    ));
    let itself = make(std::slice::from_ref(&index), &index, Shard::ALL)
        .unwrap_err()
        .to_string();
    assert!(
        itself.ends_with("is read, so it cannot be written as well"),
        "{itself}"
    );
    let cancel = Cancel::new();
    let ask = |position: &str| {
        let options = PositionRunOptions {
            position: position.to_owned(),
            ..PositionRunOptions::default()
        };
        position_statistics(
            &options,
            Inputs::new(std::slice::from_ref(&index)),
            Run::new(&cancel, &Silent),
        )
    };
    assert!(matches!(
        ask("startpos moves e2e5"),
        Err(PositionError::Position(_))
    ));
    let frc = "nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w HBhb - 0 1";
    assert!(matches!(ask(frc), Err(PositionError::Chess960)));
}

#[test]
fn a_cancelled_index_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.parquet");
    let cancel = Cancel::new();
    cancel.set();
    let made = position_index(
        &games(),
        &out,
        &PositionIndexOptions::default(),
        Run::new(&cancel, &Silent),
    )
    .unwrap();
    assert!(made.outcome.cancelled && !out.exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A damaged or truncated index gives an error or rows, but never a panic.
#[test]
fn damage_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (index, copy) = (
        folder.path().join("opera.parquet"),
        folder.path().join("copy.parquet"),
    );
    make(&[at("examples/opera-game.pgn")], &index, Shard::ALL).unwrap();
    let whole = fs::read(&index).unwrap();
    let key = position_key(&Chess::default());
    let known = PositionIndex::open(&index).unwrap().find(key).unwrap();
    assert_eq!(known.len(), 1);
    let mut errors = 0;
    let mut read = |bytes: &[u8]| {
        fs::write(&copy, bytes).unwrap();
        let found = PositionIndex::open(&copy).and_then(|index| {
            index.stream().try_for_each(|batch| batch.map(drop))?;
            index.find(key)
        });
        errors += u32::from(found.is_err());
    };
    std::panic::set_hook(Box::new(|_| {}));
    for place in (0..whole.len()).step_by(7) {
        for bit in [0x01, 0x80] {
            let mut bytes = whole.clone();
            bytes[place] ^= bit;
            read(&bytes);
        }
        read(&whole[..place]);
    }
    let _ = std::panic::take_hook();
    assert!(errors > 500, "{errors}");
    fs::copy(at("examples/people.tsv.zst"), &copy).unwrap();
    assert!(matches!(
        PositionIndex::open(&copy),
        Err(PositionIndexError::Damaged { .. })
    ));
}

/// Positions with many rows, and rows at the ends of pages and row groups, are found.
#[test]
fn positions_are_found_in_large_indexes() {
    let rows = GROUP as u64 + 70_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.parquet");
    let step = u64::MAX / rows * 3;
    // Each position has three rows, and one in the middle has thousands.
    let moves: Vec<NextMove> = (0..NextMove::CODES)
        .filter_map(NextMove::of_code)
        .take(9_000)
        .collect();
    let many = rows / 6;
    let results = Results {
        white_wins: 1,
        draws: 2,
        black_wins: 0,
    };
    let of = |number: u64| {
        let own = if number == many {
            &moves[..]
        } else {
            &moves[..3]
        };
        let key = number * step + number % 7;
        own.iter().map(move |mv| Row {
            key,
            mv: *mv,
            band: RatingBand::of_code(number as u8 % 20).unwrap(),
            results,
        })
    };
    let batches = (0..rows / 3).step_by(20_000).map(|first| {
        Ok((first..(first + 20_000).min(rows / 3))
            .flat_map(of)
            .collect())
    });
    let header = IndexHeader {
        version: VERSION,
        games: PositionGames::default(),
        shard: Shard::ALL,
    };
    let describe = || (header, Provenance::default());
    let file = fs::File::create(&path).unwrap();
    let (file, _) = write_index(file, &path, batches, 2, &Cancel::new(), describe).unwrap();
    drop(file);
    let step_of = (rows / 3 / 301).max(1);
    let asked: Vec<u64> = [0, 1, many, rows / 3 - 1]
        .into_iter()
        .chain((0..rows / 3).step_by(step_of as usize))
        .collect();
    for number in &asked {
        let expected: Vec<Row> = of(*number).collect();
        let found = PositionIndex::open(&path)
            .unwrap()
            .find(expected[0].key)
            .unwrap();
        assert!(found == expected, "{number}");
    }
}
