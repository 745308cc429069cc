//! Adds games to the store and lists them.

use std::collections::{BTreeMap, HashSet};

use centipawn_pgn::Game;
use centipawn_progress::Cancel;
use centipawn_review::rooms::OwnNotes;
use centipawn_site::{GameSummary, MovesDocument};
use centipawn_work::library::{GameFilter, GameLine, UploadError};

use crate::{
    body::Upload,
    documents::{GameRow, GamesDocument, GamesRequest, OwnNoteRequest, StoredGameDocument},
    error::ApiError,
    jobs,
    server::Server,
};

/// Reads games from text or compressed bytes. Each game is stored as soon as it is read, so that
/// only one is in memory. `name` names the input in problems. The answer contains the first of the
/// games. `cancel` stops the download of an account's games.
pub(crate) fn add(
    server: &Server,
    name: &str,
    upload: &Upload,
    cancel: &Cancel,
) -> Result<GamesDocument, ApiError> {
    let limits = server.options.limits.uploads(server.options.limits.games);
    let (mut added, mut seen) = (Vec::new(), HashSet::new());
    let (mut total, mut known) = (0, 0);
    let keep = |id, is_new: bool| {
        total += 1;
        known += usize::from(!is_new);
        if seen.insert(id) {
            added.push(id);
        }
    };
    let problems = server
        .library
        .add_games(name, upload.bytes.clone(), limits, cancel, keep)
        .map_err(|error| {
            refused(
                error,
                "Give games as PGN, plain or compressed by gzip, zstd or bzip2.",
            )
        })?;
    let all = server.library.select_games(&GameFilter::default())?.all;
    let reviewed: BTreeMap<i64, i64> = server.library.reviews()?.into_iter().collect();
    let is_unreviewed = |(id, line): &(i64, GameLine)| line.plies > 0 && !reviewed.contains_key(id);
    let unreviewed = server
        .library
        .game_lines(&added)?
        .iter()
        .filter(|line| is_unreviewed(line))
        .count();
    added.truncate(GamesRequest::LISTED);
    let games = rows(server, &added, &reviewed)?;
    Ok(GamesDocument {
        games,
        total,
        known,
        unreviewed,
        all,
        problems,
    })
}

/// Returns the error for an input that cannot be read, with a hint.
pub(crate) fn refused(error: UploadError, hint: &str) -> ApiError {
    match error {
        UploadError::Library(error) => error.into(),
        error @ UploadError::Account(_) => ApiError::bad(
            error,
            "You can also download the games from the site and add the file.",
        ),
        error => ApiError::bad(error, hint),
    }
}

/// Returns the games that match a request.
pub(crate) fn select(server: &Server, request: &GamesRequest) -> Result<GamesDocument, ApiError> {
    request.filter.check().map_err(ApiError::refused)?;
    let selected = server.library.select_games(&request.filter)?;
    let wanted = request.page(&selected.games);
    let reviewed: BTreeMap<i64, i64> = server.library.reviews()?.into_iter().collect();
    let (total, unreviewed, all) = (selected.games.len(), selected.unreviewed, selected.all);
    let games = rows(server, &wanted, &reviewed)?;
    Ok(GamesDocument {
        games,
        total,
        known: 0,
        unreviewed,
        all,
        problems: Vec::new(),
    })
}

/// Returns a game with its moves.
pub(crate) fn moves(server: &Server, id: i64) -> Result<StoredGameDocument, ApiError> {
    let game = server
        .library
        .game(id)?
        .ok_or_else(|| ApiError::missing("game", id))?;
    let own = server.library.own_notes(&game)?;
    annotated(server, id, game, own)
}

/// Sets the user's own symbols and comment on a move, and returns the game with them.
pub(crate) fn set_own_note(
    server: &Server,
    id: i64,
    OwnNoteRequest { ply, note }: OwnNoteRequest,
) -> Result<StoredGameDocument, ApiError> {
    let game = server
        .library
        .game(id)?
        .ok_or_else(|| ApiError::missing("game", id))?;
    // Two requests at once must not lose the note of one of them.
    let _guard = server
        .noting
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut own = server.library.own_notes(&game)?;
    own.set(&game, ply, note).map_err(ApiError::refused)?;
    server.library.keep_own_notes(&game, &own)?;
    annotated(server, id, game, own)
}

fn annotated(
    server: &Server,
    id: i64,
    mut game: Game,
    own: OwnNotes,
) -> Result<StoredGameDocument, ApiError> {
    let job = server.library.review_jobs(&[id])?.remove(&id);
    let job = job.map(|job| jobs::document(server, &job)).transpose()?;
    let summary = GameSummary::new(id, &game);
    own.apply(&mut game);
    Ok(StoredGameDocument {
        moves: MovesDocument::new(summary, &game, job.is_some()),
        job,
        own,
    })
}

/// Returns the rows of these games, in this order. `finished` maps games to their newest finished
/// review. It can be older than the newest job of the game.
fn rows(
    server: &Server,
    games: &[i64],
    finished: &BTreeMap<i64, i64>,
) -> Result<Vec<GameRow>, ApiError> {
    let mut jobs = server.library.review_jobs(games)?;
    let lines = server.library.game_lines(games)?;
    let reviews: Vec<i64> = games
        .iter()
        .filter_map(|id| finished.get(id).copied())
        .collect();
    let mut judged = server.library.review_lines(&reviews)?;
    let row = |(id, line)| {
        let job = jobs
            .remove(&id)
            .map(|job| jobs::document(server, &job))
            .transpose()?;
        let review = finished.get(&id).and_then(|job| judged.remove(job));
        Ok(GameRow {
            id,
            line,
            job,
            review,
        })
    };
    lines.into_iter().map(row).collect()
}
