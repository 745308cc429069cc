//! Games into the store and out of it.

use std::{
    io::{self, Cursor, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::body::Bytes;
use centipawn_core::History;
use centipawn_pgn::{Dialect, Game, Opening, Ply, Reader, Source};
use centipawn_progress::{Problem, Severity};
use centipawn_review::without_review;
use centipawn_work::library::{KeptJob, player_names, read_kept_game};
use shakmaty::CastlingMode;

use crate::{
    body::Upload,
    documents::{GameRow, GamesDocument, LineMove, MovesDocument, NoteDocument, NoteMove},
    error::ApiError,
    jobs,
    server::{Limits, Server},
};

/// Games of a list.
const LISTED: i64 = 100;
/// Jobs looked through for the newest of each game.
const JOBS: i64 = 1000;
/// Problems that one answer names.
pub(crate) const PROBLEMS: usize = 100;

/// Reads games from text or compressed bytes, and keeps each as soon as it is read, so that one is in memory at a time. `name` names the
/// input in problems.
pub(crate) fn add(server: &Server, name: &str, upload: &Upload) -> Result<GamesDocument, ApiError> {
    let jobs = server.library.jobs(JOBS)?;
    let mut rows = Vec::new();
    let problems = read_games(name, &upload.bytes, server.options.limits, &mut |game| {
        let id = server.store.keep_game(&game.to_string())?;
        rows.push(row(server, id, &game, &jobs)?);
        Ok(())
    })?;
    Ok(GamesDocument { games: rows, problems })
}

/// Problems of an input, of which the first are named.
struct Problems<'a> {
    name: &'a str,
    named: Vec<Problem>,
    others: usize,
}

impl Problems<'_> {
    fn add(&mut self, problem: Problem) {
        if self.named.len() < PROBLEMS { self.named.push(problem) } else { self.others += 1 }
    }

    fn finish(mut self) -> Vec<Problem> {
        if self.others > 0 {
            let text = format!("{} more problems are not listed", self.others);
            self.named.push(Problem::error(text).of(self.name));
        }
        self.named
    }
}

fn read_games(
    name: &str,
    bytes: &Bytes,
    limits: Limits,
    keep: &mut dyn FnMut(Game) -> Result<(), ApiError>,
) -> Result<Vec<Problem>, ApiError> {
    if let Some(games) = positions(bytes) {
        games.into_iter().try_for_each(keep)?;
        return Ok(Vec::new());
    }
    let bytes = bytes.clone();
    let unreadable = |error: &dyn std::fmt::Display| {
        ApiError::bad(format!("{name}: {error}"), "Give games as PGN, plain or compressed by gzip, zstd or bzip2.")
    };
    let source = Source::of(name, Cursor::new(bytes)).map_err(|error| unreadable(&error.error))?;
    let is_over = Arc::new(AtomicBool::new(false));
    let bounded = Bounded { source, left: limits.decompressed_bytes, is_over: Arc::clone(&is_over) };
    let (mut games, mut problems) = (0, Problems { name, named: Vec::new(), others: 0 });
    for read in Reader::new(bounded).named(name) {
        match read {
            Err(error) if games == 0 && problems.named.is_empty() && !is_over.load(Ordering::Relaxed) => {
                return Err(unreadable(&error));
            }
            Err(error) => problems.add(Problem::error(error)),
            Ok(Err(error)) => problems.add(error.problem(Severity::Error, name)),
            Ok(Ok(_)) if games == limits.games => {
                let text = format!("only the first {} games were taken; give the rest later", limits.games);
                problems.add(Problem::error(text).of(name));
                break;
            }
            Ok(Ok(game)) => {
                game.warnings.iter().for_each(|warning| problems.add(warning.problem(Severity::Warning, name)));
                games += 1;
                keep(game)?;
            }
        }
    }
    if games == 0 && problems.named.is_empty() {
        problems.add(Problem::error("there are no games in it; paste PGN or a FEN").of(name));
    }
    Ok(problems.finish())
}

/// Games without moves, if every line of a short text is a FEN.
fn positions(bytes: &[u8]) -> Option<Vec<Game>> {
    const LONGEST: usize = 64 << 10;
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= LONGEST)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let games: Option<Vec<Game>> =
        lines.map(|line| Some(Game::from_start(&History::from_fen(line, None).ok()?))).collect();
    games.filter(|games| !games.is_empty())
}

/// Ends with an error after a number of decompressed bytes, so that a small file cannot fill the memory.
pub(crate) struct Bounded {
    pub(crate) source: Source,
    pub(crate) left: u64,
    pub(crate) is_over: Arc<AtomicBool>,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            self.is_over.store(true, Ordering::Relaxed);
            return Err(io::Error::other("it is too large after decompression; what follows was not read"));
        }
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.source.read(&mut buffer[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}

/// The newest games that contain a text.
pub(crate) fn list(server: &Server, search: &str) -> Result<GamesDocument, ApiError> {
    let jobs = server.library.jobs(JOBS)?;
    let mut games = Vec::new();
    for (id, text) in server.store.find_games(search, LISTED)? {
        // Other versions may have kept what this one cannot read.
        if let Ok(game) = read_kept_game(&text) {
            games.push(row(server, id, &game, &jobs)?);
        }
    }
    Ok(GamesDocument { games, problems: Vec::new() })
}

/// A game with its moves.
pub(crate) fn moves(server: &Server, id: i64) -> Result<MovesDocument, ApiError> {
    let game = server.library.game(id)?.ok_or_else(|| ApiError::missing("game", id))?;
    let jobs = server.library.jobs(JOBS)?;
    let row = row(server, id, &game, &jobs)?;
    let is_reviewed = row.job.is_some();
    Ok(with_moves(row, &game, is_reviewed))
}

/// A game, all of it, after its row. `is_reviewed` says whether a review stands beside it.
pub(crate) fn with_moves(row: GameRow, game: &Game, is_reviewed: bool) -> MovesDocument {
    let line = || game.mainline();
    MovesDocument {
        row,
        headers: game.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        fen: game.start.fen(),
        chess960: game.start.mode() == CastlingMode::Chess960,
        san: line().map(|(before, ply)| ply.san(before.position()).to_string()).collect(),
        uci: line().map(|(before, ply)| before.uci(ply.mv).to_string()).collect(),
        // Beside a review the remarks of an earlier one would repeat it, or contradict it.
        notes: if is_reviewed { notes(&without_review(game)) } else { notes(game) },
    }
}

/// Variations of a game that are shown at most, their moves, and how deep they lie inside each other.
const VARIATIONS: usize = 500;
const MOVES: usize = 60;
const DEPTH: usize = 8;

/// What the annotator says, move by move.
fn notes(game: &Game) -> Vec<NoteDocument> {
    let mut left = VARIATIONS;
    let first =
        NoteDocument { ply: 0, symbol: String::new(), text: said(&mut game.comments.iter()), variations: Vec::new() };
    let others = game.mainline().enumerate().map(|(index, (before, ply))| NoteDocument {
        ply: index + 1,
        symbol: glyphs(ply),
        text: said(&mut ply.comments_before.iter().chain(&ply.comments)),
        variations: variations(&before, ply, DEPTH, &mut left),
    });
    // A symbol alone would only repeat what the review says, or contradict it.
    let is_said = |note: &NoteDocument| !(note.text.is_empty() && note.variations.is_empty());
    std::iter::once(first).chain(others).filter(is_said).collect()
}

/// Comments as one text.
fn said(comments: &mut dyn Iterator<Item = &String>) -> String {
    let plain = comments.map(|comment| without_commands(comment)).filter(|text| !text.is_empty());
    plain.collect::<Vec<_>>().join(" ")
}

fn glyphs(ply: &Ply) -> String {
    ply.nags.iter().map(|nag| nag.glyph().unwrap_or_default()).collect()
}

/// The variations of a move with those inside of them; `left` counts down how many more there may be.
fn variations(before: &History, ply: &Ply, depth: usize, left: &mut usize) -> Vec<Vec<NoteMove>> {
    let mut all = Vec::new();
    for plies in ply.variations.iter().filter(|_| depth > 0) {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let mut at = before.clone();
        let mut line = Vec::new();
        for ply in plies.iter().take(MOVES) {
            let san = format!("{}{}", ply.san(at.position()), glyphs(ply));
            line.push(NoteMove {
                step: LineMove { uci: at.uci(ply.mv).to_string(), san },
                text: said(&mut ply.comments_before.iter().chain(&ply.comments)),
                variations: variations(&at, ply, depth - 1, left),
            });
            at.push(ply.mv);
        }
        all.push(line);
    }
    all
}

/// A comment without its `[%eval 0.3]`, `[%clk 0:03:00]` and the like.
fn without_commands(comment: &str) -> String {
    let (mut text, mut rest) = (String::new(), comment);
    while let Some((before, command)) = rest.split_once("[%") {
        text += before;
        rest = command.split_once(']').map_or("", |(_, after)| after);
    }
    text += rest;
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn row(server: &Server, id: i64, game: &Game, jobs: &[KeptJob]) -> Result<GameRow, ApiError> {
    let job = jobs
        .iter()
        .find(|job| job.game == id && job.review().is_some())
        .map(|job| jobs::document(server, job))
        .transpose()?;
    Ok(GameRow { job, ..plain_row(id, game) })
}

/// A game's row without the work on it.
pub(crate) fn plain_row(id: i64, game: &Game) -> GameRow {
    let tag = |name| game.headers.get(name).filter(|text: &&str| !text.contains('?') && *text != "-");
    let mut occasion: Vec<&str> = ["Event", "Site", "Date"].into_iter().filter_map(tag).collect();
    occasion.retain(|text| !text.starts_with("http"));
    occasion.dedup();
    let dialect = Dialect::detect([game]);
    let has_eval = |(before, ply): &(History, &Ply)| ply.annotation(dialect, before.turn()).eval.is_some();
    let [white, black] = player_names(game);
    GameRow {
        id,
        white,
        black,
        result: game.result.to_string(),
        occasion: occasion.join(", "),
        opening: Opening::of(game).map(|opening| format!("{} {}", opening.eco, opening.name)),
        plies: game.plies.len(),
        evaluated: game.mainline().filter(has_eval).count(),
        job: None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read(text: &[u8], limits: Limits) -> (usize, Vec<String>) {
        let mut games = 0;
        let mut keep = |_| {
            games += 1;
            Ok(())
        };
        let problems = read_games("pasted", &Bytes::copy_from_slice(text), limits, &mut keep).unwrap();
        (games, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn what_cannot_be_read_has_a_line_and_a_reason() {
        let (games, problems) = read(b"1. e4 e5 *\n\n1. e5 *\n\n1. d4 (1. d6) *\n", Limits::default());
        assert_eq!(games, 2);
        assert!(problems[0].starts_with("pasted: game 2, line 3: 1. e5 is not a legal move"), "{problems:?}");
        assert!(problems[1].starts_with("pasted: game 3, line 5: 1. d6 is not a legal move"), "{problems:?}");
        assert_eq!(read(b"", Limits::default()).1, ["pasted: there are no games in it; paste PGN or a FEN"]);
    }

    #[test]
    fn what_the_annotator_says_is_shown() {
        let text =
            "{ A game. } 1. e4! { best [%clk 0:03:00] by test } e5 (1... c5 2. Nf3 { ! } (2. c3 d5 (2... Nf6 $5))) *";
        let game = read_kept_game(text).unwrap();
        let notes = notes(&game);
        let said: Vec<_> = notes.iter().map(|note| (note.ply, &*note.symbol, &*note.text)).collect();
        assert_eq!(said, [(0, "", "A game."), (1, "!", "best by test"), (2, "", "")]);
        let sans = |line: &[NoteMove]| line.iter().map(|mv| mv.step.san.clone()).collect::<Vec<_>>();
        let line = &notes[2].variations[0];
        assert_eq!(sans(line), ["c5", "Nf3"]);
        assert_eq!(line[1].text, "!");
        assert_eq!(sans(&line[1].variations[0]), ["c3", "d5"]);
        assert_eq!(sans(&line[1].variations[0][1].variations[0]), ["Nf6!?"]);
        assert_eq!(without_commands("[%eval 0.3] a [%x"), "a");
    }

    #[test]
    fn fens_are_positions() {
        let (games, problems) =
            read(b"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\n\n8/8/8/4k3/8/8/4P3/4K3 b - - 0 1\n", Limits::default());
        assert_eq!((games, problems.len()), (2, 0));
    }

    #[test]
    fn a_bomb_is_not_read_to_its_end() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&b"1. e4 e5 *\n\n".repeat(200_000)).unwrap();
        let bomb = gzip.finish().unwrap();
        let limits = Limits { decompressed_bytes: 1200, ..Limits::default() };
        let (games, problems) = read(&bomb, limits);
        assert!(games <= 100, "{games}");
        assert!(problems.last().unwrap().contains("too large after decompression"), "{problems:?}");
        let (games, problems) = read(&bomb, Limits { games: 7, ..Limits::default() });
        assert_eq!((games, problems.len()), (7, 1));
        assert!(problems[0].contains("only the first 7 games"), "{problems:?}");
    }
}
