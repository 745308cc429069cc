//! Games into the store and out of it.

use centipawn_pgn::Game;
use centipawn_site::{GameSummary, MovesDocument};
use centipawn_work::library::{KeptJob, UploadError, read_kept_game};

use crate::{
    body::Upload,
    documents::{GameRow, GamesDocument, StoredGameDocument},
    error::ApiError,
    jobs,
    server::Server,
};

/// Games of a list.
const LISTED: i64 = 100;
/// Jobs looked through for the newest of each game.
const JOBS: i64 = 1000;

/// Reads games from text or compressed bytes, and keeps each as soon as it is read, so that one is in memory at a time. `name` names the
/// input in problems.
pub(crate) fn add(server: &Server, name: &str, upload: &Upload) -> Result<GamesDocument, ApiError> {
    let limits = server.options.limits.uploads(server.options.limits.games);
    let mut added = Vec::new();
    let keep = |id, game: &Game| added.push(GameSummary::new(id, game));
    let problems = server
        .library
        .add_games(name, upload.bytes.clone(), limits, keep)
        .map_err(|error| refused(error, "Give games as PGN, plain or compressed by gzip, zstd or bzip2."))?;
    let jobs = server.library.jobs(JOBS)?;
    let rows = added.into_iter().map(|summary| row(server, summary, &jobs));
    Ok(GamesDocument { games: rows.collect::<Result<_, _>>()?, problems })
}

/// An input that cannot be read, with what to do.
pub(crate) fn refused(error: UploadError, hint: &str) -> ApiError {
    match error {
        UploadError::Library(error) => error.into(),
        error => ApiError::bad(error, hint),
    }
}

/// The newest games that contain a text.
pub(crate) fn list(server: &Server, search: &str) -> Result<GamesDocument, ApiError> {
    let jobs = server.library.jobs(JOBS)?;
    let mut games = Vec::new();
    for (id, text) in server.store.find_games(search, LISTED)? {
        // Other versions may have kept what this one cannot read.
        if let Ok(game) = read_kept_game(&text) {
            games.push(row(server, GameSummary::new(id, &game), &jobs)?);
        }
    }
    Ok(GamesDocument { games, problems: Vec::new() })
}

/// A game with its moves.
pub(crate) fn moves(server: &Server, id: i64) -> Result<StoredGameDocument, ApiError> {
    let game = server.library.game(id)?.ok_or_else(|| ApiError::missing("game", id))?;
    let jobs = server.library.jobs(JOBS)?;
    let GameRow { summary, job } = row(server, GameSummary::new(id, &game), &jobs)?;
    Ok(StoredGameDocument { moves: MovesDocument::new(summary, &game, job.is_some()), job })
}

fn row(server: &Server, summary: GameSummary, jobs: &[KeptJob]) -> Result<GameRow, ApiError> {
    let job = jobs
        .iter()
        .find(|job| job.game == summary.id && job.review().is_some())
        .map(|job| jobs::document(server, job))
        .transpose()?;
    Ok(GameRow { summary, job })
}
