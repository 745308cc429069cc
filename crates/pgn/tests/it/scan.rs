//! Real files through the scan: the fast board against shakmaty, the counts against pgn-reader.

use std::{
    env,
    fs::{self, File},
    io::{self, Read},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use centipawn_pgn::{
    GameView, Reader, ScanOptions, ScanReport, Source, Sources, Stats, check, clean, scan,
};
use centipawn_progress::Cancel;
use centipawn_test_support::data;
use pgn_reader::{RawTag, SanPlus, Skip, Visitor};
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position, Role, fen::Fen};

/// Games of the repository, and larger collections if they are there.
fn collections() -> Vec<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    [
        Some(data::test_data("games")),
        Some(examples),
        data::shared("data"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Bytes of a file's text that are looked at; all of them with `CENTIPAWN_ALL_DATA=1`.
fn sample() -> u64 {
    if env::var_os("CENTIPAWN_ALL_DATA").is_some() {
        u64::MAX
    } else {
        3 << 20
    }
}

/// Calls `visit` for each file with games, as plain text. Large files are cut after a whole game.
fn texts(mut visit: impl FnMut(&Path, &Path)) {
    let folder = tempfile::tempdir().unwrap();
    for source in Sources::expand(&collections()).unwrap().paths() {
        let mut text = Vec::new();
        Source::open(source)
            .unwrap()
            .take(sample())
            .read_to_end(&mut text)
            .unwrap();
        if text.len() as u64 == sample() {
            let end = text
                .windows(8)
                .rposition(|bytes| bytes == b"\n[Event ")
                .unwrap();
            text.truncate(end + 1);
        }
        let plain = folder.path().join("plain.pgn");
        fs::write(&plain, &text).unwrap();
        visit(source, &plain);
    }
}

/// A game's material, ply by ply, and the position at its end.
#[derive(Debug, PartialEq)]
struct Course {
    material: Vec<[u8; 10]>,
    end: String,
}

fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

fn scanned(path: &Path) -> (Vec<Course>, ScanReport) {
    let sources = Sources::expand(&[path]).unwrap();
    let note = |courses: &mut Vec<Course>, game: &GameView<'_>| {
        let first = game.start().material().counts();
        let material = [first]
            .into_iter()
            .chain(game.plies().map(|ply| ply.material().counts()))
            .collect();
        courses.push(Course {
            material,
            end: fen(&game.end().position()),
        });
    };
    scan(
        &sources,
        &ScanOptions {
            block: 300_000,
            ..ScanOptions::default()
        },
        Vec::new,
        note,
    )
    .unwrap()
}

fn material(position: &Chess) -> [u8; 10] {
    const ROLES: [Role; 5] = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
    ];
    let count = |color, role: Role| position.board().by_piece(role.of(color)).count() as u8;
    std::array::from_fn(|index| {
        count(
            if index < 5 {
                Color::White
            } else {
                Color::Black
            },
            ROLES[index % 5],
        )
    })
}

#[test]
fn every_game_runs_as_with_shakmaty() {
    texts(|source, plain| {
        let (courses, report) = scanned(plain);
        let (mut index, mut bad) = (0, 0);
        for game in Reader::new(File::open(plain).unwrap()) {
            let Ok(game) = game.unwrap() else {
                bad += 1;
                continue;
            };
            let mut position = game.start.position().clone();
            let mut counts = vec![material(&position)];
            for ply in &game.plies {
                position.play_unchecked(ply.mv);
                counts.push(material(&position));
            }
            assert_eq!(
                courses[index],
                Course {
                    material: counts,
                    end: fen(&position)
                },
                "{}",
                source.display()
            );
            index += 1;
        }
        assert_eq!(
            (courses.len(), report.bad_games()),
            (index, bad),
            "{}",
            source.display()
        );
    });
}

/// The content of a game as pgn-reader reads it and shakmaty plays it.
#[derive(Default)]
struct Counts {
    games: u64,
    bad: u64,
    plies: u64,
}

struct Line {
    position: Option<Chess>,
    plies: u64,
    tags: bool,
}

impl Visitor for Counts {
    type Tags = Line;
    type Movetext = Line;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Line> {
        ControlFlow::Continue(Line {
            position: Some(Chess::default()),
            plies: 0,
            tags: false,
        })
    }

    fn tag(&mut self, line: &mut Line, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        line.tags = true;
        if name == b"FEN" {
            let fen = Fen::from_ascii(value.as_bytes()).ok();
            line.position = fen.and_then(|fen| fen.into_position(CastlingMode::Chess960).ok());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, line: Line) -> ControlFlow<(), Line> {
        ControlFlow::Continue(line)
    }

    fn san(&mut self, line: &mut Line, san: SanPlus) -> ControlFlow<()> {
        line.plies += 1;
        line.position = line.position.take().and_then(|position| {
            let mv = san.san.to_move(&position).ok()?;
            position.play(mv).ok()
        });
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Line) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, line: Line) {
        // pgn-reader takes DOS's end-of-file mark for a game.
        if !line.tags && line.plies == 0 {
            return;
        }
        match line.position {
            Some(_) => {
                self.games += 1;
                self.plies += line.plies;
            }
            None => self.bad += 1,
        }
    }
}

#[test]
fn as_many_games_as_pgn_reader_sees() {
    texts(|source, plain| {
        // Skip files that pgn-reader reads differently: it reads no moves written as coordinates
        // ("d2d3"), and it treats malformed files in another way.
        if source.ends_with("examples/selfplay.pgn.gz")
            || source.components().any(|part| part.as_os_str() == "odd")
        {
            return;
        }
        let mut theirs = Counts::default();
        let mut reader = pgn_reader::Reader::build(File::open(plain).unwrap())
            .set_supported_comment_length(1 << 16)
            .set_supported_tag_line_length(1 << 12)
            .finish();
        while reader.read_game(&mut theirs).unwrap().is_some() {}
        // pgn-reader continues tags over blank lines, so a game without moves is merged with the
        // next one. The fishtest-like file has four such games.
        let tags_alone = |count: &mut u64, game: &GameView<'_>| {
            *count += u64::from(game.text().trim_ascii().ends_with(b"]"));
        };
        let sources = Sources::expand(&[plain]).unwrap();
        let (joined, report) = scan(&sources, &ScanOptions::default(), || 0, tags_alone).unwrap();
        assert_eq!(
            (report.games - joined, report.bad_games(), report.plies),
            (theirs.games, theirs.bad, theirs.plies),
            "{}",
            source.display()
        );
    });
}

#[test]
fn all_of_a_folder_at_once() {
    let mut paths = vec![
        data::test_data("games"),
        data::test_data("golden/wdl/mockdup/a"),
    ];
    if let Some(data) = data::shared("data") {
        paths.extend(["pgn/tcec", "wdl/fishtest_real", "pgn/lichess"].map(|path| data.join(path)));
    }
    let sources = Sources::expand(&paths).unwrap();
    let (stats, report) = Stats::of(&sources, &ScanOptions::default()).unwrap();
    assert_eq!(report.sources as usize, sources.paths().len());
    assert_eq!(stats.dialects.values().sum::<u64>(), report.games);
    assert!(
        ["engine", "tcec", "commands"]
            .iter()
            .all(|name| stats.dialects.contains_key(*name)),
        "{:?}",
        stats.dialects
    );
    let results = stats.results;
    assert_eq!(
        results.white + results.draw + results.black + results.unknown,
        report.games
    );
    let alone = ScanOptions {
        threads: std::num::NonZeroUsize::new(1),
        block: 100_000,
        ..ScanOptions::default()
    };
    assert_eq!(Stats::of(&sources, &alone).unwrap().0, stats);
}

#[test]
fn a_clean_copy_lists_as_many_problems_as_a_scan() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("games.pgn");
    std::fs::write(
        &path,
        "1. e5 *\n\n".repeat(ScanOptions::ERRORS_LISTED + 500),
    )?;
    let sources = Sources::expand(&[&path]).unwrap();
    let mut listed = 0;
    let report = clean(&sources, &mut io::sink(), &Cancel::new(), |_| listed += 1)?;
    assert_eq!(
        (listed, report.bad_games()),
        (
            ScanOptions::ERRORS_LISTED,
            ScanOptions::ERRORS_LISTED as u64 + 500
        )
    );
    Ok(())
}

#[test]
fn a_clean_copy_is_clean() -> io::Result<()> {
    a_clean_copy_of(&data::test_data("games/lichess-2021-10-evals.pgn.zst"))?;
    let Some(path) = data::shared("data/pgn/human/Anderssen.pgn") else {
        return Ok(());
    };
    a_clean_copy_of(&path)
}

fn a_clean_copy_of(path: &Path) -> io::Result<()> {
    let sources = Sources::expand(&[path]).unwrap();
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("copy.pgn");
    let report = clean(
        &sources,
        &mut File::create(&copy)?,
        &Cancel::new(),
        |problem| panic!("{problem}"),
    )?;
    let again = check(&Sources::expand(&[&copy]).unwrap(), &ScanOptions::default()).unwrap();
    assert_eq!(
        (again.games, again.plies, again.bad_games()),
        (report.games, report.plies, 0)
    );
    Ok(())
}
