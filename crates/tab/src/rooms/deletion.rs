//! Deletion of games, with everything that belongs to them.

use std::collections::BTreeSet;

use centipawn_review::rooms::{DeleteRequest, DeleteWish, DeletedDocument, GameFilter};

use crate::{
    Reply, Tab,
    reply::Refused,
    router::Answer,
    shelf::{JobState, Shelf},
};

/// Deletes games, or counts what would be deleted.
pub(crate) fn delete(tab: &mut Tab, request: &DeleteRequest) -> Answer {
    let (games, batch) = games_of(&tab.shelf, &request.wish()?)?;
    let [reviews, puzzles, attempts] = tab.shelf.count_of(&games);
    if request.confirmed {
        let running = tab.running.as_ref();
        let running = running.and_then(|running| tab.shelf.jobs.get(&running.id));
        if running.is_some_and(|job| games.contains(&job.game)) {
            return Err(Refused::bad(
                "one of these games is being worked on",
                "Cancel the work, or wait until it is done.",
            ));
        }
        tab.shelf.delete_games(&games);
        if let Some(batch) = batch {
            for job in tab.shelf.delete_batch(batch) {
                tab.dequeue(job);
            }
            tab.pace.remove(&batch);
        }
        let jobs = &tab.shelf.jobs;
        tab.waiting.retain(|id| jobs.contains_key(id));
        // No review will use what was searched for deleted ones.
        if jobs.values().all(|job| job.state != JobState::Open) {
            for commands in tab.shelf.forget_answers() {
                tab.answers.remove(&commands);
            }
        }
        tab.advance();
    }
    Ok(Reply::document(&DeletedDocument {
        games: games.len() as u64,
        reviews,
        puzzles,
        attempts,
        is_deleted: request.confirmed,
    }))
}

/// Returns the games that are deleted, and the batch that goes with them.
fn games_of(shelf: &Shelf, wish: &DeleteWish) -> Result<(BTreeSet<i64>, Option<i64>), Refused> {
    match wish {
        DeleteWish::Games(games) => {
            let unknown = games.iter().find(|game| shelf.game_text(**game).is_none());
            match unknown {
                Some(game) => Err(Refused::missing("game", game)),
                None => Ok((games.iter().copied().collect(), None)),
            }
        }
        DeleteWish::Batch(id) => {
            let batch = shelf.batches.get(id);
            let batch = batch.ok_or_else(|| Refused::missing("batch", id))?;
            let game_of = |job: &i64| shelf.jobs.get(job).map(|job| job.game);
            let others = shelf.batches.iter().filter(|(other, _)| *other != id);
            let kept: BTreeSet<i64> = others
                .flat_map(|(_, other)| other.jobs.iter().filter_map(game_of))
                .collect();
            let games = batch.jobs.iter().filter_map(game_of);
            Ok((
                games.filter(|game| !kept.contains(game)).collect(),
                Some(*id),
            ))
        }
        DeleteWish::Player(player) => {
            let filter = GameFilter {
                player: player.clone(),
                ..GameFilter::default()
            };
            let games = shelf.lines().select(&filter, &shelf.reviews()).games;
            if games.is_empty() {
                return Err(Refused::missing("game of", format!("{player:?}")));
            }
            Ok((games.into_iter().collect(), None))
        }
    }
}
