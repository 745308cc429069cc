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
use centipawn_pgn::{Game, Reader, Source};
use centipawn_progress::{Problem, Severity};
use centipawn_site::{GameSummary, MovesDocument};
use centipawn_work::library::{KeptJob, read_kept_game};

use crate::{
    body::Upload,
    documents::{GameRow, GamesDocument, StoredGameDocument},
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
pub(crate) fn moves(server: &Server, id: i64) -> Result<StoredGameDocument, ApiError> {
    let game = server.library.game(id)?.ok_or_else(|| ApiError::missing("game", id))?;
    let jobs = server.library.jobs(JOBS)?;
    let GameRow { summary, job } = row(server, id, &game, &jobs)?;
    Ok(StoredGameDocument { moves: MovesDocument::new(summary, &game, job.is_some()), job })
}

fn row(server: &Server, id: i64, game: &Game, jobs: &[KeptJob]) -> Result<GameRow, ApiError> {
    let job = jobs
        .iter()
        .find(|job| job.game == id && job.review().is_some())
        .map(|job| jobs::document(server, job))
        .transpose()?;
    Ok(GameRow { summary: GameSummary::new(id, game), job })
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
