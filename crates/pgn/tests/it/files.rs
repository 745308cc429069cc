//! Real files: every game is read as another parser reads it, and is the same after it is written
//! and read again.

use std::{
    fs,
    io::Read,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use centipawn_pgn::{Annotation, Described, Dialect, Game, Reader, Source};
use centipawn_test_support::data::{shared, test_data};
use pgn_reader::{RawTag, SanPlus, Skip, Visitor};
use shakmaty::Color;

/// Returns a large file beside the repository.
fn data(path: &str) -> Option<PathBuf> {
    shared(&format!("data/{path}"))
}

fn bytes(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    Source::open(path).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// The content of a game as pgn-reader reads it: tags, and the SAN of the main line.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    tags: Vec<(String, String)>,
    moves: Vec<String>,
}

struct Oracle;

impl Visitor for Oracle {
    type Tags = Seen;
    type Movetext = Seen;
    type Output = Seen;

    fn begin_tags(&mut self) -> ControlFlow<Seen, Seen> {
        ControlFlow::Continue(Seen::default())
    }

    fn tag(&mut self, seen: &mut Seen, name: &[u8], value: RawTag<'_>) -> ControlFlow<Seen> {
        seen.tags.push((
            String::from_utf8_lossy(name).into_owned(),
            value.decode_utf8_lossy().into_owned(),
        ));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, seen: Seen) -> ControlFlow<Seen, Seen> {
        ControlFlow::Continue(seen)
    }

    fn san(&mut self, seen: &mut Seen, san: SanPlus) -> ControlFlow<Seen> {
        seen.moves.push(san.san.to_string());
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Seen) -> ControlFlow<Seen, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, seen: Seen) -> Seen {
        seen
    }
}

fn seen(game: &Game) -> Seen {
    Seen {
        tags: game
            .headers
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        moves: game
            .mainline()
            .map(|(before, ply)| ply.san(before.position()).san.to_string())
            .collect(),
    }
}

/// Reads a file with both parsers, writes its games and reads them again; gives the games.
fn check(path: &Path, games: usize) -> Vec<Game> {
    let text = bytes(path);
    let read: Vec<Game> = Reader::new(text.as_slice())
        .map(|game| game.unwrap().unwrap())
        .collect();
    assert_eq!(read.len(), games, "{}", path.display());

    let mut oracle = pgn_reader::Reader::build(text.as_slice())
        .set_supported_comment_length(1 << 16)
        .set_supported_tag_line_length(1 << 12)
        .finish();
    for game in &read {
        let (ours, theirs) = (seen(game), oracle.read_game(&mut Oracle).unwrap().unwrap());
        assert_eq!(ours.tags, theirs.tags, "{:?}", game.place);
        assert_eq!(ours.moves, theirs.moves, "{:?}", game.place);
    }
    // pgn-reader takes DOS's end-of-file mark for a game.
    assert_eq!(
        oracle.read_game(&mut Oracle).unwrap().unwrap_or_default(),
        Seen::default()
    );

    let written: String = read.iter().map(|game| format!("{game}\n")).collect();
    let again: Vec<Game> = Reader::new(written.as_bytes())
        .map(|game| game.unwrap().unwrap())
        .collect();
    assert_eq!(again.len(), games);
    for (game, again) in read.iter().zip(&again) {
        assert_eq!(game.comments, again.comments, "{:?}", game.place);
        assert_eq!(game.plies, again.plies, "{:?}", game.place);
        assert_eq!(game.result, again.result, "{:?}", game.place);
        assert_eq!(game.to_string(), again.to_string(), "{:?}", game.place);
        assert!(game.warnings.is_empty(), "{:?}", game.warnings);
    }
    read
}

fn evals(games: &[Game], dialect: Dialect) -> Vec<Annotation> {
    let plies = games.iter().flat_map(|game| {
        let first = game.start.turn();
        game.plies
            .iter()
            .enumerate()
            .map(move |(index, ply)| (ply, if index % 2 == 0 { first } else { first.other() }))
    });
    plies
        .map(|(ply, mover): (_, Color)| ply.annotation(dialect, mover))
        .filter(|said| said.eval.is_some())
        .collect()
}

/// Checks that the dialect is detected from the first games, and that all evaluations matching
/// `marks` are read.
fn check_evals(path: &Path, games: usize, dialect: Dialect, marks: &[&str]) {
    let read = check(path, games);
    assert_eq!(Dialect::detect(read.iter().take(20)), dialect);
    let text = String::from_utf8_lossy(&bytes(path)).into_owned();
    let expected: usize = marks.iter().map(|mark| text.matches(mark).count()).sum();
    let said = evals(&read, dialect);
    assert_eq!(said.len(), expected);
    let described = if dialect == Dialect::Commands {
        Described::After
    } else {
        Described::Before
    };
    assert!(said.iter().all(|said| said.described == described));
}

#[test]
fn human_games() {
    for (path, games) in [
        ("pgn/human/masters_sample1000.pgn", Some(1000)),
        ("pgn/human/Anderssen.pgn", None),
        ("pgn/human/broadcast_lezcano2025_504.pgn", Some(504)),
    ] {
        let Some(path) = data(path) else { return };
        check(&path, games.unwrap_or_else(|| count(&path)));
    }
}

#[test]
fn engine_games() {
    for path in ["pgn/engine/OpenRating.pgn", "wdl/selfplay/sf_dfrc.pgn"] {
        let Some(path) = data(path) else { return };
        check(&path, count(&path));
    }
}

/// Returns the number of games, by the tag that begins each.
fn count(path: &Path) -> usize {
    let text = bytes(path);
    text.split(|&byte| byte == b'\n')
        .filter(|line| line.starts_with(b"[Event "))
        .count()
}

#[test]
fn lichess() {
    check_evals(
        &test_data("games/lichess-2021-10-evals.pgn.zst"),
        96,
        Dialect::Commands,
        &["[%eval "],
    );
}

#[test]
fn many_games_of_lichess() {
    let Some(path) = data("pgn/lichess/lichess_2021-10_first999.pgn") else {
        return;
    };
    check(&path, count(&path));
}

#[test]
fn tcec() {
    check_evals(&test_data("games/tcec.pgn"), 4, Dialect::Tcec, &["wv="]);
}

#[test]
fn superfinals_of_tcec() {
    for season in [9, 10, 12, 13] {
        let Some(path) = data(&format!("pgn/tcec/TCEC_Season_{season}_-_Superfinal.pgn")) else {
            return;
        };
        check_evals(&path, 100, Dialect::Tcec, &["wv="]);
    }
}

#[test]
fn fishtest() {
    let Some(path) = data("wdl/fishtest_real/65a3aca179aa8af82b96f4b9-0.pgn.gz") else {
        return;
    };
    check_evals(&path, 12, Dialect::Engine, &["{+", "{-", "{0.00/"]);
}

#[test]
fn a_compressed_collection() {
    let Some(path) = data("pgn/human/masters_pgnmentor.pgn.zst") else {
        return;
    };
    let games = Reader::new(Source::open(path).unwrap()).take(5000);
    assert_eq!(
        games.filter(|game| game.as_ref().unwrap().is_ok()).count(),
        5000
    );
}

/// A file that was made for this test has Latin-1, CRLF, glyphs, variations and several results.
#[test]
fn a_file_of_everything() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    let text = fs::read(folder.join("everything.pgn")).unwrap();
    let mut written = String::new();
    for game in Reader::new(text.as_slice()) {
        match game.unwrap() {
            Ok(game) => {
                written.push_str(&format!("% line {}\n{game}", game.place.line));
                for warning in &game.warnings {
                    written.push_str(&format!("% {warning}\n"));
                }
            }
            Err(error) => written.push_str(&format!("% {error}\n")),
        }
        written.push('\n');
    }
    let expected = folder.join("everything.expected.pgn");
    assert_eq!(
        written,
        fs::read_to_string(&expected).unwrap_or_default(),
        "differs from {}",
        expected.display()
    );
}
