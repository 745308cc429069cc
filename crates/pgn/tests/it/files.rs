//! Real files, where they are there: every game is read, tells what another parser tells, and survives being written.

use std::{fs, io::Read, ops::ControlFlow, path::PathBuf};

use centipawn_pgn::{Annotation, Described, Dialect, Game, Reader, Source};
use pgn_reader::{RawTag, SanPlus, Skip, Visitor};
use shakmaty::Color;

/// Where the data lies, if it does.
fn data(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(path);
    path.exists().then_some(path)
}

fn bytes(path: &PathBuf) -> Vec<u8> {
    let mut bytes = Vec::new();
    Source::open(path).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// What pgn-reader sees in a game: tags, and the SAN of the main line.
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
        seen.tags.push((String::from_utf8_lossy(name).into_owned(), value.decode_utf8_lossy().into_owned()));
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
        tags: game.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        moves: game.mainline().map(|(before, ply)| ply.san(before.position()).san.to_string()).collect(),
    }
}

/// Reads a file with both parsers, writes its games and reads them again; gives the games.
fn check(path: &str, games: usize) -> Vec<Game> {
    let Some(path) = data(path) else { return Vec::new() };
    let text = bytes(&path);
    let read: Vec<Game> = Reader::new(text.as_slice()).map(|game| game.unwrap().unwrap()).collect();
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
    // It takes an end-of-file mark of DOS for a game.
    assert_eq!(oracle.read_game(&mut Oracle).unwrap().unwrap_or_default(), Seen::default());

    let written: String = read.iter().map(|game| format!("{game}\n")).collect();
    let again: Vec<Game> = Reader::new(written.as_bytes()).map(|game| game.unwrap().unwrap()).collect();
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
        game.plies.iter().enumerate().map(move |(index, ply)| (ply, if index % 2 == 0 { first } else { first.other() }))
    });
    plies.map(|(ply, mover): (_, Color)| ply.annotation(dialect, mover)).filter(|said| said.eval.is_some()).collect()
}

/// The dialect is recognised from the first games, and all evaluations that `marks` stand for are read.
fn check_evals(path: &str, games: usize, dialect: Dialect, marks: &[&str]) {
    let read = check(path, games);
    let Some(path) = data(path) else { return };
    assert_eq!(Dialect::detect(read.iter().take(20)), dialect);
    let text = String::from_utf8_lossy(&bytes(&path)).into_owned();
    let expected: usize = marks.iter().map(|mark| text.matches(mark).count()).sum();
    let said = evals(&read, dialect);
    assert_eq!(said.len(), expected);
    let described = if dialect == Dialect::Commands { Described::After } else { Described::Before };
    assert!(said.iter().all(|said| said.described == described));
}

#[test]
fn human_games() {
    check("pgn/human/masters_sample1000.pgn", 1000);
    check("pgn/human/Anderssen.pgn", count("pgn/human/Anderssen.pgn"));
    check("pgn/human/broadcast_lezcano2025_504.pgn", 504);
}

#[test]
fn engine_games() {
    check("pgn/engine/OpenRating.pgn", count("pgn/engine/OpenRating.pgn"));
    check("wdl/selfplay/sf_dfrc.pgn", count("wdl/selfplay/sf_dfrc.pgn"));
}

/// Games as their first tags count them.
fn count(path: &str) -> usize {
    data(path).map_or(0, |path| {
        let text = bytes(&path);
        text.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"[Event ")).count()
    })
}

#[test]
fn lichess() {
    let path = "pgn/lichess/lichess_2021-10_eval96.pgn";
    check_evals(path, 96, Dialect::Commands, &["[%eval "]);
    check("pgn/lichess/lichess_2021-10_first999.pgn", count("pgn/lichess/lichess_2021-10_first999.pgn"));
}

#[test]
fn tcec() {
    for season in [9, 10, 12, 13] {
        let path = format!("pgn/tcec/TCEC_Season_{season}_-_Superfinal.pgn");
        check_evals(&path, 100, Dialect::Tcec, &["wv="]);
    }
}

#[test]
fn fishtest() {
    let path = "wdl/fishtest_real/65a3aca179aa8af82b96f4b9-0.pgn.gz";
    check_evals(path, 12, Dialect::Engine, &["{+", "{-", "{0.00/"]);
}

#[test]
fn a_compressed_collection() {
    let Some(path) = data("pgn/human/masters_pgnmentor.pgn.zst") else { return };
    let games = Reader::new(Source::open(path).unwrap()).take(5000);
    assert_eq!(games.filter(|game| game.as_ref().unwrap().is_ok()).count(), 5000);
}

/// Latin-1, CRLF, glyphs, variations, several results: a file of the project's own with some of everything.
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
    assert_eq!(written, fs::read_to_string(&expected).unwrap_or_default(), "differs from {}", expected.display());
}
