//! The players in the kept games: profiles and lessons.

use std::collections::{BTreeMap, BTreeSet};

use centipawn_judge::Topic;
use centipawn_review::{
    PlayerGame, Profile,
    rooms::{
        JudgeRequest, LessonAnswer, LessonItemDocument, LessonRequest, MistakePuzzle, PlayerRow,
        PlayersDocument, mistakes,
    },
};

use super::puzzles::{self, own_review};
use crate::{
    Reply, Tab,
    reply::Refused,
    router::{Answer, Query},
    shelf::RepetitionRecord,
};

/// Maximum number of players in the list.
const PLAYERS: usize = 100;
/// Maximum number of the player's own mistakes in a lesson. The costliest ones are taken.
const OWN: usize = 20;
/// Maximum number of puzzles of a lesson by a filter.
const LESSON: usize = 20;
/// Maximum number of other puzzles in a lesson.
const OTHERS: usize = 10;
/// Maximum difference between the ratings of another puzzle and of the player.
const NEAR: i64 = 300;

pub(crate) fn players(tab: &Tab) -> Answer {
    let players = tab.shelf.lines().players(PLAYERS).into_iter();
    let players = players.map(|(name, games)| PlayerRow { name, games });
    Ok(Reply::document(&PlayersDocument {
        players: players.collect(),
    }))
}

fn profile_of(tab: &mut Tab, player: &str) -> Profile {
    let mut games: Vec<PlayerGame> = Vec::new();
    for (game, job) in tab.shelf.reviews() {
        let line = tab.shelf.lines().get(game);
        let Some(color) = line.and_then(|line| line.color_of(player)) else {
            continue;
        };
        if let Some(judged) = tab.shelf.judged(job) {
            let [white, black] = judged.sides.clone();
            games.push(color.fold_wb(white, black));
        }
    }
    let name = games
        .first()
        .map_or(player, |game| &*game.player)
        .to_owned();
    Profile::new(&name, games)
}

/// The profile of a player from all finished reviews, with the newest review of each game.
pub(crate) fn profile(tab: &mut Tab, query: &Query) -> Answer {
    let player = query.get("player").unwrap_or_default().trim();
    if player.is_empty() {
        return Err(Refused::bad(
            "no player is named",
            "Give the player's name as in the games.",
        ));
    }
    let mut options = tab.review.clone();
    let request = JudgeRequest {
        language: query.own("language"),
        ..JudgeRequest::default()
    };
    tab.choices().judge(&request, &mut options)?;
    Ok(Reply::document(
        &profile_of(tab, player).document(options.language),
    ))
}

/// Makes a lesson of a player's mistakes by one cause.
pub(crate) fn lesson(tab: &mut Tab, request: &LessonRequest) -> Answer {
    let LessonRequest {
        player,
        kind,
        cause,
        ..
    } = request;
    if cause.is_empty() {
        let others = puzzles::chosen(tab, &request.puzzles, LESSON)?;
        return Ok(Reply::document(&answer(
            tab,
            Vec::new(),
            others,
            request.again,
        )));
    }
    let profile = profile_of(tab, player);
    let mut costly: Vec<(f64, i64, usize)> = Vec::new();
    for game in profile.games() {
        // Other moves have no puzzle.
        let moves = game.moves_of(kind, cause).filter(|mv| mv.is_blamed());
        costly.extend(moves.map(|mv| (mv.loss, game.review, mv.ply)));
    }
    costly.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut by_review: BTreeMap<i64, BTreeSet<usize>> = BTreeMap::new();
    for (_, review, ply) in costly.iter().take(OWN) {
        by_review.entry(*review).or_default().insert(*ply);
    }
    let (mut own, mut others): (Vec<i64>, Vec<i64>) = (Vec::new(), Vec::new());
    for (id, plies) in by_review {
        let Some((game, review)) = own_review(tab, id) else {
            continue;
        };
        for MistakePuzzle { ply, puzzle } in mistakes(&review, Some(player)).puzzles {
            if !plies.contains(&(ply + 1)) {
                continue;
            }
            let place = Some((game, ply as i64));
            let (id, _) = tab.shelf.keep_puzzle(puzzle, player, place);
            // The same position may have occurred in several games.
            if !own.contains(&id) {
                own.push(id);
            }
        }
    }
    let topic = Topic::ALL.into_iter().find(|topic| topic.name() == cause);
    if let Some(theme) = topic.and_then(Topic::theme) {
        let rating = profile.rating().map(|rating| rating as i64);
        let is_near = |of: Option<u32>| match (rating, of) {
            (None, _) => true,
            (Some(rating), Some(of)) => (rating - i64::from(of)).abs() <= NEAR,
            (Some(_), None) => false,
        };
        let fitting = tab.shelf.puzzles().filter(|(id, puzzle)| {
            puzzle.document.themes.iter().any(|name| name == theme)
                && is_near(puzzle.document.rating)
                && !tab.shelf.is_tried(*id)
                && !own.contains(id)
        });
        others = fitting.map(|(id, _)| id).take(OTHERS).collect();
    }
    if own.is_empty() && others.is_empty() {
        let hint =
            "Take a cause of the player's profile, of a game that was reviewed by an engine.";
        return Err(Refused::bad("there is no puzzle for this lesson", hint));
    }
    let (due, memory) = (tab.now, None);
    for id in own.iter().chain(&others) {
        let puzzle = tab.shelf.puzzle(*id).cloned();
        if let Some(mut puzzle) = puzzle.filter(|puzzle| puzzle.repetition.is_none()) {
            puzzle.repetition = Some(RepetitionRecord { due, memory });
            tab.shelf.set_puzzle(*id, puzzle);
        }
    }
    Ok(Reply::document(&answer(tab, own, others, request.again)))
}

/// Returns a lesson that asks those of these puzzles that are due, or all of them `again`.
fn answer(tab: &Tab, own: Vec<i64>, others: Vec<i64>, again: bool) -> LessonAnswer {
    let later = |id: &i64| {
        let repetition = tab.shelf.puzzle(*id).and_then(|puzzle| puzzle.repetition);
        repetition
            .map(|repetition| repetition.due)
            .filter(|due| *due > tab.now && !again)
    };
    let (resting, asked): (Vec<i64>, Vec<i64>) = own
        .iter()
        .chain(&others)
        .partition(|id| later(id).is_some());
    let items = asked.into_iter().map(|id| LessonItemDocument {
        puzzle: Some(id),
        decoy: None,
    });
    LessonAnswer {
        items: items.collect(),
        own,
        others,
        waiting: 0,
        resting: resting.len(),
        next_due: resting.iter().filter_map(later).min(),
    }
}
