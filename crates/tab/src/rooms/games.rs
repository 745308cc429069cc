//! Adds games and lists them.

use std::collections::BTreeSet;

use centipawn_pgn::{Game, Reader, Source};
use centipawn_progress::{Problem, Severity};
use centipawn_review::rooms::{
    GameRow, GameSummary, GamesDocument, GamesRequest, MovesDocument, OwnNoteRequest,
    StoredGameDocument, read_positions,
};

use super::jobs;
use crate::{Reply, Tab, reply::Refused, router::Answer};

/// Maximum number of games in an upload.
const UPLOADED: usize = 100_000;
/// Maximum number of problems that are reported of an upload.
const NAMED: usize = 100;

/// Reads games from text or bytes compressed by gzip or bzip2. `name` names the input in problems.
/// The answer contains the first of the games.
pub(crate) fn add(tab: &mut Tab, name: Option<&str>, bytes: &[u8]) -> Answer {
    let name: String = name
        .unwrap_or("pasted text")
        .chars()
        .filter(|c| !c.is_control())
        .take(100)
        .collect();
    let (mut added, mut seen) = (Vec::new(), BTreeSet::new());
    let (mut total, mut known) = (0, 0);
    let keep = &mut |game: Game| {
        let (id, is_new) = tab.shelf.keep_game(&game.to_string());
        total += 1;
        known += usize::from(!is_new);
        if seen.insert(id) {
            added.push(id);
        }
    };
    let mut problems = read(&name, bytes, keep)?;
    let others = problems.len().saturating_sub(NAMED);
    problems.truncate(NAMED);
    if others > 0 {
        let text = format!("{others} more problems are not listed");
        problems.push(Problem::error(text).of(&name));
    }
    let reviews = tab.shelf.reviews();
    let is_unreviewed = |id: &&i64| {
        let line = tab.shelf.lines().get(**id);
        line.is_some_and(|line| line.plies > 0) && !reviews.contains_key(id)
    };
    let unreviewed = added.iter().filter(is_unreviewed).count();
    added.truncate(GamesRequest::LISTED);
    Ok(Reply::document(&GamesDocument {
        games: rows(tab, &added),
        total,
        known,
        unreviewed,
        all: tab.shelf.games().count(),
        problems,
    }))
}

/// Calls `keep` with each game. Returns what could not be read.
fn read(name: &str, bytes: &[u8], keep: &mut dyn FnMut(Game)) -> Result<Vec<Problem>, Refused> {
    let mut problems = Vec::new();
    if let Some(positions) = read_positions(bytes) {
        for (line, position) in positions {
            match position {
                Ok(game) => keep(game),
                Err(error) => problems.push(Problem::error(error).of(name).at_line(line)),
            }
        }
        return Ok(problems);
    }
    let hint = "Give games as PGN, plain or compressed by gzip or bzip2.";
    let source = Source::of(name, std::io::Cursor::new(bytes.to_vec()))
        .map_err(|error| Refused::bad(error, hint))?;
    let mut games = 0;
    for read in Reader::new(source).named(name) {
        match read {
            Err(error) if games == 0 && problems.is_empty() => {
                return Err(Refused::bad(error, hint));
            }
            Err(error) => problems.push(Problem::error(error)),
            Ok(Err(error)) => problems.push(error.problem(Severity::Error, name)),
            Ok(Ok(_)) if games == UPLOADED => {
                let text = format!("only the first {UPLOADED} games were read");
                problems.push(Problem::error(text).of(name));
                break;
            }
            Ok(Ok(game)) => {
                let warnings = game.warnings.iter();
                problems.extend(warnings.map(|warning| warning.problem(Severity::Warning, name)));
                games += 1;
                keep(game);
            }
        }
    }
    if games == 0 && problems.is_empty() {
        problems.push(Problem::error("there are no games in it; paste PGN or a FEN").of(name));
    }
    Ok(problems)
}

/// Returns the games that match a request.
pub(crate) fn select(tab: &mut Tab, request: &GamesRequest) -> Answer {
    request.filter.check()?;
    let reviews = tab.shelf.reviews();
    let selected = tab.shelf.lines().select(&request.filter, &reviews);
    let wanted = request.page(&selected.games);
    Ok(Reply::document(&GamesDocument {
        games: rows(tab, &wanted),
        total: selected.games.len(),
        known: 0,
        unreviewed: selected.unreviewed,
        all: selected.all,
        problems: Vec::new(),
    }))
}

/// Returns a game with its moves.
pub(crate) fn moves(tab: &Tab, id: i64) -> Answer {
    let mut game = tab
        .shelf
        .game(id)
        .ok_or_else(|| Refused::missing("game", id))?;
    let own = tab.shelf.notes(id);
    let job = tab.shelf.newest_job(id);
    let job = job.and_then(|job| jobs::document(tab, job));
    let summary = GameSummary::new(id, &game);
    own.apply(&mut game);
    Ok(Reply::document(&StoredGameDocument {
        moves: MovesDocument::new(summary, &game, job.is_some()),
        job,
        own,
    }))
}

/// Sets the user's own symbols and comment on a move, and returns the game with them.
pub(crate) fn set_own_note(tab: &mut Tab, id: i64, request: OwnNoteRequest) -> Answer {
    let OwnNoteRequest { ply, note } = request;
    let game = tab.shelf.game(id);
    let game = game.ok_or_else(|| Refused::missing("game", id))?;
    let mut own = tab.shelf.notes(id);
    own.set(&game, ply, note)?;
    tab.shelf.set_notes(id, own);
    moves(tab, id)
}

fn rows(tab: &mut Tab, games: &[i64]) -> Vec<GameRow> {
    let reviews = tab.shelf.reviews();
    let mut rows = Vec::new();
    for id in games {
        let Some(line) = tab.shelf.lines().get(*id).cloned() else {
            continue;
        };
        let job = tab.shelf.newest_job(*id);
        let review = reviews.get(id).and_then(|job| tab.shelf.judged(*job));
        let review = review.map(|judged| judged.line.clone());
        rows.push(GameRow {
            id: *id,
            line,
            job: job.and_then(|job| jobs::document(tab, job)),
            review,
        });
    }
    rows
}
